/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What 'calib ramp' and 'calib sweep' have in common: on which stage, on which CPUs,
 * under which settings.
 */
#ifndef CALIB_EXPERIMENT_H
#define CALIB_EXPERIMENT_H

#include <stdint.h>

#include "boards/board.h"
#include "calib/bench/knobs.h"
#include "calib/bench/stage.h"
#include "lib/cmd.h"
#include "lib/err.h"

#define EXPERIMENT_COMBOS 64

/* As the user gave them. */
struct experiment_options {
	const char *cpus, *governors, *epps, *format, *board, *sysroot, *power_from;
	struct opt_list sensors;
	uint32_t seed;
};

enum experiment_format { EXPERIMENT_TEXT, EXPERIMENT_MARKDOWN, EXPERIMENT_JSON };

/* One call. */
struct experiment {
	struct cmd_ctx *ctx;
	const struct experiment_options *opts;
	enum experiment_format format;
	struct stage *stage;
	unsigned int cpus[BOARD_MAX_CPUS], cpu_count;
	struct knobs_combo combos[EXPERIMENT_COMBOS];
	unsigned int combo_count;
};

/*
 * experiment_open - open the stage, choose, and check that all can be set
 *
 * Changes nothing. Returns 0; -EINVAL for CPUs or settings that are not there; what
 * stage_open() and knobs_check() return. experiment_close() takes a zeroed one and one
 * that failed to open.
 */
int experiment_open(struct experiment *e, const struct experiment_options *o,
		    struct cmd_ctx *ctx, struct err *err);
void experiment_close(struct experiment *e);
/* The kind of core of cpus[@i]. */
const struct coretype *experiment_type(const struct experiment *e, unsigned int i);

#endif
