/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real machine behind calib/measure/machine.h: cpufreq, hwmon through libsensors,
 * thermal zones, perf cycles and pinned load threads.
 */
#ifndef CALIB_LINUX_LINUX_H
#define CALIB_LINUX_LINUX_H

#include "boards/board.h"
#include "calib/linux/thermal_hold.h"
#include "calib/measure/machine.h"
#include "lib/err.h"

struct linux_options {
	/* Stands before /sys, /proc and /run; NULL or "": the machine itself. libsensors
	 * always reads the machine's /sys/class/hwmon. */
	const char *sysroot;
	/* The user's description; NULL: match a built-in board by the root compatible. */
	const struct board *board;
	/* "CLUSTER=SPEC", see calib/linux/meters.h for SPEC; they win over the board's.
	 */
	const char *const *sensors;
	unsigned int sensor_count;
	/* What the load "cmd" runs, NULL-ended; NULL: there is no such load. */
	const char *const *load_argv;
	/* Where readings come from when no meter of the machine is used; see
	 * calib/linux/meters_stream.h. NULL: nowhere. */
	const char *power_from;
	/* Clocks are looked at, no power: no meter is looked for, prepare() asks for
	 * none.
	 */
	bool clock_only;
	/* The user's file of voltages (calib/voltages.h); NULL: none. */
	const char *voltages;
	/* The user's list of clocks, for policies without a table; NULL: none. */
	const char *opps;
	/* Boost clocks are operating points too: boost is switched on by prepare(). */
	bool boost;
	/*
	 * CPUs that are offline are measured too: prepare() brings those of its cluster
	 * online. Where a whole cluster is offline, discover() does so for a moment, as
	 * no kernel says what an offline policy offers.
	 */
	bool online;
	/* ... of these clusters; NULL: of all. */
	const char *const *clusters;
	unsigned int cluster_count;
	/* The kernel cuts no clock for heat while one is measured, see
	 * calib/linux/thermal_hold.h, which max_temp_mc is for; 0: no limit. */
	enum thermal_mode thermal_mode;
	int32_t max_temp_mc;
	/* discover() writes nothing in any case. */
	bool dry_run;
	/* Takes one-line warnings ("policy4: all CPUs are offline, skipped"); may be
	 * NULL. */
	void (*note)(void *arg, const char *text);
	void *note_arg;
};

/*
 * linux_open - the machine this program runs on
 * @opt: borrowed, with all it points to, until close()
 *
 * Changes nothing and reads nothing yet. Returns 0, -ENOMEM,
 * -ENAMETOOLONG.
 *
 * sleep_until() returns -EINTR as calib/measure/stop.h says: the caller holds the signals
 * back, restores and ends.
 */
int linux_open(const struct linux_options *opt, struct machine **m, struct err *err);

#endif
