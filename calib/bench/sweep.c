// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One step of a sweep.
 */
#include "calib/bench/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/bench/ramp.h"
#include "lib/num.h"

#define SETTLE_PART  6	 /* of a step is not looked at */
#define LATE_PART    100 /* of a period: a packet of 100 % just fills it */
#define SLICES	     3	 /* in a short step */
#define SLICE_MIN_NS UINT64_C(10000000)

/* "A,B,C" with each in 1..@max. How many, or -EINVAL. */
static int parse_list(const char *text, uint32_t max, uint32_t *out, unsigned int room)
{
	unsigned int n = 0;
	char word[16];

	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");

		if (n == room || len >= sizeof(word))
			return -EINVAL;
		memcpy(word, p, len);
		word[len] = '\0';
		if (num_u32(word, &out[n]) || !out[n] || out[n] > max)
			return -EINVAL;
		n++;
		p += len;
		if (!*p)
			return n;
	}
}

int sweep_frequencies(const char *text, struct sweep_plan *p, struct err *err)
{
	int n = parse_list(text, 2000, p->hz, SWEEP_MAX_HZ);

	if (n < 0)
		return err_set(err, n,
			       "'%s' is not a list of at most %d frequencies of "
			       "1..2000 Hz, such as 73,113",
			       text, SWEEP_MAX_HZ);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			if (p->hz[k] == p->hz[i])
				return err_set(err, -EINVAL, "%u is given twice",
					       p->hz[i]);
	p->hz_count = n;
	return 0;
}

int sweep_loads(const char *text, struct sweep_plan *p, struct err *err)
{
	int n = parse_list(text, 100, p->load, (SWEEP_MAX_STEPS + 1) / 2), i;

	for (i = 1; i < n && p->load[i] > p->load[i - 1]; i++)
		;
	if (n < 0 || i < n)
		return err_set(err, -EINVAL,
			       "'%s' is not a list of at most %d ascending loads in "
			       "percent, such as 10,50,100",
			       text, (SWEEP_MAX_STEPS + 1) / 2);
	for (i = 0; i < n; i++)
		p->down[i] = false;
	/* The highest one is there once. */
	for (; i < 2 * n - 1; i++) {
		p->load[i] = p->load[2 * (n - 1) - i];
		p->down[i] = true;
	}
	p->step_count = i;
	return 0;
}

int sweep_full_rate(struct stage *s, unsigned int cpu, double *rate, struct err *err)
{
	struct knobs_combo fast = { .governor = "performance" };
	struct ramp_run run;
	int ret;

	/* As it was found, and not under what the CPU before was. */
	if (s->ops->check(s, &fast, NULL))
		fast = (struct knobs_combo){ "" };
	ret = s->ops->apply(s, &fast, err);
	if (!ret)
		ret = ramp_once(s, cpu, 0, &run, err);
	if (!ret)
		*rate = run.mops * 1e6;
	return ret;
}

uint64_t sweep_settle_ns(const struct stage *s, const struct sweep_plan *p)
{
	uint64_t ns = p->serialized ? p->packet_ns * p->tasks : p->step_ns / SETTLE_PART;

	return s->meter_ns > ns ? s->meter_ns : ns;
}

/* A step on its way. */
struct step {
	const struct sweep_plan *plan;
	struct sweep_row *row;
	double steps;	  /* in a packet */
	uint64_t next_ns; /* when the next period begins */
};

/* Work that began at @begin, when the task had had @had of CPU time. Returns its end. */
static uint64_t add_work(struct stage *s, struct sweep_row *row, uint64_t begin,
			 uint64_t had)
{
	uint64_t end = s->ops->now_ns(s);

	row->work_ns += end - begin;
	row->had_ns += s->ops->task_ns(s) - had;
	tally_add(&row->seconds, (end - begin) * 1e-9);
	return end;
}

