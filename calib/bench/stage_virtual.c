// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A virtual board as a stage: its physics in virtual time, the clock of the busy cluster
 * set by a model of the governor. Energy is what the virtual meters say.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards/virtual.h"
#include "calib/bench/knobs_virtual.h"
#include "calib/bench/stage.h"
#include "calib/measure/stop.h"
#include "calib/sim/sim.h"

/* At 12 cycles for each multiply, subtract, multiply of the recurrence; a unit of the
 * virtual boards' work is 977 cycles. */
#define STEPS_PER_UNIT 80
/* What a new process costs its parent: 150 us of a big core at 2 GHz, as on Linux. */
#define FORK_STEPS 24576
#define SETTLE_NS  UINT64_C(1000000000)

struct board_stage {
	struct stage stage; /* first: see stage.h */
	struct board board;
	struct virtual *virt;
	struct knobs_virtual knobs;
	unsigned int cluster; /* of the task */
	struct governor governor;
	double activity, busy_ns;
	uint32_t asked_khz;
	/* power */
	uint32_t meters;		 /* bit i: sensors[i] counts */
	const struct stage_power *power; /* NULL: not asked for */
	bool counting;
	uint64_t slice_ns; /* when the next slice begins, or this ends */
	uint64_t counted_ns[BOARD_MAX_SENSORS]; /* up to where */
	double joule;
};

static struct board_stage *to_board(struct stage *s)
{
	return (struct board_stage *)s;
}

/* What the task's CPU is under now. */
static void board_settings(struct stage *s, unsigned int cpu, struct knobs_combo *c)
{
	const struct coretype *type = coretypes_find(s->types, s->type_count, cpu);
	const struct knobs_combo *set = type ? &to_board(s)->knobs.set[type - s->types]
					     : NULL;

	if (set && !c->governor[0])
		memcpy(c->governor, set->governor, sizeof(c->governor));
	if (set && !c->epp[0])
		memcpy(c->epp, set->epp, sizeof(c->epp));
}

static void follow(struct board_stage *bs)
{
	uint32_t khz = knobs_virtual_khz(&bs->board.clusters[bs->cluster],
					 bs->governor.khz);

	/* To the physics, each setting is a visit to an operating point. */
	if (khz != bs->asked_khz)
		virtual_set_khz(bs->virt, bs->cluster, khz);
	bs->asked_khz = khz;
}

static double clock_khz(const struct board_stage *bs)
{
	struct virtual_truth truth;

	virtual_truth(bs->virt, bs->cluster, &truth);
	return truth.khz;
}

/* What sensors[@i] reads stands for the time since it was counted last. */
static void count_meter(struct board_stage *bs, unsigned int i)
{
	uint64_t now = virtual_now_ns(bs->virt);
	int64_t uw;
	uint32_t uv;

	if (!(bs->meters & 1u << i) || virtual_read_meter(bs->virt, i, &uw, &uv))
		return;
	bs->joule += uw * 1e-6 * (now - bs->counted_ns[i]) * 1e-9;
	bs->counted_ns[i] = now;
}

/* A slice begins now. */
static void begin_slice(struct board_stage *bs)
{
	bs->counting = true;
	bs->joule = 0;
	bs->slice_ns = virtual_now_ns(bs->virt) + bs->power->slice_ns;
	for (unsigned int i = 0; i < BOARD_MAX_SENSORS; i++)
		bs->counted_ns[i] = virtual_now_ns(bs->virt);
}

/* It ends now; @ns: how long it was. */
static void end_slice(struct board_stage *bs, uint64_t ns)
{
	for (unsigned int i = 0; i < bs->board.sensor_count; i++)
		count_meter(bs, i);
	tally_add(bs->power->watt, bs->joule / (ns * 1e-9));
}

static void turn_slice(struct board_stage *bs)
{
	if (bs->counting)
		end_slice(bs, bs->power->slice_ns);
	begin_slice(bs);
}

static void count_due(struct board_stage *bs, uint32_t due)
{
	for (unsigned int i = 0; bs->counting && i < bs->board.sensor_count; i++)
		if (due & 1u << i)
			count_meter(bs, i);
}

