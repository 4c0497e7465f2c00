// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An external meter's readings, and its clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "calib/linux/meters_stream.h"
#include "calib/measure/marker.h"
#include "calib/measure/stop.h"
#include "files.h"

#define MS 1000000ll

static char *dir;
static struct sysfs sys;
static struct meters all;
static struct power_meter pm;

static int begin(void **state)
{
	(void)state;
	dir = files_folder();
	return 0;
}

static int end(void **state)
{
	(void)state;
	power_meter_close(&pm);
	meters_close(&all);
	files_remove(dir);
	return 0;
}

static void open_stream(const char *source)
{
	const struct meter_info *info;
	struct err err = { "" };

	assert_int_equal(sysfs_init(&sys, dir, NULL), 0);
	assert_int_equal(meters_open(&all, &sys, source, NULL), 0);
	if (meters_find(&all, "stream", &info, &err) ||
	    power_meter_open(&all, info, &pm, &err))
		fail_msg("%s", err.msg);
}

static void expect_ready(void)
{
	struct err err = { "" };

	if (power_meter_ready(&pm, &err))
		fail_msg("%s", err.msg);
}

static void expect_unready(int code, const char *text)
{
	struct err err = { "" };

	assert_int_equal(power_meter_ready(&pm, &err), code);
	if (!strstr(err.msg, text))
		fail_msg("'%s' does not say '%s'", err.msg, text);
	assert_null(strchr(err.msg, '\n'));
}

/* A meter whose clock is @offset behind ours, which reads every @interval. */
static size_t readings(const struct marker *m, int64_t offset, int64_t interval,
		       int64_t average, double noise_uw, struct marker_sample *out)
{
	int64_t first = m->edge_ns[0] - 1000 * MS;
	int64_t last = m->edge_ns[MARKER_CHIPS] + 1000 * MS;
	unsigned int seed = 1;
	size_t n = 0;

	for (int64_t t = first; t < last; t += interval, n++) {
		double on = 0;

		for (int64_t u = 0; u < average; u += MS) {
			unsigned int chip = 0;

			while (chip < MARKER_CHIPS &&
			       t - u >= (int64_t)m->edge_ns[chip + 1])
				chip++;
			on += t - u >= (int64_t)m->edge_ns[0] && marker_on(chip);
		}
		seed = seed * 1103515245 + 12345;
		out[n].time_ns = t - offset;
		out[n].power_uw = 300000 + on / (average / MS) * 100000 +
				  noise_uw * ((seed >> 16 & 1023) / 511.5 - 1);
	}
	return n;
}

static void make_marker(struct marker *m, int64_t chip_ns)
{
	for (unsigned int i = 0; i <= MARKER_CHIPS; i++)
		m->edge_ns[i] = 50000 * MS + i * chip_ns;
}

static void the_offset_of_a_meters_clock_is_found(void **state)
{
	static const struct {
		int64_t interval, average, offset, tolerance;
		double noise_uw;
	} meters[] = {
		{ 1 * MS, 1 * MS, 123456789, 2 * MS, 0 },
		{ 1 * MS, 1 * MS, -40000 * MS, 4 * MS, 100000 },
		{ 20 * MS, 1 * MS, 777 * MS, 11 * MS, 20000 },
		{ 50 * MS, 50 * MS, 3 * MS, 60 * MS, 5000 },
	};
	struct marker_sample *s = calloc(100000, sizeof(*s));
	struct marker m;
	struct err err;

	(void)state;
	assert_non_null(s);
	make_marker(&m, MARKER_MIN_CHIP_NS);
	for (size_t i = 0; i < sizeof(meters) / sizeof(meters[0]); i++) {
		size_t n = readings(&m, meters[i].offset, meters[i].interval,
				    meters[i].average, meters[i].noise_uw, s);
		int64_t offset;
		double step;

		if (marker_find(&m, s, n, meters[i].offset - 2000 * MS,
				meters[i].offset + 900 * MS, &offset, &step, &err))
			fail_msg("meter %zu: %s", i, err.msg);
		if (llabs(offset - meters[i].offset) > meters[i].tolerance)
			fail_msg("meter %zu: off by %g ms", i,
				 (offset - meters[i].offset) / 1e6);
		assert_true(step > 80000 && step < 110000);
	}
	free(s);
}

