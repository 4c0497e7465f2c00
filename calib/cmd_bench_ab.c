// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib bench ab: two sides take turns, and are compared.
 */
#include "calib/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/bench/comparison.h"
#include "calib/bench/turns.h"
#include "calib/bench_place.h"
#include "calib/measure/stop.h"
#include "lib/outfile.h"
#include "lib/text.h"
#include "lib/words.h"

#define USUAL_WORKLOAD "messages"

struct side_options {
	const char *run, *governor, *epp;
};

struct ab_cmd_options {
	struct side_options sides[2];
	const char *workload, *order;
	struct opt_list metrics;
	uint32_t iterations, warmup;
	const char *output, *format;
	struct bench_place_options place;
};

/* What one side runs. */
struct side {
	struct workload_run workload;
	struct words words; /* of its command */
	struct bench_result result;
	char output[PATH_MAX];
};

/* One call. */
struct ab {
	struct cmd_ctx *ctx;
	const struct ab_cmd_options *opts;
	struct side sides[2];
	bool one_workload; /* that of sides[0] is for both */
	struct bench_place place;
	struct turns turns;
	struct comparison comparison;
};

/* The name of a workload, with or without parameters, or a command line. */
static int take_workload(struct side *side, const char *text, struct err *err)
{
	size_t len = strcspn(text, ":");

	for (size_t i = 0; workload_at(i); i++)
		if (strlen(workload_at(i)->name) == len &&
		    !strncmp(workload_at(i)->name, text, len))
			return workload_parse(text, &side->workload, err);
	if (words_split(text, &side->words, err))
		return -EINVAL;
	workload_of_command(side->words.argv, &side->workload);
	return 0;
}

static bool same_settings(const struct ab_cmd_options *o)
{
	const struct side_options *a = &o->sides[0], *b = &o->sides[1];

	return !strcmp(a->governor ? a->governor : "", b->governor ? b->governor : "") &&
	       !strcmp(a->epp ? a->epp : "", b->epp ? b->epp : "");
}

static int choose_workloads(struct ab *ab, int argc, char **argv, struct err *err)
{
	const struct ab_cmd_options *o = ab->opts;
	const char *a = o->sides[0].run, *b = o->sides[1].run;

	if (!a != !b)
		return err_set(err, -EINVAL,
			       "--%s is missing: each side runs something of its own, or "
			       "both the same (--workload) under settings of their own",
			       a ? "b" : "a");
	if (!!a + !!o->workload + !!argc > 1)
		return err_set(err, -EINVAL,
			       "what is run is told twice: give --a and --b, or "
			       "--workload, or a command");
	if (!a && same_settings(o))
		return err_set(err, -EINVAL,
			       "both sides are the same: give --a and --b, or let "
			       "--a-governor and --b-governor (or --a-epp and --b-epp) "
			       "differ");
	ab->one_workload = !a;
	if (argc) {
		workload_of_command((const char *const *)argv, &ab->sides[0].workload);
		return 0;
	}
	if (!a)
		return workload_parse(o->workload ? o->workload : USUAL_WORKLOAD,
				      &ab->sides[0].workload, err);
	if (take_workload(&ab->sides[0], a, err))
		return err_wrap(err, -EINVAL, "--a");
	if (take_workload(&ab->sides[1], b, err))
		return err_wrap(err, -EINVAL, "--b");
	return 0;
}

/* "messages groups=10 senders=20", "xz -k file" */
static int add_side_param(const struct ab *ab, struct bench_series *s, int side)
{
	const struct workload_run *w = &ab->sides[side].workload;
	char text[256];

	workload_describe(w, text, sizeof(text));
	return bench_param_add(s, side ? "b" : "a", "%s%s%s",
			       w->argv ? "" : w->type->name, w->argv ? "" : " ", text);
}

/* The experiment is one workload in both files; which side it is says the label. */
static int name_experiment(struct ab *ab)
{
	struct bench_series *a = &ab->sides[0].result.series[0];
	struct bench_series *b = &ab->sides[1].result.series[0];
	bool fixed;
	int ret = 0;

	ab->sides[0].result.series_count = ab->sides[1].result.series_count = 1;
	site_series(&ab->sides[0].workload, a);
	site_series(&ab->sides[ab->one_workload ? 0 : 1].workload, b);
	fixed = a->fixed_time && b->fixed_time;
	for (int i = 0; i < 2 && !ab->one_workload; i++) {
		struct bench_series *s = i ? b : a;

		snprintf(s->workload, sizeof(s->workload), "ab");
		s->param_count = 0;
		s->fixed_time = fixed;
		ret |= add_side_param(ab, s, 0) | add_side_param(ab, s, 1);
	}
	return ret;
}

