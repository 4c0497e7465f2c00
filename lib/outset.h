/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output files that take their places together, and not before the report of it has
 * reached its end: whoever reads "changed" finds it so, and whoever cannot be told has
 * the files as they were.
 */
#ifndef LIB_OUTSET_H
#define LIB_OUTSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/err.h"

struct outset_file;

/* Zeroed it is an empty one. */
struct outset {
	struct outset_file *files;
	size_t count;
};

/*
 * outset_add - have @data on the disk beside @path, as outfile_prepare() does
 * @path: what is no regular file ("-", a FIFO) is written here and now
 * @backup: make "@path.orig" as outfile_backup() does; gone again when @path stays
 *
 * Returns 0 or -errno with a message that names the path; the set is as before then.
 */
int outset_add(struct outset *set, const char *path, const void *data, size_t len,
	       bool backup, struct err *err);
/*
 * outset_replaces - the file added last takes the place of what was read as @data
 *
 * Where it holds something else at the commit, somebody was quicker, whose work would be
 * lost: -EBUSY then. Returns 0 or -ENOMEM.
 */
int outset_replaces(struct outset *set, const void *data, size_t len, struct err *err);
/*
 * outset_commit - flush stdout, which has the report, then rename all
 *
 * Returns 0 or -errno. On failure all files are as before, or the message says which is
 * not; but for -EIO with "reads back other than it was written", where all have their
 * places. An empty set is no work.
 */
int outset_commit(struct outset *set, struct err *err);
/* A line to @f for each file of the set that has other names, which will keep the old
 * content: hard links. */
void outset_tell_links(const struct outset *set, FILE *f);
/* Throw away what has not taken its place. Harmless after commit and on a zeroed set. */
void outset_free(struct outset *set);

#endif
