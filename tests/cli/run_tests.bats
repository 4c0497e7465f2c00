#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/run-tests: who looks at a test that failed sees what it printed.

bats_require_minimum_version 1.5.0

# As from a shell: bats and prove leave variables for themselves.
run_tests() {
	env -i "PATH=/usr/bin:/bin" "HOME=$HOME" "TMPDIR=$BATS_TEST_TMPDIR" "B=${made:-$B}" "$TOP/scripts/run-tests" "$@"
}

@test "a bats test that fails shows what it printed; one that passes does not" {
	printf '%s\n' '@test "good" { echo "not of interest"; }' \
		'@test "bad" { printf "line %s\n" 1 2 3; false; }' > "$BATS_TEST_TMPDIR/two.bats"
	run -1 run_tests "$BATS_TEST_TMPDIR/two.bats"
	[[ $output == *"not ok 2 bad"*"# line 1"*"# line 3"* ]] || { echo "$output"; false; }
	[[ $output != *"not of interest"* ]]
}

@test "a unit test that fails shows what cmocka says; one that passes says nothing" {
	printf '#!/bin/sh\nprintf "%%s\\n" "1..1" "not ok 1 - sums" "# 0x2 != 0x3" "# not ok - tests"\nexit 1\n' \
		> "$BATS_TEST_TMPDIR/test_bad"
	printf '#!/bin/sh\nprintf "%%s\\n" "1..1" "ok 1 - sums" "# ok - tests"\n' > "$BATS_TEST_TMPDIR/test_good"
	chmod +x "$BATS_TEST_TMPDIR"/test_*
	run -1 run_tests "$BATS_TEST_TMPDIR/test_bad"
	[[ $output == *"not ok 1 - sums"*"# 0x2 != 0x3"* ]] || { echo "$output"; false; }
	run -0 run_tests "$BATS_TEST_TMPDIR/test_good"
	[[ $output != *"# ok"* ]]
}

@test "a program that a test needs and nobody built is named, with what builds it" {
	made=$BATS_TEST_TMPDIR/none
	run -2 run_tests tests/cli/run_tests.bats
	[ "$output" = "run-tests: no '$made/calib/calib'; 'make check-tests TESTS=...' builds what tests need and runs them" ]
	mkdir -p "$made/tests/fake"
	ln -s "$B/calib" "$B/fdtedit" "$made"
	cp "$B"/tests/fake/[!p]* "$made/tests/fake"
	run -2 run_tests "$TOP/tests/cli/run_tests.bats"
	[[ $output == "run-tests: no '$made/tests/fake/physics'; "* ]]
	# Not all tests need all of them.
	printf '%s\n' '@test "good" { true; }' > "$BATS_TEST_TMPDIR/one.bats"
	run -0 run_tests "$BATS_TEST_TMPDIR/one.bats"
}
