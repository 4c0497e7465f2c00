// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Power meters of IIO drivers, over sysfs: a channel's value is (raw + offset) x scale,
 * in mW, mV and mA. IIO's buffers, which libiio reads, are faster than a regulator
 * settles; they are not used.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/meters_internal.h"
#include "lib/num.h"

#define IIO_DIR	    "/sys/bus/iio/devices"
#define MAX_INDEX   16
#define MAX_VOLT_MV 100000
#define MAX_CURR_MA 1000000

/* One channel, its scale and offset read once. */
struct channel {
	struct meter_file raw;
	double scale, offset;
};

struct iio_meter {
	struct channel power; /* mW; or */
	struct channel volt;  /* mV, and with it */
	struct channel curr;  /* mA */
};

/* DEVICE/in_WHAT_SUFFIX as a decimal number. */
static int read_decimal(const struct sysfs *sys, const char *device, const char *what,
			const char *suffix, double *out)
{
	char path[SYSFS_PATH + 64], text[64];
	int ret;

	snprintf(path, sizeof(path), "%s/in_%s_%s", device, what, suffix);
	ret = sysfs_read(sys, path, text, sizeof(text), NULL);
	return ret ? ret : num_double(text, out);
}

static bool has_channel(const struct sysfs *sys, const char *device, const char *what)
{
	char path[SYSFS_PATH + 64], text[32];

	snprintf(path, sizeof(path), "%s/in_%s_raw", device, what);
	return sysfs_read(sys, path, text, sizeof(text), NULL) != -ENOENT;
}

static void read_label(const struct sysfs *sys, const char *device, const char *what,
		       char *out, size_t size)
{
	char path[SYSFS_PATH + 64];

	snprintf(path, sizeof(path), "%s/in_%s_label", device, what);
	if (sysfs_read(sys, path, out, size, NULL))
		out[0] = '\0';
}

/* "sampling_frequency" is in Hz, of all channels or of the device. */
static uint32_t interval_us(const struct sysfs *sys, const char *device)
{
	static const char *const names[] = { "in_sampling_frequency",
					     "sampling_frequency" };
	char path[SYSFS_PATH + 64], text[64];
	double hz;
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", device, names[i]);
		if (!sysfs_read(sys, path, text, sizeof(text), NULL) &&
		    !num_double(text, &hz) && hz > 1e-3 && hz < 1e6)
			return fmax(lround(1e6 / hz), 1);
	}
	return 0;
}

/* What the device hangs on ("3-0040"): the folder above its own. */
static void parent(const struct sysfs *sys, const char *device, char *out, size_t size)
{
	char real[PATH_MAX], *where, *slash;

	out[0] = '\0';
	if (sysfs_real(sys, device, real, sizeof(real), NULL))
		return;
	where = realpath(real, NULL);
	slash = where ? strrchr(where, '/') : NULL;
	if (slash)
		*slash = '\0';
	slash = slash ? strrchr(where, '/') : NULL;
	/* Without a real device tree it is the list itself. */
	if (slash && strcmp(slash + 1, "devices") != 0)
		snprintf(out, size, "%s", slash + 1);
	free(where);
}

static struct meter_info *add_meter(struct meters *all, const char *device,
				    const char *channel)
{
	struct meter_info *m = meters_add(all, &meter_kind_iio);
	char name[32], above[40], path[SYSFS_PATH + 16];

	if (!m)
		return NULL;
	snprintf(path, sizeof(path), "%s/name", device);
	if (sysfs_read(all->sys, path, name, sizeof(name), NULL))
		snprintf(name, sizeof(name), "%.31s", strrchr(device, '/') + 1);
	parent(all->sys, device, above, sizeof(above));
	snprintf(m->path, sizeof(m->path), "%s", device);
	snprintf(m->driver, sizeof(m->driver), "%s", name);
	snprintf(m->device, sizeof(m->device), "%s%s%s", name, above[0] ? "@" : "",
		 above);
	meter_i2c_address(above, &m->bus, &m->addr);
	snprintf(m->channel, sizeof(m->channel), "%s", channel);
	m->interval_us = interval_us(all->sys, device);
	return m;
}

static unsigned int add_powers(struct meters *all, const char *device)
{
	struct meter_info *m;
	unsigned int i, n = 0;
	char what[16];

	for (i = 0; i < MAX_INDEX; i++) {
		snprintf(what, sizeof(what), "power%u", i);
		if (!has_channel(all->sys, device, what))
			continue;
		m = add_meter(all, device, what);
		if (!m)
			break;
		m->unit = "mW x scale";
		read_label(all->sys, device, what, m->labels[0], sizeof(m->labels[0]));
		meter_info_name(m, "iio:");
		n++;
	}
	return n;
}

static void add_product(struct meters *all, const char *device, const char *volt,
			const char *curr, bool by_name)
{
	struct meter_info *m;
	char both[40];

	snprintf(both, sizeof(both), "%.16s*%.16s", volt, curr);
	m = add_meter(all, device, both);
	if (!m)
		return;
	m->unit = "mV x mA";
	m->by_name = by_name;
	if (!by_name) {
		read_label(all->sys, device, volt, m->labels[1], sizeof(m->labels[1]));
		read_label(all->sys, device, curr, m->labels[2], sizeof(m->labels[2]));
	}
	meter_info_name(m, "iio:");
}

