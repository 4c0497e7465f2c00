// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runner and its meter: slow, coarse, stuck and failing ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/runner_machine.h"

static void a_reading_polled_often_counts_once(void **state)
{
	struct fake f = { .period_ns = 0 };

	(void)state;
	assert_int_equal(run(&f), 0);
	/* Each row covers its readings' time and no more. */
	for (unsigned int i = 0; i < f.row_count; i++)
		if (f.rows[i].cpu_count == 1)
			assert_in_range(f.rows[i].work * 1000,
					(runner.timing.reads - 0.2) * 100 * MS,
					(runner.timing.reads + 0.2) * 100 * MS);
	assert_true(f.reads > 9 * runner.timing.reads);
}

static void updates_that_repeat_a_coarse_value_count_all_the_same(void **state)
{
	struct fake f = { .coarse = true };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	for (unsigned int i = 0; i < 9; i++) {
		assert_int_equal(f.rows[i].reads, runner.timing.reads);
		assert_int_equal(f.rows[i].power_sd_uw, 0);
	}
	assert_int_equal(flagged(&f, SAMPLE_STALE), 0);
}

static void a_meter_slower_than_it_says_gets_longer_windows(void **state)
{
	struct fake f = { .period_ns = 400 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "its driver says 100 ms");
	assert_in_range(runner.timing.slot_ns, 380 * MS, 420 * MS);
	for (unsigned int i = 0; i < f.row_count; i++) {
		const struct sample *r = &f.rows[i];
		int64_t want = 100000 + r->cpu_count * (50000 + (int64_t)r->opp_khz);

		assert_in_range(r->power_uw, want - 400, want + 400);
	}
}

static void a_meter_that_averages_over_many_updates_is_waited_for(void **state)
{
	struct fake f = { .average_ns = 1000 * MS, .drift_khz = 1 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "big: the meter averages: a change of load shows after ");
	assert_in_range(runner.traits.response_ns, 800 * MS, 1100 * MS);
	assert_in_range(runner.timing.lead_ns, 1600 * MS, 2200 * MS);
	for (unsigned int i = 0; i < f.row_count; i++) {
		int64_t uw = 100000 +
			     f.rows[i].cpu_count * (50000 + (int64_t)f.rows[i].opp_khz);

		assert_in_range(f.rows[i].power_uw, uw - 1000, uw + 1000);
	}
}

static void a_coarse_meter_is_read_more_often(void **state)
{
	struct fake f = { .grid_uw = 70000, .drift_khz = 1 };
	struct fake fine = { .drift_khz = 1 };

	(void)state;
	assert_int_equal(run(&fine), 0);
	assert_int_equal(fine.warnings, 0);
	assert_int_equal(run(&f), 0);
	assert_says(f.warning,
		    "big: the meter is coarse: its values are 70 mW apart; windows "
		    "are made to fit");
	/* Steps of 70 in 560 mW: 1 % of a window takes 14 readings. */
	assert_int_equal(f.rows[0].reads, 14);
	assert_int_equal(fine.rows[0].reads, 4);
}