/* A packet that ends late delays those behind it: no backlog is worked off. */
static int period(struct stage *s, struct step *st, struct err *err)
{
	uint64_t had = s->ops->task_ns(s), begin = s->ops->now_ns(s), end;
	int ret = s->ops->work(s, st->steps, UINT64_MAX, NULL, err);

	if (ret)
		return ret;
	end = add_work(s, st->row, begin, had);
	st->next_ns += llround(1e9 / st->row->hz);
	if (end <= st->next_ns)
		return s->ops->sleep_until(s, st->next_ns, err);
	st->row->late += end - st->next_ns > 1e9 / st->row->hz / LATE_PART;
	st->next_ns = end;
	return 0;
}

static int periods(struct stage *s, struct step *st, uint64_t until_ns, struct err *err)
{
	int ret = 0;

	while (!ret && st->next_ns < until_ns)
		ret = period(s, st, err);
	return ret;
}

/* What came before the step is in its first packets. */
static void forget(struct sweep_row *row)
{
	row->seconds = (struct tally){ 0 };
	row->late = row->work_ns = row->had_ns = 0;
}

static int run_periodic(struct stage *s, void *arg, struct err *err)
{
	struct step *st = arg;
	int ret;

	st->next_ns = s->ops->now_ns(s);
	ret = periods(s, st, st->next_ns + sweep_settle_ns(s, st->plan), err);
	forget(st->row);
	return ret ? ret : periods(s, st, st->next_ns + st->plan->step_ns, err);
}

static int processes(struct stage *s, struct step *st, struct err *err)
{
	uint64_t had = s->ops->task_ns(s), begin = s->ops->now_ns(s);
	int ret = 0;

	for (uint32_t i = 0; !ret && i < st->plan->tasks; i++)
		ret = s->ops->process(s, st->steps, err);
	if (!ret)
		add_work(s, st->row, begin, had);
	return ret;
}

static int run_serialized(struct stage *s, void *arg, struct err *err)
{
	struct step *st = arg;
	uint64_t end = s->ops->now_ns(s) + s->meter_ns;
	int ret;

	do {
		ret = processes(s, st, err);
	} while (!ret && s->ops->now_ns(s) < end);
	forget(st->row);
	for (uint32_t i = 0; !ret && i < st->plan->samples; i++)
		ret = processes(s, st, err);
	return ret;
}

/*
 * Samples of power fit the step with the readings that tell of them, so that the last is
 * over before it is. Where not even one does, it goes on to the end, after which the CPU
 * idles.
 */
static uint64_t slice_ns(const struct stage *s, uint64_t step)
{
	uint64_t room = step * 9 / 10 / SLICES, slice;

	for (unsigned int n = SLICES; n > 1 && room < 2 * s->meter_ns; n--)
		room = step * 9 / 10 / (n - 1);
	if (room < 2 * s->meter_ns)
		return UINT64_MAX / 4;
	slice = room - s->meter_ns;
	if (slice < SLICE_MIN_NS)
		slice = SLICE_MIN_NS;
	return slice < SWEEP_SLICE_NS ? slice : SWEEP_SLICE_NS;
}

static struct stage_power power_of(const struct stage *s, const struct sweep_plan *p,
				   struct sweep_row *row)
{
	uint64_t step = p->serialized ? p->packet_ns * p->tasks * p->samples : p->step_ns;

	return (struct stage_power){
		.after_ns = sweep_settle_ns(s, p),
		.slice_ns = slice_ns(s, step),
		.watt = &row->watt,
	};
}

int sweep_step(struct stage *s, const struct sweep_plan *p, double rate,
	       struct sweep_row *row, struct err *err)
{
	struct step st = { .plan = p, .row = row };
	const struct stage_task task = { p->serialized ? run_serialized : run_periodic,
					 &st };
	const struct stage_power power = power_of(s, p, row);
	int ret;

	st.steps = p->serialized ? rate * p->packet_ns * 1e-9
				 : rate * row->load / 100 / row->hz;
	ret = s->ops->task(s, row->cpu, &task, &power, err);
	row->done = !ret;
	return ret;
}
