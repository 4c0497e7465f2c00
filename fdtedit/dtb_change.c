// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Splice properties into a compiled tree and cut them, and nodes, out of it.
 */
#include "fdtedit/dtb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include <libfdt.h>

#define ANCHOR "capacity-dmips-mhz"

/* Blocks that start at @at or behind move by @delta. */
static void move_blocks(void *blob, size_t at, ptrdiff_t delta)
{
	fdt_set_totalsize(blob, fdt_totalsize(blob) + delta);
	if (fdt_off_mem_rsvmap(blob) >= at)
		fdt_set_off_mem_rsvmap(blob, fdt_off_mem_rsvmap(blob) + delta);
	if (fdt_off_dt_struct(blob) >= at)
		fdt_set_off_dt_struct(blob, fdt_off_dt_struct(blob) + delta);
	if (fdt_off_dt_strings(blob) >= at)
		fdt_set_off_dt_strings(blob, fdt_off_dt_strings(blob) + delta);
}

/* Make room for @len bytes at @at and fill it. */
static int splice(struct dtb *dtb, size_t at, const void *data, size_t len,
		  struct err *err)
{
	size_t old = dtb->file.len;
	char *blob;

	if (len > INT32_MAX || old + len > INT32_MAX)
		return err_set(err, -EFBIG, "the tree would be larger than 2 GiB");
	/* The content does not matter, it grows the buffer. */
	if (buf_add(&dtb->file, data, len))
		return err_errno(err, -ENOMEM, "tree of %zu bytes", old + len);
	blob = dtb->file.data;
	memmove(blob + at + len, blob + at, old - at);
	memcpy(blob + at, data, len);
	move_blocks(blob, at, (ptrdiff_t)len);
	return 0;
}

static void cut(struct dtb *dtb, size_t at, size_t len)
{
	char *blob = dtb->file.data;

	memmove(blob + at, blob + at + len, dtb->file.len - at - len);
	dtb->file.len -= len;
	move_blocks(blob, at + len, -(ptrdiff_t)len);
}

/*
 * Replace @old_len bytes at @at of the structure block by @len bytes. A reserve map
 * behind the block keeps its alignment of 8.
 */
static int replace(struct dtb *dtb, size_t at, size_t old_len, const void *data,
		   size_t len, struct err *err)
{
	static const char zeros[8];
	struct dtb_layout l;
	size_t end, pad;
	int ret = dtb_layout(dtb, &l, err);

	if (ret)
		return ret;
	end = l.structure + l.structure_size;
	pad = l.rsvmap >= end ? (old_len - len) & 7 : 0;
	if (pad)
		ret = splice(dtb, end, zeros, pad, err);
	if (!ret && len > old_len)
		ret = splice(dtb, l.structure + at + old_len,
			     (const char *)data + old_len, len - old_len, err);
	if (ret)
		return ret;
	if (len < old_len)
		cut(dtb, l.structure + at + len, old_len - len);
	if (len)
		memcpy(dtb->file.data + l.structure + at, data,
		       len < old_len ? len : old_len);
	if (fdt_version(dtb->file.data) >= 17)
		fdt_set_size_dt_struct(dtb->file.data, l.structure_size + len - old_len);
	return 0;
}

/* Offset of @name in the strings block, or -1. As in dtc, the end of another name will
 * do. */
static int64_t find_string(const struct dtb *dtb, const struct dtb_layout *l,
			   const char *name)
{
	const char *strings = dtb->file.data + l->strings;
	const char *hit;

	if (!l->strings_size)
		return -1;
	hit = memmem(strings, l->strings_size, name, strlen(name) + 1);
	return hit ? hit - strings : -1;
}

/* Blocks behind the strings keep their alignment of 8. */
static int append_string(struct dtb *dtb, const struct dtb_layout *l, const char *name,
			 struct err *err)
{
	size_t end = l->strings + l->strings_size;
	size_t len = strlen(name) + 1;
	size_t grow = len;
	char text[128] = "";
	int ret;

	if (l->rsvmap >= end || l->structure >= end)
		grow = (len + 7) & ~(size_t)7;
	if (grow > sizeof(text))
		return err_set(err, -EINVAL, "property name '%s' is too long", name);
	memcpy(text, name, len);
	ret = splice(dtb, end, text, grow, err);
	if (ret)
		return ret;
	fdt_set_off_dt_strings(dtb->file.data, l->strings); /* also if it was empty */
	fdt_set_size_dt_strings(dtb->file.data, l->strings_size + len);
	return 0;
}

