// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Overlays and source fragments from what differs between two trees, so that they need to
 * know nothing of why it differs.
 */
#include "fdtedit/overlay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/dtb_diff.h"
#include "fdtedit/value.h"

static void *copy_of(const void *data, size_t len)
{
	void *copy = malloc(len ? len : 1);

	if (copy && len)
		memcpy(copy, data, len);
	return copy;
}

static int add_prop(struct overlay *o, const struct diff *d)
{
	struct overlay_prop *p;

	if (o->count == o->cap) {
		size_t cap = o->cap ? 2 * o->cap : 16;
		void *list = realloc(o->list, cap * sizeof(*o->list));

		if (!list)
			return -ENOMEM;
		o->list = list;
		o->cap = cap;
	}
	p = &o->list[o->count++];
	*p = (struct overlay_prop){ .path = strdup(d->path),
				    .name = strdup(d->name),
				    .data = copy_of(d->new, d->new_len),
				    .len = d->new_len };
	return p->path && p->name && p->data ? 0 : -ENOMEM;
}

static int collect(const struct diff *d, void *arg)
{
	struct overlay *o = arg;

	if (d->kind == DIFF_PROPERTY && d->in_new)
		return add_prop(o, d);
	if (d->kind == DIFF_PROPERTY || d->kind == DIFF_NODE)
		return err_set(o->err, -EINVAL,
			       "'%s'%s%s is %s, which cannot be said by adding to a tree",
			       d->path, d->name ? ": " : "", d->name ? d->name : "",
			       d->in_new ? "a new node" : "removed");
	return err_set(o->err, -EINVAL,
		       "%s changes, which cannot be said by adding to a tree",
		       d->kind == DIFF_HEADER ? d->name : "the reserve map");
}

