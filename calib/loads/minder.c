// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a command on one CPU until the other end of a pipe is closed.
 *
 * The command leads a process group, which is killed as a whole; that of a command which
 * ended, too, so that nothing it left in the background piles up. What left the group
 * (setsid, a daemon) comes to the minder when its parent is gone, and is killed then.
 * Should the minder be killed, the kernel kills the command.
 */
#include "calib/loads/minder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calib/loads/command.h"
#include "lib/spawn.h"

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

static void on_child(int sig)
{
	(void)sig; /* wakes ppoll() */
}

static void report(const struct minder *m, enum minder_event kind, int value)
{
	const struct minder_report r = { kind, value, now_ms() - m->start_ms };

	/* Who should read it may be gone. */
	if (write(m->report_fd, &r, sizeof(r)) < 0)
		return;
}

/* All signals wait, but SIGCHLD while ppoll() does. */
static void hold_signals(void)
{
	const struct sigaction wake = { .sa_handler = on_child };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGCHLD, &wake, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void default_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Keep standard error and two others. */
static void drop_files(struct minder *m)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int low = m->life_fd < m->report_fd ? m->life_fd : m->report_fd;
	int high = m->life_fd < m->report_fd ? m->report_fd : m->life_fd;

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	spawn_close_files(STDERR_FILENO + 1, low - 1);
	spawn_close_files(low + 1, high - 1);
	spawn_close_files(high + 1, ~0u);
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

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != minder)
		_exit(127);
	default_signals();
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

/* 0 when the process is none, or is gone. */
static pid_t parent_of(const char *pid)
{
	char path[32], text[256];
	const char *end;
	int parent = 0, fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%.15s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* The name before may hold anything. */
	end = strrchr(text, ')');
	return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* How many children there were that took the signal. */
static unsigned int kill_children(void)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	unsigned int n = 0;

	while (dir && (entry = readdir(dir)))
		if (isdigit(entry->d_name[0]) && parent_of(entry->d_name) == getpid() &&
		    !kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL))
			n++;
	if (dir)
		closedir(dir);
	return n;
}

/* The children of what is killed become ours: until there is none. */
static void kill_left(void)
{
	unsigned int n;

	do {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		for (n = kill_children(); n; n--)
			if (waitpid(-1, NULL, 0) < 0)
				return;
	} while (!waitpid(-1, NULL, WNOHANG));
}

/* Its group's number cannot be somebody else's before the command is reaped. */
static int kill_group(const struct minder *m)
{
	int status = 0;

	kill(-m->command, SIGKILL);
	kill(m->command, SIGKILL);
	waitpid(m->command, &status, 0);
	kill_left();
	return status;
}

/* Until the command ended or nobody wants it any more. True: it ended. */
static bool wait_for_end(const struct minder *m)
{
	struct pollfd life = { .fd = m->life_fd, .events = POLLIN };
	siginfo_t info = { 0 };
	sigset_t mask;

	sigfillset(&mask);
	sigdelset(&mask, SIGCHLD);
	for (;;) {
		if (waitid(P_PID, m->command, &info, WEXITED | WNOHANG | WNOWAIT) ||
		    info.si_pid)
			return true;
		if (ppoll(&life, 1, NULL, &mask) > 0)
			return false;
	}
}

static void wait_for_eof(const struct minder *m)
{
	char byte;

	while (read(m->life_fd, &byte, 1) < 0 && errno == EINTR)
		;
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
		if (!wait_for_end(m)) {
			kill_group(m);
			return;
		}
		status = kill_group(m);
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
	int fail;

	hold_signals();
	setpgid(0, 0);
	prctl(PR_SET_NAME, "calib-minder");
	/* What the command leaves behind is ours to reap. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	drop_files(&m);
	fail = pin_self(cpu);
	if (fail)
		report(&m, MINDER_NOT_PINNED, fail);
	else
		run(&m);
	wait_for_eof(&m);
	_exit(0);
}
