#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib ramp: tables of virtual boards, of this machine, and interrupted ones.

bats_require_minimum_version 1.5.0
load fake

setup() {
	fake_setup
}

ramp() {
	run --separate-stderr "$CALIB" ramp "$@"
}

@test "a virtual board's table has each kind of core under each governor, and says VIRTUAL" {
	ramp --board virtual:odroid-xu3 --governors schedutil,performance
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ "${lines[0]}" == "VIRTUAL board 'odroid-xu3', seed 1: "* ]]
	[[ "$output" == *"power of ina231@0x40 VDD_ARM, ina231@0x45 VDD_KFC, from 0.5 to 1.4 s"* ]]
	[ "$(awk '/^a/ { print $1, $2, $3, $11 }' <<< "$output")" = "a7 3 schedutil 23
a7 3 performance 0
a15 7 schedutil 36
a15 7 performance 0" ]
	first=$output
	ramp --board virtual:odroid-xu3 --governors schedutil,performance
	[ "$output" = "$first" ]
}

@test "markdown is a table with spreads, json is read by programs" {
	ramp --board virtual:juno-r2 --repeats 2 --format markdown
	[ "$status" -eq 0 ]
	[[ "$output" == VIRTUAL* ]]
	grep -q '^| a72  |   2 | schedutil    | [0-9.]* ± [0-9.]* |' <<< "$output"
	ramp --board virtual:juno-r2 --repeats 2 --format json
	[ "$status" -eq 0 ]
	python3 -c "
import json, sys
d = json.load(sys.stdin)
assert d['virtual'] and d['board'] == 'juno-r2' and not d['interrupted']
assert [r['core'] for r in d['rows']] == ['a53', 'a72']
assert all(r['repeats'] == 2 and 0 < r['watt']['mean'] < 5 for r in d['rows'])
assert d['rows'][1]['mops']['mean'] > d['rows'][0]['mops']['mean']
" <<< "$output"
}

@test "EPPs of the hybrid board: the more they save, the later" {
	ramp --board virtual:intel-hybrid --governors powersave \
		--epp performance,balance_performance,power --cpu 0
	[ "$status" -eq 0 ]
	[ "$(awk '$1 == "p" { print $3, $11 }' <<< "$output" | sort -snk2)" = \
		"$(awk '$1 == "p" { print $3, $11 }' <<< "$output")" ]
	[ "$(awk '$1 == "p" { print $11 }' <<< "$output" | uniq | wc -l)" -eq 3 ]
}

@test "modes of the hybrid board's driver: the governor's ramp, and the hardware's" {
	ramp --board virtual:intel-hybrid --modes passive,active --cpu 0
	[ "$status" -eq 0 ]
	[ "$(awk '$1 == "p" { print $3, $4 }' <<< "$output")" = "passive schedutil
active powersave/balance_performance" ]
	ramp --board virtual:intel-hybrid --modes active --governors schedutil
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"governor 'schedutil' is not offered in active mode; "* ]]
	ramp --board virtual:juno-r2 --modes active
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"driver has no modes to set"* ]]
}

@test "what cannot be is refused before anything runs" {
	ramp --board virtual:odroid-xu3 --governors conservative
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"error: governor 'conservative' is not offered by a virtual board; "* ]]
	ramp --board virtual:odroid-xu3 --epp power
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"has no EPP to set"* ]]
	ramp --board odroid-xu3
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"error: --board is for virtual boards here: 'virtual:odroid-xu3'; this machine needs none" ]]
	ramp --board virtual:odroid-xu3 --cpu 8
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"there is no CPU 8 online here" ]]
	ramp --board virtual:odroid-xu3 --cpu 0-
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--cpu '0-' is not a list of CPUs such as 0,4-5" ]]
	ramp --board virtual:odroid-xu3 --governors schedutil,,performance
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"governor '' is not a name" ]]
	ramp --board virtual:odroid-xu3 --governors schedutil,performance,schedutil
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"error: governor 'schedutil' is given twice" ]]
	ramp --board virtual:odroid-xu3 --power-from x
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"error: --power-from is for real machines; "* ]]
	ramp --seed 2
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"error: --seed is for virtual boards; add '--board virtual:NAME'" ]]
	ramp --repeats 0
	[ "$status" -eq 2 ]
}

@test "on a machine that plays an Odroid-XU3 the governor is set for each row and put back" {
	needs_two_cpus
	fake 0 1
	settings > before
	ramp --sysroot "$root" --cpu 1 --governors schedutil,powersave --repeats 1 --idle 1ms
	[ "$status" -eq 0 ]
	[ "$(awk '$1 == "a15" { print $2, $3, ($14 > 0) }' <<< "$output")" = "1 schedutil 0
1 powersave 0" ]
	awk '$1 == "a15" && $12 <= 0 { exit 1 }' <<< "$output"
	settings | diff before -
	[ ! -e "$root/run/calib/state.json" ]
	ramp --sysroot "$root" --governors performance
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"policy0: governor 'performance' is not offered; there are "* ]]
}

@test "power is the sum of the machine's meters, or of those that are asked for" {
	needs_two_cpus
	needs_namespace
	fake 0 1
	run --separate-stderr inside timeout 60 "$CALIB" ramp --sysroot "$root" --repeats 1 \
		--cpu 1 --idle 1ms
	[ "$status" -eq 0 ]
	[[ "$output" == *"power of ina231-i2c-3-40/power1, ina231-i2c-3-41/power1, "* ]]
	[ "$(awk '$1 == "a15" { print $3, $13, ($14 > 0) }' <<< "$output")" = "ondemand 1.510 1" ]
	run --separate-stderr inside timeout 60 "$CALIB" ramp --sysroot "$root" --repeats 1 \
		--cpu 1 --idle 1ms --sensor ina231@40
	[ "$status" -eq 0 ]
	[ "$(awk '$1 == "a15" { print $13 }' <<< "$output")" = 1.125 ]
}

