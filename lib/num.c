// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text to number, strictly.
 */
#include "lib/num.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Append one digit; -ERANGE when the result does not fit. */
static int push_digit(uint64_t *v, unsigned int base, unsigned int digit)
{
	uint64_t next;

	if (__builtin_mul_overflow(*v, base, &next) ||
	    __builtin_add_overflow(next, digit, &next))
		return -ERANGE;
	*v = next;
	return 0;
}

int num_u64(const char *text, uint64_t *out)
{
	bool fits = true;
	uint64_t v = 0;

	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		if (!is_digit(*text))
			return -EINVAL;
		if (fits && push_digit(&v, 10, *text - '0'))
			fits = false;
	}
	if (!fits)
		return -ERANGE;
	*out = v;
	return 0;
}

int num_u32(const char *text, uint32_t *out)
{
	uint64_t v;
	int ret = num_u64(text, &v);

	if (ret)
		return ret;
	if (v > UINT32_MAX)
		return -ERANGE;
	*out = v;
	return 0;
}

static int apply_sign(bool negative, uint64_t magnitude, int64_t *out)
{
	if (magnitude > (uint64_t)INT64_MAX + negative)
		return -ERANGE;
	*out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return 0;
}

int num_i64(const char *text, int64_t *out)
{
	bool negative = *text == '-';
	uint64_t v;
	int ret = num_u64(text + negative, &v);

	return ret ? ret : apply_sign(negative, v, out);
}

int num_u64_hex(const char *text, uint64_t *out)
{
	bool fits = true;
	uint64_t v = 0;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
		return num_u64(text, out);
	text += 2;
	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		int digit = hex_digit(*text);

		if (digit < 0)
			return -EINVAL;
		if (fits && push_digit(&v, 16, digit))
			fits = false;
	}
	if (!fits)
		return -ERANGE;
	*out = v;
	return 0;
}

/* Length of "12", "12.5", ".5" or "12." at @text; 0 when no digit is there. */
static size_t decimal_len(const char *text)
{
	const char *p = text;
	size_t digits = 0;

	for (; is_digit(*p); p++)
		digits++;
	if (*p == '.')
		for (p++; is_digit(*p); p++)
			digits++;
	return digits ? p - text : 0;
}

int num_double(const char *text, double *out)
{
	const char *p = text + (*text == '-');
	size_t len = decimal_len(p);
	char *end;
	double v;

	if (!len)
		return -EINVAL;
	p += len;
	if (*p == 'e' || *p == 'E') {
		p++;
		p += *p == '+' || *p == '-';
		if (!is_digit(*p))
			return -EINVAL;
		while (is_digit(*p))
			p++;
	}
	if (*p)
		return -EINVAL;
	errno = 0;
	v = strtod(text, &end);
	if (*end)
		return -EINVAL;
	if (!isfinite(v) || (errno == ERANGE && v == 0))
		return -ERANGE;
	*out = v;
	return 0;
}

/*
 * The digits of @text (@len characters) with the point moved @exp10 places right: whole
 * units in @v, and the first digit after them decides the rounding.
 */
static int scale_digits(const char *text, size_t len, int exp10, uint64_t *v)
{
	const char *point = memchr(text, '.', len);
	long whole = (point ? point - text : (long)len) + exp10;
	long n = 0;

	*v = 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '.')
			continue;
		if (n == whole && text[i] >= '5' && ++*v == 0)
			return -ERANGE;
		if (n++ < whole && push_digit(v, 10, text[i] - '0'))
			return -ERANGE;
	}
	for (; n < whole && *v; n++)
		if (push_digit(v, 10, 0))
			return -ERANGE;
	return 0;
}

static int scaled_part(const char *text, size_t len, int exp10, int64_t *out)
{
	bool negative = len && *text == '-';
	uint64_t v;

	text += negative;
	len -= negative;
	if (!len || decimal_len(text) != len)
		return -EINVAL;
	if (scale_digits(text, len, exp10, &v))
		return -ERANGE;
	return apply_sign(negative, v, out);
}

int num_scaled(const char *text, int exp10, int64_t *out)
{
	return scaled_part(text, strlen(text), exp10, out);
}

int num_percent(const char *text, double *fraction)
{
	size_t len = strlen(text);
	char copy[64];
	double v;
	int ret;

	if (len && text[len - 1] == '%')
		len--;
	if (len >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	ret = num_double(copy, &v);
	if (ret)
		return ret;
	if (v < 0)
		return -ERANGE;
	*fraction = v / 100;
	return 0;
}

/* A unit is a power of ten times a factor. */
struct unit {
	const char *name;
	int exp10;
	uint32_t factor;
};

static int with_unit(const char *text, const struct unit *units, int64_t *out)
{
	size_t len = decimal_len(text + (*text == '-')) + (*text == '-');
	int ret;

	while (units->name && strcasecmp(text + len, units->name))
		units++;
	if (!units->name)
		return -EINVAL;
	ret = scaled_part(text, len, units->exp10, out);
	if (ret)
		return ret;
	return __builtin_mul_overflow(*out, (int64_t)units->factor, out) ? -ERANGE : 0;
}

int num_duration_ns(const char *text, uint64_t *ns)
{
	static const struct unit units[] = {
		{ "", 9, 1 },	  { "s", 9, 1 },    { "ms", 6, 1 },
		{ "us", 3, 1 },	  { "ns", 0, 1 },   { "m", 9, 60 },
		{ "min", 9, 60 }, { "h", 9, 3600 }, { NULL },
	};
	int64_t v;
	int ret = with_unit(text, units, &v);

	if (ret)
		return ret;
	if (v <= 0)
		return -ERANGE;
	*ns = v;
	return 0;
}

int num_khz(const char *text, uint32_t *khz)
{
	static const struct unit units[] = {
		{ "", 0, 1 },	 { "khz", 0, 1 }, { "mhz", 3, 1 },
		{ "ghz", 6, 1 }, { "hz", -3, 1 }, { NULL },
	};
	int64_t v;
	int ret = with_unit(text, units, &v);

	if (ret)
		return ret;
	if (v < 0 || v > UINT32_MAX)
		return -ERANGE;
	*khz = v;
	return 0;
}
