// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What measuring costs the machine that is measured: CPU time per reading of a hwmon
 * attribute, our way, libsensors' and a Python loop's, on a fake Odroid-XU3 that the real
 * libsensors takes for the machine; and a whole sampler of four meters at 1 kHz, timers
 * and wake-ups included: polled, and through the buffer of an IIO device that another
 * process plays in real time.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sensors/sensors.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "calib/linux/meters.h"
#include "calib/measure/meter.h"
#include "calib/measure/plan.h"
#include "calib/measure/stop.h"
#include "tests/unit/namespace.h"

#define OURS	    20000
#define LIBSENSORS  2000
#define PYTHON	    5000
#define ROUNDS	    5
#define METERS	    4
#define SLICES	    20
#define SAMPLER_MS  100
#define BUFFERED_MS 600
#define SCAN_BYTES  16
#define MAX_LEFT    100 /* scans that came since the last read */
#define NS_PER_MS   1000000l
#define MAX_LIB	    (1 / 10.0) /* of libsensors' time */
#define MAX_PYTHON  (1 / 15.0)
#define MAX_SAMPLER 0.005 /* of a core */

static const char *const specs[METERS] = { "ina231@0x40", "ina231@0x41", "ina231@0x44",
					   "ina231@0x45" };

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

/* The best of some rounds: what disturbs only ever adds. */
static double best(double (*once)(void *), void *arg)
{
	double one, least = once(arg);

	for (int i = 1; i < ROUNDS; i++) {
		one = once(arg);
		if (one < least)
			least = one;
	}
	return least;
}

/* Power and rail voltage, as the runner reads them: two attributes. */
static double ours_us(void *arg)
{
	struct power_meter *pm = arg;
	struct reading r;
	double begin = cpu_s();

	for (int i = 0; i < OURS; i++)
		if (power_meter_read(pm, i, &r, NULL))
			return 0;
	return (cpu_s() - begin) / OURS / 2 * 1e6;
}

static double libsensors_us(void *arg)
{
	const struct meter_info *m = arg;
	const sensors_subfeature *power = m->part[0], *volt = m->part[1];
	double value, begin = cpu_s();

	for (int i = 0; i < LIBSENSORS; i++)
		if (sensors_get_value(m->chip, power->number, &value) ||
		    sensors_get_value(m->chip, volt->number, &value))
			return 0;
	return (cpu_s() - begin) / LIBSENSORS / 2 * 1e6;
}

/* 0: no Python here. */
static double python_us(void *arg)
{
	const char *dir = arg;
	char command[1024];
	double us = 0;
	FILE *f;

	snprintf(command, sizeof(command),
		 "python3 -c '\n"
		 "import time\n"
		 "path = \"%s/sys/class/hwmon/hwmon0/power1_input\"\n"
		 "begin = time.process_time()\n"
		 "for i in range(%d):\n"
		 "    with open(path) as f:\n"
		 "        int(f.read())\n"
		 "print((time.process_time() - begin) / %d * 1e6)' 2> /dev/null",
		 dir, PYTHON, PYTHON);
	f = popen(command, "r");
	if (!f || fscanf(f, "%lf", &us) != 1)
		us = 0;
	if (f)
		pclose(f);
	return us;
}

