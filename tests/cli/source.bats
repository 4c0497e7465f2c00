#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit set, delete, prune and apply with all that it writes, on source: the lines and the compiled
# tree change by what was asked for and by nothing else.

bats_require_minimum_version 1.5.0

# A board of two files: the table, one CPU and a device are in soc.dtsi, overridden in board.dts.
setup() {
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
	cat > soc.dtsi <<'END'
/ {
	cpus {
		#address-cells = <1>;
		#size-cells = <0>;

		cpu0: cpu@0 {
			device_type = "cpu";
			compatible = "arm,cortex-a7";
			reg = <0>;
			operating-points-v2 = <&opps>;
			dynamic-power-coefficient = <90>;
		};
	};

	opps: opp-table {
		compatible = "operating-points-v2";
		opp-shared;

		slow: opp-300000000 {
			opp-hz = /bits/ 64 <300000000>;
			opp-microvolt = <900000>; /* like the next */
		};

		/* the nominal one */
		opp-500000000 {
			opp-hz = /bits/ 64 <500000000>;
			opp-microvolt = <900000>;
		};
	};

	osc: osc { #clock-cells = <0>; };

	uart0: serial@1000 {
		compatible = "test,uart";
		reg = <0x1000 0x0100>;
		clocks = <&osc>, <&clk2>;
		status = "disabled";
	};

	clk2: clk { };
};
END
	cat > board.dts <<'END'
/dts-v1/;
#include "soc.dtsi"

/ {
	model = "a board";

	dev: dev@2000 {
		reg = <0x2000>; /* bytes */
		rate = /bits/ 64 <0x10>;
		ids = <1 0x2>, <3>; /* three */
		blob = [01 02];
		flag;

		sub { };
	};
};

&uart0 {
	status = "okay";
	clocks = <&osc>;
};
END
}

# The compiled tree of a folder as sorted text.
text() {
	(cd "$1" && cpp -nostdinc -undef -x assembler-with-cpp -D__DTS__ "${@:2}" board.dts |
		dtc -q -I dts -O dtb - | dtc -q -I dtb -O dts -s -)
}

differ() {
	diff "$1" "$2" | grep '^[<>]' | tr -s ' \t' ' '
}

# edited COMMAND ARG... - on board.dts; again there is nothing to do. The report is in $report, what
# differs in the compiled tree in $tree, the diff of the lines in $lines_of.
edited() {
	rm -rf ../old ../new && cp -r . ../old
	run --separate-stderr "$FDTEDIT" "$@"
	[ "$status" -eq 0 ] || { echo "status $status: $output $stderr"; false; }
	[ -z "$stderr" ] || { echo "$stderr"; false; }
	report=$output
	text ../old > ../old.txt
	text . > ../new.txt
	tree=$(differ ../old.txt ../new.txt) || true
	lines_of=$(diff -r ../old . | grep '^[<>]' | tr -s ' \t' ' ') || true
	cp -r . ../new
	run --separate-stderr "$FDTEDIT" "$@"
	if [ "$1" = delete ]; then
		[ "$status" -eq 2 ]
	else
		[ "$status" -eq 0 ]
		[[ $output == *"board.dts: nothing to do"* ]] || { echo "$output"; false; }
	fi
	diff -r . ../new
}

is() {
	[ "$1" = "$2" ] || { printf 'is: %s\nnot: %s\n' "$1" "$2"; false; }
}

# refused TEXT COMMAND ARG... - exit 2, one line that holds TEXT, no file here is other
refused() {
	want=$1
	shift
	rm -rf ../was && cp -r . ../was
	run --separate-stderr "$FDTEDIT" "$@"
	[ "$status" -eq 2 ] || { echo "status $status: $output"; false; }
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ] || { echo "$stderr"; false; }
	[[ $stderr == "fdtedit $1: error: "*"$want"* ]] || { echo "$stderr"; false; }
	diff -r . ../was
}

@test "set changes the value where the board gets it, and nothing else" {
	edited set board.dts /serial@1000 status disabled
	is "$tree" '< status = "okay";
> status = "disabled";'
	is "$lines_of" "$tree"
	is "$report" '/serial@1000: status: okay -> disabled
board.dts: 1 change'
	edited set board.dts '&dev' reg 0x3000
	is "$lines_of" '< reg = <0x2000>; /* bytes */
> reg = <0x3000>; /* bytes */'
}

