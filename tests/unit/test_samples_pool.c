// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Means in place of rows: what becomes one, what does not, and that the fit of the means
 * is that of the rows.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "calib/samples_pool.h"
#include "tests/bench/coverage.h"

#define ROWS	20000 /* bench_stream does 100,000 */
#define REPEATS 20

static struct sample row(unsigned int count, uint32_t khz, int64_t uw, uint32_t line)
{
	return (struct sample){ .cluster = "x",
				.load = "int",
				.opp_khz = khz,
				.freq_khz = khz,
				.volt_uv = 1000000,
				.cpu_count = count,
				.util_pct = 100.0 * count,
				.power_uw = uw,
				.temp_mc = 40000,
				.work = 7,
				.line = line };
}

/* @n rows, as whatever is wrong with them. */
static void add(struct samples *s, struct sample r, size_t n)
{
	while (n--)
		assert_int_equal(samples_append(s, &r), 0);
}

static void few_rows_stay_as_they_are(void **state)
{
	struct samples s = { .may_pool = true };

	(void)state;
	add(&s, row(1, 1000000, 500, 2), SAMPLES_WHOLE);
	assert_null(s.pool);
	assert_int_equal(samples_pool_finish(&s), 0);
	assert_int_equal(s.count, SAMPLES_WHOLE);
	assert_int_equal(s.pooled, 0);
	samples_free(&s);
}

static size_t windows(const struct samples *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->count; i++)
		n += s->rows[i].windows;
	return n;
}

static void no_window_is_lost_and_no_kind_is_mixed(void **state)
{
	struct samples s = { .may_pool = true };
	struct sample flagged = row(1, 1000000, 9, 5), bare = row(1, 1000000, 500, 6);
	size_t i;

	(void)state;
	flagged.flags = SAMPLE_STALE;
	bare.volt_uv = 0;
	for (i = 0; i < 500; i++) {
		add(&s, row(0, 1000000, 100, 2), 40);
		add(&s, row(1, 1000000, 500, 3), 41);
		add(&s, flagged, 1);
		add(&s, bare, 1);
		add(&s, row(1, 2000000, 900, 4), 7);
	}
	assert_int_equal(samples_pool_finish(&s), 0);
	assert_int_equal(s.pooled, 500 * 90);
	assert_int_equal(windows(&s), s.pooled);
	assert_int_equal(s.spike_count, 0);
	assert_in_range(s.count, 500, SAMPLES_WHOLE);
	for (i = 0; i < s.count; i++) {
		const struct sample *r = &s.rows[i];
		int64_t want = r->flags		       ? 9
			       : !r->cpu_count	       ? 100
			       : r->opp_khz == 1000000 ? 500
						       : 900;

		assert_int_equal(r->power_uw, want);
		assert_int_equal(r->work, 7 * r->windows);
		assert_true(!r->volt_uv || r->volt_uv == 1000000);
	}
	samples_free(&s);
}

static void what_stands_out_is_in_no_mean(void **state)
{
	struct samples s = { .may_pool = true };
	size_t i;

	(void)state;
	for (i = 0; i < 40000; i++)
		add(&s, row(1, 1000000, i % 100 == 50 ? 1400 : 990 + i % 20, i + 2), 1);
	assert_int_equal(samples_pool_finish(&s), 0);
	assert_int_equal(s.spike_count, 400);
	assert_int_equal(s.spikes[0].line, 52);
	assert_int_equal(windows(&s), 40000 - 400);
	for (i = 0; i < s.count; i++)
		assert_in_range(s.rows[i].power_uw, 990, 1010);
	samples_free(&s);
}

