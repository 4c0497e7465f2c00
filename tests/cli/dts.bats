#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit apply on device-tree source.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cat > coeffs.json <<-EOF
	{ "schema": "calib-coeffs/1",
	  "clusters": [
	    { "name": "a7", "match": { "compatible": "arm,cortex-a7" },
	      "dynamic-power-coefficient": 90 },
	    { "name": "a15", "match": { "compatible": "arm,cortex-a15" },
	      "dynamic-power-coefficient": 310 } ] }
	EOF
	cat > by-reg.json <<-EOF
	{ "schema": "calib-coeffs/1",
	  "clusters": [
	    { "name": "little", "match": { "reg": [0, 256] }, "dynamic-power-coefficient": 137 },
	    { "name": "big", "match": { "reg": [512] }, "dynamic-power-coefficient": 402 } ] }
	EOF
}

needs_shared() {
	[ -e "$SHARED/data/exynos5422-cpus.pre.dtsi" ] || skip "no shared data"
}

@test "apply gives the Exynos5422 the eight lines that Linux has, and nothing twice" {
	needs_shared
	cp "$SHARED/data/exynos5422-cpus.pre.dtsi" cpus.dtsi
	run --separate-stderr "$FDTEDIT" apply cpus.dtsi coeffs.json
	[ "$status" -eq 0 ]
	[[ "$output" == *"cpus.dtsi: 8 CPU node(s) changed, 0 right already" ]]
	[[ "$(git hash-object cpus.dtsi)" == 4b641b9b8179* ]]
	before=$(stat -c '%i %y' cpus.dtsi)
	run --separate-stderr "$FDTEDIT" apply cpus.dtsi coeffs.json
	[ "$status" -eq 0 ]
	[ "$output" = "cpus.dtsi: nothing to do, 8 CPU node(s) right already" ]
	[ "$(stat -c '%i %y' cpus.dtsi)" = "$before" ]
}

