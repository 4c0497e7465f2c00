// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib bench perf, calib bench energy: workloads run N times under given settings.
 */
#include "calib/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/bench/experiment.h"
#include "calib/bench/table.h"
#include "calib/bench_boots.h"
#include "calib/bench_place.h"
#include "calib/measure/stop.h"
#include "lib/outfile.h"
#include "lib/text.h"

struct bench_cmd_options {
	struct opt_list workloads;
	uint32_t iterations, warmup;
	const char *governor, *epp, *output, *format, *like, *boot;
	struct bench_place_options place;
};

/* One call. */
struct job_of_cmd {
	struct cmd_ctx *ctx;
	const struct bench_cmd_options *opts;
	struct workload_run workloads[BENCH_MAX_WORKLOADS];
	unsigned int workload_count;
	struct bench_place place;
	struct bench_result result;
	struct bench_boots boots;
	size_t before; /* iterations of boots before */
};

/* Nothing could tell the two apart. */
static int check_twice(const struct job_of_cmd *job, const struct workload_run *last,
		       struct err *err)
{
	char text[512], other[512];

	workload_describe(last, text, sizeof(text));
	for (const struct workload_run *w = job->workloads; w < last; w++)
		if (w->type == last->type &&
		    !strcmp(workload_describe(w, other, sizeof(other)), text))
			return err_set(err, -EINVAL,
				       "workload '%s' is given twice (%s); --iterations "
				       "runs it more often",
				       w->type->name, text);
	return 0;
}

static int add_workload(struct job_of_cmd *job, const char *spec, struct err *err)
{
	struct workload_run *w = &job->workloads[job->workload_count];
	int ret;

	if (job->workload_count == BENCH_MAX_WORKLOADS)
		return err_set(err, -E2BIG, "more than %d workloads",
			       BENCH_MAX_WORKLOADS);
	ret = workload_parse(spec, w, err);
	job->workload_count++;
	return ret ? ret : check_twice(job, w, err);
}

/* "messages:groups=10,...", as the user would have given it. */
static int add_series(struct job_of_cmd *job, const struct bench_series *s,
		      struct err *err)
{
	char spec[512];
	size_t used = snprintf(spec, sizeof(spec), "%s", s->workload);

	if (!strcmp(s->workload, WORKLOAD_COMMAND))
		return err_set(err, -EINVAL,
			       "it is of a command; give the same command again: -- %s",
			       s->param_count ? s->params[0].value : "CMD");
	for (unsigned int i = 0; i < s->param_count && used < sizeof(spec); i++)
		used += snprintf(spec + used, sizeof(spec) - used, "%c%s=%s",
				 i ? ',' : ':', s->params[i].key, s->params[i].value);
	return add_workload(job, spec, err);
}

static int add_all(struct job_of_cmd *job, const struct bench_result *r, struct err *err)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < r->series_count; i++)
		ret = add_series(job, &r->series[i], err);
	return ret;
}

static int add_like(struct job_of_cmd *job, const char *path, struct err *err)
{
	struct bench_result *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	ret = bench_result_read(path, r, err);
	if (!ret && add_all(job, r, err))
		ret = err_wrap(err, -EINVAL, "--like '%s'", path);
	bench_result_free(r);
	free(r);
	return ret;
}

/* @usual: NULL-ended, where the user names none. */
static int choose_workloads(struct job_of_cmd *job, const char *const *usual, int argc,
			    char **argv, struct err *err)
{
	const struct opt_list *list = &job->opts->workloads;
	const char *like = job->opts->like;
	int ret = 0;

	if ((argc != 0) + (list->n != 0) + (like != NULL) > 1)
		return err_set(err, -EINVAL,
			       "a command, --workload and --like do not go together; run "
			       "one after the other");
	if (argc)
		workload_of_command((const char *const *)argv,
				    &job->workloads[job->workload_count++]);
	if (like)
		return add_like(job, like, err);
	if (!argc && !list->n && job->result.series_count)
		return add_all(job, &job->result, err);
	for (unsigned int i = 0; i < list->n && !ret; i++)
		ret = add_workload(job, list->items[i], err);
	for (; !ret && !argc && !list->n && *usual; usual++)
		ret = add_workload(job, *usual, err);
	return ret;
}

