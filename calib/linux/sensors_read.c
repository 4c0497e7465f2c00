// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hot path of the meters. libsensors opens, reads and closes the attribute for each
 * value; a file kept open and read again gives the same for a tenth of the time. It is
 * used once it has been seen to give what libsensors gives; where sensors.conf computes
 * (a divider, another shunt) it does not, and libsensors is asked each time.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calib/linux/sensors_internal.h"
#include "lib/num.h"

/* More than any CPU rail has; 0xffffffff from a dead firmware is beyond it in every unit
 * (4294 W, 4294 kV, 4294 kA), and so is its mW-to-uW multiple. */
#define MAX_POWER_UW INT64_C(2000000000)
#define MAX_VOLT_MV  100000
#define MAX_CURR_MA  1000000

#define PROOF_TRIES 8

static int read_raw(int fd, int64_t *out)
{
	char text[32];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return -errno;
	if (n > 0 && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return num_i64(text, out) ? -EIO : 0;
}

static int read_libsensors(const struct sensor_value *v, int64_t *out)
{
	double value;

	/* Its errors do not tell EAGAIN from ENODATA. */
	if (sensors_get_value(v->chip, v->subfeature, &value))
		return -EIO;
	value *= v->scale;
	if (!isfinite(value) || fabs(value) > 1e15)
		return -EIO;
	*out = llround(value);
	return 0;
}

/* The value may change between two reads: one of its neighbours in time must agree. */
static bool proven_equal(const struct sensor_value *v, int fd)
{
	int64_t before, lib, after;
	int i;

	for (i = 0; i < PROOF_TRIES; i++) {
		if (read_raw(fd, &before) || read_libsensors(v, &lib) ||
		    read_raw(fd, &after))
			continue;
		if (lib == before || lib == after)
			return true;
	}
	return false;
}

void sensor_value_open(struct sensor_value *v, const sensors_chip_name *chip,
		       const sensors_subfeature *sub, double scale)
{
	char path[PATH_MAX];
	int fd;

	memset(v, 0, sizeof(*v));
	v->fd = -1;
	if (!sub)
		return;
	v->chip = chip;
	v->subfeature = sub->number;
	v->scale = scale;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", chip->path, sub->name) >=
	    sizeof(path))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (proven_equal(v, fd))
		v->fd = fd;
	else
		close(fd);
}

int sensor_value_usable(const struct sensor_value *v, struct err *err)
{
	double value;
	int ret;

	if (v->fd >= 0)
		return 0;
	ret = sensors_get_value(v->chip, v->subfeature, &value);
	/* -EIO and the like is the driver's word on this reading alone. */
	if (!ret || ret == -SENSORS_ERR_IO)
		return 0;
	return err_set(err, -EIO, "libsensors cannot read it: %s", sensors_strerror(ret));
}

static int read_value(const struct sensor_value *v, const char *what, int64_t max,
		      int64_t *out, struct err *err)
{
	int ret = v->fd >= 0 ? read_raw(v->fd, out) : read_libsensors(v, out);

	if (ret == -EAGAIN || ret == -EINTR)
		return err_set(err, -EAGAIN, "%s: not ready yet", what);
	if (ret)
		return err_set(err, -EIO, "%s: reading fails: %s", what, strerror(-ret));
	if (*out < 0 || *out > max)
		return err_set(err, -EIO, "%s: %lld is not in 0..%lld", what,
			       (long long)*out, (long long)max);
	return 0;
}

int sensor_read(const struct sensor *s, int64_t *power_uw, uint32_t *volt_uv,
		struct err *err)
{
	int64_t mv = 0, ma;
	int ret = 0;

	if (s->power.chip)
		ret = read_value(&s->power, "power", MAX_POWER_UW, power_uw, err);
	if (!ret && s->volt.chip)
		ret = read_value(&s->volt, "voltage", MAX_VOLT_MV, &mv, err);
	if (!ret && !s->power.chip) {
		ret = read_value(&s->curr, "current", MAX_CURR_MA, &ma, err);
		*power_uw = ret ? 0 : mv * ma;
	}
	if (ret)
		return err_wrap(err, ret, "sensor %s", s->name);
	if (*power_uw > MAX_POWER_UW)
		return err_set(err, -EIO,
			       "sensor %s: %lld uW is more than any rail draws", s->name,
			       (long long)*power_uw);
	*volt_uv = mv * 1000;
	return 0;
}

static void value_close(struct sensor_value *v)
{
	if (v->chip && v->fd >= 0)
		close(v->fd);
	v->chip = NULL;
}

void sensor_close(struct sensor *s)
{
	value_close(&s->power);
	value_close(&s->volt);
	value_close(&s->curr);
}
