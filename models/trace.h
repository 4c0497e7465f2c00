/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a meter's readings over one window to their mean and its error.
 *
 * Assumed: the window is one state of the machine (one clock, one load), at most its
 * first half still warming up; what is left of it is stationary, with correlations that
 * die out within the window. In this order:
 *
 * repeats - A gauge that is slower than whoever polls it says the same thing several
 *	times. In a run of equal readings as many are kept as the meter made updates
 *	meanwhile. Where its interval is not known it is taken from the shorter runs, and
 *	from them only when there are more repeats than equal values would give by chance
 *	(the sum of p^2 over the values), so that a coarse meter is not taken for a slow
 *	one. Fewer than 8 readings tell no interval.
 * spikes - A reading beyond 5 scaled median absolute deviations of the median of itself
 *	and its 10 neighbours on each side is left out (Hampel 1974; Davies and Gather,
 *	J. Am. Stat. Assoc. 88, 1993); beyond 8 where there are fewer than 15 neighbours.
 *	The deviation counts as at least the meter's step. Where several readings, and
 *more than one in ten, are spikes, that is how the power is, and none is left out. Fewer
 *than 5 readings tell no spike. warm-up - MSER-5: means of 5 are cut off at the beginning
 *until the squared standard error of the rest is least, at most half of them (White,
 *Simulation 69, 1997; White, Cobb and Spratt, WSC 2000). The cut is made when what it
 *takes off differs from the rest (t test, p < 0.001), as the least of noise is somewhere,
 *too. Where it takes the full half the window is unsettled. Fewer than 20 readings are
 *not cut. error - The effective number of readings is n / (1 + 2 sum rho_k), summed by
 *Geyer's initial monotone sequence: pairs of neighbouring autocorrelations, while they
 *are positive and no more than the pair before (Stat. Sci. 7, 1992, section 3.3), and at
 *most n. Beyond 65536 readings it is the sequence of batch means. The error is that of a
 *mean of so many, sqrt(ss / n / (n_eff - 1)): with no correlation the usual one. Fewer
 *than 10 readings are taken as independent; readings that are all equal as one, with the
 *error of rounding to the meter's step.
 */
#ifndef MODELS_TRACE_H
#define MODELS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct trace_reading {
	uint64_t time_ns; /* of any clock; all 0: not known */
	double power_uw;
	double volt_uv; /* 0: not told. Another voltage is another update */
};

enum trace_fate {
	TRACE_USED,
	TRACE_REPEAT,
	TRACE_SPIKE,
	TRACE_WARMUP,
	TRACE_FATES,
};

struct trace_meter {
	uint64_t update_ns; /* between updates; 0: unknown */
	double step_uw;	    /* its resolution; 0: the least step in the trace */
};

struct trace_mean {
	double power_uw, se_uw; /* the mean and its standard error */
	double sd_uw;		/* of the readings used; 0 for one */
	double effective; /* readings as good as independent, 1..count[TRACE_USED] */
	size_t count[TRACE_FATES];
	bool unsettled; /* half of it was cut, and it may warm up still */
};

/*
 * trace_reduce - the mean of @n readings and its error
 * @meter: what is known of the meter
 * @fate: what became of each reading; may be NULL
 *
 * One reading is its own mean, without an error that could be told (se 0, effective 1).
 *
 * Returns 0, -ENODATA (no reading), -EINVAL (a reading that is not finite or not within
 * 1e18 uW, times that go back), -ENOMEM.
 */
int trace_reduce(const struct trace_reading *r, size_t n, const struct trace_meter *meter,
		 enum trace_fate *fate, struct trace_mean *mean, struct err *err);

/* The steps by themselves. */

/* How many of @x MSER-5 cuts off, whether that is significant or not; 0 for n < 20. */
size_t trace_mser5(const double *x, size_t n);
/* The effective number of readings, 1..n. 0 or -ENOMEM. */
int trace_effective(const double *x, size_t n, double *effective);
/* Readings per update of the meter, above 1 where values repeat more often than by
 * chance. 0 (else 1) or -ENOMEM. */
int trace_readings_per_update(const struct trace_reading *r, size_t n, double *readings);

#endif
