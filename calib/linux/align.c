// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The marker load for an external meter: all CPUs of the cluster at its highest clock, on
 * and off, while the meter's readings are recorded.
 */
#include <errno.h>

#include "calib/linux/internal.h"
#include "calib/linux/meters_stream.h"
#include "calib/measure/plan.h"
#include "calib/measure/stop.h"

#define POLL_NS	   5000000ull
#define MAX_RECORD 500000

/* Let readings come until @end_ns. What is wrong with one shows when all are in. */
static int watch(struct linux_machine *lm, struct power_meter *pm, uint64_t end_ns,
		 struct err *err)
{
	struct reading r;
	uint64_t now;
	int ret;

	while ((now = stop_now_ns()) < end_ns) {
		if (now + POLL_NS < end_ns)
			now += POLL_NS;
		else
			now = end_ns;
		ret = linux_sleep_until(&lm->machine, now, err);
		if (ret)
			return ret;
		power_meter_read(pm, stop_now_ns(), &r, NULL);
	}
	return 0;
}

/* Chip @i is on or off from here; what runs already goes on. */
static int switch_load(struct linux_machine *lm, unsigned int cluster, unsigned int i,
		       struct err *err)
{
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	bool before = i && marker_on(i - 1);

	if (marker_on(i) && !before)
		return linux_load_start(&lm->machine, cluster, c->cpu_count, PLAN_LOAD,
					err);
	if (!marker_on(i) && before)
		return linux_load_stop(&lm->machine, err);
	return 0;
}

static int play(struct linux_machine *lm, unsigned int cluster, struct marker *m,
		struct err *err)
{
	struct power_meter *pm = &lm->clusters[cluster].sensor;
	uint64_t chip_ns = marker_chip_ns(stream_interval_ns(pm));
	int ret = watch(lm, pm, stop_now_ns() + chip_ns, err);

	for (unsigned int i = 0; i <= MARKER_CHIPS && !ret; i++) {
		ret = switch_load(lm, cluster, i, err);
		m->edge_ns[i] = stop_now_ns();
		if (!ret && i < MARKER_CHIPS)
			ret = watch(lm, pm, m->edge_ns[i] + chip_ns, err);
	}
	linux_load_stop(&lm->machine, NULL);
	/* The last ones are still on their way. */
	return ret ? ret
		   : watch(lm, pm, stop_now_ns() + chip_ns + STREAM_MAX_LAG_NS, err);
}

static size_t record_size(const struct power_meter *pm)
{
	uint64_t interval = stream_interval_ns(pm);
	uint64_t ns = (MARKER_CHIPS + 3) * marker_chip_ns(interval) + STREAM_MAX_LAG_NS;
	uint64_t n = 2 * ns / (interval ? interval : 1) + 1000;

	return n < MAX_RECORD ? n : MAX_RECORD;
}

int linux_align(struct linux_machine *lm, unsigned int cluster, struct err *err)
{
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	struct power_meter *pm = &lm->clusters[cluster].sensor;
	struct marker m = { { 0 } };
	double step_uw;
	int ret;

	if (!stream_needs_marker(pm))
		return 0;
	/* The higher the clock, the better it shows; any will do. */
	for (unsigned int i = 0; i < c->policy_count; i++)
		cpufreq_pin(&lm->sys, &c->policies[i],
			    c->policies[i].khz[c->policies[i].khz_count - 1], NULL, NULL);
	ret = stream_record(pm, record_size(pm), err);
	if (!ret)
		ret = play(lm, cluster, &m, err);
	if (!ret)
		ret = stream_align(pm, &m, &step_uw, err);
	if (ret)
		return ret;
	linux_note(lm,
		   "cluster '%s': the marker load shows by %.1f mW; readings come up to "
		   "%.0f ms after they were taken, one every %.1f ms",
		   c->name, step_uw / 1e3, stream_lag_ns(pm) / 1e6,
		   stream_interval_ns(pm) / 1e6);
	return 0;
}
