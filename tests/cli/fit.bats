#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib fit: the coefficient, the method and why, what is left out, and what is refused.

bats_require_minimum_version 1.5.0

load fit

setup() {
	cd "$BATS_TEST_TMPDIR"
	line="$TOP/tests/data/fit-line.csv"
	counts="$TOP/tests/data/fit-two-counts.csv"
}

# coefficient FILE - of the first cluster
coefficient() {
	sed -n 's/.*"dynamic-power-coefficient": \([0-9]*\),*/\1/p' "$1" | head -n 1
}

# term FILE NAME - value of a term of the model
term() {
	grep -A 2 "\"name\": \"$2\"" "$1" | sed -n 's/.*"value": \([^,]*\).*/\1/p'
}

# fits CSV C - the coefficient comes out, nothing is wrong
fits() {
	run --separate-stderr "$CALIB" fit "$1"
	[ "$status" -eq 0 ]
	echo "$output" > out.json
	[ "$(coefficient out.json)" = "$2" ] || { cat out.json; false; }
}

@test "a line through one CPU count gives slope and static power" {
	fits "$line" 210
	[ "$(term out.json static)" = 42000.0 ]
	[[ $stderr == *"5 operating points"* ]]
	[[ $stderr == *"intercept"*"one CPU count (1) and no idle rows"* ]]
	[[ $stderr == *"contains shared-clock power; never per core"* ]]
}

@test "two CPU counts give the power of one CPU whatever static and shared power do" {
	fits "$counts" 250
	[[ $stderr == *"within-opp"*"2 CPU counts"* ]]
	[[ $stderr == *"rail droop under load can bias C"* ]]
}

@test "what units and line ends a file has does not matter" {
	awk -F, 'NR == 1 { print "freq_mhz,voltage_v,power_mw"; next }
		{ printf "%.1f,%.3f,%.4f\r\n", $1 / 1000, $2 / 1e6, $3 / 1000 }' "$line" > mhz.csv
	printf '\357\273\277' | cat - "$line" > bom.csv
	head -c -1 "$line" > cut.csv
	for f in mhz bom cut; do
		fits $f.csv 210
		[ "$(term out.json static)" = 42000.0 ]
	done
}

@test "rows without a reading are named and left out" {
	{ cat "$line"; echo 1900000,1200000,nan; echo 2000000,1250000,; } > nan.csv
	fits nan.csv 210
	[[ $stderr == *"nan.csv:7: left out: power_uw 'nan'"* ]]
	[[ $stderr == *"nan.csv:8: left out: power_uw ''"* ]]
	! grep -qi nan out.json || grep -i nan out.json | grep -q '"left out: nan.csv:7: \|path\|command'
}

@test "a decimal comma is refused by line" {
	printf 'freq_mhz;voltage_v;power_mw\n600,0;0,8;104,4\n' > comma.csv
	refused "comma.csv:1: 'freq_mhz;" comma.csv
}

@test "one operating point cannot be split into static and dynamic power" {
	printf 'freq_khz,voltage_uv,power_uw\n' > one.csv
	for p in 212000 213100 211600; do
		echo "1000000,800000,$p" >> one.csv
	done
	refused "cannot separate static and dynamic power from one operating point (rank 1 of 2)" \
		one.csv
	refused "rank 1 of 2" --method intercept one.csv
	run --separate-stderr "$CALIB" fit --method through-origin one.csv
	[ "$status" -eq 0 ]
	echo "$output" > out.json
	[ "$(coefficient out.json)" = 332 ]
	[[ $stderr == *"only 1 operating point"* ]]
}

@test "a row below its baseline is left out; a baseline means through the origin" {
	cat > base.csv <<-'END'
	policy,ncpus,freq_khz,voltage_uv,power_uw,baseline_uw
	1,1,500000,600000,699000,700000
	1,1,900000,700000,752920,700000
	1,1,1300000,800000,799840,700000
	1,1,1700000,900000,865240,700000
	END
	fits base.csv 120
	[[ $stderr == *"3 of 4 used; left out: 1 negative"* ]]
	[[ $stderr == *"through-origin"* ]]
	grep -q '"rows left out: 1 negative"' out.json
	run --separate-stderr "$CALIB" fit --compare base.csv
	[[ $stderr =~ intercept\ +all\ .*\ -[0-9]+\.[0-9]\  ]]
}