static void a_meter_of_something_else_is_refused(void **state)
{
	struct marker_sample *s = calloc(100000, sizeof(*s));
	struct marker m, other;
	struct err err;
	int64_t offset;
	double step;
	size_t n;

	(void)state;
	assert_non_null(s);
	make_marker(&m, MARKER_MIN_CHIP_NS);
	/* A load that is on for half of the time. */
	for (unsigned int i = 0; i <= MARKER_CHIPS; i++)
		other.edge_ns[i] = 50000 * MS + (i > 6 ? 1300 : 0) * MS + i;
	n = readings(&other, 0, MS, MS, 50000, s);
	assert_int_equal(marker_find(&m, s, n, -500 * MS, 500 * MS, &offset, &step, &err),
			 -ENODATA);
	assert_non_null(strstr(err.msg, "does not show in the readings (correlation "));
	assert_int_equal(
		marker_find(&m, s, 20, -500 * MS, 500 * MS, &offset, &step, &err),
		-ENODATA);
	assert_non_null(strstr(err.msg, "too few readings"));
	free(s);
}

static void a_commands_lines_are_read_in_its_units(void **state)
{
	static const struct {
		const char *command;
		int64_t uw;
	} cases[] = {
		{ "printf 'time_s,power_w\\n1.0,0.5\\n1.5,1.25\\n'; sleep 9", 875000 },
		{ "printf 'n, time_ms ,power_mw\\r\\n\\n# "
		  "cold\\n1,10,700\\r\\n2,20,900\\r\\n'; "
		  "sleep 9",
		  800000 },
		{ "printf 'power_uw,time_ns\\n7,10\\n9,20\\n'; sleep 9", 8 },
	};
	struct reading r;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_stream(cases[i].command);
		expect_ready();
		assert_int_equal(power_meter_read(&pm, stop_now_ns(), &r, NULL), 0);
		assert_int_equal(r.power_uw, cases[i].uw);
		assert_int_equal(r.volt_uv, 0);
		power_meter_close(&pm);
		meters_close(&all);
	}
}

static void a_command_that_gives_nothing_is_told(void **state)
{
	(void)state;
	open_stream("exit 3");
	expect_unready(-ENODATA, "ended with status 3 after 0 readings");
	power_meter_close(&pm);
	meters_close(&all);
	open_stream("printf 'volt,ampere\\n1,2\\n'; sleep 9");
	expect_unready(-EINVAL, "has no column time_s, time_ms, time_us or time_ns");
	power_meter_close(&pm);
	meters_close(&all);
	open_stream("printf 'time_s,watt\\n1,2\\n'; sleep 9");
	expect_unready(-EINVAL, "has no column power_w, power_mw or power_uw");
	power_meter_close(&pm);
	meters_close(&all);
	open_stream(dir);
	expect_unready(-EISDIR, "is a folder");
}

/* Nothing that is read without an end holds us up. */
static void what_writes_faster_than_we_read_is_told(void **state)
{
	(void)state;
	alarm(20);
	open_stream("/dev/zero");
	expect_unready(-EIO, "a line of more than 4096 bytes");
	power_meter_close(&pm);
	meters_close(&all);
	open_stream("yes");
	expect_unready(-EINVAL, "has no column time_s, time_ms, time_us or time_ns");
	alarm(0);
}

