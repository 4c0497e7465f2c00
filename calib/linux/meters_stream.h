/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readings that somebody else takes: a bench meter's program, a logger on another
 * machine. They come as CSV text with a header line that has a time (time_s, time_ms,
 * time_us or time_ns, of whatever clock) and a power (power_w, power_mw or power_uw);
 * other columns are ignored. The source is
 *
 *	a FIFO or a device	read as the lines come
 *	a file that grows	from its present end
 *	anything else		a command, run by sh, whose output is read
 *
 * The lines come late (buffers, network) and with another clock. Both are found by a
 * marker load, see calib/measure/marker.h: from then on time_ns of a reading is when it
 * was taken by our clock, not when it came.
 */
#ifndef CALIB_LINUX_METERS_STREAM_H
#define CALIB_LINUX_METERS_STREAM_H

#include "calib/linux/meters.h"
#include "calib/measure/marker.h"

#define STREAM_MAX_LAG_NS 3000000000ll /* readings that come later are refused */

/* Is this meter one, and not aligned yet? */
bool stream_needs_marker(const struct power_meter *pm);
/* Is it one, whose clock was found? */
bool stream_is_aligned(const struct power_meter *pm);
/* Between its readings, by its own clock. */
uint64_t stream_interval_ns(const struct power_meter *pm);
/* What was understood of it: "power_mw by time_s", and how often. False before two
 * readings came; then nothing is filled in. */
bool stream_describe(const struct meters *all, char *columns, size_t size,
		     uint32_t *interval_us);
/*
 * Between these two every reading is kept that power_meter_read() comes across.
 * stream_record() returns 0 or -ENOMEM; stream_align() finds the offset and uses it, and
 * returns what marker_find() does.
 */
int stream_record(struct power_meter *pm, size_t max, struct err *err);
int stream_align(struct power_meter *pm, const struct marker *m, double *step_uw,
		 struct err *err);
/* How late the readings came in the recording at most. */
uint64_t stream_lag_ns(const struct power_meter *pm);

#endif
