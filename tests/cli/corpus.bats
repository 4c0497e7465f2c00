#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What 'make check-corpus' does with the trees of Linux, on 40 boards of our own.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	perl "$TOP/tests/corpus/shapes.pl" tree
	mkdir work
}

@test "40 boards are edited as trees and as source, and nothing else changes" {
	run perl "$TOP/tests/corpus/check.pl" "$FDTEDIT" tree work 2 0 1
	[ "$status" -eq 0 ] || { echo "$output"; false; }
	[[ ${lines[0]} == "boards: all 40, 40 built, 0 without CPU nodes, "* ]]
	[ "${lines[1]}" = "binary: 40 of 40 edited, nothing else differs (2 have cores of two \
kinds on one clock)" ]
	[[ ${lines[2]} == "source: 40 of 40 boards edited, "* ]]
	[[ ${lines[3]} == *" got a property in any node and lost it again, "* ]]
	[ "${lines[-1]}" = "0 failures" ]
}

@test "an editor that changes more is found out" {
	cat > editor <<- 'END'
		#!/bin/sh
		# Edits, and then one thing more.
		"$FDTEDIT" "$@" || exit
		for f; do
			case $f in
			*.dts) sed -i 's/"arm,cortex-a53"/"arm,cortex-a55"/' "$f" ;;
			*/after.*) fdtput "$f" /cpus more 1 ;;
			esac
		done
	END
	chmod +x editor
	mkdir -p few/scripts/dtc/include-prefixes few/arch/arm64/boot/dts
	cp tree/arch/arm64/boot/dts/ours/plain.dts few/arch/arm64/boot/dts
	run perl "$TOP/tests/corpus/check.pl" "$PWD/editor" few work 1 0 1
	[ "$status" -eq 1 ]
	[[ $output == *"failed: arch/arm64/boot/dts/plain.dts: binary: /cpus: more: differs"* ]]
	[[ $output == *"plain.dts: source: arch/arm64/boot/dts/plain.dts: more than the property differs"* ||
		$output == *"plain.dts: source: arch/arm64/boot/dts/plain.dts: other lines differ"* ]]
	[[ $output == *"plain.dts: set: /"*": other lines differ"* ]]
	[ "${lines[-1]}" = "4 failures" ]
}