@test "power that falls with f V^2 gives no coefficient, and exit status 1" {
	printf 'freq_khz,voltage_uv,power_uw\n500000,800000,300000\n900000,900000,250000\n1300000,1000000,200000\n' > down.csv
	run --separate-stderr "$CALIB" fit -o out.json down.csv
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[ ! -e out.json ]
	[[ $stderr == *"fit too poor, nothing written: the coefficient is not positive"* ]]
}

@test "an interval that reaches 0 is no coefficient either" {
	printf 'freq_khz,voltage_uv,power_uw\n500000,800000,300000\n900000,900000,700000\n1300000,1000000,400000\n' > wild.csv
	run --separate-stderr "$CALIB" fit wild.csv
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ $stderr == *"nothing written: the 95 % interval reaches 0"* ]]
}

@test "the result is the same bytes in a locale with decimal commas" {
	locale -a | grep -qi '^de_DE\.utf-\?8$' && path= || {
		command -v localedef > /dev/null || skip "no localedef"
		localedef -i de_DE -f UTF-8 "$PWD/de_DE.UTF-8" 2> /dev/null ||
			skip "the locale de_DE can not be made here"
		path=$PWD
	}
	LC_ALL=C "$CALIB" fit "$line" > c.json
	LOCPATH=$path LC_ALL=de_DE.UTF-8 "$CALIB" fit "$line" > de.json
	cmp c.json de.json
	grep -q '"value": 42000.0' de.json
}

@test "cases: hostile CSV files of other people" {
	d="$SHARED/cases/d11-hostile-csv"
	[ -d "$d" ] || skip "no $d"
	for f in plain bom_crlf floats no_final_newline nan; do
		fits "$d/$f.csv" 190
		static=$(term out.json static)
		awk -v s="$static" 'BEGIN { exit !(s >= 31450 && s <= 31550) }'
	done
	for n in 6 7 8; do
		[[ $stderr == *"nan.csv:$n: left out"* ]]
	done
	refused "decimal_comma.csv:1: " "$d/decimal_comma.csv"
}

@test "cases: baselines, differences, one operating point" {
	d="$SHARED/cases/d12-fit-baseline"
	[ -d "$d" ] || skip "no $d"
	fits "$d/two_minus_one.csv" 310
	fits "$d/negative.csv" 140
	[[ $stderr == *"left out: 1 negative"* ]]
	refused "cannot separate static and dynamic power from one operating point (rank 1 of 2)" \
		"$d/one_opp.csv"
	run --separate-stderr "$CALIB" fit --compare -o out.json "$d/two_minus_one.csv"
	[[ $output =~ mean-of-ratios\ +all\ +905 ]]
	run --separate-stderr "$CALIB" fit --compare -o out.json "$d/negative.csv"
	[[ $output =~ intercept\ +all\ +159\.6\ .*\ -20\.5\  ]]
}

# The published methods, against figures computed independently (to their printed digits).

# xu3 WORKLOAD - rows of a workload and of idle, from the public Odroid-XU3 data
xu3() {
	awk -F, -v OFS=, -v w="$1" 'NR == 1 {
			print "cluster,cpu_count,freq_khz,volt_uv,power_mw,temp_c,util_pct,load"; next }
		$9 == w || $9 == "idle" {
			print $2, $3, $4, $5, $6, $7, $13 + $14 + $15 + $16, $9 }' \
		"$SHARED/data/walker-xu3-a15.csv"
}

# The reference fit (407.3, standard error 4.3) takes leakage for linear in temperature.
@test "data: the A15 of an Odroid-XU3 runs dhrystone at about 400 uW/MHz/V^2" {
	[ -e "$SHARED/data/walker-xu3-a15.csv" ] || skip "no walker-xu3-a15.csv"
	xu3 dhrystone > dhrystone.csv
	for m in structured within-opp; do
		run --separate-stderr "$CALIB" fit --method $m dhrystone.csv
		[ "$status" -eq 0 ]
		echo "$output" > out.json
		c=$(coefficient out.json)
		[ "$c" -ge 395 ] && [ "$c" -le 415 ] || { echo "$m: $c"; false; }
	done
	run --separate-stderr "$CALIB" fit --compare -o out.json dhrystone.csv
	[[ $stderr == *"structured"*"4 CPU counts and idle at 9 operating points"* ]]
	[[ $stderr != *"disagrees"* ]]
	# What one CPU count makes of it holds the shared clock.
	idle=$(awk '$1 == "idle-subtracted" { print int($3) }' <<< "$output")
	[ "$idle" -gt 430 ]
}

