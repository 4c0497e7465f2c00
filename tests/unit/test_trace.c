// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readings of one window to their mean and error, against results by hand and simulated
 * truth.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "boards/rng.h"
#include "models/lsq.h"
#include "models/trace.h"

#define POLL_NS 10000000u
#define MANY	1000000u

static const struct trace_meter unknown_meter;

static void assert_near(double is, double want, double within)
{
	if (fabs(is - want) <= within)
		return;
	print_error("%.6g is not %.6g +- %.2g\n", is, want, within);
	fail();
}

/* Stationary, mean 0, standard deviation 1, lag-1 correlation @phi. */
static void ar1(struct rng *rng, double phi, double *x, size_t n)
{
	x[0] = rng_normal(rng);
	for (size_t i = 1; i < n; i++)
		x[i] = phi * x[i - 1] + sqrt(1 - phi * phi) * rng_normal(rng);
}

/* The caller frees it. */
static struct trace_reading *readings_of(const double *x, size_t n)
{
	struct trace_reading *r = calloc(n, sizeof(*r));

	assert_non_null(r);
	for (size_t i = 0; i < n; i++)
		r[i] = (struct trace_reading){ (i + 1) * (uint64_t)POLL_NS, x[i], 0 };
	return r;
}

static struct trace_mean reduced(const double *x, size_t n)
{
	struct trace_reading *r = readings_of(x, n);
	struct trace_mean m;

	assert_int_equal(trace_reduce(r, n, &unknown_meter, NULL, &m, NULL), 0);
	free(r);
	return m;
}

static void mser5_cuts_the_batch_that_raises_the_error(void **state)
{
	/* Batch means 9 1 2 1 2 1 2 1: ss / k^2 is 0.811 with all, 0.0350 without the
	 * first, 0.0417 without the second, 0.0480 without the third. */
	static const double means[] = { 9, 1, 2, 1, 2, 1, 2, 1 };
	double x[42];

	(void)state;
	for (size_t i = 0; i < 42; i++)
		x[i] = means[i / 5 < 8 ? i / 5 : 7] + (i % 5 == 0) - (i % 5 == 4);
	assert_int_equal(trace_mser5(x, 40), 5);
	/* Readings that fill no batch decide nothing. */
	x[40] = x[41] = 1000;
	assert_int_equal(trace_mser5(x, 42), 5);
	assert_int_equal(trace_mser5(x, 19), 0);
}

static void mser5_cuts_half_at_most(void **state)
{
	double x[100];

	(void)state;
	for (size_t i = 0; i < 100; i++)
		x[i] = i;
	assert_int_equal(trace_mser5(x, 100), 50);
}

static void effective_number_is_what_geyer_s_sum_gives(void **state)
{
	/* 1 1 -1 -1 ...: autocovariances 12, 1, -10, -1 (each times 12), so the pairs are
	 * 13 and -11, and the sum ends with the first: 12 / (2 * 13 / 12 - 1). */
	double x[12], effective;

	(void)state;
	for (size_t i = 0; i < 12; i++)
		x[i] = i % 4 < 2 ? 1 : -1;
	assert_int_equal(trace_effective(x, 12, &effective), 0);
	assert_near(effective, 12 / (26.0 / 12 - 1), 1e-9);
}

static void effective_number_of_ar1_is_within_a_few_percent(void **state)
{
	static const double phis[] = { 0, 0.3, 0.5, 0.9, 0.95 };
	const size_t n = 200000;
	double *x = calloc(n, sizeof(*x)), effective;

	(void)state;
	for (size_t k = 0; k < sizeof(phis) / sizeof(phis[0]); k++) {
		double want = n * (1 - phis[k]) / (1 + phis[k]), sum = 0;
		struct rng rng;

		for (unsigned int seed = 0; seed < 4; seed++) {
			rng_seed(&rng, seed, k);
			ar1(&rng, phis[k], x, n);
			assert_int_equal(trace_effective(x, n, &effective), 0);
			sum += effective / 4;
		}
		assert_near(sum / want, 1, phis[k] > 0.9 ? 0.05 : 0.03);
	}
	free(x);
}

