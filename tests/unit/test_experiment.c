// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop over iterations and workloads, on a virtual board.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boards/board.h"
#include "calib/bench/experiment.h"
#include "tests/unit/files.h"

static struct board board;
static struct bench_result result;
static struct workload_run work[2];

static void begin(struct experiment *x)
{
	const struct site_options so = { .virtual_board = &board, .seed = 1 };
	static const char *const names[] = { "messages:loops=20", "pipe" };

	assert_int_equal(board_load("odroid-xu3", &board, NULL), 0);
	*x = (struct experiment){
		.workloads = work,
		.workload_count = 2,
		.iterations = 3,
		.warmup = 1,
		.result = &result,
	};
	assert_int_equal(site_open(&so, &x->site, NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(workload_parse(names[i], &work[i], NULL), 0);
		site_series(&work[i], &result.series[result.series_count++]);
	}
}

static void end(struct experiment *x)
{
	site_close(x->site);
	bench_result_free(&result);
}

static void workloads_take_turns_and_nobody_has_to_want_messages(void **state)
{
	struct experiment x;

	(void)state;
	begin(&x);
	assert_int_equal(experiment_run(&x, NULL), 0);
	assert_false(result.interrupted);
	for (uint32_t w = 0; w < 2; w++) {
		assert_int_equal(result.series[w].iteration_count, 3);
		for (uint32_t i = 0; i < 3; i++) {
			const struct bench_iteration *it =
				&result.series[w].iterations[i];

			assert_int_equal(it->order, 2 * i + w);
			assert_true(it->time_ns > 0);
		}
	}
	end(&x);
}

static void an_iteration_that_is_not_in_the_file_is_not_counted(void **state)
{
	struct experiment x;
	char path[600];

	(void)state;
	begin(&x);
	snprintf(path, sizeof(path), "%s", files_path(files_dir, "r.json"));
	x.output = path;
	/* No number of that size is taken. */
	result.context.virtual_board = true;
	result.context.seed = UINT64_MAX;
	assert_int_equal(experiment_run(&x, NULL), -EINVAL);
	assert_int_equal(result.series[0].iteration_count, 0);
	assert_true(result.interrupted);
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workloads_take_turns_and_nobody_has_to_want_messages),
		cmocka_unit_test(an_iteration_that_is_not_in_the_file_is_not_counted),
	};

	return cmocka_run_group_tests(tests, files_set_up, files_tear_down);
}
