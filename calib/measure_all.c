// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib measure, the measuring: the runner's hooks, progress, and what is told at the
 * end.
 */
#include "calib/measure_job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/measure/stop.h"
#include "calib/measure/talk.h"
#include "calib/samples.h"
#include "lib/text.h"

#define NS_PER_S 1000000000u

int job_begin_session(struct job *job, struct err *err)
{
	int ret = session_begin(&job->session, err);

	if (!ret && job->opts->raw)
		ret = rawlog_begin(&job->rawlog, err);
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
	struct machine *m = job->target.machine;
	unsigned int cluster = job->runner->plan->cluster;
	struct runinfo_cluster *c = &job->session.info.clusters[cluster];
	int ret;

	traits_format(&job->runner->traits, c->sensor_note, sizeof(c->sensor_note));
	if (m->ops->describe)
		m->ops->describe(m, cluster, c);
	/* Of fewer rows than there will be. */
	c->precision_asked = c->precision_predicted = 0;
	c->precision_load[0] = '\0';
	ret = session_update(&job->session, err);
	if (!ret)
		ret = job_begin_session(job, err);
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
	const struct runner_window *w = &job->runner->window;
	int ret = 0;

	if (job->opts->raw)
		ret = rawlog_append(&job->rawlog, row->cluster, row->time_ns, w->raw,
				    w->reads, err);
	if (!ret)
		ret = session_append(&job->session, row, err);
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
	uint64_t board = job->target.machine->ops->now_ns(job->target.machine) -
			 job->board_start_ns;
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
	snprintf(what, sizeof(what), "%s%s %g MHz %u CPU%s",
		 job->target.virtual_board ? "VIRTUAL " : "",
		 job->info.clusters[r->plan->cluster].name, w->khz / 1e3, w->cpu_count,
		 text_s(w->cpu_count));
	left = left * plan_window_ns(&r->timing) + job->left_after_ns;
	progress_update(&job->progress, stop_now_ns(), done, all, to_wall_ns(job, left),
			what);
}

/* This cluster's share of the time that is left. */
static uint64_t deadline(const struct job *job, unsigned int i, uint64_t end_ns)
{
	uint64_t now = job->target.machine->ops->now_ns(job->target.machine);
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
		talk_precision(stderr, job->target.virtual_board, p);
	else
		cmd_warn(job->ctx,
			 "cluster '%s': C is known to +-%.2g %% (95 %%), not yet to %.2g "
			 "%%: about %u more visit%s missing%s",
			 name, 100 * p->half, 100 * p->target, precision_missing(p),
			 text_s(precision_missing(p)),
			 out_of_time ? "" : "; measure it again to add some");
}

/* For 'calib fit' to compare with. */
static int keep_precision(struct job *job, const struct plan *plan, struct err *err)
{
	struct runinfo_cluster *c = &job->session.info.clusters[plan->cluster];
	const struct precision *p = &job->precision;

	if (!(p->target > 0))
		return 0;
	c->precision_asked = p->target;
	if (p->known) {
		c->precision_predicted = p->half;
		snprintf(c->precision_load, sizeof(c->precision_load), "%s", p->load);
	}
	return session_update(&job->session, err);
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
		.machine = job->target.machine,
		.info = &job->info,
		.plan = &job->plans[i],
		.hooks = { job, on_begin, on_row, on_warn, on_enough, on_progress },
		.deadline_ns = deadline(job, i, end_ns),
		/* Under --thermal-mode it is where the machine ends the run. */
		.max_temp_mc = job->opts->thermal_mode ? 0 : job->opts->max_temp * 1000,
	};
	job->precision = (struct precision){
		.target = job_precision(job->opts),
		.cluster = job->info.clusters[job->clusters[i]].name,
	};
	job->runner = r;
	progress_start(&job->progress, stop_now_ns());
	ret = runner_run(r, err);
	progress_end(&job->progress);
	job->windows_before += job->plans[i].least_count;
	if (!ret) {
		tell_cluster(job, i, &r->result);
		ret = keep_precision(job, r->plan, err);
	}
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

int job_measure(struct job *job, struct err *err)
{
	struct runner *r = malloc(sizeof(*r));
	uint64_t end_ns;
	int ret = 0, ret_close;

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	job->wall_start_ns = stop_now_ns();
	job->board_start_ns = job->target.machine->ops->now_ns(job->target.machine);
	end_ns = job->board_start_ns + job->opts->time_limit_ns;
	for (unsigned int i = 0; i < job->cluster_count && !ret; i++)
		if (job->plans[i].count)
			ret = measure_cluster(job, i, end_ns, r, err);
	free(r);
	ret_close = rawlog_close(&job->rawlog, ret ? NULL : err);
	if (!ret)
		ret = ret_close;
	ret_close = session_close(&job->session, ret ? NULL : err);
	if (!ret)
		ret = ret_close;
	return ret ? kept(job, ret, err) : 0;
}
