// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clocks to ask for where the kernel has no table: the user's, or the device tree's.
 */
#include "calib/linux/points.h"

#include <stdio.h>
#include <string.h>

#include "calib/linux/volts.h"
#include "lib/num.h"

struct points {
	uint32_t khz[BOARD_MAX_OPPS]; /* ascending, each once */
	unsigned int count;
};

static void add(struct points *pts, const struct cpufreq_policy *p, uint64_t khz)
{
	unsigned int at = pts->count, i;

	if (khz < p->min_khz || khz > p->max_khz || pts->count == BOARD_MAX_OPPS)
		return;
	while (at && pts->khz[at - 1] >= khz)
		at--;
	if (at < pts->count && pts->khz[at] == khz)
		return;
	for (i = pts->count++; i > at; i--)
		pts->khz[i] = pts->khz[i - 1];
	pts->khz[at] = khz;
}

/* What is no clock is for the plan to tell. A plain small number is in MHz, as there. */
static void add_wanted(struct points *pts, const struct cpufreq_policy *p,
		       const char *wanted)
{
	char list[1024], *save, *item;
	uint32_t khz;

	snprintf(list, sizeof(list), "%s", wanted);
	for (item = strtok_r(list, ", ", &save); item;
	     item = strtok_r(NULL, ", ", &save)) {
		if (!num_u32(item, &khz))
			add(pts, p, khz < 10000 ? khz * UINT64_C(1000) : khz);
		else if (!num_khz(item, &khz))
			add(pts, p, khz);
	}
}

static void add_tree(struct points *pts, const struct topology_cluster *c,
		     const struct dtcpus *tree)
{
	const struct dt_domain *d = tree ? volts_domain(c, tree) : NULL;
	unsigned int i;

	for (i = 0; d && i < d->opp_count; i++)
		if (!d->opps[i].turbo)
			add(pts, &c->policies[0], d->opps[i].hz / 1000);
}

void points_choose(struct topology_cluster *c, const struct dtcpus *tree,
		   const char *wanted)
{
	struct points pts = { .count = 0 };
	const char *from = "user";
	unsigned int i;

	if (c->policies[0].has_list)
		return;
	if (wanted)
		add_wanted(&pts, &c->policies[0], wanted);
	if (!pts.count) {
		add_tree(&pts, c, tree);
		from = "dt";
	}
	for (i = 0; pts.count && i < c->policy_count; i++) {
		memcpy(c->policies[i].khz, pts.khz, sizeof(pts.khz));
		c->policies[i].khz_count = pts.count;
		c->policies[i].points_from = from;
	}
}
