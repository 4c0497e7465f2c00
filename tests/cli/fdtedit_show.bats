#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit show: the tree's facts and the kernel's numbers, for people and machines.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	src="$TOP/tests/data/big-little.dts"
	# The big domain's first CPU has a coefficient, both have a capacity.
	sed -e 's/<&big_opps>;/& capacity-dmips-mhz = <1000>;/' \
		-e '/big0: cpu@0/a dynamic-power-coefficient = <310>;' "$src" |
		dtc -q -O dtb -o board.dtb
}

@test "show prints CPUs, OPPs, the kernel's power and cost, inefficient OPPs" {
	run --separate-stderr "$FDTEDIT" show board.dtb
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	# 310 * 1000^2 * 800 / 10^6; cost 10 * uW / performance; 800 and 1200 MHz share 1 V. The
	# little capacity is 1024 * 400 * 1000 / (1000 * 1200): turbo OPPs do not count.
	diff - <(echo "$output") <<- 'END'
		board.dtb: test,big-little (fdtedit test board)

		domain 0: 2 CPU(s), capacity 341, OPPs in /opp-table-0
		  CPU node                     reg  capacity-dmips-mhz   power-coefficient  compatible
		  /cpus/cpu@100              0x100                 400                   -  arm,cortex-a7
		  /cpus/cpu@101              0x101                 400                   -  arm,cortex-a7
		  no energy model: no coefficient on the first CPU, no opp-microwatt
		         MHz         mV          uW  performance        cost
		         500        900           -            -           -
		        1000       1000           -            -           -

		domain 1: 2 CPU(s), capacity 1024, OPPs in /opp-table-1
		  CPU node                     reg  capacity-dmips-mhz   power-coefficient  compatible
		  /cpus/cpu@0                  0x0                1000                 310  arm,cortex-a15
		  /cpus/cpu@1                  0x1                1000                   -  arm,cortex-a15
		  energy model from coefficient 310
		         MHz         mV          uW  performance        cost
		         800       1000      248000          409        6063  inefficient
		        1200       1000      372000          614        6058
		        2000       1250      968750         1024        9460  turbo
	END
}

@test "show --json says the same to machines" {
	run --separate-stderr "$FDTEDIT" show --json board.dtb
	[ "$status" -eq 0 ]
	command -v python3 > /dev/null || skip "no python3"
	echo "$output" > out.json
	python3 - <<- 'END'
		import json
		j = json.load(open("out.json"))
		little, big = j["domains"]
		assert big["cpus"][0] == {"path": "/cpus/cpu@0", "reg": 0,
			"compatible": ["arm,cortex-a15"], "enabled": True,
			"capacity-dmips-mhz": 1000, "dynamic-power-coefficient": 310}
		assert "dynamic-power-coefficient" not in big["cpus"][1]
		assert big["opps"][0] == {"hz": 800000000, "microvolt": 1000000,
			"kernel-microwatt": 248000, "performance": 409, "cost": 6063,
			"inefficient": True}
		assert big["opps"][2]["turbo"] is True
		assert little["power-from"] == "none" and big["power-from"] == "coefficient"
		assert little["opps"][0] == {"hz": 500000000, "microvolt": 900000}
		assert j["cpus-without-opp-table"] == []
	END
}

@test "show names what stands in the way of an energy model" {
	sed -e '/big1: cpu@1/a dynamic-power-coefficient = <310>;' "$src" | dtc -q -O dtb -o b.dtb
	run "$FDTEDIT" show b.dtb
	[[ $output == *"the kernel reads the first CPU's coefficient only, others differ"* ]]
	sed -e '/big0: cpu@0/a dynamic-power-coefficient = <310>;' \
		-e '/opp-microvolt = <1250000>/d' "$src" | dtc -q -O dtb -o b.dtb
	run "$FDTEDIT" show b.dtb
	[[ $output == *"no energy model: an OPP has no voltage (-22)"* ]]
	sed -e 's/opp-hz = .*/& opp-microwatt = <1000>;/' \
		-e '/big0: cpu@0/a dynamic-power-coefficient = <310>;' "$src" | dtc -q -O dtb -o b.dtb
	run "$FDTEDIT" show b.dtb
	[[ $output == *"energy model from opp-microwatt, which overrides the coefficient"* ]]
	sed '/operating-points-v2 = </d' "$src" | dtc -q -O dtb -o b.dtb
	run "$FDTEDIT" show b.dtb
	[[ $output == *"without OPP table (clock and voltage are not in the tree):"* ]]
	[[ $output == *"/cpus/cpu@101 "* ]]
}

@test "show takes the voltages of one speed bin" {
	sed -e 's/opp-microvolt = <1250000>/opp-microvolt-fast = <1200000>/' \
		-e '/big0: cpu@0/a dynamic-power-coefficient = <310>;' "$src" | dtc -q -O dtb -o b.dtb
	run "$FDTEDIT" show b.dtb
	[[ $output == *"speed bins (--bin): fast"* ]]
	[[ $output == *"2000     by bin"* ]]
	run "$FDTEDIT" show --bin fast b.dtb
	[[ $output == *"2000       1200      892800"* ]] || { echo "$output"; false; }
	run --separate-stderr "$FDTEDIT" show --bin slow b.dtb
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *"slow"*"fast"* ]]
}

