/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the workloads of 'calib bench' run by its options: here, or on a virtual board.
 */
#ifndef CALIB_BENCH_PLACE_H
#define CALIB_BENCH_PLACE_H

#include "boards/board.h"
#include "calib/bench/site.h"
#include "lib/cmd.h"

struct bench_place_options {
	struct opt_list sensors;
	const char *power_from, *board, *sysroot;
	uint32_t seed, boot;
	double rsd, boot_rsd, effect;
};

/* Large; must stay where it is until the site is closed. */
struct bench_place {
	struct cmd_ctx *ctx;
	struct board board;
	struct site *site;
};

/*
 * bench_place_open - open the site; the caller closes it by site_close()
 * @uses_seed: by the caller, beside the virtual board
 *
 * Returns 0; -EINVAL for options that do not go together; what board_open() and
 * site_open() return. Notes go to stderr as the command's.
 */
int bench_place_open(struct bench_place *p, const struct bench_place_options *o,
		     bool uses_seed, struct cmd_ctx *ctx, struct err *err);
/* A note of the command's: for hooks that take one; @arg is the place. */
void bench_place_note(void *arg, const char *text);

#endif
