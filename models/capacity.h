/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capacity-dmips-mhz: what a cluster's CPU gets done per MHz, against the fastest one's.
 *
 * The kernel takes a CPU's capacity to be that value times its clock, so work per clock
 * has to be the same at every operating point. It is as long as the load waits for
 *nothing but the core. Time that it waits for memory does not shrink with the clock: a
 *unit of work then takes
 *
 *	cycles(f) = c + m f		c: cycles in the core, m: time outside of it
 *
 * (the split into core and memory time of Keramidas, Spiliopoulos and Kaxiras, "Interval-
 * based models for run-time DVFS orchestration in superscalar processors", 2010, sec. 3).
 * m is fitted and tested with its error; m f / (c + m f) is the share of the time that is
 * waited. Errors are clustered by operating point: whatever an operating point has by
 * itself (a clock that is a little off, warm caches) is no noise that more rows average
 * out. Assumed: operating points err independently, work and CPU time are those of the
 * load alone.
 */
#ifndef MODELS_CAPACITY_H
#define MODELS_CAPACITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "models/sample.h"

#define CAPACITY_SCALE	  1024 /* of the fastest */
#define CAPACITY_FLAT_PCT 1.0  /* less waiting than this is flat, however sure it is */

/* One window. */
struct capacity_row {
	double mhz;	  /* delivered */
	double cycles;	  /* million, that the load had */
	double work;	  /* units */
	double rounding;  /* relative, what the integers of the row may be off */
	unsigned int opp; /* index, 0 .. opps - 1 */
};

/* Work per million cycles of one cluster. */
struct capacity_speed {
	double value;	/* of all rows; at the top clock when it is not flat */
	double se, dof; /* of the value; relative errors may be taken as small */
	size_t rows;
	unsigned int opps;
	bool tested;	 /* there are operating points enough to tell */
	bool flat;	 /* true when not tested */
	double wait_pct; /* of the time at the top clock; negative: the other way round */
	double wait_ci95[2]; /* conservative: the two parameters' errors do not help */
};

/* Of one cluster against the fastest. */
struct capacity {
	uint32_t dmips_mhz;
	double value, ci95[2];
};

/*
 * capacity_row_of - the row of a sample
 *
 * The cycles are the load's CPU time at the delivered clock; where the time is not known,
 * those that were counted. Returns false when the sample does not tell: flags, idle, no
 * work, neither time nor cycles.
 */
bool capacity_row_of(const struct sample *s, struct capacity_row *row);

/*
 * capacity_speed - work per million cycles
 * @opps: how many operating points the rows' indices go up to
 *
 * Returns 0, -ENODATA with fewer than two rows, -ENOMEM.
 */
int capacity_speed(const struct capacity_row *rows, size_t n, unsigned int opps,
		   struct capacity_speed *out, struct err *err);

/*
 * capacity_normalise - @out[i] of @speeds[i], the fastest is CAPACITY_SCALE
 *
 * The interval is that of the logarithm of the ratio (Welch's degrees of freedom), so
 * that it never reaches 0. The fastest has none: it is the unit.
 */
void capacity_normalise(const struct capacity_speed *speeds, unsigned int n,
			struct capacity *out);

#endif
