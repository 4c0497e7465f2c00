// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /sys/class/regulator: which one is a CPU's.
 */
#include "calib/linux/regulator.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define REGULATOR_DIR "/sys/class/regulator"
#define CPU_DIR	      "/sys/devices/system/cpu/cpu"
#define ALL_MAX	      256

static int read_cell(const struct sysfs *sys, const char *path, uint32_t *out)
{
	uint32_t cell;
	size_t len;
	int ret;

	ret = sysfs_read_bytes(sys, path, &cell, sizeof(cell), &len, NULL);
	if (ret || len != sizeof(cell))
		return ret ? ret : -EINVAL;
	*out = be32toh(cell);
	return 0;
}

/* Drivers' links: cpu0/supplier:regulator:regulator.5, where the kernel makes them. */
static int by_link(const struct sysfs *sys, unsigned int cpu, unsigned int *id)
{
	char dir[SYSFS_PATH];

	snprintf(dir, sizeof(dir), CPU_DIR "%u", cpu);
	return sysfs_indices(sys, dir, "supplier:regulator:regulator.", id, 1, NULL) == 1
		       ? 0
		       : -ENOENT;
}

/* cpu-supply = <&vdd_arm>; */
static int by_node(const struct sysfs *sys, unsigned int cpu, unsigned int *id)
{
	static const char *const names[] = { "cpu-supply", "cpu0-supply", "vdd-supply" };
	unsigned int all[ALL_MAX];
	uint32_t wanted = 0, phandle;
	char path[SYSFS_PATH];
	int i, n;

	for (i = 0; i < 3 && !wanted; i++) {
		snprintf(path, sizeof(path), CPU_DIR "%u/of_node/%s", cpu, names[i]);
		if (read_cell(sys, path, &wanted))
			wanted = 0;
	}
	n = wanted ? sysfs_indices(sys, REGULATOR_DIR, "regulator.", all, ALL_MAX, NULL)
		   : 0;
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path),
			 REGULATOR_DIR "/regulator.%u/of_node/phandle", all[i]);
		if (!read_cell(sys, path, &phandle) && phandle == wanted) {
			*id = all[i];
			return 0;
		}
	}
	return -ENOENT;
}

int regulator_find(const struct sysfs *sys, unsigned int cpu, struct regulator *reg)
{
	char path[SYSFS_PATH];

	memset(reg, 0, sizeof(*reg));
	if (by_link(sys, cpu, &reg->id) && by_node(sys, cpu, &reg->id))
		return -ENOENT;
	snprintf(path, sizeof(path), REGULATOR_DIR "/regulator.%u/name", reg->id);
	if (sysfs_read(sys, path, reg->name, sizeof(reg->name), NULL) || !reg->name[0])
		snprintf(reg->name, sizeof(reg->name), "regulator.%u", reg->id);
	return 0;
}

int regulator_read_uv(const struct sysfs *sys, const struct regulator *reg, uint32_t *uv)
{
	char path[SYSFS_PATH];

	snprintf(path, sizeof(path), REGULATOR_DIR "/regulator.%u/microvolts", reg->id);
	return sysfs_read_u32(sys, path, uv, NULL);
}
