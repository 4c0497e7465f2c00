// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs, thermometers and cycle counters as facts.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calib/linux/cycles.h"
#include "calib/linux/facts_internal.h"
#include "calib/linux/pmus.h"
#include "lib/cpulist.h"
#include "lib/num.h"

#define THERMAL_DIR "/sys/class/thermal"
#define CPU_DIR	    "/sys/devices/system/cpu"

static bool read_text(const struct sysfs *sys, const char *dir, unsigned int id,
		      const char *name, char *out, size_t size)
{
	char path[SYSFS_PATH];

	snprintf(path, sizeof(path), "%s%u/%s", dir, id, name);
	if (!sysfs_read(sys, path, out, size, NULL))
		return true;
	out[0] = '\0';
	return false;
}

static void read_zones(const struct sysfs *sys, struct facts *f)
{
	unsigned int ids[FACTS_MAX_ZONES];
	char text[32];
	int64_t mc;
	int i, n;

	n = sysfs_indices(sys, THERMAL_DIR, "thermal_zone", ids, FACTS_MAX_ZONES, NULL);
	for (i = 0; i < n; i++) {
		struct facts_zone *z = &f->zones[f->zone_count++];
		const char *dir = THERMAL_DIR "/thermal_zone";

		z->id = ids[i];
		read_text(sys, dir, ids[i], "type", z->type, sizeof(z->type));
		z->has_temp = read_text(sys, dir, ids[i], "temp", text, sizeof(text)) &&
			      !num_i64(text, &mc) && mc > -273150 && mc < 500000;
		if (z->has_temp)
			z->temp_mc = mc;
	}
}

static void read_coolers(const struct sysfs *sys, struct facts *f)
{
	unsigned int ids[FACTS_MAX_ZONES];
	char text[32];
	int i, n;

	n = sysfs_indices(sys, THERMAL_DIR, "cooling_device", ids, FACTS_MAX_ZONES, NULL);
	for (i = 0; i < n; i++) {
		struct facts_cooler *c = &f->coolers[f->cooler_count++];
		const char *dir = THERMAL_DIR "/cooling_device";

		c->id = ids[i];
		read_text(sys, dir, ids[i], "type", c->type, sizeof(c->type));
		c->has_state = read_text(sys, dir, ids[i], "cur_state", text,
					 sizeof(text)) &&
			       !num_u32(text, &c->state);
		if (!read_text(sys, dir, ids[i], "max_state", text, sizeof(text)) ||
		    num_u32(text, &c->max))
			c->max = 0;
	}
}

void facts_read_thermal(const struct sysfs *sys, struct facts *f)
{
	read_zones(sys, f);
	read_coolers(sys, f);
}

void facts_read_cpus(const struct sysfs *sys, struct facts *f)
{
	if (sysfs_read(sys, CPU_DIR "/present", f->present, sizeof(f->present), NULL))
		f->present[0] = '\0';
	if (sysfs_read(sys, CPU_DIR "/online", f->online, sizeof(f->online), NULL))
		f->online[0] = '\0';
	if (sysfs_read(sys, CPU_DIR "/offline", f->offline, sizeof(f->offline), NULL))
		f->offline[0] = '\0';
}

/* There may be a counter that stands still: an emulator's. */
static bool counts(const struct cycles *cy, unsigned int cpu)
{
	uint64_t each[BOARD_MAX_CPUS] = { 1 };
	cpu_set_t before, set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!cy->count)
		return false;
	/* The event counts from open on; to be moved there is enough to count. */
	if (sched_getaffinity(0, sizeof(before), &before) ||
	    sched_setaffinity(0, sizeof(set), &set))
		return true;
	if (cycles_read(cy, each))
		each[0] = 0;
	sched_setaffinity(0, sizeof(before), &before);
	return each[0] > 0;
}

/* All of those measured, as kinds of cores have PMUs of their own; where none are known,
 * the one that we run on. Returns how many have no counter. */
static unsigned int cpus_without(const struct facts *f, unsigned int *without)
{
	unsigned int here = sched_getcpu(), n = 0;
	struct cycles cy;

	for (unsigned int i = 0; i < (f->cluster_count ? f->cluster_count : 1); i++) {
		const struct facts_cluster *c = &f->clusters[i];
		unsigned int ncpus = f->cluster_count ? c->cpu_count : 1;

		for (unsigned int k = 0; k < ncpus; k++) {
			unsigned int cpu = f->cluster_count ? c->cpus[k] : here;

			cycles_open(&cy, &cpu, 1);
			if (!counts(&cy, cpu))
				without[n++] = cpu;
			cycles_close(&cy);
		}
	}
	return n;
}

void facts_read_cycles(const struct sysfs *sys, struct facts *f)
{
	unsigned int without[BOARD_MAX_CLUSTERS * BOARD_MAX_CPUS];
	struct pmu pmus[PMUS_MAX];
	unsigned int n, count = pmus_read(sys, pmus);
	char cpus[128];
	uint32_t paranoid;

	pmus_format(pmus, count, f->pmus, sizeof(f->pmus));
	if (sys->root[0]) {
		snprintf(f->no_cycles, sizeof(f->no_cycles),
			 "not looked for: --sysroot is not this machine");
		return;
	}
	n = cpus_without(f, without);
	f->cycles = !n;
	if (f->cycles)
		return;
	cpulist_format(without, n, cpus, sizeof(cpus));
	if (geteuid() &&
	    !sysfs_read_u32(sys, "/proc/sys/kernel/perf_event_paranoid", &paranoid, NULL))
		snprintf(f->no_cycles, sizeof(f->no_cycles),
			 "not for this user (perf_event_paranoid is %u); run as root",
			 paranoid);
	else if (count)
		snprintf(f->no_cycles, sizeof(f->no_cycles),
			 "none on CPUs %s (no PMU of theirs in the device tree, another "
			 "program holds it, or it stands still as an emulator's)",
			 cpus);
	else
		snprintf(
			f->no_cycles, sizeof(f->no_cycles),
			"none (a virtual machine, no PMU in the device tree, or a kernel "
			"without CONFIG_PERF_EVENTS)");
}
