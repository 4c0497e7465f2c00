// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a kernel would tell on a virtual board: one that has all that EAS asks of it, and
 * is played on the board's true coefficients.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/bench/knobs_virtual.h"
#include "calib/probe.h"
#include "calib/sim/kernel.h"
#include "models/kernel_em.h"

static int play_model(const struct board *board, struct facts *f, struct err *err)
{
	struct em_shown *shown = calloc(EM_SHOWN_MAX_DOMAINS, sizeof(*shown));
	int ret = -ENOMEM;

	if (!shown)
		return err_set(err, ret, "out of memory");
	ret = sim_kernel_parse(SIM_KERNEL, &f->em_release, err);
	if (!ret)
		ret = sim_kernel_model(board, f->em_release, shown, &f->domain_count,
				       err);
	for (unsigned int i = 0; !ret && i < f->domain_count; i++)
		facts_sum_up(&shown[i], f->em_release, &f->domains[i]);
	f->em_shown = f->domain_count ? FACTS_YES : FACTS_NO;
	free(shown);
	return ret;
}

static void play_capacities(const struct board *board, struct facts *f)
{
	uint32_t dmips[BOARD_MAX_CLUSTERS], capacity[BOARD_MAX_CLUSTERS];
	uint64_t khz[BOARD_MAX_CLUSTERS];
	bool known = true;

	for (unsigned int i = 0; i < board->cluster_count; i++) {
		const struct board_cluster *cl = &board->clusters[i];

		dmips[i] = cl->capacity_dmips_mhz;
		khz[i] = cl->opps[cl->opp_count - 1].khz;
		known = known && dmips[i];
	}
	if (known)
		em_capacity(dmips, khz, capacity, board->cluster_count);
	for (unsigned int i = 0; i < board->cluster_count; i++)
		f->clusters[i].capacity = known ? capacity[i] : 1024;
}

static void play_cpufreq(const struct board *board, struct facts *f)
{
	struct knobs_virtual k;

	knobs_virtual_open(&k, board);
	for (unsigned int i = 0; i < board->cluster_count; i++) {
		struct facts_cluster *c = &f->clusters[i];

		strcpy(c->governor, k.set[i].governor);
		strcpy(c->governors, GOVERNOR_NAMES);
		if (!board->hybrid)
			continue;
		/* In active mode, which has no others. */
		strcpy(c->driver, "intel_pstate");
		strcpy(c->governors, "performance powersave");
	}
}

int probe_play_kernel(const struct board *board, struct facts *f, struct err *err)
{
	snprintf(f->kernel, sizeof(f->kernel), "kernel %s played, coefficients true",
		 SIM_KERNEL);
	f->energy_aware = f->invariant = FACTS_YES;
	f->smt = FACTS_NO;
	strcpy(f->config_source, "played");
	for (unsigned int i = 0; i < FACTS_CONFIGS; i++)
		f->configs[i] = (struct facts_config){ facts_config_name(i), FACTS_YES,
						       'y' };
	play_capacities(board, f);
	play_cpufreq(board, f);
	return play_model(board, f, err);
}
