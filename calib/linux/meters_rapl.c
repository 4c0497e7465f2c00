// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RAPL through powercap: a zone is chosen by its "name" file. package-N holds core and
 * uncore; dram is beside it, and psys is the whole board, which holds them all: zones are
 * never added.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/meters_internal.h"
#include "lib/num.h"

#define POWERCAP_DIR "/sys/class/powercap"

struct rapl_meter {
	struct meter_file energy;
	struct meter_counter counter;
};

static int zone_name(const struct sysfs *sys, const char *entry, char *out, size_t size)
{
	char path[SYSFS_PATH];

	snprintf(path, sizeof(path), "%s/%.64s/name", POWERCAP_DIR, entry);
	return sysfs_read(sys, path, out, size, NULL);
}

/* "intel-rapl:0:2" is zone 2 of intel-rapl:0. */
static bool parent_zone(const char *entry, char *out, size_t size)
{
	const char *first = strchr(entry, ':'), *last = strrchr(entry, ':');

	if (!first || first == last || last - entry >= (int)size)
		return false;
	memcpy(out, entry, last - entry);
	out[last - entry] = '\0';
	return true;
}

static void describe_scope(struct meter_info *m, const char *name)
{
	m->scope = METER_RAIL;
	if (!strncmp(name, "package", 7)) {
		m->scope = METER_PACKAGE;
		strcpy(m->note, "the package: cores, and all else on the chip");
	} else if (!strcmp(name, "psys")) {
		m->scope = METER_DEVICE;
		strcpy(m->note, "board power: holds the package, never added to it");
	} else if (!strcmp(name, "core")) {
		strcpy(m->note, "all cores of the package, and their caches");
	}
}

/* Where a machine has the same zones over MMIO too, they count the same energy. */
static void set_names(struct meter_info *m, const char *entry, const char *name,
		      const char *above)
{
	if (strncmp(entry, "intel-rapl-mmio", 15) == 0) {
		snprintf(m->device, sizeof(m->device), "%s", entry);
		m->by_name = true;
		snprintf(m->alias, sizeof(m->alias), "%.31s", entry);
		snprintf(m->note, sizeof(m->note),
			 "%.40s over MMIO, the same energy again", name);
		return;
	}
	if (!above[0]) {
		snprintf(m->device, sizeof(m->device), "%s", name);
		if (!strncmp(name, "package", 7))
			strcpy(m->alias, "package");
		return;
	}
	snprintf(m->device, sizeof(m->device), "%s", above);
	snprintf(m->channel, sizeof(m->channel), "%.31s", name);
	snprintf(m->alias, sizeof(m->alias), "%.31s", name);
	m->by_name = true;
}

static void add_zone(struct meters *all, const char *entry)
{
	char name[48], zone[64], above[48] = "";
	struct meter_info *m;

	if (!strchr(entry, ':') || strlen(entry) >= sizeof(zone) ||
	    zone_name(all->sys, entry, name, sizeof(name)))
		return;
	if (parent_zone(entry, zone, sizeof(zone)))
		zone_name(all->sys, zone, above, sizeof(above));
	m = meters_add(all, &meter_kind_rapl);
	if (!m)
		return;
	m->unit = "uJ, counted";
	m->interval_us = METERS_RAPL_US;
	snprintf(m->driver, sizeof(m->driver), "%.*s", (int)(strchr(entry, ':') - entry),
		 entry);
	snprintf(m->path, sizeof(m->path), "%s/%s", POWERCAP_DIR, entry);
	describe_scope(m, name);
	set_names(m, entry, name, above);
	meter_info_name(m, "rapl:");
}

static void rapl_list(struct meters *all)
{
	meters_each(all, POWERCAP_DIR, add_zone);
}

static int no_access(int code, struct err *err)
{
	if (code == -EACCES || code == -EPERM)
		return err_set(err, -EACCES,
			       "permission denied: energy_uj is root-only since "
			       "CVE-2020-8694; run as root");
	return code;
}

static int rapl_open(const struct meters *all, struct power_meter *pm, struct err *err)
{
	struct rapl_meter *ra = calloc(1, sizeof(*ra));
	char path[SYSFS_PATH + 32], text[32];
	int64_t raw;
	int ret;

	if (!ra)
		return err_set(err, -ENOMEM, "out of memory");
	pm->own = ra;
	ra->counter.uj = 1;
	snprintf(path, sizeof(path), "%s/energy_uj", pm->info.path);
	ret = meter_file_open(&ra->energy, all->sys, "energy_uj", path, err);
	if (!ret)
		ret = meter_file_value(&ra->energy, INT64_MAX, &raw, err);
	if (ret)
		return no_access(ret, err);
	snprintf(path, sizeof(path), "%s/max_energy_range_uj", pm->info.path);
	if (sysfs_read(all->sys, path, text, sizeof(text), NULL) ||
	    num_u64(text, &ra->counter.range))
		ra->counter.range = 0;
	return 0;
}

static int rapl_read(struct power_meter *pm, uint64_t now_ns, struct reading *r,
		     struct err *err)
{
	struct rapl_meter *ra = pm->own;
	int64_t raw;
	int ret = meter_file_value(&ra->energy, INT64_MAX, &raw, err);

	if (ret)
		return ret;
	return meter_counter_take(&ra->counter, raw, now_ns, &r->power_uw, err);
}

static const struct meter_counter *rapl_counter(const struct power_meter *pm)
{
	return &((const struct rapl_meter *)pm->own)->counter;
}

static void rapl_close(struct power_meter *pm)
{
	struct rapl_meter *ra = pm->own;

	if (ra)
		meter_file_close(&ra->energy);
	free(ra);
}

const struct meter_kind meter_kind_rapl = {
	.name = "rapl",
	.needs_kind = true,
	.list = rapl_list,
	.open = rapl_open,
	.read = rapl_read,
	.counter = rapl_counter,
	.close = rapl_close,
};
