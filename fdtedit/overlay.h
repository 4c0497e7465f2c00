/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An edit of a tree as text of its own: an overlay, to be merged at boot, or a fragment
 * of source, to be included after the board's.
 */
#ifndef FDTEDIT_OVERLAY_H
#define FDTEDIT_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "fdtedit/dtb.h"
#include "lib/buf.h"
#include "lib/err.h"

/* One property of one node. */
struct overlay_prop {
	char *path;
	char *name;
	void *data;
	size_t len;
	const char *label; /* of the node, by __symbols__ of the base; NULL: by path */
};

/* Properties of one node follow each other. Zero it before first use. */
struct overlay {
	struct overlay_prop *list;
	size_t count, cap;
	struct err *err;
};

/*
 * overlay_collect - what @after has that @before has not
 * @before: labels point into it
 * @by_phandle: use a node's label only if it has a phandle, as merging needs
 *
 * Returns 0; -EINVAL for a change that no overlay can make (anything removed, reserve
 * map, header) or a node without label whose name no source can hold; -ENOMEM. The caller
 * frees with overlay_free(), in every case.
 */
int overlay_collect(const struct dtb *before, const struct dtb *after, bool by_phandle,
		    struct overlay *out, struct err *err);
void overlay_free(struct overlay *o);

/*
 * overlay_source - add its text
 * @plugin: an overlay (.dtso); else a fragment of source
 *
 * Returns 0 or -ENOMEM.
 */
int overlay_source(const struct overlay *o, bool plugin, struct buf *out,
		   struct err *err);

/* overlay_build - the compiled overlay, as dtc makes it of the text. 0, -ENOMEM,
 * -EINVAL. */
int overlay_build(const struct overlay *o, struct dtb *out, struct err *err);

/*
 * overlay_check - does merging @overlay into a copy of @before give what @after says?
 * Returns 0, -ENOMEM, or -EINVAL with libfdt's reason or the first difference.
 */
int overlay_check(const struct dtb *before, const struct dtb *overlay,
		  const struct dtb *after, struct err *err);

#endif
