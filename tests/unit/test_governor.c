// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The governors of virtual boards, against what the kernel's arithmetic gives by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "calib/sim/governor.h"

#define MS UINT64_C(1000000)

static const struct governor_cpu big = { 200000, 2000000, 1 };
static const struct governor_cpu little = { 200000, 1400000, 0.375 };

static struct governor start(const char *name, const char *epp,
			     const struct governor_cpu *cpu)
{
	struct governor g;

	assert_int_equal(governor_init(&g, name, epp, true, cpu, 1000 * MS, NULL), 0);
	return g;
}

/* Until @ms after the start, at the clock it asks for. */
static void go(struct governor *g, unsigned int ms)
{
	uint64_t end = (1000 + ms) * MS;

	while (g->now_ns < end) {
		uint64_t next = governor_next_ns(g);

		governor_pass(g, next < end ? next : end, g->khz);
	}
}

static void performance_and_powersave_never_move(void **state)
{
	struct governor g = start("performance", "", &big);

	(void)state;
	governor_run(&g, true);
	assert_true(governor_next_ns(&g) == UINT64_MAX);
	assert_true(g.khz == 2000000);
	g = start("powersave", "", &big);
	governor_run(&g, true);
	go(&g, 100);
	assert_true(g.khz == 200000);
}

static void a_new_task_gets_five_eighths_from_schedutil(void **state)
{
	struct governor g = start("schedutil", "", &big);

	(void)state;
	governor_new_task(&g);
	governor_run(&g, true);
	assert_float_equal(g.khz, 1.25 * 0.5 * 2000000, 1);
	g = start("schedutil", "", &little);
	governor_new_task(&g);
	governor_run(&g, true);
	assert_float_equal(g.khz, 1.25 * 0.5 * 1400000, 1);
}

static void schedutil_is_asked_no_more_often_than_its_rate_limit(void **state)
{
	struct governor g = start("schedutil", "", &big);
	double first;

	(void)state;
	governor_new_task(&g);
	governor_run(&g, true);
	first = g.khz;
	go(&g, 11);
	assert_true(g.khz == first);
	go(&g, 12); /* the first tick after 10 ms */
	/* 12 ms at 5/8 of the clock are 7.5 ms of PELT's time. */
	assert_float_equal(g.khz, 1.25 * (1 - 0.5 * exp2(-7.5 / 32)) * 2000000, 1);
}

static void util_halves_in_32_ms_of_idleness(void **state)
{
	struct governor g = start("schedutil", "", &big);

	(void)state;
	governor_new_task(&g);
	governor_run(&g, true);
	governor_run(&g, false);
	go(&g, 32);
	assert_float_equal(g.util, 0.25, 1e-9);
	/* A task that wakes counts with what it had. */
	governor_run(&g, true);
	assert_float_equal(g.khz, 1.25 * 0.5 * 2000000, 1);
}

static void a_slow_core_needs_less_util_for_its_highest_clock(void **state)
{
	struct governor g = start("schedutil", "", &little);

	(void)state;
	governor_new_task(&g);
	governor_run(&g, true);
	go(&g, 200);
	assert_true(g.khz == 1400000);
	assert_true(g.util < 1);
	assert_true(g.util > 0.375 / 1.25);
}

static void ondemand_jumps_when_a_period_was_busy(void **state)
{
	struct governor g = start("ondemand", "", &big);

	(void)state;
	go(&g, 15);
	governor_run(&g, true); /* looks: 0 % of the period was busy */
	assert_true(g.khz == 200000);
	go(&g, 26);
	assert_true(g.khz == 200000);
	go(&g, 27);
	assert_true(g.khz == 2000000);
}

static void ondemand_goes_in_proportion_below_its_threshold(void **state)
{
	struct governor g = start("ondemand", "", &big);

	(void)state;
	governor_run(&g, true);
	go(&g, 3);
	governor_run(&g, false);
	go(&g, 12);
	governor_run(&g, true); /* 3 of 12 ms */
	assert_float_equal(g.khz, 200000 + 0.25 * 1800000, 1);
}

static void ondemand_remembers_the_load_before_a_pause_once(void **state)
{
	struct governor g = start("ondemand", "", &big);

	(void)state;
	governor_run(&g, true);
	go(&g, 40);
	governor_run(&g, false);
	go(&g, 540);
	governor_run(&g, true);
	assert_true(g.khz == 2000000);
	governor_run(&g, false);
	go(&g, 1040);
	governor_run(&g, true);
	assert_true(g.khz < 210000);
}

static void an_epp_that_saves_is_slower_and_ends_lower(void **state)
{
	static const char *const epps[] = { "performance", "balance_performance",
					    "balance_power", "power" };
	double at_10_ms[4], at_1_s[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct governor g = start("powersave", epps[i], &big);

		governor_run(&g, true);
		go(&g, 10);
		at_10_ms[i] = g.khz;
		go(&g, 1000);
		at_1_s[i] = g.khz;
	}
	assert_true(at_10_ms[0] == 2000000 && at_10_ms[0] >= at_10_ms[1]);
	assert_true(at_10_ms[1] > at_10_ms[2] && at_10_ms[2] > at_10_ms[3]);
	assert_true(at_1_s[1] == 2000000 && at_1_s[3] < at_1_s[2]);
}

