#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Trees inside of other files: zImage, joined trees, FIT images, Android DT tables.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	dtc -q -I dts -O dtb -o board.dtb "$TOP/tests/data/big-little.dts"
	sed 's/"test,big-little"/"test,other", "test,family"/' "$TOP/tests/data/big-little.dts" |
		dtc -q -p 100 -I dts -O dtb -o other.dtb
	printf '{"schema": "calib-coeffs/1", "clusters": [
		{"name": "a7", "match": {"compatible": "arm,cortex-a7"},
		 "dynamic-power-coefficient": 90},
		{"name": "a15", "match": {"compatible": "arm,cortex-a15"},
		 "dynamic-power-coefficient": 310}]}\n' > coeffs.json
	"$FDTEDIT" apply -o want.dtb board.dtb coeffs.json > /dev/null
	"$FDTEDIT" apply -o want-other.dtb other.dtb coeffs.json > /dev/null
	grew=$(($(size want.dtb) - $(size board.dtb)))
}

size() {
	stat -c %s "$1"
}

# word NUMBER... - 32 bits, most significant byte first
word() {
	for n; do
		printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((n >> 24 & 255)) \
			$((n >> 16 & 255)) $((n >> 8 & 255)) $((n & 255)))"
	done
}

# little NUMBER... - the same, least significant byte first
little() {
	for n; do
		printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((n & 255)) \
			$((n >> 8 & 255)) $((n >> 16 & 255)) $((n >> 24 & 255)))"
	done
}

noise() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%c", 33 + i * 7 % 90 }'
}

# part FILE OFFSET SIZE
part() {
	tail -c +$(($2 + 1)) "$1" | head -c "$3"
}

# get FILE OFFSET - a 32-bit word, in decimal
get() {
	echo $((0x$(part "$1" "$2" 4 | od -An -tx1 | tr -d ' \n')))
}

# refused FILE TEXT ARGS... - exit 2, one line that holds TEXT, FILE as it was
refused() {
	file=$1
	want=$2
	shift 2
	cp "$file" kept
	run --separate-stderr "$FDTEDIT" "$@"
	[ "$status" -eq 2 ] || { echo "status $status: $output $stderr"; false; }
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "fdtedit ${1}: error: '$file'"*"$want"* ]] || { echo "$stderr"; false; }
	cmp "$file" kept
}

# A zImage of 1000 bytes, linked for 0x8000.
zimage() {
	noise 36
	"$1" 0x016f2818 0x8000 $((0x8000 + 1000)) 0x04030201
	noise $((1000 - 52))
}

@test "a tree after a zImage is edited, the kernel stays as it is" {
	for order in little word; do
		zimage "$order" > kernel
		cat kernel board.dtb > zImage
		run --separate-stderr "$FDTEDIT" apply zImage coeffs.json
		[ "$status" -eq 0 ] || { echo "$stderr"; false; }
		[ "${lines[4]}" = "zImage: 4 CPU node(s) changed, 0 right already" ]
		cat kernel want.dtb | cmp - zImage
		run "$FDTEDIT" apply zImage coeffs.json
		[ "$output" = "zImage: nothing to do, 4 CPU node(s) right already" ]
		cmp -n 1000 kernel zImage
	done
	run "$FDTEDIT" diff zImage want.dtb
	[ "$status" -eq 0 ]
	"$FDTEDIT" show zImage | grep -q 'coefficient 310\|310'
}

@test "what follows the last tree stays, and moves" {
	{ zimage little && cat board.dtb && noise 77; } > zImage
	"$FDTEDIT" apply zImage coeffs.json
	{ zimage little && cat want.dtb && noise 77; } | cmp - zImage
}

