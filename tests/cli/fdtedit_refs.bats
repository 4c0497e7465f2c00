#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit delete and what points to the node that goes.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cat > board.dts <<-'END'
		/dts-v1/;
		/ {
			#address-cells = <1>;
			#size-cells = <1>;
			aliases { serial0 = &uart; serial1 = "/bus/uart@2"; };
			chosen { stdout-path = "serial0:115200n8"; };
			osc: osc { #clock-cells = <0>; };
			cc: clock-controller { #clock-cells = <1>; };
			other: other { #clock-cells = <2>; unused; };
			intc: intc { #interrupt-cells = <3>; #address-cells = <0>; interrupt-controller; };
			gpio: gpio { #gpio-cells = <2>; gpio-controller; gpio-ranges = <&pins 0 0 8>; };
			pins: pins { state: state { }; };
			ldo: ldo { };
			bus {
				#address-cells = <1>;
				#size-cells = <1>;
				uart: uart@1 {
					reg = <1 1>;
					clocks = <&osc>, <0>, <&cc 3>, <&other 3 4>;
					pinctrl-0 = <&state>;
					vdd-supply = <&ldo>;
					reset-gpios = <&gpio 1 0>;
				};
				uart@2 { reg = <2 1>; interrupts-extended = <&intc 1 2 3>; };
				mine: pcie@3 {
					reg = <3 1>;
					#address-cells = <3>;
					#interrupt-cells = <1>;
					interrupt-map = <0 0 0 1 &intc 1 2 3>, <0 0 0 2 &last 7>;
					msi-map = <0 &msi 0 0x100>;
				};
				msi: msi@4 { reg = <4 1>; };
				last: last@5 { reg = <5 1>; #interrupt-cells = <1>; };
				vendor@6 { reg = <6 1>; vendor,syscon = <&sys 4>; n = <1 2 3 4 5 6 7 8 9 10>; };
				sys: sys@7 { reg = <7 1>; own = <&in>; phys = <&in>; in: in { }; };
				hog: hog@8 { gpio-hog; gpios = <1 0>; reg = <8 1>; };
			};
		};
	END
	dtc -q -@ -I dts -O dtb -o board.dtb board.dts
	cp board.dtb before.dtb
}

# points PROPERTY FROM NODE [MORE] - deleting NODE is refused for that property
points() {
	run --separate-stderr "$FDTEDIT" delete board.dtb "$3"
	[ "$status" -eq 2 ] && [ -z "$output" ] || { echo "$output"; false; }
	[ "$stderr" = "fdtedit delete: error: 'board.dtb': $1 of '$2' points to '$3'${4:-}; change \
that first, or give --force" ] || { echo "$stderr"; false; }
	cmp board.dtb before.dtb
}

@test "a node that a property points to is not deleted, and the property is named" {
	points clocks /bus/uart@1 /osc
	points clocks /bus/uart@1 /clock-controller
	points clocks /bus/uart@1 /other
	points pinctrl-0 /bus/uart@1 /pins/state
	points gpio-ranges /gpio /pins
	points vdd-supply /bus/uart@1 /ldo
	points reset-gpios /bus/uart@1 /gpio
	points interrupts-extended /bus/uart@2 /intc
	points interrupt-map /bus/pcie@3 /bus/last@5
	points msi-map /bus/pcie@3 /bus/msi@4
	points vendor,syscon /bus/vendor@6 /bus/sys@7
	points stdout-path /chosen /bus/uart@1
	points stdout-path /chosen /bus ", to a node below"
	# Numbers are no phandles, and what a node says of its own nodes goes with it.
	"$FDTEDIT" delete -o out.dtb board.dtb /bus/hog@8
	"$FDTEDIT" delete -o out.dtb board.dtb /bus/sys@7/in && false
	"$FDTEDIT" delete board.dtb /bus/vendor@6
	"$FDTEDIT" delete board.dtb /bus/sys@7
}

@test "aliases and labels go with their node, with --force also what points to it" {
	run --separate-stderr "$FDTEDIT" delete board.dtb /bus/uart@2
	[ "$status" -eq 0 ]
	[ "$output" = "/bus/uart@2: node deleted
/aliases: serial1: /bus/uart@2 -> none (its node goes)
board.dtb: 2 changes" ] || { echo "$output"; false; }
	"$FDTEDIT" delete --force board.dtb /bus > out
	grep -qx "/aliases: serial0: /bus/uart@1 -> none (its node goes)" out
	for label in uart mine msi last sys in hog; do
		grep -q "^/__symbols__: $label: /bus/.* -> none (its node goes)$" out
	done
	[ "$(wc -l < out)" -eq 10 ]
	[ "$("$FDTEDIT" get board.dtb /__symbols__ osc)" = /osc ]
	[ "$(dtc -q -I dtb -O dts board.dtb | grep -c /bus)" -eq 0 ]
	# These hold names only, and can go as any other node.
	"$FDTEDIT" delete board.dtb /__symbols__
	"$FDTEDIT" delete --force board.dtb /aliases
}

@test "a phandle that something points to is neither deleted nor changed" {
	points clocks /bus/uart@1 /osc
	phandle=$("$FDTEDIT" get board.dtb /osc phandle)
	run --separate-stderr "$FDTEDIT" delete board.dtb /osc phandle
	[ "$status" -eq 2 ]
	[[ $stderr == *"clocks of '/bus/uart@1' points to '/osc'; change that first, or give --force" ]]
	run --separate-stderr "$FDTEDIT" set board.dtb /osc phandle 99
	[ "$status" -eq 2 ]
	[[ $stderr == *"clocks of '/bus/uart@1' points to '/osc'; change that first" ]]
	cmp board.dtb before.dtb
	"$FDTEDIT" delete --force board.dtb /osc phandle
	"$FDTEDIT" set board.dtb /osc phandle "$phandle"
	# Of the nodes below only the node's own matters.
	"$FDTEDIT" delete board.dtb /pins phandle && false
	"$FDTEDIT" delete board.dtb /gpio gpio-ranges
	"$FDTEDIT" delete board.dtb /pins phandle
}

@test "vendors' numbers that may be references to what goes are told of" {
	sed -i "s/^\t*ldo: .*/&\nreg1: one { acme,self = <\&reg1>; in1: in { }; };\n\
		two { acme,link = <0x7777 \&in1>; acme,list = <\&reg1 1>, <\&in1>; acme,text = \"abc\"; \
		acme,odd = [01 02]; acme,none; };/" board.dts
	dtc -q -@ -I dts -O dtb -o board.dtb board.dts
	cp board.dtb before.dtb
	number() { printf '0x%x' "$(fdtget -t u board.dtb "$1" phandle)"; }
	run --separate-stderr "$FDTEDIT" delete board.dtb /one
	[ "$status" -eq 0 ]
	[ "$stderr" = "fdtedit delete: note: acme,link of '/two' holds $(
		cp before.dtb board.dtb && number /one/in), the phandle of '/one/in': whether it points there is not known here, nor of 1 more" ] || { echo "$stderr"; false; }
	run --separate-stderr "$FDTEDIT" delete --force board.dtb /one phandle
	[ "$stderr" = "fdtedit delete: note: acme,list of '/two' holds $(
		cp before.dtb board.dtb && number /one), the phandle of '/one': whether it points there is not known here" ] || { echo "$stderr"; false; }
	"$FDTEDIT" delete board.dtb /two
	run --separate-stderr "$FDTEDIT" delete board.dtb /one
	[ "$status" -eq 0 ] && [ -z "$stderr" ]
	# Source does not compile without what it refers to.
	run --separate-stderr "$FDTEDIT" delete board.dts /one
	[ "$status" -eq 2 ]
}

@test "__local_fixups__ tells what no binding does, and __fixups__ lose their places" {
	cat > o.dts <<-'END'
		/dts-v1/;
		/plugin/;
		&soc {
			a: a { vendor,thing = <1 &b>; x = <&far>; };
			b: b { clocks = <&far 1>, <&far 2>; };
			c: c { clocks = <&far 3>; only = <&near>; y = <&a>; };
		};
	END
	dtc -q -@ -I dts -O dtb -o o.dtbo o.dts
	top=/fragment@0/__overlay__
	run --separate-stderr "$FDTEDIT" delete o.dtbo $top/b
	[ "$status" -eq 2 ]
	[[ $stderr == *"vendor,thing of '$top/a' points to '$top/b'"* ]] || { echo "$stderr"; false; }
	"$FDTEDIT" delete o.dtbo $top/c
	run "$FDTEDIT" get o.dtbo /__fixups__ far
	[ "$output" = "$(printf '%s\n' $top/a:x:0 $top/b:clocks:0 $top/b:clocks:8)" ] ||
		{ echo "$output"; false; }
	run "$FDTEDIT" get o.dtbo /__fixups__ near
	[ "$status" -eq 1 ]
	"$FDTEDIT" delete o.dtbo $top/a vendor,thing > out
	grep -qx "/__local_fixups__$top/a: vendor,thing: .* -> none (its property goes)" out ||
		{ cat out; false; }
	"$FDTEDIT" delete o.dtbo $top/b > out
	"$FDTEDIT" delete o.dtbo $top/a x
	printf '/dts-v1/; / { soc: soc { }; far: far { }; };' | dtc -q -@ -o base.dtb -
	fdtoverlay -i base.dtb -o merged.dtb o.dtbo
	[ "$(dtc -q -I dtb -O dts merged.dtb | grep -c 'far\|fragment')" -eq 2 ] ||
		{ dtc -q -I dtb -O dts merged.dtb; false; }
}

@test "the same in source" {
	cp board.dts before.dts
	run --separate-stderr "$FDTEDIT" delete board.dts /osc
	[ "$status" -eq 2 ] && [ -z "$output" ]
	[ "$stderr" = "fdtedit delete: error: 'board.dts': clocks of '/bus/uart@1' points to '/osc'; \
change that first" ] || { echo "$stderr"; false; }
	cmp board.dts before.dts
	"$FDTEDIT" delete board.dts /bus/uart@2
	run diff before.dts board.dts
	[ "$(grep -c '^[<>]' <<< "$output")" -eq 3 ] || { echo "$output"; false; }
	[[ $output != *'serial1'*'> '*serial1* && $output == *'uart@2 {'* ]]
	dtc -q -O dtb -o after.dtb board.dts
	run "$FDTEDIT" get after.dtb /aliases serial1
	[ "$status" -eq 1 ]
	[ "$("$FDTEDIT" get after.dtb /aliases serial0)" = /bus/uart@1 ]
}
