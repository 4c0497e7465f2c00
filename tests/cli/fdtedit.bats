#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fdtedit apply on compiled trees: only what was asked for changes, or nothing.

bats_require_minimum_version 1.5.0

load fdtedit

setup() {
	cd "$BATS_TEST_TMPDIR"
	dtc -q -b 0x101 -p 512 -I dts -O dtb -o board.dtb "$TOP/tests/data/big-little.dts"
	cp board.dtb before.dtb
	coeffs '{"name": "a7", "match": {"compatible": "arm,cortex-a7"},
		"dynamic-power-coefficient": 90},
		{"name": "a15", "match": {"compatible": "arm,cortex-a15"},
		"dynamic-power-coefficient": 310}' > coeffs.json
}

coeffs() {
	printf '{"schema": "calib-coeffs/1", "clusters": [%s]}\n' "$1"
}

# header FIELD FILE - word number FIELD of the header, in decimal
header() {
	echo $((0x$(od -An -v -tx1 -j $(($1 * 4)) -N 4 "$2" | tr -d ' ')))
}

text() {
	dtc -q -I dtb -O dts "$@"
}

@test "apply adds the property to each CPU node and changes nothing else" {
	run --separate-stderr "$FDTEDIT" apply board.dtb coeffs.json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${lines[0]}" = "/cpus/cpu@100: dynamic-power-coefficient: none -> 90 (a7)" ]
	[ "${lines[3]}" = "/cpus/cpu@1: dynamic-power-coefficient: none -> 310 (a15)" ]
	[ "${lines[4]}" = "board.dtb: 4 CPU node(s) changed, 0 right already" ]
	[ "${#lines[@]}" -eq 5 ]
	diff <(text -s before.dtb) <(text -s board.dtb) > d || true
	[ "$(grep -c '^>.*dynamic-power-coefficient = <0x5a>;' d)" -eq 2 ]
	[ "$(grep -c '^>.*dynamic-power-coefficient = <0x136>;' d)" -eq 2 ]
	[ "$(grep -c '^[<>]' d)" -eq 4 ]
}

@test "apply writes what dtc makes of the source with the property in it" {
	# The anchor is capacity-dmips-mhz; without one the property comes last.
	sed -e 's/^\t\t\tcapacity-dmips-mhz = .*/&\n\t\t\tdynamic-power-coefficient = <90>;/' \
		-e 's/operating-points-v2 = <&big_opps>;/& dynamic-power-coefficient = <310>;/' \
		"$TOP/tests/data/big-little.dts" | dtc -q -b 0x101 -I dts -O dtb -o want.dtb
	"$FDTEDIT" apply board.dtb coeffs.json
	diff <(text want.dtb) <(text board.dtb)
}

@test "apply keeps reserve map, boot CPU id and spare room, and grows by what is needed" {
	"$FDTEDIT" apply board.dtb coeffs.json
	[ "$(header 7 board.dtb)" -eq $((0x101)) ]
	[ "$(text board.dtb | grep -c '^/memreserve/')" -eq 2 ]
	diff <(text before.dtb | grep memreserve) <(text board.dtb | grep memreserve)
	# The name is there already (the GPU has it): four properties of 16 bytes.
	[ "$(stat -c %s board.dtb)" -eq $(($(stat -c %s before.dtb) + 64)) ]
	[ "$(header 1 board.dtb)" -eq "$(stat -c %s board.dtb)" ]
	# Field 3: off_dt_strings, 8: size_dt_strings. What follows is spare.
	[ $(($(header 1 board.dtb) - $(header 3 board.dtb) - $(header 8 board.dtb))) -eq 512 ]
}

@test "a second apply says so and does not touch the file" {
	"$FDTEDIT" apply board.dtb coeffs.json
	cp board.dtb once.dtb
	touch -d 2001-02-03 board.dtb
	inode=$(stat -c %i board.dtb)
	run --separate-stderr "$FDTEDIT" apply board.dtb coeffs.json
	[ "$status" -eq 0 ]
	[ "$output" = "board.dtb: nothing to do, 4 CPU node(s) right already" ]
	cmp board.dtb once.dtb
	[ "$(stat -c %Y board.dtb)" -eq "$(date -d 2001-02-03 +%s)" ]
	[ "$(stat -c %i board.dtb)" -eq "$inode" ]
}

