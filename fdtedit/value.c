// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guess whether a property holds strings, cells or bytes, and print it.
 */
#include "fdtedit/value.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <libfdt.h>

#define NEVER SIZE_MAX

static bool text_byte(unsigned char c)
{
	return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t' || c == '\r';
}

/* Strings, none of them empty, each with its NUL. */
static bool is_strings(const unsigned char *data, size_t len)
{
	if (!len || data[len - 1] || !data[0])
		return false;
	for (size_t i = 0; i < len; i++)
		if (data[i] ? !text_byte(data[i]) : i && !data[i - 1])
			return false;
	return true;
}

static int add_char(struct buf *out, char c)
{
	static const char escaped[] = "\n\t\r\"\\";
	static const char letters[] = "ntr\"\\";
	const char *hit = strchr(escaped, c);
	char pair[2] = { '\\', hit ? letters[hit - escaped] : 0 };

	return hit ? buf_add(out, pair, 2) : buf_add(out, &c, 1);
}

static int add_strings(const char *data, size_t len, size_t end, struct buf *out)
{
	int ret = buf_adds(out, "\"");

	for (size_t i = 0; !ret && i + 1 < len; i++) {
		if (out->len > end)
			return buf_addf(out, "... (%zu bytes)", len);
		ret = data[i] ? add_char(out, data[i]) : buf_adds(out, "\", \"");
	}
	return ret ? ret : buf_adds(out, "\"");
}

static int add_cells(const char *data, size_t len, size_t end, struct buf *out)
{
	int ret = buf_adds(out, "<");

	for (size_t i = 0; !ret && i < len; i += 4) {
		if (out->len > end)
			return buf_addf(out, " ... (%zu bytes)", len);
		ret = buf_addf(out, "%s0x%" PRIx32, i ? " " : "",
			       fdt32_ld((const fdt32_t *)(data + i)));
	}
	return ret ? ret : buf_adds(out, ">");
}

static int add_bytes(const unsigned char *data, size_t len, size_t end, struct buf *out)
{
	int ret = buf_adds(out, "[");

	for (size_t i = 0; !ret && i < len; i++) {
		if (out->len > end)
			return buf_addf(out, " ... (%zu bytes)", len);
		ret = buf_addf(out, "%s%02x", i ? " " : "", data[i]);
	}
	return ret ? ret : buf_adds(out, "]");
}

int value_format(const void *data, size_t len, size_t max, struct buf *out)
{
	size_t end = max ? out->len + max : NEVER;

	if (!len)
		return buf_adds(out, "true");
	if (is_strings(data, len))
		return add_strings(data, len, end, out);
	if (len % 4 == 0)
		return add_cells(data, len, end, out);
	return add_bytes(data, len, end, out);
}
