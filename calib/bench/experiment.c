// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop over iterations and workloads.
 */
#include "calib/bench/experiment.h"

#include <errno.h>
#include <stdio.h>

#include "calib/measure/stop.h"
#include "lib/progress.h"

#define FEW_READS 5 /* of a meter in an iteration */

struct state_of_run {
	struct progress progress;
	uint64_t start_ns;
	uint32_t done, all, order;
	bool told_few, told_late;
};

/* Before anything has run: as for a virtual board of one fast CPU. */
static uint64_t guess_ns(const struct experiment *x)
{
	double cpu_s, cpus, least_s, sum = 0;

	for (unsigned int i = 0; i < x->workload_count; i++) {
		const struct workload_run *w = &x->workloads[i];

		if (!w->type->cost)
			continue;
		w->type->cost(w, &cpu_s, &cpus, &least_s);
		sum += least_s > 0 ? least_s : cpu_s;
	}
	return sum * 1e9 * (x->warmup + x->iterations);
}

static void show(struct experiment *x, struct state_of_run *run, unsigned int w,
		 uint32_t round)
{
	uint64_t now = stop_now_ns(), left = guess_ns(x);
	char what[96];

	if (run->done)
		left = (now - run->start_ns) / run->done * (run->all - run->done);
	snprintf(what, sizeof(what), "%s %s %u of %u", x->workloads[w].type->name,
		 round < x->warmup ? "warm-up" : "iteration",
		 (round < x->warmup ? round : round - x->warmup) + 1,
		 round < x->warmup ? x->warmup : x->iterations);
	progress_update(&run->progress, now, run->done, run->all, left, what);
}

/* A meter that hardly moves during an iteration says little of it. */
static void look_at_reads(struct experiment *x, struct state_of_run *run,
			  const struct bench_iteration *it)
{
	const struct rails *rails = site_rails(x->site);

	for (unsigned int i = 0; i < rails_count(rails) && !run->told_few; i++) {
		const struct rail_info *info = rails_info(rails, i);
		struct err text;

		if (info->counted || !info->interval_us || !x->note ||
		    !it->has_energy[i] ||
		    it->time_ns / 1000 / info->interval_us >= FEW_READS)
			continue;
		err_set(&text, 0,
			"an iteration takes %.2g s, and '%s' has a new reading each %.2g "
			"s: its energies are coarse; let each iteration do more (loops=)",
			it->time_ns * 1e-9, info->name, info->interval_us * 1e-6);
		x->note(x->note_arg, text.msg);
		run->told_few = true;
	}
}

/* Tasks that are late all the time wait for CPUs, and never sleep as they are meant to.
 */
static void look_at_late(struct experiment *x, struct state_of_run *run,
			 const struct workload_run *w, const struct bench_iteration *it)
{
	uint64_t wakeups = w->type->units ? w->type->units(w) : 0;
	struct err text;

	if (!it->has_late || run->told_late || !x->note ||
	    it->late_wakeups * 2 <= wakeups)
		return;
	err_set(&text, 0,
		"%ju of %ju wake-ups were late: this is more work than the CPUs here can "
		"do; take fewer tasks= or less duty=",
		(uintmax_t)it->late_wakeups, (uintmax_t)wakeups);
	x->note(x->note_arg, text.msg);
	run->told_late = true;
}

static int one(struct experiment *x, struct state_of_run *run, unsigned int w,
	       uint32_t round, struct err *err)
{
	struct bench_iteration it;
	int ret;

	show(x, run, w, round);
	ret = site_run(x->site, &x->workloads[w], &it, err);
	if (ret)
		return ret;
	run->done++;
	if (round < x->warmup)
		return 0;
	it.order = run->order++;
	it.boot = x->boot;
	look_at_reads(x, run, &it);
	look_at_late(x, run, &x->workloads[w], &it);
	ret = bench_series_add(&x->result->series[w], &it, err);
	if (ret)
		return ret;
	bench_interrupted(x->result, run->done < run->all);
	return bench_result_keep(x->output, x->result, w, err);
}

/* Above all that are there. */
static uint32_t first_order(const struct bench_result *r)
{
	uint32_t first = 0;

	for (unsigned int i = 0; i < r->series_count; i++) {
		const struct bench_series *s = &r->series[i];
		size_t n = s->iteration_count;

		if (n && s->iterations[n - 1].order >= first)
			first = s->iterations[n - 1].order + 1;
	}
	return first;
}

/* In a series of boots that goes on: what is written must be read again. */
static int check_room(const struct experiment *x, uint32_t order, struct err *err)
{
	const struct bench_result *r = x->result;

	for (unsigned int i = 0; i < r->series_count; i++)
		if (r->series[i].iteration_count + x->iterations > BENCH_MAX_ITERATIONS)
			return err_set(err, -E2BIG,
				       "%s: %zu iterations are there, and up to %d fit; "
				       "begin another file",
				       r->series[i].workload,
				       r->series[i].iteration_count,
				       BENCH_MAX_ITERATIONS);
	if ((uint64_t)order + (uint64_t)x->iterations * x->workload_count - 1 >
	    BENCH_MAX_ORDER)
		return err_set(err, -E2BIG,
			       "the last iteration's 'order' is %u, and up to %d fit; "
			       "begin another file",
			       order - 1, BENCH_MAX_ORDER);
	return 0;
}

int experiment_run(struct experiment *x, struct err *err)
{
	struct state_of_run run = { .start_ns = stop_now_ns() };
	uint32_t rounds = x->warmup + x->iterations;
	int ret = bench_result_writable(x->output, err);

	run.order = first_order(x->result);
	if (!ret)
		ret = check_room(x, run.order, err);
	run.all = rounds * x->workload_count;
	bench_interrupted(x->result, true);
	progress_start(&run.progress, run.start_ns);
	for (uint32_t round = 0; round < rounds && !ret; round++)
		for (unsigned int w = 0; w < x->workload_count && !ret; w++)
			ret = one(x, &run, w, round, err);
	progress_end(&run.progress);
	return ret;
}
