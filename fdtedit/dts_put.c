// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A value into source text: in place of the one there, or as a new line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/dts.h"
#include "fdtedit/dts_set.h"

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

static const struct dts_token *tok(const struct dts_tree *t, size_t i)
{
	return &t->tokens.list[i];
}

/* Append what stands in the place of the number at token @i, of @width bytes. */
static int replace_number(const struct dts_tree *t, size_t i,
			  const struct dts_number *old, const unsigned char *bytes,
			  size_t width, struct buf *text)
{
	const struct dts_token *k = tok(t, i);
	uint64_t value = typed_number(bytes, width);

	if (value == old->value)
		return buf_add(text, t->text + k->start, k->end - k->start);
	return dts_format_number(old, t->text + k->start, value, text);
}

/* One number or string at token @i. @at: its place in the new value; moved on. */
static int replace_part(const struct dts_tree *t, size_t i, const struct dts_want *want,
			size_t width, size_t *at, struct buf *text)
{
	const char *bytes = (const char *)want->value + *at;
	size_t left = want->len - *at;
	struct dts_number n;
	int ret;

	if (want->type == TYPED_STRING) {
		width = strnlen(bytes, left) + 1;
		if (tok(t, i)->kind != DTS_STRING || width > left)
			return -EINVAL;
		ret = dts_format_value(TYPED_STRING, bytes, width, false, text);
	} else {
		if (dts_token_number(t, i, i + 1, &n) || width > left)
			return -EINVAL;
		ret = replace_number(t, i, &n, (const unsigned char *)bytes, width, text);
	}
	*at += width;
	return ret;
}

/* The bits of the numbers that follow the keyword at token @i, in bytes; 0: not so. */
static size_t read_bits(const struct dts_tree *t, size_t i, size_t end)
{
	struct dts_number n;

	if (i == end || dts_token_number(t, i, end, &n) || n.value % 8 || n.value < 8 ||
	    n.value > 64)
		return 0;
	return n.value / 8;
}

/*
 * The numbers or strings of a value that has nothing else, each in its place. -EINVAL: it
 * is another kind of value, or has more of them or less.
 */
static int replace_parts(const struct dts_tree *t, const struct dts_item *p,
			 const struct dts_want *want, struct dts_edit *e,
			 struct buf *text)
{
	bool open = want->type == TYPED_STRING, numbers = !open;
	size_t end = p->value_end, width = 4, at = 0;
	int ret = 0;

	for (size_t i = p->value; (i = dts_next(t, i, end)) < end && !ret; i++) {
		const struct dts_token *k = tok(t, i);

		if (numbers && k->kind == DTS_KEYWORD) {
			i = dts_next(t, i + 1, end);
			width = read_bits(t, i, end);
			if (!width)
				return -EINVAL;
			continue;
		}
		if (numbers && dts_is_punct(t, i, open ? '>' : '<')) {
			width = open ? 4 : width;
			open = !open;
			continue;
		}
		if (!(numbers && open) && dts_is_comma(t, i))
			continue;
		if (!open)
			return -EINVAL;
		if (at)
			ret = buf_add(text, t->text + e->end, k->start - e->end);
		else
			e->start = k->start;
		if (!ret)
			ret = replace_part(t, i, want, width, &at, text);
		e->end = k->end;
	}
	return ret || (at && at == want->len) ? ret : -EINVAL;
}

/* Does the first number of the value have hexadecimal digits? */
static bool starts_hex(const struct dts_tree *t, const struct dts_item *p)
{
	struct dts_number n;

	for (size_t i = p->value; i < p->value_end; i++)
		if (dts_is_punct(t, i, '<')) {
			i = dts_next(t, i + 1, p->value_end);
			return i < p->value_end &&
			       !dts_token_number(t, i, p->value_end, &n) && n.base == 16;
		}
	return false;
}

/* Put the value in the place of whatever stands there. */
static int replace_value(const struct dts_tree *t, const struct dts_item *p,
			 const struct dts_want *want, struct dts_edit *e,
			 struct buf *text)
{
	size_t first = dts_next(t, p->value, p->value_end), last = p->value_end;
	int ret = 0;

