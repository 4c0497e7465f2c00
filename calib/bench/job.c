// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * We fork a guard, the guard forks the job. The job tells us when it is ready and what
 * came of it; the guard kills it when our end of its pipe is closed.
 */
#include "calib/bench/job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calib/loads/child.h"
#include "calib/measure/stop.h"

/* Less than PIPE_BUF: it comes whole. */
struct report {
	int32_t ret;
	struct job_times times;
	char msg[1024];
};

/* The ends of the pipes, [0] to read from. */
struct pipes {
	int life[2], go[2], report[2];
};

void job_time(struct job_times *times, uint64_t start_ns)
{
	times->start_ns = start_ns;
	times->time_ns = stop_now_ns() - start_ns;
}

static void tell(int fd, int ret, const struct job_times *times, const struct err *err)
{
	struct report r = { .ret = ret, .times = *times };

	snprintf(r.msg, sizeof(r.msg), "%s", err->msg);
	/* Who should read it may be gone. */
	if (write(fd, &r, sizeof(r)) < 0)
		return;
}

static bool wait_for_go(int fd)
{
	char byte;
	ssize_t n;

	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	return n == 1;
}

static _Noreturn void be_job(const struct job_task *task, const struct pipes *p,
			     pid_t guard)
{
	struct job_times times = { 0 };
	struct err err = { "" };
	int ret;

	child_lead(guard);
	prctl(PR_SET_NAME, "calib-bench");
	close(p->life[0]);
	ret = task->setup ? task->setup(task->arg, &err) : 0;
	tell(p->report[1], ret, &times, &err);
	if (ret || !wait_for_go(p->go[0]))
		_exit(1);
	ret = task->run(task->arg, &times, &err);
	tell(p->report[1], ret, &times, &err);
	_exit(0);
}

static _Noreturn void be_guard(const struct job_task *task, const struct pipes *p)
{
	const int keep[] = { p->life[0], p->go[0], p->report[1] };
	const struct job_times none = { 0 };
	struct err err = { "" };
	pid_t self, job;
	int ret;

	child_guard("calib-guard", keep, 3);
	self = getpid();
	job = fork();
	if (!job)
		be_job(task, p, self);
	if (job < 0) {
		ret = -errno;
		tell(p->report[1], err_errno(&err, ret, "cannot start a process"), &none,
		     &err);
	}
	/* Its end of file tells that the job died. */
	close(p->report[1]);
	close(p->go[0]);
	if (job > 0) {
		setpgid(job, job);
		child_wait(job, p->life[0]);
		child_kill(job);
	}
	_exit(0);
}

static void close_pair(const int fds[2])
{
	if (fds[0] >= 0)
		close(fds[0]);
	if (fds[1] >= 0)
		close(fds[1]);
}

static void close_pipes(const struct pipes *p)
{
	close_pair(p->life);
	close_pair(p->go);
	close_pair(p->report);
}

static int open_pipes(struct pipes *p, struct err *err)
{
	int ret;

	*p = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if (!pipe2(p->life, O_CLOEXEC) && !pipe2(p->go, O_CLOEXEC) &&
	    !pipe2(p->report, O_CLOEXEC))
		return 0;
	ret = -errno;
	close_pipes(p);
	return err_errno(err, ret, "cannot make a pipe");
}

/* Until the job says something, or a signal asks us to end. The signal stays pending. */
static int wait_for_report(const struct job *job, struct report *r, struct err *err)
{
	struct pollfd fd = { .fd = job->report_fd, .events = POLLIN };
	ssize_t n;

	for (;;) {
		/* A signal that is held back wakes nobody. */
		int ready = poll(&fd, 1, 50);

		if (stop_pending())
			return err_set(err, -EINTR, "interrupted");
		if (ready <= 0)
			continue;
		n = read(job->report_fd, r, sizeof(*r));
		if (n == sizeof(*r))
			break;
		if (n < 0 && errno == EINTR)
			continue;
		return err_set(err, -ECHILD,
			       "the workload's process died (killed, or out of memory)");
	}
	r->msg[sizeof(r->msg) - 1] = '\0';
	return r->ret ? err_set(err, r->ret, "%s", r->msg) : 0;
}

int job_start(struct job *job, const struct job_task *task, struct err *err)
{
	struct report r;
	struct pipes p;
	int ret;

	ret = open_pipes(&p, err);
	if (ret)
		return ret;
	fflush(NULL);
	job->guard = fork();
	if (!job->guard)
		be_guard(task, &p);
	if (job->guard < 0) {
		ret = -errno;
		job->guard = 0;
		close_pipes(&p);
		return err_errno(err, ret, "cannot start a process");
	}
	close(p.life[0]);
	close(p.go[0]);
	close(p.report[1]);
	job->life_fd = p.life[1];
	job->go_fd = p.go[1];
	job->report_fd = p.report[0];
	ret = wait_for_report(job, &r, err);
	if (ret)
		job_stop(job);
	return ret;
}

int job_go(struct job *job, struct job_times *times, struct err *err)
{
	struct report r;
	int ret;

	/* SIGPIPE is ignored, see lib/cmd.h. */
	if (write(job->go_fd, "", 1) == 1)
		ret = wait_for_report(job, &r, err);
	else
		ret = err_set(err, -ECHILD,
			      "the workload's process died before it began");
	if (!ret)
		*times = r.times;
	job_stop(job);
	return ret;
}

void job_stop(struct job *job)
{
	if (!job->guard)
		return;
	close(job->life_fd);
	close(job->go_fd);
	close(job->report_fd);
	while (waitpid(job->guard, NULL, 0) < 0 && errno == EINTR)
		;
	*job = (struct job){ 0 };
}
