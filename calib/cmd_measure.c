// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib measure: power at every operating point, into a run.
 */
#include "calib/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "boards/board.h"
#include "calib/linux/linux.h"
#include "calib/loads/command.h"
#include "calib/measure/plan.h"
#include "calib/measure/precision.h"
#include "calib/measure/resume.h"
#include "calib/measure/runner.h"
#include "calib/measure/session.h"
#include "calib/measure/stop.h"
#include "calib/measure/talk.h"
#include "calib/sim/sim.h"
#include "calib/samples.h"
#include "lib/progress.h"
#include "lib/words.h"

#define NS_PER_S 1000000000u
/* A virtual board that is measured again has idled for this long. */
#define PAUSE_NS (10ull * NS_PER_S)

struct measure_options {
	struct opt_list clusters, sensors;
	const char *board, *sysroot, *voltages, *loads, *load_cmd, *cpus, *opps, *run;
	const char *faults, *power_from;
	uint32_t repeats, seed, max_temp;
	double precision; /* 0: not asked for */
	uint64_t time_limit_ns;
	bool boost, dry_run, resume;
};

static const struct measure_options measure_defaults = {
	.run = RUN_DEFAULT,
	.repeats = PLAN_ROUNDS_AUTO,
	.seed = 1,
};

/* One call of calib measure. */
struct job {
	struct cmd_ctx *ctx;
	const struct measure_options *opts;
	struct measure_options resumed; /* what opts is then */
	struct resume resume;		/* the plan that is, or was, begun */
	bool recorded;			/* ... and that RUN tells */
	struct board board;
	bool virtual_board;
	struct linux_options linux_opts; /* the machine borrows them */
	struct words load_cmd;		 /* and this */
	struct machine *machine;
	struct runinfo info;
	unsigned int clusters[BOARD_MAX_CLUSTERS]; /* chosen, in order */
	unsigned int cluster_count;
	struct plan plans[BOARD_MAX_CLUSTERS]; /* same order */
	struct session session;
	const struct runner *runner; /* the one that runs */
	struct progress progress;
	uint64_t wall_start_ns, board_start_ns;
	unsigned int rows;
	struct precision precision; /* of the cluster at hand */
	bool too_coarse;	    /* a precision asked for was not reached */
	uint64_t windows_whole;	    /* of the plans, what is done already with them */
	uint64_t windows_before, windows_all; /* before this cluster, in all plans */
	uint64_t left_after_ns;		      /* what the plans after this one take */
};

static int open_virtual(struct job *job, uint64_t start_ns, struct err *err)
{
	struct sim_options opts = {
		.board = &job->board,
		.seed = job->opts->seed,
		.start_ns = start_ns,
		.stop_pending = stop_pending,
	};
	int ret = 0;

	if (job->opts->faults)
		ret = sim_fault_parse(job->opts->faults, &job->board, &opts.faults, err);
	if (ret)
		return ret;
	return sim_open(&opts, &job->machine, err);
}

static void on_note(void *arg, const char *text)
{
	struct job *job = arg;

	cmd_note(job->ctx, "%s", text);
}

static int open_real(struct job *job, struct err *err)
{
	int ret = 0;

	if (job->opts->load_cmd)
		ret = words_split(job->opts->load_cmd, &job->load_cmd, err);
	if (ret)
		return err_wrap(err, ret, "--load-cmd");
	job->linux_opts = (struct linux_options){
		.sysroot = job->opts->sysroot,
		.board = job->opts->board ? &job->board : NULL,
		.sensors = job->opts->sensors.items,
		.sensor_count = job->opts->sensors.n,
		.power_from = job->opts->power_from,
		.voltages = job->opts->voltages,
		.boost = job->opts->boost,
		.opps = job->opts->opps,
		.load_argv = job->opts->load_cmd ? job->load_cmd.argv : NULL,
		.note = on_note,
		.note_arg = job,
	};
	if (job->opts->faults)
		return err_set(err, -EINVAL,
			       "--fault breaks virtual boards only; add "
			       "'--board virtual:NAME'");
	return linux_open(&job->linux_opts, &job->machine, err);
}

