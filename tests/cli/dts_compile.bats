#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit apply compiles source before and after the edit, and compares.

bats_require_minimum_version 1.5.0

setup() {
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
	cat > coeffs.json <<-EOF
	{ "schema": "calib-coeffs/1",
	  "clusters": [ { "name": "a7", "match": { "compatible": "arm,cortex-a7" },
	    "dynamic-power-coefficient": 90 } ] }
	EOF
}

# tree FILE LINE... - a board whose CPU node and what follows it are LINEs
tree() {
	{
		printf '/dts-v1/;\n/ {\n\tcpus {\n\t\t#address-cells = <1>;\n\t\t#size-cells = <0>;\n'
		printf '%s\n' "${@:2}"
	} > "$1"
}

cpu='c0: cpu@0 { device_type = "cpu"; reg = <0>; compatible = "arm,cortex-a7";'

# refused TEXT ARG... - exit 2, one line on stderr that is TEXT, no file here is other
refused() {
	want=$1
	shift
	rm -rf ../was && cp -r . ../was
	run --separate-stderr "$FDTEDIT" apply "$@"
	[ "$status" -eq 2 ] || { echo "status $status: $output"; false; }
	[ -z "$output" ]
	[ "$stderr" = "fdtedit apply: error: $want" ] || { echo "$stderr"; false; }
	diff -r . ../was
}

@test "an edit that would change another node too is refused" {
	echo 'dynamic-power-coefficient = <5>;' > dpc.dtsi
	tree a.dts "$cpu" '#include "dpc.dtsi"' '}; };' 'gpu {' '#include "dpc.dtsi"' '}; };'
	refused "'a.dts': compiled, the edit would also change dynamic-power-coefficient of \
'/gpu': edit it by hand" --all-files a.dts coeffs.json
	for option in -n --patch "-o out.dts"; do
		# shellcheck disable=SC2086
		run "$FDTEDIT" apply $option --all-files a.dts coeffs.json
		[ "$status" -eq 2 ]
	done
	[ ! -e out.dts ]
}

@test "an edit that would change nothing is refused" {
	tree a.dts '#define LATER &c0 { dynamic-power-coefficient = <5>; };' "$cpu }; }; };" \
		LATER
	refused "'a.dts': compiled, dynamic-power-coefficient of '/cpus/cpu@0' would be 5 and \
not 90: a macro or a later line gives it; edit that by hand" a.dts coeffs.json
	sed -i 's/<5>/"x"/' a.dts
	refused "'a.dts': compiled, dynamic-power-coefficient of '/cpus/cpu@0' would be no number \
and not 90: a macro or a later line gives it; edit that by hand" a.dts coeffs.json
	tree a.dts '#define LATER &c0 { /delete-property/ dynamic-power-coefficient; };' \
		"$cpu }; }; };" LATER
	refused "'a.dts': compiled, dynamic-power-coefficient of '/cpus/cpu@0' would be none and \
not 90: a macro or a later line gives it; edit that by hand" a.dts coeffs.json
}

@test "an edit that would not compile is refused, also with --force" {
	tree a.dts '#define MORE dynamic-power-coefficient = <5>;' "$cpu MORE }; }; };"
	run --separate-stderr "$FDTEDIT" apply --force a.dts coeffs.json
	[ "$status" -eq 2 ] && [ -z "$output" ]
	[[ $stderr == "fdtedit apply: error: with the edit it would not compile: compiling 'a.dts': \
dtc: "*"uplicate"* ]] || { echo "$stderr"; false; }
	[ "$(grep -c '<90>' a.dts)" -eq 0 ]
}

@test "without cpp or dtc one note says so, and the edit is made" {
	mkdir bin
	ln -s "$(command -v cpp)" bin/cpp
	tree a.dts "$cpu }; }; };"
	run --separate-stderr env PATH="$PWD/bin" "$FDTEDIT" apply -n a.dts coeffs.json
	[ "$status" -eq 0 ]
	[[ $stderr == "fdtedit apply: note: not compiled before and after to compare: compiling \
'a.dts': 'dtc' not found; install "* ]] || { echo "$stderr"; false; }
	[ "${#stderr_lines[@]}" -eq 1 ]
	run --separate-stderr env PATH=/nowhere "$FDTEDIT" apply a.dts coeffs.json
	[ "$status" -eq 0 ]
	[[ $stderr == "fdtedit apply: note: "*"'cpp' not found"* ]] || { echo "$stderr"; false; }
	[ "${#stderr_lines[@]}" -eq 1 ]
	grep -q '<90>' a.dts
	# Nothing to do: nothing to compile.
	run --separate-stderr env PATH=/nowhere "$FDTEDIT" apply a.dts coeffs.json
	[ "$status" -eq 0 ] && [ -z "$stderr" ]
}

