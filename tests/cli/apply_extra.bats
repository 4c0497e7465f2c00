#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit apply --capacity, --opp-microwatt, --scale-sustainable-power: all or none.

bats_require_minimum_version 1.5.0

load fdtedit

# opp HZ [UW] - one OPP of coeffs.json
opp() {
	printf '{"hz": %s, "microvolt": 1000000, "kernel-microwatt": 1, "inefficient": false%s}' \
		"$1" "${2:+, \"opp-microwatt\": $2}"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$TOP/tests/data/big-little.dts" board.dts
	cat >> board.dts <<-'END'
		&big0 { dynamic-power-coefficient = <300>; #cooling-cells = <2>; };
		&little0 { dynamic-power-coefficient = <100>; };
		/ {
			fan: fan { #cooling-cells = <1>; };
			thermal-zones {
				big-thermal {
					sustainable-power = <2000>;
					cooling-maps {
						map0 { cooling-device = <&big0 0 3>, <&big1 0 3>; };
						map1 { cooling-device = <&fan 1>, <&big0 0 3>; };
					};
				};
				all-thermal {
					cooling-maps {
						map0 { cooling-device = <&big0 0 3>, <&little0 0 1>; };
					};
				};
				gpu-thermal {
					sustainable-power = <777>;
					cooling-maps { map0 { cooling-device = <&fan 1>; }; };
				};
			};
		};
	END
	build
	LITTLE_OPPS="$(opp 500000000 41000), $(opp 1000000000 92000)"
	BIG_OPPS="$(opp 800000000 250000), $(opp 1200000000 370000), $(opp 2000000000 970000)"
	coeffs "$LITTLE_OPPS" "$BIG_OPPS" > coeffs.json
}

build() {
	dtc -q -@ -b 0x101 -p 512 -I dts -O dtb -o board.dtb board.dts
	cp board.dtb before.dtb
}

# coeffs LITTLE_OPPS BIG_OPPS [BIG_COEFFICIENT]
coeffs() {
	printf '{"schema": "calib-coeffs/1", "clusters": [
		{"name": "a7", "match": {"compatible": "arm,cortex-a7"},
		"dynamic-power-coefficient": 90, "capacity-dmips-mhz": 378, "opps": [%s]},
		{"name": "a15", "match": {"compatible": "arm,cortex-a15"},
		"dynamic-power-coefficient": %s, "capacity-dmips-mhz": 1024, "opps": [%s]}]}\n' \
		"$1" "${3:-330}" "$2"
}

@test "--capacity writes all CPUs, with the coefficient" {
	run --separate-stderr "$FDTEDIT" apply --capacity --all-cpus board.dtb coeffs.json
	[ "$status" -eq 0 ]
	[[ $output == *"/cpus/cpu@100: capacity-dmips-mhz: 400 -> 378 (a7)"* ]]
	[[ $output == *"/cpus/cpu@0: capacity-dmips-mhz: none -> 1024 (a15)"* ]]
	[ "${lines[8]}" = "board.dtb: 4 CPU node(s) changed, 0 right already; 4 other properties changed" ]
	[ "$(changed | grep -c capacity)" -eq 6 ]
	[ "$(changed | wc -l)" -eq 12 ]
	for cpu in 100:378 101:378 0:1024 1:1024; do
		[ "$(fdtget board.dtb "/cpus/cpu@${cpu%:*}" capacity-dmips-mhz)" = "${cpu#*:}" ]
	done
	# It is not about the node below the CPU.
	[ "$(fdtget board.dtb /cpus/cpu@100/idle capacity-dmips-mhz)" = 1 ]
	run "$FDTEDIT" apply --capacity --all-cpus board.dtb coeffs.json
	[ "$output" = "board.dtb: nothing to do, 4 CPU node(s) right already" ]
}

