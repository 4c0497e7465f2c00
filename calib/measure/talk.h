/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run tells its user: the plan before, what came out after.
 */
#ifndef CALIB_MEASURE_TALK_H
#define CALIB_MEASURE_TALK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "calib/measure/plan.h"
#include "calib/measure/precision.h"
#include "calib/measure/runner.h"

/* "1:05" or "2:01:05", rounded up, into @out; returns @out. */
char *talk_time(uint64_t ns, char *out, size_t size);
/* The plan of one cluster, visit by visit. */
void talk_plan(FILE *f, const struct runinfo *info, const struct plan *plan);
/* "a15: 95 rows at 19 operating points in 1:40 of board time, 2 flagged (2 clock)" */
void talk_result(FILE *f, const struct runinfo *info, const struct plan *plan,
		 const struct runner_result *result);
/* "VIRTUAL a15: C is known to +-0.2 % (95 %) after 19 visits" */
void talk_precision(FILE *f, bool virtual_board, const struct precision *p);

#endif
