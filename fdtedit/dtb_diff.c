// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walk two trees side by side, pairing nodes and properties by name. Names that come more
 * than once (no sound tree has them) are paired first with first, second with second.
 */
#include "fdtedit/dtb_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/dtb_refs.h"

/* Subnodes or properties of one node. */
struct item {
	int offset; /* -1 once it is paired */
	const char *name;
};

struct items {
	struct item *list;
	size_t count, cap;
};

struct differ {
	const void *old, *new;
	const struct dtb_refs *refs; /* NULL: phandles are numbers as any */
	unsigned int renumbered;
	diff_fn *fn;
	void *arg;
	struct err *err;
	struct buf path;
	unsigned int depth;
};

static int add_item(struct items *items, int offset, const char *name)
{
	if (items->count == items->cap) {
		size_t cap = items->cap ? 2 * items->cap : 16;
		struct item *list = realloc(items->list, cap * sizeof(*list));

		if (!list)
			return -ENOMEM;
		items->list = list;
		items->cap = cap;
	}
	items->list[items->count++] = (struct item){ offset, name };
	return 0;
}

/* @node: -1 for a node that is not there, which has nothing. */
static int list_nodes(const void *blob, int node, struct items *items)
{
	int sub, ret = 0;

	*items = (struct items){ 0 };
	if (node < 0)
		return 0;
	fdt_for_each_subnode(sub, blob, node)
	{
		ret = add_item(items, sub, fdt_get_name(blob, sub, NULL));
		if (ret)
			break;
	}
	return ret;
}

static int list_properties(const void *blob, int node, struct items *items)
{
	const char *name;
	int prop, ret = 0;

	*items = (struct items){ 0 };
	if (node < 0)
		return 0;
	fdt_for_each_property_offset(prop, blob, node)
	{
		if (!fdt_getprop_by_offset(blob, prop, &name, NULL))
			continue;
		ret = add_item(items, prop, name);
		if (ret)
			break;
	}
	return ret;
}

/* Offset of the first item of that name not taken yet, or -1; takes it. */
static int take(struct items *items, const char *name)
{
	for (size_t i = 0; i < items->count; i++) {
		int offset = items->list[i].offset;

		if (offset < 0 || strcmp(items->list[i].name, name))
			continue;
		items->list[i].offset = -1;
		return offset;
	}
	return -1;
}

static const char *path_text(const struct differ *d)
{
	return d->path.len ? d->path.data : "/";
}

static bool is_phandle(const char *name)
{
	return !strcmp(name, "phandle") || !strcmp(name, "linux,phandle");
}

/* A property that both have, of as many bytes: does it refer to the same? */
static bool same_meaning(struct differ *d, struct diff *diff,
			 const struct dtb_refs_place *place)
{
	bool equal = !memcmp(diff->old, diff->new, diff->old_len);

	if (!d->refs)
		return equal;
	if (is_phandle(diff->name)) {
		d->renumbered += !equal;
		return true;
	}
	switch (dtb_refs_compare(d->refs, place, diff->old, diff->new, diff->old_len,
				 &diff->from, &diff->to)) {
	case REFS_SAME:
		return true;
	case REFS_OTHER:
		return false;
	case REFS_MAYBE:
		diff->maybe = true;
		return false;
	case REFS_UNKNOWN:
		break;
	}
	return equal;
}

/* @old, @new: offsets of the property; -1: not there */
static int tell_property(struct differ *d, const struct dtb_refs_place *place, int old,
			 int new)
{
	struct diff diff = {
		.kind = DIFF_PROPERTY,
		.in_old = old >= 0,
		.in_new = new >= 0,
		.path = path_text(d),
		.name = place->property,
	};
	int len;

	if (old >= 0) {
		diff.old = fdt_getprop_by_offset(d->old, old, NULL, &len);
		diff.old_len = len;
	}
	if (new >= 0) {
		diff.new = fdt_getprop_by_offset(d->new, new, NULL, &len);
		diff.new_len = len;
	}
	if (old >= 0 && new >= 0 && diff.old_len == diff.new_len &&
	    same_meaning(d, &diff, place))
		return 0;
	return d->fn(&diff, d->arg);
}

static int diff_properties(struct differ *d, int old, int new)
{
	struct dtb_refs_place place = { .old = old, .new = new };
	struct items olds, news = { 0 };
	int ret;

	ret = list_properties(d->old, old, &olds);
	if (!ret)
		ret = list_properties(d->new, new, &news);
	for (size_t i = 0; !ret && i < olds.count; i++) {
		place.property = olds.list[i].name;
		ret = tell_property(d, &place, olds.list[i].offset,
				    take(&news, olds.list[i].name));
	}
	for (size_t i = 0; !ret && i < news.count; i++) {
		place.property = news.list[i].name;
		if (news.list[i].offset >= 0)
			ret = tell_property(d, &place, -1, news.list[i].offset);
	}
	free(olds.list);
	free(news.list);
	return ret;
}

static int diff_nodes(struct differ *d, int old, int new);

