// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RUN/plan.json, and which windows of a plan are missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>

#include "calib/measure/resume.h"
#include "calib/samples.h"
#include "tests/unit/files.h"

#define SEED 7

struct fixture {
	char *dir, run[256];
	struct runinfo info;
	struct plan plan;
	struct session session;
	struct resume re;
	struct err err;
};

static void make_plan(struct fixture *f)
{
	const struct plan_options opts = {
		.cpus = "0-2", .loads = "int,fp", .rounds = 2, .seed = SEED
	};

	plan_free(&f->plan);
	assert_int_equal(plan_make(&opts, &f->info, 0, &f->plan, &f->err), 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->dir = files_folder();
	snprintf(f->run, sizeof(f->run), "%s/run", f->dir);
	f->info.cluster_count = 1;
	strcpy(f->info.board, "bench");
	strcpy(f->info.clusters[0].name, "big");
	f->info.clusters[0].cpu_count = 2;
	f->info.clusters[0].opp_count = 3;
	for (unsigned int i = 0; i < 3; i++)
		f->info.clusters[0].opps[i].khz = 100000 * (i + 1);
	make_plan(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	plan_free(&f->plan);
	resume_free(&f->re);
	session_close(&f->session, NULL);
	files_remove(f->dir);
	free(f);
	return 0;
}

static void open_session(struct fixture *f)
{
	session_close(&f->session, NULL);
	assert_int_equal(session_open(&f->session, f->run, &f->info, false, &f->err), 0);
}

/* Rows for windows @from up to @to of the plan, into a run that begins there. */
static void measure(struct fixture *f, size_t from, size_t to)
{
	struct sample row = { .cluster = "big", .power_uw = 1 };

	open_session(f);
	assert_int_equal(session_begin(&f->session, &f->err), 0);
	for (size_t i = from; i < to; i++) {
		const struct plan_window *w = &f->plan.windows[i];

		row.time_ns++;
		row.opp_khz = row.freq_khz = w->khz;
		row.cpu_count = w->cpu_count;
		strcpy(row.load, w->load);
		assert_int_equal(session_append(&f->session, &row, &f->err), 0);
	}
	open_session(f);
}

static void record(struct fixture *f, uint64_t first_row)
{
	struct resume re = { .first_row = first_row };

	re.options[re.option_count++] = (struct resume_option){ "loads", "int,fp" };
	re.options[re.option_count++] = (struct resume_option){ "dry", "" };
	resume_add_cluster(&re, "big", SEED, &f->plan);
	assert_int_equal(resume_write(f->run, &re, &f->err), 0);
	assert_int_equal(resume_read(f->run, &f->re, &f->err), 0);
}

static void a_plan_is_read_as_it_was_written(void **state)
{
	struct fixture *f = *state;

	measure(f, 0, 0);
	record(f, 42);
	assert_int_equal(f->re.first_row, 42);
	assert_int_equal(f->re.option_count, 2);
	assert_string_equal(f->re.options[0].name, "loads");
	assert_string_equal(f->re.options[0].text, "int,fp");
	assert_string_equal(f->re.options[1].text, "");
	assert_int_equal(f->re.cluster_count, 1);
	assert_string_equal(f->re.clusters[0].name, "big");
	assert_int_equal(f->re.clusters[0].seed, SEED);
	assert_int_equal(f->re.clusters[0].windows, f->plan.count);
}

static void what_is_missing_is_the_rest_in_the_same_order(void **state)
{
	struct fixture *f = *state;
	struct plan whole = { 0 };
	size_t count = f->plan.count;

	/* 3 operating points, 2 rounds, idle and two counts with two loads. */
	assert_int_equal(count, 30);
	for (size_t done = 0; done <= count; done += 7) {
		measure(f, f->session.rows, done);
		record(f, 0);
		whole = f->plan;
		f->plan.windows = NULL;
		make_plan(f);
		assert_int_equal(
			resume_drop_done(&f->re, 0, &f->session, &f->plan, &f->err), 0);
		/* A window that both rounds have is done once in the first. */
		assert_int_equal(f->plan.count, count - done);
		for (size_t i = 0; i < f->plan.count; i++) {
			assert_int_equal(f->plan.windows[i].khz,
					 whole.windows[done + i].khz);
			assert_int_equal(f->plan.windows[i].cpu_count,
					 whole.windows[done + i].cpu_count);
			assert_string_equal(f->plan.windows[i].load,
					    whole.windows[done + i].load);
			assert_int_equal(f->plan.windows[i].visit,
					 whole.windows[done + i].visit);
		}
		plan_free(&whole);
		resume_free(&f->re);
		make_plan(f);
	}
}

static void rows_of_rounded_clocks_are_of_the_point_below(void **state)
{
	struct fixture *f = *state;
	size_t count = f->plan.count;

	for (size_t i = 0; i < count; i++)
		f->plan.windows[i].khz += 78000;
	measure(f, 0, 8);
	make_plan(f);
	record(f, 0);
	assert_int_equal(resume_drop_done(&f->re, 0, &f->session, &f->plan, &f->err), 0);
	assert_int_equal(f->plan.count, count - 8);
}

static void visits_are_counted_that_are_left(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->plan.visit_count, 6);
	measure(f, 0, 8);
	record(f, 0);
	assert_int_equal(resume_drop_done(&f->re, 0, &f->session, &f->plan, &f->err), 0);
	assert_int_equal(f->plan.visit_count, 5);
	assert_int_equal(f->plan.least_visits, 5);
	assert_int_equal(f->plan.least_count, 22);
}

static void rounds_that_may_not_be_needed_stay_so(void **state)
{
	struct fixture *f = *state;
	const struct plan_options opts = { .cpus = "0-1", .rounds = 2, .max_rounds = 5 };

	plan_free(&f->plan);
	assert_int_equal(plan_make(&opts, &f->info, 0, &f->plan, &f->err), 0);
	assert_int_equal(f->plan.least_count, 12);
	assert_int_equal(f->plan.count, 30);
	measure(f, 0, 5);
	record(f, 0);
	assert_int_equal(f->re.clusters[0].windows, 12);
	assert_int_equal(resume_drop_done(&f->re, 0, &f->session, &f->plan, &f->err), 0);
	assert_int_equal(f->plan.least_count, 7);
	assert_int_equal(f->plan.least_visits, 4);
	assert_int_equal(f->plan.count, 25);
	assert_int_equal(f->plan.visit_count, 13);
}

static void a_window_lost_in_between_is_missing(void **state)
{
	struct fixture *f = *state;
	struct plan_window lost = f->plan.windows[3];

	measure(f, 0, 3);
	measure(f, 4, f->plan.count);
	record(f, 0);
	assert_int_equal(resume_drop_done(&f->re, 0, &f->session, &f->plan, &f->err), 0);
	assert_int_equal(f->plan.count, 1);
	assert_int_equal(f->plan.windows[0].khz, lost.khz);
	assert_int_equal(f->plan.windows[0].cpu_count, lost.cpu_count);
}

static void rows_from_before_the_plan_do_not_count(void **state)
{
	struct fixture *f = *state;

	measure(f, 0, 10);
	record(f, 10);
	measure(f, 0, 4);
	assert_int_equal(f->session.rows, 14);
	assert_int_equal(resume_drop_done(&f->re, 0, &f->session, &f->plan, &f->err), 0);
	assert_int_equal(f->plan.count, 26);
}

static void half_a_row_does_not_count(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	measure(f, 0, 5);
	assert_int_equal(stat(f->session.samples, &st), 0);
	assert_int_equal(truncate(f->session.samples, st.st_size - 1), 0);
	open_session(f);
	record(f, 0);
	assert_int_equal(resume_drop_done(&f->re, 0, &f->session, &f->plan, &f->err), 0);
	assert_int_equal(f->plan.count, 26);
}

static void another_plan_is_refused(void **state)
{
	struct fixture *f = *state;

	measure(f, 0, 5);
	record(f, 0);
	f->plan.windows[7].cpu_count ^= 1;
	assert_int_equal(resume_drop_done(&f->re, 0, &f->session, &f->plan, &f->err),
			 -EINVAL);
	assert_non_null(strstr(f->err.msg, "the plan of cluster 'big' in '"));
	assert_non_null(strstr(f->err.msg, "cannot be made again"));
}

static void a_run_that_lost_rows_is_refused(void **state)
{
	struct fixture *f = *state;

	measure(f, 0, 5);
	record(f, 6);
	assert_int_equal(resume_drop_done(&f->re, 0, &f->session, &f->plan, &f->err),
			 -EINVAL);
	assert_non_null(strstr(f->err.msg, "has 5 rows, and had 6"));
}

static void a_missing_or_damaged_plan_is_told(void **state)
{
	static const char *const bad[] = {
		"{",
		"[]",
		"{}",
		"{\"schema\": \"calib-plan/9\"}",
		"{\"schema\": \"calib-plan/1\", \"first-row\": -1}",
		"{\"schema\": \"calib-plan/1\", \"first-row\": 0, \"options\": [1], "
		"\"clusters\": []}",
		"{\"schema\": \"calib-plan/1\", \"first-row\": 0, \"options\": [], "
		"\"clusters\": []}",
		"{\"schema\": \"calib-plan/1\", \"first-row\": 0, \"options\": [], "
		"\"clusters\": [{\"name\": \"big\", \"seed\": 1, \"windows\": 2}]}",
		"{\"schema\": \"calib-plan/1\", \"first-row\": 0, \"options\": [], "
		"\"clusters\": [{}], \"more\": 1}",
	};
	struct fixture *f = *state;

	assert_int_equal(resume_read(f->run, &f->re, &f->err), -ENOENT);
	assert_int_equal(mkdir(f->run, 0755), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		files_puts(f->dir, "run/plan.json", bad[i]);
		if (resume_read(f->run, &f->re, &f->err) != -EINVAL)
			fail_msg("%s was taken", bad[i]);
		assert_non_null(strstr(f->err.msg, "run/plan.json"));
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_plan_is_read_as_it_was_written),
		T(what_is_missing_is_the_rest_in_the_same_order),
		T(visits_are_counted_that_are_left),
		T(rows_of_rounded_clocks_are_of_the_point_below),
		T(rounds_that_may_not_be_needed_stay_so),
		T(a_window_lost_in_between_is_missing),
		T(rows_from_before_the_plan_do_not_count),
		T(half_a_row_does_not_count),
		T(another_plan_is_refused),
		T(a_run_that_lost_rows_is_refused),
		T(a_missing_or_damaged_plan_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
