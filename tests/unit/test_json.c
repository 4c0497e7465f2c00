// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON: what is taken, what is refused and how it is said.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "lib/buf.h"
#include "lib/json.h"
#include "tests/unit/files.h"

static struct json *parse(const char *text)
{
	struct json *root = NULL;
	struct err err = { "" };

	assert_int_equal(json_parse(text, strlen(text), "f.json", &root, &err), 0);
	assert_non_null(root);
	return root;
}

static void assert_refused(const char *text, size_t len, const char *start)
{
	struct json *root = NULL;
	struct err err = { "" };

	assert_int_equal(json_parse(text, len, "f.json", &root, &err), -EINVAL);
	assert_null(root);
	assert_memory_equal(err.msg, start, strlen(start));
}

static void what_is_not_json_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *start;
	} cases[] = {
		{ "", "'f.json': empty, not JSON; did the program that wrote it fail?" },
		{ " \t\r\n", "'f.json': empty, not JSON; " },
		{ "\xef\xbb\xbf", "'f.json': empty, not JSON; " },
		{ "\xd0\x0d\xfe\xed",
		  "'f.json': a compiled device tree, where JSON is " },
		{ "\n\n{ \"a\": NaN }", "f.json:3: not JSON: invalid token near 'NaN'" },
		{ "{ \"a\": Infinity }", "f.json:1: not JSON: " },
		{ "{ \"a\": -Infinity }", "f.json:1: not JSON: " },
		{ "{ \"a\": 1,5 }", "f.json:1: not JSON: " },
		{ "{ \"a\": 01 }", "f.json:1: not JSON: " },
		{ "{ \"a\": 0x10 }", "f.json:1: not JSON: " },
		{ "{ \"a\": +1 }", "f.json:1: not JSON: " },
		{ "{ \"a\": 1 ", "f.json:1: not JSON: " },
		{ "{ \"a\": 1 }\n{}", "f.json:2: not JSON: " },
		{ "{ 'a': 1 }", "f.json:1: not JSON: " },
		{ "{ \"a\": 1, }", "f.json:1: not JSON: " },
		{ "{ \"a\": \"\\u0000\" }", "f.json:1: not JSON: " },
		{ "{ \"a\": \"\xff\" }", "f.json:1: not JSON: " },
		{ "{ \"a\": 1e999 }", "f.json:1: not JSON: real number overflow" },
		{ "{ \"a\": 99999999999999999999 }",
		  "f.json:1: not JSON: too big integer" },
		{ "12", "f.json:1: not JSON: " },
		{ "// note\n{}", "f.json:1: not JSON: " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i].text, strlen(cases[i].text), cases[i].start);
	assert_refused("{}\0{}", 5, "f.json:1: not JSON: ");
}

static void duplicate_key_is_refused(void **state)
{
	static const char text[] = "{\n\"a\": 1,\n\"a\": 2 }";

	(void)state;
	assert_refused(text, strlen(text), "f.json:3: not JSON: duplicate object key");
}

static void deep_nesting_is_refused(void **state)
{
	size_t len = 1 << 20;
	char *text = malloc(len);

	(void)state;
	assert_non_null(text);
	memset(text, '[', len);
	assert_refused(text, len, "f.json:1: not JSON: maximum parsing depth");
	free(text);
}

static void byte_order_mark_is_skipped(void **state)
{
	struct json *root = parse("\xef\xbb\xbf{ \"a\": 1 }");

	(void)state;
	assert_true(json_has(root, "a"));
	json_free(root);
}

static void typed_reads_take_their_type_only(void **state)
{
	static const struct {
		const char *key, *msg;
	} cases[] = {
		{ "text", "key 'text': \"310\" is not a whole number in 0..4294967295" },
		{ "null", "key 'null': null is not a whole number in 0..4294967295" },
		{ "real", "key 'real': 310.0 is not a whole number in 0..4294967295" },
		{ "minus", "key 'minus': -1 is not a whole number in 0..4294967295" },
		{ "big", "key 'big': 4294967296 is not a whole number in 0..4294967295" },
		{ "true", "key 'true': true is not a whole number in 0..4294967295" },
		{ "obj", "key 'obj': an object is not a whole number in 0..4294967295" },
		{ "arr", "key 'arr': an array is not a whole number in 0..4294967295" },
	};
	struct json *root = parse("{ \"text\": \"310\", \"null\": null, \"real\": 310.0, "
				  "\"minus\": -1, \"big\": 4294967296, \"true\": true, "
				  "\"obj\": {}, \"arr\": [], \"good\": 4294967295 }");
	struct err err = { "" };
	uint32_t v = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(json_get_u32(root, cases[i].key, &v, &err), -EINVAL);
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(v, 77);
	}
	assert_int_equal(json_get_u32(root, "good", &v, &err), 0);
	assert_true(v == UINT32_MAX);
	assert_int_equal(json_get_u32(root, "none", &v, &err), -ENOENT);
	assert_string_equal(err.msg, "key 'none' is missing");
	json_free(root);
}

