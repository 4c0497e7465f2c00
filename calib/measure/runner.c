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

#include "calib/measure/runner_internal.h"
#include "calib/measure/stop.h"
#include "calib/measure/talk.h"
#include "calib/measure/window.h"
#include "lib/text.h"

#define NS_PER_US    1000u
#define NS_PER_S     1000000000ull
#define STATES_LOOKS 8	/* at temperature and throttling, per window */
#define SLEEP_TICKS  75 /* per window: what a CPU slept is then known to 0.6 % */
#define WINDOW_TRIES 3
#define SLOW_NS	     (5 * NS_PER_S) /* between updates */
#define FAST_LOOK_NS 200000000ull   /* under load, at a meter faster than we read */

const struct runinfo_cluster *runner_cluster(const struct runner *r)
{
	return &r->info->clusters[r->plan->cluster];
}

void runner_warn(const struct runner *r, const char *fmt, ...)
{
	char text[1200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (r->hooks.warn)
		r->hooks.warn(r->hooks.arg, text);
}

uint64_t runner_now_ns(const struct runner *r)
{
	return r->machine->ops->now_ns(r->machine);
}

int runner_sleep(const struct runner *r, uint64_t ns, struct err *err)
{
	return r->machine->ops->sleep_until(r->machine, runner_now_ns(r) + ns, err);
}

/* Temperature, throttling, and whether all is still as we set it, as far as the machine
 * can tell. */
static void look_at_state(struct runner *r)
{
	const struct machine_ops *ops = r->machine->ops;
	unsigned int cluster = r->plan->cluster;
	struct runner_window *w = &r->window;
	bool throttled = false;
	int32_t temp;

	if (!ops->read_temp(r->machine, cluster, &temp, NULL)) {
		if (!w->temps++)
			w->temp_first_mc = temp;
		w->temp_last_mc = temp;
		w->temp_sum_mc += temp;
	}
	if (!ops->throttled(r->machine, cluster, &throttled, NULL) && throttled)
		w->throttled = true;
	if (!w->stolen && ops->verify)
		w->stolen = ops->verify(r->machine, cluster, &w->stolen_err);
}

/*
 * CPUs that are to sleep do some work all the same. How much is told in ticks, of which a
 * window has to have many: in one of 0.4 s half a tick is more than 1 % of a CPU. Loaded
 * ones are busy all the time.
 */
static unsigned int reads_wanted(const struct runner *r, const struct usage *begin,
				 unsigned int loaded)
{
	unsigned int cpus = runner_cluster(r)->cpu_count;
	uint64_t reads = 0;

	if (begin->busy_known && loaded < cpus)
		reads = SLEEP_TICKS * begin->busy_step_ns / cpus / r->timing.slot_ns + 1;
	if (reads > PLAN_MAX_READS)
		return PLAN_MAX_READS;
	return reads > r->timing.reads ? reads : r->timing.reads;
}

/*
 * One window with @loaded CPUs: it begins and ends on an update, so that readings and
 * usage span the same.
 */
static int take_window(struct runner *r, unsigned int loaded, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	struct runner_window *w = &r->window;
	unsigned int reads, every;
	struct reading rd;
	int ret;

	memset(w, 0, sizeof(*w));
	w->bad = r->meter.bad;
	look_at_state(r);
	ret = ops->read_usage(r->machine, r->plan->cluster, &w->begin, err);
	reads = reads_wanted(r, &w->begin, loaded);
	every = (reads + STATES_LOOKS - 1) / STATES_LOOKS;
	for (unsigned int i = 0; i < reads && !ret; i++) {
		ret = meter_next(&r->meter, &rd, err);
		if (!ret)
			window_add(w, &rd);
		if (ret == -ENODATA)
			ret = 0;
		if ((i + 1) % every == 0 || i + 1 == reads)
			look_at_state(r);
	}
	if (!ret)
		ret = ops->read_usage(r->machine, r->plan->cluster, &w->end, err);
	w->throttled |= w->end.throttles > w->begin.throttles;
	w->bad = r->meter.bad - w->bad;
	r->result.bad_reads += w->bad;
	return ret;
}

/* Wait for the load to be there and the meter to have forgotten what was before. */
static int settle(struct runner *r, struct err *err)
{
	int ret = runner_sleep(r, r->timing.lead_ns, err);

	return ret ? ret : meter_settle(&r->meter, runner_now_ns(r), err);
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
			runner_cluster(r)->name, RUNNER_MAX_LOST, r->meter.bad_err.msg);
	runner_warn(r, "%s at %g MHz with %u CPU%s: no reading, window lost: %s",
		    runner_cluster(r)->name, w->khz / 1e3, w->cpu_count,
		    text_s(w->cpu_count), r->meter.bad_err.msg);
	return 0;
}

