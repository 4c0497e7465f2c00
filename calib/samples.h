/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.csv in and out, and other people's CSV with known column names.
 *
 * Our own format: integers only, except util_pct, which has up to three decimals (the fit
 * needs more than a percent). temp_mc is empty when unknown; flags are joined by '|', '-'
 * is none; power_uw is negative below a subtracted baseline; volt_uv, reads, work,
 * cycles and load_ns are 0 when unknown.
 */
#ifndef CALIB_SAMPLES_H
#define CALIB_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/err.h"
#include "models/sample.h"

#define SAMPLES_MAX_FILES    16384
#define SAMPLES_MAX_REJECTS  64
#define SAMPLES_MAX_SPIKES   10
#define SAMPLES_MAX_BOARD    64 /* of its name, with the NUL */
#define SAMPLES_MAX_CPUS     1024
#define SAMPLES_MIN_UTIL_PCT (-100) /* of idle rows, of others 0 */
#define SAMPLES_MAX_UTIL_PCT (100 * SAMPLES_MAX_CPUS)

/* A row that was not taken, and why; kept for warnings and provenance. */
struct samples_reject {
	uint32_t line;
	uint16_t file;
	char why[128];
};

struct samples {
	struct sample *rows; /* in file order */
	size_t count, cap;
	const char **paths; /* the strings are borrowed */
	unsigned int file_count;
	char **boards; /* names under 'board', in the order of their first row */
	unsigned int board_count; /* 0: no such column */
	uint32_t last_board;	  /* looked up */
	void *board_index;	  /* tree of their numbers by name, see tsearch(3) */
	struct samples_reject rejects[SAMPLES_MAX_REJECTS];
	unsigned int reject_count;
	size_t rejects_more; /* beside those */
	/* Set by the caller: rows that are too many become means (samples_pool.h). */
	bool may_pool;
	struct samples_pool *pool;
	size_t pooled; /* rows read, where they became means; else 0 */
	struct sample
		spikes[SAMPLES_MAX_SPIKES]; /* that no mean has; the first of them */
	size_t spike_count;		    /* all of them */
};

struct samples_pool;

/*
 * The header line of our own format, without newline: it is the version. Rows of before
 * load_ns, the last column, are read all the same.
 */
extern const char samples_header[];

/*
 * samples_read - append the rows of @path
 *
 * Our own header, or any header made of the columns that samples_read.c lists with their
 * units (freq_khz/freq_mhz, voltage_uv/voltage_v, power_uw/power_mw, policy/cluster,
 * ncpus/cpu_count, board, baseline_uw ...); decimal values are taken exactly. Needed at
 * least: frequency, voltage, power. A column that is not known is refused: a misspelt
 * baseline would be a wrong number. In our own format any bad field is an error (-EINVAL,
 * "path:line: power_uw 'x' is not ..."). In other formats a row whose power is empty, nan
 * or inf is put into rejects[] (or counted, after the first ones) and reading goes on;
 * other fields that are empty count as absent. What is absent: cluster "cluster0" (a
 * number under "policy" becomes "policyN"), load "unknown", cpu_count 1, util_pct 100 *
 * cpu_count, temp_mc unknown, else 0.
 *
 * Returns 0, -errno, -EINVAL, -E2BIG (files, or too many kinds of rows to make means of).
 * After a failure the rows before it are in @s.
 */
int samples_read(struct samples *s, const char *path, struct err *err);
/* One row in our own format, with newline. 0; the -errno of writing; -EINVAL for a name
 * that is not plain or a util_pct out of range. */
int samples_write_row(FILE *f, const struct sample *row);
int samples_append(struct samples *s, const struct sample *row);
/* The number of a board, a new one where the name is new. 0 or -ENOMEM. */
int samples_board(struct samples *s, const char *name, uint32_t *number);
void samples_free(struct samples *s);
/* "throttled|clock" into @out; "-" for none. Returns @out. */
char *samples_flags_format(uint32_t flags, char *out, size_t size);
/* The reverse; -EINVAL for an unknown or empty flag. */
int samples_flags_parse(const char *text, uint32_t *flags);
/* Can it be a cluster's or a load's name: printable ASCII without blank, comma or quotes?
 */
bool samples_name_is_plain(const char *name);

#endif
