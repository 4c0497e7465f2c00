// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two tasks that wake each other through two pipes, as 'perf bench sched pipe'.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calib/bench/workload.h"
#include "calib/measure/stop.h"

enum { LOOPS };

struct ping_pong {
	int there[2], back[2];
	pid_t pid;
};

static int pass(int from, int to, uint64_t loops, bool first)
{
	uint32_t token = 0;

	for (uint64_t i = 0; i < loops; i++) {
		if (first && write(to, &token, sizeof(token)) != sizeof(token))
			return -EPIPE;
		if (read(from, &token, sizeof(token)) != sizeof(token))
			return -EPIPE;
		if (!first && write(to, &token, sizeof(token)) != sizeof(token))
			return -EPIPE;
	}
	return 0;
}

static int pipe_setup(struct workload_run *w, struct err *err)
{
	struct ping_pong *p = calloc(1, sizeof(*p));

	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	w->own = p;
	if (pipe(p->there) || pipe(p->back))
		return err_errno(err, -errno, "cannot make a pipe");
	p->pid = fork();
	if (p->pid < 0)
		return err_errno(err, -errno, "cannot start a process");
	if (!p->pid)
		_exit(-pass(p->there[0], p->back[1], w->value[LOOPS], false));
	return 0;
}

static int pipe_run(struct workload_run *w, struct job_times *times, struct err *err)
{
	const struct ping_pong *p = w->own;
	uint64_t start_ns = stop_now_ns();
	int status = 0, ret;

	ret = pass(p->back[0], p->there[1], w->value[LOOPS], true);
	if (waitpid(p->pid, &status, 0) < 0)
		ret = -errno;
	job_time(times, start_ns);
	return ret || status ? err_set(err, -ECHILD, "the other task failed") : 0;
}

static uint64_t pipe_units(const struct workload_run *w)
{
	return w->value[LOOPS];
}

/* There and back, of a fast core. */
#define ROUND_CPU_S 5e-6

static void pipe_cost(const struct workload_run *w, double *cpu_s, double *cpus,
		      double *least_s)
{
	*cpu_s = w->value[LOOPS] * ROUND_CPU_S;
	*cpus = 1;
	*least_s = 0;
}

static const struct workload_param pipe_params[] = {
	{ "loops", "times there and back", 100000, 1, 1000000000 },
	{ NULL },
};

const struct workload workload_pipe = {
	.name = "pipe",
	.help = "two tasks that wake each other in turn through pipes",
	.unit = "round",
	.params = pipe_params,
	.setup = pipe_setup,
	.run = pipe_run,
	.cost = pipe_cost,
	.units = pipe_units,
};
