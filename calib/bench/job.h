/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One iteration of a workload, in a process of its own: whatever it forks, opens or
 * breaks is gone with it, and all of it is killed when we stop or die (see
 * calib/loads/child.h).
 */
#ifndef CALIB_BENCH_JOB_H
#define CALIB_BENCH_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

/* What one iteration took, by CLOCK_MONOTONIC. */
struct job_times {
	uint64_t start_ns, time_ns;
	bool counts_late; /* else late is nothing */
	uint64_t late;	  /* wake-ups */
};

/* Both run in the process of the job; 0 or -errno with a message. */
struct job_task {
	/* Up to the point where time begins: processes, buffers. May be NULL. */
	int (*setup)(void *arg, struct err *err);
	int (*run)(void *arg, struct job_times *times, struct err *err);
	void *arg;
};

/* Zeroed: there is none. */
struct job {
	pid_t guard;
	int life_fd, go_fd, report_fd;
};

/*
 * job_start - fork, set up, and wait for job_go()
 *
 * Call it with the signals held back (calib/measure/stop.h). 0; -EINTR a signal asks us
 * to end; what setup() returned; -ECHILD it died; -errno. On failure nothing runs.
 */
int job_start(struct job *job, const struct job_task *task, struct err *err);
/* Run, and wait for the end. Returns as job_start(); nothing runs afterwards. */
int job_go(struct job *job, struct job_times *times, struct err *err);
/* Kill what runs. Takes a zeroed one. */
void job_stop(struct job *job);

/* CLOCK_MONOTONIC since @start_ns into @times. */
void job_time(struct job_times *times, uint64_t start_ns);

#endif
