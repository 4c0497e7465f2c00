/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The voltage of each operating point, from whoever knows it best.
 */
#ifndef CALIB_LINUX_VOLTS_H
#define CALIB_LINUX_VOLTS_H

#include "boards/board.h"
#include "calib/linux/sysfs.h"
#include "calib/linux/topology.h"
#include "calib/voltages.h"
#include "lib/dtcpus.h"

/*
 * volts_fill - set volt_uv of @opps where it can be known
 * @user: what the user gave, or NULL
 * @tree: live device tree, or NULL
 * @board: matched description's cluster, or NULL
 *
 * What the user gave is taken, point by point. For all other points one source: the
 * kernel's own OPP table in debugfs (after binning), the device tree, the board
 * description; the first that knows them all, else the one that knows most. Points that
 * it does not know stay 0. Returns the name for volt_source: "user", "debugfs", "dt",
 * "board", "user+debugfs" and so on, "" (nobody knows any).
 */
const char *volts_fill(const struct sysfs *sys, const struct topology_cluster *c,
		       const struct voltages *user, const struct dtcpus *tree,
		       const struct board_cluster *board, struct board_opp *opps,
		       unsigned int count);

/* How many of @user's are of no CPU or operating point here, and the first of them. */
unsigned int volts_unused(const struct voltages *user, const struct topology *topo,
			  const struct voltage **first);

/* The tree's frequency domain of the cluster's CPUs; NULL when it has none. */
const struct dt_domain *volts_domain(const struct topology_cluster *c,
				     const struct dtcpus *tree);

#endif
