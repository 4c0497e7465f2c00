/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel that a virtual board would run, as far as energy models go: its arithmetic
 * is played, on a tree that has the board's true coefficients.
 */
#ifndef CALIB_SIM_KERNEL_H
#define CALIB_SIM_KERNEL_H

#include "boards/board.h"
#include "lib/dtcpus.h"
#include "lib/err.h"
#include "models/em_shown.h"

#define SIM_KERNEL "6.12"

/* @d: new; borrows @board. 0; -EINVAL a cluster has no truth; what board_cpus() does. */
int sim_kernel_tree(const struct board *board, struct dtcpus *d, struct err *err);
/*
 * sim_kernel_model - what it shows
 * @shown: EM_SHOWN_MAX_DOMAINS
 * @count: of which have a model
 *
 * 0; -ENOMEM; what sim_kernel_tree() returns.
 */
int sim_kernel_model(const struct board *board, unsigned int release,
		     struct em_shown *shown, unsigned int *count, struct err *err);
/* "6.1" of a user as EM_RELEASE(). 0; -EINVAL for what is none, or too old. */
int sim_kernel_parse(const char *text, unsigned int *release, struct err *err);

#endif
