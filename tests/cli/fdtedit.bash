# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by tests of fdtedit that edit board.dtb, which is before.dtb at first.

text() {
	dtc -q -I dtb -O dts -s "$@"
}

# changed - the lines that board.dtb lost and got, without blanks
changed() {
	diff <(text before.dtb) <(text board.dtb) | grep '^[<>]' | tr -s ' \t' ' '
}

# refused TEXT ARGS... - exit 2, one line on stderr that holds TEXT, board.dtb as it was
refused() {
	want=$1
	shift
	run --separate-stderr "$FDTEDIT" "$@"
	[ "$status" -eq 2 ] || { echo "status $status: $output $stderr"; false; }
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "fdtedit $1: error: "*"$want"* ]] || { echo "$stderr"; false; }
	cmp board.dtb before.dtb
	[ -z "$(find . -name '*.tmp*')" ]
}
