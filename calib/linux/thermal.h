/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thermal zones and cooling devices of a cluster.
 */
#ifndef CALIB_LINUX_THERMAL_H
#define CALIB_LINUX_THERMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/linux/sysfs.h"
#include "calib/linux/topology.h"

#define THERMAL_DIR "/sys/class/thermal"
#define THERMAL_MAX 32

struct thermal {
	unsigned int zones[THERMAL_MAX], zone_count; /* thermal_zoneN */
	unsigned int cutters[THERMAL_MAX],
		cutter_count; /* zones that can cut its clock */
	unsigned int coolers[THERMAL_MAX], cooler_count; /* cooling_deviceN */
};

/*
 * thermal_find - what concerns cluster @i; none found is no error
 *
 * Zones, the first rule that finds any: named after the cluster; with a cooling device of
 * its policies bound; named after CPUs. Cooling devices: cpufreq ones of its policies,
 * and those that cut all CPUs ("Processor"). What can cut its clock: those zones, and all
 * to which a cooling device of its policies is bound.
 */
void thermal_find(const struct sysfs *sys, const struct topology *topo, unsigned int i,
		  struct thermal *th);
/* One zone. 0, -EIO, what sysfs_read() returns. */
int thermal_zone_mc(const struct sysfs *sys, unsigned int zone, int32_t *temp_mc);
/* Where the kernel ends the system. 0, -ENOENT: it is not told. */
int thermal_critical_mc(const struct sysfs *sys, unsigned int zone, int32_t *temp_mc);
/* The hottest of the zones. 0, -ENOENT no zone, -EIO none can be read now. */
int thermal_read_mc(const struct sysfs *sys, const struct thermal *th, int32_t *temp_mc,
		    struct err *err);
/*
 * The lowest temperature at which a zone cuts clocks (passive) or ends the run (hot,
 * critical); fans (active) do neither. 0, -ENOENT: none is told.
 */
int thermal_trip_mc(const struct sysfs *sys, const struct thermal *th, int32_t *temp_mc,
		    struct err *err);
/*
 * How often the hardware has cut the clock of these CPUs or of their package by itself
 * (x86: thermal_throttle/), summed; only differences tell. 0: never, or not counted.
 */
uint64_t thermal_throttle_count(const struct sysfs *sys, const unsigned int *cpus,
				unsigned int ncpus);
/* Is a cooling device at work? 0, -ENOENT: there is none that would tell. */
int thermal_throttled(const struct sysfs *sys, const struct thermal *th, bool *yes,
		      struct err *err);

#endif
