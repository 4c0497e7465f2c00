/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a machine was booted with, so that two boots can be told apart, or to be alike.
 */
#ifndef CALIB_LINUX_BOOT_H
#define CALIB_LINUX_BOOT_H

#include "calib/linux/sysfs.h"

#define BOOT_DIGEST 17 /* 64 bits in hexadecimal digits */

/* What cannot be read is "". */
struct boot_facts {
	char id[40];	    /* another at each boot */
	char build[128];    /* of the kernel: "#1 SMP ... date" */
	char cmdline[1024]; /* cut where it is longer */
	/* The tree's nodes and properties, but /chosen, which boot loaders fill in. */
	char tree[BOOT_DIGEST];
	char energy_model[BOOT_DIGEST]; /* as debugfs shows it; "none": it shows none */
};

void boot_read(const struct sysfs *sys, struct boot_facts *out);

#endif