@test "set keeps how a list is written, number by number" {
	edited set board.dts dev ids 1 255 4
	is "$lines_of" '< ids = <1 0x2>, <3>; /* three */
> ids = <1 0xff>, <4>; /* three */'
	edited set --type u64 board.dts dev rate 0x100000000
	is "$lines_of" '< rate = /bits/ 64 <0x10>;
> rate = /bits/ 64 <0x100000000>;'
	edited set board.dts dev ids 7 8
	is "$lines_of" '< ids = <1 0xff>, <4>; /* three */
> ids = <7 8>; /* three */'
}

@test "set keeps how texts are written, one by one, with their comments" {
	sed -i 's|^\t\tflag;|\t\tcompatible = "a,one", /* first */\n\t\t\t     "a,two";\n&|' board.dts
	edited set board.dts dev compatible a,one 'a,"three"'
	is "$lines_of" '< "a,two";
> "a,\"three\"";'
	edited set board.dts dev compatible b,1 b,2
	is "$(grep -A 1 compatible board.dts)" '		compatible = "b,1", /* first */
			     "b,2";'
	edited set board.dts dev compatible b,1
	is "$(grep -A 1 compatible board.dts)" '		compatible = "b,1";
		flag;'
	# Text in the place of numbers, and numbers in that of text, of as many bytes.
	edited set --type string board.dts dev ids 0123456789a
	is "$(grep ids board.dts)" '		ids = "0123456789a"; /* three */'
	edited set --type u32 board.dts dev ids 1 2 3
	is "$(grep ids board.dts)" '		ids = <1 2 3>; /* three */'
}

@test "set writes each kind of value, also one of another kind than before" {
	edited set --type string board.dts dev note 'say "a\b"' ''
	is "$lines_of" '> note = "say \"a\\b\"", "";'
	edited set --type string board.dts dev note one
	is "$lines_of" '< note = "say \"a\\b\"", "";
> note = "one";'
	edited set --type u8 board.dts dev note 1 2
	is "$lines_of" '< note = "one";
> note = /bits/ 8 <1 2>;'
	edited set --type bytes board.dts dev blob ff0001
	is "$lines_of" '< blob = [01 02];
> blob = [ff 00 01];'
	edited set --type u16 board.dts dev flag 5
	is "$lines_of" '< flag;
> flag = /bits/ 16 <5>;'
	edited set board.dts dev new-flag
	is "$lines_of" '> new-flag;'
	edited delete board.dts dev flag
	edited set board.dts dev flag
	is "$tree" '> flag;'
}

@test "a new property goes after its neighbours, with the indentation and line ends of the file" {
	edited set board.dts dev status okay
	is "$(sed -n '/flag/,/sub/p' board.dts)" '		flag;
		status = "okay";

		sub { };'
	edited set --all-files board.dts cpu0 capacity-dmips-mhz 1024
	is "$(sed -n '/reg = <0>/,/operating/p' soc.dtsi)" '			reg = <0>;
			capacity-dmips-mhz = <1024>;
			operating-points-v2 = <&opps>;'
	edited set --all-files board.dts slow opp-microwatt 5000
	is "$(sed -n '/like the next/,/}/p' soc.dtsi)" '			opp-microvolt = <900000>; /* like the next */
			opp-microwatt = <5000>;
		};'
}

@test "a new property goes before macros that may make subnodes" {
	cat > board.dts <<'END'
/dts-v1/;
#define PIN(x) pin-##x { }
/ {
	pins {
		PIN(1);
		PIN(2);
	};
	more {
		reg = <1>;
		PIN(3);
	};
};
END
	edited set board.dts /pins in 1
	edited set board.dts /more in 2
	is "$(sed -n '/pins/,$p' board.dts)" '	pins {
		in = <1>;
		PIN(1);
		PIN(2);
	};
	more {
		reg = <1>;
		in = <2>;
		PIN(3);
	};
};'
}