@test "a server with more than a hundred CPUs, each with a policy of its own, is taken" {
	local cpu=root/sys/devices/system/cpu i p
	mkdir -p root/run
	for i in {0..159}; do
		p=$cpu/cpufreq/policy$i
		mkdir -p "$p"
		echo $i | tee "$p/affected_cpus" > "$p/related_cpus"
		echo schedutil > "$p/scaling_governor"
		echo "performance schedutil" > "$p/scaling_available_governors"
		echo 1000000 | tee "$p/cpuinfo_min_freq" > "$p/scaling_min_freq"
		echo 3000000 | tee "$p/cpuinfo_max_freq" > "$p/scaling_max_freq"
	done
	echo 0-159 > $cpu/online
	ramp --sysroot root --cpu 0 --governors performance --repeats 1 --idle 1ms
	[ "$status" -eq 0 ]
	[ "$(awk '$2 == 0 { print $1, $3 }' <<< "$output")" = "policy0 performance" ]
	[ "$(cat $cpu/cpufreq/policy*/scaling_governor | uniq -c | xargs)" = "160 schedutil" ]
	sweep=$("$CALIB" sweep --sysroot root --cpu 0 --hz 100 --loads 20 --time 10ms --format json)
	[ "$(jq '.rows[0].cpu' <<< "$sweep")" = 0 ]
	# What keeps a context of each boot keeps it small.
	run --separate-stderr "$CALIB" bench perf --sysroot root -- touch ran
	[ "$status" -eq 2 ]
	[[ "$stderr" == "calib bench perf: error: 160 cpufreq policies, and a result holds up to 64" ]]
	[ ! -e ran ]
}

# begin_ramp - many starts in the background, once the first row is under way
begin_ramp() {
	"$CALIB" ramp --sysroot "$root" --cpu 1 --repeats 2 --idle 1ms \
		--governors schedutil,powersave,ondemand,conservative > out 2> err 3>&- &
	pid=$!
	until_true grep -q "$1" "${policy}1/scaling_governor"
}

@test "a signal to end prints the rows that are there, and everything is put back" {
	needs_two_cpus
	fake 0 1
	settings > before
	begin_ramp powersave
	kill -TERM $pid
	ended 2
	grep -q '^a15 *1 *schedutil' out
	grep -q 'error: interrupted after [2-7] of 8 starts; the table holds those' err
	settings | diff before -
	[ ! -e "$root/run/calib/state.json" ]
}

@test "a governor that somebody else sets meanwhile is told" {
	needs_two_cpus
	fake 0 1
	settings > before
	begin_ramp schedutil
	echo ondemand > "${policy}1/scaling_governor"
	until_true grep -q 'something else sets it' err
	grep -q 'warning: CPU 1 was to run under schedutil, and at the end it was ondemand: ' err
	kill -TERM $pid
	ended 2
	settings | diff before -
}

@test "when it is killed, the guardian puts the governor back" {
	needs_two_cpus
	fake 0 1
	settings > before
	begin_ramp schedutil
	kill -KILL $pid
	until [ ! -e "$root/run/calib/state.json" ]; do
		sleep 0.01
	done
	settings | diff before -
}

@test "-o keeps the rows, whatever comes: SIGKILL after the first leaves that" {
	needs_two_cpus
	env "$CALIB" ramp --cpu 0,1 --repeats 1 --idle 10ms -o r.json > out 2> err 3>&- &
	pid=$!
	until_true test -e r.json
	kill -KILL $pid
	wait $pid || true
	[ "$(jq -c '[.schema, .interrupted, (.rows | length), .rows[0].cpu]' r.json)" = '["calib-ramp/1",true,1,0]' ]
	[ -z "$(find . -name '*r.json?*')" ]
}

@test "settings that do not go together are left out, with a note, when each goes with another" {
	ramp --board virtual:intel-hybrid --repeats 1 --governors powersave,performance --epp balance_power,performance
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"note: performance/balance_power is left out: the governor performance takes no EPP"* ]]
	[ "$(awk '/^p / { print $3 }' <<< "$output" | xargs)" = "powersave/balance_power powersave/performance performance/performance" ]
	ramp --board virtual:intel-hybrid --repeats 1 --modes active,passive --governors powersave,schedutil
	[ "$status" -eq 0 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ "$stderr" == *"note: active schedutil is left out: "* ]]
	[ "$(grep -c '^p ' <<< "$output")" -eq 3 ]
	ramp --board virtual:intel-hybrid --governors powersave,nope
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"error: governor 'nope' is not offered"* ]]
}

@test "-o has what --format json prints, beside the table" {
	ramp --board virtual:juno-r2 --repeats 2 --format json
	printf '%s\n' "$output" | jq -S 'del(.command)' > want
	ramp --board virtual:juno-r2 --repeats 2 -o r.json
	[ "$status" -eq 0 ]
	[[ "$output" == *"a72 "* ]]
	jq -S 'del(.command)' r.json | diff want -
	for wrong in - . /dev/null no/r.json; do
		ramp --board virtual:juno-r2 -o "$wrong"
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"error: "*"'$wrong'"* ]] || { echo "$stderr"; false; }
		[ -z "$output" ]
	done
}