/* Readings that fall when they rose before are worth more, which is not counted on. */
static void effective_number_is_never_more_than_there_are(void **state)
{
	double x[1000], effective;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1, 0);
	ar1(&rng, -0.8, x, 1000);
	assert_int_equal(trace_effective(x, 1000, &effective), 0);
	assert_near(effective, 1000, 0);
}

/* How many of 1000 windows of AR(1) have the truth within their 95 % interval. */
static unsigned int covered(double phi, size_t n, bool plain)
{
	unsigned int hits = 0;
	double x[400];

	for (unsigned int seed = 0; seed < 1000; seed++) {
		struct trace_mean m;
		struct rng rng;
		double se, dof;

		rng_seed(&rng, seed, 7);
		ar1(&rng, phi, x, n);
		m = reduced(x, n);
		se = plain ? m.sd_uw / sqrt(m.count[TRACE_USED]) : m.se_uw;
		dof = plain ? n - 1 : fmax(m.effective - 1, 1);
		hits += fabs(m.power_uw) <= lsq_t975(dof) * se;
	}
	return hits;
}

static void intervals_of_correlated_windows_hold_the_truth(void **state)
{
	(void)state;
	assert_in_range(covered(0, 40, false), 930, 970);
	assert_in_range(covered(0.5, 100, false), 915, 970);
	assert_in_range(covered(0.8, 400, false), 915, 970);
	/* What independence would promise. */
	assert_in_range(covered(0.5, 100, true), 650, 800);
	assert_in_range(covered(0.8, 400, true), 400, 550);
}

static void white_noise_keeps_its_readings(void **state)
{
	size_t cut = 0, spikes = 0, repeats = 0, lengths[] = { 10, 40, 200, 1000 };
	double x[1000];

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		size_t n = lengths[k];

		cut = spikes = repeats = 0;
		for (unsigned int seed = 0; seed < 200; seed++) {
			struct trace_mean m;
			struct rng rng;

			rng_seed(&rng, seed, 3);
			ar1(&rng, 0, x, n);
			m = reduced(x, n);
			cut += m.count[TRACE_WARMUP];
			spikes += m.count[TRACE_SPIKE];
			repeats += m.count[TRACE_REPEAT];
			assert_false(m.unsettled);
		}
		assert_true(cut <= 0.01 * 200 * n);
		assert_true(spikes <= 0.002 * 200 * n);
		assert_int_equal(repeats, 0);
	}
}

static void warm_up_is_cut_and_the_mean_is_that_of_the_rest(void **state)
{
	double plain = 0, cut = 0, x[400];

	(void)state;
	for (unsigned int seed = 0; seed < 100; seed++) {
		struct trace_mean m;
		struct rng rng;

		rng_seed(&rng, seed, 4);
		ar1(&rng, 0, x, 400);
		for (size_t i = 0; i < 400; i++) {
			x[i] += 1000 + 50 * exp(-(double)i / 20);
			plain += x[i] / 400 / 100;
		}
		m = reduced(x, 400);
		assert_in_range(m.count[TRACE_WARMUP], 60, 195);
		assert_false(m.unsettled);
		cut += m.power_uw / 100;
	}
	assert_near(plain, 1002.56, 0.05);
	assert_near(cut, 1000, 0.1);
}

static void what_warms_up_to_the_end_is_unsettled(void **state)
{
	double x[200];

	(void)state;
	for (size_t i = 0; i < 200; i++)
		x[i] = 1000 + i;
	assert_true(reduced(x, 200).unsettled);
}

static void spikes_are_named_and_left_out(void **state)
{
	enum trace_fate fate[100];
	struct trace_reading *r;
	struct trace_mean m;
	struct rng rng;
	double x[100];

	(void)state;
	rng_seed(&rng, 5, 0);
	ar1(&rng, 0, x, 100);
	for (size_t i = 0; i < 100; i++)
		x[i] = 1000 + 10 * x[i];
	x[0] = 1400;
	x[41] = 600;
	x[42] = 1400;
	r = readings_of(x, 100);
	assert_int_equal(trace_reduce(r, 100, &unknown_meter, fate, &m, NULL), 0);
	assert_int_equal(m.count[TRACE_SPIKE], 3);
	assert_int_equal(m.count[TRACE_USED], 97);
	assert_int_equal(fate[0], TRACE_SPIKE);
	assert_int_equal(fate[41], TRACE_SPIKE);
	assert_int_equal(fate[42], TRACE_SPIKE);
	assert_near(m.power_uw, 1000, 3);
	free(r);
}

