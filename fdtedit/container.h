/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are a compiled tree, or hold some: trees joined to one file, an ARM zImage
 * with trees after it, a FIT image (.itb), an Android DT table (dtbo.img). What else
 * holds trees is named, so that nobody mangles it.
 *
 * One item is chosen, taken out, edited as any tree, and put back; everything else stays
 * byte for byte, but for the offsets, sizes and digests that have to follow.
 */
#ifndef FDTEDIT_CONTAINER_H
#define FDTEDIT_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fdtedit/dtb.h"
#include "lib/buf.h"
#include "lib/err.h"

enum container_kind {
	CONTAINER_TREE, /* one tree, maybe bytes after it; or nothing that we know */
	CONTAINER_JOINED,
	CONTAINER_ZIMAGE,
	CONTAINER_FIT,
	CONTAINER_TABLE,
};

struct container_item {
	size_t offset, size;  /* of the tree in the file */
	char name[128];	      /* FIT: image node; table: its entries; else "" */
	char compatible[128]; /* first of the root node; "" when there is none */
	char why_not[96];     /* it cannot be taken out: the reason; else "" */
};

/* Zero it before first use. */
struct container {
	enum container_kind kind;
	struct buf file;
	struct container_item *items;
	size_t count, cap;
};

/* Which of several trees: what --index and --compatible say; NULL: not said. */
struct container_pick {
	const char *index;
	const char *compatible; /* of the root node */
	bool of_several;	/* says nothing of a file that is one plain tree */
};

#define CONTAINER_KEEP_OPT(type, member)                                                 \
	{                                                                                \
		"keep-trailing", 0, OPT_FLAG, offsetof(type, member), NULL,              \
			"keep bytes that follow the tree in its file; they move when "   \
			"it grows"                                                       \
	}

/* The two options, for a command whose options have a struct container_pick @member. */
#define CONTAINER_OPTS(type, member)                                                     \
	{ "index",    0,                                                                 \
	  OPT_STRING, offsetof(type, member.index),                                      \
	  "N",	      "a file that holds several trees: take number N, from 0" },        \
	{                                                                                \
		"compatible", 0, OPT_STRING, offsetof(type, member.compatible), "NAME",  \
			"the same: take the tree whose root node has this "              \
			"compatible"                                                     \
	}

/*
 * container_open - read a file and find its trees; container_parse() of @c->file
 *
 * Returns 0, also for what is no tree at all (then loading the one item tells); -EINVAL
 * for a container that is damaged or has no tree; -errno of reading. The message names
 * the file (container_parse(): not). The caller frees with container_free() in any case.
 */
int container_open(const char *path, struct container *c, struct err *err);
int container_parse(struct container *c, struct err *err);
void container_free(struct container *c);

/* One tree and bytes after it: they are no part of it, and container_replace() keeps
 * them. */
void container_keep_rest(struct container *c);

/*
 * container_choose - which item is meant
 *
 * Returns 0 and @index; -EINVAL when there are several and @pick does not tell (the
 * message lists them), -ENOENT when @pick is none of them.
 */
int container_choose(const struct container *c, const struct container_pick *pick,
		     size_t *index, struct err *err);
/* @path is source, which holds one tree: -EINVAL if @pick says something, else 0. */
int container_refuse_pick(const struct container_pick *pick, const char *path,
			  struct err *err);
/* A copy of item @i as a tree. As dtb_from_memory(), and -EINVAL for its why_not. */
int container_tree(const struct container *c, size_t i, struct dtb *dtb, struct err *err);
/* container_open(), _choose() and _tree() in one, for who only reads; names the file. */
int container_load(const char *path, const struct container_pick *pick, struct dtb *dtb,
		   struct err *err);
/* What kind of file it is, for people: "FIT image". */
const char *container_kind_name(const struct container *c);

/*
 * container_replace - the file with @tree in place of item @i
 * @out: zeroed; filled on success only
 *
 * The result was read again and compared. Returns 0; -EINVAL for what cannot be done
 * safely (a signature over it, a digest that is wrong already or not known, ...),
 * -ENOENT when a digest program is missing, -ENOMEM.
 */
int container_replace(const struct container *c, size_t i, const struct dtb *tree,
		      struct buf *out, struct err *err);

#endif
