// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Edits of source text: each is a change of a few bytes, the rest is copied.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/dts.h"
#include "fdtedit/dts_set.h"
#include "fdtedit/grow.h"

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

static const struct dts_token *tok(const struct dts_tree *t, size_t i)
{
	return &t->tokens.list[i];
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The same bytes twice: a file included twice. At one place several properties may be put
 * in. */
int dts_edit_add(struct dts *d, const struct dts_edit *new, const struct buf *text,
		 const char *property, struct err *err)
{
	struct dts_edit *e;

	for (size_t i = 0; i < d->edit_count; i++) {
		const struct dts_edit *old = &d->edits[i];

		if (old->file != new->file || old->start != new->start ||
		    old->end != new->end || !same_text(old->property, property))
			continue;
		if (!same_text(old->text, text->data ? text->data : ""))
			return err_set(err, -EINVAL,
				       "'%s' is included for nodes that need different "
				       "values; give them text of their own",
				       d->files[new->file]->path);
		return 0;
	}
	if (grow(&d->edits, &d->edit_cap, d->edit_count, sizeof(*e)))
		return no_memory(err);
	e = &d->edits[d->edit_count];
	*e = *new;
	e->text = strdup(text->data ? text->data : "");
	e->property = property ? strdup(property) : NULL;
	if (!e->text || (property && !e->property)) {
		free(e->text);
		free(e->property);
		return no_memory(err);
	}
	d->edit_count++;
	return 0;
}

uint32_t dts_line_start(const struct dts_tree *t, uint32_t pos)
{
	while (pos > 0 && t->text[pos - 1] != '\n')
		pos--;
	return pos;
}

struct dts_span dts_indent(const struct dts_tree *t, uint32_t pos)
{
	uint32_t start = dts_line_start(t, pos), end = start;

	if (!start && t->len >= 3 && !memcmp(t->text, "\xef\xbb\xbf", 3))
		start = end = 3;
	while (end < pos && (t->text[end] == ' ' || t->text[end] == '\t'))
		end++;
	return (struct dts_span){ start, end };
}

uint32_t dts_next_line(const struct dts_tree *t, size_t i)
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

/* A node whose braces stand in different branches of an "#if", or one around it. */
int dts_check_whole(const struct dts *d, int inst, int item, struct err *err)
{
	const struct dts_file *f = d->files[d->insts[inst].file];

	for (int i = item; i >= 0; i = f->tree.items[i].parent) {
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

/* Does nothing but labels stand before the name? */
static bool starts_plain(const struct dts_tree *t, const struct dts_item *it)
{
	for (size_t i = it->first; tok(t, i)->start < it->name.start; i++) {
		const struct dts_token *k = tok(t, i);

		if (dts_is_trivia(k) || dts_is_punct(t, i, ':') ||
		    dts_span_is(t, (struct dts_span){ k->start, k->end },
				"/omit-if-no-ref/"))
			continue;
		if (k->kind != DTS_WORD ||
		    !dts_is_punct(t, dts_next(t, i + 1, it->last), ':'))
			return false;
	}
	return true;
}

static bool is_blank_line(const struct dts_tree *t, uint32_t start)
{
	while (start < t->len && t->text[start] != '\n') {
		if (!strchr(" \t\r", t->text[start++]))
			return false;
	}
	return start < t->len;
}

/* Of two blank lines around lines [start, end), or one beside a brace, take one as well.
 */
static void take_blank_line(const struct dts_tree *t, uint32_t *start, uint32_t *end)
{
	uint32_t before = *start ? dts_line_start(t, *start - 1) : 0, next = *end;
	uint32_t last = *start;

	while (next < t->len && (t->text[next] == ' ' || t->text[next] == '\t'))
		next++;
	while (last > before && strchr(" \t\r\n", t->text[last - 1]))
		last--;
	if (*start && is_blank_line(t, before) &&
	    (next == t->len || t->text[next] == '}' || is_blank_line(t, *end)))
		*start = before;
	else if (last > before && t->text[last - 1] == '{' && is_blank_line(t, *end))
		*end = (const char *)memchr(t->text + *end, '\n', t->len - *end) + 1 -
		       t->text;
}

/* What goes with a statement that ends at token @last: its line when it has it alone. */
static void widen(const struct dts_tree *t, size_t last, uint32_t *start, uint32_t *end)
{
	struct dts_span indent = dts_indent(t, *start);
	uint32_t next = dts_next_line(t, last);

	if (indent.end != *start) {
		while (*start > indent.start && strchr(" \t", t->text[*start - 1]))
			--*start;
	} else if (next) {
		*start = indent.start;
		*end = next;
		take_blank_line(t, start, end);
	} else {
		while (*end < t->len && strchr(" \t", t->text[*end]))
			++*end;
	}
}

/* Would what follows token @i on its line be a directive once it is the first there? */
static bool frees_directive(const struct dts_tree *t, size_t i)
{
	for (i++; i < t->tokens.count; i++) {
		const struct dts_token *k = tok(t, i);
		const char *text = t->text + k->start;

		if (k->kind == DTS_BLANK && memchr(text, '\n', k->end - k->start))
			return false;
		if (!dts_is_trivia(k))
			return dts_is_directive(text, t->len - k->start);
	}
	return false;
}

int dts_edit_remove(struct dts *d, int inst, int item, struct err *err)
{
	struct dts_edit e = { .file = d->insts[inst].file };
	const struct dts_tree *t = &d->files[e.file]->tree;
	const struct dts_item *it = &t->items[item];
	size_t last = it->last, more = dts_next(t, last + 1, t->tokens.count);
	int ret = dts_check_whole(d, inst, item, err);

	if (ret)
		return ret;
	if (it->kind == DTS_NODE && dts_is_punct(t, more, ';'))
		last = more;
	if (!starts_plain(t, it) || frees_directive(t, last))
		return err_set(err, -EINVAL,
			       "%s:%u: what stands %s '%.*s' may be part of it: edit it "
			       "by hand",
			       d->files[e.file]->path, it->line,
			       starts_plain(t, it) ? "behind" : "before",
			       (int)(it->name.end - it->name.start),
			       t->text + it->name.start);
	e.start = tok(t, it->first)->start;
	e.end = tok(t, last)->end;
	widen(t, last, &e.start, &e.end);
	return dts_edit_add(d, &e, &(struct buf){ 0 }, NULL, err);
}

/* By place; at one place as they were added. */
static int by_place(const void *a, const void *b)
{
	const struct dts_edit *x = *(const struct dts_edit *const *)a;
	const struct dts_edit *y = *(const struct dts_edit *const *)b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x > y) - (x < y);
}

static int rewrite(struct dts_file *f, const struct dts_edit *const *list, size_t count,
		   struct err *err)
{
	uint32_t pos = 0;
	int ret = 0;

	f->new_text.len = 0;
	for (size_t i = 0; i < count && !ret; i++) {
		const struct dts_edit *e = list[i];

		/* Only lines that go may overlap. */
		if (e->start < pos && e->text[0])
			return err_set(
				err, -EINVAL,
				"'%s': two edits of one place: make them one after "
				"the other",
				f->path);
		if (e->start > pos)
			ret = buf_add(&f->new_text, f->text.data + pos, e->start - pos);
		if (!ret)
			ret = buf_adds(&f->new_text, e->text);
		pos = e->end > pos ? e->end : pos;
	}
	if (!ret)
		ret = buf_add(&f->new_text, f->text.data + pos, f->text.len - pos);
	f->changed = !ret && count > 0;
	return ret ? no_memory(err) : 0;
}

int dts_edit_rewrite(struct dts *d, struct err *err)
{
	const struct dts_edit **list = calloc(d->edit_count + 1, sizeof(*list));
	size_t first = 0;
	int ret = 0;

	if (!list)
		return no_memory(err);
	for (size_t i = 0; i < d->edit_count; i++)
		list[i] = &d->edits[i];
	qsort(list, d->edit_count, sizeof(*list), by_place);
	for (size_t i = 0; i < d->edit_count && !ret; i++) {
		if (i + 1 < d->edit_count && list[i + 1]->file == list[i]->file)
			continue;
		ret = rewrite(d->files[list[i]->file], &list[first], i + 1 - first, err);
		first = i + 1;
	}
	free(list);
	return ret;
}
