/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * More rows than fit into memory: means of windows in their place.
 *
 * Rows of one operating point, CPU count, temperature (to half a kelvin), load and flags,
 * in one visit where visits are long enough, become one row: the mean of up to
 * SAMPLES_BLOCK windows, without those that stand out from their median, what their
 * utilisation explains set aside (Hampel's identifier: more than five times the scaled
 * median absolute deviation; a mean could not be mended later). When means are too many
 * as well, neighbours are taken together, and then neighbouring visits to an operating
 * point, until half of them are left, as often as it takes. Each counts for its number of
 * windows in the fit (struct sample: windows).
 *
 * The fit of the means estimates the same as that of the rows: the model is linear in
 * what varies within a block but for voltage, which varies little there. What the model
 * has of the order of rows, a mean has too: its visit, and the temperature before. C
 * comes out within 0.1 % (tests). The random offset of a visit becomes that of several
 * visits.
 */
#ifndef CALIB_SAMPLES_POOL_H
#define CALIB_SAMPLES_POOL_H

#include "calib/samples.h"

#define SAMPLES_BLOCK 32

/* Rows from which on the fit takes means; of many boards, so many of each. */
#define SAMPLES_WHOLE		16384
#define SAMPLES_WHOLE_PER_BOARD 512

/* Is it time for means? */
bool samples_pool_wanted(const struct samples *s);
/* Begin with the rows that are there. 0, -ENOMEM. */
int samples_pool_start(struct samples *s);
/* 0, -ENOMEM, -E2BIG (more operating points, loads and counts than rows are taken). */
int samples_pool_add(struct samples *s, const struct sample *row);
/* No more rows: bring the means into the order of visits. No pool: nothing to do. */
int samples_pool_finish(struct samples *s);
void samples_pool_free(struct samples *s);

#endif