static void all_that_a_command_started_ends_with_the_run(void **state)
{
	char *file = strdup(files_path(dir, "pid"));
	char command[PATH_MAX + 200];
	uint64_t end;
	int pid = 0;
	FILE *f;

	(void)state;
	/* It leaves a process that heeds no SIGTERM, and ends. */
	snprintf(command, sizeof(command),
		 "{ trap '' TERM; sh -c 'echo $PPID > %s'; printf 'time_s,power_w\n1,1\n"
		 "2,1\n'; while sleep 1; do :; done; } & wait",
		 file);
	open_stream(command);
	expect_ready();
	f = fopen(file, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	fclose(f);
	assert_int_equal(kill(pid, 0), 0);
	power_meter_close(&pm);
	meters_close(&all);
	/* Its new parent may still have to reap it. */
	end = stop_now_ns() + 5000 * MS;
	while (!kill(pid, 0) && stop_now_ns() < end)
		;
	assert_int_not_equal(kill(pid, 0), 0);
	free(file);
}

static void bad_lines_are_bad_readings_and_the_next_one_counts(void **state)
{
	static const struct {
		const char *line, *message;
	} bad[] = {
		{ "3,nan\n", "'nan' is no power" },
		{ "x,1\n", "'x' is no time" },
		{ "3\n", "has 1 field" },
		{ "2,1\n", "the time did not go on" },
		{ "3,4294967.295\n", "'4294967.295' is no power" },
	};
	char *fifo = strdup(files_path(dir, "fifo"));
	struct reading r;
	struct err err;
	char next[32];
	int fd;

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	/* Both ends, as a writer waits for a reader. */
	fd = open(fifo, O_RDWR);
	assert_true(fd >= 0);
	dprintf(fd, "time_s,power_w\n1,0.25\n2,0.25\n");
	open_stream(fifo);
	expect_ready();
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		dprintf(fd, "%s", bad[i].line);
		assert_int_equal(power_meter_read(&pm, stop_now_ns(), &r, &err), -EIO);
		if (!strstr(err.msg, bad[i].message))
			fail_msg("'%s' does not say '%s'", err.msg, bad[i].message);
	}
	/* A line comes in two pieces. */
	dprintf(fd, "1000,0.7");
	assert_int_equal(power_meter_read(&pm, stop_now_ns(), &r, &err), 0);
	assert_int_equal(r.power_uw, 250000);
	snprintf(next, sizeof(next), "5\n");
	assert_true(write(fd, next, strlen(next)) > 0);
	assert_int_equal(power_meter_read(&pm, stop_now_ns(), &r, &err), 0);
	assert_int_equal(r.power_uw, 750000);
	/* Nothing new: the same again, but not for ever. */
	assert_int_equal(power_meter_read(&pm, stop_now_ns(), &r, &err), 0);
	assert_int_equal(r.power_uw, 750000);
	assert_int_equal(power_meter_read(&pm, stop_now_ns() + 4000000 * MS, &r, &err),
			 -EIO);
	assert_non_null(strstr(err.msg, "no reading came for"));
	close(fd);
	free(fifo);
}

static void of_a_file_only_what_is_added_counts(void **state)
{
	char *path = strdup(
		files_puts(dir, "log.csv", "time_s,power_w\n1,99\n2,99\n3,99\n4,9"));
	struct reading r;
	FILE *f;

	(void)state;
	open_stream(path);
	/* Begins where the file ends, so there are not two readings yet: let them come
	 * a little later. */
	if (!fork()) {
		const struct timespec pause = { .tv_nsec = 100 * MS };

		nanosleep(&pause, NULL);
		f = fopen(path, "a");
		fprintf(f, "9\n5,0.5\n6,0.5\n");
		fclose(f);
		_exit(0);
	}
	expect_ready();
	assert_int_equal(power_meter_read(&pm, stop_now_ns(), &r, NULL), 0);
	assert_int_equal(r.power_uw, 500000);
	free(path);
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_offset_of_a_meters_clock_is_found),
		cmocka_unit_test(a_meter_of_something_else_is_refused),
		T(a_commands_lines_are_read_in_its_units),
		T(a_command_that_gives_nothing_is_told),
		T(what_writes_faster_than_we_read_is_told),
		T(all_that_a_command_started_ends_with_the_run),
		T(bad_lines_are_bad_readings_and_the_next_one_counts),
		T(of_a_file_only_what_is_added_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