@test "--capacity is refused where a cluster lacks it or a CPU has no cluster" {
	sed 's/"capacity-dmips-mhz": 378, //' coeffs.json > c.json
	refused "cluster 'a7' has no capacity-dmips-mhz" apply --capacity board.dtb c.json
	echo '{"schema": "calib-coeffs/1", "clusters": [{"name": "a7",
		"match": {"compatible": "arm,cortex-a7"}, "dynamic-power-coefficient": 90,
		"capacity-dmips-mhz": 378}]}' > c.json
	refused "no cluster matches CPU node '/cpus/cpu@0'" apply --capacity board.dtb c.json
}

@test "--opp-microwatt writes every OPP of the tables and says what that means" {
	run --separate-stderr "$FDTEDIT" apply --opp-microwatt board.dtb coeffs.json
	[ "$status" -eq 0 ]
	[ "$(grep -c "the kernel takes opp-microwatt from now on and ignores the coefficient" \
		<<< "$stderr")" -eq 2 ]
	[[ $output == *"/opp-table-0/opp-500000000: opp-microwatt: none -> 41000 (a7)"* ]]
	[ "$(changed | grep -c 'opp-microwatt')" -eq 5 ]
	[ "$(fdtget board.dtb /opp-table-1/opp-2000000000 opp-microwatt)" = 970000 ]
	[ "$(fdtget board.dtb /opp-table-0/opp-1000000000 opp-microwatt)" = 92000 ]
	"$FDTEDIT" show board.dtb | grep -q "energy model from opp-microwatt"
}

@test "--opp-microwatt is for all OPPs or none" {
	coeffs "$(opp 500000000 41000), $(opp 1000000000)" "$BIG_OPPS" > c.json
	refused "'/opp-table-0/opp-1000000000': cluster 'a7' has no opp-microwatt for 1000000000 Hz" \
		apply --opp-microwatt board.dtb c.json
	coeffs "$LITTLE_OPPS, $(opp 1500000000 99)" "$BIG_OPPS" > c.json
	refused "cluster 'a7': opp-microwatt of 1500000000 Hz is of no OPP in '/opp-table-0'" \
		apply --opp-microwatt board.dtb c.json
	# A disabled OPP needs none, and a disabled one may have it.
	sed -i 's/^\t\topp-500000000 {/&\n\t\t\tstatus = "disabled";/' board.dts
	build
	"$FDTEDIT" apply -n --opp-microwatt board.dtb coeffs.json
	coeffs "$(opp 1000000000 92000)" "$BIG_OPPS" > c.json
	run "$FDTEDIT" apply -n --opp-microwatt board.dtb c.json
	[ "$status" -eq 0 ]
	[[ $output != *opp-500000000* ]]
}

@test "--opp-microwatt and several regulators or named values" {
	sed 's/opp-microvolt = <900000>;/opp-microvolt = <900000>, <800000>;/' -i board.dts
	build
	refused "'/opp-table-0': its OPPs have values of different numbers of regulators" \
		apply --opp-microwatt board.dtb coeffs.json
	sed 's/opp-microvolt = <900000>, <800000>;/opp-microvolt = <900000>; opp-microwatt-fast = <1>;/' \
		-i board.dts
	build
	refused "opp-microwatt-fast is there, which the kernel takes first" \
		apply --opp-microwatt board.dtb coeffs.json
}

# volts "A" "B" SUPPLIES - opp-microvolt of the little cluster's OPPs
volts() {
	cp board.orig board.dts
	sed -i "s/opp-microvolt = <900000>;/opp-microvolt = $1;/
		s/opp-microvolt = <1000000 950000 1050000>;/opp-microvolt = $2;/" board.dts
	for s in $3; do
		printf '/ { %s: %s { }; };\n&little0 { %s-supply = <&%s>; };\n' "$s" "$s" "$s" "$s"
	done >> board.dts
	build
}