static int open_machine(struct job *job, struct err *err)
{
	int ret = 0;

	if (job->opts->board)
		ret = board_open(job->opts->board, &job->board, &job->virtual_board, err);
	if (ret)
		return ret;
	if (!job->virtual_board)
		return open_real(job, err);
	if (job->opts->sensors.n || job->opts->sysroot || job->opts->power_from ||
	    job->opts->voltages || job->opts->boost)
		return err_set(
			err, -EINVAL,
			"a virtual board has its own sensors and voltages: "
			"--sensor, --power-from, --voltages, --boost and --sysroot "
			"are for real machines");
	if (job->opts->load_cmd)
		return err_set(err, -EINVAL,
			       "a virtual board runs no commands: --load-cmd is for real "
			       "machines");
	return open_virtual(job, 0, err);
}

static void close_machine(struct job *job)
{
	if (job->machine)
		job->machine->ops->close(job->machine);
	job->machine = NULL;
}

/* Who measured, when. */
static void sign(struct job *job)
{
	time_t now = time(NULL);
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(job->info.date, sizeof(job->info.date), "%Y-%m-%dT%H:%M:%SZ",
			 &tm);
	snprintf(job->info.tool, sizeof(job->info.tool), "%s", cmd_version());
	snprintf(job->info.command, sizeof(job->info.command), "%s", cmd_line(job->ctx));
}

static int unknown_cluster(const struct job *job, const char *name, struct err *err)
{
	char known[BOARD_MAX_CLUSTERS * 40] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < job->info.cluster_count; i++)
		used += snprintf(known + used, sizeof(known) - used, "%s%s",
				 i ? ", " : "", job->info.clusters[i].name);
	return err_set(err, -ENOENT, "no cluster '%s' here; known are %s", name, known);
}

static bool is_chosen(const struct job *job, unsigned int cluster)
{
	for (unsigned int i = 0; i < job->cluster_count; i++)
		if (job->clusters[i] == cluster)
			return true;
	return false;
}

/* The machine knows best what to do about a cluster that has no sensor: it says so before
 * it changes anything. */
static int no_sensor(const struct job *job, unsigned int cluster, struct err *err)
{
	int ret = job->machine->ops->prepare(job->machine, cluster, err);

	if (ret)
		return ret;
	job->machine->ops->restore(job->machine, NULL);
	return err_set(err, -ENODEV, "cluster '%s' has no power sensor",
		       job->info.clusters[cluster].name);
}

static int choose_named(struct job *job, const char *name, struct err *err)
{
	unsigned int i;

	for (i = 0; i < job->info.cluster_count; i++)
		if (!strcmp(job->info.clusters[i].name, name))
			break;
	if (i == job->info.cluster_count)
		return unknown_cluster(job, name, err);
	if (!job->info.clusters[i].sensor[0])
		return no_sensor(job, i, err);
	if (!is_chosen(job, i))
		job->clusters[job->cluster_count++] = i;
	return 0;
}

/* Those that --cluster names, or all that can be measured. */
static int choose_clusters(struct job *job, struct err *err)
{
	const struct opt_list *names = &job->opts->clusters;

	for (unsigned int i = 0; i < names->n; i++) {
		int ret = choose_named(job, names->items[i], err);

		if (ret)
			return ret;
	}
	if (names->n)
		return 0;
	for (unsigned int i = 0; i < job->info.cluster_count; i++)
		if (job->info.clusters[i].sensor[0])
			job->clusters[job->cluster_count++] = i;
	if (!job->cluster_count)
		return no_sensor(job, 0, err);
	for (unsigned int i = 0; i < job->info.cluster_count; i++)
		if (!is_chosen(job, i))
			cmd_note(job->ctx, "cluster '%s' has no power sensor: left out",
				 job->info.clusters[i].name);
	return 0;
}

/*
 * A plan that the user narrowed is carried out as it is, unless a precision was asked
 * for: then --repeats is how often at most.
 */
