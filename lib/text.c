// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text of unknown origin made printable.
 */
#include "lib/text.h"

#include <stdbool.h>
#include <stddef.h>

static size_t expected_len(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead < 0xc2 || lead > 0xf4)
		return 0;
	return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* Overlong, surrogate and too large code points show in the first two bytes (RFC 3629).
 */
static bool second_fits(unsigned char lead, unsigned char second)
{
	unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
	unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;

	return second >= low && second <= high;
}

/* Length of the sequence at @p, 0 when it is none. */
static size_t sequence_len(const unsigned char *p)
{
	size_t len = expected_len(*p);

	if (len > 1 && !second_fits(p[0], p[1]))
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

static bool is_control(const unsigned char *p)
{
	return *p < 0x20 || *p == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
}

static void fix(char *text, bool controls)
{
	unsigned char *p = (unsigned char *)text;

	while (*p) {
		size_t len = sequence_len(p);

		if (!len || (controls && is_control(p))) {
			*p = '?';
			len = 1;
		}
		p += len;
	}
}

void text_fix_utf8(char *text)
{
	fix(text, false);
}

void text_clean(char *text)
{
	fix(text, true);
}