@test "carriage returns, blanks for tabs and a last line without newline stay" {
	printf '/dts-v1/;\r\n/ {\r\n  a {\r\n    x = <1>;\r\n    y = <2>;\r\n  };\r\n  b { };\r\n};' > board.dts
	edited set board.dts /a z 3
	printf '/dts-v1/;\r\n/ {\r\n  a {\r\n    x = <1>;\r\n    y = <2>;\r\n    z = <3>;\r\n  };\r\n  b { };\r\n};' |
		cmp - board.dts
	edited delete board.dts /a x
	edited delete board.dts /b
	printf '/dts-v1/;\r\n/ {\r\n  a {\r\n    y = <2>;\r\n    z = <3>;\r\n  };\r\n};' | cmp - board.dts
	printf '/dts-v1/;\n/ { x = <1>; y = <2>; z = <3>; };\n/ { w; };' > board.dts
	edited delete board.dts / y
	is "$(cat board.dts)" '/dts-v1/;
/ { x = <1>; z = <3>; };
/ { w; };'
	edited delete board.dts / w
	is "$(cat board.dts)" '/dts-v1/;
/ { x = <1>; z = <3>; };
/ { };'
	edited delete board.dts / x
	is "$(sed -n 2p board.dts)" '/ { z = <3>; };'
}

@test "delete takes the line with its comment, and leaves comments on lines of their own" {
	sed -i 's|^\t\tids|\t\t/* stays */\n&|' board.dts
	edited delete board.dts dev ids
	is "$tree" '< ids = <0x01 0x02 0x03>;'
	is "$lines_of" '< ids = <1 0x2>, <3>; /* three */'
	is "$report" '/dev@2000: ids: 1 2 3 -> none
board.dts: 1 change'
	[[ $stderr == *"/dev@2000"*"ids"* ]]
	grep -q 'stays' board.dts
}

@test "delete of a property takes it out of every place that gives it" {
	refused "status of '/serial@1000' is in 'soc.dtsi' (line 37); --all-files edits it there" \
		delete board.dts uart0 status
	edited delete --all-files board.dts uart0 status
	is "$tree" '< status = "okay";'
	is "$lines_of" '< status = "okay";
< status = "disabled";'
	[[ $report == *"soc.dtsi: changed for it"* ]]
}

@test "nodes that are numbered otherwise once references go are the same nodes" {
	edited delete --all-files board.dts uart0 clocks
	is "$tree" '< phandle = <0x02>;
< clocks = <0x02>;'
	is "$lines_of" '< clocks = <&osc>;
< clocks = <&osc>, <&clk2>;'
	# clk2 becomes number 2, and what refers to it follows, also where a reference stands that no
	# binding knows of.
	cat >> board.dts <<'END'
&dev {
	first = <&osc>;
	second = <&clk2>;
	mboxes = <&clk2 &slow>;
};
&clk2 { #mbox-cells = <1>; };
END
	edited delete board.dts dev first
	[[ $tree == *'second = <0x03>'*'second = <0x02>'* ]] || { echo "$tree"; false; }
	[[ $tree == *'mboxes = <0x03 0x04>'*'mboxes = <0x02 0x03>'* ]] || { echo "$tree"; false; }
	is "$lines_of" '< first = <&osc>;'
}

@test "delete of a node takes its label blocks too, and is refused while something refers to it" {
	refused "node '/serial@1000' is in 'soc.dtsi' (line 33); --all-files edits it there" \
		delete board.dts uart0
	edited delete --all-files board.dts uart0
	[ "$(grep -c uart -- *.dts*)" = "board.dts:0
soc.dtsi:0" ] || { grep uart -- *.dts*; false; }
	is "$(sed -n '/osc:/,/clk2:/p' soc.dtsi)" '	osc: osc { #clock-cells = <0>; };

	clk2: clk { };'
	is "$(tail -n 2 board.dts)" '	};
};'
	[[ $tree == *"< serial@1000 {"*'< status = "okay";'* ]]
	run ! grep -q '^> [^p]' <<< "$tree"
	refused "operating-points-v2 of '/cpus/cpu@0' points to '/opp-table'; change that first" \
		delete --all-files board.dts opps
	refused 'non-existent node or label "opps"' delete --force --all-files board.dts opps
	refused "no node '/nothing'" delete board.dts /nothing
	refused "no property 'nothing'" delete board.dts dev nothing
}

@test "what stands in a file that is included is edited with --all-files only" {
	refused "reg of '/serial@1000' is in 'soc.dtsi' (line 35); --all-files edits it there" \
		set board.dts uart0 reg 0x2000 0x100
	refused "node '/opp-table/opp-500000000' is in 'soc.dtsi' (line 25); --all-files \
edits it there" set board.dts /opp-table/opp-500000000 opp-microwatt 1
	edited set --all-files board.dts uart0 reg 0x2000 0x100
	is "$lines_of" '< reg = <0x1000 0x0100>;
> reg = <0x2000 0x0100>;'
	# With -o there is one file.
	refused "'soc.dtsi' would have to change" set --all-files -o out.dts board.dts uart0 reg 1 2
	run "$FDTEDIT" set -o out.dts board.dts dev reg 1
	[ "$status" -eq 0 ]
	is "$(diff board.dts out.dts | grep '^[<>]' | tr -s ' \t' ' ')" '< reg = <0x2000>; /* bytes */
> reg = <0x1>; /* bytes */'
}

@test "a new property goes into the board's own block, and with --all-files into the node" {
	edited set board.dts uart0 current-speed 115200
	is "$lines_of" '> current-speed = <115200>;'
	is "$(tail -n 5 board.dts)" '&uart0 {
	status = "okay";
	clocks = <&osc>;
	current-speed = <115200>;
};'
	edited delete board.dts uart0 current-speed
	edited set --all-files board.dts uart0 current-speed 115200
	grep -q 'current-speed' soc.dtsi
}

