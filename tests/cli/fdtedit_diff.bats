#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit diff: every kind of difference, and exit status 0, 1, 2.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	src="$TOP/tests/data/big-little.dts"
	dtc -q -O dtb -o a.dtb "$src"
}

@test "a tree does not differ from itself" {
	run --separate-stderr "$FDTEDIT" diff a.dtb a.dtb
	[ "$status" -eq 0 ]
	[ -z "$output" ] && [ -z "$stderr" ]
	run --separate-stderr "$FDTEDIT" diff "$src" a.dtb
	[ "$status" -eq 0 ]
	[ -z "$output" ] && [ -z "$stderr" ]
}

@test "order alone is no difference, but is told" {
	dtc -q -s -O dtb -o b.dtb "$src"
	run --separate-stderr "$FDTEDIT" diff a.dtb b.dtb
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$stderr" = "fdtedit diff: note: same content; the bytes differ (order or strings)" ]
}

@test "properties and nodes are told with path and value" {
	sed -e 's/blob = \[01 02 03\]/blob = [01 02 04]/' \
		-e 's/<2982>/<0xba7 5>/' -e '/turbo-mode/d' \
		-e 's/"test,uart", "test,uart-old"/"test,uart", "say \\"hi\\"\\n"/' \
		-e 's/gpu@2000 {/flag@1 { on; }; &/' -e '/opp-800000000 {/,/};/d' "$src" |
		dtc -q -O dtb -o b.dtb
	run --separate-stderr "$FDTEDIT" diff a.dtb b.dtb
	[ "$status" -eq 1 ]
	diff - <(echo "$output") <<- 'END'
		/opp-table-1/opp-800000000: node removed
		/opp-table-1/opp-800000000: opp-hz: <0x0 0x2faf0800> -> none
		/opp-table-1/opp-800000000: opp-microvolt: <0xf4240> -> none
		/opp-table-1/opp-2000000000: turbo-mode: true -> none
		/soc/gpu@2000: dynamic-power-coefficient: <0xba6> -> <0xba7 0x5>
		/soc/serial@1000: compatible: "test,uart", "test,uart-old" -> "test,uart", "say \"hi\"\n"
		/soc/serial@1000: blob: [01 02 03] -> [01 02 04]
		/soc/flag@1: node added
		/soc/flag@1: on: none -> true
	END
}

@test "header and reserve map are compared" {
	sed '/memreserve.*0x7f000000/s/0x00010000/0x20000/' "$src" |
		dtc -q -b 3 -p 64 -V 16 -O dtb -o b.dtb
	run "$FDTEDIT" diff a.dtb b.dtb
	[ "$status" -eq 1 ]
	diff - <(echo "$output") <<- 'END'
		header: version: 17 -> 16
		header: boot CPU id: 0 -> 3
		header: spare room: 0 -> 64
		reserve map: 0x7f000000 0x10000 removed
		reserve map: 0x7f000000 0x20000 added
	END
	{ cat a.dtb; echo; } > longer.dtb
	run "$FDTEDIT" diff a.dtb longer.dtb
	[ "$status" -eq 1 ]
	[ "$output" = "header: bytes after the tree: 0 -> 1" ]
}

@test "a reserve map with an entry twice differs from one with it once" {
	sed 's,^/memreserve/ 0x4.*,&\n&,' "$src" | dtc -q -O dtb -o b.dtb
	run "$FDTEDIT" diff a.dtb b.dtb
	[ "$status" -eq 1 ]
	[ "$output" = "reserve map: 0x40000000 0x100000 added" ]
	run "$FDTEDIT" diff b.dtb a.dtb
	[ "$status" -eq 1 ]
	[ "$output" = "reserve map: 0x40000000 0x100000 removed" ]
}

@test "a long value is cut in text and whole in JSON" {
	sed "s/blob = .*/blob = [$(printf 'ab%.0s' $(seq 501))];/" "$src" | dtc -q -O dtb -o b.dtb
	run "$FDTEDIT" diff a.dtb b.dtb
	[ "$status" -eq 1 ]
	[[ $output == "/soc/serial@1000: blob: [01 02 03] -> [ab ab "*" ... (501 bytes)" ]]
	[ "${#output}" -lt 400 ]
	run "$FDTEDIT" diff --json a.dtb b.dtb
	[ "$status" -eq 1 ]
	[ "$(grep -o ab <<< "$output" | wc -l)" -eq 501 ]
}

@test "--json says the same to machines" {
	sed -e '/turbo-mode/d' "$src" | dtc -q -b 1 -O dtb -o b.dtb
	run --separate-stderr "$FDTEDIT" diff --json a.dtb b.dtb
	[ "$status" -eq 1 ]
	diff - <(echo "$output") <<- 'END'
		{
		  "old": "a.dtb",
		  "new": "b.dtb",
		  "same": false,
		  "differences": [
		    {
		      "kind": "header",
		      "change": "changed",
		      "name": "boot CPU id",
		      "old": 0,
		      "new": 1
		    },
		    {
		      "kind": "property",
		      "change": "removed",
		      "path": "/opp-table-1/opp-2000000000",
		      "name": "turbo-mode",
		      "old": "true"
		    }
		  ]
		}
	END
	run "$FDTEDIT" diff --json a.dtb a.dtb
	[ "$status" -eq 0 ]
	[[ $output == *'"same": true'* ]]
}

@test "what cannot be compared is exit 2" {
	run --separate-stderr "$FDTEDIT" diff a.dtb none.dtb
	[ "$status" -eq 2 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *none.dtb* ]]
	head -c 500 a.dtb > cut.dtb
	run --separate-stderr "$FDTEDIT" diff cut.dtb a.dtb
	[ "$status" -eq 2 ]
	[[ $stderr == *"'cut.dtb': totalsize"* ]]
	run --separate-stderr "$FDTEDIT" diff --json cut.dtb a.dtb
	[ "$status" -eq 2 ]
	[[ $stderr == '{"error": '*cut.dtb* ]]
	printf '&cpu0 { x; };\n' > part.dtsi
	run --separate-stderr "$FDTEDIT" diff part.dtsi a.dtb
	[ "$status" -eq 2 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"'part.dtsi' does not compile alone (name the .dts that includes it): dtc: "* ]]
	echo '#error not today' > bad.dts
	run --separate-stderr "$FDTEDIT" diff a.dtb bad.dts
	[ "$status" -eq 2 ]
	[[ $stderr == *"compiling 'bad.dts': cpp: "*"not today"* ]]
}

@test "source finds its includes in its own folder and where -I says" {
	mkdir s i
	printf '/dts-v1/;\n#include "own.h"\n#include <other.h>\n/ { x = <OWN OTHER>; };\n' > s/x.dts
	echo '#define OWN 1' > s/own.h
	echo '#define OTHER 2' > i/other.h
	echo '/dts-v1/; / { x = <1 2>; };' | dtc -q -O dtb -o x.dtb
	run "$FDTEDIT" diff -I i s/x.dts x.dtb
	[ "$status" -eq 0 ] || { echo "$output"; false; }
	run "$FDTEDIT" diff s/x.dts x.dtb
	[ "$status" -eq 2 ]
}

@test "source without dtc is told what is missing" {
	mkdir bin
	printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v cpp)" > bin/cpp
	chmod +x bin/cpp
	run --separate-stderr env PATH="$PWD/bin" "$FDTEDIT" diff "$src" a.dtb
	[ "$status" -eq 2 ]
	[[ $stderr == *"'dtc' not found"* ]] || { echo "$stderr"; false; }
}
