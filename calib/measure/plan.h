/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What will be measured on a cluster, in which order, and for how long. A visit pins one
 * operating point and measures every CPU count there. Each round visits all operating
 * points once, so that a run that ends early is still balanced; counts are in random
 * order inside a visit, so that warming up is not taken for load.
 *
 * The order of visits is random within blocks. The operating points, by their heat f V^2,
 * are cut into a cool, a middle and a hot third; every block of three visits has one of
 * each, drawn at random and shuffled. So a hot visit may follow a cool one or the other
 * way round, but never more than two of a third follow each other: the temperature stays
 * about its mean all the time and does not go with the clock.
 */
#ifndef CALIB_MEASURE_PLAN_H
#define CALIB_MEASURE_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "calib/runinfo.h"
#include "lib/err.h"

#define PLAN_MAX_LOADS	 16
#define PLAN_MAX_ROUNDS	 1000
#define PLAN_ROUNDS_AUTO UINT32_MAX /* one, or more where the table is short */
#define PLAN_THIRDS	 3
#define PLAN_MAX_READS	 512 /* of one window */
#define PLAN_LOAD	 "int"
#define PLAN_LOAD_IDLE	 "idle" /* what samples.csv calls the load of 0 CPUs */
#define PLAN_INTERVAL_US 100000 /* taken for a meter whose interval is unknown */

struct plan_options {
	const char *opps;  /* "200,1400MHz,1.4GHz"; NULL: all */
	const char *cpus;  /* "0-2,4", counts; NULL: idle, one and all */
	const char *loads; /* "int,dram"; NULL: PLAN_LOAD */
	unsigned int rounds;
	/* Up to so many rounds when fewer do not make C as precise as it shall be; 0: no
	 * more than @rounds. */
	unsigned int max_rounds;
	uint64_t seed;
};

/* How long a window has to be for the meter at hand. */
struct plan_timing {
	uint64_t slot_ns;   /* between readings that are kept: each is a new one */
	uint64_t lead_ns;   /* after a change of load, before the meter is looked at */
	unsigned int reads; /* per window */
	unsigned int min_reads; /* with fewer a row is flagged */
};

struct plan_window {
	unsigned int visit; /* counts from 0; windows of a visit follow each other */
	uint32_t khz, volt_uv;
	unsigned int cpu_count;
	const char *load; /* PLAN_LOAD_IDLE for no CPU */
};

struct plan {
	unsigned int cluster;
	unsigned int opp_count, visit_count;
	/* The visits, and their windows, that are made in any case; the others come only
	 * while the result is not precise enough. */
	unsigned int least_visits;
	size_t least_count;
	uint32_t middle_khz; /* of the operating points */
	char loads[PLAN_MAX_LOADS][32];
	unsigned int load_count;
	struct plan_timing timing;
	struct plan_window *windows;
	size_t count;
};

/* @interval_us: between updates of the meter; 0: unknown. */
void plan_timing(uint32_t interval_us, struct plan_timing *timing);

/*
 * plan_make - the plan of cluster number @cluster of @info
 *
 * Returns 0 (the caller frees it by plan_free()); -EINVAL for a list that is not one, an
 * OPP that is not in the table (the near ones are named), a count above the cluster's
 * CPUs, 0 rounds; -ENODEV for a cluster without OPPs; -ENOMEM.
 */
int plan_make(const struct plan_options *opts, const struct runinfo *info,
	      unsigned int cluster, struct plan *plan, struct err *err);
/* Takes NULL and a zeroed plan. */
void plan_free(struct plan *plan);

/* How long one window, with what is waited before it, those that are made in any case,
 * and all of them will take. */
uint64_t plan_window_ns(const struct plan_timing *timing);
uint64_t plan_time_ns(const struct plan *plan);
uint64_t plan_most_ns(const struct plan *plan);

#endif
