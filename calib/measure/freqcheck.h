/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a cluster run at the clocks it is asked for? Every CPU is loaded at every
 * operating point, and the clock is taken from cycles, or from the load's own rate.
 */
#ifndef CALIB_MEASURE_FREQCHECK_H
#define CALIB_MEASURE_FREQCHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/measure/machine.h"
#include "calib/measure/plan.h"
#include "lib/err.h"

#define FREQCHECK_TIME_NS 200000000ull

enum freqcheck_by {
	FREQCHECK_NONE,	  /* it cannot be told */
	FREQCHECK_CYCLES, /* cycle counters */
	FREQCHECK_RATE,	  /* the load's own rate */
};

struct freqcheck_point {
	uint32_t asked_khz;
	uint32_t claimed_khz; /* by cpufreq; 0: it does not tell */
	uint32_t khz;	      /* delivered; 0: unknown */
	uint32_t scale;	      /* delivered in 0..1024 of the highest clock */
	enum freqcheck_by by;
	double rate; /* units of work per CPU and second; 0: unknown */
	bool throttled;
	bool ok;
	bool untold;   /* not ok as nothing is known */
	char why[256]; /* "" when it is */
};

struct freqcheck {
	unsigned int cluster;
	unsigned int cpu_count; /* loaded */
	uint32_t max_khz;	/* of the cluster's operating points */
	struct freqcheck_point points[BOARD_MAX_OPPS]; /* ascending */
	unsigned int point_count;
	unsigned int wrong;  /* points that are not ok */
	unsigned int untold; /* of these, those of which nothing is known */
};

struct freqcheck_options {
	const char *opps; /* as plan_options */
	uint64_t time_ns; /* to look at each operating point */
	void (*progress)(void *arg, unsigned int done, unsigned int all);
	void *arg;
};

/*
 * freqcheck_run - check one cluster
 * @info: of the machine's discover()
 *
 * Returns 0 (see fc->wrong); -EINTR when a signal asked to end; what plan_make(),
 * prepare() and load_start() return; -EIO when it could not be put back. Restoring is
 * tried in every case.
 */
int freqcheck_run(struct machine *m, const struct runinfo *info, unsigned int cluster,
		  const struct freqcheck_options *o, struct freqcheck *fc,
		  struct err *err);

#endif
