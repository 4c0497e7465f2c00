/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for people: of unknown origin made printable, and counted things.
 */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdint.h>

/* What a noun takes after the number @n: "1 row", "2 rows". */
static inline const char *text_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Replace bytes that are not UTF-8 by '?', in place. */
void text_fix_utf8(char *text);
/* The same, and control characters (so it is one line, harmless on a terminal). */
void text_clean(char *text);

#endif
