// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Meters that must be set up before they tell of a window: switched on, or read through
 * the buffer of their IIO device, for which a FIFO stands that the test writes scans to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calib/bench/knobs.h"
#include "calib/bench/rails.h"
#include "calib/measure/stop.h"
#include "files.h"

#include "clock.h"
#include "fake.h"

#define MS     1000000ull
#define DEVICE "sys/bus/iio/devices/iio:device0/"
#define INA231 "sys/bus/i2c/drivers/INA231/"

static char *dir;
static struct sysfs sys;
static struct settings settings;
static struct rails *rails;
static int feed; /* the device's side of the FIFO */
static char note[1024];

static void keep_note(void *arg, const char *text)
{
	(void)arg;
	snprintf(note, sizeof(note), "%s", text);
}

static int begin(void **state)
{
	(void)state;
	dir = fake_xu3("");
	feed = -1;
	note[0] = '\0';
	assert_int_equal(sysfs_init(&sys, dir, NULL), 0);
	settings_init(&settings, &sys, keep_note, NULL);
	return 0;
}

static int end(void **state)
{
	(void)state;
	rails_close(rails);
	rails = NULL;
	settings_close(&settings);
	if (feed >= 0)
		close(feed);
	files_remove(dir);
	return 0;
}

static void open_rails(const char *const *sensors, unsigned int n)
{
	const struct rails_options opt = {
		.settings = &settings,
		.sensors = sensors,
		.sensor_count = n,
	};
	struct err err = { "" };

	if (rails_open(&opt, &rails, &err))
		fail_msg("%s", err.msg);
}

static void start(void)
{
	struct err err = { "" };

	if (rails_start(rails, &err))
		fail_msg("%s", err.msg);
}

static void expect(const char *name, const char *text)
{
	fake_expect(files_path(dir, name), text);
}

static void put(const char *name, const char *text)
{
	fake_put(files_path(dir, name), text);
}

static void meters_that_are_off_are_on_until_the_settings_are_put_back(void **state)
{
	static const char *const sensors[] = { "odroid:4-0040", "odroid:4-0045" };
	uint64_t before;

	(void)state;
	fake_meters(dir, "odroid");
	put(INA231 "4-0040/update_period", "20000\n");
	open_rails(sensors, 2);
	expect(INA231 "4-0040/enable", "0\n");
	before = stop_now_ns();
	start();
	/* It has measured something since. */
	assert_int_equal(stop_now_ns() - before, 50 * MS);
	expect(INA231 "4-0040/enable", "1\n");
	expect(INA231 "4-0045/enable", "1\n");
	rails_stop(rails);
	assert_int_equal(settings_restore(&settings, 0, NULL), 0);
	expect(INA231 "4-0040/enable", "0\n");
	expect(INA231 "4-0045/enable", "0\n");
	/* And once more. */
	start();
	expect(INA231 "4-0045/enable", "1\n");
}

static void a_meter_that_is_on_needs_no_rights(void **state)
{
	static const char *const sensors[] = { "odroid:4-0040" };

	(void)state;
	fake_meters(dir, "odroid");
	put(INA231 "4-0040/enable", "1\n");
	assert_int_equal(chmod(files_path(dir, INA231 "4-0040/enable"), 0444), 0);
	open_rails(sensors, 1);
	start();
	assert_false(settings.held);
}

static void only_meters_that_were_off_are_waited_for(void **state)
{
	static const char *const sensors[] = { "odroid:4-0040", "odroid:4-0045" };
	uint64_t before;

	(void)state;
	fake_meters(dir, "odroid");
	put(INA231 "4-0040/enable", "1\n");
	put(INA231 "4-0040/update_period", "1000000\n");
	put(INA231 "4-0045/update_period", "20000\n");
	open_rails(sensors, 2);
	before = stop_now_ns();
	start();
	expect(INA231 "4-0045/enable", "1\n");
	assert_int_equal(stop_now_ns() - before, 50 * MS);
}

