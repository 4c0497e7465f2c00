/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output files that are whole or untouched: a temporary file beside the target, fsync,
 * rename. Mode and owner of an existing target are kept; a symbolic link stays a link
 * (its target is replaced). A target that is not a regular file (/dev/stdout, a FIFO) is
 * written straight.
 */
#ifndef LIB_OUTFILE_H
#define LIB_OUTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/err.h"

struct outfile {
	FILE *f;	     /* write here */
	char path[PATH_MAX]; /* the file that will be replaced, links resolved */
	char tmp[PATH_MAX];  /* "" when written straight */
};

/*
 * outfile_open - 0 or -errno with a message that names the path; "-" is stdout
 *
 * Temporary files of @path whose process is gone (killed) are removed on the way.
 */
int outfile_open(struct outfile *out, const char *path, struct err *err);
/*
 * outfile_prepare - flush and fsync: all but the name; nothing can be written any more
 *
 * What is said of a file belongs between this and the commit, so that neither is lost
 * when the other fails (lib/outset.h does so for whole sets). 0 or -errno, and then the
 * target is as before.
 */
int outfile_prepare(struct outfile *out, struct err *err);
/* Prepare where that is not done, rename, fsync of the folder. On failure the target is
 * as before. 0 or -errno. */
int outfile_commit(struct outfile *out, struct err *err);
/* Wait for the folder that the target is in, lock it (flock) until close(). The file
 * descriptor, or -errno where that cannot be locked. */
int outfile_lock_folder(const struct outfile *out);
/* Throw the temporary file away; harmless after commit and on a zeroed struct. */
void outfile_abort(struct outfile *out);

/*
 * outfile_not_input - -EINVAL where writing @path would replace the file @input
 *
 * By what the names stand for, links followed; files that are not there, "-" and what is
 * no regular file are never the same. A @path of NULL is "-".
 */
int outfile_not_input(const char *path, const char *input, struct err *err);

/*
 * outfile_sweep - remove all temporary files of @path, whoever made them
 *
 * Call it only where a lock keeps others from writing @path now.
 */
void outfile_sweep(const char *path);

/* Write @len bytes to @path in one go, by the functions above. */
int outfile_write(const char *path, const void *data, size_t len, struct err *err);
/*
 * outfile_backup - copy @path to "@path.orig" (mode kept), never over an existing file
 * Returns 0, -EEXIST, -errno.
 */
int outfile_backup(const char *path, struct err *err);
/* Remove "@path.orig" that outfile_backup() just made, since @path stays as it was. */
void outfile_drop_backup(const char *path);
/* Flush stdout; -EIO or -errno when what was printed did not arrive. */
int outfile_flush_stdout(struct err *err);

#endif