/* "", "dir/", ".": files of it would have no name, or a hidden one. */
static bool ends_as_folder(const char *path)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;

	return !*last || !strcmp(last, ".") || !strcmp(last, "..");
}

static int name_outputs(struct ab *ab, struct err *err)
{
	if (ab->opts->output && !strcmp(ab->opts->output, "-"))
		return err_set(err, -EINVAL,
			       "-o '-': the sides are kept in two files, NAME-a.json and "
			       "NAME-b.json; give a NAME");
	if (ab->opts->output && ends_as_folder(ab->opts->output))
		return err_set(err, -EINVAL,
			       "-o '%.200s' is no NAME, but that of a folder; the sides "
			       "are kept in NAME-a.json and NAME-b.json",
			       ab->opts->output);
	for (int i = 0; i < 2 && ab->opts->output; i++) {
		struct side *s = &ab->sides[i];
		int n = snprintf(s->output, sizeof(s->output), "%s-%c.json",
				 ab->opts->output, 'a' + i);

		if (n >= (int)sizeof(s->output))
			return err_errno(err, -ENAMETOOLONG, "'%.100s...'",
					 ab->opts->output);
	}
	return 0;
}

/* @filled: it found out parameters that were not given. */
static int prepare_side(struct ab *ab, int i, bool *filled, struct err *err)
{
	struct workload_run *w = &ab->sides[i].workload;
	const struct workload_run before = *w;
	int ret = site_prepare(ab->place.site, w, err);
	char text[512];

	if (ret)
		return ret;
	*filled = memcmp(before.value, w->value, sizeof(before.value)) != 0;
	cmd_note(ab->ctx, "%s: %s: %s",
		 ab->one_workload ? "A and B"
		 : i		  ? "B"
				  : "A",
		 w->type->name, workload_describe(w, text, sizeof(text)));
	return 0;
}

static int prepare(struct ab *ab, struct err *err)
{
	bool filled[2] = { false };
	int ret = name_outputs(ab, err);

	for (int i = 0; i < (ab->one_workload ? 1 : 2) && !ret; i++)
		ret = prepare_side(ab, i, &filled[i], err);
	if (!ret && filled[0] && filled[1])
		cmd_warn(ab->ctx,
			 "how much work fills the time was found for each side by "
			 "itself, to about a percent, which may look like a "
			 "difference; give both their units=");
	if (!ret && name_experiment(ab))
		ret = err_set(err, -E2BIG, "too many parameters");
	return ret;
}

/* While nothing has been run for nothing. */
static int check_metrics(struct ab *ab, struct err *err)
{
	const struct opt_list *list = &ab->opts->metrics;
	struct bench_context *c = &ab->sides[0].result.context;
	int ret = list->n ? site_describe(ab->place.site, c, err) : 0;

	if (!ret && comparison_metrics_ok(c, list->items, list->n, err))
		ret = err_wrap(err, -EINVAL, "--metric");
	return ret;
}

static int set_up_turns(struct ab *ab, struct err *err)
{
	const struct ab_cmd_options *o = ab->opts;
	struct turns *t = &ab->turns;
	int ret = 0;

	*t = (struct turns){
		.site = ab->place.site,
		.iterations = o->iterations,
		.warmup = o->warmup,
		.order = strcmp(o->order, "random") ? TURNS_ABBA : TURNS_RANDOM,
		.seed = o->place.seed,
	};
	for (int i = 0; i < 2 && !ret; i++) {
		struct side *s = &ab->sides[i];

		t->sides[i] = (struct turns_side){
			.workload = &ab->sides[ab->one_workload ? 0 : i].workload,
			.result = &s->result,
			.output = s->output[0] ? s->output : NULL,
		};
		ret = knobs_of(o->sides[i].governor, o->sides[i].epp, &t->sides[i].knobs,
			       err);
		/* Both of one moment: that is how they are known to belong together. */
		if (i)
			s->result.context = ab->sides[0].result.context;
		else
			bench_context_sign(&s->result.context, cmd_line(ab->ctx));
		s->result.context.warmup = o->warmup;
	}
	if (!ret)
		ret = check_metrics(ab, err);
	return ret;
}

