// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib import: other tools' measurements as a run of ours.
 */
#include "calib/commands.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calib/freqbench.h"
#include "lib/outfile.h"
#include "lib/text.h"

struct import_options {
	const char *run, *voltages, *scope;
	double base_mw;
	bool trim_stale;
};

#define RUN_FILES 3

static const char *const run_files[RUN_FILES] = { "board.json", RAW_NAME, "samples.csv" };

/* A run that is there already is never mixed with imported rows. */
static int check_free(const char *run, struct err *err)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < RUN_FILES; i++) {
		int ret = runinfo_path(run, run_files[i], path, sizeof(path), err);

		if (ret)
			return ret;
		if (!access(path, F_OK))
			return err_set(err, -EEXIST,
				       "'%s' is there already; name another run with -d",
				       path);
	}
	return 0;
}

static int write_rows(const struct samples *s, FILE *f)
{
	int ret = 0;

	fprintf(f, "%s\n", samples_header);
	for (size_t i = 0; i < s->count && !ret; i++)
		ret = samples_write_row(f, &s->rows[i]);
	return ret;
}

/* One of @s and @raw, the other is NULL. */
static int write_csv(const char *run, const char *name, const struct samples *s,
		     const struct raw *raw, struct err *err)
{
	struct outfile out = { 0 };
	char path[PATH_MAX];
	int ret = runinfo_path(run, name, path, sizeof(path), err);

	if (!ret)
		ret = outfile_open(&out, path, err);
	if (ret)
		return ret;
	ret = s ? write_rows(s, out.f) : raw_write(raw, out.f);
	if (ret)
		err_errno(err, ret, "cannot write '%s'", path);
	else
		ret = outfile_commit(&out, err);
	outfile_abort(&out);
	return ret;
}

/* All files, or none: half a run would be in the way of the next try. */
static int write_run(const char *run, const struct runinfo *info, const struct samples *s,
		     const struct raw *raw, struct err *err)
{
	bool was_there = !access(run, F_OK);
	char path[PATH_MAX];
	int ret = runinfo_write(run, info, err);

	if (!ret)
		ret = write_csv(run, RAW_NAME, NULL, raw, err);
	if (!ret)
		ret = write_csv(run, "samples.csv", s, NULL, err);
	/* The last one is not there. */
	for (size_t i = 0; i < RUN_FILES - 1 && ret; i++)
		if (!runinfo_path(run, run_files[i], path, sizeof(path), NULL))
			unlink(path);
	if (ret && !was_there)
		rmdir(run);
	return ret;
}

static void report(struct cmd_ctx *ctx, const struct import_options *o,
		   const struct runinfo *info, const struct freqbench_summary *sum)
{
	cmd_note(ctx, "%u row%s of %u CPU%s into '%s', power of the whole %s", sum->rows,
		 text_s(sum->rows), info->cluster_count, text_s(info->cluster_count),
		 o->run, o->scope);
	if (info->has_baseline)
		cmd_note(ctx, "relative to a base of %.3f mW (%s); %u idle row%s kept",
			 info->baseline_uw / 1e3, info->baseline_source, sum->idle_rows,
			 text_s(sum->idle_rows));
	if (sum->idle_left_out)
		cmd_warn(ctx,
			 "no run.log, so the base is not known and idle rows are left "
			 "out; give it with --base");
	if (sum->clock)
		cmd_warn(ctx, "%u row%s ran at another clock than claimed (flag clock)",
			 sum->clock, text_s(sum->clock));
	if (sum->stale)
		cmd_warn(ctx,
			 "%u row%s with readings from before the load (flag stale); "
			 "--trim-stale averages without them",
			 sum->stale, text_s(sum->stale));
	if (sum->negative)
		cmd_warn(ctx, "%u row%s below the base (flag negative)", sum->negative,
			 text_s(sum->negative));
	if (sum->no_voltage)
		cmd_warn(ctx,
			 "%u clock%s without voltage; the fit needs it: --voltages FILE",
			 sum->no_voltage, text_s(sum->no_voltage));
	cmd_note(ctx, "next: calib fit -d %s", o->run);
}

