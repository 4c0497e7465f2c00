// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A growing byte buffer and whole-file reading.
 */
#include "lib/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for @more bytes and a NUL. */
static int reserve(struct buf *buf, size_t more)
{
	size_t need, cap;
	char *data;

	if (__builtin_add_overflow(buf->len, more, &need) || need > SIZE_MAX / 2 - 1)
		return -ENOMEM;
	if (++need <= buf->cap)
		return 0;
	cap = buf->cap ? buf->cap : 256;
	while (cap < need)
		cap *= 2;
	data = realloc(buf->data, cap);
	if (!data)
		return -ENOMEM;
	buf->data = data;
	buf->cap = cap;
	return 0;
}

int buf_add(struct buf *buf, const void *data, size_t len)
{
	if (reserve(buf, len))
		return -ENOMEM;
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
	return 0;
}

int buf_adds(struct buf *buf, const char *text)
{
	return buf_add(buf, text, strlen(text));
}

int buf_addf(struct buf *buf, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || reserve(buf, n))
		return -ENOMEM;
	va_start(ap, fmt);
	vsnprintf(buf->data + buf->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	buf->len += n;
	return 0;
}

void buf_free(struct buf *buf)
{
	if (!buf)
		return;
	free(buf->data);
	*buf = (struct buf){ 0 };
}

/* One byte past @max is asked for, to tell a file of @max bytes from a longer one. */
static int read_all(struct buf *buf, int fd, size_t max)
{
	size_t start = buf->len;

	for (;;) {
		size_t left = max - (buf->len - start);
		size_t want = left < 65536 ? left + 1 : 65536;
		ssize_t n;

		if (reserve(buf, want))
			return -ENOMEM;
		n = read(fd, buf->data + buf->len, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if ((size_t)n > left)
			return -EFBIG;
		buf->len += n;
		buf->data[buf->len] = '\0';
		if (n == 0)
			return 0;
	}
}

const char *buf_file_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

/* read_all() of a file whose name is @name, and nothing added when it fails. */
static int read_named(struct buf *buf, int fd, const char *name, size_t max,
		      struct err *err)
{
	size_t start = buf->len;
	struct stat st;
	int ret;

	/* One that is far too long is not read to find that out; sysfs claims 4096. */
	if (max > 4096 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    (uintmax_t)st.st_size > max)
		ret = -EFBIG;
	else
		ret = read_all(buf, fd, max);
	if (!ret)
		return 0;
	/* As before: who had nothing has nothing to free. */
	if (!start) {
		buf_free(buf);
	} else {
		buf->len = start;
		buf->data[start] = '\0';
	}
	if (ret == -EFBIG)
		return err_set(err, ret, "'%s' is larger than the %zu bytes we take",
			       name, max);
	return err_errno(err, ret, "cannot read '%s'", name);
}

int buf_read_file(struct buf *buf, const char *path, size_t max, struct err *err)
{
	const char *name = buf_file_name(path);
	int fd, ret;

	if (!strcmp(path, "-"))
		return read_named(buf, STDIN_FILENO, name, max, err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, -errno, "cannot open '%s'", path);
	ret = read_named(buf, fd, name, max, err);
	close(fd);
	return ret;
}

int buf_read_regular(struct buf *buf, const char *path, size_t max, struct err *err)
{
	struct stat st;
	int fd, ret;

	/* A FIFO would keep open() until somebody writes. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_errno(err, -errno, "cannot open '%s'", path);
	if (fstat(fd, &st))
		ret = err_errno(err, -errno, "cannot read '%s'", path);
	else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		ret = err_set(err, -EINVAL, "cannot read '%s': it is no regular file",
			      path);
	else
		ret = read_named(buf, fd, path, max, err);
	close(fd);
	return ret;
}
