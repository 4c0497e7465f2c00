/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RUN/raw.csv: the readings of which the rows of samples.csv are the means.
 *
 * A reading belongs to the row of its cluster whose time_ns is the reading's window_ns.
 * Whole numbers only; volt_uv is 0 and temp_mc empty where they are not known. temp_mc is
 * as last looked at, which is up to eight times per window.
 */
#ifndef CALIB_RAW_H
#define CALIB_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/err.h"

#define RAW_NAME     "raw.csv"
#define RAW_LINE_MAX 160

/* The header line, without newline: it is the version. */
extern const char raw_header[];

struct raw_reading {
	uint64_t time_ns;
	int64_t power_uw;
	uint32_t volt_uv; /* 0: not known */
	int32_t temp_mc;  /* SAMPLE_TEMP_UNKNOWN */
};

/* Readings [first, first + count), from @line of the file on. */
struct raw_window {
	uint64_t time_ns; /* of its row */
	char cluster[32];
	size_t first, count;
	unsigned int line;
};

struct raw {
	struct raw_reading *readings;
	struct raw_window *windows; /* raw_read(): by time, then cluster */
	size_t reading_count, reading_cap, window_count, window_cap;
};

/* One line with newline into @out. Its length; -EINVAL when it does not fit. */
int raw_format(char *out, size_t size, const char *cluster, uint64_t window_ns,
	       const struct raw_reading *r);
/*
 * raw_read - all of a raw.csv
 *
 * Returns 0 (raw_free() in any case), -ENOENT when there is no such file, -EINVAL for
 * what is not one ("path:line: power_uw 'x' is not ...") and a window that is there
 * twice, -errno.
 */
int raw_read(struct raw *raw, const char *path, struct err *err);
/*
 * raw_add - add a reading to the last window, or to a new one when that is another
 * @line: of its file; 0: none
 *
 * 0, -EINVAL for a name that is not a cluster's, -ENOMEM.
 */
int raw_add(struct raw *raw, const char *cluster, uint64_t window_ns,
	    const struct raw_reading *r, unsigned int line);
/* The file with its header. 0, -EINVAL, -EIO. */
int raw_write(const struct raw *raw, FILE *f);
/* The readings of a row; NULL: there are none. */
const struct raw_window *raw_find(const struct raw *raw, const char *cluster,
				  uint64_t time_ns);
/* Takes a zeroed one. */
void raw_free(struct raw *raw);

#endif
