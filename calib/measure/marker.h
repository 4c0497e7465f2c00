/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of an external meter against ours: a load goes on and off in a pattern that
 * looks like itself in one place only, and the place is sought in the meter's readings.
 */
#ifndef CALIB_MEASURE_MARKER_H
#define CALIB_MEASURE_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define MARKER_CHIPS	   13
#define MARKER_MIN_CHIP_NS 200000000ull
#define MARKER_MIN_R	   0.7 /* with less the load is not seen */

/* One reading of the meter, with the meter's own time. */
struct marker_sample {
	int64_t time_ns;
	double power_uw;
};

/* When the load changed, by our clock; off before the first edge and after the last. */
struct marker {
	uint64_t edge_ns[MARKER_CHIPS + 1]; /* chip i is between edges i and i + 1 */
};

/* Is the load on in chip @i? (The Barker code of 13.) */
bool marker_on(unsigned int i);
/* How long a chip has to be for a meter that reads every @interval_ns. */
uint64_t marker_chip_ns(uint64_t interval_ns);

/*
 * marker_find - by how much the meter's clock must be put forward to be ours
 * @from, @to: the offset is between them (ours minus the meter's)
 * @offset_ns, @step_uw: what was found, and by how much the load showed
 *
 * Returns 0; -ENODATA with fewer than two readings a chip, or when the pattern is not in
 * them (with the correlation that there is); -ENOMEM.
 */
int marker_find(const struct marker *m, const struct marker_sample *samples, size_t count,
		int64_t from, int64_t to, int64_t *offset_ns, double *step_uw,
		struct err *err);

#endif
