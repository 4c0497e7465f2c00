/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes the phandles of two trees stand for: dtc numbers them anew with every
 * build, so that one reference more changes all that follow.
 */
#ifndef FDTEDIT_DTB_REFS_H
#define FDTEDIT_DTB_REFS_H

#include <stddef.h>

#include "lib/err.h"

struct dtb_refs;

/* What two values of one property mean. */
enum dtb_refs_verdict {
	REFS_SAME,    /* the same: references are to nodes of the same paths */
	REFS_OTHER,   /* a reference is to another node now */
	REFS_MAYBE,   /* the same if it holds phandles at all, which is not known */
	REFS_UNKNOWN, /* numbers differ that are no references */
};

struct dtb_refs_place {
	int old, new; /* the node in both trees */
	const char *property;
};

/* 0, -ENOMEM, or -ERANGE of nodes too deep. The caller frees; it lasts as long as the
 * blobs. */
int dtb_refs_new(const void *old, const void *new, struct dtb_refs **out,
		 struct err *err);
/* Takes NULL. */
void dtb_refs_free(struct dtb_refs *r);

/*
 * dtb_refs_compare - compare a property of two nodes by what it refers to
 * @old, @new: both of @len bytes
 * @from, @to: with REFS_OTHER the paths of the first node that is another; they last as
 *	long as @r
 */
enum dtb_refs_verdict dtb_refs_compare(const struct dtb_refs *r,
				       const struct dtb_refs_place *p, const void *old,
				       const void *new, size_t len, const char **from,
				       const char **to);

#endif
