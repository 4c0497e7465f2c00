/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small process beside ours that puts the machine's settings back when we die without
 * doing it: SIGKILL, the OOM killer, a crash.
 */
#ifndef CALIB_LINUX_GUARDIAN_H
#define CALIB_LINUX_GUARDIAN_H

#include <sys/types.h>

#include "calib/linux/state.h"
#include "lib/err.h"

/* Zeroed: there is none. */
struct guardian {
	pid_t pid;
	int fd; /* open as long as we live, in no other process */
};

/*
 * guardian_start - fork it; call after the saves, before state_commit()
 * @st: what to put back, should there be no state file that can be read then
 * @note: takes the one line that tells what it did, in the guardian's process; may be
 *	  NULL
 *
 * It has a session of its own, so that nothing sent to our process group reaches it,
 * takes no signal but SIGKILL, and holds no lock and no file of ours but standard error.
 * While one is alive, does nothing. Call it without threads. 0 or -errno.
 */
int guardian_start(struct guardian *g, const struct state *st,
		   void (*note)(void *arg, const char *text), void *arg, struct err *err);
/* Everything is back: let it go. Takes a zeroed struct; may be called twice. */
void guardian_dismiss(struct guardian *g);

#endif
