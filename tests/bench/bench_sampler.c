// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What measuring costs the machine that is measured: CPU time per reading of a hwmon
 * attribute, our way, libsensors' and a Python loop's, on a fake Odroid-XU3 that the real
 * libsensors takes for the machine; and a sampler of four meters at 1 kHz.
 */
#include <errno.h>
#include <sensors/sensors.h>
#include <stdlib.h>
#include <time.h>

#include "calib/linux/meters.h"
#include "tests/unit/namespace.h"

#define OURS	    20000
#define LIBSENSORS  2000
#define PYTHON	    5000
#define ROUNDS	    8
#define METERS	    4
#define SAMPLER_MS  400
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
static double best_us(double (*once)(void *), void *arg)
{
	double us, best = once(arg);

	for (int i = 1; i < ROUNDS; i++) {
		us = once(arg);
		if (us < best)
			best = us;
	}
	return best;
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

/* What a sampler costs per tick, in us. */
struct ticks {
	double all;	/* with the timer and the wake-up */
	double reading; /* awake, caches cold */
};

/* Sleep to each ms of a while, and read the meters there. */
static struct ticks sample(struct power_meter *pm)
{
	struct ticks t = { 0, 0 };
	double begin = cpu_s(), woken;
	struct timespec next;
	struct reading r;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int ms = 0; ms < SAMPLER_MS; ms++) {
		next.tv_nsec += NS_PER_MS;
		if (next.tv_nsec >= 1000 * NS_PER_MS) {
			next.tv_nsec -= 1000 * NS_PER_MS;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		woken = cpu_s();
		for (int i = 0; i < METERS; i++)
			power_meter_read(&pm[i], ms, &r, NULL);
		t.reading += cpu_s() - woken;
	}
	t.all = (cpu_s() - begin) / SAMPLER_MS * 1e6;
	t.reading *= 1e6 / SAMPLER_MS;
	return t;
}

static struct ticks best_sample(struct power_meter *pm)
{
	struct ticks t, best = sample(pm);

	for (int i = 1; i < ROUNDS; i++) {
		t = sample(pm);
		if (t.all < best.all)
			best.all = t.all;
		if (t.reading < best.reading)
			best.reading = t.reading;
	}
	return best;
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
	double ours = best_us(ours_us, &pm[0]);
	double lib = best_us(libsensors_us, (void *)info);
	double python = best_us(python_us, (void *)dir);
	struct ticks ticks = best_sample(pm);
	bool ok;

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
	/* What a timer and a wake-up cost is the kernel's, and in a virtual machine the
	 * host's, affair. */
	printf("4 meters, power and voltage, at 1 kHz: %.2f %% of a core, %.2f %% of it "
	       "the "
	       "kernel's 1000 timers and wake-ups a second\n",
	       ticks.all / 10, (ticks.all - ticks.reading) / 10);
	ok = claim("the sampler without them", ticks.reading / 10, MAX_SAMPLER * 100,
		   "% of a core") &&
	     ok;
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

static int run(const char *command, const char *dir)
{
	char line[512];

	snprintf(line, sizeof(line), "%s '%s'", command, dir);
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
	run("rm -rf", dir);
	return ret;
}
