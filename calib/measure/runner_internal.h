/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the runner share.
 */
#ifndef CALIB_MEASURE_RUNNER_INTERNAL_H
#define CALIB_MEASURE_RUNNER_INTERNAL_H

#include "calib/measure/runner.h"

const struct runinfo_cluster *runner_cluster(const struct runner *r);
void runner_warn(const struct runner *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
uint64_t runner_now_ns(const struct runner *r);
/* 0, -EINTR or -ECANCELED as machine.h says. */
int runner_sleep(const struct runner *r, uint64_t ns, struct err *err);

/* heat.c */

/* The temperature above which no load starts; into r->gate_mc. */
void heat_begin(struct runner *r);
/*
 * Bring the cluster about to the temperature of the run: half of its CPUs busy in the
 * middle of the plan's operating points, until neither temperature nor power has a trend.
 * 0, -EINTR, what load_start() and load_stop() return.
 */
int heat_preheat(struct runner *r, struct err *err);
/* Nothing is loaded: wait while it is too hot to begin. 0, -EINTR, -ETIME. */
int heat_gate(struct runner *r, struct err *err);
/* The same after a limit has cut the clock: wait until it does no more. */
int heat_recover(struct runner *r, struct err *err);

/* yardstick.c */

/* Where there are no cycle counters: each load's work per clock. 0, -EINTR, what
 * load_start() and load_stop() return. Leaves the clock at any operating point. */
int yardstick_learn(struct runner *r, struct err *err);
/* The clock that the window's work tells. 0, or -ENOENT: it does not. */
int yardstick_khz(const struct runner *r, const struct plan_window *w, uint32_t *khz);

#endif
