// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error messages, strict numbers, CPU lists.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/cpulist.h"
#include "lib/err.h"
#include "lib/num.h"
#include "lib/text.h"

static void set_stores_the_message_and_returns_the_code(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_set(&err, -EINVAL, "key '%s' is %d", "k", 3), -EINVAL);
	assert_string_equal(err.msg, "key 'k' is 3");
	assert_int_equal(err_set(NULL, -EIO, "nobody listens"), -EIO);
}

static void wrap_puts_the_place_in_front(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, -EINVAL, "bad");
	assert_int_equal(err_wrap(&err, -ENOENT, "file '%s'", "x"), -ENOENT);
	assert_string_equal(err.msg, "file 'x': bad");
	/* Its own message may be an argument. */
	err_wrap(&err, -EINVAL, "%s", err.msg);
	assert_string_equal(err.msg, "file 'x': bad: file 'x': bad");
}

static void wrap_of_no_message_tells_the_code(void **state)
{
	struct err err = { "" };

	(void)state;
	err_wrap(&err, -ENOMEM, "row %d", 7);
	assert_string_equal(err.msg, "row 7: Cannot allocate memory");
}

static void errno_message_ends_in_the_reason(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_errno(&err, -ENOENT, "cannot open '%s'", "f"), -ENOENT);
	assert_string_equal(err.msg, "cannot open 'f': No such file or directory");
}

static void long_message_is_cut_with_dots(void **state)
{
	char text[3000];
	struct err err;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&err, -EINVAL, "%s", text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_string_equal(err.msg + sizeof(err.msg) - 5, "x...");
	err_wrap(&err, -EINVAL, "%s", text);
	assert_string_equal(err.msg + sizeof(err.msg) - 5, "x...");
	err_set(&err, -EINVAL, "short");
	err_wrap(&err, -EINVAL, "%.1020s", text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_string_equal(err.msg + sizeof(err.msg) - 4, "...");
}

static void message_is_one_line_whatever_it_quotes(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, -EINVAL, "a\nb\033[31mc\xff d\xc3\xa9");
	assert_string_equal(err.msg, "a?b?[31mc? d\xc3\xa9");
}