static size_t count_done(const struct bench_result *r)
{
	size_t n = 0;

	for (unsigned int i = 0; i < r->series_count; i++)
		n += r->series[i].iteration_count;
	return n;
}

/* Of workload number @i: it is new, or goes on. */
static int take_series(struct job_of_cmd *job, unsigned int i, struct err *err)
{
	struct bench_result *r = &job->result;
	struct bench_series s = { .workload = "" };

	site_series(&job->workloads[i], &s);
	if (r->boot_count)
		return bench_boots_same(&job->boots, i, &s, job->workload_count, err);
	r->series[r->series_count++] = s;
	return 0;
}

/* Before the settings are changed: busy loops are calibrated at the clocks as they are.
 */
static int prepare(struct job_of_cmd *job, struct err *err)
{
	char text[512];
	int ret = 0;

	for (unsigned int i = 0; i < job->workload_count && !ret; i++) {
		bench_boots_found(&job->boots, i, &job->workloads[i]);
		ret = site_prepare(job->place.site, &job->workloads[i], err);
		if (!ret)
			ret = take_series(job, i, err);
		if (ret)
			break;
		cmd_note(job->ctx, "workload '%s': %s", job->workloads[i].type->name,
			 workload_describe(&job->workloads[i], text, sizeof(text)));
	}
	return ret;
}

static int apply(struct job_of_cmd *job, struct err *err)
{
	const struct bench_cmd_options *o = job->opts;
	struct bench_context *c = o->boot ? &job->boots.now : &job->result.context;
	struct knobs_combo combo = { .governor = "" };
	int ret = knobs_of(o->governor, o->epp, &combo, err);

	if (!ret)
		ret = site_apply(job->place.site, &combo, err);
	if (ret)
		return ret;
	bench_context_sign(c, cmd_line(job->ctx));
	c->warmup = o->warmup;
	ret = site_describe(job->place.site, c, err);
	return ret || !o->boot ? ret : bench_boots_begin(&job->boots, err);
}

static int print_result(const struct job_of_cmd *job, const struct bench_result *r,
			struct err *err)
{
	const char *format = job->opts->format;

	if (!strcmp(format, "json"))
		return bench_result_write("-", r, err);
	table_print(stdout, r, !strcmp(format, "markdown"));
	return outfile_flush_stdout(err);
}

/* Also of what was done before a failure; not of boots before. */
static int print(const struct job_of_cmd *job, struct err *err)
{
	const struct bench_result *r = &job->result;
	struct bench_result *pick;
	int ret;

	if (!job->opts->boot)
		return print_result(job, r, err);
	pick = calloc(1, sizeof(*pick));
	if (!pick)
		return err_set(err, -ENOMEM, "out of memory");
	ret = bench_boots_pick(&job->boots, pick, err);
	if (!ret)
		ret = print_result(job, pick, err);
	bench_result_free(pick);
	free(pick);
	return ret;
}

static int tell_failure(const struct job_of_cmd *job, int code, struct err *err)
{
	size_t done = count_done(&job->result) - job->before;
	struct err why = *err;

	if (!done)
		return code;
	if (job->opts->output)
		return err_set(err, code, "%s; the %zu iteration%s done before %s in %s",
			       why.msg, done, text_s(done), done == 1 ? "is" : "are",
			       job->opts->output);
	return err_set(err, code, "%s; %zu iteration%s done before", why.msg, done,
		       done == 1 ? " was" : "s were");
}

