// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The plan: what is measured, in which order, and how long it takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calib/measure/plan.h"

static struct runinfo *machine(void)
{
	static struct runinfo info;
	struct runinfo_cluster *cl = &info.clusters[0];

	memset(&info, 0, sizeof(info));
	info.cluster_count = 1;
	strcpy(cl->name, "a7");
	cl->cpu_count = 4;
	cl->opp_count = 4;
	for (unsigned int i = 0; i < 4; i++)
		cl->opps[i] = (struct board_opp){ 200000 * (i + 1), 900000 };
	cl->sensor_interval_us = 250000;
	return &info;
}

static const struct plan_options plain = { .rounds = 1, .seed = 1 };

static void assert_refused(const struct plan_options *opts, const char *text)
{
	struct err err = { "" };
	struct plan plan;

	assert_int_equal(plan_make(opts, machine(), 0, &plan, &err), -EINVAL);
	if (!strstr(err.msg, text))
		fail_msg("'%s' does not say '%s'", err.msg, text);
	plan_free(&plan);
}

static void every_opp_is_visited_once_a_round_with_every_count(void **state)
{
	const struct plan_options opts = { .cpus = "0-4", .rounds = 3, .seed = 7 };
	unsigned int seen[3][5][5] = { 0 };
	struct plan plan;

	(void)state;
	assert_int_equal(plan_make(&opts, machine(), 0, &plan, NULL), 0);
	assert_int_equal(plan.count, 3 * 4 * 5);
	assert_int_equal(plan.visit_count, 12);
	for (size_t i = 0; i < plan.count; i++) {
		const struct plan_window *w = &plan.windows[i];

		/* Windows of a visit stay together, visits of a round too. */
		assert_int_equal(w->visit, i / 5);
		assert_int_equal(w->khz, plan.windows[i / 5 * 5].khz);
		seen[w->visit / 4][w->khz / 200000][w->cpu_count]++;
	}
	for (unsigned int r = 0; r < 3; r++)
		for (unsigned int o = 1; o <= 4; o++)
			for (unsigned int c = 0; c <= 4; c++)
				assert_int_equal(seen[r][o][c], 1);
	plan_free(&plan);
}

static void the_seed_alone_decides_the_order(void **state)
{
	const struct plan_options other = { .rounds = 1, .seed = 2 };
	struct plan a, b, c;

	(void)state;
	assert_int_equal(plan_make(&plain, machine(), 0, &a, NULL), 0);
	assert_int_equal(plan_make(&plain, machine(), 0, &b, NULL), 0);
	assert_int_equal(plan_make(&other, machine(), 0, &c, NULL), 0);
	assert_int_equal(a.count, b.count);
	assert_int_equal(a.count, c.count);
	for (size_t i = 0; i < a.count; i++) {
		assert_int_equal(a.windows[i].khz, b.windows[i].khz);
		assert_int_equal(a.windows[i].cpu_count, b.windows[i].cpu_count);
	}
	assert_memory_not_equal(a.windows, c.windows, a.count * sizeof(*a.windows));
	plan_free(&a);
	plan_free(&b);
	plan_free(&c);
}

static void neither_opps_nor_counts_come_in_ascending_order(void **state)
{
	const struct plan_options opts = { .cpus = "0-4", .rounds = 20, .seed = 1 };
	unsigned int opps_up = 0, counts_up = 0;
	struct plan plan;

	(void)state;
	assert_int_equal(plan_make(&opts, machine(), 0, &plan, NULL), 0);
	for (size_t i = 0; i < plan.count; i += 5) {
		const struct plan_window *w = &plan.windows[i];
		unsigned int up = 0;

		for (unsigned int k = 1; k < 5; k++)
			up += w[k].cpu_count > w[k - 1].cpu_count;
		counts_up += up == 4;
		opps_up += i && w->khz > w[-1].khz;
	}
	/* 80 visits: by chance under one is ascending, and about half go up. */
	assert_in_range(counts_up, 0, 5);
	assert_in_range(opps_up, 20, 60);
	plan_free(&plan);
}

static void idle_one_and_all_are_what_is_loaded_by_default(void **state)
{
	static const unsigned int want[5] = { 1, 1, 0, 0, 1 };
	struct runinfo *info = machine();
	unsigned int seen[5] = { 0 };
	struct plan plan;

	(void)state;
	assert_int_equal(plan_make(&plain, info, 0, &plan, NULL), 0);
	for (size_t i = 0; i < plan.count; i++)
		seen[plan.windows[i].cpu_count]++;
	for (unsigned int c = 0; c < 5; c++)
		assert_int_equal(seen[c], 4 * want[c]);
	plan_free(&plan);
	info->clusters[0].cpu_count = 1;
	assert_int_equal(plan_make(&plain, info, 0, &plan, NULL), 0);
	assert_int_equal(plan.count, 4 * 2);
	plan_free(&plan);
}

