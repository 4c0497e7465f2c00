#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib sweep: periodic and serialized loads on virtual boards and on this machine.

bats_require_minimum_version 1.5.0
load fake

setup() {
	fake_setup
}

sweep() {
	run --separate-stderr "$CALIB" sweep "$@"
}

# rows "CPU 7 (a15): power, W" - of that table, its rows without their heads
rows() {
	awk -v head="$1" '$0 == head { on = 1 } !NF { on = 0 } on && $1 + 0 > 0' <<< "$output"
}

@test "the loads go up and down at each frequency, governors side by side, marked VIRTUAL" {
	sweep --board virtual:odroid-xu3 --cpu 7 --governors schedutil,performance --hz 73,401 \
		--loads 20,80
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ "${lines[0]}" == "VIRTUAL board 'odroid-xu3', seed 1: "* ]]
	[ "$(rows "CPU 7 (a15): power, W" | awk '{ print $1, $2, $3, $4 }')" = "73 20 up schedutil
73 20 up performance
73 80 up schedutil
73 80 up performance
73 20 down schedutil
73 20 down performance
401 20 up schedutil
401 20 up performance
401 80 up schedutil
401 80 up performance
401 20 down schedutil
401 20 down performance" ]
	# Watts under schedutil are below those under performance at 20 %.
	rows "CPU 7 (a15): power, W" | awk '$2 == 20 && $4 == "schedutil" { low = $6 }
		$2 == 20 && $4 == "performance" && !($6 > 1.5 * low) { exit 1 }'
	[ "$(rows "CPU 7 (a15): execution time of a packet, ms" | wc -l)" -eq 12 ]
}

@test "the defaults are the five frequencies with ten loads up and nine down" {
	sweep --board virtual:juno-r2 --cpu 1 --time 100ms
	[ "$status" -eq 0 ]
	[ "$(rows "CPU 1 (a72): power, W" | awk '{ print $1 }' | sort -n | uniq -c | xargs)" = \
		"19 73 19 113 19 211 19 347 19 401" ]
}

