// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuel gauges: power_now, or voltage_now x current_now, of a battery that feeds the
 * machine. Some drivers count current out of the battery as negative, some as positive;
 * "status" says which way it goes, so the sign is not needed, and while it does not say
 * Discharging the reading is not what the machine draws.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/meters_internal.h"
#include "lib/num.h"

#define SUPPLY_DIR   "/sys/class/power_supply"
#define BQ27XXX_POLL "/sys/module/bq27xxx_battery/parameters/poll_interval"
#define SLOW_POLL_S  5
#define MAX_VOLT_UV  INT64_C(1000000000)
#define MAX_CURR_UA  INT64_C(1000000000)
#define MIN_UW	     10000 /* of a whole device that runs a load */

struct battery_meter {
	struct meter_file status;
	struct meter_file power; /* uW; or */
	struct meter_file volt;	 /* uV, and with it */
	struct meter_file curr;	 /* uA */
};

static int read_attr(const struct sysfs *sys, const char *supply, const char *name,
		     char *out, size_t size)
{
	char path[SYSFS_PATH];

	snprintf(path, sizeof(path), "%s/%.64s/%.32s", SUPPLY_DIR, supply, name);
	return sysfs_read(sys, path, out, size, NULL);
}

static bool has_attr(const struct sysfs *sys, const char *supply, const char *name)
{
	char text[64];

	/* -ENODATA: there, but it does not tell just now. */
	return read_attr(sys, supply, name, text, sizeof(text)) != -ENOENT;
}

/*
 * How often its driver asks the gauge decides how often there is something new. The
 * bq27xxx drivers have a switch for that, in seconds, 0: never by themselves.
 */
static void note_polling(const struct sysfs *sys, struct meter_info *m)
{
	size_t len = strlen(m->note);
	uint32_t s;

	if (!strncmp(m->device, "bq27", 4) &&
	    !sysfs_read_u32(sys, BQ27XXX_POLL, &s, NULL) && s >= SLOW_POLL_S)
		snprintf(m->note + len, sizeof(m->note) - len,
			 "; polled every %u s, write less to " BQ27XXX_POLL, s);
}

static void add_supply(struct meters *all, const char *entry)
{
	struct meter_info *m;
	char text[64];
	bool power;

	if (strlen(entry) > 64 ||
	    read_attr(all->sys, entry, "type", text, sizeof(text)) ||
	    strcmp(text, "Battery") != 0)
		return;
	/* A mouse's. */
	if (!read_attr(all->sys, entry, "scope", text, sizeof(text)) &&
	    !strcmp(text, "Device"))
		return;
	power = has_attr(all->sys, entry, "power_now");
	if (!power && !(has_attr(all->sys, entry, "voltage_now") &&
			has_attr(all->sys, entry, "current_now")))
		return;
	m = meters_add(all, &meter_kind_battery);
	if (!m)
		return;
	m->unit = power ? "uW" : "uV x uA";
	m->scope = METER_DEVICE;
	strcpy(m->driver, "power_supply");
	strcpy(m->note, "the whole device; only while it discharges");
	snprintf(m->device, sizeof(m->device), "%s", entry);
	snprintf(m->path, sizeof(m->path), "%s/%s", SUPPLY_DIR, entry);
	note_polling(all->sys, m);
	meter_info_name(m, "battery:");
}

static void battery_list(struct meters *all)
{
	meters_each(all, SUPPLY_DIR, add_supply);
}

static int open_attr(const struct meters *all, const struct power_meter *pm,
		     const char *name, struct meter_file *f, struct err *err)
{
	char path[SYSFS_PATH + 32];

	snprintf(path, sizeof(path), "%s/%s", pm->info.path, name);
	return meter_file_open(f, all->sys, name, path, err);
}

static int battery_open(const struct meters *all, struct power_meter *pm, struct err *err)
{
	struct battery_meter *b = calloc(1, sizeof(*b));
	int ret;

	if (!b)
		return err_set(err, -ENOMEM, "out of memory");
	pm->own = b;
	b->power.fd = b->volt.fd = b->curr.fd = -1;
	ret = open_attr(all, pm, "status", &b->status, err);
	if (ret)
		return ret;
	if (!strcmp(pm->info.unit, "uW"))
		return open_attr(all, pm, "power_now", &b->power, err);
	ret = open_attr(all, pm, "voltage_now", &b->volt, err);
	if (!ret)
		ret = open_attr(all, pm, "current_now", &b->curr, err);
	return ret;
}

static int battery_ready(const struct power_meter *pm, struct err *err)
{
	const struct battery_meter *b = pm->own;
	char status[32];
	int ret = meter_file_text(&b->status, status, sizeof(status), err);

	if (ret)
		return ret;
	if (strcmp(status, "Discharging") != 0)
		return err_set(err, -EBUSY,
			       "status is '%s', so it does not show what the device "
			       "draws; unplug the charger",
			       status);
	return 0;
}

/* A number of either sign, without it. */
static int read_size(const struct meter_file *f, int64_t max, int64_t *out,
		     struct err *err)
{
	char text[32];
	int ret = meter_file_text(f, text, sizeof(text), err);

	*out = 0;
	if (ret)
		return ret;
	ret = num_i64(text, out) ? -EIO : 0;
	if (*out < 0 && *out >= -max)
		*out = -*out;
	return meter_judge(f->what, ret, *out, max, err);
}

static int read_uw(const struct battery_meter *b, int64_t *uw, struct err *err)
{
	int64_t uv, ua;
	int ret;

	if (b->power.fd >= 0)
		return read_size(&b->power, METERS_MAX_UW, uw, err);
	ret = read_size(&b->volt, MAX_VOLT_UV, &uv, err);
	if (!ret)
		ret = read_size(&b->curr, MAX_CURR_UA, &ua, err);
	if (!ret)
		*uw = llround((double)uv * ua / 1e6);
	return ret;
}

/* Some drivers count in mV, mA or mW: a thousandth of what is drawn, or less. */
static int battery_read(struct power_meter *pm, uint64_t now_ns, struct reading *r,
			struct err *err)
{
	const struct battery_meter *b = pm->own;
	int ret = battery_ready(pm, err);

	(void)now_ns;
	if (!ret)
		ret = read_uw(b, &r->power_uw, err);
	if (ret || r->power_uw >= MIN_UW)
		return ret;
	return err_set(err, -EIO,
		       "%" PRId64 " uW is less than any device draws that runs; does its "
		       "driver count in mV, mA or mW?",
		       r->power_uw);
}

static void battery_close(struct power_meter *pm)
{
	struct battery_meter *b = pm->own;

	if (!b)
		return;
	meter_file_close(&b->status);
	meter_file_close(&b->power);
	meter_file_close(&b->volt);
	meter_file_close(&b->curr);
	free(b);
}

const struct meter_kind meter_kind_battery = {
	.name = "battery",
	.needs_kind = true,
	.list = battery_list,
	.open = battery_open,
	.ready = battery_ready,
	.read = battery_read,
	.close = battery_close,
};