/* The longest run of visits to one third of the table of @opps. */
static unsigned int longest_run(const struct plan *plan, unsigned int opps)
{
	unsigned int run = 0, longest = 0, last = PLAN_THIRDS;

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_window *w = &plan->windows[i];
		unsigned int opp = w->khz / 200000 - 1, third = 0;

		if (i && w->visit == w[-1].visit)
			continue;
		while (opp >= (third + 1) * opps / PLAN_THIRDS)
			third++;
		run = third == last ? run + 1 : 1;
		longest = run > longest ? run : longest;
		last = third;
	}
	return longest;
}

static void no_more_than_two_hot_or_cool_visits_follow_each_other(void **state)
{
	struct runinfo *info = machine();
	struct runinfo_cluster *cl = &info->clusters[0];
	struct plan plan;

	(void)state;
	for (unsigned int n = 2; n <= 20; n++) {
		cl->opp_count = n;
		for (unsigned int i = 0; i < n; i++)
			cl->opps[i] = (struct board_opp){ 200000 * (i + 1), 900000 };
		for (unsigned int seed = 1; seed <= 20; seed++) {
			const struct plan_options opts = { .rounds = 5, .seed = seed };

			assert_int_equal(plan_make(&opts, info, 0, &plan, NULL), 0);
			assert_int_equal(plan.visit_count, 5 * n);
			assert_in_range(longest_run(&plan, n), 1, 2);
			plan_free(&plan);
		}
	}
}

static void rounds_beyond_the_least_are_there_but_not_promised(void **state)
{
	const struct plan_options opts = { .rounds = 1, .max_rounds = 3, .seed = 1 };
	struct plan plan, once;

	(void)state;
	assert_int_equal(plan_make(&opts, machine(), 0, &plan, NULL), 0);
	assert_int_equal(plan_make(&plain, machine(), 0, &once, NULL), 0);
	assert_int_equal(once.least_count, once.count);
	assert_int_equal(once.least_visits, once.visit_count);
	assert_int_equal(plan.visit_count, 12);
	assert_int_equal(plan.count, 36);
	assert_int_equal(plan.least_visits, 4);
	assert_int_equal(plan.least_count, 12);
	assert_int_equal(plan_time_ns(&plan), plan_time_ns(&once));
	assert_int_equal(plan_most_ns(&plan), 3 * plan_time_ns(&once));
	/* The beginning is the same whether or not there may be more. */
	for (size_t i = 0; i < once.count; i++)
		assert_int_equal(plan.windows[i].khz, once.windows[i].khz);
	plan_free(&plan);
	plan_free(&once);
}

static void opps_are_taken_in_mhz_khz_and_with_a_unit(void **state)
{
	const struct plan_options opts = { .opps = "800, 400000,0.6GHz", .rounds = 1 };
	unsigned int seen = 0;
	struct plan plan;

	(void)state;
	assert_int_equal(plan_make(&opts, machine(), 0, &plan, NULL), 0);
	assert_int_equal(plan.opp_count, 3);
	for (size_t i = 0; i < plan.count; i++)
		seen |= 1 << plan.windows[i].khz / 200000;
	assert_int_equal(seen, 1 << 2 | 1 << 3 | 1 << 4);
	plan_free(&plan);
}

static void an_unknown_opp_is_refused_and_the_near_ones_named(void **state)
{
	struct plan_options opts = plain;

	(void)state;
	opts.opps = "500";
	assert_refused(&opts, "operating point '500'; near are 400 and 600 MHz");
	opts.opps = "1.2GHz";
	assert_refused(&opts, "'1.2GHz'; the highest is 800 MHz");
	opts.opps = "100";
	assert_refused(&opts, "'100'; the lowest is 200 MHz");
	opts.opps = "400,,600";
	assert_refused(&opts, "'' is not a frequency");
	opts.opps = "4e2";
	assert_refused(&opts, "'4e2' is not a frequency");
	opts.opps = "400,";
	assert_refused(&opts, "'' is not a frequency");
}

