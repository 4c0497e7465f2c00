// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Device-tree source: open it, edit the coefficients, hand out the texts.
 */
#include <errno.h>
#include <stdlib.h>

#include <libfdt.h>

#include "fdtedit/dts.h"
#include "fdtedit/dts_set.h"

int dts_read(const char *path, const char *const *include_dirs, size_t dir_count,
	     struct dts **out, struct err *err)
{
	struct dts *d = calloc(1, sizeof(*d));
	int ret;

	*out = NULL;
	if (!d)
		return err_set(err, -ENOMEM, "out of memory");
	d->include_dirs = include_dirs;
	d->dir_count = dir_count;
	ret = dts_set_read(d, path, err);
	if (ret)
		dts_free(d);
	else
		*out = d;
	return ret;
}

int dts_open(const char *path, const char *const *include_dirs, size_t dir_count,
	     bool all_files, struct dts **out, struct err *err)
{
	int ret = dts_read(path, include_dirs, dir_count, out, err);

	if (!ret)
		ret = dts_find_cpus(*out, all_files, err);
	if (ret) {
		dts_free(*out);
		*out = NULL;
	}
	return ret;
}

const struct edit_cpu *dts_cpus(const struct dts *d, size_t *count)
{
	*count = d->cpu_count;
	return d->cpus;
}

int dts_output(const struct dts *d, size_t i, struct dts_output *out)
{
	const struct dts_file *f;

	if (i >= d->file_count)
		return -ENOENT;
	f = d->files[i];
	*out = (struct dts_output){ .path = f->path,
				    .old_text = f->text.data,
				    .old_len = f->text.len,
				    .new_text = f->text.data,
				    .new_len = f->text.len,
				    .changed = f->changed };
	if (f->changed) {
		out->new_text = f->new_text.data;
		out->new_len = f->new_text.len;
	}
	return 0;
}

const char *dts_place(const struct dts *d, size_t i, unsigned int *line)
{
	const struct dts_site *s = &d->sites[i];
	const struct dts_def *def = &d->defs[s->def];

	*line = dts_item_of(d, def->inst, s->prop >= 0 ? s->prop : def->item)->line;
	return d->files[d->insts[def->inst].file]->path;
}

/* Say which other file would have to change, before anything is done. */
static int check_files(const struct dts *d, const struct edits *edits,
		       const struct dts_opts *opts, struct err *err)
{
	for (unsigned int i = 0; i < edits->count && !opts->all_files; i++) {
		size_t cpu = edits->list[i].cpu;
		unsigned int line;
		const char *path;

		if (!d->insts[d->defs[d->sites[cpu].def].inst].file)
			continue;
		path = dts_place(d, cpu, &line);
		return err_set(
			err, -EPERM,
			"the CPU node '%s' of '%s' is in '%s' (line %u): edit that "
			"file, or give --all-files",
			edits->list[i].path, d->files[0]->path, path, line);
	}
	return 0;
}

int dts_apply(struct dts *d, const struct edits *edits, const struct dts_opts *opts,
	      struct err *err)
{
	int ret = check_files(d, edits, opts, err);

	for (unsigned int i = 0; i < edits->count && !ret; i++) {
		const struct edit *e = &edits->list[i];
		fdt32_t cell = cpu_to_fdt32(e->value);

		ret = dts_edit_set(d, &d->sites[e->cpu],
				   &(struct dts_want){ e->path, e->property, TYPED_U32,
						       &cell, sizeof(cell) },
				   opts->force, err);
	}
	return ret ? ret : dts_edit_rewrite(d, err);
}
