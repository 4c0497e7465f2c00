// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The virtual board: each term of its physics alone has the right size, and nothing but
 * C f V^2 is left when all are off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "boards/rng.h"
#include "boards/virtual.h"

#define S 1000000000ull
enum { A7, A15 };
enum { METER_A15, METER_A7 }; /* order of the sensors in odroid-xu3.dts */

static struct board board;

static struct virtual *play(uint32_t off, uint64_t seed)
{
	const struct virtual_options opts = { .seed = seed, .off = off };
	struct virtual *v = NULL;

	assert_int_equal(board_load("odroid-xu3", &board, NULL), 0);
	assert_int_equal(virtual_new(&board, &opts, &v, NULL), 0);
	return v;
}

/* A virtual board with only @term of its physics on. */
static struct virtual *only(uint32_t term)
{
	return play(VIRTUAL_ALL & ~term, 1);
}

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.9g is not %.9g +- %.3g", got, want, tolerance);
}

static struct virtual_truth truth(const struct virtual *v, unsigned int cluster)
{
	struct virtual_truth t;

	virtual_truth(v, cluster, &t);
	return t;
}

static int64_t meter(struct virtual *v, unsigned int sensor)
{
	int64_t uw = -1;
	uint32_t uv;

	assert_int_equal(virtual_read_meter(v, sensor, &uw, &uv), 0);
	return uw;
}

static const double v900 = 0.9 * 0.9, v1312 = 1.3125 * 1.3125;

static void with_all_terms_off_only_cfv2_is_left(void **state)
{
	struct virtual *v = play(VIRTUAL_ALL, 1);
	unsigned int n, i;

	(void)state;
	for (n = 0; n <= 4; n++) {
		for (i = 0; i < board.clusters[A15].opp_count; i++) {
			const struct board_opp *opp = &board.clusters[A15].opps[i];
			double volt = opp->volt_uv * 1e-6;
			double want = n * 310.0 * (opp->khz / 1000) * volt * volt;

			assert_int_equal(virtual_set_khz(v, A15, opp->khz), 0);
			virtual_set_load(v, A15, n, 1);
			virtual_advance(v, virtual_now_ns(v) + S);
			assert_near(truth(v, A15).power_uw, want, 1e-6 * want);
			assert_near(meter(v, METER_A15), want, 0.5001);
		}
	}
	virtual_free(v);
}

static void activity_scales_the_load(void **state)
{
	struct virtual *v = play(VIRTUAL_ALL, 1);

	(void)state;
	virtual_set_load(v, A7, 2, 1.25);
	assert_near(truth(v, A7).power_uw, 2 * 1.25 * 90 * 200 * v900, 0.01);
	virtual_free(v);
}

static void uncore_is_drawn_once_and_only_when_a_cpu_is_busy(void **state)
{
	struct virtual *v = only(VIRTUAL_UNCORE);
	unsigned int n;

	(void)state;
	for (n = 0; n <= 4; n++) {
		virtual_set_load(v, A15, n, 1);
		assert_near(truth(v, A15).power_uw,
			    ((n > 0) * 160.0 + n * 310.0) * 200 * v900, 0.01);
	}
	virtual_free(v);
}

static void an_idle_cluster_may_keep_its_shared_clock(void **state)
{
	const struct virtual_options opts = { .off = VIRTUAL_ALL & ~VIRTUAL_UNCORE };
	struct virtual *v;
	unsigned int n;

	(void)state;
	assert_int_equal(board_load("odroid-xu3", &board, NULL), 0);
	board.clusters[A15].truth.uncore_idle_ppm = 250000;
	assert_int_equal(virtual_new(&board, &opts, &v, NULL), 0);
	assert_near(truth(v, A15).power_uw, 0.25 * 160 * 200 * v900, 0.01);
	for (n = 1; n <= 4; n++) {
		virtual_set_load(v, A15, n, 1);
		assert_near(truth(v, A15).power_uw, (160 + n * 310.0) * 200 * v900, 0.01);
	}
	virtual_free(v);
}

static void leakage_grows_with_v3_and_exponentially_with_temperature(void **state)
{
	struct virtual *v = only(VIRTUAL_LEAKAGE);
	double factor = exp(0.032 * (42 - 50)); /* ambient against the reference */

	(void)state;
	assert_near(truth(v, A15).power_uw, 69000 * pow(0.9, 3) * factor, 0.01);
	virtual_set_khz(v, A15, 2000000);
	assert_near(truth(v, A15).power_uw, 69000 * pow(1.3125, 3) * factor, 0.01);
	virtual_free(v);
}

