// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading rails over a window: at its begin and its end by the caller, in between by a
 * thread that allocates nothing, or as virtual time passes.
 */
#include "calib/bench/rails.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/bench/rails_internal.h"
#include "calib/linux/meters_stream.h"
#include "calib/measure/stop.h"

#define PERIOD_NS     10000000u /* between reads of a meter that does not tell its own */
#define PERIOD_MIN_NS 2000000u
#define PERIOD_MAX_NS 50000000u
#define COUNTER_NS    100000000u /* often enough that no counter wraps in between */
#define MEAN_MAX_NS   2000000000u

void rails_note(const struct rails *r, const char *fmt, ...)
{
	char text[sizeof(struct err) + 256];
	va_list ap;

	if (!r->settings || !r->settings->note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->settings->note(r->settings->note_arg, text);
}

static void read_virtual(struct rails *r, struct rail *rail)
{
	uint32_t volt_uv;
	int64_t uw;

	if (!virtual_read_meter(r->virt, rail->sensor, &uw, &volt_uv))
		rail_sum_add(&rail->sum, virtual_now_ns(r->virt), uw);
}

static unsigned int lost(const struct rail *rail)
{
	unsigned int lost = 0;
	double uj;

	power_meter_counted(&rail->pm, &uj, &lost);
	return lost;
}

static void read_real(struct rail *rail)
{
	unsigned int before = lost(rail);
	struct reading reading;
	struct err why = { "" };
	int ret = power_meter_read(&rail->pm, stop_now_ns(), &reading, &why);

	/* -EAGAIN: a counter that has not moved since it was opened, and the like; it is
	 * no more than the reason where there is no other. */
	rail->failed = ret && ret != -EAGAIN;
	rail->fails += rail->failed;
	if (rail->failed || lost(rail) != before || (ret && !rail->why.msg[0]))
		rail->why = why;
	/* The mean of those that it was told one by one is older than the last. */
	if (!ret && !rail->info.counted)
		rail_sum_add(&rail->sum, reading.time_ns, reading.power_uw);
}

static void take_reading(void *arg, uint64_t time_ns, double power_uw)
{
	struct rail *rail = arg;

	rail_sum_add(&rail->sum, time_ns, power_uw);
}

static void read_all(struct rails *r)
{
	uint64_t to_ns = atomic_load(&r->to_ns);

	for (unsigned int i = 0; i < r->count; i++) {
		struct rail *rail = &r->rails[i];

		if (to_ns)
			rail_sum_until(&rail->sum, to_ns);
		if (r->virt)
			read_virtual(r, rail);
		else
			read_real(rail);
	}
}

uint64_t rails_after_ns(const struct rails *r)
{
	uint64_t ns = 0;

	for (unsigned int i = 0; i < r->count; i++)
		if (r->rails[i].after_ns > ns)
			ns = r->rails[i].after_ns;
	return ns;
}

/* When the window that has ended can be reckoned. 0: it has not ended. */
static uint64_t end_of_reads(const struct rails *r)
{
	uint64_t to_ns = atomic_load(&r->to_ns);

	return to_ns ? to_ns + rails_after_ns(r) : 0;
}

/* A slow meter's readings change soon after the begin and after the end; when they did is
 * known to half of the time between reads. */
static uint64_t time_to_next(const struct rails *r, uint64_t now_ns)
{
	bool changes = atomic_load(&r->to_ns) || now_ns < r->from_ns + rails_after_ns(r);

	return changes && r->period_ns > PERIOD_NS ? PERIOD_NS : r->period_ns;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = ns / 1000000000u,
				  .tv_nsec = ns % 1000000000u };
}

