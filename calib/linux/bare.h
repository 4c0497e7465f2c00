/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of CPUs that nobody can set: what a load on each of them shows.
 */
#ifndef CALIB_LINUX_BARE_H
#define CALIB_LINUX_BARE_H

#include <stdint.h>

struct bare_cpu {
	unsigned int cpu;
	uint32_t khz; /* by its cycle counter; 0: there is none */
	double rate;  /* units of work per second */
};

/*
 * bare_look - load the CPUs that we may use, one after the other
 * @time_ns: on each
 *
 * Returns how many are in @cpus, -EINTR when a signal asked to end, or -errno.
 */
int bare_look(struct bare_cpu *cpus, unsigned int max, uint64_t time_ns);

#endif
