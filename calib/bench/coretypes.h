/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of core of a machine, also where it has no cpufreq.
 */
#ifndef CALIB_BENCH_CORETYPES_H
#define CALIB_BENCH_CORETYPES_H

#include "boards/board.h"
#include "calib/linux/sysfs.h"
#include "lib/err.h"

#define CORETYPES_MAX BOARD_MAX_CLUSTERS

struct coretype {
	char name[32]; /* "a15", "p", "e"; "cpu" where nothing tells them apart */
	unsigned int cpus[BOARD_MAX_CPUS], cpu_count; /* online, ascending */
};

/*
 * coretypes_read - by cpufreq and CPU nodes, else by the PMUs of hybrid x86, else all one
 *
 * Returns how many, at least 1; -errno.
 */
int coretypes_read(const struct sysfs *sys, struct coretype types[CORETYPES_MAX],
		   struct err *err);
/* The same of a board's description. */
int coretypes_of_board(const struct board *board, struct coretype types[CORETYPES_MAX]);
/* The type that has @cpu; NULL: none. */
const struct coretype *coretypes_find(const struct coretype *types, unsigned int count,
				      unsigned int cpu);

#endif
