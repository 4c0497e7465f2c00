/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How busy CPUs were, from /proc/stat.
 */
#ifndef CALIB_LINUX_CPUSTAT_H
#define CALIB_LINUX_CPUSTAT_H

#include <stdint.h>

#include "calib/linux/sysfs.h"

/*
 * cpustat_idle_ns - time spent idle since boot, summed over @cpus
 *
 * Busy time is elapsed time less this: the kernel tells both in steps of 10 ms, but a CPU
 * that never idles has a difference of exactly 0, and that is the one that counts.
 * Returns 0, -ENOENT when one of @cpus is not listed, -errno, -EINVAL.
 */
int cpustat_idle_ns(const struct sysfs *sys, const unsigned int *cpus, unsigned int ncpus,
		    uint64_t *idle_ns, struct err *err);
/* The step of it: a difference may be off by that much per CPU. */
uint64_t cpustat_tick_ns(void);

#endif
