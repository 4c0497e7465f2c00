// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cuts device-tree source into tokens that cover every byte.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/dts_lex.h"
#include "fdtedit/grow.h"

#define MAX_CONDS 64 /* deeper ones are taken as alive; the parser refuses them */

struct lexer {
	const char *text;
	size_t len;
	size_t pos;
	uint32_t line;
	bool line_start; /* only blanks and comments so far: '#' may be a directive */
	struct {
		bool outer_dead; /* the #if itself stands in dead text */
		bool taken;	 /* "#if 1" was there: what follows is dead */
		bool dead;
	} conds[MAX_CONDS];
	unsigned int depth;
};

static char at(const struct lexer *lx, size_t pos)
{
	return pos < lx->len ? lx->text[pos] : '\0';
}

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* PROPNODECHAR of dtc-lexer.l, and '_' */
bool dts_is_name_char(char c)
{
	return is_alnum(c) || (c && strchr("_,.+*#?@-", c));
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

static bool starts_with(const struct lexer *lx, size_t pos, const char *what)
{
	size_t n = strlen(what);

	return lx->len - pos >= n && !memcmp(lx->text + pos, what, n);
}

/* The length of a backslash, blanks and the newline they precede; else 0. cpp takes
 * blanks there. */
static size_t splice_len(const struct lexer *lx, size_t pos)
{
	size_t p = pos;

	if (at(lx, p) != '\\')
		return 0;
	p++;
	while (at(lx, p) == ' ' || at(lx, p) == '\t' || at(lx, p) == '\r')
		p++;
	return at(lx, p) == '\n' ? p + 1 - pos : 0;
}

/* Where the line's text ends: at its '\n', or at the end; continuation lines belong to
 * it. */
static size_t line_end(const struct lexer *lx, size_t pos)
{
	while (pos < lx->len && lx->text[pos] != '\n') {
		size_t n = splice_len(lx, pos);

		pos += n ? n : 1;
	}
	return pos;
}

/* Past the comment at @pos; @pos itself when there is none; SIZE_MAX when it never ends.
 */
static size_t skip_comment(const struct lexer *lx, size_t pos)
{
	const char *end;

	if (starts_with(lx, pos, "//"))
		return line_end(lx, pos);
	if (!starts_with(lx, pos, "/*"))
		return pos;
	end = memmem(lx->text + pos + 2, lx->len - pos - 2, "*/", 2);
	return end ? (size_t)(end - lx->text) + 2 : SIZE_MAX;
}

/* Past the string at @pos, over newlines as dtc does; SIZE_MAX when it never ends. */
static size_t skip_string(const struct lexer *lx, size_t pos)
{
	for (pos++; pos < lx->len; pos++) {
		if (lx->text[pos] == '\\')
			pos++;
		else if (lx->text[pos] == '"')
			return pos + 1;
	}
	return SIZE_MAX;
}

/* As cpp reads it: a string ends with its line at the latest. */
static size_t skip_string_in_line(const struct lexer *lx, size_t pos)
{
	for (pos++; pos < lx->len && lx->text[pos] != '\n'; pos++) {
		size_t n = splice_len(lx, pos);

		if (n)
			pos += n - 1;
		else if (lx->text[pos] == '\\' && at(lx, pos + 1) != '\n')
			pos++;
		else if (lx->text[pos] == '"')
			return pos + 1;
	}
	return pos < lx->len ? pos : lx->len;
}

/* Past a character literal; @pos when the apostrophe is only an apostrophe. */
static size_t skip_char(const struct lexer *lx, size_t pos)
{
	size_t p = pos + 1;

	if (at(lx, p) == '\\') {
		p += 2;
		while (is_alnum(at(lx, p)) && p - pos < 8)
			p++;
	} else if (p < lx->len && lx->text[p] != '\n' && lx->text[p] != '\'') {
		p++;
	}
	return p < lx->len && lx->text[p] == '\'' && p > pos + 1 ? p + 1 : pos;
}

/*
 * The directive's name when there is one at '#': cpp's directives only, since properties
 * may start with '#' as well ("#cooling-cells").
 */
static size_t directive_name(const struct lexer *lx, size_t pos, const char **name)
{
	static const char *const known[] = {
		"include", "define",   "undef",	       "ifdef", "ifndef", "if",
		"elifdef", "elifndef", "elif",	       "else",	"endif",  "error",
		"warning", "pragma",   "include_next", "line",
	};
	size_t n = 0;

	for (pos++; at(lx, pos) == ' ' || at(lx, pos) == '\t'; pos++)
		;
	while (dts_is_name_char(at(lx, pos + n)))
		n++;
	*name = lx->text + pos;
	if (n && *name[0] >= '0' && *name[0] <= '9')
		return n; /* a line marker of cpp's output */
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strlen(known[i]) == n && !memcmp(*name, known[i], n))
			return n;
	}
	return 0;
}

