// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The governors of virtual boards; see the header for what they are models of.
 */
#include "calib/sim/governor.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MS		1e6
#define HALF_LIFE_NS	(32 * MS)
#define TICK_NS		4000000u
#define RATE_LIMIT_NS	10000000u
#define SAMPLING_NS	10000000u
#define UP_THRESHOLD	0.95
#define HEADROOM	1.25
#define UTIL_EST_WEIGHT 0.25
#define UTIL_FULL	(1023 / 1024.0) /* it cannot tell whether there was idle time */
#define HWP_LOOK_NS	1000000u

static const struct {
	const char *name;
	double lag_ms, ceiling;
} epps[] = {
	{ "performance", 0, 1 },
	{ "balance_performance", 5, 1 },
	{ "balance_power", 25, 0.9 },
	{ "power", 80, 0.75 },
};

static const struct {
	const char *name;
	enum governor_kind kind;
	bool top; /* begins, and for GOVERNOR_FIXED stays, at the highest clock */
} governors[] = {
	{ "performance", GOVERNOR_FIXED, true },
	{ "powersave", GOVERNOR_FIXED, false },
	{ "userspace", GOVERNOR_FIXED, false },
	{ "schedutil", GOVERNOR_SCHEDUTIL, false },
	{ "ondemand", GOVERNOR_ONDEMAND, false },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* @hwp: the hardware chooses the clock; else the governor does, whatever the EPP. */
static int take_epp(struct governor *g, const char *epp, bool hwp, struct err *err)
{
	size_t i = 0;

	while (i < COUNT(epps) && strcmp(epps[i].name, epp) != 0)
		i++;
	if (i == COUNT(epps))
		return err_set(err, -EINVAL, "EPP '%s' is not offered; there are %s", epp,
			       GOVERNOR_EPPS);
	if (!hwp)
		return 0;
	g->kind = GOVERNOR_HWP;
	g->lag_ns = epps[i].lag_ms * MS;
	g->ceiling = epps[i].ceiling;
	return 0;
}

int governor_init(struct governor *g, const char *name, const char *epp, bool has_epp,
		  const struct governor_cpu *cpu, uint64_t now_ns, struct err *err)
{
	size_t i = 0;

	while (i < COUNT(governors) && strcmp(governors[i].name, name) != 0)
		i++;
	if (i == COUNT(governors))
		return err_set(err, -EINVAL,
			       "governor '%s' is not offered by a virtual board; there "
			       "are %s",
			       name, GOVERNOR_NAMES);
	if (epp[0] && !has_epp)
		return err_set(
			err, -ENOTSUP,
			"this virtual board has no EPP to set; virtual:intel-hybrid "
			"has");
	*g = (struct governor){
		.kind = governors[i].kind,
		.cpu = *cpu,
		.khz = governors[i].top ? cpu->max_khz : cpu->min_khz,
		.now_ns = now_ns,
		.looked_ns = now_ns,
		.prev_load = -1,
	};
	if (epp[0] && governors[i].top && strcmp(epp, "performance") != 0)
		return err_set(err, -EINVAL,
			       "the governor performance takes no EPP '%s', as with "
			       "intel_pstate; powersave does",
			       epp);
	return epp[0] ? take_epp(g, epp, !strcmp(name, "powersave"), err) : 0;
}

static double between(const struct governor *g, double khz)
{
	return fmin(fmax(khz, g->cpu.min_khz), g->cpu.max_khz);
}

static void ask_schedutil(struct governor *g)
{
	double util = fmax(g->util, g->busy ? g->util_est : 0);
	double khz = between(g, HEADROOM * util / g->cpu.capacity * g->cpu.max_khz);

	if (khz == g->khz || (g->changed_ns && g->now_ns < g->changed_ns + RATE_LIMIT_NS))
		return;
	g->khz = khz;
	g->changed_ns = g->now_ns;
}

static void ask_ondemand(struct governor *g)
{
	double passed = g->now_ns - g->looked_ns, load;

	if (passed < SAMPLING_NS)
		return;
	load = g->busy_ns / passed;
	if (passed - g->busy_ns > 2 * SAMPLING_NS && g->prev_load >= 0) {
		load = g->prev_load;
		g->prev_load = -1;
	} else {
		g->prev_load = load;
	}
	g->khz = load > UP_THRESHOLD
			 ? g->cpu.max_khz
			 : g->cpu.min_khz + load * (g->cpu.max_khz - g->cpu.min_khz);
	g->looked_ns = g->now_ns;
	g->busy_ns = 0;
}

static void ask_hwp(struct governor *g)
{
	g->khz = between(g, fmin(HEADROOM * g->wants, g->ceiling) * g->cpu.max_khz);
}

static void ask(struct governor *g)
{
	uint64_t step = TICK_NS;

	if (g->kind == GOVERNOR_SCHEDUTIL)
		ask_schedutil(g);
	else if (g->kind == GOVERNOR_ONDEMAND)
		ask_ondemand(g);
	else if (g->kind == GOVERNOR_HWP)
		ask_hwp(g);
	if (g->kind == GOVERNOR_HWP)
		step = HWP_LOOK_NS;
	g->next_ns = g->kind != GOVERNOR_FIXED && g->busy ? g->now_ns + step : UINT64_MAX;
}

void governor_new_task(struct governor *g)
{
	g->own = fmax(g->cpu.capacity - g->util, 0) / 2;
	g->util += g->own;
	g->util_est = 0;
	if (g->busy)
		ask(g);
}

void governor_end_task(struct governor *g)
{
	g->util -= g->own;
	g->own = 0;
}

void governor_run(struct governor *g, bool busy)
{
	if (g->busy && !busy)
		g->util_est = fmax(
			g->util, g->util_est + UTIL_EST_WEIGHT * (g->util - g->util_est));
	g->busy = busy;
	ask(g);
}

uint64_t governor_next_ns(const struct governor *g)
{
	return g->busy && g->kind != GOVERNOR_FIXED ? g->next_ns : UINT64_MAX;
}

static double toward(double from, double to, double ns, double half_life_ns)
{
	return to + (from - to) * exp2(-ns / half_life_ns);
}

/* Of the CPU's util, and of what of it is the task's. */
static void pass_util(struct governor *g, double to, double ns)
{
	g->util = toward(g->util, to, ns, HALF_LIFE_NS);
	g->own = toward(g->own, to, ns, HALF_LIFE_NS);
}

static void pass_pelt(struct governor *g, double ns, double speed)
{
	if (g->busy) {
		pass_util(g, 1, ns * speed);
		g->lost_ns += ns * (1 - speed);
		return;
	}
	pass_util(g, 0, ns + (g->util < UTIL_FULL ? g->lost_ns : 0));
	g->lost_ns = 0;
}

void governor_pass(struct governor *g, uint64_t ns, double khz)
{
	double passed = ns - g->now_ns;

	g->now_ns = ns;
	pass_pelt(g, passed, khz / g->cpu.max_khz * g->cpu.capacity);
	g->busy_ns += g->busy ? passed : 0;
	if (g->lag_ns > 0)
		g->wants = toward(g->wants, g->busy, passed, g->lag_ns * M_LN2);
	else
		g->wants = 1;
	if (ns >= governor_next_ns(g))
		ask(g);
}

/* Where the busy share of the time at the clock that it asks for makes it ask for that.
 */
static double settled_ondemand(const struct governor *g, double share)
{
	double min = g->cpu.min_khz, max = g->cpu.max_khz;
	double khz = (min + sqrt(min * min + 4 * share * max * (max - min))) / 2;

	return share * max / khz > UP_THRESHOLD ? max : khz;
}

static double settled_hwp(const struct governor *g, double share)
{
	double of_max = g->lag_ns > 0 ? sqrt(HEADROOM * share) : 1;

	return between(g, fmin(of_max, g->ceiling) * g->cpu.max_khz);
}

double governor_settled_khz(const struct governor *g, double share)
{
	if (g->kind == GOVERNOR_SCHEDUTIL)
		return between(g, HEADROOM * share * g->cpu.max_khz);
	if (g->kind == GOVERNOR_ONDEMAND)
		return settled_ondemand(g, share);
	if (g->kind == GOVERNOR_HWP)
		return settled_hwp(g, share);
	return g->khz;
}
