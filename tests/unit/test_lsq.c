// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Least squares against the certified values of the NIST Statistical Reference Datasets
 * (public domain) and against small problems with known answers.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gsl/gsl_errno.h>

#include "models/lsq.h"
#include "near.h"

static void fit_reproduces_nist_noint1(void **state)
{
	double x[11], y[11];
	struct lsq_in in = { .rows = 11, .cols = 1, .x = x, .y = y };
	struct lsq f;

	(void)state;
	for (int i = 0; i < 11; i++) {
		x[i] = 60 + i;
		y[i] = 130 + i;
	}
	assert_int_equal(lsq_fit(&in, &f, NULL), 0);
	assert_digits(f.coef[0], 2.07438016528926, 13);
	assert_digits(f.se[LSQ_CLASSICAL][0], 0.165289256198347e-1, 13);
	assert_digits(f.rss, 127.272727272727, 12);
	assert_digits(1 - f.rss / f.tss0, 0.999365492298663, 14);
	lsq_free(&f);
}

static void fit_reproduces_nist_noint2(void **state)
{
	const double x[] = { 4, 5, 6 }, y[] = { 3, 4, 4 };
	struct lsq_in in = { .rows = 3, .cols = 1, .x = x, .y = y };
	struct lsq f;

	(void)state;
	assert_int_equal(lsq_fit(&in, &f, NULL), 0);
	assert_digits(f.coef[0], 0.727272727272727, 13);
	assert_digits(f.se[LSQ_CLASSICAL][0], 0.420827318078432e-1, 13);
	assert_digits(sqrt(f.rss / f.resid_dof), 0.369274472937998, 13);
	lsq_free(&f);
}

static const double norris[36][2] = {
	{ 0.1, 0.2 },	  { 338.8, 337.4 }, { 118.1, 118.2 }, { 888.0, 884.6 },
	{ 9.2, 10.1 },	  { 228.1, 226.5 }, { 668.5, 666.3 }, { 998.5, 996.3 },
	{ 449.1, 448.6 }, { 778.9, 777.0 }, { 559.2, 558.2 }, { 0.3, 0.4 },
	{ 0.1, 0.6 },	  { 778.1, 775.5 }, { 668.8, 666.9 }, { 339.3, 338.0 },
	{ 448.9, 447.5 }, { 10.8, 11.6 },   { 557.7, 556.0 }, { 228.3, 228.1 },
	{ 998.0, 995.8 }, { 888.8, 887.6 }, { 119.6, 120.2 }, { 0.3, 0.3 },
	{ 0.6, 0.3 },	  { 557.6, 556.8 }, { 339.3, 339.1 }, { 888.0, 887.2 },
	{ 998.5, 999.0 }, { 778.9, 779.0 }, { 10.2, 11.1 },   { 117.6, 118.3 },
	{ 228.9, 229.2 }, { 668.4, 669.1 }, { 449.2, 448.9 }, { 0.2, 0.5 },
};

static void fit_reproduces_nist_norris(void **state)
{
	double x[36 * 2], y[36];
	struct lsq_in in = { .rows = 36, .cols = 2, .x = x, .y = y };
	struct lsq f;

	(void)state;
	for (int i = 0; i < 36; i++) {
		x[2 * i] = 1;
		x[2 * i + 1] = norris[i][1];
		y[i] = norris[i][0];
	}
	assert_int_equal(lsq_fit(&in, &f, NULL), 0);
	assert_digits(f.coef[0], -0.262323073774029, 10);
	assert_digits(f.coef[1], 1.00211681802045, 13);
	assert_digits(f.se[LSQ_CLASSICAL][0], 0.232818234301152, 12);
	assert_digits(f.se[LSQ_CLASSICAL][1], 0.429796848199937e-3, 12);
	assert_digits(1 - f.rss / f.tss, 0.999993745883712, 14);
	assert_digits(sqrt(f.rss / f.resid_dof), 0.884796396144373, 12);
	lsq_free(&f);
}

