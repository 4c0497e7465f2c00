// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Looking after another process and all that it starts, until it ends or nobody wants it.
 */
#include "calib/loads/child.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/spawn.h"

static void on_child(int sig)
{
	(void)sig; /* wakes ppoll() */
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

/* The lowest of @keep that is @from or more; -1: there is none. */
static int next_kept(const int *keep, unsigned int n, int from)
{
	int next = -1;

	for (unsigned int i = 0; i < n; i++)
		if (keep[i] >= from && (next < 0 || keep[i] < next))
			next = keep[i];
	return next;
}

static void drop_files(const int *keep, unsigned int n)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int from = STDERR_FILENO + 1, next;

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	while ((next = next_kept(keep, n, from)) >= 0) {
		spawn_close_files(from, next - 1);
		from = next + 1;
	}
	spawn_close_files(from, ~0u);
}

void child_guard(const char *name, const int *keep, unsigned int n)
{
	hold_signals();
	setpgid(0, 0);
	prctl(PR_SET_NAME, name);
	/* What the other one leaves behind is ours to reap. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	drop_files(keep, n);
}

void child_lead(pid_t guard)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != guard)
		_exit(127);
	default_signals();
	/* Whoever wants the terminal, which is not its own, fails, and does not stop. */
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
}

bool child_wait(pid_t child, int life_fd)
{
	struct pollfd life = { .fd = life_fd, .events = POLLIN };
	siginfo_t info = { 0 };
	sigset_t mask;

	sigfillset(&mask);
	sigdelset(&mask, SIGCHLD);
	for (;;) {
		if (waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) ||
		    info.si_pid)
			return true;
		if (ppoll(&life, 1, NULL, &mask) > 0)
			return false;
	}
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
	} while (waitpid(-1, NULL, WNOHANG) >= 0);
}

int child_kill(pid_t child)
{
	int status = 0;

	kill(-child, SIGKILL);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	kill_left();
	return status;
}

void child_wait_unwanted(int life_fd)
{
	char byte;

	while (read(life_fd, &byte, 1) < 0 && errno == EINTR)
		;
}
