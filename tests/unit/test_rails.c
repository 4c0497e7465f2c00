// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Energy of rails: the trapezoid, counters, and which meters see the same power.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calib/bench/rail_sum.h"
#include "calib/bench/rails.h"
#include "calib/measure/stop.h"
#include "tests/unit/files.h"

#include "clock.h"
#include "fake.h"

#define MS 1000000ull

static void expect_uj(double got, double want)
{
	if (fabs(got - want) > 1e-9 * (1 + fabs(want)))
		fail_msg("%.12g uJ, expected %.12g", got, want);
}

static void readings_are_joined_by_lines_whatever_their_distance(void **state)
{
	struct rail_sum s;
	double uj;

	(void)state;
	/* 0 to 3 W in 1 ms, back in 2 ms: 1.5 mJ and 3 mJ. */
	rail_sum_begin(&s, 1000 * MS, 0);
	rail_sum_add(&s, 1000 * MS, 0);
	rail_sum_add(&s, 1001 * MS, 3e6);
	rail_sum_add(&s, 1003 * MS, 0);
	rail_sum_until(&s, 1003 * MS);
	assert_true(rail_sum_end(&s, &uj));
	expect_uj(uj, 4500);
	assert_int_equal(s.reads, 3);
}

static void the_window_cuts_what_is_before_and_behind(void **state)
{
	struct rail_sum s;
	double uj;

	(void)state;
	/* A ramp from 0 W at 0 ms to 10 W at 10 ms, seen from 2 to 6 ms: mean 4 W. */
	rail_sum_begin(&s, 2 * MS, 0);
	rail_sum_add(&s, 1, 0);
	rail_sum_until(&s, 6 * MS);
	rail_sum_add(&s, 10 * MS, 10e6);
	rail_sum_add(&s, 20 * MS, 99e6);
	assert_true(rail_sum_end(&s, &uj));
	assert_true(fabs(uj - 16000) < 0.1);
	assert_int_equal(s.reads, 0);
}

static void first_and_last_reading_stand_to_the_ends_of_the_window(void **state)
{
	struct rail_sum s;
	double uj;

	(void)state;
	rail_sum_begin(&s, 10 * MS, 0);
	rail_sum_until(&s, 20 * MS);
	assert_false(rail_sum_end(&s, &uj));
	rail_sum_add(&s, 12 * MS, 1e6);
	/* The same moment twice, and one from the past. */
	rail_sum_add(&s, 12 * MS, 5e6);
	rail_sum_add(&s, 11 * MS, 5e6);
	assert_true(rail_sum_end(&s, &uj));
	expect_uj(uj, 10000);
}

static void readings_beyond_an_end_that_is_known_late_do_not_count(void **state)
{
	struct rail_sum s;
	double uj;

	(void)state;
	/* 3 W, and 1 W from 40 ms on; means over 2 ms. It ended at 40 ms. */
	rail_sum_begin(&s, 10 * MS, 2 * MS);
	for (unsigned int t = 1; t <= 50; t++)
		rail_sum_add(&s, t * MS, t < 40 ? 3e6 : 1e6);
	for (int again = 0; again < 2; again++)
		rail_sum_until(&s, 40 * MS);
	rail_sum_add(&s, 51 * MS, 1e6);
	assert_true(rail_sum_end(&s, &uj));
	/* To 44 ms, less 2 ms of 3 W and of 1 W. */
	expect_uj(uj, 29 * 3000 + 2000 + 4 * 1000 - 2 * 3000 - 2 * 1000);
}

/* What a meter tells at @t that updates each 10 ms, @phase after full ones: the mean of
 * the last 10 ms, of 1 W and 5 W from 100 to 157 ms. */
static double told_uw(unsigned int t, unsigned int phase)
{
	unsigned int end = (t - phase) / 10 * 10 + phase, busy = 0;

	for (unsigned int ms = end - 10; ms < end; ms++)
		busy += ms >= 100 && ms < 157;
	return 1e6 + 4e6 * busy / 10;
}

static void a_meter_that_averages_misses_nothing_whatever_its_phase(void **state)
{
	struct rail_sum s;
	double uj;

	(void)state;
	for (unsigned int phase = 0; phase < 10; phase++) {
		rail_sum_begin(&s, 100 * MS, 10 * MS);
		for (unsigned int t = 100; t <= 200; t++) {
			if (t == 160)
				rail_sum_until(&s, 157 * MS);
			rail_sum_add(&s, t * MS, told_uw(t, phase));
		}
		assert_true(rail_sum_end(&s, &uj));
		/* Edges are known to half of the 1 ms between reads. */
		if (fabs(uj - 285000) > 2500)
			fail_msg("phase %u: %g uJ", phase, uj);
	}
}

