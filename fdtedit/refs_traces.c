// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a compiled tree says elsewhere of nodes and properties that go.
 */
#include "fdtedit/refs.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/node.h"
#include "lib/buf.h"

#define FIXUPS	     "/__fixups__"
#define LOCAL_FIXUPS "/__local_fixups__"

static bool is_deletion(const struct change *c)
{
	return c->kind != CHANGE_SET;
}

static bool path_goes(const struct change *c, const char *path)
{
	return c->kind == CHANGE_DELETE_NODE && node_is_at_or_below(path, c->path);
}

/* Is "PATH:PROPERTY:OFFSET", an entry of __fixups__, about what goes? */
static bool fixup_goes(const struct change *c, const char *text)
{
	size_t len = strcspn(text, ":");
	const char *name = text + len + (text[len] == ':');

	if (c->kind == CHANGE_DELETE_NODE)
		return path_goes(c, text);
	return c->kind == CHANGE_DELETE && strlen(c->path) == len &&
	       !memcmp(text, c->path, len) && strlen(c->property) == strcspn(name, ":") &&
	       !memcmp(name, c->property, strlen(c->property));
}

static bool any_goes(const struct changes *c, size_t count, const char *text,
		     bool (*goes)(const struct change *c, const char *text))
{
	for (size_t i = 0; i < count; i++)
		if (goes(&c->list[i], text))
			return true;
	return false;
}

/* Does the node @where go itself, or its property @name? */
static bool is_listed(const struct changes *c, const char *where, const char *name)
{
	for (size_t i = 0; i < c->count; i++)
		if (path_goes(&c->list[i], where) || (c->list[i].kind == CHANGE_DELETE &&
						      !strcmp(c->list[i].path, where) &&
						      !strcmp(c->list[i].property, name)))
			return true;
	return false;
}

/* Properties of @where that are paths: aliases and labels. */
static int delete_names(const void *blob, const char *where, struct changes *c,
			size_t count, struct err *err)
{
	int node = dtb_node(blob, where, NULL), prop, len, ret = 0;
	const char *name;

	if (node < 0)
		return 0;
	fdt_for_each_property_offset(prop, blob, node)
	{
		const char *text = fdt_getprop_by_offset(blob, prop, &name, &len);

		if (!ret && text && len && !text[len - 1] &&
		    any_goes(c, count, text, path_goes) && !is_listed(c, where, name))
			ret = changes_delete(c, where, name, "its node goes", err);
	}
	return ret;
}

/* One property of __fixups__: the places where one label is wanted. */
static int delete_fixups_of(const char *name, const char *text, int len,
			    struct changes *c, size_t count, struct err *err)
{
	static const char why[] = "its place goes";
	struct buf left = { 0 };
	int ret = 0, kept = 0;

	for (const char *p = text; p < text + len && !ret; p += strlen(p) + 1) {
		if (any_goes(c, count, p, fixup_goes))
			continue;
		kept++;
		ret = buf_add(&left, p, strlen(p) + 1);
	}
	if (ret)
		ret = err_errno(err, ret, "%s", FIXUPS);
	else if (!kept)
		ret = changes_delete(c, FIXUPS, name, why, err);
	else if (left.len != (size_t)len)
		ret = changes_set(c, FIXUPS, name, TYPED_STRING, left.data, left.len, why,
				  err);
	buf_free(&left);
	return ret;
}

static int delete_fixups(const void *blob, struct changes *c, size_t count,
			 struct err *err)
{
	int node = dtb_node(blob, FIXUPS, NULL), prop, len, ret = 0;
	const char *name;

	if (node < 0)
		return 0;
	fdt_for_each_property_offset(prop, blob, node)
	{
		const char *text = fdt_getprop_by_offset(blob, prop, &name, &len);

		if (!ret && text && len && !text[len - 1] && !is_listed(c, FIXUPS, name))
			ret = delete_fixups_of(name, text, len, c, count, err);
	}
	return ret;
}

static int delete_local_fixups(const void *blob, struct changes *c, size_t i,
			       struct err *err)
{
	struct buf path = { 0 };
	int node, ret = buf_addf(&path, LOCAL_FIXUPS "%s", c->list[i].path);

	if (ret)
		return err_errno(err, ret, LOCAL_FIXUPS);
	node = dtb_node(blob, path.data, NULL);
	if (node >= 0 && c->list[i].kind == CHANGE_DELETE_NODE)
		ret = changes_delete_node(c, path.data, "its node goes", err);
	else if (node >= 0 && fdt_getprop(blob, node, c->list[i].property, NULL))
		ret = changes_delete(c, path.data, c->list[i].property,
				     "its property goes", err);
	buf_free(&path);
	return ret;
}

int refs_delete_traces(const void *blob, struct changes *c, struct err *err)
{
	size_t count = c->count;
	int ret = delete_names(blob, "/aliases", c, count, err);

	if (!ret)
		ret = delete_names(blob, "/__symbols__", c, count, err);
	if (!ret)
		ret = delete_fixups(blob, c, count, err);
	for (size_t i = 0; i < count && !ret; i++)
		if (is_deletion(&c->list[i]))
			ret = delete_local_fixups(blob, c, i, err);
	return ret;
}