static void the_board_constant_is_seen_by_the_meter_alone(void **state)
{
	struct virtual *v = only(VIRTUAL_BOARD);

	(void)state;
	virtual_advance(v, S);
	assert_near(truth(v, A15).power_uw, 0, 0);
	assert_int_equal(meter(v, METER_A15), 8000);
	assert_int_equal(meter(v, METER_A7), 3000);
	virtual_free(v);
}

static void droop_is_current_times_resistance(void **state)
{
	struct virtual *v = only(VIRTUAL_DROOP | VIRTUAL_LEAKAGE);
	struct virtual_truth t;
	double amp;
	uint32_t uv;
	int64_t uw;

	(void)state;
	virtual_set_khz(v, A15, 2000000);
	virtual_set_load(v, A15, 4, 1);
	t = truth(v, A15);
	amp = t.power_uw / t.volt_uv;
	assert_near(t.volt_uv, 1312500 - amp * 10000, 0.01);
	assert_true(1312500 - t.volt_uv > 25000); /* that is a droop worth modelling */
	/* and the meter tells the voltage at the rail, not that of the table */
	virtual_advance(v, S);
	assert_int_equal(virtual_read_meter(v, METER_A15, &uw, &uv), 0);
	assert_near(uv, t.volt_uv, 0.6);
	virtual_free(v);
}

static void temperature_relaxes_with_its_time_constant(void **state)
{
	struct virtual *v = only(VIRTUAL_THERMAL);
	double watt = 4 * 310e-6 * 2000 * v1312, end = 42000 + 6000 * watt;

	(void)state;
	virtual_set_khz(v, A15, 2000000);
	virtual_set_load(v, A15, 4, 1);
	virtual_advance(v, 4 * S);
	assert_near(truth(v, A15).temp_mc, end + (42000 - end) * exp(-1), 0.01);
	virtual_advance(v, 100 * S);
	assert_near(truth(v, A15).temp_mc, end, 0.01);
	assert_near(virtual_temp_mc(v, A15), end, 1);
	assert_near(truth(v, A7).temp_mc, 42000, 0.01);
	virtual_free(v);
}

static void an_instant_temperature_is_in_balance_with_leakage(void **state)
{
	const struct virtual_options opts = { .off = VIRTUAL_ALL & ~VIRTUAL_LEAKAGE &
						     ~VIRTUAL_THERMAL };
	struct virtual_truth t;
	struct virtual *v;

	(void)state;
	assert_int_equal(board_load("odroid-xu3", &board, NULL), 0);
	board.clusters[A15].truth.thermal_tau_ms = 0;
	assert_int_equal(virtual_new(&board, &opts, &v, NULL), 0);
	virtual_set_khz(v, A15, 2000000);
	virtual_set_load(v, A15, 4, 1);
	t = truth(v, A15);
	assert_near(t.temp_mc, 42000 + 6e-3 * t.power_uw, 0.1);
	virtual_free(v);
}

static void a_hot_cluster_is_throttled_and_recovers(void **state)
{
	const struct virtual_options opts = { .off = VIRTUAL_ALL & ~VIRTUAL_THERMAL &
						     ~VIRTUAL_THROTTLE };
	struct virtual *v;
	uint64_t s;

	(void)state;
	assert_int_equal(board_load("odroid-xu3", &board, NULL), 0);
	board.clusters[A15].truth.throttle_mc = 60000;
	assert_int_equal(virtual_new(&board, &opts, &v, NULL), 0);
	virtual_set_khz(v, A15, 2000000);
	virtual_set_load(v, A15, 4, 1);
	virtual_advance(v, 30 * S);
	assert_true(virtual_throttled(v, A15));
	assert_true(virtual_claimed_khz(v, A15) < 2000000);
	assert_int_equal(truth(v, A15).khz, virtual_claimed_khz(v, A15));
	for (s = 31; s < 60; s++) {
		virtual_advance(v, s * S);
		assert_true(truth(v, A15).temp_mc < 62000);
	}
	virtual_set_load(v, A15, 0, 1);
	virtual_advance(v, 90 * S);
	assert_false(virtual_throttled(v, A15));
	assert_int_equal(virtual_claimed_khz(v, A15), 2000000);
	virtual_free(v);
}

