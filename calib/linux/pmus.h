/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The performance monitoring units of the CPUs, as the kernel lists them: "cpu" on most
 * machines; one per kind of core on big.LITTLE (armv8_cortex_a53) and hybrid x86
 * (cpu_core, cpu_atom), which say whose they are in "cpus".
 */
#ifndef CALIB_LINUX_PMUS_H
#define CALIB_LINUX_PMUS_H

#include "boards/board.h"
#include "calib/linux/sysfs.h"

#define PMUS_MAX 8

struct pmu {
	char name[48];
	char cpus[128]; /* "0-3", "" all */
};

/* Returns how many of them are in @pmus, by name. */
unsigned int pmus_read(const struct sysfs *sys, struct pmu pmus[PMUS_MAX]);
/* "cpu_core (CPUs 0-15), cpu_atom (CPUs 16-23)", "" for none. Returns @out. */
char *pmus_format(const struct pmu *pmus, unsigned int count, char *out, size_t size);

#endif
