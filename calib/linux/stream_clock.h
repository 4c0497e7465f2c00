/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Find the clock of an external meter: play a marker load (calib/measure/marker.h) and
 * look for it in the readings.
 */
#ifndef CALIB_LINUX_STREAM_CLOCK_H
#define CALIB_LINUX_STREAM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/linux/meters.h"

/* What plays it. */
struct stream_player {
	int (*load)(void *arg, bool on, struct err *err);
	/* By CLOCK_MONOTONIC; -EINTR when a signal asks us to end. */
	int (*sleep_until)(void *arg, uint64_t ns, struct err *err);
	void *arg;
};

/*
 * stream_clock_find - from now on the readings' times are ours
 * @pm: for which stream_needs_marker() is true
 * @step_uw: by how much the load shows
 *
 * Takes 13 times 0.2 s or more, and 3 s. Returns 0; what the player and stream_align()
 * return. The load is off afterwards.
 */
int stream_clock_find(struct power_meter *pm, const struct stream_player *player,
		      double *step_uw, struct err *err);

#endif