@test "a part of a tree is edited with one note that asks for the whole" {
	printf '/ { cpus { %s }; }; };\n' "$cpu" > part.dtsi
	run --separate-stderr "$FDTEDIT" apply part.dtsi coeffs.json
	[ "$status" -eq 0 ] && [ "${#stderr_lines[@]}" -eq 1 ]
	[ "$stderr" = "fdtedit apply: note: not compiled before and after to compare: 'part.dtsi' \
does not compile alone (name the .dts that includes it): dtc: Error: part.dtsi:1.1-2 syntax \
error" ] || { echo "$stderr"; false; }
	grep -q '<90>' part.dtsi
	run --separate-stderr "$FDTEDIT" show part.dtsi
	[ "$status" -eq 0 ]
	[ "$stderr" = "fdtedit show: note: capacity, OPPs and power are not shown: 'part.dtsi' \
does not compile alone (name the .dts that includes it): dtc: Error: part.dtsi:1.1-2 syntax \
error" ] || { echo "$stderr"; false; }
	run --separate-stderr "$FDTEDIT" diff part.dtsi part.dtsi
	[ "$status" -eq 2 ]
	[[ $stderr == *"(name the .dts that includes it)"* ]]
}

@test "files are compiled as they will be, wherever they are, and no copy is left" {
	mkdir -p boards/soc headers/dt
	tree boards/a.dts '};' '};' '#include "soc/mid.dtsi"' '#include "soc.dtsi"' \
		'/include/ "soc/deep.dtsi"'
	# A file of that name here is another one.
	echo 'this is no source {' > soc.dtsi
	echo '/ { soc = "right"; };' > boards/soc.dtsi
	echo '#include <dt/value.h>' > boards/soc/mid.dtsi
	printf '#include "leaf.dtsi"\n/include/ "soc/plain.dtsi" / { value = <VALUE>; };' \
		>> boards/soc/mid.dtsi
	printf '\357\273\277/ { cpus { %s }; }; };' "$cpu" > boards/soc/leaf.dtsi
	echo '/ { plain; };' > boards/soc/plain.dtsi
	echo '&c0 { clock-latency = <1>; };' > boards/soc/deep.dtsi
	echo '#define VALUE 7' > headers/dt/value.h
	find . -type f -exec sha256sum {} + | sort -k 2 > ../sums
	run --separate-stderr "$FDTEDIT" apply -I headers --all-files boards/a.dts coeffs.json
	[ "$status" -eq 0 ] && [ -z "$stderr" ] || { echo "$stderr"; false; }
	find . -type f -exec sha256sum {} + | sort -k 2 | diff ../sums - > ../d || true
	[ "$(grep -c '^[<>] .* ./boards/soc/leaf.dtsi$' ../d)" -eq 2 ]
	[ "$(grep -c '^[<>]' ../d)" -eq 2 ]
	run --separate-stderr "$FDTEDIT" show -I headers boards/a.dts
	[ "$status" -eq 0 ] && [ -z "$stderr" ]
	# What an included file says wrong is told with its own name and line.
	sed -i 's/<90>/<91>/; $s/$/\n\/ { x = \/bits\/ 7 <1>; };/' boards/soc/leaf.dtsi
	run --separate-stderr "$FDTEDIT" apply -n -I headers --all-files boards/a.dts coeffs.json
	[ "$status" -eq 0 ]
	[[ $stderr == *"boards/soc/leaf.dtsi:2."* ]] || { echo "$stderr"; false; }
}