static double target_of(const struct measure_options *o)
{
	if (o->precision > 0)
		return o->precision;
	return o->opps || o->cpus || o->repeats != PLAN_ROUNDS_AUTO ? 0
								    : PRECISION_DEFAULT;
}

static void choose_rounds(const struct measure_options *o, struct plan_options *p)
{
	bool automatic = o->repeats == PLAN_ROUNDS_AUTO;

	p->rounds = o->repeats;
	if (!(target_of(o) > 0))
		return;
	if (!automatic)
		p->rounds = 1;
	p->max_rounds = !automatic	   ? o->repeats
			: o->precision > 0 ? PLAN_MAX_ROUNDS
					   : PRECISION_ROUNDS;
}

/* What --loads names, and the command; NULL: the plan's own choice. */
static const char *loads_of(const struct measure_options *o, char *out, size_t size)
{
	const size_t len = strlen(LOAD_CMD);
	const char *item = o->loads;

	if (!o->load_cmd)
		return o->loads;
	if (!o->loads)
		return LOAD_CMD;
	for (; item; item += item != NULL) {
		item += strspn(item, " ");
		if (strcspn(item, " ,") == len && !strncmp(item, LOAD_CMD, len))
			break;
		item = strchr(item, ',');
	}
	snprintf(out, size, "%s%s", o->loads, item ? "" : "," LOAD_CMD);
	return out;
}

static int make_plans(struct job *job, struct err *err)
{
	char loads[PLAN_MAX_LOADS * 40];

	for (unsigned int i = 0; i < job->cluster_count; i++) {
		unsigned int cluster = job->clusters[i];
		/* Measured again: in another order. */
		uint64_t seed = job->opts->resume
					? job->resume.clusters[i].seed
					: job->opts->seed +
						  job->session.cluster_rows[cluster];
		struct plan_options opts = {
			.opps = job->opts->opps,
			.cpus = job->opts->cpus,
			.loads = loads_of(job->opts, loads, sizeof(loads)),
			.seed = seed,
		};
		int ret;

		choose_rounds(job->opts, &opts);
		ret = plan_make(&opts, &job->info, cluster, &job->plans[i], err);
		job->windows_whole += job->plans[i].least_count;
		if (!ret && job->opts->resume)
			ret = resume_drop_done(&job->resume, i, &job->session,
					       &job->plans[i], err);
		if (ret)
			return ret;
		if (!job->opts->resume)
			resume_add_cluster(&job->resume, job->info.clusters[cluster].name,
					   seed, &job->plans[i]);
		job->windows_all += job->plans[i].least_count;
	}
	return 0;
}

static void tell_unknown_voltages(const struct job *job)
{
	for (unsigned int i = 0; i < job->cluster_count; i++) {
		const struct runinfo_cluster *cl = &job->info.clusters[job->clusters[i]];

		if (!cl->volt_source[0])
			cmd_warn(job->ctx,
				 "no voltage of cluster '%s' is known (its meter tells "
				 "none, "
				 "no device tree or regulator has them): the fit will "
				 "need "
				 "them from you",
				 cl->name);
	}
}

static void tell_resumed(const struct job *job)
{
	uint64_t all = job->windows_whole;

	cmd_note(job->ctx, "%" PRIu64 " of %" PRIu64 " windows are in '%s', %s",
		 all - job->windows_all, all, job->opts->run,
		 job->windows_all	    ? "measuring the others"
		 : target_of(job->opts) > 0 ? "measuring on if C is not yet precise"
					    : "nothing is missing");
}

