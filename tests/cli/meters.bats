#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib measure with the meters that are not hwmon's, over a fake Odroid-XU3.

bats_require_minimum_version 1.5.0

load fake

setup() {
	fake_setup
	fake 0 1
	# What no namespace hides: none of hwmon's.
	rm -rf "$root/sys/class/hwmon"
}

# meters KIND... - of tests/fake/meters
meters() {
	"$TOP/tests/fake/meters" "$root" "$@"
}

measure() {
	run --separate-stderr timeout 60 "$CALIB" measure --sysroot "$root" "$@"
}

settings() {
	find "$root/sys" -type f ! -name scaling_setspeed | sort | xargs md5sum
}

@test "the board's meters under Hardkernel's kernel: switched on, and off again" {
	needs_two_cpus
	meters odroid
	echo 20000 > "$root/sys/bus/i2c/drivers/INA231/4-0040/update_period"
	settings > before
	measure --cluster a15 --opps 200,400 --cpus 0 -d run
	[ "$status" -eq 0 ]
	settings | diff before -
	grep -q '"sensor": "odroid:4-0040 sensor_arm"' run/board.json
	awk -F, 'NR > 1 && ($9 != 1406250 || $5 != 912500) { exit 1 }' run/samples.csv
}

@test "a meter that may not be switched on is told before anything changes" {
	meters odroid
	enable=$root/sys/bus/i2c/drivers/INA231/4-0040/enable
	rm "$enable"
	settings > before
	measure --cluster a15 --opps 200 --cpus 0 -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"cannot write /sys/bus/i2c/drivers/INA231/4-0040/enable"* ]]
	settings | diff before -
	[ ! -e run ]
}

@test "a battery measures the whole device, and only while it discharges" {
	needs_two_cpus
	meters battery
	gauge=$root/sys/class/power_supply/BAT1/power_now
	while sleep 0.05; do
		for power in 6500000 6500100; do
			echo $power 1<> "$gauge"
			sleep 0.05
		done
	done 3>&- &
	writer=$!
	measure --cluster a15 --sensor a15=battery:BAT1 --opps 200 --cpus 0 -d run
	kill $writer
	[ "$status" -eq 0 ]
	[[ $stderr == *"cluster 'a15': meter battery:BAT1: the whole device"* ]]
	grep -q '"power-scope": "device"' run/board.json
	echo Charging > "$root/sys/class/power_supply/BAT1/status"
	settings > before
	measure --cluster a15 --sensor a15=battery:BAT1 --opps 200 --cpus 0 -d run2
	[ "$status" -eq 2 ]
	[ "${stderr_lines[-1]}" = "calib measure: error: sensor battery:BAT1: status is 'Charging', so it does not show what the device draws; unplug the charger; no row was written" ]
	settings | diff before -
	[ ! -e run2 ]
}

@test "psys is called board power, a package a package" {
	meters rapl
	measure --cluster a15 --sensor a15=rapl:psys --dry-run
	[ "$status" -eq 0 ]
	[[ $stderr == *"meter rapl:psys: board power: holds the package, never added to it"* ]]
	measure --cluster a15 --sensor a15=rapl:package --dry-run
	[[ $stderr == *"meter rapl:package-0: the package: cores, and all else on the chip"* ]]
	measure --cluster a15 --sensor a15=rapl:gpu --dry-run
	[ "$status" -eq 2 ]
	[[ $stderr == *"no power sensor matches 'rapl:gpu'; there are rapl:package-0, rapl:package-0/core, "* ]]
}

@test "an external meter: its clock is found, and the coefficient behind it comes out" {
	needs_two_cpus
	# How busy the CPU was is not told: it is then taken as asked for.
	rm "$root/proc/stat"
	metered measure --sysroot "$root" --cluster a15 --opps 200,1000,2000 --cpus 0,1 \
		--power-from "$bench_meter" -d run
	ended 0
	grep -q "note: cluster 'a15': the marker load shows by .* readings come up to .* ms after they were taken" err
	# Ten readings of 20 ms, and then some.
	lag=$(sed -n 's/.*come up to \([0-9.]*\) ms.*/\1/p' err)
	[ "${lag%.*}" -ge 180 ]
	grep -q '"power-scope": "device"' run/board.json
	grep -q '"volt-source": "debugfs"' run/board.json
	"$CALIB" fit -d run > coeffs.json
	grep -q '"dynamic-power-coefficient": 3\([01][0-9]\|20\),' coeffs.json
	# Nothing of it runs on.
	! pgrep -f "bench-meter.*$root"
}