/* What dtc takes for a label. */
static bool is_label(const char *name)
{
	static const char taken[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return *name && (*name < '0' || *name > '9') && !name[strspn(name, taken)];
}

static const char *find_label(const void *blob, const char *path, bool by_phandle)
{
	int symbols = fdt_subnode_offset(blob, 0, "__symbols__");
	int node = dtb_node(blob, path, NULL);
	int prop;

	if (symbols < 0 || node < 0 || (by_phandle && !fdt_get_phandle(blob, node)))
		return NULL;
	fdt_for_each_property_offset(prop, blob, symbols)
	{
		const char *name;
		int len;
		const char *value = fdt_getprop_by_offset(blob, prop, &name, &len);

		/* Of a label that is there twice, the first is what everybody finds. */
		if (value && (size_t)len == strlen(path) + 1 &&
		    !memcmp(value, path, len) && is_label(name) &&
		    fdt_getprop(blob, symbols, name, NULL) == value)
			return name;
	}
	return NULL;
}

/* What dtc takes between "&{" and "}". */
static bool is_path(const char *path)
{
	static const char taken[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789,._+*#?@-/";

	return !path[strspn(path, taken)];
}

int overlay_collect(const struct dtb *before, const struct dtb *after, bool by_phandle,
		    struct overlay *out, struct err *err)
{
	int ret;

	out->err = err;
	ret = dtb_diff(before, after, collect, out, err);
	for (size_t i = 0; !ret && i < out->count; i++) {
		struct overlay_prop *p = &out->list[i];

		p->label = find_label(before->file.data, p->path, by_phandle);
		if (!p->label && !is_path(p->path))
			ret = err_set(err, -EINVAL,
				      "'%s': source cannot say a name of such characters",
				      p->path);
	}
	return ret;
}

void overlay_free(struct overlay *o)
{
	for (size_t i = 0; i < o->count; i++) {
		free(o->list[i].path);
		free(o->list[i].name);
		free(o->list[i].data);
	}
	free(o->list);
	*o = (struct overlay){ 0 };
}

static bool same_node(const struct overlay *o, size_t a, size_t b)
{
	return a < o->count && b < o->count && !strcmp(o->list[a].path, o->list[b].path);
}

/* Numbers as people write them; what looks like text as text. */
static int add_value(const struct overlay_prop *p, struct buf *out)
{
	struct buf text = { 0 };
	int ret = value_format(p->data, p->len, 0, &text);

	if (!ret && p->len % 4 == 0 && (p->len == 4 || text.data[0] == '<')) {
		for (size_t i = 0; !ret && i < p->len; i += 4)
			ret = buf_addf(out, "%s%" PRIu32, i ? " " : "<",
				       fdt32_ld((const fdt32_t *)((char *)p->data + i)));
		ret |= buf_adds(out, ">");
	} else if (!ret) {
		ret = buf_adds(out, text.data);
	}
	buf_free(&text);
	return ret;
}

static int add_node(const struct overlay_prop *p, struct buf *out)
{
	if (p->label)
		return buf_addf(out, "\n&%s {\n", p->label);
	return buf_addf(out, "\n&{%s} {\n", p->path);
}

static int add_line(const struct overlay_prop *p, struct buf *out)
{
	int ret = buf_addf(out, "\t%s", p->name);

	if (!ret && p->len) {
		ret = buf_adds(out, " = ");
		ret |= add_value(p, out);
	}
	return ret ? ret : buf_adds(out, ";\n");
}

int overlay_source(const struct overlay *o, bool plugin, struct buf *out, struct err *err)
{
	int ret = 0;

	if (plugin)
		ret |= buf_adds(out, "/dts-v1/;\n/plugin/;\n");
	/* dtc wants one node at least. */
	if (plugin && !o->count)
		ret |= buf_adds(out, "\n/ {\n};\n");
	for (size_t i = 0; !ret && i < o->count; i++) {
		if (!i || !same_node(o, i - 1, i))
			ret |= add_node(&o->list[i], out);
		ret |= add_line(&o->list[i], out);
		if (!same_node(o, i, i + 1))
			ret |= buf_adds(out, "};\n");
	}
	return ret ? err_errno(err, -ENOMEM, "text of the edit") : 0;
}

/* The fragment of the nodes from property @i on; @i moves past it. */
static int build_fragment(const struct overlay *o, size_t *i, unsigned int number,
			  void *fdt)
{
	const struct overlay_prop *p = &o->list[*i];
	char name[32];
	int ret;

	snprintf(name, sizeof(name), "fragment@%u", number);
	ret = fdt_begin_node(fdt, name);
	if (!ret && p->label)
		ret = fdt_property_u32(fdt, "target", UINT32_MAX);
	else if (!ret)
		ret = fdt_property_string(fdt, "target-path", p->path);
	if (!ret)
		ret = fdt_begin_node(fdt, "__overlay__");
	do {
		p = &o->list[*i];
		if (!ret)
			ret = fdt_property(fdt, p->name, p->data, (int)p->len);
		++*i;
	} while (same_node(o, *i - 1, *i));
	if (!ret)
		ret = fdt_end_node(fdt);
	return ret ? ret : fdt_end_node(fdt);
}

/* Which target has to become which label's phandle. */
static int build_fixups(const struct overlay *o, void *fdt)
{
	unsigned int number = 0;
	bool begun = false;
	char text[48];
	int ret = 0;

	for (size_t i = 0; !ret && i < o->count; i++) {
		if (i && same_node(o, i - 1, i))
			continue;
		snprintf(text, sizeof(text), "/fragment@%u:target:0", number++);
		if (!o->list[i].label)
			continue;
		if (!begun)
			ret = fdt_begin_node(fdt, "__fixups__");
		begun = true;
		if (!ret)
			ret = fdt_property_string(fdt, o->list[i].label, text);
	}
	return ret || !begun ? ret : fdt_end_node(fdt);
}

static int build(const struct overlay *o, void *fdt, size_t size)
{
	unsigned int number = 0;
	int ret = fdt_create(fdt, (int)size);

	if (!ret)
		ret = fdt_finish_reservemap(fdt);
	if (!ret)
		ret = fdt_begin_node(fdt, "");
	for (size_t i = 0; !ret && i < o->count;)
		ret = build_fragment(o, &i, number++, fdt);
	if (!ret)
		ret = build_fixups(o, fdt);
	if (!ret)
		ret = fdt_end_node(fdt);
	return ret ? ret : fdt_finish(fdt);
}

int overlay_build(const struct overlay *o, struct dtb *out, struct err *err)
{
	size_t size = 1024;
	void *fdt;
	int ret;

	for (size_t i = 0; i < o->count; i++)
		size += 256 + 2 * strlen(o->list[i].path) + 2 * strlen(o->list[i].name) +
			o->list[i].len +
			(o->list[i].label ? 2 * strlen(o->list[i].label) : 0);
	fdt = calloc(1, size);
	if (!fdt)
		return err_errno(err, -ENOMEM, "overlay of %zu bytes", size);
	ret = build(o, fdt, size);
	if (ret)
		ret = err_set(err, -EINVAL, "the overlay cannot be made: %s",
			      fdt_strerror(ret));
	else
		ret = dtb_from_memory(fdt, fdt_totalsize(fdt), out, err);
	free(fdt);
	return ret;
}

/* Merging leaves no spare room, makes version 17 of what was 16, and may order properties
 * in its own way. */
static int tell_difference(const struct diff *d, void *arg)
{
	if (d->kind == DIFF_HEADER && strcmp(d->name, "boot CPU id") != 0)
		return 0;
	return err_set(arg, -EINVAL,
		       "merged into the base it does not give the tree that was asked "
		       "for: '%s' differs in %s",
		       d->path ? d->path : "/", d->name ? d->name : "its nodes");
}

int overlay_check(const struct dtb *before, const struct dtb *overlay,
		  const struct dtb *after, struct err *err)
{
	/* Properties may be copied twice while they are merged. */
	size_t size = before->file.len + 2 * overlay->file.len + 4096;
	struct dtb merged = { 0 };
	void *base = malloc(size), *copy = copy_of(overlay->file.data, overlay->file.len);
	int ret;

	if (!base || !copy) {
		ret = err_errno(err, -ENOMEM, "merged tree of %zu bytes", size);
		goto out_free;
	}
	ret = fdt_open_into(before->file.data, base, (int)size);
	if (!ret)
		ret = fdt_overlay_apply(base, copy);
	if (!ret)
		ret = fdt_pack(base);
	if (ret) {
		ret = err_set(err, -EINVAL,
			      "the overlay cannot be merged into the base: %s",
			      fdt_strerror(ret));
		goto out_free;
	}
	ret = dtb_from_memory(base, fdt_totalsize(base), &merged, err);
	if (!ret)
		ret = dtb_diff(after, &merged, tell_difference, err, err);
	dtb_free(&merged);
out_free:
	free(base);
	free(copy);
	return ret;
}
