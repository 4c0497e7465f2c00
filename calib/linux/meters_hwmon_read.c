// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hot path of hwmon meters. libsensors opens, reads and closes the attribute for each
 * value; a file kept open and read again gives the same for a tenth of the time. It is
 * used once it has been seen to give what libsensors gives; where sensors.conf computes
 * (a divider, another shunt) it does not, and libsensors is asked each time.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/meters_hwmon.h"

#define MAX_VOLT_MV 100000
#define MAX_CURR_MA 1000000

#define PROOF_TRIES 8
#define SAME	    1e-12

/* What libsensors says, in the file's unit. */
static int ask_libsensors(const struct hwmon_value *v, double *out)
{
	/* Its errors do not tell EAGAIN from ENODATA. */
	if (sensors_get_value(v->chip, v->subfeature, out))
		return -EIO;
	*out *= v->scale;
	return isfinite(*out) && fabs(*out) <= 1e18 ? 0 : -EIO;
}

/*
 * Nothing but the rounding of doubles lies between them. Compared before the value is
 * cut to an integer: 2 mA x 1.2 would be 2 mA. A zero proves nothing, as it is zero times
 * anything.
 */
static bool same(int64_t raw, double lib)
{
	return raw && fabs(raw - lib) <= SAME * llabs(raw);
}

/* The value may change between two reads: one of its neighbours in time must agree, and a
 * counter lies between them. */
static bool proven_equal(const struct hwmon_value *v)
{
	int64_t before, after;
	double lib;
	int i;

	for (i = 0; i < PROOF_TRIES; i++) {
		if (meter_file_value(&v->file, INT64_MAX, &before, NULL) ||
		    ask_libsensors(v, &lib) ||
		    meter_file_value(&v->file, INT64_MAX, &after, NULL))
			continue;
		if (same(before, lib) || same(after, lib))
			return true;
		if (before < lib && lib < after && after - before < before / 1000)
			return true;
	}
	return false;
}

void hwmon_value_open(struct hwmon_value *v, const sensors_chip_name *chip,
		      const sensors_subfeature *sub, const char *what, double scale)
{
	const struct sysfs machine = { "" };
	char path[PATH_MAX];

	*v = (struct hwmon_value){ .file = { -1, what } };
	if (!sub)
		return;
	v->chip = chip;
	v->subfeature = sub->number;
	v->scale = scale;
	if (snprintf(path, sizeof(path), "%s/%s", chip->path, sub->name) >=
		    (int)sizeof(path) ||
	    meter_file_open(&v->file, &machine, what, path, NULL))
		return;
	if (!proven_equal(v))
		meter_file_close(&v->file);
}

int hwmon_value_usable(const struct hwmon_value *v, struct err *err)
{
	double value;
	int ret;

	if (v->file.fd >= 0)
		return 0;
	ret = sensors_get_value(v->chip, v->subfeature, &value);
	/* -EIO and the like is the driver's word on this reading alone. */
	if (!ret || ret == -SENSORS_ERR_IO)
		return 0;
	return err_set(err, -EIO, "libsensors cannot read it: %s", sensors_strerror(ret));
}

static int read_value(const struct hwmon_value *v, int64_t max, int64_t *out,
		      struct err *err)
{
	double value;
	int ret;

	if (v->file.fd >= 0)
		return meter_file_value(&v->file, max, out, err);
	ret = ask_libsensors(v, &value);
	*out = ret ? 0 : llround(value);
	return meter_judge(v->file.what, ret, *out, max, err);
}

static int read_counter(struct hwmon_meter *h, uint64_t now_ns, int64_t *power_uw,
			struct err *err)
{
	int64_t raw;
	int ret = read_value(&h->power, INT64_MAX, &raw, err);

	return ret ? ret : meter_counter_take(&h->counter, raw, now_ns, power_uw, err);
}

int hwmon_read(struct power_meter *pm, uint64_t now_ns, struct reading *r,
	       struct err *err)
{
	struct hwmon_meter *h = pm->own;
	int64_t mv = 0, ma;
	int ret = 0;

	if (h->counts)
		return read_counter(h, now_ns, &r->power_uw, err);
	if (h->power.chip)
		ret = read_value(&h->power, METERS_MAX_UW, &r->power_uw, err);
	if (!ret && h->volt.chip)
		ret = read_value(&h->volt, MAX_VOLT_MV, &mv, err);
	if (!ret && !h->power.chip) {
		ret = read_value(&h->curr, MAX_CURR_MA, &ma, err);
		r->power_uw = ret ? 0 : mv * ma;
	}
	r->volt_uv = mv * 1000;
	return ret;
}

const struct meter_counter *hwmon_counter(const struct power_meter *pm)
{
	const struct hwmon_meter *h = pm->own;

	return h->counts ? &h->counter : NULL;
}

void hwmon_close(struct power_meter *pm)
{
	struct hwmon_meter *h = pm->own;

	if (!h)
		return;
	meter_file_close(&h->power.file);
	meter_file_close(&h->volt.file);
	meter_file_close(&h->curr.file);
	free(h);
}
