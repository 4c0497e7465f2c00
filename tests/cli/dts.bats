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
	run diff old.dtsi soc.dtsi
	[ "$(printf '%s\n' "${lines[@]}" | grep -c '^<')" -eq 2 ]
	[ "$(printf '%s\n' "${lines[@]}" | grep -c '^>')" -eq 3 ]
	dtc -q -o new.dtb board.dts
	[ "$(fdtget new.dtb /cpus/cpu@0 dynamic-power-coefficient)" = 137 ]
	[ "$(fdtget new.dtb /cpus/cpu@200 dynamic-power-coefficient)" = 402 ]
	run --separate-stderr "$FDTEDIT" apply --all-files board.dts by-reg.json
	[ "$status" -eq 0 ]
	[[ "$output" == *"nothing to do, 3 CPU node(s) right already" ]]
}
