/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that a command edits: in place, or with -o into another one. All commands that
 * change a tree write it through here. Of source the tree is what it compiles to.
 */
#ifndef FDTEDIT_TARGET_H
#define FDTEDIT_TARGET_H

#include <stdbool.h>
#include <stdio.h>

#include "fdtedit/changes.h"
#include "fdtedit/container.h"
#include "fdtedit/dtb.h"
#include "fdtedit/dts.h"
#include "lib/buf.h"
#include "lib/cmd.h"
#include "lib/err.h"
#include "lib/outset.h"

/* What only source can be told. A member of a command's options. */
struct target_source {
	struct opt_list includes;
	bool all_files; /* edit included files as well */
	bool force;	/* replace macros and expressions */
	bool patch;	/* print a patch in place of editing */
};

/* The options for it; @type: of the command's options, @field: its target_source. */
/* clang-format off */
#define TARGET_SOURCE_OPTS(type, field)                                                  \
	{ "patch", 0, OPT_FLAG, offsetof(type, field.patch), NULL,                       \
	  "source only: print a unified diff for 'patch -p1' and 'git apply', and "      \
	  "change nothing" },                                                            \
	{ "include", 'I', OPT_LIST, offsetof(type, field.includes), "DIR",               \
	  "source only: look for included files here as well" },                         \
	{ "all-files", 0, OPT_FLAG, offsetof(type, field.all_files), NULL,               \
	  "source only: edit included files too, when the node or value is there" }
#define TARGET_FORCE_OPT(type, field)                                                    \
	{ "force", 0, OPT_FLAG, offsetof(type, field.force), NULL,                       \
	  "source only: replace a value that is a macro or an expression" }
/* clang-format on */

struct target {
	const char *board;
	const char *output; /* -o, or NULL */
	bool backup, dry_run;
	bool keep_rest; /* bytes after the tree: kept, not refused */
	struct container_pick pick;
	struct target_source source;
	/* made by target_load() */
	struct container container;
	size_t item;
	struct dts *dts;   /* NULL: a compiled tree */
	struct outset out; /* what target_write() or source_write() made */
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
 * target_node - node_find() in the loaded tree; in source also by the labels of its text
 * Returns as node_find().
 */
int target_node(const struct target *t, const struct dtb *tree, const char *name,
		char **path, struct err *err);
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
 * target_change - change @before, or the source that it was made from, as listed, write,
 *	report; target_finish() is left to do
 *
 * Changes that are there already are taken out of @changes. Returns 0 or a negative errno
 * with the file named.
 */
int target_change(struct target *t, const struct dtb *before, struct changes *changes,
		  struct err *err);

#endif
