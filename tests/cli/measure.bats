#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib measure on virtual boards: what a run holds, what it may be added to, how it ends.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# measure ARG... - on the virtual Odroid-XU3
measure() {
	run --separate-stderr "$CALIB" measure --board virtual:odroid-xu3 "$@"
}

# rows [PATTERN] - how many rows of ./calib-run match
rows() {
	tail -n +2 "calib-run/samples.csv" | grep -c -- "${1:-.}" || true
}

few=(--cluster a15 --opps 200,2000 --cpus 0,4)

@test "a run holds one row per operating point and CPU count, and says what comes next" {
	measure --cluster a15
	[ "$status" -eq 0 ]
	[ "$(rows ',a15,')" -eq 57 ]
	[ "$(rows)" -eq 57 ]
	[ "$(rows ',0,idle,')" -eq 19 ]
	[ "$(rows ',1,int,')" -eq 19 ]
	[ "$(rows ',4,int,')" -eq 19 ]
	[ "$(rows ',-,[0-9]*$')" -eq 57 ]
	[[ $stderr == *"VIRTUAL board 'odroid-xu3', seed 1: no hardware is measured"* ]]
	[[ $stderr == *"a15: 57 rows at 19 operating points in "*" of board time"* ]]
	[[ $stderr == *"next: calib fit > coeffs.json"* ]]
	[ -z "$output" ]
	grep -q '"virtual": true' calib-run/board.json
}

@test "the default plan finds both coefficients to 1 % in two minutes of board time" {
	measure
	[ "$status" -eq 0 ]
	total=$(grep -oE 'in [0-9]+:[0-9]+ of' <<< "$stderr" | tr -d 'inof ' |
		awk -F: '{ s += 60 * $1 + $2 } END { print s }')
	[ "$total" -gt 60 ] && [ "$total" -le 120 ]
	"$CALIB" fit 2> talk > coeffs.json
	# "VIRTUAL a7: C = 90.07 +- 0.27 uW/MHz/V^2 (95 %, ..." - half of the interval
	for truth in a7:90 a15:310; do
		grep -E "^VIRTUAL ${truth%:*}: C = " talk |
			awk -v c="${truth#*:}" '{ d = $5 - c; d = d < 0 ? -d : d
				good = $7 > 0 && $7 <= c / 100 && d <= $7 }
				END { exit !good }'
	done
}

@test "half a clock is flagged, with a cycle counter and without" {
	for faults in clock clock,pmu; do
		rm -rf calib-run
		measure --cluster a15 --cpus 0,1,2 --opps 200,1400,1500,2000 --fault $faults
		[ "$status" -eq 0 ]
		# Idle tells no clock.
		[ "$(rows ',clock,[0-9]*$')" -eq 4 ]
		[ "$(rows '^[0-9]*,a15,2000000,\(1000000\|999999\|1000001\),.*,int,.*,clock,[0-9]*$')" -eq 2 ]
		[ "$(rows '^[0-9]*,a15,1500000,7[45][0-9]*,.*,int,.*,clock,[0-9]*$')" -eq 2 ]
		[ "$(rows '^[0-9]*,a15,1400000,1[34][0-9]*,.*,-,[0-9]*$')" -eq 3 ]
	done
}

@test "clusters are added in any order, and both at once gives both" {
	measure --cluster a15
	measure --cluster a7
	[ "$status" -eq 0 ]
	[[ $stderr != *"measured before"* ]]
	[ "$(rows ',a15,')" -eq 57 ]
	[ "$(rows ',a7,')" -eq 39 ]
	grep -q -- '--cluster a15; .*--cluster a7' calib-run/board.json
	[ "$(grep -c time_ns calib-run/samples.csv)" -eq 1 ]
	measure -d both
	[ "$status" -eq 0 ]
	[[ $stderr == *"next: calib fit -d 'both' > coeffs.json"* ]]
	[ "$(wc -l < both/samples.csv)" -eq 97 ]
}

