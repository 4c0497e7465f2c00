/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attribute files below a root that a test can set. Paths are written as on the machine
 * ("/sys/devices/..."); messages name them without the root.
 */
#ifndef CALIB_LINUX_SYSFS_H
#define CALIB_LINUX_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define SYSFS_PATH 256	/* longest path we build */
#define SYSFS_TEXT 4096 /* an attribute is never longer than a page */

struct sysfs {
	char root[512]; /* "" is the machine itself */
};

/* @root may be NULL: this machine. 0, -ENAMETOOLONG, or -errno when it is no folder. */
int sysfs_init(struct sysfs *sys, const char *root, struct err *err);

/* The file behind @path, root included, into @out. 0 or -ENAMETOOLONG. */
int sysfs_real(const struct sysfs *sys, const char *path, char *out, size_t size,
	       struct err *err);

/*
 * sysfs_read - the whole text of an attribute, one newline at its end taken off
 *
 * Returns 0, -errno of open/read (-ENOENT is an answer), -EFBIG when it does not fit,
 * -EINVAL for a NUL byte in it.
 */
int sysfs_read(const struct sysfs *sys, const char *path, char *out, size_t size,
	       struct err *err);
/* Like sysfs_read() for a binary attribute; @len bytes came, no newline is taken off. */
int sysfs_read_bytes(const struct sysfs *sys, const char *path, void *out, size_t size,
		     size_t *len, struct err *err);

/*
 * sysfs_read_u32 - an attribute that is one number
 *
 * Returns what sysfs_read() does, -ENOTSUP for the kernel's "<unsupported>" and
 * "<unknown>", -EINVAL/-ERANGE for other text, which is quoted.
 */
int sysfs_read_u32(const struct sysfs *sys, const char *path, uint32_t *out,
		   struct err *err);

/* Write @text in one go. 0 or -errno; the message quotes what was written. */
int sysfs_write(const struct sysfs *sys, const char *path, const char *text,
		struct err *err);
/* Is @word one of the blank-separated words of @text? */
bool sysfs_has_word(const char *text, const char *word);

/* The last part of what a link says, "policy4" of "../cpufreq/policy4". 0 or -errno. */
int sysfs_link_name(const struct sysfs *sys, const char *path, char *out, size_t size);

/*
 * sysfs_set - write and read back, for attributes whose writes the kernel may ignore
 *
 * Returns 0, -errno, -EIO when the attribute reads otherwise afterwards.
 */
int sysfs_set(const struct sysfs *sys, const char *path, const char *text,
	      struct err *err);

/* May we read, or write, there? 0, -ENOENT, -EACCES, -EROFS. Nothing is opened. */
int sysfs_may_read(const struct sysfs *sys, const char *path, struct err *err);
int sysfs_may_write(const struct sysfs *sys, const char *path, struct err *err);

/*
 * sysfs_indices - the N of every PREFIX<N> in a folder, ascending
 *
 * Returns how many; -ENOENT when there is no such folder, -ERANGE for more than @max.
 */
int sysfs_indices(const struct sysfs *sys, const char *dir, const char *prefix,
		  unsigned int *out, size_t max, struct err *err);

#endif