# run_of BOARD CLUSTER [OPTION...] - a run of a virtual board, in ./run
run_of() {
	"$CALIB" measure --board "virtual:$1" --cluster "$2" -d run "${@:3}" 2> /dev/null
}

# holds FILE C - the 95 % interval of the first cluster holds C
holds() {
	awk -v c="$2" '/"ci95"/ { getline; lo = $1 + 0; getline; hi = $1 + 0
		exit !(lo <= c && c <= hi) }' "$1"
}

@test "a run of the virtual board gives its truth, and says that it is virtual" {
	run_of odroid-xu3 a7
	run_of odroid-xu3 a15
	run --separate-stderr "$CALIB" fit -d run -o both.json
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[[ $stderr == *"VIRTUAL a7: C = "* && $stderr == *"VIRTUAL a15: C = "* ]]
	[[ $stderr == *"rail, ina231@0x45 VDD_KFC"*"voltage measured"* ]]
	grep -q '"virtual": true' both.json
	grep -q '"compatible": "arm,cortex-a7"' both.json
	"$CALIB" fit -d run --cluster a7 > a7.json 2> /dev/null
	holds a7.json 90
	"$CALIB" fit -d run --cluster a15 > a15.json 2> /dev/null
	holds a15.json 310
	# Fastest per MHz is 1024; one cluster alone has nothing to compare with.
	[ "$(grep -c '"capacity-dmips-mhz"' both.json)" -eq 2 ]
	grep -q '"capacity-dmips-mhz": 1024' both.json
	! grep -q '"capacity-dmips-mhz"' a7.json
	[ "$(grep -c '"sha256"' a7.json)" -eq 2 ]
	grep -q '"inefficient": true' a15.json
	# The checks of what was fitted: of both clusters, and of one alone.
	grep -A 2 '"name": "monotonic"' both.json | grep -q '"ok": false'
	grep -A 2 '"name": "monotonic"' both.json | grep -q '"text": "a7: efficiency does not fall .*; and 1 more"'
	grep -A 1 '"name": "limits"' both.json | grep -q '"ok": true'
	grep -A 1 '"name": "ratio"' both.json | grep -q '"ok": true'
	grep -A 2 '"name": "cost"' both.json | grep -q '"text": "a7: costs more than arm,cortex-a15'
	grep -A 2 '"name": "monotonic"' a15.json | grep -q '"text": "a15: efficiency does not fall .*15"'
	[ "$(grep -c '"name": "ratio"\|"name": "cost"' a15.json)" -eq 0 ]
	# It is searched for, so it has no error to state.
	[ "$(sed '/"diagnostics"/,$d' a15.json | grep -A 3 '"leakage-growth"' | grep -c '"value"\|"se"')" -eq 1 ]
}

@test "where the board tells no voltage, the rail's droop is found" {
	run_of tc2 a15
	run --separate-stderr "$CALIB" fit -d run
	[ "$status" -eq 0 ]
	echo "$output" > out.json
	holds out.json 990
	[[ $stderr =~ "voltage from a table, rail of "[0-9.]+" mohm found from its droop" ]]
	# A resistance that is none within its error is not told as one, nor one below 0.
	rm -r run
	run_of tc2 a7
	run --separate-stderr "$CALIB" fit -d run --cluster a7
	[ "$status" -eq 0 ]
	[[ $stderr == *"voltage from a table, no droop of the rail seen"* ]]
}

@test "flagged rows are left out with count and reason" {
	run_of odroid-xu3 a7
	awk -F, -v OFS=, 'NR % 9 == 4 { $15 = "throttled"; $9 *= 2 } 1' run/samples.csv > flagged
	mv flagged run/samples.csv
	run --separate-stderr "$CALIB" fit -d run
	[ "$status" -eq 0 ]
	echo "$output" > out.json
	holds out.json 90
	[[ $stderr =~ "rows    "[0-9]+" of 39 used; left out: 5 throttled" ]]
	grep -q '"rows left out: 5 throttled"' out.json
	for n in 4 13 22 31 40; do
		grep -qx "          run/samples.csv:$n: throttled" <<< "$stderr"
		grep -q "\"left out: run/samples.csv:$n: throttled\"" out.json
	done
	! grep -q ' more$' <<< "$stderr"
}