bool dts_is_directive(const char *text, size_t len)
{
	const struct lexer lx = { .text = text, .len = len };
	const char *name;

	return len && text[0] == '#' && directive_name(&lx, 0, &name);
}

static enum dts_cond directive_cond(const char *name, size_t n)
{
	if (n >= 2 && !memcmp(name, "if", 2))
		return DTS_COND_IF;
	if (n == 4 && !memcmp(name, "else", 4))
		return DTS_COND_ELSE;
	if (n >= 4 && !memcmp(name, "el", 2))
		return DTS_COND_ELIF;
	if (n == 5 && !memcmp(name, "endif", 5))
		return DTS_COND_ENDIF;
	return DTS_COND_NONE;
}

/* Past a directive's text: to its newline, not counting newlines in comments. */
static size_t directive_end(const struct lexer *lx, size_t pos)
{
	while (pos < lx->len && lx->text[pos] != '\n') {
		size_t splice = splice_len(lx, pos);
		size_t next = pos;

		if (splice)
			next = pos + splice;
		else if (lx->text[pos] == '/')
			next = skip_comment(lx, pos);
		else if (lx->text[pos] == '"')
			next = skip_string_in_line(lx, pos);
		else if (lx->text[pos] == '\'')
			next = skip_char(lx, pos);
		if (next == SIZE_MAX)
			return lx->len;
		pos = next > pos ? next : pos + 1;
	}
	return pos;
}

/* '0' or '1' when the condition is just that number, else 0. */
static char literal_condition(const struct lexer *lx, size_t pos, size_t end)
{
	char digit = 0;

	while (pos < end) {
		size_t next = skip_comment(lx, pos);

		if (next > pos) {
			pos = next;
			continue;
		}
		if (!is_blank(lx->text[pos])) {
			if (digit || (lx->text[pos] != '0' && lx->text[pos] != '1'))
				return 0;
			digit = lx->text[pos];
		}
		pos++;
	}
	return digit;
}

static bool is_dead(const struct lexer *lx)
{
	return lx->depth && lx->depth <= MAX_CONDS && lx->conds[lx->depth - 1].dead;
}

/* Keep the stack of conditions; @literal is what literal_condition() says. */
static void track_cond(struct lexer *lx, enum dts_cond cond, char literal)
{
	bool outer = is_dead(lx);

	if (cond == DTS_COND_IF && lx->depth++ < MAX_CONDS) {
		lx->conds[lx->depth - 1].outer_dead = outer;
		lx->conds[lx->depth - 1].taken = literal == '1';
		lx->conds[lx->depth - 1].dead = outer || literal == '0';
	} else if (cond == DTS_COND_ENDIF && lx->depth) {
		lx->depth--;
	} else if (cond != DTS_COND_NONE && lx->depth && lx->depth <= MAX_CONDS) {
		bool taken = lx->conds[lx->depth - 1].taken;

		lx->conds[lx->depth - 1].dead = lx->conds[lx->depth - 1].outer_dead ||
						taken || literal == '0';
		lx->conds[lx->depth - 1].taken = taken || literal == '1';
	}
}

static size_t lex_directive(struct lexer *lx, const char *name, size_t name_len,
			    struct dts_token *tok)
{
	size_t after = (size_t)(name - lx->text) + name_len;
	size_t end = directive_end(lx, after);
	char literal = 0;

	tok->kind = DTS_DIRECTIVE;
	tok->cond = directive_cond(name, name_len);
	/* "#if" and "#elif", not "#ifdef" and so on */
	if (name[name_len - 1] == 'f' && name[name_len - 2] == 'i')
		literal = literal_condition(lx, after, end);
	track_cond(lx, tok->cond, literal);
	tok->dead = is_dead(lx);
	return end;
}

/* To the next conditional directive, the way cpp skips: comments and strings are seen. */
static size_t lex_dead(const struct lexer *lx)
{
	size_t pos = lx->pos;
	bool line_start = lx->line_start;
	const char *name;

	while (pos < lx->len) {
		char c = lx->text[pos];
		size_t next = skip_comment(lx, pos);

		if (next == SIZE_MAX)
			return lx->len;
		if (next == pos && c == '#' && line_start) {
			size_t n = directive_name(lx, pos, &name);

			if (directive_cond(name, n))
				return pos;
		}
		if (next == pos && c == '"')
			next = skip_string_in_line(lx, pos);
		if (next == pos && c == '\'')
			next = skip_char(lx, pos);
		if (next == pos) {
			line_start = c == '\n' || (line_start && is_blank(c));
			next++;
		}
		pos = next;
	}
	return pos;
}

static size_t keyword_len(const struct lexer *lx, size_t pos)
{
	static const char *const words[] = {
		"/delete-property/", "/delete-node/", "/include/", "/bits/",
		"/dts-v1/",	     "/plugin/",      "/incbin/",  "/memreserve/",
		"/omit-if-no-ref/",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (starts_with(lx, pos, words[i]))
			return strlen(words[i]);
	}
	return 0;
}

