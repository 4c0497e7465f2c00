// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A power curve between measurement and model, that rises.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "models/curve.h"

#define POINTS 16

/* Points of @error about a truth that is off the model by @off every second time. */
static void make_points(struct curve_point *p, double off, double error, gsl_rng *rng)
{
	for (int i = 0; i < POINTS; i++)
		p[i] = (struct curve_point){
			.model_uw = 1e4 * (i + 1),
			.ratio = 1 + (i % 2 ? off : -off) + gsl_ran_gaussian(rng, error),
			.se = error,
		};
}

static double truth(int i, double off)
{
	return 1e4 * (i + 1) * (1 + (i % 2 ? off : -off));
}

static void noise_is_drawn_to_the_model(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct curve_point p[POINTS];
	double far = 0, raw = 0;
	struct curve c;
	int n, i;

	(void)state;
	for (n = 0; n < 100; n++) {
		make_points(p, 0, 0.02, rng);
		curve_smooth(p, POINTS, 0.001, &c);
		for (i = 0; i < POINTS; i++) {
			far += pow(p[i].smooth_uw / truth(i, 0) - 1, 2);
			raw += pow(p[i].ratio - 1, 2);
		}
	}
	gsl_rng_free(rng);
	assert_true(far < 0.15 * raw);
}

static void what_the_model_does_not_tell_stays_as_measured(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct curve_point p[POINTS];
	struct curve c;
	int i;

	(void)state;
	make_points(p, 0.02, 0.001, rng);
	/* Not measured: the model's. */
	p[5].se = 0;
	curve_smooth(p, POINTS, 0.001, &c);
	gsl_rng_free(rng);
	assert_true(c.spread > 0.015 && c.spread < 0.03);
	assert_int_equal(c.pooled, 0);
	for (i = 0; i < POINTS; i++) {
		double want = i == 5 ? p[i].model_uw : truth(i, 0.02);

		assert_true(fabs(p[i].smooth_uw / want - 1) < 0.004);
		assert_false(p[i].pooled);
	}
}

static void values_that_fall_are_pooled_by_weight(void **state)
{
	double v[] = { 1, 4, 2, 3, 9, 8 }, w[] = { 1, 1, 1, 2, 3, 1 };
	const double want[] = { 1, 3, 3, 3, 8.75, 8.75 };
	bool pooled[6];

	(void)state;
	/* 4, 2, 3 with weights 1, 1, 2: 3; the last of them stays what it was. */
	assert_int_equal(curve_rise(v, w, 6, pooled), 4);
	for (int i = 0; i < 6; i++)
		assert_true(fabs(v[i] - want[i]) < 1e-12);
	assert_true(!pooled[0] && pooled[1] && pooled[2] && !pooled[3] && pooled[5]);
	/* What rises already stays bit for bit. */
	assert_int_equal(curve_rise(v, w, 6, NULL), 0);
	assert_int_equal(curve_rise(v, w, 0, NULL), 0);
}

static void a_curve_never_falls(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct curve_point p[POINTS];
	unsigned int pooled = 0;
	struct curve c;

	(void)state;
	for (int n = 0; n < 200; n++) {
		make_points(p, 0.2, 0.05, rng);
		curve_smooth(p, POINTS, 0, &c);
		pooled += c.pooled;
		for (int i = 1; i < POINTS; i++)
			assert_true(p[i].smooth_uw >= p[i - 1].smooth_uw);
	}
	gsl_rng_free(rng);
	assert_true(pooled > 200);
}

static void nothing_measured_gives_the_model(void **state)
{
	struct curve_point p[2] = { { .model_uw = 5 }, { .model_uw = 7 } };
	struct curve c;

	(void)state;
	curve_smooth(p, 2, NAN, &c);
	assert_true(p[0].smooth_uw == 5 && p[1].smooth_uw == 7);
	assert_true(c.spread == 0 && c.pooled == 0);
	curve_smooth(p, 0, 0, &c);
	assert_true(c.spread == 0 && c.pooled == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_is_drawn_to_the_model),
		cmocka_unit_test(what_the_model_does_not_tell_stays_as_measured),
		cmocka_unit_test(values_that_fall_are_pooled_by_weight),
		cmocka_unit_test(a_curve_never_falls),
		cmocka_unit_test(nothing_measured_gives_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
