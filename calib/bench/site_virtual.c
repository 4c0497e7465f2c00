// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Iterations on a virtual board, in virtual time.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calib/bench/site_internal.h"
#include "calib/measure/stop.h"
#include "lib/cpulist.h"

#define STREAM_RUNS   0xb000u /* of random numbers: no other part uses it */
#define STREAM_BOOTS  0xb007u
#define IDLE_NS	      1000000000u /* between iterations */
#define STEP_NS	      1000000000u /* between looks at signals */
#define SHORTEST_WORK 0.05	  /* of the mean, whatever the spread */

static int check_clusters(const struct board *b, struct err *err)
{
	for (unsigned int i = 0; i < b->cluster_count; i++)
		if (b->clusters[i].cpu_count > BENCH_POLICY_CPUS)
			return err_set(err, -E2BIG,
				       "cluster '%s' has %u CPUs, and a result holds up "
				       "to %d of one",
				       b->clusters[i].name, b->clusters[i].cpu_count,
				       BENCH_POLICY_CPUS);
	return 0;
}

int site_virtual_open(struct site *s, struct err *err)
{
	const struct virtual_options vo = { .seed = s->opt.seed, .boot = s->opt.boot };
	const uint64_t boot = (uint64_t)s->opt.boot << 32;
	struct rng boots;
	int ret;

	s->board = *s->opt.virtual_board;
	knobs_virtual_open(&s->virt_knobs, &s->board);
	rng_seed(&s->rng, s->opt.seed, STREAM_RUNS + boot);
	rng_seed(&boots, s->opt.seed, STREAM_BOOTS + boot);
	s->boot_factor = boot ? 1 + s->opt.boot_rsd * rng_normal(&boots) : 1;
	settings_init(&s->settings, NULL, s->opt.note, s->opt.note_arg);
	ret = check_clusters(&s->board, err);
	if (!ret)
		ret = virtual_new(&s->board, &vo, &s->virt, err);
	if (!ret)
		ret = rails_open_virtual(s->virt, &s->board, &s->settings, &s->rails,
					 err);
	if (!ret && !rails_count(s->rails) && s->opt.note)
		s->opt.note(s->opt.note_arg,
			    "this board has no power meter: only times are measured");
	return ret;
}

static uint32_t top_khz(const struct board_cluster *cl)
{
	return cl->opps[cl->opp_count - 1].khz;
}

static struct governor governor_of(const struct site *s, unsigned int cluster)
{
	struct governor g;

	knobs_virtual_governor(&s->virt_knobs, cluster, 0, &g);
	return g;
}

/* Of one CPU at @khz; 1 is that of the fastest one at its highest clock. */
static double capacity(const struct site *s, unsigned int cluster, uint32_t khz)
{
	const struct governor g = governor_of(s, cluster);

	return g.cpu.capacity * khz / g.cpu.max_khz;
}

/* How an iteration is spread. */
struct spread {
	double cpus[BOARD_MAX_CLUSTERS]; /* of each cluster that work */
	uint32_t khz[BOARD_MAX_CLUSTERS];
	double busy; /* share of their time that they work */
	double time_s;
};

/* The fastest CPUs first. Clusters are little first. */
static void choose_cpus(const struct board *b, double cpus, struct spread *sp)
{
	for (unsigned int i = b->cluster_count; i-- > 0;) {
		sp->cpus[i] = b->clusters[i].cpu_count;
		if (cpus > 0)
			sp->cpus[i] = fmin(sp->cpus[i], cpus);
		if (cpus > 0)
			cpus = cpus > sp->cpus[i] ? cpus - sp->cpus[i] : -1;
		else if (cpus < 0)
			sp->cpus[i] = 0;
	}
}

static double power_of(const struct site *s, const struct spread *sp)
{
	double sum = 0;

	for (unsigned int i = 0; i < s->board.cluster_count; i++)
		sum += sp->cpus[i] * capacity(s, i, sp->khz[i]);
	return sum;
}

/* The clock that the governor has settled at, where the CPUs are busy for @share of their
 * time at the highest clock. */
static uint32_t settled_khz(const struct site *s, unsigned int cluster, double share)
{
	const struct governor g = governor_of(s, cluster);

	return knobs_virtual_khz(&s->board.clusters[cluster],
				 governor_settled_khz(&g, share));
}

static void spread_work(const struct site *s, double cpu_s, double cpus, double least_s,
			struct spread *sp)
{
	const struct board *b = &s->board;
	double most, share = 1;
	unsigned int i;

