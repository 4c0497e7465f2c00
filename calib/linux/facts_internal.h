/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files that fill struct facts.
 */
#ifndef CALIB_LINUX_FACTS_INTERNAL_H
#define CALIB_LINUX_FACTS_INTERNAL_H

#include "calib/linux/facts.h"
#include "calib/linux/sysfs.h"

/* facts_system.c: zones and coolers; cycle counters; the rest. */
void facts_read_thermal(const struct sysfs *sys, struct facts *f);
void facts_read_cycles(const struct sysfs *sys, struct facts *f);
void facts_read_cpus(const struct sysfs *sys, struct facts *f);
/* facts_eas.c: the energy model and what else EAS asks for. */
void facts_read_eas(const struct sysfs *sys, struct facts *f);

#endif