@test "a zImage without a tree, and one that is cut short, are refused" {
	zimage little > zImage
	refused zImage "an ARM zImage without a tree after its 1000 bytes" apply zImage coeffs.json
	{ zimage little && printf '\0\0\0\0' && cat board.dtb; } > zImage
	refused zImage "without a tree after its 1000 bytes" apply zImage coeffs.json
	zimage little | head -c 900 > zImage
	refused zImage "header says 1000 bytes, and the file has 900" show zImage
}

@test "of joined trees one is edited, the others stay aligned as they were" {
	cat board.dtb other.dtb board.dtb > joined.dtb
	refused joined.dtb "joined device trees, 3 trees: 0 'test,big-little', 1 'test,other', 2 'test,big-little'; choose" \
		apply joined.dtb coeffs.json
	refused joined.dtb "more than one has that compatible" \
		apply --compatible test,big-little joined.dtb coeffs.json
	refused joined.dtb "none has that compatible" apply --compatible x joined.dtb coeffs.json
	refused joined.dtb "there is no such index" apply --index 3 joined.dtb coeffs.json
	refused joined.dtb "--index '1x' is not a whole number" apply --index 1x joined.dtb coeffs.json
	refused joined.dtb "not both" apply --index 1 --compatible x joined.dtb coeffs.json
	run "$FDTEDIT" apply --compatible test,family joined.dtb coeffs.json
	[ "$status" -eq 0 ]
	b=$(size board.dtb)
	cmp -n "$b" board.dtb joined.dtb
	# The rest that keeps the third tree aligned is spare room of the second.
	at=$(($(size joined.dtb) - b))
	tail -c "$b" joined.dtb | cmp - board.dtb
	[ $(((at - 2 * $(size board.dtb) - $(size other.dtb) + b) % 8)) -eq 0 ]
	[ "$(get joined.dtb $((b + 4)))" -eq $((at - b)) ]
	part joined.dtb "$b" $((at - b)) > second.dtb
	dtc -q -I dtb -O dts second.dtb | diff - <(dtc -q -I dtb -O dts want-other.dtb)
	"$FDTEDIT" apply --index 2 joined.dtb coeffs.json
	tail -c "$(size want.dtb)" joined.dtb | cmp - want.dtb
	run "$FDTEDIT" diff --index 2 joined.dtb want.dtb
	[ "$status" -eq 0 ]
}

@test "a tree that shrinks takes the others with it, aligned as they were" {
	cat board.dtb other.dtb board.dtb > joined.dtb
	table 0 3 > dtbo.img
	for file in joined.dtb dtbo.img; do
		cp "$file" before
		"$FDTEDIT" delete --force --index 0 "$file" /cpus/cpu@0
		less=$(($(size before) - $(size "$file")))
		[ "$less" -gt 100 ]
		[ $((less % 8)) -eq 0 ]
		run "$FDTEDIT" get --index 0 "$file" /cpus/cpu@0 reg
		[ "$status" -eq 1 ]
		run "$FDTEDIT" diff --index 1 "$file" other.dtb
		[ "$status" -eq 0 ] && [ -z "$output" ]
	done
	tail -c "$(size board.dtb)" joined.dtb | cmp - board.dtb
}

@test "a gap of zeros between trees is used up before anything moves" {
	pad=$((4096 - $(size board.dtb)))
	{ cat board.dtb && head -c "$pad" /dev/zero && cat other.dtb; } > joined.dtb
	"$FDTEDIT" apply --index 0 joined.dtb coeffs.json
	{ cat want.dtb && head -c $((pad - grew)) /dev/zero && cat other.dtb; } | cmp - joined.dtb
	# Too small a gap: the next page.
	dtc -q -I dtb -O dtb -p $((pad - 20)) -o full.dtb board.dtb
	{ cat full.dtb && head -c 20 /dev/zero && cat other.dtb; } > joined.dtb
	"$FDTEDIT" apply --index 0 joined.dtb coeffs.json
	[ "$(size joined.dtb)" -eq $((8192 + $(size other.dtb))) ]
	tail -c +8193 joined.dtb | cmp - other.dtb
}