/* Load, settle, and take windows until one is as good as more time makes it. */
static int take_row(struct runner *r, const struct plan_window *w, struct sample *row,
		    struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	int ret, ret_stop;

	meter_mark(&r->meter);
	ret = ops->load_start(r->machine, r->plan->cluster, w->cpu_count, w->load, err);
	if (!ret)
		ret = settle(r, err);
	for (int i = 0; i < WINDOW_TRIES && !ret; i++) {
		ret = take_window(r, w->cpu_count, err);
		if (ret || !r->window.reads || r->window.stolen)
			break;
		window_row(r, w, row);
		/* More time helps against these. */
		if (!(row->flags & (SAMPLE_UNSETTLED | SAMPLE_STALE)))
			break;
	}
	ret_stop = ops->load_stop(r->machine, ret ? NULL : err);
	return ret ? ret : ret_stop;
}

static int give_up(const struct runner *r, struct err *err)
{
	const char *name = runner_cluster(r)->name, *why = r->window.stolen_err.msg;

	if (r->window.stolen == -ENODEV)
		return err_set(err, -ENODEV,
			       "cluster '%s': %.300s; stop what plugs CPUs (a "
			       "core-control or hotplug daemon)",
			       name, why);
	return err_set(err, -EBUSY,
		       "cluster '%s': another program keeps changing its clock settings "
		       "(%.300s); stop that program (thermald, tuned, "
		       "power-profiles-daemon, a vendor's perf service)",
		       name, why);
}

/*
 * Somebody rewrites what we set: what was read meanwhile is worth nothing. Take the
 * settings back, and give up when that does not help. 0, 1 when they are refused, -errno.
 */
static int take_back(struct runner *r, const struct plan_window *w, struct err *err)
{
	struct err why;
	int ret;

	r->result.stolen++;
	/* Before that: a CPU may come back. */
	if (++r->stolen_in_a_row >= RUNNER_MAX_STOLEN)
		return give_up(r, err);
	runner_warn(r, "%s at %g MHz: %s; set again, window taken again",
		    runner_cluster(r)->name, w->khz / 1e3, r->window.stolen_err.msg);
	ret = r->machine->ops->set_opp(r->machine, r->plan->cluster, w->khz, &why);
	if (ret == -EINTR)
		return err_set(err, ret, "interrupted");
	if (!ret)
		return 0;
	runner_warn(r, "%s: rest of the visit to %g MHz skipped: %s",
		    runner_cluster(r)->name, w->khz / 1e3, why.msg);
	return 1;
}