static void other_types_are_named_too(void **state)
{
	struct json *root = parse("{ \"n\": 1.5, \"s\": \"x\", \"a\": [1, \"y\", -2] }");
	const struct json *below = NULL;
	const char *text = NULL;
	struct err err = { "" };
	int64_t i = 0;
	uint64_t u = 0;
	double d = 0;
	bool b = false;

	(void)state;
	assert_int_equal(json_get_str(root, "n", &text, &err), -EINVAL);
	assert_string_equal(err.msg, "key 'n': 1.5 is not text");
	assert_int_equal(json_get_double(root, "s", &d, &err), -EINVAL);
	assert_string_equal(err.msg, "key 's': \"x\" is not a number");
	assert_int_equal(json_get_bool(root, "n", &b, &err), -EINVAL);
	assert_string_equal(err.msg, "key 'n': 1.5 is not true or false");
	assert_int_equal(json_get_i64(root, "n", &i, &err), -EINVAL);
	assert_int_equal(json_get_object(root, "a", &below, &err), -EINVAL);
	assert_string_equal(err.msg, "key 'a': an array is not an object");
	assert_int_equal(json_get_array(root, "s", &below, &err), -EINVAL);
	assert_string_equal(err.msg, "key 's': \"x\" is not an array");
	assert_int_equal(json_get_array(root, "a", &below, &err), 0);
	assert_int_equal(json_len(below), 3);
	assert_int_equal(json_at_u64(below, 0, "a", &u, &err), 0);
	assert_int_equal(json_at_double(below, 2, "a", &d, &err), 0);
	assert_true(d == -2);
	assert_int_equal(json_at_u64(below, 1, "a", &u, &err), -EINVAL);
	assert_string_equal(err.msg, "key 'a[1]': \"y\" is not a whole number in "
				     "0..9223372036854775807");
	assert_int_equal(json_at_u64(below, 3, "a", &u, &err), -ENOENT);
	assert_string_equal(err.msg, "key 'a[3]' is missing");
	assert_null(json_at(below, 3));
	/* A value that is no object at all. */
	assert_int_equal(json_get_u64(below, "k", &u, &err), -EINVAL);
	assert_int_equal(json_get_u64(NULL, "k", &u, &err), -EINVAL);
	json_free(root);
}

static void long_values_are_cut_in_messages(void **state)
{
	char text[4096], long_text[3000];
	struct err err = { "" };
	struct json *root;
	uint32_t v;

	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	snprintf(text, sizeof(text), "{ \"k\": \"%s\" }", long_text);
	root = parse(text);
	assert_int_equal(json_get_u32(root, "k", &v, &err), -EINVAL);
	assert_true(strlen(err.msg) < 200);
	assert_non_null(strstr(err.msg, "xxx... is not a whole number in 0..4294967295"));
	json_free(root);
}

static void text_must_fit_and_be_printable(void **state)
{
	struct json *root = parse("{ \"a\": \"12345\", \"b\": \"1\\n2\", \"c\": \"\" }");
	struct err err = { "" };
	char out[6];

	(void)state;
	assert_int_equal(json_get_text(root, "a", out, 6, &err), 0);
	assert_string_equal(out, "12345");
	assert_int_equal(json_get_text(root, "a", out, 5, &err), -EINVAL);
	assert_string_equal(err.msg, "key 'a': '12345...' is longer than 4 bytes");
	assert_int_equal(json_get_text(root, "b", out, 6, &err), -EINVAL);
	assert_string_equal(err.msg, "key 'b': '1?2' holds a control character");
	assert_int_equal(json_get_text(root, "c", out, 6, &err), 0);
	assert_string_equal(out, "");
	json_free(root);
}

static void unknown_key_is_refused_with_the_known(void **state)
{
	static const char *const known[] = { "alpha", "beta", NULL };
	struct json *root = parse("{ \"alpha\": 1, \"Beta\": 2 }");
	struct err err = { "" };

	(void)state;
	assert_int_equal(json_only_keys(root, known, &err), -EINVAL);
	assert_string_equal(err.msg, "unknown key 'Beta'; known are alpha, beta");
	json_free(root);
	root = parse("{ \"alpha\": 1 }");
	assert_int_equal(json_only_keys(root, known, &err), 0);
	json_free(root);
	root = parse("[]");
	assert_int_equal(json_only_keys(root, known, &err), -EINVAL);
	json_free(root);
}

