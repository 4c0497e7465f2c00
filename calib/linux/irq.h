/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts kept off the CPUs that are measured, as far as the kernel lets us.
 */
#ifndef CALIB_LINUX_IRQ_H
#define CALIB_LINUX_IRQ_H

#include <stdbool.h>

#include "calib/linux/state.h"
#include "calib/linux/sysfs.h"

/* Are @cpus all that are online? Not as far as is known when the kernel does not tell. */
bool irq_nowhere_else(const struct sysfs *sys, const unsigned int *cpus,
		      unsigned int ncpus);
/*
 * irq_save - remember where those interrupts may run that may run on @cpus
 *
 * Call it before state_commit(). Nothing is saved where no other CPU is online. What
 * cannot be read or does not fit is left alone.
 */
void irq_save(struct state *st, const unsigned int *cpus, unsigned int ncpus);
/*
 * irq_move - off @cpus, each that was saved
 *
 * One that may run nowhere else goes to the other online CPUs. What the kernel refuses
 * (per-CPU timers, managed interrupts of a device's queues) stays where it is. Returns
 * how many stayed that come to @cpus; the first @max of them are in @stayed, ascending.
 */
unsigned int irq_move(struct state *st, const unsigned int *cpus, unsigned int ncpus,
		      unsigned int *stayed, unsigned int max);

#endif
