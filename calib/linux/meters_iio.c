// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Power meters of IIO drivers: a channel's value is (raw + offset) x scale, in mW, mV and
 * mA. While a measurement goes on they are read through the device's buffer, where it has
 * one that is free; before and after, or else, from their sysfs files.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/iio_buffer.h"
#include "calib/linux/meters_internal.h"
#include "calib/measure/stop.h"
#include "lib/num.h"

#define IIO_DIR	     "/sys/bus/iio/devices"
#define MAX_INDEX    16
#define MAX_TRIGGERS 64
#define MAX_VOLT_MV  100000
#define MAX_CURR_MA  1000000

/* One channel, its scale and offset read once. */
struct channel {
	struct meter_file raw;
	double scale, offset;
	const struct iio_element *element; /* in the buffer's scans */
};

struct iio_meter {
	struct iio_sink sink; /* first: see iio_buffer.h */
	struct channel power; /* mW; or */
	struct channel volt;  /* mV, and with it */
	struct channel curr;  /* mA */
	/* the device's buffer; NULL: not used */
	struct iio_buffer *buffer;
	bool has_elements, saved, capturing;
	struct err why_not; /* why it is not used after all */
	struct meter_mean mean;
	bool bad; /* a scan was, or scans were lost, since the last read */
	struct err bad_err;
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

/* DIR/NAME, in Hz; 0: not told. */
static uint32_t frequency_us(const struct sysfs *sys, const char *dir, const char *name)
{
	char path[SYSFS_PATH + 64], text[64];
	double hz;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (sysfs_read(sys, path, text, sizeof(text), NULL) || num_double(text, &hz) ||
	    !(hz > 1e-3 && hz < 1e6))
		return 0;
	return fmax(lround(1e6 / hz), 1);
}

/* Of the trigger that makes the device's buffer go. */
static uint32_t trigger_us(const struct sysfs *sys, const char *device)
{
	unsigned int found[MAX_TRIGGERS];
	char path[SYSFS_PATH + 64], wanted[64], name[64];
	int n;

	snprintf(path, sizeof(path), "%s/trigger/current_trigger", device);
	if (sysfs_read(sys, path, wanted, sizeof(wanted), NULL))
		return 0;
	n = sysfs_indices(sys, IIO_DIR, "trigger", found, MAX_TRIGGERS, NULL);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), IIO_DIR "/trigger%u/name", found[i]);
		if (sysfs_read(sys, path, name, sizeof(name), NULL) ||
		    strcmp(name, wanted) != 0)
			continue;
		snprintf(path, sizeof(path), IIO_DIR "/trigger%u", found[i]);
		return frequency_us(sys, path, "sampling_frequency");
	}
	return 0;
}

/* All channels have one frequency, or the device has. */
static uint32_t interval_us(const struct sysfs *sys, const char *device)
{
	uint32_t us = frequency_us(sys, device, "in_sampling_frequency");

	if (!us)
		us = frequency_us(sys, device, "sampling_frequency");
	return us;
}

/* The one channel, or "VOLT*CURR" as two, each in @text; ends with NULL. */
static void split_channels(const char *channel, char text[32], const char *out[3])
{
	char *star;

	snprintf(text, 32, "%s", channel);
	star = strchr(text, '*');
	if (star)
		*star = '\0';
	out[0] = text;
	out[1] = star ? star + 1 : NULL;
	out[2] = NULL;
}

