// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Diagnostics, robust estimates and the wild bootstrap against small problems worked out
 * by hand or by another formula, and Longley's data.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "models/bootstrap.h"
#include "models/diagnose.h"
#include "models/robust.h"
#include "tests/bench/coverage.h"
#include "near.h"

/* A problem of x and a constant (or of x alone), every row an operating point. */
static void make_line(struct power_problem *p, const double *x, const double *y, size_t n,
		      bool constant)
{
	unsigned int cols = constant ? 2 : 1;

	assert_int_equal(problem_alloc(p, n, cols), 0);
	for (size_t i = 0; i < n; i++) {
		p->x[i * cols] = x[i];
		if (constant)
			p->x[i * cols + 1] = 1;
		p->y[i] = y[i];
		p->w[i] = 1;
		p->busy[i] = 1;
		p->count[i] = 1;
		p->fv2[i] = x[i];
		p->celsius[i] = NAN;
		p->group[i] = p->opp[i] = p->sample[i] = i;
	}
	p->constant = constant ? 1 : -1;
	p->groups = p->opps = n;
}

static void run(const struct power_problem *p, struct diagnose *g)
{
	static const struct power_data none;
	struct power_fit f = { .se = 1, .dof = 5 };
	struct lsq l;

	assert_int_equal(problem_solve(p, NULL, &l, NULL), 0);
	f.c = l.coef[0];
	lsq_free(&l);
	assert_int_equal(diagnose_run(&none, &f, p, g, NULL), 0);
}

