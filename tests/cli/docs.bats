#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Help, man page and completion say the same; install puts everything where it belongs.

setup() {
	export MANWIDTH=200 LC_ALL=C
	declare -gA PROG=([calib]="$CALIB" [fdtedit]="$FDTEDIT")
}

# man_section PROG CMD - the text of the man page's section on CMD
man_section() {
	man -E ascii -P cat "$B/man/$1.1" | col -bx |
		awk -v cmd="$2" '/^   [^ ]/ { on = ($1 == "'"$1"'" && $2 == cmd) } /^[^ ]/ { on = 0 } on'
}

@test "every command's help names each of its options, and teaches with an example" {
	for p in calib fdtedit; do
		for c in $("${PROG[$p]}" --list-commands); do
			run "${PROG[$p]}" "$c" --help
			[ "$status" -eq 0 ]
			[[ $output == *"Example:"* ]] || { echo "$p $c: no example"; false; }
			while IFS=$'=\t' read -r name _; do
				[[ $output == *"$name"* ]] || { echo "$p $c: help lacks $name"; false; }
			done < <("${PROG[$p]}" --list-options "$c")
		done
	done
}

@test "the man pages say what --help says" {
	"$TOP/scripts/update-man" --check
}

@test "the man page has a section for each command and no other" {
	for p in calib fdtedit; do
		in_page=$(man -E ascii -P cat "$B/man/$p.1" | col -bx |
			awk -v p="$p" '/^   [^ ]/ && $1 == p { print $2 }' | sort)
		in_prog=$("${PROG[$p]}" --list-commands | sort)
		diff <(echo "$in_page") <(echo "$in_prog")
	done
}

@test "the man page's options of each command are those of its table, no more, no less" {
	for p in calib fdtedit; do
		for c in $("${PROG[$p]}" --list-commands); do
			page=$(man_section "$p" "$c" | awk '/^       (-., )?--/' |
				grep -oE -- '--[a-z0-9-]+' | sort -u)
			table=$("${PROG[$p]}" --list-options "$c" |
				grep -oE -- '^--[a-z0-9-]+' | sort -u)
			diff <(echo "$page") <(echo "$table") ||
				{ echo "$p $c: man page (<) and table (>) differ"; false; }
		done
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
			<("$p" --list-commands | sort)
		for c in $("$p" --list-commands); do
			COMP_WORDS=("$p" "$c" "--") COMP_CWORD=2
			_calib "$p"
			diff <(printf '%s\n' "${COMPREPLY[@]}" | grep -v '^--help$' | sort) \
				<("$p" --list-options "$c" | grep -oE '^--[a-z0-9-]+' | sort)
		done
	done
	COMP_WORDS=(calib fit --method "") COMP_CWORD=3
	_calib calib
	[[ " ${COMPREPLY[*]} " == *" through-origin "* ]]
	COMP_WORDS=(calib measure --board odr) COMP_CWORD=3
	_calib calib
	[[ " ${COMPREPLY[*]} " == *" odroid-xu3 "* ]]
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