static void an_unknown_interval_is_found_by_looking(void **state)
{
	struct fake f = { .no_interval = true, .period_ns = 30 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_in_range(runner.timing.slot_ns, 28 * MS, 32 * MS);
	assert_int_equal(f.row_count, 9);
}

static void a_fuel_gauge_that_is_new_once_a_minute_has_windows_to_fit(void **state)
{
	struct fake f = { .no_interval = true, .period_ns = 60000 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_in_range(runner.timing.slot_ns, 58000 * MS, 62000 * MS);
	assert_false(runner.traits.still);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(runner.result.flagged, 0);
	for (unsigned int i = 0; i < 9; i++)
		assert_in_range(f.rows[i].power_uw,
				99000 + f.rows[i].cpu_count * (50000 + f.rows[i].opp_khz),
				101000 + f.rows[i].cpu_count *
						 (50000 + f.rows[i].opp_khz));
	assert_says(f.warning, "with that meter a window takes ");
	assert_says(f.warning, "lower its poll interval");
}

static void a_meter_without_interval_is_stuck_after_three_minutes_only(void **state)
{
	struct fake f = { .no_interval = true, .stuck_ns = 1 };

	(void)state;
	run(&f);
	assert_true(runner.traits.still);
	assert_in_range(f.now_at_begin_ns, 200000 * MS, 260000 * MS);
}

static void the_time_limit_ends_the_watching_of_a_slow_meter(void **state)
{
	struct fake f = { .no_interval = true, .period_ns = 60000 * MS };

	(void)state;
	assert_int_equal(run_rounds(&f, 1, 100000 * MS), 0);
	assert_true(runner.result.out_of_time);
	assert_false(runner.traits.still);
	assert_int_equal(f.row_count, 0);
	assert_true(f.now_ns < 135000 * MS);
}

static void a_read_that_fails_is_counted_and_is_no_zero(void **state)
{
	struct fake f = { .fail_from = 60, .fail_to = 62 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(runner.result.bad_reads, 2);
	assert_int_equal(flagged(&f, SAMPLE_BAD_READS), 1);
	for (unsigned int i = 0; i < 9; i++)
		assert_true(f.rows[i].power_uw > 99000);
}

static void a_value_that_no_cpu_draws_is_a_bad_read(void **state)
{
	struct fake f = { .absurd_read = 60 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(runner.result.bad_reads, 1);
	assert_int_equal(flagged(&f, SAMPLE_BAD_READS), 1);
	for (unsigned int i = 0; i < 9; i++)
		assert_true(f.rows[i].power_uw < 1000000);
}

static void try_again_is_not_a_bad_read(void **state)
{
	struct fake f = { .again_from = 60, .again_to = 62 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(runner.result.bad_reads, 0);
	assert_int_equal(runner.result.flagged, 0);
}

static void a_meter_that_dies_ends_the_run_with_the_rows_so_far(void **state)
{
	struct fake f = { .fail_from = 60, .fail_to = UINT32_MAX };

	(void)state;
	assert_int_equal(run(&f), -EIO);
	assert_says(err.msg, "gave no reading in 3 windows: bus error");
	assert_in_range(f.row_count, 1, 8);
	assert_int_equal(runner.result.lost, 3);
}

static void a_meter_that_never_reads_is_told_at_once(void **state)
{
	struct fake f = { .fail_from = 1, .fail_to = UINT32_MAX };

	(void)state;
	assert_int_equal(run(&f), -EIO);
	assert_says(err.msg, "gives no reading: bus error");
	assert_int_equal(f.row_count, 0);
}

static void a_stuck_meter_flags_every_row_from_there(void **state)
{
	struct fake f = { .stuck_ns = 5000 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	for (unsigned int i = 0; i < 9; i++)
		if (f.rows[i].time_ns > 5600 * MS)
			assert_true(f.rows[i].flags & SAMPLE_STALE);
		else if (f.rows[i].time_ns < 4400 * MS)
			assert_false(f.rows[i].flags & SAMPLE_STALE);
	assert_true(flagged(&f, SAMPLE_STALE) >= 2);
}

static void garbage_in_the_registers_is_no_power(void **state)
{
	struct fake f = { .garbage = true };

	(void)state;
	assert_int_equal(run(&f), 0);
	for (unsigned int i = 0; i < f.row_count; i++)
		assert_int_equal(!!(f.rows[i].flags & SAMPLE_ERRATIC),
				 f.rows[i].cpu_count > 0);
}

static void power_that_still_drifts_is_flagged(void **state)
{
	struct fake f = { .drift_khz = 200000 };

	(void)state;
	assert_int_equal(run_rounds(&f, 8, 0), 0);
	assert_true(flagged(&f, SAMPLE_UNSETTLED) >= 3);
	for (unsigned int i = 0; i < f.row_count; i++)
		if (f.rows[i].flags & SAMPLE_UNSETTLED)
			assert_int_equal(f.rows[i].opp_khz, 200000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reading_polled_often_counts_once),
		cmocka_unit_test(updates_that_repeat_a_coarse_value_count_all_the_same),
		cmocka_unit_test(a_meter_slower_than_it_says_gets_longer_windows),
		cmocka_unit_test(a_meter_that_averages_over_many_updates_is_waited_for),
		cmocka_unit_test(a_coarse_meter_is_read_more_often),
		cmocka_unit_test(an_unknown_interval_is_found_by_looking),
		cmocka_unit_test(
			a_fuel_gauge_that_is_new_once_a_minute_has_windows_to_fit),
		cmocka_unit_test(
			a_meter_without_interval_is_stuck_after_three_minutes_only),
		cmocka_unit_test(the_time_limit_ends_the_watching_of_a_slow_meter),
		cmocka_unit_test(a_read_that_fails_is_counted_and_is_no_zero),
		cmocka_unit_test(a_value_that_no_cpu_draws_is_a_bad_read),
		cmocka_unit_test(try_again_is_not_a_bad_read),
		cmocka_unit_test(a_meter_that_dies_ends_the_run_with_the_rows_so_far),
		cmocka_unit_test(a_meter_that_never_reads_is_told_at_once),
		cmocka_unit_test(a_stuck_meter_flags_every_row_from_there),
		cmocka_unit_test(garbage_in_the_registers_is_no_power),
		cmocka_unit_test(power_that_still_drifts_is_flagged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