static const double longley[16][7] = {
	{ 60323, 83.0, 234289, 2356, 1590, 107608, 1947 },
	{ 61122, 88.5, 259426, 2325, 1456, 108632, 1948 },
	{ 60171, 88.2, 258054, 3682, 1616, 109773, 1949 },
	{ 61187, 89.5, 284599, 3351, 1650, 110929, 1950 },
	{ 63221, 96.2, 328975, 2099, 3099, 112075, 1951 },
	{ 63639, 98.1, 346999, 1932, 3594, 113270, 1952 },
	{ 64989, 99.0, 365385, 1870, 3547, 115094, 1953 },
	{ 63761, 100.0, 363112, 3578, 3350, 116219, 1954 },
	{ 66019, 101.2, 397469, 2904, 3048, 117388, 1955 },
	{ 67857, 104.6, 419180, 2822, 2857, 118734, 1956 },
	{ 68169, 108.4, 442769, 2936, 2798, 120445, 1957 },
	{ 66513, 110.8, 444546, 4681, 2637, 121950, 1958 },
	{ 68655, 112.6, 482704, 3813, 2552, 123366, 1959 },
	{ 69564, 114.2, 502601, 3931, 2514, 125368, 1960 },
	{ 69331, 115.7, 518173, 4806, 2572, 127852, 1961 },
	{ 70551, 116.9, 554894, 4007, 2827, 130081, 1962 },
};

static void fit_reproduces_nist_longley(void **state)
{
	static const double coef[] = { -3482258.63459582,     15.0618722713733,
				       -0.358191792925910e-1, -2.02022980381683,
				       -1.03322686717359,     -0.511041056535807e-1,
				       1829.15146461355 };
	static const double se[] = { 890420.383607373,	   84.9149257747669,
				     0.334910077722432e-1, 0.488399681651699,
				     0.214274163161675,	   0.226073200069370,
				     455.478499142212 };
	double x[16 * 7], y[16];
	struct lsq_in in = { .rows = 16, .cols = 7, .x = x, .y = y };
	struct lsq f;

	(void)state;
	for (int i = 0; i < 16; i++) {
		y[i] = longley[i][0];
		x[7 * i] = 1;
		for (int j = 1; j < 7; j++)
			x[7 * i + j] = longley[i][j];
	}
	assert_int_equal(lsq_fit(&in, &f, NULL), 0);
	for (int j = 0; j < 7; j++) {
		assert_digits(f.coef[j], coef[j], 9);
		assert_digits(f.se[LSQ_CLASSICAL][j], se[j], 9);
	}
	assert_digits(f.rss, 836424.055505915, 10);
	assert_digits(sqrt(f.rss / f.resid_dof), 304.854073561965, 10);
	assert_digits(1 - f.rss / f.tss, 0.995479004577296, 12);
	lsq_free(&f);
}

static void one_operating_point_has_rank_1_of_2(void **state)
{
	const double x[] = { 640, 1, 640, 1, 640, 1 }, y[] = { 212000, 213100, 211600 };
	struct lsq_in in = { .rows = 3, .cols = 2, .x = x, .y = y };
	struct lsq f;
	struct err err;

	(void)state;
	assert_int_equal(lsq_fit(&in, &f, &err), -EDOM);
	assert_string_equal(err.msg, "rank 1 of 2");
	assert_int_equal(f.rank, 1);
	lsq_free(&f);
}

static void fewer_rows_than_columns_are_refused(void **state)
{
	const double x[] = { 640, 1 }, y[] = { 212000 };
	struct lsq_in in = { .rows = 1, .cols = 2, .x = x, .y = y };
	struct lsq f;
	struct err err;

	(void)state;
	assert_int_equal(lsq_fit(&in, &f, &err), -EDOM);
	assert_string_equal(err.msg, "rank 1 of 2");
	in.rows = 0;
	assert_int_equal(lsq_fit(&in, &f, &err), -EDOM);
	assert_string_equal(err.msg, "rank 0 of 2");
	lsq_free(&f);
}

static void infinite_values_and_bad_weights_are_refused(void **state)
{
	double x[] = { 1, 2, 3 }, y[] = { 1, 2, NAN }, w[] = { 1, 1, 1 };
	struct lsq_in in = { .rows = 3, .cols = 1, .x = x, .y = y, .weight = w };
	struct lsq f;
	struct err err;

	(void)state;
	assert_int_equal(lsq_fit(&in, &f, &err), -EINVAL);
	assert_string_equal(err.msg, "value 3 is not finite");
	y[2] = 3;
	w[1] = 0;
	assert_int_equal(lsq_fit(&in, &f, &err), -EINVAL);
	assert_string_equal(err.msg, "weight 2 is not positive");
	w[1] = 1;
	x[0] = INFINITY;
	assert_int_equal(lsq_fit(&in, &f, &err), -EINVAL);
	assert_string_equal(err.msg, "row 1 of the design is not finite");
	in.cols = LSQ_MAX_COLS + 1;
	assert_int_equal(lsq_fit(&in, &f, &err), -E2BIG);
}

