/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sets the clock of a virtual board while an experiment runs on one of its CPUs: a
 * small model of cpufreq governors, and of hardware that chooses by itself (Intel HWP).
 * Pure: no clock but the one it is told. No scheduler is modelled: one task, one CPU, a
 * policy whose other CPUs idle.
 *
 * performance, powersave: the highest and the lowest clock. userspace: the lowest, at
 * which a virtual board begins.
 *
 * schedutil (kernel/sched/cpufreq_schedutil.c): 1.25 x fmax x util / capacity, rounded up
 * to an operating point, no more often than the rate limit of 10 ms, asked when the task
 * wakes and at ticks of 4 ms while it runs. util is PELT's (kernel/sched/pelt.c):
 * geometric, half-life 32 ms, in time that runs slower by clock/fmax x capacity/1024
 * while the CPU is busy, so that it is invariant; it begins at half the capacity for a
 * new task on an idle CPU, half of what is left of it on another
 * (post_init_entity_util_avg()); what a task had goes with it when it ends
 * (remove_entity_load_avg()); a task that wakes counts with what it had when it slept
 * (util_est, 1/4 new). The time that PELT's clock lost while the CPU was busy, it makes
 * up for when the CPU goes idle (update_idle_rq_clock_pelt()). Left out: the decay in
 * steps of 1024 us, iowait boost, uclamp, other tasks.
 *
 * ondemand (drivers/cpufreq/cpufreq_ondemand.c): each 10 ms in which the CPU is busy, the
 * busy share of the time since the last look; above 95 % the highest clock, else in
 * proportion between the lowest and the highest. After a pause of more than two periods
 * the share before it counts, once.
 *
 * HWP, under powersave where an EPP is set, as intel_pstate in active mode: what the
 * hardware does is not published. Stand-in: the clock follows the share of time that the
 * CPU is busy, with a lag, and may have a ceiling; the more an EPP saves, the longer the
 * lag and the lower the ceiling. These figures are made up.
 */
#ifndef CALIB_SIM_GOVERNOR_H
#define CALIB_SIM_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

#define GOVERNOR_NAMES "performance powersave userspace schedutil ondemand"
#define GOVERNOR_EPPS  "performance balance_performance balance_power power"

enum governor_kind {
	GOVERNOR_FIXED,
	GOVERNOR_SCHEDUTIL,
	GOVERNOR_ONDEMAND,
	GOVERNOR_HWP,
};

struct governor_cpu {
	uint32_t min_khz, max_khz;
	double capacity; /* at max_khz, of the fastest CPU's; 1 is the fastest */
};

struct governor {
	enum governor_kind kind;
	struct governor_cpu cpu;
	double khz; /* what it asks for; not rounded to an operating point */
	uint64_t now_ns, next_ns;
	bool busy;
	double util, util_est;	   /* schedutil: of 1024 as 1 */
	double own, lost_ns;	   /* of util, by the newest task; of PELT's clock */
	uint64_t changed_ns;	   /* rate limit: since when */
	double busy_ns, prev_load; /* ondemand: since looked_ns; -1: none */
	uint64_t looked_ns;
	double lag_ns, ceiling, wants; /* HWP */
};

/*
 * governor_init - at @now_ns, the CPU idle for long
 * @epp: "" where the board has none
 *
 * Returns 0; -EINVAL naming what there is, -ENOTSUP a board without EPP.
 */
int governor_init(struct governor *g, const char *name, const char *epp, bool has_epp,
		  const struct governor_cpu *cpu, uint64_t now_ns, struct err *err);
/* A task that never ran begins: at the next governor_run(), or now on a busy CPU. */
void governor_new_task(struct governor *g);
/* It ends. */
void governor_end_task(struct governor *g);
/* The task wakes, or goes to sleep, now. */
void governor_run(struct governor *g, bool busy);
/* When it may ask for another clock if nothing else happens; UINT64_MAX: never. */
uint64_t governor_next_ns(const struct governor *g);
/* Until @ns, which is not after governor_next_ns(), the clock was @khz. */
void governor_pass(struct governor *g, uint64_t ns, double khz);
/*
 * governor_settled_khz - what it asks for after long, or swings around
 * @share: of its time that the CPU would be busy at its highest clock, 0..1, in pieces
 *	that are short against the governor's memory
 */
double governor_settled_khz(const struct governor *g, double share);

#endif
