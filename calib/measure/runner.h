/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carries a plan out on a machine, real or virtual: pin, load, settle, read, next. What
 * goes wrong with one window flags its row, what goes wrong with one operating point
 * skips it, and on every way out the load is stopped and the machine put back.
 */
#ifndef CALIB_MEASURE_RUNNER_H
#define CALIB_MEASURE_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/measure/machine.h"
#include "calib/measure/meter.h"
#include "calib/measure/plan.h"
#include "calib/measure/traits.h"
#include "calib/raw.h"
#include "lib/err.h"
#include "models/sample.h"

#define RUNNER_MAX_LOST 3 /* windows in a row without any reading: give up */
#define RUNNER_MAX_STOLEN                                                                \
	3 /* times running that somebody changed the settings: give up */

struct runner;

struct runner_hooks {
	void *arg;
	/* Loads start and the meter reads, nothing is measured yet; may be NULL. Non-zero
	 * ends the run. */
	int (*begin)(void *arg, struct err *err);
	/* A finished row. Non-zero ends the run. */
	int (*row)(void *arg, const struct sample *row, struct err *err);
	/* One line, without newline. */
	void (*warn)(void *arg, const char *text);
	/*
	 * After each visit beyond plan->least_visits: is the result precise enough? NULL:
	 * it is. Non-zero ends the run.
	 */
	int (*enough)(void *arg, const struct runner *r, bool *yes, struct err *err);
	/* Before each window; may be NULL. */
	void (*progress)(void *arg, const struct runner *r, const struct plan_window *w);
};

/* What came out. */
struct runner_result {
	unsigned int windows; /* dealt with, skipped ones too */
	unsigned int rows, flagged;
	unsigned int flags[32]; /* rows with flag bit i */
	unsigned int lost;	/* windows without one good reading: no row */
	unsigned int visits, visits_skipped;
	unsigned int stolen;	   /* windows thrown away as settings were changed */
	unsigned int rows_retaken; /* after a limit had cut the clock */
	uint64_t cooling_ns;	   /* waited */
	uint32_t bad_reads;
	uint64_t start_ns, end_ns;
	bool out_of_time;
};

/* The readings of the window at hand. */
struct runner_window {
	struct raw_reading raw[PLAN_MAX_READS];
	unsigned int reads, volts, temps;
	double volt_sum_uv, temp_sum_mc;
	int32_t temp_first_mc, temp_last_mc;
	bool throttled;
	int stolen; /* 0, or what verify() returned ... */
	struct err stolen_err;
	struct usage begin, end;
	uint32_t bad;
};

/* What the last window ended with; tells whether a meter is stuck. */
struct runner_before {
	bool any, stale;
	uint32_t khz;
	unsigned int cpu_count;
};

/* Of readings in a window, pooled over all of them. */
struct runner_noise {
	double ss, dof;
};

/* A load's work per kHz and second of CPU time; 0: it is not proportional, or unknown. */
struct runner_yardstick {
	double one, all; /* one CPU loaded, all of them */
};

struct runner {
	/* filled in by the caller */
	struct machine *machine;
	const struct runinfo *info;
	const struct plan *plan;
	struct runner_hooks hooks;
	uint64_t deadline_ns; /* of the machine's clock; 0: none */
	int32_t max_temp_mc;  /* no load starts above it; 0: somewhat below the trip point
			       */
	/* the runner's own */
	struct plan_timing timing; /* the plan's, or what the meter needs in truth */
	struct meter meter;
	struct traits traits; /* known when hooks.begin() is called */
	struct runner_window window;
	struct runner_before before;
	struct runner_noise noise[2]; /* idle, loaded */
	uint32_t opp_khz,
		opp_uv; /* of the visit: as the machine made it; 0 uV: unknown */
	/* What it made of which operating points. */
	struct {
		uint32_t asked_khz, khz;
	} made[BOARD_MAX_OPPS];
	unsigned int made_count;
	bool told_rounding;
	uint32_t refused_khz[BOARD_MAX_OPPS];
	unsigned int refused, lost_in_a_row, stolen_in_a_row;
	bool has_cycles; /* the machine counts them */
	struct runner_yardstick yardsticks[PLAN_MAX_LOADS];
	int32_t gate_mc; /* INT32_MAX: none */
	bool told_heat;
	struct runner_result result;
};

/*
 * runner_run - measure
 *
 * Returns 0 when the plan was carried out, or as much as the deadline allowed
 * (result.out_of_time); -EINTR when a signal asked to end; -ECANCELED when the machine
 * says that the load must; the errors of the machine's
 * prepare(), of the hooks; -EIO when the meter stopped to answer; -EBUSY when somebody
 * else keeps changing the settings; -ETIME when it does not cool down; -ENODEV when no
 * operating point could be set. Rows handed out before stay valid. Restoring is tried in
 * every case, and when it fails that is the error, whatever else happened.
 */
int runner_run(struct runner *r, struct err *err);

#endif