static void the_described_boards_stay_below_95_degrees(void **state)
{
	const struct virtual_options opts = { .seed = 1 };
	struct virtual *v;
	unsigned int c;
	size_t i;

	(void)state;
	for (i = 0; board_name(i); i++) {
		assert_int_equal(board_load(board_name(i), &board, NULL), 0);
		assert_int_equal(virtual_new(&board, &opts, &v, NULL), 0);
		for (c = 0; c < board.cluster_count; c++) {
			const struct board_cluster *cl = &board.clusters[c];

			virtual_set_khz(v, c, cl->opps[cl->opp_count - 1].khz);
			virtual_set_load(v, c, cl->cpu_count, 1);
			virtual_advance(v, virtual_now_ns(v) + 60 * S);
			if (virtual_throttled(v, c) || truth(v, c).temp_mc > 95000)
				fail_msg("%s %s gets %.1f degrees warm", board.name,
					 cl->name, truth(v, c).temp_mc / 1e3);
			assert_true(truth(v, c).temp_mc > cl->truth.ambient_mc + 2000);
			virtual_set_load(v, c, 0, 1);
		}
		virtual_free(v);
	}
}

static void background_tasks_have_the_stated_mean_and_vary(void **state)
{
	struct virtual *v = only(VIRTUAL_BACKGROUND);
	struct virtual_usage u;
	double last = -1;
	int changes = 0, s;

	(void)state;
	for (s = 1; s <= 3000; s++) {
		virtual_advance(v, s * S);
		changes += truth(v, A15).busy != last;
		last = truth(v, A15).busy;
	}
	virtual_usage(v, A15, &u);
	assert_near(u.busy_ns / (3000.0 * S), 0.03, 0.001);
	assert_true(changes > 2900);
	assert_near(u.work, 0, 0);
	virtual_free(v);
}

static void a_full_cluster_shares_with_background_tasks(void **state)
{
	struct virtual *v = only(VIRTUAL_BACKGROUND);
	struct virtual_usage u;

	(void)state;
	virtual_set_load(v, A15, 4, 1);
	virtual_advance(v, 1000 * S);
	virtual_usage(v, A15, &u);
	assert_near(u.busy_ns, 4000.0 * S, 1e3);
	assert_near(u.cycles, 4000.0 * 200e6, 1e3);
	assert_near(u.work / (1000.0 * 200 * 1024), 3.97, 0.005);
	virtual_free(v);
}

static void cycles_are_those_of_the_loaded_cpus(void **state)
{
	struct virtual *v = only(VIRTUAL_BACKGROUND);
	struct virtual_usage u;

	(void)state;
	virtual_set_load(v, A15, 1, 1);
	virtual_advance(v, 1000 * S);
	virtual_usage(v, A15, &u);
	assert_near(u.cycles, 1000.0 * 200e6, 1e3);
	assert_near(u.busy_ns / (1000.0 * S), 1.03, 0.005);
	virtual_free(v);
}

static void work_and_cycles_count_the_delivered_clock(void **state)
{
	struct virtual *v = play(VIRTUAL_ALL, 1);
	struct virtual_usage u;

	(void)state;
	virtual_set_khz(v, A7, 1000000);
	virtual_set_load(v, A7, 3, 1);
	virtual_advance(v, 10 * S);
	virtual_usage(v, A7, &u);
	assert_near(u.busy_ns, 30.0 * S, 1);
	assert_near(u.cycles, 30e9, 1);
	assert_near(u.work, 3.0 * 10 * 1000 * 539, 0.01);
	virtual_free(v);
}

static void a_reading_is_the_mean_over_the_update_period(void **state)
{
	struct virtual *v = play(VIRTUAL_ALL, 1);
	const uint64_t period = 263808000;
	const double on = 310 * 200 * v900;
	int64_t before;
	uint64_t t;

	(void)state;
	virtual_set_load(v, A15, 1, 1);
	virtual_advance(v, S);
	assert_near(meter(v, METER_A15), on, 0.51);
	virtual_set_load(v, A15, 0, 1);
	/* The value stays until the update; that one still holds part of the load. */
	before = meter(v, METER_A15);
	for (t = 1; t <= 264 && meter(v, METER_A15) == before; t++)
		virtual_advance(v, S + t * 1000000);
	assert_in_range(t, 2, 264);
	assert_near(meter(v, METER_A15), on * (1 - (t - 1.5) * 1e6 / period), on * 0.004);
	virtual_advance(v, virtual_now_ns(v) + period);
	assert_int_equal(meter(v, METER_A15), 0);
	virtual_free(v);
}

