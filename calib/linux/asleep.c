// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs that are offline when we come: what is said of them, and waking those that have to
 * be online to tell what they offer.
 */
#include <string.h>

#include "calib/linux/internal.h"
#include "lib/cpulist.h"
#include "lib/text.h"

/* CPUs of the cluster that are offline: left out, or brought online later. */
static void note_offline(const struct linux_machine *lm, const struct topology_cluster *c)
{
	unsigned int cpus[BOARD_MAX_CPUS], n = 0;
	const char *s, *are;
	char list[128];

	for (unsigned int i = 0; i < c->policy_count; i++)
		n += cpufreq_not_online(&lm->sys, &c->policies[i], cpus + n);
	if (!n)
		return;
	cpulist_format(cpus, n, list, sizeof(list));
	s = text_s(n);
	are = n == 1 ? "is" : "are";
	if (lm->opt.online)
		linux_note(lm,
			   "cluster '%s': CPU%s %s %s offline, and online only while the "
			   "cluster is measured",
			   c->name, s, list, are);
	else
		linux_note(lm,
			   "cluster '%s': CPU%s %s %s offline, the others are measured; "
			   "'calib measure --online' brings all up for it",
			   c->name, s, list, are);
}

static void note_policies(const struct linux_machine *lm)
{
	const char *todo = lm->opt.online
				   ? ""
				   : "; 'calib measure --online' brings them up for it";
	const struct topology *topo = lm->topo;
	char list[128];

	for (unsigned int i = 0; i < topo->offline_count; i++)
		linux_note(lm, "policy%u: all CPUs are offline, skipped%s",
			   topo->offline[i], todo);
	cpulist_format(topo->asleep, topo->asleep_count, list, sizeof(list));
	if (topo->asleep_count && !topo->offline_count)
		linux_note(lm, "offline CPUs without a cpufreq policy, skipped: %s%s",
			   list, todo);
}

void asleep_note(const struct linux_machine *lm)
{
	note_policies(lm);
	for (unsigned int i = 0; i < lm->topo->cluster_count; i++)
		note_offline(lm, &lm->topo->clusters[i]);
}

/* Clusters are named after their cores, "-policyN" behind where there are two. */
static bool is_wanted(const struct linux_machine *lm, const char *core)
{
	size_t len = strlen(core);

	for (unsigned int i = 0; i < lm->opt.cluster_count; i++) {
		const char *name = lm->opt.clusters[i];

		if (!strncmp(name, core, len) && (!name[len] || name[len] == '-'))
			return true;
	}
	return !lm->opt.cluster_count || !len;
}

int asleep_wake(struct linux_machine *lm, struct err *err)
{
	const struct topology *topo = lm->topo;
	unsigned int cpus[BOARD_MAX_CPUS], n = 0;
	char list[128];
	int ret;

	for (unsigned int i = 0; i < topo->asleep_count; i++)
		if (is_wanted(lm, topo->asleep_core[i]))
			cpus[n++] = topo->asleep[i];
	if (!n)
		return 0;
	cpulist_format(cpus, n, list, sizeof(list));
	if (lm->opt.dry_run) {
		linux_note(
			lm,
			"offline, without a clock that could be planned for: CPU%s %s; "
			"this plan is without",
			text_s(n), list);
		return 0;
	}
	ret = linux_bring_up(lm, cpus, n, err);
	return ret ? ret : 1;
}
