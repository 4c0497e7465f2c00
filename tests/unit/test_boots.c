// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A series of boots: which comes next, which may be added, and whether 5 % are 5 % where
 * boots differ by themselves.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boards/rng.h"
#include "calib/bench/boots.h"
#include "calib/bench/comparison.h"
#include "calib/linux/boot.h"
#include "tests/unit/files.h"

#define EACH 5 /* iterations of a boot, in studies */

static struct bench_result series;

static int setup(void **state)
{
	(void)state;
	memset(&series, 0, sizeof(series));
	series.series_count = 1;
	strcpy(series.series[0].workload, "messages");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	bench_result_free(&series);
	return 0;
}

static struct bench_context context_of(unsigned int boot)
{
	struct bench_context c = { .kernel = "6.1.0", .cpus = "0-7" };

	snprintf(c.boot.id, sizeof(c.boot.id), "boot-%u", boot);
	c.policy_count = 1;
	strcpy(c.policies[0].governor, "schedutil");
	return c;
}

static void boot(const char *state)
{
	const struct bench_context c = context_of(series.boot_count);

	assert_int_equal(boots_begin(&series, state, &c, NULL), 0);
}

/* One iteration of the last boot. */
static void run(uint64_t time_ns)
{
	struct bench_series *s = &series.series[0];
	const struct bench_iteration it = { .order = s->iteration_count,
					    .time_ns = time_ns,
					    .boot = series.boot_count - 1 };

	assert_int_equal(bench_series_add(s, &it, NULL), 0);
}

static void two_states_come_as_a_b_b_a(void **state)
{
	char order[13] = "AB";

	(void)state;
	assert_null(boots_next(&series));
	boot("A");
	assert_null(boots_next(&series));
	boot("B");
	for (int i = 2; i < 12; i++) {
		order[i] = *boots_next(&series);
		boot((char[]){ order[i], '\0' });
	}
	assert_string_equal(order, "ABBAABBAABBA");
}

static void three_states_go_there_and_back_and_one_that_lags_behind_is_first(void **state)
{
	struct boots_state states[BOOTS_MAX_STATES];
	char order[7] = "ABC";

	(void)state;
	boot("A");
	boot("B");
	boot("C");
	for (int i = 3; i < 6; i++) {
		order[i] = *boots_next(&series);
		boot((char[]){ order[i], '\0' });
	}
	assert_string_equal(order, "ABCCBA");
	boot("A");
	boot("B");
	assert_string_equal(boots_next(&series), "C");
	assert_int_equal(boots_states(&series, states), 3);
	assert_string_equal(states[1].name, "B");
	assert_int_equal(states[1].boots, 3);
	assert_int_equal(states[1].first, 1);
	assert_int_equal(states[1].last, 7);
}

static void refused(const char *state, const struct bench_context *c, const char *want)
{
	unsigned int before = series.boot_count;
	struct err err = { "" };

	assert_true(boots_begin(&series, state, c, &err) < 0);
	if (!strstr(err.msg, want))
		fail_msg("'%s' lacks '%s'", err.msg, want);
	assert_int_equal(series.boot_count, before);
}

static void a_boot_is_of_one_state_and_goes_on_while_it_is_the_last(void **state)
{
	struct bench_context first = context_of(0), c = context_of(1);

	(void)state;
	boot("old");
	refused("new", &first,
		"this is still the boot that was 'old' (boot id boot-0): ");
	assert_int_equal(boots_begin(&series, "old", &first, NULL), 0);
	assert_int_equal(series.boot_count, 1);
	strcpy(first.policies[0].governor, "powersave");
	refused("old", &first, "the governor is not what it was when this boot's first ");
	boot("new");
	strcpy(first.policies[0].governor, "schedutil");
	refused("old", &first, "this is boot 1 of the series, and there are later ones");
	assert_int_equal(boots_begin(&series, "new", &c, NULL), 0);
	assert_int_equal(series.boot_count, 2);
}

