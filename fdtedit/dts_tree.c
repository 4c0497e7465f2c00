// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the statements of device-tree source in its tokens.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/dts_tree.h"
#include "fdtedit/grow.h"

#define MAX_CONDS 64
#define MAX_DEPTH 256 /* of nodes; paths grow with it */
#define NONE	  SIZE_MAX

/* An "#if" that is open. */
struct cond {
	unsigned int group;
	unsigned int outer; /* region around it */
	int node_before;    /* open node at the "#if" */
	int node_after;	    /* open node where the first branch ended */
	bool branch_done;   /* node_after is set */
	bool alive;	    /* the present branch is not taken out */
	bool any_else;	    /* then no branch is missing */
	uint32_t line;
};

struct parser {
	struct dts_tree *t;
	const char *name;
	struct err *err;
	int node; /* open node, -1: none */
	unsigned int region;
	unsigned int groups;
	struct cond conds[MAX_CONDS];
	unsigned int depth;
	/* The statement that is being read */
	size_t first; /* NONE: between statements */
	size_t eq;    /* its '=', or NONE */
	bool angle;
	unsigned int parens;
	bool split;
};

static const struct dts_token *tok(const struct dts_tree *t, size_t i)
{
	return &t->tokens.list[i];
}

bool dts_is_punct(const struct dts_tree *t, size_t i, char c)
{
	return i < t->tokens.count && tok(t, i)->kind == DTS_PUNCT &&
	       t->text[tok(t, i)->start] == c;
}

bool dts_span_is(const struct dts_tree *t, struct dts_span span, const char *word)
{
	size_t n = strlen(word);

	return span.end - span.start == n && !memcmp(t->text + span.start, word, n);
}

size_t dts_next(const struct dts_tree *t, size_t i, size_t end)
{
	while (i < end && dts_is_trivia(tok(t, i)))
		i++;
	return i;
}

static struct dts_span token_span(const struct dts_tree *t, size_t i)
{
	return (struct dts_span){ tok(t, i)->start, tok(t, i)->end };
}

/*
 * The last name of tokens [first, end): words, references and macro calls that touch each
 * other, such as "cpu@CORE(0, 1)". Returns the index of its first token, or NONE.
 */
static size_t last_name(const struct dts_tree *t, size_t first, size_t end,
			struct dts_span *span)
{
	size_t i = end, start = NONE;
	unsigned int depth = 0;

	while (i > first && dts_is_trivia(tok(t, i - 1)))
		i--;
	if (i == first)
		return NONE;
	span->end = tok(t, i - 1)->end;
	while (i > first) {
		const struct dts_token *k = tok(t, i - 1);

		if (dts_is_punct(t, i - 1, ')'))
			depth++;
		else if (!depth && (dts_is_trivia(k) || k->kind == DTS_KEYWORD ||
				    dts_is_punct(t, i - 1, ':')))
			break;
		else if (dts_is_punct(t, i - 1, '(') && depth)
			depth--;
		start = --i;
	}
	if (start != NONE)
		span->start = tok(t, start)->start;
	return start;
}

int dts_label(const struct dts_tree *t, const struct dts_item *node, unsigned int n,
	      struct dts_span *label)
{
	for (size_t i = node->first; i < node->open; i++) {
		if (tok(t, i)->start >= node->name.start)
			break;
		if (!dts_is_punct(t, i, ':') || n--)
			continue;
		if (last_name(t, node->first, i, label) == NONE)
			return -ENOENT;
		return 0;
	}
	return -ENOENT;
}

static int fail_at(struct parser *p, uint32_t line, const char *what)
{
	return err_set(p->err, -EINVAL, "%s:%u: %s", p->name, line, what);
}

static struct dts_item *add_item(struct parser *p, enum dts_item_kind kind, size_t first)
{
	struct dts_tree *t = p->t;
	struct dts_item *item;

	if (grow(&t->items, &t->item_cap, t->item_count, sizeof(*item))) {
		err_set(p->err, -ENOMEM, "'%s': out of memory", p->name);
		return NULL;
	}
	item = &t->items[t->item_count++];
	*item = (struct dts_item){ .kind = kind,
				   .parent = p->node,
				   .line = tok(t, first)->line,
				   .region = p->region,
				   .first = first,
				   .last = first,
				   .name = token_span(t, first),
				   .split = p->split };
	return item;
}

static void end_statement(struct parser *p)
{
	p->first = NONE;
	p->eq = NONE;
	p->angle = false;
	p->parens = 0;
	p->split = false;
}

