# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by tests of calib fit.

# refused TEXT ARG... - one line with TEXT on stderr, exit 2, nothing on stdout
refused() {
	want=$1
	shift
	run --separate-stderr "$CALIB" fit "$@"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"$want"* ]] || { echo "$stderr"; false; }
}
