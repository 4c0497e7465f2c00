/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of container.c: the kinds.
 */
#ifndef FDTEDIT_CONTAINER_KINDS_H
#define FDTEDIT_CONTAINER_KINDS_H

#include "fdtedit/container.h"

/* Add an item; NULL when out of memory. Its compatible is read if the tree is sound. */
struct container_item *container_add(struct container *c, size_t offset, size_t size);
/* Bytes of the tree whose header is at @offset, or 0 when none is there. */
size_t container_tree_at(const struct buf *file, size_t offset);

/* "a gzip file; gunzip it first" by the file's magic, or NULL when it is not known. */
const char *container_describe(const void *data, size_t size);

/* Fill the items if it is of that kind. 0 (then kind is set if it was), -EINVAL, -ENOMEM.
 */
int container_parse_fit(struct container *c, struct err *err);
int container_parse_table(struct container *c, struct err *err);

/* @out is the file with the new tree; everything that follows from it is put right. */
int container_replace_fit(const struct container *c, size_t i, const struct dtb *tree,
			  struct buf *out, struct err *err);
/*
 * The bytes of item @i were replaced by @new_size others and what is after them moved by
 * @move. 0 or -EINVAL.
 */
int container_fix_table(const struct container *c, size_t i, size_t new_size,
			int64_t move, struct buf *out, struct err *err);
/* Is the table of @after that of @before but for sizes and offsets? 0 or -EINVAL.
 * @end_of_table: what was compared */
int container_check_table(const struct container *before, const struct container *after,
			  size_t *end_of_table, struct err *err);

#endif
