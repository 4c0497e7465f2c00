#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit apply where writing fails, for source of two files: both are as before, nothing is left
# beside them. tests/unit/test_write_kills.c kills it; fdtedit.bats has the same for compiled trees.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	cat > coeffs.json <<- 'END'
		{ "schema": "calib-coeffs/1", "clusters": [ { "name": "a7",
		  "match": { "compatible": "arm,cortex-a7" }, "dynamic-power-coefficient": 90 } ] }
	END
	mkdir src
	node='{ device_type = "cpu"; compatible = "arm,cortex-a7"; reg'
	printf '/dts-v1/;\n#include "soc.dtsi"\n/ { cpus {\n\tcpu@0 %s = <0>; };\n}; };\n' \
		"$node" > src/board.dts
	{
		printf '/ { cpus { #address-cells = <1>; #size-cells = <0>;\n\tcpu@1 %s = <1>; };\n}; };\n' \
			"$node"
		printf '/* %040000d */\n' 0
	} > src/soc.dtsi
}

apply() {
	"$FDTEDIT" apply --all-files "$@"
}

# mounted SCRIPT - run it where it may mount, with a copy of src in the tmpfs m, 1 MB
mounted() {
	unshare -rm true 2> /dev/null || skip "no user namespaces"
	mkdir m
	run unshare -rm sh -euc "mount -t tmpfs -o size=1m tmpfs m; cp src/* m
		apply() { \"\$FDTEDIT\" apply --all-files m/board.dts coeffs.json 2>&1 || echo status \$?; }
		$1
		diff -r src m && echo same"
	[ "$status" -eq 0 ] || { echo "$output"; false; }
}

@test "a disk that is full before the second file leaves both as they were" {
	# Room for the board's new file, and not for the other's.
	mounted 'cat /dev/zero > m/fill 2> /dev/null || true
		truncate -s -16384 m/fill
		apply
		rm m/fill'
	[ "${lines[0]}" = "fdtedit apply: error: cannot write 'm/soc.dtsi' (it is as before): \
No space left on device" ] || { echo "$output"; false; }
	[ "${lines[1]}" = "status 2" ]
	[ "${lines[2]}" = same ]
	[ "${#lines[@]}" -eq 3 ]
}

@test "a file system that is read-only leaves both as they were" {
	mounted 'mount -o remount,ro m
		apply'
	[[ ${lines[0]} == "fdtedit apply: error: cannot write 'm/"*"Read-only file system" ]]
	[ "${lines[1]}" = "status 2" ]
	[ "${lines[2]}" = same ]
}

@test "a folder without permission to write leaves both as they were" {
	# Where another user can come, for root may write everywhere.
	dir=$(mktemp -d -p /tmp)
	cp -r src coeffs.json "$FDTEDIT" "$dir"
	cd "$dir"
	chmod 755 . && chmod 555 src
	as=
	if [ "$(id -u)" = 0 ]; then
		as="setpriv --reuid 65534 --regid 65534 --clear-groups"
		chown 65534:65534 src/*
	fi
	run --separate-stderr $as ./fdtedit apply --all-files src/board.dts coeffs.json
	diff -r "$BATS_TEST_TMPDIR/src" src && same=y
	chmod 755 src
	cd "$BATS_TEST_TMPDIR"
	rm -r "$dir"
	[ "$status" -eq 2 ] && [ -z "$output" ]
	[ "$stderr" = "fdtedit apply: error: cannot write 'src/board.dts': no new file beside it: \
Permission denied" ] || { echo "$stderr"; false; }
	[ "$same" = y ]
}

@test "an included file behind a link: the link stays, mode and folder too" {
	mkdir real
	mv src/soc.dtsi real/
	ln -s ../real/soc.dtsi src/soc.dtsi
	chmod 604 real/soc.dtsi
	chmod 640 src/board.dts
	run --separate-stderr apply src/board.dts coeffs.json
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	[ "$(readlink src/soc.dtsi)" = ../real/soc.dtsi ]
	[ "$(stat -c %a real/soc.dtsi src/board.dts | xargs)" = "604 640" ]
	grep -q 'dynamic-power-coefficient = <90>;' real/soc.dtsi
	grep -q 'dynamic-power-coefficient = <90>;' src/board.dts
	[ "$(ls real src | xargs)" = "real: soc.dtsi src: board.dts soc.dtsi" ]
}

@test "what a killed edit left beside a file goes with the next edit" {
	sh -c 'echo $$' > pid
	echo half > "src/board.dts.tmp$(cat pid).0"
	# Nobody's: our process may be at work, and a name that we do not make.
	echo half > "src/board.dts.tmp$$.0"
	echo half > src/board.dts.tmp
	apply src/board.dts coeffs.json
	[ "$(ls src | xargs)" = "board.dts board.dts.tmp board.dts.tmp$$.0 soc.dtsi" ]
}

@test "of edits at the same time none is lost without a word" {
	local n got

	dtc -q -O dtb -o many.dtb "$TOP/tests/data/big-little.dts"
	for n in 1 2 3 4 5 6 7 8; do
		{
			"$FDTEDIT" set many.dtb / edit$n $n > out$n 2>&1
			echo $? > status$n
		} &
	done
	wait
	for n in 1 2 3 4 5 6 7 8; do
		got=$("$FDTEDIT" get many.dtb / edit$n 2> /dev/null) || got=none
		case $(cat status$n) in
		0) [ "$got" = $n ] || { echo "$n is lost"; false; } ;;
		# The other's answer where it came between the rename and the look at the result.
		*) grep -q "was changed since it was read; run the command again\|reads back other" out$n ||
			{ cat out$n; false; } ;;
		esac
	done
	cat status? | grep -qx 0
}
