// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runner and the clock that is really delivered: throttling, and heat.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/runner_machine.h"

static void half_the_clock_is_recorded_and_flagged(void **state)
{
	struct fake f = { .half_khz = 200000 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(flagged(&f, SAMPLE_CLOCK), 2);
	for (unsigned int i = 0; i < 9; i++) {
		bool half = f.rows[i].opp_khz == 200000 && f.rows[i].cpu_count;

		assert_int_equal(f.rows[i].freq_khz, half ? 100000 : f.rows[i].opp_khz);
	}
}

static void other_tasks_count_as_use_but_not_against_the_clock(void **state)
{
	struct fake f = { .other_busy_pct = 10 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(flagged(&f, SAMPLE_CLOCK), 0);
	for (unsigned int i = 0; i < 9; i++)
		if (f.rows[i].cpu_count == 1)
			assert_true(f.rows[i].util_pct == 110);
}

static void a_throttled_row_is_flagged(void **state)
{
	struct fake f = { .hot_khz = 300000 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(flagged(&f, SAMPLE_THROTTLED), 1);
}

static void a_row_that_a_limit_cut_is_taken_again_when_it_no_longer_does(void **state)
{
	struct fake f = { .hot_until_ns = 0 };

	(void)state;
	/* Past the beginning, into the first windows. */
	f.cut_until_ns = 6000 * MS;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	assert_true(runner.result.rows_retaken >= 1);
	assert_true(runner.result.cooling_ns > 0);
	assert_int_equal(flagged(&f, SAMPLE_THROTTLED), 0);
}

static void a_throttle_count_that_moves_spoils_the_window_it_moves_in(void **state)
{
	struct fake calm = { .period_ns = 0 };
	uint64_t begin_ns;

	(void)state;
	assert_int_equal(run(&calm), 0);
	begin_ns = calm.rows[4].time_ns;
	for (unsigned int i = 0; i < 2; i++) {
		struct fake before = { .count_ns = begin_ns - i * 50 * MS };
		struct fake inside = { .count_ns = begin_ns + 1 + i * 200 * MS };

		assert_int_equal(run(&before), 0);
		assert_int_equal(runner.result.rows_retaken, 0);
		assert_int_equal(flagged(&before, SAMPLE_THROTTLED), 0);
		assert_int_equal(run(&inside), 0);
		assert_int_equal(runner.result.rows_retaken, 1);
		assert_int_equal(flagged(&inside, SAMPLE_THROTTLED), 0);
		assert_true(inside.rows[4].time_ns > begin_ns);
		assert_true(inside.rows[3].time_ns == calm.rows[3].time_ns);
	}
}

static void no_load_starts_above_the_trip_point(void **state)
{
	struct fake f = { .hot_until_ns = 20000 * MS, .trip_mc = 80000 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_false(f.hot_load);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(runner.result.flagged, 0);
	assert_in_range(runner.result.cooling_ns, 15000 * MS, 20000 * MS);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "big: 90 degrees, too hot to go on (no load starts above "
			       "75)");
}

static void a_machine_that_does_not_cool_ends_the_run(void **state)
{
	struct fake f = { .hot_until_ns = UINT64_MAX, .trip_mc = 80000 };
	struct fake asked = { .max_temp_mc = 40000 };

	(void)state;
	assert_int_equal(run(&f), -ETIME);
	assert_says(err.msg, "'big' is at 90 degrees after 120 s of idling, and no load "
			     "starts above 75: cool it, or allow more with --max-temp");
	assert_int_equal(run(&asked), -ETIME);
	assert_says(err.msg, "no load starts above 40");
	assert_int_equal(asked.row_count, 0);
}

static void measuring_begins_when_it_no_longer_warms(void **state)
{
	struct fake f = { .warm_ns = 8000 * MS };
	struct fake cold = { .no_temp = true };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_true(f.rows[0].time_ns > 9000 * MS);
	assert_int_equal(run(&cold), 0);
	assert_true(cold.rows[0].time_ns < 5000 * MS);
}

static void a_window_in_which_the_temperature_runs_away_is_taken_again(void **state)
{
	/* 16 K within the first window. */
	struct fake f = { .warm_ns = 1000 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	/* By the next try it has settled. */
	assert_int_equal(runner.result.flagged, 0);
	for (unsigned int i = 0; i < 9; i++)
		if (f.rows[i].cpu_count)
			assert_in_range(f.rows[i].temp_mc, 82000, 85000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_the_clock_is_recorded_and_flagged),
		cmocka_unit_test(other_tasks_count_as_use_but_not_against_the_clock),
		cmocka_unit_test(a_throttled_row_is_flagged),
		cmocka_unit_test(
			a_row_that_a_limit_cut_is_taken_again_when_it_no_longer_does),
		cmocka_unit_test(
			a_throttle_count_that_moves_spoils_the_window_it_moves_in),
		cmocka_unit_test(no_load_starts_above_the_trip_point),
		cmocka_unit_test(a_machine_that_does_not_cool_ends_the_run),
		cmocka_unit_test(measuring_begins_when_it_no_longer_warms),
		cmocka_unit_test(
			a_window_in_which_the_temperature_runs_away_is_taken_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
