// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which CPUs are of one kind.
 */
#include "calib/bench/coretypes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/topology.h"
#include "lib/cpulist.h"

static int by_topology(const struct sysfs *sys, struct coretype *types, struct err *err)
{
	struct topology *topo = calloc(1, sizeof(*topo));
	int ret;

	if (!topo)
		return err_set(err, -ENOMEM, "out of memory");
	ret = topology_read(sys, NULL, false, topo, err);
	for (unsigned int i = 0; !ret && i < topo->cluster_count; i++) {
		const struct topology_cluster *c = &topo->clusters[i];

		snprintf(types[i].name, sizeof(types[i].name), "%s", c->name);
		memcpy(types[i].cpus, c->cpus, sizeof(types[i].cpus));
		types[i].cpu_count = c->cpu_count;
	}
	ret = ret ? ret : (int)topo->cluster_count;
	free(topo);
	return ret;
}

/* The CPUs that @path lists; 0: no such file. */
static int read_list(const struct sysfs *sys, const char *path,
		     unsigned int cpus[BOARD_MAX_CPUS], struct err *err)
{
	char text[SYSFS_TEXT];
	int n;

	if (sysfs_read(sys, path, text, sizeof(text), NULL))
		return 0;
	n = cpulist_parse(text, cpus, BOARD_MAX_CPUS);
	if (n < 0)
		err_set(err, n, "%s: '%s' is not a list of at most %d CPUs", path, text,
			BOARD_MAX_CPUS);
	return n;
}

/* Those of @from that are among @cpus become a type, if there are any. */
static bool take(struct coretype *from, const unsigned int *cpus, int n, const char *name,
		 struct coretype *type)
{
	unsigned int kept = 0;
	int at = 0;

	*type = (struct coretype){ 0 };
	for (unsigned int i = 0; i < from->cpu_count; i++) {
		while (at < n && cpus[at] < from->cpus[i])
			at++;
		if (at < n && cpus[at] == from->cpus[i])
			type->cpus[type->cpu_count++] = from->cpus[i];
		else
			from->cpus[kept++] = from->cpus[i];
	}
	from->cpu_count = kept;
	snprintf(type->name, sizeof(type->name), "%s", name);
	return type->cpu_count > 0;
}

static int by_pmus(const struct sysfs *sys, struct coretype *types, struct err *err)
{
	struct coretype rest = { .name = "cpu" };
	unsigned int cpus[BOARD_MAX_CPUS], count = 0;
	char path[SYSFS_PATH];
	int n = read_list(sys, "/sys/devices/system/cpu/online", rest.cpus, err);

	if (n <= 0)
		return n < 0 ? n
			     : err_set(err, -ENOENT,
				       "no CPUs are listed in "
				       "/sys/devices/system/cpu/online");
	rest.cpu_count = n;
	for (size_t i = 0; topology_hybrids[i].pmu; i++) {
		snprintf(path, sizeof(path), "/sys/devices/%s/cpus",
			 topology_hybrids[i].pmu);
		n = read_list(sys, path, cpus, err);
		if (n < 0)
			return n;
		count += take(&rest, cpus, n, topology_hybrids[i].name, &types[count]);
	}
	if (rest.cpu_count)
		types[count++] = rest;
	return count;
}

int coretypes_read(const struct sysfs *sys, struct coretype types[CORETYPES_MAX],
		   struct err *err)
{
	int n = by_topology(sys, types, err);

	return n == -ENODEV ? by_pmus(sys, types, err) : n;
}

int coretypes_of_board(const struct board *board, struct coretype types[CORETYPES_MAX])
{
	for (unsigned int i = 0; i < board->cluster_count; i++) {
		const struct board_cluster *c = &board->clusters[i];

		snprintf(types[i].name, sizeof(types[i].name), "%s", c->name);
		memcpy(types[i].cpus, c->cpus, sizeof(types[i].cpus));
		types[i].cpu_count = c->cpu_count;
	}
	return board->cluster_count;
}

const struct coretype *coretypes_find(const struct coretype *types, unsigned int count,
				      unsigned int cpu)
{
	for (unsigned int i = 0; i < count; i++)
		for (unsigned int j = 0; j < types[i].cpu_count; j++)
			if (types[i].cpus[j] == cpu)
				return &types[i];
	return NULL;
}