@test "three numbers are <target min max>, or of three regulators that have a supply each" {
	cp board.dts board.orig
	three="'/opp-table-0': its voltages are of 3 regulators, each of which needs its own"
	# No more than two supplies: these are triplets.
	for s in "" cpu "proc sram"; do
		volts "<900000 850000 1100000>" "<1000000 950000 1100000>" "$s"
		"$FDTEDIT" apply --opp-microwatt board.dtb coeffs.json
	done
	# A minimum above the target is none.
	volts "<900000>, <950000>, <800000>" "<1000000>, <950000>, <900000>" "a b c"
	refused "$three" apply --opp-microwatt board.dtb coeffs.json
	run "$FDTEDIT" show board.dtb
	[[ $output == *"voltages of 3 regulators: mV is the first one's"* ]]
	"$FDTEDIT" show --json board.dtb | grep -q '"regulators": 3'
	# It may be either.
	volts "<900000 850000 950000>" "<1000000 950000 1100000>" "a b c"
	refused "'/opp-table-0': nothing tells whether opp-microvolt is <target min max> or of \
several regulators (a CPU node has 3 supplies)" apply --opp-microwatt board.dtb coeffs.json
	run "$FDTEDIT" show board.dtb
	[[ $output == *"opp-microvolt may be <target min max> or of several regulators (3 \
supplies): mV is its first number"* ]]
	[[ $output == *"        500        900 "* ]]
	[ "$("$FDTEDIT" show --json board.dtb | grep -c '"regulators": 1')" -eq 1 ]
	# Another OPP tells: it has one number, or nine.
	volts "<900000 850000 950000>" "<1000000>" "a b c"
	"$FDTEDIT" apply --opp-microwatt board.dtb coeffs.json
	volts "<900000>, <850000>, <950000>" "<1 1 1>, <2 2 2>, <3 3 3>" "a b c"
	refused "$three" apply --opp-microwatt board.dtb coeffs.json
	# So does another property of an OPP.
	volts "<900000 850000 950000>; opp-microamp = <1 2 3>" "<1000000 950000 1100000>" "a b c"
	refused "$three" apply --opp-microwatt board.dtb coeffs.json
	volts "<900000 850000 950000>; opp-microamp = <1>" "<1000000 950000 1100000>" "a b c"
	"$FDTEDIT" apply --opp-microwatt board.dtb coeffs.json
	# Triplets of two regulators.
	volts "<9 8 9>, <9 8 9>" "<10 9 11>, <12 10 12>" "a b"
	refused "'/opp-table-0': its voltages are of 2 regulators" \
		apply --opp-microwatt board.dtb coeffs.json
}

@test "show adds up opp-microwatt of several regulators, as the kernel does" {
	cp board.dts board.orig
	volts "<9>, <8>; opp-microwatt = <30000>, <4000>" \
		"<10>, <9>; opp-microwatt = <60000>, <5000>" "a b"
	"$FDTEDIT" show --json board.dtb | grep -q '"kernel-microwatt": 34000'
	run "$FDTEDIT" show board.dtb
	[[ $output == *"  65000  "* ]]
	volts "<9>, <8>; opp-microwatt = <0xffffffff>, <1>" "<10>, <9>" "a b"
	run "$FDTEDIT" show board.dtb
	[ "$status" -eq 2 ]
	[[ $output == *"/opp-table-0/opp-500000000: opp-microwatt adds up to more than 4294967295" ]]
}

@test "clusters that share an OPP table must agree on its power" {
	sed -i 's/operating-points-v2 = <&big_opps>;/operating-points-v2 = <\&little_opps>;/;
		s/^\t\topp-shared;//' board.dts
	build
	refused "'/opp-table-0': clusters 'a7' and 'a15' share this OPP table, and their opp-microwatt differ" \
		apply --opp-microwatt board.dtb coeffs.json
	coeffs "$LITTLE_OPPS" "$LITTLE_OPPS" > c.json
	run "$FDTEDIT" apply --opp-microwatt board.dtb c.json
	[ "$status" -eq 0 ]
	[ "$(changed | grep -c opp-microwatt)" -eq 2 ]
	cp before.dtb board.dtb
	echo '{"schema": "calib-coeffs/1", "clusters": [{"name": "a7",
		"match": {"compatible": "arm,cortex-a7"}, "dynamic-power-coefficient": 90,
		"opps": ['"$LITTLE_OPPS"']}]}' > c.json
	refused "CPU node '/cpus/cpu@0' uses this OPP table as well, and no cluster matches it" \
		apply --opp-microwatt board.dtb c.json
}

