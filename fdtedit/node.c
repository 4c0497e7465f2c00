// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Find a node by path, alias or label.
 */
#include "fdtedit/node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

/* The text of property @name in @where, or NULL. */
static const char *lookup(const void *blob, const char *where, const char *name)
{
	int node = dtb_node(blob, where, NULL);
	int len;
	const char *text = node < 0 ? NULL : fdt_getprop(blob, node, name, &len);

	return text && len > 1 && !text[len - 1] && text[0] == '/' ? text : NULL;
}

static int find_named(const void *blob, const char *name, const char **path,
		      struct err *err)
{
	const char *alias = lookup(blob, "/aliases", name);
	const char *label = lookup(blob, "/__symbols__", name);

	if (alias && label && strcmp(alias, label))
		return err_set(err, -EINVAL,
			       "'%s' is the alias of '%s' and the label of '%s'; give "
			       "the path",
			       name, alias, label);
	*path = alias ? alias : label;
	if (*path)
		return 0;
	return err_set(err, -ENOENT, "no node '%s': it is no path, no alias%s", name,
		       dtb_node(blob, "/__symbols__", NULL) < 0
			       ? ", and this tree tells no labels (no __symbols__)"
			       : " and no label");
}

int node_find(const struct dtb *dtb, const char *name, char **path, struct err *err)
{
	const void *blob = dtb->file.data;
	const char *found = name;
	int node = 0;

	if (name[0] != '/')
		node = find_named(blob, name[0] == '&' ? name + 1 : name, &found, err);
	if (!node)
		node = dtb_node(blob, found, err);
	if (node < 0)
		return node;
	*path = strdup(found);
	return *path ? node : err_errno(err, -ENOMEM, "path");
}

bool node_is_at_or_below(const char *path, const char *node)
{
	size_t n = strlen(node);

	return !strncmp(path, node, n) && (!path[n] || strchr("/:", path[n]));
}