@test "a macro or an expression is replaced with --force only, which tells what it was" {
	sed -i 's/reg = <0x2000>/reg = <BASE>/; s/<1 0x2>, <3>/<(1 + 1)>/; s/^.dts-v1.;/&\n#define BASE 0x2000/' board.dts
	refused "board.dts:9: reg of '/dev@2000' is '<BASE>', not a plain number; --force replaces it by \
<12288>" set board.dts dev reg 0x3000
	refused "ids of '/dev@2000' is '<(1 + 1)>'" set board.dts dev ids 3
	refused "clocks of '/serial@1000' is '<&osc>'" set --type u32 board.dts uart0 clocks 3
	edited set --force board.dts dev reg 0x3000
	is "$lines_of" '< reg = <BASE>; /* bytes */
> reg = <12288>; /* bytes */'
	sed -i 's/^\t\tflag;/\t\tMORE(7)/; s/^#define.*/#define MORE(x) more = <x>;/' board.dts
	refused "the macro MORE holds more, and '/dev@2000' uses it" set board.dts dev more 8
	refused "no line that gives more to '/dev@2000' was found" delete board.dts dev more
}

@test "each alternative of an #if gets the value, and what a switch alone decides is refused" {
	sed -i 's|^\t\treg = <0x2000>;.*|#ifdef BIG\n\t\tsize = <0x10>;\n#else\n\t\tsize = <1>;\n#endif|' board.dts
	edited set board.dts dev size 2
	is "$lines_of" '< size = <0x10>;
> size = <0x2>;
< size = <1>;
> size = <2>;'
	text . -DBIG > ../big
	grep -q 'size = <0x02>' ../big
	edited delete board.dts dev size
	[ "$(grep -c size board.dts)" -eq 0 ]
	sed -i 's|^#else|#endif\n#ifdef BIG\n\t\tonly = <1>;|' board.dts
	refused "only of '/dev@2000' would be none and not 5" set board.dts dev only 5
}

@test "a value that is half in an #if and a deletion further on are refused" {
	sed -i 's|^\t\tids = .*|\t\tids = <1\n#ifdef BIG\n\t\t2\n#endif\n\t\t>;|' board.dts
	refused "the value of ids in '/dev@2000' stands half in an #if" set board.dts dev ids 5
	refused "stands half in an #if: edit it by hand" delete board.dts dev ids
	printf '&dev { /delete-property/ flag; };\n' >> board.dts
	refused "/delete-property/ takes flag away from '/dev@2000' again: take that line out first" \
		set --type u32 board.dts dev flag 1
}

@test "a statement after something that is not understood is not deleted" {
	sed -i 's|^/dts-v1/;|&\n#define NOTHING|; s|^\t\tflag;|\t\tNOTHING flag;|' board.dts
	refused "what stands before 'flag' may be part of it" delete board.dts dev flag
	sed -i 's|NOTHING flag;|here: flag;|' board.dts
	edited delete board.dts dev flag
	is "$lines_of" '< here: flag;'
	printf 'x;\n' > x.dtsi
	printf '/ { inc {\n#include "x.dtsi"\n}; };\n' >> board.dts
	refused "'/inc' includes a file in its braces: delete it by hand" delete board.dts /inc
}

