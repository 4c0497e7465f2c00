/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of 'calib fit' share: the rows that are fitted, the result of one
 * cluster, and how both are told.
 */
#ifndef CALIB_FIT_H
#define CALIB_FIT_H

#include <stdbool.h>
#include <stdio.h>

#include "calib/fit_raw.h"
#include "calib/runinfo.h"
#include "calib/samples.h"
#include "lib/cmd.h"
#include "lib/coeffs.h"
#include "models/many_boards.h"
#include "models/power.h"
#include "models/problem.h"

/* From public data: 59 workloads on one Cortex-A15, five phones of one model. */
#define FIT_NOT_IN_INTERVAL                                                              \
	"other workloads (175..483 on one A15), other units of the chip (3..6 % big, "   \
	"18 "                                                                            \
	"% little), the meter's gain"

#define FIT_LEFT_OUT_NAMED 10
#define FIT_ALL_LOADS	   "all" /* for --load */

struct fit_opts {
	const char *dir;
	const char *out;
	const char *method;
	const char *leakage;
	const char *cluster;
	const char *load;
	const char *mix;
	bool curve;
	const char *scope;
	struct opt_list match;
	bool compare;
	bool explain;
	bool raw;
};

/* All rows, and the machine they come from. */
struct fit_input {
	struct samples samples;
	struct runinfo info;
	bool has_info; /* info is that of a run (of several, the first); else files stand
			  alone */
	char **paths;  /* of the runs' files; NULL: files stand alone */
	unsigned int path_count;
	size_t *first; /* row of each of samples.boards, and the end; NULL: one board */
	char clusters[COEFFS_MAX_CLUSTERS][32]; /* in the order of the result */
	unsigned int cluster_count;
	const char *only; /* the cluster that was asked for; NULL: all */
	bool volt_filled[COEFFS_MAX_CLUSTERS]; /* rows had none: the table's were taken */
	struct fit_raw raw[COEFFS_MAX_CLUSTERS]; /* with --raw */
};

struct fit_loads; /* calib/fit_loads.h */

/* One cluster on its way from rows to coefficient. */
struct fit_cluster {
	const char *name;
	const struct runinfo_cluster *info; /* NULL: not known */
	char load[32];
	struct power_select select; /* what data was taken by */
	struct power_data data;
	const struct power_method *method;
	char why[128];
	struct power_fit fit;
	struct many_boards boards;    /* count 0: one board */
	struct power_problem problem; /* that was solved for it */
	struct fit_loads *loads;      /* NULL: of this load only */
};

/*
 * fit_input_read - rows of the run, or of @files
 *
 * Voltages that the rows do not tell are taken from board.json.
 * Returns 0 (fit_input_free() in any case), -errno, -EINVAL.
 */
int fit_input_read(struct fit_input *in, const struct fit_opts *o, char **files,
		   int file_count, struct err *err);
void fit_input_free(struct fit_input *in);
/* The steps of it, that runs take one by one: */
int fit_input_run(struct fit_input *in, const char *dir, struct runinfo *info,
		  struct err *err);
/* Note the clusters of the rows from @from on, in the order of @info (or NULL) first. */
int fit_input_clusters(struct fit_input *in, const struct runinfo *info, size_t from,
		       struct err *err);
/* Note a file of a run; its path is then the last of in->paths. */
int fit_input_path(struct fit_input *in, const char *dir, const char *name,
		   struct err *err);
int fit_input_voltages(struct fit_input *in, const char *only, const struct runinfo *info,
		       size_t from, struct err *err);

/*
 * fit_runs_read - the rows of several runs, each of a board of its own
 *
 * Returns 0, -EINVAL for a run of another kind of machine or with other clusters, -errno.
 */
int fit_runs_read(struct fit_input *in, const struct fit_opts *o, char **dirs, int n,
		  struct err *err);