/* What the user should know about the run that rows are added to. */
static void tell_session(const struct job *job)
{
	const struct session *s = &job->session;

	if (job->virtual_board)
		cmd_note(job->ctx, "VIRTUAL board '%s', seed %u: no hardware is measured",
			 job->info.board, job->opts->seed);
	if (s->torn)
		cmd_warn(job->ctx,
			 "'%s' ends in half a row (%jd bytes; power cut?): it will be "
			 "cut off",
			 s->samples, (intmax_t)s->torn);
	if (s->kernel[0])
		cmd_warn(job->ctx, "the rows in '%s' were measured under kernel '%s'",
			 s->run, s->kernel);
	tell_unknown_voltages(job);
	if (job->opts->resume)
		return tell_resumed(job);
	for (unsigned int i = 0; i < job->cluster_count; i++) {
		uint64_t rows = s->cluster_rows[job->clusters[i]];

		if (rows)
			cmd_note(
				job->ctx,
				"cluster '%s' was measured before: adding to its %" PRIu64
				" rows",
				job->info.clusters[job->clusters[i]].name, rows);
	}
}

/* What was begun, in place of what was typed. */
static int read_plan(struct job *job, struct err *err)
{
	const struct measure_options *typed = job->opts;
	struct measure_options *o = &job->resumed;
	int ret = resume_read(typed->run, &job->resume, err);

	if (ret == -ENOENT)
		return err_set(err, ret,
			       "nothing to resume: '%s' has no plan.json; name the run "
			       "with -d, or leave --resume out",
			       typed->run);
	if (ret)
		return ret;
	*o = measure_defaults;
	ret = resume_apply_options(&job->resume, job->ctx, &cmd_measure, o, err);
	if (ret)
		return ret;
	o->run = typed->run;
	o->time_limit_ns = typed->time_limit_ns;
	o->dry_run = typed->dry_run;
	o->resume = true;
	o->clusters.n = 0;
	for (unsigned int i = 0; i < job->resume.cluster_count; i++)
		o->clusters.items[o->clusters.n++] = job->resume.clusters[i].name;
	job->opts = o;
	return 0;
}

static int prepare_job(struct job *job, struct err *err)
{
	int ret = job->opts->resume ? read_plan(job, err)
				    : resume_record_options(&job->resume, job->ctx, err);

	if (!ret)
		ret = open_machine(job, err);
	if (!ret)
		ret = job->machine->ops->discover(job->machine, &job->info, err);
	if (ret)
		return ret;
	sign(job);
	ret = choose_clusters(job, err);
	if (!ret)
		ret = session_open(&job->session, job->opts->run, &job->info,
				   !job->virtual_board, err);
	if (!ret && !job->opts->resume)
		job->resume.first_row = job->session.rows;
	if (!ret)
		ret = make_plans(job, err);
	return ret;
}

static int begin_session(struct job *job, struct err *err)
{
	int ret = session_begin(&job->session, err);

	if (ret || job->recorded)
		return ret;
	job->recorded = true;
	return job->opts->resume ? 0 : resume_write(job->opts->run, &job->resume, err);
}

/* What was measured of the cluster before counts too. */
static int take_rows_before(struct job *job, struct err *err)
{
	struct samples all = { 0 };
	int ret = samples_read(&all, job->session.samples, err);

	for (size_t i = 0; i < all.count && !ret; i++)
		ret = precision_add(&job->precision, &all.rows[i], err);
	samples_free(&all);
	return ret;
}

static int on_begin(void *arg, struct err *err)
{
	struct job *job = arg;
	char note[sizeof(job->info.clusters[0].sensor_note)];
	int ret;

	traits_format(&job->runner->traits, note, sizeof(note));
	ret = session_note(&job->session, job->runner->plan->cluster, note, err);
	if (!ret)
		ret = begin_session(job, err);
	if (!ret && job->precision.target > 0)
		ret = take_rows_before(job, err);
	return ret;
}

static int on_enough(void *arg, const struct runner *r, bool *yes, struct err *err)
{
	struct job *job = arg;

	(void)err;
	*yes = !(job->precision.target > 0) ||
	       precision_reached(&job->precision, r->plan, r->result.visits);
	return 0;
}

static int on_row(void *arg, const struct sample *row, struct err *err)
{
	struct job *job = arg;
	int ret = session_append(&job->session, row, err);

	job->rows += !ret;
	return ret ? ret : precision_add(&job->precision, row, err);
}

static void on_warn(void *arg, const char *text)
{
	struct job *job = arg;

	cmd_warn(job->ctx, "%s", text);
}

