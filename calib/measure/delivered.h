/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock that was delivered, whatever cpufreq claims: cycles over time where there is
 * a cycle counter, else the load's own rate, which for a load that stays in the core is
 * proportional to the clock. One rule for 'calib freqcheck' and for the rows of
 * samples.csv.
 */
#ifndef CALIB_MEASURE_DELIVERED_H
#define CALIB_MEASURE_DELIVERED_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/measure/machine.h"
#include "lib/err.h"

#define DELIVERED_TOLERANCE 0.01 /* of what was asked for, either direction */
#define DELIVERED_SCALE	    1024 /* of the highest clock; arch_scale_freq_capacity() */

/* More than 1 % above or below what was asked for? */
bool delivered_differs(uint32_t khz, uint32_t asked_khz);

/* @khz as a share of @max_khz in 0..1024, rounded; more than 1024 above it. */
uint32_t delivered_scale(uint32_t khz, uint32_t max_khz);

/*
 * delivered_by_cycles - the clock of the CPUs loaded, from two looks at their usage
 * @ncpus: loaded CPUs, fully busy unless the cluster was busy for less
 *
 * Where the usage tells each CPU's cycles it is the one that is furthest from @asked_khz.
 * Returns 0, or -ENOENT: there is no cycle counter, or the CPUs hardly ran.
 */
int delivered_by_cycles(const struct usage *begin, const struct usage *end,
			unsigned int ncpus, uint32_t asked_khz, uint32_t *khz);

/* Units of work per second of CPU time that the load had. 0: unknown. */
double delivered_rate(const struct usage *begin, const struct usage *end,
		      unsigned int ncpus);

/* A rate that was seen at a clock that was asked for. */
struct delivered_point {
	uint32_t asked_khz;
	double rate; /* 0: unknown */
};

/*
 * delivered_reference - which rate per clock to trust
 *
 * The one that most points agree with to 1 %; of several, that of the highest clock. So a
 * clock that is cut at the top is found at the top.
 * Returns work per kHz, or 0: fewer than two points, of two clocks, agree.
 */
double delivered_reference(const struct delivered_point *points, unsigned int count);

#endif
