/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel kept from cutting a cluster's clock for heat, and somebody who looks at the
 * temperature in its place.
 */
#ifndef CALIB_LINUX_THERMAL_HOLD_H
#define CALIB_LINUX_THERMAL_HOLD_H

#include <stdint.h>

#include "calib/linux/state.h"
#include "calib/linux/sysfs.h"
#include "calib/linux/thermal.h"

enum thermal_mode {
	THERMAL_KERNEL, /* as it is */
	/* The zones' governor: clocks and fans are left alone, a critical trip point
	 * still ends the system. */
	THERMAL_USER_SPACE,
	/* Their mode: since Linux 5.9 the kernel looks at none of their trip points, the
	 * critical one included. */
	THERMAL_DISABLED,
};

/* Zeroed: nothing is held. */
struct thermal_hold {
	enum thermal_mode mode;
	unsigned int zones[THERMAL_MAX], count; /* thermal_zoneN */
	int32_t stop_mc[THERMAL_MAX];		/* where the run ends */
	unsigned int unread[THERMAL_MAX];	/* times running */
	uint64_t looked_ns;
};

/* "user_space" or "disabled"; NULL is the kernel's own. 0 or -EINVAL. */
int thermal_mode_parse(const char *text, enum thermal_mode *mode, struct err *err);

/*
 * thermal_hold_find - all zones that can cut the cluster's clock, and where to stop
 * @max_mc: the user's limit; 0: none
 *
 * A run stops somewhat below a zone's critical trip point, and at @max_mc. Writes
 * nothing. Returns 0; -ENOENT there is no such zone, or one that tells no critical trip
 * point while there is no limit; -ENOTSUP it has no such mode; -EACCES; -EBUSY a clock is
 * cut now; -ECANCELED it is too hot already. All with what to do.
 */
int thermal_hold_find(const struct sysfs *sys, const struct thermal *th,
		      enum thermal_mode mode, int32_t max_mc, struct thermal_hold *h,
		      struct err *err);
/* Remember what the zones have. Put back first: see state_restore(). */
int thermal_hold_save(struct state *st, const struct thermal_hold *h, struct err *err);
/* Call after state_commit(). */
int thermal_hold_begin(const struct sysfs *sys, const struct thermal_hold *h,
		       struct err *err);
/*
 * thermal_hold_check - may the load go on?
 *
 * Looks at most every THERMAL_LOOK_NS. 0; -ECANCELED naming a zone that is too hot, or
 * that could not be read several times running.
 */
#define THERMAL_LOOK_NS 100000000ull
int thermal_hold_check(const struct sysfs *sys, struct thermal_hold *h, uint64_t now_ns,
		       struct err *err);
/* The lowest temperature at which it says no. -ENOENT: nothing is held. */
int thermal_hold_stop_mc(const struct thermal_hold *h, int32_t *temp_mc);

#endif
