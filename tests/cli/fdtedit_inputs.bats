#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit and files that are no boards: empty, folders, FIFOs, of gigabytes; standard input
# and output.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cp "$TOP/tests/data/big-little.dts" ok.dts
	dtc -q -O dtb -o ok.dtb ok.dts
	printf '{"schema": "calib-coeffs/1", "clusters": [{"name": "a7", "match":
		{"compatible": "arm,cortex-a7"}, "dynamic-power-coefficient": 90}]}\n' > coeffs.json
}

commands() { # FILE - each way to take it in
	for args in "show F" "apply F coeffs.json" "apply -n F coeffs.json" \
		"apply -o - F coeffs.json" "apply -o out F coeffs.json" \
		"apply --overlay F coeffs.json" "apply --dtsi-fragment F coeffs.json" \
		"apply --keep-trailing F coeffs.json" "apply --backup F coeffs.json" \
		"get F / model" "set F / model x" "delete F / model" "prune F" "diff F ok.dtb" \
		"diff ok.dtb F" "apply -n ok.dtb F" "apply -n ok.dts F" "prune -n ok.dtb F"; do
		echo "${args/F/$1}"
	done
}

# refused FILE REASON... - by every command in one line, soon, which holds one of REASONs
refused() {
	local file=$1 args
	shift
	while read -r args; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr timeout 10 "$FDTEDIT" $args
		[ "$status" -eq 2 ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] ||
			{ echo "$args: $status $output $stderr"; return 1; }
		found=
		for reason; do
			[[ $stderr != *"$file"*"$reason"* ]] || found=1
		done
		[ -n "$found" ] || { echo "$args: $stderr"; return 1; }
	done < <(commands "$file")
	[ ! -e out ] && [ ! -e "$file.orig" ]
}

@test "an empty file is called that" {
	: > zero.dtb
	refused zero.dtb "empty, not a device tree" "empty, not JSON"
	: > zero.dts
	refused zero.dts "is empty" "has no CPU node" "empty, not JSON"
}

@test "a folder is called that" {
	mkdir dir dir.dtb dir.dts
	for f in dir dir.dtb dir.dts; do
		refused $f "Is a directory"
	done
	printf '/dts-v1/;\n#include "dir.dts"\n' > inc.dts
	run "$FDTEDIT" get inc.dts / model
	[ "$status" -eq 2 ]
	[ "$output" = "fdtedit get: error: inc.dts:2: include: cannot read 'dir.dts': Is a directory" ]
}

@test "files of gigabytes are refused before they are read" {
	cp ok.dtb long.dtb
	cp ok.dts long.dts
	for f in sparse sparse.dtb sparse.dts long.dtb long.dts; do
		truncate -s 3G $f || skip "no sparse files here"
	done
	for f in sparse sparse.dtb long.dtb; do
		refused $f "is larger than the 268435456 bytes we take" \
			"is larger than the 16777216 bytes we take"
	done
	for f in sparse.dts long.dts; do
		refused $f "is larger than the 8388608 bytes we take" \
			"is larger than the 16777216 bytes we take"
	done
	printf '/dts-v1/;\n/include/ "sparse.dts"\n' > inc.dts
	run timeout 10 "$FDTEDIT" get inc.dts / model
	[ "$status" -eq 2 ]
	[[ $output == *"inc.dts:2: include: 'sparse.dts' is larger than the 8388608 bytes we take" ]]
}

@test "a FIFO is read once, and not edited in place" {
	mkfifo pipe.dtb pipe.dts
	for kind in dtb dts; do
		for args in "apply pipe.$kind coeffs.json" "set pipe.$kind / model x" \
			"delete pipe.$kind / model" "apply --backup pipe.$kind coeffs.json"; do
			# shellcheck disable=SC2086 # words
			run --separate-stderr timeout 10 "$FDTEDIT" $args
			[ "$status" -eq 2 ] && [ -z "$output" ] || { echo "$args: $output"; false; }
			[[ $stderr == *"'pipe.$kind' is no regular file and cannot be edited in \
place; give -o OUT" ]] || { echo "$args: $stderr"; false; }
		done
		for args in "show F" "apply -n F coeffs.json" "apply -o - F coeffs.json" \
			"apply --overlay F coeffs.json" "get F / model" "diff F ok.dtb"; do
			cat ok.$kind > pipe.$kind &
			# shellcheck disable=SC2086 # words
			timeout 10 "$FDTEDIT" ${args/F/pipe.$kind} > piped
			wait
			# shellcheck disable=SC2086 # words
			"$FDTEDIT" ${args/F/ok.$kind} > want
			sed "s/pipe\.$kind/ok.$kind/g" piped | cmp - want || { echo "$args"; false; }
		done
	done
}

@test "what goes to standard output has no report in it, by whatever name" {
	"$FDTEDIT" apply -o want ok.dtb coeffs.json
	"$FDTEDIT" apply -o - ok.dtb coeffs.json 2> said | cmp - want
	grep -q "2 CPU node(s) changed" said
	"$FDTEDIT" apply -o /dev/stdout ok.dtb coeffs.json 2> said | cmp - want
	grep -q "2 CPU node(s) changed" said
	: > out
	"$FDTEDIT" apply -o out ok.dtb coeffs.json > out 2> said
	cmp out want
	grep -q "2 CPU node(s) changed" said
	"$FDTEDIT" apply -o - - coeffs.json < ok.dtb 2> said | cmp - want
	"$FDTEDIT" set -o /dev/stdout ok.dtb / model x 2> said > out
	"$FDTEDIT" set -o want ok.dtb / model x
	cmp out want
	for args in --overlay --dtsi-fragment; do
		"$FDTEDIT" apply $args -o /dev/stdout ok.dtb coeffs.json 2> said > out
		"$FDTEDIT" apply $args -o new ok.dtb coeffs.json
		cmp out new
	done
	"$FDTEDIT" apply --patch -o /dev/stdout ok.dts coeffs.json 2> said > out
	"$FDTEDIT" apply --patch ok.dts coeffs.json 2> said | cmp - out
	"$FDTEDIT" apply --overlay -n -o - ok.dtb coeffs.json 2> said > out
	[ ! -s out ]
}
