/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comma-separated values without quoting, one line at a time. A UTF-8 BOM, CRLF, a
 * missing newline at the end and blank lines at the end are understood; ';' as separator
 * is refused by name.
 */
#ifndef LIB_CSV_H
#define LIB_CSV_H

#include <stddef.h>
#include <stdio.h>

#include "lib/err.h"

#define CSV_MAX_FIELDS 64

struct csv {
	FILE *f;
	const char *path; /* borrowed from the caller of csv_open() */
	char *header;	  /* the header line, cut into names */
	char *line;	  /* the present line, cut into fields */
	size_t header_cap, line_cap;
	const char *names[CSV_MAX_FIELDS];
	const char *fields[CSV_MAX_FIELDS];
	int nnames, nfields;
	unsigned int line_no; /* of the present line; the header is 1 */
};

/*
 * csv_open - open @path ("-" is stdin) and read the header
 *
 * Returns 0, -errno, -EINVAL (no header, a name twice, NUL byte, too many fields, ';'
 * separated).
 */
int csv_open(struct csv *csv, const char *path, struct err *err);
/*
 * csv_next - read the next row into fields[]
 *
 * Returns 1 (a row), 0 (end), -EINVAL with "path:line: 3 fields, the header has 4", -EIO.
 */
int csv_next(struct csv *csv, struct err *err);
/* Index of the column, or -ENOENT. */
int csv_column(const struct csv *csv, const char *name);
/* Takes a zeroed or half-opened struct. */
void csv_close(struct csv *csv);

#endif
