// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runner: what is in a row, which windows are taken, and that the machine is put back
 * whatever happens.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/runner_machine.h"

static void rows_hold_power_voltage_utilisation_and_clock(void **state)
{
	struct fake f = { .period_ns = 0 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(runner.result.rows, 9);
	assert_int_equal(runner.result.flagged, 0);
	assert_int_equal(f.warnings, 0);
	for (unsigned int i = 0; i < 9; i++) {
		const struct sample *r = &f.rows[i];
		int64_t want = 100000 + r->cpu_count * (50000 + (int64_t)r->opp_khz);

		assert_string_equal(r->cluster, "big");
		assert_string_equal(r->load, r->cpu_count ? "int" : "idle");
		assert_int_equal(r->freq_khz, r->opp_khz);
		assert_int_equal(r->volt_uv, 900000);
		assert_int_equal(r->temp_mc, 45000);
		assert_int_equal(r->reads, runner.timing.reads);
		/* Nothing of the load before is in it. */
		assert_in_range(r->power_uw, want - 300, want + 300);
		assert_in_range(r->power_sd_uw, 100, 700);
		assert_true(r->util_pct == 100.0 * r->cpu_count);
		assert_int_equal(r->cycles != 0, r->cpu_count != 0);
		assert_int_equal(r->work != 0, r->cpu_count != 0);
	}
}

static void windows_last_many_ticks_where_cpus_sleep(void **state)
{
	struct fake f = { .busy_step_ns = 2 * 10 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_true(runner.timing.reads < 8);
	for (unsigned int i = 0; i < f.row_count; i++)
		assert_int_equal(f.rows[i].reads,
				 f.rows[i].cpu_count < 2 ? 8 : runner.timing.reads);
}

/* Cut at 0, ticks would be work on the mean. */
static void idle_may_be_a_tick_less_than_nothing(void **state)
{
	struct fake f = { .busy_step_ns = 2 * 8 * MS, .ticks = true };
	unsigned int less = 0, more = 0;

	(void)state;
	assert_int_equal(run_rounds(&f, 5, 0), 0);
	for (unsigned int i = 0; i < f.row_count; i++) {
		double off = f.rows[i].util_pct - 100.0 * f.rows[i].cpu_count;

		/* Half a tick of each CPU that sleeps, of 0.7 s. */
		assert_true(fabs(off) < 100 * 8 / 700.0 + 1e-9);
		less += !f.rows[i].cpu_count && off < -1;
		more += !f.rows[i].cpu_count && off > 1;
	}
	assert_true(less >= 3 && more >= 3);
}

static void settings_that_somebody_changed_are_set_again(void **state)
{
	struct fake f = { .steal_read = 100 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(runner.result.stolen, 1);
	assert_int_equal(runner.result.flagged, 0);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "governor is 'ondemand'; set again, window taken again");
}

static void somebody_who_keeps_changing_settings_ends_the_run(void **state)
{
	struct fake f = { .steal_read = 100, .steal_always = true };

	(void)state;
	assert_int_equal(run(&f), -EBUSY);
	assert_int_equal(runner.result.stolen, 3);
	assert_in_range(f.row_count, 1, 8);
	assert_says(err.msg, "another program keeps changing its clock settings "
			     "(governor is 'ondemand'); stop that program");
}

static void a_cpu_that_stays_away_ends_the_run_in_its_own_words(void **state)
{
	struct fake f = { .steal_read = 100, .steal_always = true, .unplug = true };

	(void)state;
	assert_int_equal(run(&f), -ENODEV);
	assert_int_equal(runner.result.stolen, 3);
	assert_in_range(f.row_count, 1, 8);
	assert_says(err.msg, "cluster 'big': CPU 3 went offline; stop what plugs CPUs");
}

static void visits_go_on_until_the_result_is_precise_enough(void **state)
{
	struct fake f = { .enough_visits = 7 };
	struct fake at_once = { .enough_visits = 1 };
	struct fake never = { .enough_visits = 100 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(runner.result.visits, 7);
	assert_int_equal(f.row_count, 7 * 3);
	assert_int_equal(f.asked, 5);
	/* One round in any case, five and no more. */
	assert_int_equal(run(&at_once), 0);
	assert_int_equal(at_once.row_count, 9);
	assert_int_equal(run(&never), 0);
	assert_int_equal(never.row_count, 5 * 9);
}

static void what_the_machine_cannot_tell_is_left_open(void **state)
{
	struct fake f = { .no_cycles = true, .no_busy = true, .no_temp = true };

	(void)state;
	assert_int_equal(run(&f), 0);
	for (unsigned int i = 0; i < 9; i++) {
		assert_int_equal(f.rows[i].temp_mc, SAMPLE_TEMP_UNKNOWN);
		assert_int_equal(f.rows[i].cycles, 0);
		assert_int_equal(f.rows[i].freq_khz, f.rows[i].opp_khz);
		assert_true(f.rows[i].util_pct == 100.0 * f.rows[i].cpu_count);
	}
}

static void an_opp_that_is_refused_is_skipped_in_all_rounds(void **state)
{
	struct fake f = { .refused_khz = 200000 };

	(void)state;
	assert_int_equal(run_rounds(&f, 2, 0), 0);
	assert_int_equal(f.row_count, 12);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "big: 200 MHz skipped: 200000 kHz asked for, 1 kHz set");
	assert_int_equal(runner.result.visits_skipped, 2);
	for (unsigned int i = 0; i < f.row_count; i++)
		assert_int_not_equal(f.rows[i].opp_khz, 200000);
}

static void rows_tell_the_clock_that_the_driver_makes_of_a_point(void **state)
{
	struct fake f = { .step_khz = 78741 };

	(void)state;
	assert_int_equal(run_rounds(&f, 2, 0), 0);
	assert_int_equal(f.row_count, 18);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "big: the driver makes ");
	assert_says(f.warning, ": rows tell the clocks that it makes");
	for (unsigned int i = 0; i < f.row_count; i++) {
		assert_int_equal(f.rows[i].opp_khz % 78741, 0);
		assert_int_equal(f.rows[i].freq_khz, f.rows[i].opp_khz);
		/* That of 100 MHz is not that of 157. */
		assert_int_equal(f.rows[i].flags, 0);
	}
}

static void points_of_one_clock_are_measured_once(void **state)
{
	struct fake f = { .step_khz = 150000 };
	unsigned int high = 0;

	(void)state;
	assert_int_equal(run_rounds(&f, 2, 0), 0);
	assert_int_equal(f.row_count, 12);
	assert_int_equal(runner.result.visits_skipped, 2);
	for (unsigned int i = 0; i < f.row_count; i++)
		high += f.rows[i].opp_khz == 300000;
	assert_int_equal(high, 6);
}

static void a_signal_ends_the_run_with_the_rows_so_far(void **state)
{
	struct fake f = { .interrupt_ns = 6000 * MS };

	(void)state;
	assert_int_equal(run(&f), -EINTR);
	assert_string_equal(err.msg, "interrupted");
	assert_in_range(f.row_count, 1, 8);
	assert_true(f.stops >= f.starts);
}

static void the_deadline_ends_the_run_in_good_order(void **state)
{
	struct fake f = { .period_ns = 0 };

	(void)state;
	assert_int_equal(run_rounds(&f, 1, 6000 * MS), 0);
	assert_true(runner.result.out_of_time);
	assert_in_range(f.row_count, 1, 8);
	assert_true(f.now_ns <= 6100 * MS);
}

static void an_error_while_preparing_ends_before_any_load(void **state)
{
	struct fake f = { .prepare_error = -EACCES };

	(void)state;
	assert_int_equal(run(&f), -EACCES);
	assert_string_equal(err.msg, "no rights");
	assert_int_equal(f.starts, 0);
}

static void every_error_on_the_way_stops_the_load_and_restores(void **state)
{
	struct fake begin = { .begin_error = -EROFS };
	struct fake row = { .row_error = -ENOSPC };
	struct fake start = { .start_error = -EAGAIN };

	(void)state;
	assert_int_equal(run(&begin), -EROFS);
	assert_string_equal(err.msg, "folder is full");
	assert_int_equal(run(&row), -ENOSPC);
	assert_string_equal(err.msg, "disk is full");
	assert_int_equal(row.row_count, 2);
	assert_int_equal(run(&start), -EAGAIN);
	assert_string_equal(err.msg, "no threads");
}

static void a_restore_that_fails_is_never_silent(void **state)
{
	struct fake f = { .restore_error = -EIO };
	struct fake both = { .restore_error = -EIO, .row_error = -ENOSPC };

	(void)state;
	assert_int_equal(run(&f), -EIO);
	assert_string_equal(err.msg, "could not put everything back: governor is gone");
	assert_int_equal(f.row_count, 9);
	assert_int_equal(run(&both), -EIO);
	assert_says(err.msg, "governor is gone; before that: disk is full");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_hold_power_voltage_utilisation_and_clock),
		cmocka_unit_test(windows_last_many_ticks_where_cpus_sleep),
		cmocka_unit_test(idle_may_be_a_tick_less_than_nothing),
		cmocka_unit_test(settings_that_somebody_changed_are_set_again),
		cmocka_unit_test(somebody_who_keeps_changing_settings_ends_the_run),
		cmocka_unit_test(a_cpu_that_stays_away_ends_the_run_in_its_own_words),
		cmocka_unit_test(visits_go_on_until_the_result_is_precise_enough),
		cmocka_unit_test(what_the_machine_cannot_tell_is_left_open),
		cmocka_unit_test(an_opp_that_is_refused_is_skipped_in_all_rounds),
		cmocka_unit_test(rows_tell_the_clock_that_the_driver_makes_of_a_point),
		cmocka_unit_test(points_of_one_clock_are_measured_once),
		cmocka_unit_test(a_signal_ends_the_run_with_the_rows_so_far),
		cmocka_unit_test(the_deadline_ends_the_run_in_good_order),
		cmocka_unit_test(an_error_while_preparing_ends_before_any_load),
		cmocka_unit_test(every_error_on_the_way_stops_the_load_and_restores),
		cmocka_unit_test(a_restore_that_fails_is_never_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