static void *sample(void *arg)
{
	struct rails *r = arg;
	uint64_t next = r->from_ns, end;

	for (;;) {
		struct timespec at;

		next += time_to_next(r, next);
		/* Where it was late, or stood still, it does not catch up. */
		if (next < stop_now_ns())
			next = stop_now_ns() + time_to_next(r, next);
		end = end_of_reads(r);
		if (end && next > end)
			next = end;
		at = to_timespec(next);
		pthread_mutex_lock(&r->lock);
		while (end_of_reads(r) == end &&
		       !pthread_cond_timedwait(&r->wake, &r->lock, &at))
			;
		/* When the end is known now, the next one is sooner. */
		if (end_of_reads(r) == end)
			read_all(r);
		else
			next = stop_now_ns();
		pthread_mutex_unlock(&r->lock);
		end = end_of_reads(r);
		if (end && stop_now_ns() >= end)
			return NULL;
	}
}

static int start_thread(struct rails *r, struct err *err)
{
	pthread_condattr_t attr;
	int ret;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->wake, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&r->lock, NULL);
	ret = pthread_create(&r->thread, NULL, sample, r);
	if (ret)
		return err_errno(err, -ret, "cannot start the thread that reads meters");
	r->running = true;
	return 0;
}

static void begin_counter(struct rail *rail)
{
	rail->begin_failed = rail->failed;
	power_meter_counted(&rail->pm, &rail->begin_uj, &rail->begin_lost);
}

int rails_begin(struct rails *r, struct err *err)
{
	r->from_ns = r->virt ? virtual_now_ns(r->virt) : stop_now_ns();
	atomic_store(&r->to_ns, 0);
	for (unsigned int i = 0; i < r->count; i++)
		rail_sum_begin(&r->rails[i].sum, r->from_ns, r->rails[i].mean_ns);
	read_all(r);
	for (unsigned int i = 0; i < r->count; i++)
		r->rails[i].fails = 0;
	for (unsigned int i = 0; i < r->count && !r->virt; i++)
		begin_counter(&r->rails[i]);
	return r->virt || !r->count ? 0 : start_thread(r, err);
}

/* The thread goes on until the last reading that counts has come. */
static void end_thread(struct rails *r, uint64_t to_ns)
{
	if (!r->running)
		return;
	pthread_mutex_lock(&r->lock);
	atomic_store(&r->to_ns, to_ns);
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->wake);
	r->running = false;
}

/* Since it was opened: many a hypervisor shows counters that stand still. */
static bool has_moved(struct rail *rail, double uj, unsigned int lost)
{
	if (uj > 0 || lost)
		return true;
	err_set(&rail->why, 0, "sensor %s: its energy counter has not moved yet",
		rail->info.name);
	return false;
}

static void take_counters(struct rails *r, struct rails_energy *e)
{
	for (unsigned int i = 0; i < r->count; i++) {
		struct rail *rail = &r->rails[i];
		unsigned int lost;
		double uj;

		if (!power_meter_counted(&rail->pm, &uj, &lost))
			continue;
		e->known[i] = lost == rail->begin_lost && !rail->begin_failed &&
			      !rail->failed && has_moved(rail, uj, lost);
		e->uj[i] = uj - rail->begin_uj;
	}
}

/* What the meter's noise and the times of its updates make of so short a window is more
 * than what was drawn in it. */
static bool is_too_short(struct rail *rail, const struct rails_energy *e)
{
	uint64_t window_ns = e->to_ns - e->from_ns;

	if (window_ns >= rail->mean_ns / 10)
		return false;
	err_set(&rail->why, 0,
		"sensor %s: %.2g s is less than a tenth of what its readings are of "
		"(%.2g s); let each run last longer",
		rail->info.name, window_ns * 1e-9, rail->mean_ns * 1e-9);
	return true;
}

/*
 * Reads that fail now and then leave no hole that matters, but nobody knows what comes
 * after the last. One that was late was no hole, unless the readings' own times say so.
 */
static bool is_whole(struct rail *rail, const struct rails_energy *e)
{
	uint64_t hole_max = (e->to_ns - e->from_ns) / 10;

	if (hole_max < 4 * rail->mean_ns)
		hole_max = 4 * rail->mean_ns;
	if (is_too_short(rail, e))
		return false;
	if (rail->failed || rail->fails > (rail->sum.reads + rail->fails) / 10)
		return false;
	if (!rail->timed || rail->sum.hole_ns <= hole_max)
		return true;
	err_set(&rail->why, 0, "sensor %s: no reading came for %.2g s",
		rail->pm.info.name, rail->sum.hole_ns * 1e-9);
	return false;
}