/* Uneven weights, so that the means that are taken out must be weighted ones. */
static const double gx[] = { 1, 2, 4, 1, 3, 5, 2, 6, 7 };
static const double gy[] = { 10, 13, 16, 31, 36, 43, -4, 6, 11 };
static const double gw[] = { 1, 2, 1, 3, 1, 1, 2, 2, 1 };
static const unsigned int gg[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2 };

static void group_intercepts_equal_columns_of_their_own(void **state)
{
	double x[9 * 4] = { 0 };
	struct lsq_in groups = { .rows = 9,
				 .cols = 1,
				 .x = gx,
				 .y = gy,
				 .weight = gw,
				 .group = gg,
				 .groups = 3 };
	struct lsq_in columns = { .rows = 9, .cols = 4, .x = x, .y = gy, .weight = gw };
	struct lsq a, b;

	(void)state;
	for (int i = 0; i < 9; i++) {
		x[4 * i] = gx[i];
		x[4 * i + 1 + gg[i]] = 1;
	}
	assert_int_equal(lsq_fit(&groups, &a, NULL), 0);
	assert_int_equal(lsq_fit(&columns, &b, NULL), 0);
	assert_digits(a.coef[0], b.coef[0], 13);
	assert_digits(a.se[LSQ_CLASSICAL][0], b.se[LSQ_CLASSICAL][0], 12);
	assert_digits(a.se[LSQ_HC3][0], b.se[LSQ_HC3][0], 12);
	assert_digits(a.rss, b.rss, 12);
	assert_true(a.resid_dof == 5);
	for (int i = 0; i < 9; i++) {
		assert_digits(a.fitted[i], b.fitted[i], 12);
		assert_digits(a.leverage[i], b.leverage[i], 12);
	}
	lsq_free(&a);
	lsq_free(&b);
}

static void a_column_that_is_constant_in_every_group_has_no_rank(void **state)
{
	double x[9 * 2];
	struct lsq_in in = {
		.rows = 9, .cols = 2, .x = x, .y = gy, .group = gg, .groups = 3
	};
	struct lsq f;
	struct err err;

	(void)state;
	for (int i = 0; i < 9; i++) {
		x[2 * i] = gx[i];
		x[2 * i + 1] = 0.1 * (gg[i] + 1) * 3;
	}
	assert_int_equal(lsq_fit(&in, &f, &err), -EDOM);
	assert_string_equal(err.msg, "rank 1 of 2");
	lsq_free(&f);
}

/* Left out for real, against the residuals computed without refitting. */
static void leaving_a_cluster_out_needs_no_refit(void **state)
{
	static const unsigned int cluster[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2 };
	double x[9 * 2], rest_x[6 * 2], rest_y[6];
	struct lsq_in in = {
		.rows = 9, .cols = 2, .x = x, .y = gy, .cluster = cluster, .clusters = 3
	};
	struct lsq_in rest = { .rows = 6, .cols = 2, .x = rest_x, .y = rest_y };
	struct lsq all, f;
	int n = 0;

	(void)state;
	for (int i = 0; i < 9; i++) {
		x[2 * i] = gx[i];
		x[2 * i + 1] = 1;
		if (cluster[i] == 1)
			continue;
		rest_x[2 * n] = gx[i];
		rest_x[2 * n + 1] = 1;
		rest_y[n++] = gy[i];
	}
	assert_int_equal(lsq_fit(&in, &all, NULL), 0);
	assert_int_equal(lsq_fit(&rest, &f, NULL), 0);
	for (int i = 3; i < 6; i++)
		assert_digits(all.loo[i], gy[i] - f.coef[0] * gx[i] - f.coef[1], 11);
	lsq_free(&all);
	lsq_free(&f);
}

/*
 * For a mean, with clusters of equal size m, CR2 is the textbook variance of the cluster
 * means, with clusters - 1 degrees of freedom.
 */
