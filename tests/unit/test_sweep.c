// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plans of sweeps, and steps on virtual boards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "calib/bench/sweep.h"

static void loads_go_up_and_down_with_the_top_once(void **state)
{
	static const uint32_t want[] = { 10, 50, 100, 50, 10 };
	struct sweep_plan p;

	(void)state;
	assert_int_equal(sweep_loads("10,50,100", &p, NULL), 0);
	assert_int_equal(p.step_count, 5);
	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(p.load[i], want[i]);
		assert_int_equal(p.down[i], i > 2);
	}
	assert_int_equal(sweep_loads("35", &p, NULL), 0);
	assert_int_equal(p.step_count, 1);
}

static void lists_that_make_no_sweep_are_refused(void **state)
{
	static const char *const loads[] = { "",      "10,",   "0",   "101",
					     "20,10", "10,10", "10%", "-5" };
	static const char *const hz[] = { "",	  "0",	   "73,,113",
					  "2001", "73 Hz", "1,2,3,4,5,6,7,8,9,10,11" };
	struct sweep_plan p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		assert_int_equal(sweep_loads(loads[i], &p, &err), -EINVAL);
	assert_string_equal(err.msg, "'-5' is not a list of at most 21 ascending loads "
				     "in percent, such as 10,50,100");
	for (size_t i = 0; i < sizeof(hz) / sizeof(hz[0]); i++)
		assert_int_equal(sweep_frequencies(hz[i], &p, &err), -EINVAL);
	assert_int_equal(sweep_frequencies("73,401,73", &p, &err), -EINVAL);
	assert_string_equal(err.msg, "73 is given twice");
	assert_int_equal(sweep_frequencies("73,401", &p, &err), 0);
	assert_int_equal(p.hz_count, 2);
}

static int takes_no_settings(struct stage *s, const struct knobs_combo *c,
			     struct err *err)
{
	(void)s;
	return knobs_empty(c) ? 0 : err_set(err, -ENODEV, "no cpufreq here");
}

static int apply(struct stage *s, const struct knobs_combo *c, struct err *err)
{
	s->meter_ns = 1;
	return takes_no_settings(s, c, err);
}

static int no_task(struct stage *s, unsigned int cpu, const struct stage_task *task,
		   const struct stage_power *power, struct err *err)
{
	(void)cpu;
	(void)task;
	(void)power;
	return err_set(err, -EIO, s->meter_ns ? "applied" : "not applied");
}

static uint64_t no_time(struct stage *s)
{
	(void)s;
	return 0;
}

static int no_sleep(struct stage *s, uint64_t ns, struct err *err)
{
	(void)s;
	(void)ns;
	(void)err;
	return 0;
}

/* Meters are on then, and the CPU is not under what the one before it was. */
static void without_performance_the_full_rate_is_under_what_was_found(void **state)
{
	static const struct stage_ops ops = {
		.check = takes_no_settings,
		.apply = apply,
		.task = no_task,
		.now_ns = no_time,
		.sleep_until = no_sleep,
	};
	struct stage s = { .ops = &ops };
	struct err err = { "" };
	double rate;

	(void)state;
	assert_int_equal(sweep_full_rate(&s, 0, &rate, &err), -EIO);
	assert_string_equal(err.msg, "applied");
}

/* Step of the A15 at @hz and @load, or a serialized one, under @governor. */
static struct sweep_row step(struct sweep_plan *p, const char *governor, uint32_t hz,
			     uint32_t load)
{
	const struct stage_options o = { .board = "virtual:odroid-xu3", .seed = 1 };
	struct sweep_row row = { .cpu = 7, .hz = hz, .load = load };
	struct stage *s = NULL;
	struct err err = { "" };
	double rate;

	snprintf(row.combo.governor, sizeof(row.combo.governor), "%s", governor);
	p->step_ns = 3000000000;
	if (stage_open(&o, &s, &err) || sweep_full_rate(s, 7, &rate, &err) ||
	    s->ops->apply(s, &row.combo, &err) || sweep_step(s, p, rate, &row, &err))
		fail_msg("%s", err.msg);
	s->ops->close(s);
	assert_true(row.done);
	return row;
}

