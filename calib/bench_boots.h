/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series of boots (calib/bench/boots.h) as --boot of a command adds to it. Without
 * --boot nothing is done.
 */
#ifndef CALIB_BENCH_BOOTS_CMD_H
#define CALIB_BENCH_BOOTS_CMD_H

#include "calib/bench/result.h"
#include "calib/bench/site.h"
#include "calib/bench/workload.h"
#include "lib/cmd.h"

struct bench_boots {
	struct cmd_ctx *ctx;
	const char *state, *path;    /* of --boot and -o; NULL: not given */
	struct bench_result *result; /* of all boots; the caller frees it */
	struct bench_context now;    /* of this one */
};

/*
 * bench_boots_open - take up the series, before anything is chosen
 *
 * 0; -EINVAL no file to add to, one that is no series, or a series that would be lost as
 * --boot is missing; what bench_result_read() returns.
 */
int bench_boots_open(struct bench_boots *b, struct err *err);
/* What the first boot found out (0: find it), so that the same call does the same work.
 */
void bench_boots_found(const struct bench_boots *b, unsigned int i,
		       struct workload_run *w);
/* boots_same_work(), with the file named. */
int bench_boots_same(const struct bench_boots *b, unsigned int i,
		     const struct bench_series *now, unsigned int count, struct err *err);
/* Before anything is changed: boots_ok(). */
int bench_boots_check(struct bench_boots *b, struct site *site, struct err *err);
/* With @now described: boots_begin(), and warn of a state that is not what it was. */
int bench_boots_begin(struct bench_boots *b, struct err *err);
/* The iterations of this boot alone; as boots_pick(). */
int bench_boots_pick(const struct bench_boots *b, struct bench_result *out,
		     struct err *err);
/* Note how far the series is, and what to boot next. */
void bench_boots_tell(const struct bench_boots *b);

#endif
