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

# line_csv AWK - one CPU at eight operating points, two windows each, 42 mW + 210 f V^2;
# the awk statement may change p (uW) of window w (1, 2) at OPP i (0..7), x being f V^2
line_csv() {
	awk 'BEGIN { print "cluster,cpu_count,freq_khz,voltage_uv,power_uw,temp_c"
		for (w = 1; w <= 2; w++) for (i = 0; i < 8; i++) {
			mhz = 300 + 200 * i; v = 0.8 + 0.05 * i; x = mhz * v * v; t = 40
			p = 42000 + 210 * x + 300 * (w == 1 ? 1 : -1) * (i % 2 ? 1 : -1)
			'"$1"'
			printf "a,1,%d,%d,%.0f,%.1f\n", mhz * 1000, v * 1e6, p, t } }' > line.csv
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
	grep -q '^ *300 .* 40\.[23]' <<< "$(sed 's/^ *//' <<< "$output")"
	"$CALIB" check out.json > /dev/null || [ $? -eq 1 ]
}