@test "serialized: samples, average, deviation, maximum and minimum of time and power" {
	sweep --board virtual:intel-hybrid --serialized --governors powersave \
		--epp performance,power --samples 3 --tasks 200
	[ "$status" -eq 0 ]
	[[ "$output" == *"Samples  Average  deviation  Maximum  Minimum"* ]]
	[ "$(rows "CPU 3 (p): power, W" | awk '{ print $2, ($1 > 1000), ($3 >= 3), ($6 >= $4 && $4 >= $7) }')" = \
		"powersave/performance 1 1 1
powersave/power 1 1 1" ]
	[ "$(rows "CPU 3 (p): execution time of a sample, s" | awk '{ print $2, $3 }')" = \
		"powersave/performance 3
powersave/power 3" ]
}

@test "tables are no wider than 100 columns, whatever the names of settings" {
	sweep --board virtual:intel-hybrid --governors powersave --epp balance_performance,power \
		--hz 401 --loads 10,100
	[ "$status" -eq 0 ]
	rows "CPU 3 (p): execution time of a packet, ms" | grep -q ' powersave/balance_performance  '
	run -1 grep -E '^.{101}|[ ]$' <<< "$(sed -n '/: power, W/,$p' <<< "$output")"
}

@test "without a meter there is no table of power" {
	sweep --board virtual:odroid-xu4 --hz 73 --loads 20 --cpu 7
	[ "$status" -eq 0 ]
	[[ "$output" == *"no power: board 'odroid-xu4' has no power sensor"* ]]
	[[ "$output" != *"power, W"* ]]
	[ "$(rows "CPU 7 (a15): execution time of a packet, ms" | wc -l)" -eq 1 ]
}

@test "markdown and json hold the same" {
	sweep --board virtual:juno-r2 --cpu 1 --hz 113 --loads 50 --format markdown
	[ "$status" -eq 0 ]
	[[ "$output" == VIRTUAL* ]]
	grep -q '| Samples | Average | Standard deviation | Maximum | Minimum |' <<< "$output"
	watt=$(awk -F'|' '/power, W/ { on = 1 } on && $2 == " 113 " { print $7; exit }' <<< "$output")
	sweep --board virtual:juno-r2 --cpu 1 --hz 113 --loads 50 --format json
	[ "$status" -eq 0 ]
	python3 -c "
import json, sys
d = json.load(sys.stdin)
assert d['virtual'] and not d['serialized'] and not d['interrupted']
r, = d['rows']
assert (r['core'], r['hz'], r['load-percent'], r['way']) == ('a72', 113, 50, 'up')
assert '%.3f' % r['watt']['average'] == '$watt'.strip()
assert r['seconds']['samples'] > 300 and r['late'] == 0
" <<< "$output"
}

@test "a step that no number holds is refused, and a long packet ends with a signal" {
	sweep --board virtual:odroid-xu3 --serialized --packet 10000h --tasks 1000000 --samples 1000
	[ "$status" -eq 2 ]
	[[ "$stderr" == "calib sweep: error: --packet, --tasks and --samples make a step of 10000000000000 hours; up to 1000 are taken" ]]
	timeout --preserve-status -k 20 60 "$CALIB" sweep --board virtual:odroid-xu3 --cpu 7 \
		--serialized --packet 900h --tasks 1 --samples 1 > out 2> err 3>&- &
	pid=$!
	# SIGTERM waits until somebody looks, which is soon in the packet.
	until grep -q '^SigBlk:.*[4-7c-f]...$' "/proc/$(pgrep -P $pid)/status"; do
		kill -0 $pid
	done
	sleep 0.2
	kill -TERM $pid
	ended 2
	grep -q "error: interrupted" err
}

@test "what is given twice is refused, and a list of CPUs has each once" {
	sweep --board virtual:odroid-xu3 --hz 73,113,73
	[ "$status" -eq 2 ]
	[[ "$stderr" == "calib sweep: error: --hz: 73 is given twice" ]]
	sweep --board virtual:odroid-xu3 --governors performance,performance
	[ "$status" -eq 2 ]
	[[ "$stderr" == "calib sweep: error: governor 'performance' is given twice" ]]
	sweep --board virtual:odroid-xu3 --cpu 7,7,6-7 --hz 73 --loads 50 --time 100ms
	[ "$status" -eq 0 ]
	[ "$(grep -c ": power, W" <<< "$output")" -eq 2 ]
}

@test "the shortest step is one packet" {
	sweep --board virtual:odroid-xu3 --cpu 7 --hz 100 --loads 20 --time 1ns
	[ "$status" -eq 0 ]
	[ "$(rows "CPU 7 (a15): power, W" | awk '{ print $5 }')" = 1 ]
	[ "$(rows "CPU 7 (a15): execution time of a packet, ms" | awk '{ print $5 }')" = 1 ]
	sweep --board virtual:odroid-xu3 --cpu 7 --serialized --packet 1ns --tasks 1 --samples 1
	[ "$status" -eq 0 ]
	[ "$(rows "CPU 7 (a15): execution time of a sample, s" | awk '{ print $3 }')" = 1 ]
}

@test "what is no sweep is refused" {
	sweep --board virtual:odroid-xu3 --loads 50,10
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"error: --loads: '50,10' is not a list of at most 21 ascending loads"* ]]
	sweep --board virtual:odroid-xu3 --hz 0
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"error: --hz: '0' is not a list of at most 10 frequencies"* ]]
	sweep --board virtual:odroid-xu3 --tasks 0 --serialized
	[ "$status" -eq 2 ]
	sweep --board virtual:odroid-xu3 --sensor x
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"a virtual board has its own sensors"* ]]
}

