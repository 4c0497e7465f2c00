// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a ramp's trace says, and ramps of virtual boards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/bench/ramp.h"

static void a_flat_trace_is_at_once_steady(void **state)
{
	static struct ramp_trace t;
	struct ramp_run run;

	(void)state;
	for (unsigned int i = 0; i < RAMP_BINS; i++)
		t.steps[i] = 250000;
	assert_int_equal(ramp_analyse(&t, &run, NULL), 0);
	for (unsigned int i = 0; i < RAMP_WINDOWS; i++)
		assert_float_equal(run.percent[i], 100, 1e-9);
	assert_float_equal(run.converged_ms, 0, 0);
	assert_float_equal(run.mops, 250, 1e-9);
}

static void a_slow_start_shows_in_each_window(void **state)
{
	static struct ramp_trace t;
	struct ramp_run run;

	(void)state;
	/* A quarter of the speed for 40 ms. */
	for (unsigned int i = 0; i < RAMP_BINS; i++)
		t.steps[i] = i < 40 ? 1000 : 4000;
	assert_int_equal(ramp_analyse(&t, &run, NULL), 0);
	assert_float_equal(run.percent[0], 25, 1e-9);
	assert_float_equal(run.percent[2], 25, 1e-9);
	assert_float_equal(run.percent[3], 40, 1e-9);
	assert_float_equal(run.percent[4], 70, 1e-9);
	assert_float_equal(run.percent[5], 94, 1e-9);
	assert_float_equal(run.percent[6], 97, 1e-9);
	assert_float_equal(run.converged_ms, 40, 0);
}

static void what_ran_there_for_a_moment_does_not_change_the_steady_state(void **state)
{
	static struct ramp_trace t;
	struct ramp_run run;

	(void)state;
	for (unsigned int i = 0; i < RAMP_BINS; i++)
		t.steps[i] = i >= 1100 && i < 1200 ? 0 : 4000;
	assert_int_equal(ramp_analyse(&t, &run, NULL), 0);
	assert_float_equal(run.mops, 4, 1e-9);
}

/* Pieces of a task that has its CPU for 3 ms and waits for the next 17. */
static void waiting_for_most_of_the_time_does_not_change_the_steady_state(void **state)
{
	static struct ramp_trace t;
	struct ramp_run run;

	(void)state;
	for (uint64_t at = 1; at < RAMP_NS; at += 20000000) {
		for (uint64_t i = 0; i < 30; i++)
			ramp_piece(&t, at + i * 100000, at + (i + 1) * 100000, 400);
		ramp_piece(&t, at + 3000000, at + 20000000, 400);
	}
	assert_int_equal(ramp_analyse(&t, &run, NULL), 0);
	assert_float_equal(run.mops, 4, 1e-9);
}

static void a_load_that_waited_nearly_all_the_time_is_an_error(void **state)
{
	static struct ramp_trace t;
	struct ramp_run run;
	struct err err;

	(void)state;
	for (unsigned int i = 0; i < 500; i++)
		t.steps[i] = 4000;
	/* It ran on for a moment; the last piece holds all of the wait. */
	ramp_piece(&t, 1, 2, 0);
	ramp_piece(&t, 500000001, 1000500001, 400);
	t.steps[1200] += 3000;
	assert_int_equal(ramp_analyse(&t, &run, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "of the last half second"));
}

static void pieces_are_spread_over_the_milliseconds_that_they_span(void **state)
{
	static struct ramp_trace t;

	(void)state;
	ramp_piece(&t, 5000000, 7500000, 2500);
	ramp_piece(&t, 7500000, 7500000, 7);
	ramp_piece(&t, 7500000, 8000000, 100);
	ramp_piece(&t, 5000000 + RAMP_NS - 500000, 5000000 + RAMP_NS + 500000, 100);
	assert_float_equal(t.steps[0], 1000, 1e-6);
	assert_float_equal(t.steps[1], 1000, 1e-6);
	assert_float_equal(t.steps[2], 600, 1e-6);
	assert_float_equal(t.steps[RAMP_BINS - 1], 50, 1e-6);
}

