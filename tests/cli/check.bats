#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib check: the kernel's states and messages, verdict and exit status, bad input.

setup() {
	cd "$BATS_TEST_TMPDIR"
	cat > min.json <<-'END'
	{ "schema": "calib-coeffs/1", "clusters": [
	  { "name": "a7", "match": { "compatible": "arm,cortex-a7" },
	    "dynamic-power-coefficient": 90 },
	  { "name": "a15", "match": { "compatible": "arm,cortex-a15" },
	    "dynamic-power-coefficient": 310 } ] }
	END
}

# xu4_tree FILE - our description of the Exynos5422 with coefficients 90 and 310
xu4_tree() {
	cp "$B/boards/odroid-xu4.dtb" "$1"
	chmod u+w "$1"
	for cpu in 100 101 102 103; do
		fdtput -t u "$1" /cpus/cpu@$cpu dynamic-power-coefficient 90
	done
	for cpu in 0 1 2 3; do
		fdtput -t u "$1" /cpus/cpu@$cpu dynamic-power-coefficient 310
	done
}

# kernel_line CPU STATE - the line the v5.6 kernel logs
kernel_line() {
	echo "energy_model: pd$1: hertz/watts ratio non-monotonically decreasing:" \
		"em_cap_state $2 >= em_cap_state$(($2 - 1))"
}

# what_exynos5422_gives - of $lines, on a tree or on coeffs.json with that board
what_exynos5422_gives() {
	[ "$status" -eq 1 ]
	[ "$(grep -c '^v5.6 rule: states 1,3,4,5,8,10,11$' <<< "$output")" -eq 1 ]
	[ "$(grep -c '^v5.6 rule: states 1,2,3,4,5,6,8,9,10,13,15,16$' <<< "$output")" -eq 1 ]
	[ "$(grep -c '^current rule: states 0,2,3,4,6,7,9,10$' <<< "$output")" -eq 1 ]
	[ "$(grep -c '^current rule: states 0,1,2,7,11,12,14,15$' <<< "$output")" -eq 1 ]
	[ "$(grep -c '^energy_model: ' <<< "$output")" -eq 19 ]
	for s in 1 3 4 5 8 10 11; do
		grep -qxF "$(kernel_line 0 $s)" <<< "$output"
	done
	for s in 1 2 3 4 5 6 8 9 10 13 15 16; do
		grep -qxF "$(kernel_line 4 $s)" <<< "$output"
	done
	grep -q '^domain 0: CPUs 0-3, arm,cortex-a7, 13 OPPs 200-1400 MHz, capacity 377, coefficient 90$' \
		<<< "$output"
	grep -q '^domain 1: CPUs 4-7, arm,cortex-a15, 19 OPPs 200-2000 MHz, capacity 1024, coefficient 310$' \
		<<< "$output"
	grep -q '3.44 .*by coefficient: 310/90$' <<< "$output"
	grep -q '5.21 .*by power at the top OPPs: 2000/1400 MHz$' <<< "$output"
	grep -q '2.56 .*by power at the nearest equal clock: 1400/1400 MHz$' <<< "$output"
	[ "${lines[-1]}" = "verdict: no, 2 findings (monotonic 2)" ]
}

@test "check prints the states and lines of the Odroid-XU4's kernel log (real tree)" {
	dtb=$SHARED/data/exynos5422-odroidxu4.post.dtb
	[ -e "$dtb" ] || skip "no $dtb"
	run "$CALIB" check "$dtb"
	what_exynos5422_gives
}

@test "check prints the same for our own description with coefficients" {
	xu4_tree xu4.dtb
	run "$CALIB" check xu4.dtb
	what_exynos5422_gives
}

@test "check prints the same for the least coeffs.json with the board named" {
	run "$CALIB" check --board odroid-xu4 min.json
	what_exynos5422_gives
	run "$CALIB" check --board "$B/boards/odroid-xu4.dtb" min.json
	what_exynos5422_gives
}