/* A virtual board's time passes faster than ours. */
static uint64_t to_wall_ns(const struct job *job, uint64_t board_ns)
{
	uint64_t board = job->machine->ops->now_ns(job->machine) - job->board_start_ns;
	uint64_t wall = stop_now_ns() - job->wall_start_ns;

	return board ? (double)board_ns * wall / board : board_ns;
}

/* In windows: up to the least that is made, and from there what the last fit said. */
static uint64_t windows_left(const struct job *job, const struct runner *r)
{
	const struct plan *plan = r->plan;

	if (r->result.windows < plan->least_count)
		return plan->least_count - r->result.windows;
	return precision_missing(&job->precision) * plan->count / plan->visit_count;
}

static void on_progress(void *arg, const struct runner *r, const struct plan_window *w)
{
	struct job *job = arg;
	uint64_t left = windows_left(job, r);
	uint64_t done = job->windows_before + r->result.windows, all = job->windows_all;
	char what[96];

	if (all < done + left)
		all = done + left;
	snprintf(what, sizeof(what), "%s%s %g MHz %u CPUs",
		 job->virtual_board ? "VIRTUAL " : "",
		 job->info.clusters[r->plan->cluster].name, w->khz / 1e3, w->cpu_count);
	left = left * plan_window_ns(&r->timing) + job->left_after_ns;
	progress_update(&job->progress, stop_now_ns(), done, all, to_wall_ns(job, left),
			what);
}

/* This cluster's share of the time that is left. */
static uint64_t deadline(const struct job *job, unsigned int i, uint64_t end_ns)
{
	uint64_t now = job->machine->ops->now_ns(job->machine);
	uint64_t mine = plan_time_ns(&job->plans[i]), all = mine + job->left_after_ns;

	if (!job->opts->time_limit_ns)
		return 0;
	return now >= end_ns ? now
			     : now + (uint64_t)((double)(end_ns - now) * mine / all);
}

/* How precise it has become, and why no more than that. */
static void tell_precision(struct job *job, const struct plan *plan, bool out_of_time)
{
	struct precision *p = &job->precision;
	const char *name = job->info.clusters[plan->cluster].name;

	if (!(p->target > 0))
		return;
	precision_look(p, plan);
	if (!p->known || p->half > p->target)
		job->too_coarse |= job->opts->precision > 0;
	if (!p->known)
		cmd_warn(job->ctx, "cluster '%s': how precise C is cannot be told: %s",
			 name, p->err.msg);
	else if (p->half <= p->target)
		talk_precision(stderr, job->virtual_board, p);
	else if (p->floor >= p->target)
		cmd_warn(job->ctx,
			 "cluster '%s': C is known to +-%.2g %% (95 %%); no number of "
			 "visits makes it better than %.2g %%, as the law of leakage is "
			 "not known well enough: a wider range of temperature or voltage "
			 "would tell it",
			 name, 100 * p->half, 100 * p->floor);
	else
		cmd_warn(job->ctx,
			 "cluster '%s': C is known to +-%.2g %% (95 %%), not yet to %.2g "
			 "%%: about %u more visits are missing%s",
			 name, 100 * p->half, 100 * p->target, precision_missing(p),
			 out_of_time ? "" : "; measure it again to add some");
}

static void tell_cluster(struct job *job, unsigned int i, const struct runner_result *res)
{
	const struct plan *plan = &job->plans[i];

	talk_result(stderr, &job->info, plan, res);
	if (res->out_of_time && res->windows < plan->least_count)
		cmd_note(job->ctx,
			 "cluster '%s': the time limit came after %u of %zu windows",
			 job->info.clusters[plan->cluster].name, res->windows,
			 plan->least_count);
	tell_precision(job, plan, res->out_of_time);
}

static int measure_cluster(struct job *job, unsigned int i, uint64_t end_ns,
			   struct runner *r, struct err *err)
{
	int ret;