@test "--scale-sustainable-power goes by the coefficients, once" {
	run --separate-stderr "$FDTEDIT" apply --scale-sustainable-power board.dtb coeffs.json
	[ "$status" -eq 0 ]
	# 300 -> 330: 2000 mW -> 2200 mW. The zone of the fan alone stays.
	[[ $output == *"/thermal-zones/big-thermal: sustainable-power: 2000 -> 2200 (factor 1.1)"* ]]
	[[ $stderr == *"'/thermal-zones/big-thermal' cools other devices than CPUs as well"* ]]
	[ "$(fdtget board.dtb /thermal-zones/gpu-thermal sustainable-power)" = 777 ]
	[ "$(changed | grep -c sustainable)" -eq 2 ]
	run "$FDTEDIT" apply --scale-sustainable-power board.dtb coeffs.json
	[[ $output == *"nothing to do"* ]]
	[ "$(fdtget board.dtb /thermal-zones/big-thermal sustainable-power)" = 2200 ]
}

@test "--scale-sustainable-power is refused where the factors differ or are not known" {
	sed -i 's/all-thermal {/& sustainable-power = <3000>;/' board.dts
	build
	refused "'/thermal-zones/all-thermal': the coefficients of its CPUs change by other factors each, 1.1 (a15), 0.9 (a7); leave --scale-sustainable-power out and write its sustainable-power (now 3000) with 'fdtedit set'" \
		apply --scale-sustainable-power board.dtb coeffs.json
	# 300 -> 270 and 100 -> 90 are one factor.
	coeffs "$LITTLE_OPPS" "$BIG_OPPS" 270 > c.json
	"$FDTEDIT" apply --scale-sustainable-power board.dtb c.json
	[ "$(fdtget board.dtb /thermal-zones/all-thermal sustainable-power)" = 2700 ]
	cp before.dtb board.dtb
	sed -i 's/^&little0.*//' board.dts
	build
	refused "CPU node '/cpus/cpu@100' had no coefficient" \
		apply --scale-sustainable-power board.dtb coeffs.json
	refused "give one of them" \
		apply --scale-sustainable-power --opp-microwatt board.dtb coeffs.json
}

@test "without such a zone there is nothing to rescale, and that is said" {
	sed -i 's/sustainable-power = <2000>;//' board.dts
	build
	run --separate-stderr "$FDTEDIT" apply --scale-sustainable-power board.dtb coeffs.json
	[ "$status" -eq 0 ]
	[[ $stderr == *"no thermal zone with sustainable-power cools these CPUs"* ]]
}

@test "all of it in an overlay or a fragment, and source says to take that" {
	"$FDTEDIT" apply --capacity --opp-microwatt --overlay -o new.dtbo board.dtb coeffs.json
	fdtoverlay -i before.dtb -o merged.dtb new.dtbo
	"$FDTEDIT" apply --capacity --opp-microwatt board.dtb coeffs.json
	[ "$(fdtget merged.dtb /opp-table-1/opp-800000000 opp-microwatt)" = 250000 ]
	[ "$(fdtget merged.dtb /cpus/cpu@101 capacity-dmips-mhz)" = 378 ]
	cp before.dtb board.dtb
	"$FDTEDIT" apply --capacity --dtsi-fragment board.dts coeffs.json > f.dtsi
	cat board.dts f.dtsi | dtc -q -I dts -O dtb -o both.dtb
	[ "$(fdtget both.dtb /cpus/cpu@1 capacity-dmips-mhz)" = 1024 ]
}
