/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running kernel's energy model as debugfs shows it, of all kernels that do.
 */
#ifndef CALIB_LINUX_ENERGY_MODEL_H
#define CALIB_LINUX_ENERGY_MODEL_H

#include "calib/linux/sysfs.h"
#include "lib/err.h"
#include "models/em_shown.h"

enum energy_model_seen {
	ENERGY_MODEL_UNSEEN, /* debugfs is not mounted, or not ours to read */
	ENERGY_MODEL_NONE,   /* debugfs is there, and no folder for models */
	ENERGY_MODEL_SHOWN,
};

enum energy_model_seen energy_model_seen(const struct sysfs *sys);

/* The running kernel's EM_RELEASE(); 0: not known. */
unsigned int energy_model_release(const struct sysfs *sys);

/*
 * energy_model_read - every perf domain of CPUs, by the number in its name
 * @out: room for EM_SHOWN_MAX_DOMAINS
 * @count: how many there are. What could be read is in @out after an error too.
 *
 * Returns 0, or the first error: what sysfs_read() returns, -EINVAL for a text that is no
 * number, a CPU list that is none, or a state whose frequency is not that of its folder;
 * -ERANGE for more of anything than fits. The message names the file.
 */
int energy_model_read(const struct sysfs *sys, struct em_shown *out, unsigned int *count,
		      struct err *err);

#endif