	while (last > first && dts_is_trivia(tok(t, last - 1)))
		last--;
	e->start = first < last && want->len ? tok(t, first)->start : p->name.end;
	e->end = first < last ? tok(t, last - 1)->end : p->name.end;
	if (first == last && want->len)
		ret = buf_adds(text, " = ");
	if (!ret && want->len)
		ret = dts_format_value(want->type, want->value, want->len,
				       starts_hex(t, p), text);
	return ret;
}

static int refuse_value(const struct dts *d, size_t file, const struct dts_item *p,
			const struct dts_want *want, struct err *err)
{
	char *old = dts_quote_value(&d->files[file]->tree, p);
	struct buf new = { 0 };
	int ret;

	if (!old || dts_format_value(want->type, want->value, want->len, false, &new))
		ret = no_memory(err);
	else
		ret = err_set(err, -EINVAL,
			      "%s:%u: %s of '%s' is '%s', not a plain %s; --force "
			      "replaces it by %.80s",
			      d->files[file]->path, p->line, want->property, want->path,
			      old, typed_width(want->type) ? "number" : "text", new.data);
	free(old);
	buf_free(&new);
	return ret;
}

static int replace(const struct dts *d, const struct dts_site *site,
		   const struct dts_want *want, bool force, struct dts_edit *e,
		   struct buf *text, struct err *err)
{
	const struct dts_tree *t = &d->files[e->file]->tree;
	const struct dts_item *p = &t->items[site->prop];
	int ret;

	if (p->split)
		return err_set(
			err, -EINVAL,
			"%s:%u: the value of %s in '%s' stands half in an #if: edit "
			"it by hand",
			d->files[e->file]->path, p->line, want->property, want->path);
	ret = replace_parts(t, p, want, e, text);
	if (ret == -EINVAL) {
		if (!force && !dts_is_literal(t, p))
			return refuse_value(d, e->file, p, want, err);
		text->len = 0;
		ret = replace_value(t, p, want, e, text);
	}
	return ret ? no_memory(err) : 0;
}

/* Where a new property likes to stand: after the first of these that is there. */
static const char *const neighbours[][3] = {
	{ "dynamic-power-coefficient", "capacity-dmips-mhz" },
	{ "capacity-dmips-mhz", "enable-method", "reg" },
	{ "opp-microwatt", "opp-microvolt", "opp-hz" },
};

#define RANK_ANY 2

/* 0 is the best place. */
static unsigned int rank(const struct dts_tree *t, const struct dts_item *it,
			 const char *property)
{
	for (size_t i = 0; i < sizeof(neighbours) / sizeof(neighbours[0]); i++) {
		if (strcmp(neighbours[i][0], property) || it->kind != DTS_PROP)
			continue;
		for (unsigned int k = 1; k < 3 && neighbours[i][k]; k++)
			if (dts_span_is(t, it->name, neighbours[i][k]))
				return k - 1;
	}
	return RANK_ANY;
}

/* A macro with arguments as a statement: it may make a property or a subnode. */
static bool is_call(const struct dts_tree *t, const struct dts_item *it)
{
	return it->value == it->value_end &&
	       memchr(t->text + it->name.start, '(', it->name.end - it->name.start);
}

/*
 * The statement after which a new property goes: a neighbour, else the last property
 * before the first subnode or what may be one. Only those outside of an "#if" in the
 * node; NULL: there is none.
 */
static const struct dts_item *find_anchor(const struct dts_tree *t, int node,
					  const char *property)
{
	const struct dts_item *best = NULL;
	unsigned int worst = RANK_ANY;

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
		if (is_call(t, it)) {
			worst = RANK_ANY - 1;
		} else if (rank(t, it, property) <= worst) {
			best = it;
			worst = rank(t, it, property);
		}
	}
	return best;
}

/* By its text: a file included twice gives each node two definitions. */
static bool is_same_node(const struct dts *d, size_t a, size_t b)
{
	const struct dts_def *x = &d->defs[a], *y = &d->defs[b];

	return d->insts[x->inst].file == d->insts[y->inst].file && x->item == y->item;
}

/* The best neighbour may be on its way into the node itself: then the same place. */
static const char *anchor_of(const struct dts *d, size_t def, const char *property)
{
	for (size_t i = 0; i < sizeof(neighbours) / sizeof(neighbours[0]); i++) {
		if (strcmp(neighbours[i][0], property))
			continue;
		for (size_t k = 0; k < d->edit_count; k++)
			if (d->edits[k].property &&
			    !strcmp(d->edits[k].property, neighbours[i][1]) &&
			    is_same_node(d, d->edits[k].def, def))
				return neighbours[i][1];
	}
	return property;
}