@test "an external meter is said of the clusters that are measured" {
	measure --cluster a15 --opps 200 --cpus 0 -n --power-from "echo time_ns,power_w; sleep 100"
	[ "$status" -eq 0 ]
	[[ $stderr == *"cluster 'a15': meter stream echo"* ]]
	[[ $stderr != *"cluster 'a7': meter"* ]]
}

@test "an external meter of another machine is refused before anything is written" {
	needs_two_cpus
	settings > before
	measure --cluster a15 --opps 200 --cpus 0 -d run --power-from "$bench_meter"
	[ "$status" -eq 2 ]
	[[ $stderr == *"the marker load (13 times on and off) does not show in the readings"* ]]
	settings | diff before -
	[ ! -e run ]
	measure --cluster a15 --opps 200 --cpus 0 -d run --power-from "exit 4"
	[ "$status" -eq 2 ]
	[[ $stderr == *"sensor stream exit 4: the command 'exit 4' ended with status 4 after 0 readings"* ]]
	run --separate-stderr "$CALIB" measure --board virtual:odroid-xu3 --power-from x --dry-run
	[ "$status" -eq 2 ]
	[[ $stderr == *"a virtual board has its own sensors"* ]]
}

@test "an external meter's command has the signals of a shell" {
	# The 13th bit is SIGPIPE, which ends the first of 'meter | awk' when we are gone.
	measure --cluster a15 --opps 200 --cpus 0 -d run --power-from \
		"grep SigIgn: /proc/self/status > ignored; exit 4"
	[ "$status" -eq 2 ]
	read -r _ ignored < ignored
	[ $((0x$ignored & 0x1000)) -eq 0 ]
}

@test "readings that come faster than we read do not keep us from being interrupted" {
	run --separate-stderr timeout -k 10 50 "$CALIB" measure --sysroot "$root" \
		--cluster a15 --opps 200 --cpus 0 -d run \
		--power-from "echo time_ns,power_w; yes 1,1"
	[[ $stderr == *"the time did not go on"* ]]
	[ "$status" -eq 2 ]
	run --separate-stderr timeout -k 10 50 "$CALIB" measure --sysroot "$root" \
		--cluster a15 --opps 200 --cpus 0 -d run --power-from /dev/zero
	[ "$status" -eq 2 ]
	[[ $stderr == *"a line of more than 4096 bytes; no row was written"* ]]
	[ ! -e run ]
}

@test "RAPL that only root may read: exit 2 and why, not 0 W" {
	unshare -U true 2> /dev/null || skip "no user namespace here"
	meters rapl
	chmod 0 "$root"/sys/class/powercap/*/energy_uj
	# Root there owns these files, but has no right to more than their mode says.
	run --separate-stderr unshare -U "$CALIB" measure --sysroot "$root" --cluster a15 \
		--sensor a15=rapl:package -d run
	[ "$status" -eq 2 ]
	[ "$stderr" = "calib measure: error: --sensor a15=rapl:package: sensor rapl:package-0: permission denied: energy_uj is root-only since CVE-2020-8694; run as root" ]
	[ ! -e run ]
}

@test "an IIO meter is read through its buffer, whose settings are put back" {
	needs_two_cpus
	meters buffer
	scans
	settings > before
	measure --cluster a15 --sensor a15=ina226 --opps 200 --cpus 0 -d run
	kill $player
	[ "$status" -eq 0 ]
	settings | diff before -
	# The sysfs file says 25 mW all the time.
	awk -F, 'NR > 1 && ($9 < 1050000 || $9 > 1200000) { print; exit 1 }' run/samples.csv
	[ "$(wc -l < run/samples.csv)" -gt 1 ]
	[[ $stderr != *"not through its buffer"* ]]
	[[ $stderr != *"is not read through its buffer"* ]]
}

@test "SIGKILL while an IIO buffer captures: it is switched off and its settings are put back" {
	needs_two_cpus
	meters buffer
	scans
	settings > before
	"$CALIB" measure --sysroot "$root" --cluster a15 --sensor a15=ina226 --cpus 0 -d run \
		> out 2> err 3>&- &
	pid=$!
	until [ "$(cat "$root/sys/bus/iio/devices/iio:device0/buffer/enable")" = 1 ]; do
		kill -0 $pid
	done
	kill -KILL $pid
	wait $pid || true
	kill $player
	until [ ! -e "$root/run/calib/state.json" ]; do
		sleep 0.01
	done
	settings | diff before -
}
