// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * INA231 meters under the kernels that Hardkernel shipped for the Odroid-XU+E, XU3 and
 * XU4: no hwmon, but sensor_W, sensor_V and sensor_A as decimal text below the driver,
 * and "enable", which is 0 after boot.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/meters_internal.h"
#include "lib/num.h"

#define DRIVER_DIR  "/sys/bus/i2c/drivers/INA231"
#define MAX_VOLT_UV 100000000

struct odroid_meter {
	struct meter_file watt, volt;
};

static void add_meter(struct meters *all, const char *entry)
{
	struct meter_info *m;
	char path[SYSFS_PATH];
	int bus, addr;

	if (!meter_i2c_address(entry, &bus, &addr) || strlen(entry) > 32)
		return;
	m = meters_add(all, &meter_kind_odroid);
	if (!m)
		return;
	m->bus = bus;
	m->addr = addr;
	m->unit = "W";
	strcpy(m->driver, "ina231");
	snprintf(m->device, sizeof(m->device), "%s", entry);
	snprintf(m->path, sizeof(m->path), "%s/%s", DRIVER_DIR, entry);
	snprintf(m->enable, sizeof(m->enable), "%s/%s/enable", DRIVER_DIR, entry);
	snprintf(path, sizeof(path), "%s/%s/sensor_name", DRIVER_DIR, entry);
	if (sysfs_read(all->sys, path, m->labels[0], sizeof(m->labels[0]), NULL))
		m->labels[0][0] = '\0';
	snprintf(path, sizeof(path), "%s/%s/update_period", DRIVER_DIR, entry);
	if (sysfs_read_u32(all->sys, path, &m->interval_us, NULL))
		m->interval_us = 0;
	meter_info_name(m, "odroid:");
}

static void odroid_list(struct meters *all)
{
	meters_each(all, DRIVER_DIR, add_meter);
}

static int odroid_open(const struct meters *all, struct power_meter *pm, struct err *err)
{
	struct odroid_meter *o = calloc(1, sizeof(*o));
	char path[SYSFS_PATH + 16];
	int ret;

	if (!o)
		return err_set(err, -ENOMEM, "out of memory");
	pm->own = o;
	o->volt.fd = -1;
	snprintf(path, sizeof(path), "%s/sensor_W", pm->info.path);
	ret = meter_file_open(&o->watt, all->sys, "power", path, err);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/sensor_V", pm->info.path);
	pm->tells_volts = !meter_file_open(&o->volt, all->sys, "voltage", path, NULL);
	return 0;
}

/* "1.234567" in millionths. */
static int read_micro(const struct meter_file *f, int64_t max, int64_t *out,
		      struct err *err)
{
	char text[32];
	int ret = meter_file_text(f, text, sizeof(text), err);

	*out = 0;
	if (ret)
		return ret;
	ret = num_scaled(text, 6, out) ? -EIO : 0;
	return meter_judge(f->what, ret, *out, max, err);
}

static int odroid_read(struct power_meter *pm, uint64_t now_ns, struct reading *r,
		       struct err *err)
{
	const struct odroid_meter *o = pm->own;
	int64_t uv = 0;
	int ret;

	(void)now_ns;
	ret = read_micro(&o->watt, METERS_MAX_UW, &r->power_uw, err);
	if (!ret && o->volt.fd >= 0)
		ret = read_micro(&o->volt, MAX_VOLT_UV, &uv, err);
	r->volt_uv = uv;
	return ret;
}

static void odroid_close(struct power_meter *pm)
{
	struct odroid_meter *o = pm->own;

	if (!o)
		return;
	meter_file_close(&o->watt);
	meter_file_close(&o->volt);
	free(o);
}

const struct meter_kind meter_kind_odroid = {
	.name = "odroid",
	.list = odroid_list,
	.open = odroid_open,
	.read = odroid_read,
	.close = odroid_close,
};