/* One more level than the node's own line has: the step from its parent, else a tab. */
static void inner_indent(const struct dts_tree *t, int node, char *out, size_t size)
{
	struct dts_span own = dts_indent(t, tok(t, t->items[node].open)->start);
	uint32_t len = own.end - own.start, outer = 0;
	int parent = t->items[node].parent;

	if (parent >= 0) {
		struct dts_span p = dts_indent(t, tok(t, t->items[parent].open)->start);

		outer = p.end - p.start;
	}
	snprintf(out, size, "%.*s%.*s", (int)len, t->text + own.start,
		 outer < len ? (int)(len - outer) : 1,
		 outer < len ? t->text + own.start + outer : "\t");
}

static int add_statement(const struct dts_want *want, struct buf *text)
{
	int ret = buf_adds(text, want->property);

	if (!ret && want->len)
		ret = buf_adds(text, " = ");
	if (!ret && want->len)
		ret = dts_format_value(want->type, want->value, want->len, false, text);
	return ret ? ret : buf_adds(text, ";");
}

/* Put a new property into the node. */
static int insert(const struct dts *d, size_t def, const struct dts_want *want,
		  struct dts_edit *e, struct buf *text)
{
	const struct dts_tree *t = &d->files[e->file]->tree;
	int node = d->defs[def].item, ret;
	const struct dts_item *anchor = find_anchor(t, node,
						    anchor_of(d, def, want->property));
	size_t after = anchor ? anchor->last : t->items[node].open;
	uint32_t line = dts_next_line(t, after);
	const char *eol = "\n";
	char indent[128];

	e->def = def;
	e->start = e->end = line ? line : tok(t, after)->end;
	if (!line) {
		ret = buf_adds(text, " ");
		return ret ? ret : add_statement(want, text);
	}
	if (anchor) {
		struct dts_span s = dts_indent(t, tok(t, anchor->first)->start);

		snprintf(indent, sizeof(indent), "%.*s", (int)(s.end - s.start),
			 t->text + s.start);
	} else {
		inner_indent(t, node, indent, sizeof(indent));
	}
	if (line >= 2 && t->text[line - 2] == '\r')
		eol = "\r\n";
	ret = buf_adds(text, indent);
	if (!ret)
		ret = add_statement(want, text);
	return ret ? ret : buf_adds(text, eol);
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
static int check_macros(const struct dts *d, const struct dts_want *want, struct err *err)
{
	struct dts_span name;

	for (size_t i = 0; i < d->file_count; i++) {
		const struct dts_tree *t = &d->files[i]->tree;

		for (size_t k = 0; dts_macro(t, want->property, &k, &name); k++) {
			const char *word = t->text + name.start;
			int len = name.end - name.start;

			if (!node_says(d, want->path, word, len))
				continue;
			return err_set(
				err, -EINVAL,
				"%s:%u: the macro %.*s holds %s, and '%s' uses it: "
				"edit it by hand, or --force adds a line to the "
				"node",
				d->files[i]->path, tok(t, k)->line, len, word,
				want->property, want->path);
		}
	}
	return 0;
}

static int check_name(const struct dts_want *want, struct err *err)
{
	if (!dts_is_directive(want->property, strlen(want->property)))
		return 0;
	return err_set(err, -EINVAL,
		       "'%s' cannot be written in source: cpp takes it for a directive",
		       want->property);
}

int dts_edit_set(struct dts *d, const struct dts_site *site, const struct dts_want *want,
		 bool force, struct err *err)
{
	const struct dts_def *def = &d->defs[site->def];
	struct dts_edit e = { .file = d->insts[def->inst].file };
	bool new = site->prop == DTS_NO_PROP;
	struct buf text = { 0 };
	int ret = dts_check_whole(d, def->inst, def->item, err);

	if (!ret && new)
		ret = check_name(want, err);
	if (!ret && new && !force)
		ret = check_macros(d, want, err);
	if (ret)
		return ret;
	if (!new)
		ret = replace(d, site, want, force, &e, &text, err);
	else if (insert(d, site->def, want, &e, &text))
		ret = no_memory(err);
	if (!ret)
		ret = dts_edit_add(d, &e, &text, new ? want->property : NULL, err);
	buf_free(&text);
	return ret;
}
