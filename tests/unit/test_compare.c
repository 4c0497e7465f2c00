// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comparing two series: figures worked out by counting all orders and by integrating the
 * densities, and whether 5 % are 5 %.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boards/rng.h"
#include "models/compare.h"

#define N(x)			      (sizeof(x) / sizeof((x)[0]))
#define SERIES(x)		      ((struct compare_series){ x, NULL, N(x) })
#define ORDERED(x, o)		      ((struct compare_series){ x, o, N(x) })
#define assert_near(is, want, within) near_or_fail(is, want, within, __LINE__)

static void near_or_fail(double is, double want, double within, int line)
{
	if (fabs(is - want) <= within)
		return;
	print_error("line %d: %.9g is not within %g of %.9g\n", line, is, within, want);
	fail();
}

static void means_differ_as_welch_and_fieller_say(void **state)
{
	static const double a[] = { 27.5, 21.0, 19.0, 23.6, 17.0, 17.9,
				    16.9, 20.1, 21.9, 22.6, 23.1, 19.6 };
	static const double b[] = { 27.1, 22.0, 20.8, 23.4, 23.5, 25.8, 22.2, 24.0 };
	struct compare c;

	(void)state;
	assert_int_equal(compare_series(&SERIES(a), &SERIES(b), &c, NULL), 0);
	assert_near(c.a.mean, 20.85, 1e-12);
	assert_near(c.a.median, (20.1 + 21.0) / 2, 1e-12);
	assert_near(c.a.min, 16.9, 0);
	assert_near(c.b.max, 27.1, 0);
	assert_near(c.diff_pct, 100 * (23.6 / 20.85 - 1), 1e-9);
	assert_true(c.has_welch && c.has_interval);
	assert_near(c.welch_t, 2.38412565, 1e-7);
	assert_near(c.welch_dof, 17.9935968, 1e-6);
	assert_near(c.welch_p, 0.0283385, 1e-6);
	assert_near(c.ci95_pct[0], 1.4637412, 1e-5);
	assert_near(c.ci95_pct[1], 26.7710528, 1e-5);
	assert_near(c.detectable_pct, 16.39207, 1e-4);
}

static void ranks_without_ties_are_counted(void **state)
{
	static const double a[] = { 1.1, 2.5, 3.2, 4.8, 7.7 };
	static const double b[] = { 2.6, 5.1, 6.3, 8.2, 9.9, 10.5 };
	static const double low[] = { 1, 2, 3, 4.5 }, high[] = { 5, 6, 7, 8, 9 };
	struct compare c;

	(void)state;
	assert_int_equal(compare_series(&SERIES(a), &SERIES(b), &c, NULL), 0);
	assert_true(c.has_rank && c.rank_exact);
	assert_near(c.rank_u, 25, 0);
	assert_near(c.rank_p, 0.08225108225, 1e-11);
	assert_near(c.rank_least_p, 2.0 / 462, 1e-15);
	assert_int_equal(compare_series(&SERIES(high), &SERIES(low), &c, NULL), 0);
	assert_near(c.rank_u, 0, 0);
	assert_near(c.rank_p, 2.0 / 126, 1e-15);
	/* In the middle: the sum of both tails is more than all there is. */
	assert_int_equal(compare_series(&SERIES(((double[]){ 1, 4 })),
					&SERIES(((double[]){ 2, 3 })), &c, NULL),
			 0);
	assert_near(c.rank_p, 1, 0);
}

static void ranks_with_ties_are_counted_too(void **state)
{
	static const double a[] = { 1, 2, 2, 3, 4, 4, 5 }, b[] = { 2, 4, 5, 6, 6, 7 };
	static const double low[] = { 1, 1, 1 }, high[] = { 2, 2, 2 };
	struct compare c;

	(void)state;
	assert_int_equal(compare_series(&SERIES(a), &SERIES(b), &c, NULL), 0);
	assert_true(c.has_rank && c.rank_exact);
	assert_near(c.rank_u, 34.5, 0);
	assert_near(c.rank_p, 110.0 / 1716, 1e-9);
	/* Normal it would be 0.047, where one order of ten is as far out. */
	assert_int_equal(compare_series(&SERIES(low), &SERIES(high), &c, NULL), 0);
	assert_near(c.rank_p, 0.1, 1e-12);
	assert_near(c.rank_least_p, 0.1, 1e-12);
}

