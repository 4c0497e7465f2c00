// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Iterations on this machine.
 */
#include "calib/bench/site.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/bench/job.h"
#include "calib/bench/site_internal.h"
#include "calib/measure/stop.h"
#include "lib/text.h"

#define TRIES 3 /* of an iteration during which calib was stopped (Ctrl-Z) */

/* Contexts are kept of each boot of a series. */
static int check_policies(const struct knobs *k, struct err *err)
{
	if (k->policy_count > BENCH_MAX_POLICIES)
		return err_set(err, -E2BIG,
			       "%u cpufreq policies, and a result holds up to %d",
			       k->policy_count, BENCH_MAX_POLICIES);
	for (unsigned int i = 0; i < k->policy_count; i++)
		if (k->policies[i].cpu_count > BENCH_POLICY_CPUS)
			return err_set(err, -E2BIG,
				       "policy%u has %u CPUs, and a result holds up to "
				       "%d of one",
				       k->policies[i].id, k->policies[i].cpu_count,
				       BENCH_POLICY_CPUS);
	return 0;
}

static int open_real(struct site *s, struct err *err)
{
	const struct rails_options rails = {
		.settings = &s->settings,
		.sensors = s->opt.sensors,
		.sensor_count = s->opt.sensor_count,
		.power_from = s->opt.power_from,
	};
	int ret = sysfs_init(&s->sys, s->opt.sysroot, err);

	settings_init(&s->settings, &s->sys, s->opt.note, s->opt.note_arg);
	if (!ret)
		ret = knobs_open(&s->knobs, &s->settings, err);
	if (!ret)
		ret = check_policies(&s->knobs, err);
	return ret ? ret : rails_open(&rails, &s->rails, err);
}

