// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several boards: what is pooled, what is left out, and that the quick fit of very many
 * gives what the ordinary one does.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/many_boards.h"
#include "tests/bench/coverage.h"

#define BOARDS	   60
#define SPREAD_PCT 4.0

struct boards {
	struct sample *rows;
	size_t first[BOARDS + 1];
	const char *names[BOARDS];
	double sum; /* of the true C */
};

/* Boards of one cluster whose C and leakage differ. */
static void make(struct boards *b, unsigned long seed)
{
	struct cov_cluster k = cov_cluster(0);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t i, n = 0;

	b->rows = calloc(BOARDS * COV_MAX_ROWS, sizeof(*b->rows));
	assert_non_null(b->rows);
	gsl_rng_set(rng, seed);
	b->sum = 0;
	for (i = 0; i < BOARDS; i++) {
		struct cov_cluster one = k;

		one.c *= 1 + gsl_ran_gaussian(rng, SPREAD_PCT / 100);
		one.leak_uw *= exp(gsl_ran_gaussian(rng, 0.3));
		b->first[i] = n;
		b->names[i] = "board";
		n += cov_generate(&one, COV_ALL, rng, b->rows + n);
		b->sum += one.c;
	}
	b->first[BOARDS] = n;
	gsl_rng_free(rng);
}

static struct many_boards_in input(const struct boards *b)
{
	return (struct many_boards_in){ .samples = b->rows,
					.first = b->first,
					.names = b->names,
					.count = BOARDS,
					.sel = { .cluster = "x",
						 .volt_measured = true } };
}

static void pool(const struct many_boards_in *in, struct many_boards *out,
		 struct power_fit *f)
{
	const struct power_method *m = NULL;
	struct err err = { "" };
	char why[128];

	if (many_boards_fit(in, &m, why, sizeof(why), out, f, &err)) {
		print_error("%s\n", err.msg);
		fail();
	}
	assert_string_equal(m->name, "structured");
	assert_string_equal(why, "what the rows of 60 of 60 boards call for");
}

static void the_quick_fit_of_many_gives_what_the_full_one_does(void **state)
{
	struct many_boards full, quick;
	struct power_fit ff, fq;
	struct many_boards_in in;
	struct boards b;
	double c;
	size_t i;

	(void)state;
	make(&b, 8);
	in = input(&b);
	c = b.sum / BOARDS;
	pool(&in, &full, &ff);
	in.in_full = 20;
	pool(&in, &quick, &fq);
	print_message("C %.3f; full %.3f +- %.3f, spread %.2f %%; quick %.3f +- %.3f, "
		      "%.2f %%, off by %.3f +- %.3f\n",
		      c, ff.c, ff.se, 100 * full.meta.sd / ff.c, fq.c, fq.se,
		      100 * quick.meta.sd / fq.c, quick.quick_off, quick.quick_off_se);
	assert_int_equal(full.in_full, 0);
	assert_int_equal(quick.in_full, 20);
	/* 0.2 %, where boards differ by 4 % */
	assert_true(fabs(ff.c / c - 1) < 0.002);
	assert_true(fabs(fq.c / ff.c - 1) < 0.002);
	assert_true(fabs(quick.meta.sd / full.meta.sd - 1) < 0.05);
	assert_true(fq.se > 0.98 * ff.se && fq.se < 1.2 * ff.se);
	for (i = 0; i < BOARDS; i++)
		assert_true(fabs(quick.boards[i].c / full.boards[i].c - 1) < 0.03);
	many_boards_free(&full);
	many_boards_free(&quick);
	free(b.rows);
}

static void the_odd_board_among_many_is_named(void **state)
{
	struct many_boards out;
	struct power_fit f;
	struct many_boards_in in;
	struct boards b;
	size_t i;

	(void)state;
	make(&b, 9);
	for (i = b.first[31]; i < b.first[32]; i++)
		b.rows[i].power_uw = b.rows[i].power_uw * 13 / 10;
	for (i = b.first[40]; i < b.first[41]; i++)
		b.rows[i].flags = SAMPLE_STALE;
	in = input(&b);
	in.in_full = 10;
	in.sel.load = "int";
	{
		const struct power_method *m = power_method_find("structured");

		assert_int_equal(many_boards_fit(&in, &m, NULL, 0, &out, &f, NULL), 0);
	}
	assert_int_equal(out.used, BOARDS - 1);
	assert_false(out.boards[40].used);
	assert_non_null(strstr(out.boards[40].why, "no usable row with a busy CPU"));
	assert_int_equal(out.outlying, 1);
	assert_true(out.boards[31].outlying);
	assert_true(out.boards[31].deleted > 5);
	many_boards_free(&out);
	free(b.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_quick_fit_of_many_gives_what_the_full_one_does),
		cmocka_unit_test(the_odd_board_among_many_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
