// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load a compiled device tree and splice properties into it.
 */
#include "fdtedit/dtb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/container.h"

#define ANCHOR "capacity-dmips-mhz"

static int check_loaded(struct dtb *dtb, struct err *err)
{
	int ret = dtcpus_check_blob(dtb->file.data, dtb->file.len, err);
	const char *what = container_describe(dtb->file.data, dtb->file.len);

	if (ret == -EINVAL && what)
		return err_set(err, ret, "not a device tree but %s", what);
	/* A sound tree, and then more bytes: fine to read. */
	if (ret == -E2BIG) {
		dtb->trailing = dtb->file.len - fdt_totalsize(dtb->file.data);
		return 0;
	}
	return ret;
}

int dtb_load(const char *path, struct dtb *dtb, struct err *err)
{
	int ret = buf_read_file(&dtb->file, path, DTB_MAX_SIZE, err);

	if (ret)
		return ret;
	ret = check_loaded(dtb, err);
	return ret ? err_wrap(err, ret, "'%s'", path) : 0;
}

int dtb_from_memory(const void *data, size_t size, struct dtb *dtb, struct err *err)
{
	if (buf_add(&dtb->file, data, size))
		return err_errno(err, -ENOMEM, "copy of the tree");
	return check_loaded(dtb, err);
}

void dtb_free(struct dtb *dtb)
{
	buf_free(&dtb->file);
	dtb->trailing = 0;
}

/* Version 16 has no size of the structure block in its header. */
static size_t structure_size(const void *blob)
{
	int offset = 0, next;

	if (fdt_version(blob) >= 17)
		return fdt_size_dt_struct(blob);
	while (fdt_next_tag(blob, offset, &next) != FDT_END)
		offset = next;
	return next;
}

static int check_overlap(const struct dtb_layout *l, struct err *err)
{
	const struct {
		const char *name;
		size_t start, size;
	} blocks[] = {
		{ "header", 0, l->header_size },
		{ "reserve map", l->rsvmap, l->rsvmap_size },
		{ "structure block", l->structure, l->structure_size },
		{ "strings block", l->strings, l->strings_size },
	};

	for (size_t i = 0; i < 4; i++)
		for (size_t k = i + 1; k < 4; k++)
			if (blocks[i].start < blocks[k].start + blocks[k].size &&
			    blocks[k].start < blocks[i].start + blocks[i].size)
				return err_set(err, -EINVAL,
					       "damaged device tree: %s and %s overlap",
					       blocks[i].name, blocks[k].name);
	return 0;
}