static int diff_subnode(struct differ *d, const char *name, int old, int new)
{
	size_t len = d->path.len;
	int ret;

	if (d->depth == DIFF_MAX_DEPTH)
		return err_set(d->err, -ERANGE, "nodes are nested deeper than %d",
			       DIFF_MAX_DEPTH);
	ret = buf_addf(&d->path, "/%s", name);
	if (ret)
		return ret;
	d->depth++;
	ret = diff_nodes(d, old, new);
	d->depth--;
	d->path.len = len;
	d->path.data[len] = '\0';
	return ret;
}

static int diff_subnodes(struct differ *d, int old, int new)
{
	struct items olds, news = { 0 };
	int ret;

	ret = list_nodes(d->old, old, &olds);
	if (!ret)
		ret = list_nodes(d->new, new, &news);
	for (size_t i = 0; !ret && i < olds.count; i++)
		ret = diff_subnode(d, olds.list[i].name, olds.list[i].offset,
				   take(&news, olds.list[i].name));
	for (size_t i = 0; !ret && i < news.count; i++)
		if (news.list[i].offset >= 0)
			ret = diff_subnode(d, news.list[i].name, -1, news.list[i].offset);
	free(olds.list);
	free(news.list);
	return ret;
}

static int diff_nodes(struct differ *d, int old, int new)
{
	int ret = 0;

	if (old < 0 || new < 0) {
		struct diff diff = {
			.kind = DIFF_NODE,
			.in_old = old >= 0,
			.in_new = new >= 0,
			.path = path_text(d),
		};

		ret = d->fn(&diff, d->arg);
	}
	if (!ret)
		ret = diff_properties(d, old, new);
	return ret ? ret : diff_subnodes(d, old, new);
}

static int tell_field(struct differ *d, const char *name, uint64_t old, uint64_t new)
{
	const struct diff diff = {
		.kind = DIFF_HEADER,
		.in_old = true,
		.in_new = true,
		.name = name,
		.old_number = old,
		.new_number = new,
	};

	return old == new ? 0 : d->fn(&diff, d->arg);
}

static int diff_header(struct differ *d, const struct dtb *old, const struct dtb *new)
{
	struct dtb_layout a, b;
	int ret;

	ret = dtb_layout(old, &a, d->err);
	if (!ret)
		ret = dtb_layout(new, &b, d->err);
	if (!ret)
		ret = tell_field(d, "version", fdt_version(d->old), fdt_version(d->new));
	if (!ret)
		ret = tell_field(d, "last compatible version",
				 fdt_last_comp_version(d->old),
				 fdt_last_comp_version(d->new));
	if (!ret)
		ret = tell_field(d, "boot CPU id", fdt_boot_cpuid_phys(d->old),
				 fdt_boot_cpuid_phys(d->new));
	if (!ret)
		ret = tell_field(d, "spare room", a.spare, b.spare);
	return ret ? ret
		   : tell_field(d, "bytes after the tree", old->trailing, new->trailing);
}

/* How many entries before @index are the same one, or of all with @index negative. */
static int count_reserved(const void *blob, int index, uint64_t address, uint64_t size)
{
	int end = index < 0 ? fdt_num_mem_rsv(blob) : index;
	int count = 0;

	for (int i = 0; i < end; i++) {
		uint64_t a, s;

		count += !fdt_get_mem_rsv(blob, i, &a, &s) && a == address && s == size;
	}
	return count;
}

/* Entries of @one that are not in @other. */
static int diff_reserve(struct differ *d, const void *one, const void *other)
{
	int ret = 0;

	for (int i = 0; !ret && i < fdt_num_mem_rsv(one); i++) {
		struct diff diff = {
			.kind = DIFF_RESERVE,
			.in_old = one == d->old,
			.in_new = one == d->new,
		};

		if (fdt_get_mem_rsv(one, i, &diff.old_number, &diff.new_number))
			continue;
		if (count_reserved(other, -1, diff.old_number, diff.new_number) <=
		    count_reserved(one, i, diff.old_number, diff.new_number))
			ret = d->fn(&diff, d->arg);
	}
	return ret;
}

static int diff_trees(struct differ *d, const struct dtb *old, const struct dtb *new)
{
	int ret;

	d->old = old->file.data;
	d->new = new->file.data;
	ret = diff_header(d, old, new);
	if (!ret)
		ret = diff_reserve(d, d->old, d->new);
	if (!ret)
		ret = diff_reserve(d, d->new, d->old);
	if (!ret)
		ret = diff_nodes(d, 0, 0);
	buf_free(&d->path);
	return ret == -ENOMEM ? err_errno(d->err, ret, "comparison") : ret;
}

int dtb_diff(const struct dtb *old, const struct dtb *new, diff_fn *fn, void *arg,
	     struct err *err)
{
	struct differ d = { .fn = fn, .arg = arg, .err = err };

	return diff_trees(&d, old, new);
}

int dtb_diff_followed(const struct dtb *old, const struct dtb *new, diff_fn *fn,
		      void *arg, unsigned int *renumbered, struct err *err)
{
	struct differ d = { .fn = fn, .arg = arg, .err = err };
	struct dtb_refs *refs;
	int ret = dtb_refs_new(old->file.data, new->file.data, &refs, err);

	d.refs = refs;
	if (!ret)
		ret = diff_trees(&d, old, new);
	*renumbered = d.renumbered;
	dtb_refs_free(refs);
	return ret;
}
