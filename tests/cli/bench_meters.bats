#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Meters of bench, ramp and sweep: switched on and off again, through IIO buffers, and how they end.

bats_require_minimum_version 1.5.0

load fake

setup() {
	fake_setup
	fake 0 1
	# What no namespace hides: none of hwmon's.
	rm -rf "$root/sys/class/hwmon"
	ina231=$root/sys/bus/i2c/drivers/INA231
}

# meters KIND... - of tests/fake/meters
meters() {
	"$TOP/tests/fake/meters" "$root" "$@"
	[ ! -e "$ina231" ] || printf '20000\n' | tee "$ina231/4-0040/update_period" > "$ina231/4-0045/update_period"
}

# calib COMMAND... - $inside: "inside" where libsensors is to see $root
calib() {
	local begin_ns
	begin_ns=$(date +%s%N)
	run --separate-stderr $inside timeout 60 "$CALIB" "$@"
	took_ns=$(($(date +%s%N) - begin_ns))
}

# drew METER FROM TO - the power of a meter in all iterations of r.json, mW. A window of energy is
# longer than its iteration's time, on a busy machine much; together they are not longer than all.
drew() {
	jq -e --arg meter "$1" --argjson from "$2" --argjson to "$3" --argjson took "$took_ns" \
		'[.workloads[0].iterations[] | { uj: .["energy-uj"][$meter], ns: .["time-ns"] }] |
		length > 0 and all(.uj * 1e6 > $from * .ns) and (map(.uj) | add) * 1e6 < $to * $took' r.json
}

all_settings() {
	find "$root/sys" -type f ! -name scaling_setspeed | sort | xargs md5sum
}

# behind COMMAND... - in the background, once the first INA231 is on; $pid
behind() {
	env --default-signal=INT "$CALIB" "$@" > out 2> err 3>&- &
	pid=$!
	until [ "$(cat "$ina231/4-0040/enable")" = 1 ]; do
		kill -0 $pid
		sleep 0.01
	done
}

@test "bench switches meters on for its iterations, and off again" {
	meters odroid
	all_settings > before
	calib bench energy --sysroot "$root" --sensor odroid:4-0040 --sensor odroid:4-0045 \
		--governor schedutil --iterations 3 -o r.json \
		-- sh -c "cat $ina231/*/enable ${policy}0/scaling_governor >> seen; sleep 0.2"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	all_settings | diff before -
	[ "$(sort seen | uniq -c | xargs)" = "8 1 4 schedutil" ]
	drew 'odroid:4-0040 sensor_arm' 1406 1407
	drew 'odroid:4-0045 sensor_kfc' 187 188
	[ ! -e "$root/run/calib/state.json" ]
}

@test "ramp and sweep do so too, and their power is that of the meters" {
	meters odroid
	all_settings > before
	# On a busy machine the power of a start may come too late to be its own.
	behind ramp --sysroot "$root" --cpu 0 --repeats 3 --idle 10ms --governors schedutil,powersave --format json
	ended 0
	all_settings | diff before -
	jq -e '.rows | length == 2 and all(.watt.mean > 1.593 and .watt.mean < 1.595)' out
	behind sweep --sysroot "$root" --cpu 0 --hz 100 --loads 20 --time 300ms --format json
	ended 0
	all_settings | diff before -
	jq -e '.rows[0].watt.average > 1.593 and .rows[0].watt.average < 1.595' out
}

@test "meters are off again after Ctrl-C, TERM and SIGKILL" {
	meters odroid
	all_settings > before
	for signal in INT TERM KILL; do
		behind bench energy --sysroot "$root" --sensor odroid:4-0040 --governor schedutil \
			-- sleep 10
		kill -$signal $pid
		wait $pid || true
		until [ ! -e "$root/run/calib/state.json" ]; do
			sleep 0.01
		done
		all_settings | diff before -
	done
	grep -q "its guardian put the settings back" err
}

@test "ramp and sweep that are killed: the guardian switches the meters off" {
	meters odroid
	all_settings > before
	for command in ramp sweep; do
		behind $command --sysroot "$root" --cpu 0 --governors schedutil
		kill -KILL $pid
		wait $pid || true
		until [ ! -e "$root/run/calib/state.json" ]; do
			sleep 0.01
		done
		all_settings | diff before -
		grep -q "its guardian put the settings back" err
	done
}

