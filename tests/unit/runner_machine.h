/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine made of a script, and the runner on it: what is scripted goes wrong, what
 * came out is kept. Include after <cmocka.h>.
 */
#ifndef TESTS_UNIT_RUNNER_MACHINE_H
#define TESTS_UNIT_RUNNER_MACHINE_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calib/measure/runner.h"

#define MS	 1000000ull
#define MAX_ROWS 256

/* A machine whose meter shows 100 mW, and 50 mW and 1 uW/kHz more per loaded CPU. */
struct fake {
	struct machine machine;
	/* its state */
	uint64_t now_ns, since_ns; /* the load's beginning */
	uint32_t khz;
	unsigned int cpus;
	bool loaded;
	struct reading shown;
	int64_t before_uw; /* shown when the load changed last */
	uint64_t update;   /* number of the update that is shown */
	/* what was called */
	unsigned int prepares, restores, starts, stops, reads;
	/* the script; 0 is all well */
	uint64_t period_ns; /* of the meter; what info says is 100 ms */
	bool no_interval, coarse, garbage;
	uint64_t average_ns; /* a moving mean over this much, updated every period */
	uint32_t grid_uw;    /* values are multiples of it */
	int prepare_error, begin_error, row_error, restore_error, start_error;
	unsigned int fail_from, fail_to; /* these reads fail */
	unsigned int absurd_read, again_from, again_to;
	uint64_t stuck_ns, interrupt_ns;
	uint32_t step_khz; /* clocks are multiples of it, rounded up */
	uint32_t refused_khz, half_khz, hot_khz, drift_khz;
	bool no_cycles, no_busy, no_temp;
	uint64_t busy_step_ns;
	bool ticks;		 /* idle time is told in busy_step_ns / 2 */
	uint32_t other_busy_pct; /* other tasks on idle CPUs */
	uint64_t hot_until_ns;	 /* 90 degrees until then, 45 after */
	int32_t trip_mc, max_temp_mc;
	uint64_t warm_ns; /* a load warms by 40 K within this time */
	uint64_t cut_until_ns;
	uint64_t count_ns;	 /* then the hardware counts that it has cut the clock */
	unsigned int steal_read; /* somebody changes the governor at this read ... */
	bool steal_always;	 /* ... and whenever it was put back */
	unsigned int enough_visits;
	/* what came out */
	struct sample rows[MAX_ROWS];
	unsigned int row_count, warnings, asked;
	char warning[1200];
	bool stolen, unplug, hot_load;
	int32_t temp_at_begin_mc;
	uint64_t now_at_begin_ns;
};

static inline struct fake *to_fake(struct machine *m)
{
	return (struct fake *)m;
}

static inline int fake_prepare(struct machine *m, unsigned int cluster, struct err *err)
{
	struct fake *f = to_fake(m);

	(void)cluster;
	f->prepares++;
	return f->prepare_error ? err_set(err, f->prepare_error, "no rights") : 0;
}

static inline int fake_set_opp(struct machine *m, unsigned int cluster, uint32_t khz,
			       struct err *err)
{
	struct fake *f = to_fake(m);

	(void)cluster;
	if (khz == f->refused_khz)
		return err_set(err, -EIO, "%u kHz asked for, 1 kHz set", khz);
	f->khz = f->step_khz ? (khz + f->step_khz - 1) / f->step_khz * f->step_khz : khz;
	f->stolen = false;
	return 0;
}

static inline uint32_t fake_made_khz(struct machine *m, unsigned int cluster)
{
	(void)cluster;
	return to_fake(m)->khz;
}

static inline int fake_read_khz(struct machine *m, unsigned int cluster, uint32_t *khz,
				struct err *err)
{
	(void)cluster;
	(void)err;
	*khz = to_fake(m)->khz;
	return 0;
}

/*
 * What the meter shows now: a value per update, which wobbles by a bit. It is a mean
 * since the update before: where the load changed in between it is of no use.
 */
static inline struct reading meter_value(const struct fake *f, uint64_t update)
{
	static const int wobble[] = { 0, 500, -500, 250, -250 };
	struct reading r = { .volt_uv = 900000 };

	if (f->average_ns) {
		double part = (double)(update * f->period_ns - f->since_ns) /
			      f->average_ns;

		if (update * f->period_ns < f->since_ns)
			part = 0;
		r.power_uw = 100000 + f->cpus * (50000 + (int64_t)f->khz);
		if (part < 1)
			r.power_uw = f->before_uw + part * (r.power_uw - f->before_uw);
		r.power_uw += wobble[update % 5];
		return r;
	}
	if (f->since_ns > (update - 1) * f->period_ns) {
		r.power_uw = 1000 + wobble[update % 5];
		return r;
	}
	r.power_uw = 100000 + f->cpus * (50000 + (int64_t)f->khz);
	if (!f->coarse)
		r.power_uw += wobble[update % 5];
	if (f->garbage && update % 2)
		r.power_uw = 40959375;
	if (f->drift_khz == f->khz)
		r.power_uw += (f->now_ns - f->since_ns) / 20000;
	return r;
}

