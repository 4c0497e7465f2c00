/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which properties of a compiled tree point to which nodes, and what has to go with a
 * node that goes.
 *
 * A tree does not tell types: a cell is a phandle where the kernel's bindings say so of
 * the property's name, or the tree's __local_fixups__ of its place.
 */
#ifndef FDTEDIT_REFS_H
#define FDTEDIT_REFS_H

#include <stddef.h>

#include "fdtedit/changes.h"
#include "fdtedit/dtb.h"
#include "lib/err.h"

/* Offsets and names are the blob's. */
struct ref {
	int from;	      /* node with the property */
	const char *property; /* its name */
	int at;		      /* where in it the phandle is, in bytes; -1: a path */
	int to;		      /* node that it points to */
};

/* Zero it before first use; refs_free() takes a zeroed one. */
struct refs {
	struct ref *list; /* in the tree's order */
	size_t count, cap;
};

/* All that point to a node that is there, by phandle or, from /chosen, by path. 0,
 * -ENOMEM. */
int refs_read(const void *blob, struct refs *refs, struct err *err);
void refs_free(struct refs *refs);
/* The first one to @node; NULL: none. */
const struct ref *refs_to(const struct refs *refs, int node);
/* The first one from elsewhere to @node or a node below it; NULL: none. */
const struct ref *refs_into(const struct refs *refs, const void *blob, int node);

/* Numbers of vendors' properties that may be references. */
struct refs_guess {
	struct ref first; /* property NULL: none */
	size_t count;	  /* properties */
};

/*
 * refs_guess - which properties may point to a node that goes, for all that is known here
 * @end: of the nodes that go @node is the first; refs_end(), or @node + 1 for it alone
 *
 * Properties of other nodes with a comma in the name, of no binding known here, that hold
 * a phandle of such a node. None where __local_fixups__ tells all. 0 or -ENOMEM.
 */
int refs_guess(const void *blob, int node, int end, struct refs_guess *out,
	       struct err *err);
/* Offset of the first node behind @node and all below it. */
int refs_end(const void *blob, int node);

/*
 * refs_delete_traces - with the nodes and properties that @c deletes go aliases, labels
 * in
 * __symbols__, and entries of __fixups__ and __local_fixups__
 *
 * Call it once, when all deletions are listed. Returns 0 or -ENOMEM.
 */
int refs_delete_traces(const void *blob, struct changes *c, struct err *err);

#endif