static void next_ms(struct timespec *next)
{
	next->tv_nsec += NS_PER_MS;
	if (next->tv_nsec >= 1000 * NS_PER_MS) {
		next->tv_nsec -= 1000 * NS_PER_MS;
		next->tv_sec++;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

/* Sleep to each ms of a while, and read the meters there; none when @pm is NULL. Returns
 * the part of a core that this takes. */
static double polled(struct power_meter *pm)
{
	double begin = cpu_s();
	struct timespec next;
	struct reading r;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int ms = 0; ms < SAMPLER_MS; ms++) {
		next_ms(&next);
		for (int i = 0; pm && i < METERS; i++)
			power_meter_read(&pm[i], ms, &r, NULL);
	}
	return (cpu_s() - begin) / (SAMPLER_MS * 1e-3);
}

/* The machine of the buffered sampler: the runner's sleep and reads, four meters at once.
 */
struct sampler {
	struct machine machine; /* first */
	struct power_meter pm[METERS];
	unsigned int looks, failed;
};

static int sampler_read(struct machine *m, unsigned int cluster, struct reading *r,
			struct err *err)
{
	struct sampler *s = (struct sampler *)m;
	uint64_t now = stop_now_ns();
	struct reading one;
	int ret = 0;

	(void)cluster;
	*r = (struct reading){ .time_ns = now };
	s->looks++;
	for (int i = 0; i < METERS && !ret; i++) {
		ret = power_meter_read(&s->pm[i], now, &one, err);
		r->power_uw += one.power_uw;
	}
	s->failed += ret != 0;
	return ret;
}

static uint64_t sampler_now(struct machine *m)
{
	(void)m;
	return stop_now_ns();
}

static int sampler_sleep(struct machine *m, uint64_t ns, struct err *err)
{
	(void)m;
	(void)err;
	return stop_sleep_until(ns);
}

static const struct machine_ops sampler_ops = {
	.read_power = sampler_read,
	.now_ns = sampler_now,
	.sleep_until = sampler_sleep,
};

/* As the runner reads a meter of 1 kHz. */
static double buffered(void *arg)
{
	struct sampler *s = arg;
	uint64_t end = stop_now_ns() + BUFFERED_MS * (uint64_t)NS_PER_MS, start;
	struct plan_timing timing;
	struct meter meter;
	struct reading r;
	double begin;

	plan_timing(1000, &timing);
	meter_init(&meter, &s->machine, 0, timing.slot_ns, true);
	begin = cpu_s();
	start = stop_now_ns();
	while (stop_now_ns() < end)
		meter_next(&meter, &r, NULL);
	return (cpu_s() - begin) / ((stop_now_ns() - start) * 1e-9);
}

static bool claim(const char *what, double is, double most, const char *unit)
{
	bool holds = is <= most;

	printf("%-44s %.4g %s, claimed <= %.4g: %s\n", what, is, unit, most,
	       holds ? "holds" : "DOES NOT HOLD");
	return holds;
}

static int compare(struct power_meter *pm, const struct meter_info *info, const char *dir)
{
	double ours = best(ours_us, &pm[0]);
	double lib = best(libsensors_us, (void *)info);
	double python = best(python_us, (void *)dir);
	double all = polled(pm), empty = polled(NULL);
	bool ok;

	/* In turn, so that the same neighbours disturb both. */
	for (int i = 1; i < SLICES; i++) {
		all = fmin(all, polled(pm));
		empty = fmin(empty, polled(NULL));
	}
	if (!(ours > 0) || !(lib > 0)) {
		fprintf(stderr, "bench_sampler: a reading failed\n");
		return 1;
	}
	printf("CPU time per attribute: ours %.3f us, libsensors %.3f us, Python ", ours,
	       lib);
	if (python > 0)
		printf("%.3f us\n", python);
	else
		printf("not here\n");
	ok = claim("ours of libsensors'", ours / lib, MAX_LIB, "times");
	if (python > 0)
		ok = claim("ours of Python's", ours / python, MAX_PYTHON, "times") && ok;
	printf("4 meters, power and voltage, polled at 1 kHz: %.2f %% of a core; a loop "
	       "that sleeps to each ms and reads nothing takes %.2f %% here, reading "
	       "adds "
	       "%.2f %%: who polls each ms pays for the timer above all, so a meter of "
	       "1 kHz is better read through a buffer\n",
	       all * 100, empty * 100, (all - empty) * 100);
	return ok ? 0 : 1;
}

static int bench(const char *dir)
{
	struct power_meter pm[METERS] = { 0 };
	const struct meter_info *info = NULL;
	struct sysfs sys;
	struct meters all;
	struct err err;
	int ret;

	sysfs_init(&sys, dir, NULL);
	ret = meters_open(&all, &sys, NULL, &err);
	for (int i = METERS - 1; i >= 0 && !ret; i--) {
		ret = meters_find(&all, specs[i], &info, &err);
		if (!ret)
			ret = power_meter_open(&all, info, &pm[i], &err);
	}
	if (ret)
		fprintf(stderr, "bench_sampler: %s\n", err.msg);
	else
		ret = compare(pm, info, dir);
	for (int i = 0; i < METERS; i++)
		power_meter_close(&pm[i]);
	meters_close(&all);
	return ret ? 1 : 0;
}

/* A device that takes a scan each ms and never waits for its reader, in a process of its
 * own; @scans is what it has taken. */
static pid_t play(const char *fifo, volatile uint64_t *scans)
{
	struct {
		uint16_t power[METERS];
		uint64_t time_ns;
	} scan = { { 0 }, 0 };
	_Static_assert(sizeof(scan) == SCAN_BYTES, "four values and a time");
	struct timespec next;
	pid_t pid;
	int fd;

	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	clock_gettime(CLOCK_MONOTONIC, &next);
	while (fd >= 0) {
		next_ms(&next);
		for (int i = 0; i < METERS; i++)
			scan.power[i] = 40 + i + *scans % 7;
		scan.time_ns = stop_now_ns();
		if (write(fd, &scan, sizeof(scan)) == sizeof(scan))
			(*scans)++;
	}
	_exit(1);
}

/* The four channels of the device, captured. */
static int start_sampler(struct sampler *s, struct meters *all, struct state *st,
			 struct err *err)
{
	const struct meter_info *info = NULL;
	char spec[32];
	int ret = 0;

	for (int i = 0; i < METERS && !ret; i++) {
		snprintf(spec, sizeof(spec), "acme/power%d", i);
		ret = meters_find(all, spec, &info, err);
		if (!ret)
			ret = power_meter_open(all, info, &s->pm[i], err);
		if (!ret)
			ret = power_meter_save(&s->pm[i], st, err);
	}
	for (int i = 0; i < METERS && !ret; i++)
		ret = power_meter_start(&s->pm[i], all->sys, err);
	return ret;
}

/* What the reader has left in the FIFO. */
static unsigned int scans_left(const char *fifo)
{
	int fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC), bytes = INT_MAX;

	if (fd >= 0) {
		ioctl(fd, FIONREAD, &bytes);
		close(fd);
	}
	return bytes / SCAN_BYTES;
}