/* Mean and standard deviation of @n updates of the A15's meter. */
static void sample_meter(struct virtual *v, int n, bool revisit, double *mean, double *sd)
{
	double sum = 0, sum2 = 0, x;
	int i;

	for (i = 0; i < n; i++) {
		if (revisit)
			virtual_set_khz(v, A15, 2000000);
		virtual_advance(v, virtual_now_ns(v) + 263808000);
		x = meter(v, METER_A15);
		sum += x;
		sum2 += x * x;
	}
	*mean = sum / n;
	*sd = sqrt(sum2 / n - *mean * *mean);
}

static void noise_has_the_stated_deviation_and_no_mean(void **state)
{
	struct virtual *v = only(VIRTUAL_NOISE);
	const double watt = 310e-6 * 2000 * v1312;
	double mean, sd, want = hypot(0.004 * watt * 1e6, 12000) / 4; /* 16 averaged */

	(void)state;
	virtual_set_khz(v, A15, 2000000);
	virtual_set_load(v, A15, 1, 1);
	virtual_advance(v, S);
	sample_meter(v, 4000, false, &mean, &sd);
	assert_near(sd, want, 0.05 * want);
	assert_near(mean, watt * 1e6, 4 * want / sqrt(4000));
	virtual_free(v);
}

static void drift_is_drawn_per_visit_and_constant_in_between(void **state)
{
	struct virtual *v = only(VIRTUAL_DRIFT);
	double mean, sd;

	(void)state;
	virtual_set_khz(v, A15, 2000000);
	virtual_set_load(v, A15, 1, 1);
	virtual_advance(v, S);
	sample_meter(v, 50, false, &mean, &sd);
	assert_near(sd, 0, 1);
	sample_meter(v, 2000, true, &mean, &sd);
	assert_near(sd, 1500, 100);
	virtual_free(v);
}

static void gain_is_drawn_once_per_seed(void **state)
{
	const double want = 310.0 * 2000 * v1312;
	double mean, sd, sum2 = 0, gain;
	struct virtual *v;
	int seed;

	(void)state;
	for (seed = 0; seed < 400; seed++) {
		v = play(VIRTUAL_ALL & ~VIRTUAL_GAIN, seed);
		virtual_set_khz(v, A15, 2000000);
		virtual_set_load(v, A15, 1, 1);
		virtual_advance(v, S);
		sample_meter(v, 3, true, &mean, &sd);
		assert_near(sd, 0, 1);
		gain = mean / want - 1;
		sum2 += gain * gain;
		virtual_free(v);
	}
	assert_near(sqrt(sum2 / 400), 300e-6, 30e-6);
}

static void readings_come_in_steps_of_the_lsb(void **state)
{
	struct virtual *v = only(VIRTUAL_LSB | VIRTUAL_NOISE | VIRTUAL_THERMAL);
	uint32_t uv;
	int64_t uw;
	int i;

	(void)state;
	virtual_set_load(v, A15, 1, 1);
	for (i = 1; i < 100; i++) {
		virtual_advance(v, i * S);
		assert_int_equal(virtual_read_meter(v, METER_A15, &uw, &uv), 0);
		assert_int_equal(uw % 6250, 0);
		assert_int_equal(uv % 1250, 0);
		assert_int_equal(virtual_temp_mc(v, A15) % 1000, 0);
	}
	virtual_free(v);
}

static void one_seed_gives_the_same_numbers_however_it_is_polled(void **state)
{
	struct virtual *a = play(0, 7), *b = play(0, 7), *c = play(0, 8);
	int64_t uw_a, uw_b, uw_c, differ = 0;
	int s, ms;

	(void)state;
	virtual_set_load(a, A15, 2, 1);
	virtual_set_load(b, A15, 2, 1);
	virtual_set_load(c, A15, 2, 1);
	for (s = 1; s <= 20; s++) {
		virtual_advance(a, s * S);
		virtual_advance(c, s * S);
		for (ms = -900; ms <= 0; ms += 100) /* the same seconds in small steps */
			virtual_advance(b, s * S + ms * 1000000ll);
		uw_a = meter(a, METER_A15);
		uw_b = meter(b, METER_A15);
		uw_c = meter(c, METER_A15);
		assert_int_equal(uw_a, uw_b);
		differ += uw_a != uw_c;
	}
	assert_true(differ > 10);
	virtual_free(a);
	virtual_free(b);
	virtual_free(c);
}

