// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guardian: sleeps on a pipe whose other end only we hold. However we die, the kernel
 * closes that end and the read returns. (A death signal by prctl() would come when the
 * thread that forked ends, is lost over a change of credentials, and may be missed before
 * it is asked for.)
 */
#include "calib/linux/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/spawn.h"

/* Keep @fd and standard error. A lock lives as long as any copy of its descriptor. */
static void drop_files(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	spawn_close_files(STDERR_FILENO + 1, fd - 1);
	spawn_close_files(fd + 1, ~0u);
}

static void stand_aside(int fd)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "calib-guardian");
	drop_files(fd);
}

static void put_back(struct state *st, void (*note)(void *arg, const char *text),
		     void *arg)
{
	struct err why = { "" }, text;
	int ret;

	st->told = NULL;
	ret = state_inherit(st, &why);
	if (ret == -EBUSY)
		return;
	ret = state_restore(st, &why);
	if (ret)
		err_set(&text, 0,
			"the measuring process died and not all can be put back: %s; see "
			"'calib restore --help'",
			why.msg);
	else
		err_set(&text, 0,
			"the measuring process died; its guardian put the settings back");
	if (note)
		note(arg, text.msg);
}

static void watch(int fd, const struct state *st,
		  void (*note)(void *arg, const char *text), void *arg)
{
	struct state mine = *st;
	ssize_t n;
	char byte;

	stand_aside(fd);
	do {
		n = read(fd, &byte, 1);
	} while (n > 0 || (n < 0 && errno == EINTR));
	put_back(&mine, note, arg);
	_exit(0);
}

static bool is_alive(const struct guardian *g)
{
	return g->pid && !waitpid(g->pid, NULL, WNOHANG);
}

int guardian_start(struct guardian *g, const struct state *st,
		   void (*note)(void *arg, const char *text), void *arg, struct err *err)
{
	int fds[2], ret;

	if (is_alive(g))
		return 0;
	guardian_dismiss(g);
	/* What stdio holds back would else be written twice. */
	fflush(NULL);
	if (pipe2(fds, O_CLOEXEC))
		return err_errno(err, -errno, "cannot make a pipe to a guardian process");
	g->pid = fork();
	if (!g->pid) {
		close(fds[1]);
		watch(fds[0], st, note, arg);
	}
	ret = -errno;
	close(fds[0]);
	if (g->pid > 0) {
		g->fd = fds[1];
		return 0;
	}
	g->pid = 0;
	close(fds[1]);
	return err_errno(err, ret,
			 "cannot start the guardian that would put the settings back if "
			 "calib were killed");
}

void guardian_dismiss(struct guardian *g)
{
	if (!g->pid)
		return;
	/* It sleeps and holds nothing; a stopped one would not hear anything else. */
	kill(g->pid, SIGKILL);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(g->fd);
	*g = (struct guardian){ 0 };
}
