#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What every command of both programs has in common: help, version, refusals.

bats_require_minimum_version 1.5.0

setup() {
	declare -gA PROG=([calib]="$CALIB" [fdtedit]="$FDTEDIT")
}

# each FUNCTION - call FUNCTION PROG COMMAND for all commands of both programs
each() {
	local p c cmds
	for p in calib fdtedit; do
		mapfile -t cmds < <("${PROG[$p]}" --list-commands)
		for c in "${cmds[@]}"; do # "bench perf" may be one word too
			"$1" "$p" "$c" || { echo "in: $p $c: $output $stderr"; return 1; }
		done
	done
}

@test "a full standard output is an error of every command that prints" {
	[ -e /dev/full ] || skip "no /dev/full"
	mkdir -p "$BATS_TEST_TMPDIR/root/sys"
	for command in "probe --sysroot $BATS_TEST_TMPDIR/root" \
		"freqcheck --board virtual:odroid-xu3 --opps 200 --cluster a7" \
		"measure -n --board virtual:odroid-xu3" boards; do
		# shellcheck disable=SC2016
		run --separate-stderr bash -c '"$0" "$@" > /dev/full' "$CALIB" $command
		[ "$status" -eq 2 ]
		[[ $stderr == *"error: cannot write standard output: No space left on device"* ]]
	done
}

@test "a program without a command prints its help on stderr and exits 2" {
	for p in calib fdtedit; do
		run --separate-stderr "${PROG[$p]}"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ $stderr == "usage: $p COMMAND"* ]]
	done
}

@test "--help lists every command with its summary, 80 columns wide at most" {
	for p in calib fdtedit; do
		run --separate-stderr "${PROG[$p]}" --help
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		while read -r c; do
			grep -qE "^  $c +[a-z]" <<<"$output"
		done < <("${PROG[$p]}" --list-commands)
		[ -z "$(awk 'length > 80' <<<"$output")" ]
	done
}

@test "--version names program and version" {
	for p in calib fdtedit; do
		run --separate-stderr "${PROG[$p]}" --version
		[ "$status" -eq 0 ]
		[[ $output =~ ^$p\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	done
}

@test "an unknown command is refused in one line" {
	for p in calib fdtedit; do
		run --separate-stderr "${PROG[$p]}" xyzzy
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$stderr" = "$p: error: unknown command 'xyzzy'; see '$p --help'" ]
	done
}

@test "a misspelt command is answered with the near one" {
	run --separate-stderr "$CALIB" baords
	[ "$status" -eq 2 ]
	[ "$stderr" = "calib: error: unknown command 'baords', did you mean 'boards'? see 'calib --help'" ]
}

help_is_plain() {
	run --separate-stderr "${PROG[$1]}" "$2" --help
	[ "$status" -eq 0 ] && [ -z "$stderr" ] &&
		[[ $output == "usage: $1 $2 [OPTIONS]"* ]] &&
		[ -z "$(awk 'length > 80' <<<"$output")" ] &&
		[ "$output" = "$("${PROG[$1]}" help "$2")" ]
}

@test "every command's help goes to stdout, 80 columns wide at most" {
	each help_is_plain
}

unknown_option_is_refused() {
	run --separate-stderr "${PROG[$1]}" "$2" --no-such-option
	[ "$status" -eq 2 ] && [ -z "$output" ] &&
		[ "$stderr" = "$1 $2: error: unknown option '--no-such-option'; see '$1 $2 --help'" ]
}

@test "every command refuses an unknown option in one line" {
	each unknown_option_is_refused
}

missing_values_are_refused() {
	local o
	for o in $("${PROG[$1]}" --list-options "$2" | sed -n 's/^\(--[a-z0-9-]*\)=.*/\1/p'); do
		run --separate-stderr "${PROG[$1]}" "$2" "$o"
		[ "$status" -eq 2 ] && [ -z "$output" ] || return 1
		[[ $stderr == "$1 $2: error: option '$o' needs an argument "*"; see '$1 $2 --help'" ]] ||
			return 1
	done
}

@test "every option that takes an argument says so when it has none" {
	each missing_values_are_refused
}

wrong_choices_are_refused() {
	local o c
	while IFS=$'\t' read -r o c; do
		[ -n "$c" ] || continue
		run --separate-stderr "${PROG[$1]}" "$2" "${o%%=*}=no-such-choice"
		[ "$status" -eq 2 ] && [ -z "$output" ] || return 1
		[ "$stderr" = "$1 $2: error: ${o%%=*} 'no-such-choice' is not one of $c; see '$1 $2 --help'" ] ||
			return 1
	done < <("${PROG[$1]}" --list-options "$2")
}

@test "every option with choices refuses others and names the choices" {
	each wrong_choices_are_refused
}

@test "the same option letter means the same in both programs" {
	letters=$(for p in calib fdtedit; do
		mapfile -t cmds < <("${PROG[$p]}" --list-commands)
		for c in "${cmds[@]}"; do
			"${PROG[$p]}" "$c" --help | sed -n 's/^  -\(.\), --\([a-z0-9-]*\).*/\1 \2/p'
		done
	done | sort -u)
	echo "$letters"
	[ -z "$(cut -d' ' -f1 <<<"$letters" | uniq -d)" ]
}

@test "output that cannot be written is an error" {
	[ -w /dev/full ] || skip "no /dev/full here"
	run bash -c '"$CALIB" --help > /dev/full'
	[ "$status" -eq 2 ]
	[ "$output" = "calib: error: cannot write standard output: No space left on device" ]
}

@test "a closed stdout is an error, not a success" {
	run bash -c '"$CALIB" --version >&-'
	[ "$status" -eq 2 ]
	[ "$output" = "calib: error: cannot write standard output: Bad file descriptor" ]
}

# Next to the usual run: the same rows, and not a word of talk in any file.
@test "with standard input, output and error closed nothing ends up in the files written" {
	cd "$BATS_TEST_TMPDIR"
	measure=(measure --board virtual:juno-r2 --cluster a53 --repeats 1 -d)
	"$CALIB" "${measure[@]}" usual 2> /dev/null
	for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
		rm -rf run
		status=0
		bash -c "exec $closed; exec \"\$@\"" - "$CALIB" "${measure[@]}" run \
			> out 2> err || status=$?
		# Nothing was to be said there, so that is no error.
		[ "$status" -eq 0 ]
		cmp usual/samples.csv run/samples.csv
		sed 's/"date": "[^"]*"//; s/-d run/-d usual/' run/board.json > a
		sed 's/"date": "[^"]*"//' usual/board.json | cmp a -
		[ ! -s out ]
	done
}
