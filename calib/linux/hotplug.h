/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs that are offline, and bringing them online.
 */
#ifndef CALIB_LINUX_HOTPLUG_H
#define CALIB_LINUX_HOTPLUG_H

#include <stdbool.h>

#include "calib/linux/state.h"
#include "calib/linux/sysfs.h"

/* Its switch says so; a CPU without a switch (CPU 0, mostly) is online. */
bool hotplug_is_offline(const struct sysfs *sys, unsigned int cpu);
/* Those of @cpus that are, into @offline, which may be @cpus. How many. */
unsigned int hotplug_offline(const struct sysfs *sys, const unsigned int *cpus,
			     unsigned int ncpus, unsigned int *offline);

/* May we switch them? 0, or -errno with what to do. */
int hotplug_may_switch(const struct sysfs *sys, const unsigned int *cpus,
		       unsigned int ncpus, struct err *err);
/* Remember that they are offline: state_restore() then ends with that. */
int hotplug_save(struct state *st, const unsigned int *cpus, unsigned int ncpus,
		 struct err *err);
/*
 * hotplug_bring_up - call after state_commit()
 *
 * When it returns, the kernel has made or woken the CPUs' cpufreq policies. 0, -errno
 * naming the CPU that does not come up.
 */
int hotplug_bring_up(const struct sysfs *sys, const unsigned int *cpus,
		     unsigned int ncpus, struct err *err);

#endif
