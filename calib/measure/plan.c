// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What will be measured, in which order, and for how long.
 */
#include "calib/measure/plan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards/rng.h"
#include "lib/cpulist.h"
#include "lib/num.h"
#include "lib/text.h"

#define NS_PER_US 1000u
#define NS_PER_MS 1000000u

#define SLOT_MIN_NS   (10 * NS_PER_MS)	/* faster meters are read no more often */
#define WINDOW_MIN_NS (400 * NS_PER_MS) /* of a fast meter: several scheduler ticks */
#define LEAD_NS	      (50 * NS_PER_MS)	/* threads start, regulator and clock settle */
#define READS_MIN     2
#define READS_WANTED  3
#define VISITS_WANTED 12 /* an error needs some to be known */

/* What the options came to, before it is laid out in windows. */
struct choice {
	unsigned int opps[BOARD_MAX_OPPS]; /* indices into the cluster's table */
	unsigned int opp_count;
	unsigned int cpus[BOARD_MAX_CPUS + 1];
	unsigned int cpu_count;
	unsigned int rounds, max_rounds;
	unsigned int third[BOARD_MAX_OPPS]; /* by index: how hot */
	unsigned int last[2];		    /* thirds of the last two visits */
};

void plan_timing(uint32_t interval_us, struct plan_timing *timing)
{
	uint64_t slot = (uint64_t)(interval_us ? interval_us : PLAN_INTERVAL_US) *
			NS_PER_US;
	uint64_t reads;

	if (slot < SLOT_MIN_NS)
		slot = SLOT_MIN_NS;
	reads = (WINDOW_MIN_NS + slot - 1) / slot;
	if (reads < READS_WANTED)
		reads = READS_WANTED;
	*timing = (struct plan_timing){
		.slot_ns = slot,
		.lead_ns = LEAD_NS,
		.reads = reads < PLAN_MAX_READS ? reads : PLAN_MAX_READS,
		.min_reads = READS_MIN,
	};
}

/* One item of a comma-separated list into @item; what is left of it, NULL: nothing. */
static const char *next_item(const char *list, char *item, size_t size)
{
	size_t len;

	list += strspn(list, " ");
	len = strcspn(list, ",");
	snprintf(item, size, "%.*s", (int)len, list);
	for (size_t n = strlen(item); n && item[n - 1] == ' '; n--)
		item[n - 1] = '\0';
	return list[len] ? list + len + 1 : NULL;
}

static int find_khz(const struct runinfo_cluster *cl, uint64_t khz)
{
	for (unsigned int i = 0; i < cl->opp_count; i++)
		if (cl->opps[i].khz == khz)
			return i;
	return -ENOENT;
}

/* "near are 1300 and 1400 MHz": those around @khz. */
static int unknown_opp(const struct runinfo_cluster *cl, const char *item, uint64_t khz,
		       struct err *err)
{
	unsigned int above = 0;

	while (above < cl->opp_count && cl->opps[above].khz < khz)
		above++;
	if (!above || above == cl->opp_count)
		return err_set(
			err, -EINVAL,
			"cluster '%s' has no operating point '%s'; the %s is %g MHz",
			cl->name, item, above ? "highest" : "lowest",
			cl->opps[above ? above - 1 : 0].khz / 1e3);
	return err_set(err, -EINVAL,
		       "cluster '%s' has no operating point '%s'; near are %g and %g MHz",
		       cl->name, item, cl->opps[above - 1].khz / 1e3,
		       cl->opps[above].khz / 1e3);
}

/* A plain number may be kHz or MHz: no CPU runs at 1400 kHz, none at 200000 MHz. */
static int choose_opp(const struct runinfo_cluster *cl, const char *item, struct err *err)
{
	uint32_t plain, khz;
	uint64_t wanted;
	int i;

	if (!num_u32(item, &plain)) {
		i = find_khz(cl, plain);
		wanted = plain < 10000 ? plain * 1000ull : plain;
	} else if (!num_khz(item, &khz)) {
		i = find_khz(cl, khz);
		wanted = khz;
	} else {
		return err_set(err, -EINVAL,
			       "--opps: '%s' is not a frequency such as 1400 or 1.4GHz",
			       item);
	}
	if (i < 0)
		i = find_khz(cl, wanted);
	return i < 0 ? unknown_opp(cl, item, wanted, err) : i;
}

static int choose_opps(const struct runinfo_cluster *cl, const char *list,
		       struct choice *c, struct err *err)
{
	bool taken[BOARD_MAX_OPPS] = { false };
	char item[64];

	do {
		int i;

		list = next_item(list, item, sizeof(item));
		i = choose_opp(cl, item, err);
		if (i < 0)
			return i;
		taken[i] = true;
	} while (list);
	for (unsigned int i = 0; i < cl->opp_count; i++)
		if (taken[i])
			c->opps[c->opp_count++] = i;
	return 0;
}

