/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings of calib/bench/knobs.h on a virtual board: each cluster is a policy,
 * named after its first CPU, under a governor of calib/sim/governor.h.
 */
#ifndef CALIB_BENCH_KNOBS_VIRTUAL_H
#define CALIB_BENCH_KNOBS_VIRTUAL_H

#include "boards/board.h"
#include "calib/bench/knobs.h"
#include "calib/sim/governor.h"
#include "lib/err.h"

struct knobs_virtual {
	const struct board *board;
	struct knobs_combo set[BOARD_MAX_CLUSTERS]; /* mode, governor and EPP of each */
};

/* As distributions leave it. @board: borrowed. */
void knobs_virtual_open(struct knobs_virtual *k, const struct board *board);
/*
 * As knobs_check() and knobs_apply(). 0; -ENODEV no such policy; -EINVAL it is not
 * offered; -ENOTSUP the board has no such setting.
 */
int knobs_virtual_check(const struct knobs_virtual *k, const struct knobs_combo *c,
			struct err *err);
int knobs_virtual_apply(struct knobs_virtual *k, const struct knobs_combo *c,
			struct err *err);

/* The governor that clusters[@cluster] is under, the CPUs idle for long at @now_ns. */
void knobs_virtual_governor(const struct knobs_virtual *k, unsigned int cluster,
			    uint64_t now_ns, struct governor *g);
/* The clock that a policy takes where its governor asks for @khz. */
uint32_t knobs_virtual_khz(const struct board_cluster *cl, double khz);

#endif