/* A task that runs every sixth reading belongs to what the machine draws. */
static void what_happens_often_is_no_spike(void **state)
{
	double x[120], sum = 0;
	struct trace_mean m;

	(void)state;
	for (size_t i = 0; i < 120; i++) {
		x[i] = 1000 + (i * 7 % 5) + (i % 6 == 0 ? 400 : 0);
		sum += x[i];
	}
	m = reduced(x, 120);
	assert_int_equal(m.count[TRACE_SPIKE], 0);
	assert_near(m.power_uw, sum / 120, 1e-9);
}

/* A meter with large steps, of which the noise is a part only. */
static void steps_of_a_coarse_meter_are_no_spikes_and_no_repeats(void **state)
{
	struct trace_meter coarse = { 0, 25000 };
	struct trace_reading *r;
	struct trace_mean m;
	struct rng rng;
	double x[400];

	(void)state;
	rng_seed(&rng, 6, 0);
	for (size_t i = 0; i < 400; i++)
		x[i] = 25000 * round((60000 + 12000 * rng_normal(&rng)) / 25000);
	r = readings_of(x, 400);
	assert_int_equal(trace_reduce(r, 400, &coarse, NULL, &m, NULL), 0);
	assert_int_equal(m.count[TRACE_USED], 400);
	assert_near(m.power_uw, 60000, 3000);
	free(r);
}

/* Polled every 10 ms; the gauge updates every @update_ns. Returns how many are repeats.
 */
static size_t poll_gauge(struct trace_reading *r, size_t n, double update_ns)
{
	size_t repeats = 0, last = SIZE_MAX;
	struct rng rng;

	rng_seed(&rng, 8, 0);
	for (size_t i = 0; i < n; i++) {
		size_t update = i * (double)POLL_NS / update_ns;

		r[i] = (struct trace_reading){ i * (uint64_t)POLL_NS, 0, 0 };
		r[i].power_uw = update == last ? r[i - 1].power_uw
					       : 1e6 + 1e4 * rng_normal(&rng);
		repeats += update == last;
		last = update;
	}
	return repeats;
}

static void repeats_of_a_slow_gauge_are_told_from_readings(void **state)
{
	/* 39 % repeats, every reading thrice, and sixteen times and a half. */
	static const double update_ns[] = { POLL_NS / 0.61, 3.0 * POLL_NS,
					    16.5 * POLL_NS };
	struct trace_reading r[1000];

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		size_t repeats = poll_gauge(r, 1000, update_ns[k]);
		struct trace_meter known = { llround(update_ns[k]), 0 };
		struct trace_mean m;
		double per;

		assert_int_equal(trace_readings_per_update(r, 1000, &per), 0);
		assert_near(per * POLL_NS / update_ns[k], 1, 0.02);
		assert_int_equal(trace_reduce(r, 1000, &unknown_meter, NULL, &m, NULL),
				 0);
		assert_int_equal(m.count[TRACE_REPEAT], repeats);
		assert_near(m.effective / (1000 - repeats), 1, 0.15);
		assert_int_equal(trace_reduce(r, 1000, &known, NULL, &m, NULL), 0);
		assert_int_equal(m.count[TRACE_REPEAT], repeats);
	}
	assert_int_equal(poll_gauge(r, 1000, POLL_NS / 0.61), 390);
}