@test "time goes on from one run to the next, and measuring again is said" {
	measure "${few[@]}"
	measure "${few[@]}"
	[ "$status" -eq 0 ]
	[[ $stderr == *"cluster 'a15' was measured before: adding to its 4 rows"* ]]
	[ "$(rows)" -eq 8 ]
	tail -n +2 calib-run/samples.csv | cut -d, -f1 | sort -nc
	# Not the same noise once more.
	[ "$(tail -n +2 calib-run/samples.csv | cut -d, -f5,9,10 | sort -u | wc -l)" -ge 7 ]
}

@test "the same seed gives the same samples, another seed others" {
	measure "${few[@]}" -d one
	measure "${few[@]}" -d two
	cmp one/samples.csv two/samples.csv
	measure "${few[@]}" -d three --seed 2
	! cmp -s one/samples.csv three/samples.csv
}

@test "an unknown cluster is refused, the known ones named, nothing made" {
	measure --cluster a9
	[ "$status" -eq 2 ]
	[ "$stderr" = "calib measure: error: no cluster 'a9' here; known are a7, a15" ]
	[ ! -e calib-run ]
}

@test "operating points and counts that are not there are refused, nothing made" {
	measure --cluster a15 --opps 200,2050
	[ "$status" -eq 2 ]
	[[ $stderr == *"no operating point '2050'; the highest is 2000 MHz" ]]
	measure --cluster a15 --opps 1.45GHz
	[ "$status" -eq 2 ]
	[[ $stderr == *"no operating point '1.45GHz'; near are 1400 and 1500 MHz" ]]
	measure --cluster a15 --cpus 5
	[ "$status" -eq 2 ]
	[[ $stderr == *"cluster 'a15' has 4 CPUs, 5 cannot be loaded" ]]
	# What stands for "not given" inside is no value either.
	for bad in "repeats '0' is not in 1..1000" "repeats '4294967295' is not in 1..1000" \
		"max-temp '0' is not in 1..200" "max-temp '4294967295' is not in 1..200" \
		"precision '0%' is not a percentage above 0"; do
		measure --cluster a15 "--${bad%% *}" "$(cut -d"'" -f2 <<< "$bad")" -n
		[ "$status" -eq 2 ]
		[[ $stderr == *"error: --$bad"* ]]
	done
	measure --cluster a15 --loads brew
	[ "$status" -eq 2 ]
	[[ $stderr == *"virtual boards have no load 'brew'; known are int, float, simd, branchy, l1, l2, dram, chase, spin, idle"* ]]
	[ ! -e calib-run ]
}

@test "a board without a sensor is refused with what to do" {
	run --separate-stderr "$CALIB" measure --board virtual:odroid-xu4
	[ "$status" -eq 2 ]
	[[ $stderr == *"has no power sensor; measure the real board with an external meter"* ]]
	[ ! -e calib-run ]
	run --separate-stderr "$CALIB" measure --board virtual:nosuch
	[ "$status" -eq 2 ]
	[[ $stderr == *"odroid-xu3"* ]]
}

@test "a dry run prints plan and time and writes nothing" {
	measure -n --cluster a15 --opps 200,2000
	[ "$status" -eq 0 ]
	[[ $output == *"a15: 2 operating points, 6 windows, about 0:"* ]]
	[[ $output == *"meter ina231@0x40 VDD_ARM, a new value every 263.808 ms"* ]]
	[[ $output == *" 2000 MHz, CPUs: "* ]]
	[[ $output == *"rows would be added to 'calib-run'"* ]]
	[ ! -e calib-run ]
}

@test "half a row is cut off with a warning before rows are added" {
	measure "${few[@]}"
	printf '99,a15,200' >> calib-run/samples.csv
	measure -n "${few[@]}"
	[ "$status" -eq 0 ]
	[ "$(tail -c 10 calib-run/samples.csv)" = "99,a15,200" ]
	measure "${few[@]}"
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: 'calib-run/samples.csv' ends in half a row (10 bytes; power cut?)"* ]]
	[ "$(rows)" -eq 8 ]
	[ "$(rows '^99')" -eq 0 ]
}