@test "of many rows left out the first ten are named" {
	awk -F, -v OFS=, 'NR == 1 { print "time_ns,cluster,opp_khz,freq_khz,volt_uv,cpu_count,load,util_pct,power_uw,power_sd_uw,reads,temp_mc,work,cycles,flags" }
		NR > 1 { for (i = 0; i < 4; i++)
			print NR * 10 + i, "a", $1, $1, $2, 1, "int", 100, $3, 0, 9, "", 0, 0,
				i ? "clock|unsettled" : "-" }' "$line" > many.csv
	run --separate-stderr "$CALIB" fit many.csv
	[ "$status" -eq 0 ]
	echo "$output" > out.json
	[[ $stderr == *"5 of 20 used; left out: 15 clock, 15 unsettled"* ]]
	[ "$(grep -c '^          many.csv:[0-9]*: clock|unsettled$' <<< "$stderr")" -eq 10 ]
	grep -qx '          and 5 more' <<< "$stderr"
	[ "$(grep -c '"left out: many.csv:[0-9]*: clock|unsettled"' out.json)" -eq 10 ]
	grep -q '"left out: 5 more"' out.json
	"$CALIB" check out.json > /dev/null || [ $? -eq 1 ]
}

# imported FLAG - a run of freqbench rows that all have the flag, and idle ones
imported() {
	mkdir run
	cat > run/board.json <<-'END'
	{ "schema": "calib-run/1", "tool": "freqbench, by calib", "baseline-microwatt": 5000,
	  "clusters": [ { "name": "cpu0", "cpus": [ 0 ], "opps": [] } ] }
	END
	awk -F, -v OFS=, -v flag="$1" 'NR == 1 { print "time_ns,cluster,opp_khz,freq_khz,volt_uv,cpu_count,load,util_pct,power_uw,power_sd_uw,reads,temp_mc,work,cycles,flags" }
		NR > 1 { print NR, "cpu0", $1, $1, $2, 1, "coremark", 100, $3, 0, 9, "", 0, 0, flag
			print NR, "cpu0", $1, $1, $2, 0, "idle", 0, -2000, 0, 9, "", 0, 0, NR == 2 ? "negative" : "-" }' \
		"$line" > run/samples.csv
}

@test "a run whose busy rows are all flagged: what to do is said" {
	imported stale
	refused "left out: 5 stale (run/samples.csv:2: stale ...); import the results again with --trim-stale, or see what all rows give with --compare" -d run
	sed -i 's/freqbench, by calib/calib/' run/board.json
	refused "left out: 5 stale (run/samples.csv:2: stale ...); measure again, or" -d run
	[[ $stderr != *negative* ]]
	run --separate-stderr "$CALIB" fit -d run --compare
	[ "$status" -eq 2 ]
	[[ $stderr == *"intercept           all "* ]]
	[[ $stderr != *"--compare"* ]]
}

@test "idle rows below the base are taken: idle is what the base was made from" {
	imported -
	run --separate-stderr "$CALIB" fit -d run
	[ "$status" -eq 0 ]
	[[ $stderr == *"5 of 10 used"* && $stderr != *"left out: 1 negative"* ]]
	[[ $stderr == *"idle measured at 5 operating points"* ]]
}

@test "a voltage that is not known is taken from board.json, or named" {
	run_of odroid-xu3 a7
	awk -F, -v OFS=, 'NR > 1 { $5 = 0 } 1' run/samples.csv > zero
	mv zero run/samples.csv
	run --separate-stderr "$CALIB" fit -d run
	[ "$status" -eq 0 ]
	sed -i '/"volt-microvolt"\|"microvolt": 900000/s/900000/0/' run/board.json
	run --separate-stderr "$CALIB" fit -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"the voltage of cluster 'a7' at "*" kHz is not known"* ]]
}

@test "somebody's file needs --match before a tree can be edited with it" {
	run --separate-stderr "$CALIB" fit "$line"
	[[ $stderr == *"fdtedit will not apply it; say which with --match"* ]]
	run --separate-stderr "$CALIB" fit --match compatible=arm,cortex-a53 \
		--match reg=0x100,0x101 "$line"
	[ "$status" -eq 0 ]
	[[ $output == *'"compatible": "arm,cortex-a53"'* ]]
	[[ $output == *'257'* ]]
	refused "--match 'reg=x'" --match reg=x "$line"
	refused "--match 'cortex'" --match cortex "$line"
}