static int run_experiment(struct job_of_cmd *job, struct err *err)
{
	struct experiment x = {
		.site = job->place.site,
		.workloads = job->workloads,
		.workload_count = job->workload_count,
		.iterations = job->opts->iterations,
		.warmup = job->opts->warmup,
		.boot = job->opts->boot ? job->result.boot_count - 1 : 0,
		.output = job->opts->output,
		.result = &job->result,
		.note = bench_place_note,
		.note_arg = &job->place,
	};
	struct err second = { "" };
	int ret = experiment_run(&x, err), end;

	end = site_restore(job->place.site, &second);
	if (end && !ret)
		ret = err_set(err, end, "%s", second.msg);
	else if (end)
		cmd_warn(job->ctx, "%s", second.msg);
	if (count_done(&job->result) > job->before) {
		end = print(job, &second);
		if (end && !ret)
			ret = err_set(err, end, "%s", second.msg);
	}
	if (!ret && job->opts->boot)
		bench_boots_tell(&job->boots);
	return ret ? tell_failure(job, ret, err) : 0;
}

static int run_job(struct job_of_cmd *job, struct err *err)
{
	struct bench_place_options place = job->opts->place;
	int ret;

	/* Each run on a virtual board is a boot of its own. */
	place.boot = job->opts->boot ? job->result.boot_count + 1 : 0;
	ret = bench_place_open(&job->place, &place, false, job->ctx, err);
	if (!ret)
		ret = bench_boots_check(&job->boots, job->place.site, err);
	if (!ret)
		ret = prepare(job, err);
	if (!ret)
		ret = apply(job, err);
	return ret ? ret : run_experiment(job, err);
}

static int run_bench(struct cmd_ctx *ctx, const void *options, const char *const *usual,
		     int argc, char **argv, struct err *err)
{
	struct job_of_cmd *job = calloc(1, sizeof(*job));
	struct stop stop;
	int ret;

	if (!job)
		return err_set(err, -ENOMEM, "out of memory");
	job->ctx = ctx;
	job->opts = options;
	stop_begin(&stop);
	job->boots = (struct bench_boots){
		.ctx = ctx,
		.state = job->opts->boot,
		.path = job->opts->output,
		.result = &job->result,
	};
	ret = bench_boots_open(&job->boots, err);
	job->before = count_done(&job->result);
	if (!ret)
		ret = choose_workloads(job, usual, argc, argv, err);
	if (!ret)
		ret = run_job(job, err);
	site_close(job->place.site);
	bench_result_free(&job->result);
	free(job);
	/* What a signal asked for has been done. */
	stop_drop();
	stop_end(&stop);
	return ret;
}

static int run_perf(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
		    struct err *err)
{
	static const char *const usual[] = { "messages", "pipe", NULL };

	return run_bench(ctx, options, usual, argc, argv, err);
}

static int run_energy(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
		      struct err *err)
{
	static const char *const usual[] = { "periodic", NULL };

	return run_bench(ctx, options, usual, argc, argv, err);
}

#define OPT(member) offsetof(struct bench_cmd_options, member)

static const struct opt bench_opts[] = {
	{ "workload", 'w', OPT_LIST, OPT(workloads), "NAME[:PARAM=VALUE,...]",
	  "what to run, see above" },
	{ "like", 0, OPT_STRING, OPT(like), "FILE",
	  "the workloads of that result, with the same parameters" },
	{ "iterations", 0, OPT_U32, OPT(iterations), "N",
	  "run each workload N times; default: 10", NULL, 1, 100000 },
	{ "warmup", 0, OPT_U32, OPT(warmup), "N",
	  "and N times before, uncounted; default: 1", NULL, 0, 1000 },
	{ "governor", 0, OPT_STRING, OPT(governor), "NAME",
	  "cpufreq governor of all policies meanwhile; default: as it is" },
	{ "epp", 0, OPT_STRING, OPT(epp), "NAME",
	  "energy/performance preference (a name, or 0..255) of all policies "
	  "meanwhile" },
	{ "sensor", 0, OPT_LIST, OPT(place.sensors), "SPEC",
	  "a power meter, as 'calib probe' lists them; default: all "
	  "that do not overlap" },
	{ "power-from", 0, OPT_STRING, OPT(place.power_from), "SOURCE",
	  "readings of an external meter, as for 'calib measure'" },
	{ "output", 'o', OPT_STRING, OPT(output), "FILE",
	  "keep all iterations there, for 'calib bench compare'" },
	{ "boot", 0, OPT_STRING, OPT(boot), "NAME",
	  "what is booted now is the state NAME: add to the boots in FILE" },
	{ "format", 0, OPT_STRING, OPT(format), "FORMAT",
	  "of what is printed; default: text", "text|markdown|json" },
	{ "board", 0, OPT_STRING, OPT(place.board), "virtual:NAME",
	  "a virtual board in place of this machine" },
	{ "seed", 0, OPT_U32, OPT(place.seed), "N",
	  "which virtual board it is; default: 1" },
	{ "rsd", 0, OPT_PERCENT, OPT(place.rsd), "PERCENT",
	  "virtual boards: spread of the work from run to run, up to 30%; default: 1.4%",
	  .max = SITE_RSD_MAX_PCT },
	{ "boot-rsd", 0, OPT_PERCENT, OPT(place.boot_rsd), "PERCENT",
	  "virtual boards: spread of the work from boot to boot, up to 30%; default: 1%",
	  .max = SITE_RSD_MAX_PCT },
	{ "effect", 0, OPT_PERCENT, OPT(place.effect), "PERCENT",
	  "virtual boards: do that much less work (up to 99%), as an effect to be found",
	  .max = SITE_EFFECT_MAX_PCT },
	{ "sysroot", 0, OPT_STRING, OPT(place.sysroot), "DIR",
	  "look for /sys and /proc of the machine below DIR" },
	{ NULL },
};

