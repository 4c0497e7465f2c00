/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sides, A and B, that take turns: iterations come in pairs of one each, so that
 * whatever changes slowly (temperature, other users, the supply) changes for both.
 */
#ifndef CALIB_BENCH_TURNS_H
#define CALIB_BENCH_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/bench/knobs.h"
#include "calib/bench/result.h"
#include "calib/bench/site.h"
#include "lib/err.h"

enum turns_order {
	TURNS_ABBA,   /* A B, B A, A B ...: a straight drift drops out */
	TURNS_RANDOM, /* each pair by a coin: nothing periodic can be in step */
};

struct turns_side {
	struct workload_run *workload; /* prepared; both sides may have the same */
	struct knobs_combo knobs;
	struct bench_result *result; /* signed, with one series */
	const char *output;	     /* where it is kept; NULL: nowhere */
};

struct turns {
	struct site *site;
	struct turns_side sides[2];
	uint32_t iterations, warmup; /* of each side */
	enum turns_order order;
	uint64_t seed; /* of the coin */
};

/* Does B begin pair number @pair? Asked in ascending order. */
bool turns_b_first(enum turns_order order, uint64_t seed, uint32_t pair);

/*
 * turns_run - all pairs
 *
 * The context of each side is described with its settings. Both files are written after
 * each iteration that counts. Returns 0; -EINTR a signal asks us to end; what
 * site_apply(), site_run() and bench_result_write() return. What is done is in the
 * results; settings are the caller's to restore.
 */
int turns_run(struct turns *t, struct err *err);

#endif
