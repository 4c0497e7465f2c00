// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strict typed values of properties.
 */
#include "fdtedit/typed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "lib/num.h"

static const struct {
	const char *name;
	size_t width; /* bytes of a number; 0: none */
} kinds[] = {
	[TYPED_U8] = { "u8", 1 },	  [TYPED_U16] = { "u16", 2 },
	[TYPED_U32] = { "u32", 4 },	  [TYPED_U64] = { "u64", 8 },
	[TYPED_STRING] = { "string", 0 }, [TYPED_BYTES] = { "bytes", 0 },
};

/* What this program is about, and what every node may have. */
static const struct {
	const char *property;
	enum typed_kind kind;
	bool single;
} known[] = {
	{ "dynamic-power-coefficient", TYPED_U32, true },
	{ "capacity-dmips-mhz", TYPED_U32, true },
	{ "sustainable-power", TYPED_U32, true },
	{ "clock-latency-ns", TYPED_U32, true },
	{ "clock-latency", TYPED_U32, true },
	{ "polling-delay", TYPED_U32, true },
	{ "polling-delay-passive", TYPED_U32, true },
	{ "opp-level", TYPED_U32, true },
	{ "opp-hz", TYPED_U64, false },
	{ "opp-microvolt", TYPED_U32, false },
	{ "opp-microamp", TYPED_U32, false },
	{ "opp-microwatt", TYPED_U32, false },
	{ "opp-supported-hw", TYPED_U32, false },
	{ "opp-peak-kBps", TYPED_U32, false },
	{ "operating-points", TYPED_U32, false },
	{ "operating-points-v2", TYPED_U32, false },
	{ "phandle", TYPED_U32, true },
	{ "reg", TYPED_U32, false },
	{ "compatible", TYPED_STRING, false },
	{ "status", TYPED_STRING, false },
	{ "model", TYPED_STRING, false },
	{ "device_type", TYPED_STRING, false },
	{ "enable-method", TYPED_STRING, false },
	{ "bootargs", TYPED_STRING, false },
};

enum typed_kind typed_kind_of(const char *name)
{
	size_t i = 0;

	while (i < TYPED_BYTES && strcmp(kinds[i].name, name))
		i++;
	return i;
}

const char *typed_name(enum typed_kind kind)
{
	return kinds[kind].name;
}

size_t typed_width(enum typed_kind kind)
{
	return kinds[kind].width;
}

uint64_t typed_number(const void *data, size_t width)
{
	const unsigned char *bytes = data;
	uint64_t value = 0;

	for (size_t i = 0; i < width; i++)
		value = value << 8 | bytes[i];
	return value;
}

bool typed_known(const char *property, enum typed_kind *kind, bool *single)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].property, property))
			continue;
		*kind = known[i].kind;
		*single = known[i].single;
		return true;
	}
	*kind = TYPED_U32;
	*single = false;
	return !strncmp(property, "opp-microvolt-", 14) ||
	       !strncmp(property, "opp-microamp-", 13) ||
	       !strncmp(property, "opp-microwatt-", 14);
}

/* Printable, ended by NUL, no string of it empty. */
static bool is_text(const unsigned char *data, size_t len)
{
	if (!len || data[len - 1] || !data[0])
		return false;
	for (size_t i = 0; i < len; i++)
		if (data[i] ? data[i] < 0x20 || data[i] > 0x7e : i && !data[i - 1])
			return false;
	return true;
}

enum typed_kind typed_guess(const char *property, const void *data, size_t len,
			    bool *unsure)
{
	enum typed_kind kind;
	bool single;

	*unsure = false;
	if (typed_known(property, &kind, &single) &&
	    (kind == TYPED_STRING ? !len || !((const char *)data)[len - 1]
				  : len % kinds[kind].width == 0))
		return kind;
	if (is_text(data, len)) {
		*unsure = len % 4 == 0;
		return TYPED_STRING;
	}
	return len % 4 ? TYPED_BYTES : TYPED_U32;
}

static int parse_number(enum typed_kind kind, const char *word, struct buf *out,
			struct err *err)
{
	size_t width = kinds[kind].width;
	uint64_t max = UINT64_MAX >> (64 - 8 * width);
	unsigned char bytes[8];
	uint64_t value;

	if (num_u64_hex(word, &value) || value > max)
		return err_set(err, -EINVAL,
			       "'%s' is no whole number in 0..%" PRIu64 " (%s)", word,
			       max, kinds[kind].name);
	for (size_t i = 0; i < width; i++)
		bytes[i] = value >> (8 * (width - 1 - i));
	return buf_add(out, bytes, width) ? err_errno(err, -ENOMEM, "value") : 0;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *hit;

	if (c >= 'A' && c <= 'F')
		c += 'a' - 'A';
	hit = c ? strchr(digits, c) : NULL;
	return hit ? (int)(hit - digits) : -1;
}

static int parse_bytes(const char *word, struct buf *out, struct err *err)
{
	size_t len = strlen(word);
	bool good = len && len % 2 == 0;

	for (size_t i = 0; i < len; i++)
		good &= hex_digit(word[i]) >= 0;
	if (!good)
		return err_set(err, -EINVAL,
			       "'%s' is no pairs of hexadecimal digits (bytes)", word);
	for (size_t i = 0; i < len; i += 2) {
		char byte = (char)(hex_digit(word[i]) << 4 | hex_digit(word[i + 1]));

		if (buf_add(out, &byte, 1))
			return err_errno(err, -ENOMEM, "value");
	}
	return 0;
}

int typed_parse(enum typed_kind kind, char *const *words, int count, struct buf *out,
		struct err *err)
{
	int ret = 0;

	for (int i = 0; i < count && !ret; i++) {
		if (kind == TYPED_BYTES)
			ret = parse_bytes(words[i], out, err);
		else if (kind != TYPED_STRING)
			ret = parse_number(kind, words[i], out, err);
		else if (buf_add(out, words[i], strlen(words[i]) + 1))
			ret = err_errno(err, -ENOMEM, "value");
	}
	return ret;
}

static int format_text(const char *data, size_t len, const char *sep, struct buf *out)
{
	int ret = 0;

	for (size_t i = 0; i < len && !ret; i++) {
		unsigned char c = data[i];

		if (!c)
			ret = i + 1 < len ? buf_adds(out, sep) : 0;
		else if (c < 0x20 || c == 0x7f)
			ret = buf_addf(out, "\\x%02x", c);
		else
			ret = buf_add(out, &data[i], 1);
	}
	return ret;
}

int typed_format(enum typed_kind kind, const void *data, size_t len, const char *sep,
		 struct buf *out, struct err *err)
{
	size_t width = kind == TYPED_BYTES ? 1 : kinds[kind].width;
	const unsigned char *bytes = data;
	int ret = 0;

	if (kind == TYPED_STRING) {
		ret = len && bytes[len - 1]
			      ? err_set(err, -EINVAL, "no text: no NUL at its end")
			      : format_text(data, len, sep, out);
		return ret == -ENOMEM ? err_errno(err, ret, "value") : ret;
	}
	if (len % width)
		return err_set(err, -EINVAL, "%zu bytes are no whole number of %s", len,
			       kinds[kind].name);
	for (size_t i = 0; i < len && !ret; i += width) {
		if (i)
			ret = buf_adds(out, kind == TYPED_BYTES ? " " : sep);
		if (!ret)
			ret = kind == TYPED_BYTES
				      ? buf_addf(out, "%02x", bytes[i])
				      : buf_addf(out, "%" PRIu64,
						 typed_number(bytes + i, width));
	}
	return ret ? err_errno(err, ret, "value") : 0;
}
