/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this process has changed on the machine: saved, watched over by a guardian, and
 * put back in every kind of end. All that changes settings shares one of these, as a
 * machine has one lock and one state file: hold it, state_save() what will be changed,
 * commit, change, and restore.
 */
#ifndef CALIB_LINUX_SETTINGS_H
#define CALIB_LINUX_SETTINGS_H

#include <stdbool.h>

#include "calib/linux/guardian.h"
#include "calib/linux/state.h"
#include "calib/linux/sysfs.h"
#include "lib/err.h"

/* Zeroed: none. */
struct settings {
	const struct sysfs *sys;
	struct state state;
	struct guardian guardian;
	bool held;
	bool recovered; /* what there was at first was not the user's */
	void (*note)(void *arg, const char *text);
	void *note_arg;
};

/*
 * settings_init - nothing is changed yet
 * @s: must stay where it is until settings_close()
 * @sys: borrowed until then
 * @note: takes one-line notes, also in the guardian's process; may be NULL
 */
void settings_init(struct settings *s, const struct sysfs *sys,
		   void (*note)(void *arg, const char *text), void *note_arg);
/* The lock, and what a dead run left behind is put back. As state_open(); 0 when it is
 * held. */
int settings_hold(struct settings *s, struct err *err);
/* The file and the guardian: from here on what was saved may be changed. Call it without
 * threads. 0 or -errno. */
int settings_commit(struct settings *s, struct err *err);
/* All but the first @keep that were saved, as state_restore_from(). With none left the
 * guardian goes. Does nothing when nothing is held. */
int settings_restore(struct settings *s, unsigned int keep, struct err *err);
/* Restores what is not yet. Takes a zeroed struct. */
void settings_close(struct settings *s);

#endif
