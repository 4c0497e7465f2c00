/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power meters that hwmon drivers offer, found and named through libsensors. The only
 * file that knows it.
 *
 * A meter is a powerN of a chip (instantaneous, else averaged by the chip), or the
 * product of inN and currN. in0 is never one half of a product: on the INA2xx it is the
 * drop over the shunt.
 *
 * A meter is chosen by what stays the same from boot to boot, never by hwmonN. SPEC is
 *	CHIP@ADDRESS		ina231@0x40
 *	CHIP@BUS-ADDRESS	ina231@3-0040
 *	libsensors' pattern	ina231-i2c-*-40
 *	label:TEXT		a label of the power, voltage or current: label:VDD_ARM
 * each but the last followed by "/power2", "/in2" or "/curr2" (the last two mean the
 * product of in2 and curr2) where the chip has more than one meter.
 */
#ifndef CALIB_LINUX_SENSORS_H
#define CALIB_LINUX_SENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

/* One attribute of a meter, kept open. */
struct sensor_value {
	const void *chip; /* libsensors' name of the chip; NULL: there is no such value */
	int subfeature;
	int fd;	      /* read straight; -1: through libsensors (a compute statement) */
	double scale; /* libsensors' value times this is the attribute's own unit */
};

struct sensor {
	char name[128];	      /* "ina231-i2c-3-40/power1 VDD_ARM" */
	char driver[32];      /* "ina231" */
	uint32_t interval_us; /* between updates, as the driver says; 0: it does not */
	bool averages;	      /* power1_average: a mean over interval_us */
	struct sensor_value power; /* uW */
	struct sensor_value volt;  /* mV; of the rail, or half of the product */
	struct sensor_value curr;  /* mA */
};

/*
 * sensors_begin - load libsensors' configuration and list the chips
 * sensors_end - let go of it; sensors must be closed before
 *
 * libsensors keeps its lists for the whole process: begin once. 0 or -EIO, -ENOMEM.
 */
int sensor_begin(struct err *err);
void sensor_end(void);

/*
 * sensor_find - the one meter that @spec means, opened
 *
 * Returns 0; -ENODEV no meter matches (the ones there are get named, or what to do when
 * there is none); -EEXIST several match (named); -EINVAL not a SPEC; -EIO it cannot be
 * read.
 */
int sensor_find(const char *spec, struct sensor *s, struct err *err);
/* All meters as "NAME, NAME" into @out, for messages; returns how many. */
unsigned int sensor_list(char *out, unsigned int size);

/*
 * sensor_read - power and rail voltage, in the same breath
 * @volt_uv: 0 when the meter does not tell
 *
 * Returns 0; -EAGAIN try again; -EIO a bad reading: the read failed, or the value is
 * negative, all ones, or more than any rail draws.
 */
int sensor_read(const struct sensor *s, int64_t *power_uw, uint32_t *volt_uv,
		struct err *err);
/* Takes a zeroed struct. */
void sensor_close(struct sensor *s);

#endif
