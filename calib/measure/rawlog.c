// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RUN/raw.csv while it is being written.
 */
#include "calib/measure/rawlog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calib/measure/plan.h"
#include "calib/runinfo.h"

#define TEXT_MAX ((size_t)PLAN_MAX_READS * RAW_LINE_MAX)

static int write_errno(const struct rawlog *l, struct err *err)
{
	return err_errno(err, errno ? -errno : -EIO, "cannot write '%s'", l->path);
}

/* A power cut leaves half a line, or zeros where the file grew but no data came. */
static size_t whole_lines(const char *text, size_t len)
{
	const char *zero = memchr(text, '\0', len);

	if (zero)
		len = zero - text;
	while (len && text[len - 1] != '\n')
		len--;
	return len;
}

static int check_header(const struct rawlog *l, int fd, struct err *err)
{
	const size_t len = strlen(raw_header);
	char first[RAW_LINE_MAX];
	struct stat st;
	ssize_t n;

	if (!fstat(fd, &st) && !S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "cannot write '%s': it is no regular file",
			       l->path);
	n = pread(fd, first, len + 1, 0);
	if (n < 0)
		return err_errno(err, -errno, "cannot read '%s'", l->path);
	/* The beginning of a header and no more: begin again. */
	if ((size_t)n <= len && !memcmp(first, raw_header, n))
		return 0;
	if ((size_t)n > len && !memcmp(first, raw_header, len) && first[len] == '\n')
		return 0;
	return err_set(err, -EEXIST,
		       "%s:1: this is not the header of this calib's raw readings; give "
		       "another folder with -d",
		       l->path);
}

/* No more than a window can be torn. */
static int find_good(struct rawlog *l, int fd, struct err *err)
{
	struct stat st;
	off_t begin;
	ssize_t n;

	if (fstat(fd, &st))
		return err_errno(err, -errno, "cannot read '%s'", l->path);
	begin = st.st_size > (off_t)TEXT_MAX ? st.st_size - (off_t)TEXT_MAX : 0;
	n = pread(fd, l->text, TEXT_MAX, begin);
	if (n < 0)
		return err_errno(err, -errno, "cannot read '%s'", l->path);
	l->good = begin + (off_t)whole_lines(l->text, n);
	return 0;
}

int rawlog_open(struct rawlog *l, const char *run, bool durable, struct err *err)
{
	int fd, ret;

	*l = (struct rawlog){ .durable = durable };
	ret = runinfo_path(run, RAW_NAME, l->path, sizeof(l->path), err);
	if (ret)
		return ret;
	/* A FIFO would keep open() until somebody writes. */
	fd = open(l->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return errno == ENOENT
			       ? 0
			       : err_errno(err, -errno, "cannot read '%s'", l->path);
	ret = check_header(l, fd, err);
	close(fd);
	return ret;
}

static int write_text(struct rawlog *l, const char *text, size_t len, struct err *err)
{
	ssize_t n = write(l->fd, text, len);
	int ret;

	if (n == (ssize_t)len && (!l->durable || !fdatasync(l->fd))) {
		l->good += len;
		return 0;
	}
	if (n >= 0 && n < (ssize_t)len)
		errno = ENOSPC;
	ret = write_errno(l, err);
	while (ftruncate(l->fd, l->good) && errno == EINTR)
		;
	return ret;
}

static int begin(struct rawlog *l, struct err *err)
{
	int ret = find_good(l, l->fd, err);

	if (ret)
		return ret;
	if (ftruncate(l->fd, l->good))
		return write_errno(l, err);
	if (l->good)
		return 0;
	ret = write_text(l, raw_header, strlen(raw_header), err);
	return ret ? ret : write_text(l, "\n", 1, err);
}

int rawlog_begin(struct rawlog *l, struct err *err)
{
	int ret;

	if (l->begun)
		return 0;
	l->text = malloc(TEXT_MAX);
	if (!l->text)
		return err_errno(err, -ENOMEM, "'%s'", l->path);
	l->fd = open(l->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (l->fd < 0) {
		ret = write_errno(l, err);
		free(l->text);
		l->text = NULL;
		return ret;
	}
	l->begun = true;
	return begin(l, err);
}

int rawlog_append(struct rawlog *l, const char *cluster, uint64_t window_ns,
		  const struct raw_reading *r, size_t n, struct err *err)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		int ret = raw_format(l->text + len, TEXT_MAX - len, cluster, window_ns,
				     &r[i]);

		if (ret < 0)
			return err_set(err, ret,
				       "'%s': a window of %zu readings is too "
				       "long",
				       l->path, n);
		len += ret;
	}
	return write_text(l, l->text, len, err);
}

int rawlog_close(struct rawlog *l, struct err *err)
{
	int ret = 0;

	free(l->text);
	l->text = NULL;
	if (!l->begun)
		return 0;
	if (fdatasync(l->fd) && errno != EINVAL)
		ret = write_errno(l, err);
	if (close(l->fd) && !ret)
		ret = write_errno(l, err);
	l->begun = false;
	return ret;
}