static void a_boot_that_does_not_go_with_the_others_is_refused(void **state)
{
	struct bench_context c = context_of(9);

	(void)state;
	boot("old");
	refused("", &c, "a state's name has 1 to 31 letters");
	refused("a\nname", &c, "a state's name holds no control characters");
	refused("a name that is rather long for a state", &c, "1 to 31 letters");
	c.virtual_board = true;
	refused("new", &c, "the series is of a real board");
	c = context_of(9);
	strcpy(c.rails[c.rail_count++].name, "ina231");
	refused("new", &c, "the meters are not those of the series' first boot; ");
	c = context_of(9);
	c.boot.id[0] = '\0';
	refused("new", &c, "boot_id cannot be read: boots cannot be told apart");
	for (char name[] = "1"; *name < '8'; ++*name)
		boot(name);
	refused("new", &(struct bench_context){ .boot.id = "x" }, "more than 8 states");
}

static void other_work_is_refused(void **state)
{
	struct bench_series now = series.series[0];
	struct err err;

	(void)state;
	bench_param_add(&series.series[0], "groups", "4");
	bench_param_add(&now, "groups", "5");
	assert_int_equal(boots_same_work(&series, 0, &now, 1, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "messages: groups is '4' in the series, and '5' now: "
			    "not the same work");
	strcpy(now.params[0].value, "4");
	assert_int_equal(boots_same_work(&series, 0, &now, 1, &err), 0);
	assert_int_equal(boots_same_work(&series, 0, &now, 2, &err), -EINVAL);
	strcpy(now.workload, "pipe");
	assert_int_equal(boots_same_work(&series, 0, &now, 1, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "workload 1 of the series is 'messages', and not "
					"'pipe'; "));
}

static void picks_are_of_a_state_or_of_one_boot(void **state)
{
	struct bench_result pick = { .interrupted = false };

	(void)state;
	for (int i = 0; i < 4; i++) {
		boot(i % 2 ? "B" : "A");
		run(10 + i);
		run(20 + i);
	}
	series.boots[1].interrupted = true;
	assert_int_equal(boots_pick(&series, "A", -1, &pick, NULL), 0);
	assert_false(pick.interrupted);
	bench_result_free(&pick);
	assert_int_equal(boots_pick(&series, "B", -1, &pick, NULL), 0);
	assert_true(pick.interrupted);
	assert_int_equal(pick.series[0].iteration_count, 4);
	assert_int_equal(pick.series[0].iterations[2].time_ns, 13);
	assert_string_equal(pick.context.boot.id, "boot-1");
	bench_result_free(&pick);
	assert_int_equal(boots_pick(&series, "B", 3, &pick, NULL), 0);
	assert_int_equal(pick.series[0].iteration_count, 2);
	assert_false(pick.interrupted);
	assert_string_equal(pick.context.boot.id, "boot-3");
	bench_result_free(&pick);
	assert_int_equal(boots_pick(&series, "C", -1, &pick, NULL), -EINVAL);
	bench_result_free(&pick);
}

/* Time's row of the comparison of the series, which the caller frees. */
static const struct comparison_metric *compare(struct comparison *c,
					       struct bench_result picks[2])
{
	const struct comparison_options o = { .metric_count = 0 };

	memset(picks, 0, 2 * sizeof(*picks));
	c->file_count = 2;
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "B" : "A";

		assert_int_equal(boots_pick(&series, name, -1, &picks[i], NULL), 0);
		c->files[i] = (struct comparison_file){ name, &picks[i] };
	}
	assert_int_equal(comparison_make(c, &o, NULL), 0);
	return &c->workloads[0].metrics[0];
}

