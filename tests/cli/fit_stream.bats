#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib fit of more rows than it keeps: from a pipe, in bounded memory.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# rows N - of a cluster with C = 250, D = 100 and leakage, visit by visit
rows() {
	awk -v n="$1" 'BEGIN {
		print "freq_khz,volt_uv,cpu_count,util_pct,power_uw,temp_mc,flags"
		srand(5)
		while (n > 0) {
			opp = int(10 * rand())
			f = 400 + 100 * opp; v = 0.8 + 0.04 * opp
			for (c = 0; c <= 4; c += 2)
				for (i = 0; i < 60 && n-- > 0; i++) {
					t = 40 + 3 * c * f / 1000 + 5 * rand()
					p = (250 * c + 100 * (c > 0)) * f * v * v + 30000 * v * v * v * exp(0.03 * (t - 50)) + 10000
					printf "%d,%d,%d,%d,%d,%d,-\n", f * 1000, v * 1e6, c, 100 * c, p * (1 + 0.02 * (rand() - 0.5)), t * 1000
				}
		}
	}'
}

@test "a million rows through a pipe are fitted in 100 MB, and C is right" {
	case $CALIB in *-san/*) skip "address sanitizer wants all of memory" ;; esac
	rows 1000000 | (
		ulimit -v 100000
		"$CALIB" fit - > out.json 2> log
	)
	grep -q "note: 1000000 rows are too many to fit one by one (up to 16384 are): fitted are [0-9]* means" log
	awk -F '[:,]' '/"estimate"/ { found = 1; if ($2 < 249.5 || $2 > 250.5) exit 1 }
		END { exit !found }' out.json || { grep estimate out.json; false; }
	! grep -qi ': *-\?\(nan\|inf\)' out.json
}

@test "bad rows in a stream are named, the first ten of them, then counted" {
	rows 30000 | awk -F, -v OFS=, 'NR > 1 && NR % 1000 == 0 { $5 = NR % 2000 ? "nan" : "" }
		NR % 997 == 0 { $7 = "stale" } 1' > bad.csv
	"$CALIB" fit - < bad.csv > out.json 2> log
	[ "$(grep -c "standard input:[0-9]*: left out: power_uw" log)" -eq 10 ]
	grep -q "standard input:2000: left out: power_uw '' is not a reading" log
	grep -q "left out: 20 more rows without a reading" log
	grep -q "left out: 30 stale" log
	[ "$(grep -c '  standard input:[0-9]*: stale' log)" -eq 10 ]
	grep -q "standard input:997: stale" log
	printf '1000000,900000,1,100,12uW,40000,-\n' >> bad.csv
	run --separate-stderr "$CALIB" fit bad.csv
	[ "$status" -eq 2 ]
	[[ $stderr == *"bad.csv:30002: power_uw '12uW' is not a decimal number"* ]]
}

@test "a wrong unit among millions is still seen" {
	{ rows 20000; echo 1000000,900,2,200,300000,40000,-; } > unit.csv
	run --separate-stderr "$CALIB" fit unit.csv
	[ "$status" -eq 2 ]
	[[ $stderr == *"unit.csv:20002: 900 uV is no CPU's voltage"* ]]
}
