// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib sweep: what do loads that sleep draw, and how long do they take?
 */
#include "calib/commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calib/bench/ramp.h"
#include "calib/bench/sweep.h"
#include "calib/bench_grid.h"

/* Packets that had their CPU for less of their time are told of. */
#define WANTED_SHARE 0.98

#define MAX_HOURS 1000

struct sweep_options {
	struct bench_grid_options grid;
	const char *hz, *loads;
	uint64_t step_ns, packet_ns;
	uint32_t tasks, samples;
	bool serialized;
};

/* One call. Rows are measured CPU by CPU, combination by combination. */
struct job {
	const struct sweep_options *opts;
	struct bench_grid grid;
	struct sweep_plan plan;
	double rates[BOARD_MAX_CPUS];
	struct sweep_row *rows;
	unsigned int per_combo;
};

/* What would say nothing. */
static int check_options(const struct cmd_ctx *ctx, bool serialized, struct err *err)
{
	static const char *const of_periods[] = { "hz", "loads", "time", NULL };
	static const char *const of_processes[] = { "packet", "tasks", "samples", NULL };
	const char *name = cmd_any_given(ctx, serialized ? of_periods : of_processes);

	if (!name)
		return 0;
	if (serialized)
		return err_set(err, -EINVAL,
			       "--%s is for periods, and --serialized has none", name);
	return err_set(err, -EINVAL, "--%s is for processes; add --serialized", name);
}

/* Nobody waits for that long, and its nanoseconds would not fit a number. */
static int check_length(const struct sweep_options *o, struct err *err)
{
	double hours = o->packet_ns * 1e-9 / 3600 * o->tasks * o->samples;

	if (!o->serialized || hours <= MAX_HOURS)
		return 0;
	return err_set(err, -EINVAL,
		       "--packet, --tasks and --samples make a step of %.0f hours; up to "
		       "%d are taken",
		       hours, MAX_HOURS);
}

static int make_plan(struct job *job, struct cmd_ctx *ctx, struct err *err)
{
	const struct sweep_options *o = job->opts;
	int ret = check_options(ctx, o->serialized, err);

	if (!ret)
		ret = check_length(o, err);
	if (!ret && sweep_frequencies(o->hz, &job->plan, err))
		ret = err_wrap(err, -EINVAL, "--hz");
	if (!ret && sweep_loads(o->loads, &job->plan, err))
		ret = err_wrap(err, -EINVAL, "--loads");
	job->plan.serialized = o->serialized;
	job->plan.step_ns = o->step_ns;
	job->plan.packet_ns = o->packet_ns;
	job->plan.tasks = o->tasks;
	job->plan.samples = o->samples;
	return ret;
}

static struct sweep_row *row_at(const struct job *job, unsigned int cpu,
				unsigned int combo, unsigned int i)
{
	return &job->rows[(cpu * job->grid.combo_count + combo) * job->per_combo + i];
}

static int make_rows(struct job *job, struct err *err)
{
	const struct sweep_plan *p = &job->plan;
	unsigned int i;

	job->per_combo = p->serialized ? 1 : p->hz_count * p->step_count;
	job->grid.all = job->grid.cpu_count * job->grid.combo_count * job->per_combo;
	job->rows = calloc(job->grid.all, sizeof(*job->rows));
	if (!job->rows)
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < job->grid.all; i++) {
		struct sweep_row *row = &job->rows[i];
		unsigned int step = i % job->per_combo;
		unsigned int cpu = i / job->per_combo / job->grid.combo_count;

		row->cpu = job->grid.cpus[cpu];
		row->type = bench_grid_type(&job->grid, cpu);
		row->combo = job->grid.combos[i / job->per_combo % job->grid.combo_count];
		if (p->serialized)
			continue;
		row->hz = p->hz[step / p->step_count];
		row->load = p->load[step % p->step_count];
		row->down = p->down[step % p->step_count];
	}
	return 0;
}

/* As planned: serialized steps take as long as they take. */
static uint64_t step_ns(const struct stage *s, const struct sweep_plan *p)
{
	return sweep_settle_ns(s, p) + s->meter_ns +
	       (p->serialized ? p->packet_ns * p->tasks * p->samples : p->step_ns);
}