@test "check explains why a shared voltage can not be mended, by OPP" {
	run "$CALIB" check --board odroid-xu4 min.json
	flat=$(tr -s ' \n' ' ' <<< "$output")
	[[ $flat == *"with a single coefficient efficiency depends on V^2 only"* ]]
	[[ $flat == *"200-300 MHz (900 mV), 400-700 MHz (1000 mV), 800-1000 MHz (1100 mV), 1100-1300 MHz (1250 mV); no other coefficient mends it"* ]]
	[[ $flat == *"1600-1800 MHz (1250..1237 mV)"* ]]
}

@test "check stays within 100 columns" {
	xu4_tree xu4.dtb
	run "$CALIB" check xu4.dtb
	[ "$(awk 'length > 100' <<< "$output" | wc -l)" -eq 0 ]
}

@test "check --ignore leaves a check out of the verdict and still shows it" {
	run "$CALIB" check --board odroid-xu4 --ignore monotonic min.json
	[ "$status" -eq 0 ]
	[[ $output == *"ignored: monotonic: domain 0"* ]]
	[ "${lines[-1]}" = "verdict: ok, no finding, 2 ignored" ]
}

@test "check judges the ratio of the coefficients by the board's band or --ratio" {
	run "$CALIB" check --board tc2 --ignore monotonic min.json
	[ "$status" -eq 1 ]
	[[ $output == *"finding: ratio: the coefficients' big/LITTLE ratio 310/90 = 3.44 is outside"* ]]
	run "$CALIB" check --board tc2 --ignore monotonic --ratio 3.4:3.5 min.json
	[ "$status" -eq 0 ]
	run "$CALIB" check --board odroid-xu4 --ignore monotonic --ratio 3.5:4 min.json
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "verdict: no, 1 finding (ratio), 2 ignored" ]
}

@test "check refuses a band that is none" {
	for band in 3 3: :4 4:3 0:4 -1:4 a:b 3:4x nan:4; do
		run "$CALIB" check --ratio="$band" min.json
		[ "$status" -eq 2 ]
		[[ $output == *"--ratio '$band' is not MIN:MAX"* ]]
	done
}

@test "check takes coeffs.json of the current folder, and its board by compatible" {
	sed 's|"schema": "calib-coeffs/1",|& "board": "hardkernel,odroid-xu4",|' min.json > coeffs.json
	run "$CALIB" check
	what_exynos5422_gives
}

@test "check without OPPs says what it leaves out and how to have it" {
	run "$CALIB" check min.json
	[ "$status" -eq 0 ]
	[[ $output == *"left out: monotonic: domain 0 (arm,cortex-a7): no OPPs known"* ]]
	[[ $output == *"--board NAME or --board FILE.dtb"* ]]
	[[ $output == *"left out: ratio: no band known"* ]]
	[ "${lines[-1]}" = "verdict: ok as far as checked, no finding" ]
	run "$CALIB" check --ratio 4:5 min.json
	[ "$status" -eq 1 ]
}

@test "check takes the OPPs of coeffs.json where it has them" {
	cat > opps.json <<-'END'
	{ "schema": "calib-coeffs/1", "clusters": [
	  { "name": "only", "match": { "compatible": "x,y" }, "dynamic-power-coefficient": 100,
	    "opps": [ { "hz": 500000000, "microvolt": 1000000, "kernel-microwatt": 50000,
	                "inefficient": true },
	              { "hz": 1000000000, "microvolt": 1000000, "kernel-microwatt": 100000,
	                "inefficient": false } ] } ] }
	END
	run "$CALIB" check opps.json
	[ "$status" -eq 1 ]
	[[ $output == *"v5.6 rule: states 1"* ]]
	[[ $output == *"current rule: states 0"* ]]
}