/* The same four times over: more than are counted. */
static void many_ranks_are_normal_with_both_corrections(void **state)
{
	static const double a[] = { 1, 2, 2, 3, 4, 4, 5 }, b[] = { 2, 4, 5, 6, 6, 7 };
	double many_a[28], many_b[24];
	struct compare c;

	(void)state;
	for (size_t i = 0; i < 28; i++)
		many_a[i] = a[i % 7];
	for (size_t i = 0; i < 24; i++)
		many_b[i] = b[i % 6];
	assert_int_equal(compare_series(&SERIES(many_a), &SERIES(many_b), &c, NULL), 0);
	assert_true(c.has_rank && !c.rank_exact);
	assert_near(c.rank_u, 16 * 34.5, 0);
	assert_near(c.rank_p, 5.76363975899e-05, 1e-9);
}

static void the_exact_and_the_normal_p_meet_where_both_are_good(void **state)
{
	double a[COMPARE_EXACT + 1], b[COMPARE_EXACT];
	struct compare_series fewer = { a, NULL, COMPARE_EXACT };
	struct compare exact, normal;

	(void)state;
	for (int i = 0; i < COMPARE_EXACT; i++) {
		a[i] = 3 * i;
		b[i] = 3 * i + 22;
	}
	a[COMPARE_EXACT] = 36.5;
	assert_int_equal(compare_series(&fewer, &SERIES(b), &exact, NULL), 0);
	assert_int_equal(compare_series(&SERIES(a), &SERIES(b), &normal, NULL), 0);
	assert_true(exact.rank_exact && !normal.rank_exact);
	assert_true(exact.rank_p > 0.001 && exact.rank_p < 0.05);
	assert_near(normal.rank_p, exact.rank_p, 0.003);
}

static void nothing_is_told_that_cannot_be_known(void **state)
{
	static const double one[] = { 5 }, same[] = { 5, 5, 5 }, zero[] = { 0, 0 };
	static const double some[] = { 4, 5, 6.5 }, around[] = { -3, 1, 3 };
	static const double tenths[] = { 0.1, 0.1, 0.1 };
	struct compare c;

	(void)state;
	assert_int_equal(compare_series(&SERIES(one), &SERIES(some), &c, NULL), 0);
	assert_true(c.has_diff && !c.a.has_sd && !c.has_welch && !c.has_interval);
	assert_int_equal(compare_series(&SERIES(same), &SERIES(same), &c, NULL), 0);
	assert_true(c.has_diff && c.a.has_rsd && !c.has_welch && !c.has_rank);
	assert_near(c.a.rsd_pct, 0, 0);
	assert_int_equal(compare_series(&SERIES(tenths), &SERIES(same), &c, NULL), 0);
	assert_true(!c.has_welch && c.a.sd == 0);
	assert_int_equal(compare_series(&SERIES(zero), &SERIES(some), &c, NULL), 0);
	assert_true(!c.has_diff && !c.a.has_rsd && c.has_welch && !c.has_interval);
	/* One side scatters: Welch's with that side's degrees of freedom. */
	assert_int_equal(compare_series(&SERIES(same), &SERIES(some), &c, NULL), 0);
	assert_true(c.has_welch && c.has_interval);
	assert_near(c.welch_dof, 2, 1e-12);
	/* A mean that may be 0: a ratio to it may be anything. */
	assert_int_equal(compare_series(&SERIES(around), &SERIES(some), &c, NULL), 0);
	assert_true(c.has_diff && c.has_welch && !c.has_interval);
}

static void what_is_no_number_is_refused(void **state)
{
	static const double good[] = { 1, 2 }, bad[] = { 1, NAN }, inf[] = { INFINITY };
	const struct compare_series none = { good, NULL, 0 };
	struct compare c;
	struct err err;

	(void)state;
	assert_int_equal(compare_series(&SERIES(good), &none, &c, &err), -EDOM);
	assert_string_equal(err.msg, "there are no values");
	assert_int_equal(compare_series(&SERIES(good), &SERIES(bad), &c, &err), -EINVAL);
	assert_string_equal(err.msg, "value 2 is not a finite number");
	assert_int_equal(compare_series(&SERIES(inf), &SERIES(good), &c, &err), -EINVAL);
}

