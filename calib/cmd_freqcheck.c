// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib freqcheck: is the clock that is asked for the clock that runs?
 */
#include "calib/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/bare.h"
#include "calib/measure/freqcheck.h"
#include "calib/measure/stop.h"
#include "calib/target.h"
#include "lib/cpulist.h"
#include "lib/json.h"
#include "lib/progress.h"
#include "lib/text.h"

#define TIME_MIN_NS 1000000u

struct freqcheck_cmd_options {
	struct opt_list clusters;
	uint64_t time_ns;
	struct target_options target;
	bool json;
};

/* One call. */
struct job {
	struct cmd_ctx *ctx;
	const struct freqcheck_cmd_options *opts;
	struct target target;
	struct runinfo info;
	unsigned int clusters[BOARD_MAX_CLUSTERS], cluster_count; /* chosen */
	struct freqcheck checks[BOARD_MAX_CLUSTERS];		  /* same order */
	struct progress progress;
	unsigned int at;
};

static int find_cluster(const struct job *job, const char *name, struct err *err)
{
	char known[BOARD_MAX_CLUSTERS * 40] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < job->info.cluster_count; i++) {
		if (!strcmp(job->info.clusters[i].name, name))
			return i;
		used += snprintf(known + used, sizeof(known) - used, "%s%s",
				 i ? ", " : "", job->info.clusters[i].name);
	}
	return err_set(err, -ENOENT, "no cluster '%s' here; known are %s", name, known);
}

static int choose_clusters(struct job *job, struct err *err)
{
	const struct opt_list *names = &job->opts->clusters;
	bool chosen[BOARD_MAX_CLUSTERS] = { false };

	for (unsigned int i = 0; i < names->n; i++) {
		int found = find_cluster(job, names->items[i], err);

		if (found < 0)
			return found;
		chosen[found] = true;
	}
	for (unsigned int i = 0; i < job->info.cluster_count; i++)
		if (chosen[i] || !names->n)
			job->clusters[job->cluster_count++] = i;
	return 0;
}

static void on_progress(void *arg, unsigned int done, unsigned int all)
{
	struct job *job = arg;

	progress_update(&job->progress, stop_now_ns(), done, all,
			(all - done) * job->opts->time_ns,
			job->info.clusters[job->clusters[job->at]].name);
}

static int check_clusters(struct job *job, struct err *err)
{
	const struct freqcheck_options o = {
		.opps = job->opts->target.opps,
		.time_ns = job->opts->time_ns,
		.progress = on_progress,
		.arg = job,
	};
	int ret = 0;

	for (job->at = 0; job->at < job->cluster_count && !ret; job->at++) {
		progress_start(&job->progress, stop_now_ns());
		ret = freqcheck_run(job->target.machine, &job->info,
				    job->clusters[job->at], &o, &job->checks[job->at],
				    err);
		progress_end(&job->progress);
	}
	return ret;
}

static const char *by_text(const struct freqcheck *fc)
{
	enum freqcheck_by by = FREQCHECK_NONE;

	for (unsigned int i = 0; i < fc->point_count; i++)
		if (fc->points[i].by > by)
			by = fc->points[i].by;
	switch (by) {
	case FREQCHECK_CYCLES:
		return "by cycle counters";
	case FREQCHECK_RATE:
		return "by the load's own rate (no cycle counter here)";
	case FREQCHECK_NONE:
		break;
	}
	return "cannot be told";
}

static void print_point(const struct freqcheck_point *p)
{
	char delivered[16] = "?", scale[16] = "?";

	if (p->by != FREQCHECK_NONE) {
		snprintf(delivered, sizeof(delivered), "%u", p->khz);
		snprintf(scale, sizeof(scale), "%u", p->scale);
	}
	printf("%12u %12s %8s  %s%s\n", p->asked_khz, delivered, scale,
	       p->ok	   ? "ok"
	       : p->untold ? "UNKNOWN: "
			   : "WRONG: ",
	       p->why);
}

static void print_cluster(const struct job *job, const struct freqcheck *fc)
{
	const struct runinfo_cluster *cl = &job->info.clusters[fc->cluster];
	char cpus[128];

	printf("%s%s: CPUs %s loaded, delivered clock %s\n",
	       job->info.virtual_board ? "VIRTUAL " : "", cl->name,
	       cpulist_format(cl->cpus, cl->cpu_count, cpus, sizeof(cpus)), by_text(fc));
	printf("   requested    delivered    scale\n");
	printf("         kHz          kHz  of 1024\n");
	for (unsigned int i = 0; i < fc->point_count; i++)
		print_point(&fc->points[i]);
}