@test "--patch of the Exynos5422 has the eight hunks, and patch -p1 takes it" {
	needs_shared
	cp "$SHARED/data/exynos5422-cpus.pre.dtsi" cpus.dtsi
	"$FDTEDIT" apply --patch cpus.dtsi coeffs.json > cpus.patch
	cmp cpus.dtsi "$SHARED/data/exynos5422-cpus.pre.dtsi"
	[ "$(grep '^@@' cpus.patch | tr '\n' ' ')" = "@@ -31,6 +31,7 @@ @@ -43,6 +44,7 @@ \
@@ -55,6 +57,7 @@ @@ -67,6 +70,7 @@ @@ -79,6 +83,7 @@ @@ -91,6 +96,7 @@ @@ -103,6 +109,7 @@ \
@@ -115,6 +122,7 @@ " ]
	[ "$(sed -n 1,2p cpus.patch)" = "--- a/cpus.dtsi
+++ b/cpus.dtsi" ]
	chmod u+w cpus.dtsi
	patch -p1 < cpus.patch
	[[ "$(git hash-object cpus.dtsi)" == 4b641b9b8179* ]]
}

@test "an included file is edited with --all-files only, and a later deletion is told" {
	[ -d "$SHARED/cases/d09-dtsi-source-edit" ] || skip "no shared cases"
	cp "$SHARED"/cases/d09-dtsi-source-edit/*.dts* .
	chmod u+w -- *.dts*
	cp soc.dtsi old.dtsi
	run --separate-stderr "$FDTEDIT" apply board.dts by-reg.json
	[ "$status" -eq 2 ]
	[ "${stderr_lines[0]}" = "fdtedit apply: warning: board.dts:11: /delete-property/ takes \
dynamic-power-coefficient away from '/cpus/cpu@100' again" ]
	[ "${stderr_lines[1]}" = "fdtedit apply: error: the CPU node '/cpus/cpu@0' of 'board.dts' \
is in 'soc.dtsi' (line 16): edit that file, or give --all-files" ]
	cmp soc.dtsi old.dtsi
	run --separate-stderr "$FDTEDIT" apply --all-files board.dts by-reg.json
	[ "$status" -eq 0 ]
	[[ "${stderr_lines[0]}" == *"/delete-property/ takes"* ]]
	[ "${lines[-1]}" = "soc.dtsi: changed for it" ]
	run diff old.dtsi soc.dtsi
	[ "$(printf '%s\n' "${lines[@]}" | grep -c '^<')" -eq 2 ]
	[ "$(printf '%s\n' "${lines[@]}" | grep -c '^>')" -eq 3 ]
	dtc -q -o new.dtb board.dts
	[ "$(fdtget new.dtb /cpus/cpu@0 dynamic-power-coefficient)" = 137 ]
	[ "$(fdtget new.dtb /cpus/cpu@200 dynamic-power-coefficient)" = 402 ]
	run --separate-stderr "$FDTEDIT" apply --all-files board.dts by-reg.json
	[ "$status" -eq 0 ]
	[ "$output" = "board.dts: nothing to do, 2 CPU node(s) right already; \
1 will have none once compiled (/delete-property/)" ]
	run ! fdtget new.dtb /cpus/cpu@100 dynamic-power-coefficient
}

# A board whose &label blocks are given; its CPUs are in soc.dtsi, without a value. Edits must be of a7.
with_blocks() {
	only a7 90
	printf '/ { cpus { #address-cells = <1>; #size-cells = <0>;
	cpu0: c0: cpu@0 { compatible = "arm,cortex-a7"; reg = <0>; };
	cpu1: cpu@1 { compatible = "arm,cortex-a7"; reg = <1>; }; }; };\n' > soc.dtsi
	printf '/dts-v1/;\n#include "soc.dtsi"\n%s\n' "$1" > board.dts
	cp soc.dtsi soc.old
	cp board.dts board.old
}

# board.dts alone changes, and has the values in these lines.
board_takes() {
	"$FDTEDIT" apply board.dts coeffs.json > out 2> err || { cat err; false; }
	[ ! -s err ] || { cat err; false; }
	cmp soc.dtsi soc.old
	[ "$(grep -n 'coefficient = <90>' board.dts | cut -d : -f 1 | paste -s -d ' ')" = "$1" ] ||
		{ diff board.old board.dts; false; }
	cpp -nostdinc -undef -x assembler-with-cpp board.dts | dtc -q -o new.dtb -
	[ "$(fdtget new.dtb /cpus/cpu@0 dynamic-power-coefficient)" = 90 ]
	[ "$(fdtget new.dtb /cpus/cpu@1 dynamic-power-coefficient)" = 90 ]
	"$FDTEDIT" apply board.dts coeffs.json > out
	grep -q 'nothing to do' out
}

# As before, when soc.dtsi has to change: refused, and with --all-files all of it is there.
soc_takes() { # NODE
	run --separate-stderr "$FDTEDIT" apply board.dts coeffs.json
	[ "$status" -eq 2 ]
	[[ ${stderr_lines[-1]} == *"the CPU node '/cpus/$1' of 'board.dts' is in 'soc.dtsi' (line "* ]] ||
		{ echo "$output $stderr"; false; }
	cmp board.dts board.old
	run --separate-stderr "$FDTEDIT" apply --all-files board.dts coeffs.json
	[ "$status" -eq 0 ]
	cmp board.dts board.old
	[ "$(grep -c 'dynamic-power-coefficient = <90>;' soc.dtsi)" -eq 2 ] || { cat soc.dtsi; false; }
}

@test "a new value goes into the board's own block of a node, be it by label or by path" {
	with_blocks '&c0 {
	status = "okay";
};
&cpu1 { };'
	chmod a-w soc.dtsi
	board_takes "5 7"
	grep -qx '	dynamic-power-coefficient = <90>;' board.dts
	grep -qx '&cpu1 { dynamic-power-coefficient = <90>; };' board.dts
	with_blocks '&{/cpus/cpu@0} { a; };
/ { cpus { cpu@1 { a; }; }; };'
	board_takes "3 4"
	# Of several the first, but text of the node goes before a block.
	with_blocks '&cpu0 { a; };
&cpu1 { a; };
&cpu1 { b; };
/ { cpus { cpu@0 { a; }; }; };'
	board_takes "4 6"
	# A block that always counts goes before one that an #if decides about.
	with_blocks '#ifdef A
&cpu0 { a; };
#endif
&cpu0 { b; };
&{/cpus/cpu@1} { a; };'
	board_takes "6 7"
}

@test "where the board has no sure block for a new value, it goes to the nodes, with --all-files" {
	# All of it: the kernel looks at a domain's first CPU, on other boards, too.
	with_blocks '&cpu0 { a; };'
	soc_takes cpu@1
	with_blocks '#ifdef A
&cpu0 { a; };
#endif
&cpu1 { a; };'
	soc_takes cpu@0
	with_blocks '#ifdef A
/ { cpus { cpu@0 { a; }; }; };
#endif
&cpu1 { a; };'
	soc_takes cpu@0
	with_blocks '/delete-node/ &cpu0;
&cpu1 { a; };'
	"$FDTEDIT" apply board.dts coeffs.json
	cmp soc.dtsi soc.old
	[ "$(grep -c coefficient board.dts)" -eq 1 ]
	# It would be gone again, or there again.
	with_blocks '&cpu0 { /delete-property/ dynamic-power-coefficient; };
&cpu1 { a; };'
	run --separate-stderr "$FDTEDIT" apply board.dts coeffs.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"board.dts:3: /delete-property/ takes"*"'/cpus/cpu@0' of 'board.dts' is in"* ]] ||
		{ echo "$stderr"; false; }
}

@test "a value that is there is edited where it stands, in spite of the board's block" {
	with_blocks '&cpu0 { a; };
&cpu1 { dynamic-power-coefficient = <5>; };'
	sed -i 's/reg = <0>;/& dynamic-power-coefficient = <70>;/' soc.dtsi
	run --separate-stderr "$FDTEDIT" apply board.dts coeffs.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"'/cpus/cpu@0' of 'board.dts' is in 'soc.dtsi' (line 2)"* ]]
	"$FDTEDIT" apply --all-files board.dts coeffs.json
	grep -q 'reg = <0>; dynamic-power-coefficient = <90>;' soc.dtsi
	grep -qx '&cpu1 { dynamic-power-coefficient = <90>; };' board.dts
	grep -qx '&cpu0 { a; };' board.dts
}

@test "a CPU that loses its value later is not called right, and the report says so" {
	only a7 90
	printf '/dts-v1/; / { cpus { c0: cpu@0 { compatible = "arm,cortex-a7"; };
c1: cpu@1 { compatible = "arm,cortex-a7"; }; }; };
&c1 { /delete-property/ dynamic-power-coefficient; };\n' > a.dts
	"$FDTEDIT" apply a.dts coeffs.json > out 2> err
	[ "$(tail -n 1 out)" = "a.dts: 2 CPU node(s) changed, 0 right already; \
1 will have none once compiled (/delete-property/)" ]
	"$FDTEDIT" apply a.dts coeffs.json > out 2> err
	[ "$(cat out)" = "a.dts: nothing to do, 1 CPU node(s) right already; \
1 will have none once compiled (/delete-property/)" ]
	[ "$(cat err)" = "fdtedit apply: warning: a.dts:3: /delete-property/ takes \
dynamic-power-coefficient away from '/cpus/cpu@1' again" ]
	# Only sometimes: then the value may well be right.
	sed -i 's|^&c1 {|&\n#ifdef A\n|; s|coefficient; };$|coefficient;\n#endif\n};|' a.dts
	"$FDTEDIT" apply a.dts coeffs.json > out 2> err
	[ "$(cat out)" = "a.dts: nothing to do, 2 CPU node(s) right already" ]
	[ "$(cat err)" = "fdtedit apply: warning: a.dts:5: /delete-property/ inside an #if takes \
dynamic-power-coefficient away from '/cpus/cpu@1' again" ]
	# A value that comes after is right.
	printf '&c1 { dynamic-power-coefficient = <90>; };\n' >> a.dts
	sed -i '/^#/d' a.dts
	"$FDTEDIT" apply a.dts coeffs.json > out 2> err
	[ "$(cat out)" = "a.dts: nothing to do, 2 CPU node(s) right already" ]
	[ ! -s err ]
}

# only CLUSTER VALUE - coeffs.json with that one
only() {
	printf '{ "schema": "calib-coeffs/1", "clusters": [ { "name": "%s", "match":
		{ "compatible": "arm,cortex-%s" }, "dynamic-power-coefficient": %s } ] }\n' \
		"$1" "$1" "$2" > coeffs.json
}

compile() { # DIR NAME OUT [CPP-ARG...]
	(cd "$1" && f=$2 && out=$3 && shift 3 &&
		cpp -nostdinc -undef -x assembler-with-cpp -D__DTS__ "$@" "$f.dts" |
		dtc -q -O dtb -o "$out" -)
}

fixture() { # NAME
	mkdir -p old new
	cp "$TOP"/tests/data/dts/"${1%%-*}"-*.dts* old
	rm -f old/*.diff
	cp old/* new
}

# Compile before and after; the trees differ in the given values and in nothing else.
same_trees() { # NAME "CPP-ARG..." NODE=VALUE...
	name=$1 args=$2
	shift 2
	# shellcheck disable=SC2086
	compile old "$name" "$PWD/old.dtb" $args
	# shellcheck disable=SC2086
	compile new "$name" "$PWD/new.dtb" $args
	for want; do
		fdtput -t u old.dtb "/cpus/${want%=*}" dynamic-power-coefficient "${want#*=}"
	done
	diff <(dtc -q -s -O dts old.dtb) <(dtc -q -s -O dts new.dtb)
}

# Edit a fixture: only the lines in NAME.diff differ, it compiles to the intended tree, and
# a second edit finds nothing to do.
edits() { # NAME OPTIONS [-- CPP-ARG...] NODE=VALUE...
	name=$1 options=$2
	shift 2
	fixture "$name"
	# shellcheck disable=SC2086
	(cd new && "$FDTEDIT" apply $options "$name.dts" ../coeffs.json) > out 2> err
	(cd new && for f in *; do diff "../old/$f" "$f" || true; done) > lines
	diff "$TOP/tests/data/dts/$name.diff" lines
	same_trees "$name" "" "$@"
	# shellcheck disable=SC2086
	(cd new && "$FDTEDIT" apply $options "$name.dts" ../coeffs.json) > again
	grep -q 'nothing to do' again
}

refuses() { # NAME TEXT OPTION...
	name=$1 text=$2
	shift 2
	fixture "$name"
	run --separate-stderr "$FDTEDIT" apply "$@" "new/$name.dts" coeffs.json
	[ "$status" -eq 2 ] || { echo "status $status: $output $stderr"; false; }
	[[ ${stderr_lines[-1]} == "fdtedit apply: error: $text" ]] || { echo "$stderr"; false; }
	diff -r old new
}

@test "a new line goes before subnodes (shape 1)" {
	edits 01-nested-cache "" cpu@0=90 cpu@100=310
}

@test "a compatible given through a one-line reference counts (shape 2)" {
	edits 02-one-line-override "" cpu@0=90 cpu@1=310
}

@test "a capacity overridden in another file leaves the value with the node (shape 3)" {
	edits 03-override --all-files cpu@0=90 cpu@100=310
	refuses 03-override "the CPU node '/cpus/cpu@0' of 'new/03-override.dts' is in \
'new/03-soc.dtsi' (line 6): edit that file, or give --all-files"
}

@test "CPU nodes inside a reference to /cpus are found (shape 4)" {
	edits 04-cpus-by-label "" cpu@0=90 cpu@100=310
	# Also when the label is nowhere to be seen.
	fixture 04-cpus-by-label
	rm new/04-soc.dtsi
	"$FDTEDIT" apply new/04-cpus-by-label.dts coeffs.json
	diff old/04-cpus-by-label.dts new/04-cpus-by-label.dts > lines || true
	diff "$TOP/tests/data/dts/04-cpus-by-label.diff" lines
}

@test "nodes that are opened again get the value where they are opened (shape 5)" {
	only a7 90
	edits 05-reopened "" cpu@0=90 cpu@1=90
}

@test "helper cores, sound and pin nodes named cpu are no CPUs (shape 6)" {
	only a7 90
	edits 06-not-cpus "" cpu@0=90
}

@test "a GPU keeps its coefficient (shape 7)" {
	only a7 90
	edits 07-gpu "" cpu@0=90
}

@test "a tree with the value on a domain's first CPU stays so (shape 8)" {
	edits 08-first-of-domain "" cpu@0=90 cpu@100=310
	grep -q "stay without the property" err
	fixture 08-first-of-domain
	"$FDTEDIT" apply --all-cpus new/08-first-of-domain.dts coeffs.json
	same_trees 08-first-of-domain "" cpu@0=90 cpu@1=90 cpu@100=310 cpu@101=310
}

@test "prose and commented-out properties are left alone (shape 9)" {
	only a7 90
	edits 09-prose "" cpu@0=90
}

@test "an URL in a comment does not open another one (shape 10)" {
	only a7 90
	edits 10-url "" cpu@0=90
}

@test "blanks and tabs are kept, the comment inside the value too (shape 11)" {
	edits 11-blanks "" cpu@0=90 cpu@1=310 cpu@2=310 cpu@3=310
}

@test "continued lines outside of macros survive (shape 12)" {
	only a7 90
	edits 12-continued "" cpu@0=90
}

@test "two closers and two properties on a line stay on it (shape 13)" {
	edits 13-two-on-a-line "" cpu@0=90 cpu@1=310
}

@test "references by path are followed (shape 14)" {
	edits 14-path-refs "" cpu@0=90 cpu@1=310
}

@test "/include/ without semicolon is read in its place (shape 15)" {
	edits 15-include --all-files cpu@0=90 cpu@1=310
}

@test "names made by macros and macros with braces survive (shape 16)" {
	edits 16-macros "" cpu@0=90 cpu@1=310
}

@test "the branches of an #if are alternatives, #if 0 is left alone (shape 17)" {
	edits 17-if "" cpu@0=90 cpu@1=90 cpu@2=90 cpu@3=310 cpu@5=310
	fixture 17-if
	run --separate-stderr "$FDTEDIT" apply new/17-if.dts coeffs.json
	[ "$status" -eq 0 ]
	# An alternative is no node of its own.
	[ "${lines[-1]}" = "new/17-if.dts: 5 CPU node(s) changed, 0 right already" ] || { echo "$output"; false; }
	run --separate-stderr "$FDTEDIT" apply new/17-if.dts coeffs.json
	[ "$status" -eq 0 ]
	[ "$output" = "new/17-if.dts: nothing to do, 5 CPU node(s) right already" ] || { echo "$output"; false; }
	same_trees 17-if -DFAST cpu@0=90 cpu@1=90 cpu@2=90 cpu@3=310 cpu@5=310
}

@test "deleted nodes are no CPUs, a value after a deletion counts (shape 18)" {
	only a7 90
	edits 18-deletions "" cpu@0=90 cpu@3=90
	[ ! -s err ]
}

@test "of several values the last one is edited (shape 19)" {
	only a7 90
	edits 19-twice "" cpu@0=90
}

@test "property names that start with # are no directives (shape 20)" {
	only a7 90
	edits 20-hash-names "" cpu@0=90
}

@test "odd layout, two labels, one-line nodes, hexadecimal and suffixes are kept" {
	edits 21-layout "" cpu@0=90 cpu@100=90 cpu@200=310 cpu@300=310
}

@test "a value that is an expression is replaced with --force only" {
	only a7 90
	refuses 22-expressions "new/22-expressions.dts:13: dynamic-power-coefficient of \
'/cpus/cpu@0' is '<GUESS>', not a plain number; --force replaces it by <90>"
	edits 22-expressions --force cpu@0=90 cpu@1=90 cpu@2=90
	grep -qF '/cpus/cpu@0: dynamic-power-coefficient: <GUESS> -> 90 (a7)' out
}

@test "a node that gets the property from a macro is edited with --force only" {
	only a7 90
	printf '#define MORE \\\n\tdynamic-power-coefficient = <5>;\n/ { cpus {
cpu@0 { compatible = "arm,cortex-a7"; MORE };\n}; };\n' > a.dts
	cp a.dts a.orig
	run --separate-stderr "$FDTEDIT" apply a.dts coeffs.json
	[ "$status" -eq 2 ] && [ -z "$output" ]
	[ "$stderr" = "fdtedit apply: error: a.dts:1: the macro MORE holds dynamic-power-coefficient, \
and '/cpus/cpu@0' uses it: edit it by hand, or --force adds a line to the node" ]
	cmp a.dts a.orig
	"$FDTEDIT" apply --force a.dts coeffs.json
	grep -q '"arm,cortex-a7"; dynamic-power-coefficient = <90>; MORE };' a.dts
}

@test "CPU nodes that a macro makes are told" {
	only a7 90
	printf '#define CPU(n) cpu@##n { device_type = "cpu"; }\n/dts-v1/; / { cpus { CPU(1);
cpu@0 { compatible = "arm,cortex-a7"; };\n}; };\n' > a.dts
	run --separate-stderr "$FDTEDIT" apply a.dts coeffs.json
	[ "$status" -eq 0 ]
	[ "$stderr" = "fdtedit apply: warning: a.dts:1: this macro makes CPU nodes: they are not edited" ]
}

@test "a node that stands half in an #if is refused" {
	only a7 90
	refuses 23-half-if "new/23-half-if.dts:9: node 'cpu@0' stands half in an #if: edit it \
by hand"
}

# The same edit, on text that was changed by a filter: nothing but the filter differs.
same_through() { # FILTER...
	for name in 01-nested-cache 08-first-of-domain 13-two-on-a-line 14-path-refs 21-layout; do
		fixture "$name"
		"$FDTEDIT" apply "new/$name.dts" coeffs.json
		"$@" < "new/$name.dts" > want
		"$@" < "old/$name.dts" > "new/$name.dts"
		"$FDTEDIT" apply "new/$name.dts" coeffs.json
		cmp want "new/$name.dts"
		run ! cmp -s "old/$name.dts" "new/$name.dts"
	done
}

crlf() { sed 's/$/\r/'; }
bom() { printf '\357\273\277'; cat; }
no_newline() { head -c -1; }

@test "CR LF stays CR LF, also in the new line" {
	same_through crlf
}

@test "a byte order mark stays" {
	same_through bom
}

@test "a file without newline at its end stays so" {
	same_through no_newline
	printf '/dts-v1/; / { cpus { cpu@0 { compatible = "arm,cortex-a7"; }; }; };' > x.dts
	only a7 90
	"$FDTEDIT" apply x.dts coeffs.json
	[ "$(cat x.dts; echo .)" = '/dts-v1/; / { cpus { cpu@0 { compatible = "arm,cortex-a7"; dynamic-power-coefficient = <90>; }; }; };.' ]
}

@test "includes are looked for along -I, and a missing one is named" {
	fixture 03-override
	mkdir inc
	mv new/03-soc.dtsi inc
	refused_with="fdtedit apply: error: 'new/03-override.dts' has no CPU node, and \
'03-soc.dtsi', which 'new/03-override.dts' includes in line 2, was not found: say where with -I"
	run --separate-stderr "$FDTEDIT" apply new/03-override.dts coeffs.json
	[ "$status" -eq 2 ]
	[ "$stderr" = "$refused_with" ]
	run --separate-stderr "$FDTEDIT" apply -I old/none -I inc --all-files \
		new/03-override.dts coeffs.json
	[ "$status" -eq 0 ]
	diff inc/03-soc.dtsi old/03-soc.dtsi > lines || true
	[ "$(grep -c '^<' lines)" -eq 2 ]
	cmp old/03-override.dts new/03-override.dts
}

@test "files that include each other, and broken ones, are no trouble" {
	only a7 90
	printf '#include "b.dtsi"\n/ { cpus { cpu@0 { compatible = "arm,cortex-a7"; }; }; };\n' \
		> a.dts
	printf '#include "a.dts"\n#include "b.dtsi"\n' > b.dtsi
	timeout 20 "$FDTEDIT" show a.dts
	timeout 20 "$FDTEDIT" apply a.dts coeffs.json
	grep -q 'dynamic-power-coefficient = <90>' a.dts
	printf '/ {\n' > b.dtsi
	run --separate-stderr "$FDTEDIT" apply a.dts coeffs.json
	[ "$status" -eq 2 ]
	[ "$stderr" = "fdtedit apply: error: a.dts:1: include: b.dtsi:1: the '{' of node '/' is \
never closed" ]
}

@test "a file included for two kinds of CPUs cannot get two values" {
	printf 'capacity-dmips-mhz = <1>;\n' > common.dtsi
	{
		printf '/ { cpus {\n'
		printf 'cpu@0 { compatible = "arm,cortex-a7";\n#include "dpc.dtsi"\n};\n'
		printf 'cpu@1 { compatible = "arm,cortex-a15";\n#include "dpc.dtsi"\n};\n'
		printf '}; };\n'
	} > a.dts
	printf 'dynamic-power-coefficient = <1>;\n' > dpc.dtsi
	run --separate-stderr "$FDTEDIT" apply --all-files a.dts coeffs.json
	[ "$status" -eq 2 ]
	[ "$stderr" = "fdtedit apply: error: 'dpc.dtsi' is included for nodes that need different \
values; give them text of their own" ]
	[ "$(cat dpc.dtsi)" = 'dynamic-power-coefficient = <1>;' ]
}

@test "a value inside an #if alone is told" {
	only a7 90
	printf '/dts-v1/; / { cpus { cpu@0 { compatible = "arm,cortex-a7";\n#ifdef A
dynamic-power-coefficient = <1>;\n#endif\n}; }; };\n' > a.dts
	run --separate-stderr "$FDTEDIT" apply a.dts coeffs.json
	[ "$status" -eq 0 ]
	[ "$stderr" = "fdtedit apply: warning: a.dts:3: dynamic-power-coefficient of '/cpus/cpu@0' \
stands inside an #if: without it the CPU has none" ]
	# A whole block, of another file than the node.
	printf '/ { cpus { c: cpu@0 { compatible = "arm,cortex-a7"; }; }; };\n' > soc.dtsi
	for node in '&c {' '/ { cpus { cpu@0 {'; do
		closers=${node//[^\{]/}
		printf '/dts-v1/;\n#include "soc.dtsi"\n#ifdef A\n%s
dynamic-power-coefficient = <1>;\n%s\n#endif\n' "$node" "${closers//\{/\};}" > a.dts
		run --separate-stderr "$FDTEDIT" apply a.dts coeffs.json
		[ "$status" -eq 0 ]
		[ "$stderr" = "fdtedit apply: warning: a.dts:5: dynamic-power-coefficient of '/cpus/cpu@0' \
stands inside an #if: without it the CPU has none" ] || { cat a.dts; echo "$stderr"; false; }
	done
}

@test "a value inside an #if that replaces another one is no reason to warn" {
	only a7 90
	printf '/dts-v1/; / { cpus { cpu@0 { compatible = "arm,cortex-a7";
dynamic-power-coefficient = <1>;\n#ifdef A
dynamic-power-coefficient = <2>;\n#endif\n}; }; };\n' > a.dts
	run --separate-stderr "$FDTEDIT" apply a.dts coeffs.json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$(grep -c '= <90>;' a.dts)" -eq 2 ]
}

@test "text of /cpus that is deleted later is left alone" {
	only a7 90
	for delete in '/ { /delete-node/ cpus; };' '/delete-node/ &cpus;' \
		'/delete-node/ &{/cpus};'; do
		{
			printf '/dts-v1/; / { cpus: cpus { cpu@0 { compatible = "arm,cortex-a7";\n'
			printf 'dynamic-power-coefficient = <5>; }; cpu@1 { }; }; };\n%s\n' "$delete"
			printf '/ { cpus { cpu@0 { compatible = "arm,cortex-a7"; }; }; };\n'
		} > a.dts
		run --separate-stderr "$FDTEDIT" apply a.dts coeffs.json
		[ "$status" -eq 0 ]
		[ "${lines[0]}" = "/cpus/cpu@0: dynamic-power-coefficient: none -> 90 (a7)" ]
		[ "$(sed -n 2p a.dts)" = 'dynamic-power-coefficient = <5>; }; cpu@1 { }; }; };' ]
		dtc -q -O dtb -o a.dtb a.dts
		[ "$(fdtget a.dtb /cpus/cpu@0 dynamic-power-coefficient)" = 90 ]
	done
}

@test "a number with very many leading zeros is replaced by one without" {
	only a7 90
	zeros=$(printf '%0300d' 0)
	printf '/ { cpus { cpu@0 { compatible = "arm,cortex-a7"; dynamic-power-coefficient = <%s>; }; }; };\n' \
		"0x${zeros}7U" > a.dts
	"$FDTEDIT" apply a.dts coeffs.json
	grep -qF '"arm,cortex-a7"; dynamic-power-coefficient = <0x5aU>; }; }; };' a.dts
}

@test "bytes that a terminal obeys are refused outside of comments and strings" {
	printf '/ { cpus { cp\033[1mu@0 { device_type = "cpu"; compatible = "arm,cortex-a7"; }; }; };\n' \
		> esc.dts
	printf '/ { cpus { cpu@\302\233 { compatible = "arm,cortex-a7"; }; }; };\n' > c1.dts
	cp esc.dts esc.orig && cp c1.dts c1.orig
	run --separate-stderr "$FDTEDIT" apply esc.dts coeffs.json
	[ "$status" -eq 2 ] && [ -z "$output" ]
	[ "$stderr" = "fdtedit apply: error: esc.dts:1: the byte 0x1b: this is not device-tree source" ]
	run --separate-stderr "$FDTEDIT" apply c1.dts coeffs.json
	[ "$status" -eq 2 ] && [ -z "$output" ]
	[ "$stderr" = "fdtedit apply: error: c1.dts:1: the byte 0xc2: this is not device-tree source" ]
	cmp esc.dts esc.orig && cmp c1.dts c1.orig
}

@test "source without CPU nodes, empty, missing or no text at all is refused" {
	: > empty.dts
	printf '/ { cpus { }; soc { cpu@0 { compatible = "arm,cortex-a7"; }; }; };' > none.dtsi
	printf '/ {\0};' > nul.dts
	for f in empty.dts none.dtsi; do
		run --separate-stderr "$FDTEDIT" apply "$f" coeffs.json
		[ "$status" -eq 2 ]
		[ "$stderr" = "fdtedit apply: error: '$f' has no CPU node" ]
	done
	run --separate-stderr "$FDTEDIT" apply nul.dts coeffs.json
	[ "$status" -eq 2 ]
	[ "$stderr" = "fdtedit apply: error: nul.dts:1: the byte 0x00: this is not device-tree source" ]
	run --separate-stderr "$FDTEDIT" apply missing.dts coeffs.json
	[ "$status" -eq 2 ]
	[[ $stderr == "fdtedit apply: error: "*"'missing.dts': No such file or directory" ]]
}

@test "-o, -n and --backup do for source what they do for a compiled tree" {
	fixture 01-nested-cache
	cd new
	cp ../old/01-nested-cache.dts board.dts
	run --separate-stderr "$FDTEDIT" apply -n board.dts ../coeffs.json
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "board.dts: 2 CPU node(s) would change, 0 right already" ]
	cmp board.dts ../old/01-nested-cache.dts
	"$FDTEDIT" apply -n --patch -o x board.dts ../coeffs.json
	[ ! -e x ]
	run --separate-stderr "$FDTEDIT" apply -o - board.dts ../coeffs.json
	[ "$status" -eq 0 ]
	[ "$(printf '%s\n' "$output" | grep -c dynamic-power)" -eq 2 ]
	cmp board.dts ../old/01-nested-cache.dts
	"$FDTEDIT" apply --backup board.dts ../coeffs.json
	cmp board.dts.orig ../old/01-nested-cache.dts
	printf '%s\n' "$output" | cmp - board.dts
	# -o holds one file
	cp "$TOP"/tests/data/dts/03-* .
	run --separate-stderr "$FDTEDIT" apply -o x --all-files 03-override.dts ../coeffs.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"-o holds one file, and '03-soc.dtsi' would have to change"* ]]
	[ ! -e x ]
}

@test "when one of several files cannot be written, none is changed" {
	fixture 15-include
	cd new
	# The temporary file of the second one finds no folder to be in.
	rm 15-cpu1.dtsi
	mkdir sub
	cp ../old/15-cpu1.dtsi sub/real.dtsi
	ln -s sub/real.dtsi 15-cpu1.dtsi
	chattr +i sub 2> /dev/null || chmod a-w sub
	if (: > sub/probe) 2> /dev/null; then
		skip "this user may write into a folder without write permission"
	fi
	run --separate-stderr "$FDTEDIT" apply --all-files 15-include.dts ../coeffs.json
	chattr -i sub 2> /dev/null || chmod u+w sub
	[ "$status" -eq 2 ]
	cmp 15-include.dts ../old/15-include.dts
	cmp sub/real.dtsi ../old/15-cpu1.dtsi
}

@test "a value that will have no effect is warned about in source too, where it compiles" {
	sed '/opp-microvolt/d' "$TOP/tests/data/big-little.dts" > novolt.dts
	sed 's/opp-microvolt = <900000>;/& opp-microwatt = <100000>;/' \
		"$TOP/tests/data/big-little.dts" > mw.dts
	for option in -n --patch ""; do
		# shellcheck disable=SC2086
		run --separate-stderr "$FDTEDIT" apply $option novolt.dts coeffs.json
		[ "$status" -eq 0 ] && [ "$(grep -c warning: <<< "$stderr")" -eq 2 ]
		[ "${stderr_lines[0]}" = "fdtedit apply: warning: '/cpus/cpu@100': the value will \
have no effect, 2 OPP(s) of '/opp-table-0' have no opp-microvolt (opp-microwatt would do instead)" ]
	done
	run --separate-stderr env PATH=/nowhere "$FDTEDIT" apply -n mw.dts coeffs.json
	[ "$status" -eq 0 ] && [[ $stderr == "fdtedit apply: note: "* ]]
	run --separate-stderr "$FDTEDIT" apply mw.dts coeffs.json
	[ "$status" -eq 0 ] && [ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"opp-microwatt in '/opp-table-0' overrides it" ]]
	# Nothing to do: nothing to warn of. No whole tree: nobody knows.
	run --separate-stderr "$FDTEDIT" apply mw.dts coeffs.json
	[ "$status" -eq 0 ] && [ -z "$stderr" ]
	sed /dts-v1/d novolt.dts > part.dtsi
	run --separate-stderr "$FDTEDIT" apply part.dtsi coeffs.json
	[ "$status" -eq 0 ] && [ -z "$stderr" ]
	sed '/coefficient/d' part.dtsi > bare.dtsi
	run --separate-stderr "$FDTEDIT" apply bare.dtsi coeffs.json
	[ "$status" -eq 0 ] && [[ $stderr == "fdtedit apply: note: "* ]]
}

@test "when a later file cannot take its place, those before it are put back" {
	unshare -rm true 2> /dev/null || skip "no user namespaces"
	fixture 15-include
	cd new
	"$FDTEDIT" apply -n --all-files 15-include.dts ../coeffs.json > list
	last=$(sed -n 's/^\(.*\): would change for it$/\1/p' list | tail -n 1)
	[ -n "$last" ] && [ "$(grep -c ' would change' list)" -ge 2 ]
	rm list
	# Nothing can be renamed over the place where something is mounted.
	run unshare -rm sh -c 'mount --bind "$1" "$1" &&
		"$FDTEDIT" apply --backup --all-files 15-include.dts ../coeffs.json' sh "$last"
	[ "$status" -eq 2 ] || { echo "$output"; false; }
	[[ ${lines[-1]} == "fdtedit apply: error: cannot write '"*"$last' (it is as before): \
Device or resource busy" ]] || { echo "$output"; false; }
	cd ..
	diff -r old new
}

git_repo() {
	export HOME=$PWD GIT_CONFIG_NOSYSTEM=1
	git init -q repo
	mkdir -p repo/arch/arm64/boot/dts/example
	cp "$TOP/tests/data/dts/01-nested-cache.dts" "repo/arch/arm64/boot/dts/example/$1"
	git -C repo add .
	git -C repo -c user.name=A -c user.email=a@example.org commit -qm first
}

@test "--patch names files from the top of the work tree, and git apply takes it" {
	git_repo board.dts
	dir=repo/arch/arm64/boot/dts/example
	"$FDTEDIT" apply --patch "$dir/board.dts" coeffs.json > p
	[ "$(sed -n 1p p)" = "--- a/arch/arm64/boot/dts/example/board.dts" ]
	(cd "$dir" && "$FDTEDIT" apply --patch board.dts "$OLDPWD/coeffs.json") | cmp - p
	[ -z "$(git -C repo status --porcelain)" ]
	git -C repo apply "$PWD/p"
	diff "$TOP/tests/data/dts/01-nested-cache.dts" "$dir/board.dts" > lines || true
	diff "$TOP/tests/data/dts/01-nested-cache.diff" lines
	git -C repo checkout -q .
	(cd repo && patch -p1 < ../p)
	[ -n "$(git -C repo status --porcelain)" ]
}

@test "names with blanks and quotes, and CR LF, get through a patch" {
	for name in 'my board.dts' 'a "b".dts'; do
		rm -rf repo
		git_repo "$name"
		f="repo/arch/arm64/boot/dts/example/$name"
		sed -i 's/$/\r/' "$f"
		"$FDTEDIT" apply --patch "$f" coeffs.json > p
		"$FDTEDIT" apply -o want "$f" coeffs.json
		cp "$f" old.dts
		git -C repo apply "$PWD/p"
		cmp want "$f"
		cp old.dts "$f"
		(cd repo && patch --binary -p1 < ../p)
		cmp want "$f"
	done
}

@test "a patch of files in two folders names both so that they are found, or is refused" {
	mkdir -p two/board two/soc
	printf '/dts-v1/;\n#include "../soc/soc.dtsi"\n/ { cpus { cpu@1 {
		device_type = "cpu"; reg = <1>;\n}; }; };\n' > two/board/board.dts
	printf '/ { cpus { cpu@0 {\ndevice_type = "cpu"; reg = <0>;\n}; }; };\n' > two/soc/soc.dtsi
	printf '{"schema": "calib-coeffs/1", "clusters": [{"name": "all",
		"match": {"reg": [0, 1]}, "dynamic-power-coefficient": 7}]}\n' > all.json
	for board in board/board.dts "$PWD/two/board/board.dts"; do
		cp -r two again
		(cd two && "$FDTEDIT" apply --all-files --patch "$board" ../all.json > ../p)
		[ "$(grep '^---' p | tr '\n' ' ')" = "--- a/board/board.dts --- a/soc/soc.dtsi " ]
		(cd again && patch -s -p1 < ../p && grep -q '<7>' board/board.dts soc/soc.dtsi)
		rm -r again
	done
	# From there "soc.dtsi" would be another file, or none.
	cd two/board
	echo mine > soc.dtsi
	run --separate-stderr "$FDTEDIT" apply --all-files --patch board.dts ../../all.json
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *"one patch cannot name files in '"*"/two/board/' and in '"*"/two/soc/': run this in a folder above both"* ]]
}

@test "a patch of a link is one of the file that it leads to" {
	fixture 01-nested-cache
	mkdir -p plain/sub repo/sub elsewhere
	export HOME=$PWD GIT_CONFIG_NOSYSTEM=1
	git init -q repo
	for dir in plain repo; do
		cp old/01-nested-cache.dts $dir/sub/real.dts
		ln -s sub/real.dts $dir/link.dts
		(cd $dir && "$FDTEDIT" apply --patch link.dts ../coeffs.json > ../$dir.patch)
		[ "$(sed -n 1p $dir.patch)" = "--- a/sub/real.dts" ]
		(cd $dir && patch -p1 < ../$dir.patch)
		grep -q dynamic-power $dir/sub/real.dts
	done
	cp old/01-nested-cache.dts repo/sub/real.dts
	ln -s ../repo/link.dts elsewhere/far.dts
	(cd elsewhere && "$FDTEDIT" apply --patch far.dts ../coeffs.json > ../far.patch)
	(cd repo && git apply ../far.patch)
	cmp repo/sub/real.dts plain/sub/real.dts
}

@test "outside of git a patch names the path from here, or the last part of it" {
	mkdir a b
	cp "$TOP/tests/data/dts/01-nested-cache.dts" a/x.dts
	export GIT_CEILING_DIRECTORIES="$PWD"
	"$FDTEDIT" apply --patch ./a/x.dts coeffs.json | grep -qx -- '--- a/a/x.dts'
	"$FDTEDIT" apply --patch "$PWD/b/../a/x.dts" coeffs.json | grep -qx -- '--- a/a/x.dts'
	cd b
	"$FDTEDIT" apply --patch ../a/x.dts ../coeffs.json | grep -qx -- '--- a/x.dts'
}

@test "a patch of several files changes all of them" {
	export GIT_CEILING_DIRECTORIES="$PWD"
	fixture 15-include
	(cd new && "$FDTEDIT" apply --patch --all-files 15-include.dts ../coeffs.json > ../p)
	diff -r old new
	(cd new && patch -p1 < ../p)
	same_trees 15-include "" cpu@0=90 cpu@1=310
}

@test "--format git-am makes a mail that git am takes, with the numbers in it" {
	git_repo board.dts
	git config --global user.name "Ann Émile"
	git config --global user.email ann@example.org
	"$FDTEDIT" apply --patch --format git-am repo/arch/arm64/boot/dts/example/board.dts \
		coeffs.json > mail
	git -C repo am -q "$PWD/mail"
	[ "$(git -C repo log -1 --format='%an <%ae> %s')" = "Ann Émile <ann@example.org> \
arm64: dts: board: add dynamic-power-coefficient" ]
	git -C repo log -1 --format=%b > body
	grep -qx '  a15: 310 uW/MHz/V^2 (arm,cortex-a15)' body
	# Only with a table.
	run ! grep -q '^The tables tell' body
	opps='{"hz": 800000000, "microvolt": 900000, "measured-microwatt": 292000,
"measured-ci-microwatt": 900, "kernel-microwatt": 200880}'
	sed "s/310/&, \"opps\": [${opps//$'\n'/ }]/" coeffs.json > opps.json
	"$FDTEDIT" apply --patch --format git-am "$TOP/tests/data/dts/01-nested-cache.dts" opps.json > mail
	grep -qx 'The tables tell what the first busy CPU draws above idle, as measured and' mail
	grep -qx '      800   900        292.0         -      200.9' mail
	grep -q '^  fdtedit apply --patch --format git-am' body ||
		grep -q '/fdtedit apply --patch --format git-am' body
	[ "$(git -C repo diff --stat HEAD~ | tail -n 1)" = " 1 file changed, 2 insertions(+)" ]
	# Text of the coefficients' origin cannot end the message or start the patch.
	run ! grep -q '^diff ' body
}

@test "the README's line for a patch makes one that git am takes, a plain diff is not" {
	git_repo exynos5422-cpus.dtsi
	git config --global user.name A
	git config --global user.email a@example.org
	line=$(grep -o 'fdtedit apply --patch .* > [^ ]*\.patch' "$TOP/README.md")
	mkdir bin && ln -s "$FDTEDIT" bin/fdtedit
	export PATH="$PWD/bin:$PATH"
	cp coeffs.json repo/arch/arm64/boot/dts/example
	(cd repo/arch/arm64/boot/dts/example && eval "$line" &&
		fdtedit apply --patch exynos5422-cpus.dtsi coeffs.json > plain.patch)
	run ! git -C repo am -q "$PWD/repo/arch/arm64/boot/dts/example/plain.patch"
	run git -C repo am --abort
	git -C repo am -q "$PWD/repo/arch/arm64/boot/dts/example/0001-coefficients.patch"
	[ "$(git -C repo diff --stat HEAD~ | tail -n 1)" = " 1 file changed, 2 insertions(+)" ]
}

@test "without an author git-am says so" {
	git_repo board.dts
	export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.useConfigOnly GIT_CONFIG_VALUE_0=true
	run --separate-stderr "$FDTEDIT" apply --patch --format git-am \
		repo/arch/arm64/boot/dts/example/board.dts coeffs.json
	[ "$status" -eq 0 ]
	[[ $output == *"From: Unknown <unknown@localhost>"* ]]
	[[ $stderr == *"warning: git knows no author here"* ]]
}

@test "nothing to do makes an empty patch" {
	only a7 90
	printf '/ { cpus { cpu@0 { compatible = "arm,cortex-a7";
		dynamic-power-coefficient = <90>; }; }; };\n' > a.dts
	for format in diff git-am; do
		run --separate-stderr "$FDTEDIT" apply --patch --format $format a.dts coeffs.json
		[ "$status" -eq 0 ]
		[ -z "$output" ]
	done
	run --separate-stderr "$FDTEDIT" apply --format git-am a.dts coeffs.json
	[ "$status" -eq 2 ]
	[ "$stderr" = "fdtedit apply: error: --format is about --patch; give that as well" ]
}