/* The deletion in [first, end) when there is one; macros may stand before it. */
static size_t find_deletion(const struct parser *p, size_t first, size_t end,
			    enum dts_item_kind *kind)
{
	for (size_t i = first; i < end; i++) {
		if (tok(p->t, i)->kind != DTS_KEYWORD)
			continue;
		if (dts_span_is(p->t, token_span(p->t, i), "/delete-property/"))
			*kind = DTS_DEL_PROP;
		else if (dts_span_is(p->t, token_span(p->t, i), "/delete-node/"))
			*kind = DTS_DEL_NODE;
		else
			continue;
		return i;
	}
	return NONE;
}

/* Token @i ends the statement or its name: no bracket may be open. */
static int check_brackets(struct parser *p, size_t i)
{
	if (p->split || (!p->parens && !p->angle))
		return 0;
	return fail_at(p, tok(p->t, i)->line,
		       p->parens ? "a '(' before this is never closed"
				 : "a '<' before this is never closed");
}

/* The statement ends before token @end, which is its ';' or the '}' of its node. */
static int finish_statement(struct parser *p, size_t end)
{
	const struct dts_tree *t = p->t;
	size_t name_end = p->eq == NONE ? end : p->eq, name;
	enum dts_item_kind kind = DTS_OTHER;
	struct dts_span span;
	struct dts_item *item;

	if (check_brackets(p, end))
		return -EINVAL;
	if (p->eq != NONE && dts_next(t, p->eq + 1, end) == end)
		return fail_at(p, tok(t, p->eq)->line, "'=' without a value after it");
	name = last_name(t, p->first, name_end, &span);
	if (p->eq == NONE && find_deletion(p, p->first, end, &kind) == NONE &&
	    name != NONE && tok(t, name)->kind == DTS_WORD && dts_is_punct(t, end, ';') &&
	    tok(t, p->first)->kind != DTS_KEYWORD)
		kind = DTS_PROP;
	if (p->eq != NONE)
		kind = name == NONE ? DTS_OTHER : DTS_PROP;

	item = add_item(p, kind, p->first);
	if (!item)
		return -ENOMEM;
	item->last = end;
	item->value = item->value_end = end;
	if (p->eq != NONE)
		item->value = p->eq + 1;
	if (name != NONE) {
		item->name = span;
		item->line = tok(t, name)->line;
	}
	end_statement(p);
	return 0;
}

static unsigned int node_depth(const struct dts_tree *t, int node)
{
	unsigned int depth = 0;

	for (; node >= 0; node = t->items[node].parent)
		depth++;
	return depth;
}

static int open_node(struct parser *p, size_t i)
{
	struct dts_tree *t = p->t;
	struct dts_item *item;
	struct dts_span span;
	size_t name;

	if (p->first == NONE)
		return fail_at(p, tok(t, i)->line, "'{' without a node name before it");
	if (p->eq != NONE)
		return fail_at(
			p, tok(t, i)->line,
			"'{' inside a property's value: is a ';' missing before it?");
	if (check_brackets(p, i))
		return -EINVAL;
	name = last_name(t, p->first, i, &span);
	if (name == NONE)
		return fail_at(p, tok(t, i)->line, "'{' without a node name before it");
	if (node_depth(t, p->node) == MAX_DEPTH)
		return err_set(p->err, -ERANGE,
			       "%s:%u: more than %d nodes inside each other", p->name,
			       tok(t, i)->line, MAX_DEPTH);
	item = add_item(p, DTS_NODE, p->first);
	if (!item)
		return -ENOMEM;
	item->name = span;
	item->line = tok(t, name)->line;
	item->open = item->last = i;
	p->node = t->item_count - 1;
	end_statement(p);
	return 0;
}

static int close_node(struct parser *p, size_t i)
{
	struct dts_tree *t = p->t;
	int ret;

	if (p->first != NONE && p->eq != NONE)
		return fail_at(
			p, tok(t, i)->line,
			"'}' inside a property's value: is a ';' missing before it?");
	if (p->first != NONE) {
		ret = finish_statement(p, i);
		if (ret)
			return ret;
	}
	if (p->node < 0)
		return fail_at(p, tok(t, i)->line, "'}' closes nothing");
	t->items[p->node].last = i;
	p->node = t->items[p->node].parent;
	return 0;
}

static int add_include(struct parser *p, size_t first, size_t last, uint32_t start,
		       uint32_t end, bool angled)
{
	struct dts_item *item = add_item(p, DTS_INCLUDE, first);

	if (!item)
		return -ENOMEM;
	item->last = last;
	item->name = (struct dts_span){ start, end };
	item->angled = angled;
	return 0;
}