static bool left_out(const struct diagnose *g, const char *text)
{
	for (unsigned int i = 0; i < g->left_out_count; i++)
		if (strstr(g->left_out[i], text))
			return true;
	return false;
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

static void make_longley(struct power_problem *p)
{
	assert_int_equal(problem_alloc(p, 16, 7), 0);
	for (int i = 0; i < 16; i++) {
		for (int j = 0; j < 6; j++)
			p->x[7 * i + j] = longley[i][j + 1];
		p->x[7 * i + 6] = 1;
		p->y[i] = longley[i][0];
		p->w[i] = 1;
		p->fv2[i] = longley[i][1];
		p->celsius[i] = NAN;
		p->group[i] = p->opp[i] = p->sample[i] = i;
	}
	p->constant = 6;
	p->groups = p->opps = 16;
}

/* As published with the data in many textbooks. */
static void longley_has_the_variance_inflation_it_is_known_for(void **state)
{
	static const double vif[] = { 135.53, 1788.51, 33.62, 3.59, 399.15, 758.98 };
	struct power_problem p;
	struct diagnose g;

	(void)state;
	make_longley(&p);
	run(&p, &g);
	for (int j = 0; j < 6; j++)
		assert_near(g.vif[j], vif[j], 0.005);
	assert_true(isnan(g.vif[6]));
	assert_near(g.r2_centred, 0.995479004577296, 1e-12);
	assert_near(g.se[LSQ_CLASSICAL], 84.9149257747669, 1e-6);
	diagnose_free(&g);
	problem_free(&p);
}

/* What a row does, by leaving it out and fitting again. */
static void without(const struct power_problem *p, const struct lsq *all, size_t row,
		    double *cook, double *student)
{
	struct problem_change c = { .skip = -1, .without = row };
	double own = 0, shift = 0, var = 0;
	const double *x = &p->x[row * p->cols];
	struct lsq l;

	assert_int_equal(problem_solve(p, &c, &l, NULL), 0);
	for (size_t i = 0; i < p->n; i++) {
		double fit = 0;

		for (unsigned int j = 0; j < p->cols; j++)
			fit += l.coef[j] * p->x[i * p->cols + j];
		shift += pow(fit - all->fitted[i], 2);
		if (i == row)
			own = fit;
	}
	for (unsigned int j = 0; j < p->cols; j++)
		for (unsigned int k = 0; k < p->cols; k++)
			var += x[j] * l.cov[LSQ_CLASSICAL][j][k] * x[k];
	var += l.rss / l.resid_dof;
	*cook = shift / (p->cols * all->rss / all->resid_dof);
	*student = (p->y[row] - own) / sqrt(var);
	lsq_free(&l);
}

static void influence_is_what_leaving_rows_out_does(void **state)
{
	double cook, student, max_cook = 0, max_student = 0;
	size_t cook_row = 0, student_row = 0;
	struct power_problem p;
	struct diagnose g;
	struct lsq l;

	(void)state;
	make_longley(&p);
	run(&p, &g);
	assert_int_equal(problem_solve(&p, NULL, &l, NULL), 0);
	for (size_t i = 0; i < p.n; i++) {
		without(&p, &l, i, &cook, &student);
		if (cook > max_cook) {
			max_cook = cook;
			cook_row = i;
		}
		if (fabs(student) > fabs(max_student)) {
			max_student = student;
			student_row = i;
		}
	}
	assert_near(g.cook.value, max_cook, 1e-5 * max_cook);
	assert_int_equal(g.cook.sample, cook_row);
	assert_near(g.student.value, max_student, 1e-5);
	assert_int_equal(g.student.sample, student_row);
	assert_near(g.mean_leverage, 7.0 / 16, 1e-12);
	lsq_free(&l);
	diagnose_free(&g);
	problem_free(&p);
}

/* In the middle 1/n + 0, at the end 1/n + (x - mean)^2 / Sxx. */
static void leverage_of_a_line_is_known(void **state)
{
	const double x[] = { 1, 2, 3, 4, 10 }, y[] = { 1.1, 1.9, 3.2, 3.9, 10.1 };
	struct power_problem p;
	struct diagnose g;

	(void)state;
	make_line(&p, x, y, 5, true);
	run(&p, &g);
	assert_near(g.leverage.value, 1.0 / 5 + 36.0 / 50, 1e-12);
	assert_int_equal(g.leverage.sample, 4);
	diagnose_free(&g);
	problem_free(&p);
}

/*
 * Means 2, 5, 5 of two each; pure error 0.5 + 0.5 + 2 with 3 degrees of freedom. The line
 * 4 + 1.5 (x - 2) leaves (2 - 2.5)^2, (5 - 4)^2, (5 - 5.5)^2 twice: 3 with 1.
 */
static const double lack_x[] = { 1, 1, 2, 2, 3, 3 };
static const double lack_y[] = { 1.5, 2.5, 4.5, 5.5, 4, 6 };

static void make_repeats(struct power_problem *p, const double *y)
{
	make_line(p, lack_x, y, 6, true);
	for (int i = 0; i < 6; i++)
		p->group[i] = p->opp[i] = i / 2;
	p->groups = p->opps = 3;
}

static void lack_of_fit_is_that_of_the_cells_means(void **state)
{
	struct power_problem p;
	struct diagnose g;

	(void)state;
	make_repeats(&p, lack_y);
	run(&p, &g);
	assert_near(g.lack_f, 3 / 1.0 / (3 / 3.0), 1e-9);
	assert_near(g.lack_dof[0], 1, 0);
	assert_near(g.lack_dof[1], 3, 0);
	/* F(1, 3) beyond 3 is t(3) beyond sqrt(3) to either side. */
	assert_near(g.lack_probability, 0.181690, 1e-6);
	diagnose_free(&g);
	problem_free(&p);
}

static void lack_of_fit_needs_repeated_windows(void **state)
{
	const double x[] = { 1, 2, 3, 4 }, y[] = { 1.1, 1.9, 3.2, 3.9 };
	struct power_problem p;
	struct diagnose g;

	(void)state;
	make_line(&p, x, y, 4, true);
	run(&p, &g);
	assert_true(isnan(g.lack_f));
	assert_true(left_out(&g, "lack of fit: no window was repeated"));
	assert_true(left_out(&g, "drift with temperature: it was not measured"));
	diagnose_free(&g);
	problem_free(&p);
}

static void a_perfect_fit_has_no_influence_and_no_nan_without_reason(void **state)
{
	const double x[] = { 1, 2, 3, 4 }, y[] = { 3, 5, 7, 9 };
	struct power_problem p;
	struct diagnose g;

	(void)state;
	make_line(&p, x, y, 4, true);
	run(&p, &g);
	assert_near(g.r2_centred, 1, 1e-12);
	assert_true(isnan(g.cook.value) && isnan(g.student.value));
	assert_true(
		left_out(&g, "Cook's distance, studentised residuals: no row is off"));
	assert_near(g.theil_sen, 2, 1e-12);
	diagnose_free(&g);
	problem_free(&p);
}

static void drift_over_the_run_is_found_and_told_from_none(void **state)
{
	const double x[] = { 5, 1, 4, 2, 6, 3, 5, 1, 4, 2, 6, 3 };
	const double noise[] = { 1, -1, -1, 1, 1, -1, -1, 1, -1, 1, -1, 1 };
	double y[12];
	struct power_problem p;
	struct diagnose g;

	(void)state;
	for (int drifts = 0; drifts < 2; drifts++) {
		for (int i = 0; i < 12; i++)
			y[i] = 200 * x[i] + 40 + noise[i] + drifts * 110 * i / 11.0;
		make_line(&p, x, y, 12, true);
		run(&p, &g);
		if (drifts) {
			assert_near(g.order.value, 110, 4);
			assert_true(g.order.probability < 1e-6);
		} else {
			assert_true(fabs(g.order.value) < 3);
			assert_true(g.order.probability > 0.1);
		}
		diagnose_free(&g);
		problem_free(&p);
	}
}

static void heat_and_a_c_that_changes_are_found(void **state)
{
	const double x[] = { 5, 1, 4, 2, 6, 3, 5, 1, 4, 2, 6, 3 };
	const double kelvin[] = { 0, 3, 1, 2, 0, 3, 1, 2, 0, 3, 1, 2 };
	double y[12];
	struct power_problem p;
	struct diagnose g;

	(void)state;
	for (int i = 0; i < 12; i++)
		y[i] = 200 * x[i] + 8 * x[i] * (x[i] - 1) + 7 * kelvin[i];
	make_line(&p, x, y, 12, true);
	memcpy(p.celsius, kelvin, sizeof(kelvin));
	/* A little noise, or there would be no error to compare with. */
	for (int i = 0; i < 12; i++)
		p.y[i] += i % 3 - 1;
	run(&p, &g);
	/* 8 from x = 1 on, over 5 of them. */
	assert_near(g.slope.value, 40, 8);
	assert_true(g.slope.probability < 0.01);
	assert_true(isfinite(g.heat.value));
	diagnose_free(&g);
	problem_free(&p);
}

/* 15 slopes: with weights of their run 10 of 35 are of the wild row. */
static void theil_sen_is_the_weighted_median_of_slopes(void **state)
{
	const double x[] = { 1, 2, 3, 4, 5, 6 }, y[] = { 2, 4, 60, 8, 10, 12 };
	const double origin[] = { 300, 420, 600, 1000, 990, 1200 };
	const double none = 0;
	double coef[2] = { 0, none };
	struct power_problem p;

	(void)state;
	make_line(&p, x, y, 6, true);
	assert_near(robust_theil_sen(&p, coef), 2, 1e-12);
	problem_free(&p);
	/* Through the origin: 300, 210, 200, 250, 198, 200 with weights 1 .. 6. */
	make_line(&p, x, origin, 6, false);
	assert_near(robust_theil_sen(&p, coef), 200, 1e-12);
	problem_free(&p);
}

static void m_estimates_do_not_follow_a_wild_row(void **state)
{
	const double noise[] = { 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1 };
	double x[12], y[12];
	struct power_problem p;
	struct lsq l;

	(void)state;
	for (int i = 0; i < 12; i++) {
		x[i] = i + 1;
		y[i] = 200 * x[i] + 40 + noise[i];
	}
	y[11] += 800;
	make_line(&p, x, y, 12, true);
	assert_int_equal(problem_solve(&p, NULL, &l, NULL), 0);
	assert_true(l.coef[0] > 225);
	assert_near(robust_m_estimate(&p, ROBUST_BISQUARE, NULL), 200, 0.5);
	assert_near(robust_m_estimate(&p, ROBUST_HUBER, NULL), 200, 2);
	lsq_free(&l);
	problem_free(&p);
	make_line(&p, x, y, 3, true);
	assert_true(isnan(robust_m_estimate(&p, ROBUST_HUBER, NULL)));
	problem_free(&p);
}

/* @groups visits with 5 rows each, a common offset and noise. */
static void make_visits(struct power_problem *p, unsigned int groups, gsl_rng *rng)
{
	assert_int_equal(problem_alloc(p, 5 * groups, 2), 0);
	for (unsigned int i = 0; i < 5 * groups; i++) {
		unsigned int g = i / 5;

		p->x[2 * i] = i % 5 + g % 3;
		p->x[2 * i + 1] = 1;
		p->y[i] = 200 * p->x[2 * i] + 40 + gsl_ran_gaussian(rng, 1);
		p->w[i] = 1;
		p->group[i] = p->opp[i] = g;
		p->sample[i] = i;
		p->fv2[i] = 1 + g;
		p->celsius[i] = NAN;
	}
	p->constant = 1;
	p->groups = p->opps = groups;
}

static void the_wild_bootstrap_agrees_with_t_where_visits_are_many(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double first[2], ci[2], half;
	struct power_problem p;
	struct lsq l;

	(void)state;
	make_visits(&p, 40, rng);
	assert_int_equal(bootstrap_ci95(&p, first), 0);
	assert_int_equal(bootstrap_ci95(&p, ci), 0);
	assert_memory_equal(first, ci, sizeof(ci));
	assert_int_equal(problem_solve(&p, NULL, &l, NULL), 0);
	half = lsq_t975(l.dof[LSQ_CLUSTERED][0]) * l.se[LSQ_CLUSTERED][0];
	assert_near(ci[0], l.coef[0] - half, 0.15 * half);
	assert_near(ci[1], l.coef[0] + half, 0.15 * half);
	lsq_free(&l);
	problem_free(&p);
	make_visits(&p, 2, rng);
	assert_int_equal(bootstrap_ci95(&p, ci), -EDOM);
	problem_free(&p);
	gsl_rng_free(rng);
}

/* Of a second run of the same cluster, as warm: one busy CPU above idle, by visit. */
static void count_predicted(const struct diagnose *g, const struct sample *rows, size_t n,
			    const struct power_data *d, unsigned int *in,
			    unsigned int *all)
{
	for (size_t i = 0; i + 1 < n; i++) {
		const struct sample *idle = &rows[i], *busy = &rows[i + 1];
		const struct diagnose_opp *o = NULL;
		double uw;

		if (idle->cpu_count || busy->cpu_count != 1)
			continue;
		for (unsigned int k = 0; k < d->opp_count; k++)
			if (d->opp_khz[k] == busy->opp_khz)
				o = &g->opps[k];
		assert_non_null(o);
		uw = 100 * (busy->power_uw - idle->power_uw) /
		     (busy->util_pct - idle->util_pct);
		*in += o->low_uw <= uw && uw <= o->high_uw;
		(*all)++;
	}
}

static void prediction_intervals_hold_new_measurements(void **state)
{
	const unsigned int effects = COV_DROOP | COV_DRIFT;
	const struct power_select sel = { .cluster = "x", .volt_measured = true };
	static struct sample rows[COV_MAX_ROWS], again[COV_MAX_ROWS];
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	unsigned int in = 0, all = 0;

	(void)state;
	for (int i = 0; i < 16; i++) {
		struct cov_cluster k = cov_cluster(i % 2);
		size_t n = cov_generate(&k, effects, rng, rows);
		struct power_problem p;
		struct power_data d;
		struct power_fit f;
		struct diagnose g;

		cov_generate(&k, effects, rng, again);
		assert_int_equal(power_data_init(&d, rows, n, &sel, NULL), 0);
		assert_int_equal(
			power_fit_keep(power_method_find("structured"), &d, &f, &p, NULL),
			0);
		assert_int_equal(diagnose_run(&d, &f, &p, &g, NULL), 0);
		count_predicted(&g, again, n, &d, &in, &all);
		diagnose_free(&g);
		problem_free(&p);
		power_data_free(&d);
	}
	gsl_rng_free(rng);
	assert_true(in > 0.92 * all && in < 0.98 * all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longley_has_the_variance_inflation_it_is_known_for),
		cmocka_unit_test(influence_is_what_leaving_rows_out_does),
		cmocka_unit_test(leverage_of_a_line_is_known),
		cmocka_unit_test(lack_of_fit_is_that_of_the_cells_means),
		cmocka_unit_test(lack_of_fit_needs_repeated_windows),
		cmocka_unit_test(
			a_perfect_fit_has_no_influence_and_no_nan_without_reason),
		cmocka_unit_test(drift_over_the_run_is_found_and_told_from_none),
		cmocka_unit_test(heat_and_a_c_that_changes_are_found),
		cmocka_unit_test(theil_sen_is_the_weighted_median_of_slopes),
		cmocka_unit_test(m_estimates_do_not_follow_a_wild_row),
		cmocka_unit_test(the_wild_bootstrap_agrees_with_t_where_visits_are_many),
		cmocka_unit_test(prediction_intervals_hold_new_measurements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