static unsigned int count_wrong(const struct job *job)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < job->cluster_count; i++)
		wrong += job->checks[i].wrong;
	return wrong;
}

static void print_verdict(unsigned int wrong, unsigned int untold, unsigned int points)
{
	if (wrong)
		printf("%u of %u operating point%s %s not delivered to 1 %%: what is "
		       "measured there belongs to another clock\n",
		       wrong, points, text_s(points), wrong == 1 ? "is" : "are");
	if (untold)
		printf("the clock of %u of %u operating point%s cannot be told\n", untold,
		       points, text_s(points));
	if (wrong || untold)
		return;
	if (points == 1)
		printf("the operating point is delivered to 1 %%\n");
	else
		printf("all %u operating points are delivered to 1 %%\n", points);
}

static void print_text(const struct job *job)
{
	unsigned int untold = 0, points = 0;

	for (unsigned int i = 0; i < job->cluster_count; i++) {
		print_cluster(job, &job->checks[i]);
		points += job->checks[i].point_count;
		untold += job->checks[i].untold;
		printf("\n");
	}
	print_verdict(count_wrong(job) - untold, untold, points);
}

static int add_point(struct json *arr, const struct freqcheck_point *p)
{
	static const char *const by[] = { "unknown", "cycles", "rate" };
	struct json *obj = json_new_object();
	int ret = 0;

	ret |= json_put_u64(obj, "requested-khz", p->asked_khz);
	if (p->by != FREQCHECK_NONE) {
		ret |= json_put_u64(obj, "delivered-khz", p->khz);
		ret |= json_put_u64(obj, "scale", p->scale);
	}
	if (p->claimed_khz)
		ret |= json_put_u64(obj, "claimed-khz", p->claimed_khz);
	ret |= json_put_str(obj, "by", by[p->by]);
	ret |= json_put_bool(obj, "throttled", p->throttled);
	ret |= json_put_bool(obj, "ok", p->ok);
	if (!p->ok)
		ret |= json_put_text(obj, "why", p->why);
	return ret | json_add(arr, obj);
}

static int add_cluster(struct json *arr, const struct job *job,
		       const struct freqcheck *fc)
{
	const struct runinfo_cluster *cl = &job->info.clusters[fc->cluster];
	struct json *obj = json_new_object(), *cpus = json_new_array();
	struct json *points = json_new_array();
	unsigned int i;
	int ret = 0;

	ret |= json_put_text(obj, "name", cl->name);
	for (i = 0; i < cl->cpu_count; i++)
		ret |= json_add_u64(cpus, cl->cpus[i]);
	ret |= json_put(obj, "cpus", cpus);
	ret |= json_put_u64(obj, "max-khz", fc->max_khz);
	for (i = 0; i < fc->point_count; i++)
		ret |= add_point(points, &fc->points[i]);
	ret |= json_put(obj, "opps", points);
	return ret | json_add(arr, obj);
}

static int print_json(const struct job *job, struct err *err)
{
	struct json *root = json_new_object(), *arr = json_new_array();
	int ret = 0;

	ret |= json_put_bool(root, "virtual", job->info.virtual_board);
	ret |= json_put_text(root, "board", job->info.board);
	ret |= json_put_bool(root, "ok", !count_wrong(job));
	for (unsigned int i = 0; i < job->cluster_count; i++)
		ret |= add_cluster(arr, job, &job->checks[i]);
	ret |= json_put(root, "clusters", arr);
	return json_finish(root, ret, stdout, err);
}

/* No cpufreq: the clock that the CPUs have can be looked at all the same. */
static int show_bare(const struct job *job, int code, struct err *err)
{
	struct bare_cpu cpus[BOARD_MAX_CPUS];
	int n;

	if (code != -ENODEV || job->target.virtual_board || job->opts->json ||
	    job->opts->target.sysroot)
		return code;
	n = bare_look(cpus, BOARD_MAX_CPUS, job->opts->time_ns);
	for (int i = 0; i < n; i++) {
		if (cpus[i].khz)
			printf("CPU %u: runs at %u kHz under load, by its cycle "
			       "counter\n",
			       cpus[i].cpu, cpus[i].khz);
		else
			printf("CPU %u: no cycle counter (perf); the load does %.0f "
			       "units/s\n",
			       cpus[i].cpu, cpus[i].rate);
	}
	return n == -EINTR ? err_set(err, n, "interrupted") : code;
}

