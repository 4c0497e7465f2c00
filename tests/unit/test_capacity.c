// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Work per clock and capacities.
 */
#include <errno.h>
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

#include "models/capacity.h"

#define OPPS	8
#define PER_OPP 3
#define ROWS	(OPPS * PER_OPP)

/* Rows whose unit takes @cycles and @wait_us more; each point is off by @noise. */
static void make_rows(struct capacity_row *rows, double cycles, double wait_us,
		      double noise, gsl_rng *rng)
{
	double off = 0;

	for (unsigned int i = 0; i < ROWS; i++) {
		double mhz = 250 * (1 + i / PER_OPP);

		if (i % PER_OPP == 0)
			off = noise > 0 ? noise * gsl_ran_ugaussian(rng) : 0;
		rows[i] = (struct capacity_row){
			.mhz = mhz,
			.cycles = 1000,
			.work = 1000 / ((cycles + wait_us * mhz) * (1 + off)),
			.opp = i / PER_OPP,
		};
	}
}

static struct capacity_speed speed_of(const struct capacity_row *rows, size_t n)
{
	struct capacity_speed s;
	struct err err = { "" };

	assert_int_equal(capacity_speed(rows, n, OPPS, &s, &err), 0);
	return s;
}

static gsl_rng *new_rng(unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(rng, seed);
	return rng;
}

static void work_in_the_core_is_flat(void **state)
{
	struct capacity_row rows[ROWS];
	struct capacity_speed s;
	gsl_rng *rng = new_rng(1);

	(void)state;
	make_rows(rows, 0.002, 0, 1e-3, rng);
	s = speed_of(rows, ROWS);
	assert_true(s.tested && s.flat);
	assert_int_equal(s.opps, OPPS);
	assert_true(fabs(s.value - 500) < 3 * s.se);
	assert_true(s.se / s.value > 1e-4 && s.se / s.value < 1e-3);
	gsl_rng_free(rng);
}

static void memory_shows_as_waiting_and_the_value_is_that_of_the_top_clock(void **state)
{
	struct capacity_row rows[ROWS];
	struct capacity_speed s;
	gsl_rng *rng = new_rng(2);

	(void)state;
	/* At 2000 MHz 0.0006 of 0.003 cycles are waited: 20 %. */
	make_rows(rows, 0.0024, 0.3e-6, 1e-3, rng);
	s = speed_of(rows, ROWS);
	assert_true(s.tested && !s.flat);
	assert_true(s.wait_ci95[0] < 20 && s.wait_ci95[1] > 20);
	assert_true(s.wait_ci95[1] - s.wait_ci95[0] < 2);
	assert_true(fabs(s.value - 1 / 0.003) < 4 * s.se);
	gsl_rng_free(rng);
}

static void a_slope_that_is_sure_but_small_is_flat(void **state)
{
	struct capacity_row rows[ROWS];
	struct capacity_speed s;

	(void)state;
	make_rows(rows, 0.0024, 0.006e-6, 0, NULL);
	s = speed_of(rows, ROWS);
	assert_true(s.flat);
	assert_true(s.wait_pct > 0.4 && s.wait_pct < 0.6);
	assert_true(s.wait_ci95[0] > 0);
}

/* Of 400 clusters that are flat, about 5 % of the intervals miss 0 and the ratio. */
static void intervals_of_waiting_and_of_capacity_are_true(void **state)
{
	struct capacity_row rows[2][ROWS];
	struct capacity_speed s[2];
	struct capacity c[2];
	gsl_rng *rng = new_rng(7);
	int n, no_wait = 0, ratio = 0;

	(void)state;
	for (n = 0; n < 400; n++) {
		make_rows(rows[0], 0.004, 0, 2e-3, rng);
		make_rows(rows[1], 0.002, 0, 1e-3, rng);
		s[0] = speed_of(rows[0], ROWS);
		s[1] = speed_of(rows[1], ROWS);
		no_wait += s[0].wait_ci95[0] <= 0 && s[0].wait_ci95[1] >= 0;
		capacity_normalise(s, 2, c);
		ratio += c[0].ci95[0] <= 512 && c[0].ci95[1] >= 512;
	}
	gsl_rng_free(rng);
	assert_in_range(no_wait, 368, 394);
	assert_in_range(ratio, 368, 394);
}

