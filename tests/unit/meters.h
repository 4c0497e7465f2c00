/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The meters of a fake machine, by the names that users give them; include after
 * <cmocka.h>.
 */
#ifndef TESTS_UNIT_METERS_H
#define TESTS_UNIT_METERS_H

#include <string.h>

#include "calib/linux/meters.h"

static struct sysfs sys;
static struct meters all;

static inline void meters_look(const char *dir)
{
	struct err err = { "" };

	assert_int_equal(sysfs_init(&sys, dir, NULL), 0);
	if (meters_open(&all, &sys, NULL, &err))
		fail_msg("%s", err.msg);
}

static inline const struct meter_info *find(const char *spec)
{
	const struct meter_info *info = NULL;
	struct err err = { "" };

	if (meters_find(&all, spec, &info, &err))
		fail_msg("%s: %s", spec, err.msg);
	return info;
}

static inline void open_meter(const char *spec, struct power_meter *pm)
{
	struct err err = { "" };

	if (power_meter_open(&all, find(spec), pm, &err))
		fail_msg("%s: %s", spec, err.msg);
}

static inline void expect_reading(const char *spec, int64_t uw, uint32_t uv)
{
	struct err err = { "" };
	struct power_meter pm;
	struct reading r;

	open_meter(spec, &pm);
	if (power_meter_read(&pm, 7, &r, &err))
		fail_msg("%s: %s", spec, err.msg);
	assert_int_equal(r.power_uw, uw);
	assert_int_equal(r.volt_uv, uv);
	assert_int_equal(r.time_ns, 7);
	power_meter_close(&pm);
}

static inline void expect_refused(const char *spec, int code, const char *text)
{
	const struct meter_info *info;
	struct err err = { "" };

	assert_int_equal(meters_find(&all, spec, &info, &err), code);
	if (!strstr(err.msg, text))
		fail_msg("'%s' does not say '%s'", err.msg, text);
	assert_null(strchr(err.msg, '\n'));
}

#endif