static void means_are_bounded_and_visits_merge(void **state)
{
	struct samples s = { .may_pool = true };
	size_t i, visits = 1;

	(void)state;
	/* One row per visit: 200,000 visits. */
	for (i = 0; i < 200000; i++)
		add(&s, row(i / 2 % 2, i % 2 ? 1000000 : 2000000, 1000, i + 2), 1);
	assert_int_equal(samples_pool_finish(&s), 0);
	assert_int_equal(windows(&s), 200000);
	assert_true(s.count <= SAMPLES_WHOLE && s.cap <= SAMPLES_WHOLE);
	for (i = 1; i < s.count; i++) {
		assert_true(s.rows[i].visit >= s.rows[i - 1].visit);
		visits += s.rows[i].visit != s.rows[i - 1].visit;
	}
	assert_in_range(visits, 100, SAMPLES_WHOLE);
	samples_free(&s);
}

static void too_many_kinds_are_refused(void **state)
{
	struct samples s = { .may_pool = true };
	int ret = 0;
	size_t i;

	(void)state;
	for (i = 0; i < 3 * SAMPLES_WHOLE && !ret; i++) {
		struct sample r = row(1, 1000 + i, 1000, 2);

		ret = samples_append(&s, &r);
	}
	if (!ret)
		ret = samples_pool_finish(&s);
	assert_int_equal(ret, -E2BIG);
	samples_free(&s);
}

/* Visits with REPEATS windows of each CPU count, with all effects, until there are @n. */
static void make(struct sample *rows, size_t n, double *c)
{
	struct cov_cluster k = cov_cluster(1);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct cov_world w = { &k, COV_ALL, rng, COV_AMBIENT + 5, COV_AMBIENT, 0 };
	size_t i, per_visit = REPEATS * (k.cpus + 1);
	unsigned int opp = 0;
	double offset = 0;

	*c = k.c;
	for (i = 0; i < n; i++) {
		if (i % per_visit == 0) {
			opp = gsl_rng_uniform_int(rng, k.opps);
			offset = gsl_ran_gaussian(rng, 10 * k.c);
		}
		cov_window(&w, opp, i % per_visit / REPEATS, offset, &rows[i]);
		rows[i].line = i + 2;
	}
	gsl_rng_free(rng);
}

static void fit(const struct sample *rows, size_t n, struct power_fit *f)
{
	struct power_select sel = { .cluster = "x",
				    .load = "int",
				    .volt_measured = true };
	struct err err = { "" };
	struct power_data d;

	assert_int_equal(power_data_init(&d, rows, n, &sel, &err), 0);
	if (power_fit_with(power_method_find("structured"), &d, f, &err)) {
		print_error("%s\n", err.msg);
		fail();
	}
	power_data_free(&d);
}

static void the_fit_of_means_is_that_of_the_rows(void **state)
{
	size_t n = ROWS, i;
	struct sample *rows = calloc(n, sizeof(*rows));
	struct samples s = { .may_pool = true };
	struct power_fit whole, means;
	double c;

	(void)state;
	assert_non_null(rows);
	make(rows, n, &c);
	for (i = 0; i < n; i++)
		add(&s, rows[i], 1);
	assert_int_equal(samples_pool_finish(&s), 0);
	fit(s.rows, s.count, &means);
	fit(rows, n, &whole);
	print_message("C %.2f; rows %.4f +- %.4f, %zu means %.4f +- %.4f\n", c, whole.c,
		      whole.se, s.count, means.c, means.se);
	/* What is claimed: 0.1 %, and no more than errors tell. */
	assert_true(fabs(means.c / whole.c - 1) < 0.001);
	assert_true(fabs(means.c - whole.c) < 3 * hypot(means.se, whole.se));
	assert_true(means.ci95[0] < c && c < means.ci95[1]);
	samples_free(&s);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_rows_stay_as_they_are),
		cmocka_unit_test(no_window_is_lost_and_no_kind_is_mixed),
		cmocka_unit_test(what_stands_out_is_in_no_mean),
		cmocka_unit_test(means_are_bounded_and_visits_merge),
		cmocka_unit_test(too_many_kinds_are_refused),
		cmocka_unit_test(the_fit_of_means_is_that_of_the_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