static void text_that_is_not_utf8_is_mended(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "plain", "plain" },
		{ "\xc2\xb5W", "\xc2\xb5W" },
		{ "\xe2\x82\xac", "\xe2\x82\xac" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
		{ "cut \xe2\x82", "cut ??" },
		{ "\xc0\xaf", "??" },		/* overlong */
		{ "\xed\xa0\x80", "???" },	/* surrogate */
		{ "\xf4\x90\x80\x80", "????" }, /* above U+10FFFF */
		{ "\xe9t\xe9", "?t?" },		/* Latin-1 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[32];

		snprintf(text, sizeof(text), "%s", cases[i].in);
		text_fix_utf8(text);
		assert_string_equal(text, cases[i].out);
	}
}

static void u32_is_taken_whole_or_refused(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint32_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "4294967295", 0, UINT32_MAX },
		{ "0000000000000000000000000012", 0, 12 },
		{ "4294967296", -ERANGE, 0 },
		{ "4294967297", -ERANGE, 0 },
		{ "99999999999999999999999999", -ERANGE, 0 },
		{ "99999999999999999999999999x", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "12uW", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "1,5", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t v = 77;

		assert_int_equal(num_u32(cases[i].text, &v), cases[i].ret);
		assert_int_equal(v, cases[i].ret ? 77 : cases[i].value);
	}
}

static void integers_reach_the_ends_of_their_type(void **state)
{
	uint64_t u = 0;
	int64_t i = 0;

	(void)state;
	assert_int_equal(num_u64("18446744073709551615", &u), 0);
	assert_true(u == UINT64_MAX);
	assert_int_equal(num_u64("18446744073709551616", &u), -ERANGE);
	assert_int_equal(num_i64("-9223372036854775808", &i), 0);
	assert_true(i == INT64_MIN);
	assert_int_equal(num_i64("9223372036854775807", &i), 0);
	assert_true(i == INT64_MAX);
	assert_int_equal(num_i64("9223372036854775808", &i), -ERANGE);
	assert_int_equal(num_i64("-9223372036854775809", &i), -ERANGE);
	assert_int_equal(num_i64("--1", &i), -EINVAL);
	assert_int_equal(num_i64("-", &i), -EINVAL);
}

static void hexadecimal_needs_its_prefix(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_int_equal(num_u64_hex("0xffffFFFFffffFFFF", &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(num_u64_hex("0X1a", &v), 0);
	assert_int_equal(v, 26);
	assert_int_equal(num_u64_hex("10", &v), 0);
	assert_int_equal(v, 10);
	assert_int_equal(num_u64_hex("1a", &v), -EINVAL);
	assert_int_equal(num_u64_hex("0x", &v), -EINVAL);
	assert_int_equal(num_u64_hex("0x1g", &v), -EINVAL);
	assert_int_equal(num_u64_hex("0x10000000000000000", &v), -ERANGE);
}

static void double_is_a_finite_decimal(void **state)
{
	static const char *const bad[] = {
		"",  "nan", "inf", "-inf", "0x1p3", "1,5", "1.5.1", "1e",  "1e+",
		".", "-",   "+1",  " 1",   "1 ",    "1f",  "e5",    "NaN", "1_0"
	};
	double v = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(num_double(bad[i], &v), -EINVAL);
	assert_int_equal(num_double("1e999", &v), -ERANGE);
	assert_int_equal(num_double("1e-999", &v), -ERANGE);
	assert_int_equal(num_double("-1.25e-2", &v), 0);
	assert_true(v == -0.0125);
	assert_int_equal(num_double(".5", &v), 0);
	assert_true(v == 0.5);
}

static void scaled_numbers_are_exact(void **state)
{
	static const struct {
		const char *text;
		int exp10, ret;
		int64_t value;
	} cases[] = {
		{ "600.5", 3, 0, 600500 },
		{ "0.8", 6, 0, 800000 },
		{ "104.460", 3, 0, 104460 },
		{ "104.4604", 3, 0, 104460 },
		{ "104.4605", 3, 0, 104461 },
		{ "-104.4605", 3, 0, -104461 },
		{ "9007199254740993.001", 3, 0, 9007199254740993001 },
		{ "1500000000", -3, 0, 1500000 },
		{ "1500", -3, 0, 2 },
		{ "499", -3, 0, 0 },
		{ "5", -1, 0, 1 },
		{ "5", -2, 0, 0 },
		{ "0.0000000000000000000000000000000000001", 6, 0, 0 },
		{ "00000000000000000000000000000000000001", 6, 0, 1000000 },
		{ ".5", 0, 0, 1 },
		{ "1.", 0, 0, 1 },
		{ "9223372036854775807", 0, 0, INT64_MAX },
		{ "9223372036854775807.5", 0, -ERANGE, 0 },
		{ "9223372036854775.808", 3, -ERANGE, 0 },
		{ "99999999999999999999", 0, -ERANGE, 0 },
		{ "1e3", 0, -EINVAL, 0 },
		{ "1,5", 0, -EINVAL, 0 },
		{ "", 0, -EINVAL, 0 },
		{ "-", 0, -EINVAL, 0 },
		{ ".", 0, -EINVAL, 0 },
		{ "+1", 0, -EINVAL, 0 },
		{ "nan", 3, -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t v = 77;

		assert_int_equal(num_scaled(cases[i].text, cases[i].exp10, &v),
				 cases[i].ret);
		assert_true(v == (cases[i].ret ? 77 : cases[i].value));
	}
}

static void percent_sign_may_be_left_out(void **state)
{
	double v = 0;

	(void)state;
	assert_int_equal(num_percent("1%", &v), 0);
	assert_true(v == 0.01);
	assert_int_equal(num_percent("0.5", &v), 0);
	assert_true(v == 0.005);
	assert_int_equal(num_percent("-1%", &v), -ERANGE);
	assert_int_equal(num_percent("%", &v), -EINVAL);
	assert_int_equal(num_percent("1%%", &v), -EINVAL);
	assert_int_equal(num_percent("1 %", &v), -EINVAL);
	assert_int_equal(num_percent("abc", &v), -EINVAL);
}

static void durations_have_units(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t ns;
	} cases[] = {
		{ "250ms", 0, 250000000 },    { "10s", 0, 10000000000 },
		{ "10", 0, 10000000000 },     { "10m", 0, 600000000000 },
		{ "2h", 0, 7200000000000 },   { "1.5s", 0, 1500000000 },
		{ "1.5h", 0, 5400000000000 }, { "7us", 0, 7000 },
		{ "0", -ERANGE, 0 },	      { "0.0s", -ERANGE, 0 },
		{ "-1s", -ERANGE, 0 },	      { "9999999999h", -ERANGE, 0 },
		{ "s", -EINVAL, 0 },	      { "", -EINVAL, 0 },
		{ "1d", -EINVAL, 0 },	      { "1 s", -EINVAL, 0 },
		{ "10 seconds", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns = 77;

		assert_int_equal(num_duration_ns(cases[i].text, &ns), cases[i].ret);
		assert_true(ns == (cases[i].ret ? 77 : cases[i].ns));
	}
}

static void frequencies_have_units(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint32_t khz;
	} cases[] = {
		{ "1400MHz", 0, 1400000 },  { "1.4GHz", 0, 1400000 },
		{ "200000kHz", 0, 200000 }, { "200000", 0, 200000 },
		{ "1400mhz", 0, 1400000 },  { "1400000000Hz", 0, 1400000 },
		{ "-1MHz", -ERANGE, 0 },    { "99999GHz", -ERANGE, 0 },
		{ "MHz", -EINVAL, 0 },	    { "1400 MHz", -EINVAL, 0 },
		{ "1400M", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t khz = 77;

		assert_int_equal(num_khz(cases[i].text, &khz), cases[i].ret);
		assert_int_equal(khz, cases[i].ret ? 77 : cases[i].khz);
	}
}

static void cpu_lists_are_sorted_and_without_repeats(void **state)
{
	unsigned int cpus[8];
	char text[32];

	(void)state;
	assert_int_equal(cpulist_parse("0-3,5\n", cpus, 8), 5);
	assert_string_equal(cpulist_format(cpus, 5, text, sizeof(text)), "0-3,5");
	assert_int_equal(cpulist_parse("4 5 6 7\n", cpus, 8), 4);
	assert_string_equal(cpulist_format(cpus, 4, text, sizeof(text)), "4-7");
	assert_int_equal(cpulist_parse("7, 1,1-2", cpus, 8), 3);
	assert_string_equal(cpulist_format(cpus, 3, text, sizeof(text)), "1-2,7");
	assert_int_equal(cpulist_parse("", cpus, 8), 0);
	assert_int_equal(cpulist_parse("\n", cpus, 8), 0);
	assert_string_equal(cpulist_format(cpus, 0, text, sizeof(text)), "");
	assert_int_equal(cpulist_parse("1023", cpus, 8), 1);
	assert_int_equal(cpus[0], 1023);
}

static void bad_cpu_lists_are_refused(void **state)
{
	static const char *const bad[] = { ",",	 "0,",	"0,,1",	 "3-1",	  "-1",	 "a",
					   "0-", "0x1", "0-3:2", "1-2-3", "0;1", "all" };
	unsigned int cpus[4];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cpulist_parse(bad[i], cpus, 4), -EINVAL);
	assert_int_equal(cpulist_parse("1024", cpus, 4), -ERANGE);
	assert_int_equal(cpulist_parse("0-99999999999999999999", cpus, 4), -ERANGE);
	assert_int_equal(cpulist_parse("0-4", cpus, 4), -ERANGE);
}

static void cpu_list_is_cut_to_its_room(void **state)
{
	unsigned int cpus[] = { 10, 12, 14, 16 };
	char text[6];

	(void)state;
	cpulist_format(cpus, 4, text, sizeof(text));
	assert_string_equal(text, "10,12");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_stores_the_message_and_returns_the_code),
		cmocka_unit_test(wrap_puts_the_place_in_front),
		cmocka_unit_test(wrap_of_no_message_tells_the_code),
		cmocka_unit_test(errno_message_ends_in_the_reason),
		cmocka_unit_test(long_message_is_cut_with_dots),
		cmocka_unit_test(message_is_one_line_whatever_it_quotes),
		cmocka_unit_test(text_that_is_not_utf8_is_mended),
		cmocka_unit_test(u32_is_taken_whole_or_refused),
		cmocka_unit_test(integers_reach_the_ends_of_their_type),
		cmocka_unit_test(hexadecimal_needs_its_prefix),
		cmocka_unit_test(double_is_a_finite_decimal),
		cmocka_unit_test(scaled_numbers_are_exact),
		cmocka_unit_test(percent_sign_may_be_left_out),
		cmocka_unit_test(durations_have_units),
		cmocka_unit_test(frequencies_have_units),
		cmocka_unit_test(cpu_lists_are_sorted_and_without_repeats),
		cmocka_unit_test(bad_cpu_lists_are_refused),
		cmocka_unit_test(cpu_list_is_cut_to_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
