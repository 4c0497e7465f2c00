// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the options of ramp and sweep to a stage, CPUs and settings, and to the end.
 */
#include "calib/bench_grid.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calib/bench/result.h"
#include "calib/board_options.h"
#include "calib/measure/stop.h"
#include "lib/cpulist.h"
#include "lib/outfile.h"

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

/* Are @mode, @governor and @epp of @c each among settings that can be? */
static bool is_dispensable(const struct bench_grid *g, const bool *can,
			   const struct knobs_combo *c)
{
	bool mode = false, governor = false, epp = false;

	for (unsigned int i = 0; i < g->combo_count; i++) {
		mode |= can[i] && !strcmp(g->combos[i].mode, c->mode);
		governor |= can[i] && !strcmp(g->combos[i].governor, c->governor);
		epp |= can[i] && !strcmp(g->combos[i].epp, c->epp);
	}
	return mode && governor && epp;
}

/*
 * Of lists that are combined, some do not go together (an EPP with the governor
 * performance): those are left out. What goes with nothing is the user's mistake.
 */
static int leave_out_impossible(struct bench_grid *g, struct err *err)
{
	bool can[BENCH_GRID_COMBOS];
	unsigned int kept = 0;
	struct err why;
	char name[80];
	int ret;

	for (unsigned int i = 0; i < g->combo_count; i++)
		can[i] = !g->stage->ops->check(g->stage, &g->combos[i], NULL);
	for (unsigned int i = 0; i < g->combo_count; i++) {
		ret = can[i] ? 0 : g->stage->ops->check(g->stage, &g->combos[i], &why);
		if (ret && !is_dispensable(g, can, &g->combos[i]))
			return err_set(err, ret, "%s", why.msg);
		if (ret)
			cmd_note(g->ctx, "%s is left out: %s",
				 knobs_name(&g->combos[i], name, sizeof(name)), why.msg);
	}
	for (unsigned int i = 0; i < g->combo_count; i++)
		if (can[i])
			g->combos[kept++] = g->combos[i];
	g->combo_count = kept;
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
	return leave_out_impossible(g, err);
}

static int open_stage(struct bench_grid *g, struct err *err)
{
	const struct bench_grid_options *o = g->opts;
	const struct stage_options so = {
		.board = o->board,
		.seed = o->seed,
		.sysroot = o->sysroot,
		.sensors = o->sensors.items,
		.sensor_count = o->sensors.n,
		.power_from = o->power_from,
		.note = on_note,
		.note_arg = g->ctx,
	};
	int ret = board_options_check(g->ctx, o->board, false, err);

	if (!ret)
		ret = bench_result_writable(o->output, err);
	if (!ret)
		ret = stage_open(&so, &g->stage, err);
	return ret ? ret : choose(g, err);
}

/* Whole, or as it was. */
static int keep(const struct bench_grid *g, bool interrupted, struct err *err)
{
	struct outfile out;
	int ret;

	if (!g->opts->output)
		return 0;
	ret = outfile_open(&out, g->opts->output, err);
	if (ret)
		return ret;
	ret = g->work->print(g->job, out.f, BENCH_GRID_JSON, interrupted, err);
	if (!ret)
		ret = outfile_commit(&out, err);
	outfile_abort(&out);
	return ret;
}

/* What there is: to the file, and to read. */
static int report(const struct bench_grid *g, bool interrupted, struct err *err)
{
	const char *format = g->opts->format;
	int kept = keep(g, interrupted, err), ret;

	ret = g->work->print(g->job, stdout,
			     !strcmp(format, "json")	   ? BENCH_GRID_JSON
			     : !strcmp(format, "markdown") ? BENCH_GRID_MARKDOWN
							   : BENCH_GRID_TEXT,
			     interrupted, kept ? NULL : err);
	g->work->remark(g->job);
	return kept ? kept : ret;
}

static int work_on(struct bench_grid *g, struct err *err)
{
	struct err besides;
	int ret, back;

	progress_start(&g->progress, stop_now_ns());
	ret = g->work->measure(g->job, err);
	progress_end(&g->progress);
	back = g->stage->ops->restore(g->stage, &besides);
	if (g->done) {
		int reported = report(g, ret != 0, ret ? NULL : err);

		ret = ret ? ret : reported;
	}
	if (ret == -EINTR)
		err_set(err, ret, "interrupted after %u of %u %s; %s", g->done, g->all,
			g->work->unit,
			g->done ? "the table holds those" : "there is no table yet");
	return back ? err_set(err, back, "%s", besides.msg) : ret;
}

int bench_grid_run(struct bench_grid *g, const struct bench_grid_options *o,
		   const struct bench_grid_work *work, void *job, struct cmd_ctx *ctx,
		   struct err *err)
{
	struct stop stop;
	int ret;

	g->ctx = ctx;
	g->opts = o;
	g->work = work;
	g->job = job;
	stop_begin(&stop);
	ret = open_stage(g, err);
	if (!ret)
		ret = work_on(g, err);
	if (g->stage)
		g->stage->ops->close(g->stage);
	/* What a signal asked for has been done. */
	stop_drop();
	stop_end(&stop);
	return ret;
}

void bench_grid_show(struct bench_grid *g, const struct coretype *type,
		     const struct knobs_combo *c, const char *detail, uint64_t each_ns)
{
	char what[160], name[80];

	snprintf(what, sizeof(what), "%s %s%s%s", type->name,
		 knobs_name(c, name, sizeof(name)), detail[0] ? " " : "", detail);
	progress_update(&g->progress, stop_now_ns(), g->done, g->all,
			(g->all - g->done) * each_ns, what);
}

/* Is it as it was set? */
static void look_again(const struct bench_grid *g, unsigned int cpu,
		       const struct knobs_combo *c)
{
	struct knobs_combo now = { "" };
	char was[80], is[80];

	if (g->stage->virtual_board)
		return;
	memcpy(now.mode, c->mode, sizeof(now.mode));
	g->stage->ops->settings(g->stage, cpu, &now);
	if (knobs_same(c, &now))
		return;
	cmd_warn(g->ctx,
		 "CPU %u was to run under %s, and at the end it was %s: something else "
		 "sets it, stop that service; its rows are worth nothing",
		 cpu, knobs_name(c, was, sizeof(was)), knobs_name(&now, is, sizeof(is)));
}

int bench_grid_row_done(const struct bench_grid *g, unsigned int cpu,
			const struct knobs_combo *c, struct err *err)
{
	look_again(g, cpu, c);
	return keep(g, g->done < g->all, err);
}

const struct coretype *bench_grid_type(const struct bench_grid *g, unsigned int i)
{
	return coretypes_find(g->stage->types, g->stage->type_count, g->cpus[i]);
}
