/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What board_dt.c and board_calib.c share while they read one tree.
 */
#ifndef BOARDS_BOARD_READER_H
#define BOARDS_BOARD_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "boards/board.h"

struct reader {
	const void *blob;
	struct dtcpus *cpus;
	int boot_cpu; /* index into cpus->cpus: Linux calls it CPU 0 */
	struct board *board;
};

/* Index into cpus->cpus; -EINVAL blames property @prop of node @owner. */
int reader_find_cpu(const struct reader *r, int owner, const char *prop, uint32_t phandle,
		    struct err *err);
/*
 * Put CPU @index into the cluster; the first one decides core, capacity and OPPs.
 * 0 or -ERANGE.
 */
int reader_add_cpu(struct reader *r, struct board_cluster *cl, int index,
		   struct err *err);
/* Path of the CPU's OPP table, and its first compatible; "" without one. */
const char *reader_opp_path(const struct dtcpus *cpus, const struct dt_cpu *cpu);
const char *reader_core(const struct dt_cpu *cpu);
/* May it be in a cluster's name: a word on command lines, a field of CSV? */
bool reader_is_name(char c);
/* Little first; equals stay in the tree's order. */
void reader_sort(struct board *b);

/* All of /calib, at offset @calib. 0, -EINVAL, -ERANGE, -ENOENT (a property is missing).
 */
int reader_calib(struct reader *r, int calib, struct err *err);

#endif
