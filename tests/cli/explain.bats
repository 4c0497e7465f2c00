#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib fit --explain: the diagnostics, and each warning where it is due and where it is not.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# explain CSV - what is told of it, in $output; coeffs.json in out.json
explain() {
	run --separate-stderr "$CALIB" fit --explain -o out.json "$@"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	! grep -qwi 'nan\|inf' <<< "$output"
	! grep -qwi 'nan\|inf\|infinity' out.json
}

# warns TEXT - among the warnings, printed and in coeffs.json
warns() {
	sed -n '/^  warnings/,$p' <<< "$output" | grep -qF "$1" || { echo "$output"; false; }
	sed -n '/"warnings"/,/\]/p' out.json | grep -qF "$1"
}

# quiet TEXT - no such warning
quiet() {
	! sed -n '/^  warnings/,$p' <<< "$output" | grep -F "$1"
}

# line_csv AWK - one CPU at eight operating points, two windows each: 4 mW + 210 f V^2;
# the awk statement may change p (uW) of window w (1, 2) at OPP i (0..7), x being f V^2
line_csv() {
	awk 'BEGIN { print "cluster,cpu_count,freq_khz,voltage_uv,power_uw,temp_c"
		for (w = 1; w <= 2; w++) for (i = 0; i < 8; i++) {
			mhz = 300 + 200 * i; v = 0.8 + 0.05 * i; x = mhz * v * v; t = 40
			p = 4000 + 210 * x + 300 * (w == 1 ? 1 : -1) * (i % 2 ? 1 : -1)
			'"$1"'
			printf "a,1,%d,%d,%.0f,%.1f\n", mhz * 1000, v * 1e6, p, t } }' > line.csv
}

# counts_csv OPPS WINDOWS AWK - idle, one and two CPUs at each operating point
counts_csv() {
	awk -v opps="$1" -v windows="$2" 'BEGIN {
		print "cluster,cpu_count,freq_khz,voltage_uv,power_uw,temp_c"
		for (w = 0; w < windows; w++) for (i = 0; i < opps; i++) for (n = 0; n < 3; n++) {
			mhz = 300 + 200 * i; v = 0.8 + 0.05 * i; x = mhz * v * v; t = 40; k++
			p = 20000 + 90 * x * (n > 0) + 210 * n * x + 400 * ((k * 7 % 5) - 2)
			'"$3"'
			printf "a,%d,%d,%d,%.0f,%.2f\n", n, mhz * 1000, v * 1e6, p, t } }' > counts.csv
}