static void the_fastest_is_found_by_number_and_not_by_its_digits(void **state)
{
	const struct capacity_speed s[] = {
		{ .value = 9.5, .se = 0.01, .dof = 10 },
		{ .value = 10.5, .se = 0.01, .dof = 10 },
		{ .value = 1e-3, .se = 1e-6, .dof = 10 },
	};
	struct capacity c[3];

	(void)state;
	capacity_normalise(s, 3, c);
	assert_int_equal(c[1].dmips_mhz, 1024);
	assert_true(c[1].ci95[0] == 1024 && c[1].ci95[1] == 1024);
	assert_int_equal(c[0].dmips_mhz, 926);
	assert_true(c[0].ci95[0] < 926 && c[0].ci95[1] > 927);
	/* The binding knows no 0. */
	assert_int_equal(c[2].dmips_mhz, 1);
}

static void two_points_give_a_value_and_no_test(void **state)
{
	struct capacity_row rows[ROWS];
	struct capacity_speed s;
	struct err err = { "" };
	gsl_rng *rng = new_rng(3);

	(void)state;
	make_rows(rows, 0.0024, 0.3e-6, 1e-3, rng);
	s = speed_of(rows, 2 * PER_OPP);
	assert_true(!s.tested && s.flat);
	assert_true(isfinite(s.se) && isfinite(s.dof));
	assert_int_equal(capacity_speed(rows, 1, OPPS, &s, &err), -ENODATA);
	assert_string_equal(err.msg, "1 row with work and CPU time");
	gsl_rng_free(rng);
}

static void rows_that_agree_are_as_good_as_their_digits(void **state)
{
	struct capacity_row rows[ROWS];
	struct capacity_speed s;
	size_t i;

	(void)state;
	make_rows(rows, 0.002, 0, 0, NULL);
	for (i = 0; i < ROWS; i++)
		rows[i].rounding = 1e-4;
	s = speed_of(rows, ROWS);
	assert_true(s.se / s.value >= 1e-4);
}

static void the_loads_own_time_goes_before_cycles_that_others_used_too(void **state)
{
	struct sample s = { .cpu_count = 2,
			    .freq_khz = 1000000,
			    .work = 5000,
			    .cycles = 1100000000,
			    .load_ns = 1000000000 };
	struct capacity_row r;

	(void)state;
	assert_true(capacity_row_of(&s, &r));
	assert_true(fabs(r.cycles - 1000) < 1e-9);
	s.load_ns = 0;
	assert_true(capacity_row_of(&s, &r));
	assert_true(fabs(r.cycles - 1100) < 1e-9);
	s.cycles = 0;
	assert_false(capacity_row_of(&s, &r));
	s.cycles = 1;
	s.flags = SAMPLE_CLOCK;
	assert_false(capacity_row_of(&s, &r));
	s.flags = 0;
	s.cpu_count = 0;
	assert_false(capacity_row_of(&s, &r));
	s.cpu_count = 1;
	s.work = 0;
	assert_false(capacity_row_of(&s, &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_in_the_core_is_flat),
		cmocka_unit_test(
			memory_shows_as_waiting_and_the_value_is_that_of_the_top_clock),
		cmocka_unit_test(a_slope_that_is_sure_but_small_is_flat),
		cmocka_unit_test(intervals_of_waiting_and_of_capacity_are_true),
		cmocka_unit_test(the_fastest_is_found_by_number_and_not_by_its_digits),
		cmocka_unit_test(two_points_give_a_value_and_no_test),
		cmocka_unit_test(rows_that_agree_are_as_good_as_their_digits),
		cmocka_unit_test(
			the_loads_own_time_goes_before_cycles_that_others_used_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
