// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One CPU after the other, loaded and looked at.
 */
#include "calib/linux/bare.h"

#include <errno.h>
#include <math.h>
#include <sched.h>

#include "calib/linux/cycles.h"
#include "calib/loads/loads.h"
#include "calib/measure/plan.h"
#include "calib/measure/stop.h"

static int look(struct bare_cpu *c, uint64_t time_ns)
{
	uint64_t begin_ns, begin_work, begin_load_ns,
		begin_cycles[BOARD_MAX_CPUS] = { 0 };
	uint64_t ns, load_ns, end_cycles[BOARD_MAX_CPUS];
	const struct load_kernel *kernel = load_find(PLAN_LOAD, NULL);
	struct cycles cycles;
	struct loads *loads;
	int ret;

	ret = kernel ? loads_start(kernel, NULL, &c->cpu, 1, &loads, NULL) : -EINVAL;
	if (ret)
		return ret;
	cycles_open(&cycles, &c->cpu, 1);
	begin_ns = stop_now_ns();
	begin_work = loads_work(loads);
	begin_load_ns = loads_time_ns(loads);
	cycles_read(&cycles, begin_cycles);
	ret = stop_sleep_until(begin_ns + time_ns);
	ns = stop_now_ns() - begin_ns;
	load_ns = loads_time_ns(loads) - begin_load_ns;
	c->rate = load_ns ? (loads_work(loads) - begin_work) * 1e9 / load_ns : 0;
	if (!cycles_read(&cycles, end_cycles))
		c->khz = llround((end_cycles[0] - begin_cycles[0]) * 1e6 / ns);
	cycles_close(&cycles);
	loads_stop(loads);
	return ret;
}

int bare_look(struct bare_cpu *cpus, unsigned int max, uint64_t time_ns)
{
	unsigned int cpu, n = 0;
	cpu_set_t set;
	int ret;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -errno;
	for (cpu = 0; cpu < CPU_SETSIZE && n < max; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		cpus[n] = (struct bare_cpu){ .cpu = cpu };
		ret = look(&cpus[n], time_ns);
		if (ret)
			return ret;
		n++;
	}
	return n;
}