static void counts_above_the_clusters_cpus_are_refused(void **state)
{
	struct plan_options opts = plain;

	(void)state;
	opts.cpus = "1,5";
	assert_refused(&opts, "has 4 CPUs, 5 cannot be loaded");
	opts.cpus = "";
	assert_refused(&opts, "'' is not a list of CPU counts");
	opts.cpus = "-1";
	assert_refused(&opts, "'-1' is not a list of CPU counts");
	opts.cpus = NULL;
	opts.rounds = 0;
	assert_refused(&opts, "--repeats: 0 is not in");
	opts.rounds = 1;
	opts.loads = "int,,fp";
	assert_refused(&opts, "'' is not a load");
	opts.loads = "int,int";
	assert_refused(&opts, "'int' is there twice");
}

static void idle_is_measured_once_and_each_load_at_each_count(void **state)
{
	const struct plan_options opts = { .cpus = "0,2",
					   .loads = "int,fp",
					   .rounds = 1 };
	unsigned int idle = 0, fp = 0, integer = 0;
	struct plan plan;

	(void)state;
	assert_int_equal(plan_make(&opts, machine(), 0, &plan, NULL), 0);
	assert_int_equal(plan.count, 4 * 3);
	for (size_t i = 0; i < plan.count; i++) {
		const struct plan_window *w = &plan.windows[i];

		idle += !w->cpu_count && !strcmp(w->load, "idle");
		integer += w->cpu_count == 2 && !strcmp(w->load, "int");
		fp += w->cpu_count == 2 && !strcmp(w->load, "fp");
	}
	assert_int_equal(idle, 4);
	assert_int_equal(integer, 4);
	assert_int_equal(fp, 4);
	plan_free(&plan);
}

static void the_load_that_warms_up_is_one_that_works(void **state)
{
	const struct plan_options opts = { .cpus = "0,2",
					   .loads = "idle,int,simd",
					   .rounds = 1 };
	struct plan plan;

	(void)state;
	assert_int_equal(plan_make(&opts, machine(), 0, &plan, NULL), 0);
	assert_int_equal(plan.load_count, 3);
	assert_string_equal(plan.loads[0], "int");
	assert_string_equal(plan.loads[1], "idle");
	assert_string_equal(plan.loads[2], "simd");
	plan_free(&plan);
}

static void windows_hold_enough_readings_of_slow_and_fast_meters(void **state)
{
	struct plan_timing t;

	(void)state;
	plan_timing(1000000, &t);
	assert_int_equal(t.slot_ns, 1000000000);
	assert_in_range(t.reads, 2, 5);
	/* The first reading straddles the change of load: it costs a slot. */
	assert_int_equal(plan_window_ns(&t), (t.reads + 1) * t.slot_ns);
	plan_timing(1000, &t);
	assert_in_range(t.reads, 40, PLAN_MAX_READS);
	assert_in_range(t.reads * t.slot_ns, 300000000, 1000000000);
	plan_timing(0, &t);
	assert_int_equal(t.slot_ns, PLAN_INTERVAL_US * 1000);
}

static void a_short_table_is_visited_more_often_by_default(void **state)
{
	const struct plan_options opts = { .rounds = PLAN_ROUNDS_AUTO };
	struct plan plan;

	(void)state;
	assert_int_equal(plan_make(&opts, machine(), 0, &plan, NULL), 0);
	assert_int_equal(plan.visit_count, 12);
	plan_free(&plan);
}

static void a_cluster_without_operating_points_cannot_be_planned(void **state)
{
	struct runinfo *info = machine();
	struct err err = { "" };
	struct plan plan;

	(void)state;
	info->clusters[0].opp_count = 0;
	assert_int_equal(plan_make(&plain, info, 0, &plan, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "'a7' has no table of operating points"));
	plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_opp_is_visited_once_a_round_with_every_count),
		cmocka_unit_test(the_seed_alone_decides_the_order),
		cmocka_unit_test(neither_opps_nor_counts_come_in_ascending_order),
		cmocka_unit_test(idle_one_and_all_are_what_is_loaded_by_default),
		cmocka_unit_test(no_more_than_two_hot_or_cool_visits_follow_each_other),
		cmocka_unit_test(rounds_beyond_the_least_are_there_but_not_promised),
		cmocka_unit_test(opps_are_taken_in_mhz_khz_and_with_a_unit),
		cmocka_unit_test(an_unknown_opp_is_refused_and_the_near_ones_named),
		cmocka_unit_test(counts_above_the_clusters_cpus_are_refused),
		cmocka_unit_test(idle_is_measured_once_and_each_load_at_each_count),
		cmocka_unit_test(the_load_that_warms_up_is_one_that_works),
		cmocka_unit_test(windows_hold_enough_readings_of_slow_and_fast_meters),
		cmocka_unit_test(a_short_table_is_visited_more_often_by_default),
		cmocka_unit_test(a_cluster_without_operating_points_cannot_be_planned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
