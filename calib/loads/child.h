/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a small process does that looks after another one and after all which that starts.
 *
 * It holds one end of a "life" pipe whose other end only calib has: when calib closes it,
 * or dies by whatever cause, what is looked after is killed. The process that is looked
 * after leads a process group, which is killed as a whole; what left the group (setsid, a
 * daemon) comes to its looker-after when its parent is gone, and is killed then. All of
 * it is safe after the fork of a process with threads.
 */
#ifndef CALIB_LOADS_CHILD_H
#define CALIB_LOADS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * child_guard - from now on this process, just forked, looks after others
 * @name: shown by ps
 * @keep: descriptors of @n files that stay open, with standard error; input and output
 *	  are /dev/null
 *
 * Blocks all signals: only SIGKILL ends it.
 */
void child_guard(const char *name, const int *keep, unsigned int n);
/*
 * child_lead - in the process that is looked after, just forked: lead a group
 *
 * Signals are as a new program has them. Ends the process when @guard, its parent, is
 * gone; the kernel kills it should that be killed.
 */
void child_lead(pid_t guard);
/* Until @child ended (true; not reaped) or nobody wants it any more. */
bool child_wait(pid_t child, int life_fd);
/* Kill @child, its group and all that is left of what they started. How it ended, as
 * waitpid() tells. Its number must not have been reaped before. */
int child_kill(pid_t child);
/* Until nobody wants us any more. */
void child_wait_unwanted(int life_fd);

#endif
