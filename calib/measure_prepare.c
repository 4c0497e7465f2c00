// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib measure, before the first write: the machine, the clusters, the plans, the run.
 */
#include "calib/measure_job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calib/commands.h"
#include "calib/loads/command.h"
#include "calib/measure/stop.h"
#include "calib/measure/talk.h"
#include "calib/samples.h"
#include "lib/text.h"

/* A virtual board that is measured again has idled for this long. */
#define PAUSE_NS 10000000000ull
#define MAX_TEMP 200

static int open_target(struct job *job, uint64_t start_ns, struct err *err)
{
	const struct measure_options *o = job->opts;
	struct target_options opts = {
		.board = o->board,
		.sysroot = o->sysroot,
		.faults = o->faults,
		.opps = o->opps,
		.seed = o->seed,
		.start_ns = start_ns,
		.sensors = o->sensors.items,
		.sensor_count = o->sensors.n,
		.power_from = o->power_from,
		.voltages = o->voltages,
		.boost = o->boost,
		.online = o->online,
		.dry_run = o->dry_run,
		.thermal_mode = o->thermal_mode,
		.max_temp = o->max_temp,
		.clusters = o->clusters.items,
		.cluster_count = o->clusters.n,
	};

	if (o->max_temp > MAX_TEMP)
		return err_set(err, -EINVAL, "--max-temp %u is not in 0..%d degrees",
			       o->max_temp, MAX_TEMP);
	if (o->load_cmd && !job->load_cmd.count) {
		int ret = words_split(o->load_cmd, &job->load_cmd, err);

		if (ret)
			return err_wrap(err, ret, "--load-cmd");
	}
	opts.load_argv = o->load_cmd ? job->load_cmd.argv : NULL;
	return target_open(&job->target, &opts, job->ctx, err);
}

int job_continue_clock(struct job *job, struct err *err)
{
	if (!job->target.virtual_board || !job->session.last_time_ns)
		return 0;
	target_close(&job->target);
	return open_target(job, job->session.last_time_ns + PAUSE_NS, err);
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
	int ret = job->target.machine->ops->prepare(job->target.machine, cluster, err);

	if (ret)
		return ret;
	job->target.machine->ops->restore(job->target.machine, NULL);
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
double job_precision(const struct measure_options *o)
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
	if (!(job_precision(o) > 0))
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

/* The plan's operating points without a voltage, in MHz into @list. How many. */
static unsigned int unknown_voltages(const struct plan *plan,
				     const struct runinfo_cluster *cl, char *list,
				     size_t size)
{
	unsigned int n = 0;
	size_t used = 0;

	for (unsigned int i = 0; i < cl->opp_count; i++) {
		size_t k = 0;

		while (k < plan->count && plan->windows[k].khz != cl->opps[i].khz)
			k++;
		if (k == plan->count || plan->windows[k].volt_uv)
			continue;
		if (used < size)
			used += snprintf(list + used, size - used, "%s%g", n ? ", " : "",
					 cl->opps[i].khz / 1e3);
		n++;
	}
	return n;
}

static void tell_unknown_voltages(const struct job *job)
{
	for (unsigned int i = 0; i < job->cluster_count; i++) {
		const struct runinfo_cluster *cl = &job->info.clusters[job->clusters[i]];
		char list[BOARD_MAX_OPPS * 12];

		/* Read anew in every window. */
		if (!strcmp(cl->volt_source, "rail") ||
		    !strcmp(cl->volt_source, "regulator"))
			continue;
		if (!cl->volt_source[0])
			cmd_warn(job->ctx,
				 "no voltage of cluster '%s' is known (its meter tells "
				 "none, no device tree or regulator has them): the fit "
				 "needs them, give them with --voltages FILE",
				 cl->name);
		else if (unknown_voltages(&job->plans[i], cl, list, sizeof(list)))
			cmd_warn(job->ctx,
				 "cluster '%s': no voltage is known at %s MHz: the fit "
				 "needs them, give them with --voltages FILE",
				 cl->name, list);
	}
}

static void tell_resumed(const struct job *job)
{
	uint64_t all = job->windows_whole;

	cmd_note(job->ctx, "%" PRIu64 " of %" PRIu64 " windows are in '%s', %s",
		 all - job->windows_all, all, job->opts->run,
		 job->windows_all		? "measuring the others"
		 : job_precision(job->opts) > 0 ? "measuring on if C is not yet precise"
						: "nothing is missing");
}

/* What the user should know about the run that rows are added to. */
void job_tell_session(const struct job *job)
{
	const struct session *s = &job->session;

	if (job->target.virtual_board)
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
				" row%s",
				job->info.clusters[job->clusters[i]].name, rows,
				text_s(rows));
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

int job_prepare(struct job *job, struct err *err)
{
	int ret = job->opts->resume ? read_plan(job, err)
				    : resume_record_options(&job->resume, job->ctx, err);

	if (!ret)
		ret = open_target(job, 0, err);
	if (!ret)
		ret = job->target.machine->ops->discover(job->target.machine, &job->info,
							 err);
	if (ret)
		return ret;
	sign(job);
	ret = choose_clusters(job, err);
	if (!ret)
		ret = session_open(&job->session, job->opts->run, &job->info,
				   !job->target.virtual_board, err);
	if (!ret && job->opts->raw)
		ret = rawlog_open(&job->rawlog, job->opts->run,
				  !job->target.virtual_board, err);
	if (!ret && !job->opts->resume)
		job->resume.first_row = job->session.rows;
	if (!ret)
		ret = make_plans(job, err);
	return ret;
}

void job_free(struct job *job)
{
	target_close(&job->target);
	for (unsigned int i = 0; i < job->cluster_count; i++)
		plan_free(&job->plans[i]);
	words_free(&job->load_cmd);
	resume_free(&job->resume);
}