static void compared_are_the_means_of_boots(void **state)
{
	static const uint64_t times[4][3] = {
		{ 100, 102, 104 },
		{ 111, 113, 115 },
		{ 110, 112, 117 },
		{ 101, 103, 108 },
	};
	static struct bench_result picks[2];
	static struct comparison c;
	const struct comparison_metric *m;

	(void)state;
	for (int i = 0; i < 4; i++) {
		boot(i == 1 || i == 2 ? "B" : "A");
		for (int k = 0; k < 3; k++)
			run(times[i][k]);
	}
	m = compare(&c, picks);
	assert_int_equal(m->sides[0].n, 2);
	assert_true(m->sides[0].values[0] == 102 && m->sides[0].values[1] == 104);
	assert_true(m->sides[0].sum.mean == 103 && m->sides[1].sum.mean == 113);
	assert_int_equal(m->sides[1].versus.a.n, 2);
	assert_int_equal(m->sides[1].each_versus.a.n, 6);
	assert_true(m->sides[1].versus.welch_dof == 1);
	assert_true(comparison_took_turns(&c, 1));
	assert_int_equal(m->sides[1].turns.pairs, 2);
	comparison_free(&c);
	bench_result_free(&picks[0]);
	bench_result_free(&picks[1]);
}

static bool is_b(int boot)
{
	return boot % 4 == 1 || boot % 4 == 2;
}

/* A boot's own mean by 1 %, and iterations of it by 0.5 %; B is @effect lower. */
static void draw(struct rng *rng, int boots, double effect)
{
	struct bench_iteration *it = series.series[0].iterations;

	for (int i = 0; i < 2 * boots; i++) {
		double mean = 1e9 * (is_b(i) ? 1 - effect : 1);

		mean *= 1 + 0.01 * rng_normal(rng);
		for (int k = 0; k < EACH; k++, it++)
			it->time_ns = llround(mean * (1 + 0.005 * rng_normal(rng)));
	}
}

struct counts {
	unsigned int by_boots, by_iterations, by_pairs, drifts, held;
	double could_find;
};

static void count(int runs, int boots, double effect, struct counts *n)
{
	static struct bench_result picks[2];
	static struct comparison c;
	struct rng rng;

	*n = (struct counts){ 0 };
	rng_seed(&rng, 1, boots);
	bench_result_free(&series);
	setup(NULL);
	for (int i = 0; i < 2 * boots; i++) {
		boot(is_b(i) ? "B" : "A");
		for (int k = 0; k < EACH; k++)
			run(1);
	}
	for (int at = 0; at < runs; at++) {
		const struct comparison_metric *m;
		const struct comparison_side *b;

		draw(&rng, boots, effect);
		m = compare(&c, picks);
		b = &m->sides[1];
		n->by_boots += b->versus.welch_p < 0.05;
		n->by_iterations += b->each_versus.welch_p < 0.05;
		n->by_pairs += b->turns.has_paired && b->turns.paired_p < 0.05;
		n->drifts += m->drift.known && m->drift.p < 0.05;
		n->held += b->versus.ci95_pct[0] <= -100 * effect &&
			   b->versus.ci95_pct[1] >= -100 * effect;
		n->could_find += b->versus.detectable_pct / runs;
		comparison_free(&c);
		bench_result_free(&picks[0]);
		bench_result_free(&picks[1]);
	}
	print_message("%d boots of each, effect %.1f %%: found by boots %u, by pairs %u, "
		      "by iterations %u, drift %u of %d; could find %.2f %%\n",
		      boots, 100 * effect, n->by_boots, n->by_pairs, n->by_iterations,
		      n->drifts, runs, n->could_find);
}

/* Nothing was changed, and boots are not alike. */
static void
equal_states_are_told_apart_five_times_in_a_hundred_by_boots_only(void **state)
{
	enum { RUNS = 2000 };
	struct counts n;

	(void)state;
	count(RUNS, BOOTS_ENOUGH, 0, &n);
	assert_in_range(n.by_boots, RUNS * 35 / 1000, RUNS * 65 / 1000);
	assert_in_range(n.by_pairs, RUNS * 35 / 1000, RUNS * 65 / 1000);
	assert_in_range(n.drifts, RUNS * 35 / 1000, RUNS * 65 / 1000);
	assert_int_equal(n.held, RUNS - n.by_boots);
	/* Each boot's five iterations count five times. */
	assert_in_range(n.by_iterations, RUNS * 30 / 100, RUNS * 50 / 100);
	count(RUNS / 2, 2, 0, &n);
	assert_true(n.by_boots <= RUNS / 2 * 65 / 1000);
}