static int print(struct ab *ab, struct err *err)
{
	const struct comparison_options opts = {
		.metrics = ab->opts->metrics.items,
		.metric_count = ab->opts->metrics.n,
	};
	struct comparison *c = &ab->comparison;
	const char *format = ab->opts->format;
	int ret;

	for (int i = 0; i < 2; i++) {
		const struct side *s = &ab->sides[i];

		c->files[c->file_count++] = (struct comparison_file){
			.name = s->output[0] ? s->output
				: i	     ? "side B"
					     : "side A",
			.result = &s->result,
		};
	}
	ret = comparison_make(c, &opts, err);
	if (ret)
		return ret;
	if (!strcmp(format, "json"))
		return comparison_print_json(c, stdout, err);
	ret = comparison_print(c, stdout, !strcmp(format, "markdown"), err);
	return ret ? ret : outfile_flush_stdout(err);
}

/* What was done before a failure is of use. */
static int tell_failure(const struct ab *ab, int code, struct err *err)
{
	size_t a = ab->sides[0].result.series[0].iteration_count;
	size_t b = ab->sides[1].result.series[0].iteration_count;
	struct err why = *err;

	if (!a && !b)
		return code;
	if ((!a || !b) && ab->sides[0].output[0])
		return err_set(err, code,
			       "%s; what was done before is in %s, of one side only",
			       why.msg, ab->sides[!a].output);
	if (!a || !b)
		return code;
	if (ab->sides[0].output[0])
		return err_set(err, code,
			       "%s; what was done before is in %s and %s, for 'calib "
			       "bench compare'",
			       why.msg, ab->sides[0].output, ab->sides[1].output);
	return err_set(err, code, "%s; %zu and %zu iterations were done before", why.msg,
		       a, b);
}

static int run_turns(struct ab *ab, struct err *err)
{
	struct err second = { "" };
	int ret = turns_run(&ab->turns, err), end;

	end = site_restore(ab->place.site, &second);
	if (end && !ret)
		ret = err_set(err, end, "%s", second.msg);
	else if (end)
		cmd_warn(ab->ctx, "%s", second.msg);
	if (ab->sides[0].result.series[0].iteration_count &&
	    ab->sides[1].result.series[0].iteration_count) {
		end = print(ab, &second);
		if (end && !ret)
			ret = err_set(err, end, "%s", second.msg);
	}
	return ret ? tell_failure(ab, ret, err) : 0;
}

static int run_job(struct ab *ab, int argc, char **argv, struct err *err)
{
	int ret = choose_workloads(ab, argc, argv, err);

	if (!ret)
		ret = bench_place_open(&ab->place, &ab->opts->place,
				       !strcmp(ab->opts->order, "random"), ab->ctx, err);
	if (!ret)
		ret = prepare(ab, err);
	if (!ret)
		ret = set_up_turns(ab, err);
	return ret ? ret : run_turns(ab, err);
}

static int run_bench_ab(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
			struct err *err)
{
	struct ab *ab = calloc(1, sizeof(*ab));
	struct stop stop;
	int ret;

	if (!ab)
		return err_set(err, -ENOMEM, "out of memory");
	ab->ctx = ctx;
	ab->opts = options;
	stop_begin(&stop);
	ret = run_job(ab, argc, argv, err);
	site_close(ab->place.site);
	comparison_free(&ab->comparison);
	for (int i = 0; i < 2; i++) {
		bench_result_free(&ab->sides[i].result);
		words_free(&ab->sides[i].words);
	}
	free(ab);
	/* What a signal asked for has been done. */
	stop_drop();
	stop_end(&stop);
	return ret;
}

#define OPT(member) offsetof(struct ab_cmd_options, member)

