/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device-tree source (.dts, .dtsi): which CPU nodes it has, and edits that change nothing
 * but what was asked for.
 *
 * The file is read together with what it includes, as far as that is found, because a
 * label, a compatible or the value itself may stand there. A value is edited where the
 * board really gets it: in the CPU node, or in a "&cpu0 { ... }" block that overrides it.
 * One that is new goes into the text that the opened file has of the node.
 */
#ifndef FDTEDIT_DTS_H
#define FDTEDIT_DTS_H

#include <stdbool.h>
#include <stddef.h>

#include "fdtedit/changes.h"
#include "fdtedit/edits.h"
#include "lib/buf.h"
#include "lib/err.h"

struct dts;

struct dts_opts {
	bool all_files; /* edit included files as well */
	bool force;	/* whatever macros and expressions there are */
};

/* One file after dts_apply(). The texts belong to the struct dts. */
struct dts_output {
	const char *path;
	const char *old_text, *new_text;
	size_t old_len, new_len;
	bool changed;
};

/*
 * dts_read - read @path and what it includes
 * @include_dirs: as the -I of cpp and the -i of dtc
 *
 * Includes that are not found, and those that are not .dts, .dtsi or .dtso, are passed
 * over. Returns 0, -errno of reading, -EINVAL with "file:line: reason", -EFBIG, -ERANGE,
 * -ENOMEM. The caller frees @out with dts_free(); on failure there is nothing to free.
 */
int dts_read(const char *path, const char *const *include_dirs, size_t dir_count,
	     struct dts **out, struct err *err);
/*
 * dts_open - read, and find the CPU nodes
 * @all_files: as dts_apply() will get it: what is new is for all that include the node,
 *	and goes there; without it into text that the opened file has of the node, if any
 *
 * Returns as dts_read(), and -ENOENT when there is no CPU node (the message names
 * includes that were not found).
 */
int dts_open(const char *path, const char *const *include_dirs, size_t dir_count,
	     bool all_files, struct dts **out, struct err *err);
/* Takes NULL. */
void dts_free(struct dts *d);

/*
 * The places where the coefficient stands or would stand, for edits_plan(). A CPU node
 * has more than one when the alternatives of an "#if" each give it. A value that is not a
 * plain number is shown as 0.
 */
const struct edit_cpu *dts_cpus(const struct dts *d, size_t *count);
/* The path of the node with that label, to be freed; NULL when it is not in the text. */
char *dts_label_path(const struct dts *d, const char *label);
/* The text of place @i's value when it is no plain number, on one line; else NULL. */
const char *dts_odd_value(const struct dts *d, size_t i);
/* File and line of place @i: of the property, or of the node that lacks it. */
const char *dts_place(const struct dts *d, size_t i, unsigned int *line);
/* Will the value at place @i be the tree's? Not when an "#if" or a deletion says no. */
bool dts_is_certain(const struct dts *d, size_t i);
/* What the user should know, for cmd_warn(); NULL past the last. */
const char *dts_note(const struct dts *d, size_t i);

/*
 * dts_apply - make the new texts in memory; may be called once, after dts_change()
 *
 * Returns 0; -EINVAL when a value is a macro or an expression, or its macros hold the
 * property (and not @opts->force), or when it stands half in an "#if"; -EPERM when a file
 * other than the one opened would have to change (and not @opts->all_files); -ENOMEM.
 * Messages name file and line.
 */
int dts_apply(struct dts *d, const struct edits *edits, const struct dts_opts *opts,
	      struct err *err);
/*
 * dts_change - the same for any properties and nodes of the tree that @d compiles to
 *
 * A value is changed where the tree gets it, in each alternative of an "#if"; a deletion
 * takes out all that gives it. Only compiling tells whether that is enough. Returns as
 * dts_apply(); -EINVAL also when a /delete-property/ would follow, or a node to be
 * deleted includes a file or is the root; -ENOENT when nothing in the text is the node or
 * gives the property.
 */
int dts_change(struct dts *d, const struct changes *changes, const struct dts_opts *opts,
	       struct err *err);
/* File number @i: 0 is the one that was opened. Returns 0, or -ENOENT past the last. */
int dts_output(const struct dts *d, size_t i, struct dts_output *out);
/*
 * dts_flatten - the text for cpp as it was, or as dts_apply() made it
 * @out: gets it added; #include of source is replaced by its text, and so is /include/ of
 *	files that change, or that include such; the rest is found from any folder
 *
 * Returns 0; -EINVAL when the new text is no good source; -EFBIG, -ENOMEM.
 */
int dts_flatten(const struct dts *d, bool new, struct buf *out, struct err *err);

#endif
