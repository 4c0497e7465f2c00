// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast the float load runs here.
 */
#include "calib/bench/busy.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

#include "calib/linux/state.h"
#include "calib/loads/kernels.h"
#include "calib/measure/stop.h"

#define WINDOW_NS 4000000u
#define WINDOWS	  60
#define CHUNK	  32
#define KINDS_MAX 8

uint64_t busy_work(uint64_t units, uint64_t seed)
{
	for (; units; units--)
		seed = load_float_unit(NULL, 0, seed);
	return seed;
}

/* Of a CPU, something that tells its kind from others; 0: nothing does. */
static uint32_t kind_of(unsigned int cpu)
{
	static const char *const files[] = { "cpu_capacity", "cpufreq/cpuinfo_max_freq" };
	const struct sysfs sys = { "" };
	char path[SYSFS_PATH];
	uint32_t kind;

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), STATE_CPUS "%u/%s", cpu, files[i]);
		if (!sysfs_read_u32(&sys, path, &kind, NULL))
			return kind;
	}
	return 0;
}

static uint64_t one_window(double *rate, uint64_t seed)
{
	uint64_t start = stop_now_ns(), now, units = 0;

	do {
		seed = busy_work(CHUNK, seed);
		units += CHUNK;
		now = stop_now_ns();
	} while (now - start < WINDOW_NS);
	*rate = units * 1e9 / (now - start);
	return seed;
}

/* The best window on @cpu. */
static int calibrate_cpu(unsigned int cpu, double *best, struct err *err)
{
	uint64_t seed = 1;
	cpu_set_t set;
	double rate;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	/* It went offline meanwhile: it is none of those that run the work. */
	if (sched_setaffinity(0, sizeof(set), &set))
		return 0;
	/* By count: the time may be over before the first, after a Ctrl-Z. */
	for (unsigned int i = 0; i < WINDOWS; i++) {
		if (stop_pending())
			return err_set(err, -EINTR, "interrupted");
		seed = one_window(&rate, seed);
		if (rate > *best)
			*best = rate;
	}
	/* The compiler must not drop the work. */
	__asm__ volatile("" : : "r"(seed));
	return 0;
}

static bool is_new(uint32_t kind, const uint32_t *kinds, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (kinds[i] == kind)
			return false;
	return n < KINDS_MAX;
}

int busy_calibrate(double *units_per_s, struct err *err)
{
	uint32_t kinds[KINDS_MAX], kind;
	unsigned int n = 0;
	cpu_set_t allowed;
	int ret = 0;

	*units_per_s = 0;
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return err_errno(err, -errno, "cannot tell which CPUs we may use");
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE && !ret; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		kind = kind_of(cpu);
		if (!is_new(kind, kinds, n))
			continue;
		kinds[n++] = kind;
		ret = calibrate_cpu(cpu, units_per_s, err);
	}
	sched_setaffinity(0, sizeof(allowed), &allowed);
	if (!ret && !(*units_per_s > 0))
		ret = err_set(err, -EIO, "no CPU can be calibrated on");
	return ret;
}
