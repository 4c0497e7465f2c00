// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Periodic tasks: each wakes up at absolute times, does its share of work, sleeps. The
 * work is fixed: it takes "duty" of the period on the fastest CPU at its highest clock,
 * and longer on others. Task i of n begins i/n of a period after the first one.
 *
 * A wake-up is late when its work begins more than a tenth of the period after its time:
 * no CPU was free, or the task's work before was not done yet.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "calib/bench/busy.h"
#include "calib/bench/workload.h"
#include "calib/measure/stop.h"

#define LEAD_NS	    10000000u /* until the first wake-up: all threads are asleep then */
#define LATE_PART   10	      /* of a period */
#define STACK_BYTES (256 * 1024)

enum { TASKS, PERIOD, DUTY, DURATION, UNITS };

struct periodic;

struct task {
	struct periodic *all;
	pthread_t thread;
	uint64_t phase_ns, late;
	uint64_t seed; /* consumes the work */
};

struct periodic {
	uint64_t period_ns, wakeups, units;
	uint64_t first_ns; /* written before the barrier opens */
	pthread_barrier_t barrier;
	struct task tasks[];
};

static void sleep_until(uint64_t ns)
{
	const struct timespec ts = { .tv_sec = ns / 1000000000u,
				     .tv_nsec = ns % 1000000000u };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static void *run_task(void *arg)
{
	struct task *t = arg;
	const struct periodic *p = t->all;
	uint64_t at;

	pthread_barrier_wait(&t->all->barrier);
	for (uint64_t i = 0; i < p->wakeups; i++) {
		at = p->first_ns + t->phase_ns + i * p->period_ns;
		sleep_until(at);
		if (stop_now_ns() > at + p->period_ns / LATE_PART)
			t->late++;
		t->seed = busy_work(p->units, t->seed);
	}
	return NULL;
}

static int periodic_prepare(struct workload_run *w, struct err *err)
{
	double rate;
	int ret;

	if (w->value[DURATION] * 1000 < w->value[PERIOD])
		return err_set(err, -EINVAL,
			       "duration-ms is less than one period; nothing would run");
	if (w->value[UNITS])
		return 0;
	ret = busy_calibrate(&rate, err);
	if (ret)
		return err_wrap(err, ret, "calibrating busy loops");
	w->value[UNITS] = llround(rate * w->value[PERIOD] * 1e-6 * w->value[DUTY] / 100);
	if (!w->value[UNITS])
		w->value[UNITS] = 1;
	return 0;
}

static int start_task(struct periodic *p, unsigned int i, struct err *err)
{
	struct task *t = &p->tasks[i];
	pthread_attr_t attr;
	int ret;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	ret = pthread_create(&t->thread, &attr, run_task, t);
	pthread_attr_destroy(&attr);
	return ret ? err_errno(err, -ret, "cannot start thread %u", i + 1) : 0;
}

static int periodic_setup(struct workload_run *w, struct err *err)
{
	uint64_t tasks = w->value[TASKS];
	struct periodic *p = calloc(1, sizeof(*p) + tasks * sizeof(p->tasks[0]));
	int ret = 0;

	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	w->own = p;
	p->period_ns = w->value[PERIOD] * 1000;
	p->wakeups = w->value[DURATION] * 1000 / w->value[PERIOD];
	p->units = w->value[UNITS];
	pthread_barrier_init(&p->barrier, NULL, tasks + 1);
	for (uint64_t i = 0; i < tasks && !ret; i++) {
		p->tasks[i].all = p;
		p->tasks[i].seed = i + 1;
		p->tasks[i].phase_ns = p->period_ns * i / tasks;
		ret = start_task(p, i, err);
	}
	return ret;
}

static int periodic_run(struct workload_run *w, struct job_times *times, struct err *err)
{
	struct periodic *p = w->own;
	uint64_t start_ns = stop_now_ns();

	(void)err;
	p->first_ns = start_ns + LEAD_NS;
	pthread_barrier_wait(&p->barrier);
	times->counts_late = true;
	for (uint64_t i = 0; i < w->value[TASKS]; i++) {
		pthread_join(p->tasks[i].thread, NULL);
		times->late += p->tasks[i].late;
	}
	job_time(times, start_ns);
	return 0;
}

static uint64_t periodic_units(const struct workload_run *w)
{
	return w->value[TASKS] * (w->value[DURATION] * 1000 / w->value[PERIOD]);
}

static void periodic_cost(const struct workload_run *w, double *cpu_s, double *cpus,
			  double *least_s)
{
	*least_s = w->value[DURATION] * 1e-3;
	*cpu_s = *least_s * w->value[TASKS] * w->value[DUTY] / 100;
	*cpus = w->value[TASKS];
}

static const struct workload_param periodic_params[] = {
	{ "tasks", "how many tasks", 24, 1, 10000 },
	{ "period-us", "time between wake-ups", 16000, 100, 10000000 },
	{ "duty", "percent of the period that the work takes at the highest clock", 10, 1,
	  100 },
	{ "duration-ms", "of one iteration", 10000, 1, 86400000 },
	{ "units", "work per wake-up in units of 512 steps; 0: find it for duty", 0, 0,
	  1000000000 },
	{ NULL },
};

const struct workload workload_periodic = {
	.name = "periodic",
	.help = "tasks that wake up, work and sleep in a fixed period, as rt-app",
	.unit = "wake-up",
	.fixed_time = true,
	.params = periodic_params,
	.prepare = periodic_prepare,
	.setup = periodic_setup,
	.run = periodic_run,
	.cost = periodic_cost,
	.units = periodic_units,
};