@test "an edit of text that two nodes share is refused" {
	printf 'shared = <5>;\n' > x.dtsi
	printf '/ { one {\n#include "x.dtsi"\n};\ntwo {\n#include "x.dtsi"\n}; };\n' >> board.dts
	refused "compiled, the edit would also change shared of '/two'" set --all-files board.dts /one shared 6
	refused "compiled, the edit would also change shared of '/two'" delete --all-files board.dts /one shared
}

@test "a node without label, one that is given twice, and deletions before are followed" {
	cat >> board.dts <<'END'
/ { dev@2000 { ids = <9>; }; plain { }; };
/delete-node/ &clk2;
/ { clk2: clk { again; }; };
END
	sed -i 's/, <&clk2>//' soc.dtsi
	edited set board.dts /dev@2000 ids 10
	is "$lines_of" '< / { dev@2000 { ids = <9>; }; plain { }; };
> / { dev@2000 { ids = <10>; }; plain { }; };'
	edited delete board.dts dev ids
	is "$tree" '< ids = <0x0a>;'
	edited set board.dts /plain x 1
	is "$lines_of" '< / { dev@2000 { }; plain { }; };
> / { dev@2000 { }; plain { x = <1>; }; };'
	edited set board.dts clk2 again 7
	is "$lines_of" '< / { clk2: clk { again; }; };
> / { clk2: clk { again = <7>; }; };'
	edited delete board.dts clk2
	is "$(tail -n 1 board.dts)" '/ { };'
}

@test "without cpp or dtc, and with an include missing, nothing is edited and it is said why" {
	run --separate-stderr env PATH=/nowhere "$FDTEDIT" set board.dts dev reg 1
	[ "$status" -eq 2 ] && [ -z "$output" ]
	[[ $stderr == *"'cpp' not found; install "* ]]
	rm soc.dtsi
	refused "soc.dtsi: No such file" set board.dts dev reg 1
	refused "soc.dtsi: No such file" prune board.dts
	printf '/ { a { }; };\n' > part.dtsi
	refused "does not compile alone (name the .dts that includes it)" set part.dtsi /a x 1
}

@test "prune works on source: status, or the nodes, in the file that has the table" {
	refused "'/opp-table/opp-300000000' is in 'soc.dtsi' (line 19); --all-files" prune board.dts
	edited prune --all-files board.dts
	is "$tree" '> status = "disabled";'
	is "$(sed -n '/slow:/,/};/p' soc.dtsi)" '		slow: opp-300000000 {
			opp-hz = /bits/ 64 <300000000>;
			opp-microvolt = <900000>; /* like the next */
			status = "disabled";
		};'
	is "$report" '/opp-table/opp-300000000: status: none -> disabled (500 MHz costs no more)
soc.dtsi: changed for it
board.dts: 1 change
board.dts: energy model complexity 1 x 3 = 3 -> 1 x 2 = 2 (domains x (CPUs + states))'
	cp ../old/soc.dtsi .
	edited prune --remove --all-files board.dts
	is "$(sed -n '/opp-shared/,/opp-500/p' soc.dtsi)" '		opp-shared;

		/* the nominal one */
		opp-500000000 {'
}

@test "prune takes the labels of source in COEFFS" {
	coeffs
	sed -i 's|"compatible": "arm,cortex-a7"|"paths": ["\&cpu0"]|' coeffs.json
	sed -i '/dynamic-power/d' soc.dtsi
	edited prune --all-files board.dts coeffs.json
	is "$lines_of" '> status = "disabled";'
	sed -i 's|&cpu0|\&cpu9|' coeffs.json
	refused "cpu9" prune --all-files board.dts coeffs.json
}

@test "an overlay's source is edited where the text says the path" {
	cat > board.dts <<'END'
/dts-v1/;
/plugin/;
&uart0 { status = "okay"; };
/ {
	fragment@7 {
		target-path = "/soc";
		__overlay__ {
			x = <1>;
		};
	};
};
END
	edited set board.dts /fragment@7/__overlay__ x 2
	is "$lines_of" '< x = <1>;
> x = <2>;'
	refused "a macro or an overlay's '&label' may make it" \
		set board.dts /fragment@0/__overlay__ status disabled
}