@test "no command takes a file of the same name from the present folder" {
	mkdir -p boards/soc headers
	tree boards/a.dts "$cpu }; }; };" '#include "soc/mid.dtsi"' '/include/ "one.dtsi"'
	echo '/include/ "soc/two.dtsi"' > boards/soc/mid.dtsi
	printf '/ { two = <22>; };\n/include/ "three.dtsi"\n' > boards/soc/two.dtsi
	echo '/ { three = <33>; };' > boards/soc/three.dtsi
	echo '/ { one = <11>; };' > boards/one.dtsi
	# What dtc would find first, being started here.
	mkdir soc
	for f in one.dtsi three.dtsi soc/two.dtsi soc/mid.dtsi; do
		echo 'this is no source {' > "$f"
	done
	(cd boards && cpp -nostdinc -undef -x assembler-with-cpp a.dts | dtc -q -o ../want.dtb -)
	run --separate-stderr "$FDTEDIT" diff want.dtb boards/a.dts
	[ "$status" -eq 0 ] || { echo "$output$stderr"; false; }
	for p in one=11 two=22 three=33; do
		run --separate-stderr "$FDTEDIT" get boards/a.dts / ${p%=*}
		[ "$output" = "${p#*=}" ] || { echo "$output$stderr"; false; }
	done
	run --separate-stderr "$FDTEDIT" show boards/a.dts
	[ "$status" -eq 0 ] && [ -z "$stderr" ] || { echo "$stderr"; false; }
	for form in --overlay --dtsi-fragment "-o out.dts"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$FDTEDIT" apply $form boards/a.dts coeffs.json
		[ "$status" -eq 0 ] && [[ $stderr != *error* && $stderr != *note* ]] ||
			{ echo "$stderr"; false; }
	done
	# Source that is not understood here goes to cpp and dtc as it is.
	printf '/dts-v1/;\n/ { a; };\n#if 0\n} }\n#endif\n' > b.dts
	run --separate-stderr "$FDTEDIT" diff b.dts b.dts
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
}

# plain DIR BOARD OUT - by cpp and dtc alone; dtc takes no byte order mark in /include/
plain() {
	rm -rf plain && cp -r "$1" plain
	sed -i '1s/^\xef\xbb\xbf//' plain/*
	(cd plain && cpp -P -nostdinc -undef -x assembler-with-cpp "$2" | dtc -q -o "../$3" -)
}

# compiles_to_the_edit BOARD - without a note; in new/ it gives the tree of old/ and the edit
compiles_to_the_edit() {
	run --separate-stderr "$FDTEDIT" apply --all-files "new/$1" coeffs.json
	[ "$status" -eq 0 ] && [[ $stderr != *"not compiled"* ]] || { echo "$stderr"; false; }
	plain old "$1" want.dtb
	plain new "$1" got.dtb
	run ! "$FDTEDIT" diff want.dtb got.dtb
	"$FDTEDIT" apply want.dtb coeffs.json
	"$FDTEDIT" diff want.dtb got.dtb
	"$FDTEDIT" diff got.dtb "new/$1"
}

@test "CR LF, byte order marks, blanks and a missing newline at the end compile to the edit" {
	local bom=$'\357\273\277'
	crlf() { sed 's/$/\r/'; }
	bom() { printf %s "$bom" && cat; }
	bom_crlf() { sed 's/$/\r/' | bom; }
	no_newline() { head -c -1; }
	no_newline_crlf() { crlf | head -c -2; }
	blanks() { sed 's/\t/    /g'; }
	for filter in cat crlf bom bom_crlf no_newline no_newline_crlf blanks; do
		for f in 03-override 12-continued 15-include 21-layout; do
			rm -rf old new want.dtb got.dtb && mkdir old new
			for part in "$TOP"/tests/data/dts/"${f%%-*}"-*.dts*; do
				$filter < "$part" > "old/${part##*/}"
			done
			cp old/* new/
			echo "$filter $f" && compiles_to_the_edit "$f.dts"
		done
	done
}

@test "a byte order mark in a file that dtc reads is left out to compile, and stays" {
	printf '\357\273\277/dts-v1/;\n/include/ "b.dtsi"\n/include/ "c.dtsi"\n' > a.dts
	printf '\357\273\277/ { b; };' > b.dtsi
	printf '/include/ "d.dtsi"\n' > c.dtsi
	printf '\357\273\277/ { cpus { %s }; }; };' "$cpu" > d.dtsi
	cp b.dtsi b.orig
	cp d.dtsi d.orig
	run --separate-stderr "$FDTEDIT" show a.dts
	[ "$status" -eq 0 ] && [ -z "$stderr" ] || { echo "$stderr"; false; }
	run --separate-stderr "$FDTEDIT" apply --all-files a.dts coeffs.json
	[ "$status" -eq 0 ] && [ -z "$stderr" ] || { echo "$stderr"; false; }
	cmp b.dtsi b.orig
	[ "$(sed 's/ dynamic-power-coefficient = <90>;//' d.dtsi)" = "$(cat d.orig)" ]
	grep -q 'dynamic-power-coefficient = <90>;' d.dtsi
}