/* The length of "&label" or "&{/path}"; else 0. */
static size_t ref_len(const struct lexer *lx, size_t pos)
{
	size_t p = pos + 1;

	if (at(lx, p) == '{') {
		while (dts_is_name_char(at(lx, p + 1)) || at(lx, p + 1) == '/')
			p++;
		return at(lx, p + 1) == '}' ? p + 2 - pos : 0;
	}
	while (is_alnum(at(lx, p)) || at(lx, p) == '_')
		p++;
	return p > pos + 1 ? p - pos : 0;
}

static size_t lex_slash(const struct lexer *lx, struct dts_token *tok)
{
	size_t end = skip_comment(lx, lx->pos);

	if (end == SIZE_MAX) {
		tok->kind = DTS_BAD;
		return lx->len;
	}
	if (end > lx->pos) {
		tok->kind = DTS_COMMENT;
		return end;
	}
	end = lx->pos + keyword_len(lx, lx->pos);
	if (end > lx->pos) {
		tok->kind = DTS_KEYWORD;
		return end;
	}
	return lx->pos + 1;
}

static size_t lex_quoted(const struct lexer *lx, struct dts_token *tok)
{
	size_t end = lx->text[lx->pos] == '"' ? skip_string(lx, lx->pos)
					      : skip_char(lx, lx->pos);

	if (end == SIZE_MAX) {
		tok->kind = DTS_BAD;
		return lx->len;
	}
	if (end == lx->pos)
		return lx->pos + 1;
	tok->kind = lx->text[lx->pos] == '"' ? DTS_STRING : DTS_CHAR;
	return end;
}

static size_t lex_word(const struct lexer *lx, struct dts_token *tok)
{
	size_t pos = lx->pos;

	tok->kind = DTS_WORD;
	while (dts_is_name_char(at(lx, pos)))
		pos++;
	return pos;
}

static size_t lex_blank(const struct lexer *lx, struct dts_token *tok)
{
	size_t pos = lx->pos;

	tok->kind = DTS_BLANK;
	while (is_blank(at(lx, pos)))
		pos++;
	return pos;
}

/* Set the token's kind; returns where it ends, always past lx->pos. */
static size_t lex_one(struct lexer *lx, struct dts_token *tok)
{
	char c = lx->text[lx->pos];
	const char *name;
	size_t n;

	if (c == '#' && lx->line_start) {
		n = directive_name(lx, lx->pos, &name);
		if (n)
			return lex_directive(lx, name, n, tok);
	}
	if (!lx->pos && starts_with(lx, 0, "\xef\xbb\xbf")) {
		tok->kind = DTS_BOM;
		return 3;
	}
	if (is_blank(c))
		return lex_blank(lx, tok);
	if (c == '/')
		return lex_slash(lx, tok);
	if (c == '"' || c == '\'')
		return lex_quoted(lx, tok);
	if (dts_is_name_char(c))
		return lex_word(lx, tok);
	n = c == '&' ? ref_len(lx, lx->pos) : splice_len(lx, lx->pos);
	if (n)
		tok->kind = c == '&' ? DTS_REF : DTS_SPLICE;
	return lx->pos + (n ? n : 1);
}

static void advance(struct lexer *lx, const struct dts_token *tok)
{
	for (size_t i = tok->start; i < tok->end; i++) {
		if (lx->text[i] == '\n')
			lx->line++;
	}
	if (tok->kind == DTS_BLANK)
		lx->line_start |= !!memchr(lx->text + tok->start, '\n',
					   tok->end - tok->start);
	else if (tok->kind != DTS_COMMENT && tok->kind != DTS_BOM &&
		 tok->kind != DTS_DEAD)
		lx->line_start = false;
	lx->pos = tok->end;
}

int dts_lex(const char *text, size_t len, struct dts_tokens *out)
{
	struct lexer lx = { .text = text, .len = len, .line = 1, .line_start = true };

	memset(out, 0, sizeof(*out));
	while (lx.pos < len) {
		struct dts_token tok = { .start = lx.pos,
					 .line = lx.line,
					 .kind = DTS_PUNCT };
		size_t end = is_dead(&lx) ? lex_dead(&lx) : lx.pos;

		if (end > lx.pos) {
			tok.kind = DTS_DEAD;
			lx.line_start = true; /* before a directive */
		} else {
			end = lex_one(&lx, &tok);
		}
		tok.end = end;
		if (grow(&out->list, &out->cap, out->count, sizeof(tok))) {
			dts_tokens_free(out);
			return -ENOMEM;
		}
		out->list[out->count++] = tok;
		advance(&lx, &tok);
	}
	return 0;
}

void dts_tokens_free(struct dts_tokens *tokens)
{
	free(tokens->list);
	memset(tokens, 0, sizeof(*tokens));
}
