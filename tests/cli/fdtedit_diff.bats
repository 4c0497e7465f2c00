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

@test "source is compared with labels where the compiled tree tells its own" {
	dtc -q -@ -O dtb -o labels.dtb "$src"
	for args in "$src labels.dtb" "labels.dtb $src"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$FDTEDIT" diff $args
		[ "$status" -eq 0 ] && [ -z "$output" ] && [ -z "$stderr" ] || { echo "$args: $output"; false; }
	done
	sed 's/little0: cpu@100/other: &/' "$src" > other.dts
	run --separate-stderr "$FDTEDIT" diff labels.dtb other.dts
	[ "$status" -eq 1 ]
	[ "$output" = '/__symbols__: other: none -> "/cpus/cpu@100"' ] || { echo "$output"; false; }
	run --separate-stderr "$FDTEDIT" diff a.dtb labels.dtb
	[ "$status" -eq 1 ] && [[ $output == *"/__symbols__: node added"* ]] || { echo "$output"; false; }
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

refs() { # TEXT-OF-DEV MORE-NODES... - a tree of references
	echo "/dts-v1/; / { $2 gic: gic { #interrupt-cells = <1>; };
		clk: clk { #clock-cells = <1>; }; vdd: vdd { }; sys: sys { };
		iommu: iommu { }; hog { gpio-hog; gpios = <2 0>; };
		dev { interrupt-parent = <&gic>; clocks = <&clk 3>, <0>, <&clk 2>;
		vdd-supply = <&vdd>; iommu-map = <4 &iommu 5 6>;
		rockchip,pins = <4 5 6 &vdd>, <7 8 9 &sys>; width = <2>; $1 }; };"
}

@test "phandles that a build numbers anew are followed" {
	refs "" | dtc -q -O dtb -o a.dtb
	refs "" "first: first { self = <&first>; };" | dtc -q -O dtb -o b.dtb
	[ "$(fdtget a.dtb /dev clocks)" != "$(fdtget b.dtb /dev clocks)" ]
	run --separate-stderr "$FDTEDIT" diff a.dtb b.dtb
	[ "$status" -eq 1 ]
	diff - <(echo "$output") <<- 'END'
		/first: node added
		/first: self: none -> <0x1>
		/first: phandle: none -> <0x1>
	END
	[ "$stderr" = "fdtedit diff: note: 5 nodes have another phandle, which is followed in the properties that are known to hold some" ]
	refs "" "first: first { };" | dtc -q -O dtb -o b.dtb
	fdtput -r b.dtb /first
	run --separate-stderr "$FDTEDIT" diff a.dtb b.dtb
	[ "$status" -eq 0 ] && [ -z "$output" ]
}

@test "what is more than another number of the same node is a difference" {
	first="first: first { self = <&first>; };"
	refs "mine = <&sys>;" | dtc -q -O dtb -o a.dtb
	# What comes behind a phandle, a number as any, a pin of a hog, and what may be one.
	refs "mine = <&sys>;" "$first" |
		sed 's/&clk 2/\&clk 3/; s/width = <2>/width = <3>/; s/gpios = <2 0>/gpios = <3 0>/' |
		dtc -q -O dtb -o b.dtb
	run --separate-stderr "$FDTEDIT" diff a.dtb b.dtb
	[ "$status" -eq 1 ]
	diff - <(echo "$output" | grep -v '^/first') <<- 'END'
		/hog: gpios: <0x2 0x0> -> <0x3 0x0> (the same nodes, if these are phandles)
		/dev: clocks: <0x2 0x3 0x0 0x2 0x2> -> <0x3 0x3 0x0 0x3 0x3>
		/dev: width: <0x2> -> <0x3> (the same nodes, if these are phandles)
		/dev: mine: <0x5> -> <0x6> (the same nodes, if these are phandles)
	END
	run "$FDTEDIT" diff --json a.dtb b.dtb
	[ "$(grep -c '"same-if-phandles": true' <<< "$output")" -eq 3 ]
}

@test "a number that stays and means another node is a difference" {
	refs "" | dtc -q -O dtb -o a.dtb
	# The clock takes the number that the interrupt controller had, and the other way.
	cp a.dtb b.dtb
	gic=$(fdtget a.dtb /gic phandle)
	clk=$(fdtget a.dtb /clk phandle)
	fdtput b.dtb /gic phandle "$clk"
	fdtput b.dtb /clk phandle "$gic"
	run "$FDTEDIT" diff a.dtb b.dtb
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "/dev: interrupt-parent: <0x$gic> -> <0x$gic> (points to /gic -> /clk)" ]
	[[ ${lines[1]} == "/dev: clocks: "*" (points to /clk -> /gic)" ]]
	run "$FDTEDIT" diff --json a.dtb b.dtb
	[[ $output == *'"old-points-to": "/gic"'*'"new-points-to": "/clk"'* ]]
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
