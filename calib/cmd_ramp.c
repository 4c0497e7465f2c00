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
#include "calib/measure/stop.h"
#include "lib/progress.h"

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
	struct bench_grid grid;
	struct ramp_row *rows;	      /* MAX_ROWS of them */
	unsigned int row_count, done; /* rows begun, starts done */
	struct progress progress;
};

static unsigned int count_starts(const struct job *job)
{
	return job->grid.cpu_count * job->grid.combo_count * job->opts->repeats;
}

static void show_progress(struct job *job, const struct ramp_row *row)
{
	unsigned int all = count_starts(job);
	char what[128], name[80];

	snprintf(what, sizeof(what), "%s %s", row->type->name,
		 knobs_name(&row->combo, name, sizeof(name)));
	progress_update(&job->progress, stop_now_ns(), job->done, all,
			(all - job->done) * (job->opts->idle_ns + RAMP_NS), what);
}

static int measure_row(struct job *job, struct ramp_row *row, struct err *err)
{
	struct stage *s = job->grid.stage;
	int ret = s->ops->apply(s, &row->combo, err);

	s->ops->settings(s, row->cpu, &row->combo);
	job->row_count++;
	while (!ret && row->run_count < job->opts->repeats) {
		show_progress(job, row);
		ret = ramp_once(s, row->cpu, job->opts->idle_ns,
				&row->runs[row->run_count], err);
		row->run_count += !ret;
		job->done += !ret;
	}
	if (!ret)
		bench_grid_look_again(&job->grid, row->cpu, &row->combo);
	/* A row without a start is none. */
	job->row_count -= !row->run_count;
	return ret;
}

static int measure(struct job *job, struct err *err)
{
	int ret = 0;

	if (job->grid.cpu_count * job->grid.combo_count > MAX_ROWS)
		return err_set(err, -EINVAL,
			       "%u CPUs under %u settings are more than %d rows",
			       job->grid.cpu_count, job->grid.combo_count, MAX_ROWS);
	progress_start(&job->progress, stop_now_ns());
	for (unsigned int i = 0; !ret && i < job->grid.cpu_count; i++)
		for (unsigned int j = 0; !ret && j < job->grid.combo_count; j++) {
			struct ramp_row *row = &job->rows[job->row_count];

			row->cpu = job->grid.cpus[i];
			row->type = bench_grid_type(&job->grid, i);
			row->combo = job->grid.combos[j];
			ret = measure_row(job, row, err);
		}
	progress_end(&job->progress);
	return ret;
}

static int print(const struct job *job, bool interrupted, struct err *err)
{
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

	if (job->grid.format == BENCH_GRID_JSON)
		return ramp_print_json(&result, stdout, err);
	if (job->grid.format == BENCH_GRID_MARKDOWN)
		ramp_print_markdown(&result, stdout);
	else
		ramp_print_text(&result, stdout);
	return 0;
}

/* What the reader should know of the rows. */
static void remark(const struct job *job)
{
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

static int run_job(struct job *job, struct cmd_ctx *ctx, struct err *err)
{
	struct err besides;
	int ret, back;

	ret = bench_grid_open(&job->grid, &job->opts->grid, ctx, err);
	if (ret)
		return ret;
	ret = measure(job, err);
	back = job->grid.stage->ops->restore(job->grid.stage, &besides);
	if (job->row_count) {
		int printed = print(job, ret != 0, ret ? NULL : err);

		ret = ret ? ret : printed;
		remark(job);
	}
	if (ret == -EINTR)
		err_set(err, ret, "interrupted after %u of %u starts; %s", job->done,
			count_starts(job),
			job->row_count ? "the table holds those"
				       : "there is nothing to show yet");
	return back ? err_set(err, back, "%s", besides.msg) : ret;
}

static int run_ramp(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
		    struct err *err)
{
	struct job *job = calloc(1, sizeof(*job));
	struct stop stop;
	int ret = -ENOMEM;

	(void)argc;
	(void)argv;
	if (job)
		job->rows = calloc(MAX_ROWS, sizeof(*job->rows));
	if (!job || !job->rows) {
		free(job);
		return err_set(err, ret, "out of memory");
	}
	job->opts = options;
	stop_begin(&stop);
	ret = run_job(job, ctx, err);
	bench_grid_close(&job->grid);
	free(job->rows);
	free(job);
	/* What a signal asked for has been done. */
	stop_drop();
	stop_end(&stop);
	return ret;
}

#define OPT(member) offsetof(struct ramp_options, member)

static const struct opt ramp_opts[] = {
	{ "cpu", 0, OPT_STRING, OPT(grid.cpus), "LIST",
	  "start on these CPUs, one after the other; default: one of each kind of core" },
	{ "governors", 0, OPT_STRING, OPT(grid.governors), "LIST",
	  "under each of these, such as schedutil,performance; default: as it is" },
	{ "epp", 0, OPT_STRING, OPT(grid.epps), "LIST",
	  "with each of these energy/performance preferences; default: as it is" },
	{ "modes", 0, OPT_STRING, OPT(grid.modes), "LIST",
	  "in each of these modes of intel_pstate or amd_pstate: active, passive" },
	{ "repeats", 0, OPT_U32, OPT(repeats), "N", "starts of each; default: 5",
	  .min = 1, .max = RAMP_MAX_REPEATS },
	{ "idle", 0, OPT_DURATION_NS, OPT(idle_ns), "TIME",
	  "idle for TIME before each start; default: 500ms" },
	{ "format", 0, OPT_STRING, OPT(grid.format), "FORMAT",
	  "text, markdown (for mails) or json; default: text",
	  .choices = "text|markdown|json" },
	{ "sensor", 0, OPT_LIST, OPT(grid.sensors), "SPEC",
	  "read this power meter, as for 'calib measure'; default: all that do not "
	  "overlap" },
	{ "power-from", 0, OPT_STRING, OPT(grid.power_from), "SOURCE",
	  "read power from a file, '-' or a command, as for 'calib measure'" },
	{ "board", 0, OPT_STRING, OPT(grid.board), "BOARD",
	  "virtual:NAME: play that board instead, in virtual time" },
	{ "sysroot", 0, OPT_STRING, OPT(grid.sysroot), "DIR",
	  "look for /sys and /proc of the machine below DIR" },
	{ "seed", 0, OPT_U32, OPT(grid.seed), "N",
	  "which virtual board it is; default: 1" },
	{ NULL },
};

static const struct ramp_options ramp_defaults = {
	.grid = { .format = "text", .seed = 1 },
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
		"Power is that of all meters that do not overlap, from 0.5 to 1.4 s "
		"(meters are slow), and so holds what the rest of the machine draws; "
		"without a "
		"meter, or without cpufreq, a table with '-' is printed and says so. "
		"Governors, EPPs and modes need root. They are put back at the end, on "
		"Ctrl-C "
		"(which prints the rows so far), and when calib is killed.\n"
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