@test "bytes after a tree are refused, or kept with --keep-trailing" {
	{ cat board.dtb && noise 33; } > t.dtb
	refused t.dtb "33 bytes after the tree" apply t.dtb coeffs.json
	"$FDTEDIT" apply --keep-trailing t.dtb coeffs.json
	{ cat want.dtb && noise 33; } | cmp - t.dtb
	"$FDTEDIT" set --keep-trailing t.dtb /cpus/cpu@0 dynamic-power-coefficient 5
	tail -c 33 t.dtb | cmp - <(noise 33)
}

# table VERSION FLAGS - two trees, three entries; the first and the last share a tree
table() {
	at=$((32 + 3 * 32))
	b=$(size board.dtb)
	o=$(size other.dtb)
	word 0xd7b7ab1e $((at + b + o)) 32 32 3 32 2048 "$1"
	word "$b" "$at" 7 8 "$2" 10 11 12
	word "$o" $((at + b)) 17 18 0 110 111 112
	word "$b" "$at" 27 28 "$2" 210 211 212
	cat board.dtb other.dtb
}

@test "a tree of an Android DT table is edited, sizes and offsets follow" {
	table 0 3 > dtbo.img
	refused dtbo.img "Android DT table, 2 trees: 0 entry 0+2 'test,big-little', 1 entry 1 'test,other'; choose" \
		apply dtbo.img coeffs.json
	cp dtbo.img before
	"$FDTEDIT" apply --index 0 dtbo.img coeffs.json
	moved=$(((grew + 7) / 8 * 8))
	[ "$(get dtbo.img 4)" -eq $(($(get before 4) + moved)) ]
	[ "$(size dtbo.img)" -eq "$(get dtbo.img 4)" ]
	[ "$(get dtbo.img 32)" -eq "$(size want.dtb)" ]
	[ "$(get dtbo.img 96)" -eq "$(size want.dtb)" ]
	[ "$(get dtbo.img 100)" -eq 128 ]
	[ "$(get dtbo.img 68)" -eq $(($(get before 68) + moved)) ]
	part dtbo.img 72 24 | cmp - <(part before 72 24)
	part dtbo.img 128 "$(size want.dtb)" | cmp - want.dtb
	part dtbo.img "$(get dtbo.img 68)" 99999 | cmp - other.dtb
	run "$FDTEDIT" show dtbo.img
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "dtbo.img: Android DT table, 2 trees; --index shows one" ]
	[ "${lines[1]}" = "   0      $(size want.dtb) bytes  entry 0+2  test,big-little" ]
	run "$FDTEDIT" diff --index 0 dtbo.img want.dtb
	[ "$status" -eq 0 ]
	"$FDTEDIT" apply --compatible test,other dtbo.img coeffs.json
	part dtbo.img "$(get dtbo.img 68)" 99999 | cmp - want-other.dtb
}

@test "tables that are damaged, packed or under Verified Boot are refused" {
	table 1 2 > dtbo.img
	refused dtbo.img "tree 0 (entry 0+2) of the Android DT table is compressed (gzip)" \
		apply --index 0 dtbo.img coeffs.json
	"$FDTEDIT" apply --index 1 dtbo.img coeffs.json
	table 0 0 > dtbo.img
	{ printf AVBf && head -c 60 /dev/zero; } >> dtbo.img
	refused dtbo.img "footer of Verified Boot" apply --index 0 dtbo.img coeffs.json
	table 2 0 > dtbo.img
	refused dtbo.img "of version 2" apply --index 0 dtbo.img coeffs.json
	table 0 0 | head -c 500 > dtbo.img
	refused dtbo.img "(truncated?)" show dtbo.img
	table 0 0 > dtbo.img
	{ part dtbo.img 0 16 && word 5000 && part dtbo.img 20 99999; } > many.img
	refused many.img "damaged Android DT table: 5000 entries" show many.img
	{ part dtbo.img 0 36 && word 60 && part dtbo.img 40 99999; } > off.img
	refused off.img "damaged Android DT table: entry 0" show off.img
	{ part dtbo.img 0 68 && word 200 && part dtbo.img 72 99999; } > over.img
	refused over.img "overlap" show over.img
}

