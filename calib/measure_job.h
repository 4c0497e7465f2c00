/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One call of calib measure: what was asked for, what was chosen, and how far it is.
 * cmd_measure.c has the options, measure_prepare.c all that comes before the first write,
 * measure_all.c the measuring and what is told of it.
 */
#ifndef CALIB_MEASURE_JOB_H
#define CALIB_MEASURE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/measure/plan.h"
#include "calib/measure/precision.h"
#include "calib/measure/rawlog.h"
#include "calib/measure/resume.h"
#include "calib/measure/runner.h"
#include "calib/measure/session.h"
#include "calib/runinfo.h"
#include "calib/target.h"
#include "lib/cmd.h"
#include "lib/progress.h"
#include "lib/words.h"

struct measure_options {
	struct opt_list clusters, sensors;
	const char *board, *sysroot, *voltages, *loads, *load_cmd, *cpus, *opps, *run;
	const char *faults, *power_from, *thermal_mode;
	uint32_t repeats, seed, max_temp;
	double precision; /* 0: not asked for */
	uint64_t time_limit_ns;
	bool boost, online, raw, dry_run, resume;
};

extern const struct measure_options measure_defaults;

/* One call of calib measure. */
struct job {
	struct cmd_ctx *ctx;
	const struct measure_options *opts;
	struct measure_options resumed; /* what opts is then */
	struct resume resume;		/* the plan that is, or was, begun */
	bool recorded;			/* ... and that RUN tells */
	struct target target;
	struct words load_cmd; /* the machine borrows it */
	struct runinfo info;
	unsigned int clusters[BOARD_MAX_CLUSTERS]; /* chosen, in order */
	unsigned int cluster_count;
	struct plan plans[BOARD_MAX_CLUSTERS]; /* same order */
	struct session session;
	struct rawlog rawlog;	     /* with --raw */
	const struct runner *runner; /* the one that runs */
	struct progress progress;
	uint64_t wall_start_ns, board_start_ns;
	unsigned int rows;
	struct precision precision; /* of the cluster at hand */
	bool too_coarse;	    /* a precision asked for was not reached */
	uint64_t windows_whole;	    /* of the plans, what is done already with them */
	uint64_t windows_before, windows_all; /* before this cluster, in all plans */
	uint64_t left_after_ns;		      /* what the plans after this one take */
};

/*
 * job_prepare - machine, clusters, run folder and plans; writes nothing
 * job_free() takes a half-prepared one, but does not free @job itself.
 *
 * Returns 0 or a negative errno with what to do next.
 */
int job_prepare(struct job *job, struct err *err);
void job_free(struct job *job);
/* Notes on stderr: rows that are there, half a row cut off, what is resumed. */
void job_tell_session(const struct job *job);
/* Where the virtual board's clock goes on; for boards that were measured before. */
int job_continue_clock(struct job *job, struct err *err);
/* The half-width asked for, as a fraction; 0: none. */
double job_precision(const struct measure_options *o);
/* Open RUN for rows and record the plan, before the first row. */
int job_begin_session(struct job *job, struct err *err);
/* Measure all plans. On error @err says what is kept. */
int job_measure(struct job *job, struct err *err);

#endif