@test "check gives the machine-readable result with --json" {
	run "$CALIB" check --json --board odroid-xu4 min.json
	[ "$status" -eq 1 ]
	flat=$(tr -d ' \n' <<< "$output")
	[[ $flat == '{"input":"min.json","ok":false,"domains":[{"cpus":[0,1,2,3],'* ]]
	[[ $flat == *'"v5.6":{"computed":true,"states":[1,3,4,5,8,10,11],"messages":["energy_model:pd0:'* ]]
	[[ $flat == *'"cpus":[4,5,6,7],"compatible":"arm,cortex-a15","capacity":1024,'* ]]
	[[ $flat == *'"current":{"computed":true,"states":[0,1,2,7,11,12,14,15]}'* ]]
	# 310 * 1312^2 * 2000 / 10^6
	[[ $flat == *'{"khz":2000000,"microwatt":1067233,"performance":1024,"cost":10422,"inefficient":false}'* ]]
	[[ $flat == *'"by-coefficient":3.44444,'*'"in-band":true}'* ]]
	[ "$(grep -c '"severity": "finding"' <<< "$output")" -eq 2 ]
	run "$CALIB" check --json nofile
	[ "$status" -eq 2 ]
	[[ $output == '{"error": "'* || $output == '{"error":"'* ]]
}

@test "check --json stands names that are no UTF-8" {
	xu4_tree xu4.dtb
	fdtput -t bx xu4.dtb /cpus/cpu@100 compatible ff 1b 5b 41 0
	run "$CALIB" check --json xu4.dtb
	[ "$status" -eq 1 ]
	[[ $output == *'"compatible": "??[A"'* ]]
	run "$CALIB" check xu4.dtb
	[[ $output == *"CPUs 0-3, ??[A,"* ]]
}

@test "check notes where EAS prefers the big CPUs" {
	run "$CALIB" check --board odroid-xu4 min.json
	[[ $(tr -s ' \n' ' ' <<< "$output") == *"note: cost: domain 0 (arm,cortex-a7): costs more than arm,cortex-a15 at the same performance at 4 of 13 OPPs, from 1100 MHz"* ]]
}

@test "check finds a tree without coefficients" {
	run "$CALIB" check "$B/boards/odroid-xu4.dtb"
	[ "$status" -eq 1 ]
	[[ $output == *"finding: energy-model: no CPU has a dynamic-power-coefficient"* ]]
}

@test "check tells a cluster that matches no CPU from success" {
	run "$CALIB" check --board juno-r2 min.json
	[ "$status" -eq 2 ]
	[[ $output == *"cluster 'a7' matches no CPU of arm,juno-r2"* ]]
	[ "${#lines[@]}" -eq 1 ]
}

@test "check refuses source, damaged trees and missing files in one line" {
	xu4_tree xu4.dtb
	head -c 1000 xu4.dtb > cut.dtb
	: > empty.dtb
	echo '/dts-v1/; / { };' > board.dts
	echo '{ "schema": "other/1", "clusters": [] }' > wrong.json
	for f in cut.dtb empty.dtb board.dts wrong.json none.json; do
		run "$CALIB" check $f
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == "calib check: error: "*"$f"* ]]
	done
	run "$CALIB" check board.dts
	[[ $output == *"looks like DTS source, not a compiled tree; compile it with dtc first" ]]
	run "$CALIB" check
	[ "$status" -eq 2 ]
	[[ $output == *"no 'coeffs.json' here; make it with 'calib fit > coeffs.json'"* ]]
	run "$CALIB" check --board nosuch min.json
	[ "$status" -eq 2 ]
	[[ $output == *"no board is called 'nosuch'"* ]]
}

@test "check lets bytes after the tree pass, with a note" {
	xu4_tree xu4.dtb
	printf '\0\0\0' >> xu4.dtb
	run "$CALIB" check xu4.dtb
	what_exynos5422_gives
	[[ $output == *"3 bytes after the tree"* ]]
}

@test "check finds two coefficients in a domain, a first CPU without, a capacity missing" {
	xu4_tree xu4.dtb
	fdtput -t u xu4.dtb /cpus/cpu@2 dynamic-power-coefficient 300
	fdtput -d xu4.dtb /cpus/cpu@100 dynamic-power-coefficient
	fdtput -d xu4.dtb /cpus/cpu@103 capacity-dmips-mhz
	run "$CALIB" check --ignore monotonic xu4.dtb
	[ "$status" -eq 1 ]
	flat=$(tr -s ' \n' ' ' <<< "$output")
	[[ $flat == *"different coefficients 310/300 in one frequency domain"* ]]
	[[ $flat == *"the first CPU cpu@100 has no dynamic-power-coefficient"* ]]
	[[ $flat == *"capacity-dmips-mhz is missing on cpu@103 only"* ]]
	[[ ${lines[-1]} == "verdict: no, 3 findings (coefficient 2, capacity)"* ]]
}