static void take_sums(struct rails *r, uint64_t to_ns, struct rails_energy *e)
{
	for (unsigned int i = 0; i < r->count; i++) {
		struct rail *rail = &r->rails[i];

		if (rail->info.counted)
			continue;
		rail_sum_until(&rail->sum, to_ns);
		e->known[i] = rail_sum_end(&rail->sum, &e->uj[i]) && is_whole(rail, e);
		e->reads[i] = rail->sum.reads;
	}
}

static void note_failures(struct rails *r, const struct rails_energy *e)
{
	for (unsigned int i = 0; i < r->count; i++) {
		struct rail *rail = &r->rails[i];

		if (e->known[i] || rail->noted)
			continue;
		rails_note(r, "no energy is known: %s", rail->why.msg);
		rail->noted = true;
	}
}

void rails_end(struct rails *r, uint64_t to_ns, struct rails_energy *out)
{
	struct rails_energy energy, *e = out ? out : &energy;

	*e = (struct rails_energy){ .from_ns = r->from_ns, .to_ns = to_ns };
	if (r->virt) {
		atomic_store(&r->to_ns, to_ns);
		rails_pass(r, end_of_reads(r));
	} else if (r->running) {
		pthread_mutex_lock(&r->lock);
		/* So much of what has come is beyond the window. */
		for (unsigned int i = 0; i < r->count; i++)
			rail_sum_until(&r->rails[i].sum, to_ns);
		read_all(r);
		take_counters(r, e);
		pthread_mutex_unlock(&r->lock);
		end_thread(r, to_ns);
	}
	take_sums(r, to_ns, e);
	if (out)
		note_failures(r, e);
}

void rails_pass(struct rails *r, uint64_t ns)
{
	while (virtual_now_ns(r->virt) + r->period_ns < ns) {
		virtual_advance(r->virt, virtual_now_ns(r->virt) + r->period_ns);
		read_all(r);
	}
	virtual_advance(r->virt, ns);
	read_all(r);
}

bool rails_total(const struct rails *r, const struct rails_energy *e, double *uj)
{
	bool any = false;

	*uj = 0;
	for (unsigned int i = 0; i < r->count; i++) {
		if (!r->rails[i].info.summed)
			continue;
		if (!e->known[i])
			return false;
		*uj += e->uj[i];
		any = true;
	}
	return any;
}

unsigned int rails_count(const struct rails *r)
{
	return r->count;
}

const struct rail_info *rails_info(const struct rails *r, unsigned int i)
{
	return &r->rails[i].info;
}

/* What a reading is the mean of, how late it may come, and how often to read. */
static uint64_t find_times_of(struct rail *rail)
{
	uint64_t ns = rail->info.interval_us * UINT64_C(1000), period;

	if (stream_is_aligned(&rail->pm))
		ns = stream_interval_ns(&rail->pm);
	period = ns ? ns / 2 : PERIOD_NS;
	if (period < PERIOD_MIN_NS)
		period = PERIOD_MIN_NS;
	rail->timed = power_meter_timed(&rail->pm);
	if (period > PERIOD_MAX_NS || rail->timed)
		period = PERIOD_MAX_NS;
	/* It is the mean of what has come since the last read. */
	if (rail->pm.info.buffered && !rail->timed && ns < period)
		ns = period;
	rail->mean_ns = ns < MEAN_MAX_NS ? ns : MEAN_MAX_NS;
	rail->after_ns = 2 * rail->mean_ns;
	if (stream_is_aligned(&rail->pm))
		rail->after_ns += stream_lag_ns(&rail->pm);
	return period;
}

static void find_times(struct rails *r)
{
	r->period_ns = COUNTER_NS;
	for (unsigned int i = 0; i < r->count; i++) {
		uint64_t period = COUNTER_NS;

		if (!r->rails[i].info.counted)
			period = find_times_of(&r->rails[i]);
		if (period < r->period_ns)
			r->period_ns = period;
	}
}

