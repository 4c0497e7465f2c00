#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib boards: what is known, and which board this machine is.

bats_require_minimum_version 1.5.0

setup() {
	root=$BATS_TEST_TMPDIR/root
	mkdir -p "$root"
}

# tree COMPATIBLE... - a machine with this device tree below $root
tree() {
	mkdir -p "$root/sys/firmware/devicetree/base"
	printf '%s\0' "$@" > "$root/sys/firmware/devicetree/base/compatible"
}

boards() {
	run --separate-stderr "$CALIB" boards --sysroot "$root" "$@"
}

@test "a board without a sensor says how it is measured, and offers no virtual twin" {
	boards
	[[ $output != *"virtual:odroid-xu4"* ]]
	[[ $output == *"no sensor of its own: 'calib measure --power-from'"* ]]
}

@test "the list has every board with clusters, sensors, ratio and virtual twin" {
	boards
	[ "$status" -eq 0 ]
	for name in intel-hybrid juno-r2 odroid-xu3 odroid-xu4 sm8250-like tc2; do
		[[ $output == *"$name  "* ]]
		# A board without a sensor has nothing to play.
		[[ $name == odroid-xu4 || $output == *"virtual:$name"* ]]
	done
	[[ $output == *"a15  4x cortex-a15  19 OPPs 200..2000 MHz  ina231@0x40 VDD_ARM"* ]]
	[[ $output == *"a7   4x cortex-a7   13 OPPs 200..1400 MHz  ina231@0x45 VDD_KFC"* ]]
	[[ $output == *"ratio a15/a7 expected in 2..5"* ]]
}

@test "an Odroid-XU3 is known by its tree" {
	tree hardkernel,odroid-xu3 samsung,exynos5800 samsung,exynos5
	boards
	[ "$status" -eq 0 ]
	[[ $output == *"Hardkernel Odroid XU3  (this machine)"* ]]
	[[ $output != *"XU4  (this machine)"* ]]
	[ "${lines[-1]}" = "this machine: odroid-xu3" ]
}

@test "an Odroid-XU4 is no XU3, though the SoC is the same" {
	tree hardkernel,odroid-xu4 samsung,exynos5800 samsung,exynos5
	boards
	[ "${lines[-1]}" = "this machine: odroid-xu4" ]
}

@test "proc/device-tree serves where sysfs has no tree" {
	mkdir -p "$root/proc/device-tree"
	printf 'arm,juno-r2\0arm,juno\0' > "$root/proc/device-tree/compatible"
	boards
	[ "${lines[-1]}" = "this machine: juno-r2" ]
}

@test "an Intel hybrid is known by its two PMUs, and not by one" {
	mkdir -p "$root/sys/devices/cpu_core"
	echo 0-7 > "$root/sys/devices/cpu_core/cpus"
	boards
	[ "${lines[-1]}" = "this machine: none of them; it has no device tree" ]
	mkdir -p "$root/sys/devices/cpu_atom"
	echo 8-15 > "$root/sys/devices/cpu_atom/cpus"
	boards
	[ "${lines[-1]}" = "this machine: intel-hybrid" ]
}

@test "an unknown machine is told what its tree says" {
	tree acme,anvil
	boards
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "this machine: none of them; its device tree says 'acme,anvil'" ]
}

@test "one board in detail shows its operating points and the source of its band" {
	boards odroid-xu3
	[ "$status" -eq 0 ]
	[[ $output == *"CPUs 4-7, reg 0x0 0x1 0x2 0x3, capacity-dmips-mhz 1024"* ]]
	[[ $output == *"2000    1312.5"* ]]
	[[ $output == *"mainline ships 90 and 310"* ]]
	[[ $output == *"ina231@0x44 VDD_G3D"* ]]
	[[ $output != *"cortex-a53"* ]]
}

@test "JSON holds the same facts and the machine" {
	tree hardkernel,odroid-xu3
	boards --json
	[ "$status" -eq 0 ]
	echo "$output" > "$BATS_TEST_TMPDIR/boards.json"
	run python3 - "$BATS_TEST_TMPDIR/boards.json" <<-'PY'
		import json, sys
		d = json.load(open(sys.argv[1]))
		b = {x["name"]: x for x in d["boards"]}
		assert len(b) == 6
		assert d["machine"] == {"compatible": "hardkernel,odroid-xu3", "board": "odroid-xu3"}
		a7, a15 = b["odroid-xu3"]["clusters"]
		assert a15["cpus"] == [4, 5, 6, 7] and a7["reg"] == [256, 257, 258, 259]
		assert a15["virtual-dynamic-power-coefficient"] == 310
		assert a15["opps"][-1] == {"khz": 2000000, "microvolt": 1312500}
		assert a15["sensor"] == "ina231@0x40 VDD_ARM"
		assert "sensor" not in b["odroid-xu4"]["clusters"][0]
		assert b["tc2"]["ratio"]["max"] == 10
	PY
	[ "$status" -eq 0 ] || { echo "$output"; false; }
}

@test "a compiled description of the user's is shown" {
	cp "$B/boards/tc2.dtb" "$BATS_TEST_TMPDIR/mine.dtb"
	boards "$BATS_TEST_TMPDIR/mine.dtb"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "mine  V2P-CA15_CA7" ]
}

