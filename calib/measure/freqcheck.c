// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads a cluster at every operating point and looks at the clock it gets.
 */
#include "calib/measure/freqcheck.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "calib/measure/delivered.h"

#define SETTLE_NS 30000000ull /* threads start, clock and regulator settle */

struct check {
	struct machine *m;
	const struct freqcheck_options *o;
	struct freqcheck *fc;
};

static void wrong(struct freqcheck_point *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void wrong(struct freqcheck_point *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->why, sizeof(p->why), fmt, ap);
	va_end(ap);
	p->ok = false;
}

static int sleep_for(const struct check *c, uint64_t ns, struct err *err)
{
	const struct machine_ops *ops = c->m->ops;

	return ops->sleep_until(c->m, ops->now_ns(c->m) + ns, err);
}

/* The loaded cluster at one operating point. */
static int look(const struct check *c, struct freqcheck_point *p, struct err *err)
{
	const struct machine_ops *ops = c->m->ops;
	unsigned int cluster = c->fc->cluster, ncpus = c->fc->cpu_count;
	struct usage begin, end;
	int ret;

	ret = sleep_for(c, SETTLE_NS, err);
	if (!ret)
		ret = ops->read_usage(c->m, cluster, &begin, err);
	if (!ret)
		ret = sleep_for(c, c->o->time_ns, err);
	if (!ret)
		ret = ops->read_usage(c->m, cluster, &end, err);
	if (ret)
		return ret;
	if (!delivered_by_cycles(&begin, &end, ncpus, p->asked_khz, &p->khz))
		p->by = FREQCHECK_CYCLES;
	p->rate = delivered_rate(&begin, &end, ncpus);
	if (ops->read_khz(c->m, cluster, &p->claimed_khz, NULL))
		p->claimed_khz = 0;
	if (ops->throttled(c->m, cluster, &p->throttled, NULL))
		p->throttled = false;
	p->throttled |= end.throttles > begin.throttles;
	return 0;
}

static int check_point(const struct check *c, struct freqcheck_point *p, struct err *err)
{
	const struct machine_ops *ops = c->m->ops;
	struct err why;
	int ret, ret_stop;

	ret = ops->set_opp(c->m, c->fc->cluster, p->asked_khz, &why);
	if (ret == -EINTR)
		return err_set(err, ret, "interrupted");
	if (ret) {
		wrong(p, "%s", why.msg);
		return 0;
	}
	p->asked_khz = machine_made_khz(c->m, c->fc->cluster, p->asked_khz);
	ret = ops->load_start(c->m, c->fc->cluster, c->fc->cpu_count, PLAN_LOAD, err);
	if (!ret)
		ret = look(c, p, err);
	ret_stop = ops->load_stop(c->m, ret ? NULL : err);
	return ret ? ret : ret_stop;
}

/* Clocks from the load's rate, where no counter tells them. */
static void use_rates(struct freqcheck *fc)
{
	struct delivered_point rates[BOARD_MAX_OPPS];
	double reference;
	unsigned int i;

	for (i = 0; i < fc->point_count; i++) {
		rates[i].asked_khz = fc->points[i].asked_khz;
		rates[i].rate = fc->points[i].rate;
	}
	reference = delivered_reference(rates, fc->point_count);
	for (i = 0; reference > 0 && i < fc->point_count; i++) {
		struct freqcheck_point *p = &fc->points[i];

		if (p->by == FREQCHECK_CYCLES || p->rate <= 0)
			continue;
		p->khz = llround(p->rate / reference);
		p->by = FREQCHECK_RATE;
	}
}

