/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Busy loops of a known amount of work, for tasks that shall take a given time at the
 * highest clock and longer below it.
 */
#ifndef CALIB_BENCH_BUSY_H
#define CALIB_BENCH_BUSY_H

#include <stdint.h>

#include "lib/err.h"

/* Do @units of the float load; @seed is what the call before returned. */
uint64_t busy_work(uint64_t units, uint64_t seed);

/*
 * busy_calibrate - units per second of the fastest CPU at its highest clock
 *
 * Runs for a quarter of a second on one CPU of each kind that we may use, long enough for
 * a governor to raise the clock, and takes the best few milliseconds. 0; -EINTR a signal
 * asks us to end; -errno.
 */
int busy_calibrate(double *units_per_s, struct err *err);

#endif
