// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The clock of an external meter, found by loading all CPUs that we may use.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>

#include "boards/board.h"
#include "calib/bench/rails_internal.h"
#include "calib/linux/meters_stream.h"
#include "calib/linux/stream_clock.h"
#include "calib/loads/loads.h"
#include "calib/measure/plan.h"
#include "calib/measure/stop.h"

static int switch_load(void *arg, bool on, struct err *err)
{
	const struct load_kernel *kernel = load_find(PLAN_LOAD, err);
	unsigned int cpus[BOARD_MAX_CPUS], n = 0;
	struct loads **loads = arg;
	cpu_set_t set;

	if (!on) {
		loads_stop(*loads);
		*loads = NULL;
		return 0;
	}
	if (sched_getaffinity(0, sizeof(set), &set))
		return err_errno(err, -errno, "cannot tell which CPUs we may use");
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE && n < BOARD_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[n++] = cpu;
	return kernel ? loads_start(kernel, NULL, cpus, n, loads, err) : -EINVAL;
}

static int sleep_until(void *arg, uint64_t ns, struct err *err)
{
	(void)arg;
	return stop_sleep_until(ns) ? err_set(err, -EINTR, "interrupted") : 0;
}

int rails_find_clock(struct rails *r, struct err *err)
{
	struct loads *loads = NULL;
	const struct stream_player player = { switch_load, sleep_until, &loads };
	double step_uw;
	int ret;

	for (unsigned int i = 0; i < r->count; i++) {
		struct power_meter *pm = &r->rails[i].pm;

		if (!stream_needs_marker(pm))
			continue;
		ret = stream_clock_find(pm, &player, &step_uw, err);
		if (ret)
			return ret;
		rails_note(r,
			   "the marker load shows by %.1f mW in '%s'; readings come up "
			   "to %.0f ms after they were taken, one every %.1f ms",
			   step_uw / 1e3, r->rails[i].info.name, stream_lag_ns(pm) / 1e6,
			   stream_interval_ns(pm) / 1e6);
	}
	return 0;
}
