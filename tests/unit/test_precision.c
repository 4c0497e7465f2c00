// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a run has measured enough: stopping must not favour intervals that are narrow by
 * chance.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "boards/rng.h"
#include "calib/measure/precision.h"
#include "models/power.h"

#define C	     130.0
#define OPPS	     6
#define ROUNDS	     3
#define LEAST	     (2 * OPPS) /* visits */
#define CALIBRATIONS 10000

static const struct plan plan = { .visit_count = ROUNDS * OPPS,
				  .count = 2 * ROUNDS * OPPS,
				  .loads = { "int" },
				  .load_count = 1 };

/* Of a cluster of one CPU, idle and busy. What idle CPUs do is known to @busy_sd of one.
 */
static void visit(struct precision *p, struct rng *rng, unsigned int number,
		  double busy_sd)
{
	static const double mhz[OPPS] = { 200, 400, 600, 800, 1100, 1400 };
	static const double volt[OPPS] = { 0.9, 0.9, 0.925, 0.975, 1.075, 1.2 };
	/* Not in the same order in each round, and so that visits can be told apart. */
	unsigned int opp = (number * 5 + number / OPPS) % OPPS;
	double cfv2_uw = C * mhz[opp] * volt[opp] * volt[opp];

	for (unsigned int count = 0; count < 2; count++) {
		struct sample s = { .cluster = "little",
				    .time_ns = 1 + 2 * number + count,
				    .opp_khz = mhz[opp] * 1000,
				    .freq_khz = mhz[opp] * 1000,
				    .volt_uv = lround(volt[opp] * 1e6),
				    .cpu_count = count,
				    .util_pct = 100 * count,
				    .temp_mc = SAMPLE_TEMP_UNKNOWN,
				    .reads = 6 };
		double busy = count ? 1 : busy_sd * rng_normal(rng);

		strcpy(s.load, count ? "int" : "idle");
		s.power_uw = llround(30000 + cfv2_uw * (0.3 + busy));
		assert_int_equal(precision_add(p, &s, NULL), 0);
	}
}

/* As the runner does it. Returns the visits that were made. */
static unsigned int run(struct precision *p, struct rng *rng, double busy_sd)
{
	for (unsigned int n = 0; n < ROUNDS * OPPS; n++) {
		if (n >= LEAST && precision_reached(p, &plan, n))
			return n;
		visit(p, rng, n, busy_sd);
	}
	return ROUNDS * OPPS;
}

static bool held(const struct precision *p)
{
	const struct power_select sel = { .cluster = "little", .load = "int" };
	const struct power_method *method;
	struct power_data d;
	struct power_fit f;
	char why[256];

	assert_int_equal(power_data_init(&d, p->rows, p->count, &sel, NULL), 0);
	assert_int_equal(power_choose(&d, &method, why, sizeof(why), NULL), 0);
	assert_int_equal(power_fit_with(method, &d, &f, NULL), 0);
	power_data_free(&d);
	return f.ci95[0] <= C && C <= f.ci95[1];
}

static void intervals_of_runs_that_stop_early_hold_the_truth(void **state)
{
	unsigned int hold = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1, 0);
	for (unsigned int i = 0; i < CALIBRATIONS; i++) {
		struct precision p = { .target = 0.01, .cluster = "little" };

		run(&p, &rng, 0.012);
		hold += held(&p);
		precision_free(&p);
	}
	print_message("# held in %.1f %% of %d\n", 100.0 * hold / CALIBRATIONS,
		      CALIBRATIONS);
	assert_true(hold >= 0.945 * CALIBRATIONS);
}

static void one_narrow_interval_of_few_degrees_of_freedom_is_not_enough(void **state)
{
	struct precision p = { .target = 0.01, .cluster = "little" };
	struct rng rng;
	unsigned int n;

	(void)state;
	rng_seed(&rng, 1, 0);
	for (n = 0; n < LEAST; n++)
		visit(&p, &rng, n, 1e-4);
	assert_false(precision_reached(&p, &plan, n));
	assert_int_equal(precision_missing(&p), 0);
	assert_true(p.half < p.target && p.dof < 4);
	for (; n < LEAST * 3 / 2; n++) {
		assert_false(precision_reached(&p, &plan, n));
		visit(&p, &rng, n, 1e-4);
	}
	assert_true(precision_reached(&p, &plan, n));
	precision_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_of_runs_that_stop_early_hold_the_truth),
		cmocka_unit_test(
			one_narrow_interval_of_few_degrees_of_freedom_is_not_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
