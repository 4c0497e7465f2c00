/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is not measured keeps still: other clusters stand at their lowest clock, and our
 * own thread and interrupts run on none of the measured CPUs.
 */
#ifndef CALIB_LINUX_QUIET_H
#define CALIB_LINUX_QUIET_H

#include "calib/linux/internal.h"

/*
 * quiet_save - remember the settings that quiet_park() will change: those of the other
 * clusters, and where interrupts may run
 *
 * A policy that cannot be pinned or written is left alone, with a note.
 */
void quiet_save(struct linux_machine *lm, unsigned int cluster);
/* Call after state_commit(). What is refused is noted; it makes measuring no worse. */
void quiet_park(struct linux_machine *lm, unsigned int cluster);

/*
 * quiet_housekeeper - the CPU for our own thread while @cluster is measured
 *
 * The first that we may run on and that is not the cluster's. Where the cluster has all
 * of them, the one that is loaded last, and @shared is set. -ENOENT: not known, or not
 * ours to run on; the thread then stays where it is.
 */
int quiet_housekeeper(const struct linux_machine *lm, unsigned int cluster, bool *shared);
/* Move our thread there. */
void quiet_move(struct linux_machine *lm, unsigned int cluster);
void quiet_move_back(struct linux_machine *lm);

#endif