static void means_with_times_of_their_own_are_exact_whatever_their_phase(void **state)
{
	struct rail_sum s;
	double uj;

	(void)state;
	for (unsigned int phase = 0; phase < 10; phase++) {
		rail_sum_begin(&s, 100 * MS, 10 * MS);
		rail_sum_until(&s, 157 * MS);
		for (unsigned int t = 80 + phase; t <= 200; t += 10)
			rail_sum_add(&s, t * MS, told_uw(t, phase));
		assert_true(rail_sum_end(&s, &uj));
		expect_uj(uj, 285000);
	}
}

struct opened {
	char *dir;
	struct sysfs sys;
	struct settings settings;
	struct rails *rails;
	char note[1024];
};

static void keep_note(void *arg, const char *text)
{
	struct opened *o = arg;

	snprintf(o->note, sizeof(o->note), "%s", text);
}

static int try_open(struct opened *o, const char *kinds, const char *const *sensors,
		    unsigned int n, struct err *err)
{
	struct rails_options opt = {
		.settings = &o->settings,
		.sensors = sensors,
		.sensor_count = n,
	};

	*o = (struct opened){ .dir = files_folder() };
	fake_meters(o->dir, kinds);
	assert_int_equal(sysfs_init(&o->sys, o->dir, NULL), 0);
	settings_init(&o->settings, &o->sys, keep_note, o);
	return rails_open(&opt, &o->rails, err);
}

static void close_opened(struct opened *o)
{
	rails_close(o->rails);
	settings_close(&o->settings);
	files_remove(o->dir);
}

/* @sensor: NULL: what is taken by default */
static void open_meters(struct opened *o, const char *kinds, const char *sensor)
{
	struct err err = { "" };

	if (try_open(o, kinds, &sensor, sensor != NULL, &err))
		fail_msg("%s", err.msg);
}

static void begin(const struct opened *o)
{
	struct err err = { "" };

	if (rails_begin(o->rails, &err))
		fail_msg("%s", err.msg);
}

/* What came since begin(), @pause_ms from now. */
static struct rails_energy end(const struct opened *o, unsigned int pause_ms)
{
	struct rails_energy e;

	stop_sleep_until(stop_now_ns() + pause_ms * MS);
	rails_end(o->rails, stop_now_ns(), &e);
	return e;
}

/* "rapl:package-0 counted summed" and so on. */
static void expect_rails(const char *kinds, const char *const *sensors, unsigned int n,
			 const char *want)
{
	char got[1024] = "";
	struct err err = { "" };
	struct opened o;
	size_t used = 0;

	if (try_open(&o, kinds, sensors, n, &err))
		fail_msg("%s", err.msg);
	for (unsigned int i = 0; i < rails_count(o.rails); i++) {
		const struct rail_info *info = rails_info(o.rails, i);

		used += snprintf(got + used, sizeof(got) - used, "%s%s%s%s",
				 i ? ", " : "", info->name,
				 info->counted ? " counted" : "",
				 info->summed ? "" : " inside");
	}
	assert_string_equal(got, want);
	close_opened(&o);
}

static void by_default_no_power_is_seen_twice(void **state)
{
	(void)state;
	expect_rails("rapl", NULL, 0,
		     "rapl:package-0 counted, rapl:package-0/dram counted");
	expect_rails("rapl mmio perf battery", NULL, 0,
		     "rapl:package-0 counted, rapl:package-0/dram counted");
}

static void what_is_asked_for_is_measured_and_added_once(void **state)
{
	static const char *const zones[] = { "rapl:core", "rapl:package-0", "rapl:psys" };

	(void)state;
	expect_rails("rapl", zones, 2,
		     "rapl:package-0/core counted inside, rapl:package-0 counted");
	expect_rails("rapl", zones, 3,
		     "rapl:package-0/core counted inside, rapl:package-0 counted inside, "
		     "rapl:psys counted");
}

static void refuse(const char *const *sensors, unsigned int n, int code, const char *why)
{
	struct err err = { "" };
	struct opened o;

	assert_int_equal(try_open(&o, "rapl", sensors, n, &err), code);
	if (!strstr(err.msg, why))
		fail_msg("'%s' does not say '%s'", err.msg, why);
	close_opened(&o);
}

