// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * This machine as a stage: a thread per task, pinned to its CPU.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calib/bench/rails.h"
#include "calib/bench/stage.h"
#include "calib/loads/kernels.h"
#include "calib/measure/stop.h"

/* At the clock: less than 100 us on all but the slowest CPUs. */
#define UNITS_PER_LOOK 8
#define LOOKS_PER_STOP 256

struct linux_stage {
	struct stage stage; /* first: see stage.h */
	struct sysfs sys;
	struct settings settings;
	struct knobs knobs;
	struct rails *rails;
};

/* A task on its way. */
struct errand {
	struct stage *stage;
	unsigned int cpu;
	const struct stage_task *task;
	struct err *err;
	int ret;
	int ended_fd; /* an eventfd, written at the end of it */
};

static struct linux_stage *to_linux_stage(struct stage *s)
{
	return (struct linux_stage *)s;
}

static int linux_check(struct stage *s, const struct knobs_combo *c, struct err *err)
{
	return knobs_check(&to_linux_stage(s)->knobs, c, err);
}

static int linux_apply(struct stage *s, const struct knobs_combo *c, struct err *err)
{
	struct linux_stage *ls = to_linux_stage(s);
	int ret = rails_start(ls->rails, err);

	s->meter_ns = rails_after_ns(ls->rails);
	return ret ? ret : knobs_apply(&ls->knobs, c, err);
}

static int linux_put_back(struct stage *s, struct err *err)
{
	rails_stop(to_linux_stage(s)->rails);
	return settings_restore(&to_linux_stage(s)->settings, 0, err);
}

static bool is_of(const struct knobs_policy *p, unsigned int cpu)
{
	for (unsigned int i = 0; i < p->cpu_count; i++)
		if (p->cpus[i] == cpu)
			return true;
	return false;
}

static void linux_settings(struct stage *s, unsigned int cpu, struct knobs_combo *c)
{
	const struct knobs *k = &to_linux_stage(s)->knobs;
	struct knobs_policy now;

	for (unsigned int i = 0; i < k->policy_count; i++) {
		if (!is_of(&k->policies[i], cpu) || knobs_describe(k, i, &now, NULL))
			continue;
		if (!c->governor[0])
			memcpy(c->governor, now.governor, sizeof(c->governor));
		if (!c->epp[0])
			memcpy(c->epp, now.epp, sizeof(c->epp));
	}
}

static int pin_self(unsigned int cpu, struct err *err)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu < CPU_SETSIZE)
		CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return err_errno(err, -errno,
				 "CPU %u cannot be used (offline, or kept from us by a "
				 "cpuset)",
				 cpu);
	return 0;
}

static void *run_errand(void *arg)
{
	struct errand *e = arg;

	e->ret = pin_self(e->cpu, e->err);
	if (!e->ret)
		e->ret = e->task->run(e->stage, e->task->arg, e->err);
	eventfd_write(e->ended_fd, 1);
	return NULL;
}

/* Wait until @ns, or the errand's end: then true. */
static bool ends_before(const struct errand *e, uint64_t ns)
{
	struct pollfd pfd = { .fd = e->ended_fd, .events = POLLIN };
	uint64_t now;

	while ((now = stop_now_ns()) < ns) {
		uint64_t left = ns - now;
		const struct timespec ts = { .tv_sec = left / 1000000000u,
					     .tv_nsec = left % 1000000000u };

		if (ppoll(&pfd, 1, &ts, NULL) > 0)
			return true;
	}
	return false;
}

static bool has_ended(const struct errand *e)
{
	struct pollfd pfd = { .fd = e->ended_fd, .events = POLLIN };

	return poll(&pfd, 1, 0) > 0;
}

/* Beside the task, so that it is not disturbed. */
static void sample_power(struct rails *r, const struct errand *e,
			 const struct stage_power *power, uint64_t begin_ns)
{
	bool ended = ends_before(e, begin_ns + power->after_ns);

	while (!ended && !rails_begin(r, NULL)) {
		struct rails_energy energy;
		double uj;

		ended = ends_before(e, stop_now_ns() + power->slice_ns);
		rails_end(r, stop_now_ns(), &energy);
		if (ended ? power->watt->samples > 0 : has_ended(e))
			return;
		if (rails_total(r, &energy, &uj))
			tally_add(power->watt,
				  uj * 1e-6 / ((energy.to_ns - energy.from_ns) * 1e-9));
	}
}

static int start_errand(struct errand *e, pthread_t *thread)
{
	int ret;

	e->ended_fd = eventfd(0, EFD_CLOEXEC);
	if (e->ended_fd < 0)
		return err_errno(e->err, -errno, "eventfd");
	ret = pthread_create(thread, NULL, run_errand, e);
	if (!ret)
		return 0;
	close(e->ended_fd);
	return err_errno(e->err, -ret, "a thread for CPU %u", e->cpu);
}

static int linux_task(struct stage *s, unsigned int cpu, const struct stage_task *task,
		      const struct stage_power *power, struct err *err)
{
	struct errand e = { .stage = s, .cpu = cpu, .task = task, .err = err };
	uint64_t begin = stop_now_ns();
	pthread_t thread;
	int ret = start_errand(&e, &thread);

	if (ret)
		return ret;
	if (s->meters[0])
		sample_power(to_linux_stage(s)->rails, &e, power, begin);
	pthread_join(thread, NULL);
	close(e.ended_fd);
	return e.ret;
}

