// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Carries a plan out on a machine. What a window's readings come to is in window.c.
 */
#include "calib/measure/runner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "calib/measure/stop.h"
#include "calib/measure/window.h"

#define NS_PER_US    1000u
#define STATES_LOOKS 8 /* at temperature and throttling, per window */
#define WINDOW_TRIES 3

static const struct runinfo_cluster *cluster_of(const struct runner *r)
{
	return &r->info->clusters[r->plan->cluster];
}

static void warn(const struct runner *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void warn(const struct runner *r, const char *fmt, ...)
{
	char text[1200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (r->hooks.warn)
		r->hooks.warn(r->hooks.arg, text);
}

static uint64_t now_ns(const struct runner *r)
{
	return r->machine->ops->now_ns(r->machine);
}

static int sleep_for(const struct runner *r, uint64_t ns, struct err *err)
{
	int ret = r->machine->ops->sleep_until(r->machine, now_ns(r) + ns);

	return ret ? err_set(err, ret, "interrupted") : 0;
}

/* Temperature and throttling, as far as the machine can tell. */
static void look_at_state(struct runner *r)
{
	const struct machine_ops *ops = r->machine->ops;
	unsigned int cluster = r->plan->cluster;
	struct runner_window *w = &r->window;
	bool throttled = false;
	int32_t temp;

	if (!ops->read_temp(r->machine, cluster, &temp, NULL)) {
		w->temp_sum_mc += temp;
		w->temps++;
	}
	if (!ops->throttled(r->machine, cluster, &throttled, NULL) && throttled)
		w->throttled = true;
}

/* One window: it begins and ends on an update, so that readings and usage span the same.
 */
static int take_window(struct runner *r, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	unsigned int every = (r->timing.reads + STATES_LOOKS - 1) / STATES_LOOKS;
	struct runner_window *w = &r->window;
	struct reading rd;
	int ret;

	memset(w, 0, sizeof(*w));
	w->bad = r->meter.bad;
	look_at_state(r);
	ret = ops->read_usage(r->machine, r->plan->cluster, &w->begin, err);
	for (unsigned int i = 0; i < r->timing.reads && !ret; i++) {
		ret = meter_next(&r->meter, &rd, err);
		if (!ret)
			window_add(w, &rd);
		if (ret == -ENODATA)
			ret = 0;
		if ((i + 1) % every == 0)
			look_at_state(r);
	}
	if (!ret)
		ret = ops->read_usage(r->machine, r->plan->cluster, &w->end, err);
	w->bad = r->meter.bad - w->bad;
	r->result.bad_reads += w->bad;
	return ret;
}

/* Wait for the load to be there and the meter to have forgotten what was before. */
static int settle(struct runner *r, struct err *err)
{
	struct reading straddling;
	int ret = sleep_for(r, r->timing.lead_ns, err);

	if (!ret)
		ret = meter_next(&r->meter, &straddling, err);
	return ret == -ENODATA ? 0 : ret;
}

static void count_row(struct runner *r, const struct sample *row)
{
	r->result.rows++;
	r->result.flagged += row->flags != 0;
	for (unsigned int i = 0; i < 32; i++)
		r->result.flags[i] += row->flags >> i & 1;
}

static int lose_window(struct runner *r, const struct plan_window *w, struct err *err)
{
	r->result.lost++;
	if (++r->lost_in_a_row >= RUNNER_MAX_LOST)
		return err_set(
			err, -EIO,
			"cluster '%s': the meter gave no reading in %d windows: %s",
			cluster_of(r)->name, RUNNER_MAX_LOST, r->meter.bad_err.msg);
	warn(r, "%s at %g MHz with %u CPUs: no reading, window lost: %s",
	     cluster_of(r)->name, w->khz / 1e3, w->cpu_count, r->meter.bad_err.msg);
	return 0;
}

static int measure(struct runner *r, const struct plan_window *w, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	struct sample row;
	int ret, ret_stop;

	meter_mark(&r->meter);
	ret = ops->load_start(r->machine, r->plan->cluster, w->cpu_count, w->load, err);
	if (!ret)
		ret = settle(r, err);
	for (int i = 0; i < WINDOW_TRIES && !ret; i++) {
		ret = take_window(r, err);
		if (ret || !r->window.reads)
			break;
		window_row(r, w, &row);
		/* More time helps against these. */
		if (!(row.flags & (SAMPLE_UNSETTLED | SAMPLE_STALE)))
			break;
	}
	ret_stop = ops->load_stop(r->machine, ret ? NULL : err);
	if (!ret)
		ret = ret_stop;
	if (ret)
		return ret;
	if (!r->window.reads)
		return lose_window(r, w, err);
	r->lost_in_a_row = 0;
	window_learn(r, w, &row);
	count_row(r, &row);
	return r->hooks.row(r->hooks.arg, &row, err);
}

static bool was_refused(const struct runner *r, uint32_t khz)
{
	for (unsigned int i = 0; i < r->refused; i++)
		if (r->refused_khz[i] == khz)
			return true;
	return false;
}

/* 0 pinned, 1 refused (now or in an earlier round), -EINTR. */
static int visit(struct runner *r, const struct plan_window *w, struct err *err)
{
	struct err why;
	int ret;

	if (was_refused(r, w->khz)) {
		r->result.visits_skipped++;
		return 1;
	}
	ret = r->machine->ops->set_opp(r->machine, r->plan->cluster, w->khz, &why);
	if (ret == -EINTR)
		return err_set(err, ret, "interrupted");
	if (!ret)
		return 0;
	warn(r, "%s: %g MHz skipped: %s", cluster_of(r)->name, w->khz / 1e3, why.msg);
	if (r->refused < BOARD_MAX_OPPS)
		r->refused_khz[r->refused++] = w->khz;
	r->result.visits_skipped++;
	return 1;
}

static bool out_of_time(struct runner *r)
{
	if (!r->deadline_ns || now_ns(r) + plan_window_ns(&r->timing) <= r->deadline_ns)
		return false;
	r->result.out_of_time = true;
	return true;
}

static int run_windows(struct runner *r, struct err *err)
{
	const struct plan *plan = r->plan;
	bool skip = false;

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_window *w = &plan->windows[i];
		int ret = 0;

		if (stop_pending())
			return err_set(err, -EINTR, "interrupted");
		if (out_of_time(r))
			return 0;
		if (r->hooks.progress)
			r->hooks.progress(r->hooks.arg, r, w);
		if (!i || w->visit != w[-1].visit)
			ret = visit(r, w, err);
		else if (skip)
			ret = 1;
		skip = ret == 1;
		if (!ret)
			ret = measure(r, w, err);
		if (ret < 0)
			return ret;
		r->result.windows++;
	}
	if (r->result.visits_skipped == plan->visit_count)
		return err_set(err, -ENODEV,
			       "cluster '%s': not one operating point could be set",
			       cluster_of(r)->name);
	return 0;
}

/* The timing for a meter that updates every @interval_ns. */
static void adopt_interval(struct runner *r, uint64_t interval_ns)
{
	uint64_t us = interval_ns / NS_PER_US;

	plan_timing(us < UINT32_MAX ? us : UINT32_MAX, &r->timing);
	r->meter.slot_ns = r->timing.slot_ns;
	r->meter.fast = interval_ns < r->timing.slot_ns;
}

/* Does the meter update as often as its driver says? Look, with the load of one window.
 */
static int probe_meter(struct runner *r, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	uint64_t stated = cluster_of(r)->sensor_interval_us * (uint64_t)NS_PER_US;
	uint64_t seen = stated;
	int ret, ret_stop;

	meter_init(&r->meter, r->machine, r->plan->cluster, r->timing.slot_ns,
		   stated && stated < r->timing.slot_ns);
	if (r->meter.fast)
		return 0;
	ret = ops->load_start(r->machine, r->plan->cluster, cluster_of(r)->cpu_count,
			      r->plan->loads[0], err);
	if (!ret)
		ret = meter_probe(&r->meter, &seen, err);
	ret_stop = ops->load_stop(r->machine, ret ? NULL : err);
	if (ret == -ENODATA) {
		warn(r, "%s: the meter did not change while it was watched; is it stuck?",
		     cluster_of(r)->name);
		return 0;
	}
	if (ret || ret_stop)
		return ret ? ret : ret_stop;
	if (seen != stated) {
		adopt_interval(r, seen);
		warn(r,
		     "%s: the meter updates every %g ms (its driver says %g ms); "
		     "windows are made to fit",
		     cluster_of(r)->name, seen / 1e6, stated / 1e6);
	}
	return 0;
}

/* A load that does not exist or cannot be pinned is told before anything is written. */
static int try_loads(struct runner *r, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	int ret = 0;

	for (unsigned int i = 0; i < r->plan->load_count && !ret; i++) {
		ret = ops->load_start(r->machine, r->plan->cluster, 1, r->plan->loads[i],
				      err);
		if (!ret)
			ret = ops->load_stop(r->machine, err);
	}
	return ret;
}

static int run_prepared(struct runner *r, struct err *err)
{
	int ret = try_loads(r, err);

	if (!ret)
		ret = probe_meter(r, err);
	if (!ret && r->hooks.begin)
		ret = r->hooks.begin(r->hooks.arg, err);
	if (!ret)
		ret = run_windows(r, err);
	return ret;
}

int runner_run(struct runner *r, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	struct err why;
	int ret, ret_restore;

	r->timing = r->plan->timing;
	r->result = (struct runner_result){ .start_ns = now_ns(r) };
	ret = ops->prepare(r->machine, r->plan->cluster, err);
	if (!ret)
		ret = run_prepared(r, err);
	ops->load_stop(r->machine, NULL);
	ret_restore = ops->restore(r->machine, &why);
	r->result.end_ns = now_ns(r);
	if (ret_restore)
		return err_set(err, ret_restore, "could not put everything back: %s%s%s",
			       why.msg, ret && err ? "; before that: " : "",
			       ret && err ? err->msg : "");
	return ret;
}
