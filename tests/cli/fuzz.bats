#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The fuzz targets on their seeds, without libFuzzer.

bats_require_minimum_version 1.5.0

@test "the seeds of every fuzz target go through" {
	run --separate-stderr "$TOP/scripts/fuzz" --replay
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	[ -z "$stderr" ]
	[ "${#lines[@]}" -eq 5 ]
	for line in "${lines[@]}"; do
		[[ $line =~ ^fuzz_[a-z]+:\ ([0-9]+)\ seeds$ ]]
		[ "${BASH_REMATCH[1]}" -ge 3 ]
	done
}

@test "a target that fails is named with its file" {
	mkdir -p tests/fuzz
	for t in dtb dts source command coeffs; do
		printf '#!/bin/sh\nfor f; do echo "$f"; done\nexit 1\n' > tests/fuzz/fuzz_$t
	done
	chmod +x tests/fuzz/*
	B=$PWD run --separate-stderr "$TOP/scripts/fuzz" --replay
	[ "$status" -eq 1 ]
	[[ $stderr == "fuzz_dtb fails at "*/dtb/* ]]
	run --separate-stderr "$TOP/scripts/fuzz" soon
	[ "$status" -eq 2 ]
	[[ $stderr == usage:* ]]
}

setup() {
	cd "$BATS_TEST_TMPDIR"
}