static void judge(struct freqcheck_point *p, bool alone)
{
	const char *hot = p->throttled ? ", throttled (thermal or power limit)" : "";

	if (p->why[0])
		return;
	p->ok = true;
	p->untold = p->by == FREQCHECK_NONE;
	if (p->untold && alone)
		wrong(p, "no cycle counter, and the load's rate tells a clock only by "
			 "comparison: look at other operating points too");
	else if (p->untold)
		wrong(p, "no cycle counter, and the load's rates at the operating points "
			 "looked at do not agree: a clock is wrong, or other work ran");
	else if (delivered_differs(p->khz, p->asked_khz) && p->claimed_khz &&
		 !delivered_differs(p->claimed_khz, p->asked_khz))
		wrong(p, "%.1f %% of what was asked for, though cpufreq claims %u kHz%s",
		      100.0 * p->khz / p->asked_khz, p->claimed_khz, hot);
	else if (delivered_differs(p->khz, p->asked_khz))
		wrong(p, "%.1f %% of what was asked for%s", 100.0 * p->khz / p->asked_khz,
		      hot);
}

static void judge_all(struct freqcheck *fc)
{
	unsigned int rates = 0;

	use_rates(fc);
	if (fc->point_count && fc->points[fc->point_count - 1].asked_khz > fc->max_khz)
		fc->max_khz = fc->points[fc->point_count - 1].asked_khz;
	for (unsigned int i = 0; i < fc->point_count; i++)
		rates += fc->points[i].rate > 0;
	for (unsigned int i = 0; i < fc->point_count; i++) {
		struct freqcheck_point *p = &fc->points[i];

		judge(p, rates < 2);
		p->scale = delivered_scale(p->khz, fc->max_khz);
		fc->wrong += !p->ok;
		fc->untold += p->untold;
	}
}

/* A point's place in ascending order; once what a driver makes of two. */
static void add_point(struct freqcheck *fc, const struct freqcheck_point *p)
{
	unsigned int at;

	for (at = 0; at < fc->point_count; at++)
		if (fc->points[at].asked_khz == p->asked_khz)
			return;
	fc->point_count++;
	for (; at && fc->points[at - 1].asked_khz > p->asked_khz; at--)
		fc->points[at] = fc->points[at - 1];
	fc->points[at] = *p;
}

/* In the plan's random order, so that heat does not grow with the clock. */
static int check_points(const struct check *c, const struct plan *plan, struct err *err)
{
	int ret;

	for (size_t i = 0; i < plan->count; i++) {
		struct freqcheck_point p = { .asked_khz = plan->windows[i].khz };

		if (c->o->progress)
			c->o->progress(c->o->arg, i, plan->count);
		ret = check_point(c, &p, err);
		if (ret)
			return ret;
		add_point(c->fc, &p);
	}
	judge_all(c->fc);
	return 0;
}

static int run_plan(const struct check *c, const struct plan *plan, struct err *err)
{
	const struct machine_ops *ops = c->m->ops;
	struct err why;
	int ret, ret_restore;

	ret = ops->prepare(c->m, c->fc->cluster, err);
	if (!ret)
		ret = check_points(c, plan, err);
	ops->load_stop(c->m, NULL);
	ret_restore = ops->restore(c->m, &why);
	if (ret_restore)
		return err_set(err, ret_restore, "could not put everything back: %s%s%s",
			       why.msg, ret && err ? "; before that: " : "",
			       ret && err ? err->msg : "");
	return ret;
}

int freqcheck_run(struct machine *m, const struct runinfo *info, unsigned int cluster,
		  const struct freqcheck_options *o, struct freqcheck *fc,
		  struct err *err)
{
	const struct runinfo_cluster *cl = &info->clusters[cluster];
	const struct check c = { m, o, fc };
	struct plan_options po = { .opps = o->opps, .rounds = 1, .seed = 1 };
	struct plan plan;
	char count[16];
	int ret;

	memset(fc, 0, sizeof(*fc));
	fc->cluster = cluster;
	fc->cpu_count = cl->cpu_count;
	if (cl->opp_count)
		fc->max_khz = cl->opps[cl->opp_count - 1].khz;
	snprintf(count, sizeof(count), "%u", cl->cpu_count);
	po.cpus = count;
	ret = plan_make(&po, info, cluster, &plan, err);
	if (ret)
		return ret;
	ret = run_plan(&c, &plan, err);
	plan_free(&plan);
	return ret;
}
