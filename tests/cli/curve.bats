#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib fit beyond one coefficient: capacities, the whole curve, loads and mixes.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# run_of ARG... - a run of a virtual board, in ./run
run_of() {
	"$CALIB" measure -d run "$@" 2> /dev/null
}

# fit ARG... - of ./run into out.json, what is said in $stderr, the table in $output
fit() {
	run --separate-stderr "$CALIB" fit -d run -o out.json "$@"
}

# interval KEY N - the N-th interval of that name in out.json
interval() {
	grep -A 2 "\"$1\": \[" out.json | tr -d ' ,' | grep '^[0-9.-]*$' | sed -n "$((2 * $2 - 1)),$((2 * $2))p"
}

# inside KEY N X - is X in it?
inside() {
	interval "$1" "$2" | awk -v x="$3" 'NR == 1 { lo = $1 } END { exit !(NR == 2 && lo <= x && x <= $1) }'
}

@test "capacities of the virtual board are in their intervals, and flat" {
	run_of --board virtual:odroid-xu3
	fit
	[ "$status" -eq 0 ]
	[[ $stderr == *"capacity of 'int': a7 539 (95 %: 5"*", a15 1024"* ]]
	inside capacity-ci95 1 539
	inside capacity-ci95 2 1024
	grep -A 1 '"name": "capacity-flat"' out.json | grep -q '"ok": true'
	[ "$(grep -c '"work-per-mhz": \(53[89]\|1024\|1023.9\)' out.json)" -eq 32 ]
}

@test "a load that waits for memory is a finding, and the capacity that of the top clock" {
	run_of --board virtual:odroid-xu3
	# At 2000 MHz a quarter longer: 20 % of the time.
	awk -F, -v OFS=, 'NR > 1 && $2 == "a15" { $13 = int($13 / (1 + $3 / 8e6)) } 1' run/samples.csv > slow
	mv slow run/samples.csv
	fit
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: cluster 'a15': work per MHz of 'int' falls with the clock: +20.0 % of the time at the top clock"*"take a load that stays in the core"* ]]
	grep -A 2 '"name": "capacity-flat"' out.json | grep -q '"ok": false'
	grep -A 2 '"name": "capacity-flat"' out.json | grep -q '"text": "a15: work per MHz'
	# 539 over 1024 / 1.25
	inside capacity-ci95 1 673.75
}

@test "without the load's time cycles tell capacities, and without work there are none" {
	run_of --board virtual:odroid-xu3
	cut -d, -f1-15 run/samples.csv > old
	mv old run/samples.csv
	fit
	[ "$status" -eq 0 ]
	inside capacity-ci95 1 539
	awk -F, -v OFS=, 'NR > 1 && $2 == "a7" { $13 = 0 } 1' run/samples.csv > none
	mv none run/samples.csv
	fit
	[ "$status" -eq 0 ]
	[[ $stderr != *capacity* ]]
	! grep -q capacity out.json
}
