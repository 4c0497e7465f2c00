/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where iterations of workloads run: this machine, with its meters and its cpufreq
 * settings, or a virtual board in virtual time.
 *
 * On a virtual board no scheduler is modelled. An iteration is so much work, as each
 * workload says; it is spread over the CPUs in proportion to their capacity, all at one
 * share of their time, at the clocks of a governor that has settled
 * (governor_settled_khz()). Its energy is what the virtual meters tell. Runs of the same
 * thing differ by a spread that is given, not found.
 */
#ifndef CALIB_BENCH_SITE_H
#define CALIB_BENCH_SITE_H

#include "boards/board.h"
#include "calib/bench/knobs.h"
#include "calib/bench/rails.h"
#include "calib/bench/result.h"
#include "calib/bench/workload.h"

/* As run-to-run spreads of message passing go on an idle board (RSD 1.4 % there). */
#define SITE_RSD      0.014
#define SITE_BOOT_RSD 0.01 /* made up */

/* Beyond, less would be left than the least work that a virtual board does. */
#define SITE_RSD_MAX_PCT    30
#define SITE_EFFECT_MAX_PCT 99

struct site_options {
	const struct board *virtual_board; /* NULL: this machine */
	uint64_t seed;			   /* of the virtual board */
	double rsd; /* virtual: standard deviation of an iteration's work, as a fraction
		     */
	uint32_t boot;	     /* virtual: the number of this boot; 0: they are not told */
	double boot_rsd;     /* virtual: the same of all work of a boot */
	double effect;	     /* virtual: so much less work is done, as a fraction */
	const char *sysroot; /* before /sys and /proc; NULL: none */
	const char *const *sensors;
	unsigned int sensor_count;
	const char *power_from;
	/* Takes one-line notes, also in the guardian's process; may be NULL. */
	void (*note)(void *arg, const char *text);
	void *note_arg;
};

struct site;

/* @opt: borrowed. 0; what rails_open(), knobs_open() and virtual_new() return. */
int site_open(const struct site_options *opt, struct site **out, struct err *err);
/* Puts settings back. Takes NULL. */
void site_close(struct site *s);

/* Start the meters, and set governor and EPP. As rails_start() and knobs_apply(). */
int site_apply(struct site *s, const struct knobs_combo *c, struct err *err);
int site_restore(struct site *s, struct err *err);
/* Board, policies as they are now, rails: into a context that is signed. */
int site_describe(struct site *s, struct bench_context *c, struct err *err);

/*
 * site_prepare - once for each workload, before its first iteration
 *
 * 0; -ENOTSUP a virtual board cannot run it; what its prepare() returns.
 */
int site_prepare(struct site *s, struct workload_run *w, struct err *err);
/* The parameters of @w as a series without iterations. */
void site_series(const struct workload_run *w, struct bench_series *series);
/*
 * site_run - one iteration
 * @it: times, energy and late wake-ups are filled in, the rest is zeroed
 *
 * Call it with the signals held back (calib/measure/stop.h). What was measured while
 * calib was stopped and went on is worth nothing, and run again. 0; -EINTR a signal asks
 * us to end; -ESTALE it was stopped each time; what the workload returns. Nothing runs
 * afterwards.
 */
int site_run(struct site *s, struct workload_run *w, struct bench_iteration *it,
	     struct err *err);
const struct rails *site_rails(const struct site *s);

#endif
