// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit apply, for source: what it compiles to before and after the edit, both made in
 * memory, differs by the edits alone.
 */
#include "fdtedit/apply.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/compile.h"
#include "fdtedit/dtb_diff.h"

struct check {
	const struct apply *a;
	struct err *err;
	bool placed[EDITS_MAX]; /* the tree has a node of the edit's path */
	bool used[EDITS_MAX];	/* it has not, and this edit explained a difference */
};

static bool is_value(const struct edit *e, const void *value, size_t len)
{
	return value && len == sizeof(fdt32_t) && fdt32_ld(value) == e->value;
}

/*
 * Whose name a macro makes is called otherwise in the source, and so are nodes of an
 * overlay: such an edit explains one difference of its value.
 */
static bool is_meant(struct check *c, const struct diff *d)
{
	const struct edits *edits = &c->a->edits;

	if (d->kind != DIFF_PROPERTY || !d->in_new)
		return false;
	for (unsigned int i = 0; i < edits->count; i++) {
		const struct edit *e = &edits->list[i];

		if (strcmp(e->property, d->name) || !is_value(e, d->new, d->new_len))
			continue;
		if (c->placed[i] ? strcmp(e->path, d->path) : c->used[i])
			continue;
		c->used[i] = !c->placed[i];
		return true;
	}
	return false;
}

static int judge(const struct diff *d, void *arg)
{
	struct check *c = arg;

	if (is_meant(c, d))
		return 0;
	if (!d->path)
		return err_set(c->err, -EINVAL,
			       "compiled, the edit would change the header or the "
			       "reserve map too: edit it by hand");
	return err_set(c->err, -EINVAL,
		       "compiled, the edit would also change %s%s'%s': edit it by hand",
		       d->name ? d->name : "", d->name ? " of " : "node ", d->path);
}

/* Something that is not understood here, such as a macro, may give another value. */
static int check_effect(const struct check *c, const struct edit *e)
{
	const void *blob = c->a->after.file.data;
	const struct edits *edits = &c->a->edits;
	int node = dtb_node(blob, e->path, NULL), len;
	const void *value = fdt_getprop(blob, node, e->property, &len);
	char text[16] = "none";

	for (unsigned int i = 0; i < edits->count; i++) {
		const struct edit *other = &edits->list[i];

		if (!strcmp(other->path, e->path) &&
		    !strcmp(other->property, e->property) && is_value(other, value, len))
			return 0;
	}
	if (value && len == sizeof(fdt32_t))
		snprintf(text, sizeof(text), "%" PRIu32, fdt32_ld(value));
	return err_set(c->err, -EINVAL,
		       "compiled, %s of '%s' would be %s and not %" PRIu32
		       ": a macro or a later line gives it; edit that by hand",
		       e->property, e->path, value && len != 4 ? "no number" : text,
		       e->value);
}

static int compare(const struct apply *a, const struct dts *d, struct err *err)
{
	struct check c = { .a = a, .err = err };
	int ret;

	for (unsigned int i = 0; i < a->edits.count; i++)
		c.placed[i] = dtb_node(a->before.file.data, a->edits.list[i].path,
				       NULL) >= 0;
	ret = dtb_diff(&a->before, &a->after, judge, &c, err);
	for (unsigned int i = 0; i < a->edits.count && !ret; i++)
		if (c.placed[i] && dts_is_certain(d, a->edits.list[i].cpu))
			ret = check_effect(&c, &a->edits.list[i]);
	return ret;
}

int apply_compile(struct apply *a, const struct dts *d, struct err *err)
{
	const struct opt_list *dirs = &a->opts->include_dirs;
	struct err why = { "" };
	int ret;

	if (!a->edits.count)
		return 0;
	if (compile_dts(d, false, dirs, &a->before, &why)) {
		cmd_note(a->ctx, "not compiled before and after to compare: %s", why.msg);
		return 0;
	}
	ret = compile_dts(d, true, dirs, &a->after, err);
	if (ret)
		return err_wrap(err, ret, "with the edit it would not compile");
	ret = compare(a, d, err);
	if (ret)
		return err_wrap(err, ret, "'%s'", a->board);
	a->cpus = dtcpus_new();
	/* Only the tree tells whether the kernel will look at the values. */
	if (a->cpus && !dtb_read_cpus(&a->before, a->cpus, &why))
		apply_warn_domains(a);
	return 0;
}
