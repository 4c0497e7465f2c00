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
	for entry in a7 a15 'fitted model' 'what the kernel computes' \
		'measured, with 95 % interval' 'state the kernel calls inefficient'; do
		[ "$(grep -c ">$entry<" efficiency.svg)" -eq 1 ]
	done
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
	[[ $output == *"small letter: inefficient state"* ]]
	# The legend is above the frame, and the clusters keep their letters.
	printf '%s\n' "$output" | sed '/+---/,$d' | grep -Eq 'a7 +A +a15 +B'
	printf '%s\n' "$output" | grep -q '|.*[Bb].*|'
	[ "$(printf '%s\n' "$output" | awk '{ if (length > m) m = length } END { print m }')" -le 91 ]
}

@test "the points of the script are those of coeffs.json" {
	run --separate-stderr "$CALIB" plot --script
	[ "$status" -eq 0 ]
	# a7 at 200 MHz: 14580 uW by the kernel, inefficient by its current rule.
	printf '%s\n' "$output" | grep -Eq '^200 [0-9.]+ [0-9.]+ [0-9.]+ 14.58 [0-9.]+$'
	# a7 at 300 MHz is not marked.
	printf '%s\n' "$output" | grep -Eq '^300 [0-9.]+ [0-9.]+ [0-9.]+ 21.87 NaN$'
	[ "$(printf '%s\n' "$output" | grep -c '^EOD$')" -eq 4 ]
}

# marked N - the MHz of cluster number N whose states the power panel marks
marked() {
	"$CALIB" plot --script 2>/dev/null |
		sed -n "/^\$d0_$1 <</,/^EOD/p" | awk 'NF == 6 && $6 != "NaN" { printf "%s ", $1 }'
}

@test "the kernel's side is computed, whatever the file says of it" {
	sed -i 's/"kernel-microwatt": [0-9]*/"kernel-microwatt": 1/; s/"inefficient": true/"inefficient": false/' \
		coeffs.json
	run --separate-stderr "$CALIB" plot --script
	printf '%s\n' "$output" | grep -Eq '^300 [0-9.]+ [0-9.]+ [0-9.]+ 21.87 NaN$'
	# As 'calib check' has them for 90 and 310: 0,2,3,4,6,7,9,10 and 0,1,2,7,11,12,14,15.
	[ "$(marked 0)" = "200 400 500 600 800 900 1100 1200 " ]
	[ "$(marked 1)" = "200 300 400 900 1300 1400 1600 1700 " ]
}

@test "clocks and voltages alone are enough for the kernel's curve" {
	printf '%s' '{"schema":"calib-coeffs/1","clusters":[{"name":"a","match":{},' \
		'"dynamic-power-coefficient":100,"opps":[{"hz":1000000000,"microvolt":1000000},' \
		'{"hz":2000000000,"microvolt":1100000}]}]}' > coeffs.json
	run --separate-stderr "$CALIB" plot --script
	[ "$status" -eq 0 ]
	printf '%s\n' "$output" | grep -qx '1000 NaN NaN NaN 100 NaN'
	printf '%s\n' "$output" | grep -qx '2000 NaN NaN NaN 242 NaN'
	for term in svg png dumb; do
		run "$CALIB" plot --term $term -o picture
		[ "$status" -eq 0 ]
	done
	printf '%s\n' "$(cat picture)" | grep -q '|.*A.*|'
}

@test "nothing to draw is said before gnuplot says it" {
	for opp in '{"hz":1000}' '{"hz":1000,"microvolt":1}' \
		'{"hz":1000,"measured-microwatt":-5,"measured-ci-microwatt":1}'; do
		printf '%s' '{"schema":"calib-coeffs/1","clusters":[{"name":"a","match":{},' \
			"\"dynamic-power-coefficient\":1,\"opps\":[$opp]}]}" > coeffs.json
		run "$CALIB" plot
		[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ]
		[[ $output == *"coeffs.json: no entry of 'opps' has a power to draw"* ]]
	done
	[ ! -e efficiency.svg ]
}

@test "gnuplot's own reason is passed on, without what it points at" {
	mkdir bin
	printf '#!/bin/sh\nprintf "\\nplot x\\n  ^\\n   line 4: boom\\n\\n" >&2\nexit 3\n' > bin/gnuplot
	chmod +x bin/gnuplot
	PATH="$PWD/bin:$PATH" run "$CALIB" plot -o x.svg
	[ "$status" -eq 2 ]
	[[ ${lines[-1]} == *"gnuplot failed (status 3): line 4: boom; 'calib plot --script'"* ]]
	[ ! -e x.svg ]
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
	[[ $output == *"coeffs.json': empty, not JSON"* ]]
	run "$CALIB" plot "$B/boards/odroid-xu4.dtb"
	[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ]
	[[ $output == *"odroid-xu4.dtb': a compiled device tree"* ]]
}

@test "-d shows the run's windows above idle, per busy CPU; flagged rows not" {
	mkdir r
	cp "$TOP/tests/data/samples-plot.csv" r/samples.csv
	run --separate-stderr "$CALIB" plot -d r --script
	[ "$status" -eq 0 ]
	[[ $output == *$'$w_1 << EOD\n2000 1000\n2000 900\nEOD'* ]]
	[[ $output == *"'window above idle, per busy CPU'"* ]]
	[[ $output != *'$w_0'* ]]
	rm r/samples.csv
	run "$CALIB" plot -d r
	[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] && [ ! -e efficiency.svg ]
	[[ $output == *"r/samples.csv"* ]]
}

@test "a name that contradicts --term is refused; capitals in a suffix are not" {
	run "$CALIB" plot --term png -o x.svg
	[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] && [ ! -e x.svg ]
	[[ $output == *"'x.svg' is no name for --term png; end it in .png"* ]]
	run "$CALIB" plot --term svg -o coeffs.json
	[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ]
	[[ $output == *"output 'coeffs.json' is the input 'coeffs.json'"* ]]
	"$CALIB" plot -o x.PNG 2>/dev/null
	[ "$(head -c 4 x.PNG | tail -c 3)" = PNG ]
}

@test "a full disk is called that, however much is written" {
	for args in "--script" "--term dumb" "--term svg -o /dev/full"; do
		run --separate-stderr bash -c '"$@" > /dev/full' - "$CALIB" plot $args
		[ "$status" -eq 2 ] && [ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == *"cannot write"*"No space left on device" ]]
	done
}
