/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast a CPU comes up to speed: it idles, then a task that never sleeps starts, and
 * its throughput is looked at from the first millisecond.
 */
#ifndef CALIB_BENCH_RAMP_H
#define CALIB_BENCH_RAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "calib/bench/knobs.h"
#include "calib/bench/stage.h"
#include "calib/bench/tally.h"
#include "lib/err.h"

#define RAMP_BIN_NS	1000000u
#define RAMP_BINS	1500
#define RAMP_NS		(UINT64_C(1500) * RAMP_BIN_NS)
#define RAMP_STEADY_BIN 1000 /* the steady state is what is from here on */
/* The work that power is for; see also ramp_power_ns(). */
#define RAMP_POWER_BIN	   500
#define RAMP_POWER_END_BIN 1400
#define RAMP_POWER_NS	   ((RAMP_POWER_END_BIN - RAMP_POWER_BIN) * (uint64_t)RAMP_BIN_NS)
#define RAMP_WINDOWS	   7
#define RAMP_MAX_REPEATS   100

extern const unsigned int ramp_windows_ms[RAMP_WINDOWS]; /* each begins at 0 */

/* Steps in each millisecond since the task began to work. */
struct ramp_trace {
	uint64_t begin_ns; /* 0: not yet */
	double steps[RAMP_BINS];
};

/* One start. NAN: unknown. */
struct ramp_run {
	double percent[RAMP_WINDOWS]; /* throughput, of the steady state's */
	double converged_ms; /* begin of the first 5 ms that have 95 % of it; NAN: none */
	double mops;	     /* steady state, in 1e6 steps/s */
	double watt, joule_per_gop;
	double had_cpu; /* share of the time that the task had the CPU */
};

/* A CPU under a combination of settings. */
struct ramp_row {
	const struct coretype *type;
	unsigned int cpu;
	struct knobs_combo combo;
	struct ramp_run runs[RAMP_MAX_REPEATS];
	unsigned int run_count;
};

/* For stage_watch: @arg is a struct ramp_trace. */
void ramp_piece(void *arg, uint64_t from_ns, uint64_t to_ns, double steps);
/* All but watt, joule_per_gop and had_cpu. 0; -ENODATA: it did nothing at the end. */
int ramp_analyse(const struct ramp_trace *trace, struct ramp_run *run, struct err *err);
/* When power is measured, after the start: meters are slow, and the idling before must
 * not be in it. */
uint64_t ramp_power_ns(const struct stage *s);
/* How long a start takes: work goes on until the meters have told of RAMP_POWER_NS. */
uint64_t ramp_work_ns(const struct stage *s);
/*
 * ramp_once - idle for @idle_ns, run, analyse
 *
 * Settings are as they are. 0; -EINTR; what ops->task() returns; -ENODATA.
 */
int ramp_once(struct stage *s, unsigned int cpu, uint64_t idle_ns, struct ramp_run *run,
	      struct err *err);

/* Over the runs, of the value at @offset of struct ramp_run. */
struct tally ramp_tally(const struct ramp_row *row, size_t offset);

/* All that was measured. */
struct ramp_result {
	const struct stage *stage;
	uint32_t seed;
	uint64_t idle_ns;
	const char *command; /* line */
	const struct ramp_row *rows;
	unsigned int row_count;
	unsigned int repeats; /* asked for; the last row may have fewer */
	bool interrupted;
};

/* 0; -ENOMEM; -errno of writing. */
int ramp_print(const struct ramp_result *r, FILE *f, bool markdown, struct err *err);
int ramp_print_json(const struct ramp_result *r, FILE *f, struct err *err);

#endif
