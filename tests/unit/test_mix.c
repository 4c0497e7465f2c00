// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One coefficient for a mix of loads.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "models/mix.h"

#define OPPS 12
#define ROWS (3 * OPPS)

static struct sample row_of(unsigned int opp, const char *load, double c, double noise_uw)
{
	double mhz = 200 + 100 * opp, volt = 0.9 + 0.03 * opp;
	struct sample s = { .opp_khz = mhz * 1e3,
			    .freq_khz = mhz * 1e3,
			    .volt_uv = volt * 1e6,
			    .cpu_count = c > 0,
			    .util_pct = c > 0 ? 100 : 0,
			    .temp_mc = SAMPLE_TEMP_UNKNOWN };

	s.power_uw = llround(50000 + c * mhz * volt * volt + noise_uw);
	strcpy(s.cluster, "a");
	strcpy(s.load, load);
	return s;
}

/* Idle and two loads at each operating point, C 100 and 200. */
static void make_rows(struct sample *rows, double idle_uw, double busy_uw, gsl_rng *rng)
{
	for (unsigned int i = 0; i < OPPS; i++) {
		rows[3 * i] = row_of(i, "idle", 0, gsl_ran_gaussian(rng, idle_uw));
		rows[3 * i + 1] = row_of(i, "int", 100, gsl_ran_gaussian(rng, busy_uw));
		rows[3 * i + 2] = row_of(i, "mem", 200, gsl_ran_gaussian(rng, busy_uw));
	}
}

static struct mix_part part_of(const struct sample *rows, size_t n, const char *load,
			       double weight)
{
	struct mix_part p = { .weight = weight,
			      .method = power_method_find("idle-subtracted"),
			      .select = { .cluster = "a", .load = load } };
	struct power_data d;
	struct power_fit fit;

	assert_int_equal(power_data_init(&d, rows, n, &p.select, NULL), 0);
	assert_int_equal(power_fit_with(p.method, &d, &fit, NULL), 0);
	power_data_free(&d);
	p.c = fit.c;
	p.se = fit.se;
	p.dof = fit.dof;
	return p;
}

static struct mix combined(const struct sample *rows, size_t n, double weight)
{
	const struct mix_part parts[] = { part_of(rows, n, "int", weight),
					  part_of(rows, n, "mem", 1 - weight) };
	struct err err = { "" };
	struct mix m;

	assert_int_equal(mix_combine(parts, 2, rows, n, &m, &err), 0);
	return m;
}

static void idle_noise_is_common_to_the_loads_and_their_own_is_not(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct sample rows[ROWS];
	struct mix m;

	(void)state;
	make_rows(rows, 3000, 1, rng);
	m = combined(rows, ROWS, 0.5);
	assert_true(m.correlated && m.correlation > 0.95);
	make_rows(rows, 1, 3000, rng);
	m = combined(rows, ROWS, 0.5);
	assert_true(m.correlated && m.correlation < 0.7);
	gsl_rng_free(rng);
}

/* Of 300 mixes about 5 % of the intervals miss 0.7 * 100 + 0.3 * 200. */
static void interval_of_the_mix_is_true(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct sample rows[ROWS];
	int i, held = 0;

	(void)state;
	gsl_rng_set(rng, 5);
	for (i = 0; i < 300; i++) {
		struct mix m;

		make_rows(rows, 2000, 2000, rng);
		m = combined(rows, ROWS, 0.7);
		held += m.ci95[0] <= 130 && m.ci95[1] >= 130;
	}
	gsl_rng_free(rng);
	assert_in_range(held, 276, 297);
}

static void few_points_take_the_errors_for_one(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct sample rows[ROWS];
	struct mix_part parts[2];
	struct mix m;

	(void)state;
	make_rows(rows, 2000, 2000, rng);
	m = combined(rows, 9, 0.5);
	parts[0] = part_of(rows, 9, "int", 0.5);
	parts[1] = part_of(rows, 9, "mem", 0.5);
	assert_false(m.correlated);
	assert_true(m.correlation == 1);
	assert_true(fabs(m.c - (parts[0].c + parts[1].c) / 2) < 1e-9);
	assert_true(fabs(m.se - (parts[0].se + parts[1].se) / 2) < 1e-9);
	gsl_rng_free(rng);
}

static void a_part_without_an_error_leaves_the_mix_without_one(void **state)
{
	struct sample rows[ROWS];
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct mix_part parts[2];
	struct err err = { "" };
	struct mix m;

	(void)state;
	make_rows(rows, 10, 10, rng);
	parts[0] = part_of(rows, ROWS, "int", 0.5);
	parts[1] = part_of(rows, ROWS, "mem", 0.5);
	parts[1].se = NAN;
	parts[1].dof = 0;
	assert_int_equal(mix_combine(parts, 2, rows, ROWS, &m, &err), 0);
	assert_true(isfinite(m.c) && !isfinite(m.ci95[0]));
	/* One load alone is itself. */
	parts[0].weight = 1;
	assert_int_equal(mix_combine(parts, 1, rows, ROWS, &m, &err), 0);
	assert_true(m.c == parts[0].c && fabs(m.se - parts[0].se) < 1e-12);
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_noise_is_common_to_the_loads_and_their_own_is_not),
		cmocka_unit_test(interval_of_the_mix_is_true),
		cmocka_unit_test(few_points_take_the_errors_for_one),
		cmocka_unit_test(a_part_without_an_error_leaves_the_mix_without_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