/*
 * A voltage and a current of one number belong together. With a single current, all
 * voltages are offered, but only when asked for by name: one of them may be the drop over
 * the shunt.
 */
static void add_products(struct meters *all, const char *device, bool has_power)
{
	unsigned int i, k, currents = 0;
	char volt[16], curr[16];

	for (i = 0; i < MAX_INDEX; i++) {
		snprintf(curr, sizeof(curr), "current%u", i);
		currents += has_channel(all->sys, device, curr);
	}
	for (i = 0; i < MAX_INDEX && currents; i++) {
		snprintf(volt, sizeof(volt), "voltage%u", i);
		if (!has_channel(all->sys, device, volt))
			continue;
		for (k = 0; k < MAX_INDEX; k++) {
			snprintf(curr, sizeof(curr), "current%u", k);
			if ((i == k || currents == 1) &&
			    has_channel(all->sys, device, curr))
				add_product(all, device, volt, curr, has_power || i != k);
		}
	}
}

static void add_device(struct meters *all, const char *entry)
{
	char device[SYSFS_PATH];

	if (strncmp(entry, "iio:device", 10) != 0 || strlen(entry) > 32)
		return;
	snprintf(device, sizeof(device), "%s/%s", IIO_DIR, entry);
	add_products(all, device, add_powers(all, device) > 0);
}

static void iio_list(struct meters *all)
{
	meters_each(all, IIO_DIR, add_device);
}

static int open_channel(const struct sysfs *sys, const char *device, const char *what,
			struct channel *c, struct err *err)
{
	char path[SYSFS_PATH + 64];
	int ret;

	snprintf(path, sizeof(path), "%s/in_%s_raw", device, what);
	ret = meter_file_open(&c->raw, sys, "IIO channel", path, err);
	if (ret)
		return ret;
	c->scale = 1;
	c->offset = 0;
	ret = read_decimal(sys, device, what, "scale", &c->scale);
	if (ret && ret != -ENOENT)
		return err_set(err, -EIO, "in_%s_scale is no number", what);
	ret = read_decimal(sys, device, what, "offset", &c->offset);
	if (ret && ret != -ENOENT)
		return err_set(err, -EIO, "in_%s_offset is no number", what);
	return 0;
}

static int iio_open(const struct meters *all, struct power_meter *pm, struct err *err)
{
	struct iio_meter *io = calloc(1, sizeof(*io));
	const char *device = pm->info.path;
	char volt[32], *star;
	int ret;

	if (!io)
		return err_set(err, -ENOMEM, "out of memory");
	pm->own = io;
	io->power.raw.fd = io->volt.raw.fd = io->curr.raw.fd = -1;
	snprintf(volt, sizeof(volt), "%s", pm->info.channel);
	star = strchr(volt, '*');
	if (!star)
		return open_channel(all->sys, device, volt, &io->power, err);
	*star = '\0';
	ret = open_channel(all->sys, device, volt, &io->volt, err);
	if (!ret)
		ret = open_channel(all->sys, device, star + 1, &io->curr, err);
	pm->tells_volts = !ret;
	return ret;
}

static int read_channel(const struct channel *c, double max, double *out, struct err *err)
{
	char text[32];
	int64_t raw = 0;
	int ret = meter_file_text(&c->raw, text, sizeof(text), err);

	if (ret)
		return ret;
	ret = num_i64(text, &raw) ? -EIO : 0;
	*out = (raw + c->offset) * c->scale;
	if (!ret && !(*out >= 0 && *out <= max))
		return err_set(err, -EIO, "%s: %g is not in 0..%g", c->raw.what, *out,
			       max);
	return meter_judge(c->raw.what, ret, 0, 0, err);
}

static int iio_read(struct power_meter *pm, uint64_t now_ns, struct reading *r,
		    struct err *err)
{
	const struct iio_meter *io = pm->own;
	double mw = 0, mv = 0, ma = 0;
	int ret;

	(void)now_ns;
	if (io->power.raw.fd >= 0) {
		ret = read_channel(&io->power, METERS_MAX_UW / 1e3, &mw, err);
		r->power_uw = llround(mw * 1e3);
		return ret;
	}
	ret = read_channel(&io->volt, MAX_VOLT_MV, &mv, err);
	if (!ret)
		ret = read_channel(&io->curr, MAX_CURR_MA, &ma, err);
	r->power_uw = llround(mv * ma);
	r->volt_uv = llround(mv * 1e3);
	return ret;
}

static void iio_close(struct power_meter *pm)
{
	struct iio_meter *io = pm->own;

	if (!io)
		return;
	meter_file_close(&io->power.raw);
	meter_file_close(&io->volt.raw);
	meter_file_close(&io->curr.raw);
	free(io);
}

const struct meter_kind meter_kind_iio = {
	.name = "iio",
	.list = iio_list,
	.open = iio_open,
	.read = iio_read,
	.close = iio_close,
};
