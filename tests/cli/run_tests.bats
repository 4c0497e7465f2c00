#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/run-tests: who looks at a test that failed sees what it printed.

bats_require_minimum_version 1.5.0

# As from a shell: bats and prove leave variables for themselves.
run_tests() {
	env -i "PATH=/usr/bin:/bin" "HOME=$HOME" "TMPDIR=$BATS_TEST_TMPDIR" "B=$B" "$TOP/scripts/run-tests" "$@"
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
