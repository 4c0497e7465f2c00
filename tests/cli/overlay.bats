#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit apply --overlay and --dtsi-fragment: the edit beside the board.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$TOP/tests/data/big-little.dts" board.dts
	dtc -q -I dts -O dtb -o plain.dtb board.dts
	dtc -q -@ -I dts -O dtb -o symbols.dtb board.dts
	coeffs '"board": "test,big-little",' '"compatible": "arm,cortex-a7"'
}

# coeffs MORE A7-MATCH
coeffs() {
	printf '{"schema": "calib-coeffs/1", %s "clusters": [
		{"name": "a7", "match": {%s}, "dynamic-power-coefficient": 90},
		{"name": "a15", "match": {"compatible": "arm,cortex-a15"},
		 "dynamic-power-coefficient": 310}]}\n' "$1" "$2" > coeffs.json
}

# refused TEXT ARGS... - exit 2, one line that holds TEXT, nothing new
refused() {
	want=$1
	shift
	ls -I "separate-*" > names
	run --separate-stderr "$FDTEDIT" apply "$@"
	[ "$status" -eq 2 ] || { echo "status $status: $output $stderr"; false; }
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "fdtedit apply: error: "*"$want"* ]] || { echo "$stderr"; false; }
	diff names <(ls -I "separate-*")
}

# Merging by somebody else's program gives what a direct edit gives.
merges() {
	"$FDTEDIT" apply -o direct.dtb "$1" coeffs.json
	fdtoverlay -i "$1" -o merged.dtb "$2"
	run --separate-stderr "$FDTEDIT" diff direct.dtb merged.dtb
	[ "$status" -eq 0 ] || { echo "$output"; false; }
	[ "$(fdtget merged.dtb /cpus/cpu@1 dynamic-power-coefficient)" = 310 ]
}

@test "an overlay names nodes by label where the base has symbols" {
	cp symbols.dtb before.dtb
	run --separate-stderr "$FDTEDIT" apply --overlay -o eas.dtbo symbols.dtb coeffs.json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${lines[4]}" = "symbols.dtb: 4 CPU node(s) would change, 0 right already" ]
	cmp symbols.dtb before.dtb
	[ "$(fdtget eas.dtbo /__fixups__ big1)" = /fragment@3:target:0 ]
	run -1 fdtget eas.dtbo /fragment@0 target-path
	merges symbols.dtb eas.dtbo
}

@test "an overlay names nodes by path where the base has no symbols" {
	"$FDTEDIT" apply --overlay -o eas.dtbo plain.dtb coeffs.json
	[ "$(fdtget eas.dtbo /fragment@2 target-path)" = /cpus/cpu@0 ]
	run -1 fdtget eas.dtbo /__fixups__ big1
	merges plain.dtb eas.dtbo
}

@test "a label whose node has no phandle is not used, as merging could not find it" {
	cat > s.dts <<-'END'
		/dts-v1/;
		/ { cpus { #address-cells = <1>; #size-cells = <0>;
		cpu@0 { device_type = "cpu"; compatible = "arm,cortex-a7"; reg = <0>; };
		cpu@1 { device_type = "cpu"; compatible = "arm,cortex-a15"; reg = <1>; phandle = <7>; }; };
		__symbols__ { no = "/cpus/cpu@0"; good = "/cpus/cpu@1"; }; };
	END
	dtc -q -I dts -O dtb -o s.dtb s.dts
	"$FDTEDIT" apply --overlay -o eas.dtbo s.dtb coeffs.json
	[ "$(fdtget eas.dtbo /fragment@0 target-path)" = /cpus/cpu@0 ]
	[ "$(fdtget eas.dtbo /__fixups__ good)" = /fragment@1:target:0 ]
	merges s.dtb eas.dtbo
}

@test "the source beside the overlay compiles to it" {
	for base in plain symbols; do
		"$FDTEDIT" apply --overlay -o "$base.dtbo" "$base.dtb" coeffs.json
		dtc -q -@ -I dts -O dtb -o again.dtbo "$base.dtso"
		run --separate-stderr "$FDTEDIT" diff "$base.dtbo" again.dtbo
		[ "$status" -eq 0 ] || { echo "$output"; false; }
	done
	grep -q 'measured on test,big-little' plain.dtso
	grep -q '^ \*   a15: 310 uW/MHz/V^2$' plain.dtso
	grep -q '^&{/cpus/cpu@100} {$' plain.dtso
	grep -q '^&little0 {$' symbols.dtso
}

