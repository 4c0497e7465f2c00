#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Each of the threads' tables on each virtual board, marked as what it is.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# marked - is $output, text or JSON, of a virtual board?
marked() {
	case $output in
	{*) [ "$(jq 'if has("context") then .context else . end | .virtual' <<< "$output")" = true ] ;;
	*) [[ $output == *VIRTUAL* ]] ;;
	esac
}

# table COMMAND... - of $board, in $format; that of compare is of its files
table() {
	local on=(--board "virtual:$board")
	[ "$2" != compare ] || on=()
	run --separate-stderr "$CALIB" "$@" "${on[@]}"
	if [ "$status" -ne 0 ] || ! marked; then
		echo "$board: calib $*: status $status, $output $stderr"
		return 1
	fi
}

# tables FORMAT
tables() {
	table bench perf -w messages -w pipe --iterations 2 --format "$1"
	table bench energy -w periodic:duration-ms=200 --iterations 2 --format "$1"
	table bench ab --a pipe --b messages --iterations 2 --format "$1"
	table bench compare r.json r.json --format "$1"
	table sweep --hz 401 --loads 50 --time 50ms --governors ondemand --format "$1"
	table sweep --serialized --tasks 5 --samples 2 --governors schedutil --format "$1"
	table ramp --repeats 1 --idle 10ms --governors schedutil,userspace --format "$1"
}

@test "every table can be had of every virtual board, and is marked" {
	local board format n=0
	for board in $("$CALIB" boards --json | jq -r '.boards[].name'); do
		table bench perf -w pipe --iterations 2 -o r.json
		for format in text markdown json; do
			tables $format
		done
		for format in "" --json; do
			table freqcheck --time 50ms $format
			table verify $format
			# One without a meter cannot be calibrated, which is status 1.
			[ "$board" = odroid-xu4 ] || table probe $format
		done
		n=$((n + 1))
	done
	[ $n -ge 6 ]
}

@test "the settings of the hybrid are those of its driver, in every table" {
	local board=intel-hybrid command
	for command in "bench energy --epp power" "bench perf -w pipe --governor userspace" \
		"bench ab -w pipe --a-epp power --b-epp performance" "ramp --repeats 1 --epp power" \
		"sweep --hz 401 --loads 50 --time 50ms --epp power --governors powersave"; do
		board=intel-hybrid
		# shellcheck disable=SC2086 # words
		table $command
		board=juno-r2
		[[ $command == *epp* ]] || continue
		# shellcheck disable=SC2086
		run "$CALIB" $command --board virtual:juno-r2
		[ "$status" -eq 2 ]
		[[ $output == *"error: this virtual board has no EPP to set; virtual:intel-hybrid has" ]]
	done
}
