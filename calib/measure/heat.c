// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The temperature of the run: warm when it begins, never so hot that the kernel cuts the
 * clock.
 */
#include <errno.h>
#include <math.h>

#include "calib/measure/runner_internal.h"

#define NS_PER_MS  1000000u
#define STEP_NS	   (500ull * NS_PER_MS)
#define TREND_LOOK 2 /* steps over which a trend is looked for */

#define PREHEAT_STEPS 60
#define STEADY_MC     1000 /* over that time; many thermometers have steps of one kelvin */
#define STEADY_POWER  0.02

#define BELOW_TRIP_MC 5000
#define HYST_MC	      3000
#define COOL_STEPS    240

/* What is looked at while waiting. NAN: not known. */
struct look {
	double temp_mc, power_uw;
};

static struct look look(const struct runner *r)
{
	const struct machine_ops *ops = r->machine->ops;
	struct look l = { NAN, NAN };
	struct reading rd;
	int32_t temp;

	if (!ops->read_temp(r->machine, r->plan->cluster, &temp, NULL))
		l.temp_mc = temp;
	if (!ops->read_power(r->machine, r->plan->cluster, &rd, NULL))
		l.power_uw = rd.power_uw;
	return l;
}

static bool is_late(const struct runner *r)
{
	return r->deadline_ns && runner_now_ns(r) >= r->deadline_ns;
}

void heat_begin(struct runner *r)
{
	const struct machine_ops *ops = r->machine->ops;
	int32_t trip;

	r->gate_mc = INT32_MAX;
	if (r->max_temp_mc)
		r->gate_mc = r->max_temp_mc;
	else if (ops->read_trip &&
		 !ops->read_trip(r->machine, r->plan->cluster, &trip, NULL))
		r->gate_mc = trip - BELOW_TRIP_MC;
}

/* Comparisons with what is not known are false: that has no trend. */
static bool is_steady(const struct look *before, const struct look *now)
{
	return !(fabs(now->temp_mc - before->temp_mc) > STEADY_MC) &&
	       !(fabs(now->power_uw - before->power_uw) >
		 STEADY_POWER * fabs(now->power_uw));
}

static int warm_up(struct runner *r, struct err *err)
{
	struct look looks[TREND_LOOK];

	for (unsigned int i = 0; i < PREHEAT_STEPS; i++) {
		struct look *oldest = &looks[i % TREND_LOOK], now;
		int ret = runner_sleep(r, STEP_NS, err);

		if (ret)
			return ret;
		now = look(r);
		if (now.temp_mc >= r->gate_mc ||
		    (i >= TREND_LOOK && is_steady(oldest, &now)))
			break;
		*oldest = now;
	}
	return 0;
}

int heat_preheat(struct runner *r, struct err *err)
{
	const struct machine_ops *ops = r->machine->ops;
	unsigned int cluster = r->plan->cluster;
	int ret, ret_stop;

	/* One that is refused is told when it is visited. */
	if (is_late(r) || isnan(look(r).temp_mc) ||
	    ops->set_opp(r->machine, cluster, r->plan->middle_khz, NULL))
		return 0;
	ret = heat_gate(r, err);
	if (ret)
		return ret;
	ret = ops->load_start(r->machine, cluster, (runner_cluster(r)->cpu_count + 1) / 2,
			      r->plan->loads[0], err);
	if (!ret)
		ret = warm_up(r, err);
	ret_stop = ops->load_stop(r->machine, ret ? NULL : err);
	return ret ? ret : ret_stop;
}

static bool is_throttled(const struct runner *r)
{
	bool yes = false;

	return !r->machine->ops->throttled(r->machine, r->plan->cluster, &yes, NULL) &&
	       yes;
}

/* Until it is at @below_mc, or as cool as it gets but below the gate. */
static int cool_down(struct runner *r, double below_mc, struct err *err)
{
	struct look now = look(r);

	for (unsigned int i = 0; i < COOL_STEPS; i++) {
		int ret;

		if (!(now.temp_mc > below_mc) && !is_throttled(r))
			return 0;
		if (is_late(r))
			return 0;
		ret = runner_sleep(r, STEP_NS, err);
		if (ret)
			return ret;
		r->result.cooling_ns += STEP_NS;
		now = look(r);
	}
	if (!(now.temp_mc > r->gate_mc))
		return 0;
	return err_set(
		err, -ETIME,
		"cluster '%s' is at %.0f degrees after %llu s of idling, and no load "
		"starts above %g: cool it, or allow more with --max-temp",
		runner_cluster(r)->name, now.temp_mc / 1e3,
		COOL_STEPS * STEP_NS / (1000 * NS_PER_MS), r->gate_mc / 1e3);
}

static void tell_heat(struct runner *r, double temp_mc)
{
	if (r->told_heat)
		return;
	r->told_heat = true;
	runner_warn(r,
		    "%s: %.0f degrees, too hot to go on (no load starts above %g): "
		    "waiting until it has cooled, as often as need be",
		    runner_cluster(r)->name, temp_mc / 1e3, r->gate_mc / 1e3);
}

int heat_gate(struct runner *r, struct err *err)
{
	double temp_mc = look(r).temp_mc;

	if (!(temp_mc > r->gate_mc))
		return 0;
	tell_heat(r, temp_mc);
	return cool_down(r, (double)r->gate_mc - HYST_MC, err);
}

int heat_recover(struct runner *r, struct err *err)
{
	return cool_down(r, (double)r->gate_mc - HYST_MC, err);
}