/* An update that has the value of the one before is a reading. */
static void a_known_interval_keeps_updates_that_say_the_same(void **state)
{
	struct trace_reading r[12];
	struct trace_meter known = { 2 * POLL_NS, 0 };
	static const double x[12] = { 5, 5, 7, 7, 7, 7, 6, 6, 6, 6, 6, 6 };
	struct trace_mean m;

	(void)state;
	for (size_t i = 0; i < 12; i++)
		r[i] = (struct trace_reading){ i * (uint64_t)POLL_NS, x[i], 0 };
	assert_int_equal(trace_reduce(r, 12, &known, NULL, &m, NULL), 0);
	assert_int_equal(m.count[TRACE_REPEAT], 6);
	assert_near(m.power_uw, (5 + 7 + 7 + 6 + 6 + 6) / 6.0, 1e-12);
	/* Another voltage with the same power is another update. */
	for (size_t i = 0; i < 12; i++)
		r[i].volt_uv = 900000 + i;
	assert_int_equal(trace_reduce(r, 12, &known, NULL, &m, NULL), 0);
	assert_int_equal(m.count[TRACE_REPEAT], 0);
}

static void one_reading_is_its_own_mean(void **state)
{
	struct trace_reading r = { 5, 123456, 900000 };
	struct trace_mean m;

	(void)state;
	assert_int_equal(trace_reduce(&r, 1, &unknown_meter, NULL, &m, NULL), 0);
	assert_near(m.power_uw, 123456, 0);
	assert_near(m.se_uw, 0, 0);
	assert_near(m.effective, 1, 0);
	assert_int_equal(m.count[TRACE_USED], 1);
}

/* All that is known of such a power is between which steps it lies. */
static void a_constant_trace_counts_as_one_reading(void **state)
{
	struct trace_reading r[60];
	struct trace_meter coarse = { 0, 6250 };
	struct trace_mean m;

	(void)state;
	for (size_t i = 0; i < 60; i++)
		r[i] = (struct trace_reading){ i * (uint64_t)POLL_NS, 25000, 0 };
	assert_int_equal(trace_reduce(r, 60, &coarse, NULL, &m, NULL), 0);
	assert_near(m.power_uw, 25000, 0);
	assert_near(m.sd_uw, 0, 0);
	assert_near(m.effective, 1, 0);
	assert_near(m.se_uw, 6250 / sqrt(12), 1e-9);
	assert_int_equal(m.count[TRACE_WARMUP], 0);
	assert_int_equal(m.count[TRACE_SPIKE], 0);
}

static void
a_lone_peak_of_a_constant_trace_is_a_spike_where_the_step_is_known(void **state)
{
	struct trace_meter fine = { 0, 1 };
	struct trace_reading *r;
	struct trace_mean m;
	double x[60];

	(void)state;
	for (size_t i = 0; i < 60; i++)
		x[i] = i == 30 ? 1400000 : 1000000;
	r = readings_of(x, 60);
	assert_int_equal(trace_reduce(r, 60, &fine, NULL, &m, NULL), 0);
	assert_int_equal(m.count[TRACE_SPIKE], 1);
	assert_near(m.power_uw, 1000000, 0);
	free(r);
}

static void times_that_are_not_known_do_not_matter(void **state)
{
	struct trace_reading r[1000];
	struct trace_meter known = { 3 * POLL_NS, 0 };
	struct trace_mean m;
	size_t repeats = poll_gauge(r, 1000, 3.0 * POLL_NS);

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		r[i].time_ns = 0;
	assert_int_equal(trace_reduce(r, 1000, &known, NULL, &m, NULL), 0);
	assert_int_equal(m.count[TRACE_REPEAT], repeats);
}

static void what_is_no_reading_is_refused(void **state)
{
	struct trace_reading r[3] = { { 1, 5, 0 }, { 2, 6, 0 }, { 3, 7, 0 } };
	static const double bad[] = { NAN, INFINITY, -INFINITY, 2e18 };
	struct trace_mean m;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		r[1].power_uw = bad[i];
		assert_int_equal(trace_reduce(r, 3, &unknown_meter, NULL, &m, &err),
				 -EINVAL);
		assert_non_null(strstr(err.msg, "reading 2 of 3"));
	}
	r[1].power_uw = -6;
	assert_int_equal(trace_reduce(r, 3, &unknown_meter, NULL, &m, &err), 0);
	r[2].time_ns = 1;
	assert_int_equal(trace_reduce(r, 3, &unknown_meter, NULL, &m, &err), -EINVAL);
	assert_string_equal(err.msg, "reading 3 of 3 is older than the one before it");
	assert_int_equal(trace_reduce(r, 0, &unknown_meter, NULL, &m, &err), -ENODATA);
}