static void all_opps(const struct runinfo_cluster *cl, struct choice *c)
{
	for (unsigned int i = 0; i < cl->opp_count; i++)
		c->opps[c->opp_count++] = i;
}

/*
 * What a CPU takes is the slope of power over busy CPUs, what they share is the step from
 * idle to the first: the ends of the line and the foot of the step tell most of both per
 * minute, counts in between little.
 */
static void telling_cpus(const struct runinfo_cluster *cl, struct choice *c)
{
	c->cpus[c->cpu_count++] = 0;
	c->cpus[c->cpu_count++] = 1;
	if (cl->cpu_count > 1)
		c->cpus[c->cpu_count++] = cl->cpu_count;
}

static int choose_cpus(const struct runinfo_cluster *cl, const char *list,
		       struct choice *c, struct err *err)
{
	int n = cpulist_parse(list, c->cpus, BOARD_MAX_CPUS + 1);

	if (n <= 0)
		return err_set(err, -EINVAL,
			       "--cpus: '%s' is not a list of CPU counts such as 0-2,4",
			       list);
	if (c->cpus[n - 1] > cl->cpu_count)
		return err_set(err, -EINVAL,
			       "--cpus: cluster '%s' has %u CPU%s, %u cannot be loaded",
			       cl->name, cl->cpu_count, text_s(cl->cpu_count),
			       c->cpus[n - 1]);
	c->cpu_count = n;
	return 0;
}

static int choose_loads(const char *list, struct plan *plan, struct err *err)
{
	char item[sizeof(plan->loads[0])];

	do {
		list = next_item(list, item, sizeof(item));
		if (!item[0] || strchr(item, ' '))
			return err_set(err, -EINVAL, "--loads: '%s' is not a load", item);
		for (unsigned int i = 0; i < plan->load_count; i++)
			if (!strcmp(plan->loads[i], item))
				return err_set(err, -EINVAL,
					       "--loads: '%s' is there twice", item);
		if (plan->load_count == PLAN_MAX_LOADS)
			return err_set(err, -EINVAL, "--loads: more than %d loads",
				       PLAN_MAX_LOADS);
		memcpy(plan->loads[plan->load_count++], item, sizeof(item));
	} while (list);
	/* The first warms the cluster up and shows how the meter updates. */
	if (plan->load_count > 1 && !strcmp(plan->loads[0], PLAN_LOAD_IDLE)) {
		memcpy(plan->loads[0], plan->loads[1], sizeof(plan->loads[0]));
		strcpy(plan->loads[1], PLAN_LOAD_IDLE);
	}
	return 0;
}

static int choose_rounds(const struct plan_options *opts,
			 const struct runinfo_cluster *cl, struct choice *c,
			 struct err *err)
{
	c->rounds = opts->rounds;
	if (opts->rounds == PLAN_ROUNDS_AUTO)
		c->rounds = (VISITS_WANTED + cl->opp_count - 1) / cl->opp_count;
	if (!c->rounds || c->rounds > PLAN_MAX_ROUNDS)
		return err_set(err, -EINVAL, "--repeats: %u is not in 1..%d", c->rounds,
			       PLAN_MAX_ROUNDS);
	c->max_rounds = opts->max_rounds > c->rounds ? opts->max_rounds : c->rounds;
	if (c->max_rounds > PLAN_MAX_ROUNDS)
		c->max_rounds = PLAN_MAX_ROUNDS;
	return 0;
}

static int choose(const struct plan_options *opts, const struct runinfo_cluster *cl,
		  struct choice *c, struct plan *plan, struct err *err)
{
	int ret;

	if (!cl->opp_count)
		return err_set(err, -ENODEV,
			       "cluster '%s' has no table of operating points", cl->name);
	ret = choose_rounds(opts, cl, c, err);
	if (ret)
		return ret;
	if (opts->opps)
		ret = choose_opps(cl, opts->opps, c, err);
	else
		all_opps(cl, c);
	if (ret)
		return ret;
	if (opts->cpus)
		ret = choose_cpus(cl, opts->cpus, c, err);
	else
		telling_cpus(cl, c);
	if (ret)
		return ret;
	return choose_loads(opts->loads ? opts->loads : PLAN_LOAD, plan, err);
}

/* Fisher and Yates. @index: n numbers that say the order. */
static void shuffle(unsigned int *index, unsigned int n, struct rng *rng)
{
	for (unsigned int i = n; i > 1; i--) {
		unsigned int k = rng_uniform(rng) * i, swap = index[i - 1];

		index[i - 1] = index[k];
		index[k] = swap;
	}
}

