#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/fetch-debs and scripts/cross: of two that want the same at once, one waits.

bats_require_minimum_version 1.5.0

# stub NAME BODY - a program of that name comes first in the PATH
stub() {
	printf '#!/bin/sh\n%s\n' "$2" > "bin/$1"
	chmod +x "bin/$1"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir bin
	PATH=$PWD/bin:$PATH
	export LOG=$PWD/log
}

@test "packages that two want at once are fetched once, and again when others are wanted" {
	stub apt-get 'case "$*" in *download*) echo "${@##*/}" >> "$LOG"; sleep 0.3; : > x.deb ;; esac'
	stub dpkg 'case $1 in -x) mkdir -p "$3/usr" ;; *) echo amd64 ;; esac'
	"$TOP/scripts/fetch-debs" armhf cache one two 3>&- &
	first=$!
	"$TOP/scripts/fetch-debs" armhf cache one two
	wait $first
	[ -d cache/root/usr ]
	[ "$(wc -l < log)" -eq 1 ]
	"$TOP/scripts/fetch-debs" armhf cache one two
	[ "$(wc -l < log)" -eq 1 ]
	"$TOP/scripts/fetch-debs" armhf cache one three
	[ "$(wc -l < log)" -eq 2 ]
}

@test "two builds for one architecture do not mix" {
	mkdir scripts
	cp "$TOP/scripts/cross" scripts
	printf '#!/bin/sh\n' | tee scripts/deps > scripts/fetch-debs
	chmod +x scripts/*
	stub make 'echo begin >> "$LOG"; sleep 0.3; echo end >> "$LOG"'
	stub arm-linux-gnueabihf-strip :
	scripts/cross armhf > /dev/null 3>&- &
	first=$!
	scripts/cross armhf
	wait $first
	[ "$(xargs < log)" = "begin end begin end" ]
}
