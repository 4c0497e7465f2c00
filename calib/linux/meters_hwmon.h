/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes of hwmon chips: libsensors finds them, and is asked for the value where
 * sensors.conf computes it.
 */
#ifndef CALIB_LINUX_METERS_HWMON_H
#define CALIB_LINUX_METERS_HWMON_H

#include <sensors/error.h>
#include <sensors/sensors.h>

#include "calib/linux/meters_internal.h"

/* One attribute of a meter. */
struct hwmon_value {
	const sensors_chip_name *chip; /* NULL: there is no such value */
	int subfeature;
	struct meter_file file; /* read straight; fd -1: through libsensors */
	double scale; /* libsensors' value times this is the attribute's own unit */
};

struct hwmon_meter {
	struct hwmon_value power; /* uW, or uJ where it counts */
	struct hwmon_value volt;  /* mV; of the rail, or half of the product */
	struct hwmon_value curr;  /* mA */
	bool counts;
	struct meter_counter counter;
};

/* @sub may be NULL: then there is no such value. */
void hwmon_value_open(struct hwmon_value *v, const sensors_chip_name *chip,
		      const sensors_subfeature *sub, const char *what, double scale);
/* 0 or -EIO: libsensors itself has no way to read it (no such file, no rights). A reading
 * that is bad only now is no reason to refuse. */
int hwmon_value_usable(const struct hwmon_value *v, struct err *err);
int hwmon_read(struct power_meter *pm, uint64_t now_ns, struct reading *r,
	       struct err *err);
const struct meter_counter *hwmon_counter(const struct power_meter *pm);
void hwmon_close(struct power_meter *pm);

#endif