/* Rosner's own example, of which he finds three to be outliers. */
static void outliers_are_those_that_rosner_names(void **state)
{
	static const double x[] = {
		-0.25, 0.68, 0.94, 1.15, 1.20, 1.26, 1.26, 1.34, 1.38, 1.43, 1.49,
		1.49,  1.55, 1.56, 1.58, 1.65, 1.69, 1.70, 1.76, 1.77, 1.81, 1.91,
		1.94,  1.96, 1.99, 2.06, 2.09, 2.10, 2.14, 2.15, 2.23, 2.24, 2.26,
		2.35,  2.37, 2.40, 2.47, 2.54, 2.62, 2.64, 2.90, 2.92, 2.92, 2.93,
		3.21,  3.26, 3.30, 3.59, 3.68, 4.30, 4.64, 5.34, 5.42, 6.01,
	};
	static const double four[] = { 1, 1, 1, 9 }, same[] = { 3, 3, 3, 3, 3, 3, 3, 3 };
	/* Each hides the other; the second look finds both. */
	static const double two[] = { 10.1, 9.9, 10.2, 9.8, 10, 10.1, 9.9, 25, 24.8 };
	bool out[54];

	(void)state;
	assert_int_equal(compare_outliers(x, 54, out), 3);
	assert_true(out[53] && out[52] && out[51] && !out[50] && !out[0]);
	assert_int_equal(compare_outliers(two, 9, out), 2);
	assert_true(out[7] && out[8] && !out[0]);
	assert_int_equal(compare_outliers(four, 4, out), 0);
	assert_int_equal(compare_outliers(same, 8, out), 0);
	assert_false(out[0]);
}

static void a_trend_is_told_with_its_p(void **state)
{
	static const uint32_t order[] = { 0, 3, 4, 7, 8, 11 };
	static const double y[] = { 100, 101, 103, 102, 105, 106 };
	static const double line[] = { 100, 103, 104, 107, 108, 111 };
	static const double flat[] = { 5, 5, 5, 5, 5, 5 };
	struct compare_series s = ORDERED(y, order);
	struct compare_trend t;

	(void)state;
	compare_trend(&s, &t);
	assert_true(t.known);
	assert_near(t.span_pct, 5.72802844, 1e-7);
	assert_near(t.p, 0.01177548, 1e-6);
	compare_trend(&ORDERED(line, order), &t);
	assert_true(t.known && t.p < 1e-9);
	assert_near(t.span_pct, 11 / 105.5 * 100, 1e-9);
	compare_trend(&ORDERED(flat, order), &t);
	assert_false(t.known);
	s.n = 3;
	compare_trend(&s, &t);
	assert_false(t.known);
}

/* Within: 10 in 3 degrees of freedom; between: 37.5 in 2; F's Q is (1 + 2 F/3)^-1.5. */
static void groups_are_told_from_what_is_within_them(void **state)
{
	static const double x[] = { 10, 12, 14, 16, 18, 11 }, same[] = { 3, 3, 4, 4 };
	static const uint32_t group[] = { 0, 0, 3, 3, 3, 7 }, own[] = { 0, 1, 2, 3 };
	double means[6];
	uint32_t order[6];
	struct compare_groups g;

	(void)state;
	assert_int_equal(compare_groups(x, group, 6, means, order, &g), 3);
	assert_near(means[0], 11, 0);
	assert_near(means[1], 16, 0);
	assert_near(means[2], 11, 0);
	assert_true(order[0] == 0 && order[1] == 3 && order[2] == 7);
	assert_true(g.has_within && g.has_between && g.has_p);
	assert_near(g.within_sd, sqrt(10 / 3.0), 1e-12);
	assert_near(g.between_sd, sqrt(25 / 3.0 - 10 / 3.0 * 11 / 18.0), 1e-9);
	assert_near(g.between_p, pow(4.75, -1.5), 1e-9);
	/* Means may take the place of the values. */
	memcpy(means, x, sizeof(means));
	memcpy(order, group, sizeof(order));
	assert_int_equal(compare_groups(means, order, 6, means, order, &g), 3);
	assert_true(means[1] == 16 && means[2] == 11 && order[2] == 7);
	/* One of each, one group, none that scatters: what there is. */
	assert_int_equal(compare_groups(x, own, 4, means, order, &g), 4);
	assert_false(g.has_within || g.has_between || g.has_p);
	assert_int_equal(compare_groups(x, group, 2, means, order, &g), 1);
	assert_true(g.has_within && !g.has_between && !g.has_p);
	assert_int_equal(compare_groups(same, group + 1, 1, means, order, &g), 1);
	assert_int_equal(
		compare_groups(same, (uint32_t[]){ 0, 0, 1, 1 }, 4, means, order, &g), 2);
	assert_true(g.has_between && !g.has_p);
	assert_near(g.between_sd, sqrt(0.5), 1e-12);
}

