/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RUN/plan.json: what 'calib measure' set out to measure, so that a run that was cut off
 * can be carried on with exactly the windows that are missing. It says the options and
 * the seeds that the plan came from, not the plan: that is made again, and a digest tells
 * whether it is the same.
 */
#ifndef CALIB_MEASURE_RESUME_H
#define CALIB_MEASURE_RESUME_H

#include <stdint.h>

#include "boards/board.h"
#include "calib/measure/plan.h"
#include "calib/measure/session.h"
#include "lib/cmd.h"
#include "lib/err.h"

#define RESUME_MAX_OPTIONS 128

struct json;

struct resume_option {
	const char *name, *text; /* borrowed, after resume_read() from root */
};

struct resume_cluster {
	char name[32];
	uint64_t seed;	  /* of plan_make() */
	uint64_t windows; /* that are measured in any case */
	char digest[17];
};

struct resume {
	uint64_t first_row; /* of samples.csv that belongs to the plan, counted from 0 */
	struct resume_option options[RESUME_MAX_OPTIONS];
	unsigned int option_count;
	struct resume_cluster clusters[BOARD_MAX_CLUSTERS]; /* in order */
	unsigned int cluster_count;
	struct json *root;
};

/* RUN/plan.json. 0, -ENOENT there is none, -errno, -EINVAL with key. */
int resume_read(const char *run, struct resume *re, struct err *err);
/* Whole or not at all, into a RUN that is there. */
int resume_write(const char *run, const struct resume *re, struct err *err);
/* Takes a zeroed struct. */
void resume_free(struct resume *re);

/*
 * resume_record_options - remember what was typed, as far as it says what is measured
 *
 * --run, --time-limit, --dry-run and --resume belong to the call, not to the plan.
 * Borrows from @ctx. 0 or -E2BIG.
 */
int resume_record_options(struct resume *re, const struct cmd_ctx *ctx, struct err *err);
/*
 * resume_apply_options - set the recorded options in @values, which holds @cmd's defaults
 *
 * The same options may have been typed again, others not: -EINVAL names the first.
 */
int resume_apply_options(const struct resume *re, const struct cmd_ctx *ctx,
			 const struct cmd *cmd, void *values, struct err *err);
/* Add cluster @name with its whole plan. */
void resume_add_cluster(struct resume *re, const char *name, uint64_t seed,
			const struct plan *plan);

/*
 * resume_drop_done - take the windows that samples.csv has a row for out of @plan
 * @re: as read
 * @i: which of its clusters
 * @plan: whole, as plan_make() gave it with that cluster's seed
 *
 * A window that occurs in several rounds is done as often as there are rows. Visits keep
 * their numbers. Returns 0; -EINVAL when @plan is not the one that was begun (another
 * version of calib, other operating points) or samples.csv has lost rows; -errno.
 */
int resume_drop_done(const struct resume *re, unsigned int i, const struct session *s,
		     struct plan *plan, struct err *err);

#endif