	job->left_after_ns = 0;
	for (unsigned int k = i + 1; k < job->cluster_count; k++)
		job->left_after_ns += plan_time_ns(&job->plans[k]);
	*r = (struct runner){
		.machine = job->machine,
		.info = &job->info,
		.plan = &job->plans[i],
		.hooks = { job, on_begin, on_row, on_warn, on_enough, on_progress },
		.deadline_ns = deadline(job, i, end_ns),
		.max_temp_mc = job->opts->max_temp * 1000,
	};
	job->precision = (struct precision){
		.target = target_of(job->opts),
		.cluster = job->info.clusters[job->clusters[i]].name,
	};
	job->runner = r;
	progress_start(&job->progress, stop_now_ns());
	ret = runner_run(r, err);
	progress_end(&job->progress);
	job->windows_before += job->plans[i].least_count;
	if (!ret)
		tell_cluster(job, i, &r->result);
	precision_free(&job->precision);
	return ret;
}

/* An error on the way: say what is kept all the same, and how to go on. */
static int kept(const struct job *job, int code, struct err *err)
{
	const char *run = job->opts->run;
	bool plain = !strcmp(run, RUN_DEFAULT);
	struct err why = *err;

	if (!job->rows)
		return err_set(err, code, "%s; no row was written", why.msg);
	return err_set(err, code,
		       "%s; %u of %" PRIu64 " windows kept in '%s'; 'calib measure "
		       "--resume%s%s%s' measures the others",
		       why.msg, job->rows, job->windows_all, run, plain ? "" : " -d '",
		       plain ? "" : run, plain ? "" : "'");
}

static int measure_all(struct job *job, struct err *err)
{
	struct runner *r = malloc(sizeof(*r));
	uint64_t end_ns;
	int ret = 0, ret_close;

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	job->wall_start_ns = stop_now_ns();
	job->board_start_ns = job->machine->ops->now_ns(job->machine);
	end_ns = job->board_start_ns + job->opts->time_limit_ns;
	for (unsigned int i = 0; i < job->cluster_count && !ret; i++)
		if (job->plans[i].count)
			ret = measure_cluster(job, i, end_ns, r, err);
	free(r);
	ret_close = session_close(&job->session, ret ? NULL : err);
	if (!ret)
		ret = ret_close;
	return ret ? kept(job, ret, err) : 0;
}

static void print_plans(const struct job *job)
{
	uint64_t time_ns = 0;
	char text[32];

	for (unsigned int i = 0; i < job->cluster_count; i++) {
		talk_plan(stdout, &job->info, &job->plans[i]);
		time_ns += plan_time_ns(&job->plans[i]);
	}
	printf("total about %s of board time; rows would be added to '%s'\n",
	       talk_time(time_ns, text, sizeof(text)), job->opts->run);
}

static int carry_out(struct job *job, struct err *err)
{
	int ret = 0;

	/* The virtual board's clock goes on where its last run ended. */
	if (job->virtual_board && job->session.last_time_ns) {
		close_machine(job);
		ret = open_virtual(job, job->session.last_time_ns + PAUSE_NS, err);
	}
	if (!ret)
		ret = measure_all(job, err);
	if (ret)
		return ret;
	if (!job->rows && job->windows_all)
		return err_set(err, -ETIME, "the time limit is too short for one window");
	if (!strcmp(job->opts->run, RUN_DEFAULT))
		fprintf(stderr, "next: calib fit > coeffs.json\n");
	else
		fprintf(stderr, "next: calib fit -d '%s' > coeffs.json\n",
			job->opts->run);
	return job->too_coarse;
}

static int run_job(struct job *job, struct err *err)
{
	int ret = prepare_job(job, err);

	if (ret)
		return ret;
	tell_session(job);
	if (job->opts->resume && !job->windows_all && !(target_of(job->opts) > 0))
		return 0;
	if (!job->opts->dry_run)
		return carry_out(job, err);
	print_plans(job);
	return 0;
}

