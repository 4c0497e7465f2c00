/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operating points of policies for which the kernel lists none.
 */
#ifndef CALIB_LINUX_POINTS_H
#define CALIB_LINUX_POINTS_H

#include "calib/linux/topology.h"
#include "lib/dtcpus.h"

/*
 * points_choose - better points than those evenly between the limits
 * @tree: live device tree, or NULL
 * @wanted: the user's list ("800,1.4GHz"), or NULL
 *
 * Policies with a list stay as they are. The user's clocks are taken as far as they are
 * in the limits, else the device tree's operating points; where there are none either,
 * the policy's points stay. points_from of the policy says which.
 */
void points_choose(struct topology_cluster *c, const struct dtcpus *tree,
		   const char *wanted);

#endif
