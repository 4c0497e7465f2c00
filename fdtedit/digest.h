/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Digests of bytes in memory, by the names that FIT images use.
 */
#ifndef FDTEDIT_DIGEST_H
#define FDTEDIT_DIGEST_H

#include <stddef.h>

#include "lib/err.h"

#define DIGEST_MAX 64

/*
 * digest - "crc32" (as zlib's, most significant byte first), "md5", "sha1", "sha256",
 * "sha384", "sha512"
 *
 * All but the first by coreutils' programs. Returns 0; -EINVAL for another name; -ENOENT
 * when the program is missing; -EIO when it fails.
 */
int digest(const char *name, const void *data, size_t len, unsigned char out[DIGEST_MAX],
	   size_t *out_len, struct err *err);

#endif
