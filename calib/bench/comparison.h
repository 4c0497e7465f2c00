/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of 'calib bench' beside each other: the same workloads, metric by metric, each
 * file against the first.
 */
#ifndef CALIB_BENCH_COMPARISON_H
#define CALIB_BENCH_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "calib/bench/result.h"
#include "lib/err.h"
#include "models/compare.h"

#define COMPARISON_MAX_FILES   8 /* A to H */
#define COMPARISON_MAX_METRICS (BENCH_MAX_RAILS + 3)

enum comparison_unit { UNIT_NS, UNIT_UJ, UNIT_COUNT };

/* What one file says of a metric. */
struct comparison_side {
	double *values;	 /* owned; of each iteration; by boots: the mean of each boot */
	uint32_t *order; /* owned; of each value */
	size_t n;
	size_t missing; /* iterations without this figure */
	/* By boots only: of each iteration. */
	double *each; /* owned */
	size_t each_n;
	struct compare_groups groups;
	struct compare_summary sum;
	bool *outlier; /* owned, @outliers are set */
	size_t outliers;
	struct compare_trend trend;
	/* Against the first file; of the first file nothing. */
	struct compare versus;
	struct compare_turns turns;
	struct compare each_versus; /* by boots: as if iterations were independent */
	double welch_holm;	    /* p, with all comparisons of this workload counted */
};

struct comparison_metric {
	char name[208]; /* "time", "energy", "energy:RAIL", "late-wakeups" */
	enum comparison_unit unit;
	struct compare_trend drift; /* by boots: of all of them, whatever their state */
	struct comparison_side sides[COMPARISON_MAX_FILES];
};

struct comparison_workload {
	const struct bench_series *series[COMPARISON_MAX_FILES];
	struct comparison_metric metrics[COMPARISON_MAX_METRICS];
	unsigned int metric_count;
	unsigned int tests; /* how many comparisons welch_holm counts */
};

/* A workload that not every file has iterations of, since one was interrupted. */
struct comparison_left_out {
	const char *workload;
	unsigned int file; /* the first without */
};

struct comparison_file {
	const char *name;
	const struct bench_result *result;
};

struct comparison {
	struct comparison_file files[COMPARISON_MAX_FILES]; /* the caller's to fill */
	unsigned int file_count;			    /* two at least */
	struct comparison_workload workloads[BENCH_MAX_WORKLOADS];
	unsigned int workload_count;
	struct comparison_left_out left_out[BENCH_MAX_WORKLOADS];
	unsigned int left_out_count;
	bool virtual_board; /* one of them is */
	bool force;
	bool by_boot; /* files are the states of one series, and boots what is compared */
};

struct comparison_options {
	const char *const *metrics; /* names; none: all that every file has */
	unsigned int metric_count;
	bool force; /* compare workloads that are not the same, by their position */
};

/*
 * comparison_make - find what can be compared, and compare it
 * @c: large; files filled in, all else zero
 *
 * Returns 0; -EINVAL for workloads or totals that are not the same, naming the first
 * difference, no workload with iterations in all files, a metric that is not in all
 * files; -ENOMEM. The caller frees with comparison_free() in any case.
 */
int comparison_make(struct comparison *c, const struct comparison_options *o,
		    struct err *err);
void comparison_free(struct comparison *c);

/*
 * comparison_metrics_ok - can results made with the rails of @c have them, each once?
 *
 * 0; -EINVAL naming those that can be, for a message before hours of measuring.
 */
int comparison_metrics_ok(const struct bench_context *c, const char *const *metrics,
			  unsigned int count, struct err *err);

/* Did file number @i take turns with the first, iteration by iteration? */
bool comparison_took_turns(const struct comparison *c, unsigned int i);

/* comparison_context.c: what differs in how the files were made, a line each: "governor:
 * A schedutil, B performance", and what was left out. @line takes them. */
void comparison_contexts(const struct comparison *c,
			 void (*line)(void *arg, const char *text), void *arg);

/* The same of the boots of one state: "kernel: boot 1 6.1.0, boot 4 6.1.1". */
void comparison_boots_differ(const struct bench_result *r, const char *state,
			     void (*line)(void *arg, const char *text), void *arg);

/* comparison_boots.c: iterations into boots; drift; 0, -ENOMEM, and what
 * compare_series() returns. */
int comparison_group(struct comparison_side *side, struct err *err);
int comparison_compare_boots(const struct comparison *c, struct comparison_metric *m,
			     struct err *err);
/* Is each pair of boots of both states? */
bool comparison_boots_took_turns(const struct comparison *c);

/* comparison_print.c and comparison_json.c: 0, -ENOMEM, -errno of writing. */
int comparison_print(const struct comparison *c, FILE *f, bool markdown, struct err *err);
int comparison_print_json(const struct comparison *c, FILE *f, struct err *err);

#endif