static void a_sensor_that_is_not_there_or_is_named_twice_is_refused(void **state)
{
	static const char *const nowhere[] = { "rapl:gpu" };
	static const char *const twice[] = { "rapl:package", "rapl:package-0" };

	(void)state;
	refuse(nowhere, 1, -ENODEV, "no power sensor matches 'rapl:gpu'");
	refuse(twice, 2, -EINVAL, "--sensor 'rapl:package-0' is given twice");
}

static void without_meters_there_is_a_note(void **state)
{
	struct rails_energy e;
	struct opened o;
	double uj;

	(void)state;
	open_meters(&o, "", NULL);
	/* libsensors may show what this machine has. */
	if (rails_count(o.rails)) {
		close_opened(&o);
		skip();
	}
	assert_non_null(strstr(o.note, "no power meter can be used"));
	assert_non_null(strstr(o.note, "only times are measured"));
	begin(&o);
	e = end(&o, 1);
	assert_false(rails_total(o.rails, &e, &uj));
	close_opened(&o);
}

static void set_zone(const struct opened *o, const char *zone, const char *uj)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/class/powercap/%s/energy_uj", zone);
	fake_put(files_path(o->dir, path), uj);
}

static void counters_give_their_difference(void **state)
{
	struct rails_energy e;
	struct opened o;
	double uj;

	(void)state;
	open_meters(&o, "rapl", NULL);
	assert_int_equal(rails_count(o.rails), 2);
	for (int again = 0; again < 2; again++) {
		set_zone(&o, "intel-rapl:0", "1000000\n");
		set_zone(&o, "intel-rapl:0:2", "500\n");
		/* Forget the step from what was there before. */
		begin(&o);
		end(&o, 1);
		begin(&o);
		set_zone(&o, "intel-rapl:0", "1001234\n");
		set_zone(&o, "intel-rapl:0:2", "600\n");
		e = end(&o, 1);
		assert_true(e.known[0] && e.known[1]);
		expect_uj(e.uj[0], 1234);
		expect_uj(e.uj[1], 100);
		assert_true(rails_total(o.rails, &e, &uj));
		expect_uj(uj, 1334);
	}
	close_opened(&o);
}

/* Of the first of two counters, which shows @text in the middle; the other is sound. */
static void expect_first_unknown(struct opened *o, const char *text)
{
	struct rails_energy e;
	double uj;

	begin(o);
	set_zone(o, "intel-rapl:0", text);
	set_zone(o, "intel-rapl:0:2", "900000001\n");
	e = end(o, 1);
	assert_false(e.known[0]);
	assert_true(e.known[1]);
	assert_false(rails_total(o->rails, &e, &uj));
}

static void a_counter_that_never_moved_has_no_energy(void **state)
{
	struct rails_energy e;
	struct opened o;

	(void)state;
	open_meters(&o, "rapl", NULL);
	for (int again = 0; again < 2; again++) {
		begin(&o);
		e = end(&o, 1);
		assert_false(e.known[0] || e.known[1]);
	}
	assert_non_null(strstr(o.note, "its energy counter has not moved yet"));
	/* One that did is only slow. */
	begin(&o);
	set_zone(&o, "intel-rapl:0", "5000000001\n");
	end(&o, 1);
	begin(&o);
	e = end(&o, 1);
	assert_true(e.known[0]);
	assert_false(e.known[1]);
	expect_uj(e.uj[0], 0);
	close_opened(&o);
}

static void a_counter_that_is_reset_has_no_energy(void **state)
{
	struct opened o;

	(void)state;
	open_meters(&o, "rapl", NULL);
	expect_first_unknown(&o, "5\n");
	close_opened(&o);
}

static void a_counter_that_cannot_be_read_at_the_end_has_no_energy(void **state)
{
	struct opened o;

	(void)state;
	open_meters(&o, "rapl", NULL);
	expect_first_unknown(&o, "garbage\n");
	/* Nor when it could not at the begin. */
	expect_first_unknown(&o, "5000009999\n");
	close_opened(&o);
}

static void power_readings_are_integrated_by_a_thread(void **state)
{
	struct rails_energy e;
	struct opened o;

	(void)state;
	open_meters(&o, "iio", "iio:ina226/power2");
	assert_false(rails_info(o.rails, 0)->counted);
	for (int again = 0; again < 2; again++) {
		begin(&o);
		e = end(&o, 60);
		assert_true(e.known[0]);
		assert_int_equal(e.to_ns - e.from_ns, 60 * MS);
		assert_true(e.reads[0] >= 30); /* one each 2 ms */
		/* 1.25 W all the time. */
		expect_uj(e.uj[0], 1.25e6 * (e.to_ns - e.from_ns) * 1e-9);
	}
	close_opened(&o);
}