@test "what is missing is said in one line" {
	refused "calib-run"
	refused "nofile.csv" nofile.csv
	refused "no rows of a cluster 'gpu'; there are cluster0" --cluster gpu "$line"
	refused "--method 'magic'" --method magic "$line"
	printf 'freq_khz,voltage_uv,power_uw\n' > empty.csv
	refused "empty.csv: no rows" empty.csv
	printf 'policy,ncpus,freq_khz,voltage_uv,power_uw\n0,0,600000,800000,1000\n' > idle.csv
	refused "only idle rows, none with a busy CPU; measure with a load" idle.csv
	printf 'freq_khz,volt_uv,power_uw\n600000,800,1000\n' > mv.csv
	refused "mv.csv:2: 800 uV is no CPU's voltage" mv.csv
	printf 'freq_khz,volt_uv,power_uw\n600000000,800000,1000\n' > hz.csv
	refused "hz.csv:2: 600000000 kHz is no CPU's clock" hz.csv
	printf 'load,freq_khz,voltage_uv,power_uw\na,600000,800000,1\nb,600000,800000,1\n' > loads.csv
	refused "rows of several loads ('a', 'b'); choose one with --load" loads.csv
	refused "no rows of a load 'c'; there are a, b" --load c loads.csv
	printf 'opp_khz,freq_khz,volt_uv,power_uw\n600000,600000000,800000,1000\n' > freq.csv
	refused "freq.csv:2: 600000000 kHz is no CPU's clock" freq.csv
}

@test "the output never replaces what was read" {
	run_of odroid-xu3 a7 --opps 200,800,1400 --raw
	cp run/samples.csv before
	refused "output 'run/samples.csv' is the input 'run/samples.csv'" -d run -o run/samples.csv
	refused "is the input 'run/board.json'" -d run -o run/board.json
	refused "is the input 'run/raw.csv'" -d run --raw -o run/raw.csv
	ln -s run/samples.csv link.csv
	refused "output 'link.csv' is the input 'run/samples.csv'" -o link.csv run/samples.csv
	cmp before run/samples.csv
	"$CALIB" fit -d run -o run/coeffs.json 2> log
	"$CALIB" fit -d run -o run/coeffs.json 2> log
}

@test "rows that are there twice are refused: the interval would be too narrow" {
	run_of odroid-xu3 a7 --opps 200,800,1400
	rows=run/samples.csv
	ln -s samples.csv run/link.csv
	refused "'$rows' and 'run/link.csv' are one file" $rows run/link.csv
	refused "'-' and '-' are one file" - -
	cp $rows copy.csv
	refused "copy.csv:2 is the window of $rows:2 again" $rows copy.csv
	sed -n 5p $rows >> copy.csv
	refused "copy.csv:11 is the window of copy.csv:5 again, which would count twice; leave one out" copy.csv
	# Without a time, two windows may be alike.
	cat "$counts" <(tail -n +2 "$counts") > twice.csv
	fits twice.csv 250
}

@test "one cluster of two that cannot be fitted: nothing is written, and what can is said" {
	{ cat "$counts"; echo 9,1,600000,750000,485625; echo 9,1,800000,750000,485625; } > two.csv
	run --separate-stderr "$CALIB" fit -o out.json two.csv
	[ "$status" -eq 1 ]
	[ ! -e out.json ]
	[[ $stderr == *"'policy9': fit too poor, nothing written"*"but --cluster policy4 can be fitted alone" ]]
	sed -i \$d two.csv
	run --separate-stderr "$CALIB" fit -o out.json two.csv
	[ "$status" -eq 2 ]
	[ ! -e out.json ]
	[[ ${stderr_lines[-1]} == *"error: cluster 'policy9': cannot separate"*"but --cluster policy4 can be fitted alone" ]]
	# The same whichever comes first.
	awk -F, 'NR == 1 || $1 == 9' two.csv > other.csv
	tail -n +2 "$counts" >> other.csv
	run --separate-stderr "$CALIB" fit -o out.json other.csv
	[ "$status" -eq 2 ]
	[[ ${stderr_lines[-1]} == *"error: cluster 'policy9': cannot separate"*"but --cluster policy4 can be fitted alone" ]]
}