@test "show reads a tree with bytes after it and says so" {
	{ cat board.dtb; echo; } > longer.dtb
	run --separate-stderr "$FDTEDIT" show longer.dtb
	[ "$status" -eq 0 ]
	[ "$stderr" = "fdtedit show: warning: 'longer.dtb': 1 bytes after the tree" ]
	[[ $output == *"/cpus/cpu@101"* ]]
}

@test "show refuses what is no tree of a machine" {
	for f in none.dtb .; do
		run --separate-stderr "$FDTEDIT" show "$f"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	echo '/dts-v1/; /plugin/; / { fragment@0 { target-path = "/"; __overlay__ { }; }; };' |
		dtc -q -O dtb -o o.dtbo
	run --separate-stderr "$FDTEDIT" show o.dtbo
	[ "$status" -eq 2 ]
	[[ $stderr == *"this is an overlay"* ]]
	run --separate-stderr "$FDTEDIT" show --json none.dtb
	[ "$status" -eq 2 ]
	[[ $stderr == '{"error": '* ]]
}

@test "show of source tells file and line, and the tree if it compiles" {
	cat > soc.dtsi <<- 'END'
		/ {
			cpus {
				#address-cells = <1>;
				#size-cells = <0>;
				cpu0: cpu@0 {
					compatible = "arm,cortex-a7";
					reg = <0>;
				};
				cpu@1 {
					compatible = "arm,cortex-a7";
					reg = <1>;
					dynamic-power-coefficient = <(9 * 10)>;
				};
			};
		};
	END
	printf '/dts-v1/;\n#include "soc.dtsi"\n&cpu0 {\n\tdynamic-power-coefficient = <80>;\n};\n' > b.dts
	run --separate-stderr "$FDTEDIT" show b.dts
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ $output == *"/cpus/cpu@0                  0x0                  80  b.dts:4"* ]]
	[[ $output == *"/cpus/cpu@1                  0x1          <(9 * 10)>  soc.dtsi:12"* ]]
	[[ $output == *"without OPP table"*"/cpus/cpu@1                  0x1                   -                  90  arm,cortex-a7"* ]]
	run --separate-stderr "$FDTEDIT" show soc.dtsi
	[ "$status" -eq 0 ]
	[[ $stderr == "fdtedit show: note: capacity, OPPs and power are not shown: 'soc.dtsi' does not compile alone (name the .dts that includes it): dtc: "* ]]
	[[ $output == *"/cpus/cpu@0                  0x0                   -  soc.dtsi:5 (node)"* ]]
	[[ $output != *"without OPP table"* ]]
	run --separate-stderr "$FDTEDIT" show --bin fast soc.dtsi
	[ "$status" -eq 2 ]
	[[ $stderr == *"--bin needs the OPPs"* ]]
	run --separate-stderr "$FDTEDIT" show --json soc.dtsi
	[ "$status" -eq 0 ]
	[[ $output == *'"expression": "<(9 * 10)>"'*'"line": 12'* ]] || { echo "$output"; false; }
}

@test "a compiled tree is known by its magic, whatever it is called" {
	cp board.dtb odd.dts
	run "$FDTEDIT" show odd.dts
	[ "$status" -eq 0 ]
	[[ $output == "odd.dts: test,big-little"* ]]
	run "$FDTEDIT" diff odd.dts board.dtb
	[ "$status" -eq 0 ]
}

@test "show gives the states of the Odroid-XU4 that the kernel finds inefficient" {
	tree="$SHARED/data/exynos5422-odroidxu4.post.dtb"
	[ -e "$tree" ] || skip "no $tree"
	"$FDTEDIT" show "$tree" > out
	[ "$(sed -n '/^domain 0/,/^domain 1/p' out | grep -E '^ +[0-9]+ ' | grep -n inefficient |
		cut -d: -f1 | xargs)" = "1 3 4 5 7 8 10 11" ]
	[ "$(sed -n '/^domain 1/,$p' out | grep -E '^ +[0-9.]+ ' | grep -n inefficient |
		cut -d: -f1 | xargs)" = "1 2 3 8 12 13 15 16" ]
}

@test "show names the OPPs that are disabled, as prune leaves them" {
	"$FDTEDIT" prune -o pruned.dtb board.dtb 2> /dev/null
	run --separate-stderr "$FDTEDIT" show pruned.dtb
	[ "$status" -eq 0 ]
	[[ $output != *"         800       1000"* ]]
	[ "${lines[-1]}" = "  disabled: 800 MHz" ] || { echo "$output"; false; }
	[ "$(grep -c disabled <<< "$output")" -eq 1 ]
	run --separate-stderr "$FDTEDIT" show --json pruned.dtb
	[ "$status" -eq 0 ]
	[[ $(tr -d ' \n' <<< "$output") == *'"disabled-hz":[800000000]'* ]] || { echo "$output"; false; }
}