/* 0, 1: the visit is over, -errno. */
static int measure(struct runner *r, const struct plan_window *w, struct err *err)
{
	struct sample row;
	bool again = false;
	int ret;

	do {
		ret = w->cpu_count ? heat_gate(r, err) : 0;
		if (!ret)
			ret = take_row(r, w, &row, err);
		if (!ret && r->window.stolen) {
			ret = take_back(r, w, err);
			continue;
		}
		r->stolen_in_a_row = 0;
		if (ret || !r->window.throttled || again)
			break;
		/* Once more, cooler. */
		again = true;
		r->result.rows_retaken++;
		ret = heat_recover(r, err);
	} while (!ret);
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

static void refuse(struct runner *r, uint32_t khz)
{
	if (r->refused < BOARD_MAX_OPPS)
		r->refused_khz[r->refused++] = khz;
	r->result.visits_skipped++;
}

/* A driver without a table makes clocks of its own of those it is asked for. */
static void tell_rounding(struct runner *r, uint32_t khz)
{
	if (r->told_rounding || r->opp_khz == khz)
		return;
	r->told_rounding = true;
	runner_warn(r,
		    "%s: the driver makes %g MHz of %g MHz: rows tell the clocks that it "
		    "makes; a table of voltages has to be for those, asked for with "
		    "--opps",
		    runner_cluster(r)->name, r->opp_khz / 1e3, khz / 1e3);
}

/* What the machine made of it. 0, 1: it did so of another operating point, too. */
static int take_made(struct runner *r, const struct plan_window *w)
{
	r->opp_khz = machine_made_khz(r->machine, r->plan->cluster, w->khz);
	r->opp_uv = r->opp_khz == w->khz ? w->volt_uv : 0;
	tell_rounding(r, w->khz);
	for (unsigned int i = 0; i < r->made_count; i++) {
		if (r->made[i].asked_khz == w->khz)
			return 0;
		if (r->made[i].khz != r->opp_khz)
			continue;
		runner_warn(r, "%s: %g MHz is %g MHz, as %g MHz is: measured once",
			    runner_cluster(r)->name, w->khz / 1e3, r->opp_khz / 1e3,
			    r->made[i].asked_khz / 1e3);
		refuse(r, w->khz);
		return 1;
	}
	if (r->made_count < BOARD_MAX_OPPS) {
		r->made[r->made_count].asked_khz = w->khz;
		r->made[r->made_count++].khz = r->opp_khz;
	}
	return 0;
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
		return take_made(r, w);
	runner_warn(r, "%s: %g MHz skipped: %s", runner_cluster(r)->name, w->khz / 1e3,
		    why.msg);
	refuse(r, w->khz);
	return 1;
}

static bool out_of_time(struct runner *r)
{
	if (!r->deadline_ns ||
	    runner_now_ns(r) + plan_window_ns(&r->timing) <= r->deadline_ns)
		return false;
	r->result.out_of_time = true;
	return true;
}

/* Between two visits: have all been made that have to be, and is the result good? */
static int is_enough(struct runner *r, size_t window, bool *yes, struct err *err)
{
	*yes = window >= r->plan->least_count;
	if (!*yes || !r->hooks.enough)
		return 0;
	return r->hooks.enough(r->hooks.arg, r, yes, err);
}

static int begin_visit(struct runner *r, const struct plan_window *w, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;

	r->result.visits++;
	/* Changed between two windows: told, and not taken for an OPP that is refused. */
	r->window.stolen = 0;
	if (ops->verify)
		r->window.stolen = ops->verify(r->machine, r->plan->cluster,
					       &r->window.stolen_err);
	if (r->window.stolen) {
		int ret = take_back(r, w, err);

		if (ret < 0)
			return ret;
	}
	return visit(r, w, err);
}

static int run_windows(struct runner *r, struct err *err)
{
	const struct plan *plan = r->plan;
	bool skip = false, enough = false;
	int ret = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_window *w = &plan->windows[i];

		ret = 0;
		if (stop_pending())
			return err_set(err, -EINTR, "interrupted");
		if (out_of_time(r))
			return 0;
		if (!i || w->visit != w[-1].visit) {
			ret = is_enough(r, i, &enough, err);
			if (ret || enough)
				break;
			skip = false;
			ret = begin_visit(r, w, err);
		}
		if (r->hooks.progress)
			r->hooks.progress(r->hooks.arg, r, w);
		if (!ret && !skip)
			ret = measure(r, w, err);
		if (ret < 0)
			return ret;
		skip = skip || ret == 1;
		r->result.windows++;
	}
	if (ret < 0)
		return ret;
	if (r->result.visits && r->result.visits_skipped == r->result.visits)
		return err_set(err, -ENODEV,
			       "cluster '%s': not one operating point could be set",
			       runner_cluster(r)->name);
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

/* How often the meter updates, under the load that runs. */
static int probe_interval(struct runner *r, struct err *err)
{
	uint64_t seen = r->traits.stated_ns;
	int ret;

	if (r->meter.fast)
		return runner_sleep(r, FAST_LOOK_NS, err);
	ret = meter_probe(&r->meter, &seen, METER_WAIT_NS, err);
	if (ret == -ENODATA && !seen) {
		runner_warn(r,
			    "%s: the meter has not changed for %llu s; it may be a slow "
			    "one (fuel gauges): watching it for up to %llu s more",
			    runner_cluster(r)->name, METER_WAIT_NS / NS_PER_S,
			    METER_WAIT_LONG_NS / NS_PER_S);
		ret = meter_probe(&r->meter, &seen, METER_WAIT_LONG_NS, err);
	}
	r->traits.still = ret == -ENODATA;
	if (ret)
		return ret == -ENODATA || ret == -ETIME ? 0 : ret;
	r->traits.interval_ns = seen;
	if (seen != r->traits.stated_ns)
		adopt_interval(r, seen);
	return 0;
}

/* What the meter makes of the load's end. A coarse one changes only now. */
static int probe_response(struct runner *r, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	struct reading loaded;
	int ret, ret_read;

	ret_read = ops->read_power(r->machine, r->plan->cluster, &loaded, NULL);
	ret = ops->load_stop(r->machine, err);
	if (ret || ret_read)
		return ret;
	meter_mark(&r->meter);
	ret = traits_response(&r->traits, &r->meter, runner_now_ns(r), loaded.power_uw,
			      err);
	r->traits.still = r->traits.still && !r->meter.changed;
	return ret;
}

/* What that comes to, before hours of it. */
static void tell_slow(const struct runner *r)
{
	uint64_t one = plan_window_ns(&r->timing);
	char window[32], all[32];

	runner_warn(r,
		    "%s: with that meter a window takes %s, and the %zu of the plan %s; "
		    "lower its poll interval where its driver has one, or choose fewer "
		    "--opps and --cpus",
		    runner_cluster(r)->name, talk_time(one, window, sizeof(window)),
		    r->plan->least_count,
		    talk_time(one * r->plan->least_count, all, sizeof(all)));
}

static void tell_meter(const struct runner *r)
{
	const char *name = runner_cluster(r)->name;
	char text[sizeof(runner_cluster(r)->sensor_note)];

	if (r->traits.still)
		runner_warn(
			r,
			"%s: the meter did not change while it was watched; is it stuck?",
			name);
	else if (traits_format(&r->traits, text, sizeof(text))[0])
		runner_warn(r, "%s: the meter %s; windows are made to fit", name, text);
	if (r->timing.slot_ns >= SLOW_NS)
		tell_slow(r);
}

/* Is the meter as its driver says, and does it show loads at once? Look, with the load of
 * one window. */
static int probe_meter(struct runner *r, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	uint64_t stated = runner_cluster(r)->sensor_interval_us * (uint64_t)NS_PER_US;
	int ret;

	r->traits = (struct traits){ .stated_ns = stated };
	meter_init(&r->meter, r->machine, r->plan->cluster, r->timing.slot_ns,
		   stated && stated < r->timing.slot_ns);
	r->meter.end_ns = r->deadline_ns;
	/* One that is refused is told when it is visited. */
	ops->set_opp(r->machine, r->plan->cluster, r->plan->middle_khz, NULL);
	ret = heat_gate(r, err);
	if (!ret)
		ret = ops->load_start(r->machine, r->plan->cluster,
				      runner_cluster(r)->cpu_count, r->plan->loads[0],
				      err);
	if (!ret)
		ret = probe_interval(r, err);
	if (!ret)
		ret = probe_response(r, err);
	if (ret) {
		ops->load_stop(r->machine, NULL);
		return ret;
	}
	traits_fit(&r->traits, &r->timing);
	tell_meter(r);
	return 0;
}

static unsigned int most_cpus(const struct plan *plan)
{
	unsigned int most = 1;

	for (size_t i = 0; i < plan->count; i++)
		if (plan->windows[i].cpu_count > most)
			most = plan->windows[i].cpu_count;
	return most;
}

/*
 * A load that does not exist, cannot be pinned or takes more memory than there is is told
 * before anything is written.
 */
static int try_loads(struct runner *r, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	unsigned int most = most_cpus(r->plan);
	struct usage u;
	int ret = 0;

	r->has_cycles = true;
	for (unsigned int i = 0; i < r->plan->load_count && !ret; i++) {
		ret = ops->load_start(r->machine, r->plan->cluster, most,
				      r->plan->loads[i], err);
		if (!ret && !ops->read_usage(r->machine, r->plan->cluster, &u, NULL))
			r->has_cycles = u.counts_cycles;
		if (!ret)
			ret = ops->load_stop(r->machine, err);
	}
	return ret;
}

static int run_prepared(struct runner *r, struct err *err)
{
	int ret = try_loads(r, err);

	heat_begin(r);
	if (!ret)
		ret = yardstick_learn(r, err);
	/* The look has an idle part: warm up after it. */
	if (!ret)
		ret = probe_meter(r, err);
	if (!ret)
		ret = heat_preheat(r, err);
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
	r->result = (struct runner_result){ .start_ns = runner_now_ns(r) };
	ret = ops->prepare(r->machine, r->plan->cluster, err);
	if (!ret)
		ret = run_prepared(r, err);
	ops->load_stop(r->machine, NULL);
	ret_restore = ops->restore(r->machine, &why);
	r->result.end_ns = runner_now_ns(r);
	if (ret_restore)
		return err_set(err, ret_restore, "could not put everything back: %s%s%s",
			       why.msg, ret && err ? "; before that: " : "",
			       ret && err ? err->msg : "");
	return ret;
}