@test "--patch prints what patch -p1 takes, in all files, and changes nothing" {
	cp -r . ../old
	"$FDTEDIT" prune --patch --all-files board.dts > ../prune.patch
	"$FDTEDIT" delete --patch --all-files board.dts uart0 status > ../delete.patch
	diff -r . ../old
	[ "$(grep -c '^+++' ../delete.patch)" -eq 2 ]
	patch -s -p1 < ../delete.patch
	run --separate-stderr "$FDTEDIT" get board.dts uart0 status
	[ "$status" -eq 1 ]
	patch -s -p1 < ../prune.patch
	[ "$("$FDTEDIT" get board.dts slow status)" = disabled ]
	run "$FDTEDIT" set --backup --patch board.dts dev reg 1
	[ "$status" -eq 2 ]
	"$FDTEDIT" set --backup board.dts dev reg 1
	[ -e board.dts.orig ]
}

# coeffs [CAPACITY] - for the CPU of the board
coeffs() {
	printf '{"schema": "calib-coeffs/1", "clusters": [{"name": "a7",
		"match": {"compatible": "arm,cortex-a7"}, "dynamic-power-coefficient": 180%s,
		"opps": [{"hz": 300000000, "microvolt": 900000, "kernel-microwatt": 1,
			"inefficient": false, "opp-microwatt": 40000},
			{"hz": 500000000, "microvolt": 900000, "kernel-microwatt": 1,
			"inefficient": false, "opp-microwatt": 70000}]}]}\n' \
		"${1:+, \"capacity-dmips-mhz\": $1}" > coeffs.json
}

@test "apply writes coefficient, capacity and power of OPPs in one go, all or none" {
	coeffs
	refused "'board.dts': --capacity is for all CPUs or none, and cluster 'a7' has no" \
		apply --capacity --all-files board.dts coeffs.json
	coeffs 1024
	run --separate-stderr "$FDTEDIT" apply --capacity --opp-microwatt board.dts coeffs.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"is in 'soc.dtsi' (line "*"--all-files edits it there, for all that include it" ]] || { echo "$stderr"; false; }
	cp -r . ../old
	run --separate-stderr "$FDTEDIT" apply --capacity --opp-microwatt --all-files board.dts coeffs.json
	[ "$status" -eq 0 ]
	is "$output" '/cpus/cpu@0: dynamic-power-coefficient: 90 -> 180 (a7)
/cpus/cpu@0: capacity-dmips-mhz: none -> 1024 (a7)
/opp-table/opp-300000000: opp-microwatt: none -> 40000 (a7)
/opp-table/opp-500000000: opp-microwatt: none -> 70000 (a7)
board.dts: 1 CPU node(s) changed, 0 right already; 3 other properties changed
soc.dtsi: changed for it'
	is "$stderr" "fdtedit apply: warning: '/opp-table': the kernel takes opp-microwatt from now on and \
ignores the coefficient of cluster 'a7'"
	is "$(diff -r ../old . | grep '^[<>]' | tr -s ' \t' ' ')" '> capacity-dmips-mhz = <1024>;
< dynamic-power-coefficient = <90>;
> dynamic-power-coefficient = <180>;
> opp-microwatt = <40000>;
> opp-microwatt = <70000>;'
	cp -r . ../new
	run "$FDTEDIT" apply --capacity --opp-microwatt --all-files board.dts coeffs.json
	[[ $output == *"board.dts: nothing to do, 1 CPU node(s) right already" ]] || { echo "$output"; false; }
	diff -r . ../new
}

@test "a new property that cpp would take for a directive is refused" {
	for name in '#if' '#include' '#1'; do
		refused "'$name' cannot be written in source: cpp takes it for a directive" \
			set board.dts dev "$name" 3
	done
	edited set board.dts dev '#iffy-cells' 3
	is "$lines_of" '> #iffy-cells = <3>;'
}