@test "an option that would say nothing is refused" {
	for option in hz=73 loads=20 time=1s; do
		sweep --board virtual:odroid-xu3 --serialized --$option
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"error: --${option%=*} is for periods, and --serialized has none" ]]
	done
	for option in packet=1ms tasks=5 samples=3; do
		sweep --board virtual:odroid-xu3 --$option
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"error: --${option%=*} is for processes; add --serialized" ]]
	done
	sweep --seed 3
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"error: --seed is for virtual boards; add '--board virtual:NAME'" ]]
}

@test "here, periods and processes run, and governors are put back" {
	needs_two_cpus
	fake 0 1
	settings > before
	sweep --sysroot "$root" --cpu 1 --governors schedutil,powersave --hz 100 --loads 20 \
		--time 300ms
	[ "$status" -eq 0 ]
	[ "$(rows "CPU 1 (a15): execution time of a packet, ms" | awk '$5 > 0 && $6 > 0 { print $4 }')" = "schedutil
powersave" ]
	sweep --sysroot "$root" --cpu 1 --serialized --tasks 20 --samples 2
	[ "$status" -eq 0 ]
	[ "$(rows "CPU 1 (a15): execution time of a sample, s" | awk '$1 > 0 { print $2 }')" = ondemand ]
	settings | diff before -
	[ ! -e "$root/run/calib/state.json" ]
}

@test "other work on the task's CPU is told, as it is in the execution times" {
	needs_two_cpus
	local pids=()
	# Several, as short processes often get to run at once.
	for _ in 1 2 3 4; do
		taskset -c 1 sh -c 'while :; do :; done' 3>&- &
		pids+=($!)
	done
	sweep --cpu 1 --hz 100 --loads 60 --time 300ms
	periods=$stderr
	sweep --cpu 1 --serialized --tasks 300 --samples 2
	kill "${pids[@]}"
	[ "$status" -eq 0 ]
	[[ "$stderr" =~ "warning: processes had their CPU for only "[1-8]?[0-9]" % of their time at worst (CPU 1): something else ran there, and the figures hold it" ]]
	[[ "$periods" == *"warning: packets had their CPU for only "*" % of their time at worst (CPU 1, 100 Hz, 60 %): something else ran there, and the figures hold it"* ]]
	sweep --board virtual:juno-r2 --hz 100 --loads 60
	[[ "$stderr" != *" had their CPU"* ]]
	sweep --board virtual:juno-r2 --serialized --tasks 100
	[[ "$stderr" != *" had their CPU"* ]]
}

@test "a signal to end prints the rows that are finished, and everything is put back" {
	needs_two_cpus
	fake 0 1
	settings > before
	"$CALIB" sweep --sysroot "$root" --cpu 1 --hz 100 --loads 20,40 --time 400ms \
		--governors schedutil,powersave,ondemand,conservative > out 2> err 3>&- &
	pid=$!
	until_true grep -q powersave "${policy}1/scaling_governor"
	kill -TERM $pid
	ended 2
	output=$(cat out)
	[ "$(rows "CPU 1 (a15): execution time of a packet, ms" | grep -c ' schedutil ')" -ge 3 ]
	grep -qE 'error: interrupted after ([3-9]|1[01]) of 12 rows; the table holds those' err
	settings | diff before -
	[ ! -e "$root/run/calib/state.json" ]
}

@test "-o has what --format json prints, and after each row those so far" {
	local options=(--board virtual:juno-r2 --hz 73 --loads 20,80)
	sweep "${options[@]}" --format json
	printf '%s\n' "$output" | jq -S 'del(.command)' > want
	sweep "${options[@]}" -o r.json
	[ "$status" -eq 0 ]
	[[ "$output" == *"73"* ]]
	jq -S 'del(.command)' r.json | diff want -
	env "$CALIB" sweep --cpu 0 --hz 100 --loads 20,40 --time 300ms -o k.json > out 2> err 3>&- &
	pid=$!
	until_true test -e k.json
	kill -KILL $pid
	wait $pid || true
	[ "$(jq -c '[.interrupted, .rows[0].hz, .rows[0]["load-percent"]]' k.json)" = '[true,100,20]' ] || { cat k.json; false; }
}