# hash ALGO PROGRAM FILE - a hash node
hash() {
	printf 'hash-%s { algo = "%s"; value = [%s]; };' "$1" "$1" \
		"$($2 < "$3" | cut -d' ' -f1)"
}

# crc FILE - CRC-32, which gzip writes, least significant byte first
crc() {
	gzip -c "$1" | tail -c 8 | od -An -tx1 -N 4 | awk '{ print $4 $3 $2 $1 }'
}

# fit EXTRA CONFIGURATION - a kernel and two trees
fit() {
	noise 333 > kernel
	cat > fit.its <<-END
		/dts-v1/;
		/ { description = "test"; timestamp = <1>; #address-cells = <1>;
		images {
			kernel { type = "kernel"; compression = "gzip";
				data = /incbin/("kernel"); $(hash sha1 sha1sum kernel) };
			fdt-1 { type = "flat_dt"; arch = "arm"; compression = "none";
				data = /incbin/("board.dtb");
				hash-1 { algo = "crc32"; value = [$(crc board.dtb)]; };
				$(hash sha1 sha1sum board.dtb) $(hash sha256 sha256sum board.dtb)
				$(hash md5 md5sum board.dtb) $(hash sha512 sha512sum board.dtb) $1 };
			fdt-2 { type = "flat_dt"; compression = "none";
				data = /incbin/("other.dtb"); $(hash sha256 sha256sum other.dtb) };
		};
		configurations { default = "conf-1";
			conf-1 { kernel = "kernel"; fdt = "fdt-1"; $2 };
			conf-2 { kernel = "kernel"; fdt = "fdt-2"; }; }; };
	END
	dtc -q -I dts -O dtb -p 64 -o fit.itb fit.its
}

@test "a tree of a FIT image is edited, and its digests made anew" {
	fit '' ''
	refused fit.itb "FIT image, 2 trees: 0 fdt-1 'test,big-little', 1 fdt-2 'test,other'; choose" \
		apply fit.itb coeffs.json
	run "$FDTEDIT" apply --index 0 fit.itb coeffs.json
	[ "$status" -eq 0 ] || { echo "$output"; false; }
	# As if it had been made with the edited tree.
	mv fit.itb edited.itb
	cp board.dtb old.dtb
	cp want.dtb board.dtb
	fit '' ''
	cmp fit.itb edited.itb
	cp old.dtb board.dtb
	run "$FDTEDIT" diff --index 0 edited.itb want.dtb
	[ "$status" -eq 0 ]
	"$FDTEDIT" show --compatible test,other edited.itb > /dev/null
}

# its MORE CONFIGURATION - source of a FIT image for mkimage, with all digests it knows
its() {
	local i=0 hashes=
	for algo in crc32 md5 sha1 sha256 sha384 sha512; do
		i=$((i + 1))
		hashes+="hash-$i { algo = \"$algo\"; }; "
	done
	noise 333 > kernel
	cat > fit.its <<-END
		/dts-v1/;
		/ { description = "test"; #address-cells = <1>;
		images {
			kernel { description = "k"; type = "kernel"; arch = "arm"; os = "linux";
				load = <0x8000>; entry = <0x8000>; compression = "none";
				data = /incbin/("kernel"); $hashes };
			fdt-1 { description = "t"; type = "flat_dt"; arch = "arm";
				compression = "none"; data = /incbin/("board.dtb"); $hashes $1 };
			fdt-2 { description = "u"; type = "flat_dt"; arch = "arm";
				compression = "none"; data = /incbin/("other.dtb"); $hashes };
		};
		configurations { default = "c1";
			c1 { description = "c"; kernel = "kernel"; fdt = "fdt-1"; $2 };
			c2 { description = "c"; kernel = "kernel"; fdt = "fdt-2"; }; }; };
	END
}

