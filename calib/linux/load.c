// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads on a cluster's CPUs, and what they used.
 */
#include <errno.h>
#include <string.h>

#include "calib/linux/caches.h"
#include "calib/linux/cpustat.h"
#include "calib/linux/internal.h"
#include "calib/measure/stop.h"
#include "lib/text.h"

#define START_NS UINT64_C(1000000000)
#define TRY_MS	 100 /* a command that fails does so by then, mostly */

/* CPU 0 takes interrupts and kernel housekeeping: it is loaded last. */
static void pick_cpus(const struct topology_cluster *c, unsigned int ncpus,
		      unsigned int *cpus)
{
	unsigned int i, n = 0;

	for (i = 0; i < c->cpu_count && n < ncpus; i++)
		if (c->cpus[i])
			cpus[n++] = c->cpus[i];
	if (n < ncpus)
		cpus[n] = 0;
}

static int start_command(struct linux_machine *lm, struct err *err)
{
	int ret;

	if (!lm->opt.load_argv)
		return err_set(err, -EINVAL,
			       "load '" LOAD_CMD "' needs --load-cmd 'COMMAND ARG...'");
	ret = command_start(lm->opt.load_argv, lm->load_cpus, lm->load_cpu_count,
			    &lm->command, err);
	/* The first time is when the runner tries it, before anything is written. */
	if (!ret && !lm->command_tried)
		ret = command_check(lm->command, TRY_MS, err);
	lm->command_tried = true;
	return ret;
}

static int start_kernel(struct linux_machine *lm, const char *load, struct err *err)
{
	const struct load_kernel *kernel = load_find(load, err);
	struct load_caches caches;

	if (!kernel)
		return -EINVAL;
	caches_read(&lm->sys, lm->load_cpus[0], &caches);
	return loads_start(kernel, &caches, lm->load_cpus, lm->load_cpu_count, &lm->loads,
			   err);
}

int linux_load_start(struct machine *m, unsigned int cluster, unsigned int ncpus,
		     const char *load, struct err *err)
{
	struct linux_machine *lm = to_linux(m);
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	int ret = 0;

	linux_load_stop(m, NULL);
	if (ncpus > c->cpu_count)
		return err_set(err, -EINVAL, "cluster '%s' has %u CPU%s online, not %u",
			       c->name, c->cpu_count, text_s(c->cpu_count), ncpus);
	lm->load_cpu_count = ncpus;
	pick_cpus(c, ncpus, lm->load_cpus);
	if (ncpus && !strcmp(load, LOAD_CMD))
		ret = start_command(lm, err);
	else if (ncpus)
		ret = start_kernel(lm, load, err);
	if (ret) {
		linux_load_stop(m, NULL);
		return err_wrap(err, ret, "cluster '%s'", c->name);
	}
	cycles_open(&lm->cycles, lm->load_cpus, ncpus);
	lm->load_cluster = cluster;
	lm->load_start_ns = stop_now_ns();
	lm->idle_known = !cpustat_idle_ns(&lm->sys, c->cpus, c->cpu_count,
					  &lm->load_idle_ns, NULL);
	return 0;
}

static void read_busy(const struct linux_machine *lm, struct usage *u)
{
	const struct topology_cluster *c = &lm->topo->clusters[lm->load_cluster];
	uint64_t idle_ns, all_ns;

	if (!lm->idle_known ||
	    cpustat_idle_ns(&lm->sys, c->cpus, c->cpu_count, &idle_ns, NULL))
		return;
	/*
	 * The kernel's idle time comes in steps of a clock tick and may run ahead of our
	 * clock or step back. Cutting that at 0 would make an idle cluster look busy, so
	 * the total starts at a second per CPU: only differences are used.
	 */
	all_ns = (u->time_ns - lm->load_start_ns + START_NS) * c->cpu_count;
	u->busy_ns = all_ns + lm->load_idle_ns - idle_ns;
	u->busy_known = true;
	u->busy_step_ns = c->cpu_count * cpustat_tick_ns();
}

static void read_each(const struct linux_machine *lm, struct usage *u)
{
	uint64_t cycles[BOARD_MAX_CPUS];
	bool has_cycles = !cycles_read(&lm->cycles, cycles);
	unsigned int i;
	int at;

	u->counts_cycles = lm->cycles.count > 0;
	/* What a command does and uses is not known. */
	if (lm->loads)
		u->load_ns = loads_time_ns(lm->loads);
	u->loaded = lm->load_cpu_count;
	for (i = 0; i < u->loaded; i++) {
		u->each[i].cpu = lm->load_cpus[i];
		u->each[i].cycles = has_cycles ? cycles[i] : 0;
		if (lm->loads)
			u->each[i].work = loads_thread_work(lm->loads, i, &at);
		u->cycles += u->each[i].cycles;
		u->work += u->each[i].work;
	}
}

int linux_read_usage(struct machine *m, unsigned int cluster, struct usage *u,
		     struct err *err)
{
	struct linux_machine *lm = to_linux(m);
	const struct topology_cluster *c = &lm->topo->clusters[cluster];

	memset(u, 0, sizeof(*u));
	u->time_ns = stop_now_ns();
	if (cluster != lm->load_cluster || !lm->load_start_ns)
		return err_set(err, -EINVAL, "no load was started on cluster '%s'",
			       c->name);
	read_each(lm, u);
	read_busy(lm, u);
	u->throttles = thermal_throttle_count(&lm->sys, c->cpus, c->cpu_count);
	return lm->command ? command_check(lm->command, 0, err) : 0;
}

int linux_load_stop(struct machine *m, struct err *err)
{
	struct linux_machine *lm = to_linux(m);

	(void)err;
	cycles_close(&lm->cycles);
	loads_stop(lm->loads);
	lm->loads = NULL;
	command_stop(lm->command);
	lm->command = NULL;
	lm->load_start_ns = 0;
	return 0;
}
