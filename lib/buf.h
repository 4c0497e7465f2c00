/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing byte buffer and whole-file reading.
 */
#ifndef LIB_BUF_H
#define LIB_BUF_H

#include <stddef.h>

#include "lib/err.h"

struct buf {
	char *data; /* always NUL-terminated once anything was added; NULL before */
	size_t len; /* bytes in use, without that NUL */
	size_t cap;
};

/* All return 0 or -ENOMEM; after -ENOMEM the buffer is unchanged. */
int buf_add(struct buf *buf, const void *data, size_t len);
int buf_adds(struct buf *buf, const char *text);
int buf_addf(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Frees the content; takes NULL and a zeroed buffer. */
void buf_free(struct buf *buf);

/*
 * buf_read_file - append a whole file ("-" is stdin)
 * @max: refuse more bytes than this
 *
 * Returns 0, -errno of open/read, -EISDIR, -EFBIG over @max, -ENOMEM. The message names
 * the file; @buf is as before then, and freed when it held nothing.
 */
int buf_read_file(struct buf *buf, const char *path, size_t max, struct err *err);
/*
 * buf_read_regular - buf_read_file() of a file that one of our programs wrote, or a copy
 *
 * Never waits, as for the writer of a FIFO, and "-" is a name. Returns the same, and
 * -EINVAL for what is neither a regular file nor a folder.
 */
int buf_read_regular(struct buf *buf, const char *path, size_t max, struct err *err);
/* What messages call the file @path: itself, or "standard input" for "-". */
const char *buf_file_name(const char *path);

#endif
