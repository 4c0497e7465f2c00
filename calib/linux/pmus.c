// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /sys/bus/event_source/devices. Those of interconnects, memory controllers and energy
 * have "cpumask": CPUs that do the counting, not CPUs that are counted.
 */
#include "calib/linux/pmus.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PMU_DIR "/sys/bus/event_source/devices"

/* Is it a CPU's? */
static bool read_pmu(const struct sysfs *sys, const char *name, struct pmu *pmu)
{
	char path[SYSFS_PATH];

	*pmu = (struct pmu){ .cpus = "" };
	if (name[0] == '.' || strlen(name) >= sizeof(pmu->name))
		return false;
	strcpy(pmu->name, name);
	snprintf(path, sizeof(path), PMU_DIR "/%s/cpus", pmu->name);
	if (!sysfs_read(sys, path, pmu->cpus, sizeof(pmu->cpus), NULL))
		return pmu->cpus[0];
	return !strcmp(name, "cpu");
}

unsigned int pmus_read(const struct sysfs *sys, struct pmu pmus[PMUS_MAX])
{
	struct dirent **found;
	char real[PATH_MAX];
	unsigned int count = 0;
	int n;

	if (sysfs_real(sys, PMU_DIR, real, sizeof(real), NULL))
		return 0;
	n = scandir(real, &found, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (count < PMUS_MAX)
			count += read_pmu(sys, found[i]->d_name, &pmus[count]);
		free(found[i]);
	}
	if (n >= 0)
		free(found);
	return count;
}

char *pmus_format(const struct pmu *pmus, unsigned int count, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (unsigned int i = 0; i < count && len < size; i++)
		len += snprintf(out + len, size - len, "%s%s (%s%s)", i ? ", " : "",
				pmus[i].name, pmus[i].cpus[0] ? "CPUs " : "all CPUs",
				pmus[i].cpus);
	return out;
}
