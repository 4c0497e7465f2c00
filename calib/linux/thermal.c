// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which thermal zones and cooling devices belong to a cluster, by their names and links.
 */
#include "calib/linux/thermal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/num.h"

#define ALL_MAX	  128
#define TRIPS_MAX 16

static bool read_type(const struct sysfs *sys, const char *kind, unsigned int n,
		      char *out, size_t size)
{
	char path[SYSFS_PATH];

	snprintf(path, sizeof(path), THERMAL_DIR "/%s%u/type", kind, n);
	return !sysfs_read(sys, path, out, size, NULL);
}

/* "cpufreq-cpu4" (since 5.x) names a CPU, "thermal-cpufreq-1" counts policies. */
static bool cools_cluster(const struct topology *topo, unsigned int i, const char *type)
{
	const struct topology_cluster *c = &topo->clusters[i];
	unsigned int j, k, before = 0;
	uint32_t n;

	if (!strcmp(type, "Processor"))
		return true;
	for (j = 0; j < i; j++)
		before += topo->clusters[j].policy_count;
	if (!strncmp(type, "thermal-cpufreq-", 16) && !num_u32(type + 16, &n))
		return n >= before && n < before + c->policy_count;
	if (strncmp(type, "cpufreq-cpu", 11) != 0 || num_u32(type + 11, &n))
		return false;
	for (j = 0; j < c->policy_count; j++)
		for (k = 0; k < c->policies[j].related_count; k++)
			if (c->policies[j].related[k] == n)
				return true;
	return false;
}

static void find_coolers(const struct sysfs *sys, const struct topology *topo,
			 unsigned int i, struct thermal *th)
{
	unsigned int all[ALL_MAX];
	char type[64];
	int n, k;

	n = sysfs_indices(sys, THERMAL_DIR, "cooling_device", all, ALL_MAX, NULL);
	for (k = 0; k < n && th->cooler_count < THERMAL_MAX; k++)
		if (read_type(sys, "cooling_device", all[k], type, sizeof(type)) &&
		    cools_cluster(topo, i, type))
			th->coolers[th->cooler_count++] = all[k];
}

typedef bool zone_rule(const struct sysfs *sys, const struct topology *topo,
		       unsigned int i, unsigned int zone, const char *type);

/* "a57-thermal", "cpu-a15": the name as a word of the type. */
static bool named_after_cluster(const struct sysfs *sys, const struct topology *topo,
				unsigned int i, unsigned int zone, const char *type)
{
	const char *name = topo->clusters[i].name, *at = strcasestr(type, name);
	size_t len = strlen(name);

	(void)sys;
	(void)zone;
	/* "e" and "p" are in every other word. */
	if (len < 2 || !at)
		return false;
	return (at == type || strchr("-_ ", at[-1])) &&
	       (!at[len] || strchr("-_ ", at[len]));
}

static bool bound_to_cluster(const struct sysfs *sys, const struct topology *topo,
			     unsigned int i, unsigned int zone, const char *type)
{
	char path[SYSFS_PATH], cooler[64];
	unsigned int k;

	(void)type;
	for (k = 0; k < THERMAL_MAX; k++) {
		snprintf(path, sizeof(path), THERMAL_DIR "/thermal_zone%u/cdev%u/type",
			 zone, k);
		if (sysfs_read(sys, path, cooler, sizeof(cooler), NULL))
			return false;
		if (strcmp(cooler, "Processor") != 0 && cools_cluster(topo, i, cooler))
			return true;
	}
	return false;
}

static bool named_after_cpus(const struct sysfs *sys, const struct topology *topo,
			     unsigned int i, unsigned int zone, const char *type)
{
	(void)sys;
	(void)topo;
	(void)i;
	(void)zone;
	return strcasestr(type, "cpu") || !strcmp(type, "x86_pkg_temp") ||
	       strcasestr(type, "soc");
}

static bool has_zone(const struct thermal *th, unsigned int zone)
{
	for (unsigned int i = 0; i < th->zone_count; i++)
		if (th->zones[i] == zone)
			return true;
	return false;
}

void thermal_find(const struct sysfs *sys, const struct topology *topo, unsigned int i,
		  struct thermal *th)
{
	static zone_rule *const rules[] = { named_after_cluster, bound_to_cluster,
					    named_after_cpus };
	unsigned int all[ALL_MAX];
	char type[64];
	size_t r;
	int n, k;

	memset(th, 0, sizeof(*th));
	find_coolers(sys, topo, i, th);
	n = sysfs_indices(sys, THERMAL_DIR, "thermal_zone", all, ALL_MAX, NULL);
	for (r = 0; r < 3 && !th->zone_count; r++)
		for (k = 0; k < n && th->zone_count < THERMAL_MAX; k++)
			if (read_type(sys, "thermal_zone", all[k], type, sizeof(type)) &&
			    rules[r](sys, topo, i, all[k], type))
				th->zones[th->zone_count++] = all[k];
	for (k = 0; k < n && th->cutter_count < THERMAL_MAX; k++)
		if (has_zone(th, all[k]) || bound_to_cluster(sys, topo, i, all[k], ""))
			th->cutters[th->cutter_count++] = all[k];
}

