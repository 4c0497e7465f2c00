/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU cycles by perf_event: what the clock really was, whatever cpufreq claims.
 */
#ifndef CALIB_LINUX_CYCLES_H
#define CALIB_LINUX_CYCLES_H

#include <stdint.h>

#include "boards/board.h"

struct cycles {
	int fds[BOARD_MAX_CPUS];
	unsigned int count; /* 0: no PMU, or we may not use it */
};

/* Count on each of @cpus from now on; all or none. */
void cycles_open(struct cycles *cy, const unsigned int *cpus, unsigned int ncpus);
/* The same of any event that can be counted on a CPU, as perf_event_open() names it. */
void cycles_open_event(struct cycles *cy, uint32_t type, uint64_t config,
		       const unsigned int *cpus, unsigned int ncpus);
/* Since cycles_open(), CPU by CPU in its order. 0, -ENOENT (count is 0), -EIO. */
int cycles_read(const struct cycles *cy, uint64_t each[BOARD_MAX_CPUS]);
/* Takes a zeroed struct. */
void cycles_close(struct cycles *cy);

#endif
