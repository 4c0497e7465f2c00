/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is run N times: a table of workloads, and how a user names one with its
 *parameters:
 *
 *	messages
 *	messages:groups=4,via=pipe,as=threads
 *	rt-app:file=video.json
 *
 * or any command line of its own. The same parameters are the same work: what compares
 *two results may rely on it.
 */
#ifndef CALIB_BENCH_WORKLOAD_H
#define CALIB_BENCH_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "calib/bench/job.h"
#include "lib/err.h"

#define WORKLOAD_PARAMS_MAX 8
#define WORKLOAD_COMMAND    "command"

/* A number, a choice or a text; the name carries its unit. */
struct workload_param {
	const char *name; /* NULL ends the list */
	const char *help;
	uint64_t by_default, min, max;
	const char *choices; /* "socket|pipe": the value is its index; NULL: a number */
	bool is_text;	     /* it must be given */
};

struct workload_run;

struct workload {
	const char *name;
	const char *help; /* one line */
	const char *unit; /* what is counted, for the rate: "message"; NULL: nothing */
	bool fixed_time;  /* it lasts as long as it is told to */
	const struct workload_param *params;
	/*
	 * In our own process, once before all iterations: find out what is needed
	 * (calibrate, look for a program). May be NULL. 0, -EINTR, -errno.
	 */
	int (*prepare)(struct workload_run *w, struct err *err);
	/* In the process of each iteration, see job.h. setup may be NULL. */
	int (*setup)(struct workload_run *w, struct err *err);
	int (*run)(struct workload_run *w, struct job_times *times, struct err *err);
	/* On a virtual board: CPU seconds of the machine's fastest CPU at its highest
	 * clock that one iteration takes, on at most @cpus at a time (0: all), in not
	 * less than
	 * @least_s. NULL: virtual boards cannot run it. */
	void (*cost)(const struct workload_run *w, double *cpu_s, double *cpus,
		     double *least_s);
	/* How many units an iteration has; NULL with unit. */
	uint64_t (*units)(const struct workload_run *w);
};

/* One that was chosen. Zeroed is none. */
struct workload_run {
	const struct workload *type;
	uint64_t value[WORKLOAD_PARAMS_MAX]; /* in the order of type->params */
	char text[WORKLOAD_PARAMS_MAX][256]; /* of texts */
	const char *const *argv;	     /* of a command, NULL-ended; borrowed */
	void *own;			     /* of setup() and run(), in the job */
};

/* In the order they are listed; NULL past the end. The command is not among them. */
const struct workload *workload_at(size_t i);
/* The one without a name of its own: what "-- CMD ..." runs. */
const struct workload *workload_command(void);

/*
 * workload_parse - "NAME[:PARAM=VALUE[,PARAM=VALUE]...]"
 *
 * Returns 0, or -EINVAL: no such workload or parameter (those there are get named), a
 * value out of its range, one given twice.
 */
int workload_parse(const char *spec, struct workload_run *w, struct err *err);
/* A command line as a workload; @argv is borrowed. */
void workload_of_command(const char *const *argv, struct workload_run *w);
/* The value of parameter @i as text, into @out; returns @out. */
const char *workload_value(const struct workload_run *w, size_t i, char *out,
			   size_t size);
/* All parameters, "groups=10 senders=20"; of a command its words, quoted
 * as for a shell, and where they do not fit a digest at the end. @size: 64 or more.
 * Returns @out. */
const char *workload_describe(const struct workload_run *w, char *out, size_t size);

/* The task that runs @w once. */
struct job_task workload_task(struct workload_run *w);

extern const struct workload workload_messages;
extern const struct workload workload_pipe;
extern const struct workload workload_periodic;
extern const struct workload workload_rt_app;

#endif