/* Put rows board by board. -EINVAL where two boards have the same rows; -ENOMEM. */
int fit_boards_group(struct fit_input *in, struct err *err);

/*
 * What is given twice: -EINVAL with both named, -ENOMEM.
 *
 * Boards with the same rows (which fit_boards_group() put in order), one file by two
 * names, a window that is there twice.
 */
int fit_twins_boards(const struct fit_input *in, struct err *err);
int fit_twins_files(char *const *files, int n, struct err *err);
int fit_twins_rows(const struct fit_input *in, struct err *err);

/*
 * fit_cluster_run - choose the method and fit cluster number @i
 *
 * Returns 0 (free with fit_cluster_free() in any case) or a negative errno with the
 * cluster named.
 */
int fit_cluster_run(struct fit_cluster *c, const struct fit_input *in,
		    const struct fit_opts *o, unsigned int i, struct err *err);
void fit_cluster_free(struct fit_cluster *c);
/* The same for one load, whatever the options say; NULL: the integer load or the only
 * one. */
int fit_cluster_load(struct fit_cluster *c, const struct fit_input *in,
		     const struct fit_opts *o, unsigned int i, const char *load,
		     struct err *err);

/* Why the coefficient can not be shipped; NULL: it can. */
const char *fit_cluster_poor(const struct fit_cluster *c);

/* Everything about the cluster into the result. */
int fit_result_cluster(struct coeffs_cluster *out, const struct fit_cluster *c,
		       const struct fit_input *in, const struct fit_opts *o,
		       const char *command, struct err *err);
/*
 * fit_capacities - capacity-dmips-mhz of all clusters or of none
 *
 * By the integer load where all clusters have rows of it. Not flat: a warning, and a
 * check in @out that is not ok. Returns 0 or a negative errno.
 */
int fit_capacities(const struct cmd_ctx *ctx, struct coeffs *out,
		   const struct fit_input *in, struct err *err);
/* The names of the integer load; NULL past the end. */
const char *fit_integer_load(size_t i);
/* Across clusters: which OPPs the kernel will find inefficient. */
void fit_result_join(struct coeffs *out, const struct fit_input *in);

/* What 'calib check' finds in the clusters by themselves, into @out->checks. */
int fit_checks(struct coeffs *out, const struct fit_input *in, struct err *err);

/* Rows that the fit of a cluster does not take. */
struct fit_left_out {
	char counts[192]; /* "2 throttled, 1 clock, 1 outlier"; "" for none */
	char rows[FIT_LEFT_OUT_NAMED][COEFFS_TEXT]; /* "run/samples.csv:7: throttled" */
	unsigned int named, more;		    /* rows named; and not */
	unsigned int stale;
};

/* "run/samples.csv:7", of a long path its end. Returns @out. */
char *fit_place_in(const char *path, uint32_t line, char *out, size_t size);
/* The same of a row. */
char *fit_place(const struct fit_input *in, unsigned int file, uint32_t line, char *out,
		size_t size);
void fit_left_out(const struct fit_cluster *c, const struct fit_input *in,
		  struct fit_left_out *out);
/* No row was left: why, and what to do. @compare: it was asked for. Returns -ENODATA. */
int fit_left_out_all(const struct fit_cluster *c, const struct fit_input *in,
		     bool compare, struct err *err);

/* Rows that were passed over when reading, one line each. */
void fit_talk_rejects(const struct cmd_ctx *ctx, const struct fit_input *in);
/* How many rows were used, and which were not. */
void fit_talk_rows(const struct fit_cluster *c, const struct fit_input *in);
/* The summary on stderr. */
void fit_talk_cluster(const struct cmd_ctx *ctx, const struct fit_cluster *c,
		      const struct coeffs_cluster *result, const struct fit_input *in);
/* All methods, with all rows and without the flagged ones. */
int fit_compare(FILE *f, const struct fit_cluster *c, const struct fit_input *in,
		struct err *err);

#endif
