// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attribute files below a root: strict reads, writes in one go, read back on request.
 */
#include "calib/linux/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/num.h"

int sysfs_init(struct sysfs *sys, const char *root, struct err *err)
{
	size_t len = root ? strlen(root) : 0;
	struct stat sb;

	if (len >= sizeof(sys->root))
		return err_set(err, -ENAMETOOLONG, "sysroot '%s' is too long", root);
	/* An empty one is a script's unset variable: not to be taken for this machine. */
	if (root && stat(root, &sb))
		return err_errno(err, -errno, "sysroot '%s'", root);
	if (root && !S_ISDIR(sb.st_mode))
		return err_set(err, -ENOTDIR, "sysroot '%s' is not a folder", root);
	memcpy(sys->root, len ? root : "", len + 1);
	while (len && sys->root[len - 1] == '/')
		sys->root[--len] = '\0';
	return 0;
}

int sysfs_real(const struct sysfs *sys, const char *path, char *out, size_t size,
	       struct err *err)
{
	int n = snprintf(out, size, "%s%s", sys->root, path);

	if (n < 0 || (size_t)n >= size)
		return err_set(err, -ENAMETOOLONG, "path '%s' is too long", path);
	return 0;
}

static int open_attr(const struct sysfs *sys, const char *path, int flags,
		     struct err *err)
{
	char real[PATH_MAX];
	int ret, fd;

	ret = sysfs_real(sys, path, real, sizeof(real), err);
	if (ret)
		return ret;
	/* A pipe below a root of somebody's own is nothing to wait for. */
	fd = open(real, flags | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, -errno, "%s", path);
	return fd;
}

int sysfs_read_bytes(const struct sysfs *sys, const char *path, void *out, size_t size,
		     size_t *len, struct err *err)
{
	size_t have = 0;
	ssize_t n;
	char more;
	int fd, ret = 0;

	fd = open_attr(sys, path, O_RDONLY, err);
	if (fd < 0)
		return fd;
	do {
		/* A full buffer is only known to be whole when the next read gives
		 * nothing. */
		if (have < size)
			n = read(fd, (char *)out + have, size - have);
		else
			n = read(fd, &more, 1);
		if (n > 0 && have == size)
			ret = err_set(err, -EFBIG, "%s: more than %zu bytes", path, size);
		else if (n > 0)
			have += n;
		else if (n < 0 && errno != EINTR)
			ret = err_errno(err, -errno, "%s", path);
	} while (!ret && n);
	close(fd);
	*len = have;
	return ret;
}

int sysfs_read(const struct sysfs *sys, const char *path, char *out, size_t size,
	       struct err *err)
{
	size_t len;
	int ret;

	ret = sysfs_read_bytes(sys, path, out, size - 1, &len, err);
	if (ret)
		return ret;
	if (memchr(out, '\0', len))
		return err_set(err, -EINVAL, "%s: a NUL byte in the text", path);
	if (len && out[len - 1] == '\n')
		len--;
	out[len] = '\0';
	return 0;
}

int sysfs_read_u32(const struct sysfs *sys, const char *path, uint32_t *out,
		   struct err *err)
{
	char text[64];
	int ret;

	ret = sysfs_read(sys, path, text, sizeof(text), err);
	if (ret)
		return ret;
	if (text[0] == '<')
		return err_set(err, -ENOTSUP, "%s: the kernel says '%s'", path, text);
	ret = num_u32(text, out);
	if (ret)
		return err_set(err, ret, "%s: '%s' is not a whole number in 0..%u", path,
			       text, UINT32_MAX);
	return 0;
}

bool sysfs_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || at[-1] == ' ') &&
		    (!at[len] || at[len] == ' ' || at[len] == '\n'))
			return true;
	return false;
}

int sysfs_link_name(const struct sysfs *sys, const char *path, char *out, size_t size)
{
	char real[PATH_MAX], target[PATH_MAX], *name;
	int ret = sysfs_real(sys, path, real, sizeof(real), NULL);
	ssize_t n;

	if (ret)
		return ret;
	n = readlink(real, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	return (size_t)snprintf(out, size, "%s", name) < size ? 0 : -ENAMETOOLONG;
}

int sysfs_write(const struct sysfs *sys, const char *path, const char *text,
		struct err *err)
{
	size_t len = strlen(text);
	ssize_t n;
	int fd, ret = 0;

	fd = open_attr(sys, path, O_WRONLY | O_TRUNC, err);
	if (fd < 0)
		return fd;
	do {
		n = write(fd, text, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		ret = err_errno(err, -errno, "%s: writing '%.*s'", path,
				(int)strcspn(text, "\n"), text);
	else if ((size_t)n != len)
		ret = err_set(err, -EIO, "%s: only %zd of %zu bytes were taken", path, n,
			      len);
	/* A late refusal (a full file system below a test's root) shows here. */
	if (close(fd) && !ret)
		ret = err_errno(err, -errno, "%s", path);
	return ret;
}

int sysfs_set(const struct sysfs *sys, const char *path, const char *text,
	      struct err *err)
{
	char now[SYSFS_TEXT], line[SYSFS_TEXT];
	int ret;

	if ((size_t)snprintf(line, sizeof(line), "%s\n", text) >= sizeof(line))
		return err_set(err, -E2BIG, "%s: the text to write is too long", path);
	ret = sysfs_write(sys, path, line, err);
	if (ret)
		return ret;
	ret = sysfs_read(sys, path, now, sizeof(now), err);
	if (ret)
		return ret;
	if (strcmp(now, text) != 0)
		return err_set(err, -EIO, "%s: wrote '%s', it reads '%s'", path, text,
			       now);
	return 0;
}

static int may(const struct sysfs *sys, const char *path, int mode, const char *what,
	       struct err *err)
{
	char real[PATH_MAX];
	int ret;

	ret = sysfs_real(sys, path, real, sizeof(real), err);
	if (ret)
		return ret;
	if (faccessat(AT_FDCWD, real, mode, AT_EACCESS))
		return err_errno(err, -errno, "cannot %s %s", what, path);
	return 0;
}

int sysfs_may_read(const struct sysfs *sys, const char *path, struct err *err)
{
	return may(sys, path, R_OK, "read", err);
}

int sysfs_may_write(const struct sysfs *sys, const char *path, struct err *err)
{
	return may(sys, path, W_OK, "write", err);
}

static int compare_uint(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

int sysfs_indices(const struct sysfs *sys, const char *dir, const char *prefix,
		  unsigned int *out, size_t max, struct err *err)
{
	size_t skip = strlen(prefix), n = 0;
	char real[PATH_MAX];
	struct dirent *entry;
	uint32_t index;
	DIR *d;
	int ret;

	ret = sysfs_real(sys, dir, real, sizeof(real), err);
	if (ret)
		return ret;
	d = opendir(real);
	if (!d)
		return err_errno(err, -errno, "%s", dir);
	while (!ret && (entry = readdir(d))) {
		if (strncmp(entry->d_name, prefix, skip) != 0 ||
		    num_u32(entry->d_name + skip, &index))
			continue;
		if (n == max)
			ret = err_set(err, -ERANGE, "%s: more than %zu of %s*", dir, max,
				      prefix);
		else
			out[n++] = index;
	}
	closedir(d);
	if (ret)
		return ret;
	qsort(out, n, sizeof(*out), compare_uint);
	return (int)n;
}