@test "apply replaces a value in place, without growing" {
	"$FDTEDIT" apply board.dtb coeffs.json
	size=$(stat -c %s board.dtb)
	sed -i s/310/311/ coeffs.json
	run --separate-stderr "$FDTEDIT" apply board.dtb coeffs.json
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "/cpus/cpu@0: dynamic-power-coefficient: 310 -> 311 (a15)" ]
	[ "${lines[2]}" = "board.dtb: 2 CPU node(s) changed, 2 right already" ]
	[ "$(stat -c %s board.dtb)" -eq "$size" ]
	[ "$(fdtget board.dtb /cpus/cpu@1 dynamic-power-coefficient)" = 311 ]
	[ "$(fdtget board.dtb /soc/gpu@2000 dynamic-power-coefficient)" = 2982 ]
}

@test "-n says what would change and changes nothing" {
	run --separate-stderr "$FDTEDIT" apply -n --backup board.dtb coeffs.json
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "/cpus/cpu@100: dynamic-power-coefficient: none -> 90 (a7)" ]
	[ "${lines[4]}" = "board.dtb: 4 CPU node(s) would change, 0 right already" ]
	cmp board.dtb before.dtb
	[ ! -e board.dtb.orig ]
}

@test "-o leaves the input alone, also when there is nothing to do" {
	run "$FDTEDIT" apply -o new.dtb board.dtb coeffs.json
	[ "$status" -eq 0 ]
	cmp board.dtb before.dtb
	[ "$(fdtget new.dtb /cpus/cpu@0 dynamic-power-coefficient)" = 310 ]
	run "$FDTEDIT" apply -o copy.dtb new.dtb coeffs.json
	[ "$status" -eq 0 ]
	cmp new.dtb copy.dtb
}

@test "-o - writes the tree to standard output and talks on stderr" {
	"$FDTEDIT" apply -o - board.dtb coeffs.json > out.dtb 2> talk
	[ "$(fdtget out.dtb /cpus/cpu@0 dynamic-power-coefficient)" = 310 ]
	grep -q 'none -> 310' talk
	"$FDTEDIT" apply -o - - coeffs.json < board.dtb > piped.dtb
	cmp out.dtb piped.dtb
	cmp board.dtb before.dtb
}

@test "--backup keeps the old file and never overwrites a backup" {
	"$FDTEDIT" apply --backup board.dtb coeffs.json
	cmp board.dtb.orig before.dtb
	cp board.dtb before.dtb
	sed -i s/310/311/ coeffs.json
	refused "backup 'board.dtb.orig' exists" apply --backup board.dtb coeffs.json
}

@test "mode and links are kept" {
	chmod 640 board.dtb
	mkdir sub
	ln -s ../board.dtb sub/link.dtb
	"$FDTEDIT" apply sub/link.dtb coeffs.json
	[ -L sub/link.dtb ]
	[ "$(stat -c %a board.dtb)" = 640 ]
	[ "$(fdtget board.dtb /cpus/cpu@0 dynamic-power-coefficient)" = 310 ]
	[ "$(find sub | wc -l)" -eq 2 ]
}

@test "CPU nodes are found by path and by reg too" {
	coeffs '{"name": "x", "match": {"paths": ["/cpus/cpu@100", "/cpus/cpu@101"]},
		"dynamic-power-coefficient": 91},
		{"name": "y", "match": {"reg": [0, 1]}, "dynamic-power-coefficient": 311}' > c.json
	"$FDTEDIT" apply board.dtb c.json
	for cpu in 100:91 101:91 0:311 1:311; do
		[ "$(fdtget board.dtb "/cpus/cpu@${cpu%:*}" dynamic-power-coefficient)" = \
			"${cpu#*:}" ]
	done
}

@test "matches that cannot be meant are refused" {
	coeffs '{"name": "a53", "match": {"compatible": "arm,cortex-a53"},
		"dynamic-power-coefficient": 90}' > c.json
	refused "'board.dtb': cluster 'a53' (compatible 'arm,cortex-a53') matches no CPU node; there are arm,cortex-a7 (reg 0x100 0x101), arm,cortex-a15 (reg 0x0 0x1)" \
		apply board.dtb c.json
	coeffs '{"name": "x", "match": {"reg": [0]}, "dynamic-power-coefficient": 90},
		{"name": "y", "match": {"compatible": "arm,cortex-a15"},
		"dynamic-power-coefficient": 90}' > c.json
	refused "clusters 'x' and 'y' both match CPU node '/cpus/cpu@0'" apply board.dtb c.json
	coeffs '{"name": "x", "match": {"reg": [0]}, "dynamic-power-coefficient": 90},
		{"name": "y", "match": {"reg": [1]}, "dynamic-power-coefficient": 91}' > c.json
	refused "one frequency domain would get two values" apply board.dtb c.json
	coeffs '{"name": "x", "match": {}, "dynamic-power-coefficient": 90}' > c.json
	refused "cluster 'x': match has no key" apply board.dtb c.json
}