/* "#include" with a file name that is written out; one made by a macro is left alone. */
static int directive_include(struct parser *p, size_t i)
{
	const struct dts_token *k = tok(p->t, i);
	const char *text = p->t->text;
	uint32_t pos = k->start + 1;
	const char *end;
	char close;

	while (pos < k->end && (text[pos] == ' ' || text[pos] == '\t'))
		pos++;
	if (k->end - pos < 7 || memcmp(text + pos, "include", 7))
		return 0;
	for (pos += 7; pos < k->end && (text[pos] == ' ' || text[pos] == '\t'); pos++)
		;
	if (pos >= k->end || (text[pos] != '"' && text[pos] != '<'))
		return 0;
	close = text[pos] == '<' ? '>' : '"';
	pos++;
	end = memchr(text + pos, close, k->end - pos);
	return end ? add_include(p, i, i, pos, end - text, close == '>') : 0;
}

/* The nodes from @node up to @stop's depth stand half in this branch, half in that. */
static void mark_split(struct dts_tree *t, int a, int b)
{
	/* A child's index is higher than its parent's. */
	while (a != b) {
		int *deeper = a > b ? &a : &b;

		t->items[*deeper].split = true;
		*deeper = t->items[*deeper].parent;
	}
}

/* A branch ends here: all live branches must leave the same number of nodes open. */
static int end_branch(struct parser *p, struct cond *c, uint32_t line)
{
	if (p->node != c->node_before)
		mark_split(p->t, p->node, c->node_before);
	if (!c->branch_done) {
		c->branch_done = true;
		c->node_after = p->node;
		return 0;
	}
	if (node_depth(p->t, p->node) != node_depth(p->t, c->node_after))
		return err_set(p->err, -EINVAL,
			       "%s:%u: the braces before this line do not balance as "
			       "those of the other branch of the #if in line %u do",
			       p->name, line, c->line);
	if (p->node != c->node_after)
		mark_split(p->t, p->node, c->node_after);
	return 0;
}

static int enter_region(struct parser *p, const struct cond *c, uint32_t line)
{
	struct dts_tree *t = p->t;

	if (grow(&t->regions, &t->region_cap, t->region_count, sizeof(*t->regions)))
		return err_set(p->err, -ENOMEM, "'%s': out of memory", p->name);
	t->regions[t->region_count] = (struct dts_region){ c->outer, c->group, line };
	p->region = t->region_count++;
	return 0;
}

static int cond_if(struct parser *p, const struct dts_token *k)
{
	struct cond *c;

	if (p->depth == MAX_CONDS)
		return err_set(p->err, -ERANGE,
			       "%s:%u: more than %d #if inside each other", p->name,
			       k->line, MAX_CONDS);
	c = &p->conds[p->depth++];
	*c = (struct cond){ .group = ++p->groups,
			    .outer = p->region,
			    .node_before = p->node,
			    .alive = !k->dead,
			    .line = k->line };
	return enter_region(p, c, k->line);
}

static int cond_else(struct parser *p, const struct dts_token *k)
{
	struct cond *c;
	int ret;

	if (!p->depth)
		return fail_at(p, k->line, "#else or #elif without #if");
	c = &p->conds[p->depth - 1];
	if (c->alive) {
		ret = end_branch(p, c, k->line);
		if (ret)
			return ret;
	}
	/* After "#if 1" nothing is left for the other branches. */
	c->any_else |= k->dead || k->cond == DTS_COND_ELSE;
	c->alive = !k->dead;
	if (c->alive)
		p->node = c->node_before;
	return enter_region(p, c, k->line);
}

static int cond_endif(struct parser *p, const struct dts_token *k)
{
	struct cond *c;
	int ret = 0;

	if (!p->depth)
		return fail_at(p, k->line, "#endif without #if");
	c = &p->conds[p->depth - 1];
	if (c->alive)
		ret = end_branch(p, c, k->line);
	if (!ret && !c->any_else && c->branch_done && c->node_after != c->node_before) {
		p->node = c->node_before;
		ret = end_branch(p, c, k->line);
	}
	p->depth--;
	p->region = c->outer;
	if (c->branch_done && !c->alive)
		p->node = c->node_after;
	return ret;
}

static int directive(struct parser *p, size_t i)
{
	const struct dts_token *k = tok(p->t, i);

	if (p->first != NONE)
		p->split = true;
	switch (k->cond) {
	case DTS_COND_IF:
		return cond_if(p, k);
	case DTS_COND_ELIF:
	case DTS_COND_ELSE:
		return cond_else(p, k);
	case DTS_COND_ENDIF:
		return cond_endif(p, k);
	default:
		return directive_include(p, i);
	}
}

