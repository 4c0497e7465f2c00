#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The main job, end to end, as a newcomer runs it.

@test "the demo ends with both true coefficients inside intervals of at most 1 %, and pictures" {
	run "$TOP/scripts/demo" -o "$BATS_TEST_TMPDIR/out"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"a7   truth 90"*": ok"* && $output == *"a15  truth 310"*": ok"* ]]
	[[ $output == *VIRTUAL* ]]
	cd "$BATS_TEST_TMPDIR/out"
	[ -s efficiency.svg ] && [ -s efficiency.png ] && [ -s run/samples.csv ]
	[ "$(fdtget -t u odroid-xu3.dtb /cpus/cpu@0 dynamic-power-coefficient)" = 310 ]
	[ "$(fdtget -t u odroid-xu3.dtb /cpus/cpu@100 dynamic-power-coefficient)" = 90 ]
}

@test "the demo can be run again, gives the same with the same seed, other windows with another" {
	for i in 1 2; do
		"$TOP/scripts/demo" --seed 3 -o "$BATS_TEST_TMPDIR/out" >/dev/null 2>&1
		cp "$BATS_TEST_TMPDIR/out/run/samples.csv" "$BATS_TEST_TMPDIR/$i.csv"
	done
	cmp "$BATS_TEST_TMPDIR/1.csv" "$BATS_TEST_TMPDIR/2.csv"
	"$TOP/scripts/demo" --seed 4 -o "$BATS_TEST_TMPDIR/out" >/dev/null 2>&1
	run cmp "$BATS_TEST_TMPDIR/1.csv" "$BATS_TEST_TMPDIR/out/run/samples.csv"
	[ "$status" -eq 1 ]
}

@test "the demo leaves a run alone that is not its own" {
	mkdir -p "$BATS_TEST_TMPDIR/out/run"
	echo precious > "$BATS_TEST_TMPDIR/out/run/samples.csv"
	run "$TOP/scripts/demo" -o "$BATS_TEST_TMPDIR/out"
	[ "$status" -eq 2 ]
	[ "$(cat "$BATS_TEST_TMPDIR/out/run/samples.csv")" = precious ]
}

@test "a wrong truth is noticed" {
	"$TOP/scripts/demo" -o "$BATS_TEST_TMPDIR/out" >/dev/null 2>&1
	cp "$B/boards/odroid-xu3.dtb" "$BATS_TEST_TMPDIR/b.dtb"
	fdtput -t u "$BATS_TEST_TMPDIR/b.dtb" /calib/clusters/a15/truth calib,dpc-uw-per-mhz-v2 320
	run "$TOP/scripts/demo-truth" "$BATS_TEST_TMPDIR/out/coeffs.json" "$BATS_TEST_TMPDIR/b.dtb"
	[ "$status" -eq 1 ]
	[[ $output == *"a15  truth 320"*"NOT ok"* ]]
}