static void a_load_that_got_no_time_is_an_error(void **state)
{
	static struct ramp_trace t;
	struct ramp_run run;
	struct err err;

	(void)state;
	t.steps[0] = 1;
	assert_int_equal(ramp_analyse(&t, &run, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "got no CPU time"));
}

static void unknown_values_are_left_out_of_a_tally(void **state)
{
	struct tally t = { 0 };

	(void)state;
	assert_true(isnan(tally_sd(&t)));
	tally_add(&t, NAN);
	assert_int_equal(t.samples, 0);
	tally_add(&t, 2);
	tally_add(&t, 4);
	tally_add(&t, INFINITY);
	tally_add(&t, 9);
	assert_int_equal(t.samples, 3);
	assert_float_equal(t.average, 5, 1e-12);
	assert_float_equal(tally_sd(&t), sqrt(13), 1e-12);
	assert_float_equal(t.maximum, 9, 0);
	assert_float_equal(t.minimum, 2, 0);
}

/* A stage whose task gets its CPU at some starts only. */
struct busy_stage {
	struct stage stage;
	unsigned int busy, starts; /* starts without CPU time, starts so far */
	uint64_t now_ns, slept_ns;
	int sleep; /* what sleeping comes to */
};

static struct busy_stage *to_busy(struct stage *s)
{
	return (struct busy_stage *)s;
}

static int busy_task(struct stage *s, unsigned int cpu, const struct stage_task *task,
		     const struct stage_power *power, struct err *err)
{
	(void)cpu;
	(void)power;
	to_busy(s)->starts++;
	return task->run(s, task->arg, err);
}

/* A busy CPU lets the task have its first moment. */
static int busy_work(struct stage *s, double steps, uint64_t end_ns,
		     const struct stage_watch *watch, struct err *err)
{
	struct busy_stage *b = to_busy(s);
	uint64_t from = b->now_ns;

	(void)steps;
	(void)err;
	b->now_ns = end_ns;
	if (b->starts <= b->busy)
		watch->piece(watch->arg, from, from + RAMP_BIN_NS, 9e6);
	else
		watch->piece(watch->arg, from, end_ns, 1e3 * RAMP_BINS);
	return 0;
}

static uint64_t busy_now_ns(struct stage *s)
{
	return to_busy(s)->now_ns;
}

static int busy_sleep_until(struct stage *s, uint64_t ns, struct err *err)
{
	struct busy_stage *b = to_busy(s);

	(void)err;
	b->slept_ns += ns - b->now_ns;
	b->now_ns = ns;
	return b->sleep;
}

static const struct stage_ops busy_ops = {
	.task = busy_task,
	.work = busy_work,
	.now_ns = busy_now_ns,
	.task_ns = busy_now_ns,
	.sleep_until = busy_sleep_until,
};

static void a_start_that_got_no_cpu_time_is_tried_again(void **state)
{
	struct busy_stage b = { .stage.ops = &busy_ops, .busy = 2, .now_ns = 1 };
	struct ramp_run run;

	(void)state;
	assert_int_equal(ramp_once(&b.stage, 0, 7000, &run, NULL), 0);
	assert_int_equal(b.starts, 3);
	/* Each of them after the gap, and nothing of the first two is in it. */
	assert_int_equal(b.slept_ns, 3 * 7000);
	for (unsigned int i = 0; i < RAMP_WINDOWS; i++)
		assert_float_equal(run.percent[i], 100, 1e-6);
}

static void a_cpu_that_stays_busy_is_an_error(void **state)
{
	struct busy_stage b = { .stage.ops = &busy_ops, .busy = 99, .now_ns = 1 };
	struct ramp_run run;
	struct err err;

	(void)state;
	assert_int_equal(ramp_once(&b.stage, 0, 0, &run, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "something else keeps its CPU busy"));
	assert_int_equal(b.starts, 3);
}

