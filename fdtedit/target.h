/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that a command edits: in place, or with -o into another one. All commands that
 * change a compiled tree write it through here.
 */
#ifndef FDTEDIT_TARGET_H
#define FDTEDIT_TARGET_H

#include <stdbool.h>
#include <stdio.h>

#include "fdtedit/changes.h"
#include "fdtedit/container.h"
#include "fdtedit/dtb.h"
#include "lib/buf.h"
#include "lib/err.h"
#include "lib/outset.h"

struct target {
	const char *board;
	const char *output; /* -o, or NULL */
	bool backup, dry_run;
	bool keep_rest; /* bytes after the tree: kept, not refused */
	struct container_pick pick;
	/* made by target_load() */
	struct container container;
	size_t item;
	struct outset out; /* what target_write() made */
};

/* Both there, and one file? */
bool target_same_file(const char *a, const char *b);
/* Where the report goes: stdout, unless the tree itself goes there. */
FILE *target_talk(const struct target *t);
/* Before any reading: can it be written like that? Returns 0 or -EINVAL. */
int target_check(const struct target *t, struct err *err);
/*
 * target_load - the tree that is meant, out of the container that it may be in
 *
 * Returns as container_open(), _choose() and _tree(); the message names the file. The
 * caller frees @tree, and @t with target_free() in any case.
 */
int target_load(struct target *t, struct dtb *tree, struct err *err);
void target_free(struct target *t);
/*
 * target_write - have the file with @tree in it on the disk, under another name
 * @any: something changed; without it a file in place is not touched
 *
 * After it comes the report, then target_finish(). Returns 0 or a negative errno.
 */
int target_write(struct target *t, const struct dtb *tree, bool any, struct err *err);
/* Flush the report, then give the file its name, and read it back. Returns 0 or a
 * negative errno; then the file is as before (but -EIO of reading back). */
int target_finish(struct target *t, struct err *err);
/*
 * target_change - change @before as listed, write, report; target_finish() is left to do
 *
 * Changes that are there already are taken out of @changes. Returns 0 or a negative errno
 * with the file named.
 */
int target_change(struct target *t, const struct dtb *before, struct changes *changes,
		  struct err *err);

#endif
