/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How large a CPU's caches are.
 */
#ifndef CALIB_LINUX_CACHES_H
#define CALIB_LINUX_CACHES_H

#include "calib/linux/sysfs.h"
#include "calib/loads/loads.h"

/*
 * caches_read - from /sys/devices/system/cpu/cpu@cpu/cache
 *
 * What the kernel does not tell (device trees without cache nodes) is as
 * load_usual_caches() has it. A cache that several CPUs have is shared out evenly, but
 * the last one.
 */
void caches_read(const struct sysfs *sys, unsigned int cpu, struct load_caches *caches);

#endif
