#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --thermal-mode on a fake Odroid-XU3: the zones get their own back in every kind of end, and
# calib ends the run where the kernel no longer would.

bats_require_minimum_version 1.5.0
load fake

setup() {
	fake_setup
	needs_namespace
	needs_two_cpus
	fake 0 1
	zone=root/sys/class/thermal/thermal_zone
	for n in 0 1 2 3; do
		echo enabled > $zone$n/mode
		echo step_wise > $zone$n/policy
		echo "power_allocator user_space step_wise " > $zone$n/available_policies
		echo passive > $zone$n/trip_point_0_type
		echo 60000 > $zone$n/trip_point_0_temp
		echo critical > $zone$n/trip_point_1_type
		echo 115000 > $zone$n/trip_point_1_temp
	done
	echo power_allocator > ${zone}3/policy
	all > before
}

# all - every setting, those of the zones too
all() {
	settings
	cat "$zone"?/mode "$zone"?/policy
}

# modes ATTR - of the four zones
modes() {
	cat "$zone"?/"$1" | paste -sd ' '
}

# refused TEXT ARGS... - says TEXT, exits 2, changes nothing
refused() {
	local text=$1
	shift
	measure --cluster a15 -d run "$@"
	[ "$status" -eq 2 ]
	[[ $stderr == *"$text"* ]] || { echo "$stderr"; false; }
	all | diff before -
	[ ! -e run ]
	[ ! -e root/run/calib/state.json ]
}

@test "user_space: the zones' governor while the run lasts, then each its own" {
	begin --cluster a15 --thermal-mode user_space --opps 200,800 --cpus 0,1 -d run
	until_pinned
	[ "$(modes policy)" = "user_space user_space user_space user_space" ]
	[ "$(modes mode)" = "enabled enabled enabled enabled" ]
	ended 0
	all | diff before -
	[ "$(wc -l < run/samples.csv)" -eq 5 ]
}

@test "disabled, and Ctrl-C: enabled again" {
	begin --cluster a15 --thermal-mode disabled -d run
	until_pinned
	[ "$(modes mode)" = "disabled disabled disabled disabled" ]
	kill -INT $pid
	ended 2
	all | diff before -
}

@test "disabled, and SIGKILL: the guardian enables the zones" {
	begin --cluster a15 --thermal-mode disabled -d run
	until_pinned
	guardian=$(guardian)
	kill -KILL $pid
	wait $pid || true
	until_gone "$guardian"
	all | diff before -
	[ ! -e root/run/calib/state.json ]
}

@test "disabled, SIGKILL of calib and guardian: calib restore enables the zones first" {
	begin --cluster a15 --thermal-mode disabled -d run
	until_pinned
	kill -KILL "$(guardian)"
	kill -KILL $pid
	wait $pid || true
	[ "$(modes mode)" = "disabled disabled disabled disabled" ]
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "/sys/class/thermal/thermal_zone0/mode: 'disabled' -> 'enabled'" ]
	[ "${lines[3]}" = "/sys/class/thermal/thermal_zone3/mode: 'disabled' -> 'enabled'" ]
	all | diff before -
}

@test "a zone near its critical trip point ends the run; the zones and the rows are back" {
	begin --cluster a15 --thermal-mode disabled --opps 200,800 --cpus 0,1 --repeats 9 -d run
	until_rows 1
	# Above the passive trip point, which is what the user asked for.
	echo 98000 1<> ${zone}2/temp
	until_rows $(($(wc -l < run/samples.csv) + 1))
	echo 105000 1<> ${zone}2/temp
	ended 2
	grep -q "thermal_zone2 is at 105.0 degrees, the limit under --thermal-mode is 105.0: load stopped; .* windows kept in 'run'" err
	[ "$(wc -l < run/samples.csv)" -ge 2 ]
	all | diff before -
	[ ! -e root/run/calib/state.json ]
}

@test "a zone that cannot be read any more ends the run" {
	begin --cluster a15 --thermal-mode user_space --opps 200,800 --cpus 0,1 --repeats 9 -d run
	until_rows 1
	rm ${zone}1/temp
	ended 2
	grep -q "thermal_zone1 cannot be read, and the kernel does not look after it (--thermal-mode): load stopped" err
	all | diff before -
}

@test "--max-temp ends the run under --thermal-mode; without a critical trip point it must be told" {
	refused "thermal_zone2 is at 48.0 degrees, the limit under --thermal-mode is 48.0" \
		--thermal-mode disabled --max-temp 48
	rm "$zone"?/trip_point_1_*
	refused "thermal_zone0 tells no critical trip point: say with --max-temp where the run is to end" \
		--thermal-mode disabled
	begin --cluster a15 --thermal-mode disabled --max-temp 60 --opps 200 --cpus 0,1 -d run
	ended 0
	all | diff before -
}

@test "what the kernel or the machine does not have is said before anything is changed" {
	refused "--thermal-mode 'off' is not one of user_space|disabled" --thermal-mode off
	refused "--max-temp '4294968' is not in 1..200" --max-temp 4294968
	echo 3 > root/sys/class/thermal/cooling_device1/cur_state
	refused "the kernel is cutting the clock for heat, and would not stop to" \
		--thermal-mode disabled
	echo 0 > root/sys/class/thermal/cooling_device1/cur_state
	echo "step_wise " > ${zone}1/available_policies
	refused "thermal_zone1: this kernel has no governor user_space (it has 'step_wise ')" \
		--thermal-mode user_space
	rm -r "$zone"*
	run --separate-stderr "$CALIB" measure --board virtual:odroid-xu3 --thermal-mode disabled
	[ "$status" -eq 2 ]
	[[ $stderr == *"--thermal-mode is for real machines"* ]]
	measure --cluster a15 -d run --thermal-mode disabled
	[ "$status" -eq 2 ]
	[[ $stderr == *"no thermal zone is known that cuts this clock: leave --thermal-mode out"* ]]
}