static const struct bench_cmd_options bench_defaults = {
	.iterations = 10,
	.warmup = 1,
	.place = { .seed = 1, .rsd = SITE_RSD, .boot_rsd = SITE_BOOT_RSD },
	.format = "text",
};

#define HELP_PERIODIC                                                                    \
	"  periodic   tasks=24 period-us=16000 duty=10 duration-ms=10000 units=0\n"      \
	"             tasks that wake up, work for duty percent of the period of\n"      \
	"             the fastest CPU at its highest clock, and sleep; late\n"           \
	"             wake-ups (by a tenth of the period) are counted\n"

#define HELP_WORKLOADS                                                                   \
	"Workloads and their parameters, with defaults:\n"                               \
	"\n"                                                                             \
	"  messages   groups=10 senders=20 receivers=20 loops=1000 size=100\n"           \
	"             via=socket|pipe as=processes|threads\n"                            \
	"             tasks that send messages; the defaults do what 'hackbench\n"       \
	"             -l 1000' and 'perf bench sched messaging -l 1000' do; with\n"      \
	"             100 loops, the time is in part that of starting and ending\n"      \
	"             400 processes, which are larger in perf: give it -t then\n"        \
	"  pipe       loops=100000\n"                                                    \
	"             two tasks that wake each other, as 'perf bench sched "             \
	"pipe'\n" HELP_PERIODIC                                                          \
	"  rt-app     file=FILE.json, where rt-app is installed; give a number as\n"     \
	"             its \"calibration\", or each iteration calibrates, and differs\n"  \
	"  -- CMD...  any command; its standard output is thrown away\n"                 \
	"\n"