@test "a run of another machine, seed or format is left as it is" {
	measure "${few[@]}"
	cp -r calib-run before
	measure "${few[@]}" --seed 2
	[ "$status" -eq 2 ]
	[[ $stderr == *"virtual board with seed 1"*"give another folder with -d"* ]]
	run --separate-stderr "$CALIB" measure --board virtual:juno-r2
	[ "$status" -eq 2 ]
	[[ $stderr == *"was measured on another machine (board 'odroid-xu3', here 'juno-r2')"* ]]
	diff -r before calib-run
	sed -i 1s/power_uw/power_mw/ calib-run/samples.csv
	measure "${few[@]}"
	[ "$status" -eq 2 ]
	[[ $stderr == *"samples.csv:1: this is not the header of this calib's samples"* ]]
	[ "$(rows)" -eq 4 ]
}

@test "a RUN that cannot be written is told before anything is measured" {
	touch file
	measure "${few[@]}" -d file
	[ "$status" -eq 2 ]
	[[ $stderr == *"'file' is not a folder; say with -d where to keep the run" ]]
	measure "${few[@]}" -d /dev/null
	[ "$status" -eq 2 ]
	[[ $stderr == *"'/dev/null' is not a folder"* ]]
	measure "${few[@]}" -d file/run
	[ "$status" -eq 2 ]
	[[ $stderr == *"cannot use 'file/run': Not a directory"* ]]
	measure "${few[@]}" -d no/such/run
	[ "$status" -eq 2 ]
	[[ $stderr == *"cannot make 'no/such/run' in 'no/such': No such file or directory"* ]]
	[ "$(id -u)" -ne 0 ] || skip "root may write everywhere"
	mkdir -m 555 ro
	measure "${few[@]}" -d ro
	[ "$status" -eq 2 ]
	[[ $stderr == *"cannot write to 'ro': Permission denied"* ]]
	measure "${few[@]}" -d ro/run
	[ "$status" -eq 2 ]
	[[ $stderr == *"Permission denied"* ]]
}

@test "a signal ends the run, keeps the rows, and the run can go on" {
	for sig in INT TERM HUP; do
		rm -rf calib-run
		# A background job ignores SIGINT unless told otherwise.
		env --default-signal="$sig" "$CALIB" measure --board virtual:odroid-xu3 \
			--repeats 1000 2> err &
		pid=$!
		until [ -s calib-run/samples.csv ] && [ "$(rows)" -gt 3 ]; do
			kill -0 $pid
		done
		kill -s "$sig" $pid
		status=0
		wait $pid || status=$?
		[ "$status" -eq 2 ]
		n=$(rows)
		grep -q "error: interrupted; $n of 96000 windows kept in 'calib-run'; 'calib measure --resume'" err
		[ "$(tail -c 1 calib-run/samples.csv | wc -l)" -eq 1 ]
	done
	measure "${few[@]}"
	[ "$status" -eq 0 ]
	[ "$(rows)" -eq $((n + 4)) ]
}

@test "a signal that the caller ignores is ignored" {
	(
		trap '' HUP
		exec "$CALIB" measure --board virtual:odroid-xu3 --repeats 20 2> err
	) &
	pid=$!
	until [ -s calib-run/samples.csv ]; do kill -0 $pid; done
	kill -s HUP $pid
	wait $pid
	[ "$(rows)" -eq 1920 ]
}

@test "the time limit ends a run in good order and is shared by the clusters" {
	measure --time-limit 50s
	[ "$status" -eq 0 ]
	[[ $stderr == *"cluster 'a7': the time limit came after"* ]]
	[[ $stderr == *"cluster 'a15': the time limit came after"* ]]
	[ "$(rows ',a7,')" -gt 10 ]
	[ "$(rows ',a15,')" -gt 10 ]
	measure --time-limit 100ms -d short
	[ "$status" -eq 2 ]
	[[ $stderr == *"the time limit is too short for one window"* ]]
}

@test "a clock that is not delivered is recorded and flagged" {
	measure --cluster a15 --fault clock
	[ "$status" -eq 0 ]
	[[ $stderr == *" flagged ("*" clock)"* ]]
	[ "$(rows ',2000000,1000000,.*,clock,[0-9]*$')" -eq 2 ]
	[ "$(rows ',200000,200000,.*,-,[0-9]*$')" -eq 3 ]
}

