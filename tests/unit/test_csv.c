// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines into fields, and what is not CSV of ours.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/csv.h"
#include "tests/unit/files.h"

static int open_bytes(struct csv *csv, const char *data, size_t len, struct err *err)
{
	return csv_open(csv, files_put(files_dir, "x.csv", data, len), err);
}

/* Rows joined by '|' and '/', or the message after the path. */
static void assert_reads(const char *data, size_t len, const char *expected)
{
	char got[2048] = "";
	struct csv csv;
	struct err err = { "" };
	int ret = open_bytes(&csv, data, len, &err);

	while (!ret && (ret = csv_next(&csv, &err)) == 1) {
		for (int i = 0; i < csv.nfields; i++)
			sprintf(got + strlen(got), "%s%s", csv.fields[i],
				i + 1 < csv.nfields ? "|" : "/");
		ret = 0;
	}
	if (ret < 0) {
		const char *msg = strstr(err.msg, "/x.csv");

		assert_non_null(msg);
		assert_int_equal(ret, -EINVAL);
		sprintf(got, "%s", msg + 6);
	}
	csv_close(&csv);
	assert_string_equal(got, expected);
}

#define READS(text, expected) assert_reads(text, sizeof(text) - 1, expected)

static void line_ends_and_mark_of_other_systems_are_understood(void **state)
{
	(void)state;
	READS("a,b\n1,2\n3,4\n", "1|2/3|4/");
	READS("a,b\r\n1,2\r\n3,4\r\n", "1|2/3|4/");
	READS("\xef\xbb\xbf"
	      "a,b\n1,2",
	      "1|2/");
	READS("a\n1\n\n \r\n\n", "1/");
	READS("a,b\n", "");
	READS("a,b", "");
	READS("a,b\n,\n", "|/");
	READS("a , b\n 1\t, 2 \n", "1|2/");
}

static void wrong_lines_are_named_by_number(void **state)
{
	(void)state;
	READS("a,b\n1,2\n1\n", ":3: 1 field, the header has 2");
	READS("a,b\n1,2,3\n", ":2: 3 fields, the header has 2");
	READS("a,b\n1,2\n\n3,4\n", ":3: a blank line, and more rows after it");
	READS("a,b\n1,\"2\"\n", ":2: a quote; quoted fields are not taken");
	READS("a,b\n1,2\0\n", ":2: a NUL byte; is this text in UTF-8?");
	READS("\xff\xfe"
	      "a\0,\0b\0\n\0",
	      ":1: a NUL byte; is this text in UTF-8?");
}

static void wrong_headers_are_refused(void **state)
{
	(void)state;
	READS("", "' is empty, a header line is needed");
	READS("\n1,2\n", ":1: blank, a header line is needed");
	READS("a,,c\n", ":1: column 2 has no name");
	READS("a,b,a\n", ":1: column 'a' is there twice");
	READS("a;b\n1,5;2\n",
	      ":1: 'a;b' is separated by ';'; save it with ',' between fields "
	      "and '.' as decimal point");
	READS("a\tb\n1\t2\n",
	      ":1: 'a?b' is separated by tabs; save it with ',' between fields "
	      "and '.' as decimal point");
}

static void columns_are_found_by_name(void **state)
{
	struct csv csv;
	struct err err = { "" };

	(void)state;
	assert_int_equal(open_bytes(&csv, "a,b\n", 4, &err), 0);
	assert_int_equal(csv_column(&csv, "b"), 1);
	assert_int_equal(csv_column(&csv, "c"), -ENOENT);
	assert_int_equal(csv_next(&csv, &err), 0);
	csv_close(&csv);
	csv_close(&csv);
}

static void field_count_has_a_limit(void **state)
{
	char line[4 * CSV_MAX_FIELDS + 8];
	size_t len = 0;

	(void)state;
	for (int i = 0; i < CSV_MAX_FIELDS; i++)
		len += sprintf(line + len, "%s%d", i ? "," : "", i);
	assert_reads(line, len, "");
	len += sprintf(line + len, ",x");
	assert_reads(line, len, ":1: more than 64 fields");
}

static void endless_line_is_refused(void **state)
{
	size_t len = 10 << 20;
	char *text = malloc(len);

	(void)state;
	assert_non_null(text);
	memset(text, '1', len);
	memcpy(text, "a\n", 2);
	assert_reads(text, len, ":2: line longer than 65536 bytes");
	free(text);
}

static void unreadable_files_are_named(void **state)
{
	struct csv csv;
	struct err err = { "" };

	(void)state;
	assert_int_equal(csv_open(&csv, "/nonexistent/x.csv", &err), -ENOENT);
	assert_string_equal(
		err.msg, "cannot open '/nonexistent/x.csv': No such file or directory");
	assert_int_equal(csv_open(&csv, "/", &err), -EISDIR);
	assert_string_equal(err.msg, "cannot read '/': Is a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_ends_and_mark_of_other_systems_are_understood),
		cmocka_unit_test(wrong_lines_are_named_by_number),
		cmocka_unit_test(wrong_headers_are_refused),
		cmocka_unit_test(columns_are_found_by_name),
		cmocka_unit_test(field_count_has_a_limit),
		cmocka_unit_test(endless_line_is_refused),
		cmocka_unit_test(unreadable_files_are_named),
	};

	return cmocka_run_group_tests(tests, files_set_up, files_tear_down);
}