@test "without -o, or with -o NAME.dtso, only the source is written" {
	run --separate-stderr "$FDTEDIT" apply --overlay plain.dtb coeffs.json
	[ "$status" -eq 0 ]
	[ "$(grep -c '^/plugin/;$' <<< "$output")" -eq 1 ]
	[ "${stderr_lines[4]}" = "plain.dtb: 4 CPU node(s) would change, 0 right already" ]
	"$FDTEDIT" apply --overlay -o x.dtso plain.dtb coeffs.json
	diff x.dtso <(echo "$output")
	[ ! -e x.dtbo ]
	run "$FDTEDIT" apply -n --overlay -o y.dtbo plain.dtb coeffs.json
	[ "$status" -eq 0 ]
	[ ! -e y.dtbo ] && [ ! -e y.dtso ]
}

@test "an overlay of source is of the tree that it compiles to, by path" {
	"$FDTEDIT" apply --overlay -o eas.dtbo board.dts coeffs.json
	cmp board.dts "$TOP/tests/data/big-little.dts"
	"$FDTEDIT" apply --overlay -o same.dtbo plain.dtb coeffs.json
	cmp eas.dtbo same.dtbo
}

@test "only what must change is in the overlay, and an empty one is one, too" {
	fdtput -t i symbols.dtb /cpus/cpu@0 dynamic-power-coefficient 310
	fdtput -t i symbols.dtb /cpus/cpu@1 dynamic-power-coefficient 300
	"$FDTEDIT" apply --overlay -o eas.dtbo symbols.dtb coeffs.json
	run grep -c '^&' eas.dtso
	[ "$output" -eq 3 ]
	merges symbols.dtb eas.dtbo
	"$FDTEDIT" apply symbols.dtb coeffs.json
	run "$FDTEDIT" apply --overlay -o eas.dtbo symbols.dtb coeffs.json
	[ "$output" = "symbols.dtb: nothing to do, 4 CPU node(s) right already" ]
	run -1 grep -c '^&' eas.dtso
	merges symbols.dtb eas.dtbo
	dtc -q -@ -I dts -O dtb -o again.dtbo eas.dtso
}

@test "CPUs that the base has not are told of, and a cluster without any is refused" {
	coeffs '' '"reg": [256, 257, 258]'
	run --separate-stderr "$FDTEDIT" apply --overlay -o eas.dtbo plain.dtb coeffs.json
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: cluster 'a7': no CPU node has reg 0x102; is this the board that was measured?"* ]]
	merges plain.dtb eas.dtbo
	coeffs '' '"paths": ["/cpus/cpu@100", "/cpus/cpu@104"]'
	run --separate-stderr "$FDTEDIT" apply --dtsi-fragment plain.dtb coeffs.json
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: cluster 'a7': no CPU node '/cpus/cpu@104'; is this"* ]]
	coeffs '' '"compatible": "arm,cortex-a55"'
	refused "matches no CPU node; there are arm,cortex-a7" --overlay -o eas.dtbo plain.dtb coeffs.json
}

@test "what makes no sense together, or replaces what is not ours, is refused" {
	refused "give one of" --overlay --dtsi-fragment plain.dtb coeffs.json
	refused "give one of" --overlay --patch board.dts coeffs.json
	refused "--backup is for editing in place; --overlay" --overlay --backup plain.dtb coeffs.json
	refused "is the input 'plain.dtb', which it would replace" --overlay -o plain.dtb plain.dtb coeffs.json
	echo '// by hand' > eas.dtso
	refused "'eas.dtso' is there, and fdtedit did not make it" \
		--overlay -o eas.dtbo plain.dtb coeffs.json
	[ "$(cat eas.dtso)" = '// by hand' ]
	"$FDTEDIT" apply --overlay -o ours.dtbo plain.dtb coeffs.json
	"$FDTEDIT" apply --overlay -o ours.dtbo plain.dtb coeffs.json
	mkdir folder.dtbo
	refused "cannot write 'folder.dtbo'" --overlay -o folder.dtbo plain.dtb coeffs.json
}

@test "a base of version 16, or with bytes after its tree, gets its overlay as any other" {
	dtc -q -V 16 -I dts -O dtb -o old.dtb board.dts
	cp old.dtb long.dtb
	printf 'signature' >> long.dtb
	for base in old long; do
		"$FDTEDIT" apply --overlay -o $base.dtbo $base.dtb coeffs.json
		"$FDTEDIT" apply --dtsi-fragment -o $base.dtsi $base.dtb coeffs.json
	done
	cmp old.dtbo long.dtbo
	cmp old.dtsi long.dtsi
	"$FDTEDIT" apply -o want.dtb old.dtb coeffs.json
	fdtoverlay -i old.dtb -o got.dtb old.dtbo
	diff <(dtc -q -s -O dts want.dtb) <(dtc -q -s -O dts got.dtb)
}

