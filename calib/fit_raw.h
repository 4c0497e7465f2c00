/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calib fit --raw: rows made anew from the readings of their windows. What is done with
 * the readings is in models/trace.h.
 */
#ifndef CALIB_FIT_RAW_H
#define CALIB_FIT_RAW_H

#include <stddef.h>

#include "lib/err.h"
#include "models/trace.h"

#define FIT_RAW_NAMED 5

struct fit_input;
struct runinfo;

struct fit_raw_spike {
	const char *path; /* of the file of readings; borrowed from the input */
	unsigned int line;
	double power_uw, mean_uw;
};

/* What became of one cluster's readings. */
struct fit_raw {
	unsigned int windows;	/* with readings */
	unsigned int bare;	/* rows without: as they were */
	unsigned int unsettled; /* windows that warmed up for more than their half */
	size_t readings, count[TRACE_FATES];
	double effective;  /* summed */
	unsigned int busy; /* windows with an error to speak of ... */
	double error2;	   /* ... and the sum of its squares, relative */
	int64_t step_uw;   /* of the meter: all readings are multiples of it apart */
	struct fit_raw_spike spikes[FIT_RAW_NAMED]; /* the first ones */
};

/*
 * fit_raw_run - the rows of run @dir, by its raw.csv
 * @info: its machine
 * @from: its first row; the others of @in follow
 *
 * The clusters of @in are known. 0; -ENOENT when there is no raw.csv; -ENODATA when it
 * has readings of none of the rows; the errors of raw_read(); those of trace_reduce().
 */
int fit_raw_run(struct fit_input *in, const char *dir, const struct runinfo *info,
		size_t from, struct err *err);
/*
 * fit_raw_files - rows that are readings themselves: those that follow each other with
 * the same clock (asked for), CPU count and load are one window
 *
 * 0; -ENODATA when no window has more than one; -ENOMEM; those of trace_reduce().
 */
int fit_raw_files(struct fit_input *in, struct err *err);

/* Of a cluster by name; NULL: its rows were not made anew. */
const struct fit_raw *fit_raw_of(const struct fit_input *in, const char *cluster);
/* "96 windows of 288 readings: 3 repeats, ..." into @out. Returns @out. */
char *fit_raw_format(const struct fit_raw *raw, char *out, size_t size);
/* "run/raw.csv:7: a spike left out: ..." of spike number @i into @out. Returns @out. */
char *fit_raw_format_spike(const struct fit_raw *raw, unsigned int i, char *out,
			   size_t size);

#endif
