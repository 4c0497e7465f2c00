/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An energy model as a running kernel shows it, whichever kernel that is.
 *
 * v5.6 to v5.8: debugfs pdN/cs:KHZ/{frequency,power,cost}, mW. From v5.9 cpuN/ps:KHZ.
 * v5.11 adds units ("milliWatts", "bogoWatts"), v5.16 flags in its place and inefficient,
 * v6.0 changes the unit to uW under the same flag, v6.9 adds performance. v5.15 to v5.19
 * multiply the cost by 1000 where a long has 64 bits.
 */
#ifndef MODELS_EM_SHOWN_H
#define MODELS_EM_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dtcpus.h"

#define EM_SHOWN_MAX_STATES  256
#define EM_SHOWN_MAX_DOMAINS 64

/* Flags of a domain: include/linux/energy_model.h. */
#define EM_FLAG_WATTS	   1 /* mW before v6.0, uW since; else an abstract scale */
#define EM_FLAG_SKIP	   2 /* inefficient states are skipped */
#define EM_FLAG_ARTIFICIAL 4 /* a driver made the numbers up */

#define EM_RELEASE(major, minor) ((major) << 16 | (minor))

/* EM_MAX_COMPLEXITY of kernel/sched/topology.c, v5.0 to v6.6: above it EAS stays off. */
#define EM_MAX_COMPLEXITY	  2048
#define EM_RELEASE_ANY_COMPLEXITY EM_RELEASE(6, 7)

struct em_shown_state {
	uint64_t khz, power, cost, performance;
	bool has_cost, has_performance, has_inefficient, inefficient;
};

struct em_shown {
	char name[32];				       /* "cpu4", "pd4" */
	unsigned int cpus[DTCPUS_MAX_CPUS], cpu_count; /* Linux numbers, ascending */
	bool has_flags;
	uint64_t flags;
	char units[16];	 /* "" where there is no such file */
	bool cap_states; /* "cs:" */
	struct em_shown_state states[EM_SHOWN_MAX_STATES]; /* ascending */
	unsigned int state_count;
};

enum em_unit {
	EM_UNIT_UNKNOWN, /* mW before v6.0, uW since, and nothing tells which it is */
	EM_MICROWATT,
	EM_MILLIWATT,
	EM_ABSTRACT, /* no watts, or made up */
};

/*
 * em_shown_unit - what the powers of a domain are in
 * @release: EM_RELEASE() of the running kernel; 0: not known
 * @sure: false when the release alone tells: kernels have been patched with a newer model
 * @why: what tells it, a few words
 */
enum em_unit em_shown_unit(const struct em_shown *d, unsigned int release, bool *sure,
			   const char **why);
/*
 * em_shown_inefficient - how many states are inefficient
 *
 * As flagged; where there are no flags (before v5.16) by their costs: those that cost as
 * much as a faster one or more (em_create_perf_table()). 0 where there are none either.
 */
unsigned int em_shown_inefficient(const struct em_shown *d);
/*
 * em_complexity - nr_pd * (nr_cpus + nr_ps), build_perf_domains() of
 * kernel/sched/topology.c
 */
unsigned int em_complexity(unsigned int domains, unsigned int cpus, unsigned int states);
/* "uW", "mW", "of an abstract scale", "of an unknown unit" */
const char *em_unit_name(enum em_unit unit);
/* EM_RELEASE() of "6.1.0-50-armmp"; 0 when it does not start so. */
unsigned int em_release(const char *text);

#endif