static void governors_come_and_go_while_a_meter_is_on(void **state)
{
	static const char *const sensors[] = { "odroid:4-0040" };
	struct knobs_combo schedutil = { .governor = "schedutil" };
	struct knobs_combo powersave = { .governor = "powersave" };
	struct knobs knobs;
	char *saved;

	(void)state;
	fake_meters(dir, "odroid");
	open_rails(sensors, 1);
	assert_int_equal(knobs_open(&knobs, &settings, NULL), 0);
	start();
	assert_int_equal(knobs_apply(&knobs, &schedutil, NULL), 0);
	assert_int_equal(knobs_apply(&knobs, &powersave, NULL), 0);
	expect(INA231 "4-0040/enable", "1\n");
	assert_int_equal(knobs_restore(&knobs, NULL), 0);
	fake_expect(fake_cpufreq(dir, "policy0/scaling_governor"), "ondemand\n");
	expect(INA231 "4-0040/enable", "1\n");
	/* That one is what is left to put back, also for a guardian. */
	saved = files_get(files_path(dir, "run/calib/state.json"));
	assert_non_null(strstr(saved, "4-0040/enable"));
	assert_null(strstr(saved, "scaling_governor"));
	free(saved);
	assert_int_equal(knobs_apply(&knobs, &schedutil, NULL), 0);
	assert_int_equal(settings_restore(&settings, 0, NULL), 0);
	fake_expect(fake_cpufreq(dir, "policy0/scaling_governor"), "ondemand\n");
	expect(INA231 "4-0040/enable", "0\n");
}