static const struct opt ab_opts[] = {
	{ "a", 0, OPT_STRING, OPT(sides[0].run), "CMD",
	  "what side A runs: a command line (no shell), or a workload's name" },
	{ "b", 0, OPT_STRING, OPT(sides[1].run), "CMD", "the same of side B" },
	{ "workload", 'w', OPT_STRING, OPT(workload), "NAME[:PARAM=VALUE,...]",
	  "what both run, see 'calib bench perf'; default: messages" },
	{ "a-governor", 0, OPT_STRING, OPT(sides[0].governor), "NAME",
	  "cpufreq governor while A runs; default: as it is" },
	{ "b-governor", 0, OPT_STRING, OPT(sides[1].governor), "NAME",
	  "the same while B runs" },
	{ "a-epp", 0, OPT_STRING, OPT(sides[0].epp), "NAME",
	  "energy/performance preference while A runs" },
	{ "b-epp", 0, OPT_STRING, OPT(sides[1].epp), "NAME", "the same while B runs" },
	{ "iterations", 0, OPT_U32, OPT(iterations), "N",
	  "run each side N times; default: 10", NULL, 1, 100000 },
	{ "warmup", 0, OPT_U32, OPT(warmup), "N",
	  "and N times before, uncounted; default: 1", NULL, 0, 1000 },
	{ "order", 0, OPT_STRING, OPT(order), "ORDER",
	  "of turns: A B, B A, or each pair by chance; default: abba", "abba|random" },
	{ "sensor", 0, OPT_LIST, OPT(place.sensors), "SPEC",
	  "a power meter, as 'calib probe' lists them; default: all that do not "
	  "overlap" },
	{ "power-from", 0, OPT_STRING, OPT(place.power_from), "SOURCE",
	  "readings of an external meter, as for 'calib measure'" },
	{ "output", 'o', OPT_STRING, OPT(output), "NAME",
	  "keep all iterations in NAME-a.json and NAME-b.json" },
	{ "metric", 0, OPT_LIST, OPT(metrics), "METRIC",
	  "compare time, energy (the total), energy:RAIL or late-wakeups; default: all" },
	{ "format", 0, OPT_STRING, OPT(format), "FORMAT",
	  "of what is printed; default: text", "text|markdown|json" },
	{ "board", 0, OPT_STRING, OPT(place.board), "virtual:NAME",
	  "a virtual board in place of this machine" },
	{ "seed", 0, OPT_U32, OPT(place.seed), "N",
	  "of the random order, and which virtual board it is; default: 1" },
	{ "rsd", 0, OPT_PERCENT, OPT(place.rsd), "PERCENT",
	  "virtual boards: spread of the work from run to run, up to 30%; default: 1.4%",
	  .max = SITE_RSD_MAX_PCT },
	{ "sysroot", 0, OPT_STRING, OPT(place.sysroot), "DIR",
	  "look for /sys and /proc of the machine below DIR" },
	{ NULL },
};

static const struct ab_cmd_options ab_defaults = {
	.iterations = 10,
	.warmup = 1,
	.place = { .seed = 1, .rsd = SITE_RSD },
	.order = "abba",
	.format = "text",
};

const struct cmd cmd_bench_ab = {
	.name = "bench ab",
	.args = "[-- CMD...]",
	.summary = "run two sides in turns, and compare them",
	.help = "Runs side A and side B in pairs, one iteration each, A first in one "
		"pair and B in the next, so that a machine that warms up or has other "
		"work to do treats both alike. Then it prints what 'calib bench compare' "
		"does, with the difference within pairs.\n"
		"\n"
		"Sides are two commands or workloads (--a, --b), or the same one under "
		"governors or energy/performance preferences that differ; both may "
		"differ. What a kernel or a device tree changes needs a reboot: let "
		"boots take turns with 'calib bench perf --boot NAME -o FILE'.\n"
		"\n"
		"Settings are changed for each turn and put back at the end, and on "
		"Ctrl-C, when all processes are ended too; iterations done so far stay "
		"in the files of -o, which are rewritten after each, and are compared. "
		"Governors need root. On a virtual board, in virtual time, no scheduler "
		"is modelled.",
	.example =
		"calib bench ab --a 'xz -T0 -k file' --b 'xz -T4 -k file'\n"
		"calib bench ab --a-governor schedutil --b-governor ondemand -w pipe\n"
		"calib bench ab --a-epp power --b-epp balance_power -o epp -- make -j4\n"
		"calib bench ab --board virtual:odroid-xu3 --a messages --b pipe",
	.opts = ab_opts,
	.opts_size = sizeof(struct ab_cmd_options),
	.defaults = &ab_defaults,
	.max_args = 1000,
	.run = run_bench_ab,
};