/* '/include/ "name"', where a ';' may follow or not. Returns its last token, or @i. */
static size_t keyword_include(struct parser *p, size_t i, int *ret)
{
	size_t file = dts_next(p->t, i + 1, p->t->tokens.count);

	if (p->first != NONE || file == p->t->tokens.count ||
	    tok(p->t, file)->kind != DTS_STRING ||
	    !dts_span_is(p->t, token_span(p->t, i), "/include/"))
		return i;
	*ret = add_include(p, i, file, tok(p->t, file)->start + 1,
			   tok(p->t, file)->end - 1, false);
	return file;
}

static int equals(struct parser *p, size_t i)
{
	if (p->angle || p->parens)
		return 0;
	if (p->eq != NONE && !p->split)
		return fail_at(p, tok(p->t, i)->line,
			       "second '=' in one property: is a ';' missing before it?");
	if (p->eq == NONE)
		p->eq = i;
	return 0;
}

static int punct(struct parser *p, size_t i)
{
	char c = p->t->text[tok(p->t, i)->start];

	/* Names are printed: nothing that a terminal obeys gets into one. */
	if (c < ' ' || c > '~')
		return err_set(p->err, -EINVAL,
			       "%s:%u: the byte 0x%02x: this is not device-tree source",
			       p->name, tok(p->t, i)->line, (unsigned char)c);
	switch (c) {
	case '{':
		return open_node(p, i);
	case '}':
		return close_node(p, i);
	case ';':
		return p->first == NONE ? 0 : finish_statement(p, i);
	case '=':
		return equals(p, i);
	case '(':
		p->parens++;
		break;
	case ')':
		if (!p->parens && !p->split)
			return fail_at(p, tok(p->t, i)->line, "')' closes nothing");
		p->parens -= p->parens > 0;
		break;
	case '<':
	case '>': /* else a shift or a comparison */
		if (!p->parens && p->eq != NONE)
			p->angle = c == '<';
		break;
	}
	return 0;
}

static int bad_token(struct parser *p, const struct dts_token *k)
{
	return fail_at(p, k->line,
		       p->t->text[k->start] == '"' ? "this string never ends"
						   : "this comment never ends");
}

/* One token; returns the index of the last token it took, in @i. */
static int step(struct parser *p, size_t *i)
{
	const struct dts_token *k = tok(p->t, *i);
	int ret = 0;

	if (k->kind == DTS_DIRECTIVE)
		return directive(p, *i);
	if (k->kind == DTS_BAD)
		return bad_token(p, k);
	if (dts_is_trivia(k))
		return 0;
	if (k->kind == DTS_KEYWORD) {
		size_t last = keyword_include(p, *i, &ret);

		if (last != *i) {
			*i = last;
			return ret;
		}
	}
	if (p->first == NONE && !dts_is_punct(p->t, *i, ';') &&
	    !dts_is_punct(p->t, *i, '}') && !dts_is_punct(p->t, *i, '{'))
		p->first = *i;
	return k->kind == DTS_PUNCT ? punct(p, *i) : 0;
}

static int at_end(struct parser *p)
{
	const struct dts_tree *t = p->t;

	if (p->depth)
		return fail_at(p, p->conds[p->depth - 1].line, "this #if has no #endif");
	if (p->node >= 0)
		return err_set(
			p->err, -EINVAL, "%s:%u: the '{' of node '%.*s' is never closed",
			p->name, t->items[p->node].line,
			(int)(t->items[p->node].name.end - t->items[p->node].name.start),
			t->text + t->items[p->node].name.start);
	if (p->first != NONE && p->eq != NONE)
		return fail_at(p, tok(t, p->first)->line,
			       "the file ends inside this property");
	return 0;
}

int dts_parse(const char *text, size_t len, const char *name, struct dts_tree *tree,
	      struct err *err)
{
	struct parser p = {
		.t = tree, .name = name, .err = err, .node = -1, .first = NONE, .eq = NONE
	};
	int ret;

	*tree = (struct dts_tree){ .text = text, .len = len };
	if (len >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
		return err_set(err, -EINVAL, "'%s' is UTF-16; convert it to UTF-8 first",
			       name);
	ret = dts_lex(text, len, &tree->tokens);
	if (ret)
		return err_set(err, ret, "'%s': out of memory", name);
	ret = enter_region(&p, &(struct cond){ 0 }, 0);
	for (size_t i = 0; !ret && i < tree->tokens.count; i++)
		ret = step(&p, &i);
	return ret ? ret : at_end(&p);
}

void dts_tree_free(struct dts_tree *tree)
{
	dts_tokens_free(&tree->tokens);
	free(tree->items);
	free(tree->regions);
	memset(tree, 0, sizeof(*tree));
}
