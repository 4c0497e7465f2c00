// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of texts, in columns and in Markdown.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/grid.h"

static void assert_prints(const struct grid *g, bool markdown, const char *want)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(grid_print(g, f, markdown), 0);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
	struct grid g = { .align = "lrl" };

	(void)state;
	grid_add(&g, "name");
	grid_add(&g, "n");
	grid_add(&g, "what");
	grid_add(&g, "%d µs", 5);
	grid_add(&g, "1000");
	grid_add(&g, "a|b");
	assert_prints(&g, false, "name     n  what\n5 µs  1000  a|b\n");
	assert_prints(&g, true,
		      "| name |    n | what |\n"
		      "| ---- | ---: | ---- |\n"
		      "| 5 µs | 1000 | a\\|b |\n");
	/* A row that is not complete is not there. */
	grid_add(&g, "x");
	assert_prints(&g, false, "name     n  what\n5 µs  1000  a|b\n");
	grid_free(&g);
	grid_free(&g);
}

static void numbers_that_are_none_are_dashes_and_lines_end_with_text(void **state)
{
	struct grid g = { .align = "rlr" };

	(void)state;
	grid_add(&g, "%s", "");
	grid_add(&g, "head");
	grid_add(&g, "%s", "");
	grid_add_number(&g, 1.25, 1);
	grid_add_number(&g, NAN, 1);
	grid_add_number(&g, -INFINITY, 0);
	assert_prints(&g, false, "     head\n1.2  -     -\n");
	assert_prints(&g, true,
		      "|     | head |     |\n"
		      "| --: | ---- | --: |\n"
		      "| 1.2 | -    |   - |\n");
	grid_free(&g);
}

static void many_cells_fit(void **state)
{
	struct grid g = { .align = "r" };
	char want[5 * 300] = "", *at = want;

	(void)state;
	for (int i = 0; i < 300; i++) {
		grid_add(&g, "%d", i);
		at += sprintf(at, "%3d\n", i);
	}
	assert_prints(&g, false, want);
	grid_free(&g);
}

static void there_is_no_limit_to_columns(void **state)
{
	char align[101] = "", want[3 * 100 + 1] = "", *at = want;
	struct grid g = { .align = align };

	(void)state;
	memset(align, 'r', 100);
	for (int i = 0; i < 100; i++) {
		grid_add(&g, "%d", i % 10);
		at += sprintf(at, "%s%d", i ? "  " : "", i % 10);
	}
	strcpy(at, "\n");
	assert_prints(&g, false, want);
	grid_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
		cmocka_unit_test(
			numbers_that_are_none_are_dashes_and_lines_end_with_text),
		cmocka_unit_test(many_cells_fit),
		cmocka_unit_test(there_is_no_limit_to_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
