/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any program as a load: one process per CPU, pinned there, run again when it ends.
 *
 * Each is looked after by a small process of ours, its minder, which holds one end of a
 * pipe whose other end only we have: when we stop the load, or die by whatever cause, the
 * minder kills the command's process group. It sleeps otherwise.
 */
#ifndef CALIB_LOADS_COMMAND_H
#define CALIB_LOADS_COMMAND_H

#include <stdint.h>

#include "lib/err.h"

#define LOAD_CMD	"cmd" /* what this load is called */
#define LOAD_CMD_MIN_MS 20    /* a command that takes less is mostly its own start */

struct command_load;

/*
 * command_start - run @argv on each of @cpus until command_stop()
 * @argv: NULL-ended; argv[0] is looked up in PATH. Borrowed until command_stop()
 *
 * Its input and output are /dev/null, standard error is ours. Returns once each was
 * executed. 0; -EINVAL naming the CPU that cannot be used; -ENOENT, -EACCES, ... when
 * there is no such program; -EAGAIN, -ENOMEM. On failure nothing runs.
 */
int command_start(const char *const *argv, const unsigned int *cpus, unsigned int ncpus,
		  struct command_load **out, struct err *err);
/*
 * command_check - do all of them run? Watches for @wait_ms
 *
 * Returns 0, or -ECHILD with how one ended: with a status other than 0, by a signal, or
 * within LOAD_CMD_MIN_MS.
 */
int command_check(const struct command_load *c, unsigned int wait_ms, struct err *err);
/* Kills the commands with all of their process groups. Takes NULL. */
void command_stop(struct command_load *c);

#endif