@test "bad coefficients are refused" {
	for value in null NaN '"90"' 90.5 -1 0 4294967296 1e2 '[90]' true; do
		coeffs '{"name": "a7", "match": {"compatible": "arm,cortex-a7"},
			"dynamic-power-coefficient": '"$value"'}' > c.json
		refused "c.json" apply board.dtb c.json
	done
	coeffs '{"name": "a7", "match": {"compatible": "arm,cortex-a7"},
		"dynamic-power-coefficient": 90, "dynamic-power-coefficient": 91}' > c.json
	refused "duplicate" apply board.dtb c.json
	coeffs '{"name": "a7", "match": {"compatible": "arm,cortex-a7"},
		"dynamic_power_coefficient": 90}' > c.json
	refused "dynamic_power_coefficient" apply board.dtb c.json
	echo '{"schema": "calib-coeffs/2", "clusters": []}' > c.json
	refused "calib-coeffs/2" apply board.dtb c.json
	echo '{"clusters": [' > c.json
	refused "c.json" apply board.dtb c.json
	: > c.json
	refused "c.json" apply board.dtb c.json
	refused "no-such.json" apply board.dtb no-such.json
	refused "'.'" apply board.dtb .
}

@test "files that are no sound tree are refused" {
	refused "no-such.dtb" apply no-such.dtb coeffs.json
	refused "'.'" apply . coeffs.json
	: > empty.dtb
	refused "'empty.dtb': empty" apply empty.dtb coeffs.json
	head -c 700 board.dtb > cut.dtb
	refused "'cut.dtb': totalsize" apply cut.dtb coeffs.json
	head -c 30 board.dtb > cut.dtb
	refused "'cut.dtb'" apply cut.dtb coeffs.json
	cp "$TOP/tests/data/big-little.dts" source.dtb
	refused "'source.dtb': looks like DTS source" apply source.dtb coeffs.json
	gzip -c board.dtb > board.dtb.gz
	refused "'board.dtb.gz': not a device tree but a gzip file" apply board.dtb.gz coeffs.json
	cat board.dtb board.dtb > two.dtb
	refused "'two.dtb': joined device trees, 2 trees: 0 'test,big-little', 1 'test,big-little'" apply two.dtb coeffs.json
	echo '/dts-v1/; / { soc { }; };' | dtc -q -O dtb -o none.dtb
	refused "'none.dtb': no CPU node" apply none.dtb coeffs.json
	echo '/dts-v1/; / { images { }; };' | dtc -q -O dtb -o fit.itb
	refused "'fit.itb': no CPU node: this is a FIT image" apply fit.itb coeffs.json
	for f in *.dtb *.itb; do
		[ ! -e "$f.orig" ]
	done
}

@test "options that make no sense together are refused" {
	refused "--patch is for source" apply --patch board.dtb coeffs.json
	refused "--backup is for editing in place" apply --backup -o x.dtb board.dtb coeffs.json
	refused "give -o" apply - coeffs.json
	refused "cannot both be '-'" apply -o x.dtb - -
	refused "output 'coeffs.json' is the input 'coeffs.json'" apply -o coeffs.json board.dtb coeffs.json
	refused "output 'board.dtb' is the input 'board.dtb'" apply --overlay -o board.dtb board.dtb coeffs.json
}

@test "a full disk leaves the old file" {
	command -v unshare > /dev/null || skip "no unshare"
	unshare -rm true 2> /dev/null || skip "no user namespaces"
	run unshare -rm sh -c 'mkdir m && mount -t tmpfs -o size=8k tmpfs m &&
		cp board.dtb m/ && { cat /dev/zero > m/fill || true; } 2> /dev/null &&
		{ "$FDTEDIT" apply m/board.dtb coeffs.json 2> said; echo "status $?"; } &&
		cmp m/board.dtb before.dtb && ls m'
	[ "$status" -eq 0 ] || { echo "$output"; false; }
	[ "${lines[0]}" = "status 2" ]
	[ "${lines[1]}" = board.dtb ] && [ "${lines[2]}" = fill ] && [ "${#lines[@]}" -eq 3 ]
	grep -q "cannot write 'm/board.dtb'.*No space left" said
}