/* Pass time until @ns, while nothing happens but what concerns the meters. */
static void pass(struct board_stage *bs, uint64_t ns)
{
	while (virtual_now_ns(bs->virt) < ns) {
		uint64_t next = virtual_next_update_ns(bs->virt);
		uint32_t due = 0;

		next = next < ns ? next : ns;
		if (bs->power && bs->slice_ns < next)
			next = bs->slice_ns;
		for (unsigned int i = 0; i < bs->board.sensor_count; i++)
			due |= (uint32_t)(virtual_meter_next_ns(bs->virt, i) <= next)
			       << i;
		virtual_advance(bs->virt, next);
		count_due(bs, due);
		if (bs->power && next == bs->slice_ns)
			turn_slice(bs);
	}
}

/* Pass time until @ns with the governor at work. */
static void play(struct board_stage *bs, uint64_t ns)
{
	double khz = clock_khz(bs);

	pass(bs, ns);
	governor_pass(&bs->governor, ns, khz);
	follow(bs);
}

static void set_busy(struct board_stage *bs, bool busy)
{
	virtual_set_load(bs->virt, bs->cluster, busy, bs->activity);
	governor_run(&bs->governor, busy);
	follow(bs);
}

static int board_check(struct stage *s, const struct knobs_combo *c, struct err *err)
{
	return knobs_virtual_check(&to_board(s)->knobs, c, err);
}

static int board_apply(struct stage *s, const struct knobs_combo *c, struct err *err)
{
	return knobs_virtual_apply(&to_board(s)->knobs, c, err);
}

static int board_restore(struct stage *s, struct err *err)
{
	(void)err;
	knobs_virtual_open(&to_board(s)->knobs, &to_board(s)->board);
	return 0;
}

/* A new cluster begins as it was left; the old one goes to its lowest clock. */
static int choose_cluster(struct board_stage *bs, unsigned int cpu, struct err *err)
{
	const struct coretype *type = coretypes_find(bs->stage.types,
						     bs->stage.type_count, cpu);
	unsigned int old = bs->cluster;

	if (!type)
		return err_set(err, -EINVAL, "board '%s' has no CPU %u", bs->board.name,
			       cpu);
	bs->cluster = type - bs->stage.types;
	if (bs->cluster == old)
		return 0;
	virtual_set_khz(bs->virt, old, bs->board.clusters[old].opps[0].khz);
	bs->asked_khz = 0;
	return 0;
}

/* The governor of the task's CPU; the model goes on where it is the same one. */
static int enter(struct board_stage *bs, unsigned int cpu, struct err *err)
{
	unsigned int old = bs->cluster;
	struct governor g;
	int ret = choose_cluster(bs, cpu, err);

	if (ret)
		return ret;
	knobs_virtual_governor(&bs->knobs, bs->cluster, virtual_now_ns(bs->virt), &g);
	if (bs->cluster != old || bs->governor.kind != g.kind ||
	    bs->governor.lag_ns != g.lag_ns || g.kind == GOVERNOR_FIXED)
		bs->governor = g;
	follow(bs);
	governor_new_task(&bs->governor);
	return 0;
}

static int board_task(struct stage *s, unsigned int cpu, const struct stage_task *task,
		      const struct stage_power *power, struct err *err)
{
	struct board_stage *bs = to_board(s);
	uint64_t begin = virtual_now_ns(bs->virt) + power->after_ns;
	int ret = enter(bs, cpu, err);

	if (ret)
		return ret;
	bs->busy_ns = 0;
	bs->power = s->meters[0] ? power : NULL;
	bs->counting = false;
	bs->slice_ns = begin;
	ret = task->run(s, task->arg, err);
	if (bs->governor.busy)
		set_busy(bs, false);
	governor_end_task(&bs->governor);
	if (bs->power && bs->counting && !power->watt->samples &&
	    virtual_now_ns(bs->virt) > begin)
		end_slice(bs, virtual_now_ns(bs->virt) - begin);
	bs->power = NULL;
	bs->counting = false;
	return ret;
}

static bool asked_to_end(struct err *err)
{
	if (!stop_pending())
		return false;
	err_set(err, -EINTR, "interrupted");
	return true;
}

static int busy_steps(struct board_stage *bs, double steps, uint64_t end_ns,
		      const struct stage_watch *watch, struct err *err)
{
	double per_unit = bs->board.clusters[bs->cluster].truth.work_per_mhz *
			  STEPS_PER_UNIT;
	uint64_t now = virtual_now_ns(bs->virt);
	double left = steps;

	while (left > 0 && now < end_ns) {
		double rate = per_unit * clock_khz(bs) * 1e-12; /* steps per ns */
		uint64_t until = governor_next_ns(&bs->governor);
		double done;

		if (asked_to_end(err))
			return -EINTR;
		if (until > end_ns)
			until = end_ns;
		/* The physics has events of its own (heat, limits): look at least so
		 * often. */
		if (until > now + 4000000)
			until = now + 4000000;
		if (left < rate * (until - now))
			until = now + (uint64_t)ceil(left / rate);
		done = fmin(rate * (until - now), left);
		play(bs, until);
		if (watch)
			watch->piece(watch->arg, now, until, done);
		bs->busy_ns += until - now;
		left -= done;
		now = until;
	}
	return 0;
}

