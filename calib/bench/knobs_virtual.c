// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Governor, EPP and mode of the driver on virtual boards.
 */
#include "calib/bench/knobs_virtual.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static struct governor_cpu cpu_of(const struct board *board, unsigned int cluster)
{
	const struct board_cluster *cl = &board->clusters[cluster];
	double most = 0, rate[BOARD_MAX_CLUSTERS];

	for (unsigned int i = 0; i < board->cluster_count; i++) {
		const struct board_cluster *one = &board->clusters[i];

		rate[i] = (double)one->truth.work_per_mhz *
			  one->opps[one->opp_count - 1].khz;
		most = fmax(most, rate[i]);
	}
	return (struct governor_cpu){
		.min_khz = cl->opps[0].khz,
		.max_khz = cl->opps[cl->opp_count - 1].khz,
		.capacity = rate[cluster] / most,
	};
}

/* What distributions leave, where @c sets nothing. */
static void complete(const struct board *board, struct knobs_combo *c)
{
	bool hwp = board->hybrid && strcmp(c->mode, "passive") != 0;

	if (!c->governor[0])
		strcpy(c->governor, hwp ? "powersave" : "schedutil");
	if (!c->epp[0] && hwp && !strcmp(c->governor, "powersave"))
		strcpy(c->epp, "balance_performance");
}

/* @c: complete */
static int init_governor(const struct board *board, unsigned int cluster,
			 const struct knobs_combo *c, uint64_t now_ns, struct governor *g,
			 struct err *err)
{
	const struct governor_cpu cpu = cpu_of(board, cluster);
	/* In passive mode an EPP is no more than a hint. */
	const char *epp = strcmp(c->mode, "passive") ? c->epp : "";

	return governor_init(g, c->governor, epp, board->hybrid, &cpu, now_ns, err);
}

static int check_mode(const struct board *board, const struct knobs_combo *c,
		      struct err *err)
{
	if (!c->mode[0])
		return 0;
	if (!board->hybrid)
		return err_set(err, -ENOTSUP,
			       "this virtual board's driver has no modes to set; that of "
			       "virtual:intel-hybrid has");
	if (!strcmp(c->mode, "passive"))
		return 0;
	if (strcmp(c->mode, "active") != 0)
		return err_set(err, -EINVAL,
			       "mode '%s' of a driver is not one of active passive",
			       c->mode);
	if (c->governor[0] && strcmp(c->governor, "powersave") != 0 &&
	    strcmp(c->governor, "performance") != 0)
		return err_set(err, -EINVAL,
			       "governor '%s' is not offered in active mode; there are "
			       "performance powersave",
			       c->governor);
	return 0;
}

static int check_policies(const struct board *board, const struct knobs_combo *c,
			  struct err *err)
{
	for (unsigned int i = 0; i < c->policy_count; i++) {
		unsigned int j = 0;

		while (j < board->cluster_count &&
		       board->clusters[j].cpus[0] != c->policies[i])
			j++;
		if (j == board->cluster_count)
			return err_set(err, -ENODEV, "there is no cpufreq policy%u here",
				       c->policies[i]);
	}
	return 0;
}

static bool is_meant(const struct board_cluster *cl, const struct knobs_combo *c)
{
	for (unsigned int i = 0; i < c->policy_count; i++)
		if (c->policies[i] == cl->cpus[0])
			return true;
	return !c->policy_count;
}

int knobs_virtual_check(const struct knobs_virtual *k, const struct knobs_combo *c,
			struct err *err)
{
	struct knobs_combo all = *c;
	struct governor g;
	int ret = check_policies(k->board, c, err);

	if (!ret)
		ret = check_mode(k->board, c, err);
	complete(k->board, &all);
	/* All clusters take the same. */
	return ret ? ret : init_governor(k->board, 0, &all, 0, &g, err);
}

void knobs_virtual_open(struct knobs_virtual *k, const struct board *board)
{
	memset(k, 0, sizeof(*k));
	k->board = board;
	for (unsigned int i = 0; i < board->cluster_count; i++)
		complete(board, &k->set[i]);
}

int knobs_virtual_apply(struct knobs_virtual *k, const struct knobs_combo *c,
			struct err *err)
{
	int ret = knobs_virtual_check(k, c, err);

	if (ret)
		return ret;
	knobs_virtual_open(k, k->board);
	for (unsigned int i = 0; i < k->board->cluster_count; i++) {
		if (!is_meant(&k->board->clusters[i], c))
			continue;
		k->set[i] = *c;
		complete(k->board, &k->set[i]);
	}
	return 0;
}

void knobs_virtual_governor(const struct knobs_virtual *k, unsigned int cluster,
			    uint64_t now_ns, struct governor *g)
{
	/* They were checked. */
	init_governor(k->board, cluster, &k->set[cluster], now_ns, g, NULL);
}

uint32_t knobs_virtual_khz(const struct board_cluster *cl, double khz)
{
	unsigned int i = 0;

	while (i + 1 < cl->opp_count && cl->opps[i].khz < khz - 0.5)
		i++;
	return cl->opps[i].khz;
}
