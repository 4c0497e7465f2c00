/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine that a command's options mean: this one, or a virtual board.
 */
#ifndef CALIB_TARGET_H
#define CALIB_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "boards/board.h"
#include "calib/linux/linux.h"
#include "calib/measure/machine.h"
#include "lib/cmd.h"
#include "lib/err.h"

/* As the user gave them. */
struct target_options {
	const char *board, *sysroot, *faults; /* NULL: not given */
	const char *opps; /* for policies without a table; see calib/linux/linux.h */
	uint32_t seed;
	bool clock_only;   /* see calib/linux/linux.h */
	uint64_t start_ns; /* virtual boards: where their clock begins */
	/* For measuring on real machines; see calib/linux/linux.h. */
	const char *const *sensors;
	unsigned int sensor_count;
	const char *power_from, *voltages;
	const char *const *load_argv;
	bool boost;
	bool online, dry_run;	  /* of clusters[], or of all */
	const char *thermal_mode; /* see calib/linux/thermal_hold.h; NULL: the kernel's */
	uint32_t max_temp;	  /* degrees; 0: no limit */
	const char *const *clusters;
	unsigned int cluster_count;
};

struct target {
	struct cmd_ctx *ctx;
	struct board board;
	bool has_board, virtual_board;
	struct linux_options linux_opts; /* the machine borrows it */
	struct machine *machine;
};

/*
 * target_open - find and open it
 * @t: large; must stay where it is until target_close(), which takes a zeroed one
 *
 * Returns 0; -EINVAL for options that do not go together; what board_open(), linux_open()
 * and sim_open() return. Notes of the machine go to stderr as the command's.
 */
int target_open(struct target *t, const struct target_options *o, struct cmd_ctx *ctx,
		struct err *err);
void target_close(struct target *t);

#endif
