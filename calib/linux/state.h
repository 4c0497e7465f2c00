/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we change is saved first, in memory and in /run/calib/state.json, so that it can
 * be put back at the end, on a signal, and by the next run after a crash. The file is
 * gone again once everything is back; /run does not outlive a reboot, nor do the
 * settings.
 */
#ifndef CALIB_LINUX_STATE_H
#define CALIB_LINUX_STATE_H

#include <limits.h>
#include <stdbool.h>

#include "calib/linux/sysfs.h"
#include "lib/err.h"

#define STATE_MAX 512

struct state_item {
	char path[SYSFS_PATH];
	char text[128]; /* as read, without the newline */
};

struct state {
	const struct sysfs *sys;
	struct state_item *items; /* STATE_MAX of them */
	unsigned int count;
	int lock_fd; /* held while open: a state file without a holder is a crash's */
	char file[PATH_MAX];
};

/*
 * state_open - take the lock; put back what a dead run left behind
 * @recovered: set when there was such a thing
 *
 * In /run/calib, or $XDG_RUNTIME_DIR/calib where /run is not writable. Returns 0, -EBUSY
 * "another calib is measuring", -errno, -EIO/-EINVAL when the leftover cannot be put
 * back (its file is kept and named).
 */
int state_open(struct state *st, const struct sysfs *sys, bool *recovered,
	       struct err *err);
/*
 * state_save - remember what @path holds now; a path is remembered once, its first text
 * Returns 0, -errno of the read, -ENOSPC over STATE_MAX, -ENAMETOOLONG.
 */
int state_save(struct state *st, const char *path, struct err *err);
/* Write the state file. Call between the saves and the first change. 0 or -errno. */
int state_commit(struct state *st, struct err *err);
/*
 * state_restore - put everything back, in the order of the saves, and read it back
 *
 * What the kernel refuses in that order (a minimum above the present maximum) is tried
 * again after the others. Items are forgotten and the file is removed once all read as
 * saved. Returns 0, or -EIO naming the first that does not; the others are back and the
 * file is kept.
 */
int state_restore(struct state *st, struct err *err);
/* Lets go of lock and memory; restores nothing. Takes a zeroed struct. */
void state_close(struct state *st);

#endif
