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
	[[ $stderr != *"capacity of"* ]]
	! grep -q '"capacity-' out.json
}

# loads - "NAME LOW HIGH" of every load in out.json
loads() {
	sed -n '/"loads"/,/"provenance"/p' out.json | tr -d ' ",' |
		awk -F: '$1 == "name" { name = $2 } $1 == "ci95" { getline lo; getline hi; print name, lo, hi }'
}

@test "every load has its own C, and the virtual board's truth is in its interval" {
	run_of --board virtual:odroid-xu3 --cluster a15 --loads int,dram,simd,idle
	fit --load all
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	loads > got
	# C of the loads is 1, 0.7 and 1.35 times the integer load's.
	for want in "int 310" "dram 217" "simd 418.5"; do
		awk -v name="${want% *}" -v c="${want#* }" '$1 == name { found = $2 <= c && c <= $3 }
			END { exit !found }' got || { cat got; echo "$want"; false; }
	done
	[[ $stderr == *"C is 21"*" (dram) to 41"*" (simd) over the loads measured; shipped is 310."*", 46 % of the way"* ]]
	# Threads that sleep load nothing.
	[[ $stderr =~ "idle "\ +"the coefficient is not positive"|"idle "\ +"the 95 % interval reaches 0"|"idle "\ +"cannot be fitted"|"idle "\ +"the coefficient rounds" ]]
	[ "$(wc -l < got)" -eq 3 ]
	grep -q '"load": "int"' out.json
	grep -q '"dynamic-power-coefficient": 310' out.json
	! grep -q '"weight"' out.json
	# By default the integer load alone.
	fit
	! grep -q '"loads"' out.json
}

@test "a mix ships the mean, with an interval, and the file says so" {
	run_of --board virtual:odroid-xu3 --cluster a15 --loads int,dram,simd
	fit --mix int=0.6,dram=0.2,simd=0.2
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	# 310 (0.6 + 0.2 * 0.7 + 0.2 * 1.35)
	inside ci95 1 313.1
	grep -q '"dynamic-power-coefficient": 313' out.json
	grep -q '"load": "int=0.6,dram=0.2,simd=0.2"' out.json
	grep -q "mix int=0.6,dram=0.2,simd=0.2: the loads' errors are correlated by " out.json
	grep -q '"C is 21.* (dram) to 41.* (simd) over the loads measured; shipped is 313\.' out.json
	grep -q '"weight": 0.6' out.json
	grep -q '"n": 171' out.json
	[[ $stderr == *"C = 313."*"weight 0.6"*"  load    dram"*"rows    57 of 57 used"* ]]
	# Narrower than the parts' errors added up.
	interval ci95 1 | awk 'NR == 1 { lo = $1 } END { exit !($1 - lo > 0.1 && $1 - lo < 3) }'
	"$CALIB" check out.json > /dev/null || [ $? -eq 1 ]
	# Weights of two decimals that are meant to be thirds.
	fit --mix int=0.33,dram=0.33,simd=0.33
	[ "$status" -eq 0 ]
	inside ci95 1 315.17
}

@test "a mix that is none is refused in one line, and nothing is written" {
	run_of --board virtual:odroid-xu3 --cluster a15 --loads int,simd --opps 200,800,1400,2000
	refused() {
		fit --mix "$1"
		[ "$status" -eq 2 ] && [ "${#stderr_lines[@]}" -eq 1 ] && [ ! -e out.json ] &&
			[[ $stderr == *"$2"* ]] || { echo "$stderr"; return 1; }
	}
	refused int=0.6,mem=0.4 "cluster 'a15': --mix: no rows of a load 'mem'; there are "
	refused int=0.6,dram=0.4 "--mix: no rows of a load 'dram'; there are "
	refused int=0.6,simd=0.3 "--mix: the weights add up to 0.9, not to 1"
	refused int=0.6,simd=0.6 "--mix: the weights add up to 1.2, not to 1"
	refused int "--mix: 'int' is not LOAD=WEIGHT with a weight above 0 and up to 1"
	refused int=1.5,simd=-0.5 "--mix: 'int=1.5' is not LOAD=WEIGHT"
	refused int=nan,simd=1 "--mix: 'int=nan' is not LOAD=WEIGHT"
	refused int=0.5,int=0.5 "--mix: 'int' is there twice"
	refused "" "--mix: '' is not LOAD=WEIGHT"
	fit --mix int=1 --load simd
	[ "$status" -eq 2 ]
	[[ $stderr == *"--mix says which loads; leave --load out, or say 'all'"* ]]
}

# opps KEY - its values over the operating points of the first cluster, one a line
opps() {
	sed -n '/"opps"/,/"provenance"/p' out.json | sed -n "s/.*\"$1\": \([^,]*\),*/\1/p"
}