digests() {
	for image in kernel fdt-1 fdt-2; do
		for i in 1 2 3 4 5 6; do
			fdtget -t bx "$1" "/images/$image/hash-$i" value
		done
	done
}

need_mkimage() {
	command -v mkimage > /dev/null || skip "no mkimage (u-boot-tools)"
	command -v dumpimage > /dev/null || skip "no dumpimage (u-boot-tools)"
}

@test "mkimage takes its FIT image's digests for right after the edit" {
	need_mkimage
	its "" ""
	mkimage -f fit.its fit.itb > /dev/null
	digests fit.itb > before
	"$FDTEDIT" apply --index 0 fit.itb coeffs.json
	dumpimage -T flat_dt -p 0 -o kernel.out fit.itb
	dumpimage -T flat_dt -p 1 -o out.dtb fit.itb
	dumpimage -T flat_dt -p 2 -o other.out fit.itb
	cmp kernel.out kernel
	cmp out.dtb want.dtb
	cmp other.out other.dtb
	for lister in mkimage dumpimage; do
		$lister -l fit.itb > list
		for algo in md5 sha1 sha256 sha384 sha512; do
			[ "$(grep -A1 "Hash algo: *$algo$" list | awk '/value/ { print $3 }' | sed -n 2p)" = \
				"$(${algo}sum < want.dtb | cut -d' ' -f1)" ] || { echo "$lister $algo"; false; }
		done
	done
	# What mkimage computes itself of the images that are there.
	cp fit.itb again.itb
	mkimage -F again.itb > /dev/null
	digests fit.itb > after
	digests again.itb | diff after -
	[ "$(diff before after | grep -c '^>')" -eq 6 ]
	# An image that mkimage makes of a kernel and a tree by itself.
	mkimage -f auto -A arm -O linux -T kernel -C none -a 0 -e 0 -n x -d kernel -b board.dtb \
		auto.itb > /dev/null
	"$FDTEDIT" apply auto.itb coeffs.json
	dumpimage -T flat_dt -p 1 -o out.dtb auto.itb
	cmp out.dtb want.dtb
}

@test "U-Boot's fit_check_sign finds the digests right after the edit" {
	need_mkimage
	command -v fit_check_sign > /dev/null || skip "no fit_check_sign (U-Boot's tools-only)"
	its "" ""
	mkimage -f fit.its fit.itb > /dev/null
	"$FDTEDIT" apply --index 0 fit.itb coeffs.json
	echo '/dts-v1/; / { };' | dtc -q -O dtb -o pub.dtb -
	run fit_check_sign -f fit.itb -k pub.dtb -c c1
	[ "$status" -eq 0 ]
	# Of the kernel, then of the tree.
	all="crc32+md5+sha1+sha256+sha384+sha512+"
	[ "$(grep -o '^[a-z0-9]*+' <<< "$output" | tr -d '\n')" = "$all$all" ] ||
		{ echo "$output"; false; }
	# It would have told.
	sed -i 's/test,big-little/test,big-liTTle/' fit.itb
	run ! fit_check_sign -f fit.itb -k pub.dtb -c c1
}

