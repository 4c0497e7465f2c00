/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strict reads of device-tree properties; errors name node and property.
 */
#ifndef BOARDS_BOARD_PROPS_H
#define BOARDS_BOARD_PROPS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define PROPS_PATH 256

/* A property of one cell, and where its value goes: a uint32_t in the caller's struct. */
struct props_field {
	const char *name; /* NULL ends the table */
	size_t offset;
	uint32_t min, max; /* 0, which switches a term off, is always allowed */
};

/* The node's path into @path, cut when it is longer than PROPS_PATH. */
void props_path(const void *blob, int node, char path[PROPS_PATH]);

/* Store "'/node': property 'p' <text>" (@prop may be NULL). Returns @code. */
int props_err(struct err *err, int code, const void *blob, int node, const char *prop,
	      const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* One cell. 0, -ENOENT "is missing", -EINVAL when it has another size. */
int props_u32(const void *blob, int node, const char *prop, uint32_t *out,
	      struct err *err);

/* 1..@max cells. Returns how many, -ENOENT, -EINVAL. */
int props_cells(const void *blob, int node, const char *prop, uint32_t *out, int max,
		struct err *err);

/* One string without control characters, not empty. 0, -ENOENT, -EINVAL, also when it
 * does not fit. */
int props_text(const void *blob, int node, const char *prop, char *out, size_t size,
	       struct err *err);

/*
 * props_read_fields - every property of the node by the table
 *
 * What the node does not have is left alone; what the table does not have is -EINVAL, so
 * that a misspelt name is never a silent zero.
 */
int props_read_fields(const void *blob, int node, const struct props_field *fields,
		      void *out, struct err *err);

#endif
