// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit apply, for device-tree source: in place, to another file, or as a patch.
 */
#include "fdtedit/apply.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/patch.h"
#include "lib/buf.h"
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

static int write_mail(const struct apply *a, const struct buf *diff, const char *name,
		      const char *path, struct buf *out, struct err *err)
{
	char *copy = strdup(path);
	struct patch_mail mail = { .coeffs = a->coeffs,
				   .edits = &a->edits,
				   .name = name,
				   .command = cmd_line(a->ctx),
				   .version = cmd_version(),
				   .diff = diff->data,
				   .diff_len = diff->len };
	bool known = true;
	int ret;

	if (!copy)
		return err_set(err, -ENOMEM, "out of memory");
	mail.dir = dirname(copy);
	ret = patch_add_mail(out, &mail, &known, err);
	if (!ret && !known)
		cmd_warn(a->ctx,
			 "git knows no author here: set user.name and user.email, "
			 "or edit the From line");
	if (!ret && memmem(diff->data, diff->len, "\r\n", 2))
		cmd_note(a->ctx,
			 "lines end in CR LF: take the patch with 'git am --keep-cr'");
	free(copy);
	return ret;
}

static int make_patch(const struct apply *a, const struct dts_output *list, size_t count,
		      struct buf *out, struct err *err)
{
	bool mail = a->opts->format && !strcmp(a->opts->format, "git-am");
	struct buf diff = { 0 }, first = { 0 };
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++) {
		struct buf name = { 0 };

		ret = patch_name(list[i].path, &name, err);
		if (!ret)
			ret = patch_add_diff(&diff, name.data, list[i].old_text,
					     list[i].old_len, list[i].new_text,
					     list[i].new_len, err);
		if (!i)
			first = name;
		else
			buf_free(&name);
	}
	if (!ret && count && mail)
		ret = write_mail(a, &diff, first.data, list[0].path, out, err);
	else if (!ret && count && buf_add(out, diff.data, diff.len))
		ret = err_set(err, -ENOMEM, "out of memory");
	buf_free(&first);
	buf_free(&diff);
	return ret;
}

static int write_patch(struct apply *a, const struct dts_output *list, size_t count,
		       struct err *err)
{
	const char *path = a->opts->output ? a->opts->output : "-";
	struct buf out = { 0 };
	int ret = make_patch(a, list, count, &out, err);

	if (!strcmp(path, "-"))
		a->talk = stderr;
	/* Printing changes nothing, a file is another matter. */
	if (!ret && !(a->opts->dry_run && a->opts->output))
		ret = outset_add(&a->out, path, out.data, out.len, false, err);
	buf_free(&out);
	return ret;
}

/* -o: one file in, one file out. */
static int write_copy(struct apply *a, const struct dts *d, const struct dts_output *list,
		      size_t count, struct err *err)
{
	struct dts_output o;

	dts_output(d, 0, &o);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].path, o.path))
			return err_set(
				err, -EINVAL,
				"-o holds one file, and '%s' would have to change; "
				"give that file, or --patch",
				list[i].path);
	}
	return outset_add(&a->out, a->opts->output, o.new_text, o.new_len, false, err);
}

static int write_in_place(struct apply *a, const struct dts_output *list, size_t count,
			  struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++)
		ret = outset_add(&a->out, list[i].path, list[i].new_text, list[i].new_len,
				 a->opts->backup, err);
	return ret;
}

int apply_not_included(const struct apply *a, const struct dts *d, struct err *err)
{
	struct dts_output o;
	int ret = 0;

	for (size_t i = 1; !ret && !dts_output(d, i, &o); i++)
		ret = outfile_not_input(a->opts->output, o.path, err);
	return ret ? err_wrap(err, ret, "'%s' includes it", a->board) : 0;
}

static int write_result(struct apply *a, const struct dts *d, struct err *err)
{
	struct dts_output *list;
	size_t count = 0;
	int ret = changed_files(d, &list, &count, err);

	if (ret)
		return ret;
	if (a->opts->patch)
		ret = write_patch(a, list, count, err);
	else if (a->opts->dry_run)
		ret = 0;
	else if (a->opts->output)
		ret = write_copy(a, d, list, count, err);
	else
		ret = write_in_place(a, list, count, err);
	free(list);
	return ret;
}

static void print_edits(const struct apply *a, const struct dts *d)
{
	bool dry = a->opts->dry_run || a->opts->patch;
	const char *old[EDITS_MAX];
	struct dts_output o;

	for (unsigned int i = 0; i < a->edits.count; i++)
		old[i] = dts_odd_value(d, a->edits.list[i].cpu);
	apply_print_edits(a, old);
	for (size_t i = 1; !dts_output(d, i, &o); i++) {
		if (o.changed)
			fprintf(a->talk, "%s: %s for it\n", o.path,
				dry ? "would change" : "changed");
	}
}

static char *label_path(const void *d, const char *label)
{
	return dts_label_path(d, label);
}

int apply_source(struct apply *a, struct err *err)
{
	const struct opt_list *dirs = &a->opts->include_dirs;
	const struct edit_cpu *cpus;
	struct dts *d;
	size_t count = 0;
	int ret;

	if (a->opts->capacity || a->opts->opp_power || a->opts->sustainable)
		return err_set(
			err, -EINVAL,
			"'%s' is source, in which only the coefficient is edited; add "
			"--dtsi-fragment, and include what it prints after the board's "
			"source",
			a->board);
	ret = dts_open(a->board, dirs->items, dirs->n, &d, err);

	if (ret)
		return ret;
	cpus = dts_cpus(d, &count);
	for (size_t i = 0; dts_note(d, i); i++)
		cmd_warn(a->ctx, "%s", dts_note(d, i));
	ret = coeffs_resolve_labels(a->coeffs, label_path, d, err);
	if (!ret)
		ret = edits_plan(a->coeffs, cpus, count, a->opts->all_cpus, &a->edits,
				 err);
	for (unsigned int i = 0; i < a->edits.note_count && !ret; i++)
		cmd_warn(a->ctx, "%s", a->edits.notes[i]);
	if (ret)
		ret = err_wrap(err, ret, "'%s'", a->board);
	else
		ret = dts_apply(d, &a->edits,
				&(struct dts_opts){ .all_files = a->opts->all_files,
						    .force = a->opts->force },
				err);
	if (!ret)
		ret = apply_not_included(a, d, err);
	if (!ret)
		ret = apply_compile(a, d, err);
	if (!ret)
		ret = write_result(a, d, err);
	if (!ret) {
		print_edits(a, d);
		ret = outset_commit(&a->out, err);
	}
	dts_free(d);
	return ret;
}
