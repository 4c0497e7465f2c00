// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much work a load does per clock, for machines without cycle counters: a short look
 * at a few operating points before the first row. Where they agree, the load's rate tells
 * the clock of every row; where they do not (a load that waits for memory), nothing does.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "calib/measure/delivered.h"
#include "calib/measure/runner_internal.h"

#define SETTLE_NS 20000000u
#define LOOK_NS	  30000000u
#define POINTS	  5

/* One operating point under load; rate 0 when it is refused. */
static int look(const struct runner *r, unsigned int ncpus, const char *load,
		struct delivered_point *p, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	unsigned int cluster = r->plan->cluster;
	struct usage begin, end;
	int ret, ret_stop;

	p->rate = 0;
	if (ops->set_opp(r->machine, cluster, p->asked_khz, NULL))
		return 0;
	p->asked_khz = machine_made_khz(r->machine, cluster, p->asked_khz);
	ret = ops->load_start(r->machine, cluster, ncpus, load, err);
	if (!ret)
		ret = runner_sleep(r, SETTLE_NS, err);
	if (!ret)
		ret = ops->read_usage(r->machine, cluster, &begin, err);
	if (!ret)
		ret = runner_sleep(r, LOOK_NS, err);
	if (!ret)
		ret = ops->read_usage(r->machine, cluster, &end, err);
	ret_stop = ops->load_stop(r->machine, ret ? NULL : err);
	if (ret || ret_stop)
		return ret ? ret : ret_stop;
	p->rate = delivered_rate(&begin, &end, ncpus);
	return 0;
}

/* From the lowest to the highest of the cluster's operating points, evenly. */
static int learn(const struct runner *r, unsigned int ncpus, const char *load,
		 double *work_per_khz, struct err *err)
{
	const struct runinfo_cluster *cl = runner_cluster(r);
	unsigned int n = cl->opp_count < POINTS ? cl->opp_count : POINTS;
	struct delivered_point points[POINTS];
	int ret = 0;

	*work_per_khz = 0;
	if (n < 2)
		return 0;
	for (unsigned int i = 0; i < n && !ret; i++) {
		points[i].asked_khz = cl->opps[i * (cl->opp_count - 1) / (n - 1)].khz;
		ret = look(r, ncpus, load, &points[i], err);
	}
	if (!ret)
		*work_per_khz = delivered_reference(points, n);
	return ret;
}

static int learn_load(struct runner *r, unsigned int i, struct err *err)
{
	struct runner_yardstick *y = &r->yardsticks[i];
	unsigned int all = runner_cluster(r)->cpu_count;
	int ret = learn(r, 1, r->plan->loads[i], &y->one, err);

	y->all = y->one;
	if (!ret && y->one > 0 && all > 1)
		ret = learn(r, all, r->plan->loads[i], &y->all, err);
	return ret;
}

int yardstick_learn(struct runner *r, struct err *err)
{
	int ret = 0;

	memset(r->yardsticks, 0, sizeof(r->yardsticks));
	if (r->has_cycles)
		return 0;
	for (unsigned int i = 0; i < r->plan->load_count && !ret; i++)
		ret = learn_load(r, i, err);
	return ret;
}

/* CPUs that share a core slow each other down: what lies between one and all is only
 * known when they do not. */
static double work_per_khz(const struct runner *r, const struct plan_window *w)
{
	const struct runner_yardstick *y;

	for (unsigned int i = 0; i < r->plan->load_count; i++) {
		if (strcmp(r->plan->loads[i], w->load) != 0)
			continue;
		y = &r->yardsticks[i];
		if (w->cpu_count == 1)
			return y->one;
		if (w->cpu_count == runner_cluster(r)->cpu_count ||
		    fabs(y->all - y->one) <= DELIVERED_TOLERANCE * y->one)
			return y->all;
	}
	return 0;
}

int yardstick_khz(const struct runner *r, const struct plan_window *w, uint32_t *khz)
{
	double rate = delivered_rate(&r->window.begin, &r->window.end, w->cpu_count);
	double per_khz = work_per_khz(r, w);

	if (!w->cpu_count || rate <= 0 || per_khz <= 0)
		return -ENOENT;
	*khz = llround(rate / per_khz);
	return 0;
}