static void a_shared_meter_holds_all_its_clusters(void **state)
{
	const struct virtual_options opts = { .off = VIRTUAL_ALL };
	struct virtual *v;
	uint32_t uv = 1;
	int64_t uw;

	(void)state;
	assert_int_equal(board_load("intel-hybrid", &board, NULL), 0);
	assert_int_equal(virtual_new(&board, &opts, &v, NULL), 0);
	virtual_set_load(v, 0, 1, 1);
	virtual_set_load(v, 1, 1, 1);
	virtual_advance(v, S);
	assert_int_equal(virtual_read_meter(v, 0, &uw, &uv), 0);
	assert_near(uw, (700 + 2200) * 800 * 0.49, 0.51);
	assert_int_equal(uv, 0);
	/* the package domain has no twin */
	assert_int_equal(virtual_read_meter(v, 1, &uw, &uv), -ENODATA);
	assert_int_equal(virtual_read_meter(v, 99, &uw, &uv), -ENODATA);
	virtual_free(v);
}

static struct virtual *faulty(const struct virtual_faults *faults)
{
	const struct virtual_options opts = { .off = VIRTUAL_ALL, .faults = *faults };
	struct virtual *v;

	assert_int_equal(board_load("odroid-xu3", &board, NULL), 0);
	assert_int_equal(virtual_new(&board, &opts, &v, NULL), 0);
	virtual_set_load(v, A15, 1, 1);
	return v;
}

static void a_clock_fault_shows_in_cycles_but_not_in_cpufreq(void **state)
{
	struct virtual *v = faulty(
		&(struct virtual_faults){ .clock_half_above_khz = 1500000 });
	struct virtual_usage u;

	(void)state;
	virtual_set_khz(v, A15, 1600000);
	virtual_advance(v, S);
	virtual_usage(v, A15, &u);
	assert_near(u.cycles, 800e6, 1);
	assert_int_equal(virtual_claimed_khz(v, A15), 1600000);
	assert_near(meter(v, METER_A15), 310 * 800 * 1.25 * 1.25, 1e5);
	virtual_free(v);
}

static void a_stuck_meter_repeats_itself(void **state)
{
	struct virtual *v = faulty(&(struct virtual_faults){ .stuck_at_ns = 10 * S });
	int64_t before;

	(void)state;
	virtual_advance(v, 10 * S);
	before = meter(v, METER_A15);
	virtual_set_load(v, A15, 4, 1);
	virtual_advance(v, 20 * S);
	assert_int_equal(meter(v, METER_A15), before);
	virtual_free(v);
}

static void reads_fail_as_often_as_asked(void **state)
{
	struct virtual *v = faulty(&(struct virtual_faults){ .fail_ppm = 100000 });
	int i, failed = 0;
	uint32_t uv;
	int64_t uw;

	(void)state;
	virtual_advance(v, S);
	for (i = 0; i < 10000; i++)
		failed += virtual_read_meter(v, METER_A15, &uw, &uv) == -EIO;
	assert_in_range(failed, 900, 1100);
	virtual_free(v);
}

static void a_charger_adds_its_power(void **state)
{
	struct virtual *v = faulty(&(struct virtual_faults){ .charger_uw = 5000000,
							     .charger_at_ns = 10 * S });
	int64_t before;

	(void)state;
	virtual_advance(v, 9 * S);
	before = meter(v, METER_A15);
	virtual_advance(v, 11 * S);
	assert_int_equal(meter(v, METER_A15), before + 5000000);
	virtual_free(v);
}

static void spikes_come_as_often_as_asked_and_last_one_update(void **state)
{
	struct virtual *v = faulty(&(struct virtual_faults){ .spike_ppm = 100000 });
	int64_t level = llround(310 * 200 * v900);
	int i, spikes = 0;

	(void)state;
	virtual_advance(v, S);
	for (i = 0; i < 5000; i++) {
		virtual_advance(v, virtual_now_ns(v) + 263808000);
		if (meter(v, METER_A15) == llround(310 * 200 * v900 * 1.4))
			spikes++;
		else
			assert_int_equal(meter(v, METER_A15), level);
	}
	assert_in_range(spikes, 430, 570);
	virtual_free(v);
}

