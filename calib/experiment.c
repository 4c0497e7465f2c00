// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the options of ramp and sweep to a stage, CPUs and settings.
 */
#include "calib/experiment.h"

#include <errno.h>
#include <string.h>

#include "lib/cpulist.h"

static void on_note(void *arg, const char *text)
{
	cmd_note(arg, "%s", text);
}

static int choose_cpus(struct experiment *e, struct err *err)
{
	const struct stage *s = e->stage;
	const char *text = e->opts->cpus;
	int n;

	for (unsigned int i = 0; !text && i < s->type_count; i++)
		e->cpus[e->cpu_count++] = s->types[i].cpus[s->types[i].cpu_count - 1];
	if (!text)
		return 0;
	n = cpulist_parse(text, e->cpus, BOARD_MAX_CPUS);
	if (n <= 0)
		return err_set(err, -EINVAL,
			       "--cpu '%s' is not a list of CPUs such as 0,4-5", text);
	e->cpu_count = n;
	for (int i = 0; i < n; i++)
		if (!experiment_type(e, i))
			return err_set(err, -EINVAL, "there is no CPU %u online here",
				       e->cpus[i]);
	return 0;
}

static int choose(struct experiment *e, struct err *err)
{
	int n, ret = choose_cpus(e, err);

	if (ret)
		return ret;
	n = knobs_product(e->opts->governors, e->opts->epps, e->combos, EXPERIMENT_COMBOS,
			  err);
	if (n < 0)
		return n;
	e->combo_count = n;
	for (int i = 0; !ret && i < n; i++)
		ret = e->stage->ops->check(e->stage, &e->combos[i], err);
	return ret;
}

int experiment_open(struct experiment *e, const struct experiment_options *o,
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

	memset(e, 0, sizeof(*e));
	e->ctx = ctx;
	e->opts = o;
	if (!strcmp(o->format, "json"))
		e->format = EXPERIMENT_JSON;
	else if (!strcmp(o->format, "markdown"))
		e->format = EXPERIMENT_MARKDOWN;
	ret = stage_open(&so, &e->stage, err);
	return ret ? ret : choose(e, err);
}

void experiment_close(struct experiment *e)
{
	if (e->stage)
		e->stage->ops->close(e->stage);
	e->stage = NULL;
}

const struct coretype *experiment_type(const struct experiment *e, unsigned int i)
{
	return coretypes_find(e->stage->types, e->stage->type_count, e->cpus[i]);
}