static inline int fake_read_power(struct machine *m, unsigned int cluster,
				  struct reading *r, struct err *err)
{
	struct fake *f = to_fake(m);
	uint64_t update = f->now_ns / f->period_ns;

	(void)cluster;
	f->reads++;
	if (f->steal_read && f->reads == f->steal_read)
		f->stolen = true;
	if (f->reads >= f->fail_from && f->reads < f->fail_to)
		return err_set(err, -EIO, "bus error");
	if (f->reads >= f->again_from && f->reads < f->again_to)
		return err_set(err, -EAGAIN, "busy");
	if (update != f->update && !(f->stuck_ns && f->now_ns >= f->stuck_ns)) {
		f->shown = meter_value(f, update);
		if (f->grid_uw)
			f->shown.power_uw -= f->shown.power_uw % f->grid_uw;
		f->update = update;
	}
	*r = f->shown;
	if (f->absurd_read && f->reads == f->absurd_read)
		r->power_uw = 4294967295000;
	r->time_ns = f->now_ns;
	return 0;
}

static inline int32_t temp_mc(const struct fake *f)
{
	uint64_t ns = f->now_ns - f->since_ns;

	if (f->now_ns < f->hot_until_ns)
		return 90000;
	if (f->warm_ns && f->loaded)
		return 45000 + (ns < f->warm_ns ? 40000 * ns / f->warm_ns : 40000);
	return 45000;
}

static inline int fake_read_temp(struct machine *m, unsigned int cluster, int32_t *mc,
				 struct err *err)
{
	(void)cluster;
	*mc = temp_mc(to_fake(m));
	return to_fake(m)->no_temp ? err_set(err, -ENOENT, "no thermometer") : 0;
}

static inline int fake_read_trip(struct machine *m, unsigned int cluster, int32_t *mc,
				 struct err *err)
{
	(void)cluster;
	*mc = to_fake(m)->trip_mc;
	return *mc ? 0 : err_set(err, -ENOENT, "no trip point");
}

static inline int fake_verify(struct machine *m, unsigned int cluster, struct err *err)
{
	struct fake *f = to_fake(m);

	(void)cluster;
	if (f->steal_always && f->reads >= f->steal_read)
		f->stolen = true;
	if (f->stolen && f->unplug)
		return err_set(err, -ENODEV, "CPU 3 went offline");
	return f->stolen ? err_set(err, -EBUSY, "governor is 'ondemand'") : 0;
}

static inline int fake_throttled(struct machine *m, unsigned int cluster, bool *yes,
				 struct err *err)
{
	const struct fake *f = to_fake(m);

	(void)cluster;
	(void)err;
	*yes = (f->khz == f->hot_khz && f->cpus == 2) || f->now_ns < f->cut_until_ns;
	return 0;
}

static inline int fake_load_start(struct machine *m, unsigned int cluster,
				  unsigned int ncpus, const char *load, struct err *err)
{
	struct fake *f = to_fake(m);

	(void)cluster;
	(void)load;
	assert_false(f->loaded);
	if (f->start_error && f->starts == 4)
		return err_set(err, f->start_error, "no threads");
	f->starts++;
	/* The first is a try. */
	f->hot_load |= f->starts > 1 && ncpus && temp_mc(f) > 80000;
	f->loaded = true;
	f->cpus = ncpus;
	f->before_uw = f->shown.power_uw;
	f->since_ns = f->now_ns;
	return 0;
}

static inline int fake_read_usage(struct machine *m, unsigned int cluster,
				  struct usage *u, struct err *err)
{
	const struct fake *f = to_fake(m);
	uint64_t ns = f->now_ns - f->since_ns;
	uint64_t khz = f->khz == f->half_khz ? f->khz / 2 : f->khz;

	(void)cluster;
	(void)err;
	*u = (struct usage){ .time_ns = f->now_ns,
			     .busy_known = !f->no_busy,
			     .busy_step_ns = f->busy_step_ns };
	u->busy_ns = ns * f->cpus;
	if (f->cpus < 2)
		u->busy_ns += ns * f->other_busy_pct / 100;
	/* Of what sleeps, that which is no whole tick yet seems to be busy. */
	if (f->ticks)
		u->busy_ns += (2 - f->cpus) * (f->now_ns % (f->busy_step_ns / 2));
	u->work = f->cpus * ns / 1000;
	u->throttles = 7 + (f->count_ns && f->now_ns >= f->count_ns);
	u->counts_cycles = !f->no_cycles;
	u->cycles = f->no_cycles ? 0 : f->cpus * (ns / MS) * khz;
	return 0;
}

