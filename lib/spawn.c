// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run another program. Input and output go through unnamed files, not pipes: nothing can
 * block, and a child that does not read its input raises no SIGPIPE here.
 */
#include "lib/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define FDS_WITHOUT_CLOSE_RANGE 1024

struct fds {
	int in, out, err; /* -1: not ours */
};

static const char *package_of(const char *program)
{
	static const struct {
		const char *program, *package;
	} known[] = {
		{ "gnuplot", "gnuplot-nox" },
		{ "dtc", "device-tree-compiler" },
		{ "diff", "diffutils" },
		{ "sha256sum", "coreutils" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].program, program))
			return known[i].package;
	return program;
}

/* Linux before 3.17 has no memfd; boards still run it. */
static int unnamed_file(void)
{
	int fd = memfd_create("spawn", MFD_CLOEXEC);
	FILE *f;

	if (fd >= 0)
		return fd;
	f = tmpfile();
	if (!f)
		return -errno;
	fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		fd = -errno;
	fclose(f);
	return fd;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= n;
	}
	return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

static int open_input(const struct spawn *sp)
{
	int fd, ret;

	if (!sp->input) {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	fd = unnamed_file();
	if (fd < 0)
		return fd;
	ret = write_all(fd, sp->input, sp->input_len);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static void close_fds(struct fds *fds)
{
	if (fds->in >= 0)
		close(fds->in);
	if (fds->out >= 0)
		close(fds->out);
	if (fds->err >= 0)
		close(fds->err);
}

static int open_fds(const struct spawn *sp, struct fds *fds)
{
	int ret;

	*fds = (struct fds){ -1, -1, -1 };
	ret = fds->in = open_input(sp);
	if (ret >= 0 && sp->out)
		ret = fds->out = unnamed_file();
	if (ret >= 0 && sp->err)
		ret = fds->err = unnamed_file();
	if (ret >= 0)
		return 0;
	close_fds(fds);
	return ret;
}

static int collect(int fd, struct buf *buf)
{
	char chunk[8192];
	ssize_t n;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (buf_add(buf, chunk, n))
			return -ENOMEM;
	}
	return 0;
}

/* The child gets default signals: we may ignore or block some, and exec keeps that. */
static int set_signals(posix_spawnattr_t *attr)
{
	sigset_t set;
	int ret;

	sigemptyset(&set);
	ret = posix_spawnattr_setsigmask(attr, &set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (!ret)
		ret = posix_spawnattr_setsigdefault(attr, &set);
	if (!ret)
		ret = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK |
							     POSIX_SPAWN_SETSIGDEF);
	return ret;
}

static int redirect(posix_spawn_file_actions_t *actions, const struct fds *fds)
{
	int ret = posix_spawn_file_actions_adddup2(actions, fds->in, STDIN_FILENO);

	if (!ret && fds->out >= 0)
		ret = posix_spawn_file_actions_adddup2(actions, fds->out, STDOUT_FILENO);
	if (!ret && fds->err >= 0)
		ret = posix_spawn_file_actions_adddup2(actions, fds->err, STDERR_FILENO);
	return ret;
}

static int start(const struct spawn *sp, const struct fds *fds, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int ret;

	ret = posix_spawn_file_actions_init(&actions);
	if (ret)
		return -ret;
	ret = posix_spawnattr_init(&attr);
	if (ret)
		goto out_actions;
	ret = redirect(&actions, fds);
	if (!ret)
		ret = set_signals(&attr);
	if (!ret)
		ret = posix_spawnp(pid, sp->argv[0], &actions, &attr,
				   (char *const *)sp->argv, environ);
	posix_spawnattr_destroy(&attr);
out_actions:
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

static int wait_for(pid_t pid, const char *name, struct err *err)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_errno(err, -errno, "cannot wait for '%s'", name);
	if (WIFSIGNALED(status))
		return err_set(err, -EINTR, "'%s' was killed by signal %d (%s)", name,
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status);
}

static int start_and_wait(const struct spawn *sp, const struct fds *fds, struct err *err)
{
	const char *name = sp->argv[0];
	pid_t pid;
	int ret;

	fflush(stdout);
	ret = start(sp, fds, &pid);
	/* A folder of PATH that is closed to us gives EACCES for a name that is nowhere.
	 */
	if (ret == -ENOENT || (ret == -EACCES && !strchr(name, '/')))
		return err_set(err, -ENOENT,
			       "'%s' not found; install it (Debian package '%s')", name,
			       package_of(name));
	if (ret)
		return err_errno(err, ret, "cannot run '%s'", name);
	return wait_for(pid, name, err);
}

int spawn_run(const struct spawn *sp, struct err *err)
{
	struct fds fds;
	int status, ret;

	ret = open_fds(sp, &fds);
	if (ret)
		return err_errno(err, ret, "cannot run '%s'", sp->argv[0]);
	status = start_and_wait(sp, &fds, err);
	ret = 0;
	if (status >= 0 && sp->out)
		ret = collect(fds.out, sp->out);
	if (status >= 0 && sp->err && !ret)
		ret = collect(fds.err, sp->err);
	close_fds(&fds);
	if (ret)
		return err_errno(err, ret, "cannot read what '%s' printed", sp->argv[0]);
	return status;
}

void spawn_close_files(unsigned int first, unsigned int last)
{
	if (first > last)
		return;
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, last, 0))
		return;
#endif
	for (; first <= last && first < FDS_WITHOUT_CLOSE_RANGE; first++)
		close(first);
}
