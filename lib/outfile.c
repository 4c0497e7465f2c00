// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output files that are whole or untouched.
 */
#include "lib/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/buf.h"

#define DIGITS	   "0123456789"
#define MAX_TRIES  100
#define BACKUP_MAX (256u << 20)

/* Follow links by hand: realpath() fails for a link to a file that is not there yet. */
static int resolve(const char *path, char *out, struct err *err)
{
	char target[PATH_MAX], joined[2 * PATH_MAX];

	if (snprintf(out, PATH_MAX, "%s", path) >= PATH_MAX)
		return err_errno(err, -ENAMETOOLONG, "'%.100s...'", path);
	for (int depth = 0; depth < 40; depth++) {
		ssize_t n = readlink(out, target, sizeof(target) - 1);
		const char *slash = strrchr(out, '/');
		int dir = slash ? slash - out + 1 : 0;

		if (n < 0)
			return 0;
		target[n] = '\0';
		if (target[0] == '/')
			dir = 0;
		if (snprintf(joined, sizeof(joined), "%.*s%s", dir, out, target) >=
		    PATH_MAX)
			return err_errno(err, -ENAMETOOLONG, "'%s'", path);
		strcpy(out, joined);
	}
	return err_errno(err, -ELOOP, "'%s'", path);
}

int outfile_not_input(const char *path, const char *input, struct err *err)
{
	struct stat a, b;

	if (!path || !strcmp(path, "-") || !strcmp(input, "-") || stat(path, &a) ||
	    stat(input, &b))
		return 0;
	if (!S_ISREG(a.st_mode) || a.st_dev != b.st_dev || a.st_ino != b.st_ino)
		return 0;
	return err_set(err, -EINVAL,
		       "output '%s' is the input '%s', which it would replace; give "
		       "another name with -o",
		       path, input);
}

/* Of "NAME.tmp123.0", as open_tmp() makes them, the 123; or 0. */
static long maker_of(const char *name, const char *entry)
{
	size_t len = strlen(name);
	const char *rest = entry + len;
	long pid;

	if (strncmp(entry, name, len) || strncmp(rest, ".tmp", 4))
		return 0;
	rest += 4;
	pid = strtol(rest, NULL, 10);
	rest += strspn(rest, DIGITS);
	if (rest[0] != '.' || !rest[1] || rest[1 + strspn(rest + 1, DIGITS)])
		return 0;
	return pid;
}

static bool is_alive(long pid)
{
	return !kill((pid_t)pid, 0) || errno != ESRCH;
}

/* @all: also what a process that still runs is writing */
static void sweep(const char *path, bool all)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char dir[PATH_MAX];
	struct dirent *entry;
	DIR *d;

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path + 1) : 1,
		 slash ? path : ".");
	d = opendir(dir);
	while (d && (entry = readdir(d))) {
		long pid = maker_of(name, entry->d_name);

		if (pid > 0 && (all || !is_alive(pid)))
			unlinkat(dirfd(d), entry->d_name, 0);
	}
	if (d)
		closedir(d);
}

void outfile_sweep(const char *path)
{
	sweep(path, true);
}

/* O_EXCL: never through a link or into a file that somebody else put there. */
static int open_tmp(struct outfile *out, struct err *err)
{
	for (unsigned int i = 0; i < MAX_TRIES; i++) {
		int n = snprintf(out->tmp, sizeof(out->tmp), "%s.tmp%ld.%u", out->path,
				 (long)getpid(), i);
		int fd;

		if (n >= (int)sizeof(out->tmp))
			break;
		fd = open(out->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST) {
			int ret = -errno;

			out->tmp[0] = '\0';
			return err_errno(err, ret,
					 "cannot write '%s': no new file beside it",
					 out->path);
		}
	}
	out->tmp[0] = '\0';
	return err_set(err, -EEXIST,
		       "cannot write '%s': no free temporary name beside it", out->path);
}

/*
 * The new file gets owner and mode of the old one. Who may not give files away keeps the
 * mode; set-id bits go then, as chown(2) would drop them.
 */
static int copy_owner_mode(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 07777;
	struct stat now;

	if (fstat(fd, &now))
		return -errno;
	if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
	    fchown(fd, old->st_uid, old->st_gid) && fchown(fd, (uid_t)-1, old->st_gid))
		mode &= 0777;
	return fchmod(fd, mode) ? -errno : 0;
}

static int open_beside(struct outfile *out, const struct stat *old, struct err *err)
{
	int fd, ret;

	if (old && access(out->path, W_OK))
		return err_errno(err, -errno, "cannot write '%s'", out->path);
	sweep(out->path, false);
	fd = open_tmp(out, err);
	if (fd < 0)
		return fd;
	ret = old ? copy_owner_mode(fd, old) : 0;
	if (!ret) {
		out->f = fdopen(fd, "w");
		ret = out->f ? 0 : -errno;
	}
	if (!ret)
		return 0;
	err_errno(err, ret, "cannot write '%s'", out->path);
	close(fd);
	outfile_abort(out);
	return ret;
}

static int open_straight(struct outfile *out, struct err *err)
{
	out->f = fopen(out->path, "we");
	return out->f ? 0 : err_errno(err, -errno, "cannot write '%s'", out->path);
}