/* Idle once, every other count with every load, all shuffled. */
static void lay_visit(const struct choice *c, struct plan *plan,
		      const struct board_opp *opp, struct rng *rng)
{
	unsigned int order[(BOARD_MAX_CPUS + 1) * PLAN_MAX_LOADS];
	unsigned int n = 0;

	for (unsigned int i = 0; i < c->cpu_count; i++)
		for (unsigned int k = 0; k < (c->cpus[i] ? plan->load_count : 1); k++)
			order[n++] = i * PLAN_MAX_LOADS + k;
	shuffle(order, n, rng);
	for (unsigned int i = 0; i < n; i++) {
		unsigned int cpus = c->cpus[order[i] / PLAN_MAX_LOADS];

		plan->windows[plan->count++] = (struct plan_window){
			.visit = plan->visit_count,
			.khz = opp->khz,
			.volt_uv = opp->volt_uv,
			.cpu_count = cpus,
			.load = cpus ? plan->loads[order[i] % PLAN_MAX_LOADS]
				     : PLAN_LOAD_IDLE,
		};
	}
	plan->visit_count++;
}

/* Visits of different thirds, in random order, but no third three times running. */
static void lay_block(struct choice *c, struct plan *plan,
		      const struct runinfo_cluster *cl, unsigned int *take,
		      unsigned int n, struct rng *rng)
{
	shuffle(take, n, rng);
	if (n > 1 && c->last[0] == c->last[1] && c->last[1] == c->third[take[0]]) {
		unsigned int swap = take[0];

		take[0] = take[1];
		take[1] = swap;
	}
	for (unsigned int i = 0; i < n; i++) {
		lay_visit(c, plan, &cl->opps[take[i]], rng);
		c->last[0] = c->last[1];
		c->last[1] = c->third[take[i]];
	}
}

/*
 * One round; see plan.h on its order. The table ascends in clock and, with it, in voltage
 * and heat: its thirds are those of the heat.
 */
static void lay_round(struct choice *c, struct plan *plan,
		      const struct runinfo_cluster *cl, struct rng *rng)
{
	unsigned int begin[PLAN_THIRDS + 1], order[BOARD_MAX_OPPS];

	memcpy(order, c->opps, sizeof(order));
	for (unsigned int i = 0; i <= PLAN_THIRDS; i++)
		begin[i] = i * c->opp_count / PLAN_THIRDS;
	for (unsigned int i = 0; i < PLAN_THIRDS; i++) {
		shuffle(order + begin[i], begin[i + 1] - begin[i], rng);
		for (unsigned int k = begin[i]; k < begin[i + 1]; k++)
			c->third[order[k]] = i;
	}
	for (unsigned int block = 0, left = c->opp_count; left; block++) {
		unsigned int take[PLAN_THIRDS], n = 0;

		for (unsigned int i = 0; i < PLAN_THIRDS; i++)
			if (begin[i] + block < begin[i + 1])
				take[n++] = order[begin[i] + block];
		lay_block(c, plan, cl, take, n, rng);
		left -= n;
	}
}

static int lay_out(const struct plan_options *opts, const struct runinfo_cluster *cl,
		   struct choice *c, struct plan *plan, struct err *err)
{
	size_t most = (size_t)c->max_rounds * c->opp_count * c->cpu_count *
		      plan->load_count;
	struct rng rng;

	plan->windows = calloc(most, sizeof(*plan->windows));
	if (!plan->windows)
		return err_set(err, -ENOMEM, "out of memory for a plan of %zu windows",
			       most);
	plan->opp_count = c->opp_count;
	plan->middle_khz = cl->opps[c->opps[c->opp_count / 2]].khz;
	c->last[0] = c->last[1] = PLAN_THIRDS;
	rng_seed(&rng, opts->seed, plan->cluster);
	for (unsigned int round = 0; round < c->max_rounds; round++) {
		lay_round(c, plan, cl, &rng);
		if (round + 1 > c->rounds)
			continue;
		plan->least_visits = plan->visit_count;
		plan->least_count = plan->count;
	}
	return 0;
}

int plan_make(const struct plan_options *opts, const struct runinfo *info,
	      unsigned int cluster, struct plan *plan, struct err *err)
{
	const struct runinfo_cluster *cl = &info->clusters[cluster];
	struct choice c = { .opp_count = 0 };
	int ret;

	*plan = (struct plan){ .cluster = cluster };
	plan_timing(cl->sensor_interval_us, &plan->timing);
	ret = choose(opts, cl, &c, plan, err);
	if (!ret)
		ret = lay_out(opts, cl, &c, plan, err);
	return ret;
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	free(plan->windows);
	plan->windows = NULL;
	plan->count = 0;
}

uint64_t plan_window_ns(const struct plan_timing *timing)
{
	/* The first reading began before the load did and is not used. */
	uint64_t settle = timing->lead_ns > timing->slot_ns ? timing->lead_ns
							    : timing->slot_ns;

	return settle + timing->reads * timing->slot_ns;
}

uint64_t plan_time_ns(const struct plan *plan)
{
	return plan->least_count * plan_window_ns(&plan->timing);
}

uint64_t plan_most_ns(const struct plan *plan)
{
	return plan->count * plan_window_ns(&plan->timing);
}
