// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The comparer that an edited tree must pass: it knows nothing of how edits are made.
 *
 * Both structure blocks are walked token by token. A token must be the same bytes in
 * both, unless it is of a property or node that was to change.
 */
#include "fdtedit/dtb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

struct cursor {
	const void *blob;
	uint32_t tag;
	int offset, next; /* of the present token, in the structure block */
};

/* A change, as the walk meets it. */
struct target {
	const struct change *c;
	int before, after; /* offset of its node in either tree, -1: not there */
	unsigned int seen;
};

struct walk {
	struct target *targets;
	size_t count;
	struct cursor before, after;
	int node_before, node_after; /* that the present property belongs to, or -1 */
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

static const void *property(const struct cursor *c, const char **name, int *len)
{
	return c->tag == FDT_PROP ? fdt_getprop_by_offset(c->blob, c->offset, name, len)
				  : NULL;
}

/* The change of the present property of the tree after, or of the one before. */
static struct target *find_target(struct walk *w, bool after)
{
	const struct cursor *c = after ? &w->after : &w->before;
	int node = after ? w->node_after : w->node_before;
	const char *name;
	int len;

	if (node < 0 || !property(c, &name, &len))
		return NULL;
	for (size_t i = 0; i < w->count; i++) {
		struct target *t = &w->targets[i];

		if ((after ? t->after : t->before) == node && t->c->property &&
		    !strcmp(t->c->property, name))
			return t;
	}
	return NULL;
}

static int wrong_value(const struct change *c, struct err *err)
{
	struct buf text = { 0 };

	typed_format(c->type, c->value.data, c->value.len, " ", &text, NULL);
	err_set(err, -EINVAL, "%s: %s is not <%s>", c->path, c->property,
		text.data ? text.data : "");
	buf_free(&text);
	return -EINVAL;
}

/* The tree after is at a property that shall be there: of this value, at its old place.
 */
static int compare_set(struct walk *w, struct target *t, struct err *err)
{
	const struct change *c = t->c;
	const char *name;
	int len;
	const void *data = property(&w->after, &name, &len);

	t->seen++;
	if (!data || c->kind != CHANGE_SET || (size_t)len != c->value.len ||
	    (len && memcmp(data, c->value.data, len)))
		return wrong_value(c, err);
	/* Padding is zeros, as dtc has it. */
	for (int i = len; i % 4; i++)
		if (((const char *)data)[i])
			return wrong_value(c, err);
	step(&w->after);
	if (find_target(w, false) == t)
		step(&w->before);
	return 0;
}

/* The tree before is at the start of a node that goes: pass over all of it. */
static bool skip_deleted(struct walk *w)
{
	size_t i = 0;
	int depth = 0;

	while (i < w->count && (w->targets[i].c->kind != CHANGE_DELETE_NODE ||
				w->targets[i].before != w->before.offset))
		i++;
	if (w->before.tag != FDT_BEGIN_NODE || i == w->count)
		return false;
	w->targets[i].seen++;
	do {
		depth += w->before.tag == FDT_BEGIN_NODE;
		depth -= w->before.tag == FDT_END_NODE;
		step(&w->before);
	} while (depth && w->before.tag != FDT_END);
	w->node_before = -1;
	return true;
}

static bool skip_deleted_property(struct walk *w)
{
	struct target *t = find_target(w, false);

	if (!t || t->c->kind != CHANGE_DELETE)
		return false;
	t->seen++;
	step(&w->before);
	return true;
}

static void enter(const struct cursor *c, int *node)
{
	if (c->tag == FDT_BEGIN_NODE)
		*node = c->offset;
	else if (c->tag == FDT_END_NODE)
		*node = -1;
}

static int compare_token(struct walk *w, struct err *err)
{
	struct target *t;

	enter(&w->before, &w->node_before);
	if (skip_deleted(w) || skip_deleted_property(w))
		return 0;
	enter(&w->after, &w->node_after);
	t = find_target(w, true);
	if (t)
		return compare_set(w, t, err);
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
	for (size_t i = 0; i < w->count; i++) {
		const struct change *c = w->targets[i].c;

		if (w->targets[i].seen == 1)
			continue;
		return err_set(err, -EINVAL, "%s: %s is there %u times", c->path,
			       c->property ? c->property : "the node",
			       w->targets[i].seen);
	}
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

/* Where the changes' nodes are; what is deleted has none afterwards. */
static int find_nodes(const struct dtb *before, const struct dtb *after,
		      const struct changes *changes, struct walk *w, struct err *err)
{
	for (size_t i = 0; i < changes->count; i++) {
		struct target *t = &w->targets[i];

		*t = (struct target){ .c = &changes->list[i], .after = -1 };
		t->before = dtb_node(before->file.data, t->c->path, err);
		if (t->before < 0)
			return t->before;
		if (t->c->kind == CHANGE_DELETE_NODE)
			continue;
		t->after = dtb_node(after->file.data, t->c->path, err);
		if (t->after < 0)
			return t->after;
	}
	w->count = changes->count;
	return 0;
}

int dtb_verify_changes(const struct dtb *before, const struct changes *changes,
		       const struct dtb *after, struct err *err)
{
	struct walk w = {
		.before = { .blob = before->file.data },
		.after = { .blob = after->file.data },
		.node_before = -1,
		.node_after = -1,
	};
	int ret;

	ret = compare_header(before->file.data, after->file.data, err);
	if (!ret)
		ret = compare_blocks(before, after, err);
	if (ret)
		return ret;
	w.targets = calloc(changes->count ? changes->count : 1, sizeof(*w.targets));
	if (!w.targets)
		return err_errno(err, -ENOMEM, "list of changes");
	ret = find_nodes(before, after, changes, &w, err);
	if (!ret)
		ret = compare_structures(&w, err);
	free(w.targets);
	return ret;
}