static void members_come_in_file_order(void **state)
{
	struct json *root = parse("{ \"z\": 1, \"a\": 2, \"m\": 3 }");
	const struct json *value = NULL;

	(void)state;
	assert_string_equal(json_member(root, 0, &value), "z");
	assert_true(json_is_number(value));
	assert_string_equal(json_member(root, 1, NULL), "a");
	assert_string_equal(json_member(root, 2, NULL), "m");
	assert_null(json_member(root, 3, NULL));
	json_free(root);
}

static char *printed(const struct json *root)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(json_write(root, f, NULL), 0);
	fclose(f);
	return text;
}

static void written_json_is_stable(void **state)
{
	struct json *root = json_new_object(), *arr = json_new_array();
	char *text;

	(void)state;
	assert_int_equal(json_put_str(root, "z", "a\n\"b\" \xff"), 0);
	assert_int_equal(json_put_text(root, "t", "a\nb"), 0);
	assert_int_equal(json_put_u64(root, "u", INT64_MAX), 0);
	assert_int_equal(json_put_i64(root, "i", -5), 0);
	assert_int_equal(json_put_bool(root, "b", true), 0);
	assert_int_equal(json_put(root, "arr", arr), 0);
	assert_int_equal(json_add_real(arr, 0.1, 6), 0);
	assert_int_equal(json_add_real(arr, 100.0 / 3, 6), 0);
	assert_int_equal(json_add_real(arr, 1e-9 / 3, 3), 0);
	assert_int_equal(json_add_real(arr, 123456789, 6), 0);
	assert_int_equal(json_add_real(arr, 0, 6), 0);
	text = printed(root);
	assert_string_equal(text, "{\n  \"z\": \"a\\n\\\"b\\\" ?\",\n  \"t\": \"a?b\",\n"
				  "  \"u\": 9223372036854775807,\n  \"i\": -5,\n"
				  "  \"b\": true,\n  \"arr\": [\n    0.1,\n    33.3333,\n"
				  "    3.33e-10,\n    123457000.0,\n    0.0\n  ]\n}\n");
	free(text);
	json_free(root);
}

static void numbers_that_json_cannot_hold_are_not_written(void **state)
{
	struct json *root = json_new_object(), *arr = json_new_array();
	char *text;

	(void)state;
	assert_int_equal(json_put_real(root, "a", NAN, 6), -EINVAL);
	assert_int_equal(json_put_real(root, "b", INFINITY, 6), -EINVAL);
	assert_int_equal(json_put_u64(root, "c", UINT64_MAX), -EINVAL);
	assert_int_equal(json_add_real(arr, NAN, 6), -EINVAL);
	assert_int_equal(json_add_u64(arr, UINT64_MAX), -EINVAL);
	assert_int_equal(json_put(root, "d", NULL), -ENOMEM);
	text = printed(root);
	assert_string_equal(text, "{}\n");
	free(text);
	json_free(root);
	json_free(arr);
}

static void write_failure_is_an_error(void **state)
{
	struct json *root = parse("{ \"a\": 1 }");
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	if (!f) {
		json_free(root);
		skip();
	}
	setvbuf(f, NULL, _IONBF, 0);
	assert_int_equal(json_write(root, f, NULL), -ENOSPC);
	fclose(f);
	json_free(root);
}

static void files_that_cannot_be_read_are_named(void **state)
{
	char *dir = files_folder();
	struct json *root = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(json_read("/nonexistent/x.json", &root, &err), -ENOENT);
	assert_string_equal(
		err.msg, "cannot open '/nonexistent/x.json': No such file or directory");
	assert_int_equal(json_read("/", &root, &err), -EISDIR);
	assert_string_equal(err.msg, "cannot read '/': Is a directory");
	/* Without waiting for a writer. */
	assert_int_equal(mkfifo(files_path(dir, "fifo"), 0600), 0);
	assert_int_equal(json_read(files_path(dir, "fifo"), &root, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "/fifo': it is no regular file"));
	assert_int_equal(json_read(files_puts(dir, "empty", ""), &root, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "/empty': empty, not JSON; "));
	assert_int_equal(json_read(files_puts(dir, "good", "[]"), &root, &err), 0);
	json_free(root);
	files_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_json_is_refused_with_its_line),
		cmocka_unit_test(duplicate_key_is_refused),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(byte_order_mark_is_skipped),
		cmocka_unit_test(typed_reads_take_their_type_only),
		cmocka_unit_test(other_types_are_named_too),
		cmocka_unit_test(long_values_are_cut_in_messages),
		cmocka_unit_test(text_must_fit_and_be_printable),
		cmocka_unit_test(unknown_key_is_refused_with_the_known),
		cmocka_unit_test(members_come_in_file_order),
		cmocka_unit_test(written_json_is_stable),
		cmocka_unit_test(numbers_that_json_cannot_hold_are_not_written),
		cmocka_unit_test(write_failure_is_an_error),
		cmocka_unit_test(files_that_cannot_be_read_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
