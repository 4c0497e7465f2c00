// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A board's clusters as the CPUs of a tree, for whatever judges trees.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "boards/board.h"

void board_cluster_opps(const struct board_cluster *cl, struct dt_domain *dom)
{
	unsigned int i;

	for (i = 0; i < cl->opp_count; i++) {
		struct dt_opp *opp = &dom->opps[i];

		memset(opp, 0, sizeof(*opp));
		opp->hz = (uint64_t)cl->opps[i].khz * 1000;
		opp->has_volt = cl->opps[i].volt_uv != 0;
		opp->volt_uv = cl->opps[i].volt_uv;
	}
	dom->opp_count = cl->opp_count;
	snprintf(dom->opp_path, sizeof(dom->opp_path), "%s", "the board description");
}

static void fill_cpu(struct dt_cpu *cpu, const struct board_cluster *cl, unsigned int i)
{
	snprintf(cpu->path, sizeof(cpu->path), "%s", cl->paths[i]);
	cpu->has_reg = true;
	cpu->reg = cl->reg[i];
	cpu->compatibles[0] = cl->compatible;
	cpu->compatible_count = 1;
	cpu->enabled = true;
	cpu->has_capacity = cl->capacity_dmips_mhz != 0;
	cpu->capacity_dmips_mhz = cl->capacity_dmips_mhz;
}

static int add_cluster(struct dtcpus *d, const struct board_cluster *cl, struct err *err)
{
	struct dt_domain *dom = &d->domains[d->domain_count];
	unsigned int i;

	for (i = 0; i < cl->cpu_count; i++) {
		unsigned int n = cl->cpus[i];

		if (n >= DTCPUS_MAX_CPUS)
			return err_set(err, -ERANGE,
				       "cluster '%s': CPU number %u is above %d",
				       cl->name, n, DTCPUS_MAX_CPUS - 1);
		fill_cpu(&d->cpus[n], cl, i);
		dom->cpus[dom->cpu_count++] = n;
		d->cpus[n].domain = d->domain_count;
		if (n >= d->cpu_count)
			d->cpu_count = n + 1;
	}
	if (!cl->cpu_count)
		return 0;
	d->domain_count++;
	board_cluster_opps(cl, dom);
	return 0;
}

int board_cpus(const struct board *board, struct dtcpus *d, struct err *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < DTCPUS_MAX_CPUS; i++)
		d->cpus[i].domain = -1;
	for (i = 0; !ret && i < board->cluster_count; i++)
		ret = add_cluster(d, &board->clusters[i], err);
	return ret;
}
