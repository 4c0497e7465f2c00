// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The comparer that an edited tree must pass: it knows nothing of how edits are made.
 *
 * Both structure blocks are walked token by token. A token must be the same bytes in
 * both, unless it is one of the properties that were asked for.
 */
#include "fdtedit/dtb.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <libfdt.h>

struct cursor {
	const void *blob;
	uint32_t tag;
	int offset, next; /* of the present token, in the structure block */
};

struct walk {
	const struct edits *edits;
	int nodes[EDITS_MAX]; /* of each edit, in the tree after */
	unsigned int seen[EDITS_MAX];
	struct cursor before, after;
	int node; /* that the present property of the tree after belongs to, or -1 */
};

static void step(struct cursor *c)
{
	c->offset = c->next;
	c->tag = fdt_next_tag(c->blob, c->offset, &c->next);
}

static bool same_bytes(const struct cursor *a, const struct cursor *b)
{
	int len = a->next - a->offset;
	const char *base_a = (const char *)a->blob + fdt_off_dt_struct(a->blob);
	const char *base_b = (const char *)b->blob + fdt_off_dt_struct(b->blob);

	return a->tag == b->tag && len == b->next - b->offset &&
	       !memcmp(base_a + a->offset, base_b + b->offset, len);
}

static bool is_cell(const struct cursor *c, const char *property, uint32_t value)
{
	const char *name;
	const void *data;
	int len;

	if (c->tag != FDT_PROP)
		return false;
	data = fdt_getprop_by_offset(c->blob, c->offset, &name, &len);
	return data && len == 4 && !strcmp(name, property) && fdt32_ld(data) == value;
}

/* The edit that the present property of the tree after comes from, or -1. */
static int find_edit(const struct walk *w)
{
	const char *name;

	if (w->after.tag != FDT_PROP || w->node < 0 ||
	    !fdt_getprop_by_offset(w->after.blob, w->after.offset, &name, NULL))
		return -1;
	for (unsigned int i = 0; i < w->edits->count; i++)
		if (w->nodes[i] == w->node && !strcmp(w->edits->list[i].property, name))
			return (int)i;
	return -1;
}

static int compare_edited(struct walk *w, int index, struct err *err)
{
	const struct edit *e = &w->edits->list[index];

	w->seen[index]++;
	if (!is_cell(&w->after, e->property, e->value))
		return err_set(err, -EINVAL, "%s: %s is not <%" PRIu32 ">", e->path,
			       e->property, e->value);
	if (!e->has_old) {
		step(&w->after);
		return 0;
	}
	if (!is_cell(&w->before, e->property, e->old))
		return err_set(err, -EINVAL, "%s: %s was not <%" PRIu32 ">", e->path,
			       e->property, e->old);
	step(&w->before);
	step(&w->after);
	return 0;
}

static int compare_token(struct walk *w, struct err *err)
{
	int index;

	if (w->after.tag == FDT_BEGIN_NODE)
		w->node = w->after.offset;
	else if (w->after.tag == FDT_END_NODE)
		w->node = -1;
	index = find_edit(w);
	if (index >= 0)
		return compare_edited(w, index, err);
	if (!same_bytes(&w->before, &w->after))
		return err_set(err, -EINVAL,
			       "structure block differs at offset %d (%d before)",
			       w->after.offset, w->before.offset);
	step(&w->before);
	step(&w->after);
	return 0;
}

static int compare_structures(struct walk *w, struct err *err)
{
	int ret;

	step(&w->before);
	step(&w->after);
	while (w->before.tag != FDT_END || w->after.tag != FDT_END) {
		/* fdt_next_tag() says FDT_END for damage too, with the code in next. */
		if (w->before.next < 0 || w->after.next < 0)
			return err_set(err, -EINVAL, "structure block ends early");
		ret = compare_token(w, err);
		if (ret)
			return ret;
	}
	for (unsigned int i = 0; i < w->edits->count; i++)
		if (w->seen[i] != 1)
			return err_set(err, -EINVAL, "%s: %s is there %u times",
				       w->edits->list[i].path, w->edits->list[i].property,
				       w->seen[i]);
	return 0;
}

static int compare_header(const void *a, const void *b, struct err *err)
{
	if (fdt_version(a) != fdt_version(b) ||
	    fdt_last_comp_version(a) != fdt_last_comp_version(b))
		return err_set(err, -EINVAL, "the version changed");
	if (fdt_boot_cpuid_phys(a) != fdt_boot_cpuid_phys(b))
		return err_set(err, -EINVAL, "the boot CPU id changed");
	return 0;
}

static int compare_blocks(const struct dtb *before, const struct dtb *after,
			  struct err *err)
{
	const char *a = before->file.data, *b = after->file.data;
	struct dtb_layout la, lb;
	int ret;

	ret = dtb_layout(before, &la, err);
	if (!ret)
		ret = dtb_layout(after, &lb, err);
	if (ret)
		return ret;
	if (la.rsvmap_size != lb.rsvmap_size ||
	    memcmp(a + la.rsvmap, b + lb.rsvmap, la.rsvmap_size))
		return err_set(err, -EINVAL, "the memory reserve map changed");
	if (la.strings_size > lb.strings_size ||
	    memcmp(a + la.strings, b + lb.strings, la.strings_size))
		return err_set(err, -EINVAL, "the strings that were there changed");
	if (la.spare != lb.spare || memcmp(a + la.used, b + lb.used, la.spare))
		return err_set(err, -EINVAL, "the spare room changed, %zu to %zu bytes",
			       la.spare, lb.spare);
	return 0;
}

int dtb_verify(const struct dtb *before, const struct edits *edits,
	       const struct dtb *after, struct err *err)
{
	struct walk w = {
		.edits = edits,
		.before = { .blob = before->file.data },
		.after = { .blob = after->file.data },
		.node = -1,
	};
	int ret;

	ret = compare_header(before->file.data, after->file.data, err);
	if (!ret)
		ret = compare_blocks(before, after, err);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < edits->count; i++) {
		w.nodes[i] = dtb_node(after->file.data, edits->list[i].path, err);
		if (w.nodes[i] < 0)
			return w.nodes[i];
	}
	return compare_structures(&w, err);
}