static void a_drift_of_both_sides_is_one_line(void **state)
{
	/* 1 % an order from 100 or 200 on, and not quite. */
	static const uint32_t oa[] = { 0, 3, 4, 7 }, ob[] = { 1, 2, 5, 6 };
	static const double noise[] = { 0.2, -0.2, -0.2, 0.2 };
	double a[4], b[4];
	struct compare_trend t;

	(void)state;
	for (int i = 0; i < 4; i++) {
		a[i] = 100 + (oa[i] - 3.5) + noise[i];
		b[i] = 200 + 2 * (ob[i] - 3.5) + 2 * noise[i];
	}
	compare_drift((struct compare_series[]){ ORDERED(a, oa), ORDERED(b, ob) }, 2, &t);
	assert_true(t.known);
	assert_near(t.span_pct, 7, 1e-9);
	/* t = sqrt(42 * 5 / 0.32) with 8 - 2 - 1 degrees of freedom */
	assert_near(t.p, 1.692646e-06, 1e-9);
	compare_drift((struct compare_series[]){ { a, oa, 2 }, { b, ob, 2 } }, 2, &t);
	assert_false(t.known);
}

static void pairs_take_out_drift_and_show_what_the_position_does(void **state)
{
	/* A B B A A B B A; the machine drifts by 10 an iteration, B is 5 more, and the
	 * second of each pair 2 more. */
	static const uint32_t oa[] = { 0, 3, 4, 7 }, ob[] = { 1, 2, 5, 6 };
	double a[4], b[4], noise[] = { 0.1, -0.1, 0.1, -0.1 };
	struct compare_turns t;
	uint32_t half[] = { 0, 2, 4, 6 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		a[i] = 1000 + 10 * oa[i] + 2 * (oa[i] % 2) + noise[i];
		b[i] = 1005 + 10 * ob[i] + 2 * (ob[i] % 2);
	}
	compare_turns(&ORDERED(a, oa), &ORDERED(b, ob), &t);
	assert_int_equal(t.pairs, 4);
	assert_true(t.has_paired && t.has_position);
	assert_near(t.paired_pct, 5 / 1036.0 * 100, 1e-3);
	/* 10 of the drift and 2 of its own */
	assert_near(t.position_pct, 12 / 1036.0 * 100, 0.01);
	assert_true(t.position_p < 0.001);
	assert_false(t.one_order);
	/* Not in pairs of both: nothing to say. */
	compare_turns(&ORDERED(a, half), &ORDERED(b, half), &t);
	assert_int_equal(t.pairs, 0);
	assert_false(t.has_paired || t.has_position);
}

static void a_position_is_told_when_both_sides_had_it_and_however_often(void **state)
{
	/* A B A B A B B A; the second of each pair 20 more of about 1000. */
	static const uint32_t oa[] = { 0, 2, 4, 7 }, ob[] = { 1, 3, 5, 6 };
	static const double noise[] = { 0.1, -0.1, 0.1, -0.1 };
	double a[4], b[4];
	struct compare_turns t;

	(void)state;
	for (int i = 0; i < 4; i++) {
		a[i] = 1000 + 20 * (oa[i] % 2) + noise[i];
		b[i] = 1000 + 20 * (ob[i] % 2);
	}
	compare_turns(&ORDERED(a, oa), &ORDERED(b, ob), &t);
	assert_int_equal(t.pairs, 4);
	assert_true(t.has_position && !t.one_order);
	assert_near(t.position_pct, 2, 0.03);
	assert_true(t.position_p < 0.001);
	/* Always B: it may be all of the difference. */
	compare_turns(&(struct compare_series){ a, oa, 3 },
		      &(struct compare_series){ b, ob, 3 }, &t);
	assert_int_equal(t.pairs, 3);
	assert_true(t.has_paired && t.one_order);
	assert_false(t.has_position);
}

static void holm_is_for_any_of_them(void **state)
{
	static const double p[] = { 0.01, 0.04, 0.03, 0.5 };
	double out[4];

	(void)state;
	compare_holm(p, 4, out);
	assert_near(out[0], 0.04, 1e-12);
	assert_near(out[2], 0.09, 1e-12);
	assert_near(out[1], 0.09, 1e-12);
	assert_near(out[3], 0.5, 1e-12);
	compare_holm(p, 1, out);
	assert_near(out[0], 0.01, 1e-12);
}