static int run_measure(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
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
	ret = run_job(job, err);
	close_machine(job);
	for (unsigned int i = 0; i < job->cluster_count; i++)
		plan_free(&job->plans[i]);
	words_free(&job->load_cmd);
	resume_free(&job->resume);
	free(job);
	/* What a signal asked for has been done; the message and the status say so. */
	stop_drop();
	stop_end(&stop);
	return ret;
}

#define OPT(member) offsetof(struct measure_options, member)

static const struct opt measure_opts[] = {
	{ "cluster", 0, OPT_LIST, OPT(clusters), "NAME",
	  "measure this cluster (may be repeated); default: all that have a sensor" },
	{ "board", 0, OPT_STRING, OPT(board), "BOARD",
	  "a board's name, a .dtb file, or virtual:NAME for its virtual twin" },
	{ "sensor", 0, OPT_LIST, OPT(sensors), "CLUSTER=SENSOR",
	  "which meter measures CLUSTER: 'a15=ina231@0x40', 'a15=label:VDD_ARM'" },
	{ "power-from", 0, OPT_STRING, OPT(power_from), "SOURCE",
	  "an external meter's readings: a command, FIFO, device or growing file (see "
	  "below)" },
	{ "voltages", 0, OPT_STRING, OPT(voltages), "FILE",
	  "voltages where no meter tells them: CPU.KHZ=MICROVOLT, blank-separated" },
	{ "boost", 0, OPT_FLAG, OPT(boost), NULL,
	  "measure boost clocks too: boost is switched on, and off again after" },
	{ "cpus", 0, OPT_STRING, OPT(cpus), "LIST",
	  "how many CPUs to load, 0 is idle: '0-2,4'; default: none, one and all" },
	{ "opps", 0, OPT_STRING, OPT(opps), "LIST",
	  "operating points: '200,1400' (MHz) or '1.4GHz'; default: all" },
	{ "loads", 0, OPT_STRING, OPT(loads), "LIST",
	  "what the CPUs run, see above: 'int,simd,dram'; default: int" },
	{ "load-cmd", 0, OPT_STRING, OPT(load_cmd), "COMMAND",
	  "run COMMAND on each loaded CPU, too; its rows' load is 'cmd'" },
	{ "repeats", 0, OPT_U32, OPT(repeats), "N",
	  "visit every operating point N times; default: once, more often where there "
	  "are few" },
	{ "seed", 0, OPT_U32, OPT(seed), "N",
	  "of the random order, and which virtual board it is; default: 1" },
	{ "precision", 0, OPT_PERCENT, OPT(precision), "PCT",
	  "go on until C is known to PCT (half of its 95 % interval); default: 1%, or "
	  "what 3 rounds give" },
	{ "time-limit", 0, OPT_DURATION_NS, OPT(time_limit_ns), "TIME",
	  "end after TIME of board time ('90s', '10m'), with what was measured" },
	{ "run", 'd', OPT_STRING, OPT(run), "DIR", "where rows are added" },
	{ "max-temp", 0, OPT_U32, OPT(max_temp), "DEGREES",
	  "start no load above so many degrees Celsius, wait; default: 5 below where the "
	  "kernel cuts the clock" },
	{ "sysroot", 0, OPT_STRING, OPT(sysroot), "DIR",
	  "look for /sys and /proc of the machine below DIR" },
	{ "fault", 0, OPT_STRING, OPT(faults), "LIST",
	  "break the virtual board: clock, stuck, reads, charger, spikes, hot, pmu" },
	{ "resume", 0, OPT_FLAG, OPT(resume), NULL,
	  "carry on an interrupted run: measure what is missing of its plan" },
	{ "dry-run", 'n', OPT_FLAG, OPT(dry_run), NULL,
	  "print the plan and how long it takes; write nothing" },
	{ NULL },
};

