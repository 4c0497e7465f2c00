// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The marker load for a cluster's external meter: all its CPUs at its highest clock.
 */
#include "calib/linux/internal.h"
#include "calib/linux/meters_stream.h"
#include "calib/linux/stream_clock.h"
#include "calib/measure/plan.h"

struct marked {
	struct linux_machine *lm;
	unsigned int cluster;
};

static int switch_load(void *arg, bool on, struct err *err)
{
	const struct marked *m = arg;
	unsigned int cpus = m->lm->topo->clusters[m->cluster].cpu_count;

	if (!on)
		return linux_load_stop(&m->lm->machine, err);
	return linux_load_start(&m->lm->machine, m->cluster, cpus, PLAN_LOAD, err);
}

static int sleep_until(void *arg, uint64_t ns, struct err *err)
{
	const struct marked *m = arg;

	return linux_sleep_until(&m->lm->machine, ns, err);
}

int linux_align(struct linux_machine *lm, unsigned int cluster, struct err *err)
{
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	struct power_meter *pm = &lm->clusters[cluster].sensor;
	struct marked marked = { lm, cluster };
	const struct stream_player player = { switch_load, sleep_until, &marked };
	double step_uw;
	int ret;

	if (!stream_needs_marker(pm))
		return 0;
	/* The higher the clock, the better it shows; any will do. */
	for (unsigned int i = 0; i < c->policy_count; i++)
		cpufreq_pin(&lm->sys, &c->policies[i],
			    c->policies[i].khz[c->policies[i].khz_count - 1], NULL, NULL);
	ret = stream_clock_find(pm, &player, &step_uw, err);
	if (ret)
		return ret;
	linux_note(lm,
		   "cluster '%s': the marker load shows by %.1f mW; readings come up to "
		   "%.0f ms after they were taken, one every %.1f ms",
		   c->name, step_uw / 1e3, stream_lag_ns(pm) / 1e6,
		   stream_interval_ns(pm) / 1e6);
	return 0;
}
