/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where ramp and sweep play: one task on one CPU, under settings, with the energy that it
 * took. Two implementations: this machine (a thread pinned to the CPU, cpufreq, meters),
 * and a virtual board in virtual time (its physics, a model of the governors).
 *
 * Work is steps of the serial float recurrence (the load "float"), an iteration each.
 */
#ifndef CALIB_BENCH_STAGE_H
#define CALIB_BENCH_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "boards/board.h"
#include "calib/bench/coretypes.h"
#include "calib/bench/knobs.h"
#include "calib/bench/tally.h"
#include "lib/err.h"

struct stage;

/* What a task does; returns 0 or -errno. */
struct stage_task {
	int (*run)(struct stage *s, void *arg, struct err *err);
	void *arg;
};

/* Told from inside the work, in time order. */
struct stage_watch {
	void (*piece)(void *arg, uint64_t from_ns, uint64_t to_ns, double steps);
	void *arg;
};

/*
 * Power while a task runs: means over slices, from some time after its start on. Of a
 * task that ends within the first slice, up to its end; of one that ends between a slice
 * and its last reading (meter_ns later), that slice is no sample. What happened less than
 * meter_ns before a slice is in it.
 */
struct stage_power {
	uint64_t after_ns, slice_ns; /* slice_ns is not 0 */
	struct tally *watt;	     /* takes a sample per slice; none without a meter */
};

struct stage_ops {
	/* Not from a task: as knobs_check() and knobs_apply(), which starts the meters
	 * too, and all of it is put back. */
	int (*check)(struct stage *s, const struct knobs_combo *c, struct err *err);
	int (*apply)(struct stage *s, const struct knobs_combo *c, struct err *err);
	int (*restore)(struct stage *s, struct err *err);
	/* What @cpu runs under now, where @c leaves it as it is. */
	void (*settings)(struct stage *s, unsigned int cpu, struct knobs_combo *c);
	/* Run a task that is new to the scheduler on @cpu, and wait for its end. What it
	 * returned; -EINVAL: the CPU cannot be used; -EAGAIN. */
	int (*task)(struct stage *s, unsigned int cpu, const struct stage_task *task,
		    const struct stage_power *power, struct err *err);
	/* From a task: work until @steps are done or it is @end_ns, whichever is first.
	 * @watch: may be NULL. 0; -EINTR when a signal asked the program to end. */
	int (*work)(struct stage *s, double steps, uint64_t end_ns,
		    const struct stage_watch *watch, struct err *err);
	/* From a task: the same in a new process, on the task's CPU. -EAGAIN. */
	int (*process)(struct stage *s, double steps, struct err *err);
	uint64_t (*now_ns)(struct stage *s);
	/* 0; -EINTR at once when a signal asked the program to end. */
	int (*sleep_until)(struct stage *s, uint64_t ns, struct err *err);
	/* From a task: the CPU time that it had, and the processes it made. */
	uint64_t (*task_ns)(struct stage *s);
	void (*close)(struct stage *s);
};

/* First member of each implementation's own struct. */
struct stage {
	const struct stage_ops *ops;
	struct coretype types[CORETYPES_MAX];
	unsigned int type_count;
	bool virtual_board, has_knobs; /* has_knobs: there is cpufreq */
	char board[64];
	char meters[256];   /* whose sum the power is; "": there is none */
	char no_meter[256]; /* why */
	uint64_t meter_ns;  /* so long after it readings still tell of a moment */
};

struct stage_options {
	const char *board;   /* "virtual:NAME"; NULL: this machine */
	uint32_t seed;	     /* of the virtual board */
	const char *sysroot; /* NULL: this machine */
	/* Of the machine's meters, as for calib measure; none: all that do not overlap.
	 */
	const char *const *sensors;
	unsigned int sensor_count;
	const char *power_from; /* see calib/linux/meters_stream.h; NULL */
	/* Takes one-line notes; may be NULL. */
	void (*note)(void *arg, const char *text);
	void *note_arg;
};

/*
 * stage_open - whichever @o means
 *
 * Returns 0 and *@s, to be closed by close(); -EINVAL for options that do not go
 * together; what board_open() and the two below return.
 */
int stage_open(const struct stage_options *o, struct stage **s, struct err *err);
/* This machine. Changes nothing yet. 0 and *@s, to be closed by close(); -errno. */
int stage_linux_open(const struct stage_options *o, struct stage **s, struct err *err);
/* A virtual board; -EINVAL when it has no truth to play. */
int stage_virtual_open(const struct board *board, uint64_t seed, struct stage **s,
		       struct err *err);

#endif