/* How well the device and the reader kept time, and what the reader took. */
static int judge_sampler(struct sampler *s, const char *fifo, volatile uint64_t *scans)
{
	uint64_t begin = stop_now_ns(), first = *scans;
	double part, hz, looks_hz;

	s->looks = s->failed = 0;
	part = best(buffered, s);
	hz = (*scans - first) * 1e9 / (stop_now_ns() - begin);
	looks_hz = s->looks * 1e9 / (stop_now_ns() - begin);
	printf("4 channels of an IIO buffer: the device took %.0f scans a second, calib "
	       "read them %.0f times a second, %u reads failed\n",
	       hz, looks_hz, s->failed);
	if (s->failed || hz < 900 || scans_left(fifo) > MAX_LEFT) {
		fprintf(stderr, "bench_sampler: not read at 1 kHz, or not all\n");
		return 1;
	}
	return claim("the whole sampler, 4 channels x 1 kHz, buffered", part * 100,
		     MAX_SAMPLER * 100, "% of a core")
		       ? 0
		       : 1;
}

static int bench_buffered(const char *dir)
{
	volatile uint64_t *scans = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct timespec while_it_starts = { .tv_nsec = 50 * NS_PER_MS };
	struct sampler s = { .machine = { &sampler_ops } };
	struct state st = { 0 };
	struct meters all;
	struct sysfs sys;
	bool recovered;
	char fifo[256];
	struct err err;
	pid_t player;
	int ret;

	if (scans == MAP_FAILED)
		return 1;
	snprintf(fifo, sizeof(fifo), "%s/dev/iio:device0", dir);
	sysfs_init(&sys, dir, NULL);
	ret = meters_open(&all, &sys, NULL, &err);
	if (!ret)
		ret = state_open(&st, &sys, &recovered, &err);
	player = ret ? 0 : play(fifo, scans);
	if (!ret)
		ret = start_sampler(&s, &all, &st, &err);
	if (ret)
		fprintf(stderr, "bench_sampler: %s\n", err.msg);
	nanosleep(&while_it_starts, NULL);
	if (!ret)
		ret = judge_sampler(&s, fifo, scans);
	for (int i = 0; i < METERS; i++)
		power_meter_close(&s.pm[i]);
	if (player > 0) {
		kill(player, SIGKILL);
		waitpid(player, NULL, 0);
	}
	state_close(&st);
	meters_close(&all);
	return ret;
}

static int run(const char *command, const char *dir)
{
	char line[512];

	snprintf(line, sizeof(line), "%s '%s'", command, dir);
	return system(line);
}

static int run_meters(const char *dir)
{
	char line[512];

	snprintf(line, sizeof(line), "mkdir -p '%s/run' && tests/fake/meters '%s' probe",
		 dir, dir);
	return system(line);
}

int main(void)
{
	char dir[] = "/tmp/bench-sampler-XXXXXX";
	int ret = 1;

	if (!fake_namespace()) {
		printf("no mount namespace here: not measured\n");
		return 0;
	}
	if (!mkdtemp(dir))
		return 1;
	if (!run("tests/fake/odroid-xu3", dir) && fake_bind(dir))
		ret = bench(dir);
	else
		fprintf(stderr, "bench_sampler: no fake machine\n");
	fake_unbind();
	/* What needs no libsensors. */
	if (!run("rm -rf", dir) && !run_meters(dir) && !bench_buffered(dir))
		ret = ret ? 1 : 0;
	else
		ret = 1;
	run("rm -rf", dir);
	return ret;
}
