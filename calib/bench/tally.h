/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples, average, standard deviation, maximum and minimum of values that come one by
 * one.
 */
#ifndef CALIB_BENCH_TALLY_H
#define CALIB_BENCH_TALLY_H

#include <math.h>
#include <stdint.h>

/* Zeroed: nothing yet. */
struct tally {
	uint64_t samples;
	double average, squares; /* of the deviations (Welford) */
	double maximum, minimum;
};

/* A value that is not finite is unknown, and left out. */
static inline void tally_add(struct tally *t, double value)
{
	double off = value - t->average;

	if (!isfinite(value))
		return;
	if (!t->samples || value > t->maximum)
		t->maximum = value;
	if (!t->samples || value < t->minimum)
		t->minimum = value;
	t->samples++;
	t->average += off / t->samples;
	t->squares += off * (value - t->average);
}

/* Of the sample; NAN below two values. */
static inline double tally_sd(const struct tally *t)
{
	return t->samples > 1 ? sqrt(t->squares / (t->samples - 1)) : NAN;
}

#endif
