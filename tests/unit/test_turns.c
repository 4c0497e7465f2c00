// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two sides that take turns on a virtual board: their order, and whether what is told of
 * them is true: 5 % are 5 %, an effect that is there is found.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boards/board.h"
#include "calib/bench/comparison.h"
#include "calib/bench/turns.h"
#include "tests/unit/files.h"

#define RSD 0.0137

static struct board board;

static int find_board(void **state)
{
	bool is_virtual;

	assert_int_equal(board_open("virtual:odroid-xu3", &board, &is_virtual, NULL), 0);
	assert_true(is_virtual);
	return files_set_up(state);
}

/* An experiment on the board's twin number @seed. */
struct lab {
	struct workload_run work[2];
	struct bench_result results[2];
	struct site *site;
	struct turns turns;
};

static void lab_open(struct lab *lab, uint64_t seed, const char *a, const char *b)
{
	const struct site_options so = {
		.virtual_board = &board,
		.seed = seed,
		.rsd = RSD,
	};

	memset(lab, 0, sizeof(*lab));
	assert_int_equal(site_open(&so, &lab->site, NULL), 0);
	lab->turns = (struct turns){ .site = lab->site, .iterations = 10 };
	for (int i = 0; i < 2; i++) {
		assert_int_equal(workload_parse(i ? b : a, &lab->work[i], NULL), 0);
		assert_int_equal(site_prepare(lab->site, &lab->work[i], NULL), 0);
		lab->results[i].series_count = 1;
		lab->turns.sides[i].workload = &lab->work[i];
		lab->turns.sides[i].result = &lab->results[i];
	}
}

/* The same site again, with empty results. */
static void lab_clear(struct lab *lab)
{
	for (int i = 0; i < 2; i++) {
		bench_result_free(&lab->results[i]);
		lab->results[i].series_count = 1;
		strcpy(lab->results[i].series[0].workload, "both");
	}
}

static void lab_close(struct lab *lab)
{
	lab_clear(lab);
	site_close(lab->site);
}

static void compare_both(const struct lab *lab, const char *metric, struct comparison *c)
{
	const struct comparison_options o = { &metric, 1, false };
	struct err err = { "" };

	memset(c, 0, sizeof(*c));
	c->file_count = 2;
	for (int i = 0; i < 2; i++)
		c->files[i] = (struct comparison_file){ "x", &lab->results[i] };
	if (comparison_make(c, &o, &err))
		fail_msg("%s", err.msg);
}

static void abba_begins_every_other_pair_with_b(void **state)
{
	unsigned int b_first = 0, changes = 0;

	(void)state;
	assert_false(turns_b_first(TURNS_ABBA, 0, 0));
	assert_true(turns_b_first(TURNS_ABBA, 0, 1));
	assert_false(turns_b_first(TURNS_ABBA, 9, 2));
	for (uint32_t pair = 0; pair < 1000; pair++) {
		b_first += turns_b_first(TURNS_RANDOM, 1, pair);
		changes += turns_b_first(TURNS_RANDOM, 1, pair) !=
			   turns_b_first(TURNS_RANDOM, 1, pair + 1);
	}
	assert_in_range(b_first, 450, 550);
	assert_in_range(changes, 450, 550);
}

static void orders_labels_and_context_tell_the_turns(void **state)
{
	static const uint32_t a[] = { 0, 3, 4 }, b[] = { 1, 2, 5 };
	static struct lab lab;

	(void)state;
	lab_open(&lab, 1, "messages:loops=20", "pipe");
	lab.turns.iterations = 3;
	lab.turns.warmup = 2;
	strcpy(lab.turns.sides[1].knobs.governor, "performance");
	assert_int_equal(turns_run(&lab.turns, NULL), 0);
	for (int i = 0; i < 2; i++) {
		const struct bench_result *r = &lab.results[i];

		assert_true(r->context.virtual_board);
		assert_string_equal(r->context.policies[0].governor,
				    i ? "performance" : "schedutil");
		assert_false(r->interrupted);
		assert_int_equal(r->series[0].iteration_count, 3);
		for (int k = 0; k < 3; k++) {
			const struct bench_iteration *it = &r->series[0].iterations[k];

			assert_int_equal(it->order, i ? b[k] : a[k]);
			assert_string_equal(it->label, i ? "B" : "A");
			assert_true(it->time_ns > 0);
		}
	}
	/* One clock for both. */
	assert_true(lab.results[1].series[0].iterations[0].start_ns >
		    lab.results[0].series[0].iterations[0].start_ns);
	assert_true(lab.results[1].series[0].iterations[2].start_ns >
		    lab.results[0].series[0].iterations[2].start_ns);
	lab_close(&lab);
}