/* Not more than @units; returns a number that depends on all of them. */
static uint64_t do_units(uint64_t units, uint64_t seed)
{
	while (units--)
		seed = load_float_unit(NULL, 0, seed);
	return seed;
}

static int linux_work(struct stage *s, double steps, uint64_t end_ns,
		      const struct stage_watch *watch, struct err *err)
{
	uint64_t units = steps < 1e18 ? (uint64_t)ceil(steps / LOAD_FLOAT_UNIT)
				      : UINT64_MAX;
	uint64_t from = stop_now_ns(), to = from, n;
	volatile uint64_t result = from;
	unsigned int looks = 0;

	(void)s;
	for (; units && to < end_ns; units -= n, from = to) {
		if (!(looks++ % LOOKS_PER_STOP) && stop_pending())
			return err_set(err, -EINTR, "interrupted");
		n = units < UNITS_PER_LOOK ? units : UNITS_PER_LOOK;
		result = do_units(n, result);
		to = stop_now_ns();
		if (watch)
			watch->piece(watch->arg, from, to, (double)n * LOAD_FLOAT_UNIT);
	}
	return 0;
}

/* The child works and is gone: threads that read meters may hold any lock. */
static int linux_process(struct stage *s, double steps, struct err *err)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return err_errno(err, -errno, "a new process");
	if (!pid) {
		linux_work(s, steps, UINT64_MAX, NULL, NULL);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		return err_set(err, -EIO, "a process that only works was killed");
	return stop_pending() ? err_set(err, -EINTR, "interrupted") : 0;
}

static uint64_t linux_stage_now(struct stage *s)
{
	(void)s;
	return stop_now_ns();
}

static int linux_stage_sleep(struct stage *s, uint64_t ns, struct err *err)
{
	(void)s;
	return stop_sleep_until(ns) ? err_set(err, -EINTR, "interrupted") : 0;
}

static uint64_t timeval_ns(const struct timeval *tv)
{
	return tv->tv_sec * UINT64_C(1000000000) + tv->tv_usec * UINT64_C(1000);
}

/* Of children only their sum is told to the nanosecond: that of each is cut to us. */
static uint64_t linux_task_ns(struct stage *s)
{
	struct rusage children;
	struct timespec ts;

	(void)s;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	getrusage(RUSAGE_CHILDREN, &children);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec +
	       timeval_ns(&children.ru_utime) + timeval_ns(&children.ru_stime);
}

static void linux_stage_close(struct stage *s)
{
	if (!s)
		return;
	rails_close(to_linux_stage(s)->rails);
	settings_close(&to_linux_stage(s)->settings);
	free(s);
}

static const struct stage_ops linux_stage_ops = {
	.check = linux_check,
	.apply = linux_apply,
	.restore = linux_put_back,
	.settings = linux_settings,
	.task = linux_task,
	.work = linux_work,
	.process = linux_process,
	.now_ns = linux_stage_now,
	.sleep_until = linux_stage_sleep,
	.task_ns = linux_task_ns,
	.close = linux_stage_close,
};

static void name_meters(struct linux_stage *ls)
{
	char *out = ls->stage.meters;
	size_t n = 0, size = sizeof(ls->stage.meters);

	for (unsigned int i = 0; i < rails_count(ls->rails); i++) {
		const struct rail_info *info = rails_info(ls->rails, i);

		if (info->summed && n < size)
			n += snprintf(out + n, size - n, "%s%s", n ? ", " : "",
				      info->name);
	}
	if (!n)
		snprintf(ls->stage.no_meter, sizeof(ls->stage.no_meter),
			 "there is no power meter here that can be used");
}

static int find_all(struct linux_stage *ls, const struct stage_options *o,
		    struct err *err)
{
	const struct rails_options ro = {
		.settings = &ls->settings,
		.sensors = o->sensors,
		.sensor_count = o->sensor_count,
		.power_from = o->power_from,
	};
	int ret = sysfs_init(&ls->sys, o->sysroot, err);

	settings_init(&ls->settings, &ls->sys, o->note, o->note_arg);
	if (!ret)
		ret = knobs_open(&ls->knobs, &ls->settings, err);
	if (!ret)
		ret = rails_open(&ro, &ls->rails, err);
	return ret ? ret : coretypes_read(&ls->sys, ls->stage.types, err);
}

int stage_linux_open(const struct stage_options *o, struct stage **s, struct err *err)
{
	struct linux_stage *ls = calloc(1, sizeof(*ls));
	int ret;

	if (!ls)
		return err_set(err, -ENOMEM, "out of memory");
	ls->stage.ops = &linux_stage_ops;
	ret = find_all(ls, o, err);
	if (ret < 0) {
		linux_stage_close(&ls->stage);
		return ret;
	}
	ls->stage.type_count = ret;
	ls->stage.has_knobs = ls->knobs.policy_count;
	name_meters(ls);
	*s = &ls->stage;
	return 0;
}
