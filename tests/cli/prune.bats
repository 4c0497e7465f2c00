#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit prune: the OPPs that a faster one beats, and no other.

bats_require_minimum_version 1.5.0

load fdtedit

# little: 300 MHz at the voltage of 500 MHz. big: 800 MHz at that of 1200 MHz; and 1500
# MHz at that of 2000 MHz, which is turbo.
setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$TOP/tests/data/big-little.dts" board.dts
	cat >> board.dts <<-'END'
		&little0 { dynamic-power-coefficient = <90>; };
		&big0 { dynamic-power-coefficient = <310>; capacity-dmips-mhz = <1024>; };
		&big1 { capacity-dmips-mhz = <1024>; };
		&little_opps {
			slow: opp-300000000 {
				opp-hz = /bits/ 64 <300000000>;
				opp-microvolt = <900000>;
			};
		};
		&big_opps {
			opp-1500000000 {
				opp-hz = /bits/ 64 <1500000000>;
				opp-microvolt = <1250000>;
			};
		};
	END
	build
}

build() {
	dtc -q -@ -b 0x101 -p 512 -I dts -O dtb -o board.dtb board.dts
	cp board.dtb before.dtb
}

@test "prune disables what a faster OPP beats and prints the complexity" {
	"$FDTEDIT" show board.dtb > show
	[ "$(grep -c inefficient show)" -eq 3 ]
	run --separate-stderr "$FDTEDIT" prune board.dtb
	[ "$status" -eq 0 ]
	[ "$stderr" = "fdtedit prune: note: '/opp-table-1': 1500 MHz is inefficient but stays: only an OPP with turbo-mode beats it" ]
	[ "${lines[0]}" = "/opp-table-0/opp-300000000: status: none -> disabled (500 MHz costs no more)" ]
	[ "${lines[1]}" = "/opp-table-1/opp-800000000: status: none -> disabled (1200 MHz costs no more)" ]
	[ "${lines[2]}" = "board.dtb: 2 changes" ]
	# Two domains, four CPUs, three and four OPPs.
	[ "${lines[3]}" = "board.dtb: energy model complexity 2 x 11 = 22 -> 2 x 9 = 18 (domains x (CPUs + states))" ]
	[ "$(changed)" = '> status = "disabled";
> status = "disabled";' ]
	"$FDTEDIT" show board.dtb > show
	[ "$(grep -c inefficient show)" -eq 1 ]
	cp board.dtb before.dtb
	run "$FDTEDIT" prune board.dtb
	[ "$status" -eq 0 ]
	[[ $output == *"board.dtb: nothing to do"*"2 x 9 = 18 -> 2 x 9 = 18"* ]]
	cmp board.dtb before.dtb
}

@test "prune --remove deletes the nodes with their labels, and nothing else" {
	run --separate-stderr "$FDTEDIT" prune --remove board.dtb
	[ "$status" -eq 0 ]
	[[ $output == *"/opp-table-0/opp-300000000: node deleted (500 MHz costs no more)"* ]]
	[[ $output == *"/__symbols__: slow: /opp-table-0/opp-300000000 -> none (its node goes)"* ]]
	[ "$(changed | grep -c '^>')" -eq 0 ]
	[ "$(changed | grep -c 'opp-hz')" -eq 2 ]
	[ "$(changed | grep -c 'slow = ')" -eq 1 ]
	[ "$(fdtget -l board.dtb /opp-table-0 | tr '\n' ' ')" = "opp-500000000 opp-1000000000 " ]
	run fdtget board.dtb /__symbols__ slow
	[ "$status" -ne 0 ]
}

@test "prune -n shows, -o writes elsewhere" {
	run "$FDTEDIT" prune -n board.dtb
	[ "$status" -eq 0 ]
	[[ $output == *"2 changes would be made"*"22 -> 2 x 9 = 18"* ]]
	cmp board.dtb before.dtb
	"$FDTEDIT" prune -o new.dtb board.dtb
	cmp board.dtb before.dtb
	[ "$(fdtget new.dtb /opp-table-0/opp-300000000 status)" = disabled ]
	refused "standard input cannot be edited in place" prune -
}

@test "OPPs that others name stay" {
	cat >> board.dts <<-'END'
		&slow { opp-suspend; };
		&{/opp-table-1/opp-800000000} { phandle = <0x77>; };
		/ { domain { required-opps = <&slow>, <0x77>; }; };
	END
	build
	run --separate-stderr "$FDTEDIT" prune --remove board.dtb
	[ "$status" -eq 0 ]
	[[ $stderr == *"'/opp-table-0': 300 MHz is inefficient but stays: opp-suspend"* ]]
	[[ $stderr == *"'/opp-table-1': 800 MHz is inefficient but stays: required-opps points to it"* ]]
	cmp board.dtb before.dtb
	sed -i 's/required-opps/suspend-opp/; s/opp-suspend;//' board.dts
	build
	run --separate-stderr "$FDTEDIT" prune board.dtb
	[[ $stderr == *"300 MHz is inefficient but stays: suspend-opp points to it"* ]]
	cmp board.dtb before.dtb
}

@test "tables that nobody can judge are left alone, and said" {
	sed -i 's/^&little0 { dynamic.*//' board.dts
	build
	run --separate-stderr "$FDTEDIT" prune board.dtb
	[ "$status" -eq 0 ]
	[[ $stderr == *"'/opp-table-0' is left alone: no energy model: no dynamic-power-coefficient"* ]]
	[ "$(changed | wc -l)" -eq 1 ]
	cp before.dtb board.dtb
	sed -i '/^&big0/d' board.dts
	build
	refused "nothing tells which OPPs are inefficient" prune board.dtb
	echo '&big0 { dynamic-power-coefficient = <310>; };
		&{/opp-table-1/opp-2000000000} { opp-supported-hw = <1>; };' >> board.dts
	build
	refused "'/opp-table-1': opp-supported-hw: which OPPs a chip has is not known" \
		prune board.dtb
}

@test "COEFFS stand in for the tree's coefficients, and are not written" {
	sed -i '/^&little0/d; /^&big0/d' board.dts
	build
	refused "no dynamic-power-coefficient; where coefficients are missing, give COEFFS" \
		prune board.dtb
	echo '{"schema": "calib-coeffs/1", "clusters": [
		{"name": "a7", "match": {"compatible": "arm,cortex-a7"},
		"dynamic-power-coefficient": 90}]}' > c.json
	run "$FDTEDIT" prune board.dtb c.json
	[ "$status" -eq 0 ]
	[ "$(changed)" = '> status = "disabled";' ]
	cp before.dtb board.dtb
	sed -i s/cortex-a7/cortex-a5/ c.json
	refused "matches no CPU node" prune board.dtb c.json
	refused "--patch is for source" prune --patch board.dtb
}

