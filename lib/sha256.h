/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SHA-256 of a file, by sha256sum(1).
 */
#ifndef LIB_SHA256_H
#define LIB_SHA256_H

#include <stdbool.h>

#include "lib/err.h"

#define SHA256_TEXT 65 /* 64 hex digits and a NUL */

/*
 * sha256_file - 64 lower-case hex digits into @out
 *
 * Returns 0, -ENOENT (no such file, or no sha256sum), -errno. Not for "-".
 */
int sha256_file(const char *path, char out[SHA256_TEXT], struct err *err);
/* Are these 64 lower-case hex digits? */
bool sha256_is_valid(const char *text);

#endif
