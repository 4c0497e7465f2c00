#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib import freqbench: what it keeps, what it flags, what it refuses.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp -r "$TOP/tests/data/freqbench" fb
}

# row KHZ COUNT: the line of samples.csv
row() {
	awk -F, -v khz="$1" -v n="$2" '$3 == khz && $6 == n' calib-run/samples.csv
}

# refused TEXT...: the last run failed with one line that holds each TEXT and wrote no run
refused() {
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
	for text; do
		[[ $output == *"$text"* ]] || { echo "no '$text' in: $output"; return 1; }
	done
	[ ! -e calib-run ]
}

@test "loaded rows are as published, idle rows are relative to the same base" {
	run "$CALIB" import freqbench fb
	[ "$status" -eq 0 ]
	[[ $output == *"8 rows"* && $output == *"100.000 mW (least of housekeeping, as run.log rounds it)"* ]]
	[[ $(row 1000000 1) == *,cpu1,1000000,1000000,800000,1,coremark,100,64000,* ]]
	[[ $(row 1000000 0) == *,cpu1,1000000,1000000,800000,0,idle,0,3333,* ]]
	grep -q '"power-scope": "device"' calib-run/board.json
	grep -q '"baseline-microwatt": 100000' calib-run/board.json
}

@test "a clock that was not delivered, a stale start and negative power are flagged" {
	run "$CALIB" import freqbench fb
	[ "$status" -eq 0 ]
	[[ $(row 2000000 1) == *,2000000,1000000,*,clock,0 ]]
	[[ $(row 1500000 1) == *,126667,*,stale,0 ]]
	[[ $(row 500000 1) == *,-500,*,negative,0 ]]
	[[ $(row 1000000 1) == *,-,0 ]]
	[[ $output == *"1 row ran at another clock"* ]]
}

@test "the base is the housekeeping reading that run.log rounds, else run.log's own" {
	sed -i 's/100.0,/100.3,/' fb/results.json
	run "$CALIB" import freqbench fb -d one
	[[ $output == *"100.200 mW (least of housekeeping"* ]]
	echo "Baseline power usage: 90 mW" > fb/run.log
	run "$CALIB" import freqbench fb -d two
	[[ $output == *"90.000 mW (run.log)"* ]]
	run "$CALIB" import freqbench fb -d three --base 95.5
	[[ $output == *"95.500 mW (user)"* ]]
}

@test "--trim-stale averages without the readings from before the load" {
	"$CALIB" import freqbench fb --trim-stale
	[[ $(row 1500000 1) == *,150000,*,-,0 ]]
}

@test "without run.log the idle rows are left out, --base brings them back" {
	rm fb/run.log
	run "$CALIB" import freqbench fb -d one
	[ "$status" -eq 0 ]
	[[ $output == *"warning: no run.log"* ]]
	[ "$(grep -c ,idle, one/samples.csv)" -eq 0 ]
	"$CALIB" import freqbench fb -d two --base 100
	[ "$(grep -c ,idle, two/samples.csv)" -eq 4 ]
}

@test "single readings are kept, of idle relative to the base, and fit --raw makes rows of them" {
	"$CALIB" import freqbench fb
	# As many and as much as the rows say, wherever the mean is that of all readings.
	awk -F, 'FILENAME ~ /raw/ { if (FNR > 1) { n[$2, $3]++; sum[$2, $3] += $4 }; next }
		FNR > 1 && $15 == "-" {
			d = sum[$2, $1] / n[$2, $1] - $9
			if (!n[$2, $1] || d > 1 || d < -1) { print "row " FNR; bad = 1 }
		}
		END { exit bad }' calib-run/raw.csv calib-run/samples.csv
	run "$CALIB" fit --raw -o out.json
	[[ $output == *"  raw     "*" readings of 8 windows"* ]]
}

@test "no voltages: said, and the rows are kept" {
	rm fb/voltages.txt
	run "$CALIB" import freqbench fb
	[ "$status" -eq 0 ]
	[[ $output == *"4 clocks without voltage"*"--voltages"* ]]
}

@test "a run that is there is not overwritten or mixed" {
	"$CALIB" import freqbench fb
	cp -r calib-run before
	run "$CALIB" import freqbench fb
	[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ]
	[[ $output == *"calib-run/board.json"*"-d"* ]]
	diff -r before calib-run
}