@test "COEFFS may match by label, are never the output, and what they miss is said" {
	sed -i '/^&little0/d; /^&big0/d' board.dts
	build
	echo '{"schema": "calib-coeffs/1", "clusters": [
		{"name": "a7", "match": {"paths": ["&little0", "/cpus/none"]},
		"dynamic-power-coefficient": 90}]}' > c.json
	cp c.json c.orig
	ln c.json hard.json
	refused "output 'c.json' is the input 'c.json'" prune -o c.json board.dtb c.json
	refused "output 'hard.json' is the input 'c.json'" prune -o hard.json board.dtb c.json
	cmp c.json c.orig
	run --separate-stderr "$FDTEDIT" prune board.dtb c.json
	[ "$status" -eq 0 ]
	[ "$(changed)" = '> status = "disabled";' ]
	[[ $stderr == *"warning: cluster 'a7': no CPU node '/cpus/none'"* ]]
}

@test "opp-microwatt in the tree goes before the coefficient" {
	for opp in 500000000:50000 1000000000:120000 300000000:20000; do
		"$FDTEDIT" set board.dtb "/opp-table-0/opp-${opp%:*}" opp-microwatt "${opp#*:}"
	done
	cp board.dtb before.dtb
	"$FDTEDIT" prune board.dtb > out
	[ "$(grep -c opp-table-0 out)" -eq 0 ]
	[ "$(grep -c opp-table-1 out)" -eq 1 ]
}

@test "a cooling map that counts more states than are left is warned of" {
	cat >> board.dts <<-'END'
		/ { thermal-zones { zone { cooling-maps {
			map0 { cooling-device = <&little0 0 2>, <&little1 0 2>, <&big0 0 0xffffffff>; };
			map1 { cooling-device = <&little0 0 1>; };
		}; }; }; };
	END
	build
	run --separate-stderr "$FDTEDIT" prune board.dtb
	[ "$status" -eq 0 ]
	[ "$(grep -c warning <<< "$stderr")" -eq 1 ]
	[[ $stderr == *"map0': cooling-device names state 2 of '/cpus/cpu@100', and 0..1 are left: the kernel will not bind it"* ]]
}

@test "prune finds the tree inside of other files" {
	cat before.dtb before.dtb > two.dtb
	refused "--index" prune two.dtb
	"$FDTEDIT" prune --index 1 two.dtb
	"$FDTEDIT" prune board.dtb
	cat before.dtb board.dtb | cmp - two.dtb
}

@test "a report that cannot be written leaves the tree as it was" {
	[ -e /dev/full ] || skip "no /dev/full"
	cp board.dtb before.dtb
	cp board.dts before.dts
	for file in board.dtb board.dts; do
		for args in "" --remove --backup; do
			# shellcheck disable=SC2016
			run sh -c '"$FDTEDIT" prune $1 $2 2>&1 > /dev/full' - "$args" $file
			[ "$status" -eq 2 ]
			[ "${lines[-1]}" = "fdtedit prune: error: '$file' is as before, since the \
report of it is not written: cannot write standard output: No space left on device" ]
			cmp $file before.${file#*.}
			[ ! -e $file.orig ]
		done
	done
}
