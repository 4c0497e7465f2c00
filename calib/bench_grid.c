// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the options of ramp and sweep to a stage, CPUs and settings.
 */
#include "calib/bench_grid.h"

#include <errno.h>
#include <string.h>

#include "calib/board_options.h"
#include "lib/cpulist.h"

static void on_note(void *arg, const char *text)
{
	cmd_note(arg, "%s", text);
}

static int choose_cpus(struct bench_grid *g, struct err *err)
{
	const struct stage *s = g->stage;
	const char *text = g->opts->cpus;
	int n;

	for (unsigned int i = 0; !text && i < s->type_count; i++)
		g->cpus[g->cpu_count++] = s->types[i].cpus[s->types[i].cpu_count - 1];
	if (!text)
		return 0;
	n = cpulist_parse(text, g->cpus, BOARD_MAX_CPUS);
	if (n <= 0)
		return err_set(err, -EINVAL,
			       "--cpu '%s' is not a list of CPUs such as 0,4-5", text);
	g->cpu_count = n;
	for (int i = 0; i < n; i++)
		if (!bench_grid_type(g, i))
			return err_set(err, -EINVAL, "there is no CPU %u online here",
				       g->cpus[i]);
	return 0;
}

static int choose(struct bench_grid *g, struct err *err)
{
	int n, ret = choose_cpus(g, err);

	if (ret)
		return ret;
	n = knobs_product(g->opts->modes, g->opts->governors, g->opts->epps, g->combos,
			  BENCH_GRID_COMBOS, err);
	if (n < 0)
		return n;
	g->combo_count = n;
	for (int i = 0; !ret && i < n; i++)
		ret = g->stage->ops->check(g->stage, &g->combos[i], err);
	return ret;
}

int bench_grid_open(struct bench_grid *g, const struct bench_grid_options *o,
		    struct cmd_ctx *ctx, struct err *err)
{
	const struct stage_options so = {
		.board = o->board,
		.seed = o->seed,
		.sysroot = o->sysroot,
		.sensors = o->sensors.items,
		.sensor_count = o->sensors.n,
		.power_from = o->power_from,
		.note = on_note,
		.note_arg = ctx,
	};
	int ret;

	memset(g, 0, sizeof(*g));
	ret = board_options_check(ctx, o->board, false, err);
	if (ret)
		return ret;
	g->ctx = ctx;
	g->opts = o;
	if (!strcmp(o->format, "json"))
		g->format = BENCH_GRID_JSON;
	else if (!strcmp(o->format, "markdown"))
		g->format = BENCH_GRID_MARKDOWN;
	ret = stage_open(&so, &g->stage, err);
	return ret ? ret : choose(g, err);
}

void bench_grid_close(struct bench_grid *g)
{
	if (g->stage)
		g->stage->ops->close(g->stage);
	g->stage = NULL;
}

void bench_grid_look_again(const struct bench_grid *g, unsigned int cpu,
			   const struct knobs_combo *c)
{
	struct knobs_combo now = { "" };
	char was[80], is[80];

	if (g->stage->virtual_board)
		return;
	memcpy(now.mode, c->mode, sizeof(now.mode));
	g->stage->ops->settings(g->stage, cpu, &now);
	/* "default" reads back as what it stands for. */
	if (!strcmp(c->governor, now.governor) &&
	    (!strcmp(c->epp, now.epp) || !strcmp(c->epp, "default")))
		return;
	cmd_warn(g->ctx,
		 "CPU %u was to run under %s, and at the end it was %s: something else "
		 "sets it, stop that service; its rows are worth nothing",
		 cpu, knobs_name(c, was, sizeof(was)), knobs_name(&now, is, sizeof(is)));
}

const struct coretype *bench_grid_type(const struct bench_grid *g, unsigned int i)
{
	return coretypes_find(g->stage->types, g->stage->type_count, g->cpus[i]);
}