@test "a meter that sticks flags rows as stale" {
	measure --fault stuck
	[ "$status" -eq 0 ]
	[[ $stderr == *" stale"* ]]
	[ "$(rows ',stale,[0-9]*$')" -gt 30 ]
	# The first minute was good.
	[ "$(rows ',-,[0-9]*$')" -gt 40 ]
}

@test "reads that fail are counted and never become a row's power" {
	measure --cluster a15 --fault reads
	[ "$status" -eq 0 ]
	[[ $stderr == *"bad-reads"*" reads failed"* ]]
	[ "$(cut -d, -f9 calib-run/samples.csv | grep -cx 0)" -eq 0 ]
	[ "$(rows)" -eq 57 ]
}

@test "options of real machines and of virtual boards do not mix" {
	measure --sensor a15=ina231@0x40
	[ "$status" -eq 2 ]
	[[ $stderr == *"a virtual board has its own sensors"* ]]
	run --separate-stderr "$CALIB" measure --fault clock
	[ "$status" -eq 2 ]
	[[ $stderr == *"--fault is for virtual boards; add "* ]]
}

@test "a machine without cpufreq is refused in one line" {
	mkdir -p root/sys root/proc
	run --separate-stderr "$CALIB" measure --sysroot "$PWD/root"
	[ "$status" -eq 2 ]
	[[ $stderr == "calib measure: error: no cpufreq: "* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[ ! -e calib-run ]
}

@test "visits are added until C is as precise as asked for" {
	measure --cluster a7 --precision 0.3%
	[ "$status" -eq 0 ]
	[ "$(rows)" -gt 60 ] && [ "$(rows)" -lt 300 ]
	[[ $stderr =~ "VIRTUAL a7: C is known to +-0."[0-9]+" % (95 %) after "[0-9]+" visits" ]]
	"$CALIB" fit 2> talk > coeffs.json
	grep -E "^VIRTUAL a7: C = " talk | awk '{ exit !($7 <= 0.003 * $5) }'
	# A second run knows what the first has measured.
	n=$(rows)
	measure --cluster a7 --precision 0.3%
	[ "$status" -eq 0 ]
	[ "$(rows)" -le $((n + 42)) ]
}

@test "with one CPU count too visits are added, and counted" {
	run -0 --separate-stderr "$CALIB" measure --board virtual:odroid-xu3 --cluster a7 \
		--cpus 0,1 --precision 0.5 -d run
	visits=$(sed -n 's/.*C is known to .* after \([0-9]*\) visits$/\1/p' <<< "$stderr")
	[ "$visits" -gt 39 ]
	[ "$visits" -eq "$(($(grep -c ^ run/samples.csv) / 2))" ]
}

@test "a precision that is not reached: exit 1, the rows kept, what is missing said" {
	measure --cluster a7 --precision 0.3% --repeats 2
	[ "$status" -eq 1 ]
	[ "$(rows)" -eq 78 ]
	[[ $stderr =~ "warning: cluster 'a7': C is known to +-0."[0-9]+" % (95 %), not yet to 0.3 %: about "[0-9]+" more visits missing; measure it again" ]]
	measure --cluster a7 --precision 0.1% --time-limit 20s -d short
	[ "$status" -eq 1 ]
	[[ $stderr == *"the time limit came after"* ]]
	# Two operating points and one CPU count tell it, from a fit of few degrees of freedom.
	measure "${few[@]}" --precision 1% -d narrow
	[ "$status" -eq 0 ]
	[ "$(grep -c ^ narrow/samples.csv)" -lt 60 ]
}

@test "no load starts above --max-temp, and a hot board is waited for" {
	measure --cluster a15 --max-temp 48
	[ "$status" -eq 0 ]
	[[ $stderr =~ "a15: "[0-9]+" degrees, too hot to go on (no load starts above 48)" ]]
	[[ $stderr == *" waited to cool"* ]]
	[ "$(rows)" -eq 57 ]
	# Leakage may still be drifting in a window.
	[ "$(rows ',-,[0-9]*$')" -ge 55 ]
	measure --cluster a15 --max-temp 30 -d cold
	[ "$status" -eq 2 ]
	[[ $stderr == *"no load starts above 30: cool it, or allow more with --max-temp; no row was written" ]]
}
