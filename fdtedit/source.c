// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Edited source to where it belongs: in place, to another file, or as a patch.
 */
#include "fdtedit/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/patch.h"
#include "lib/outfile.h"

/* The files that change; the caller frees the list. */
static int changed_files(const struct dts *d, struct dts_output **list, size_t *count,
			 struct err *err)
{
	struct dts_output o;
	size_t n = 0;

	while (!dts_output(d, n, &o))
		n++;
	*list = calloc(n, sizeof(**list));
	if (!*list)
		return err_set(err, -ENOMEM, "out of memory");
	*count = 0;
	for (size_t i = 0; i < n; i++) {
		dts_output(d, i, &o);
		if (o.changed)
			(*list)[(*count)++] = o;
	}
	return 0;
}

/* @base: where the first file's name begins; that of all must. */
static int add_file(struct buf *diff, const struct dts_output *o, struct buf *name,
		    struct buf *base, struct err *err)
{
	struct buf own = { 0 };
	int ret = patch_name(o->path, name, &own, err);

	if (!ret && base->data && own.data && strcmp(base->data, own.data) != 0)
		ret = err_set(err, -EINVAL,
			      "one patch cannot name files in '%s' and in '%s': run this "
			      "in a folder above both, or have them in one git work tree",
			      base->data, own.data);
	if (!ret)
		ret = patch_add_diff(diff, name->data, o->old_text, o->old_len,
				     o->new_text, o->new_len, err);
	if (base->data)
		buf_free(&own);
	else
		*base = own;
	return ret;
}

static int make_patch(const struct dts_output *list, size_t count, source_wrap_fn *wrap,
		      void *arg, struct buf *out, struct err *err)
{
	struct buf diff = { 0 }, first = { 0 }, base = { 0 };
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++) {
		struct buf name = { 0 };

		ret = add_file(&diff, &list[i], &name, &base, err);
		if (!i)
			first = name;
		else
			buf_free(&name);
	}
	if (!ret && count && wrap)
		ret = wrap(arg, &diff, first.data, list[0].path, out, err);
	else if (!ret && count && buf_add(out, diff.data, diff.len))
		ret = err_set(err, -ENOMEM, "out of memory");
	buf_free(&first);
	buf_free(&base);
	buf_free(&diff);
	return ret;
}

static int write_patch(struct target *t, const struct dts_output *list, size_t count,
		       source_wrap_fn *wrap, void *arg, struct err *err)
{
	const char *path = t->output ? t->output : "-";
	struct buf out = { 0 };
	int ret = make_patch(list, count, wrap, arg, &out, err);

	/* Printing changes nothing, a file is another matter. */
	if (!ret && !(t->dry_run && t->output))
		ret = outset_add(&t->out, path, out.data, out.len, false, err);
	buf_free(&out);
	return ret;
}

/* -o: one file in, one file out. */
static int write_copy(struct target *t, const struct dts_output *list, size_t count,
		      struct err *err)
{
	struct dts_output o;

	dts_output(t->dts, 0, &o);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].path, o.path))
			return err_set(
				err, -EINVAL,
				"-o holds one file, and '%s' would have to change; "
				"give that file, or --patch",
				list[i].path);
	}
	return outset_add(&t->out, t->output, o.new_text, o.new_len, false, err);
}

static int write_in_place(struct target *t, const struct dts_output *list, size_t count,
			  struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++) {
		ret = outset_add(&t->out, list[i].path, list[i].new_text, list[i].new_len,
				 t->backup, err);
		if (!ret)
			ret = outset_replaces(&t->out, list[i].old_text, list[i].old_len,
					      err);
	}
	return ret;
}

int source_not_included(const struct dts *d, const char *output, struct err *err)
{
	struct dts_output first, o;
	int ret = 0;

	for (size_t i = 1; output && !ret && !dts_output(d, i, &o); i++)
		ret = outfile_not_input(output, o.path, err);
	dts_output(d, 0, &first);
	return ret ? err_wrap(err, ret, "'%s' includes it", first.path) : 0;
}

int source_write(struct target *t, source_wrap_fn *wrap, void *arg, struct err *err)
{
	struct dts_output *list;
	size_t count = 0;
	int ret = changed_files(t->dts, &list, &count, err);

	if (ret)
		return ret;
	if (t->source.patch)
		ret = write_patch(t, list, count, wrap, arg, err);
	else if (t->dry_run)
		ret = 0;
	else if (t->output)
		ret = write_copy(t, list, count, err);
	else
		ret = write_in_place(t, list, count, err);
	free(list);
	return ret;
}

char *source_label_path(const void *dts, const char *label)
{
	return dts_label_path(dts, label);
}

void source_print_files(const struct target *t, FILE *f)
{
	bool dry = t->dry_run || t->source.patch;
	struct dts_output o;

	for (size_t i = 1; !dts_output(t->dts, i, &o); i++) {
		if (o.changed)
			fprintf(f, "%s: %s for it\n", o.path,
				dry ? "would change" : "changed");
	}
}
