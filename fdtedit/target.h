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

struct target {
	const char *board;
	const char *output; /* -o, or NULL */
	bool backup, dry_run;
	bool keep_rest; /* bytes after the tree: kept, not refused */
	struct container_pick pick;
	const char *changed; /* a file that was written; NULL: none */
	/* made by target_load() */
	struct container container;
	size_t item;
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
 * target_write - write the file with @tree in it, and read it back
 * @any: something changed; without it a file in place is not touched
 *
 * Returns 0 or a negative errno; then the file is as before (but -EIO of reading back).
 */
int target_write(struct target *t, const struct dtb *tree, bool any, struct err *err);
/* Flush the report; the error says when a file is changed nevertheless. 0, -errno. */
int target_finish(const struct target *t, struct err *err);
/*
 * target_change - a whole command: change @before as listed, write, report
 *
 * Changes that are there already are taken out of @changes. Returns 0 or a negative errno
 * with the file named.
 */
int target_change(struct target *t, const struct dtb *before, struct changes *changes,
		  struct err *err);

#endif
