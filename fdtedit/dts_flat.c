// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The source as one text for cpp, before or after the edit: the text of included files
 * stands in place of the include, so that nothing of it has to be on disk, and no file of
 * that name in the present folder gets in between.
 */
#include <errno.h>
#include <string.h>

#include "fdtedit/dts_set.h"

#define MAX_FLAT (64u << 20)

struct flat {
	const struct dts *d;
	bool new;
	struct buf *out;
	struct err *err;
};

static int no_memory(struct flat *f)
{
	return err_set(f->err, -ENOMEM, "out of memory");
}

static bool has_mark(const struct dts_tree *t)
{
	return t->tokens.count && t->tokens.list[0].kind == DTS_BOM;
}

/*
 * What /include/ names is dtc's to read, and cpp never sees it. Not so when this reading
 * of a file changes, or has a byte order mark, which dtc does not take; or one of a file
 * that it includes.
 */
static bool not_for_dtc(const struct dts *d, int inst)
{
	const struct dts_file *file = d->files[d->insts[inst].file];

	if (file->changed || has_mark(&file->tree))
		return true;
	for (size_t i = inst + 1; i < d->inst_count; i++) {
		if (d->insts[i].parent == inst && not_for_dtc(d, i))
			return true;
	}
	return false;
}

static int included(const struct dts *d, int inst, int item)
{
	for (size_t i = inst + 1; i < d->inst_count; i++) {
		if (d->insts[i].parent == inst && d->insts[i].item == item)
			return i;
	}
	return -1;
}

/* Between quotes, in a text that knows no escapes. */
static bool quotable(const char *path)
{
	return !strpbrk(path, "\"\\\n");
}

/* A line for cpp that says where the next one comes from; without its newline. */
static int add_marker(struct flat *f, uint32_t line, const char *path)
{
	return quotable(path) ? buf_addf(f->out, "#line %u \"%s\"", line, path) : 0;
}

static int add_text(struct flat *f, int inst);

/* @directive: the newline after "#include" is not part of it. */
static int add_child(struct flat *f, int inst, int child, uint32_t line, bool directive)
{
	const struct dts *d = f->d;
	int ret;

	if (buf_adds(f->out, "\n") ||
	    add_marker(f, 1, d->files[d->insts[child].file]->path) ||
	    buf_adds(f->out, "\n"))
		return no_memory(f);
	ret = add_text(f, child);
	if (ret)
		return ret;
	if (buf_adds(f->out, "\n") ||
	    add_marker(f, line + directive, d->files[d->insts[inst].file]->path) ||
	    (!directive && buf_adds(f->out, "\n")))
		return no_memory(f);
	return 0;
}

/* @it: as @t has it; @item: the same include in the text as it was. */
static int add_include(struct flat *f, int inst, int item, const struct dts_tree *t,
		       const struct dts_item *it)
{
	const struct dts_token *first = &t->tokens.list[it->first];
	uint32_t start = first->start, end = t->tokens.list[it->last].end;
	bool directive = first->kind == DTS_DIRECTIVE;
	int child = included(f->d, inst, item);
	char path[PATH_MAX];

	if (child >= 0 && (directive || not_for_dtc(f->d, child)))
		return add_child(f, inst, child, it->line, directive);
	/* Relative to this file means nothing in a text that comes through a pipe. */
	if (!it->angled && !dts_find_include(f->d, inst, t, it, path) && quotable(path)) {
		if (buf_add(f->out, t->text + start, it->name.start - start) ||
		    buf_adds(f->out, path))
			return no_memory(f);
		start = it->name.end;
	}
	return buf_add(f->out, t->text + start, end - start) ? no_memory(f) : 0;
}

static int next_include(const struct dts_tree *t, int item)
{
	do
		item++;
	while ((size_t)item < t->item_count && t->items[item].kind != DTS_INCLUDE);
	return item;
}

/* Edits add and take no include: both texts have the same ones in the same order. */
static int add_tree(struct flat *f, int inst, const struct dts_tree *t)
{
	const struct dts_tree *old = dts_tree_of(f->d, inst);
	int item = next_include(old, -1), ret = 0;
	uint32_t pos = 0;

	if (has_mark(t))
		pos = t->tokens.list[0].end;
	for (int i = next_include(t, -1); (size_t)i < t->item_count && !ret;
	     i = next_include(t, i), item = next_include(old, item)) {
		const struct dts_item *it = &t->items[i];

		if (buf_add(f->out, t->text + pos, t->tokens.list[it->first].start - pos))
			return no_memory(f);
		ret = add_include(f, inst, item, t, it);
		pos = t->tokens.list[it->last].end;
	}
	if (!ret && buf_add(f->out, t->text + pos, t->len - pos))
		ret = no_memory(f);
	return ret;
}

static int add_text(struct flat *f, int inst)
{
	const struct dts_file *file = f->d->files[f->d->insts[inst].file];
	struct dts_tree tree;
	int ret;

	if (f->out->len > MAX_FLAT)
		return err_set(f->err, -EFBIG, "more than %u MiB with all includes",
			       MAX_FLAT >> 20);
	if (!f->new || !file->changed)
		return add_tree(f, inst, &file->tree);
	ret = dts_parse(file->new_text.data, file->new_text.len, file->path, &tree,
			f->err);
	if (!ret)
		ret = add_tree(f, inst, &tree);
	dts_tree_free(&tree);
	return ret;
}

int dts_flatten(const struct dts *d, bool new, struct buf *out, struct err *err)
{
	struct flat f = { .d = d, .new = new, .out = out, .err = err };

	if (add_marker(&f, 1, d->files[0]->path) || buf_adds(out, "\n"))
		return no_memory(&f);
	return add_text(&f, 0);
}
