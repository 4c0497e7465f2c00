// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From options to a site.
 */
#include "calib/bench_place.h"

#include "calib/board_options.h"

void bench_place_note(void *arg, const char *text)
{
	const struct bench_place *p = arg;

	cmd_note(p->ctx, "%s", text);
}

int bench_place_open(struct bench_place *p, const struct bench_place_options *o,
		     bool uses_seed, struct cmd_ctx *ctx, struct err *err)
{
	struct site_options so = {
		.seed = o->seed,
		.boot = o->boot,
		.rsd = o->rsd,
		.boot_rsd = o->boot_rsd,
		.effect = o->effect,
		.sysroot = o->sysroot,
		.sensors = o->sensors.items,
		.sensor_count = o->sensors.n,
		.power_from = o->power_from,
		.note = bench_place_note,
		.note_arg = p,
	};
	int ret = board_options_check(ctx, o->board, uses_seed, err);

	p->ctx = ctx;
	if (!ret && o->board) {
		ret = board_options_open(o->board, &p->board, err);
		so.virtual_board = &p->board;
	}
	return ret ? ret : site_open(&so, &p->site, err);
}