static void clustered_errors_of_a_mean_are_those_of_the_cluster_means(void **state)
{
	static const unsigned int cluster[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2 };
	const double ones[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	struct lsq_in in = { .rows = 9,
			     .cols = 1,
			     .x = ones,
			     .y = gy,
			     .cluster = cluster,
			     .clusters = 3 };
	double mean[3] = { 13, 110 / 3.0, 13 / 3.0 }, m = 0, var = 0;
	struct lsq f;

	(void)state;
	for (int i = 0; i < 3; i++)
		m += mean[i] / 3;
	for (int i = 0; i < 3; i++)
		var += (mean[i] - m) * (mean[i] - m) / 2 / 3;
	assert_int_equal(lsq_fit(&in, &f, NULL), 0);
	assert_digits(f.coef[0], m, 13);
	assert_digits(f.se[LSQ_CLUSTERED][0], sqrt(var), 12);
	assert_digits(f.dof[LSQ_CLUSTERED][0], 2, 10);
	lsq_free(&f);
}

static void exact_data_leave_no_error(void **state)
{
	const double x[] = { 384, 1, 729, 1, 1200, 1, 1815, 1 };
	const double y[] = { 104460, 170010, 259500, 376350 };
	struct lsq_in in = { .rows = 4, .cols = 2, .x = x, .y = y };
	struct lsq f;

	(void)state;
	assert_int_equal(lsq_fit(&in, &f, NULL), 0);
	assert_digits(f.coef[0], 190, 12);
	assert_digits(f.coef[1], 31500, 12);
	assert_true(f.se[LSQ_HC3][0] < 1e-6);
	lsq_free(&f);
}

static void as_many_rows_as_columns_have_no_standard_error(void **state)
{
	const double x[] = { 384, 1, 729, 1 }, y[] = { 104460, 170010 };
	struct lsq_in in = { .rows = 2, .cols = 2, .x = x, .y = y };
	struct lsq f;

	(void)state;
	assert_int_equal(lsq_fit(&in, &f, NULL), 0);
	assert_digits(f.coef[0], 190, 12);
	assert_true(isnan(f.se[LSQ_CLASSICAL][0]));
	assert_true(isnan(f.se[LSQ_HC3][0]));
	lsq_free(&f);
}

static void gsl_error_handler_is_left_as_it_was(void **state)
{
	const double x[] = { 1, 1 }, y[] = { 1, 2 };
	struct lsq_in in = { .rows = 2, .cols = 1, .x = x, .y = y };
	gsl_error_handler_t *before = gsl_set_error_handler(NULL), *after;
	struct lsq f;

	(void)state;
	gsl_set_error_handler(before);
	assert_int_equal(lsq_fit(&in, &f, NULL), 0);
	after = gsl_set_error_handler(before);
	assert_ptr_equal(after, before);
	lsq_free(&f);
}

static void t_quantiles_are_right(void **state)
{
	(void)state;
	assert_digits(lsq_t975(1), 12.7062047361747, 10);
	assert_digits(lsq_t975(10), 2.22813885198627, 10);
	assert_digits(lsq_t975(1e9), 1.95996398454005, 7);
	assert_true(isinf(lsq_t975(0)));
	assert_true(isinf(lsq_t975(NAN)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fit_reproduces_nist_noint1),
		cmocka_unit_test(fit_reproduces_nist_noint2),
		cmocka_unit_test(fit_reproduces_nist_norris),
		cmocka_unit_test(fit_reproduces_nist_longley),
		cmocka_unit_test(one_operating_point_has_rank_1_of_2),
		cmocka_unit_test(fewer_rows_than_columns_are_refused),
		cmocka_unit_test(infinite_values_and_bad_weights_are_refused),
		cmocka_unit_test(group_intercepts_equal_columns_of_their_own),
		cmocka_unit_test(a_column_that_is_constant_in_every_group_has_no_rank),
		cmocka_unit_test(leaving_a_cluster_out_needs_no_refit),
		cmocka_unit_test(
			clustered_errors_of_a_mean_are_those_of_the_cluster_means),
		cmocka_unit_test(exact_data_leave_no_error),
		cmocka_unit_test(as_many_rows_as_columns_have_no_standard_error),
		cmocka_unit_test(gsl_error_handler_is_left_as_it_was),
		cmocka_unit_test(t_quantiles_are_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
