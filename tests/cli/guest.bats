#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What gets and boots the real kernels of tests/kernel, when something is wrong; without QEMU.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir bin
	export PATH="$PWD/bin:$PATH" OUT="$PWD/out" XDG_CACHE_HOME="$PWD/cache"
	# All packages are installed, and no other can be had.
	program dpkg-query 'echo installed'
	program apt-get 'exit 100'
	program cpio 'cat > /dev/null'
}

# program NAME TEXT - one that goes before the machine's own
program() {
	printf '#!/bin/sh\n%s\n' "$2" > "bin/$1"
	chmod +x "bin/$1"
}

# made - a folder as scripts/kernel leaves it
made() {
	kernel=cache/calib/kernel-6.1
	mkdir -p $kernel/modules
	echo kernel > $kernel/zImage
	echo module > $kernel/modules/i2c-stub.ko
	(cd $kernel && sha256sum zImage modules/i2c-stub.ko > made-2)
}

@test "a kernel that is there is taken, without network" {
	made
	run -0 "$TOP/scripts/kernel" 6.1
	[ "$output" = "$PWD/$kernel" ]
}

@test "a kernel that is damaged, or lacks a module, is made again; offline that is status 3" {
	made
	echo 'half' > $kernel/zImage
	run -3 "$TOP/scripts/kernel" 6.1
	[[ ${lines[0]} == "kernel: $PWD/$kernel is damaged: zImage: FAILED" ]] || { echo "$output"; false; }
	made
	rm $kernel/modules/i2c-stub.ko
	run -3 "$TOP/scripts/kernel" 6.1
	[[ ${lines[0]} == *"is damaged: modules/i2c-stub.ko: FAILED open or read" ]]
	# It came half, when somebody stopped it.
	made
	rm $kernel/made-2
	run -3 "$TOP/scripts/kernel" 6.1
	[[ ${lines[0]} == "kernel: making Linux 6.1 in "* ]]
}

@test "a kernel that is none is refused with the two that are" {
	run -2 "$TOP/scripts/kernel" 6.13
	[ "$output" = "usage: scripts/kernel 6.1|6.12" ]
}

boot() {
	touch initrd tree
	"$TOP/tests/kernel/boot" . initrd measure tree
}

# serial TEXT - QEMU whose first serial port says that
serial() {
	program qemu-system-arm 'while [ $# -gt 1 ] && [ "$1" != -serial ]; do shift; done
log=${2#file:}
{
	'"$1"'
} > "$log"'
}

@test "a guest that fails shows the last 40 lines of its log as a terminal would" {
	serial 'for i in $(seq 60); do printf "%s\r\n" "line $i"; done
	printf "little 200 MHz, ETA 3 s\rlittle 400 MHz, ETA 2 s\r\033[Kdone\r\n"'
	run -1 boot
	[ "${#lines[@]}" -eq 41 ]
	[ "${lines[0]}" = "guest 'measure' ended with status 1; the last 40 lines of $OUT.log:" ]
	[ "${lines[1]}" = "line 22" ]
	[ "${lines[39]}" = "line 60" ]
	[[ ${lines[40]} == *done ]]
}

@test "a guest that hangs is stopped, and that is said" {
	serial 'exec sleep 60'
	GUEST_SECONDS=0.5 run -1 boot
	[ "${lines[1]}" = "boot: the guest did not end within 0.5 s, stopped" ]
}

@test "a key that stops the terminal's programs stops QEMU, too" {
	touch initrd tree
	serial 'ps -o pgid=,sid= -p $$'
	run -1 setsid --wait "$TOP/tests/kernel/boot" . initrd measure tree
	read -r group session < "$OUT.log"
	[ "$group" = "$session" ]
}
