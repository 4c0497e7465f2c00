/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a played rail draws: C*n*f*V^2 (uW/MHz/V^2) above 100 mW, n being the threads that
 * load it and f what scaling_setspeed says; V is the kernel's own table.
 */
#ifndef TESTS_FAKE_RAIL_H
#define TESTS_FAKE_RAIL_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define IDLE_UW	 100000
#define NOISE_UW 1000

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* @other where there is no such file, or no number in it. */
static uint64_t get(const char *path, uint64_t other)
{
	FILE *f = fopen(path, "r");
	uint64_t value;

	if (!f)
		return other;
	if (fscanf(f, "%" SCNu64, &value) != 1)
		value = other;
	fclose(f);
	return value;
}

/* A little, either way, shows that a meter lives. */
static int64_t noise_uw(void)
{
	return random() % (2 * NOISE_UW + 1) - NOISE_UW;
}

/* Of @cpu's policy. */
static uint64_t rail_uw(const char *dir, const char *cpu, uint64_t c, unsigned int n,
			uint64_t *mv)
{
	char path[512];
	uint64_t khz;

	snprintf(path, sizeof(path),
		 "%s/sys/devices/system/cpu/cpufreq/policy%.8s/scaling_setspeed", dir,
		 cpu);
	khz = get(path, 200000);
	snprintf(path, sizeof(path),
		 "%s/sys/kernel/debug/opp/cpu%.8s/opp:%" PRIu64
		 "000/supply-0/u_volt_target",
		 dir, cpu, khz);
	*mv = get(path, 900000) / 1000;
	return IDLE_UW + c * n * (khz / 1000) * *mv * *mv / 1000000;
}

#endif