/* Power as it comes from meters of any kind, and worse. */
static void whatever_comes_in_what_goes_out_is_finite(void **state)
{
	struct trace_reading r[64];
	struct rng rng;

	(void)state;
	for (unsigned int seed = 0; seed < 3000; seed++) {
		struct trace_meter meter = { seed % 3 * POLL_NS, seed % 5 * 1000 };
		struct trace_mean m;
		size_t n, left = 0;

		rng_seed(&rng, seed, 9);
		n = 1 + rng_u64(&rng) % 64;
		for (size_t i = 0; i < n; i++) {
			r[i].time_ns = seed % 2 ? i * POLL_NS : i / 3;
			r[i].power_uw = seed % 7 ? rng_u64(&rng) % (1 + seed % 4) * 1e3
						 : 1e18 * (rng_uniform(&rng) - 0.5);
			r[i].volt_uv = 0;
		}
		assert_int_equal(trace_reduce(r, n, &meter, NULL, &m, NULL), 0);
		for (int k = 0; k < TRACE_FATES; k++)
			left += m.count[k];
		assert_int_equal(left, n);
		assert_true(m.count[TRACE_USED] >= 1);
		assert_true(isfinite(m.power_uw) && isfinite(m.se_uw));
		assert_true(isfinite(m.sd_uw) && m.se_uw >= 0);
		assert_true(m.effective >= 1 && m.effective <= m.count[TRACE_USED]);
	}
}

static void a_million_readings_take_well_under_a_second(void **state)
{
	double *x = calloc(MANY, sizeof(*x));
	struct trace_mean m;
	struct rng rng;
	clock_t begin;

	(void)state;
	rng_seed(&rng, 10, 0);
	ar1(&rng, 0.9, x, MANY);
	begin = clock();
	m = reduced(x, MANY);
	begin = clock() - begin;
	print_message("%g s\n", (double)begin / CLOCKS_PER_SEC);
	assert_near(m.effective / (MANY / 19.0), 1, 0.05);
	/* Sanitizers and a busy machine included. */
	assert_true(begin < 5 * CLOCKS_PER_SEC);
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mser5_cuts_the_batch_that_raises_the_error),
		cmocka_unit_test(mser5_cuts_half_at_most),
		cmocka_unit_test(effective_number_is_what_geyer_s_sum_gives),
		cmocka_unit_test(effective_number_of_ar1_is_within_a_few_percent),
		cmocka_unit_test(effective_number_is_never_more_than_there_are),
		cmocka_unit_test(intervals_of_correlated_windows_hold_the_truth),
		cmocka_unit_test(white_noise_keeps_its_readings),
		cmocka_unit_test(warm_up_is_cut_and_the_mean_is_that_of_the_rest),
		cmocka_unit_test(what_warms_up_to_the_end_is_unsettled),
		cmocka_unit_test(spikes_are_named_and_left_out),
		cmocka_unit_test(what_happens_often_is_no_spike),
		cmocka_unit_test(steps_of_a_coarse_meter_are_no_spikes_and_no_repeats),
		cmocka_unit_test(repeats_of_a_slow_gauge_are_told_from_readings),
		cmocka_unit_test(a_known_interval_keeps_updates_that_say_the_same),
		cmocka_unit_test(one_reading_is_its_own_mean),
		cmocka_unit_test(a_constant_trace_counts_as_one_reading),
		cmocka_unit_test(
			a_lone_peak_of_a_constant_trace_is_a_spike_where_the_step_is_known),
		cmocka_unit_test(times_that_are_not_known_do_not_matter),
		cmocka_unit_test(what_is_no_reading_is_refused),
		cmocka_unit_test(whatever_comes_in_what_goes_out_is_finite),
		cmocka_unit_test(a_million_readings_take_well_under_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
