// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any program as a workload: an iteration is one run of it, which must end with status 0.
 * An rt-app description is such a run of rt-app.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calib/bench/workload.h"
#include "calib/measure/stop.h"

#define RT_APP "rt-app"

/* In a child; tells what fails through @fail_fd, which a successful exec closes. */
static _Noreturn void become(const char *const *argv, int fail_fd)
{
	int code;

	execvp(argv[0], (char *const *)argv);
	code = errno;
	if (write(fail_fd, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

static int judge(const char *name, int status, struct err *err)
{
	if (WIFSIGNALED(status))
		return err_set(err, -ECHILD, "'%s' was killed by signal %d (%s)", name,
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return err_set(err, -ECHILD,
			       "'%s' ended with status %d; what it took is worth nothing "
			       "then",
			       name, WEXITSTATUS(status));
	return 0;
}

static int run_command(const char *const *argv, struct job_times *times, struct err *err)
{
	uint64_t start_ns = stop_now_ns();
	int fds[2], code = 0, status;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return err_errno(err, -errno, "cannot make a pipe");
	pid = fork();
	if (!pid)
		become(argv, fds[1]);
	if (pid < 0)
		return err_errno(err, -errno, "cannot start a process");
	close(fds[1]);
	if (read(fds[0], &code, sizeof(code)) < 0)
		code = 0;
	close(fds[0]);
	if (waitpid(pid, &status, 0) < 0)
		return err_errno(err, -errno, "cannot wait for '%s'", argv[0]);
	job_time(times, start_ns);
	return code ? err_errno(err, -code, "cannot run '%s'", argv[0])
		    : judge(argv[0], status, err);
}

static int command_run(struct workload_run *w, struct job_times *times, struct err *err)
{
	return run_command(w->argv, times, err);
}

static bool is_in_path(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];
	size_t len;

	while (path && *path) {
		len = strcspn(path, ":");
		snprintf(file, sizeof(file), "%.*s/%s", (int)len, path, name);
		if (!access(file, X_OK))
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

static int rt_app_prepare(struct workload_run *w, struct err *err)
{
	if (!is_in_path(RT_APP))
		return err_set(err, -ENOENT,
			       "no program 'rt-app' here; install it (Debian package "
			       "'rt-app'), or use "
			       "the "
			       "workload 'periodic'");
	if (access(w->text[0], R_OK))
		return err_errno(err, -errno, "%s", w->text[0]);
	return 0;
}

static int rt_app_run(struct workload_run *w, struct job_times *times, struct err *err)
{
	const char *const argv[] = { RT_APP, w->text[0], NULL };

	return run_command(argv, times, err);
}

static const struct workload_param rt_app_params[] = {
	{ "file", "the JSON that describes its tasks", .is_text = true },
	{ NULL },
};

const struct workload workload_rt_app = {
	.name = RT_APP,
	.help = "a description for rt-app, where that is installed",
	.params = rt_app_params,
	.prepare = rt_app_prepare,
	.run = rt_app_run,
};

const struct workload *workload_command(void)
{
	static const struct workload_param none[] = { { NULL } };
	static const struct workload type = {
		.name = WORKLOAD_COMMAND,
		.help = "any program",
		.params = none,
		.run = command_run,
	};

	return &type;
}
