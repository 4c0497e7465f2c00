/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that runs a load command on one CPU, again and again.
 */
#ifndef CALIB_LOADS_MINDER_H
#define CALIB_LOADS_MINDER_H

#include <stdint.h>

enum minder_event {
	MINDER_RUNS,	    /* the command was executed */
	MINDER_NOT_PINNED,  /* value: errno */
	MINDER_NOT_STARTED, /* value: errno */
	MINDER_ENDED,	    /* value: as waitpid() tells it; it is not run again */
};

struct minder_report {
	int32_t kind, value;
	uint32_t ran_ms;
};

/*
 * minder_run - in a child that was just forked: be the minder; does not return
 * @life_fd: at its end of file the command's process group is killed and the minder ends
 * @report_fd: takes the reports
 *
 * Calls nothing that is unsafe after the fork of a process with threads.
 */
_Noreturn void minder_run(const char *const *argv, unsigned int cpu, int life_fd,
			  int report_fd);

#endif
