/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the two halves of sensors: opening one attribute of a meter.
 */
#ifndef CALIB_LINUX_SENSORS_INTERNAL_H
#define CALIB_LINUX_SENSORS_INTERNAL_H

#include <sensors/error.h>
#include <sensors/sensors.h>

#include "calib/linux/sensors.h"

/* @sub may be NULL: then there is no such value. */
void sensor_value_open(struct sensor_value *v, const sensors_chip_name *chip,
		       const sensors_subfeature *sub, double scale);
/* 0 or -EIO: libsensors itself has no way to read it (no such file, no rights). A reading
 * that is bad only now is no reason to refuse. */
int sensor_value_usable(const struct sensor_value *v, struct err *err);

#endif
