// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What source compiles to before and after the edit, both made in memory, differs by what
 * was meant alone.
 */
#include "fdtedit/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/compile.h"
#include "fdtedit/dtb_diff.h"
#include "fdtedit/node.h"
#include "fdtedit/grow.h"

/* A node whose number (phandle) is another one after the edit. */
struct renumbered {
	uint32_t old, new;
};

struct check {
	const struct source_want *want;
	struct err *err;
	bool *placed; /* by change: the tree has a node of its path */
	bool *used;   /* it has not, and this change explained a difference */
	struct renumbered *nodes;
	size_t node_count, node_cap;
};

static bool has_value(const struct change *c, const void *value, size_t len)
{
	return value && c->kind == CHANGE_SET && len == c->value.len &&
	       (!len || !memcmp(value, c->value.data, len));
}

static bool is_phandle(const char *name)
{
	return !strcmp(name, "phandle") || !strcmp(name, "linux,phandle");
}

static int note_number(const struct diff *d, void *arg)
{
	struct check *c = arg;

	if (d->kind != DIFF_PROPERTY || !is_phandle(d->name) || d->old_len != 4 ||
	    d->new_len != 4)
		return 0;
	if (grow(&c->nodes, &c->node_cap, c->node_count, sizeof(*c->nodes)))
		return err_errno(c->err, -ENOMEM, "list of phandles");
	c->nodes[c->node_count++] = (struct renumbered){ fdt32_ld(d->old),
							 fdt32_ld(d->new) };
	return 0;
}

static bool same_node(const struct check *c, uint32_t old, uint32_t new)
{
	for (size_t i = 0; i < c->node_count; i++)
		if (c->nodes[i].old == old && c->nodes[i].new == new)
			return true;
	return old == new;
}

/*
 * dtc gives numbers to nodes in the order of references, and none to those that nothing
 * refers to. Of the source only references can have changed, so that no binding need be
 * known that says where they stand.
 */
static bool is_numbering(const struct check *c, const struct diff *d)
{
	if (is_phandle(d->name))
		return !(d->in_old && d->in_new);
	if (d->from || !d->old || !d->new || d->old_len != d->new_len || d->old_len % 4)
		return false;
	for (size_t i = 0; i < d->old_len; i += 4)
		if (!same_node(c, fdt32_ld((const fdt32_t *)((const char *)d->old + i)),
			       fdt32_ld((const fdt32_t *)((const char *)d->new + i))))
			return false;
	return true;
}

static bool explains(const struct change *c, const struct diff *d)
{
	if (c->kind == CHANGE_DELETE_NODE)
		return !d->in_new;
	if (d->kind != DIFF_PROPERTY || strcmp(c->property, d->name))
		return false;
	return c->kind == CHANGE_DELETE ? !d->in_new : has_value(c, d->new, d->new_len);
}

/*
 * Whose name a macro makes is called otherwise in the source, and so are nodes of an
 * overlay: such a change explains one difference of its value.
 */
static bool is_meant(struct check *c, const struct diff *d)
{
	const struct changes *list = c->want->changes;

	for (size_t i = 0; d->path && i < list->count; i++) {
		const struct change *ch = &list->list[i];
		bool here = ch->kind == CHANGE_DELETE_NODE
				    ? node_is_at_or_below(d->path, ch->path)
				    : !strcmp(d->path, ch->path);

		if (!explains(ch, d) || (c->placed[i] ? !here : c->used[i]))
			continue;
		c->used[i] = !c->placed[i];
		return true;
	}
	return d->kind == DIFF_PROPERTY && is_numbering(c, d);
}