static void the_next_reading_is_there_when_it_was_said_to_be(void **state)
{
	struct virtual *v = play(VIRTUAL_ALL, 1);
	uint64_t next;
	int64_t uw;
	uint32_t uv;

	(void)state;
	for (int i = 0; i < 20; i++) {
		next = virtual_next_update_ns(v);
		assert_true(next > virtual_now_ns(v));
		virtual_advance(v, next - 1);
		assert_int_equal(virtual_next_update_ns(v), next);
		virtual_advance(v, next);
		assert_true(virtual_next_update_ns(v) > next);
	}
	assert_int_equal(virtual_read_meter(v, METER_A15, &uw, &uv), 0);
	virtual_free(v);
}

static void a_board_without_truth_cannot_be_played(void **state)
{
	const struct virtual_options opts = { 0 };
	struct virtual *v = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(board_load("odroid-xu3", &board, NULL), 0);
	board.clusters[A7].has_truth = false;
	assert_int_equal(virtual_new(&board, &opts, &v, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'a7' has no truth"));
	assert_null(v);
}

static void an_opp_that_is_not_there_is_refused(void **state)
{
	struct virtual *v = play(VIRTUAL_ALL, 1);

	(void)state;
	assert_int_equal(virtual_set_khz(v, A7, 1500000), -EINVAL);
	assert_int_equal(virtual_claimed_khz(v, A7), 200000);
	virtual_free(v);
}

static void random_numbers_have_their_distribution(void **state)
{
	double x, sum = 0, sum2 = 0, esum = 0, usum = 0;
	struct rng rng;
	int i, n = 100000;

	(void)state;
	rng_seed(&rng, 1, 2);
	for (i = 0; i < n; i++) {
		x = rng_normal(&rng);
		sum += x;
		sum2 += x * x;
		esum += rng_exponential(&rng);
		usum += rng_uniform(&rng);
	}
	assert_near(sum / n, 0, 0.015);
	assert_near(sum2 / n, 1, 0.02);
	assert_near(esum / n, 1, 0.015);
	assert_near(usum / n, 0.5, 0.005);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_all_terms_off_only_cfv2_is_left),
		cmocka_unit_test(activity_scales_the_load),
		cmocka_unit_test(uncore_is_drawn_once_and_only_when_a_cpu_is_busy),
		cmocka_unit_test(an_idle_cluster_may_keep_its_shared_clock),
		cmocka_unit_test(
			leakage_grows_with_v3_and_exponentially_with_temperature),
		cmocka_unit_test(the_board_constant_is_seen_by_the_meter_alone),
		cmocka_unit_test(droop_is_current_times_resistance),
		cmocka_unit_test(temperature_relaxes_with_its_time_constant),
		cmocka_unit_test(an_instant_temperature_is_in_balance_with_leakage),
		cmocka_unit_test(a_hot_cluster_is_throttled_and_recovers),
		cmocka_unit_test(the_described_boards_stay_below_95_degrees),
		cmocka_unit_test(background_tasks_have_the_stated_mean_and_vary),
		cmocka_unit_test(a_full_cluster_shares_with_background_tasks),
		cmocka_unit_test(cycles_are_those_of_the_loaded_cpus),
		cmocka_unit_test(work_and_cycles_count_the_delivered_clock),
		cmocka_unit_test(a_reading_is_the_mean_over_the_update_period),
		cmocka_unit_test(noise_has_the_stated_deviation_and_no_mean),
		cmocka_unit_test(drift_is_drawn_per_visit_and_constant_in_between),
		cmocka_unit_test(gain_is_drawn_once_per_seed),
		cmocka_unit_test(readings_come_in_steps_of_the_lsb),
		cmocka_unit_test(one_seed_gives_the_same_numbers_however_it_is_polled),
		cmocka_unit_test(a_shared_meter_holds_all_its_clusters),
		cmocka_unit_test(a_clock_fault_shows_in_cycles_but_not_in_cpufreq),
		cmocka_unit_test(a_stuck_meter_repeats_itself),
		cmocka_unit_test(reads_fail_as_often_as_asked),
		cmocka_unit_test(a_charger_adds_its_power),
		cmocka_unit_test(spikes_come_as_often_as_asked_and_last_one_update),
		cmocka_unit_test(the_next_reading_is_there_when_it_was_said_to_be),
		cmocka_unit_test(a_board_without_truth_cannot_be_played),
		cmocka_unit_test(an_opp_that_is_not_there_is_refused),
		cmocka_unit_test(random_numbers_have_their_distribution),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