@test "what mkimage signs, and what it puts outside of the image, is refused" {
	need_mkimage
	command -v openssl > /dev/null || skip "no openssl"
	sign='signature-1 { algo = "sha256,rsa2048"; key-name-hint = "dev"; '
	mkdir keys
	openssl genrsa -out keys/dev.key 2048 2> /dev/null
	openssl req -batch -new -x509 -key keys/dev.key -out keys/dev.crt
	echo '/dts-v1/; / { };' | dtc -q -O dtb -o pub.dtb -
	its "$sign };" ""
	mkimage -f fit.its -k keys -K pub.dtb -r fit.itb > log 2>&1
	refused fit.itb "image 'fdt-1' is signed (signature-1)" apply --index 0 fit.itb coeffs.json
	its "" "$sign sign-images = \"kernel\", \"fdt\"; };"
	mkimage -f fit.its -k keys -K pub.dtb -r fit.itb > log 2>&1
	refused fit.itb "image 'fdt-1' is signed (configuration 'c1', signature-1)" \
		apply --index 0 fit.itb coeffs.json
	refused fit.itb "image 'fdt-1' is signed" set --index 0 fit.itb / model x
	"$FDTEDIT" apply --index 1 fit.itb coeffs.json
	its "" ""
	mkimage -E -f fit.its fit.itb > /dev/null
	refused fit.itb "outside of it (data-offset); make it without 'mkimage -E'" \
		apply --index 0 fit.itb coeffs.json
	mkimage -E -p 0x4000 -f fit.its fit.itb > /dev/null
	refused fit.itb "outside of it (data-position); make it without 'mkimage -E'" \
		apply --index 0 fit.itb coeffs.json
}

@test "a signed image is refused, whoever signs it" {
	fit 'signature-1 { algo = "sha256,rsa2048"; value = [00]; };' ''
	refused fit.itb "image 'fdt-1' is signed (signature-1)" apply --index 0 fit.itb coeffs.json
	"$FDTEDIT" apply --index 1 fit.itb coeffs.json
	fit '' 'signature-1 { algo = "sha256,rsa2048"; sign-images = "kernel", "fdt"; };'
	refused fit.itb "image 'fdt-1' is signed (configuration 'conf-1', signature-1)" \
		apply --index 0 fit.itb coeffs.json
	"$FDTEDIT" apply --index 1 fit.itb coeffs.json
	fit '' 'signature-1 { hashed-nodes = "/", "/images/fdt-2"; };'
	refused fit.itb "image 'fdt-2' is signed (configuration 'conf-1'" \
		apply --index 1 fit.itb coeffs.json
}

@test "FIT images that cannot be edited are refused by name" {
	fit 'hash-9 { algo = "crc16-ccitt"; value = [00 01]; };' ''
	refused fit.itb "image 'fdt-1', hash-9: digest 'crc16-ccitt' is not known here" \
		apply --index 0 fit.itb coeffs.json
	fit 'hash-9 { algo = "crc32"; value = <5>; };' ''
	refused fit.itb "its hash-9 (crc32) is wrong before the edit" \
		apply --index 0 fit.itb coeffs.json
	fit '' ''
	noise 10 >> fit.itb
	refused fit.itb "10 bytes after the FIT image's own tree" apply --index 0 fit.itb coeffs.json
	sed -i 's/compression = "none"/compression = "gzip"/' fit.its
	dtc -q -I dts -O dtb -o fit.itb fit.its
	refused fit.itb "tree 0 (fdt-1) of the FIT image is compressed (gzip)" \
		apply --index 0 fit.itb coeffs.json
	sed -i 's/data = .*"other.dtb").*/data-offset = <0>; data-size = <9>; };/' fit.its
	dtc -q -I dts -O dtb -o fit.itb fit.its
	refused fit.itb "tree 1 (fdt-2) of the FIT image is outside of it (data-offset)" \
		show --index 1 fit.itb
	echo '/dts-v1/; / { images { k { data = [00]; }; }; };' | dtc -q -O dtb -o fit.itb
	refused fit.itb "a FIT image without a device tree" show fit.itb
}

@test "an overlay and a patch know the same files" {
	{ zimage little && cat board.dtb; } > zImage
	"$FDTEDIT" apply --overlay -o a.dtbo zImage coeffs.json
	"$FDTEDIT" apply --overlay -o b.dtbo board.dtb coeffs.json
	cmp a.dtbo b.dtbo
	refused zImage "--patch is for source" apply --patch zImage coeffs.json
}

