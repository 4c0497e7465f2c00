#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib bench compare: files of our own, whose figures are known.

bats_require_minimum_version 1.5.0

# result FILE [KEY=VALUE...] ORDER:TIME_MS... - a result; KEY is label, governor, virtual, via,
# rails, date, interrupted
result() {
	local file=$1 label='' governor=schedutil virtual=false via=socket rails='"big" "little"' \
		date=2024-01-01T00:00:00Z interrupted=false sep='' rail it
	shift
	while [[ ${1:-} == *=* ]]; do
		local "$1"
		shift
	done
	{
		cat <<-END
			{ "schema": "calib-bench/1",
			  "context": { "tool": "calib 0.1.0", "command": "calib bench", "date": "$date",
			    "board": "odroid-xu3", "kernel": "6.1.0", "virtual": $virtual, "warmup": 1,
			    "policies": [ { "policy": 0, "cpus": [ 0, 1 ], "governor": "$governor" } ],
			    "rails": [
		END
		for rail in $rails; do
			echo "$sep { \"name\": $rail, \"method\": \"trapezoid\", \"summed\": true }"
			sep=,
		done
		echo "] }, \"interrupted\": $interrupted, \"workloads\": [ { \"workload\": \"messages\","
		echo "\"parameters\": { \"groups\": \"10\", \"via\": \"$via\" }, \"iterations\": ["
		sep=
		for it; do
			echo "$sep { \"order\": ${it%:*}, \"label\": \"$label\", \"start-ns\": 0,"
			echo "\"time-ns\": $((${it#*:} * 1000000)), \"energy-uj\": {"
			sep=
			for rail in $rails; do
				echo "$sep $rail: $((${it#*:} * 1000))"
				sep=,
			done
			echo "} }"
			sep=,
		done
		echo "] } ] }"
	} > "$file"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	result a.json label=A 0:1203 3:1210 4:1195 7:1221 8:1199 11:1206
	result b.json label=B governor=performance 1:1103 2:1090 5:1095 6:1121 9:1099 10:1106
}

compare() {
	run --separate-stderr "$CALIB" bench compare "$@"
}

# refused STATUS TEXT - as the last run, in one line
refused() {
	[ "$status" -eq "$1" ]
	[ -z "$output" ]
	[ "$stderr" = "calib bench compare: error: $2" ] || { echo "$stderr"; false; }
}

@test "compare prints the cover letter's table, the interval and both tests" {
	compare a.json b.json --metric time
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ $output == *"A: a.json, 6 iterations, odroid-xu3, Linux 6.1.0"* ]]
	grep -qx 'metric  A: mean     RSD  B: mean     RSD  difference' <<< "$output"
	grep -qx 'time    1.206 s  0.76 %  1.102 s  0.98 %     -8.57 %' <<< "$output"
	grep -qx 'time        -9.60 % .. -7.53 %  <0.0001           0.002      1.49 %  lower' <<< "$output"
	[[ $output != *VIRTUAL* ]]
	[[ $output != *energy* ]]
}

@test "times of 0 are told in the unit of the others" {
	# first row: A, B and the difference
	row() {
		grep '^time ' <<< "$output" | sed '1!d; s/  */ /g'
	}
	result zero.json 0:0 3:0 4:0
	compare zero.json b.json --metric time
	[ "$status" -eq 0 ]
	[ "$(row)" = "time 0.000 s - 1.102 s 0.98 % -" ]
	compare b.json zero.json --metric time
	[ "$(row)" = "time 1.102 s 0.98 % 0.000 s - -100.00 %" ]
	compare zero.json zero.json --metric time
	[ "$(row)" = "time 0 ns - 0 ns - -" ]
	[[ $output != *nan* ]]
}

@test "compare tells what else differs, and that the sides took turns" {
	compare a.json b.json
	[ "$status" -eq 0 ]
	[[ $output == *"governor: A schedutil, B performance"* ]]
	[[ $output == *"order: the sides took turns"* ]]
	[[ $output == *"time: by the 6 pairs of turns -8.57 %"* ]]
	grep -qE '^  time: by the 6 pairs of turns .*; the second of a pair [+-]' <<< "$output"
	grep -q '^energy  ' <<< "$output"
	grep -q '^energy:big  ' <<< "$output"
	grep -q '^energy:little  ' <<< "$output"
	[ -z "$(awk 'length > 100' <<< "$output")" ]
}

@test "what being the second of a pair does is not told when it was always the same side" {
	result a.json label=A 0:1000 2:1010 4:1005 6:1002
	result b.json label=B 1:1103 3:1090 5:1095 7:1121
	compare a.json b.json --metric time
	[ "$status" -eq 0 ]
	[[ $output == *"time: by the 4 pairs of turns +"*" %"*"); the second of a pair was always the same side, which may be why"* ]]
	compare a.json b.json --metric time --format json
	[[ $output == *'"pairs": 4'* && $output != *second-of-pair-p* ]]
}

@test "sides that ran one after the other are said to be so" {
	result b.json date=2024-01-02T00:00:00Z 0:1103 1:1090 2:1095 3:1121
	compare a.json b.json --metric time
	[ "$status" -eq 0 ]
	[[ $output == *"one side ran after the other"*"calib bench ab"* ]]
	[[ $output != *"pairs of turns"* ]]
}

@test "outliers are named and stay in the figures, drift is named" {
	result b.json label=B 1:1100 2:1101 5:1099 6:1100 9:1101 10:1506
	result c.json 0:1000 1:1010 2:1020 3:1030 4:1041 5:1050
	compare a.json b.json c.json --metric time
	[ "$status" -eq 0 ]
	[[ $output == *"outlier in time of B: iteration 6 (1.506 s); kept in all figures"* ]]
	[[ $output == *"time of C drifts: +4.9"*" % of its mean, from its first to its last iteration (p <0.0001)"* ]]
	grep -qE '^time, B-A .* the tests disagree$|^time, B-A .* no difference shown$' <<< "$output"
	grep -qE '^time, C-A .* lower$' <<< "$output"
}

@test "two sides that are the same show no difference" {
	compare a.json a.json --metric time
	[ "$status" -eq 0 ]
	grep -qE '^time +-.*\+.* 1\.00 +1\.00 .* no difference shown$' <<< "$output"
}

@test "single and equal iterations give no figure that cannot be known" {
	result a.json 0:1000
	result b.json 0:1100
	compare a.json b.json --metric time
	[ "$status" -eq 0 ]
	grep -qx 'time    1.000 s    -  1.100 s    -    +10.00 %' <<< "$output"
	grep -qxE 'time +- +- +1\.00 +-  cannot be told' <<< "$output"
	result a.json 0:0 1:0
	compare a.json b.json --metric time
	[ "$status" -eq 0 ]
	[[ ${output,,} != *nan* && ${output,,} != *"inf "* ]]
	compare a.json b.json --format json
	[ "$status" -eq 0 ]
	[[ $output != *difference-pct* ]]
}

@test "few iterations, of which ranks can say nothing, are told to be few" {
	result a.json 0:1000 1:1001 2:1002
	result b.json 0:1100 1:1101 2:1103
	compare a.json b.json --metric time
	[ "$status" -eq 0 ]
	[[ $output == *"with 3 and 3 iterations Mann-Whitney's p cannot be below 0.10: run more"* ]]
	grep -qE '^time .* higher$' <<< "$output"
}

@test "other work is refused with the first difference, and compared by force" {
	result b.json via=pipe 0:1103 1:1090
	compare a.json b.json
	refused 2 "'b.json': messages: via is 'pipe', in 'a.json' it is 'socket': not the same work; --force compares all the same, by position"
	compare a.json b.json --force
	[ "$status" -eq 0 ]
	sed -i 's/"messages"/"letters"/' b.json
	compare a.json b.json
	refused 2 "'b.json' has no workload 'messages', which 'a.json' has; --force compares all the same, by position"
	result b.json 0:1103
	sed -i 's/"groups": "10", //' b.json
	compare a.json b.json
	refused 2 "'b.json': messages: nothing is said of groups, which is '10' in 'a.json'; --force compares all the same, by position"
	compare b.json a.json
	refused 2 "'a.json': messages: groups is '10', of which 'b.json' says nothing; --force compares all the same, by position"
}

@test "totals of other rails are refused, one rail and time are compared" {
	result b.json 'rails="big" "gpu"' 0:1103 1:1090
	compare a.json b.json
	refused 2 "messages: energy: the total of 'a.json' has the rail 'little', that of 'b.json' has not; pick one with --metric energy:RAIL, or --force"
	compare a.json b.json --metric energy:big --metric time
	[ "$status" -eq 0 ]
	grep -qx 'energy:big  1.206 J  0.76 %  1.097 J  0.84 %     -9.05 %' <<< "$output"
	compare a.json b.json --metric energy:little
	refused 2 "messages: 'b.json': there is no 'energy:little': a metric is time, energy, energy:RAIL or late-wakeups; the rails are 'big', 'gpu'"
	compare a.json b.json --metric energy:big --metric time --metric energy:big
	refused 2 "messages: --metric: 'energy:big' is given twice"
	for metric in t energy: energy:x; do
		compare a.json b.json --metric $metric
		[[ $stderr == *": messages: 'a.json': there is no '$metric': a metric is time, "* ]]
		[ "$status" -eq 2 ]
	done
	sed -i 's/"big"/"big VDD_ARM"/' b.json
	compare b.json b.json --metric energy:big
	[ "$status" -eq 0 ]
	grep -q '^energy:big VDD_ARM ' <<< "$output"
	result b.json rails= 0:1103 1:1090
	compare a.json b.json
	[ "$status" -eq 0 ]
	[[ $output == *"meters: A big by trapezoid, little by trapezoid, B none"* ]]
	[[ $output != *"energy:"* ]]
}

@test "a virtual board is marked, and not compared with a real one" {
	result b.json virtual=true 0:1103 1:1090
	compare a.json b.json
	refused 2 "'b.json' is of a virtual board, 'a.json' of a real one; --force compares all the same, by position"
	for format in text markdown; do
		compare b.json b.json --format $format
		[ "$status" -eq 0 ]
		[[ $output == "VIRTUAL: "* ]]
	done
	compare b.json b.json --format json
	grep -qx '  "virtual": true,' <<< "$output"
}

@test "an interrupted file is compared and said to be one, an empty one is refused" {
	result b.json interrupted=true 0:1103 1:1090
	compare a.json b.json
	[ "$status" -eq 0 ]
	[[ $output == *"B: b.json, 2 iterations (INTERRUPTED: more were planned)"* ]]
	result b.json interrupted=true
	compare a.json b.json
	refused 2 "'b.json': messages: there are no iterations; was it interrupted before the first?"
}

@test "a workload that an interrupted file has not come to is left out, and said to be" {
	local second='{ "workload": "pipe", "parameters": {}, "iterations": ['
	local it='{ "order": 1, "start-ns": 0, "time-ns": 500000000, "energy-uj": {} }'
	sed -i "s/^\] } \] }\$/] }, $second $it ] } ] }/" a.json
	result b.json interrupted=true 0:1103
	sed -i "s/^\] } \] }\$/] }, $second ] } ] }/" b.json
	compare a.json b.json
	[ "$status" -eq 0 ]
	[[ $output == *"left out: 'pipe', of which B has no iterations"* ]]
	[[ $output == *messages* ]]
	! grep -q '^pipe' <<< "$output"
	compare b.json a.json --format json
	[ "$status" -eq 0 ]
	[[ $output == *"left out: 'pipe', of which A has no iterations"* ]]
	[ "$(jq -c '[.workloads[].workload]' <<< "$output")" = '["messages"]' ]
}

@test "files that are none are refused by name" {
	echo '{ "schema": "calib-coeffs/1" }' > x.json
	compare a.json x.json
	refused 2 "'x.json': key 'schema': 'calib-coeffs/1' is not 'calib-bench/1'; this takes what 'calib bench' wrote"
	compare a.json none.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"'none.json'"*"No such file"* ]]
	compare a.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: 'a.json' is no series of boots: give a second file to compare it with" ]]
	compare
	[ "$status" -eq 2 ]
	[[ $stderr == *"operand missing, needed: A.json B.json... | SERIES.json"* ]]
}