	*sp = (struct spread){ 0 };
	choose_cpus(b, cpus, sp);
	for (i = 0; i < b->cluster_count; i++)
		sp->khz[i] = top_khz(&b->clusters[i]);
	most = power_of(s, sp);
	if (least_s > 0)
		share = fmin(cpu_s / (least_s * most), 1);
	for (i = 0; i < b->cluster_count; i++)
		sp->khz[i] = settled_khz(s, i, sp->cpus[i] > 0 ? share : 0);
	most = power_of(s, sp);
	sp->time_s = fmax(least_s, cpu_s / most);
	sp->busy = fmin(cpu_s / (sp->time_s * most), 1);
}

static int pass(struct site *s, uint64_t until_ns, struct err *err)
{
	uint64_t next;

	do {
		if (stop_pending())
			return err_set(err, -EINTR, "interrupted");
		next = virtual_now_ns(s->virt) + STEP_NS;
		rails_pass(s->rails, next < until_ns ? next : until_ns);
	} while (next < until_ns);
	return 0;
}

static int idle(struct site *s, struct err *err)
{
	for (unsigned int i = 0; i < s->board.cluster_count; i++) {
		virtual_set_load(s->virt, i, 0, 1);
		virtual_set_khz(s->virt, i, settled_khz(s, i, 0));
	}
	return pass(s, virtual_now_ns(s->virt) + IDLE_NS, err);
}

int site_virtual_run(struct site *s, const struct workload_run *w,
		     struct bench_iteration *it, struct err *err)
{
	double cpu_s, cpus, least_s, factor;
	struct rails_energy energy;
	struct spread sp;
	int ret = idle(s, err);

	if (ret)
		return ret;
	w->type->cost(w, &cpu_s, &cpus, &least_s);
	factor = s->boot_factor * (1 + s->opt.rsd * rng_normal(&s->rng));
	cpu_s *= fmax(factor, SHORTEST_WORK) * (1 - s->opt.effect);
	spread_work(s, cpu_s, cpus, least_s, &sp);
	for (unsigned int i = 0; i < s->board.cluster_count; i++) {
		virtual_set_khz(s->virt, i, sp.khz[i]);
		virtual_set_load(s->virt, i, sp.cpus[i] * sp.busy, 1);
	}
	it->start_ns = virtual_now_ns(s->virt);
	it->time_ns = llround(sp.time_s * 1e9);
	ret = rails_begin(s->rails, err);
	if (!ret)
		ret = pass(s, it->start_ns + it->time_ns, err);
	for (unsigned int i = 0; i < s->board.cluster_count; i++)
		virtual_set_load(s->virt, i, 0, 1);
	rails_end(s->rails, it->start_ns + it->time_ns, &energy);
	site_take_energy(s, &energy, it);
	return ret;
}

void site_virtual_describe(const struct site *s, struct bench_context *c)
{
	const struct board *b = &s->board;
	char list[BOARD_MAX_CLUSTERS * 64] = "", one[63];
	unsigned int cpus[CPULIST_MAX];
	size_t used = 0;
	int n;

	c->virtual_board = true;
	c->seed = s->opt.seed;
	if (s->opt.boot)
		snprintf(c->boot.id, sizeof(c->boot.id), "virtual-%u", s->opt.boot);
	snprintf(c->kernel, sizeof(c->kernel), "none: virtual board");
	snprintf(c->board, sizeof(c->board), "%s", b->name);
	snprintf(c->compatible, sizeof(c->compatible), "%s", b->compatible);
	snprintf(c->model, sizeof(c->model), "%s (virtual)", b->model);
	for (unsigned int i = 0; i < b->cluster_count; i++) {
		const struct board_cluster *cl = &b->clusters[i];
		struct bench_policy *p = &c->policies[i];

		p->id = cl->cpus[0];
		p->cpu_count = cl->cpu_count;
		memcpy(p->cpus, cl->cpus, sizeof(p->cpus));
		snprintf(p->driver, sizeof(p->driver), "virtual");
		snprintf(p->governor, sizeof(p->governor), "%s",
			 s->virt_knobs.set[i].governor);
		snprintf(p->epp, sizeof(p->epp), "%s", s->virt_knobs.set[i].epp);
		p->min_khz = cl->opps[0].khz;
		p->max_khz = top_khz(cl);
		cpulist_format(cl->cpus, cl->cpu_count, one, sizeof(one));
		used += snprintf(list + used, sizeof(list) - used, "%s%s", i ? "," : "",
				 one);
	}
	c->policy_count = b->cluster_count;
	/* Little first is not always in order. */
	n = cpulist_parse(list, cpus, CPULIST_MAX);
	cpulist_format(cpus, n > 0 ? n : 0, c->cpus, sizeof(c->cpus));
}
