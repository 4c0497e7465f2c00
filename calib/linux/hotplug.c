// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /sys/devices/system/cpu/cpuN/online. The state takes care of putting CPUs offline
 * again.
 */
#include "calib/linux/hotplug.h"

#include <stdio.h>
#include <string.h>

struct path {
	char text[SYSFS_PATH];
};

static struct path switch_of(unsigned int cpu)
{
	struct path p;

	snprintf(p.text, sizeof(p.text), STATE_CPUS "%u/online", cpu);
	return p;
}

bool hotplug_is_offline(const struct sysfs *sys, unsigned int cpu)
{
	char text[16];

	return !sysfs_read(sys, switch_of(cpu).text, text, sizeof(text), NULL) &&
	       !strcmp(text, "0");
}

unsigned int hotplug_offline(const struct sysfs *sys, const unsigned int *cpus,
			     unsigned int ncpus, unsigned int *offline)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < ncpus; i++)
		if (hotplug_is_offline(sys, cpus[i]))
			offline[n++] = cpus[i];
	return n;
}

int hotplug_may_switch(const struct sysfs *sys, const unsigned int *cpus,
		       unsigned int ncpus, struct err *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < ncpus && !ret; i++)
		ret = sysfs_may_write(sys, switch_of(cpus[i]).text, err);
	return ret ? err_wrap(err, ret, "bringing CPUs online needs root") : 0;
}

int hotplug_save(struct state *st, const unsigned int *cpus, unsigned int ncpus,
		 struct err *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < ncpus && !ret; i++)
		ret = state_save(st, switch_of(cpus[i]).text, err);
	return ret;
}

int hotplug_bring_up(const struct sysfs *sys, const unsigned int *cpus,
		     unsigned int ncpus, struct err *err)
{
	for (unsigned int i = 0; i < ncpus; i++) {
		int ret = sysfs_set(sys, switch_of(cpus[i]).text, "1", err);

		if (ret)
			return err_wrap(err, ret,
					"CPU %u does not come online; leave --online out",
					cpus[i]);
	}
	return 0;
}
