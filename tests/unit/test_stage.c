// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * This machine as a stage, with a slow meter: an INA231 of Hardkernel's driver that shows
 * the mean of the last 200 ms, of 1 W and 3 W while a task runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/bench/ramp.h"
#include "calib/bench/sweep.h"
#include "calib/measure/stop.h"
#include "files.h"

#include "clock.h"
#include "fake.h"

#define MS	  1000000ull
#define UPDATE_NS (200 * MS)
#define METER	  "sys/bus/i2c/drivers/INA231/4-0040/"

static char *dir;
static struct stage *stage;
static pthread_t player;
static atomic_bool busy, over;

static void show(int fd, double watt)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%8.6f\n", watt);

	assert_int_equal(pwrite(fd, text, len, 0), len);
}

static void *play(void *arg)
{
	int fd = open(files_path(arg, METER "sensor_W"), O_WRONLY);
	uint64_t last = stop_now_ns(), since = last, now;
	double joule = 0;

	while (!over) {
		stop_sleep_until(last + 2 * MS);
		now = stop_now_ns();
		joule += (busy ? 3 : 1) * (now - last) * 1e-9;
		last = now;
		if (now - since < UPDATE_NS)
			continue;
		show(fd, joule / ((now - since) * 1e-9));
		joule = 0;
		since = now;
	}
	close(fd);
	return NULL;
}

static int begin(void **state)
{
	const struct knobs_combo as_it_is = { .governor = "" };
	static const char *const sensors[] = { "odroid:4-0040" };
	struct stage_options o = { .sensors = sensors, .sensor_count = 1 };
	struct err err = { "" };

	(void)state;
	dir = fake_xu3("");
	fake_meters(dir, "odroid");
	fake_put(files_path(dir, METER "update_period"), "200000\n");
	fake_put(files_path(dir, METER "enable"), "1\n");
	busy = over = false;
	assert_int_equal(pthread_create(&player, NULL, play, dir), 0);
	o.sysroot = dir;
	if (stage_linux_open(&o, &stage, &err) ||
	    stage->ops->apply(stage, &as_it_is, &err))
		fail_msg("%s", err.msg);
	/* What was there at first is forgotten. */
	stop_sleep_until(stop_now_ns() + 2 * UPDATE_NS);
	return 0;
}

static int end(void **state)
{
	(void)state;
	over = true;
	pthread_join(player, NULL);
	stage->ops->close(stage);
	files_remove(dir);
	return 0;
}

static int run(struct stage *s, void *arg, struct err *err)
{
	const uint64_t *ns = arg;
	int ret;

	busy = true;
	ret = s->ops->sleep_until(s, s->ops->now_ns(s) + *ns, err);
	busy = false;
	return ret;
}

static void run_for(uint64_t ns, uint64_t after_ns, uint64_t slice_ns, struct tally *watt)
{
	const struct stage_power power = { after_ns, slice_ns, watt };
	const struct stage_task task = { run, &ns };
	struct err err = { "" };

	*watt = (struct tally){ 0 };
	if (stage->ops->task(stage, sched_getcpu(), &task, &power, &err))
		fail_msg("%s", err.msg);
}

static void expect_watt(const struct tally *watt)
{
	assert_true(watt->samples > 0);
	if (fabs(watt->average - 3) > 0.03)
		fail_msg("%g W, not 3", watt->average);
}

static void a_ramps_power_is_that_of_the_load_alone(void **state)
{
	struct tally watt;

	(void)state;
	assert_int_equal(stage->meter_ns, 2 * UPDATE_NS);
	run_for(ramp_work_ns(stage), ramp_power_ns(stage), RAMP_POWER_NS, &watt);
	assert_int_equal(watt.samples, 1);
	expect_watt(&watt);
}

static void a_task_shorter_than_a_slice_is_measured_to_its_end(void **state)
{
	struct tally watt;

	(void)state;
	run_for(700 * MS, 2 * UPDATE_NS, UINT64_MAX / 4, &watt);
	assert_int_equal(watt.samples, 1);
	expect_watt(&watt);
}

static void a_slice_whose_readings_have_idling_in_them_is_no_sample(void **state)
{
	struct tally watt;

	(void)state;
	/* The first slice ends at 500 ms and is known at 900 ms. */
	run_for(890 * MS, 2 * UPDATE_NS, 100 * MS, &watt);
	assert_int_equal(watt.samples, 0);
	run_for(910 * MS, 2 * UPDATE_NS, 100 * MS, &watt);
	assert_int_equal(watt.samples, 1);
	expect_watt(&watt);
}

static void steps_of_a_sweep_settle_until_the_meter_has_forgotten(void **state)
{
	const struct sweep_plan quick = { .step_ns = 300 * MS };
	const struct sweep_plan slow = { .step_ns = 6000 * MS };

	(void)state;
	assert_int_equal(sweep_settle_ns(stage, &quick), 2 * UPDATE_NS);
	assert_int_equal(sweep_settle_ns(stage, &slow), 1000 * MS);
}

static void a_sweeps_power_is_that_of_the_step(void **state)
{
	struct sweep_plan plan = { .step_ns = 300 * MS };
	struct sweep_row row = { .cpu = sched_getcpu(), .hz = 50, .load = 1 };
	struct err err = { "" };

	(void)state;
	/* Nothing to do, all the time. */
	busy = true;
	stop_sleep_until(stop_now_ns() + 2 * UPDATE_NS);
	if (sweep_step(stage, &plan, 1, &row, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(row.watt.samples, 1);
	expect_watt(&row.watt);
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_ramps_power_is_that_of_the_load_alone),
		T(a_task_shorter_than_a_slice_is_measured_to_its_end),
		T(a_slice_whose_readings_have_idling_in_them_is_no_sample),
		T(steps_of_a_sweep_settle_until_the_meter_has_forgotten),
		T(a_sweeps_power_is_that_of_the_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
