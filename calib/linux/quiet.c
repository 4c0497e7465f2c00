// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is not measured keeps still.
 */
#include "calib/linux/quiet.h"

#include <errno.h>

#include "calib/linux/hotplug.h"
#include "calib/linux/irq.h"
#include "lib/cpulist.h"
#include "lib/text.h"

#define IRQS_TOLD 64

static bool is_offline(const struct linux_machine *lm, const struct topology_cluster *c)
{
	unsigned int offline[BOARD_MAX_CPUS];

	return hotplug_offline(&lm->sys, c->cpus, c->cpu_count, offline) == c->cpu_count;
}

static bool can_park(struct linux_machine *lm, const struct cpufreq_policy *p,
		     struct err *err)
{
	return p->khz_count && !cpufreq_can_pin(p, err) &&
	       !cpufreq_may_pin(&lm->sys, p, err) &&
	       !cpufreq_save(&lm->settings.state, p, err);
}

/* Of a cluster that has all CPUs: the one that linux_load_start() loads last. */
static unsigned int last_loaded(const struct topology_cluster *c)
{
	for (unsigned int i = 0; i < c->cpu_count; i++)
		if (!c->cpus[i])
			return 0;
	return c->cpus[c->cpu_count - 1];
}

int quiet_housekeeper(const struct linux_machine *lm, unsigned int cluster, bool *shared)
{
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	cpu_set_t allowed, others;

	*shared = false;
	if (lm->affinity_moved)
		allowed = lm->affinity;
	else if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -ENOENT;
	others = allowed;
	for (unsigned int i = 0; i < c->cpu_count; i++)
		CPU_CLR(c->cpus[i], &others);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &others))
			return cpu;
	*shared = true;
	return CPU_ISSET(last_loaded(c), &allowed) ? (int)last_loaded(c) : -ENOENT;
}

/*
 * The CPUs that interrupts shall leave, into @cpus: the cluster's. Where it has all of
 * the machine, the one that is loaded last keeps them. How many.
 */
static unsigned int quiet_cpus(const struct linux_machine *lm,
			       const struct topology_cluster *c,
			       unsigned int cpus[BOARD_MAX_CPUS])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < c->cpu_count; i++)
		cpus[n++] = c->cpus[i];
	if (!irq_nowhere_else(&lm->sys, cpus, n))
		return n;
	for (unsigned int i = n = 0; i < c->cpu_count; i++)
		if (c->cpus[i] != last_loaded(c))
			cpus[n++] = c->cpus[i];
	return n;
}

static void tell_shared(const struct linux_machine *lm, unsigned int cluster)
{
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	bool shared;
	int cpu = quiet_housekeeper(lm, cluster, &shared);

	if (irq_nowhere_else(&lm->sys, c->cpus, c->cpu_count))
		linux_note(
			lm,
			"there is no CPU outside of cluster '%s': interrupts and calib "
			"itself keep to CPU %u, which is loaded last",
			c->name, last_loaded(c));
	else if (shared && cpu >= 0)
		linux_note(lm,
			   "there is no CPU outside of cluster '%s' for calib itself: it "
			   "runs on CPU %d, which is loaded last",
			   c->name, cpu);
}

void quiet_save(struct linux_machine *lm, unsigned int cluster)
{
	const struct topology_cluster *measured = &lm->topo->clusters[cluster];
	unsigned int cpus[BOARD_MAX_CPUS], ncpus;

	lm->parked = 0;
	for (unsigned int i = 0; i < lm->topo->cluster_count; i++) {
		const struct topology_cluster *c = &lm->topo->clusters[i];
		struct err why = { "it has no clock to choose" };
		bool can = i != cluster && c->policy_count;

		/* It is as quiet as can be. */
		if (i != cluster && is_offline(lm, c))
			continue;
		for (unsigned int k = 0; k < c->policy_count && can; k++)
			can = can_park(lm, &c->policies[k], &why);
		if (can)
			lm->parked |= 1u << i;
		else if (i != cluster)
			linux_note(lm, "cluster '%s' stays as it is meanwhile: %s",
				   c->name, why.msg);
	}
	ncpus = quiet_cpus(lm, measured, cpus);
	irq_save(&lm->settings.state, cpus, ncpus);
	tell_shared(lm, cluster);
}

static int park_policy(const struct linux_machine *lm, const struct cpufreq_policy *p,
		       struct err *err)
{
	uint32_t max_khz;
	int ret = cpufreq_take(&lm->sys, p, &max_khz, err);

	return ret ? ret : cpufreq_pin(&lm->sys, p, p->khz[0], NULL, err);
}

/* Told once: restore() and prepare() may follow each other many times. */
static void move_irqs(struct linux_machine *lm, const struct topology_cluster *c)
{
	struct linux_cluster *lc = &lm->clusters[c - lm->topo->clusters];
	unsigned int cpus[BOARD_MAX_CPUS], ncpus = quiet_cpus(lm, c, cpus);
	unsigned int irqs[IRQS_TOLD], n, told;
	bool again = lc->irqs_stayed[0];

	n = irq_move(&lm->settings.state, cpus, ncpus, irqs, IRQS_TOLD);
	if (!n)
		return;
	told = n < IRQS_TOLD ? n : IRQS_TOLD;
	cpulist_format(irqs, told, lc->irqs_stayed, sizeof(lc->irqs_stayed));
	if (!again)
		linux_note(lm,
			   "cluster '%s': the kernel keeps %u interrupt%s on its CPUs "
			   "(%s%s)",
			   c->name, n, text_s(n), lc->irqs_stayed,
			   n > told ? " ..." : "");
}

void quiet_park(struct linux_machine *lm, unsigned int cluster)
{
	const struct topology_cluster *measured = &lm->topo->clusters[cluster];

	for (unsigned int i = 0; i < lm->topo->cluster_count; i++) {
		const struct topology_cluster *c = &lm->topo->clusters[i];
		struct err why;

		if (i == cluster || !(lm->parked & 1u << i))
			continue;
		for (unsigned int k = 0; k < c->policy_count; k++)
			if (park_policy(lm, &c->policies[k], &why))
				linux_note(lm,
					   "cluster '%s' does not stand at its lowest "
					   "clock meanwhile: %s",
					   c->name, why.msg);
	}
	move_irqs(lm, measured);
}

void quiet_move(struct linux_machine *lm, unsigned int cluster)
{
	cpu_set_t set, before;
	bool shared;
	int cpu = quiet_housekeeper(lm, cluster, &shared);

	if (cpu < 0 || sched_getaffinity(0, sizeof(before), &before))
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || lm->affinity_moved)
		return;
	lm->affinity = before;
	lm->affinity_moved = true;
}

void quiet_move_back(struct linux_machine *lm)
{
	if (lm->affinity_moved)
		sched_setaffinity(0, sizeof(lm->affinity), &lm->affinity);
	lm->affinity_moved = false;
}
