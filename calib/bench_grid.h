/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What 'calib ramp' and 'calib sweep' have in common: on which stage, on which CPUs,
 * under which settings.
 */
#ifndef CALIB_BENCH_GRID_H
#define CALIB_BENCH_GRID_H

#include <stdint.h>

#include "boards/board.h"
#include "calib/bench/knobs.h"
#include "calib/bench/stage.h"
#include "lib/cmd.h"
#include "lib/err.h"

#define BENCH_GRID_COMBOS 64

/* As the user gave them. */
struct bench_grid_options {
	const char *cpus, *modes, *governors, *epps, *format, *board, *sysroot,
		*power_from;
	struct opt_list sensors;
	uint32_t seed;
};

enum bench_grid_format { BENCH_GRID_TEXT, BENCH_GRID_MARKDOWN, BENCH_GRID_JSON };

/* One call. */
struct bench_grid {
	struct cmd_ctx *ctx;
	const struct bench_grid_options *opts;
	enum bench_grid_format format;
	struct stage *stage;
	unsigned int cpus[BOARD_MAX_CPUS], cpu_count;
	struct knobs_combo combos[BENCH_GRID_COMBOS];
	unsigned int combo_count;
};

/*
 * bench_grid_open - open the stage, choose, and check that all can be set
 *
 * Changes nothing. Returns 0; -EINVAL for CPUs or settings that are not there; what
 * stage_open() and knobs_check() return. bench_grid_close() takes a zeroed one and one
 * that failed to open.
 */
int bench_grid_open(struct bench_grid *g, const struct bench_grid_options *o,
		    struct cmd_ctx *ctx, struct err *err);
void bench_grid_close(struct bench_grid *g);
/* Warn when @cpu, which ran under @c, no longer does: somebody else sets it. */
void bench_grid_look_again(const struct bench_grid *g, unsigned int cpu,
			   const struct knobs_combo *c);
/* The kind of core of cpus[@i]. */
const struct coretype *bench_grid_type(const struct bench_grid *g, unsigned int i);

#endif
