// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Edits device-tree source: each edit is a change of a few bytes, the rest is copied.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/dts.h"
#include "fdtedit/dts_set.h"

#define ANCHOR "capacity-dmips-mhz"

/* Replace bytes [start, end) of a file. */
struct change {
	size_t file;
	uint32_t start, end;
	char text[256];
};

struct changes {
	struct change list[EDITS_MAX];
	size_t count;
};

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
	     struct dts **out, struct err *err)
{
	int ret = dts_read(path, include_dirs, dir_count, out, err);

	if (!ret)
		ret = dts_find_cpus(*out, err);
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

static const struct dts_token *tok(const struct dts_tree *t, size_t i)
{
	return &t->tokens.list[i];
}

/* One for the same bytes with the same text may be there: a file included twice. */
static int add_change(struct changes *c, const struct dts *d, const struct change *new,
		      struct err *err)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct change *old = &c->list[i];

		if (old->file != new->file || old->start != new->start ||
		    old->end != new->end)
			continue;
		if (!strcmp(old->text, new->text))
			return 0;
		return err_set(
			err, -EINVAL,
			"'%s' is included for CPUs that need different values; give "
			"them nodes of their own",
			d->files[new->file]->path);
	}
	c->list[c->count++] = *new;
	return 0;
}

#define MAX_ZEROS 32 /* a number with more digits loses its leading zeros */

/* Decimal stays decimal, hexadecimal stays what it was: prefix, case, leading zeros. */
static void format_number(const struct dts_number *old, const char *text, uint32_t value,
			  char *out, size_t size)
{
	bool padded = old->digits > 1 && old->digits <= MAX_ZEROS && text[2] == '0';
	int width = padded ? (int)old->digits : 1;
	int n;

	if (old->base == 16 && old->upper)
		n = snprintf(out, size, "%.2s%0*" PRIX32, text, width, value);
	else if (old->base == 16)
		n = snprintf(out, size, "%.2s%0*" PRIx32, text, width, value);
	else
		n = snprintf(out, size, "%" PRIu32, value);
	snprintf(out + n, size - n, "%.*s", (int)old->suffix_len, old->suffix);
}

/* Put "<value>" in the place of whatever stands there. */
static void force_value(const struct dts_tree *t, const struct dts_item *p,
			uint32_t value, struct change *c)
{
	size_t first = dts_next(t, p->value, p->value_end), last = p->value_end;

	while (last > first && dts_is_trivia(tok(t, last - 1)))
		last--;
	if (first < last) {
		c->start = tok(t, first)->start;
		c->end = tok(t, last - 1)->end;
		snprintf(c->text, sizeof(c->text), "<%" PRIu32 ">", value);
	} else {
		c->start = c->end = p->name.end;
		snprintf(c->text, sizeof(c->text), " = <%" PRIu32 ">", value);
	}
}

static int replace(const struct dts *d, const struct dts_site *site,
		   const struct edit *edit, const struct dts_opts *opts, struct change *c,
		   struct err *err)
{
	const struct dts_tree *t = &d->files[c->file]->tree;
	const struct dts_item *p = &t->items[site->prop];
	struct dts_number old;
	size_t token;

	if (!dts_plain_value(t, p, &old, &token)) {
		c->start = tok(t, token)->start;
		c->end = tok(t, token)->end;
		format_number(&old, t->text + c->start, edit->value, c->text,
			      sizeof(c->text));
		return 0;
	}
	if (p->split)
		return err_set(
			err, -EINVAL,
			"%s:%u: the value of %s in '%s' stands half in an #if: edit "
			"it by hand",
			d->files[c->file]->path, p->line, edit->property, edit->path);
	if (!opts->force)
		return err_set(err, -EINVAL,
			       "%s:%u: %s of '%s' is '%s', not a plain number; --force "
			       "replaces it by <%" PRIu32 ">",
			       d->files[c->file]->path, p->line, edit->property,
			       edit->path, dts_odd_value(d, edit->cpu), edit->value);
	force_value(t, p, edit->value, c);
	return 0;
}

/*
 * The statement after which a new property goes: ANCHOR, else the last property before
 * the first subnode. Only those outside of an "#if" in the node; NULL: there is none.
 */