@test "the kernel's tree of the Odroid-XU4 is shown as it is" {
	dtb=$SHARED/data/exynos5422-odroidxu4.pre.dtb
	[ -r "$dtb" ] || skip "no $dtb"
	boards "$dtb"
	[ "$status" -eq 0 ]
	[[ $output == *"cluster a7: 4x arm,cortex-a7"*"cluster a15: 4x arm,cortex-a15"* ]]
	[[ $output == *"no sensor"* ]]
}

# refused TEXT... - exit 2, nothing on stdout, one line on stderr that holds every TEXT
refused() {
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	for text; do
		[[ $stderr == *"$text"* ]] || { echo "no '$text' in: $stderr"; false; }
	done
}

@test "an unknown board is refused with the known ones" {
	boards odroid-xu9
	refused "'odroid-xu9'" "odroid-xu3, odroid-xu4, sm8250-like, tc2"
}

@test "a missing file, a truncated one and source text are refused" {
	boards "$BATS_TEST_TMPDIR/none.dtb"
	refused "none.dtb" "No such file"
	head -c 1000 "$B/boards/tc2.dtb" > "$BATS_TEST_TMPDIR/cut.dtb"
	boards "$BATS_TEST_TMPDIR/cut.dtb"
	refused "cut.dtb"
	cp "$TOP/boards/tc2.dts" "$BATS_TEST_TMPDIR/source.dtb"
	boards "$BATS_TEST_TMPDIR/source.dtb"
	refused "source.dtb" "DTS"
	: > "$BATS_TEST_TMPDIR/empty.dtb"
	boards "$BATS_TEST_TMPDIR/empty.dtb"
	refused "empty.dtb"
}

@test "a misspelt property in a user's description is refused by node and name" {
	sed 's/calib,droop-uohm/calib,drop-uohm/' "$TOP/boards/tc2.dts" |
		dtc -q -@ -O dtb -o "$BATS_TEST_TMPDIR/mine.dtb"
	boards "$BATS_TEST_TMPDIR/mine.dtb"
	refused "mine.dtb" "/calib/clusters/a7/truth" "calib,drop-uohm"
}

@test "a name that would break a CSV file is refused" {
	sed 's/a7: a7 {/a7: a7,x {/' "$TOP/boards/tc2.dts" |
		dtc -q -@ -O dtb -o "$BATS_TEST_TMPDIR/mine.dtb"
	boards "$BATS_TEST_TMPDIR/mine.dtb"
	refused "/calib/clusters/a7,x" "letters, digits"
}

@test "control characters of a tree do not reach the terminal" {
	sed "s/V2P-CA15_CA7/\\\\x1b[2Jx/" "$TOP/boards/tc2.dts" |
		dtc -q -@ -O dtb -o "$BATS_TEST_TMPDIR/mine.dtb"
	boards "$BATS_TEST_TMPDIR/mine.dtb"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "mine  ?[2Jx" ]
}

@test "a root that is not there is refused" {
	run --separate-stderr "$CALIB" boards --sysroot "$BATS_TEST_TMPDIR/nowhere"
	refused "nowhere" "No such file"
}

@test "errors with --json are JSON" {
	boards --json odroid-xu9
	[ "$status" -eq 2 ]
	[[ $output$stderr == *'"error"'* ]]
}

@test "our tree of the XU4 is a board's tree: with 90 and 310 the kernel's states come out" {
	cp "$B/boards/odroid-xu4.dtb" "$BATS_TEST_TMPDIR/xu4.dtb"
	run "$CALIB" check "$BATS_TEST_TMPDIR/xu4.dtb"
	[ "$status" -eq 1 ]
	[[ $output == *"13 OPPs 200-1400 MHz"*"19 OPPs 200-2000 MHz"* ]]
	for i in 0 1 2 3; do
		fdtput -t u "$BATS_TEST_TMPDIR/xu4.dtb" "/cpus/cpu@10$i" dynamic-power-coefficient 90
		fdtput -t u "$BATS_TEST_TMPDIR/xu4.dtb" "/cpus/cpu@$i" dynamic-power-coefficient 310
	done
	run "$CALIB" check "$BATS_TEST_TMPDIR/xu4.dtb"
	[[ $output == *"states 1,3,4,5,8,10,11"*"states 1,2,3,4,5,6,8,9,10,13,15,16"* ]]
	[[ $output == *"states 0,2,3,4,6,7,9,10"*"states 0,1,2,7,11,12,14,15"* ]]
}

@test "what a tree says never drives the terminal" {
	cd "$BATS_TEST_TMPDIR"
	cat > esc.dts <<-'END'
	/dts-v1/;
	/ {
		compatible = "acme,\x1b[31mred"; model = "m\x1b]0;x\x07";
		cpus {
			#address-cells = <1>; #size-cells = <0>;
			cpu@0 {
				device_type = "cpu"; compatible = "arm,\x1b[5mx"; reg = <0>;
				operating-points-v2 = <&opps>; dynamic-power-coefficient = <100>;
			};
		};
		opps: opp-table {
			compatible = "operating-points-v2";
			opp-1 { opp-hz = /bits/ 64 <1000000000>; opp-microvolt = <900000>; };
		};
	};
	END
	name=$'x\e[1m.dtb'
	dtc -q -o "$name" esc.dts
	for cmd in boards "boards --json" check "check --json"; do
		run "$CALIB" $cmd "./$name"
		[ "$status" -lt 2 ]
		[[ $output == *"?["* && $output != *$'\e'* && $output != *$'\a'* ]]
	done
}
