// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop over pairs of iterations.
 */
#include "calib/bench/turns.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "boards/rng.h"
#include "calib/measure/stop.h"
#include "lib/progress.h"

#define STREAM_COIN 0xabbau    /* of random numbers: no other part uses it */
#define SETTLE_NS   200000000u /* after a change of settings */

struct at {
	struct progress progress;
	uint64_t start_ns;
	uint32_t done, all;
	int applied; /* whose settings are on; -1: nobody's */
	bool described[2];
};

bool turns_b_first(enum turns_order order, uint64_t seed, uint32_t pair)
{
	struct rng rng;

	if (order == TURNS_ABBA)
		return pair % 2;
	rng_seed(&rng, seed, STREAM_COIN + ((uint64_t)pair << 16));
	return rng_u64(&rng) >> 63;
}

static bool same_knobs(const struct turns *t)
{
	return !memcmp(&t->sides[0].knobs, &t->sides[1].knobs, sizeof(t->sides[0].knobs));
}

static int settle(const struct turns *t, struct err *err)
{
	if (t->sides[0].result->context.virtual_board)
		return 0;
	if (stop_sleep_until(stop_now_ns() + SETTLE_NS))
		return err_set(err, -EINTR, "interrupted");
	return 0;
}

/* Its settings, told in its result the first time. */
static int switch_to(struct turns *t, struct at *at, int side, struct err *err)
{
	struct turns_side *s = &t->sides[side];
	int ret = 0;

	if (at->applied != side && (at->applied < 0 || !same_knobs(t)))
		ret = site_apply(t->site, &s->knobs, err);
	if (!ret && !at->described[side])
		ret = site_describe(t->site, &s->result->context, err);
	if (!ret && at->applied != side && !same_knobs(t))
		ret = settle(t, err);
	if (ret)
		return ret;
	at->applied = side;
	at->described[side] = true;
	return 0;
}

static void show(struct turns *t, struct at *at, int side, uint32_t round)
{
	uint64_t now = stop_now_ns(), left = 0;
	bool warm = round < t->warmup;
	char what[64];

	if (at->done)
		left = (now - at->start_ns) / at->done * (at->all - at->done);
	snprintf(what, sizeof(what), "%c %s %u of %u", 'A' + side,
		 warm ? "warm-up" : "iteration", (warm ? round : round - t->warmup) + 1,
		 warm ? t->warmup : t->iterations);
	progress_update(&at->progress, now, at->done, at->all, left, what);
}

/* Both files, so that each tells whether the experiment was completed. */
static int keep(struct turns *t, int side, bool last, struct err *err)
{
	const struct turns_side *own = &t->sides[side], *other = &t->sides[!side];
	int ret;

	own->result->interrupted = other->result->interrupted = !last;
	ret = bench_result_keep(own->output, own->result, 0, err);
	if (!ret && other->output)
		ret = bench_result_write(other->output, other->result, err);
	return ret;
}

static int one(struct turns *t, struct at *at, int side, uint32_t round, uint32_t order,
	       struct err *err)
{
	struct bench_iteration it;
	int ret = switch_to(t, at, side, err);

	if (ret)
		return ret;
	show(t, at, side, round);
	ret = site_run(t->site, t->sides[side].workload, &it, err);
	if (ret)
		return ret;
	at->done++;
	if (round < t->warmup)
		return 0;
	it.order = order;
	it.label[0] = 'A' + side;
	ret = bench_series_add(&t->sides[side].result->series[0], &it, err);
	return ret ? ret : keep(t, side, at->done == at->all, err);
}

int turns_run(struct turns *t, struct err *err)
{
	struct at at = { .start_ns = stop_now_ns(), .applied = -1 };
	uint32_t rounds = t->warmup + t->iterations;
	int ret = bench_result_writable(t->sides[0].output, err);

	if (!ret)
		ret = bench_result_writable(t->sides[1].output, err);
	at.all = 2 * rounds;
	progress_start(&at.progress, at.start_ns);
	for (uint32_t round = 0; round < rounds && !ret; round++) {
		bool counts = round >= t->warmup;
		uint32_t pair = counts ? round - t->warmup : round;
		int first = turns_b_first(t->order, t->seed, pair);

		ret = one(t, &at, first, round, 2 * pair, err);
		if (!ret)
			ret = one(t, &at, !first, round, 2 * pair + 1, err);
	}
	progress_end(&at.progress);
	return ret;
}