@test "source holds one tree, and choosing of several is refused" {
	cp "$TOP/tests/data/big-little.dts" board.dts
	for cmd in apply 'apply --overlay' 'apply --dtsi-fragment'; do
		# shellcheck disable=SC2086 # words
		refused board.dts "is source: --index is about" $cmd --index 0 board.dts coeffs.json
	done
	refused board.dts "is source: --compatible is about" show --compatible x board.dts
	run "$FDTEDIT" diff --index 0 board.dts board.dtb
	[ "$status" -eq 0 ]
	refused board.dtb "there is no such index, only 0" apply --index 1 board.dtb coeffs.json
	run "$FDTEDIT" apply --index 0 --compatible '' board.dtb coeffs.json
	[ "$status" -eq 2 ]
}

# same_everywhere FILE OPTIONS - -n says what in place does and does nothing; -o, also from
# standard input and to standard output, writes what in place does
same_everywhere() {
	local file=$1
	shift
	cp "$file" before
	cp "$file" edited
	"$FDTEDIT" apply "$@" edited coeffs.json > did
	run ! cmp -s before edited
	run --separate-stderr "$FDTEDIT" apply -n "$@" "$file" coeffs.json
	[ "$status" -eq 0 ] && [ -z "$stderr" ]
	sed "s/^edited: \(.*\) changed,/$file: \1 would change,/" did | diff - <(echo "$output")
	"$FDTEDIT" apply -n -o out "$@" "$file" coeffs.json | diff - <(echo "$output")
	[ ! -e out ]
	"$FDTEDIT" apply -n -o - "$@" "$file" coeffs.json 2> said > new
	[ ! -s new ]
	diff said <(echo "$output")
	"$FDTEDIT" apply -o out "$@" "$file" coeffs.json
	cmp out edited
	"$FDTEDIT" apply -o - "$@" "$file" coeffs.json 2> said | cmp - edited
	"$FDTEDIT" apply -o - "$@" - coeffs.json < "$file" 2> said | cmp - edited
	"$FDTEDIT" apply -o out "$@" edited coeffs.json
	cmp out edited
	rm out
	cmp "$file" before
}

@test "-n, -o and standard input and output are the same for every kind of file" {
	{ zimage little && cat board.dtb && noise 9; } > zImage
	same_everywhere zImage
	cat board.dtb other.dtb > joined.dtb
	same_everywhere joined.dtb --index 1
	table 0 3 > dtbo.img
	same_everywhere dtbo.img --compatible test,big-little
	fit '' ''
	same_everywhere fit.itb --index 0
	same_everywhere board.dtb
	same_everywhere board.dtb --keep-trailing
	{ cat board.dtb && noise 33; } > t.dtb
	same_everywhere t.dtb --keep-trailing
	refused t.dtb "33 bytes after the tree" apply -n t.dtb coeffs.json
	refused t.dtb "33 bytes after the tree" apply -o - t.dtb coeffs.json
	fit 'signature-1 { value = [00]; };' ''
	refused fit.itb "is signed" apply -n --index 0 fit.itb coeffs.json
	refused fit.itb "is signed" apply -o - --index 0 fit.itb coeffs.json
}

@test "files that hold trees but are not edited are named" {
	for f in 'QCDT:a Qualcomm DT image' 'MZ:an EFI program' 'ANDROID!:an Android boot image' \
		'VNDRBOOT:an Android vendor boot image' 'BZh9:a bzip2 file'; do
		{ printf '%s' "${f%%:*}" && noise 400 && cat board.dtb; } > file
		refused file "not a device tree but ${f#*:}" apply file coeffs.json
	done
	{ printf '\x27\x05\x19\x56' && noise 60; } > uImage
	refused uImage "not a device tree but a U-Boot legacy image" show uImage
}