static void a_meter_that_stops_in_the_window_has_no_energy(void **state)
{
	struct rails_energy e;
	struct opened o;

	(void)state;
	open_meters(&o, "battery", "battery:BAT0");
	begin(&o);
	e = end(&o, 60);
	assert_true(e.known[0]);
	begin(&o);
	/* A charger. */
	fake_put(files_path(o.dir, "sys/class/power_supply/BAT0/status"), "Charging\n");
	e = end(&o, 60);
	assert_false(e.known[0]);
	close_opened(&o);
}

static void virtual_rails_have_the_energy_that_is_drawn(void **state)
{
	/* What a meter adds or takes is switched off: only the integral is judged. */
	const struct virtual_options vo = {
		.seed = 3,
		.off = VIRTUAL_BOARD | VIRTUAL_NOISE | VIRTUAL_GAIN | VIRTUAL_DRIFT |
		       VIRTUAL_BACKGROUND | VIRTUAL_THERMAL | VIRTUAL_LSB |
		       VIRTUAL_LEAKAGE,
	};
	struct board *board = calloc(1, sizeof(*board));
	struct err err = { "" };
	struct virtual_truth t;
	struct rails_energy e;
	struct virtual *v;
	struct rails *r;
	double want[2];

	(void)state;
	assert_non_null(board);
	assert_int_equal(board_load("odroid-xu3", board, &err), 0);
	assert_int_equal(virtual_new(board, &vo, &v, &err), 0);
	assert_int_equal(rails_open_virtual(v, board, NULL, &r, &err), 0);
	assert_int_equal(rails_count(r), 2);
	/* Idle, 2 s of load, idle: what is read late must not be missed. */
	rails_pass(r, 3000 * MS);
	for (unsigned int i = 0; i < 2; i++)
		virtual_set_load(v, i, 4, 1);
	assert_int_equal(rails_begin(r, &err), 0);
	for (unsigned int i = 0; i < 2; i++) {
		virtual_truth(v, i, &t);
		want[i] = t.power_uw * 2;
	}
	rails_pass(r, 5000 * MS);
	for (unsigned int i = 0; i < 2; i++)
		virtual_set_load(v, i, 0, 1);
	rails_end(r, 5000 * MS, &e);
	/* The sensors are those of A15 (0x40) and A7 (0x45); an edge is known to half of
	 * the 50 ms between reads. */
	for (unsigned int i = 0; i < 2; i++) {
		assert_true(e.known[i]);
		if (fabs(e.uj[i] / want[1 - i] - 1) > 0.015)
			fail_msg("%s: %g uJ, expected %g", rails_info(r, i)->name,
				 e.uj[i], want[1 - i]);
	}
	rails_close(r);
	virtual_free(v);
	free(board);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readings_are_joined_by_lines_whatever_their_distance),
		cmocka_unit_test(the_window_cuts_what_is_before_and_behind),
		cmocka_unit_test(readings_beyond_an_end_that_is_known_late_do_not_count),
		cmocka_unit_test(first_and_last_reading_stand_to_the_ends_of_the_window),
		cmocka_unit_test(a_meter_that_averages_misses_nothing_whatever_its_phase),
		cmocka_unit_test(
			means_with_times_of_their_own_are_exact_whatever_their_phase),
		cmocka_unit_test(by_default_no_power_is_seen_twice),
		cmocka_unit_test(what_is_asked_for_is_measured_and_added_once),
		cmocka_unit_test(a_sensor_that_is_not_there_or_is_named_twice_is_refused),
		cmocka_unit_test(without_meters_there_is_a_note),
		cmocka_unit_test(power_readings_are_integrated_by_a_thread),
		cmocka_unit_test(virtual_rails_have_the_energy_that_is_drawn),
		cmocka_unit_test(counters_give_their_difference),
		cmocka_unit_test(a_counter_that_never_moved_has_no_energy),
		cmocka_unit_test(a_counter_that_is_reset_has_no_energy),
		cmocka_unit_test(a_counter_that_cannot_be_read_at_the_end_has_no_energy),
		cmocka_unit_test(a_meter_that_stops_in_the_window_has_no_energy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
