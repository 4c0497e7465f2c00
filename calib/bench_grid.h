/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What 'calib ramp' and 'calib sweep' have in common: on which stage, on which CPUs,
 * under which settings, and what happens around the measuring.
 */
#ifndef CALIB_BENCH_GRID_H
#define CALIB_BENCH_GRID_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boards/board.h"
#include "calib/bench/knobs.h"
#include "calib/bench/stage.h"
#include "lib/cmd.h"
#include "lib/err.h"
#include "lib/progress.h"

#define BENCH_GRID_COMBOS 64

/* As the user gave them. */
struct bench_grid_options {
	const char *cpus, *modes, *governors, *epps, *output, *format, *board, *sysroot,
		*power_from;
	struct opt_list sensors;
	uint32_t seed;
};

/* clang-format off */
#define BENCH_GRID_DEFAULTS { .format = "text", .seed = 1 }

/* Options of a command whose struct has a struct bench_grid_options @member: what to set,
 * and, behind the command's own, where to measure and how to print. */
#define BENCH_GRID_SETTINGS_OPTS(type, member)                                           \
	{ "cpu", 0, OPT_STRING, offsetof(type, member.cpus), "LIST",                     \
	  "on these CPUs, one after the other; default: one of each kind of core" },     \
	{ "governors", 0, OPT_STRING, offsetof(type, member.governors), "LIST",          \
	  "under each of these, such as schedutil,performance; default: as it is" },     \
	{ "epp", 0, OPT_STRING, offsetof(type, member.epps), "LIST",                     \
	  "with each of these energy/performance preferences (names, or 0..255); " \
	  "what does not go together is left out; default: as it is" }, \
	{ "modes", 0, OPT_STRING, offsetof(type, member.modes), "LIST",                  \
	  "in each of these modes of intel_pstate or amd_pstate: active, passive" }

#define BENCH_GRID_PLACE_OPTS(type, member)                                              \
	{ "output", 'o', OPT_STRING, offsetof(type, member.output), "FILE",              \
	  "keep the rows in FILE, too, as of --format json, written anew after each" },  \
	{ "format", 0, OPT_STRING, offsetof(type, member.format), "FORMAT",              \
	  "text, markdown (for mails) or json; default: text",                           \
	  .choices = "text|markdown|json" },                                             \
	{ "sensor", 0, OPT_LIST, offsetof(type, member.sensors), "SPEC",                 \
	  "read this power meter, as for 'calib measure'; default: all that do not "     \
	  "overlap" },                                                                   \
	{ "power-from", 0, OPT_STRING, offsetof(type, member.power_from), "SOURCE",      \
	  "read power from a file, '-' or a command, as for 'calib measure'" },          \
	{ "board", 0, OPT_STRING, offsetof(type, member.board), "BOARD",                 \
	  "virtual:NAME: play that board instead, in virtual time" },                    \
	{ "sysroot", 0, OPT_STRING, offsetof(type, member.sysroot), "DIR",               \
	  "look for /sys and /proc of the machine below DIR" },                          \
	{ "seed", 0, OPT_U32, offsetof(type, member.seed), "N",                          \
	  "which virtual board it is; default: 1" }
/* clang-format on */

enum bench_grid_format { BENCH_GRID_TEXT, BENCH_GRID_MARKDOWN, BENCH_GRID_JSON };

/* What one of the two does. Returns: 0 or -errno. */
struct bench_grid_work {
	const char *unit; /* what is counted: "rows" */
	/* Sets grid.all first, counts grid.done, and calls bench_grid_row_done(). */
	int (*measure)(void *job, struct err *err);
	/* What is done, if there is any. */
	int (*print)(void *job, FILE *f, enum bench_grid_format format, bool interrupted,
		     struct err *err);
	/* Beside it, what the reader should know of the rows. */
	void (*remark)(void *job);
};

/* One call. */
struct bench_grid {
	struct cmd_ctx *ctx;
	const struct bench_grid_options *opts;
	const struct bench_grid_work *work;
	void *job;
	struct stage *stage;
	unsigned int cpus[BOARD_MAX_CPUS], cpu_count;
	struct knobs_combo combos[BENCH_GRID_COMBOS];
	unsigned int combo_count;
	unsigned int done, all; /* of what bench_grid_work counts */
	struct progress progress;
};

/*
 * bench_grid_run - all that a call does
 * @g: zeroed
 *
 * Opens the stage, chooses CPUs and settings, and checks that all can be set, before
 * anything changes; measures; puts everything back; prints what there is, also after an
 * error. Returns 0; -EINVAL for options that do not go together, CPUs and settings that
 * are not there; -EINTR; what stage_open(), knobs_check() and @work return.
 */
int bench_grid_run(struct bench_grid *g, const struct bench_grid_options *o,
		   const struct bench_grid_work *work, void *job, struct cmd_ctx *ctx,
		   struct err *err);

/* Progress: now comes @cpu's kind of core under @c, @detail or "". Each of what is left
 * takes @each_ns. */
void bench_grid_show(struct bench_grid *g, const struct coretype *type,
		     const struct knobs_combo *c, const char *detail, uint64_t each_ns);
/*
 * bench_grid_row_done - after each row, of @cpu under @c
 *
 * Warns when @cpu no longer runs under @c: somebody else sets it. Writes what there is to
 * the user's file. 0 or -errno.
 */
int bench_grid_row_done(const struct bench_grid *g, unsigned int cpu,
			const struct knobs_combo *c, struct err *err);
/* The kind of core of cpus[@i]. */
const struct coretype *bench_grid_type(const struct bench_grid *g, unsigned int i);

#endif
