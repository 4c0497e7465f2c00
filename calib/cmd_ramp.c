// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib ramp: how fast does a CPU come up to speed, and at what price?
 */
#include "calib/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "calib/bench/ramp.h"
#include "calib/bench_grid.h"

#define MAX_ROWS 256
/* Below it, what else ran on the CPU shows in the table. */
#define WANTED_SHARE 0.98

struct ramp_options {
	struct bench_grid_options grid;
	uint32_t repeats;
	uint64_t idle_ns;
};

/* One call. */
struct job {
	const struct ramp_options *opts;
	struct bench_grid grid; /* counts starts */
	struct ramp_row *rows;	/* MAX_ROWS of them */
	unsigned int row_count; /* begun */
};

static int measure_row(struct job *job, struct ramp_row *row, struct err *err)
{
	const struct ramp_options *o = job->opts;
	struct stage *s = job->grid.stage;
	int ret = s->ops->apply(s, &row->combo, err);

	s->ops->settings(s, row->cpu, &row->combo);
	job->row_count++;
	while (!ret && row->run_count < o->repeats) {
		bench_grid_show(&job->grid, row->type, &row->combo, "",
				o->idle_ns + ramp_work_ns(job->grid.stage));
		ret = ramp_once(s, row->cpu, o->idle_ns, &row->runs[row->run_count], err);
		row->run_count += !ret;
		job->grid.done += !ret;
	}
	if (!ret)
		ret = bench_grid_row_done(&job->grid, row->cpu, &row->combo, err);
	/* A row without a start is none. */
	job->row_count -= !row->run_count;
	return ret;
}

static int measure(void *arg, struct err *err)
{
	struct job *job = arg;
	unsigned int cpus = job->grid.cpu_count, combos = job->grid.combo_count;
	int ret = 0;

	if (cpus * combos > MAX_ROWS)
		return err_set(err, -EINVAL,
			       "%u CPUs under %u settings are more than %d rows", cpus,
			       combos, MAX_ROWS);
	job->grid.all = cpus * combos * job->opts->repeats;
	for (unsigned int i = 0; !ret && i < cpus; i++)
		for (unsigned int j = 0; !ret && j < combos; j++) {
			struct ramp_row *row = &job->rows[job->row_count];

			row->cpu = job->grid.cpus[i];
			row->type = bench_grid_type(&job->grid, i);
			row->combo = job->grid.combos[j];
			ret = measure_row(job, row, err);
		}
	return ret;
}

/* What the reader should know of the rows. */
static void remark(void *arg)
{
	const struct job *job = arg;
	double least = 1;

	for (unsigned int i = 0; i < job->row_count; i++) {
		struct tally t = ramp_tally(&job->rows[i],
					    offsetof(struct ramp_run, had_cpu));

		least = t.minimum < least ? t.minimum : least;
	}
	if (least < WANTED_SHARE)
		cmd_warn(job->grid.ctx,
			 "the task had its CPU for only %.0f %% of the time at worst: "
			 "something else ran there, and the figures hold it",
			 least * 100);
	if (!job->grid.stage->has_knobs)
		cmd_note(job->grid.ctx,
			 "no cpufreq here: what a ramp shows is the hardware's and the "
			 "hypervisor's doing");
}

static int print(void *arg, FILE *f, enum bench_grid_format format, bool interrupted,
		 struct err *err)
{
	const struct job *job = arg;
	const struct ramp_result result = {
		.stage = job->grid.stage,
		.seed = job->opts->grid.seed,
		.idle_ns = job->opts->idle_ns,
		.command = cmd_line(job->grid.ctx),
		.rows = job->rows,
		.row_count = job->row_count,
		.repeats = job->opts->repeats,
		.interrupted = interrupted,
	};

	if (format == BENCH_GRID_JSON)
		return ramp_print_json(&result, f, err);
	return ramp_print(&result, f, format == BENCH_GRID_MARKDOWN, err);
}

static const struct bench_grid_work ramp_work = { "starts", measure, print, remark };

static int run_ramp(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
		    struct err *err)
{
	struct job job = { .opts = options };
	int ret;

	(void)argc;
	(void)argv;
	job.rows = calloc(MAX_ROWS, sizeof(*job.rows));
	if (!job.rows)
		return err_set(err, -ENOMEM, "out of memory");
	ret = bench_grid_run(&job.grid, &job.opts->grid, &ramp_work, &job, ctx, err);
	free(job.rows);
	return ret;
}

#define OPT(member) offsetof(struct ramp_options, member)

static const struct opt ramp_opts[] = {
	BENCH_GRID_SETTINGS_OPTS(struct ramp_options, grid),
	{ "repeats", 0, OPT_U32, OPT(repeats), "N", "starts of each; default: 5",
	  .min = 1, .max = RAMP_MAX_REPEATS },
	{ "idle", 0, OPT_DURATION_NS, OPT(idle_ns), "TIME",
	  "idle for TIME before each start; default: 500ms" },
	BENCH_GRID_PLACE_OPTS(struct ramp_options, grid),
	{ NULL },
};

static const struct ramp_options ramp_defaults = {
	.grid = BENCH_GRID_DEFAULTS,
	.repeats = 5,
	.idle_ns = 500000000,
};

const struct cmd cmd_ramp = {
	.name = "ramp",
	.args = "",
	.summary = "how fast a CPU comes up to speed, per core type and governor",
	.help = "Leaves a CPU idle, starts a task on it that never sleeps (a chain of "
		"floating point operations that no core can overlap), and looks at its "
		"throughput from the first millisecond: over the first 5, 10, 20, 50, "
		"100, 500 ms and the first second, in percent of the steady state, "
		"at which, or faster, a quarter of the work of the last half second of "
		"1.5 s was done: what else ran on the CPU does not count. '95 %' is when "
		"it is reached. A step is one iteration of the chain; Mops/s are "
		"millions of them.\n"
		"\n"
		"Each start is a new thread, as the scheduler remembers the load of an "
		"old one. The lines '+-' are the standard deviation over the starts.\n"
		"\n"
		"Power is that of all meters that do not overlap, from 0.5 to 1.4 s, "
		"or later and with work that goes on for a slow one, so that no reading "
		"has idling in it; and so it holds what the rest of the machine draws; "
		"without a "
		"meter, or without cpufreq, a table with '-' is printed and says so. "
		"Governors, EPPs and modes need root. They are put back at the end, on "
		"Ctrl-C "
		"(which prints the rows so far), and when calib is killed, which -o FILE "
		"outlasts.\n"
		"\n"
		"A virtual board is played in virtual time with a model of the governors "
		"(schedutil's PELT with its half-life of 32 ms and its rate limit, "
		"ondemand's sampling; for virtual:intel-hybrid a stand-in for what EPP "
		"does in hardware): it shows what the table looks like, not what a "
		"machine does.\n"
		"\n"
		"Next: 'calib sweep', for loads that sleep.",
	.example = "calib ramp\n"
		   "calib ramp --cpu 0,4 --governors schedutil,performance --format "
		   "markdown\n"
		   "calib ramp --governors powersave --epp balance_power,performance\n"
		   "calib ramp --board virtual:juno-r2 --governors schedutil,ondemand",
	.opts = ramp_opts,
	.opts_size = sizeof(struct ramp_options),
	.defaults = &ramp_defaults,
	.run = run_ramp,
};
