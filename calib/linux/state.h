/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we change is saved first, in memory and in /run/calib/state.json, so that it can
 * be put back at the end, on a signal, by the guardian when we are killed, and by 'calib
 * restore' or the next run when that was killed too. The file is gone again once
 * everything is back; /run does not outlive a reboot, nor do the settings.
 */
#ifndef CALIB_LINUX_STATE_H
#define CALIB_LINUX_STATE_H

#include <limits.h>
#include <stdbool.h>

#include "calib/linux/sysfs.h"
#include "lib/err.h"

#define STATE_MAX 512
/* Below these, a setting whose file is gone (a device was unplugged) needs no restoring.
 */
#define STATE_IRQS "/proc/irq/"
#define STATE_IIO  "/sys/bus/iio/devices/"
#define STATE_I2C  "/sys/bus/i2c/"
/* With "N/online" behind it, a CPU's switch. */
#define STATE_CPUS "/sys/devices/system/cpu/cpu"

struct state_item {
	char path[SYSFS_PATH];
	char text[128]; /* as read, without the newline */
};

struct state {
	const struct sysfs *sys;
	struct state_item *items; /* STATE_MAX of them */
	unsigned int count;
	int lock_fd; /* held while open: a state file without a holder is a crash's */
	char file[PATH_MAX], lock[PATH_MAX];
	/* Told each setting that state_restore() changed, and what it was; may be NULL.
	 */
	void (*told)(void *arg, const struct state_item *item, const char *was);
	void *told_arg;
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
 * state_attach - take the lock and load what a dead run left behind; restores nothing
 *
 * Makes no folder. Returns 0; -ENOENT: nothing was left behind; -EBUSY: a calib is
 * measuring, so that nothing is to be put back now; -EACCES; -EINVAL for a damaged file.
 */
int state_attach(struct state *st, const struct sysfs *sys, struct err *err);
/*
 * state_inherit - in a child that was forked while @st was open, once the parent is dead
 *
 * A lock of the child's own, and what the state file says now; where it cannot be read,
 * what was known at the fork. Returns 0; -EBUSY: the next calib is there, which has put
 * everything back; -errno, when @st is still good for state_restore().
 */
int state_inherit(struct state *st, struct err *err);
/*
 * state_save - remember what @path holds now; a path is remembered once, its first text
 * Returns 0, -errno of the read, -ENOSPC over STATE_MAX, -ENAMETOOLONG.
 */
int state_save(struct state *st, const char *path, struct err *err);
/* What setting number @i reads now into @now. 0 as saved, 1 otherwise, -errno. */
int state_compare(const struct state *st, unsigned int i, char now[SYSFS_TEXT],
		  struct err *err);
/* Write the state file. Call between the saves and the first change. 0 or -errno. */
int state_commit(struct state *st, struct err *err);
/*
 * state_restore - put everything back, in the order of the saves, and read it back
 *
 * CPUs that were online come first and those that were offline last, as a policy without
 * an online CPU takes no settings, and one that comes back may have the kernel's own.
 * When a policy's settings are refused, CPUs that were saved offline and are so again
 * are brought online for it. What the kernel refuses in that order (a minimum above the
 * present maximum) is tried again after the others. Items are forgotten and the file is
 * removed once all read as saved. Returns 0, or -EIO naming the first that does not; the
 * others are back and the file is kept.
 */
int state_restore(struct state *st, struct err *err);
/* The same of all but the first @keep that were saved; these stay, in the file too. */
int state_restore_from(struct state *st, unsigned int keep, struct err *err);
/* Lets go of lock and memory; restores nothing. Takes a zeroed struct. */
void state_close(struct state *st);

#endif