int rails_open(const struct rails_options *opt, struct rails **out, struct err *err)
{
	struct rails *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	r->settings = opt->settings;
	ret = meters_open(&r->meters, opt->settings->sys, opt->power_from, err);
	if (!ret)
		ret = rails_choose(r, opt, err);
	if (!ret)
		ret = rails_find_clock(r, err);
	if (ret) {
		rails_close(r);
		return ret;
	}
	rails_find_overlaps(r);
	find_times(r);
	for (unsigned int i = 0; i < r->count; i++) {
		struct rail *rail = &r->rails[i];

		rail->told = (struct meter_told){ take_reading, rail };
		power_meter_each(&rail->pm, &rail->told);
	}
	*out = r;
	return 0;
}

static bool changes_settings(const struct rails *r)
{
	for (unsigned int i = 0; i < r->count; i++)
		if (power_meter_changes(&r->rails[i].pm, r->settings->sys))
			return true;
	return false;
}

static int save_settings(struct rails *r, struct err *err)
{
	int ret = settings_hold(r->settings, err);

	for (unsigned int i = 0; i < r->count && !ret; i++)
		ret = power_meter_save(&r->rails[i].pm, &r->settings->state, err);
	return ret ? ret : settings_commit(r->settings, err);
}

/* Until those that were off have measured for a whole interval, and some time to spare.
 */
static int start_all(struct rails *r, struct err *err)
{
	uint64_t ready_ns = stop_now_ns(), first_ns;
	int ret = 0;

	for (unsigned int i = 0; i < r->count && !ret; i++) {
		struct rail *rail = &r->rails[i];
		bool changes = power_meter_changes(&rail->pm, r->settings->sys);

		ret = power_meter_start(&rail->pm, r->settings->sys, r->settings->note,
					r->settings->note_arg, err);
		first_ns = stop_now_ns() + rail->after_ns / 4 * 5;
		if (rail->pm.info.enable[0] && changes && ready_ns < first_ns)
			ready_ns = first_ns;
	}
	if (!ret && stop_sleep_until(ready_ns))
		ret = err_set(err, -EINTR, "interrupted");
	return ret;
}

int rails_start(struct rails *r, struct err *err)
{
	int ret;

	if (r->virt || r->started || !changes_settings(r))
		return 0;
	ret = save_settings(r, err);
	if (!ret)
		ret = start_all(r, err);
	if (ret) {
		rails_stop(r);
		return ret;
	}
	r->started = true;
	/* One that is not read through its buffer after all is read more often. */
	find_times(r);
	return 0;
}

void rails_stop(struct rails *r)
{
	for (unsigned int i = 0; i < r->count && !r->virt; i++)
		power_meter_stop(&r->rails[i].pm);
	r->started = false;
}

int rails_open_virtual(struct virtual *v, const struct board *board,
		       struct settings *settings, struct rails **out, struct err *err)
{
	struct rails *r = calloc(1, sizeof(*r));

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	r->virt = v;
	r->settings = settings;
	for (unsigned int i = 0; i < board->sensor_count && r->count < RAILS_MAX; i++) {
		const struct board_sensor *s = &board->sensors[i];
		struct rail *rail = &r->rails[r->count];

		if (!s->meter.period_us || !s->clusters)
			continue;
		board_sensor_format(s, rail->info.name, sizeof(rail->info.name));
		rail->info.interval_us = s->meter.period_us;
		rail->info.summed = true;
		rail->sensor = i;
		r->count++;
	}
	find_times(r);
	*out = r;
	return 0;
}

void rails_close(struct rails *r)
{
	if (!r)
		return;
	end_thread(r, stop_now_ns());
	for (unsigned int i = 0; i < r->count && !r->virt; i++)
		power_meter_close(&r->rails[i].pm);
	if (!r->virt)
		meters_close(&r->meters);
	free(r);
}
