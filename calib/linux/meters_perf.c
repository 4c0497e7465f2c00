// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The same energy counters as RAPL's, through the "power" PMUs of perf: 64 bits wide, and
 * with a capability (CAP_PERFMON) in place of root.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calib/linux/meters_internal.h"
#include "lib/cpulist.h"
#include "lib/num.h"

#define PMU_DIR	 "/sys/bus/event_source/devices"
#define MAX_CPUS 64 /* one per package */

struct perf_meter {
	int fd;
	struct meter_counter counter;
};

static int read_attr(const struct sysfs *sys, const char *pmu, const char *name,
		     char *out, size_t size)
{
	char path[SYSFS_PATH + 128];

	snprintf(path, sizeof(path), "%s/%.64s/%.100s", PMU_DIR, pmu, name);
	return sysfs_read(sys, path, out, size, NULL);
}

static void add_event(struct meters *all, const char *pmu, const char *event,
		      unsigned int cpu)
{
	struct meter_info *m = meters_add(all, &meter_kind_perf);

	if (!m)
		return;
	m->unit = "J, counted";
	m->interval_us = METERS_RAPL_US;
	m->addr = cpu;
	snprintf(m->driver, sizeof(m->driver), "%.31s", pmu);
	snprintf(m->path, sizeof(m->path), "%s/%.64s", PMU_DIR, pmu);
	snprintf(m->device, sizeof(m->device), "%.64s", event);
	snprintf(m->channel, sizeof(m->channel), "cpu%u", cpu);
	m->scope = METER_RAIL;
	if (!strcmp(event, "energy-pkg")) {
		m->scope = METER_PACKAGE;
		strcpy(m->note, "the package: cores, and all else on the chip");
	} else if (!strcmp(event, "energy-psys")) {
		m->scope = METER_DEVICE;
		strcpy(m->note, "board power: holds the package, never added to it");
	}
	meter_info_name(m, "perf:");
}

static const char *const events[] = { "energy-pkg", "energy-cores", "energy-core",
				      "energy-gpu", "energy-ram",   "energy-psys" };

/* The CPUs of cpumask count for their package each. */
static void add_pmu(struct meters *all, const char *pmu)
{
	unsigned int cpus[MAX_CPUS], i;
	char text[256], name[64];
	size_t e;
	int n;

	if (strncmp(pmu, "power", 5) != 0 ||
	    read_attr(all->sys, pmu, "cpumask", text, sizeof(text)))
		return;
	n = cpulist_parse(text, cpus, MAX_CPUS);
	for (e = 0; e < sizeof(events) / sizeof(events[0]); e++) {
		snprintf(name, sizeof(name), "events/%s", events[e]);
		if (read_attr(all->sys, pmu, name, text, sizeof(text)))
			continue;
		for (i = 0; (int)i < n; i++)
			add_event(all, pmu, events[e], cpus[i]);
	}
}

static void perf_list(struct meters *all)
{
	meters_each(all, PMU_DIR, add_pmu);
}

/* "event=0x02" */
static int parse_config(const char *text, uint64_t *config)
{
	if (strncmp(text, "event=", 6) != 0)
		return -EINVAL;
	return num_u64_hex(text + 6, config);
}

/* What perf_event_open() needs, and how many Joules a count is. */
static int read_event(const struct sysfs *sys, const struct meter_info *m,
		      struct perf_event_attr *attr, double *joule, struct err *err)
{
	const char *pmu = strrchr(m->path, '/') + 1;
	char text[64], name[128];
	uint64_t config;
	uint32_t type;

	if (read_attr(sys, pmu, "type", text, sizeof(text)) || num_u32(text, &type))
		return err_set(err, -EIO, "%s/type is no number", m->path);
	snprintf(name, sizeof(name), "events/%s", m->device);
	if (read_attr(sys, pmu, name, text, sizeof(text)) || parse_config(text, &config))
		return err_set(err, -EIO, "%s/%s is no event", m->path, name);
	snprintf(name, sizeof(name), "events/%s.unit", m->device);
	if (read_attr(sys, pmu, name, text, sizeof(text)) || strcmp(text, "Joules") != 0)
		return err_set(err, -EIO, "%s/%s is not Joules", m->path, name);
	snprintf(name, sizeof(name), "events/%s.scale", m->device);
	if (read_attr(sys, pmu, name, text, sizeof(text)) || num_double(text, joule) ||
	    !(*joule > 0))
		return err_set(err, -EIO, "%s/%s is no scale", m->path, name);
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	return 0;
}

static int perf_open(const struct meters *all, struct power_meter *pm, struct err *err)
{
	struct perf_event_attr attr = { 0 };
	struct perf_meter *pe = calloc(1, sizeof(*pe));
	double joule;
	int ret;

	if (!pe)
		return err_set(err, -ENOMEM, "out of memory");
	pm->own = pe;
	pe->fd = -1;
	ret = read_event(all->sys, &pm->info, &attr, &joule, err);
	if (ret)
		return ret;
	pe->counter.uj = joule * 1e6;
	pe->fd = syscall(SYS_perf_event_open, &attr, -1, pm->info.addr, -1,
			 PERF_FLAG_FD_CLOEXEC);
	if (pe->fd >= 0)
		return 0;
	if (errno == EACCES || errno == EPERM)
		return err_set(err, -EACCES,
			       "permission denied: energy events need root or "
			       "CAP_PERFMON, or kernel.perf_event_paranoid below 1");
	return err_errno(err, -errno, "perf_event_open");
}

static int perf_read(struct power_meter *pm, uint64_t now_ns, struct reading *r,
		     struct err *err)
{
	struct perf_meter *pe = pm->own;
	uint64_t raw = 0;
	ssize_t n = read(pe->fd, &raw, sizeof(raw));

	if (n != sizeof(raw))
		return meter_judge("energy event", n < 0 ? -errno : -EIO, 0, 0, err);
	return meter_counter_take(&pe->counter, raw, now_ns, &r->power_uw, err);
}

static const struct meter_counter *perf_counter(const struct power_meter *pm)
{
	return &((const struct perf_meter *)pm->own)->counter;
}

static void perf_close(struct power_meter *pm)
{
	struct perf_meter *pe = pm->own;

	if (pe && pe->fd >= 0)
		close(pe->fd);
	free(pe);
}

const struct meter_kind meter_kind_perf = {
	.name = "perf",
	.needs_kind = true,
	.list = perf_list,
	.open = perf_open,
	.read = perf_read,
	.counter = perf_counter,
	.close = perf_close,
};