static const struct dts_item *find_anchor(const struct dts_tree *t, int node)
{
	const struct dts_item *last = NULL;

	for (size_t i = node + 1; i < t->item_count; i++) {
		const struct dts_item *it = &t->items[i];

		if (it->first > t->items[node].last)
			break;
		if (it->parent != node)
			continue;
		/* dtc wants properties before both. */
		if (it->kind == DTS_NODE || it->kind == DTS_DEL_NODE)
			break;
		if (it->kind != DTS_PROP && it->kind != DTS_DEL_PROP)
			continue;
		if (it->region != t->items[node].region || it->split ||
		    !dts_is_punct(t, it->last, ';'))
			continue;
		last = it;
		if (it->kind == DTS_PROP && dts_span_is(t, it->name, ANCHOR))
			break;
	}
	return last;
}

static uint32_t line_start(const struct dts_tree *t, uint32_t pos)
{
	while (pos > 0 && t->text[pos - 1] != '\n')
		pos--;
	return pos;
}

/* The blanks that the line of @pos starts with. */
static struct dts_span indent_of(const struct dts_tree *t, uint32_t pos)
{
	uint32_t start = line_start(t, pos), end = start;

	if (!start && t->len >= 3 && !memcmp(t->text, "\xef\xbb\xbf", 3))
		start = end = 3;
	while (end < pos && (t->text[end] == ' ' || t->text[end] == '\t'))
		end++;
	return (struct dts_span){ start, end };
}

/* One more level than the node's own line has: the step from its parent, else a tab. */
static void inner_indent(const struct dts_tree *t, int node, char *out, size_t size)
{
	struct dts_span own = indent_of(t, tok(t, t->items[node].open)->start);
	uint32_t len = own.end - own.start, outer = 0;
	int parent = t->items[node].parent;

	if (parent >= 0) {
		struct dts_span p = indent_of(t, tok(t, t->items[parent].open)->start);

		outer = p.end - p.start;
	}
	snprintf(out, size, "%.*s%.*s", (int)len, t->text + own.start,
		 outer < len ? (int)(len - outer) : 1,
		 outer < len ? t->text + own.start + outer : "\t");
}

/*
 * Where the line of token @i goes on with nothing but comments: past its newline. 0 when
 * something else stands there, so that the new text has to stay on the line.
 */
static uint32_t next_line(const struct dts_tree *t, size_t i)
{
	for (i++; i < t->tokens.count; i++) {
		const struct dts_token *k = tok(t, i);
		const char *nl = memchr(t->text + k->start, '\n', k->end - k->start);

		if (k->kind == DTS_BLANK && nl)
			return nl + 1 - t->text;
		if (k->kind == DTS_SPLICE)
			return k->end;
		if (k->kind != DTS_BLANK && k->kind != DTS_COMMENT)
			return 0;
	}
	return 0;
}

/* Put a new property into the node. */
static void insert(const struct dts *d, const struct dts_def *def,
		   const struct edit *edit, struct change *c)
{
	const struct dts_tree *t = &d->files[c->file]->tree;
	const struct dts_item *anchor = find_anchor(t, def->item);
	size_t after = anchor ? anchor->last : t->items[def->item].open;
	uint32_t line = next_line(t, after);
	const char *eol = "\n";
	char indent[128];

	if (!line) {
		c->start = c->end = tok(t, after)->end;
		snprintf(c->text, sizeof(c->text), " %s = <%" PRIu32 ">;", edit->property,
			 edit->value);
		return;
	}
	if (anchor) {
		struct dts_span s = indent_of(t, tok(t, anchor->first)->start);

		snprintf(indent, sizeof(indent), "%.*s", (int)(s.end - s.start),
			 t->text + s.start);
	} else {
		inner_indent(t, def->item, indent, sizeof(indent));
	}
	if (line >= 2 && t->text[line - 2] == '\r')
		eol = "\r\n";
	c->start = c->end = line;
	snprintf(c->text, sizeof(c->text), "%s%s = <%" PRIu32 ">;%s", indent,
		 edit->property, edit->value, eol);
}

