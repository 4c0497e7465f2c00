/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The regulator that supplies a CPU, and what it is set to.
 */
#ifndef CALIB_LINUX_REGULATOR_H
#define CALIB_LINUX_REGULATOR_H

#include <stdint.h>

#include "calib/linux/sysfs.h"

struct regulator {
	unsigned int id;
	char name[64]; /* "" : none known */
};

/*
 * regulator_find - by the supplier link of the CPU, else by its node's cpu-supply
 *
 * Returns 0 or -ENOENT; @reg is then zeroed.
 */
int regulator_find(const struct sysfs *sys, unsigned int cpu, struct regulator *reg);
/* What it is set to now: that of the operating point while the clock is pinned. 0 or
 * -errno. */
int regulator_read_uv(const struct sysfs *sys, const struct regulator *reg, uint32_t *uv);

#endif