@test "a line whose removal would make a directive of what follows it stays" {
	sed -i 's/^\t\tflag;/\t\tflag; #if = <1>;\n\t\tother; #size-cells = <1>;/' board.dts
	refused "board.dts:12: what stands behind 'flag' may be part of it: edit it by hand" \
		delete board.dts dev flag
	edited delete board.dts dev other
	is "$lines_of" '< other; #size-cells = <1>;
> #size-cells = <1>;'
}

@test "what apply writes beside the coefficient follows macros, #if and carriage returns" {
	coeffs
	sed -i 's|^\t\t\topp-microvolt = <900000>; /.*|&\n\t\t\topp-microwatt = <SLOW>;|
		s|^\t\t\topp-microvolt = <900000>;$|&\n#ifdef BIG\n\t\t\topp-microwatt = <0x0001>;\n#else\n\t\t\topp-microwatt = <1>;\n#endif|
		1s|^|#define SLOW 5\n|' soc.dtsi
	sed -i 's|$|\r|' soc.dtsi
	run --separate-stderr "$FDTEDIT" apply --opp-microwatt --all-files board.dts coeffs.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"soc.dtsi:$(grep -n '<SLOW>' soc.dtsi | cut -d : -f 1): opp-microwatt of '/opp-table/opp-300000000' is '<SLOW>', not a plain \
number; --force replaces it by <40000>" ]] || { echo "$stderr"; false; }
	cp -r . ../old
	"$FDTEDIT" apply --opp-microwatt --force --all-files board.dts coeffs.json 2> ../talk
	is "$(diff -r ../old . | grep '^[<>]' | tr -s ' \t' ' ' | tr -d '\r')" \
		'< dynamic-power-coefficient = <90>;
> dynamic-power-coefficient = <180>;
< opp-microwatt = <SLOW>;
> opp-microwatt = <40000>;
< opp-microwatt = <0x0001>;
> opp-microwatt = <0x11170>;
< opp-microwatt = <1>;
> opp-microwatt = <70000>;'
	[ "$(grep -vc $'\r$' soc.dtsi)" -eq 0 ]
	[[ $(text . -DBIG) == *"opp-microwatt = <0x11170>"* ]]
}

@test "a coefficient and a capacity that are both new stand together, in text used twice too" {
	coeffs 1024
	sed -i '/dynamic-power/d' soc.dtsi
	edited apply --capacity --all-files board.dts coeffs.json
	is "$(sed -n '/reg = <0>/,/operating/p' soc.dtsi)" '			reg = <0>;
			capacity-dmips-mhz = <1024>;
			dynamic-power-coefficient = <180>;
			operating-points-v2 = <&opps>;'
}

@test "the power of thermal zones is rescaled in source" {
	coeffs
	printf '&cpu0 { #cooling-cells = <2>; };\n/ { thermal-zones { soc-thermal {
	sustainable-power = <1000>; /* mW */
	cooling-maps { map0 { cooling-device = <&cpu0 0 1>; }; }; }; }; };\n' >> board.dts
	edited apply --scale-sustainable-power --all-files board.dts coeffs.json ||
		[[ $stderr == *"change by other"* ]]
	[ "$(grep -c 'sustainable-power = <2000>; /\* mW \*/' board.dts)" -eq 1 ]
	grep -q 'coefficient = <180>' soc.dtsi
}

@test "git am takes the patch of all that apply writes, and its subject names it" {
	coeffs 1024
	git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -q -m base
	git config user.name a && git config user.email a@b
	"$FDTEDIT" apply --capacity --all-files --patch --format git-am board.dts coeffs.json \
		> ../mail 2> ../talk
	grep -q '^Subject: \[PATCH\] dts: soc: update dynamic-power-coefficient, capacity-dmips-mhz$' ../mail
	git am -q ../mail
	[ "$("$FDTEDIT" get board.dts cpu0 capacity-dmips-mhz)" = 1024 ]
	[ "$("$FDTEDIT" get board.dts cpu0 dynamic-power-coefficient)" = 180 ]
}

@test "only the coefficient is edited where source does not compile" {
	coeffs 1024
	printf '#include "missing.dtsi"\n' >> board.dts
	refused "only the coefficient is edited where source does not compile: " \
		apply --capacity --all-files board.dts coeffs.json
	run --separate-stderr "$FDTEDIT" apply --all-files board.dts coeffs.json
	[ "$status" -eq 0 ]
	[[ $stderr == *"note: not compiled before and after"* ]]
}