/* Through its buffer, or why not. */
static void look_at_buffer(const struct sysfs *sys, struct meter_info *m)
{
	const char *channels[3];
	char text[32];
	struct err why;
	int ret;

	split_channels(m->channel, text, channels);
	ret = iio_buffer_check(sys, m->path, channels, &why);
	m->buffered = !ret;
	if (m->buffered && !m->interval_us)
		m->interval_us = trigger_us(sys, m->path);
	if (ret && ret != -ENOENT)
		snprintf(m->note, sizeof(m->note), "not through its buffer: %.100s",
			 why.msg);
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
	look_at_buffer(all->sys, m);
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
		m->unit = m->buffered ? "mW x scale" : "mW x scale, sysfs";
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
	m->unit = m->buffered ? "mV x mA" : "mV x mA, sysfs";
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

static void iio_end(struct meters *all)
{
	iio_buffers_free(all->iio_own);
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

/* One value of a channel, in its unit. */
static int judge(const struct channel *c, double raw, double max, double *out,
		 struct err *err)
{
	*out = (raw + c->offset) * c->scale;
	if (*out >= 0 && *out <= max)
		return 0;
	return err_set(err, -EIO, "%s: %g is not in 0..%g", c->raw.what, *out, max);
}

static double scanned(const struct channel *c, const unsigned char *scan)
{
	int64_t value = iio_element_value(c->element, scan);

	return c->element->is_signed ? (double)value : (double)(uint64_t)value;
}

/* The power in uW and, where it is told, the voltage in uV. */
static int take_scan(const struct iio_meter *io, const unsigned char *scan, double *uw,
		     double *uv, struct err *err)
{
	double mw, mv, ma;
	int ret;

	*uv = 0;
	if (io->power.element) {
		ret = judge(&io->power, scanned(&io->power, scan), METERS_MAX_UW / 1e3,
			    &mw, err);
		*uw = mw * 1e3;
		return ret;
	}
	ret = judge(&io->volt, scanned(&io->volt, scan), MAX_VOLT_MV, &mv, err);
	if (!ret)
		ret = judge(&io->curr, scanned(&io->curr, scan), MAX_CURR_MA, &ma, err);
	if (ret)
		return ret;
	*uw = mv * ma;
	*uv = mv * 1e3;
	return 0;
}

/* The first that is bad is told, the others count. */
static void iio_scan(struct iio_sink *sink, const unsigned char *scan, int64_t time_ns,
		     uint64_t now_ns)
{
	struct iio_meter *io = (struct iio_meter *)sink;
	struct err *err = io->bad ? NULL : &io->bad_err;
	double uw, uv;

	if (take_scan(io, scan, &uw, &uv, err) ||
	    meter_mean_add(&io->mean, time_ns, uw, uv, now_ns, err))
		io->bad = true;
}

static void iio_lost(struct iio_sink *sink)
{
	struct iio_meter *io = (struct iio_meter *)sink;

	meter_mean_drop(&io->mean);
	io->bad = true;
	err_set(&io->bad_err, 0, "IIO buffer: it ran over, as nobody read for long");
}

static int find_element(struct iio_meter *io, struct channel *c, const char *what,
			struct err *err)
{
	return iio_buffer_want(io->buffer, what, &c->element, err);
}

/* One that cannot be had now is told when it is started. */
static int open_buffer(const struct meters *all, struct power_meter *pm,
		       const char *const *channels, struct err *err)
{
	struct iio_meter *io = pm->own;
	int ret;

	io->buffer = iio_buffer_get((struct iio_buffer **)&all->iio_own, all->sys,
				    pm->info.path);
	if (!io->buffer)
		return err_set(err, -ENOMEM, "out of memory");
	ret = find_element(io, channels[1] ? &io->volt : &io->power, channels[0],
			   &io->why_not);
	if (!ret && channels[1])
		ret = find_element(io, &io->curr, channels[1], &io->why_not);
	io->has_elements = !ret;
	return 0;
}

static int iio_open(const struct meters *all, struct power_meter *pm, struct err *err)
{
	struct iio_meter *io = calloc(1, sizeof(*io));
	const char *device = pm->info.path, *channels[3];
	char text[32];
	int ret;

	if (!io)
		return err_set(err, -ENOMEM, "out of memory");
	pm->own = io;
	io->sink = (struct iio_sink){ .scan = iio_scan, .lost = iio_lost };
	io->power.raw.fd = io->volt.raw.fd = io->curr.raw.fd = -1;
	split_channels(pm->info.channel, text, channels);
	ret = open_channel(all->sys, device, channels[0],
			   channels[1] ? &io->volt : &io->power, err);
	if (!ret && channels[1])
		ret = open_channel(all->sys, device, channels[1], &io->curr, err);
	if (!ret && pm->info.buffered)
		ret = open_buffer(all, pm, channels, err);
	pm->tells_volts = !ret && channels[1];
	return ret;
}

static int read_channel(const struct channel *c, double max, double *out, struct err *err)
{
	char text[32];
	int64_t raw = 0;
	int ret = meter_file_text(&c->raw, text, sizeof(text), err);

	if (ret)
		return ret;
	if (num_i64(text, &raw))
		return meter_judge(c->raw.what, -EIO, 0, 0, err);
	return judge(c, raw, max, out, err);
}

static int read_files(const struct iio_meter *io, struct reading *r, struct err *err)
{
	double mw = 0, mv = 0, ma = 0;
	int ret;

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

static int iio_read(struct power_meter *pm, uint64_t now_ns, struct reading *r,
		    struct err *err)
{
	struct iio_meter *io = pm->own;
	int ret;

	if (!io->capturing)
		return read_files(io, r, err);
	ret = iio_buffer_drain(io->buffer, now_ns, err);
	if (ret)
		return ret;
	if (io->bad) {
		io->bad = false;
		return err_set(err, -EIO, "%s", io->bad_err.msg);
	}
	return meter_mean_take(&io->mean, now_ns, r, err);
}

static void iio_save(struct power_meter *pm, struct state *st)
{
	struct iio_meter *io = pm->own;

	if (io->has_elements)
		io->saved = !iio_buffer_save(io->buffer, st, &io->why_not);
}

static int iio_start(struct power_meter *pm, struct err *why)
{
	struct iio_meter *io = pm->own;
	int ret;

	if (!io->buffer || io->capturing)
		return 0;
	if (!io->saved)
		return err_set(why, -EBUSY, "%s", io->why_not.msg);
	ret = iio_buffer_start(io->buffer, &io->sink, why);
	io->capturing = !ret;
	io->bad = false;
	io->mean = (struct meter_mean){
		.told = io->mean.told,
		.arrived_ns = stop_now_ns(),
		.timed = io->capturing && iio_buffer_has_time(io->buffer),
	};
	return ret;
}

static void iio_stop(struct power_meter *pm)
{
	struct iio_meter *io = pm->own;

	if (io->capturing)
		iio_buffer_stop(io->buffer, &io->sink);
	io->capturing = io->saved = false;
}

static struct meter_mean *iio_mean(const struct power_meter *pm)
{
	struct iio_meter *io = pm->own;

	return &io->mean;
}

static void iio_close(struct power_meter *pm)
{
	struct iio_meter *io = pm->own;

	if (!io)
		return;
	iio_stop(pm);
	meter_file_close(&io->power.raw);
	meter_file_close(&io->volt.raw);
	meter_file_close(&io->curr.raw);
	free(io);
}

const struct meter_kind meter_kind_iio = {
	.name = "iio",
	.list = iio_list,
	.end = iio_end,
	.open = iio_open,
	.save = iio_save,
	.start = iio_start,
	.stop = iio_stop,
	.read = iio_read,
	.mean = iio_mean,
	.close = iio_close,
};
