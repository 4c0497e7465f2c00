/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of texts, printed in columns for people or in Markdown for a mail.
 */
#ifndef LIB_GRID_H
#define LIB_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct grid {
	const char *align; /* a letter per column, which counts them: 'l' or 'r' */
	char **cells;	   /* row by row; the first row is the heading */
	size_t count, room;
	bool failed; /* no memory */
};

/* The next cell, left to right. A failure shows at grid_print(). */
void grid_add(struct grid *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A number with @digits behind the point; "-" where it is not finite. */
void grid_add_number(struct grid *g, double value, int digits);
/*
 * grid_print - all complete rows, columns as wide as their widest cell
 *
 * A '|' of a cell does not end it in Markdown. Returns 0 or -ENOMEM, and then nothing was
 * printed.
 */
int grid_print(const struct grid *g, FILE *f, bool markdown);
/* Takes a zeroed one. */
void grid_free(struct grid *g);

#endif