@test "bad input: one line that names file and key, exit 2, no run" {
	run "$CALIB" import freqbench nowhere
	refused nowhere/results.json
	run "$CALIB" import devlib fb
	refused devlib freqbench
	sed 's/"power_mean": 64.0,/"power_mean": "64",/' "$TOP/tests/data/freqbench/results.json" > fb/results.json
	run "$CALIB" import freqbench fb
	refused fb/results.json cpus.1 freqs.1000000 active power_mean
	head -c 300 "$TOP/tests/data/freqbench/results.json" > fb/results.json
	run "$CALIB" import freqbench fb
	refused fb/results.json
	sed 's/"1000000": {/"1 GHz": {/' "$TOP/tests/data/freqbench/results.json" > fb/results.json
	run "$CALIB" import freqbench fb
	refused fb/results.json "1 GHz"
	sed 's/"power_mean": 64.0,/"power_mean": 1e300,/' "$TOP/tests/data/freqbench/results.json" > fb/results.json
	run "$CALIB" import freqbench fb
	refused fb/results.json 1e+300
	echo '{"version": 1, "cpus": {}}' > fb/results.json
	run "$CALIB" import freqbench fb
	refused fb/results.json cpus
}

@test "bad voltages and a bad base are refused by name" {
	echo "1.500000=600mV" > fb/voltages.txt
	run "$CALIB" import freqbench fb
	refused fb/voltages.txt "1.500000=600mV"
	echo "1.500000=600000 1.500000=700000" > fb/voltages.txt
	run "$CALIB" import freqbench fb
	refused fb/voltages.txt "700000" "600000"
	run "$CALIB" import freqbench fb --voltages none.txt
	refused none.txt
	cp "$TOP/tests/data/freqbench/voltages.txt" fb
	echo "Baseline power usage: many mW" > fb/run.log
	run "$CALIB" import freqbench fb
	refused fb/run.log --base
}

@test "a base that is none is refused, and never replaced by the one of run.log" {
	for base in -5 1e300 4000001; do
		run "$CALIB" import freqbench fb --base "$base"
		refused "--base" "0..4e+06 mW"
	done
	echo "Baseline power usage: -7 mW" > fb/run.log
	run "$CALIB" import freqbench fb
	refused fb/run.log "--base"
}

@test "a reading that no meter gives is refused by its place" {
	sed '/"active"/,$ s/"power_samples": \[/"power_samples": [1e308, /' \
		"$TOP/tests/data/freqbench/results.json" > fb/results.json
	run "$CALIB" import freqbench fb
	refused fb/results.json "power_samples[0]" 1e+308
}

@test "voltages from a folder: one line" {
	run "$CALIB" import freqbench fb --voltages .
	refused "cannot read '.'"
}

@test "half a run never stays" {
	mkdir calib-run
	ln -s "$PWD/none/x" calib-run/samples.csv
	run "$CALIB" import freqbench fb
	[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ]
	[ "$(ls calib-run)" = samples.csv ]
	rm -r calib-run
	# No file over 0 blocks: the first write fails.
	run bash -c 'ulimit -f 0; exec "$@"' - "$CALIB" import freqbench fb
	refused "File too large"
}

@test "a benchmark without work or time, a CPU or a clock twice: refused" {
	from=$TOP/tests/data/freqbench/results.json
	for change in 's/"coremark_score": [0-9.]*/"coremark_score": 0/' \
		's/"coremark_score": [0-9.]*/"coremark_score": 5e-324/' \
		's/"elapsed_sec": [0-9.]*/"elapsed_sec": 1e-9/'; do
		sed "$change" "$from" > fb/results.json
		run "$CALIB" import freqbench fb
		refused "not those of a benchmark run"
	done
	sed 's/"1500000": {/"0500000": {/' "$from" > fb/results.json
	run "$CALIB" import freqbench fb
	refused "freqs.0500000: 500000 kHz is there twice"
	sed 's/"cpus": {/"cpus": { "01": { "freqs": {} },/' "$from" > fb/results.json
	run "$CALIB" import freqbench fb
	refused "cpus.1: CPU 1 is there twice"
}