static int measure_row(struct job *job, unsigned int cpu, struct sweep_row *row,
		       struct err *err)
{
	struct stage *s = job->grid.stage;
	char point[32] = "";
	int ret;

	s->ops->settings(s, row->cpu, &row->combo);
	if (!job->plan.serialized)
		snprintf(point, sizeof(point), "%u Hz %u %%", row->hz, row->load);
	bench_grid_show(&job->grid, row->type, &row->combo, point,
			step_ns(s, &job->plan));
	ret = sweep_step(s, &job->plan, job->rates[cpu], row, err);
	job->grid.done += !ret;
	if (!ret)
		ret = bench_grid_row_done(&job->grid, row->cpu, &row->combo, err);
	return ret;
}

static int measure(void *arg, struct err *err)
{
	struct job *job = arg;
	struct stage *s = job->grid.stage;
	int ret = make_rows(job, err);

	for (unsigned int cpu = 0; !ret && cpu < job->grid.cpu_count; cpu++) {
		ret = sweep_full_rate(s, job->grid.cpus[cpu], &job->rates[cpu], err);
		for (unsigned int j = 0; !ret && j < job->grid.combo_count; j++) {
			ret = s->ops->apply(s, &job->grid.combos[j], err);
			for (unsigned int i = 0; !ret && i < job->per_combo; i++)
				ret = measure_row(job, cpu, row_at(job, cpu, j, i), err);
		}
	}
	return ret;
}

/* In the order to show them: what differs in the settings alone stands together. */
static unsigned int sort_rows(const struct job *job, const struct sweep_row **out)
{
	unsigned int n = 0;

	for (unsigned int cpu = 0; cpu < job->grid.cpu_count; cpu++)
		for (unsigned int i = 0; i < job->per_combo; i++)
			for (unsigned int j = 0; j < job->grid.combo_count; j++)
				if (row_at(job, cpu, j, i)->done)
					out[n++] = row_at(job, cpu, j, i);
	return n;
}

/* What the reader should know of the rows. */
static void remark(void *arg)
{
	const struct job *job = arg;
	const struct sweep_row *worst = NULL;
	double least = WANTED_SHARE;
	char at[48] = "";

	for (unsigned int i = 0; i < job->grid.all; i++) {
		const struct sweep_row *row = &job->rows[i];

		if (!row->done || !row->work_ns ||
		    (double)row->had_ns / row->work_ns >= least)
			continue;
		least = (double)row->had_ns / row->work_ns;
		worst = row;
	}
	if (!worst)
		return;
	if (!job->plan.serialized)
		snprintf(at, sizeof(at), ", %u Hz, %u %%", worst->hz, worst->load);
	cmd_warn(job->grid.ctx,
		 "%s had their CPU for only %.0f %% of their time at worst (CPU %u%s): "
		 "something else ran there, and the figures hold it",
		 job->plan.serialized ? "processes" : "packets", least * 100, worst->cpu,
		 at);
}

static int print(void *arg, FILE *f, enum bench_grid_format format, bool interrupted,
		 struct err *err)
{
	const struct job *job = arg;
	const struct sweep_row **rows = calloc(job->grid.all, sizeof(*rows));
	struct sweep_result result = {
		.stage = job->grid.stage,
		.plan = &job->plan,
		.seed = job->opts->grid.seed,
		.command = cmd_line(job->grid.ctx),
		.cpus = job->grid.cpus,
		.rates = job->rates,
		.cpu_count = job->grid.cpu_count,
		.rows = rows,
		.interrupted = interrupted,
	};
	int ret = 0;

	if (!rows)
		return err_set(err, -ENOMEM, "out of memory");
	result.row_count = sort_rows(job, rows);
	if (format == BENCH_GRID_JSON)
		ret = sweep_print_json(&result, f, err);
	else
		ret = sweep_print(&result, f, format == BENCH_GRID_MARKDOWN, err);
	free(rows);
	return ret;
}

static const struct bench_grid_work sweep_work = { "rows", measure, print, remark };

static int run_sweep(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
		     struct err *err)
{
	struct job job = { .opts = options };
	int ret = make_plan(&job, ctx, err);

	(void)argc;
	(void)argv;
	if (!ret)
		ret = bench_grid_run(&job.grid, &job.opts->grid, &sweep_work, &job, ctx,
				     err);
	free(job.rows);
	return ret;
}