/* A node whose braces stand in different branches of an "#if", or one around it. */
static int check_whole(const struct dts *d, const struct dts_def *def, struct err *err)
{
	const struct dts_file *f = d->files[d->insts[def->inst].file];

	for (int i = def->item; i >= 0; i = f->tree.items[i].parent) {
		const struct dts_item *it = &f->tree.items[i];

		if (it->split)
			return err_set(
				err, -EINVAL,
				"%s:%u: node '%.*s' stands half in an #if: edit it by "
				"hand",
				f->path, it->line, (int)(it->name.end - it->name.start),
				f->tree.text + it->name.start);
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

static bool node_says(const struct dts *d, const char *path, const char *word, size_t len)
{
	for (size_t i = 0; i < d->def_count; i++) {
		const struct dts_def *def = &d->defs[i];
		const struct dts_tree *t = dts_tree_of(d, def->inst);

		if (def->item < 0 || !def->path || strcmp(def->path, path))
			continue;
		for (size_t k = t->items[def->item].open; k < t->items[def->item].last;
		     k++) {
			if (tok(t, k)->kind == DTS_WORD &&
			    tok(t, k)->end - tok(t, k)->start == len &&
			    !memcmp(t->text + tok(t, k)->start, word, len))
				return true;
		}
	}
	return false;
}

/* A macro in the node may hold the property already; dtc takes no second one. */
static int check_macros(const struct dts *d, const struct edit *edit, struct err *err)
{
	struct dts_span name;

	for (size_t i = 0; i < d->file_count; i++) {
		const struct dts_tree *t = &d->files[i]->tree;

		for (size_t k = 0; dts_macro(t, edit->property, &k, &name); k++) {
			const char *word = t->text + name.start;
			int len = name.end - name.start;

			if (!node_says(d, edit->path, word, len))
				continue;
			return err_set(
				err, -EINVAL,
				"%s:%u: the macro %.*s holds %s, and '%s' uses it: "
				"edit it by hand, or --force adds a line to the "
				"node",
				d->files[i]->path, tok(t, k)->line, len, word,
				edit->property, edit->path);
		}
	}
	return 0;
}

static int plan_change(const struct dts *d, const struct edit *edit,
		       const struct dts_opts *opts, struct changes *changes,
		       struct err *err)
{
	const struct dts_site *site = &d->sites[edit->cpu];
	const struct dts_def *def = &d->defs[site->def];
	struct change c = { .file = d->insts[def->inst].file };
	int ret = check_whole(d, def, err);

	if (!ret && site->prop < 0 && !opts->force)
		ret = check_macros(d, edit, err);
	if (ret)
		return ret;
	if (site->prop >= 0)
		ret = replace(d, site, edit, opts, &c, err);
	else
		insert(d, def, edit, &c);
	return ret ? ret : add_change(changes, d, &c, err);
}

static int by_place(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static int rewrite(struct dts_file *f, const struct change *list, size_t count)
{
	uint32_t pos = 0;
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++) {
		ret = buf_add(&f->new_text, f->text.data + pos, list[i].start - pos);
		if (!ret)
			ret = buf_adds(&f->new_text, list[i].text);
		pos = list[i].end;
	}
	if (!ret)
		ret = buf_add(&f->new_text, f->text.data + pos, f->text.len - pos);
	f->changed = !ret && count > 0;
	return ret;
}

int dts_apply(struct dts *d, const struct edits *edits, const struct dts_opts *opts,
	      struct err *err)
{
	struct changes *c = calloc(1, sizeof(*c));
	int ret = c ? check_files(d, edits, opts, err) : -ENOMEM;
	size_t first = 0;

	for (unsigned int i = 0; i < edits->count && !ret; i++)
		ret = plan_change(d, &edits->list[i], opts, c, err);
	if (!ret)
		qsort(c->list, c->count, sizeof(c->list[0]), by_place);
	for (size_t i = 0; c && i < c->count && !ret; i++) {
		if (i + 1 < c->count && c->list[i + 1].file == c->list[i].file)
			continue;
		if (rewrite(d->files[c->list[i].file], &c->list[first], i + 1 - first))
			ret = err_set(err, -ENOMEM, "out of memory");
		first = i + 1;
	}
	if (!c)
		err_set(err, -ENOMEM, "out of memory");
	free(c);
	return ret;
}