static int board_work(struct stage *s, double steps, uint64_t end_ns,
		      const struct stage_watch *watch, struct err *err)
{
	struct board_stage *bs = to_board(s);
	int ret;

	set_busy(bs, true);
	ret = busy_steps(bs, steps, end_ns, watch, err);
	set_busy(bs, false);
	return ret;
}

static int board_sleep_until(struct stage *s, uint64_t ns, struct err *err)
{
	struct board_stage *bs = to_board(s);

	if (asked_to_end(err))
		return -EINTR;
	if (bs->governor.busy)
		set_busy(bs, false);
	if (ns > virtual_now_ns(bs->virt))
		play(bs, ns);
	return 0;
}

static uint64_t board_now_ns(struct stage *s)
{
	return virtual_now_ns(to_board(s)->virt);
}

/* Parent and child are on one CPU, which is busy until the parent sleeps. */
static int board_process(struct stage *s, double steps, struct err *err)
{
	struct board_stage *bs = to_board(s);
	int ret;

	if (!bs->governor.busy)
		set_busy(bs, true);
	ret = busy_steps(bs, FORK_STEPS, UINT64_MAX, NULL, err);
	if (ret)
		return ret;
	governor_new_task(&bs->governor);
	follow(bs);
	ret = busy_steps(bs, steps, UINT64_MAX, NULL, err);
	governor_end_task(&bs->governor);
	return ret;
}

static uint64_t board_task_ns(struct stage *s)
{
	return to_board(s)->busy_ns;
}

static void board_close(struct stage *s)
{
	if (!s)
		return;
	virtual_free(to_board(s)->virt);
	free(s);
}

static const struct stage_ops board_ops = {
	.check = board_check,
	.apply = board_apply,
	.restore = board_restore,
	.settings = board_settings,
	.task = board_task,
	.work = board_work,
	.process = board_process,
	.now_ns = board_now_ns,
	.sleep_until = board_sleep_until,
	.task_ns = board_task_ns,
	.close = board_close,
};

/* Those that measure clusters which none before them does: nothing counts twice. */
static void choose_meters(struct board_stage *bs)
{
	char *out = bs->stage.meters, name[96];
	size_t n = 0, size = sizeof(bs->stage.meters);
	uint32_t seen = 0;

	for (unsigned int i = 0; i < bs->board.sensor_count; i++) {
		const struct board_sensor *s = &bs->board.sensors[i];

		if (!s->clusters || !s->meter.period_us || seen & s->clusters ||
		    n >= size)
			continue;
		seen |= s->clusters;
		bs->meters |= 1u << i;
		board_sensor_format(s, name, sizeof(name));
		n += snprintf(out + n, size - n, "%s%s", n ? ", " : "", name);
	}
	if (!n)
		snprintf(bs->stage.no_meter, sizeof(bs->stage.no_meter),
			 "board '%s' has no power sensor", bs->board.name);
}

int stage_virtual_open(const struct board *board, uint64_t seed, struct stage **s,
		       struct err *err)
{
	const struct virtual_options opts = { .seed = seed };
	struct board_stage *bs = calloc(1, sizeof(*bs));
	int ret;

	if (!bs)
		return err_set(err, -ENOMEM, "out of memory");
	ret = virtual_new(board, &opts, &bs->virt, err);
	if (!ret)
		ret = sim_load_activity("float", &bs->activity, err);
	if (ret) {
		board_close(&bs->stage);
		return ret;
	}
	bs->stage.ops = &board_ops;
	bs->board = *board;
	knobs_virtual_open(&bs->knobs, &bs->board);
	bs->stage.type_count = coretypes_of_board(board, bs->stage.types);
	bs->stage.virtual_board = bs->stage.has_knobs = true;
	snprintf(bs->stage.board, sizeof(bs->stage.board), "%s", board->name);
	choose_meters(bs);
	/* Meters have their first readings. */
	pass(bs, SETTLE_NS);
	knobs_virtual_governor(&bs->knobs, 0, virtual_now_ns(bs->virt), &bs->governor);
	*s = &bs->stage;
	return 0;
}