static void fill_info(const struct cmd_ctx *ctx, const struct import_options *o,
		      const char *dir, struct runinfo *info)
{
	const char *slash;
	size_t len = strlen(dir);

	while (len > 1 && dir[len - 1] == '/')
		len--;
	slash = memrchr(dir, '/', len);
	slash = slash && slash + 1 < dir + len ? slash + 1 : dir;
	snprintf(info->model, sizeof(info->model), "%.*s", (int)(dir + len - slash),
		 slash);
	snprintf(info->power_scope, sizeof(info->power_scope), "%s", o->scope);
	snprintf(info->tool, sizeof(info->tool), "freqbench, by %s", cmd_version());
	snprintf(info->command, sizeof(info->command), "%s", cmd_line(ctx));
}

static int run(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
	       struct err *err)
{
	const struct import_options *o = opts;
	struct freqbench_options fb = {
		.dir = argc > 1 ? argv[1] : "",
		.voltages = o->voltages,
		.has_base = !isnan(o->base_mw),
		.base_mw = o->base_mw,
		.trim_stale = o->trim_stale,
	};
	struct freqbench_summary sum;
	struct samples rows = { 0 };
	struct raw raw = { 0 };
	struct runinfo *info;
	int ret;

	if (strcmp(argv[0], "freqbench"))
		return err_set(
			err, -EINVAL,
			"'%s' is not a format; known is: freqbench (a plain CSV needs "
			"no import: 'calib fit FILE.csv')",
			argv[0]);
	info = calloc(1, sizeof(*info));
	if (!info)
		return err_errno(err, -ENOMEM, "'%s'", fb.dir);
	ret = check_free(o->run, err);
	if (!ret)
		ret = freqbench_read(&fb, &rows, &raw, info, &sum, err);
	if (!ret) {
		fill_info(ctx, o, fb.dir, info);
		ret = write_run(o->run, info, &rows, &raw, err);
	}
	if (!ret)
		report(ctx, o, info, &sum);
	samples_free(&rows);
	raw_free(&raw);
	free(info);
	return ret;
}

static const struct opt options[] = {
	{ "run", 'd', OPT_STRING, offsetof(struct import_options, run), "RUN",
	  "folder of the new run (" RUN_DEFAULT ")", NULL },
	{ "voltages", 0, OPT_STRING, offsetof(struct import_options, voltages), "FILE",
	  "voltage per clock: CPU.KHZ=MICROVOLT, blank-separated (DIR/voltages.txt)",
	  NULL },
	{ "base", 0, OPT_DOUBLE, offsetof(struct import_options, base_mw), "MW",
	  "base that freqbench subtracted, in mW (of DIR/run.log)", NULL },
	{ "scope", 0, OPT_STRING, offsetof(struct import_options, scope), "WHAT",
	  "what the meter measured: the whole device, or the CPU's rail", "device|rail" },
	{ "trim-stale", 0, OPT_FLAG, offsetof(struct import_options, trim_stale), NULL,
	  "average again without the readings from before the load", NULL },
	{ NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL },
};

static const struct import_options defaults = {
	.run = RUN_DEFAULT,
	.scope = "device",
	.base_mw = NAN, /* not given: no text reads as NaN */
};

const struct cmd cmd_import = {
	.name = "import",
	.args = "freqbench DIR",
	.summary = "take over another tool's measurements as a run",
	.help = "Reads a freqbench result folder (results.json, run.log, voltages.txt) "
		"and writes "
		"a run that 'calib fit' takes: one cluster per benchmarked CPU, named "
		"cpuN, with "
		"one loaded and one idle row per clock.\n\n"
		"freqbench subtracts a base (the device with all other CPUs off) from "
		"loaded "
		"power but not from idle power. Here both are relative to that base, "
		"which run.log "
		"names and board.json keeps.\n\n"
		"What is wrong with a row is flagged, not mended: clock (the work done "
		"says it ran "
		"at another clock than claimed), stale (the meter still showed readings "
		"from "
		"before the load, and they move the mean by more than 1 %), negative. "
		"'calib fit' "
		"leaves flagged rows out, 'calib fit --compare' shows every method with "
		"and "
		"without them. The single readings are kept in raw.csv, evenly over the "
		"time of their row: 'calib fit --raw' makes rows anew from them, without "
		"what is stale.",
	.example = "calib import freqbench results/pixel4 -d pixel4\n"
		   "calib fit -d pixel4 --compare",
	.opts = options,
	.opts_size = sizeof(struct import_options),
	.defaults = &defaults,
	.min_args = 2,
	.max_args = 2,
	.run = run,
};
