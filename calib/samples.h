/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.csv in and out, and other people's CSV with known column names.
 */
#ifndef CALIB_SAMPLES_H
#define CALIB_SAMPLES_H

#include <stddef.h>
#include <stdio.h>

#include "lib/err.h"
#include "models/sample.h"

#define SAMPLES_MAX_FILES   64
#define SAMPLES_MAX_REJECTS 64

/* A row that was not taken, and why; kept for warnings and provenance. */
struct samples_reject {
	uint32_t line;
	uint16_t file;
	char why[128];
};

struct samples {
	struct sample *rows; /* in file order */
	size_t count, cap;
	const char *paths[SAMPLES_MAX_FILES]; /* borrowed */
	unsigned int file_count;
	struct samples_reject rejects[SAMPLES_MAX_REJECTS];
	unsigned int reject_count;
};

/* The header line of our own format, without newline: it is the version. */
extern const char samples_header[];

/*
 * samples_read - append the rows of @path
 *
 * Our own header, or any header made of the columns that samples.c lists with their units
 * (freq_khz/freq_mhz, voltage_uv/voltage_v, power_uw/power_mw, policy/cluster,
 * ncpus/cpu_count, baseline_uw ...); decimal values are taken exactly. Needed at least:
 * frequency, voltage, power. In our own format any bad field is an error (-EINVAL,
 * "path:line: power_uw 'x' is not ..."). In other formats a row whose power is empty, nan
 * or inf is put into rejects[] and reading goes on.
 *
 * Returns 0, -errno.
 */
int samples_read(struct samples *s, const char *path, struct err *err);
/* One row in our own format, with newline. 0 or -EIO. */
int samples_write_row(FILE *f, const struct sample *row);
int samples_append(struct samples *s, const struct sample *row);
void samples_free(struct samples *s);
/* "throttled|clock" into @out; "-" for none. Returns @out. */
char *samples_flags_format(uint32_t flags, char *out, size_t size);

#endif
