#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What gets the real kernels of tests/kernel, when something is wrong; without QEMU.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir bin
	export PATH="$PWD/bin:$PATH" XDG_CACHE_HOME="$PWD/cache"
	# All packages are installed, and no other can be had.
	program dpkg-query 'echo installed'
	program apt-get 'exit 100'
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
