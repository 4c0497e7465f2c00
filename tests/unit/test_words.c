// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/words.h"

/* @text is cut into @expected, where '|' stands between words. */
static void expect(const char *text, const char *expected)
{
	char got[256] = "";
	struct words w;

	assert_int_equal(words_split(text, &w, NULL), 0);
	for (unsigned int i = 0; i < w.count; i++) {
		strcat(got, i ? "|" : "");
		strcat(got, w.argv[i]);
	}
	assert_null(w.argv[w.count]);
	assert_string_equal(got, expected);
	words_free(&w);
}

static void blanks_part_words(void **state)
{
	(void)state;
	expect("coremark", "coremark");
	expect("  stress-ng --cpu\t1 \n", "stress-ng|--cpu|1");
}

static void quotes_hold_words_together(void **state)
{
	(void)state;
	expect("sh -c 'while :; do :; done'", "sh|-c|while :; do :; done");
	expect("a \"b  c\"d e", "a|b  cd|e");
	expect("a '' \"\"", "a||");
	expect("a 'b\"c\\' \"d'e\"", "a|b\"c\\|d'e");
	expect("\"a\\\"b\\\\c\\d\"", "a\"b\\c\\d");
	expect("a\\ b \\\\ \\'", "a b|\\|'");
	expect("$x;y|z >f *", "$x;y|z|>f|*");
}

static void half_a_command_is_refused(void **state)
{
	static const char *const texts[] = { "a 'b", "a \"b", "a \"b\\\"", "a \\", "'" };
	struct words w;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(words_split(texts[i], &w, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "ends within a quote or behind a "));
		words_free(&w);
	}
	assert_int_equal(words_split(" \t", &w, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "names no command"));
	words_free(&w);
	words_free(&w);
}

static void there_is_a_limit(void **state)
{
	char text[2 * WORDS_MAX + 8] = "";
	struct words w;
	struct err err;

	(void)state;
	for (int i = 0; i < WORDS_MAX; i++)
		strcat(text, "x ");
	assert_int_equal(words_split(text, &w, NULL), 0);
	assert_int_equal(w.count, WORDS_MAX);
	words_free(&w);
	strcat(text, "x");
	assert_int_equal(words_split(text, &w, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "more than 64 words"));
	words_free(&w);
}

static void quoted_words_are_the_same_words_again(void **state)
{
	static const char *const words[] = {
		"sh", "-c", "a  b", "a b", "", "it's", "$x \\ \"q\"", "a\nb", "*", "x=1"
	};
	size_t n = sizeof(words) / sizeof(words[0]);
	struct buf line = { 0 };
	struct words w;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(i ? buf_adds(&line, " ") : 0, 0);
		assert_int_equal(words_quote(&line, words[i]), 0);
	}
	assert_string_equal(line.data, "sh -c 'a  b' 'a b' '' 'it'\\''s' '$x \\ \"q\"' "
				       "'a\nb' '*' x=1");
	assert_int_equal(words_split(line.data, &w, NULL), 0);
	assert_int_equal(w.count, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(w.argv[i], words[i]);
	words_free(&w);
	buf_free(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_part_words),
		cmocka_unit_test(quotes_hold_words_together),
		cmocka_unit_test(half_a_command_is_refused),
		cmocka_unit_test(there_is_a_limit),
		cmocka_unit_test(quoted_words_are_the_same_words_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
