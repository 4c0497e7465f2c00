/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes as people name them.
 */
#ifndef FDTEDIT_NODE_H
#define FDTEDIT_NODE_H

#include <stdbool.h>

#include "fdtedit/dtb.h"
#include "lib/err.h"

/*
 * node_find - the path of the node that @name means
 * @name: "/cpus/cpu@0"; or an alias, or a label that /__symbols__ tells, with or without
 *	an "&" before it
 * @path: out, allocated; the caller frees it
 *
 * Returns the offset; -ENOENT (the message says whether the tree tells labels), -EINVAL
 * when alias and label are two nodes or a name is there twice, -ENOMEM.
 */
int node_find(const struct dtb *dtb, const char *name, char **path, struct err *err);
/*
 * Is @path that of @node, or of something in it? Both are full paths; @path may go on
 * after a ":", as in __fixups__.
 */
bool node_is_at_or_below(const char *path, const char *node);

#endif