@test "more clusters or operating points than a result holds are told" {
	{ head -n 1 "$counts"; for p in $(seq 20); do
		tail -n +2 "$counts" | sed "s/^4,/$p,/"; done; } > many.csv
	refused "more than 16 clusters; choose with --cluster" many.csv
	run --separate-stderr "$CALIB" fit --cluster policy19 many.csv
	[ "$status" -eq 0 ]
	[[ $output == *'"name": "policy19"'*'"dynamic-power-coefficient": 250'* ]]
	refused "no rows of a cluster 'policy21'; there are" --cluster policy21 many.csv
	awk 'BEGIN { print "ncpus,freq_khz,voltage_uv,power_uw"
		for (f = 100; f < 230; f++) for (n = 1; n < 3; n++)
			printf "%d,%d000,1000000,%d\n", n, f, 1e5 + f * 250 * n }' > opps.csv
	run --separate-stderr "$CALIB" fit opps.csv
	[ "$status" -eq 0 ]
	[[ $stderr == *"all 130 operating points are fitted, but only 128 fit into coeffs.json"* ]]
}

@test "a full disk is said as one" {
	# More than a stdio buffer, so that the write itself fails.
	awk -F, 'NR == 1 { print } NR > 1 { for (i = 0; i < 12; i++)
		print $1 + i * 1000 "," $2 "," $3 }' "$line" > long.csv
	run bash -c '"$1" fit "$2" > /dev/full' - "$CALIB" long.csv
	[ "$status" -eq 2 ]
	[[ $output == *"No space left on device"* ]]
	[[ $output != *"Input/output error"* ]]
}

@test "freqbench and tc2 are names for what they do" {
	"$CALIB" fit --method freqbench "$line" > named.json
	grep -q '"name": "mean-of-ratios"' named.json
	"$CALIB" fit --method tc2 "$counts" > named.json
	grep -q '"name": "two-minus-one"' named.json
	"$CALIB" fit --help > help
	tr -s ' \n' ' ' < help | grep -q "freqbench is another name for mean-of-ratios, tc2 for two-minus-one"
}

@test "idle that is busy is refused before a wild coefficient comes out" {
	run_of odroid-xu3 a7
	awk -F, -v OFS=, 'NR > 1 && $6 == 0 { $8 = 100 } 1' run/samples.csv > busy
	mv busy run/samples.csv
	refused "idle that is busy: at 200000 kHz the rows of 0 CPUs have util_pct 100, those of 1 " -d run
	awk -F, -v OFS=, 'NR > 1 && $6 == 0 { $8 = 9 } 1' run/samples.csv > some
	mv some run/samples.csv
	run --separate-stderr "$CALIB" fit -d run
	[ "$status" -ne 2 ]
}

@test "a voltage is called measured where the rail's was, and the rows hold it" {
	run_of odroid-xu3 a7
	grep -q '"volt-source": "rail"' run/board.json
	# Stiff: one voltage per operating point.
	awk -F, -v OFS=, 'NR > 1 { $5 = 900000 + $3 / 4 } 1' run/samples.csv > stiff
	cp stiff run/samples.csv
	run --separate-stderr "$CALIB" fit -d run
	[[ $stderr == *"; voltage measured"* && $stderr != *"voltage from a table"* ]]
	awk -F, -v OFS=, 'NR > 1 { $5 = 0 } 1' stiff > run/samples.csv
	run --separate-stderr "$CALIB" fit -d run
	[[ $stderr == *"voltage from a table"* && $stderr != *"voltage measured"* ]]
}

@test "the interval that measuring stopped with stands beside the fitted one" {
	"$CALIB" measure --board virtual:juno-r2 --cluster a53 --precision 3% -d stop 2> err
	grep -q '"precision-asked": 0.03' stop/board.json
	half=$(sed -n 's/.*C is known to +-\([0-9.]*\) %.*/\1/p' err)
	run --separate-stderr "$CALIB" fit -d stop
	[ "$status" -eq 0 ]
	[[ $stderr == *"
  stop    predicted +-$half % (3 % asked for), fitted +-$half %
"* ]]
	[[ $stderr != *"rows or method"* ]]
	# The prediction was of other rows; of another load it says nothing.
	sed -i 's/"precision-predicted": [0-9.]*/"precision-predicted": 0.0002/' stop/board.json
	run --separate-stderr "$CALIB" fit -d stop
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: cluster 'a53': 'calib measure' predicted +-0.02 %, and the fit gives +-$half %: rows or method are not those it stopped with"* ]]
	sed -i 's/"precision-load": "int"/"precision-load": "dram"/' stop/board.json
	run --separate-stderr "$CALIB" fit -d stop
	[ "$status" -eq 0 ]
	[[ $stderr != *"predicted"* ]]
	# A run that is carried out as it is has none.
	"$CALIB" measure --board virtual:juno-r2 --cluster a53 --repeats 2 -d stop 2> err
	! grep -q '"precision-' stop/board.json
}
