/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads that sleep. Periodic: a packet of work in each period of a fixed work/sleep
 * frequency, its size swept up and down, in percent of what fills the period at the
 * highest clock. Serialized: processes with a packet of fixed size, one after the other,
 * so that the period is what the machine makes of it.
 */
#ifndef CALIB_BENCH_SWEEP_H
#define CALIB_BENCH_SWEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "calib/bench/knobs.h"
#include "calib/bench/stage.h"
#include "calib/bench/tally.h"
#include "lib/err.h"

#define SWEEP_MAX_HZ	10
#define SWEEP_MAX_STEPS 41
#define SWEEP_SLICE_NS	UINT64_C(1000000000) /* a sample of power, at most */

struct sweep_plan {
	bool serialized;
	/* periodic */
	uint32_t hz[SWEEP_MAX_HZ];
	unsigned int hz_count;
	uint32_t load[SWEEP_MAX_STEPS]; /* percent: up, then down */
	bool down[SWEEP_MAX_STEPS];
	unsigned int step_count;
	uint64_t step_ns;
	/* serialized */
	uint64_t packet_ns; /* of a process, at the highest clock */
	uint32_t tasks, samples;
};

/* How long a step goes on before it is looked at: what was before must not be in the
 * readings of slow meters. */
uint64_t sweep_settle_ns(const struct stage *s, const struct sweep_plan *p);

/* A row of the table. */
struct sweep_row {
	const struct coretype *type;
	unsigned int cpu;
	struct knobs_combo combo;
	uint32_t hz, load; /* 0: serialized */
	bool down, done;
	/* Execution time: of a packet, or of all tasks of a sample, in seconds. */
	struct tally seconds;
	struct tally watt; /* of up to a second each */
	uint64_t late;	   /* packets that took over 1.01 periods */
	/* Of the packets or samples, and how much of it their CPU was theirs. */
	uint64_t work_ns, had_ns;
};

/*
 * sweep_loads - "10,20,30" into a plan's steps: up as given, then down
 *
 * 0; -EINVAL unless it is a list of ascending percents in 1..100.
 */
int sweep_loads(const char *text, struct sweep_plan *p, struct err *err);
/* The same for frequencies, 1..2000 Hz, each once. */
int sweep_frequencies(const char *text, struct sweep_plan *p, struct err *err);

/*
 * sweep_full_rate - steps per second of @cpu at its highest clock
 *
 * Looked for under the governor performance where there is one. 0, -EINTR, as
 * ramp_once().
 */
int sweep_full_rate(struct stage *s, unsigned int cpu, double *rate, struct err *err);

/*
 * sweep_step - one row
 * @rate: of sweep_full_rate()
 *
 * Settings are as they are. 0; -EINTR; what ops->task() returns.
 */
int sweep_step(struct stage *s, const struct sweep_plan *p, double rate,
	       struct sweep_row *row, struct err *err);

/* All that was measured. */
struct sweep_result {
	const struct stage *stage;
	const struct sweep_plan *plan;
	uint32_t seed;
	const char *command; /* line */
	const unsigned int *cpus;
	const double *rates; /* of cpus[]; 0: not looked at */
	unsigned int cpu_count;
	const struct sweep_row *const *rows; /* in the order to show them */
	unsigned int row_count;
	bool interrupted;
};

/* 0; -ENOMEM; -errno of writing. */
int sweep_print(const struct sweep_result *r, FILE *f, bool markdown, struct err *err);
int sweep_print_json(const struct sweep_result *r, FILE *f, struct err *err);

#endif