int thermal_zone_mc(const struct sysfs *sys, unsigned int zone, int32_t *temp_mc)
{
	char path[SYSFS_PATH], text[32];
	int64_t mc;
	int ret;

	snprintf(path, sizeof(path), THERMAL_DIR "/thermal_zone%u/temp", zone);
	ret = sysfs_read(sys, path, text, sizeof(text), NULL);
	if (ret)
		return ret;
	/* Below absolute zero and above melting: a sensor that is switched off. */
	if (num_i64(text, &mc) || mc < -273150 || mc > 500000)
		return -EIO;
	*temp_mc = mc;
	return 0;
}

int thermal_read_mc(const struct sysfs *sys, const struct thermal *th, int32_t *temp_mc,
		    struct err *err)
{
	bool found = false;
	unsigned int i;
	int32_t mc;

	if (!th->zone_count)
		return err_set(err, -ENOENT, "no thermal zone");
	for (i = 0; i < th->zone_count; i++) {
		if (thermal_zone_mc(sys, th->zones[i], &mc))
			continue;
		if (!found || mc > *temp_mc)
			*temp_mc = mc;
		found = true;
	}
	if (!found)
		return err_set(err, -EIO, "no thermal zone can be read now");
	return 0;
}

/* Of a trip point whose type is one of @types. What is not in use reads 0 or a value
 * below. */
static void look_at_trip(const struct sysfs *sys, unsigned int zone, unsigned int trip,
			 const char *types, int32_t *lowest)
{
	char path[SYSFS_PATH], text[32];
	int64_t mc;

	snprintf(path, sizeof(path), THERMAL_DIR "/thermal_zone%u/trip_point_%u_type",
		 zone, trip);
	if (sysfs_read(sys, path, text, sizeof(text), NULL) ||
	    !sysfs_has_word(types, text))
		return;
	snprintf(path, sizeof(path), THERMAL_DIR "/thermal_zone%u/trip_point_%u_temp",
		 zone, trip);
	if (sysfs_read(sys, path, text, sizeof(text), NULL) || num_i64(text, &mc) ||
	    mc <= 0 || mc > 500000)
		return;
	if (mc < *lowest)
		*lowest = mc;
}

int thermal_trip_mc(const struct sysfs *sys, const struct thermal *th, int32_t *temp_mc,
		    struct err *err)
{
	*temp_mc = INT32_MAX;
	for (unsigned int i = 0; i < th->zone_count; i++)
		for (unsigned int k = 0; k < TRIPS_MAX; k++)
			look_at_trip(sys, th->zones[i], k, "passive hot critical",
				     temp_mc);
	return *temp_mc == INT32_MAX ? err_set(err, -ENOENT, "no trip point") : 0;
}

int thermal_critical_mc(const struct sysfs *sys, unsigned int zone, int32_t *temp_mc)
{
	*temp_mc = INT32_MAX;
	for (unsigned int k = 0; k < TRIPS_MAX; k++)
		look_at_trip(sys, zone, k, "critical", temp_mc);
	return *temp_mc == INT32_MAX ? -ENOENT : 0;
}

uint64_t thermal_throttle_count(const struct sysfs *sys, const unsigned int *cpus,
				unsigned int ncpus)
{
	static const char *const names[] = { "core", "package" };
	uint64_t count = 0;

	for (unsigned int i = 0; i < ncpus; i++)
		for (unsigned int k = 0; k < 2; k++) {
			char path[SYSFS_PATH];
			uint32_t n;

			snprintf(path, sizeof(path),
				 "/sys/devices/system/cpu/cpu%u/thermal_throttle/"
				 "%s_throttle_count",
				 cpus[i], names[k]);
			if (!sysfs_read_u32(sys, path, &n, NULL))
				count += n;
		}
	return count;
}

int thermal_throttled(const struct sysfs *sys, const struct thermal *th, bool *yes,
		      struct err *err)
{
	char path[SYSFS_PATH];
	unsigned int i;
	uint32_t state;
	bool told = false;

	*yes = false;
	for (i = 0; i < th->cooler_count; i++) {
		snprintf(path, sizeof(path), THERMAL_DIR "/cooling_device%u/cur_state",
			 th->coolers[i]);
		if (sysfs_read_u32(sys, path, &state, NULL))
			continue;
		told = true;
		*yes = *yes || state;
	}
	return told ? 0 : err_set(err, -ENOENT, "no cooling device tells its state");
}
