/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A property's bytes as DTS text.
 */
#ifndef FDTEDIT_VALUE_H
#define FDTEDIT_VALUE_H

#include <stddef.h>

#include "lib/buf.h"

/*
 * value_format - append '"a", "b"', '<0x1 0x2>' or '[01 02 03]'
 * @max: stop after about that many characters with "... (N bytes)"; 0: never
 *
 * A tree does not tell types, so they are guessed, as dtc does when it prints one. No
 * bytes at all: "true" (a flag that is set). Returns 0 or -ENOMEM.
 */
int value_format(const void *data, size_t len, size_t max, struct buf *out);

#endif