/* The name's offset in the strings block, to which it is added when it is not there. */
static int need_string(struct dtb *dtb, const char *name, uint32_t *offset,
		       struct err *err)
{
	struct dtb_layout l;
	int64_t found;
	int ret = dtb_layout(dtb, &l, err);

	if (ret)
		return ret;
	found = find_string(dtb, &l, name);
	*offset = found < 0 ? l.strings_size : (size_t)found;
	return found < 0 ? append_string(dtb, &l, name, err) : 0;
}

static size_t property_end(const void *blob, int prop)
{
	int len;

	fdt_get_property_by_offset(blob, prop, &len);
	return prop + sizeof(struct fdt_property) + (((size_t)len + 3) & ~(size_t)3);
}

/*
 * Where a new property goes, from the start of the structure block: behind the anchor, or
 * last. dtc puts the phandle behind what the source says, and there it stays.
 */
static size_t place_for_new(const void *blob, int node)
{
	const char *name;
	size_t place;
	int prop, next;

	fdt_next_tag(blob, node, &next);
	place = next;
	fdt_for_each_property_offset(prop, blob, node)
	{
		if (!fdt_getprop_by_offset(blob, prop, &name, NULL) ||
		    !strcmp(name, "phandle") || !strcmp(name, "linux,phandle"))
			continue;
		place = property_end(blob, prop);
		if (!strcmp(name, ANCHOR))
			break;
	}
	return place;
}

/* A whole property token: tag, length, name, value, padding. */
static int make_property(const struct change *c, uint32_t name, struct buf *out,
			 struct err *err)
{
	const fdt32_t head[3] = { cpu_to_fdt32(FDT_PROP),
				  cpu_to_fdt32((uint32_t)c->value.len),
				  cpu_to_fdt32(name) };

	if (buf_add(out, head, sizeof(head)) ||
	    (c->value.len && buf_add(out, c->value.data, c->value.len)) ||
	    buf_add(out, "\0\0\0", -c->value.len & 3))
		return err_errno(err, -ENOMEM, "property");
	return 0;
}

static int add_property(struct dtb *dtb, const struct change *c, struct err *err)
{
	struct buf token = { 0 };
	uint32_t name;
	int node, ret;

	ret = need_string(dtb, c->property, &name, err);
	if (!ret)
		ret = make_property(c, name, &token, err);
	node = ret ? ret : dtb_node(dtb->file.data, c->path, err);
	ret = node < 0 ? node
		       : replace(dtb, place_for_new(dtb->file.data, node), 0, token.data,
				 token.len, err);
	buf_free(&token);
	return ret;
}

static int replace_property(struct dtb *dtb, const struct change *c, int prop,
			    struct err *err)
{
	const struct fdt_property *p = fdt_get_property_by_offset(dtb->file.data, prop,
								  NULL);
	struct buf token = { 0 };
	int ret = make_property(c, fdt32_to_cpu(p->nameoff), &token, err);

	if (!ret)
		ret = replace(dtb, prop, property_end(dtb->file.data, prop) - prop,
			      token.data, token.len, err);
	buf_free(&token);
	return ret;
}

static int change_property(struct dtb *dtb, const struct change *c, struct err *err)
{
	int node = dtb_node(dtb->file.data, c->path, err);
	int prop = node < 0 ? node
			    : dtb_property(dtb->file.data, node, c->path, c->property,
					   err);

	if (node < 0 || prop == -EINVAL)
		return prop;
	if (prop < 0 && c->kind == CHANGE_SET)
		return add_property(dtb, c, err);
	if (prop < 0)
		return err_set(err, -ENOENT, "%s: no property '%s'", c->path,
			       c->property);
	if (c->kind == CHANGE_SET)
		return replace_property(dtb, c, prop, err);
	return replace(dtb, prop, property_end(dtb->file.data, prop) - prop, NULL, 0,
		       err);
}

static int delete_node(struct dtb *dtb, const struct change *c, struct err *err)
{
	int node = dtb_node(dtb->file.data, c->path, err);
	int depth = 0, offset = node, next = node;

	if (node < 0)
		return node;
	if (!node)
		return err_set(err, -EINVAL, "the root node cannot be deleted");
	do {
		uint32_t tag;

		offset = next;
		tag = fdt_next_tag(dtb->file.data, offset, &next);
		depth += tag == FDT_BEGIN_NODE;
		depth -= tag == FDT_END_NODE;
		if (tag == FDT_END)
			return err_set(err, -EINVAL, "%s: node never ends", c->path);
	} while (depth);
	return replace(dtb, node, next - node, NULL, 0, err);
}