#define OPT(member) offsetof(struct sweep_options, member)

static const struct opt sweep_opts[] = {
	BENCH_GRID_SETTINGS_OPTS(struct sweep_options, grid),
	{ "hz", 0, OPT_STRING, OPT(hz), "LIST",
	  "work/sleep frequencies; default: 73,113,211,347,401" },
	{ "loads", 0, OPT_STRING, OPT(loads), "LIST",
	  "loads in percent, swept up and down again; default: 10,20,...,100" },
	{ "time", 0, OPT_DURATION_NS, OPT(step_ns), "TIME",
	  "stay at each load for TIME; default: 3s" },
	{ "serialized", 0, OPT_FLAG, OPT(serialized), NULL,
	  "processes one after the other in place of periods" },
	{ "packet", 0, OPT_DURATION_NS, OPT(packet_ns), "TIME",
	  "work of such a process, at the highest clock; default: 500us" },
	{ "tasks", 0, OPT_U32, OPT(tasks), "N", "processes in a sample; default: 1000",
	  .min = 1, .max = 1000000 },
	{ "samples", 0, OPT_U32, OPT(samples), "N", "samples of each; default: 10",
	  .min = 1, .max = 1000 },
	BENCH_GRID_PLACE_OPTS(struct sweep_options, grid),
	{ NULL },
};

static const struct sweep_options sweep_defaults = {
	.grid = BENCH_GRID_DEFAULTS,
	.hz = "73,113,211,347,401",
	.loads = "10,20,30,40,50,60,70,80,90,100",
	.step_ns = 3000000000,
	.packet_ns = 500000,
	.tasks = 1000,
	.samples = 10,
};

const struct cmd cmd_sweep = {
	.name = "sweep",
	.args = "",
	.summary = "what loads that sleep draw, per frequency, load and governor",
	.help = "Runs one task that works and sleeps: a packet of work in each period of "
		"a work/sleep frequency. The work does not depend on the clock: 100 % is "
		"what fills the period at the highest clock, which is looked at first, "
		"under the governor performance where there is one. "
		"The load is swept up and down, to show what a governor makes of where "
		"it comes from. For each CPU there is a table of power and one of the "
		"execution times of packets, with a row for each frequency, load and "
		"governor: samples, average, standard deviation, maximum and minimum; "
		"'late' are packets that took more than 1.01 periods.\n"
		"\n"
		"--serialized runs new processes in place of periods, one after the "
		"other with a fixed packet each: the period is what the machine makes "
		"of it, and governors that do not see a load in many short processes "
		"show it in the execution time. Parent and child are on one CPU, which "
		"never idles. schedutil forgets what a process counted when it ends, and "
		"sees the parent only: the less of the time it takes to start processes, "
		"the lower the clock. Where starting takes long, as on little cores, or "
		"the highest clock is the next operating point, schedutil is as fast as "
		"performance; a longer --packet then shows more.\n"
		"\n"
		"Power is that of all meters that do not overlap; without a meter, or "
		"without cpufreq, the rest is measured all the same. A sample of power "
		"is up to a second; what comes first, a sixth of a step or one sample of "
		"time, or two update intervals of a slow meter, is left out. Meters that "
		"are off are on meanwhile. Governors, EPPs and modes need root. "
		"They are put back at the end, on Ctrl-C (which prints the rows that are "
		"finished), and when calib is killed, which -o FILE outlasts.\n"
		"\n"
		"The defaults take six minutes for each governor and kind of core. "
		"Virtual boards take virtual time and a model of the governors; see "
		"'calib ramp --help'.\n"
		"\n"
		"Next: 'calib bench', for the same work before and after a change.",
	.example = "calib sweep --governors schedutil,ondemand,performance\n"
		   "calib sweep --hz 347 --loads 10,30,50,70,90 --time 10s\n"
		   "calib sweep --serialized --governors schedutil,performance\n"
		   "calib sweep --board virtual:odroid-xu3 --hz 73,347 --loads 20,80",
	.opts = sweep_opts,
	.opts_size = sizeof(struct sweep_options),
	.defaults = &sweep_defaults,
	.run = run_sweep,
};