static int judge(const struct diff *d, void *arg)
{
	struct check *c = arg;

	if (is_meant(c, d))
		return 0;
	/* dtc has the boot CPU id from the first CPU node. */
	if (d->kind == DIFF_HEADER)
		return err_set(c->err, -EINVAL,
			       "compiled, the edit would also change the header's %s, "
			       "%" PRIu64 " -> %" PRIu64 ": edit it by hand",
			       d->name, d->old_number, d->new_number);
	if (d->kind == DIFF_RESERVE)
		return err_set(c->err, -EINVAL,
			       "compiled, the edit would also change the reserve map: "
			       "edit it by hand");
	return err_set(c->err, -EINVAL,
		       "compiled, the edit would also change %s%s'%s': edit it by hand",
		       d->name ? d->name : "", d->name ? " of " : "node ", d->path);
}

static int refuse_value(const struct change *c, const void *value, size_t len,
			struct err *err)
{
	struct buf now = { 0 }, want = { 0 };
	int ret;

	if (value && (!len || typed_format(c->type, value, len, " ", &now, NULL)))
		buf_adds(&now, len ? typed_width(c->type) ? "no number" : "no text"
				   : "(empty)");
	if (c->kind == CHANGE_SET && c->value.len)
		typed_format(c->type, c->value.data, c->value.len, " ", &want, NULL);
	ret = err_set(err, -EINVAL,
		      "compiled, %s of '%s' would be %.60s and not %.60s: a macro or a "
		      "later line gives it; edit that by hand",
		      c->property, c->path, now.data ? now.data : "none",
		      want.data ? want.data
				: (c->kind == CHANGE_SET ? "(empty)" : "none"));
	buf_free(&now);
	buf_free(&want);
	return ret;
}

/* Something that is not understood here, such as a macro, may give another value. */
static int check_effect(const struct changes *list, const struct change *c,
			const struct dtb *after, struct err *err)
{
	const void *blob = after->file.data;
	int node = dtb_node(blob, c->path, NULL), len = 0;
	const void *value;

	if (c->kind == CHANGE_DELETE_NODE)
		return node < 0 ? 0
				: err_set(err, -EINVAL,
					  "compiled, node '%s' would still be there: a "
					  "macro or a later line makes it; edit that by "
					  "hand",
					  c->path);
	value = node < 0 ? NULL : fdt_getprop(blob, node, c->property, &len);
	if (c->kind == CHANGE_DELETE && !value)
		return 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct change *other = &list->list[i];

		if (!strcmp(other->path, c->path) && other->property &&
		    !strcmp(other->property, c->property) && has_value(other, value, len))
			return 0;
	}
	return refuse_value(c, value, value ? len : 0, err);
}

static int compare(struct check *c, const struct dtb *before, const struct dtb *after,
		   struct err *err)
{
	const struct changes *list = c->want->changes;
	const bool *certain = c->want->certain;
	unsigned int renumbered;
	int ret;

	for (size_t i = 0; i < list->count; i++)
		c->placed[i] = dtb_node(before->file.data, list->list[i].path, NULL) >= 0;
	ret = dtb_diff(before, after, note_number, c, err);
	if (!ret)
		ret = dtb_diff_followed(before, after, judge, c, &renumbered, err);
	for (size_t i = 0; i < list->count && !ret; i++)
		if (c->placed[i] && (!certain || certain[i]))
			ret = check_effect(list, &list->list[i], after, err);
	return ret;
}

int source_check(const struct target *t, const struct dtb *before,
		 const struct source_want *want, struct err *err)
{
	struct check c = { .want = want, .err = err };
	size_t n = want->changes->count + 1;
	struct dtb after = { 0 };
	int ret = compile_dts(t->dts, true, &t->source.includes, &after, err);

	if (ret)
		return err_wrap(err, ret, "with the edit it would not compile");
	c.placed = calloc(n, sizeof(*c.placed));
	c.used = calloc(n, sizeof(*c.used));
	if (c.placed && c.used)
		ret = compare(&c, before, &after, err);
	else
		ret = err_errno(err, -ENOMEM, "list of changes");
	free(c.placed);
	free(c.used);
	free(c.nodes);
	dtb_free(&after);
	return ret ? err_wrap(err, ret, "'%s'", t->board) : 0;
}