int outfile_open(struct outfile *out, const char *path, struct err *err)
{
	struct stat st;
	int ret;

	*out = (struct outfile){ 0 };
	if (!*path)
		return err_set(err, -EINVAL, "the name of the output file is empty");
	if (!strcmp(path, "-")) {
		strcpy(out->path, "-");
		out->f = stdout;
		return 0;
	}
	/* /dev/stdout and the like lead to names that nobody can open by hand. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		if (S_ISDIR(st.st_mode))
			return err_errno(err, -EISDIR, "cannot write '%s'", path);
		snprintf(out->path, sizeof(out->path), "%s", path);
		return open_straight(out, err);
	}
	ret = resolve(path, out->path, err);
	if (ret)
		return ret;
	if (stat(out->path, &st))
		return errno == ENOENT
			       ? open_beside(out, NULL, err)
			       : err_errno(err, -errno, "cannot write '%s'", path);
	return open_beside(out, &st, err);
}

/* The rename is on disk only once the folder is. Some file systems cannot: no failure. */
static int open_folder(const char *path)
{
	char dir[PATH_MAX];
	char *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = '\0';
	return open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void sync_folder(const char *path)
{
	int fd = open_folder(path);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int outfile_lock_folder(const struct outfile *out)
{
	int fd = open_folder(out->path);

	int ret;

	if (fd < 0)
		return -errno;
	ret = flock(fd, LOCK_EX) ? -errno : fd;
	if (ret < 0)
		close(fd);
	return ret;
}

/*
 * Why did an earlier write fail? stdio has forgotten, but the next byte fails for the
 * same reason; what is written is broken anyhow.
 */
static int ask_reason(int fd)
{
	return write(fd, "", 1) < 0 ? -errno : -EIO;
}

static int flush_stream(FILE *f)
{
	errno = 0;
	if (!fflush(f) && !ferror(f))
		return 0;
	return errno ? -errno : ask_reason(fileno(f));
}

/* Closes the stream. */
static int finish_stream(struct outfile *out)
{
	int ret = flush_stream(out->f);

	if (!ret && out->tmp[0] && fsync(fileno(out->f)))
		ret = -errno;
	if (fclose(out->f) && !ret)
		ret = -errno;
	out->f = NULL;
	return ret;
}

static int failed(struct outfile *out, int ret, struct err *err)
{
	const char *kept = out->tmp[0] ? " (it is as before)" : "";

	outfile_abort(out);
	return err_errno(err, ret, "cannot write '%s'%s", out->path, kept);
}

int outfile_prepare(struct outfile *out, struct err *err)
{
	int ret;

	if (out->f == stdout) {
		out->f = NULL;
		return outfile_flush_stdout(err);
	}
	ret = out->f ? finish_stream(out) : 0;
	return ret ? failed(out, ret, err) : 0;
}

int outfile_commit(struct outfile *out, struct err *err)
{
	int ret = outfile_prepare(out, err);

	if (ret || !out->tmp[0])
		return ret;
	if (rename(out->tmp, out->path))
		return failed(out, -errno, err);
	sync_folder(out->path);
	out->tmp[0] = '\0';
	return 0;
}

void outfile_abort(struct outfile *out)
{
	if (out->f && out->f != stdout)
		fclose(out->f);
	out->f = NULL;
	if (out->tmp[0])
		unlink(out->tmp);
	out->tmp[0] = '\0';
}

int outfile_write(const char *path, const void *data, size_t len, struct err *err)
{
	struct outfile out;
	int ret = outfile_open(&out, path, err);

	if (ret)
		return ret;
	/* A short write shows in ferror(), which the commit asks. */
	if (len)
		fwrite(data, 1, len, out.f);
	return outfile_commit(&out, err);
}

/* link(2) fails when the name exists: unlike rename(2) it never replaces a file. */
static int place_backup(struct outfile *out, const char *name, struct err *err)
{
	int ret = finish_stream(out);

	if (!ret && link(out->tmp, name))
		ret = -errno;
	if (ret == -EEXIST)
		return err_set(err, ret, "backup '%s' exists; move it away first", name);
	if (ret)
		return err_errno(err, ret, "cannot write backup '%s'", name);
	sync_folder(name);
	return 0;
}

static int write_backup(const char *path, const char *name, const struct buf *content,
			struct err *err)
{
	struct outfile out = { 0 };
	struct stat st;
	int ret;

	if (!lstat(name, &st))
		return err_set(err, -EEXIST, "backup '%s' exists; move it away first",
			       name);
	if (stat(path, &st))
		return err_errno(err, -errno, "cannot read '%s'", path);
	strcpy(out.path, name);
	ret = open_beside(&out, NULL, err);
	if (ret)
		return ret;
	ret = copy_owner_mode(fileno(out.f), &st);
	if (ret) {
		err_errno(err, ret, "cannot write backup '%s'", name);
	} else {
		if (content->len)
			fwrite(content->data, 1, content->len, out.f);
		ret = place_backup(&out, name, err);
	}
	outfile_abort(&out);
	return ret;
}

int outfile_backup(const char *path, struct err *err)
{
	struct buf content = { 0 };
	char name[PATH_MAX];
	int ret;

	if (snprintf(name, sizeof(name), "%s.orig", path) >= (int)sizeof(name))
		return err_errno(err, -ENAMETOOLONG, "'%s.orig'", path);
	ret = buf_read_regular(&content, path, BACKUP_MAX, err);
	if (!ret)
		ret = write_backup(path, name, &content, err);
	buf_free(&content);
	return ret;
}

void outfile_drop_backup(const char *path)
{
	char name[PATH_MAX];

	if (snprintf(name, sizeof(name), "%s.orig", path) < (int)sizeof(name))
		unlink(name);
}

int outfile_flush_stdout(struct err *err)
{
	int ret = flush_stream(stdout);

	return ret ? err_errno(err, ret, "cannot write standard output") : 0;
}
