// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands as loads: starting and stopping the minders, and what they report.
 */
#include "calib/loads/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calib/loads/minder.h"

struct minded {
	pid_t minder;
	int report_fd;
	unsigned int cpu;
};

struct command_load {
	const char *const *argv;
	int life_fd; /* nobody else has it: closed, the minders end */
	unsigned int count;
	struct minded minded[];
};

static int tell_end(const struct command_load *c, const struct minder_report *r,
		    struct err *err)
{
	if (WIFSIGNALED(r->value))
		return err_set(
			err, -ECHILD, "load command '%s' was killed by signal %d (%s)",
			c->argv[0], WTERMSIG(r->value), strsignal(WTERMSIG(r->value)));
	if (WEXITSTATUS(r->value))
		return err_set(err, -ECHILD,
			       "load command '%s' ended with status %d after %u ms; as a "
			       "load it has to run until it is stopped, or to end with "
			       "status 0 to be run again",
			       c->argv[0], WEXITSTATUS(r->value), r->ran_ms);
	return err_set(err, -ECHILD,
		       "load command '%s' ends after %u ms; as a load it has to run for "
		       "%d ms or more",
		       c->argv[0], r->ran_ms, LOAD_CMD_MIN_MS);
}

static int tell(const struct command_load *c, unsigned int cpu,
		const struct minder_report *r, struct err *err)
{
	switch (r->kind) {
	case MINDER_RUNS:
		return 0;
	case MINDER_NOT_PINNED:
		return err_set(err, -r->value,
			       "cannot run on CPU %u: it is offline, or a cpuset keeps "
			       "us from it",
			       cpu);
	case MINDER_NOT_STARTED:
		return err_errno(err, -r->value, "cannot run the load command '%s'",
				 c->argv[0]);
	default:
		return tell_end(c, r, err);
	}
}

/* The next report, which is there or will come. */
static int take_report(const struct command_load *c, const struct minded *m,
		       struct err *err)
{
	struct minder_report r;
	ssize_t n;

	do {
		n = read(m->report_fd, &r, sizeof(r));
	} while (n < 0 && errno == EINTR);
	if (n == sizeof(r))
		return tell(c, m->cpu, &r, err);
	return err_set(err, -ECHILD, "somebody killed the minder of load command '%s'",
		       c->argv[0]);
}

static int add(struct command_load *c, unsigned int cpu, int life_fd, struct err *err)
{
	struct minded *m = &c->minded[c->count];
	int fds[2], ret;

	if (pipe2(fds, O_CLOEXEC))
		return err_errno(err, -errno, "cannot make a pipe");
	m->cpu = cpu;
	m->report_fd = fds[0];
	m->minder = fork();
	if (!m->minder)
		minder_run(c->argv, cpu, life_fd, fds[1]);
	ret = -errno;
	close(fds[1]);
	if (m->minder < 0) {
		close(fds[0]);
		return err_errno(err, ret, "cannot start a process for CPU %u", cpu);
	}
	c->count++;
	return take_report(c, m, err);
}

int command_start(const char *const *argv, const unsigned int *cpus, unsigned int ncpus,
		  struct command_load **out, struct err *err)
{
	struct command_load *c = calloc(1, sizeof(*c) + ncpus * sizeof(c->minded[0]));
	unsigned int i;
	int life[2], ret = 0;

	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	if (pipe2(life, O_CLOEXEC)) {
		free(c);
		return err_errno(err, -errno, "cannot make a pipe");
	}
	c->argv = argv;
	c->life_fd = life[1];
	for (i = 0; !ret && i < ncpus; i++)
		ret = add(c, cpus[i], life[0], err);
	close(life[0]);
	if (ret) {
		command_stop(c);
		return ret;
	}
	*out = c;
	return 0;
}

int command_check(const struct command_load *c, unsigned int wait_ms, struct err *err)
{
	unsigned int i;
	int ret = 0;

	/* One after the other: those not looked at yet keep their report. */
	for (i = 0; !ret && i < c->count; i++) {
		struct pollfd p = { .fd = c->minded[i].report_fd, .events = POLLIN };

		if (poll(&p, 1, i ? 0 : (int)wait_ms) > 0)
			ret = take_report(c, &c->minded[i], err);
	}
	return ret;
}

void command_stop(struct command_load *c)
{
	unsigned int i;

	if (!c)
		return;
	close(c->life_fd);
	for (i = 0; i < c->count; i++) {
		while (waitpid(c->minded[i].minder, NULL, 0) < 0 && errno == EINTR)
			;
		close(c->minded[i].report_fd);
	}
	free(c);
}
