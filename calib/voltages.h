/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Voltages that a user gives: "CPU.KHZ=MICROVOLT", blank-separated, as freqbench writes
 * them.
 */
#ifndef CALIB_VOLTAGES_H
#define CALIB_VOLTAGES_H

#include <stdint.h>

#include "lib/err.h"

#define VOLTAGES_MAX 1024

struct voltage {
	uint32_t cpu, khz, uv;
};

struct voltages {
	struct voltage list[VOLTAGES_MAX];
	unsigned int count;
};

/*
 * voltages_read - fill @v from a file ("-" is stdin)
 *
 * Returns 0; -ENOENT and other errors of reading; -EINVAL naming the word that is none,
 * or that contradicts another; -ERANGE.
 */
int voltages_read(const char *path, struct voltages *v, struct err *err);
/* 0: it does not tell. */
uint32_t voltages_find(const struct voltages *v, uint32_t cpu, uint32_t khz);

#endif
