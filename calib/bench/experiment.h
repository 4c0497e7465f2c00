/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workloads run N times each, in turn, and what came of it, kept after each iteration.
 */
#ifndef CALIB_BENCH_EXPERIMENT_H
#define CALIB_BENCH_EXPERIMENT_H

#include "calib/bench/result.h"
#include "calib/bench/site.h"
#include "lib/err.h"

struct experiment {
	struct site *site;
	struct workload_run *workloads; /* prepared; result->series[] has one of each */
	unsigned int workload_count;
	uint32_t iterations, warmup; /* of each workload */
	uint32_t boot;		     /* index of the result's, if it has boots */
	const char *output;	     /* where the result is kept; NULL: nowhere */
	struct bench_result *result;
	/* Takes one-line notes; may be NULL. */
	void (*note)(void *arg, const char *text);
	void *note_arg;
};

/*
 * experiment_run - fill in the series, one iteration of each workload after the other
 *
 * Those that are there already (of boots before) stay, and are before all others.
 * The result file is written after each iteration that counts; result->interrupted says
 * whether one is missing. Returns 0; -EINTR a signal asks us to end; what site_run() and
 * bench_result_write() return. Whatever it returns, nothing runs, and what is done is in
 * result and file.
 */
int experiment_run(struct experiment *x, struct err *err);

#endif
