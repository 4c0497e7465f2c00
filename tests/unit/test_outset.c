// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several files, all or none, after the report of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/outset.h"
#include "tests/unit/files.h"

static void assert_holds(const char *name, const char *text)
{
	char *got = files_get(files_path(files_dir, name));

	assert_string_equal(got, text);
	free(got);
}

static void add(struct outset *set, const char *name, const char *text, bool backup)
{
	struct err err = { "" };

	assert_int_equal(outset_add(set, files_path(files_dir, name), text, strlen(text),
				    backup, &err),
			 0);
}

static void files_take_their_places_at_commit(void **state)
{
	struct outset set = { 0 };
	struct err err = { "" };

	(void)state;
	files_puts(files_dir, "one", "before");
	add(&set, "one", "after", true);
	add(&set, "two", "new", false);
	assert_holds("one", "before");
	assert_int_not_equal(access(files_path(files_dir, "two"), F_OK), 0);
	assert_int_equal(outset_commit(&set, &err), 0);
	outset_free(&set);
	assert_holds("one", "after");
	assert_holds("one.orig", "before");
	assert_holds("two", "new");
	assert_int_equal(files_count(files_dir), 3);
}

static void a_set_that_is_dropped_leaves_nothing(void **state)
{
	struct outset set = { 0 };

	(void)state;
	files_puts(files_dir, "one", "before");
	add(&set, "one", "after", true);
	add(&set, "two", "new", false);
	outset_free(&set);
	assert_holds("one", "before");
	assert_int_equal(files_count(files_dir), 1);
	outset_free(&set);
}

static void a_file_that_changed_since_it_was_read_is_not_replaced(void **state)
{
	struct outset set = { 0 };
	struct err err = { "" };

	(void)state;
	files_puts(files_dir, "one", "old");
	add(&set, "one", "new", true);
	assert_int_equal(outset_replaces(&set, "old", 3, &err), 0);
	files_puts(files_dir, "one", "theirs");
	assert_int_equal(outset_commit(&set, &err), -EBUSY);
	assert_non_null(strstr(err.msg, "/one' was changed since it was read; run the "
					"command again"));
	outset_free(&set);
	assert_holds("one", "theirs");
	assert_int_equal(files_count(files_dir), 1);

	add(&set, "one", "new", false);
	assert_int_equal(outset_replaces(&set, "theirs", 6, &err), 0);
	assert_int_equal(outset_commit(&set, &err), 0);
	outset_free(&set);
	assert_holds("one", "new");
}

static void an_empty_set_is_no_work(void **state)
{
	struct outset set = { 0 };

	(void)state;
	assert_int_equal(outset_commit(&set, NULL), 0);
	outset_free(&set);
}

/* Another program has put a folder where the last of them belongs. */
static void what_had_its_place_goes_back_when_a_later_file_has_none(void **state)
{
	struct outset set = { 0 };
	struct err err = { "" };

	(void)state;
	files_puts(files_dir, "one", "before");
	add(&set, "one", "after", true);
	add(&set, "two", "new", false);
	add(&set, "three", "new", false);
	assert_int_equal(mkdir(files_path(files_dir, "three"), 0777), 0);
	assert_int_not_equal(outset_commit(&set, &err), 0);
	assert_non_null(strstr(err.msg, "three"));
	outset_free(&set);
	assert_holds("one", "before");
	assert_int_equal(files_count(files_dir), 2);
}

/* Standard output that takes nothing, and back. */
static int commit_with_full_stdout(struct outset *set, struct err *err)
{
	int keep, full, ret;

	fflush(stdout);
	keep = dup(STDOUT_FILENO);
	full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(keep >= 0 && full >= 0);
	dup2(full, STDOUT_FILENO);
	printf("changed\n");
	ret = outset_commit(set, err);
	__fpurge(stdout);
	clearerr(stdout);
	dup2(keep, STDOUT_FILENO);
	close(full);
	close(keep);
	return ret;
}

static void a_report_that_cannot_be_written_leaves_all_as_it_was(void **state)
{
	struct outset set = { 0 };
	struct err err = { "" };

	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	files_puts(files_dir, "one", "before");
	add(&set, "one", "after", true);
	add(&set, "two", "new", false);
	assert_int_equal(commit_with_full_stdout(&set, &err), -ENOSPC);
	assert_non_null(strstr(err.msg, "one' is as before, since the report of it is "
					"not written: cannot write standard output: "
					"No space left on device"));
	outset_free(&set);
	assert_holds("one", "before");
	assert_int_equal(files_count(files_dir), 1);
}

static void a_file_that_cannot_be_added_leaves_the_others_in_the_set(void **state)
{
	struct outset set = { 0 };
	struct err err = { "" };

	(void)state;
	files_puts(files_dir, "one.orig", "old backup");
	files_puts(files_dir, "one", "before");
	add(&set, "two", "new", false);
	assert_int_equal(
		outset_add(&set, files_path(files_dir, "one"), "x", 1, true, &err),
		-EEXIST);
	assert_non_null(strstr(err.msg, "backup"));
	assert_int_equal(
		outset_add(&set, files_path(files_dir, "no/file"), "x", 1, false, &err),
		-ENOENT);
	assert_int_equal(set.count, 1);
	assert_int_equal(outset_commit(&set, &err), 0);
	outset_free(&set);
	assert_holds("one.orig", "old backup");
	assert_holds("one", "before");
	assert_holds("two", "new");
	assert_int_equal(files_count(files_dir), 3);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, files_set_up, files_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(files_take_their_places_at_commit),
		TEST(a_set_that_is_dropped_leaves_nothing),
		TEST(a_file_that_changed_since_it_was_read_is_not_replaced),
		TEST(an_empty_set_is_no_work),
		TEST(what_had_its_place_goes_back_when_a_later_file_has_none),
		TEST(a_report_that_cannot_be_written_leaves_all_as_it_was),
		TEST(a_file_that_cannot_be_added_leaves_the_others_in_the_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