@test "a user who may not switch a meter on is told so by bench, ramp and sweep" {
	unshare -U true 2> /dev/null || skip "no user namespace here"
	meters odroid
	chmod 0444 "$ina231"/*/enable
	# Root there owns these files, but has no right to more than their mode says.
	for command in "bench energy" ramp sweep; do
		run --separate-stderr unshare -U "$CALIB" $command --sysroot "$root" --sensor odroid:4-0040
		[ "$status" -eq 2 ]
		[[ $stderr == *"error: sensor odroid:4-0040 sensor_arm is switched off, and /sys/bus/i2c/drivers/INA231/4-0040/enable is not writable for this user; run as root" ]]
	done
}

@test "a meter that may not be switched on: what measure says, before anything is run" {
	meters odroid
	rm "$ina231/4-0040/enable"
	calib bench energy --sysroot "$root" --sensor odroid:4-0040 -- touch ran
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: cannot write /sys/bus/i2c/drivers/INA231/4-0040/enable: "* ]]
	[ ! -e ran ]
	# Not asked for, it is left out.
	calib bench energy --sysroot "$root" --iterations 1 --warmup 0 -- sleep 0.2
	[ "$status" -eq 0 ]
	[[ $output == *"odroid:4-0045"* && $output != *"odroid:4-0040"* ]]
}

@test "IIO meters are read through their buffers, whose settings are put back" {
	meters buffer
	scans
	all_settings > before
	calib bench perf --sysroot "$root" --sensor iio:ina226 --iterations 2 -o r.json \
		-- sh -c 'end=$(($(wc -l < scanned) + 50)); until [ "$(wc -l < scanned)" -ge $end ]; do sleep 0.01; done'
	all_settings | diff before -
	# The sysfs file says 25 mW all the time.
	drew iio:ina226@2-0041/power2 1050 1200
	calib ramp --sysroot "$root" --cpu 0 --sensor iio:ina226 --repeats 1 --format json
	kill $player
	[ "$status" -eq 0 ]
	all_settings | diff before -
	jq -e '.rows[0].watt.mean > 1.05 and .rows[0].watt.mean < 1.2' <<< "$output"
}

@test "a meter whose driver is unbound in an iteration: said once, and the rest goes on" {
	meters odroid
	LD_PRELOAD="$B/tests/fake/faults.so" CALIB_FAULTS="$PWD/faults" \
		ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
		calib bench perf --sysroot "$root" --sensor odroid:4-0040 --sensor odroid:4-0045 \
		--iterations 3 --warmup 0 -o r.json -- sh -c "unset LD_PRELOAD; echo >> n; sleep 0.2
			[ \$(wc -l < n) -ne 2 ] || { mv $ina231/4-0040/sensor_W $ina231/4-0040/gone; rm $ina231/4-0040/enable
				echo 'read gone ENODEV 1' > faults; }
			sleep 0.2"
	[ "$status" -eq 0 ]
	[ "$(grep -c "note: no energy is known: sensor odroid:4-0040 sensor_arm: power: reading fails: No such device" <<< "$stderr")" -eq 1 ]
	jq -e '.workloads[0].iterations | length == 3 and (.[0]["energy-uj"] | length == 2) and
		all(.[1:][]; .["energy-uj"] | has("odroid:4-0040") | not)' r.json
	[[ $output =~ time,\ s\ +3\  ]]
	[ "$(cat "$ina231/4-0045/enable")" = 0 ]
}

@test "a counter that wraps in an iteration goes on" {
	meters rapl
	zone=$root/sys/class/powercap/intel-rapl:0
	read -r range < "$zone/max_energy_range_uj"
	echo $((range - 50000)) > "$zone/energy_uj"
	calib bench perf --sysroot "$root" --sensor rapl:package-0 --iterations 2 --warmup 0 -o r.json \
		-- sh -c "echo >> n; echo \$(((\$(wc -l < n) - 1) * 200000 + 150000)) > $zone/energy_uj"
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.workloads[0].iterations[]["energy-uj"]["rapl:package-0"]]' r.json)" = "[200000,200000]" ]
}

@test "readings of an external meter that end in an iteration: said, and no energy after" {
	metered bench perf --sysroot "$root" --iterations 3 --warmup 0 -o r.json \
		--power-from "echo \$\$ > meter; exec $bench_meter" \
		-- sh -c 'echo >> n; sleep 0.3; [ $(wc -l < n) -ne 2 ] || kill $(cat meter); sleep 0.2'
	ended 0
	cat err
	[ "$(grep -c "note: no energy is known: sensor stream .*: the command '.*' ended " err)" -eq 1 ]
	[ "$(jq -c '[.workloads[0].iterations[]["energy-uj"] | length]' r.json)" = "[1,0,0]" ]
}

@test "a hwmon driver's own interval, or that of its mean, is what readings stand for" {
	needs_namespace
	meters hwmon
	inside=inside calib bench perf --sysroot "$root" --sensor ina226/power1 \
		--sensor avgmeter --iterations 1 --warmup 0 -o r.json -- sleep 0.3
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	[ "$(jq -c '[.context.rails[]["interval-us"]]' r.json)" = "[36000,1000000]" ]
	drew ina226-i2c-1-40/power1 1249 1251
	drew avgmeter-virtual-0/power1 2499 2501
}
