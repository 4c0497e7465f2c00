// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers as device-tree source writes them.
 */
#include <errno.h>
#include <string.h>

#include "fdtedit/dts_set.h"

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
