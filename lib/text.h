/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of unknown origin made printable.
 */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

/* Replace bytes that are not UTF-8 by '?', in place. */
void text_fix_utf8(char *text);
/* The same, and control characters (so it is one line, harmless on a terminal). */
void text_clean(char *text);

#endif