static void both_files_are_kept_and_not_interrupted_at_the_end(void **state)
{
	static struct bench_result back;
	static struct lab lab;
	char path[2][600];

	(void)state;
	lab_open(&lab, 1, "messages:loops=20", "messages:loops=20");
	lab_clear(&lab);
	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof(path[i]), "%s",
			 files_path(files_dir, i ? "b.json" : "a.json"));
		lab.turns.sides[i].output = path[i];
	}
	assert_int_equal(turns_run(&lab.turns, NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(bench_result_read(path[i], &back, NULL), 0);
		assert_int_equal(back.series[0].iteration_count, 10);
		assert_false(back.interrupted);
		bench_result_free(&back);
	}
	/* One that cannot be written is refused before anything runs. */
	lab_clear(&lab);
	lab.turns.sides[1].output = "/nowhere/b.json";
	assert_int_equal(turns_run(&lab.turns, &(struct err){ "" }), -ENOENT);
	assert_int_equal(lab.results[0].series[0].iteration_count, 0);
	assert_int_equal(lab.results[1].series[0].iteration_count, 0);
	lab_close(&lab);
}

/*
 * 1000 experiments, each told by its times and by its energies. Iterations take 11 s, as
 * the board's meters are new every 0.28 s: of shorter ones the energy depends on how they
 * lie to the readings, which repeats itself and is not independent from one to the next.
 */
static void
equal_sides_of_a_virtual_board_are_told_apart_in_five_of_a_hundred(void **state)
{
	enum { RUNS = 1000 };
	static const char *const metrics[] = { "time", "energy" };
	unsigned int welch[2] = { 0 }, rank[2] = { 0 }, paired[2] = { 0 };
	static struct comparison c;
	static struct lab lab;

	(void)state;
	lab_open(&lab, 1, "messages:loops=5000", "messages:loops=5000");
	for (int run = 0; run < RUNS; run++) {
		lab_clear(&lab);
		assert_int_equal(turns_run(&lab.turns, NULL), 0);
		for (int m = 0; m < 2; m++) {
			const struct comparison_side *side;

			compare_both(&lab, metrics[m], &c);
			side = &c.workloads[0].metrics[0].sides[1];
			welch[m] += side->versus.welch_p < 0.05;
			rank[m] += side->versus.rank_p < 0.05;
			paired[m] += side->turns.paired_p < 0.05;
			comparison_free(&c);
		}
	}
	for (int m = 0; m < 2; m++) {
		print_message("%s: told apart of %d: %u by Welch, %u by ranks, %u by "
			      "pairs\n",
			      metrics[m], RUNS, welch[m], rank[m], paired[m]);
		assert_in_range(welch[m], RUNS * 35 / 1000, RUNS * 65 / 1000);
		assert_in_range(rank[m], RUNS * 35 / 1000, RUNS * 65 / 1000);
	}
	lab_close(&lab);
}

static void an_effect_on_a_virtual_board_is_found(void **state)
{
	static struct comparison c;
	static struct lab lab;

	(void)state;
	/* 9.2 % less work, in each of 20 experiments */
	lab_open(&lab, 2, "messages:loops=1000", "messages:loops=908");
	for (int run = 0; run < 20; run++) {
		const struct comparison_side *side;

		lab_clear(&lab);
		assert_int_equal(turns_run(&lab.turns, NULL), 0);
		for (int m = 0; m < 2; m++) {
			compare_both(&lab, m ? "energy" : "time", &c);
			side = &c.workloads[0].metrics[0].sides[1];
			assert_true(side->versus.welch_p < 0.001);
			assert_true(side->versus.rank_p < 0.001);
			assert_true(side->versus.ci95_pct[0] < -7);
			assert_true(side->versus.ci95_pct[1] > -11.5);
			comparison_free(&c);
		}
	}
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(abba_begins_every_other_pair_with_b),
		cmocka_unit_test(orders_labels_and_context_tell_the_turns),
		cmocka_unit_test(both_files_are_kept_and_not_interrupted_at_the_end),
		cmocka_unit_test(
			equal_sides_of_a_virtual_board_are_told_apart_in_five_of_a_hundred),
		cmocka_unit_test(an_effect_on_a_virtual_board_is_found),
	};

	return cmocka_run_group_tests(tests, find_board, files_tear_down);
}
