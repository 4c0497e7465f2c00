#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Help, man page and completion say the same; install puts everything where it belongs.

setup() {
	export MANWIDTH=200 LC_ALL=C
	declare -gA PROG=([calib]="$CALIB" [fdtedit]="$FDTEDIT")
}

# man_page PROG AWK [CMD] - run AWK on the page; command() is what a heading is of: the two
# words after the program's name where those are a command, else the first
man_page() {
	man -E ascii -P cat "$B/man/$1.1" | col -bx |
		awk -v p="$1" -v cmd="${3:-}" -v all="$("${PROG[$1]}" --list-commands | tr '\n' ';')" '
			function command() { return index(";" all, ";" $2 " " $3 ";") ? $2 " " $3 : $2 }'"$2"
}

# man_section PROG CMD - the text of the man page's section on CMD
man_section() {
	man_page "$1" '/^   [^ ]/ { on = ($1 == p && command() == cmd) } /^[^ ]/ { on = 0 } on' "$2"
}

@test "every command's help names each of its options, and teaches with an example" {
	for p in calib fdtedit; do
		while read -r c; do
			# shellcheck disable=SC2086
			run "${PROG[$p]}" $c --help
			[ "$status" -eq 0 ]
			[[ $output == *"Example:"* ]] || { echo "$p $c: no example"; false; }
			while IFS=$'=\t' read -r name _; do
				[[ $output == *"$name"* ]] || { echo "$p $c: help lacks $name"; false; }
			done < <("${PROG[$p]}" --list-options "$c")
		done < <("${PROG[$p]}" --list-commands)
	done
}

@test "the man pages say what --help says" {
	"$TOP/scripts/update-man" --check
}

@test "the man page has a section for each command and no other" {
	for p in calib fdtedit; do
		in_page=$(man_page "$p" '/^   [^ ]/ && $1 == p { print command() }' | sort)
		in_prog=$("${PROG[$p]}" --list-commands | sort)
		diff <(echo "$in_page") <(echo "$in_prog")
	done
}

@test "the man page's options of each command are those of its table, no more, no less" {
	for p in calib fdtedit; do
		while read -r c; do
			page=$(man_section "$p" "$c" | awk '/^       (-., )?--/' |
				grep -oE -- '--[a-z0-9-]+' | sort -u)
			table=$("${PROG[$p]}" --list-options "$c" |
				grep -oE -- '^--[a-z0-9-]+' | sort -u)
			diff <(echo "$page") <(echo "$table") ||
				{ echo "$p $c: man page (<) and table (>) differ"; false; }
		done < <("${PROG[$p]}" --list-commands)
	done
}

@test "completion offers the commands, the options and the choices of the tables" {
	for p in calib fdtedit; do
		mkdir -p "$BATS_TEST_TMPDIR/bin"
		ln -sf "${PROG[$p]}" "$BATS_TEST_TMPDIR/bin/$p"
		PATH="$BATS_TEST_TMPDIR/bin:$PATH"
		# shellcheck disable=SC1090
		source "$TOP/completion/calib"
		COMP_WORDS=("$p" "") COMP_CWORD=1
		_calib "$p"
		diff <(printf '%s\n' "${COMPREPLY[@]}" | grep -v -e ^- -e '^help$' | sort) \
			<("$p" --list-commands | cut -d' ' -f1 | sort -u)
		while read -r c; do
			# shellcheck disable=SC2206
			COMP_WORDS=("$p" $c "--")
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_calib "$p"
			diff <(printf '%s\n' "${COMPREPLY[@]}" | grep -v '^--help$' | sort) \
				<("$p" --list-options "$c" | grep -oE '^--[a-z0-9-]+' | sort)
		done < <("$p" --list-commands)
	done
	COMP_WORDS=(calib fit --method "") COMP_CWORD=3
	_calib calib
	[[ " ${COMPREPLY[*]} " == *" through-origin "* ]]
	COMP_WORDS=(calib measure --board odr) COMP_CWORD=3
	_calib calib
	[[ " ${COMPREPLY[*]} " == *" odroid-xu3 "* ]]
	COMP_WORDS=(calib bench "") COMP_CWORD=2
	_calib calib
	diff <(printf '%s\n' "${COMPREPLY[@]}" | grep -v '^--help$' | sort) \
		<(calib --list-commands | sed -n 's/^bench //p' | sort)
	[[ " ${COMPREPLY[*]} " == *" compare "* ]]
	COMP_WORDS=(calib bench compare --format "") COMP_CWORD=4
	_calib calib
	[ "${COMPREPLY[*]}" = "text markdown json" ]
	COMP_WORDS=(calib import fre) COMP_CWORD=2
	_calib calib
	[ "${COMPREPLY[*]}" = freqbench ]
}

@test "make install puts programs, man pages and completion below DESTDIR" {
	make -s -C "$TOP" ${SAN:+SAN=$SAN} install DESTDIR="$BATS_TEST_TMPDIR/d" prefix=/usr
	d="$BATS_TEST_TMPDIR/d/usr"
	[ -x "$d/bin/calib" ] && [ -x "$d/bin/fdtedit" ]
	"$d/bin/calib" --version
	[ -s "$d/share/man/man1/calib.1" ] && [ -s "$d/share/man/man1/fdtedit.1" ]
	[ -s "$d/share/bash-completion/completions/calib" ]
	[ -s "$d/share/bash-completion/completions/fdtedit" ]
	# Nothing outside of prefix.
	[ "$(find "$BATS_TEST_TMPDIR/d" -mindepth 1 -maxdepth 1)" = "$BATS_TEST_TMPDIR/d/usr" ]
}