int site_open(const struct site_options *opt, struct site **out, struct err *err)
{
	struct site *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	s->opt = *opt;
	ret = opt->virtual_board ? site_virtual_open(s, err) : open_real(s, err);
	if (ret) {
		site_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

void site_close(struct site *s)
{
	if (!s)
		return;
	rails_close(s->rails);
	settings_close(&s->settings);
	virtual_free(s->virt);
	free(s);
}

int site_apply(struct site *s, const struct knobs_combo *c, struct err *err)
{
	int ret;

	if (s->virt)
		return knobs_virtual_apply(&s->virt_knobs, c, err);
	ret = rails_start(s->rails, err);
	return ret ? ret : knobs_apply(&s->knobs, c, err);
}

int site_restore(struct site *s, struct err *err)
{
	if (s->virt) {
		knobs_virtual_open(&s->virt_knobs, &s->board);
		return 0;
	}
	rails_stop(s->rails);
	return settings_restore(&s->settings, 0, err);
}

const struct rails *site_rails(const struct site *s)
{
	return s->rails;
}

static void describe_rails(const struct site *s, struct bench_context *c)
{
	c->rail_count = rails_count(s->rails);
	for (unsigned int i = 0; i < c->rail_count; i++) {
		const struct rail_info *from = rails_info(s->rails, i);
		struct bench_rail *to = &c->rails[i];

		snprintf(to->name, sizeof(to->name), "%s", from->name);
		to->method = from->counted ? BENCH_COUNTER : BENCH_TRAPEZOID;
		to->summed = from->summed;
		to->interval_us = from->counted ? 0 : from->interval_us;
	}
}

static void describe_machine(const struct site *s, struct bench_context *c)
{
	char kernel[sizeof(c->kernel)];
	struct board *board = calloc(1, sizeof(*board));
	const char *root = s->sys.root[0] ? s->sys.root : "/";

	if (board && board_match_root(root, board, c->compatible, sizeof(c->compatible),
				      NULL) == 1)
		snprintf(c->board, sizeof(c->board), "%s", board->name);
	free(board);
	if (sysfs_read(&s->sys, "/sys/firmware/devicetree/base/model", c->model,
		       sizeof(c->model), NULL))
		c->model[0] = '\0';
	text_clean(c->model);
	if (sysfs_read(&s->sys, "/sys/devices/system/cpu/online", c->cpus,
		       sizeof(c->cpus), NULL))
		c->cpus[0] = '\0';
	text_clean(c->cpus);
	boot_read(&s->sys, &c->boot);
	if (!sysfs_read(&s->sys, "/proc/sys/kernel/osrelease", kernel, sizeof(kernel),
			NULL)) {
		text_clean(kernel);
		strcpy(c->kernel, kernel);
	}
}

static int describe_policies(const struct site *s, struct bench_context *c,
			     struct err *err)
{
	struct knobs_policy now;
	int ret;

	for (unsigned int i = 0; i < s->knobs.policy_count; i++) {
		struct bench_policy *to = &c->policies[i];

		ret = knobs_describe(&s->knobs, i, &now, err);
		if (ret)
			return ret;
		to->id = now.id;
		memcpy(to->cpus, now.cpus, sizeof(to->cpus));
		to->cpu_count = now.cpu_count;
		snprintf(to->driver, sizeof(to->driver), "%s", now.driver);
		snprintf(to->governor, sizeof(to->governor), "%s", now.governor);
		snprintf(to->epp, sizeof(to->epp), "%s", now.epp);
		to->min_khz = now.min_khz;
		to->max_khz = now.max_khz;
		c->policy_count = i + 1;
	}
	return 0;
}

int site_describe(struct site *s, struct bench_context *c, struct err *err)
{
	describe_rails(s, c);
	if (s->virt) {
		site_virtual_describe(s, c);
		return 0;
	}
	describe_machine(s, c);
	return describe_policies(s, c, err);
}

int site_prepare(struct site *s, struct workload_run *w, struct err *err)
{
	if (s->virt && !w->type->cost)
		return err_set(err, -ENOTSUP,
			       "a virtual board runs no programs: '%s' is for real "
			       "machines; take 'messages', 'pipe' or 'periodic'",
			       w->type->name);
	if (s->virt || !w->type->prepare)
		return 0;
	return w->type->prepare(w, err);
}

void site_series(const struct workload_run *w, struct bench_series *series)
{
	const struct workload_param *p = w->type->params;
	char value[256];

	snprintf(series->workload, sizeof(series->workload), "%s", w->type->name);
	for (size_t i = 0; p[i].name; i++)
		bench_param_add(series, p[i].name, "%s",
				workload_value(w, i, value, sizeof(value)));
	if (w->argv)
		bench_param_add(series, "command", "%s",
				workload_describe(w, value, sizeof(value)));
	series->fixed_time = w->type->fixed_time;
	if (!w->type->units)
		return;
	snprintf(series->unit, sizeof(series->unit), "%s", w->type->unit);
	series->units = w->type->units(w);
}

void site_take_energy(const struct site *s, const struct rails_energy *e,
		      struct bench_iteration *it)
{
	for (unsigned int i = 0; i < rails_count(s->rails); i++) {
		it->has_energy[i] = e->known[i];
		it->energy_uj[i] = e->known[i] ? llround(e->uj[i]) : 0;
	}
}

static int run_real(struct site *s, struct workload_run *w, struct bench_iteration *it,
		    struct err *err)
{
	const struct job_task task = workload_task(w);
	struct job_times times = { 0 };
	struct rails_energy energy;
	struct job job = { 0 };
	int ret;

	stop_stood_still();
	ret = job_start(&job, &task, err);
	if (ret)
		return ret;
	/* The processes are there, and none is forked while the thread reads meters. */
	ret = rails_begin(s->rails, err);
	if (ret) {
		job_stop(&job);
		return ret;
	}
	ret = job_go(&job, &times, err);
	rails_end(s->rails, ret ? stop_now_ns() : times.start_ns + times.time_ns,
		  ret ? NULL : &energy);
	if (ret)
		return ret;
	it->start_ns = times.start_ns;
	it->time_ns = times.time_ns;
	it->has_late = times.counts_late;
	it->late_wakeups = times.late;
	site_take_energy(s, &energy, it);
	return stop_stood_still() ? err_set(err, -ESTALE, "calib stood still meanwhile")
				  : 0;
}

int site_run(struct site *s, struct workload_run *w, struct bench_iteration *it,
	     struct err *err)
{
	int ret = -ESTALE;

	for (unsigned int i = 0; i < TRIES && ret == -ESTALE; i++) {
		*it = (struct bench_iteration){ 0 };
		ret = s->virt ? site_virtual_run(s, w, it, err) : run_real(s, w, it, err);
	}
	return ret && ret != -EINTR ? err_wrap(err, ret, "workload '%s'", w->type->name)
				    : ret;
}
