#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib measure --resume: an interrupted run becomes what it would have been.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# measure ARG... - on the virtual Odroid-XU3
measure() {
	run --separate-stderr "$CALIB" measure --board virtual:odroid-xu3 "$@"
}

resume() {
	run --separate-stderr "$CALIB" measure --resume "$@"
}

# windows RUN - what was measured in which order: cluster, operating point, CPU count, load
windows() {
	tail -n +2 "$1/samples.csv" | cut -d, -f2,3,6,7
}

# cut_after N RUN - as if power had failed at row N, in the middle of the next
cut_after() {
	head -n $(($1 + 1)) "$2/samples.csv" > kept
	printf '99,a15,2000' >> kept
	cp kept "$2/samples.csv"
}

@test "what is no regular file is not waited for, and nothing is written into it" {
	for file in samples.csv board.json plan.json; do
		rm -rf run
		"$CALIB" measure --board virtual:odroid-xu3 --cluster a7 --opps 400 --cpus 0,1 \
			--repeats 1 -d run 2> err
		rm "run/$file"
		mkfifo "run/$file"
		run --separate-stderr timeout 20 "$CALIB" measure --board virtual:odroid-xu3 \
			--resume -d run
		[ "$status" -eq 2 ]
		[[ $stderr == *"cannot read 'run/$file': it is no regular file"* ]]
		[ -p "run/$file" ]
	done
}

@test "wherever it was cut off, the windows are those of an uninterrupted run" {
	measure -d whole --opps 200,800,1400 --repeats 2
	[ "$status" -eq 0 ]
	n=$(windows whole | wc -l)
	for at in 0 1 7 $((n / 2)) $((n - 1)); do
		rm -rf calib-run
		cp -r whole calib-run
		cut_after "$at" calib-run
		resume
		[ "$status" -eq 0 ]
		[[ $stderr == *"$at of $n windows are in 'calib-run', measuring the others"* ]]
		[[ $stderr == *"ends in half a row"* ]]
		windows calib-run | diff <(windows whole) -
		# Whole rows, in the order of time, none flagged.
		tail -n +2 calib-run/samples.csv | cut -d, -f1 | sort -nc
		[ "$(grep -vc ',-,[0-9]*$' calib-run/samples.csv)" -eq 1 ]
	done
	"$CALIB" fit -d calib-run > coeffs.json
	grep -q '"dynamic-power-coefficient": 3[01][0-9],' coeffs.json
}

@test "killed again and again, it comes to the same end" {
	measure -d whole --repeats 100
	for i in 1 2 3 4 5; do
		rows=$(cat run/samples.csv 2> /dev/null | wc -l)
		if [ "$i" -eq 1 ]; then
			"$CALIB" measure --board virtual:odroid-xu3 --repeats 100 -d run 2> err &
		else
			"$CALIB" measure --resume -d run 2> err &
		fi
		pid=$!
		until [ -s run/samples.csv ] && [ "$(wc -l < run/samples.csv)" -gt $((rows + 50)) ]; do
			# On a slow day it is through before we look.
			kill -0 $pid || break
		done
		kill -KILL $pid || true
		wait $pid || true
	done
	resume -d run
	[ "$status" -eq 0 ]
	windows run | diff <(windows whole) -
	# The second where it was through before it was killed.
	[[ $stderr == *"next: calib fit -d 'run' > coeffs.json"* ||
		$stderr == *"windows are in 'run', nothing is missing"* ]]
}

@test "after Ctrl-C the message says how to go on, and that works" {
	env --default-signal=INT "$CALIB" measure --board virtual:odroid-xu3 --repeats 300 2> err &
	pid=$!
	until [ -s calib-run/samples.csv ] && [ "$(wc -l < calib-run/samples.csv)" -gt 3 ]; do
		kill -0 $pid
	done
	kill -INT $pid
	wait $pid || true
	grep -q "windows kept in 'calib-run'; 'calib measure --resume' measures the others" err
	resume -n
	[ "$status" -eq 0 ]
	[[ $stderr == *"windows are in 'calib-run', measuring the others"* ]]
}

@test "the same options may be typed again, others are refused, nothing changes" {
	measure --cluster a15 --opps 200,800 --seed 3
	cut_after 4 calib-run
	cp -r calib-run before
	resume --opps 200,900
	[ "$status" -eq 2 ]
	[[ $stderr == *"carries on what was begun, and that was not with '--opps 200,900'"* ]]
	resume --cluster a7
	[ "$status" -eq 2 ]
	[[ $stderr == *"not with '--cluster a7'"* ]]
	diff -r before calib-run
	measure --resume --cluster a15 --opps 200,800 --seed 3
	[ "$status" -eq 0 ]
	[ "$(windows calib-run | sort -u | wc -l)" -eq "$(windows calib-run | wc -l)" ]
}

@test "a complete run misses nothing, and without --resume rows are added as ever" {
	measure --cluster a15 --opps 200,800
	cp calib-run/samples.csv before
	n=$(windows calib-run | wc -l)
	resume
	[ "$status" -eq 0 ]
	[[ $stderr == *"$n of $n windows are in 'calib-run', nothing is missing"* ]]
	cmp before calib-run/samples.csv
	measure --cluster a15 --opps 200,800
	[ "$(windows calib-run | wc -l)" -eq $((2 * n)) ]
	# The plan is now that of the second call.
	cut_after $((n + 1)) calib-run
	resume
	[ "$status" -eq 0 ]
	[[ $stderr == *"1 of $n windows are in 'calib-run'"* ]]
	[ "$(windows calib-run | wc -l)" -eq $((2 * n)) ]
}

@test "where no plan was begun there is nothing to resume" {
	resume
	[ "$status" -eq 2 ]
	[[ $stderr == *"nothing to resume: 'calib-run' has no plan.json"* ]]
	[ ! -e calib-run ]
	measure --opps 200 --cluster a15
	rm calib-run/plan.json
	resume
	[ "$status" -eq 2 ]
	echo '{' > calib-run/plan.json
	resume
	[ "$status" -eq 2 ]
	[[ $stderr == *"calib-run/plan.json:"* ]]
}

@test "what a time limit cut off is carried on" {
	measure -d whole --opps 200,800
	measure --opps 200,800 --time-limit 15s
	[ "$status" -eq 0 ]
	[ "$(windows calib-run | wc -l)" -lt "$(windows whole | wc -l)" ]
	resume
	[ "$status" -eq 0 ]
	windows calib-run | sort | diff <(windows whole | sort) -
}