@test "Markdown and JSON hold the same figures" {
	compare a.json b.json --metric time --format markdown
	[ "$status" -eq 0 ]
	grep -qxF '| time   | 1.206 s | 0.76 % | 1.102 s | 0.98 % |    -8.57 % |' <<< "$output"
	grep -qx '### messages: groups=10 via=socket' <<< "$output"
	compare a.json b.json --metric time --format json
	[ "$status" -eq 0 ]
	for line in '"metric": "time",' '"unit": "ns",' '"difference-pct": -8.57064,' \
		'"mann-whitney-exact": true,' '"took-turns": true' '"pairs": 6,' \
		'"governor: A schedutil, B performance"'; do
		grep -qF "$line" <<< "$output" || { echo "no $line"; echo "$output"; false; }
	done
}

# differ WORD... , WORD... - two commands that are not the same work
differ() {
	local words=()
	while [ "$1" != , ]; do
		words+=("$1")
		shift
	done
	"$CALIB" bench perf --iterations 2 --warmup 0 -o a.json -- "${words[@]}" > out
	shift
	"$CALIB" bench perf --iterations 2 --warmup 0 -o b.json -- "$@" > out
	compare a.json b.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"not the same work"* ]]
}

@test "commands of other words are not the same work, though they read alike" {
	differ true a b , true 'a b'
	[[ $stderr == *"'b.json': command: command is 'true 'a b'', in 'a.json' it is 'true a b': not the same work"* ]]
	differ true 'a  b' , true 'a b'
	differ true a '' , true a
	differ true '' a , true ' a'
	differ true "it's" , true its
	# What no text may hold is there as a question mark.
	differ true $'a\nb' , true 'a?b'
	differ true $'\xff' , true $'\xfe'
	[[ $stderr == *"command is 'true '?'... ("*")', in 'a.json' it is 'true '?'... ("*")'"* ]]
	compare a.json a.json
	[ "$status" -eq 0 ]
}

@test "commands that only their ends tell apart are not the same work" {
	long=$(printf 'x%.0s' {1..300})
	for end in a b; do
		"$CALIB" bench perf --iterations 2 --warmup 0 -o $end.json -- true "$long$end" > out
	done
	run --separate-stderr "$CALIB" bench compare a.json b.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"not the same work"* ]]
	[[ "$(jq -r '.workloads[0].parameters.command' a.json)" =~ ^true\ x+\.\.\.\ \([0-9a-f]{16}\)$ ]]
}