static void at_the_highest_clock_a_packet_takes_its_load_of_the_period(void **state)
{
	struct sweep_plan p = { 0 };
	struct sweep_row row = step(&p, "performance", 73, 30);

	(void)state;
	assert_float_equal(row.seconds.average, 0.3 / 73, 1e-6);
	assert_float_equal(row.seconds.maximum, row.seconds.minimum, 1e-6);
	assert_int_equal(row.seconds.samples, 220);
	assert_int_equal(row.watt.samples, 3);
	assert_int_equal(row.late, 0);
}

static void a_packet_that_just_fills_its_period_is_not_late(void **state)
{
	struct sweep_plan p = { 0 };
	struct sweep_row row = step(&p, "performance", 73, 100);

	(void)state;
	assert_float_equal(row.seconds.average, 1.0 / 73, 1e-6);
	assert_int_equal(row.late, 0);
}

static void a_lower_clock_takes_longer_and_draws_less(void **state)
{
	struct sweep_plan p = { 0 };
	struct sweep_row fast = step(&p, "performance", 211, 20);
	struct sweep_row util = step(&p, "schedutil", 211, 20);

	(void)state;
	assert_true(util.seconds.average > 1.5 * fast.seconds.average);
	assert_true(util.watt.average < 0.7 * fast.watt.average);
	assert_int_equal(util.late, 0);
}

static void packets_that_do_not_fit_are_late_and_leave_no_backlog(void **state)
{
	struct sweep_plan p = { 0 };
	struct sweep_row row = step(&p, "powersave", 113, 50);

	(void)state;
	/* A tenth of the clock: five periods for each packet. */
	assert_float_equal(row.seconds.average, 5.0 / 113, 1e-3);
	assert_int_equal(row.late, row.seconds.samples);
	assert_true(row.seconds.samples <= 3 * 113 / 5 + 2);
}

static void serialized_processes_take_work_and_start(void **state)
{
	struct sweep_plan p = {
		.serialized = true, .packet_ns = 500000, .tasks = 100, .samples = 4
	};
	struct sweep_row row = step(&p, "performance", 0, 0);

	(void)state;
	assert_int_equal(row.seconds.samples, 4);
	assert_true(row.watt.samples >= 3);
	assert_float_equal(row.seconds.average, 100 * (0.5e-3 + 0.15e-3), 1e-4);
}

static void schedutil_forgets_what_processes_counted(void **state)
{
	struct sweep_plan p = {
		.serialized = true, .packet_ns = 500000, .tasks = 1000, .samples = 4
	};
	struct sweep_row util = step(&p, "schedutil", 0, 0);
	struct sweep_row demand = step(&p, "ondemand", 0, 0);
	struct sweep_row fast = step(&p, "performance", 0, 0);

	(void)state;
	/* 1.25 x (0.23 + 0.38), of the parent and a new child: 1600 of 2000 MHz. */
	assert_float_equal(util.seconds.average, fast.seconds.average / 0.8, 1e-2);
	assert_float_equal(demand.seconds.average, fast.seconds.average, 1e-4);
	assert_true(util.watt.average < 0.9 * fast.watt.average);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_go_up_and_down_with_the_top_once),
		cmocka_unit_test(lists_that_make_no_sweep_are_refused),
		cmocka_unit_test(
			without_performance_the_full_rate_is_under_what_was_found),
		cmocka_unit_test(
			at_the_highest_clock_a_packet_takes_its_load_of_the_period),
		cmocka_unit_test(a_packet_that_just_fills_its_period_is_not_late),
		cmocka_unit_test(a_lower_clock_takes_longer_and_draws_less),
		cmocka_unit_test(packets_that_do_not_fit_are_late_and_leave_no_backlog),
		cmocka_unit_test(serialized_processes_take_work_and_start),
		cmocka_unit_test(schedutil_forgets_what_processes_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
