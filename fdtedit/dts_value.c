// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values as device-tree source writes them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fdtedit/dts_set.h"
#include "lib/text.h"

#define MAX_ZEROS 32 /* a number with more digits loses its leading zeros */

int dts_number(const char *text, size_t len, struct dts_number *out)
{
	static const char *const suffixes[] = { "", "U", "L", "UL", "LL", "ULL" };
	size_t i = 0, first;
	bool known = false;

	*out = (struct dts_number){ .base = 10 };
	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		out->base = 16, i = 2;
	else if (len > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9')
		out->base = 8, i = 1;
	for (first = i; i < len; i++) {
		const char *hex = "0123456789abcdef";
		char lower = text[i] >= 'A' && text[i] <= 'F' ? text[i] + 32 : text[i];
		const char *at = lower ? strchr(hex, lower) : NULL;

		if (!at || (unsigned int)(at - hex) >= out->base)
			break;
		if (__builtin_mul_overflow(out->value, out->base, &out->value) ||
		    __builtin_add_overflow(out->value, at - hex, &out->value))
			return -EINVAL;
		out->upper |= text[i] >= 'A' && text[i] <= 'F';
	}
	out->digits = i - first;
	out->suffix = text + i;
	out->suffix_len = len - i;
	for (size_t k = 0; k < sizeof(suffixes) / sizeof(suffixes[0]); k++)
		known |= strlen(suffixes[k]) == len - i &&
			 !memcmp(suffixes[k], text + i, len - i);
	return out->digits && known ? 0 : -EINVAL;
}

int dts_token_number(const struct dts_tree *t, size_t i, size_t end,
		     struct dts_number *out)
{
	const struct dts_token *k = &t->tokens.list[i];

	if (i >= end || k->kind != DTS_WORD)
		return -EINVAL;
	return dts_number(t->text + k->start, k->end - k->start, out);
}

int dts_plain_value(const struct dts_tree *t, const struct dts_item *prop,
		    struct dts_number *out, size_t *token)
{
	size_t end = prop->value_end, i = dts_next(t, prop->value, end);

	if (prop->split)
		return -EINVAL;
	if (i < end && t->tokens.list[i].kind == DTS_KEYWORD) {
		i = dts_next(t, i + 1, end);
		if (dts_token_number(t, i, end, out) || out->value != 32)
			return -EINVAL;
		i = dts_next(t, i + 1, end);
	}
	if (i >= end || !dts_is_punct(t, i, '<'))
		return -EINVAL;
	*token = dts_next(t, i + 1, end);
	if (dts_token_number(t, *token, end, out) || out->value > UINT32_MAX)
		return -EINVAL;
	i = dts_next(t, *token + 1, end);
	if (i >= end || !dts_is_punct(t, i, '>') || dts_next(t, i + 1, end) < end)
		return -EINVAL;
	return 0;
}

char *dts_quote_value(const struct dts_tree *t, const struct dts_item *p)
{
	size_t first = dts_next(t, p->value, p->value_end), last = p->value_end;
	uint32_t start, len;
	char *text;

	while (last > first && dts_is_trivia(&t->tokens.list[last - 1]))
		last--;
	if (first == last)
		return strdup("");
	start = t->tokens.list[first].start;
	len = t->tokens.list[last - 1].end - start;
	if (asprintf(&text, "%.*s%s", len < 60 ? (int)len : 60, t->text + start,
		     len < 60 ? "" : "...") < 0)
		return NULL;
	for (char *c = text; *c; c++) {
		if (*c == '\n' || *c == '\t' || *c == '\r')
			*c = ' ';
	}
	text_clean(text);
	return text;
}

int dts_format_number(const struct dts_number *old, const char *text, uint64_t value,
		      struct buf *out)
{
	bool padded = old->digits > 1 && old->digits <= MAX_ZEROS && text[2] == '0';
	int width = padded ? (int)old->digits : 1;
	int ret;

	if (old->base == 16 && old->upper)
		ret = buf_addf(out, "%.2s%0*" PRIX64, text, width, value);
	else if (old->base == 16)
		ret = buf_addf(out, "%.2s%0*" PRIx64, text, width, value);
	else
		ret = buf_addf(out, "%" PRIu64, value);
	return ret ? ret : buf_add(out, old->suffix, old->suffix_len);
}

bool dts_is_comma(const struct dts_tree *t, size_t i)
{
	const struct dts_token *k = &t->tokens.list[i];

	return dts_span_is(t, (struct dts_span){ k->start, k->end }, ",");
}

bool dts_is_literal(const struct dts_tree *t, const struct dts_item *prop)
{
	static const char marks[] = "<>[]";
	bool bytes = false;

	for (size_t i = prop->value; i < prop->value_end; i++) {
		const struct dts_token *k = &t->tokens.list[i];
		const char *text = t->text + k->start;
		struct dts_number n;

		bytes = (bytes || dts_is_punct(t, i, '[')) && !dts_is_punct(t, i, ']');
		if (k->kind == DTS_WORD && !bytes && !dts_is_comma(t, i) &&
		    dts_number(text, k->end - k->start, &n))
			return false;
		if (k->kind == DTS_KEYWORD &&
		    !dts_span_is(t, (struct dts_span){ k->start, k->end }, "/bits/"))
			return false;
		if (k->kind == DTS_PUNCT && !memchr(marks, *text, strlen(marks)))
			return false;
		if (k->kind == DTS_REF || k->kind == DTS_CHAR)
			return false;
	}
	return true;
}

static int add_char(struct buf *out, unsigned char c)
{
	if (c == '"' || c == '\\')
		return buf_addf(out, "\\%c", c);
	if (c == '\n')
		return buf_adds(out, "\\n");
	if (c == '\t')
		return buf_adds(out, "\\t");
	if (c < 0x20 || c == 0x7f)
		return buf_addf(out, "\\x%02x", c);
	return buf_add(out, &c, 1);
}

static int format_strings(const char *data, size_t len, struct buf *out)
{
	int ret = buf_adds(out, "\"");

	for (size_t i = 0; i < len && !ret; i++) {
		if (data[i])
			ret = add_char(out, data[i]);
		else
			ret = buf_adds(out, i + 1 < len ? "\", \"" : "\"");
	}
	return ret;
}

static int format_bytes(const unsigned char *data, size_t len, struct buf *out)
{
	int ret = buf_adds(out, "[");

	for (size_t i = 0; i < len && !ret; i++)
		ret = buf_addf(out, "%s%02x", i ? " " : "", data[i]);
	return ret ? ret : buf_adds(out, "]");
}

int dts_format_value(enum typed_kind kind, const void *data, size_t len, bool hex,
		     struct buf *out)
{
	size_t width = typed_width(kind);
	const unsigned char *bytes = data;
	int ret = 0;

	if (kind == TYPED_STRING)
		return format_strings(data, len, out);
	if (!width)
		return format_bytes(data, len, out);
	if (kind != TYPED_U32)
		ret = buf_addf(out, "/bits/ %zu ", 8 * width);
	for (size_t i = 0; i < len && !ret; i += width) {
		uint64_t value = typed_number(bytes + i, width);

		ret = buf_addf(out, hex ? "%s0x%" PRIx64 : "%s%" PRIu64, i ? " " : "<",
			       value);
	}
	return ret ? ret : buf_adds(out, ">");
}
