// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A ramp: one start after an idle gap, and what its throughput says.
 */
#include "calib/bench/ramp.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMOOTH	    5 /* bins: a tick or two of the scheduler */
#define CONVERGED   0.95
#define STEADY_BINS (RAMP_BINS - RAMP_STEADY_BIN)
#define TRIES	    3 /* of a start that did not get its CPU */
/* Of work in the steady state, or nothing is known about it. */
#define LEAST_BINS 2

const unsigned int ramp_windows_ms[RAMP_WINDOWS] = { 5, 10, 20, 50, 100, 500, 1000 };

void ramp_piece(void *arg, uint64_t from_ns, uint64_t to_ns, double steps)
{
	struct ramp_trace *t = arg;
	double per_ns = steps / (to_ns - from_ns);

	if (to_ns <= from_ns)
		return;
	if (!t->begin_ns)
		t->begin_ns = from_ns;
	/* What spans bins is spread over them. */
	for (uint64_t at = from_ns - t->begin_ns, end = to_ns - t->begin_ns; at < end;) {
		uint64_t bin = at / RAMP_BIN_NS, next = (bin + 1) * RAMP_BIN_NS;

		if (bin >= RAMP_BINS)
			return;
		if (next > end)
			next = end;
		t->steps[bin] += per_ns * (next - at);
		at = next;
	}
}

static double sum(const double *steps, unsigned int n)
{
	double total = 0;

	while (n--)
		total += steps[n];
	return total;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Steps per bin: a quarter of the steps were done in bins that have as many or more. What
 * else ran there, be it most of the time, does not count, nor do the crumbs of a piece
 * that spans the wait for it. 0: too few steps to tell.
 */
static double steady(const struct ramp_trace *t)
{
	double bins[STEADY_BINS], above = 0;
	double total = sum(t->steps + RAMP_STEADY_BIN, STEADY_BINS);
	unsigned int i = STEADY_BINS;

	memcpy(bins, t->steps + RAMP_STEADY_BIN, sizeof(bins));
	qsort(bins, STEADY_BINS, sizeof(bins[0]), compare);
	while (i && above < total / 4)
		above += bins[--i];
	return i < STEADY_BINS && total >= LEAST_BINS * bins[i] ? bins[i] : 0;
}

int ramp_analyse(const struct ramp_trace *t, struct ramp_run *run, struct err *err)
{
	double per_bin = steady(t);
	unsigned int i;

	if (!(per_bin > 0))
		return err_set(
			err, -ENODATA,
			"the load got no CPU time, or hardly any, of the last half "
			"second: something else keeps its CPU busy");
	for (i = 0; i < RAMP_WINDOWS; i++)
		run->percent[i] = 100 * sum(t->steps, ramp_windows_ms[i]) /
				  (ramp_windows_ms[i] * per_bin);
	i = 0;
	while (i + SMOOTH < RAMP_BINS &&
	       sum(t->steps + i, SMOOTH) < CONVERGED * SMOOTH * per_bin)
		i++;
	run->converged_ms = i + SMOOTH < RAMP_BINS ? i * (RAMP_BIN_NS / 1e6) : NAN;
	run->mops = per_bin / RAMP_BIN_NS * 1e3;
	return 0;
}

/* A start on its way. */
struct start {
	struct ramp_trace trace;
	uint64_t took_ns, had_ns;
};

uint64_t ramp_power_ns(const struct stage *s)
{
	const uint64_t ns = RAMP_POWER_BIN * (uint64_t)RAMP_BIN_NS;

	return s->meter_ns > ns ? s->meter_ns : ns;
}

uint64_t ramp_work_ns(const struct stage *s)
{
	const uint64_t spare = (RAMP_BINS - RAMP_POWER_END_BIN) * (uint64_t)RAMP_BIN_NS;

	return ramp_power_ns(s) + RAMP_POWER_NS + s->meter_ns + spare;
}

static int work(struct stage *s, void *arg, struct err *err)
{
	struct start *start = arg;
	const struct stage_watch watch = { ramp_piece, &start->trace };
	uint64_t begin = s->ops->now_ns(s), had = s->ops->task_ns(s);
	int ret = s->ops->work(s, INFINITY, begin + ramp_work_ns(s), &watch, err);

	start->took_ns = s->ops->now_ns(s) - begin;
	start->had_ns = s->ops->task_ns(s) - had;
	return ret;
}

static int measure(struct stage *s, unsigned int cpu, struct start *start,
		   struct ramp_run *run, struct err *err)
{
	const unsigned int bins = RAMP_POWER_END_BIN - RAMP_POWER_BIN;
	const struct stage_task task = { work, start };
	struct tally watt = { 0 };
	const struct stage_power power = {
		.after_ns = ramp_power_ns(s),
		.slice_ns = RAMP_POWER_NS,
		.watt = &watt,
	};
	double gops;
	int ret = s->ops->task(s, cpu, &task, &power, err);

	if (!ret)
		ret = ramp_analyse(&start->trace, run, err);
	if (ret)
		return ret;
	gops = sum(start->trace.steps + RAMP_POWER_BIN, bins) / bins / RAMP_BIN_NS;
	run->watt = watt.samples ? watt.average : NAN;
	run->joule_per_gop = run->watt / gops;
	run->had_cpu = (double)start->had_ns / start->took_ns;
	return 0;
}

int ramp_once(struct stage *s, unsigned int cpu, uint64_t idle_ns, struct ramp_run *run,
	      struct err *err)
{
	struct start *start = calloc(1, sizeof(*start));
	int ret = -ENODATA;

	if (!start)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < TRIES && ret == -ENODATA; i++) {
		*start = (struct start){ .took_ns = 0 };
		ret = s->ops->sleep_until(s, s->ops->now_ns(s) + idle_ns, err);
		if (!ret)
			ret = measure(s, cpu, start, run, err);
	}
	free(start);
	return ret;
}

struct tally ramp_tally(const struct ramp_row *row, size_t offset)
{
	struct tally t = { 0 };

	for (unsigned int i = 0; i < row->run_count; i++) {
		double value;

		memcpy(&value, (const char *)&row->runs[i] + offset, sizeof(value));
		tally_add(&t, value);
	}
	return t;
}