@test "check of the public cases d07 and d08 (real reports)" {
	[ -d "$SHARED/cases" ] || skip "no $SHARED/cases"
	run "$CALIB" check "$SHARED"/cases/d07*/board.dtb
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "verdict: no, 3 findings (coefficient 2, capacity)" ]
	run "$CALIB" check "$SHARED"/cases/d08*/no-voltage.dtb
	[ "$status" -eq 1 ]
	[[ $output == *"(-22)"*"opp-microwatt"* ]]
	run "$CALIB" check "$SHARED"/cases/d08*/speed-bins.dtb
	[ "$status" -eq 1 ]
	[[ $(tr -s ' \n' ' ' <<< "$output") == *"choose a bin with --bin: speed0 or speed1"* ]]
	run "$CALIB" check --bin speed1 "$SHARED"/cases/d08*/speed-bins.dtb
	[ "$status" -eq 0 ]
	[[ $output == *"3 OPPs 800-1800 MHz"* ]]
	run "$CALIB" check --bin speed0 "$SHARED"/cases/d08*/speed-bins.dtb
	[ "$status" -eq 0 ]
	[[ $output == *"2 OPPs 800-1488 MHz"* ]]
	run "$CALIB" check --bin speed7 "$SHARED"/cases/d08*/speed-bins.dtb
	[ "$status" -eq 2 ]
	[[ $output == *"no speed bin 'speed7'; the tree has speed0, speed1" ]]
	run "$CALIB" check "$SHARED"/cases/d08*/microwatt.dtb
	[ "$status" -eq 0 ]
}

@test "check refuses the malformed trees of case d10" {
	[ -d "$SHARED/cases" ] || skip "no $SHARED/cases"
	for f in misaligned truncated totalsize_too_big bad_magic empty; do
		run "$CALIB" check "$SHARED"/cases/d10*/$f.dtb
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "check reads a pipe once, and a tree on standard input" {
	run "$CALIB" check /dev/stdin < <(cat min.json)
	[ "$status" -eq 0 ]
	[[ $output == *"coefficient 310"* ]]
	mkfifo fifo
	cat min.json > fifo &
	run timeout 20 "$CALIB" check fifo
	[ "$status" -eq 0 ]
	[[ $output == *"coefficient 310"* ]]
	xu4_tree xu4.dtb
	run "$CALIB" check - < xu4.dtb
	what_exynos5422_gives
	[ "${lines[0]}" = "standard input" ]
}

@test "check of an empty file says that it is empty" {
	: > empty
	for name in empty - ; do
		run "$CALIB" check "$name" < empty
		[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ]
		[[ $output == *"': empty, neither a coeffs.json nor a device tree"* ]]
	done
}

@test "check calls standard input by its name" {
	run "$CALIB" check --board juno-r2 - < min.json
	[ "$status" -eq 2 ]
	[[ $output == *"error: 'standard input': cluster 'a7' matches no CPU"* ]]
}

@test "coefficients of a virtual board are called VIRTUAL, in text and in JSON" {
	sed '1s/{/{ "virtual": true,/' min.json > virtual.json
	run "$CALIB" check --board odroid-xu4 virtual.json
	grep -qx 'VIRTUAL: made by a virtual board: not a measurement' <<< "$output"
	run "$CALIB" check --board odroid-xu4 --json virtual.json
	grep -q '"virtual": true' <<< "$output"
	grep -q '"text": "VIRTUAL: made by a virtual board: not a measurement"' <<< "$output"
	run "$CALIB" check --board odroid-xu4 min.json
	! grep -qi virtual <<< "$output"
	run "$CALIB" check --board odroid-xu4 --json min.json
	! grep -qi virtual <<< "$output"
}