@test "explain goes to stdout with -o, to stderr without" {
	line_csv ''
	run --separate-stderr "$CALIB" fit --explain line.csv
	[ "$status" -eq 0 ]
	[[ $stderr == *"
  errors of C   classical "* && $output != *"errors of C"* ]]
	explain line.csv
	[[ $stderr != *"errors of C"* ]]
	for part in coefficient method model "errors of C" terms residuals R^2 leverage Cook \
		studentised "lack of fit" drift "C over OPPs" robust "per OPP" rows warnings; do
		grep -qF "  $part " <<< "$output" || { echo "no $part"; false; }
	done
	[[ $output == *"centred "*", about zero "* ]]
	[[ $output == *"Theil-Sen "*", Huber "*", bisquare "* ]]
	# One CPU at 300 MHz and 0.8 V: 40.32 mW.
	grep -qE '^ +300 +210 .* 40\.32 ' <<< "$output"
	grep -q '^  warnings      none$' <<< "$output"
	! grep -q '"warnings"' out.json
	"$CALIB" check out.json > /dev/null || [ $? -eq 1 ]
}

@test "static power that others would call dynamic is told with their value" {
	line_csv 'p += 40000'
	explain line.csv
	[[ $stderr == *"
  explain 1 warning with --explain: the intercept is 52 % of power"* ]]
	warns "the intercept is 52 % of power at the lowest operating point; through-origin methods would say 239"
	line_csv ''
	explain line.csv
	quiet "through-origin"
	[[ $stderr != *"--explain"* ]]
	counts_csv 6 2 ''
	explain counts.csv
	warns "idle, shared-clock and static power are 48 % of power"
}

@test "terms that look alike are told where they make the interval wide" {
	# The temperature is that of the power, so leakage looks like C.
	counts_csv 6 2 't = 40 + p / 40000; p += 8000 * sin(k * k)'
	grep -v '^a,0,' counts.csv > busy.csv
	explain busy.csv
	warns "C can hardly be told from the other terms (variance inflation "
	counts_csv 6 2 't = 40 + k * k % 7; p += 8000 * sin(k * k)'
	grep -v '^a,0,' counts.csv > busy.csv
	explain busy.csv
	quiet "variance inflation"
}

@test "a row that decides alone is told, and one that moves C" {
	line_csv 'if (i == 7 && w == 2) { mhz = 9000; x = mhz * v * v; p = 4000 + 230 * x }'
	explain line.csv
	warns "one row decides alone: line.csv:17 (leverage 0.9"
	warns "without line.csv:17 C would be 210.1 (Cook's distance "
	line_csv 'if (i == 7 && w == 2) { mhz = 9000; x = mhz * v * v; p = 4000 + 210 * x }'
	explain line.csv
	warns "one row decides alone: line.csv:17"
	quiet "Cook's distance"
	line_csv ''
	explain line.csv
	quiet "decides alone"
}

@test "a window that stands out is named" {
	line_csv 'if (i == 4 && w == 1) p += 30000'
	explain line.csv
	warns "line.csv:6 is 89.4 standard deviations above the model; look at that window"
	line_csv 'if (i == 4 && w == 1) p += 200'
	explain line.csv
	quiet "standard deviations"
}

@test "lack of fit is told where windows repeat, and C that changes over the OPPs" {
	line_csv 'p += x * x / 60'
	explain line.csv
	warns "lack of fit: the model is 2.2 % off where repeated windows agree"
	warns "C changes by +14 % from the lowest operating point to the highest"
	line_csv 'p += x * x / 6000'
	explain line.csv
	quiet "lack of fit"
	quiet "C changes"
	sed -i '10,$d' line.csv
	explain line.csv
	[[ $output == *"not computed  lack of fit: no window was repeated; measure with --repeats 2"* ]]
	! grep -q '"lack-of-fit' out.json
	grep -q '"lack of fit: no window was repeated' out.json
}

@test "power that drifts over the run or with temperature is told" {
	line_csv 'p += 8000 * ((w - 1) * 8 + i) / 16'
	explain line.csv
	warns "power drifts by +7.5 mW over the run"
	quiet "per kelvin"
	line_csv 't = 40 + (i * 5 + w) % 4; p += 3000 * (t - 40)'
	explain line.csv
	warns "power changes by +2.87 mW per kelvin beyond the model"
	quiet "drifts"
	line_csv 't = 40 + (i * 5 + w) % 4'
	explain line.csv
	quiet "per kelvin"
	quiet "drifts"
}

@test "robust methods that disagree are told" {
	line_csv 'if (i > 4 && w == 2) p *= 1.05'
	explain line.csv
	warns "the robust cross-check (bisquare) says 210.1, 5.7 standard errors off: a few rows pull C"
	line_csv ''
	explain line.csv
	quiet "robust"
}

@test "operating points that the others do not predict are told" {
	line_csv 'if (i < 7) { mhz = 300 + i; v = 0.8; x = mhz * v * v
			p = 4000 + 210 * x + 1000 * (i % 3) }'
	explain line.csv
	warns "an operating point that is left out is predicted "
	line_csv ''
	explain line.csv
	quiet "left out is predicted"
}

@test "few visits widen the interval by the bootstrap, or are told to be too few" {
	counts_csv 4 1 'p *= 1 + 0.003 * sin(k * k)'
	explain counts.csv
	warns "only 4 visits to operating points: the interval is the wild bootstrap's"
	[[ $output == *"(wild bootstrap)"* ]]
	grep -q '"bootstrap-ci95"' out.json
	counts_csv 3 1 ''
	explain counts.csv
	warns "only 3 visits to operating points: 95 % intervals of so few hold the truth in some 90 %"
	counts_csv 7 2 ''
	explain counts.csv
	quiet "visits"
	[[ $output != *"(wild bootstrap)"* ]]
}

@test "many rows left out are told" {
	"$CALIB" measure --board virtual:odroid-xu3 --cluster a7 -d run 2> /dev/null
	cp run/samples.csv all.csv
	awk -F, -v OFS=, 'NR % 9 == 4 { $15 = "throttled" } 1' all.csv > run/samples.csv
	explain -d run
	quiet "rows were left out"
	awk -F, -v OFS=, 'NR % 4 == 2 { $15 = "throttled" } 1' all.csv > run/samples.csv
	explain -d run
	warns "10 of 39 rows were left out: what they have in common may be in the others, too"
	[[ $output == *"run/samples.csv:2: throttled"* ]]
}

@test "methods without least squares, one OPP, exact and few rows: no NaN, and why" {
	line_csv ''
	explain --method freqbench line.csv
	[[ $output == *"not computed  all but the residual: the method is no least squares"* ]]
	line_csv 'p += 210 * (192 - x); mhz = 300; v = 0.8'
	explain --method through-origin line.csv
	[[ $output == *"change of C with the operating point: there is one only"* ]]
	line_csv ''
	sed -n '1,3p' line.csv > two.csv
	explain two.csv
	[[ $output == *"errors: as many unknowns as rows"* ]]
	[[ $output == *"no row can be spared"* ]]
	line_csv 'p = 4000 + 210 * x'
	explain line.csv
	counts_csv 5 1 'p = 20000 + 90 * x * (n > 0) + 210 * n * x'
	explain counts.csv
	counts_csv 2 1 ''
	explain counts.csv
}

@test "of a mix the load is explained that it is mostly of" {
	"$CALIB" measure --board virtual:juno-r2 --cluster a53 --loads int,dram -d run 2> /dev/null
	explain -d run --mix int=0.6,dram=0.4
	[[ $output == "a53 (VIRTUAL), load int
  coefficient   C = 139."* ]]
	[[ $output =~ "dynamic                 139." ]]
}

@test "explain is of one board" {
	for board in 1 2; do
		line_csv "p += $board"
		sed "1s/\$/,board/; 2,\$s/\$/,b$board/" line.csv > b$board.csv
	done
	run --separate-stderr "$CALIB" fit --explain b1.csv b2.csv
	[ "$status" -eq 2 ]
	[[ $stderr == *"--explain is of one board, and there are 2; give one run"* ]]
}

@test "a telling that cannot be written leaves the old result" {
	[ -e /dev/full ] || skip "no /dev/full"
	line_csv ''
	explain line.csv
	cp out.json before.json
	run bash -c '"$CALIB" fit --explain --method freqbench -o out.json line.csv 2>&1 > /dev/full'
	[ "$status" -eq 2 ]
	[[ "$output" == *"calib fit: error: cannot write standard output: No space left on device" ]]
	cmp out.json before.json
	[ -z "$(find . -name '*.tmp*')" ]
}
