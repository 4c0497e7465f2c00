/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a meter is like, from its own readings: how often it updates, whether it averages
 * over more than an update, how fine its values are. Drivers state little of that, and
 * some state it wrongly.
 */
#ifndef CALIB_MEASURE_TRAITS_H
#define CALIB_MEASURE_TRAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calib/measure/meter.h"
#include "calib/measure/plan.h"

struct traits {
	uint64_t stated_ns;   /* between updates, by the driver; 0: it does not say */
	uint64_t interval_ns; /* as seen; 0: it was not looked at */
	bool still;	      /* the value never changed */
	/* From a change of load until it showed nine tenths of it; 0: with the next
	 * update, or the load does not show enough to tell. */
	uint64_t response_ns;
	int64_t grid_uw; /* its values lie on multiples of this, but for an offset */
	int64_t load_uw; /* under the load of the look */
};

/*
 * traits_response - watch the meter forget a load that has just ended
 * @ended_ns: when; @loaded_uw: what it showed before
 *
 * Fills in the last three. 0 or -EINTR.
 */
int traits_response(struct traits *t, struct meter *mt, uint64_t ended_ns,
		    int64_t loaded_uw, struct err *err);
/* Make the windows fit: longer waits, more readings. Returns whether something changed.
 */
bool traits_fit(const struct traits *t, struct plan_timing *timing);
/* One line for people and for board.json, "" when all is as stated. Returns @out. */
char *traits_format(const struct traits *t, char *out, size_t size);

#endif
