/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What shall become of a compiled tree: a list of properties to set and of properties and
 * nodes to delete. Planners fill it, dtb_change() carries it out, dtb_verify_changes()
 * proves that nothing else happened.
 */
#ifndef FDTEDIT_CHANGES_H
#define FDTEDIT_CHANGES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fdtedit/typed.h"
#include "lib/buf.h"
#include "lib/err.h"

struct dtb;

enum change_kind {
	CHANGE_SET,
	CHANGE_DELETE,
	CHANGE_DELETE_NODE, /* with all that is below */
};

struct change {
	enum change_kind kind;
	char *path;	      /* full path of the node */
	char *property;	      /* NULL for CHANGE_DELETE_NODE */
	struct buf value;     /* CHANGE_SET: the bytes that the property shall hold */
	enum typed_kind type; /* how the report prints it */
	char *why;	      /* for the report, or NULL */
};

/* Zero it before first use; changes_free() takes a zeroed one. */
struct changes {
	struct change *list;
	size_t count, cap;
};

/* Append one; all texts are copied, @why may be NULL. Return 0 or -ENOMEM. */
int changes_set(struct changes *c, const char *path, const char *property,
		enum typed_kind type, const void *data, size_t len, const char *why,
		struct err *err);
int changes_set_u32(struct changes *c, const char *path, const char *property,
		    uint32_t value, const char *why, struct err *err);
int changes_delete(struct changes *c, const char *path, const char *property,
		   const char *why, struct err *err);
int changes_delete_node(struct changes *c, const char *path, const char *why,
			struct err *err);
int changes_append(struct changes *c, const struct changes *more, struct err *err);
void changes_free(struct changes *c);

/* Take out what @dtb says already. Returns how many that were. */
size_t changes_drop_done(struct changes *c, const struct dtb *dtb);
/* A line each: "/cpus/cpu@0: status: none -> disabled (why)"; what was, is in @before. */
void changes_print(const struct changes *c, const struct dtb *before, FILE *f);

#endif