static int change_copy(const struct dtb *before, const struct changes *changes,
		       struct dtb *after, struct err *err)
{
	struct err verdict = { "" };
	int ret;

	ret = dtb_from_memory(before->file.data, before->file.len, after, err);
	for (size_t i = 0; !ret && i < changes->count; i++) {
		const struct change *c = &changes->list[i];

		ret = c->kind == CHANGE_DELETE_NODE ? delete_node(after, c, err)
						    : change_property(after, c, err);
	}
	if (ret)
		return ret;
	ret = dtcpus_check_blob(after->file.data, after->file.len, &verdict);
	if (!ret)
		ret = dtb_verify_changes(before, changes, after, &verdict);
	if (ret)
		return err_set(err, -EINVAL,
			       "edit given up, its result is not as asked for: %s",
			       verdict.msg);
	return 0;
}

/* Of version 16 libfdt does not ask, and what is not in the block would not move with it.
 */
static int check_names(const struct dtb *dtb, const struct dtb_layout *l, struct err *err)
{
	const char *blob = dtb->file.data, *strings = blob + l->strings;
	int offset = 0, next;

	for (uint32_t tag = 0; tag != FDT_END; offset = next) {
		size_t at;

		tag = fdt_next_tag(blob, offset, &next);
		if (tag != FDT_PROP)
			continue;
		at = fdt32_ld(&fdt_get_property_by_offset(blob, offset, NULL)->nameoff);
		if (at >= l->strings_size ||
		    !memchr(strings + at, '\0', l->strings_size - at))
			return err_set(err, -EINVAL,
				       "damaged device tree: the name of a property is "
				       "not in the strings block (header field "
				       "size_dt_strings)");
	}
	return 0;
}

int dtb_change(const struct dtb *before, const struct changes *changes, struct dtb *after,
	       struct err *err)
{
	struct dtb_layout layout;
	int ret;

	if (before->trailing)
		return err_set(err, -EINVAL,
			       "%zu bytes after the tree (totalsize %" PRIu32
			       "): not edited, they would be lost; --keep-trailing "
			       "keeps them, and 'head -c %" PRIu32
			       "' cuts them off if they are only padding",
			       before->trailing, fdt_totalsize(before->file.data),
			       fdt_totalsize(before->file.data));
	ret = dtb_layout(before, &layout, err);
	if (!ret)
		ret = check_names(before, &layout, err);
	if (ret)
		return ret;
	ret = change_copy(before, changes, after, err);
	if (ret)
		dtb_free(after);
	return ret;
}

/* The old value must be what the plan was made with, or nothing. */
static int check_old(const struct dtb *before, const struct edit *e, struct err *err)
{
	int node = dtb_node(before->file.data, e->path, err);
	const void *old;
	int len;

	if (node < 0)
		return node;
	old = fdt_getprop(before->file.data, node, e->property, &len);
	if (!old)
		return 0;
	if (len != 4)
		return err_set(err, -EINVAL,
			       "%s: %s holds %d bytes, not one 32-bit number", e->path,
			       e->property, len);
	if (e->has_old && fdt32_ld(old) != e->old)
		return err_set(err, -EINVAL, "%s: %s was not <%" PRIu32 ">", e->path,
			       e->property, e->old);
	return 0;
}

int dtb_edits_to_changes(const struct dtb *before, const struct edits *edits,
			 struct changes *changes, struct err *err)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < edits->count; i++) {
		const struct edit *e = &edits->list[i];

		ret = check_old(before, e, err);
		if (!ret)
			ret = changes_set_u32(changes, e->path, e->property, e->value,
					      e->cluster, err);
	}
	return ret;
}

int dtb_edit(const struct dtb *before, const struct edits *edits, struct dtb *after,
	     struct err *err)
{
	struct changes changes = { 0 };
	int ret = dtb_edits_to_changes(before, edits, &changes, err);

	if (!ret)
		ret = dtb_change(before, &changes, after, err);
	changes_free(&changes);
	return ret;
}

int dtb_verify(const struct dtb *before, const struct edits *edits,
	       const struct dtb *after, struct err *err)
{
	struct changes changes = { 0 };
	int ret = dtb_edits_to_changes(before, edits, &changes, err);

	if (!ret)
		ret = dtb_verify_changes(before, &changes, after, err);
	changes_free(&changes);
	return ret;
}