static inline int fake_load_stop(struct machine *m, struct err *err)
{
	struct fake *f = to_fake(m);

	(void)err;
	f->stops++;
	if (f->average_ns && f->loaded) {
		f->before_uw = f->shown.power_uw;
		f->since_ns = f->now_ns;
	}
	f->loaded = false;
	f->cpus = 0;
	return 0;
}

static inline uint64_t fake_now_ns(struct machine *m)
{
	return to_fake(m)->now_ns;
}

static inline int fake_sleep_until(struct machine *m, uint64_t ns, struct err *err)
{
	struct fake *f = to_fake(m);

	if (f->interrupt_ns && ns >= f->interrupt_ns)
		return err_set(err, -EINTR, "interrupted");
	if (ns > f->now_ns)
		f->now_ns = ns;
	return 0;
}

static inline int fake_restore(struct machine *m, struct err *err)
{
	struct fake *f = to_fake(m);

	assert_false(f->loaded);
	f->restores++;
	return f->restore_error ? err_set(err, f->restore_error, "governor is gone") : 0;
}

static const struct machine_ops fake_ops = {
	.prepare = fake_prepare,
	.set_opp = fake_set_opp,
	.made_khz = fake_made_khz,
	.read_khz = fake_read_khz,
	.read_power = fake_read_power,
	.read_temp = fake_read_temp,
	.read_trip = fake_read_trip,
	.verify = fake_verify,
	.throttled = fake_throttled,
	.load_start = fake_load_start,
	.read_usage = fake_read_usage,
	.load_stop = fake_load_stop,
	.now_ns = fake_now_ns,
	.sleep_until = fake_sleep_until,
	.restore = fake_restore,
};

static inline int on_begin(void *arg, struct err *err)
{
	struct fake *f = arg;

	f->now_at_begin_ns = f->now_ns;
	assert_int_equal(f->prepares, 1);
	assert_true(f->starts > 0 && f->reads > 0);
	assert_int_equal(f->row_count, 0);
	return f->begin_error ? err_set(err, f->begin_error, "folder is full") : 0;
}

static inline int on_row(void *arg, const struct sample *row, struct err *err)
{
	struct fake *f = arg;

	if (f->row_error && f->row_count == 2)
		return err_set(err, f->row_error, "disk is full");
	assert_true(f->row_count < MAX_ROWS);
	f->rows[f->row_count++] = *row;
	return 0;
}

static inline void on_warn(void *arg, const char *text)
{
	struct fake *f = arg;

	f->warnings++;
	snprintf(f->warning, sizeof(f->warning), "%s", text);
}

static inline int on_enough(void *arg, const struct runner *r, bool *yes, struct err *e)
{
	struct fake *f = arg;

	(void)e;
	f->asked++;
	*yes = r->result.visits >= f->enough_visits;
	return 0;
}

/* 2 CPUs, 3 operating points: 9 windows a round. */
static inline const struct runinfo *bench(bool no_interval)
{
	static struct runinfo info;
	struct runinfo_cluster *cl = &info.clusters[0];

	memset(&info, 0, sizeof(info));
	info.cluster_count = 1;
	strcpy(cl->name, "big");
	cl->cpu_count = 2;
	cl->opp_count = 3;
	for (unsigned int i = 0; i < 3; i++)
		cl->opps[i] = (struct board_opp){ 100000 * (i + 1), 800000 };
	cl->sensor_interval_us = no_interval ? 0 : 100000;
	return &info;
}

/* Of the run that was last. */
static struct runner runner;
static struct err err;

static inline int run_rounds(struct fake *f, unsigned int rounds, uint64_t deadline_ns)
{
	const struct plan_options opts = { .rounds = rounds,
					   .max_rounds = f->enough_visits ? 5 : 0,
					   .seed = 1 };
	const struct runinfo *info = bench(f->no_interval);
	struct plan plan;
	int ret;

	f->machine.ops = &fake_ops;
	f->now_ns = 1000 * MS;
	if (!f->period_ns)
		f->period_ns = 100 * MS;
	memset(&err, 0, sizeof(err));
	assert_int_equal(plan_make(&opts, info, 0, &plan, &err), 0);
	runner = (struct runner){
		.machine = &f->machine,
		.info = info,
		.plan = &plan,
		.hooks = { f, on_begin, on_row, on_warn,
			   f->enough_visits ? on_enough : NULL, NULL },
		.deadline_ns = deadline_ns,
		.max_temp_mc = f->max_temp_mc,
	};
	ret = runner_run(&runner, &err);
	assert_false(f->loaded);
	assert_int_equal(f->restores, 1);
	plan_free(&plan);
	return ret;
}

static inline int run(struct fake *f)
{
	return run_rounds(f, 1, 0);
}

static inline unsigned int flagged(const struct fake *f, uint32_t flag)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < f->row_count; i++)
		n += !!(f->rows[i].flags & flag);
	return n;
}

static inline void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

#endif
