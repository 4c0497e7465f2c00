// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load a compiled device tree and find what is in it.
 */
#include "fdtedit/dtb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/container_kinds.h"

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

int dtb_from_memory(const void *data, size_t size, struct dtb *dtb, struct err *err)
{
	if (buf_add(&dtb->file, data, size))
		return err_errno(err, -ENOMEM, "copy of the tree");
	return check_loaded(dtb, err);
}

void dtb_drop_trailing(struct dtb *dtb)
{
	dtb->file.len -= dtb->trailing;
	dtb->trailing = 0;
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

int dtb_property(const void *blob, int node, const char *path, const char *name,
		 struct err *err)
{
	int prop, found = -ENOENT;
	unsigned int count = 0;

	fdt_for_each_property_offset(prop, blob, node)
	{
		const char *there;

		if (!fdt_getprop_by_offset(blob, prop, &there, NULL) ||
		    strcmp(there, name) != 0)
			continue;
		found = prop;
		count++;
	}
	if (count > 1)
		return err_set(err, -EINVAL, "%s: %s is there %u times", path, name,
			       count);
	return found;
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

char *dtb_label_path(const void *blob, const char *label)
{
	const char *path = dtcpus_label(blob, label);

	return path ? strdup(path) : NULL;
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
			.opp_path = cpu->domain < 0 || !cpu->opp_phandle
					    ? NULL
					    : cpus->domains[cpu->domain].opp_path,
			.map_path = cpu->map_path[0] ? cpu->map_path : NULL,
			.domain = cpu->domain,
			.has_value = cpu->has_dpc,
			.value = cpu->dpc_uw_per_mhz_v2,
		};
		for (unsigned int k = 0; k < cpu->compatible_count; k++)
			view[i].compatibles[k] = cpu->compatibles[k];
	}
}
