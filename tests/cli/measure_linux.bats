#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib measure on a fake Odroid-XU3: cpufreq and hwmon are files, the real libsensors reads
# the meter in a mount namespace of our own, the loads run on this machine's CPUs 0 and 1.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ -e /sys/devices/system/cpu/cpu1 ] || skip "needs two CPUs"
	ns=(unshare -m)
	"${ns[@]}" true 2> /dev/null || ns=(unshare -rm)
	"${ns[@]}" mount --bind /sys/class /sys/class 2> /dev/null || skip "no mount namespace"
	"$TOP/tests/fake/odroid-xu3" "$PWD/xu3" 0 1
	hwmon=$PWD/xu3/sys/class/hwmon/hwmon0
	policy=$PWD/xu3/sys/devices/system/cpu/cpufreq/policy1
	[ "$(cat "$hwmon/name")" = ina231 ]
	echo 20 > "$hwmon/update_interval"
	before=$(settings)
}

# What a run changes, and has to put back.
settings() {
	cat "$policy"/scaling_governor "$policy"/scaling_m??_freq
}

# in_xu3 COMMAND... - with the fake machine's meter, which lives while the command runs
in_xu3() {
	# shellcheck disable=SC2016
	exec "${ns[@]}" env --default-signal=INT bash -c '
		mount --bind "$1/sys/class" /sys/class
		mount --bind "$1/sys/devices" /sys/devices
		meter=/sys/class/hwmon/hwmon0/power1_input
		shift
		while sleep 0.02; do echo $((1000000 + RANDOM)) > $meter; done &
		trap "kill $!" EXIT
		"$@" &
		echo $! > pid
		wait $!' - "$PWD/xu3" "$@"
}

measure() {
	run --separate-stderr in_xu3 "$CALIB" measure --sysroot "$PWD/xu3" --cluster a15 "$@"
}

@test "a run on the fake Odroid-XU3 pins, loads, reads and puts back" {
	measure --opps 400 -d run
	[ "$status" -eq 0 ]
	[[ $stderr != *VIRTUAL* ]]
	[[ $stderr == *"a15: 2 rows at 1 operating points"* ]]
	grep -q ',a15,400000,400000,900000,0,idle,' run/samples.csv
	grep -q ',a15,400000,400000,900000,1,int,' run/samples.csv
	! grep -q ',0,0,-$' <(grep ',int,' run/samples.csv)
	# The mean of what the meter showed, not of zeros.
	tail -n +2 run/samples.csv | while IFS=, read -r _ _ _ _ _ _ _ _ uw _; do
		[ "$uw" -gt 1000000 ] && [ "$uw" -lt 1032768 ]
	done
	grep -q '"sensor": "ina231-i2c-3-40' run/board.json
	! grep -q '"virtual": true' run/board.json
	[ "$(settings)" = "$before" ]
}

@test "on a signal the machine is put back and the rows are kept" {
	(in_xu3 "$CALIB" measure --sysroot "$PWD/xu3" --cluster a15 --opps 400,600 \
		--repeats 100 -d run) 2> err &
	shell=$!
	until [ -s run/samples.csv ] && [ "$(wc -l < run/samples.csv)" -gt 1 ]; do
		kill -0 $shell
		sleep 0.1
	done
	[ "$(settings)" != "$before" ]
	kill -TERM "$(cat pid)"
	status=0
	wait $shell || status=$?
	[ "$status" -eq 2 ]
	grep -q "error: interrupted; [0-9]* of 400 windows kept in 'run'" err
	[ "$(settings)" = "$before" ]
}

@test "a meter that never changes flags the rows and is told" {
	measure() {
		run --separate-stderr "${ns[@]}" bash -c '
			mount --bind "$1/sys/class" /sys/class
			mount --bind "$1/sys/devices" /sys/devices
			shift
			exec "$@"' - "$PWD/xu3" "$CALIB" measure --sysroot "$PWD/xu3" \
			--cluster a15 "$@"
	}
	measure --opps 400,600 --cpus 0,1 --repeats 1 -d run
	[ "$status" -eq 0 ]
	[[ $stderr == *"the meter did not change while it was watched; is it stuck?"* ]]
	[ "$(grep -c 'stale$' run/samples.csv)" -ge 3 ]
	[ "$(settings)" = "$before" ]
}
