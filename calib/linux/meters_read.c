// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What kinds of meters share: attribute files kept open, readings that come several at a
 * time, and energy counters.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "calib/linux/meters_internal.h"
#include "lib/num.h"

#define SILENCE_NS 10000000000ull /* then what sends readings is broken off */

int meter_file_open(struct meter_file *f, const struct sysfs *sys, const char *what,
		    const char *path, struct err *err)
{
	char real[PATH_MAX];
	int ret;

	f->fd = -1;
	f->what = what;
	ret = sysfs_real(sys, path, real, sizeof(real), err);
	if (ret)
		return ret;
	f->fd = open(real, O_RDONLY | O_CLOEXEC);
	return f->fd < 0 ? err_errno(err, -errno, "%s", path) : 0;
}

void meter_file_close(struct meter_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

int meter_judge(const char *what, int ret, int64_t value, int64_t max, struct err *err)
{
	if (ret == -EAGAIN || ret == -EINTR)
		return err_set(err, -EAGAIN, "%s: not ready yet", what);
	if (ret)
		return err_set(err, -EIO, "%s: reading fails: %s", what, strerror(-ret));
	if (value < 0 || value > max)
		return err_set(err, -EIO, "%s: %" PRId64 " is not in 0..%" PRId64, what,
			       value, max);
	return 0;
}

static int read_text(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	if (n < 0)
		return -errno;
	if (n > 0 && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return 0;
}

int meter_file_text(const struct meter_file *f, char *text, size_t size, struct err *err)
{
	return meter_judge(f->what, read_text(f->fd, text, size), 0, 0, err);
}

int meter_file_value(const struct meter_file *f, int64_t max, int64_t *out,
		     struct err *err)
{
	char text[32];
	int ret = read_text(f->fd, text, sizeof(text));

	*out = 0;
	if (!ret && num_i64(text, out))
		ret = -EIO;
	return meter_judge(f->what, ret, *out, max, err);
}

int meter_mean_add(struct meter_mean *mean, int64_t time_ns, double power_uw,
		   double volt_uv, uint64_t now_ns, struct err *err)
{
	if (mean->count && time_ns <= mean->last_time_ns)
		return err_set(err, -EIO, "the time did not go on");
	if (mean->count)
		mean->interval_ns = time_ns - mean->last_time_ns;
	if (!mean->fresh++) {
		mean->first_time_ns = time_ns;
		mean->sum_uw = 0;
		mean->sum_uv = 0;
	}
	mean->last_time_ns = time_ns;
	mean->arrived_ns = now_ns;
	mean->count++;
	mean->sum_uw += power_uw;
	mean->sum_uv += volt_uv;
	if (mean->told && mean->timed)
		mean->told->reading(mean->told->arg, time_ns + mean->offset_ns, power_uw);
	return 0;
}

int meter_mean_take(struct meter_mean *mean, uint64_t now_ns, struct reading *r,
		    struct err *err)
{
	uint64_t silence = SILENCE_NS;

	if (silence < 4 * mean->interval_ns)
		silence = 4 * mean->interval_ns;
	if (mean->arrived_ns && now_ns > mean->arrived_ns + silence)
		return err_set(err, -EIO, "no reading came for %.3g s",
			       (now_ns - mean->arrived_ns) / 1e9);
	if (!mean->count)
		return err_set(err, -EAGAIN, "no reading yet");
	if (mean->fresh) {
		mean->now.power_uw = llround(mean->sum_uw / mean->fresh);
		mean->now.volt_uv = llround(mean->sum_uv / mean->fresh);
		mean->now.time_ns = mean->timed ? (uint64_t)(mean->first_time_ns +
							     mean->offset_ns)
						: now_ns;
		mean->fresh = 0;
	}
	*r = mean->now;
	return 0;
}

void meter_mean_drop(struct meter_mean *mean)
{
	mean->fresh = 0;
	mean->count = 0;
}

static int drop(struct meter_counter *c, uint64_t raw, uint64_t now_ns, const char *why,
		struct err *err)
{
	c->lost += c->primed;
	c->raw = raw;
	c->time_ns = now_ns;
	c->primed = true;
	c->has_power = false;
	return err_set(err, -EAGAIN, "energy counter: %s", why);
}

int meter_counter_take(struct meter_counter *c, uint64_t raw, uint64_t now_ns,
		       int64_t *power_uw, struct err *err)
{
	uint64_t counts = raw - c->raw;
	double uw;

	if (!c->primed)
		return drop(c, raw, now_ns, "the first of two reads", err);
	if (raw == c->raw || now_ns <= c->time_ns) {
		*power_uw = c->power_uw;
		return c->has_power ? 0
				    : err_set(err, -EAGAIN,
					      "energy counter: it has not moved yet");
	}
	if (raw < c->raw) {
		if (!c->range || c->raw > c->range)
			return drop(c, raw, now_ns, "it went back (wrap or reset)", err);
		counts = c->range - c->raw + raw;
	}
	/* uJ per ns are kW; a reset that looks like a wrap is beyond anything. */
	uw = counts * c->uj * 1e9 / (now_ns - c->time_ns);
	if (uw > METERS_MAX_UW)
		return drop(c, raw, now_ns, "it jumped (reset)", err);
	/* After this long it may have wrapped twice. */
	if (c->range &&
	    (now_ns - c->time_ns) * (METERS_MAX_UW / 1e9) / 2 > c->range * c->uj)
		return drop(c, raw, now_ns, "not read for too long", err);
	c->raw = raw;
	c->time_ns = now_ns;
	c->total_uj += counts * c->uj;
	c->power_uw = llround(uw);
	c->has_power = true;
	*power_uw = c->power_uw;
	return 0;
}