int dtb_layout(const struct dtb *dtb, struct dtb_layout *l, struct err *err)
{
	const void *blob = dtb->file.data;
	uint32_t version = fdt_version(blob);
	size_t total = fdt_totalsize(blob);
	int entries = fdt_num_mem_rsv(blob);

	if (version != 16 && version != 17)
		return err_set(err, -EINVAL,
			       "version %" PRIu32
			       " of the format is not edited, only 16 and 17; "
			       "convert it with 'dtc -I dtb -O dtb'",
			       version);
	if (entries < 0)
		return err_set(err, -EINVAL, "reserve map: %s", fdt_strerror(entries));
	*l = (struct dtb_layout){
		.header_size = fdt_header_size(blob),
		.rsvmap = fdt_off_mem_rsvmap(blob),
		.rsvmap_size = ((size_t)entries + 1) * sizeof(struct fdt_reserve_entry),
		.structure = fdt_off_dt_struct(blob),
		.structure_size = structure_size(blob),
		.strings = fdt_off_dt_strings(blob),
		.strings_size = fdt_size_dt_strings(blob),
	};
	l->used = l->rsvmap + l->rsvmap_size;
	if (l->used < l->structure + l->structure_size)
		l->used = l->structure + l->structure_size;
	if (l->used < l->strings + l->strings_size)
		l->used = l->strings + l->strings_size;
	if (l->used > total)
		return err_set(err, -EINVAL,
			       "damaged device tree: a block ends at %zu, after the "
			       "tree's %zu bytes",
			       l->used, total);
	l->spare = total - l->used;
	return check_overlap(l, err);
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

/* Offset, -FDT_ERR_NOTFOUND, or -FDT_ERR_EXISTS when the name is there twice. */
static int exact_child(const void *blob, int parent, const char *name, size_t len)
{
	int found = -FDT_ERR_NOTFOUND;
	int node, node_len;

	fdt_for_each_subnode(node, blob, parent)
	{
		const char *there = fdt_get_name(blob, node, &node_len);

		if (!there || (size_t)node_len != len || memcmp(there, name, len))
			continue;
		if (found >= 0)
			return -FDT_ERR_EXISTS;
		found = node;
	}
	return found;
}

int dtb_node(const void *blob, const char *path, struct err *err)
{
	const char *p = path;
	int node = 0;

	while (*p && strcmp(path, "/")) {
		size_t len;

		p += *p == '/';
		len = strcspn(p, "/");
		node = exact_child(blob, node, p, len);
		p += len;
		if (node == -FDT_ERR_EXISTS)
			return err_set(err, -EINVAL, "'%.*s': two nodes of that name",
				       (int)(p - path), path);
		if (node < 0)
			return err_set(err, -ENOENT, "no node '%.*s'", (int)(p - path),
				       path);
	}
	return node;
}

int dtb_read_cpus(const struct dtb *dtb, struct dtcpus *cpus, struct err *err)
{
	const void *blob = dtb->file.data;
	int ret = dtcpus_read(blob, cpus, err);

	if (ret == -ENOENT && fdt_path_offset(blob, "/images") >= 0)
		return err_set(
			err, ret,
			"no CPU node: this is a FIT image (.itb); take the tree out "
			"(dumpimage) and edit that");
	return ret;
}

void dtb_view(const struct dtcpus *cpus, struct edit_cpu view[EDITS_MAX])
{
	_Static_assert(EDITS_MAX >= DTCPUS_MAX_CPUS, "the view has room for all CPUs");
	_Static_assert(EDITS_MAX_COMPATIBLES >= DTCPUS_MAX_COMPATIBLES,
		       "and compatibles");

	for (unsigned int i = 0; i < cpus->cpu_count; i++) {
		const struct dt_cpu *cpu = &cpus->cpus[i];

		view[i] = (struct edit_cpu){
			.path = cpu->path,
			.has_reg = cpu->has_reg,
			.reg = cpu->reg,
			.compatible_count = cpu->compatible_count,
			.domain = cpu->domain,
			.has_value = cpu->has_dpc,
			.value = cpu->dpc_uw_per_mhz_v2,
		};
		for (unsigned int k = 0; k < cpu->compatible_count; k++)
			view[i].compatibles[k] = cpu->compatibles[k];
	}
}

/* Make room for @len bytes at @at and fill it. Blocks that start there or behind move. */
static int splice(struct dtb *dtb, size_t at, const void *data, size_t len,
		  struct err *err)
{
	size_t old = dtb->file.len;
	char *blob;

	if (old + len > INT32_MAX)
		return err_set(err, -EFBIG, "the tree would be larger than 2 GiB");
	/* The content does not matter, it grows the buffer. */
	if (buf_add(&dtb->file, data, len))
		return err_errno(err, -ENOMEM, "tree of %zu bytes", old + len);
	blob = dtb->file.data;
	memmove(blob + at + len, blob + at, old - at);
	memcpy(blob + at, data, len);
	fdt_set_totalsize(blob, fdt_totalsize(blob) + len);
	if (fdt_off_mem_rsvmap(blob) >= at)
		fdt_set_off_mem_rsvmap(blob, fdt_off_mem_rsvmap(blob) + len);
	if (fdt_off_dt_struct(blob) >= at)
		fdt_set_off_dt_struct(blob, fdt_off_dt_struct(blob) + len);
	if (fdt_off_dt_strings(blob) >= at)
		fdt_set_off_dt_strings(blob, fdt_off_dt_strings(blob) + len);
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

static int add_property(struct dtb *dtb, const struct edit *e, struct err *err)
{
	struct dtb_layout l;
	fdt32_t token[4];
	int64_t name;
	size_t place;
	int ret;

	ret = dtb_layout(dtb, &l, err);
	if (ret)
		return ret;
	name = find_string(dtb, &l, e->property);
	if (name < 0) {
		name = (int64_t)l.strings_size;
		ret = append_string(dtb, &l, e->property, err);
		if (ret)
			return ret;
	}
	ret = dtb_node(dtb->file.data, e->path, err);
	if (ret < 0)
		return ret;
	place = place_for_new(dtb->file.data, ret);
	token[0] = cpu_to_fdt32(FDT_PROP);
	token[1] = cpu_to_fdt32(sizeof(token[3]));
	token[2] = cpu_to_fdt32((uint32_t)name);
	token[3] = cpu_to_fdt32(e->value);
	l.structure = fdt_off_dt_struct(dtb->file.data);
	ret = splice(dtb, l.structure + place, token, sizeof(token), err);
	if (!ret && fdt_version(dtb->file.data) >= 17)
		fdt_set_size_dt_struct(dtb->file.data, l.structure_size + sizeof(token));
	return ret;
}

/* How many properties of that name, and the offset of the last. */
static unsigned int count_property(const void *blob, int node, const char *property,
				   int *offset)
{
	unsigned int count = 0;
	const char *name;
	int prop;

	fdt_for_each_property_offset(prop, blob, node)
	{
		if (!fdt_getprop_by_offset(blob, prop, &name, NULL) ||
		    strcmp(name, property))
			continue;
		*offset = prop;
		count++;
	}
	return count;
}

static int set_property(struct dtb *dtb, const struct edit *e, struct err *err)
{
	void *blob = dtb->file.data;
	int node = dtb_node(blob, e->path, err);
	unsigned int count;
	int prop, len, ret;

	if (node < 0)
		return node;
	count = count_property(blob, node, e->property, &prop);
	if (!count)
		return add_property(dtb, e, err);
	if (count > 1)
		return err_set(err, -EINVAL, "%s: %s is there %u times", e->path,
			       e->property, count);
	if (!fdt_get_property_by_offset(blob, prop, &len) || len != 4)
		return err_set(err, -EINVAL,
			       "%s: %s holds %d bytes, not one 32-bit number", e->path,
			       e->property, len);
	ret = fdt_setprop_inplace_u32(blob, node, e->property, e->value);
	if (ret)
		return err_set(err, -EINVAL, "%s: %s: %s", e->path, e->property,
			       fdt_strerror(ret));
	return 0;
}

static int edit_copy(const struct dtb *before, const struct edits *edits,
		     struct dtb *after, struct err *err)
{
	struct err verdict = { "" };
	int ret;

	ret = dtb_from_memory(before->file.data, before->file.len, after, err);
	for (unsigned int i = 0; !ret && i < edits->count; i++)
		ret = set_property(after, &edits->list[i], err);
	if (ret)
		return ret;
	ret = dtcpus_check_blob(after->file.data, after->file.len, &verdict);
	if (!ret)
		ret = dtb_verify(before, edits, after, &verdict);
	if (ret)
		return err_set(err, -EINVAL,
			       "edit given up, its result is not as asked for: %s",
			       verdict.msg);
	return 0;
}

int dtb_edit(const struct dtb *before, const struct edits *edits, struct dtb *after,
	     struct err *err)
{
	struct dtb_layout layout;
	int ret;

	if (before->trailing)
		return err_set(err, -EINVAL,
			       "%zu bytes after the tree (totalsize %" PRIu32
			       "): not edited, they would be lost; cut them off with "
			       "'head -c %" PRIu32 "' if they are only padding",
			       before->trailing, fdt_totalsize(before->file.data),
			       fdt_totalsize(before->file.data));
	ret = dtb_layout(before, &layout, err);
	if (!ret)
		ret = check_names(before, &layout, err);
	if (ret)
		return ret;
	ret = edit_copy(before, edits, after, err);
	if (ret)
		dtb_free(after);
	return ret;
}
