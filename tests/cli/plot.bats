#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib plot: pictures from coeffs.json; names from files stay text.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$TOP/tests/data/coeffs-plot.json" coeffs.json
}

@test "plot writes efficiency.svg, says where, and labels a virtual board" {
	run --separate-stderr "$CALIB" plot
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[[ $stderr == *"VIRTUAL"* && $stderr == *"wrote 'efficiency.svg'"* ]]
	head -c 200 efficiency.svg | grep -q '<svg\|<?xml'
	grep -q 'VIRTUAL BOARD' efficiency.svg
	grep -q 'a15, inefficient state' efficiency.svg
	grep -q 'a7, measured (95 %)' efficiency.svg
}

@test "plot -o x.png writes a PNG" {
	"$CALIB" plot -o x.png 2>/dev/null
	[ "$(head -c 4 x.png | tail -c 3)" = PNG ]
}

@test "plot --term dumb draws both panels on stdout" {
	run --separate-stderr "$CALIB" plot --term dumb --columns 90 --rows 25
	[ "$status" -eq 0 ]
	[[ $output == *"frequency (MHz)"* && $output == *"performance per watt"* || \
		$output == *"performance (capacity"* ]]
	[[ $output == *"a15, inefficient"* ]]
	[ "$(printf '%s\n' "$output" | awk '{ if (length > m) m = length } END { print m }')" -le 91 ]
}

@test "the points of the script are those of coeffs.json" {
	run --separate-stderr "$CALIB" plot --script
	[ "$status" -eq 0 ]
	# a7 at 200 MHz: 14580 uW by the kernel, marked inefficient.
	printf '%s\n' "$output" | grep -Eq '^200 [0-9.]+ [0-9.]+ [0-9.]+ 14.58 [0-9.]+$'
	# a7 at 300 MHz is not marked.
	printf '%s\n' "$output" | grep -Eq '^300 [0-9.]+ [0-9.]+ [0-9.]+ 21.87 NaN$'
	[ "$(printf '%s\n' "$output" | grep -c '^EOD$')" -eq 4 ]
}

@test "a name with backquotes, quotes and newlines is drawn, never run" {
	sed -i 's/"a15"/"`touch X`'"''"'$(touch Y)"/; s/odroid-xu3/xu3'"'"'; system \\"touch Z\\"/' coeffs.json
	run "$CALIB" plot -o x.svg
	[ "$status" -eq 0 ]
	grep -qF '`touch X`' x.svg
	[ ! -e X ] && [ ! -e Y ] && [ ! -e Z ]
}

@test "no coeffs.json, a file without opps, an unknown suffix: one line, exit 2, no file" {
	rm coeffs.json
	run "$CALIB" plot
	[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ]
	[[ $output == *"calib fit > coeffs.json"* ]]
	printf '%s' '{"schema":"calib-coeffs/1","clusters":[{"name":"a","match":{"reg":[0]},' \
		'"dynamic-power-coefficient":3}]}' > min.json
	run "$CALIB" plot min.json
	[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ]
	[[ $output == *"min.json"*"opps"* ]]
	run "$CALIB" plot "$TOP/tests/data/coeffs-plot.json" -o x.pdf
	[ "$status" -eq 2 ]
	[[ $output == *"x.pdf"*".svg"* ]]
	[ -z "$(ls -A | grep -v min.json)" ]
}

@test "a folder that cannot be written: one line, exit 2" {
	run "$CALIB" plot -o no/such/x.svg
	[ "$status" -eq 2 ]
	[[ ${lines[-1]} == *"no/such/x.svg"* ]]
}

@test "without gnuplot the message names the package" {
	mkdir empty
	PATH="$PWD/empty" run "$CALIB" plot
	[ "$status" -eq 2 ]
	[[ ${lines[-1]} == *"gnuplot"*"install"* ]]
}

@test "an empty file and a compiled tree are called what they are" {
	: > coeffs.json
	run "$CALIB" plot
	[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ]
	[[ $output == *"coeffs.json: empty, not JSON"* ]]
	run "$CALIB" plot "$B/boards/odroid-xu4.dtb"
	[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ]
	[[ $output == *"odroid-xu4.dtb: a compiled device tree"* ]]
}

@test "-d shows the run's windows above idle, per busy CPU; flagged rows not" {
	mkdir r
	cp "$TOP/tests/data/samples-plot.csv" r/samples.csv
	run --separate-stderr "$CALIB" plot -d r --script
	[ "$status" -eq 0 ]
	[[ $output == *$'$w_1 << EOD\n2000 1000\n2000 900\nEOD'* ]]
	[[ $output == *"a15, windows above idle, per busy CPU"* ]]
	[[ $output != *"a7, windows"* ]]
	rm r/samples.csv
	run "$CALIB" plot -d r
	[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] && [ ! -e efficiency.svg ]
	[[ $output == *"r/samples.csv"* ]]
}