const struct cmd cmd_measure = {
	.name = "measure",
	.args = "",
	.summary = "measure a cluster's power at every operating point",
	.help = "Pins the clock of a cluster to each of its operating points in random "
		"order, loads none, one and all of its CPUs there, waits until the meter "
		"has "
		"forgotten what was before, and averages the meter's readings over a "
		"window: one row of RUN/samples.csv. What the machine is goes to "
		"RUN/board.json. Other clusters stand idle at their lowest clock.\n"
		"\n"
		"The several CPU counts are what tells the power of one CPU from that of "
		"the clock and the cache they share, and from leakage.\n"
		"\n"
		"It begins warm: a load runs until neither power nor temperature has a "
		"trend. Then every operating point is visited once, hot and cool ones in "
		"turn, and from there on only while C is not known to --precision, which "
		"is looked up by the fit that 'calib fit' makes. With --opps, --cpus or "
		"--repeats the plan is carried out as it is, unless --precision is "
		"given too. Where the clock is cut by heat, the window is taken once "
		"more "
		"after cooling. When another program changes governor or limits, it is "
		"told what, and the window is taken again.\n"
		"\n"
		"Rows are added: 'calib measure --cluster a15' and then '--cluster a7' "
		"give one run, and measuring a cluster again makes it more precise. A "
		"row "
		"with something wrong (clock not as asked, throttled, meter stuck, still "
		"drifting) is kept and flagged; 'calib fit' decides.\n"
		"\n"
		"Loads, one thread per CPU; each counts its work:\n"
		"\n"
		"  int      integer mix in L1: hashing, lists, strings, branches, "
		"matrices\n"
		"  float    floating point, each step waits for the one before\n"
		"  simd     multiply and add on vectors of four floats\n"
		"  branchy  branches that no predictor gets right\n"
		"  l1       stream through half of the L1 data cache\n"
		"  l2       stream through half of the L2 cache\n"
		"  dram     stream through memory, 4 times the last cache\n"
		"  chase    one read from memory after the other, 4 times the last "
		"cache\n"
		"  spin     busy wait for a flag\n"
		"  idle     sleeping threads: what loading by itself costs\n"
		"  cmd      the command of --load-cmd; its work is not known\n"
		"\n"
		"--load-cmd takes any program, such as 'dhrystone 100000000': one "
		"process "
		"per loaded CPU, pinned there, killed with its process group when the "
		"window ends, and however calib ends. One that ends with status 0 is run "
		"again, with another it is an error. Blanks part its words, quotes and "
		"backslashes hold them together, nothing is expanded; what needs a shell "
		"is written with one, \"sh -c 'a; b'\". With threads of its own it "
		"shares one CPU.\n"
		"\n"
		"Meters: hwmon and IIO chips by 'CHIP@ADDRESS' or 'label:TEXT' as "
		"'ina231@0x40', 'rapl:core' or 'rapl:package', 'perf:energy-cores', "
		"'battery:BAT0' while it discharges; with '/CHANNEL' behind where a chip "
		"has several. hwmon numbers change from boot to boot and are not taken.\n"
		"\n"
		"--power-from takes any bench meter: lines of CSV text with a header "
		"that "
		"has a time (time_s, time_ms, time_us or time_ns, of any clock) and a "
		"power (power_w, power_mw or power_uw); other columns are ignored. It "
		"measures the clusters that have no --sensor. Its clock is found by a "
		"marker load, on and off for some seconds before the first window, which "
		"must show in the readings; they may come up to 3 s late.\n"
		"\n"
		"On Ctrl-C, SIGTERM or a hang-up the load stops, the machine is put back "
		"as "
		"it was, all finished rows are kept, and the exit status is 2. After "
		"that, a kill or a power cut, --resume measures the windows that are "
		"missing, with the options that RUN/plan.json holds: the run then has "
		"what it would have had without the interruption.\n"
		"\n"
		"Next: 'calib fit > coeffs.json'.",
	.example = "calib measure --cluster a15\n"
		   "calib measure --cluster a7\n"
		   "calib measure --resume\n"
		   "calib measure --board virtual:odroid-xu3 -d try\n"
		   "calib measure -n --cluster a15 --opps 600,1400,2000 --cpus 0-2",
	.opts = measure_opts,
	.opts_size = sizeof(struct measure_options),
	.defaults = &measure_defaults,
	.run = run_measure,
};
