/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What 'calib bench' measured: a file that holds each iteration of each workload, and all
 * that a reader needs to know to compare it with another.
 *
 * It is rewritten whole after each iteration, so that an interrupted run leaves a usable
 * file: "interrupted" stays true until the last iteration is in.
 */
#ifndef CALIB_BENCH_RESULT_H
#define CALIB_BENCH_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boards/board.h"
#include "calib/linux/boot.h"
#include "lib/err.h"

#define BENCH_SCHEMA	     "calib-bench/1"
#define BENCH_MAX_RAILS	     16
#define BENCH_MAX_POLICIES   64
#define BENCH_POLICY_CPUS    64
#define BENCH_MAX_PARAMS     24
#define BENCH_MAX_WORKLOADS  16
#define BENCH_MAX_ITERATIONS 100000
#define BENCH_MAX_ORDER	     INT32_MAX
#define BENCH_MAX_BOOTS	     256

/* How a rail's energy was got. */
enum bench_method {
	BENCH_COUNTER,	 /* the meter counts it */
	BENCH_TRAPEZOID, /* power readings, integrated over their times */
};

struct bench_rail {
	char name[192]; /* of the meter: a SPEC up to its first blank; or the board's */
	enum bench_method method;
	/* Part of the total: rails that see the same power twice are not both. */
	bool summed;
	uint32_t interval_us; /* between its readings; 0: counted, or not known */
};

/* A cpufreq policy as it was set while the workloads ran. */
struct bench_policy {
	unsigned int id;				 /* policyN */
	unsigned int cpus[BENCH_POLICY_CPUS], cpu_count; /* online */
	char driver[32], governor[32], epp[32];		 /* "" unknown, or no such */
	uint32_t min_khz, max_khz;			 /* limits; 0: unknown */
};

struct bench_context {
	char tool[64], command[1024]; /* cut where it is longer */
	char date[32];		      /* ISO 8601 UTC, of the begin */
	char kernel[128], compatible[128], board[32], model[128]; /* "" unknown */
	struct boot_facts boot;
	bool virtual_board;
	uint64_t seed;	/* of the virtual board; up to 2^63-1 */
	char cpus[128]; /* online, as a list */
	struct bench_policy policies[BENCH_MAX_POLICIES];
	unsigned int policy_count; /* 0: no cpufreq */
	struct bench_rail rails[BENCH_MAX_RAILS];
	unsigned int rail_count; /* 0: no meter, times only */
	uint32_t warmup;	 /* iterations before the first that counts */
};

/* What makes two workloads the same: all but energy, times and machine. */
struct bench_param {
	char key[32], value[256];
};

struct bench_iteration {
	uint64_t start_ns; /* CLOCK_MONOTONIC, or virtual time */
	uint64_t time_ns;  /* it took */
	/* Of context.rails[], same order; where a meter failed there is none. */
	int64_t energy_uj[BENCH_MAX_RAILS];
	bool has_energy[BENCH_MAX_RAILS];
	bool has_late;
	uint64_t late_wakeups; /* of periodic tasks */
	/* Where it stood among all iterations of the experiment, those of the other side
	 * and of other workloads too: 0 was first. */
	uint32_t order;
	char label[32]; /* "A", "B", or "" */
	uint32_t boot;	/* index of the result's boots, if it has any */
};

struct bench_series {
	char workload[32]; /* "messages" */
	struct bench_param params[BENCH_MAX_PARAMS];
	unsigned int param_count;
	/* What is done in an iteration: 40000 times a "message"; 0 and "": not told. */
	char unit[32];
	uint64_t units;
	/* The workload lasts as long as it is told to: its time is no result. */
	bool fixed_time;
	struct bench_iteration *iterations; /* owned; ascending order */
	size_t iteration_count, room;
};

/* One boot of a series (calib/bench/boots.h). */
struct bench_boot {
	char state[32];		      /* what was booted, as the user calls it */
	struct bench_context context; /* with the rails of the result's */
	bool interrupted;	      /* more iterations of it were planned */
};

struct bench_result {
	struct bench_context context; /* of the first boot, if there are boots */
	struct bench_boot *boots;     /* owned; oldest first */
	unsigned int boot_count;
	struct bench_series series[BENCH_MAX_WORKLOADS];
	unsigned int series_count;
	bool interrupted; /* if there are boots: one of them was */
};

/*
 * bench_context_sign - who measures, when: tool, date, kernel, and @command
 * @command: of cmd_line(); may be NULL
 *
 * Board, policies and rails are the caller's to fill.
 */
void bench_context_sign(struct bench_context *c, const char *command);
/* A parameter, as printf; -E2BIG when there are too many. */
int bench_param_add(struct bench_series *s, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* NULL: there is no such parameter. */
const char *bench_param_value(const struct bench_series *s, const char *key);
/* The first parameter that @a has and @b has not, or not so; NULL: none. */
const struct bench_param *bench_differing(const struct bench_series *a,
					  const struct bench_series *b);
/* One workload with the same parameters? */
bool bench_same_work(const struct bench_series *a, const struct bench_series *b);
/* Append @it. 0, -ENOMEM, -E2BIG beyond BENCH_MAX_ITERATIONS. */
int bench_series_add(struct bench_series *s, const struct bench_iteration *it,
		     struct err *err);
/* Append a boot. 0, -ENOMEM, -E2BIG beyond BENCH_MAX_BOOTS. */
int bench_boot_add(struct bench_result *r, const char *state,
		   const struct bench_context *c, struct err *err);
/* Is an iteration missing? Of a series of boots: of its last one. */
void bench_interrupted(struct bench_result *r, bool interrupted);
/* Are the meters the same, and those that make the total? */
bool bench_same_rails(const struct bench_context *a, const struct bench_context *b);
/*
 * bench_energy_uj - energy of one iteration
 * @rail: index; -1: the total of the rails that are summed
 *
 * Returns whether it is known: not without rails, nor when one of them failed.
 */
bool bench_energy_uj(const struct bench_context *c, const struct bench_iteration *it,
		     int rail, double *uj);

/*
 * bench_result_read - 0; -EINVAL with file and key for what is not such a file; -errno
 * @r: large; the caller frees it with bench_result_free(), after a failure too
 */
int bench_result_read(const char *path, struct bench_result *r, struct err *err);
/*
 * bench_result_write - as it is now, whole or not at all ("-" is stdout)
 *
 * 0; -EINVAL for numbers beyond what a file can hold; -errno.
 */
int bench_result_write(const char *path, const struct bench_result *r, struct err *err);
/*
 * bench_result_keep - write it after an iteration that was added to series[@series]
 * @path: NULL: nowhere
 *
 * When that fails the iteration is taken away again: what is told to be in the file is
 * there. As bench_result_write().
 */
int bench_result_keep(const char *path, struct bench_result *r, unsigned int series,
		      struct err *err);
/*
 * bench_result_writable - before hours of measuring: can @path be written again and
 * again?
 *
 * Changes nothing. NULL: yes. 0; -EINVAL "-" and what is no regular file; -errno.
 */
int bench_result_writable(const char *path, struct err *err);
/* Takes NULL and a zeroed one; the struct itself is the caller's. */
void bench_result_free(struct bench_result *r);

#endif