static void draw(struct rng *rng, double mean, double rsd, double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = mean * (1 + rsd * rng_normal(rng));
}

/* Ranks of 10 and 10 have no p between 0.0433 and 0.0524. Of 10000 comparisons the shares
 * are known to 0.2 points, so that 5 % are told from 4.33 %. */
static void equal_sides_are_told_apart_five_times_in_a_hundred(void **state)
{
	enum { RUNS = 10000, EACH = 10 };
	unsigned int welch = 0, rank = 0, missed = 0, named = 0;
	double a[EACH], b[EACH];
	struct compare c;
	struct rng rng;
	bool out[EACH];

	(void)state;
	rng_seed(&rng, 1, 0);
	for (int run = 0; run < RUNS; run++) {
		draw(&rng, 1.5e9, 0.0137, a, EACH);
		draw(&rng, 1.5e9, 0.0137, b, EACH);
		assert_int_equal(compare_series(&SERIES(a), &SERIES(b), &c, NULL), 0);
		welch += c.welch_p < 0.05;
		rank += c.rank_p < 0.05;
		missed += c.ci95_pct[0] > 0 || c.ci95_pct[1] < 0;
		named += compare_outliers(a, EACH, out) > 0;
		/* The interval and Welch's p never disagree. */
		assert_int_equal(c.welch_p<0.05, c.ci95_pct[0]> 0 || c.ci95_pct[1] < 0);
	}
	print_message("told apart: %u by Welch, %u by ranks; outliers in %u, of %d\n",
		      welch, rank, named, RUNS);
	assert_in_range(welch, RUNS * 45 / 1000, RUNS * 55 / 1000);
	assert_in_range(rank, RUNS * 38 / 1000, RUNS * 48 / 1000);
	assert_int_equal(missed, welch);
	assert_in_range(named, RUNS * 45 / 1000, RUNS * 75 / 1000);
}

static void an_effect_is_found_and_its_interval_holds_it(void **state)
{
	enum { RUNS = 1000, EACH = 10 };
	unsigned int welch = 0, rank = 0, held = 0, half = 0;
	double a[EACH], b[EACH], at = 0;
	struct compare c;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 2, 0);
	for (int run = 0; run < RUNS; run++) {
		draw(&rng, 1.5e9, 0.0137, a, EACH);
		draw(&rng, 1.5e9 * (1 - 0.092), 0.0137, b, EACH);
		assert_int_equal(compare_series(&SERIES(a), &SERIES(b), &c, NULL), 0);
		welch += c.welch_p < 0.05;
		rank += c.rank_p < 0.05;
		held += c.ci95_pct[0] <= -9.2 && c.ci95_pct[1] >= -9.2;
		at += c.detectable_pct / RUNS;
	}
	assert_int_equal(welch, RUNS);
	assert_int_equal(rank, RUNS);
	assert_in_range(held, RUNS * 935 / 1000, RUNS * 965 / 1000);
	/* "Four times out of five" of an effect that large. */
	for (int run = 0; run < RUNS; run++) {
		draw(&rng, 1.5e9, 0.0137, a, EACH);
		draw(&rng, 1.5e9 * (1 - at / 100), 0.0137, b, EACH);
		assert_int_equal(compare_series(&SERIES(a), &SERIES(b), &c, NULL), 0);
		half += c.welch_p < 0.05;
	}
	assert_in_range(half, RUNS * 76 / 100, RUNS * 86 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_differ_as_welch_and_fieller_say),
		cmocka_unit_test(ranks_without_ties_are_counted),
		cmocka_unit_test(ranks_with_ties_are_counted_too),
		cmocka_unit_test(many_ranks_are_normal_with_both_corrections),
		cmocka_unit_test(the_exact_and_the_normal_p_meet_where_both_are_good),
		cmocka_unit_test(nothing_is_told_that_cannot_be_known),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(outliers_are_those_that_rosner_names),
		cmocka_unit_test(a_trend_is_told_with_its_p),
		cmocka_unit_test(groups_are_told_from_what_is_within_them),
		cmocka_unit_test(a_drift_of_both_sides_is_one_line),
		cmocka_unit_test(pairs_take_out_drift_and_show_what_the_position_does),
		cmocka_unit_test(
			a_position_is_told_when_both_sides_had_it_and_however_often),
		cmocka_unit_test(holm_is_for_any_of_them),
		cmocka_unit_test(equal_sides_are_told_apart_five_times_in_a_hundred),
		cmocka_unit_test(an_effect_is_found_and_its_interval_holds_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