static void a_meter_that_is_gone_needs_no_restoring(void **state)
{
	static const char *const sensors[] = { "odroid:4-0040" };
	char path[256];

	(void)state;
	fake_meters(dir, "odroid");
	open_rails(sensors, 1);
	start();
	/* Its driver was unbound. */
	snprintf(path, sizeof(path), "%s", files_path(dir, INA231 "4-0040/enable"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(settings_restore(&settings, 0, NULL), 0);
}

static void make_device(void)
{
	fake_meters(dir, "buffer");
	feed = open(files_path(dir, "dev/iio:device0"), O_RDWR | O_NONBLOCK);
	assert_true(feed >= 0);
}

/* 25 mW each */
static void send(unsigned int power, uint64_t time_ns)
{
	struct {
		uint16_t power, hole[3];
		uint64_t time_ns;
	} scan = { .power = power, .time_ns = time_ns };

	assert_int_equal(write(feed, &scan, sizeof(scan)), sizeof(scan));
}

static void open_ina226(void)
{
	static const char *const sensors[] = { "iio:ina226" };

	open_rails(sensors, 1);
	start();
}

/* Idle at 1 W, from 10.4 to 40.4 ms at 2 W: means of 1 ms each, as long as they come. */
static void send_means(uint64_t start_ns, int from_ms, int to_ms)
{
	for (int ms = from_ms; ms < to_ms; ms++)
		send(ms == 10		  ? 64
		     : ms == 40		  ? 56
		     : ms > 10 && ms < 40 ? 80
					  : 40,
		     start_ns + (ms + 1) * (int64_t)MS);
}

/* It runs on for the meter when @whole. */
static void window(bool whole, struct rails_energy *e)
{
	uint64_t start_ns = stop_now_ns(), now;

	send_means(start_ns, -4, -1);
	assert_int_equal(rails_begin(rails, NULL), 0);
	send_means(start_ns, -1, 42);
	stop_sleep_until(start_ns + 60 * MS);
	now = stop_now_ns();
	if (whole)
		send_means(start_ns, 42, (now - start_ns) / MS + 4);
	rails_end(rails, now, e);
}

static void a_buffer_gives_the_energy_by_its_own_times(void **state)
{
	struct rails_energy e;
	double want;

	(void)state;
	make_device();
	open_ina226();
	expect(DEVICE "buffer/enable", "1\n");
	for (int again = 0; again < 2; again++) {
		window(true, &e);
		assert_true(e.known[0]);
		want = 1e6 * (e.to_ns - e.from_ns) * 1e-9 + 30000;
		if (fabs(e.uj[0] - want) > 1)
			fail_msg("%.3f uJ, expected %.3f", e.uj[0], want);
		rails_stop(rails);
		assert_int_equal(settings_restore(&settings, 0, NULL), 0);
		expect(DEVICE "buffer/enable", "0\n");
		expect(DEVICE "buffer/length", "2\n");
		start();
	}
}

static void two_meters_of_a_device_share_its_buffer(void **state)
{
	static const char *const sensors[] = { "iio:ina226/power2",
					       "iio:ina226/voltage1*current3" };
	struct {
		uint16_t voltage, power, current, hole;
		uint64_t time_ns;
	} scan = { .voltage = 4000, .power = 40, .current = 250 };
	struct rails_energy e;
	uint64_t start_ns, now;

	(void)state;
	make_device();
	open_rails(sensors, 2);
	start();
	start_ns = stop_now_ns();
	assert_int_equal(rails_begin(rails, NULL), 0);
	stop_sleep_until(start_ns + 20 * MS);
	now = stop_now_ns();
	for (int ms = -2; ms < (int)((now - start_ns) / MS) + 4; ms++) {
		scan.time_ns = start_ns + ms * (int64_t)MS;
		assert_int_equal(write(feed, &scan, sizeof(scan)), sizeof(scan));
	}
	rails_end(rails, now, &e);
	assert_true(e.known[0] && e.known[1]);
	/* 1 W, and 5 V x 0.25 A. */
	assert_true(fabs(e.uj[0] - 1000e-6 * (e.to_ns - e.from_ns)) < 1);
	assert_true(fabs(e.uj[1] - 1250e-6 * (e.to_ns - e.from_ns)) < 1);
}

static void scans_that_stop_coming_leave_no_energy(void **state)
{
	struct rails_energy e;

	(void)state;
	make_device();
	open_ina226();
	window(false, &e);
	assert_false(e.known[0]);
	assert_non_null(strstr(note, "no energy is known: sensor "
				     "iio:ina226@2-0041/power2: no reading came for "
				     "0.0"));
	/* Nor is what came last taken for what is drawn later. */
	assert_int_equal(rails_begin(rails, NULL), 0);
	stop_sleep_until(stop_now_ns() + 20 * MS);
	rails_end(rails, stop_now_ns(), &e);
	assert_false(e.known[0]);
}

static void a_buffer_without_a_single_scan_is_told_as_such(void **state)
{
	struct rails_energy e;

	(void)state;
	make_device();
	open_ina226();
	assert_int_equal(rails_begin(rails, NULL), 0);
	rails_end(rails, stop_now_ns(), &e);
	assert_false(e.known[0]);
	assert_string_equal(note, "no energy is known: sensor iio:ina226@2-0041/power2: "
				  "no reading yet");
}

static void a_buffer_that_is_taken_meanwhile_leaves_sysfs(void **state)
{
	static const char *const sensors[] = { "iio:ina226" };
	struct rails_energy e;

	(void)state;
	make_device();
	open_rails(sensors, 1);
	put(DEVICE "buffer/enable", "1\n");
	start();
	assert_string_equal(note, "meter iio:ina226@2-0041/power2 is not read through "
				  "its buffer: another program has switched it on");
	assert_int_equal(rails_begin(rails, NULL), 0);
	stop_sleep_until(stop_now_ns() + 20 * MS);
	rails_end(rails, stop_now_ns(), &e);
	assert_true(e.known[0]);
	/* What in_power2_raw says. */
	assert_true(fabs(e.uj[0] - 1250e-6 * (e.to_ns - e.from_ns)) < 1);
}

static void a_buffer_that_cannot_be_opened_leaves_sysfs_with_our_times(void **state)
{
	static const char *const sensors[] = { "iio:ina226" };
	struct rails_energy e;

	(void)state;
	make_device();
	open_rails(sensors, 1);
	assert_int_equal(unlink(files_path(dir, "dev/iio:device0")), 0);
	start();
	assert_non_null(strstr(note, "is not read through its buffer: "));
	assert_int_equal(rails_begin(rails, NULL), 0);
	stop_sleep_until(stop_now_ns() + 60 * MS);
	rails_end(rails, stop_now_ns(), &e);
	if (!e.known[0])
		fail_msg("%s", note);
	assert_true(fabs(e.uj[0] - 1250e-6 * (e.to_ns - e.from_ns)) < 1);
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(meters_that_are_off_are_on_until_the_settings_are_put_back),
		T(a_meter_that_is_on_needs_no_rights),
		T(only_meters_that_were_off_are_waited_for),
		T(governors_come_and_go_while_a_meter_is_on),
		T(a_meter_that_is_gone_needs_no_restoring),
		T(a_buffer_gives_the_energy_by_its_own_times),
		T(two_meters_of_a_device_share_its_buffer),
		T(scans_that_stop_coming_leave_no_energy),
		T(a_buffer_without_a_single_scan_is_told_as_such),
		T(a_buffer_that_is_taken_meanwhile_leaves_sysfs),
		T(a_buffer_that_cannot_be_opened_leaves_sysfs_with_our_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