static void an_effect_is_found_by_boots_and_its_interval_holds_it(void **state)
{
	enum { RUNS = 600 };
	struct counts n;
	double enough;

	(void)state;
	count(RUNS, BOOTS_ENOUGH, 0.02, &n);
	assert_in_range(n.held, RUNS * 93 / 100, RUNS * 97 / 100);
	enough = n.could_find;
	count(RUNS, BOOTS_ENOUGH, enough / 100, &n);
	assert_in_range(n.by_boots, RUNS * 75 / 100, RUNS * 87 / 100);
	/* One more of each is worth less than a tenth, the one before was worth more. */
	count(RUNS / 4, BOOTS_ENOUGH + 1, 0.02, &n);
	assert_true(n.could_find > 0.9 * enough);
	count(RUNS / 4, BOOTS_ENOUGH - 1, 0.02, &n);
	assert_true(0.9 * n.could_find > enough);
}

static void make(const char *file)
{
	char *command;

	assert_true(asprintf(&command,
			     "cd '%s' && mkdir -p \"$(dirname %s)\" && printf 1 > %s",
			     files_dir, file, file) > 0);
	assert_int_equal(system(command), 0);
	free(command);
}

#define BASE   "sys/firmware/devicetree/base/"
#define MODELS "sys/kernel/debug/energy_model/"
#define MODEL  MODELS "cpu0/ps:200000/power"

static void the_tree_and_the_model_are_told_by_digests(void **state)
{
	struct boot_facts first, now;
	struct sysfs sys;

	(void)state;
	assert_int_equal(sysfs_init(&sys, files_dir, NULL), 0);
	boot_read(&sys, &first);
	assert_string_equal(first.id, "");
	assert_string_equal(first.tree, "");
	assert_string_equal(first.energy_model, "");
	make(BASE "chosen/bootargs");
	make(BASE "cpus/cpu@0/capacity-dmips-mhz");
	make("sys/kernel/debug/sched/features");
	boot_read(&sys, &first);
	assert_int_equal(strlen(first.tree), BOOT_DIGEST - 1);
	assert_string_equal(first.energy_model, "none");
	/* Some kernels have the folder all the same. */
	make(MODELS "x");
	assert_int_equal(unlink(files_path(files_dir, MODELS "x")), 0);
	boot_read(&sys, &first);
	assert_string_equal(first.energy_model, "none");
	/* A boot loader's business. */
	files_puts(files_dir, BASE "chosen/bootargs", "2");
	make(MODEL);
	boot_read(&sys, &now);
	assert_string_equal(now.tree, first.tree);
	assert_int_equal(strlen(now.energy_model), BOOT_DIGEST - 1);
	files_puts(files_dir, BASE "cpus/cpu@0/capacity-dmips-mhz", "2");
	files_puts(files_dir, MODEL, "2");
	boot_read(&sys, &first);
	assert_string_not_equal(now.tree, first.tree);
	assert_string_not_equal(now.energy_model, first.energy_model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(two_states_come_as_a_b_b_a),
		T(three_states_go_there_and_back_and_one_that_lags_behind_is_first),
		T(a_boot_is_of_one_state_and_goes_on_while_it_is_the_last),
		T(a_boot_that_does_not_go_with_the_others_is_refused),
		T(other_work_is_refused),
		T(picks_are_of_a_state_or_of_one_boot),
		T(compared_are_the_means_of_boots),
		T(equal_states_are_told_apart_five_times_in_a_hundred_by_boots_only),
		T(an_effect_is_found_by_boots_and_its_interval_holds_it),
		T(the_tree_and_the_model_are_told_by_digests),
#undef T
	};

	return cmocka_run_group_tests(tests, files_set_up, files_tear_down);
}
