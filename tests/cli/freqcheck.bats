#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib freqcheck: what was asked for and what was delivered.

bats_require_minimum_version 1.5.0

setup() {
	load fake.bash
	fake_setup
}

freqcheck() {
	run --separate-stderr "$CALIB" freqcheck "$@"
}

# column N OPP - of the text for this operating point
column() {
	awk -v n="$1" -v khz="$2" '$1 == khz { print $n }' <<< "$output"
}

@test "the scale is that of the Juno thread" {
	freqcheck --board virtual:juno-r2
	[ "$status" -eq 0 ]
	[ "$(column 2 600000)" = 600000 ]
	[ "$(column 3 600000)" = 512 ]
	[ "$(column 3 450000)" = 485 ]
	[ "$(column 3 1200000)" = 1024 ]
	[[ $output == *"VIRTUAL a72: CPUs 1-2 loaded, delivered clock by cycle counters"* ]]
	[ "${lines[-1]}" = "all 6 operating points are delivered to 1 %" ]
}

@test "half a clock that cpufreq does not admit is a finding" {
	freqcheck --board virtual:juno-r2 --fault clock
	[ "$status" -eq 1 ]
	[ "$(column 2 1200000)" = 600000 ]
	[ "$(column 3 1200000)" = 512 ]
	[[ $output == *"WRONG: 50.0 % of what was asked for, though cpufreq claims 1200000 kHz"* ]]
	[[ $output == *"1 of 6 operating points is not delivered to 1 %"* ]]
	freqcheck --board virtual:juno-r2 --fault clock --cluster a53
	[ "$status" -eq 0 ]
	freqcheck --board virtual:juno-r2 --fault clock --opps 600,1000 --cluster a72
	[ "$status" -eq 0 ]
}

@test "without a cycle counter the load's own rate tells the same" {
	freqcheck --board virtual:odroid-xu3 --fault pmu
	[ "$status" -eq 0 ]
	[[ $output == *"by the load's own rate (no cycle counter here)"* ]]
	freqcheck --board virtual:odroid-xu3 --fault pmu,clock --cluster a15
	[ "$status" -eq 1 ]
	[ "$(grep -c WRONG <<< "$output")" -eq 6 ]
	[ "$(column 3 1000000)" = 512 ]
	[ "$(column 3 2000000)" = 512 ]
	freqcheck --board virtual:odroid-xu3 --fault pmu --cluster a15 --opps 1400
	[ "$status" -eq 1 ]
	[[ $output == *"1400000 "*"UNKNOWN: no cycle counter, and the load's rate tells a clock only by comparison"* ]]
	[[ $output == *"the clock of 1 of 1 operating point cannot be told"* ]]
	[[ $output != *WRONG* && $output != *"not delivered"* ]]
}

@test "JSON holds the same" {
	freqcheck --board virtual:juno-r2 --fault clock --json
	[ "$status" -eq 1 ]
	python3 - "$output" <<- 'END'
		import json, sys
		r = json.loads(sys.argv[1])
		assert r["virtual"] and r["board"] == "juno-r2" and not r["ok"]
		a53, a72 = r["clusters"]
		assert [o["scale"] for o in a53["opps"]] == [485, 862, 1024]
		top = a72["opps"][-1]
		assert top["requested-khz"] == 1200000 and top["delivered-khz"] == 600000
		assert top["claimed-khz"] == 1200000 and not top["ok"] and top["by"] == "cycles"
		assert a72["max-khz"] == 1200000 and a72["cpus"] == [1, 2]
	END
	freqcheck --board virtual:nosuch --json
	[ "$status" -eq 2 ]
	[[ $output$stderr == *'"error": "'* ]]
}

@test "what is not there is refused" {
	freqcheck --board virtual:juno-r2 --cluster a15
	[ "$status" -eq 2 ]
	[ "${stderr_lines[-1]}" = "calib freqcheck: error: no cluster 'a15' here; known are a53, a72" ]
	freqcheck --board virtual:juno-r2 --opps 123
	[ "$status" -eq 2 ]
	[[ $stderr == *"no operating point '123'"* ]]
	freqcheck --fault clock
	[ "$status" -eq 2 ]
	freqcheck --seed 2
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --seed is for virtual boards; add '--board virtual:NAME'" ]]
	freqcheck --board virtual:juno-r2 --sysroot /
	[ "$status" -eq 2 ]
}

@test "a machine without cpufreq: what its CPUs show, and why no more" {
	mkdir -p root/sys
	freqcheck --sysroot root
	[ "$status" -eq 2 ]
	[[ $stderr == *"no cpufreq: "* ]]
	[ ! -d /sys/devices/system/cpu/cpufreq/policy0 ] || skip "this machine has cpufreq"
	freqcheck --time 1ns
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[ "$stderr" = "calib freqcheck: error: --time of less than 1 ms tells no clock; the default is 200ms" ]
	freqcheck --time 20ms
	[ "$status" -eq 2 ]
	[[ ${lines[0]} == "CPU "*" under load, by its cycle counter" ||
		${lines[0]} == "CPU "*": no cycle counter (perf); the load does "[1-9]*" units/s" ]]
	[[ $stderr == *"no cpufreq: "* ]]
}

@test "on a fake machine, without a meter: clocks that do not follow are wrong, settings are back" {
	needs_two_cpus
	fake 0 1
	rm -r root/sys/class/hwmon
	settings > before
	freqcheck --sysroot root --cluster a15 --opps 400,600,1000 --time 20ms
	[ "$status" -eq 1 ]
	[ "$(grep -cE 'WRONG|UNKNOWN' <<< "$output")" -ge 2 ]
	[[ $output == *"a15: CPUs 1 loaded"* ]]
	settings | diff before -
	[ ! -e root/run/calib/state.json ]
}

@test "on SIGTERM the settings are put back, exit 2" {
	needs_two_cpus
	fake 0 1
	settings > before
	"$CALIB" freqcheck --sysroot root --cluster a15 --time 60s > out 2> err 3>&- &
	pid=$!
	until_pinned
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 2 ]
	grep -q interrupted err
	settings | diff before -
	[ ! -s out ]
}
