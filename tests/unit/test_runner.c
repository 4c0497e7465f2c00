// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runner on a machine made of a script: what each fault does to rows, and that the
 * machine is put back whatever happens.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

static struct fake *to_fake(struct machine *m)
{
	return (struct fake *)m;
}

static int fake_prepare(struct machine *m, unsigned int cluster, struct err *err)
{
	struct fake *f = to_fake(m);

	(void)cluster;
	f->prepares++;
	return f->prepare_error ? err_set(err, f->prepare_error, "no rights") : 0;
}

static int fake_set_opp(struct machine *m, unsigned int cluster, uint32_t khz,
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

static uint32_t fake_made_khz(struct machine *m, unsigned int cluster)
{
	(void)cluster;
	return to_fake(m)->khz;
}

static int fake_read_khz(struct machine *m, unsigned int cluster, uint32_t *khz,
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
static struct reading meter_value(const struct fake *f, uint64_t update)
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

static int fake_read_power(struct machine *m, unsigned int cluster, struct reading *r,
			   struct err *err)
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

static int32_t temp_mc(const struct fake *f)
{
	uint64_t ns = f->now_ns - f->since_ns;

	if (f->now_ns < f->hot_until_ns)
		return 90000;
	if (f->warm_ns && f->loaded)
		return 45000 + (ns < f->warm_ns ? 40000 * ns / f->warm_ns : 40000);
	return 45000;
}

static int fake_read_temp(struct machine *m, unsigned int cluster, int32_t *mc,
			  struct err *err)
{
	(void)cluster;
	*mc = temp_mc(to_fake(m));
	return to_fake(m)->no_temp ? err_set(err, -ENOENT, "no thermometer") : 0;
}

static int fake_read_trip(struct machine *m, unsigned int cluster, int32_t *mc,
			  struct err *err)
{
	(void)cluster;
	*mc = to_fake(m)->trip_mc;
	return *mc ? 0 : err_set(err, -ENOENT, "no trip point");
}

static int fake_verify(struct machine *m, unsigned int cluster, struct err *err)
{
	struct fake *f = to_fake(m);

	(void)cluster;
	if (f->steal_always && f->reads >= f->steal_read)
		f->stolen = true;
	if (f->stolen && f->unplug)
		return err_set(err, -ENODEV, "CPU 3 went offline");
	return f->stolen ? err_set(err, -EBUSY, "governor is 'ondemand'") : 0;
}

static int fake_throttled(struct machine *m, unsigned int cluster, bool *yes,
			  struct err *err)
{
	const struct fake *f = to_fake(m);

	(void)cluster;
	(void)err;
	*yes = (f->khz == f->hot_khz && f->cpus == 2) || f->now_ns < f->cut_until_ns;
	return 0;
}

static int fake_load_start(struct machine *m, unsigned int cluster, unsigned int ncpus,
			   const char *load, struct err *err)
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

static int fake_read_usage(struct machine *m, unsigned int cluster, struct usage *u,
			   struct err *err)
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
	u->work = f->cpus * ns / 1000;
	u->throttles = 7 + (f->count_ns && f->now_ns >= f->count_ns);
	u->counts_cycles = !f->no_cycles;
	u->cycles = f->no_cycles ? 0 : f->cpus * (ns / MS) * khz;
	return 0;
}

static int fake_load_stop(struct machine *m, struct err *err)
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

static uint64_t fake_now_ns(struct machine *m)
{
	return to_fake(m)->now_ns;
}

static int fake_sleep_until(struct machine *m, uint64_t ns, struct err *err)
{
	struct fake *f = to_fake(m);

	if (f->interrupt_ns && ns >= f->interrupt_ns)
		return err_set(err, -EINTR, "interrupted");
	if (ns > f->now_ns)
		f->now_ns = ns;
	return 0;
}

static int fake_restore(struct machine *m, struct err *err)
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

static int on_begin(void *arg, struct err *err)
{
	struct fake *f = arg;

	f->now_at_begin_ns = f->now_ns;
	assert_int_equal(f->prepares, 1);
	assert_true(f->starts > 0 && f->reads > 0);
	assert_int_equal(f->row_count, 0);
	return f->begin_error ? err_set(err, f->begin_error, "folder is full") : 0;
}

static int on_row(void *arg, const struct sample *row, struct err *err)
{
	struct fake *f = arg;

	if (f->row_error && f->row_count == 2)
		return err_set(err, f->row_error, "disk is full");
	assert_true(f->row_count < MAX_ROWS);
	f->rows[f->row_count++] = *row;
	return 0;
}

static void on_warn(void *arg, const char *text)
{
	struct fake *f = arg;

	f->warnings++;
	snprintf(f->warning, sizeof(f->warning), "%s", text);
}

static int on_enough(void *arg, const struct runner *r, bool *yes, struct err *e)
{
	struct fake *f = arg;

	(void)e;
	f->asked++;
	*yes = r->result.visits >= f->enough_visits;
	return 0;
}

/* 2 CPUs, 3 operating points: 9 windows a round. */
static const struct runinfo *bench(bool no_interval)
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

static struct runner runner;
static struct err err;

static int run_rounds(struct fake *f, unsigned int rounds, uint64_t deadline_ns)
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

static int run(struct fake *f)
{
	return run_rounds(f, 1, 0);
}

static unsigned int flagged(const struct fake *f, uint32_t flag)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < f->row_count; i++)
		n += !!(f->rows[i].flags & flag);
	return n;
}