@test "a disk that is full after the backup leaves no backup, for source of any size" {
	command -v unshare > /dev/null || skip "no unshare"
	unshare -rm true 2> /dev/null || skip "no user namespaces"
	{ cat "$TOP/tests/data/big-little.dts" && printf '/* %020000d */\n' 0; } > big.dts
	cp "$TOP/tests/data/big-little.dts" small.dts
	run unshare -rm sh -c 'mkdir m && mount -t tmpfs -o size=64k tmpfs m && cp big.dts m/ &&
		head -c 12288 /dev/zero > m/fill &&
		{ "$FDTEDIT" apply --backup m/big.dts coeffs.json 2>&1; echo "status $?"; } &&
		cmp m/big.dts big.dts && ls m && rm m/* && cp small.dts board.dtb m/ &&
		for f in small.dts board.dtb; do
			size=$(stat -c %s $f) && cp $f m/$f.copy &&
			{ cat /dev/zero > m/fill || true; } 2> /dev/null && rm m/$f.copy &&
			{ "$FDTEDIT" apply --backup m/$f coeffs.json 2>&1; echo "status $?"; } &&
			cmp m/$f $f && ls m && rm m/fill || exit
		done'
	[ "$status" -eq 0 ] || { echo "$output"; false; }
	[ "${lines[0]}" = "fdtedit apply: error: cannot write 'm/big.dts' (it is as before): \
No space left on device" ]
	[ "${lines[1]}" = "status 2" ]
	[ "$(printf '%s ' "${lines[@]:2}")" = "big.dts fill \
fdtedit apply: error: cannot write 'm/small.dts' (it is as before): No space left on device \
status 2 board.dtb fill small.dts \
fdtedit apply: error: cannot write 'm/board.dtb' (it is as before): No space left on device \
status 2 board.dtb fill small.dts " ] || { echo "$output"; false; }
}

@test "a FIFO is not edited in place, and read with -o" {
	mkfifo pipe.dtb pipe.dts
	for f in pipe.dtb pipe.dts; do
		run --separate-stderr timeout 10 "$FDTEDIT" apply $f coeffs.json
		[ "$status" -eq 2 ] && [ -z "$output" ]
		[ "$stderr" = "fdtedit apply: error: '$f' is no regular file and cannot be edited \
in place; give -o OUT" ]
	done
	cat board.dtb > pipe.dtb &
	timeout 10 "$FDTEDIT" apply -o out.dtb pipe.dtb coeffs.json
	"$FDTEDIT" apply board.dtb coeffs.json
	cmp out.dtb board.dtb
}

@test "standard output that takes nothing is an error" {
	[ -e /dev/full ] || skip "no /dev/full"
	run sh -c '"$FDTEDIT" apply -o - board.dtb coeffs.json 2>&1 > /dev/full'
	[ "$status" -eq 2 ]
	[[ $output == *"No space left"* ]]
	run sh -c '"$FDTEDIT" apply -o /dev/full board.dtb coeffs.json 2>&1'
	[ "$status" -eq 2 ]
	[[ $output == *"/dev/full"*"No space left"* ]]
}

# no_report FILE WANT ARGS... - exit 2 when stdout is full, one line that holds WANT, and
# FILE as it was ("": nothing new here)
no_report() {
	local file=$1 want=$2 before=
	shift 2
	[ -z "$file" ] || cp "$file" as-it-was
	before=$(ls)
	# shellcheck disable=SC2016
	run sh -c '"$FDTEDIT" "$@" 2>&1 > /dev/full' - "$@"
	[ "$status" -eq 2 ] || { echo "status $status: $output"; false; }
	[ "$output" = "fdtedit $1: error: $want$full" ] || { echo "$output"; false; }
	[ -z "$file" ] || cmp "$file" as-it-was
	[ "$(ls)" = "$before" ] || { ls; false; }
}

@test "a report that cannot be written leaves every file as it was" {
	[ -e /dev/full ] || skip "no /dev/full"
	full="cannot write standard output: No space left on device"
	lost="since the report of it is not written: "
	cp "$TOP/tests/data/big-little.dts" board.dts
	touch as-it-was
	for f in board.dtb board.dts; do
		no_report $f "" apply -n $f coeffs.json
		no_report $f "'$f' is as before, $lost" apply $f coeffs.json
		no_report $f "'$f' is as before, $lost" apply --backup $f coeffs.json
		no_report $f "'new' is not made, $lost" apply -o new $f coeffs.json
	done
	for f in board.dtb board.dts; do
		no_report $f "'$f' is as before, $lost" set $f / model x
		no_report $f "'$f' is as before, $lost" set --backup $f / model x
		no_report $f "'$f' is as before, $lost" delete $f / model
	done
	f=board.dtb
	no_report $f "'x.dtso' is not made, $lost" apply --overlay -o x.dtbo $f coeffs.json
	no_report $f "'x.dtso' is not made, $lost" apply --overlay -o x.dtso $f coeffs.json
	no_report board.dts "'x.patch' is not made, $lost" \
		apply --patch -o x.patch board.dts coeffs.json
	"$FDTEDIT" apply --overlay -o x.dtbo $f coeffs.json
	cp x.dtbo first.dtbo
	sed -i 's/310/311/' coeffs.json
	no_report x.dtso "'x.dtso' is as before, $lost" \
		apply --overlay -o x.dtbo $f coeffs.json
	cmp x.dtbo first.dtbo
	# Nothing to do, and so no file to leave alone.
	"$FDTEDIT" apply $f coeffs.json
	no_report $f "" apply $f coeffs.json
}

@test "a report that cannot be written leaves all files of a source as they were" {
	[ -e /dev/full ] || skip "no /dev/full"
	full="cannot write standard output: No space left on device"
	for c in 7 15; do
		printf '/ { cpus { cpu@%d { device_type = "cpu"; reg = <%d>;\n%s%d"; }; }; };\n' \
			$c $c 'compatible = "arm,cortex-a' $c > a$c.dtsi
	done
	printf '/dts-v1/;\n#include "a7.dtsi"\n#include "a15.dtsi"\n' > two.dts
	cp a15.dtsi keep
	no_report a7.dtsi "'a7.dtsi' is as before, since the report of it is not written: " \
		apply --all-files --backup two.dts coeffs.json
	cmp a15.dtsi keep
}

@test "a reader of the report that has gone leaves the file as it was" {
	mkfifo pipe
	exec 8<> pipe 9> pipe 8<&-
	run sh -c '"$FDTEDIT" apply board.dtb coeffs.json >&9'
	exec 9>&-
	[ "$status" -ne 0 ]
	cmp board.dtb before.dtb
}

@test "a folder that cannot be written leaves the old file" {
	unshare -rm true 2> /dev/null || skip "no user namespaces"
	run unshare -rm sh -c 'mkdir m && mount -t tmpfs tmpfs m && cp board.dtb m/ &&
		mount -o remount,ro m &&
		{ "$FDTEDIT" apply m/board.dtb coeffs.json 2>&1; echo "status $?"; } &&
		cmp m/board.dtb before.dtb && ls m'
	[ "$status" -eq 0 ] || { echo "$output"; false; }
	[[ ${lines[0]} == "fdtedit apply: error: cannot write 'm/board.dtb'"* ]]
	[ "${lines[1]}" = "status 2" ]
	[ "${lines[2]}" = board.dtb ] && [ "${#lines[@]}" -eq 3 ]
}

@test "voltages that firmware tells are no reason to warn" {
	sed 's/^\(.*\)capacity-dmips-mhz = <400>;/\1qcom,freq-domain = <\&little_opps 0>; &/
		/opp-microvolt/d' "$TOP/tests/data/big-little.dts" > hw.dts
	[ "$(grep -c freq-domain hw.dts)" -gt 0 ]
	dtc -q -I dts -O dtb -o hw.dtb hw.dts
	run --separate-stderr "$FDTEDIT" apply hw.dtb coeffs.json
	[ "$status" -eq 0 ]
	[[ $stderr != *"'/cpus/cpu@100': the value will have no effect"* ]] || { echo "$stderr"; false; }
	[[ $stderr == *"'/cpus/cpu@0': the value will have no effect"* ]] || { echo "$stderr"; false; }
}

@test "where the hardware tells the power the value is said to have no effect" {
	sed 's/operating-points-v2 = <&little_opps>/performance-domains = <\&hw 0>/
		s/^\taliases {/\thw: perf { compatible = "mediatek,cpufreq-hw"; };\n&/' \
		"$TOP/tests/data/big-little.dts" | dtc -q -I dts -O dtb -o hw.dtb
	run --separate-stderr "$FDTEDIT" apply hw.dtb coeffs.json
	[ "$status" -eq 0 ]
	[ "${stderr_lines[0]}" = "fdtedit apply: warning: '/cpus/cpu@100' and others: the value will have \
no effect, the hardware tells the kernel the power of each OPP (mediatek,cpufreq-hw)" ]
	[[ $stderr != *"cpu@101' and others"* ]]
	sed 's/operating-points-v2 = <&little_opps>/clocks = <\&hw 0>/
		s/^\taliases {/\tscmi { hw: protocol@13 { #clock-cells = <1>; }; };\n&/' \
		"$TOP/tests/data/big-little.dts" > hw.dts
	for f in hw.dts hw.dtb; do
		dtc -q -I dts -O dtb -o hw.dtb hw.dts
		run --separate-stderr "$FDTEDIT" apply "$f" coeffs.json
		[ "$status" -eq 0 ]
		[ "$stderr" = "fdtedit apply: warning: '/cpus/cpu@100' and others: the value will have \
no effect, firmware tells the kernel the power of each OPP (SCMI)" ] || { echo "$stderr"; false; }
		sed -i '/dynamic-power-coefficient/d' hw.dts
	done
}

@test "a value that will have no effect is warned about" {
	sed '/opp-microvolt/d' "$TOP/tests/data/big-little.dts" | dtc -q -O dtb -o novolt.dtb
	run --separate-stderr "$FDTEDIT" apply novolt.dtb coeffs.json
	[ "$status" -eq 0 ]
	[[ ${stderr_lines[0]} == "fdtedit apply: warning: '/cpus/cpu@100': the value will have no effect, 2 OPP(s) of '/opp-table-0' have no opp-microvolt"* ]]
	[ "${#stderr_lines[@]}" -eq 2 ]
	sed 's/opp-microvolt = <900000>;/& opp-microwatt = <100000>;/' \
		"$TOP/tests/data/big-little.dts" | dtc -q -O dtb -o mw.dtb
	run --separate-stderr "$FDTEDIT" apply mw.dtb coeffs.json
	[ "$status" -eq 0 ]
	[[ $stderr == *"opp-microwatt in '/opp-table-0' overrides it"* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "the Odroid-XU4's real tree changes in exactly eight lines" {
	pre="$SHARED/data/exynos5422-odroidxu4.pre.dtb"
	[ -e "$pre" ] || skip "no $pre"
	"$FDTEDIT" apply -o out.dtb "$pre" coeffs.json
	diff <(text -s "$pre") <(text -s out.dtb) > d || true
	[ "$(grep -c '^>' d)" -eq 8 ]
	[ "$(grep -c '^<' d)" -eq 0 ]
	diff <(text "${pre%.pre.dtb}.post.dtb") <(text out.dtb)
	[ "$(stat -c %s out.dtb)" -eq "$(stat -c %s "${pre%.pre.dtb}.post.dtb")" ]
}

@test "tight, padded and malformed trees get their verdicts" {
	d="$SHARED/cases/d10-dtb-tight-padded-malformed"
	[ -d "$d" ] || skip "no $d"
	coeffs '{"name": "all", "match": {"reg": [0, 1, 2, 3, 4, 5, 6, 7]},
		"dynamic-power-coefficient": 333}' > c.json
	for f in tight padded; do
		"$FDTEDIT" apply -o out.dtb "$d/$f.dtb" c.json
		diff <(text -s "$d/$f.dtb") <(text -s out.dtb) > df || true
		[ "$(grep -c '^>.*<0x14d>' df)" -eq 8 ]
		[ "$(grep -c '^[<>]' df)" -eq 8 ]
	done
	[ $(($(header 1 out.dtb) - $(header 3 out.dtb) - $(header 8 out.dtb))) -eq 1024 ]
	rm out.dtb
	refused "structure block is not 4-byte aligned" apply -o out.dtb "$d/misaligned.dtb" c.json
	refused "totalsize 1434 is more than the file's 860" apply -o out.dtb "$d/truncated.dtb" c.json
	refused "totalsize 66970 is more" apply -o out.dtb "$d/totalsize_too_big.dtb" c.json
	refused "magic" apply -o out.dtb "$d/bad_magic.dtb" c.json
	refused "empty" apply -o out.dtb "$d/empty.dtb" c.json
	cp "$d/board.dts" as.dtb
	refused "looks like DTS source" apply -o out.dtb as.dtb c.json
	[ ! -e out.dtb ]
}

@test "coefficients of a virtual board are told, once, whatever is done with them" {
	sed 's/"schema"/"virtual": true, &/' coeffs.json > v.json
	want="fdtedit apply: warning: 'v.json': these coefficients were made by a virtual board, \
not measured"
	cp "$TOP/tests/data/big-little.dts" board.dts
	for args in "-n board.dtb" "-o - board.dtb" "-n board.dts" "--patch board.dts" \
		"--patch --format git-am board.dts" board.dts board.dtb; do
		# shellcheck disable=SC2086
		"$FDTEDIT" apply $args v.json > out 2> err
		[ "$(grep -c "made by a virtual board" err)" -eq 1 ] || { echo "$args"; cat err; false; }
		[ "$(grep -cxF "$want" err)" -eq 1 ]
		[ "$args" != "--patch board.dts" ] || [ "$(head -c 4 out)" = "--- " ]
	done
	run --separate-stderr "$FDTEDIT" apply -n board.dtb coeffs.json
	[ -z "$stderr" ]
}

@test "a tree that keeps the value on each domain's first CPU stays that way" {
	sed -e '/little0: cpu@100/a dynamic-power-coefficient = <80>;' \
		"$TOP/tests/data/big-little.dts" | dtc -q -O dtb -o first.dtb
	run --separate-stderr "$FDTEDIT" apply -o out.dtb first.dtb coeffs.json
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "/cpus/cpu@100: dynamic-power-coefficient: 80 -> 90 (a7)" ]
	[ "${lines[1]}" = "/cpus/cpu@0: dynamic-power-coefficient: none -> 310 (a15)" ]
	[[ $stderr == *"1 CPU node(s) in the domain of '/cpus/cpu@100' stay without"* ]]
	run fdtget out.dtb /cpus/cpu@101 dynamic-power-coefficient
	[ "$status" -ne 0 ]
	run --separate-stderr "$FDTEDIT" apply --all-cpus -o out.dtb first.dtb coeffs.json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$(fdtget out.dtb /cpus/cpu@101 dynamic-power-coefficient)" = 90 ]
}

@test "one domain's value can change while others stay, and no domain gets two" {
	d="$SHARED/cases/d07-coefficient-per-policy"
	[ -d "$d" ] || skip "no $d"
	coeffs '{"name": "policy0", "match": {"reg": [0, 256]},
		"dynamic-power-coefficient": 101}' > c.json
	"$FDTEDIT" apply -o out.dtb "$d/board.dtb" c.json
	run "$FDTEDIT" diff "$d/board.dtb" out.dtb
	[ "${lines[0]}" = "/cpus/cpu@0: dynamic-power-coefficient: <0x5f> -> <0x65>" ]
	[ "${lines[1]}" = "/cpus/cpu@100: dynamic-power-coefficient: <0x5f> -> <0x65>" ]
	[ "${#lines[@]}" -eq 2 ]
	coeffs '{"name": "a", "match": {"reg": [0]}, "dynamic-power-coefficient": 101},
		{"name": "b", "match": {"reg": [256]}, "dynamic-power-coefficient": 102}' > c.json
	refused "one frequency domain would get two values: '/cpus/cpu@0' 101, '/cpus/cpu@100' 102" \
		apply -o no.dtb "$d/board.dtb" c.json
	[ ! -e no.dtb ]
}

@test "a coefficient for OPPs without voltage is warned about" {
	d="$SHARED/cases/d08-opp-without-voltage"
	[ -d "$d" ] || skip "no $d"
	coeffs '{"name": "a55", "match": {"compatible": "arm,cortex-a55"},
		"dynamic-power-coefficient": 101}' > c.json
	run --separate-stderr "$FDTEDIT" apply -o out.dtb "$d/no-voltage.dtb" c.json
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: '/cpus/cpu@0': the value will have no effect, 3 OPP(s)"* ]]
}
