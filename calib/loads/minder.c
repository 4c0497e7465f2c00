// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a command on one CPU until the other end of a pipe is closed.
 *
 * The command and all that it starts end with it, so that nothing it left in the
 * background piles up; see calib/loads/child.h.
 */
#include "calib/loads/minder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calib/loads/child.h"
#include "calib/loads/command.h"

struct minder {
	const char *const *argv;
	int life_fd, report_fd;
	pid_t command;
	uint64_t start_ms;
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void report(const struct minder *m, enum minder_event kind, int value)
{
	const struct minder_report r = { kind, value, now_ms() - m->start_ms };

	/* Who should read it may be gone. */
	if (write(m->report_fd, &r, sizeof(r)) < 0)
		return;
}

static int pin_self(unsigned int cpu)
{
	cpu_set_t set;

	if (cpu >= CPU_SETSIZE)
		return EINVAL;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? errno : 0;
}

static _Noreturn void become(const struct minder *m, pid_t minder, int fail_fd)
{
	int ret;

	child_lead(minder);
	execvp(m->argv[0], (char *const *)m->argv);
	ret = errno;
	if (write(fail_fd, &ret, sizeof(ret)) < 0)
		_exit(126);
	_exit(127);
}

/* 0 once the command was executed, or errno. */
static int start(struct minder *m)
{
	pid_t self = getpid();
	int fds[2], fail = 0;

	if (pipe2(fds, O_CLOEXEC))
		return errno;
	m->start_ms = now_ms();
	m->command = fork();
	if (!m->command)
		become(m, self, fds[1]);
	if (m->command < 0)
		fail = errno;
	else
		setpgid(m->command, m->command);
	close(fds[1]);
	/* Nothing to read: exec closed it. */
	if (!fail && read(fds[0], &fail, sizeof(fail)) > 0)
		waitpid(m->command, NULL, 0);
	close(fds[0]);
	return fail;
}

/* Until a command ends that is not to be run again, or nobody wants it any more. */
static void run(struct minder *m)
{
	bool first = true;
	int fail, status;

	for (;;) {
		fail = start(m);
		if (fail) {
			report(m, MINDER_NOT_STARTED, fail);
			return;
		}
		if (first)
			report(m, MINDER_RUNS, 0);
		first = false;
		if (!child_wait(m->command, m->life_fd)) {
			child_kill(m->command);
			return;
		}
		status = child_kill(m->command);
		if (status || now_ms() - m->start_ms < LOAD_CMD_MIN_MS) {
			report(m, MINDER_ENDED, status);
			return;
		}
	}
}

_Noreturn void minder_run(const char *const *argv, unsigned int cpu, int life_fd,
			  int report_fd)
{
	struct minder m = { .argv = argv, .life_fd = life_fd, .report_fd = report_fd };
	const int keep[] = { life_fd, report_fd };
	int fail;

	child_guard("calib-minder", keep, 2);
	fail = pin_self(cpu);
	if (fail)
		report(&m, MINDER_NOT_PINNED, fail);
	else
		run(&m);
	child_wait_unwanted(life_fd);
	_exit(0);
}
