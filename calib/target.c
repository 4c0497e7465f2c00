// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From --board, --sysroot and --fault to a machine.
 */
#include "calib/target.h"

#include <errno.h>

#include "calib/board_options.h"
#include "calib/measure/stop.h"
#include "calib/sim/sim.h"

static int open_virtual(struct target *t, const struct target_options *o, struct err *err)
{
	struct sim_options opts = {
		.board = &t->board,
		.seed = o->seed,
		.start_ns = o->start_ns,
		.clock_only = o->clock_only,
		.stop_pending = stop_pending,
	};
	int ret = 0;

	if (o->faults)
		ret = sim_fault_parse(o->faults, &t->board, &opts.faults, err);
	return ret ? ret : sim_open(&opts, &t->machine, err);
}

static void on_note(void *arg, const char *text)
{
	const struct target *t = arg;

	cmd_note(t->ctx, "%s", text);
}

static int open_real(struct target *t, const struct target_options *o, struct err *err)
{
	t->linux_opts = (struct linux_options){
		.sysroot = o->sysroot,
		.board = t->has_board ? &t->board : NULL,
		.clock_only = o->clock_only,
		.opps = o->opps,
		.sensors = o->sensors,
		.sensor_count = o->sensor_count,
		.power_from = o->power_from,
		.voltages = o->voltages,
		.boost = o->boost,
		.online = o->online,
		.dry_run = o->dry_run,
		.max_temp_mc = o->max_temp * 1000,
		.clusters = o->clusters,
		.cluster_count = o->cluster_count,
		.load_argv = o->load_argv,
		.note = on_note,
		.note_arg = t,
	};
	int ret;

	ret = thermal_mode_parse(o->thermal_mode, &t->linux_opts.thermal_mode, err);
	return ret ? ret : linux_open(&t->linux_opts, &t->machine, err);
}

int target_open(struct target *t, const struct target_options *o, struct cmd_ctx *ctx,
		struct err *err)
{
	/* What measures shuffles, by the seed. */
	int ret = board_options_check(ctx, o->board, !o->clock_only, err);

	t->ctx = ctx;
	if (ret)
		return ret;
	if (o->board) {
		ret = board_open(o->board, &t->board, &t->virtual_board, err);
		if (ret)
			return ret;
		t->has_board = true;
	}
	return t->virtual_board ? open_virtual(t, o, err) : open_real(t, o, err);
}

void target_close(struct target *t)
{
	if (t->machine)
		t->machine->ops->close(t->machine);
	t->machine = NULL;
}
