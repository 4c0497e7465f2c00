/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series of boots: states of a machine that take a reboot to change (another kernel,
 * device tree or command line) take turns, and each boot adds its iterations to one
 * result.
 *
 * What differs from boot to boot (layout of memory, where things land in caches,
 * temperature) is drawn once for all iterations of a boot. So boots are what is
 * independent, and what is compared; iterations only make a boot's mean sharper.
 */
#ifndef CALIB_BENCH_BOOTS_H
#define CALIB_BENCH_BOOTS_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/bench/result.h"
#include "lib/err.h"

#define BOOTS_MAX_STATES 8
/* Of each state that are worth taking: one more lowers what could be found by less than a
 * tenth. Told beforehand, as who looks at p after each and stops below 5 % finds too
 * much.
 */
#define BOOTS_ENOUGH 6

struct boots_state {
	const char *name; /* in the result */
	unsigned int boots, first;
	unsigned int last; /* index of its first and last boot */
};

/* In the order in which they were first booted. Returns how many. */
unsigned int boots_states(const struct bench_result *r,
			  struct boots_state out[BOOTS_MAX_STATES]);
/*
 * boots_next - the state to boot next, so that they take turns: A B, B A, A B ...
 *
 * NULL: another one than the only one there is.
 */
const char *boots_next(const struct bench_result *r);
/*
 * boots_open - the series so far
 * @path: where it is kept; no such file: @r stays as it is
 *
 * 0; -EINVAL it is a file, and no series; what bench_result_read() returns.
 */
int boots_open(const char *path, struct bench_result *r, struct err *err);
/* 0; -EINVAL a series of boots is kept there, which would be lost. NULL is none. */
int boots_spare(const char *path, struct err *err);
/*
 * boots_same_work - is workload number @i what it was in the series?
 * @now: as it would be run, of @count
 */
int boots_same_work(const struct bench_result *r, unsigned int i,
		    const struct bench_series *now, unsigned int count, struct err *err);
/*
 * boots_ok - can this boot be one of @state?
 * @now: its context, described
 *
 * 0; -EINVAL a boot that was of another state, that has other meters than the series, or
 * that cannot be told from others; -E2BIG more states than fit.
 */
int boots_ok(const struct bench_result *r, const char *state,
	     const struct bench_context *now, struct err *err);
/*
 * boots_begin - this boot as the last of the series
 * @now: its context, described
 *
 * A boot that is the last one already goes on. Returns 0; what boots_ok() returns;
 * -EINVAL settings are not those of the boot that goes on; -E2BIG more boots than fit;
 * -ENOMEM.
 */
int boots_begin(struct bench_result *r, const char *state,
		const struct bench_context *now, struct err *err);
/*
 * boots_pick - a result with the iterations of one state only
 * @boot: and of this boot only; -1: of all its boots
 * @out: zero; the context is that of the first such boot. bench_result_free() it, after
 * a failure too.
 */
int boots_pick(const struct bench_result *r, const char *state, int boot,
	       struct bench_result *out, struct err *err);

#endif
