#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib fit of several boards: what they have in common, how they differ, what is refused.

bats_require_minimum_version 1.5.0

load fit

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	# Boards whose power is off by so many percent.
	set -- 0 3 -2 1 -4 2 -1 4
	for n in 1 2 3 4 5 6 7 8; do
		"$CALIB" measure --board virtual:odroid-xu3 --cluster a15 --opps \
			200,600,1000,1400,2000 --cpus 0,1,4 --seed $n -d r$n 2> log
		spread r$n "$1"
		shift
	done
}

# spread RUN PERCENT - all its power is so much higher
spread() {
	awk -F, -v OFS=, -v by="$2" 'NR > 1 { $9 = sprintf("%d", $9 * (1 + by / 100)) } 1' \
		"$1/samples.csv" > more.csv
	mv more.csv "$1/samples.csv"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp -r "$BATS_FILE_TMPDIR"/r? .
}

# number FILE KEY [N] - the value of KEY, of several lines the N-th
number() {
	sed -n "s/.*\"$2\": \([^,]*\),*\$/\1/p" "$1" | sed -n "${3:-1}p"
}

@test "runs of one kind of board give their mean, its interval, and a new board's" {
	run --separate-stderr "$CALIB" fit r1 r2 r3 r4 r5 r6 r7 r8
	[ "$status" -eq 0 ]
	echo "$output" > out.json
	[[ $stderr == *"what the rows of 8 of 8 boards call for"* ]]
	[[ $stderr == *"boards  8 of 8, between them "* ]]
	# Spread of the percents above: 2.76; mean 0.375 % above 310.
	awk -v sd="$(number out.json between-pct)" -v c="$(number out.json estimate)" \
		'BEGIN { exit !(sd > 2.4 && sd < 3.1 && c > 309 && c < 313) }'
	[ "$(grep -c '"off-by"' out.json)" -eq 8 ]
	! grep -q '"outlying"' out.json
	# t(7) = 2.3646; the new board's interval is three times as wide, for 8 boards.
	awk -v se="$(number out.json stderr)" -v c="$(number out.json estimate)" \
		-v lo="$(sed -n '/ci95/{n;s/[ ,]//gp;q}' out.json)" \
		-v new="$(sed -n '/new-board95/{n;s/[ ,]//gp;q}' out.json)" 'BEGIN {
			exit !((c - lo) / se > 2.36 && (c - lo) / se < 2.37 &&
				(c - new) / (c - lo) > 2.9 && (c - new) / (c - lo) < 3.1) }'
	"$CALIB" check out.json > /dev/null || [ $? -eq 1 ]
}

@test "what several boards gave goes into a tree" {
	"$CALIB" fit r1 r2 r3 -o out.json 2> log
	cat > cpus.dtsi <<-'END'
	/ { cpus { cpu@0 { device_type = "cpu"; compatible = "arm,cortex-a15"; reg = <0>; };
		cpu@1 { device_type = "cpu"; compatible = "arm,cortex-a15"; reg = <1>; }; }; };
	END
	"$FDTEDIT" apply cpus.dtsi out.json
	grep -q "dynamic-power-coefficient = <31[0-9]>" cpus.dtsi
}

@test "one folder is one run, as with -d" {
	"$CALIB" fit r1 2> a.log | grep -v '"command"' > a.json
	"$CALIB" fit -d r1 2> b.log | grep -v '"command"' > b.json
	cmp a.json b.json
	cmp a.log b.log
	! grep -q '"boards"' a.json
}

@test "a board that is unlike the others is named, and counts all the same" {
	spread r8 40
	run --separate-stderr "$CALIB" fit -o out.json r1 r2 r3 r4 r5 r6 r7 r8
	[ "$status" -eq 0 ]
	[[ $stderr == *"board 'r8' is an outlying one: C = 4"* ]]
	[ "$(grep -c '"outlying": true' out.json)" -eq 1 ]
	[ "$(number out.json outlying)" = 1 ]
	[[ $stderr == *"boards  8 of 8"* ]]
}

@test "a board that cannot be fitted as the others is left out with the reason" {
	sed -i '/,4,int,/d' r2/samples.csv
	sed -i 's/,-/,stale/' r3/samples.csv
	run --separate-stderr "$CALIB" fit -o out.json r1 r2 r3 r4 r5
	[ "$status" -eq 0 ]
	[[ $stderr == *"boards  3 of 5"* ]]
	[[ $stderr == *"board 'r2' left out: its rows call for 'idle-subtracted', those of most boards for 'structured'"* ]]
	[[ $stderr == *"board 'r3' left out: no usable row with a busy CPU"* ]]
	[ "$(grep -c '"left-out": "' out.json)" -eq 2 ]
	refused "1 of 2 boards can be fitted, and two are needed; board 'r3'" r1 r3
}

@test "runs that are not of one kind are refused" {
	sed -i '0,/hardkernel,odroid-xu3/s//vendor,other/' r2/board.json
	refused "run 'r2' is of a 'vendor,other', and run 'r1' of a 'hardkernel,odroid-xu3'" r1 r2
	sed -i 's/"power-scope": "rail"/"power-scope": "device"/' r3/board.json
	refused "runs 'r1' and 'r3' differ in 'power-scope' of their board.json" r1 r3
	sed -i 's/cortex-a7"/cortex-a53"/' r4/board.json
	refused "runs 'r1' and 'r4' differ in 'clusters' of their board.json" r1 r4
	"$CALIB" measure --board virtual:odroid-xu3 --cluster a7 -d r5 --seed 5 --opps 200 \
		--cpus 0,1 2> log
	refused "run 'r5' has rows of cluster 'a7', and run 'r1' has none; choose one that all have with --cluster" r1 r5
	run --separate-stderr "$CALIB" fit --cluster a15 r1 r5
	[ "$status" -eq 0 ]
}

@test "the same run twice is refused, a copy of it too" {
	refused "run 'r1' is given twice" r1 r2 r1
	cp -r r1 copy
	refused "'r1' and 'copy' hold the same rows; is that one run given twice?" r1 copy r2
}

@test "runs and files do not mix, nor runs and -d" {
	refused "'r1' is a folder (a run) and 'r2/samples.csv' is not" r1 r2/samples.csv
	refused "run 'r3' with -d, and run 'r2'; give all runs without -d" -d r3 r1 r2
	refused "--compare is of one board" --compare r1 r2
}

@test "a column 'board' makes boards of a file's rows, in any order" {
	for n in 1 2 3 4; do
		awk -F, -v OFS=, -v n=$n 'NR > 1 || n == 1 { print $0, n == 1 && NR == 1 ? "board" : "b" n }' \
			r$n/samples.csv
	done > all.csv
	{ head -n 1 all.csv; tail -n +2 all.csv | awk '{ print NR % 15, $0 }' | sort -s -n -k 1,1 | cut -d ' ' -f 2-; } > mixed.csv
	for f in all mixed; do
		"$CALIB" fit $f.csv 2> $f.log > $f.json
		grep -q "boards  4 of 4" $f.log
		grep -q '"name": "b3"' $f.json
	done
	[ "$(number all.json n 2)" = 4 ]
	# Rows of one board in another order are other visits to its operating points.
	[ "$(number all.json dynamic-power-coefficient)" = "$(number mixed.json dynamic-power-coefficient)" ]
}