static void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

static void rows_hold_power_voltage_utilisation_and_clock(void **state)
{
	struct fake f = { .period_ns = 0 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(runner.result.rows, 9);
	assert_int_equal(runner.result.flagged, 0);
	assert_int_equal(f.warnings, 0);
	for (unsigned int i = 0; i < 9; i++) {
		const struct sample *r = &f.rows[i];
		int64_t want = 100000 + r->cpu_count * (50000 + (int64_t)r->opp_khz);

		assert_string_equal(r->cluster, "big");
		assert_string_equal(r->load, r->cpu_count ? "int" : "idle");
		assert_int_equal(r->freq_khz, r->opp_khz);
		assert_int_equal(r->volt_uv, 900000);
		assert_int_equal(r->temp_mc, 45000);
		assert_int_equal(r->reads, runner.timing.reads);
		/* Nothing of the load before is in it. */
		assert_in_range(r->power_uw, want - 300, want + 300);
		assert_in_range(r->power_sd_uw, 100, 700);
		assert_true(r->util_pct == 100.0 * r->cpu_count);
		assert_int_equal(r->cycles != 0, r->cpu_count != 0);
		assert_int_equal(r->work != 0, r->cpu_count != 0);
	}
}

static void windows_last_many_ticks_where_cpus_sleep(void **state)
{
	struct fake f = { .busy_step_ns = 2 * 10 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_true(runner.timing.reads < 8);
	for (unsigned int i = 0; i < f.row_count; i++)
		assert_int_equal(f.rows[i].reads,
				 f.rows[i].cpu_count < 2 ? 8 : runner.timing.reads);
}

static void a_reading_polled_often_counts_once(void **state)
{
	struct fake f = { .period_ns = 0 };

	(void)state;
	assert_int_equal(run(&f), 0);
	/* Each row covers its readings' time and no more. */
	for (unsigned int i = 0; i < f.row_count; i++)
		if (f.rows[i].cpu_count == 1)
			assert_in_range(f.rows[i].work * 1000,
					(runner.timing.reads - 0.2) * 100 * MS,
					(runner.timing.reads + 0.2) * 100 * MS);
	assert_true(f.reads > 9 * runner.timing.reads);
}

static void updates_that_repeat_a_coarse_value_count_all_the_same(void **state)
{
	struct fake f = { .coarse = true };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	for (unsigned int i = 0; i < 9; i++) {
		assert_int_equal(f.rows[i].reads, runner.timing.reads);
		assert_int_equal(f.rows[i].power_sd_uw, 0);
	}
	assert_int_equal(flagged(&f, SAMPLE_STALE), 0);
}

static void a_meter_slower_than_it_says_gets_longer_windows(void **state)
{
	struct fake f = { .period_ns = 400 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "its driver says 100 ms");
	assert_in_range(runner.timing.slot_ns, 380 * MS, 420 * MS);
	for (unsigned int i = 0; i < f.row_count; i++) {
		const struct sample *r = &f.rows[i];
		int64_t want = 100000 + r->cpu_count * (50000 + (int64_t)r->opp_khz);

		assert_in_range(r->power_uw, want - 400, want + 400);
	}
}

static void a_meter_that_averages_over_many_updates_is_waited_for(void **state)
{
	struct fake f = { .average_ns = 1000 * MS, .drift_khz = 1 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "big: the meter averages: a change of load shows after ");
	assert_in_range(runner.traits.response_ns, 800 * MS, 1100 * MS);
	assert_in_range(runner.timing.lead_ns, 1600 * MS, 2200 * MS);
	for (unsigned int i = 0; i < f.row_count; i++) {
		int64_t uw = 100000 +
			     f.rows[i].cpu_count * (50000 + (int64_t)f.rows[i].opp_khz);

		assert_in_range(f.rows[i].power_uw, uw - 1000, uw + 1000);
	}
}

static void a_coarse_meter_is_read_more_often(void **state)
{
	struct fake f = { .grid_uw = 70000, .drift_khz = 1 };
	struct fake fine = { .drift_khz = 1 };

	(void)state;
	assert_int_equal(run(&fine), 0);
	assert_int_equal(fine.warnings, 0);
	assert_int_equal(run(&f), 0);
	assert_says(f.warning,
		    "big: the meter is coarse: its values are 70 mW apart; windows "
		    "are made to fit");
	/* Steps of 70 in 560 mW: 1 % of a window takes 14 readings. */
	assert_int_equal(f.rows[0].reads, 14);
	assert_int_equal(fine.rows[0].reads, 4);
}

static void an_unknown_interval_is_found_by_looking(void **state)
{
	struct fake f = { .no_interval = true, .period_ns = 30 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_in_range(runner.timing.slot_ns, 28 * MS, 32 * MS);
	assert_int_equal(f.row_count, 9);
}

static void a_fuel_gauge_that_is_new_once_a_minute_has_windows_to_fit(void **state)
{
	struct fake f = { .no_interval = true, .period_ns = 60000 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_in_range(runner.timing.slot_ns, 58000 * MS, 62000 * MS);
	assert_false(runner.traits.still);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(runner.result.flagged, 0);
	for (unsigned int i = 0; i < 9; i++)
		assert_in_range(f.rows[i].power_uw,
				99000 + f.rows[i].cpu_count * (50000 + f.rows[i].opp_khz),
				101000 + f.rows[i].cpu_count *
						 (50000 + f.rows[i].opp_khz));
	assert_says(f.warning, "with that meter a window takes ");
	assert_says(f.warning, "lower its poll interval");
}

static void a_meter_without_interval_is_stuck_after_three_minutes_only(void **state)
{
	struct fake f = { .no_interval = true, .stuck_ns = 1 };

	(void)state;
	run(&f);
	assert_true(runner.traits.still);
	assert_in_range(f.now_at_begin_ns, 200000 * MS, 260000 * MS);
}

static void the_time_limit_ends_the_watching_of_a_slow_meter(void **state)
{
	struct fake f = { .no_interval = true, .period_ns = 60000 * MS };

	(void)state;
	assert_int_equal(run_rounds(&f, 1, 100000 * MS), 0);
	assert_true(runner.result.out_of_time);
	assert_false(runner.traits.still);
	assert_int_equal(f.row_count, 0);
	assert_true(f.now_ns < 135000 * MS);
}

static void a_read_that_fails_is_counted_and_is_no_zero(void **state)
{
	struct fake f = { .fail_from = 60, .fail_to = 62 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(runner.result.bad_reads, 2);
	assert_int_equal(flagged(&f, SAMPLE_BAD_READS), 1);
	for (unsigned int i = 0; i < 9; i++)
		assert_true(f.rows[i].power_uw > 99000);
}

static void a_value_that_no_cpu_draws_is_a_bad_read(void **state)
{
	struct fake f = { .absurd_read = 60 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(runner.result.bad_reads, 1);
	assert_int_equal(flagged(&f, SAMPLE_BAD_READS), 1);
	for (unsigned int i = 0; i < 9; i++)
		assert_true(f.rows[i].power_uw < 1000000);
}

static void try_again_is_not_a_bad_read(void **state)
{
	struct fake f = { .again_from = 60, .again_to = 62 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(runner.result.bad_reads, 0);
	assert_int_equal(runner.result.flagged, 0);
}

static void a_meter_that_dies_ends_the_run_with_the_rows_so_far(void **state)
{
	struct fake f = { .fail_from = 60, .fail_to = UINT32_MAX };

	(void)state;
	assert_int_equal(run(&f), -EIO);
	assert_says(err.msg, "gave no reading in 3 windows: bus error");
	assert_in_range(f.row_count, 1, 8);
	assert_int_equal(runner.result.lost, 3);
}

static void a_meter_that_never_reads_is_told_at_once(void **state)
{
	struct fake f = { .fail_from = 1, .fail_to = UINT32_MAX };

	(void)state;
	assert_int_equal(run(&f), -EIO);
	assert_says(err.msg, "gives no reading: bus error");
	assert_int_equal(f.row_count, 0);
}

static void a_stuck_meter_flags_every_row_from_there(void **state)
{
	struct fake f = { .stuck_ns = 5000 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	for (unsigned int i = 0; i < 9; i++)
		if (f.rows[i].time_ns > 5600 * MS)
			assert_true(f.rows[i].flags & SAMPLE_STALE);
		else if (f.rows[i].time_ns < 4400 * MS)
			assert_false(f.rows[i].flags & SAMPLE_STALE);
	assert_true(flagged(&f, SAMPLE_STALE) >= 2);
}

static void garbage_in_the_registers_is_no_power(void **state)
{
	struct fake f = { .garbage = true };

	(void)state;
	assert_int_equal(run(&f), 0);
	for (unsigned int i = 0; i < f.row_count; i++)
		assert_int_equal(!!(f.rows[i].flags & SAMPLE_ERRATIC),
				 f.rows[i].cpu_count > 0);
}

static void half_the_clock_is_recorded_and_flagged(void **state)
{
	struct fake f = { .half_khz = 200000 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(flagged(&f, SAMPLE_CLOCK), 2);
	for (unsigned int i = 0; i < 9; i++) {
		bool half = f.rows[i].opp_khz == 200000 && f.rows[i].cpu_count;

		assert_int_equal(f.rows[i].freq_khz, half ? 100000 : f.rows[i].opp_khz);
	}
}

static void other_tasks_count_as_use_but_not_against_the_clock(void **state)
{
	struct fake f = { .other_busy_pct = 10 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(flagged(&f, SAMPLE_CLOCK), 0);
	for (unsigned int i = 0; i < 9; i++)
		if (f.rows[i].cpu_count == 1)
			assert_true(f.rows[i].util_pct == 110);
}

static void a_throttled_row_is_flagged(void **state)
{
	struct fake f = { .hot_khz = 300000 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(flagged(&f, SAMPLE_THROTTLED), 1);
}

static void a_row_that_a_limit_cut_is_taken_again_when_it_no_longer_does(void **state)
{
	struct fake f = { .hot_until_ns = 0 };

	(void)state;
	/* Past the beginning, into the first windows. */
	f.cut_until_ns = 6000 * MS;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	assert_true(runner.result.rows_retaken >= 1);
	assert_true(runner.result.cooling_ns > 0);
	assert_int_equal(flagged(&f, SAMPLE_THROTTLED), 0);
}

static void a_throttle_count_that_moves_spoils_the_window_it_moves_in(void **state)
{
	struct fake calm = { .period_ns = 0 };
	uint64_t begin_ns;

	(void)state;
	assert_int_equal(run(&calm), 0);
	begin_ns = calm.rows[4].time_ns;
	for (unsigned int i = 0; i < 2; i++) {
		struct fake before = { .count_ns = begin_ns - i * 50 * MS };
		struct fake inside = { .count_ns = begin_ns + 1 + i * 200 * MS };

		assert_int_equal(run(&before), 0);
		assert_int_equal(runner.result.rows_retaken, 0);
		assert_int_equal(flagged(&before, SAMPLE_THROTTLED), 0);
		assert_int_equal(run(&inside), 0);
		assert_int_equal(runner.result.rows_retaken, 1);
		assert_int_equal(flagged(&inside, SAMPLE_THROTTLED), 0);
		assert_true(inside.rows[4].time_ns > begin_ns);
		assert_true(inside.rows[3].time_ns == calm.rows[3].time_ns);
	}
}

static void no_load_starts_above_the_trip_point(void **state)
{
	struct fake f = { .hot_until_ns = 20000 * MS, .trip_mc = 80000 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_false(f.hot_load);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(runner.result.flagged, 0);
	assert_in_range(runner.result.cooling_ns, 15000 * MS, 20000 * MS);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "big: 90 degrees, too hot to go on (no load starts above "
			       "75)");
}

static void a_machine_that_does_not_cool_ends_the_run(void **state)
{
	struct fake f = { .hot_until_ns = UINT64_MAX, .trip_mc = 80000 };
	struct fake asked = { .max_temp_mc = 40000 };

	(void)state;
	assert_int_equal(run(&f), -ETIME);
	assert_says(err.msg, "'big' is at 90 degrees after 120 s of idling, and no load "
			     "starts above 75: cool it, or allow more with --max-temp");
	assert_int_equal(run(&asked), -ETIME);
	assert_says(err.msg, "no load starts above 40");
	assert_int_equal(asked.row_count, 0);
}

static void measuring_begins_when_it_no_longer_warms(void **state)
{
	struct fake f = { .warm_ns = 8000 * MS };
	struct fake cold = { .no_temp = true };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_true(f.rows[0].time_ns > 9000 * MS);
	assert_int_equal(run(&cold), 0);
	assert_true(cold.rows[0].time_ns < 5000 * MS);
}

static void a_window_in_which_the_temperature_runs_away_is_taken_again(void **state)
{
	/* 16 K within the first window. */
	struct fake f = { .warm_ns = 1000 * MS };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	/* By the next try it has settled. */
	assert_int_equal(runner.result.flagged, 0);
	for (unsigned int i = 0; i < 9; i++)
		if (f.rows[i].cpu_count)
			assert_in_range(f.rows[i].temp_mc, 82000, 85000);
}

static void settings_that_somebody_changed_are_set_again(void **state)
{
	struct fake f = { .steal_read = 100 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(f.row_count, 9);
	assert_int_equal(runner.result.stolen, 1);
	assert_int_equal(runner.result.flagged, 0);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "governor is 'ondemand'; set again, window taken again");
}

static void somebody_who_keeps_changing_settings_ends_the_run(void **state)
{
	struct fake f = { .steal_read = 100, .steal_always = true };

	(void)state;
	assert_int_equal(run(&f), -EBUSY);
	assert_int_equal(runner.result.stolen, 3);
	assert_in_range(f.row_count, 1, 8);
	assert_says(err.msg, "another program keeps changing its clock settings "
			     "(governor is 'ondemand'); stop that program");
}

static void a_cpu_that_stays_away_ends_the_run_in_its_own_words(void **state)
{
	struct fake f = { .steal_read = 100, .steal_always = true, .unplug = true };

	(void)state;
	assert_int_equal(run(&f), -ENODEV);
	assert_int_equal(runner.result.stolen, 3);
	assert_in_range(f.row_count, 1, 8);
	assert_says(err.msg, "cluster 'big': CPU 3 went offline; stop what plugs CPUs");
}

static void visits_go_on_until_the_result_is_precise_enough(void **state)
{
	struct fake f = { .enough_visits = 7 };
	struct fake at_once = { .enough_visits = 1 };
	struct fake never = { .enough_visits = 100 };

	(void)state;
	assert_int_equal(run(&f), 0);
	assert_int_equal(runner.result.visits, 7);
	assert_int_equal(f.row_count, 7 * 3);
	assert_int_equal(f.asked, 5);
	/* One round in any case, five and no more. */
	assert_int_equal(run(&at_once), 0);
	assert_int_equal(at_once.row_count, 9);
	assert_int_equal(run(&never), 0);
	assert_int_equal(never.row_count, 5 * 9);
}

static void power_that_still_drifts_is_flagged(void **state)
{
	struct fake f = { .drift_khz = 200000 };

	(void)state;
	assert_int_equal(run_rounds(&f, 8, 0), 0);
	assert_true(flagged(&f, SAMPLE_UNSETTLED) >= 3);
	for (unsigned int i = 0; i < f.row_count; i++)
		if (f.rows[i].flags & SAMPLE_UNSETTLED)
			assert_int_equal(f.rows[i].opp_khz, 200000);
}

static void what_the_machine_cannot_tell_is_left_open(void **state)
{
	struct fake f = { .no_cycles = true, .no_busy = true, .no_temp = true };

	(void)state;
	assert_int_equal(run(&f), 0);
	for (unsigned int i = 0; i < 9; i++) {
		assert_int_equal(f.rows[i].temp_mc, SAMPLE_TEMP_UNKNOWN);
		assert_int_equal(f.rows[i].cycles, 0);
		assert_int_equal(f.rows[i].freq_khz, f.rows[i].opp_khz);
		assert_true(f.rows[i].util_pct == 100.0 * f.rows[i].cpu_count);
	}
}

static void an_opp_that_is_refused_is_skipped_in_all_rounds(void **state)
{
	struct fake f = { .refused_khz = 200000 };

	(void)state;
	assert_int_equal(run_rounds(&f, 2, 0), 0);
	assert_int_equal(f.row_count, 12);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "big: 200 MHz skipped: 200000 kHz asked for, 1 kHz set");
	assert_int_equal(runner.result.visits_skipped, 2);
	for (unsigned int i = 0; i < f.row_count; i++)
		assert_int_not_equal(f.rows[i].opp_khz, 200000);
}

static void rows_tell_the_clock_that_the_driver_makes_of_a_point(void **state)
{
	struct fake f = { .step_khz = 78741 };

	(void)state;
	assert_int_equal(run_rounds(&f, 2, 0), 0);
	assert_int_equal(f.row_count, 18);
	assert_int_equal(f.warnings, 1);
	assert_says(f.warning, "big: the driver makes ");
	assert_says(f.warning, ": rows tell the clocks that it makes");
	for (unsigned int i = 0; i < f.row_count; i++) {
		assert_int_equal(f.rows[i].opp_khz % 78741, 0);
		assert_int_equal(f.rows[i].freq_khz, f.rows[i].opp_khz);
		/* That of 100 MHz is not that of 157. */
		assert_int_equal(f.rows[i].flags, 0);
	}
}

static void points_of_one_clock_are_measured_once(void **state)
{
	struct fake f = { .step_khz = 150000 };
	unsigned int high = 0;

	(void)state;
	assert_int_equal(run_rounds(&f, 2, 0), 0);
	assert_int_equal(f.row_count, 12);
	assert_int_equal(runner.result.visits_skipped, 2);
	for (unsigned int i = 0; i < f.row_count; i++)
		high += f.rows[i].opp_khz == 300000;
	assert_int_equal(high, 6);
}

static void a_signal_ends_the_run_with_the_rows_so_far(void **state)
{
	struct fake f = { .interrupt_ns = 6000 * MS };

	(void)state;
	assert_int_equal(run(&f), -EINTR);
	assert_string_equal(err.msg, "interrupted");
	assert_in_range(f.row_count, 1, 8);
	assert_true(f.stops >= f.starts);
}

static void the_deadline_ends_the_run_in_good_order(void **state)
{
	struct fake f = { .period_ns = 0 };

	(void)state;
	assert_int_equal(run_rounds(&f, 1, 6000 * MS), 0);
	assert_true(runner.result.out_of_time);
	assert_in_range(f.row_count, 1, 8);
	assert_true(f.now_ns <= 6100 * MS);
}

static void an_error_while_preparing_ends_before_any_load(void **state)
{
	struct fake f = { .prepare_error = -EACCES };

	(void)state;
	assert_int_equal(run(&f), -EACCES);
	assert_string_equal(err.msg, "no rights");
	assert_int_equal(f.starts, 0);
}

static void every_error_on_the_way_stops_the_load_and_restores(void **state)
{
	struct fake begin = { .begin_error = -EROFS };
	struct fake row = { .row_error = -ENOSPC };
	struct fake start = { .start_error = -EAGAIN };

	(void)state;
	assert_int_equal(run(&begin), -EROFS);
	assert_string_equal(err.msg, "folder is full");
	assert_int_equal(run(&row), -ENOSPC);
	assert_string_equal(err.msg, "disk is full");
	assert_int_equal(row.row_count, 2);
	assert_int_equal(run(&start), -EAGAIN);
	assert_string_equal(err.msg, "no threads");
}

static void a_restore_that_fails_is_never_silent(void **state)
{
	struct fake f = { .restore_error = -EIO };
	struct fake both = { .restore_error = -EIO, .row_error = -ENOSPC };

	(void)state;
	assert_int_equal(run(&f), -EIO);
	assert_string_equal(err.msg, "could not put everything back: governor is gone");
	assert_int_equal(f.row_count, 9);
	assert_int_equal(run(&both), -EIO);
	assert_says(err.msg, "governor is gone; before that: disk is full");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_hold_power_voltage_utilisation_and_clock),
		cmocka_unit_test(windows_last_many_ticks_where_cpus_sleep),
		cmocka_unit_test(a_reading_polled_often_counts_once),
		cmocka_unit_test(updates_that_repeat_a_coarse_value_count_all_the_same),
		cmocka_unit_test(a_meter_slower_than_it_says_gets_longer_windows),
		cmocka_unit_test(a_meter_that_averages_over_many_updates_is_waited_for),
		cmocka_unit_test(a_coarse_meter_is_read_more_often),
		cmocka_unit_test(an_unknown_interval_is_found_by_looking),
		cmocka_unit_test(
			a_fuel_gauge_that_is_new_once_a_minute_has_windows_to_fit),
		cmocka_unit_test(
			a_meter_without_interval_is_stuck_after_three_minutes_only),
		cmocka_unit_test(the_time_limit_ends_the_watching_of_a_slow_meter),
		cmocka_unit_test(a_read_that_fails_is_counted_and_is_no_zero),
		cmocka_unit_test(a_value_that_no_cpu_draws_is_a_bad_read),
		cmocka_unit_test(try_again_is_not_a_bad_read),
		cmocka_unit_test(a_meter_that_dies_ends_the_run_with_the_rows_so_far),
		cmocka_unit_test(a_meter_that_never_reads_is_told_at_once),
		cmocka_unit_test(a_stuck_meter_flags_every_row_from_there),
		cmocka_unit_test(garbage_in_the_registers_is_no_power),
		cmocka_unit_test(half_the_clock_is_recorded_and_flagged),
		cmocka_unit_test(other_tasks_count_as_use_but_not_against_the_clock),
		cmocka_unit_test(a_throttled_row_is_flagged),
		cmocka_unit_test(
			a_throttle_count_that_moves_spoils_the_window_it_moves_in),
		cmocka_unit_test(
			a_row_that_a_limit_cut_is_taken_again_when_it_no_longer_does),
		cmocka_unit_test(no_load_starts_above_the_trip_point),
		cmocka_unit_test(a_machine_that_does_not_cool_ends_the_run),
		cmocka_unit_test(measuring_begins_when_it_no_longer_warms),
		cmocka_unit_test(
			a_window_in_which_the_temperature_runs_away_is_taken_again),
		cmocka_unit_test(settings_that_somebody_changed_are_set_again),
		cmocka_unit_test(somebody_who_keeps_changing_settings_ends_the_run),
		cmocka_unit_test(a_cpu_that_stays_away_ends_the_run_in_its_own_words),
		cmocka_unit_test(visits_go_on_until_the_result_is_precise_enough),
		cmocka_unit_test(power_that_still_drifts_is_flagged),
		cmocka_unit_test(what_the_machine_cannot_tell_is_left_open),
		cmocka_unit_test(an_opp_that_is_refused_is_skipped_in_all_rounds),
		cmocka_unit_test(rows_tell_the_clock_that_the_driver_makes_of_a_point),
		cmocka_unit_test(points_of_one_clock_are_measured_once),
		cmocka_unit_test(a_signal_ends_the_run_with_the_rows_so_far),
		cmocka_unit_test(the_deadline_ends_the_run_in_good_order),
		cmocka_unit_test(an_error_while_preparing_ends_before_any_load),
		cmocka_unit_test(every_error_on_the_way_stops_the_load_and_restores),
		cmocka_unit_test(a_restore_that_fails_is_never_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