#define HELP_REST                                                                        \
	"Energy is that of all power meters that do not see the same twice, or of "      \
	"those "                                                                         \
	"that --sensor names: counters by their difference, others by the trapezoid "    \
	"over the times of their readings. As for 'calib measure', meters that are off " \
	"are on meanwhile, which needs root, and those of IIO are read through their "   \
	"buffer where it is free. While a meter fails, or where an iteration takes "     \
	"less "                                                                          \
	"than a tenth of what one of its readings does, an iteration has no energy, "    \
	"and a "                                                                         \
	"note says why. Without a meter, times are all there is.\n"                      \
	"\n"                                                                             \
	"--governor and --epp set all cpufreq policies; with ',policy=N' behind the "    \
	"name, once or more, those policyN alone: --governor powersave,policy=4. The "   \
	"sides of 'calib bench ab' take that too; 'calib ramp' and 'sweep' set all.\n"   \
	"\n"                                                                             \
	"Iterations of several workloads take turns. Settings are put back at the end, " \
	"and on Ctrl-C, when all processes are ended too; iterations done so far stay "  \
	"in the file of -o, which is rewritten after each. On a virtual board, in "      \
	"virtual "                                                                       \
	"time, no scheduler is modelled: work is spread by capacity, at the clocks "     \
	"that the governor (those of 'calib ramp') settles at, and runs differ by "      \
	"--rsd.\n"                                                                       \
	"\n"                                                                             \
	"Next: change what is to be judged, run the same again (--like FILE -o OTHER), " \
	"then "                                                                          \
	"'calib bench compare'.\n"                                                       \
	"\n"                                                                             \
	"What takes a reboot to change (a kernel, a device tree) needs several boots "   \
	"of each: one boot differs from the next with nothing changed, and no number "   \
	"of iterations tells that from an effect. Run with --boot NAME -o FILE after "   \
	"each, NAME being what was booted: its iterations are added to FILE, whose "     \
	"workloads are run again, and it is told what to boot next so that the states "  \
	"take turns. 'calib bench compare FILE' then takes boots as what is "            \
	"independent. Kept of each boot: its id, kernel, command line, and digests of "  \
	"device tree and energy model. The same boot cannot be two states; run twice, "  \
	"it is one boot with more iterations. Do the boots that are told before you "    \
	"look: who stops as soon as p is small finds effects that are not there. On a "  \
	"virtual board each run is a boot."

const struct cmd cmd_bench_perf = {
	.name = "bench perf",
	.args = "[-- CMD...]",
	.summary = "run message passing, or any workload, N times: time and energy",
	.help = "Runs workloads N times each, and prints mean, relative standard "
		"deviation "
		"(RSD), least and most of the time that an iteration takes, and of its "
		"energy. By default messages and pipe.\n"
		"\n" HELP_WORKLOADS HELP_REST,
	.example = "calib bench perf\n"
		   "calib bench perf -w messages:groups=4 --governor schedutil -o "
		   "before.json\n"
		   "calib bench perf --iterations 5 -- make -j4\n"
		   "calib bench perf --boot old-tree -o trees.json  # boot the other\n"
		   "calib bench perf --boot new-tree -o trees.json  # and so on\n"
		   "calib bench perf --board virtual:odroid-xu3",
	.opts = bench_opts,
	.opts_size = sizeof(struct bench_cmd_options),
	.defaults = &bench_defaults,
	.max_args = 1000,
	.run = run_perf,
};

const struct cmd cmd_bench_energy = {
	.name = "bench energy",
	.args = "[-- CMD...]",
	.summary =
		"run periodic tasks, or any workload, N times: energy and late wake-ups",
	.help = "Runs a load that does not change with the clock, by default 24 periodic "
		"tasks, N times, and prints mean, relative standard deviation (RSD), "
		"least "
		"and most of its energy, power and late wake-ups: what a scheduler or "
		"governor that saves energy is judged by.\n"
		"\n"
		"How much work fills duty percent of a period is found at the start, in "
		"units, with the governor that is set then. Two runs find it to about a "
		"percent, which would be taken for an effect: run the second with --like "
		"FILE of the first, so that both do the same work.\n"
		"\n"
		"Its workload and its parameters, with defaults:\n"
		"\n" HELP_PERIODIC "\n"
		"All else is as 'calib bench perf --help' tells it: the other workloads "
		"(messages, pipe, rt-app, any command), where energy comes from and when "
		"there is none, what a virtual board does, and --boot, for what takes a "
		"reboot to change. Settings are put back at the end, and on Ctrl-C; "
		"iterations done so far stay in the file of -o.\n"
		"\n"
		"Next: change what is to be judged, run the same again (--like FILE -o "
		"OTHER), then 'calib bench compare'.",
	.example = "calib bench energy -o before.json\n"
		   "calib bench energy --like before.json -o after.json\n"
		   "calib bench energy --governor powersave -w periodic:tasks=8,duty=5\n"
		   "calib bench energy --board virtual:odroid-xu3",
	.opts = bench_opts,
	.opts_size = sizeof(struct bench_cmd_options),
	.defaults = &bench_defaults,
	.max_args = 1000,
	.run = run_energy,
};
