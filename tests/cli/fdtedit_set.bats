#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit get, set and delete: any property of a compiled tree, with strict values.

bats_require_minimum_version 1.5.0

load fdtedit

setup() {
	cd "$BATS_TEST_TMPDIR"
	dtc -q -@ -b 0x101 -p 512 -I dts -O dtb -o board.dtb "$TOP/tests/data/big-little.dts"
	cp board.dtb before.dtb
}

@test "get prints numbers, texts and bytes" {
	[ "$("$FDTEDIT" get board.dtb /cpus/cpu@100 capacity-dmips-mhz)" = 400 ]
	[ "$("$FDTEDIT" get board.dtb /opp-table-0/opp-1000000000 opp-microvolt)" = \
		"1000000 950000 1050000" ]
	[ "$("$FDTEDIT" get board.dtb /opp-table-0/opp-1000000000 opp-hz)" = 1000000000 ]
	[ "$("$FDTEDIT" get board.dtb /soc/serial@1000 blob)" = "01 02 03" ]
	run "$FDTEDIT" get board.dtb serial0 compatible
	[ "$output" = "test,uart
test,uart-old" ]
	[ "$("$FDTEDIT" get board.dtb little1 reg)" = 257 ]
	[ "$("$FDTEDIT" get board.dtb '&little1' reg)" = 257 ]
	[ "$("$FDTEDIT" get --type u16 board.dtb little1 reg)" = "0 257" ]
	run "$FDTEDIT" get board.dtb little_opps opp-shared
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "get reads source as well" {
	[ "$("$FDTEDIT" get "$TOP/tests/data/big-little.dts" /cpus/cpu@1 compatible)" = \
		"arm,cortex-a15" ]
}

@test "get ends with 1 where there is no such node or property" {
	run --separate-stderr "$FDTEDIT" get board.dtb /cpus/cpu@0 nothing
	[ "$status" -eq 1 ]
	[ "$stderr" = "fdtedit get: note: 'board.dtb': /cpus/cpu@0: no property 'nothing'" ]
	run --separate-stderr "$FDTEDIT" get board.dtb /cpus/cpu@9 reg
	[ "$status" -eq 1 ]
	[ "$stderr" = "fdtedit get: note: 'board.dtb': no node '/cpus/cpu@9'" ]
	run --separate-stderr "$FDTEDIT" get board.dtb nobody reg
	[ "$status" -eq 1 ]
	[[ $stderr == *"no node 'nobody': it is no path, no alias and no label" ]]
	refused "3 bytes are no whole number of u32" get -t u32 board.dtb serial0 blob
	refused "no-such.dtb" get no-such.dtb /cpus reg
}

@test "set adds and replaces one property and changes nothing else" {
	run --separate-stderr "$FDTEDIT" set board.dtb big0 capacity-dmips-mhz 1024
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${lines[0]}" = "/cpus/cpu@0: capacity-dmips-mhz: none -> 1024" ]
	[ "${lines[1]}" = "board.dtb: 1 change" ]
	diff <(text before.dtb) <(text board.dtb) > d || true
	[ "$(grep '^[<>]' d | tr -s ' \t' ' ')" = "> capacity-dmips-mhz = <0x400>;" ]
	"$FDTEDIT" set board.dtb big0 capacity-dmips-mhz 0x3ff
	[ "$(fdtget board.dtb /cpus/cpu@0 capacity-dmips-mhz)" = 1023 ]
	run "$FDTEDIT" set board.dtb big0 capacity-dmips-mhz 1023
	[ "$output" = "board.dtb: nothing to do, it says so already" ]
}

@test "set writes lists, longer and shorter ones, and every type" {
	"$FDTEDIT" set board.dtb /opp-table-0/opp-500000000 opp-microvolt 900000 850000 950000
	[ "$(fdtget board.dtb /opp-table-0/opp-500000000 opp-microvolt)" = "900000 850000 950000" ]
	"$FDTEDIT" set board.dtb /opp-table-0/opp-1000000000 opp-microvolt 1000000
	[ "$(fdtget board.dtb /opp-table-0/opp-1000000000 opp-microvolt)" = 1000000 ]
	"$FDTEDIT" set board.dtb /opp-table-0/opp-500000000 opp-hz 5000000000
	[ "$(fdtget -t x board.dtb /opp-table-0/opp-500000000 opp-hz)" = "1 2a05f200" ]
	"$FDTEDIT" set board.dtb serial0 blob 00 ff1207
	[ "$(fdtget -t bx board.dtb /soc/serial@1000 blob)" = "0 ff 12 7" ]
	"$FDTEDIT" set board.dtb serial0 status disabled
	[ "$(fdtget board.dtb /soc/serial@1000 status)" = disabled ]
	"$FDTEDIT" set --type string board.dtb serial0 test,note "two words" more
	[ "$("$FDTEDIT" get board.dtb serial0 test,note)" = "two words
more" ]
	"$FDTEDIT" set --type u16 board.dtb serial0 test,half 1 65535
	[ "$(fdtget -t bx board.dtb /soc/serial@1000 test,half)" = "0 1 ff ff" ]
	"$FDTEDIT" set board.dtb /opp-table-0/opp-500000000 opp-suspend
	[ -z "$(fdtget board.dtb /opp-table-0/opp-500000000 opp-suspend)" ]
	[ "$(text board.dtb | grep -c 'opp-suspend;')" -eq 1 ]
	# Longer than the specification allows, as in real trees.
	"$FDTEDIT" set board.dtb serial0 test,a-name-of-more-than-thirty-one-letters 7
	[ "$("$FDTEDIT" get board.dtb serial0 test,a-name-of-more-than-thirty-one-letters)" = 7 ]
	"$FDTEDIT" set board.dtb serial0 "$(printf '%0127d' 0)" 8
	[ "$("$FDTEDIT" get board.dtb serial0 "$(printf '%0127d' 0)")" = 8 ]
}

@test "set takes values whole or refuses them" {
	for value in bar 4294967297 12uW 1.5 0x 1e3 ' 1' ''; do
		refused "/cpus/cpu@0: capacity-dmips-mhz: '$value' is no whole number in 0..4294967295 (u32)" \
			set board.dtb /cpus/cpu@0 capacity-dmips-mhz "$value"
	done
	refused "'-1' is no whole number" set board.dtb /cpus/cpu@0 capacity-dmips-mhz -- -1
	refused "'300' is no whole number in 0..255 (u8)" set -t u8 board.dtb serial0 x 300
	refused "'abc' is no pairs of hexadecimal digits" set board.dtb serial0 blob abc
	refused "capacity-dmips-mhz is one number, not 2" \
		set board.dtb /cpus/cpu@0 capacity-dmips-mhz 1 2
	refused "compatible has a value now" set board.dtb serial0 compatible
	refused "no name of a property" set board.dtb serial0 "a b" 1
	refused "no name of a property" set board.dtb serial0 "$(printf '%0128d' 0)" 1
	refused "u32" set board.dtb serial0 test,note hello
	refused "'f32'" set -t f32 board.dtb serial0 x 1
	# One bad word of a list stops it all.
	refused "'x' is no whole number" \
		set board.dtb /opp-table-0/opp-500000000 opp-microvolt 900000 x
}

@test "what may be text or numbers is asked for" {
	"$FDTEDIT" set board.dtb serial0 test,cell 0x61626300
	cp board.dtb before.dtb
	refused "may be text or numbers as it is; say which with --type" \
		set board.dtb serial0 test,cell 5
	"$FDTEDIT" set -t u32 board.dtb serial0 test,cell 5
	[ "$(fdtget board.dtb /soc/serial@1000 test,cell)" = 5 ]
}

@test "numbers that may be of 32 or of 64 bits are asked for" {
	"$FDTEDIT" set -t u64 board.dtb serial0 test,start 0x180000000
	"$FDTEDIT" set board.dtb serial0 reg 0 0x1000 0 0x100
	cp board.dtb before.dtb
	refused "/soc/serial@1000: test,start has 8 bytes, for which 1 number may be u64 or u32; say which with --type" \
		set board.dtb serial0 test,start 5
	refused "reg has 16 bytes, for which 2 numbers may be u64" set board.dtb serial0 reg 1 2
	"$FDTEDIT" set -t u64 board.dtb serial0 test,start 5
	[ "$(fdtget board.dtb /soc/serial@1000 test,start)" = "0 5" ]
	"$FDTEDIT" set -t u32 board.dtb serial0 test,start 5
	[ "$(fdtget board.dtb /soc/serial@1000 test,start)" = 5 ]
	# Nobody asks where the name tells.
	"$FDTEDIT" set board.dtb /opp-table-0/opp-500000000 opp-microvolt 900000 950000
	"$FDTEDIT" set board.dtb /opp-table-0/opp-500000000 opp-microvolt 900000
}

@test "a value that was forgotten does not become a flag" {
	refused "/cpus/cpu@0: dynamic-power-coefficient is no flag, and no value is given (u32)" \
		set board.dtb big0 dynamic-power-coefficient
	refused "is no flag, and no value is given (string)" set board.dtb big0 enable-method
}

@test "a phandle is a number that no other node has" {
	taken=$(fdtget board.dtb /cpus/cpu@100 phandle)
	refused "/cpus/cpu@0: phandle $taken is that of '/cpus/cpu@100' already" \
		set board.dtb big0 phandle "$taken"
	refused "phandle is one number (u32) in 1..4294967294" set board.dtb big0 phandle 0
	refused "in 1..4294967294" set board.dtb big0 phandle 4294967295
	refused "in 1..4294967294" set -t u64 board.dtb big0 phandle 7
	refused "linux,phandle $taken is that of" set board.dtb big0 linux,phandle "$taken"
	refused "cpu of '/cpus/cpu-map/cluster1/core0' points to '/cpus/cpu@0'" \
		set board.dtb big0 phandle 0x1234
	"$FDTEDIT" set board.dtb serial0 phandle 0x1234
	[ "$(fdtget board.dtb /soc/serial@1000 phandle)" = 4660 ]
	"$FDTEDIT" set board.dtb serial0 phandle 0x1235
}

@test "values that are not what their name says are shown as they are" {
	"$FDTEDIT" set -t u32 board.dtb serial0 status 1
	[ "$("$FDTEDIT" get board.dtb serial0 status)" = 1 ]
	run "$FDTEDIT" set board.dtb serial0 status okay
	[ "${lines[0]}" = "/soc/serial@1000: status: 1 -> okay" ]
	run "$FDTEDIT" set -t string board.dtb serial0 test,none ""
	[ "${lines[0]}" = '/soc/serial@1000: test,none: none -> ""' ]
	cp board.dtb before.dtb
	refused "blob: 'abc' is no pairs of hexadecimal digits (bytes); that is what is there, --type takes others" \
		set board.dtb serial0 blob abc
	refused "(u32); --type takes others, as 'string'" set board.dtb serial0 test,new hello
}

@test "set and delete want a node that is there" {
	refused "'board.dtb': no node '/cpus/cpu@9'" set board.dtb /cpus/cpu@9 reg 1
	refused "no node 'nobody'" delete board.dtb nobody
	refused "/cpus/cpu@0: no property 'nothing'" delete board.dtb big0 nothing
	refused "the root node cannot be deleted" delete board.dtb /
	dtc -q -I dts -O dtb -o plain.dtb "$TOP/tests/data/big-little.dts"
	refused "this tree tells no labels (no __symbols__)" set plain.dtb big0 reg 1
	refused "--patch is for source" set --patch plain.dtb /cpus/cpu@0 reg 1
	printf more >> plain.dtb
	refused "4 bytes after the tree" set plain.dtb /cpus/cpu@0 reg 1
}

@test "delete takes a property or a node, and nothing else" {
	run "$FDTEDIT" delete board.dtb /cpus/cpu@100 capacity-dmips-mhz
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "/cpus/cpu@100: capacity-dmips-mhz: 400 -> none" ]
	diff <(text before.dtb) <(text board.dtb) > d || true
	[ "$(grep '^[<>]' d | tr -s ' \t' ' ')" = "< capacity-dmips-mhz = <0x190>;" ]
	run "$FDTEDIT" delete board.dtb /opp-table-1/opp-1200000000
	[ "${lines[0]}" = "/opp-table-1/opp-1200000000: node deleted" ]
	[ "$(fdtget -l board.dtb /opp-table-1 | tr '\n' ' ')" = "opp-800000000 opp-2000000000 " ]
	fdtdump board.dtb > /dev/null
}

@test "the labels of source are not missed in the tree that it compiles to" {
	cp "$TOP/tests/data/big-little.dts" board.dts
	refused "no node 'nobody': it is no path, no alias and no label" set board.dts nobody reg 1
	"$FDTEDIT" set board.dts big0 capacity-dmips-mhz 1000
	# dtc's boot CPU is the first node of /cpus.
	echo '/dts-v1/; / { cpus { cpu@1 { device_type = "cpu"; reg = <1>; }; }; };' > one.dts
	refused "the edit would also change the header's boot CPU id, 1 -> 2: edit it by hand" \
		set one.dts /cpus/cpu@1 reg 2
}

@test "a property that is there twice is neither read nor written" {
	"$FDTEDIT" set board.dtb serial0 twice2 1
	"$FDTEDIT" set board.dtb serial0 twice1 2
	sed -i 's/twice2/twice1/' board.dtb
	cp board.dtb before.dtb
	refused "'board.dtb': /soc/serial@1000: twice1 is there 2 times" get board.dtb serial0 twice1
	refused "twice1 is there 2 times" set board.dtb serial0 twice1 3
	refused "twice1 is there 2 times" delete board.dtb serial0 twice1
	refused "'board.dtb': /soc/serial@1000: blob: 3 bytes are no whole number of u32" \
		get -t u32 board.dtb serial0 blob
}

@test "a hard link that keeps the old tree is told of" {
	ln board.dtb other.dtb
	run "$FDTEDIT" set -n board.dtb big0 capacity-dmips-mhz 1000
	[ "${#lines[@]}" -eq 2 ]
	run "$FDTEDIT" set board.dtb big0 capacity-dmips-mhz 1000
	[ "$status" -eq 0 ]
	[ "${lines[2]}" = "board.dtb: has another name (hard link), which keeps what was there" ]
	cmp other.dtb before.dtb
	run "$FDTEDIT" set board.dtb big0 capacity-dmips-mhz 1001
	[ "${#lines[@]}" -eq 2 ]
	cp "$TOP/tests/data/big-little.dts" a.dts
	ln a.dts b.dts
	run "$FDTEDIT" set a.dts /cpus/cpu@0 capacity-dmips-mhz 1000
	[[ $output == *"a.dts: has another name (hard link)"* ]]
}

@test "set and delete are in place: mode and links kept, -n, -o and --backup as for apply" {
	chmod 640 board.dtb
	mkdir sub
	ln -s ../board.dtb sub/link.dtb
	run "$FDTEDIT" set -n sub/link.dtb big0 reg 7
	[ "${lines[1]}" = "sub/link.dtb: 1 change would be made" ]
	cmp board.dtb before.dtb
	"$FDTEDIT" set -o new.dtb sub/link.dtb big0 reg 7
	cmp board.dtb before.dtb
	"$FDTEDIT" set -o - board.dtb big0 reg 7 > out.dtb 2> talk
	cmp out.dtb new.dtb
	grep -q "reg: 0 -> 7" talk
	"$FDTEDIT" set -o piped.dtb - big0 reg 7 < board.dtb
	cmp piped.dtb new.dtb
	refused "standard input cannot be edited in place" delete - big0
	"$FDTEDIT" set --backup sub/link.dtb big0 reg 7
	cmp board.dtb new.dtb
	[ -L sub/link.dtb ]
	[ "$(stat -c %a board.dtb)" = 640 ]
	cp board.dtb before.dtb
	refused "exists" delete --backup sub/link.dtb big0 reg
}
