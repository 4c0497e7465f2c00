// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operating point voltages: the user, debugfs, device tree, board description.
 */
#include "calib/linux/volts.h"

#include <stdio.h>

struct volts {
	const struct sysfs *sys;
	const struct topology_cluster *cluster;
	const struct voltages *user;
	const struct dtcpus *tree;
	const struct board_cluster *board;
};

typedef uint32_t volt_source(const struct volts *v, uint32_t khz);

/* For any CPU of the cluster: they share it. */
static uint32_t user_uv(const struct volts *v, uint32_t khz)
{
	uint32_t uv = 0;
	unsigned int i;

	for (i = 0; v->user && i < v->cluster->cpu_count && !uv; i++)
		uv = voltages_find(v->user, v->cluster->cpus[i], khz);
	return uv;
}

/* Devices of one table share one folder, named after the CPU that came first. */
static uint32_t debugfs_uv(const struct volts *v, uint32_t khz)
{
	const struct cpufreq_policy *p = &v->cluster->policies[0];
	char path[SYSFS_PATH];
	unsigned int i;
	uint32_t uv;

	for (i = 0; i < p->related_count; i++) {
		snprintf(path, sizeof(path),
			 "/sys/kernel/debug/opp/cpu%u/opp:%llu/supply-0/u_volt_target",
			 p->related[i], khz * 1000ull);
		if (!sysfs_read_u32(v->sys, path, &uv, NULL))
			return uv;
	}
	return 0;
}

const struct dt_domain *volts_domain(const struct topology_cluster *c,
				     const struct dtcpus *tree)
{
	const struct dt_cpu *cpu;
	unsigned int i;

	for (i = 0; i < tree->cpu_count; i++) {
		cpu = &tree->cpus[i];
		if (cpu->domain < 0)
			continue;
		if (c->reg_count ? cpu->reg == c->reg[0] : i == c->cpus[0])
			return &tree->domains[cpu->domain];
	}
	return NULL;
}

static uint32_t dt_uv(const struct volts *v, uint32_t khz)
{
	const struct dt_domain *d = v->tree ? volts_domain(v->cluster, v->tree) : NULL;
	unsigned int i;

	for (i = 0; d && i < d->opp_count; i++)
		if (d->opps[i].hz / 1000 == khz && d->opps[i].has_volt)
			return d->opps[i].volt_uv;
	return 0;
}

static uint32_t board_uv(const struct volts *v, uint32_t khz)
{
	unsigned int i;

	for (i = 0; v->board && i < v->board->opp_count; i++)
		if (v->board->opps[i].khz == khz)
			return v->board->opps[i].volt_uv;
	return 0;
}

/* How many of those that nobody has told yet @uv tells. */
static unsigned int count_told(const struct volts *v, volt_source *uv,
			       const struct board_opp *opps, unsigned int count)
{
	unsigned int told = 0;

	for (unsigned int i = 0; i < count; i++)
		told += !opps[i].volt_uv && uv(v, opps[i].khz);
	return told;
}

static void take(const struct volts *v, volt_source *uv, struct board_opp *opps,
		 unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (!opps[i].volt_uv)
			opps[i].volt_uv = uv(v, opps[i].khz);
}

const char *volts_fill(const struct sysfs *sys, const struct topology_cluster *c,
		       const struct voltages *user, const struct dtcpus *tree,
		       const struct board_cluster *board, struct board_opp *opps,
		       unsigned int count)
{
	static const struct {
		const char *name, *beside_user;
		volt_source *uv;
	} sources[] = { { "debugfs", "user+debugfs", debugfs_uv },
			{ "dt", "user+dt", dt_uv },
			{ "board", "user+board", board_uv } };
	const struct volts v = { sys, c, user, tree, board };
	unsigned int most = 0, told_by_user;
	int from = -1;

	for (unsigned int i = 0; i < count; i++)
		opps[i].volt_uv = 0;
	told_by_user = count_told(&v, user_uv, opps, count);
	take(&v, user_uv, opps, count);
	for (int s = 0; s < 3; s++) {
		unsigned int told = count_told(&v, sources[s].uv, opps, count);

		if (told > most) {
			most = told;
			from = s;
		}
	}
	if (from < 0)
		return told_by_user ? "user" : "";
	take(&v, sources[from].uv, opps, count);
	return told_by_user ? sources[from].beside_user : sources[from].name;
}

static bool is_used(const struct topology *topo, const struct voltage *one)
{
	for (unsigned int i = 0; i < topo->cluster_count; i++) {
		const struct topology_cluster *c = &topo->clusters[i];

		for (unsigned int k = 0; k < c->cpu_count; k++)
			for (unsigned int n = 0; n < c->policies[0].khz_count; n++)
				if (c->cpus[k] == one->cpu &&
				    c->policies[0].khz[n] == one->khz)
					return true;
	}
	return false;
}

unsigned int volts_unused(const struct voltages *user, const struct topology *topo,
			  const struct voltage **first)
{
	unsigned int n = 0;

	*first = NULL;
	for (unsigned int i = 0; i < user->count; i++) {
		if (is_used(topo, &user->list[i]))
			continue;
		if (!n++)
			*first = &user->list[i];
	}
	return n;
}