@test "no file that BOARD includes is replaced by what -o names" {
	"$FDTEDIT" apply --dtsi-fragment -o eas.dtsi board.dts coeffs.json
	cp board.dts with.dts
	echo '#include "eas.dtsi"' >> with.dts
	cp eas.dtsi before
	# All is there by now, so that the fragment would be empty.
	refused "'with.dts' includes it: output 'eas.dtsi' is the input 'eas.dtsi'" \
		--dtsi-fragment -o eas.dtsi with.dts coeffs.json
	refused "'with.dts' includes it" --overlay -o eas.dtsi with.dts coeffs.json
	refused "'with.dts' includes it" --patch -o eas.dtsi with.dts coeffs.json
	refused "'with.dts' includes it" -o eas.dtsi with.dts coeffs.json
	cmp eas.dtsi before
	"$FDTEDIT" apply --dtsi-fragment -o other.dtsi with.dts coeffs.json
}

@test "a full disk leaves neither the overlay nor its source" {
	unshare -rm true 2> /dev/null || skip "no user namespaces"
	run unshare -rm sh -c 'mkdir m && mount -t tmpfs -o size=8k tmpfs m &&
		echo old > m/eas.dtbo && { cat /dev/zero > m/fill || true; } 2> /dev/null &&
		{ "$FDTEDIT" apply --overlay -o m/eas.dtbo plain.dtb coeffs.json 2> said
		echo "status $?"; } && cat m/eas.dtbo && ls m'
	[ "${lines[0]}" = "status 2" ] || { echo "$output"; false; }
	[ "${lines[1]}" = old ]
	[ "${lines[2]}" = eas.dtbo ] && [ "${lines[3]}" = fill ] && [ "${#lines[@]}" -eq 4 ]
	grep -q 'No space left' said
}

@test "a fragment has the labels of source and compiles after it" {
	run --separate-stderr "$FDTEDIT" apply --dtsi-fragment -o eas.dtsi board.dts coeffs.json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	cmp board.dts "$TOP/tests/data/big-little.dts"
	grep -q '^&little1 {$' eas.dtsi
	{ cat board.dts && echo '#include "eas.dtsi"'; } > all.dts
	cpp -nostdinc -undef -x assembler-with-cpp all.dts | dtc -q -I dts -O dtb -o all.dtb
	"$FDTEDIT" apply -o direct.dtb plain.dtb coeffs.json
	"$FDTEDIT" diff all.dtb direct.dtb
}

@test "a fragment of a tree without symbols goes by path, with symbols by label" {
	"$FDTEDIT" apply --dtsi-fragment plain.dtb coeffs.json > eas.dtsi
	grep -q '^&{/cpus/cpu@100} {$' eas.dtsi
	{ cat board.dts && echo '#include "eas.dtsi"'; } > all.dts
	"$FDTEDIT" apply -o direct.dtb plain.dtb coeffs.json
	"$FDTEDIT" diff all.dts direct.dtb
	"$FDTEDIT" apply --dtsi-fragment symbols.dtb coeffs.json > eas.dtsi
	grep -q '^&big0 {$' eas.dtsi
	"$FDTEDIT" diff all.dts direct.dtb
}

@test "text from coeffs.json does not leave the comment" {
	coeffs '"board": "x */ / { evil; }; /*",' '"compatible": "arm,cortex-a7"'
	"$FDTEDIT" apply --overlay -o eas.dtbo plain.dtb coeffs.json
	dtc -q -@ -I dts -O dtb -o again.dtbo eas.dtso
	"$FDTEDIT" diff eas.dtbo again.dtbo
}

@test "the comment says method, sensor, interval, and that a board is virtual" {
	"$CALIB" measure --board virtual:odroid-xu3 --cluster a15 --cluster a7 -d run \
		> /dev/null 2>&1
	dtc -q -I dts -O dtb -o xu3.dtb "$TOP/boards/odroid-xu3.dts"
	"$CALIB" fit -d run > fitted.json 2> /dev/null
	"$FDTEDIT" apply --dtsi-fragment xu3.dtb fitted.json > eas.dtsi 2> /dev/null
	grep -q 'VIRTUAL' eas.dtsi
	grep -Eq '^ \*   a15: [0-9]+ uW/MHz/V\^2, method [a-z-]+, 95 % interval [0-9.]+\.\.[0-9.]+, sensor ' eas.dtsi
}