static void whoever_wants_to_end_is_not_made_to_try_again(void **state)
{
	struct busy_stage b = { .stage.ops = &busy_ops, .sleep = -EINTR, .now_ns = 1 };
	struct ramp_run run;

	(void)state;
	assert_int_equal(ramp_once(&b.stage, 0, 0, &run, NULL), -EINTR);
	assert_int_equal(b.starts, 0);
}

static struct ramp_run ramp_on(const char *name, unsigned int cpu, const char *settings)
{
	const struct stage_options o = { .board = name, .seed = 1 };
	struct knobs_combo c;
	struct ramp_run run;
	struct stage *s = NULL;
	struct err err = { "" };

	if (stage_open(&o, &s, &err) || knobs_parse(settings, &c, &err) ||
	    s->ops->apply(s, &c, &err) || ramp_once(s, cpu, 500000000, &run, &err))
		fail_msg("%s", err.msg);
	s->ops->close(s);
	return run;
}

static void each_governor_of_a_virtual_board_has_its_ramp(void **state)
{
	const char *xu3 = "virtual:odroid-xu3";
	struct ramp_run fast = ramp_on(xu3, 7, "governor=performance");
	struct ramp_run slow = ramp_on(xu3, 7, "governor=powersave");
	struct ramp_run util = ramp_on(xu3, 7, "governor=schedutil");

	(void)state;
	assert_float_equal(fast.percent[0], 100, 0.1);
	assert_float_equal(slow.percent[0], 100, 0.1);
	assert_float_equal(fast.mops / slow.mops, 10, 0.01); /* 2 GHz, 200 MHz */
	assert_true(util.percent[0] > 60 && util.percent[0] < 70);
	assert_true(util.percent[0] < util.percent[4] && util.percent[4] < 95);
	assert_true(util.converged_ms > 10 && util.converged_ms < 60);
	assert_float_equal(util.mops, fast.mops, 0.01);
	/* The faster way costs more energy for each step: the voltage. */
	assert_true(fast.watt > 5 * slow.watt);
	assert_float_equal(fast.joule_per_gop, fast.watt / fast.mops * 1e3, 0.05);
}

static void two_meters_of_one_rail_count_once(void **state)
{
	const struct stage_options o = { .board = "virtual:intel-hybrid", .seed = 1 };
	struct stage *s;

	(void)state;
	assert_int_equal(stage_open(&o, &s, NULL), 0);
	assert_null(strchr(s->meters, ','));
	s->ops->close(s);
}

static void a_board_without_meters_has_no_power(void **state)
{
	struct ramp_run run = ramp_on("virtual:odroid-xu4", 0, "");

	(void)state;
	assert_true(isnan(run.watt));
	assert_true(isnan(run.joule_per_gop));
	assert_true(run.mops > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flat_trace_is_at_once_steady),
		cmocka_unit_test(a_slow_start_shows_in_each_window),
		cmocka_unit_test(
			what_ran_there_for_a_moment_does_not_change_the_steady_state),
		cmocka_unit_test(
			waiting_for_most_of_the_time_does_not_change_the_steady_state),
		cmocka_unit_test(a_load_that_waited_nearly_all_the_time_is_an_error),
		cmocka_unit_test(pieces_are_spread_over_the_milliseconds_that_they_span),
		cmocka_unit_test(a_load_that_got_no_time_is_an_error),
		cmocka_unit_test(unknown_values_are_left_out_of_a_tally),
		cmocka_unit_test(a_start_that_got_no_cpu_time_is_tried_again),
		cmocka_unit_test(a_cpu_that_stays_busy_is_an_error),
		cmocka_unit_test(whoever_wants_to_end_is_not_made_to_try_again),
		cmocka_unit_test(each_governor_of_a_virtual_board_has_its_ramp),
		cmocka_unit_test(two_meters_of_one_rail_count_once),
		cmocka_unit_test(a_board_without_meters_has_no_power),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
