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

const char *volts_fill(const struct sysfs *sys, const struct topology_cluster *c,
		       const struct voltages *user, const struct dtcpus *tree,
		       const struct board_cluster *board, struct board_opp *opps,
		       unsigned int count)
{
	static const struct {
		const char *name;
		volt_source *uv;
	} sources[] = { { "user", user_uv },
			{ "debugfs", debugfs_uv },
			{ "dt", dt_uv },
			{ "board", board_uv } };
	const struct volts v = { sys, c, user, tree, board };
	unsigned int i, known, best = 0;
	int s, from = -1;

	for (s = 0; s < 4 && best < count; s++) {
		for (i = 0, known = 0; i < count; i++)
			known += sources[s].uv(&v, opps[i].khz) != 0;
		if (known > best) {
			best = known;
			from = s;
		}
	}
	if (from < 0)
		return "";
	for (i = 0; i < count; i++)
		opps[i].volt_uv = sources[from].uv(&v, opps[i].khz);
	return sources[from].name;
}