static int run_job(struct job *job, struct err *err)
{
	int ret = target_open(&job->target, &job->opts->target, job->ctx, err);

	if (ret)
		return ret;
	ret = job->target.machine->ops->discover(job->target.machine, &job->info, err);
	if (ret)
		return show_bare(job, ret, err);
	if (job->info.virtual_board)
		cmd_note(job->ctx, "VIRTUAL board '%s': no hardware is looked at",
			 job->info.board);
	ret = choose_clusters(job, err);
	if (!ret)
		ret = check_clusters(job, err);
	if (ret)
		return ret;
	if (job->opts->json)
		ret = print_json(job, err);
	else
		print_text(job);
	return ret ? ret : count_wrong(job) > 0;
}

/* A load has not begun by then. */
static int check_time(const struct freqcheck_cmd_options *o, struct err *err)
{
	if (o->time_ns >= TIME_MIN_NS)
		return 0;
	return err_set(err, -EINVAL,
		       "--time of less than 1 ms tells no clock; the default is 200ms");
}

static int run_freqcheck(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
			 struct err *err)
{
	struct job *job = calloc(1, sizeof(*job));
	struct stop stop;
	int ret;

	(void)argc;
	(void)argv;
	if (!job)
		return err_set(err, -ENOMEM, "out of memory");
	job->ctx = ctx;
	job->opts = options;
	stop_begin(&stop);
	ret = check_time(options, err);
	if (!ret)
		ret = run_job(job, err);
	target_close(&job->target);
	free(job);
	/* What a signal asked for has been done. */
	stop_drop();
	stop_end(&stop);
	return ret;
}

#define OPT(member) offsetof(struct freqcheck_cmd_options, member)

static const struct opt freqcheck_opts[] = {
	{ "cluster", 0, OPT_LIST, OPT(clusters), "NAME",
	  "check this cluster; default: all" },
	{ "opps", 0, OPT_STRING, OPT(target.opps), "LIST",
	  "operating points: '200,1400' (MHz) or '1.4GHz'; default: all" },
	{ "time", 0, OPT_DURATION_NS, OPT(time_ns), "TIME",
	  "load each operating point for TIME; default: 200ms" },
	{ "board", 0, OPT_STRING, OPT(target.board), "BOARD",
	  "a board's name, a .dtb file, or virtual:NAME for its virtual twin" },
	{ "sysroot", 0, OPT_STRING, OPT(target.sysroot), "DIR",
	  "look for /sys and /proc of the machine below DIR" },
	{ "seed", 0, OPT_U32, OPT(target.seed), "N",
	  "which virtual board it is; default: 1" },
	{ "fault", 0, OPT_STRING, OPT(target.faults), "LIST",
	  "break the virtual board: clock, pmu, hot" },
	{ "json", 0, OPT_FLAG, OPT(json), NULL, "print JSON" },
	{ NULL },
};

static const struct freqcheck_cmd_options freqcheck_defaults = {
	.time_ns = FREQCHECK_TIME_NS,
	.target = { .seed = 1, .clock_only = true },
};

const struct cmd cmd_freqcheck = {
	.name = "freqcheck",
	.args = "",
	.summary = "check that the clocks asked for are the clocks delivered",
	.help = "Pins each cluster to each of its operating points, loads all its CPUs, "
		"and "
		"prints the clock asked for, the clock delivered, and the latter on the "
		"scheduler's scale: 0..1024 of the cluster's highest clock. Firmware and "
		"drivers have been seen to run at half the clock that scaling_cur_freq "
		"claimed; every coefficient measured there is wrong by as much.\n"
		"\n"
		"The delivered clock is cycles over time, from the cycle counter of each "
		"loaded CPU. Where there is none (a virtual machine), the load's own "
		"rate "
		"tells: its work stays in the core, so it is proportional to the clock, "
		"and "
		"the rate per clock that most operating points agree on is the measure. "
		"More than 1 % off, in either direction, is wrong.\n"
		"\n"
		"Needs no power meter, but root, to pin. Everything is put back at the "
		"end, and on Ctrl-C. Exit status 1 when an operating point is not "
		"delivered, or cannot be told. Next: 'calib measure'.",
	.example = "calib freqcheck\n"
		   "calib freqcheck --cluster a15 --opps 1400,2000\n"
		   "calib freqcheck --board virtual:juno-r2\n"
		   "calib freqcheck --board virtual:juno-r2 --fault clock",
	.opts = freqcheck_opts,
	.opts_size = sizeof(struct freqcheck_cmd_options),
	.defaults = &freqcheck_defaults,
	.run = run_freqcheck,
};
