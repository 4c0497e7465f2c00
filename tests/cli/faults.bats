#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What goes wrong while calib measures a fake Odroid-XU3: the row is right or flagged, what was
# measured is kept, and the settings are as before.

bats_require_minimum_version 1.5.0
load fake

setup() {
	fake_setup
	needs_namespace
	needs_two_cpus
}

@test "SIGKILL: the guardian puts the settings back at once" {
	fake 0 1
	settings > before
	begin --cluster a15 -d run
	until_pinned
	guardian=$(guardian)
	[ "$guardian" ]
	kill -KILL $pid
	wait $pid || true
	until_gone "$guardian"
	settings | diff before -
	[ ! -e root/run/calib/state.json ]
	grep -q "the measuring process died; its guardian put the settings back" err
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 0 ]
	[[ $stderr == *"nothing to put back"* ]]
	[ -z "$output" ]
}

@test "SIGKILL of calib and guardian: calib restore puts the settings back and says which" {
	fake 0 1
	settings > before
	begin --cluster a15 -d run
	until_rows 1
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 2 ]
	[[ $stderr == *"another calib is measuring on this machine"* ]]
	[ "$(cat "${policy}1/scaling_governor")" = userspace ]
	kill -KILL "$(guardian)"
	kill -KILL $pid
	wait $pid || true
	[ "$(cat "${policy}1/scaling_governor")" = userspace ]
	[ -e root/run/calib/state.json ]
	line="/sys/devices/system/cpu/cpufreq/policy1/scaling_governor: 'userspace' -> 'ondemand'"
	run --separate-stderr "$CALIB" restore -n --sysroot "$root"
	[ "$status" -eq 0 ]
	[ "$output" = "$line" ]
	[[ $stderr == *"1 of 3 saved settings would be put back"* ]]
	[ "$(cat "${policy}1/scaling_governor")" = userspace ]
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 0 ]
	[ "$output" = "$line" ]
	[[ $stderr == *"1 settings put back, 2 were as saved"* ]]
	settings | diff before -
	[ ! -e root/run/calib/state.json ]
	# Whole rows, all that were told.
	awk -F, 'NF != 15 { exit 1 }' run/samples.csv
}

@test "SIGKILL of calib and guardian: the next run puts the settings back" {
	fake 0 1
	settings > before
	begin --cluster a15 -d run
	until_pinned
	kill -KILL "$(guardian)"
	kill -KILL $pid
	wait $pid || true
	measure --cluster a15 --opps 200 --cpus 0 -d run2
	[[ $stderr == *"put back the settings that a run which died had left behind"* ]]
	settings | diff before -
	[ ! -e root/run/calib/state.json ]
}

@test "the guardian takes no signal of the terminal and ends with the run" {
	fake 0 1
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	until_pinned
	guardian=$(guardian)
	for signal in INT TERM HUP QUIT TSTP USR1; do
		kill -$signal "$guardian"
	done
	# A session and a process group of its own.
	read -r _ _ _ _ group session _ < "/proc/$guardian/stat"
	[ "$group" -eq "$guardian" ]
	[ "$session" -eq "$guardian" ]
	# Of ours only the pipe and standard error.
	[ "$(find "/proc/$guardian/fd" -type l | wc -l)" -eq 4 ]
	wait $pid
	[ ! -e "/proc/$guardian" ]
	settings | diff before -
	! grep -q guardian err
}

@test "two policies with different governors get their own back; offline CPUs stay so" {
	fake 0 1
	echo conservative > "${policy}0/scaling_governor"
	echo 300000 > "${policy}0/scaling_min_freq"
	echo userspace > "${policy}1/scaling_governor"
	echo 800000 > "${policy}1/scaling_setspeed"
	mkdir "$root/sys/devices/system/cpu/cpu2"
	echo 0 > "$root/sys/devices/system/cpu/cpu2/online"
	find "$root/sys/devices/system/cpu" -type f ! -path '*/policy0/scaling_setspeed' \
		-exec md5sum {} + | sort > before
	begin --sensor a7=ina231@0x45 --opps 200,600 --cpus 0,1 -d run
	until_rows 5
	kill -KILL $pid
	wait $pid || true
	until find "$root/sys/devices/system/cpu" -type f ! -path '*/policy0/scaling_setspeed' \
		-exec md5sum {} + | sort | cmp -s before -; do sleep 0.01; done
	[ "$(cat "${policy}1/scaling_governor")" = userspace ]
}

@test "restore: nothing to do, a damaged file, a setting that is gone" {
	fake 0 1
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 0 ]
	[[ $stderr == *"nothing to put back"* ]]
	[ ! -e root/run/calib ]
	mkdir root/run/calib
	echo '{"schema": "calib-state/1", "saved": [' > root/run/calib/state.json
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 2 ]
	[[ $stderr == *"root/run/calib/state.json:"* ]]
	cat > root/run/calib/state.json <<- END
		{ "schema": "calib-state/1", "saved": [
		{ "path": "/sys/devices/system/cpu/cpufreq/policy9/scaling_governor", "text": "x" },
		{ "path": "/sys/devices/system/cpu/cpu1/online", "text": "0" },
		{ "path": "/sys/class/thermal/thermal_zone0/mode", "text": "enabled" } ] }
	END
	echo disabled > root/sys/class/thermal/thermal_zone0/mode
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 2 ]
	[[ $stderr == *"1 setting(s) could not be put back: "*"policy9/scaling_governor"* ]]
	[[ $stderr == *"the other settings are back"* ]]
	[ "$(cat root/sys/devices/system/cpu/cpu1/online)" = 0 ]
	[ "$(cat root/sys/class/thermal/thermal_zone0/mode)" = enabled ]
	[ -e root/run/calib/state.json ]
}
