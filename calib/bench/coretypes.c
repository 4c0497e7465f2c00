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

/* The CPUs that @path lists and that are online; 0: no such file. */
static int take_list(const struct sysfs *sys, const char *path, const char *name,
		     struct coretype *type, struct err *err)
{
	unsigned int online[BOARD_MAX_CPUS];
	char text[SYSFS_TEXT];
	int n, m, i = 0;

	*type = (struct coretype){ 0 };
	if (sysfs_read(sys, path, text, sizeof(text), NULL))
		return 0;
	n = cpulist_parse(text, type->cpus, BOARD_MAX_CPUS);
	if (n < 0)
		return err_set(err, n, "%s: '%s' is not a list of at most %d CPUs", path,
			       text, BOARD_MAX_CPUS);
	if (sysfs_read(sys, "/sys/devices/system/cpu/online", text, sizeof(text), NULL))
		m = 0;
	else
		m = cpulist_parse(text, online, BOARD_MAX_CPUS);
	for (int j = 0; j < n; j++) {
		while (i < m && online[i] < type->cpus[j])
			i++;
		if (m <= 0 || (i < m && online[i] == type->cpus[j]))
			type->cpus[type->cpu_count++] = type->cpus[j];
	}
	snprintf(type->name, sizeof(type->name), "%s", name);
	return type->cpu_count > 0;
}

int coretypes_read(const struct sysfs *sys, struct coretype types[CORETYPES_MAX],
		   struct err *err)
{
	int n = by_topology(sys, types, err), ret;

	if (n > 0 || n != -ENODEV)
		return n;
	n = take_list(sys, "/sys/devices/cpu_core/cpus", "p", &types[0], err);
	if (n < 0)
		return n;
	ret = take_list(sys, "/sys/devices/cpu_atom/cpus", "e", &types[n], err);
	if (ret < 0 || n + ret > 0)
		return ret < 0 ? ret : n + ret;
	n = take_list(sys, "/sys/devices/system/cpu/online", "cpu", &types[0], err);
	return n ? n
		 : err_set(err, -ENOENT,
			   "no CPUs are listed in /sys/devices/system/cpu/online");
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
