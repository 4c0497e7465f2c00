/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between two compiled trees, by node and property. Order does not matter.
 */
#ifndef FDTEDIT_DTB_DIFF_H
#define FDTEDIT_DTB_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fdtedit/dtb.h"
#include "lib/err.h"

#define DIFF_MAX_DEPTH 64

enum diff_kind {
	DIFF_NODE,     /* added or removed; its properties follow as differences too */
	DIFF_PROPERTY, /* old and new are bytes */
	DIFF_HEADER,   /* name is the field, old_number and new_number its values */
	DIFF_RESERVE,  /* an entry of the reserve map: number and size */
};

struct diff {
	enum diff_kind kind;
	bool in_old, in_new; /* both: changed */
	const char *path;    /* node; NULL for header and reserve map */
	const char *name;    /* property or header field */
	const void *old, *new;
	size_t old_len, new_len;
	uint64_t old_number, new_number; /* header; reserve map: address and size */
	/* Where phandles are followed: the nodes that the value points to, of which the
	 * first are two; or, with @maybe, it is the same if it holds phandles. */
	const char *from, *to;
	bool maybe;
};

/* Told each difference in turn; what it points to lasts as long as the call. Returns 0,
 * or a negative errno that ends the comparison. */
typedef int diff_fn(const struct diff *d, void *arg);

/*
 * dtb_diff - compare, header first, then the nodes depth first in the old tree's order
 *
 * Returns 0 (however many there are), -ENOMEM, -EINVAL (version not known), -ERANGE
 * (nested deeper than DIFF_MAX_DEPTH), or what @fn returned.
 */
int dtb_diff(const struct dtb *old, const struct dtb *new, diff_fn *fn, void *arg,
	     struct err *err);
/*
 * dtb_diff_followed - the same by meaning: a phandle is the node it stands for
 * @renumbered: nodes whose phandle is another number, which is no difference
 */
int dtb_diff_followed(const struct dtb *old, const struct dtb *new, diff_fn *fn,
		      void *arg, unsigned int *renumbered, struct err *err);

#endif