@test "opp-microwatt is one CPU's dynamic power at the rail, and rises" {
	run_of --board virtual:odroid-xu3 --cluster a15
	fit --curve
	[ "$status" -eq 0 ]
	[ "$(opps opp-microwatt | wc -l)" -eq 19 ]
	opps opp-microwatt | sort -cn
	opps opp-microwatt-full | sort -cn
	# The truth is 310 f V^2, V below the table's by the rail's droop.
	paste <(opps hz) <(opps microvolt) <(opps opp-microwatt) <(opps opp-microwatt-full) |
		awk '{ c = $3 / ($1 / 1e6 * $2 * $2 / 1e12); if (c < 300 || c > 312 || $4 <= $3) exit 1 }'
	grep -q '"opp-microwatt: dynamic power of one CPU; operating points differ from C f V^2 by ' out.json
	# What the kernel makes of the effective coefficient, and how far C is off.
	paste <(opps kernel-microwatt) <(opps measured-microwatt) <(opps kernel-error-pct) |
		awk '{ e = 100 * ($1 / $2 - 1); if (e - $3 > 0.01 || $3 - e > 0.01 || e > -25 || e < -40) exit 1 }'
	[ "$(opps kernel-effective-microwatt | wc -l)" -eq 19 ]
	[[ $stderr == *"curve   the kernel's C f V^2 is -3"*" % off the first busy CPU above idle, "*" % off a further one"* ]]
	[ "$(grep -c '^ *[0-9]*\.0 .* -3[0-9.]* ' <<< "$output")" -ge 15 ]
	[[ $output == "a15: power of one busy CPU, mW"*"opp-microwatt, dynamic"* ]]
	"$CALIB" check out.json > /dev/null || [ $? -eq 1 ]
}

@test "points that were not measured get the model, and then there is no full value" {
	run_of --board virtual:odroid-xu3 --cluster a15 --opps 200,600,1000,1300,1600,2000
	fit
	[ "$(opps opp-microwatt | wc -l)" -eq 19 ]
	opps opp-microwatt | sort -cn
	[ -z "$(opps opp-microwatt-full)" ]
	# Only against a measured first CPU.
	[ "$(opps kernel-error-pct | wc -l)" -eq "$(opps measured-microwatt | wc -l)" ]
	[ "$(opps measured-microwatt | wc -l)" -le 6 ]
	paste <(opps hz) <(opps microvolt) <(opps opp-microwatt) |
		awk '{ c = $3 / ($1 / 1e6 * $2 * $2 / 1e12); if (c < 302 || c > 313) exit 1 }'
}

@test "power that does not rise with the clock is pooled, and that is said" {
	# Every third point takes 1.16 times what its neighbours do per MHz and V^2.
	awk 'BEGIN { srand(1); print "policy,ncpus,freq_khz,voltage_uv,power_uw"
		for (i = 0; i < 12; i++) for (k = 0; k < 5; k++) {
			f = 200 + 100 * i; v = 0.9 + 0.01 * i; c = 150 * (i % 3 == 1 ? 1.1 : 0.95)
			printf "0,%d,%d,%d,%d\n", k, f * 1000, v * 1e6,
				20000 + (30 * (k > 0) + k * c) * f * v * v + 400 * (rand() - 0.5) } }' > zigzag.csv
	"$CALIB" fit zigzag.csv 2> /dev/null > out.json
	opps opp-microwatt | sort -cn
	grep -q 'opp-microwatt: power did not rise with the clock; 4 operating points pooled' out.json
	[ "$(opps opp-microwatt | sort -u | wc -l)" -eq 10 ]
	# The others are as measured, not as the model has them: 165 f V^2 at 600 MHz.
	awk -v p="$(opps opp-microwatt | sed -n 5p)" 'BEGIN { t = 165 * 600 * 0.94 ^ 2; exit !(p > 0.99 * t && p < 1.01 * t) }'
	# No board tells how many CPUs there are, so that nothing is known of a full cluster.
	[ -z "$(opps opp-microwatt-full)" ]
}

@test "a method that leaves static power in C says so of opp-microwatt, too" {
	"$CALIB" fit --method freqbench "$TOP/tests/data/fit-line.csv" 2> /dev/null > out.json
	grep -q 'opp-microwatt: dynamic power of one CPU, with what this method leaves in it: shared clock, static power' out.json
}

@test "the curve of a mix is the loads' mean" {
	run_of --board virtual:odroid-xu3 --cluster a15 --loads int,simd
	fit --mix int=0.5,simd=0.5
	[ "$status" -eq 0 ]
	# 310 (0.5 + 0.5 * 1.35) = 364.25
	paste <(opps hz) <(opps microvolt) <(opps opp-microwatt) |
		awk '{ c = $3 / ($1 / 1e6 * $2 * $2 / 1e12); if (c < 350 || c > 368) exit 1 }'
	opps opp-microwatt-full | sort -cn
	[ "$(opps opp-microwatt-full | wc -l)" -eq 19 ]
	[ -z "$(opps prediction-microwatt)" ]
}