static void what_a_task_had_goes_when_it_ends(void **state)
{
	struct governor g = start("schedutil", "", &big);
	double parent;

	(void)state;
	governor_run(&g, true);
	go(&g, 20);
	parent = g.util;
	governor_new_task(&g);
	assert_float_equal(g.util, parent + (1 - parent) / 2, 1e-9);
	go(&g, 21);
	governor_end_task(&g);
	/* The parent's has aged meanwhile. */
	assert_float_equal(g.util, parent * exp2(-1.0 / 32 * g.khz / 2000000), 1e-3);
}

struct busy_time {
	double all_ns, near_ns; /* near: the clock is close to @khz */
	double cycles;
};

static void play_period(struct governor *g, double cycles, uint64_t end_ns, double khz,
			struct busy_time *t)
{
	governor_run(g, true);
	while (cycles > 1 && g->now_ns < end_ns) {
		uint64_t now = g->now_ns, next = governor_next_ns(g);
		double clock = g->khz, passed;

		next = fmin(fmin(next, end_ns), now + ceil(cycles / clock));
		passed = next - now;
		governor_pass(g, next, clock);
		cycles -= clock * passed;
		t->all_ns += passed;
		t->cycles += clock * passed;
		t->near_ns += fabs(clock - khz) < 0.06 * g->cpu.max_khz ? passed : 0;
	}
	governor_run(g, false);
	governor_pass(g, end_ns, g->khz);
}

static struct busy_time play_share(struct governor *g, double share)
{
	double khz = governor_settled_khz(g, share);
	struct busy_time t = { 0 };

	for (uint64_t end = g->now_ns + MS; end < 6000 * MS; end += MS) {
		if (end == 2000 * MS)
			t = (struct busy_time){ 0 };
		play_period(g, share * MS * g->cpu.max_khz, end, khz, &t);
	}
	return t;
}

static void a_steady_share_settles_where_it_is_told_to(void **state)
{
	static const struct {
		const char *name, *epp;
	} all[] = {
		{ "performance", "" },
		{ "powersave", "" },
		{ "userspace", "" },
		{ "schedutil", "" },
		{ "ondemand", "" },
		{ "powersave", "performance" },
		{ "powersave", "balance_performance" },
		{ "powersave", "balance_power" },
		{ "powersave", "power" },
	};
	static const struct governor_cpu *const cpus[] = { &big, &little };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(all) / sizeof(all[0]); i++)
		for (double share = 0.05; share < 1; share += 0.15) {
			struct governor g = start(all[i / 2].name, all[i / 2].epp,
						  cpus[i % 2]);
			double khz = governor_settled_khz(&g, share);
			struct busy_time t = play_share(&g, share);

			/* ondemand swings where its jump to the top is near. */
			if (fabs(t.cycles / t.all_ns - khz) > 0.06 * g.cpu.max_khz ||
			    (t.near_ns < 0.9 * t.all_ns &&
			     (g.kind != GOVERNOR_ONDEMAND || share < 0.6)))
				fail_msg("%s/%s at %.2f: mean %.0f, not %.0f kHz; %.0f "
					 "%% of the time near it",
					 all[i / 2].name, all[i / 2].epp, share,
					 t.cycles / t.all_ns, khz,
					 100 * t.near_ns / t.all_ns);
		}
}

static void what_is_not_modelled_is_refused(void **state)
{
	struct governor g;
	struct err err;

	(void)state;
	assert_int_equal(governor_init(&g, "conservative", "", true, &big, 0, &err),
			 -EINVAL);
	assert_string_equal(err.msg,
			    "governor 'conservative' is not offered by a virtual board; "
			    "there are " GOVERNOR_NAMES);
	assert_int_equal(governor_init(&g, "powersave", "fast", true, &big, 0, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "EPP 'fast' is not offered; there are perf"));
	assert_int_equal(governor_init(&g, "schedutil", "fast", true, &big, 0, &err),
			 -EINVAL);
	assert_int_equal(governor_init(&g, "performance", "power", true, &big, 0, &err),
			 -EINVAL);
	assert_int_equal(governor_init(&g, "schedutil", "power", false, &big, 0, &err),
			 -ENOTSUP);
}

static void all_that_are_listed_are_modelled(void **state)
{
	char names[] = GOVERNOR_NAMES, epps[] = GOVERNOR_EPPS, *at = names;
	struct governor g;

	(void)state;
	for (char *name; (name = strsep(&at, " "));)
		assert_int_equal(governor_init(&g, name, "", true, &big, 0, NULL), 0);
	at = epps;
	for (char *epp; (epp = strsep(&at, " "));)
		assert_int_equal(governor_init(&g, "powersave", epp, true, &big, 0, NULL),
				 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(performance_and_powersave_never_move),
		cmocka_unit_test(a_new_task_gets_five_eighths_from_schedutil),
		cmocka_unit_test(schedutil_is_asked_no_more_often_than_its_rate_limit),
		cmocka_unit_test(util_halves_in_32_ms_of_idleness),
		cmocka_unit_test(a_slow_core_needs_less_util_for_its_highest_clock),
		cmocka_unit_test(ondemand_jumps_when_a_period_was_busy),
		cmocka_unit_test(ondemand_goes_in_proportion_below_its_threshold),
		cmocka_unit_test(ondemand_remembers_the_load_before_a_pause_once),
		cmocka_unit_test(an_epp_that_saves_is_slower_and_ends_lower),
		cmocka_unit_test(what_a_task_had_goes_when_it_ends),
		cmocka_unit_test(a_steady_share_settles_where_it_is_told_to),
		cmocka_unit_test(what_is_not_modelled_is_refused),
		cmocka_unit_test(all_that_are_listed_are_modelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
