// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files out, whole or not at all; files in; programs run.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/buf.h"
#include "lib/outfile.h"
#include "lib/sha256.h"
#include "lib/spawn.h"
#include "tests/unit/files.h"

static void assert_holds(const char *path, const char *text)
{
	char *got = files_get(path);

	assert_string_equal(got, text);
	free(got);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static void new_file_appears_at_commit_only(void **state)
{
	const char *path = files_path(files_dir, "new");
	struct outfile out;
	struct err err = { "" };
	mode_t mask = umask(027);

	(void)state;
	assert_int_equal(outfile_open(&out, path, &err), 0);
	fputs("text", out.f);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(outfile_commit(&out, &err), 0);
	outfile_abort(&out);
	umask(mask);
	assert_holds(path, "text");
	assert_int_equal(mode_of(path), 0640);
	assert_int_equal(files_count(files_dir), 1);
}

static void old_file_is_replaced_and_keeps_its_mode(void **state)
{
	const char *path = files_puts(files_dir, "old", "before");
	struct outfile out;
	struct err err = { "" };

	(void)state;
	assert_int_equal(chmod(path, 0604), 0);
	assert_int_equal(outfile_open(&out, path, &err), 0);
	fputs("after", out.f);
	assert_holds(path, "before");
	assert_int_equal(outfile_commit(&out, &err), 0);
	assert_holds(path, "after");
	assert_int_equal(mode_of(path), 0604);
	assert_int_equal(files_count(files_dir), 1);
}

static void owner_is_kept_where_allowed(void **state)
{
	const char *path = files_puts(files_dir, "owned", "before");
	struct stat st;
	struct err err = { "" };

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(chown(path, 12, 34), 0);
	assert_int_equal(outfile_write(path, "after", 5, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 12);
	assert_int_equal(st.st_gid, 34);
}

static void abort_leaves_no_trace(void **state)
{
	const char *path = files_puts(files_dir, "old", "before");
	struct outfile out;
	struct outfile zero = { 0 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(outfile_open(&out, path, &err), 0);
	fputs("after", out.f);
	outfile_abort(&out);
	outfile_abort(&out);
	outfile_abort(&zero);
	assert_holds(path, "before");
	assert_int_equal(files_count(files_dir), 1);
}

static void what_a_killed_process_left_is_swept(void **state)
{
	static const char *const names[] = { "a.json.tmp123.0", "a.json.tmp9.99" };
	static const char *const kept[] = { "a.json",	     "a.json.tmp",
					    "a.json.tmp1",   "a.json.tmp1.",
					    "a.json.tmpx.0", "a.json.tmp1.0.orig",
					    "b.json.tmp1.0", "ba.json.tmp1.0" };

	(void)state;
	for (size_t i = 0; i < 2; i++)
		files_puts(files_dir, names[i], "half");
	for (size_t i = 0; i < 8; i++)
		files_puts(files_dir, kept[i], "whole");
	outfile_sweep(files_path(files_dir, "a.json"));
	for (size_t i = 0; i < 8; i++)
		assert_holds(files_path(files_dir, kept[i]), "whole");
	assert_int_equal(files_count(files_dir), 8);
	outfile_sweep("/no/such/folder/a.json");
}

static void the_next_write_sweeps_what_dead_processes_left(void **state)
{
	struct err err = { "" };
	char mine[32], dead[32];
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	snprintf(dead, sizeof(dead), "a.json.tmp%d.0", (int)pid);
	snprintf(mine, sizeof(mine), "a.json.tmp%d.0", (int)getpid());
	files_puts(files_dir, dead, "half");
	files_puts(files_dir, mine, "half");
	files_puts(files_dir, "a.json", "before");
	assert_int_equal(outfile_write(files_path(files_dir, "a.json"), "after", 5, &err),
			 0);
	assert_holds(files_path(files_dir, "a.json"), "after");
	/* That one may be at work still. */
	assert_holds(files_path(files_dir, mine), "half");
	assert_int_equal(files_count(files_dir), 2);
}

static void link_stays_a_link(void **state)
{
	const char *real = files_puts(files_dir, "real", "before");
	const char *one = files_path(files_dir, "one"),
		   *two = files_path(files_dir, "two");
	struct stat st;
	struct err err = { "" };

	(void)state;
	assert_int_equal(symlink("real", one), 0);
	assert_int_equal(symlink(one, two), 0);
	assert_int_equal(outfile_write(two, "after", 5, &err), 0);
	assert_holds(real, "after");
	assert_int_equal(lstat(one, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(two, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(files_count(files_dir), 3);
}

static void link_to_a_file_that_is_not_there_makes_it(void **state)
{
	const char *one = files_path(files_dir, "one");
	struct err err = { "" };

	(void)state;
	assert_int_equal(symlink("new", one), 0);
	assert_int_equal(outfile_write(one, "text", 4, &err), 0);
	assert_holds(files_path(files_dir, "new"), "text");
	assert_int_equal(files_count(files_dir), 2);
}

static void link_circle_is_refused(void **state)
{
	const char *one = files_path(files_dir, "one");
	struct err err = { "" };

	(void)state;
	assert_int_equal(symlink("one", one), 0);
	assert_int_equal(outfile_write(one, "text", 4, &err), -ELOOP);
	assert_non_null(strstr(err.msg, "/one': Too many levels of symbolic links"));
}

static void folders_and_missing_folders_are_refused(void **state)
{
	struct err err = { "" };

	(void)state;
	assert_int_equal(outfile_write(files_dir, "x", 1, &err), -EISDIR);
	assert_non_null(strstr(err.msg, "': Is a directory"));
	assert_int_equal(outfile_write("/nonexistent/x", "x", 1, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "cannot write '/nonexistent/x'"));
	assert_int_equal(outfile_write("", "x", 1, &err), -EINVAL);
	assert_string_equal(err.msg, "the name of the output file is empty");
	assert_int_equal(files_count(files_dir), 0);
}

static void read_only_file_is_not_replaced(void **state)
{
	const char *path = files_puts(files_dir, "old", "before");
	struct err err = { "" };

	(void)state;
	if (!geteuid())
		skip();
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(outfile_write(path, "after", 5, &err), -EACCES);
	assert_non_null(strstr(err.msg, "/old': Permission denied"));
	assert_holds(path, "before");
	assert_int_equal(files_count(files_dir), 1);
}

/* A size limit acts like a full disk, without one. */
static void full_disk_leaves_the_old_file(void **state)
{
	const char *path = files_puts(files_dir, "old", "before");
	struct rlimit old, limit;
	struct err err = { "" };
	char data[8192] = "x";
	int ret;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ 4096, old.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ret = outfile_write(path, data, sizeof(data), &err);
	setrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(ret, -EFBIG);
	assert_non_null(strstr(err.msg, "cannot write '"));
	assert_non_null(strstr(err.msg, "/old' (it is as before): File too large"));
	assert_holds(path, "before");
	assert_int_equal(files_count(files_dir), 1);
}

static void device_is_written_straight(void **state)
{
	struct err err = { "" };

	(void)state;
	assert_int_equal(outfile_write("/dev/null", "x", 1, &err), 0);
	if (access("/dev/full", W_OK))
		skip();
	assert_int_equal(outfile_write("/dev/full", "x", 1, &err), -ENOSPC);
	assert_string_equal(err.msg, "cannot write '/dev/full': No space left on device");
}

static void backup_never_overwrites(void **state)
{
	const char *path = files_puts(files_dir, "b.dtb", "one");
	const char *orig = files_path(files_dir, "b.dtb.orig");
	struct err err = { "" };

	(void)state;
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(outfile_backup(path, &err), 0);
	assert_holds(orig, "one");
	assert_int_equal(mode_of(orig), 0640);
	files_puts(files_dir, "b.dtb", "two");
	assert_int_equal(outfile_backup(path, &err), -EEXIST);
	assert_non_null(strstr(err.msg, "/b.dtb.orig' exists; move it away first"));
	assert_holds(orig, "one");
	assert_int_equal(outfile_backup("/nonexistent/x", &err), -ENOENT);
	assert_int_equal(files_count(files_dir), 2);
}

static void buffer_grows_and_stays_terminated(void **state)
{
	struct buf buf = { 0 };

	(void)state;
	assert_int_equal(buf_adds(&buf, ""), 0);
	assert_string_equal(buf.data, "");
	for (int i = 0; i < 1000; i++)
		assert_int_equal(buf_addf(&buf, "%d,", i), 0);
	assert_int_equal(buf.len, strlen(buf.data));
	assert_int_equal(buf.len, 3890);
	assert_int_equal(buf_add(&buf, "\0x", 2), 0);
	assert_int_equal(buf.len, 3892);
	assert_memory_equal(buf.data + 3890, "\0x", 3);
	assert_int_equal(buf_add(&buf, "", SIZE_MAX - 10), -ENOMEM);
	assert_int_equal(buf.len, 3892);
	buf_free(&buf);
	buf_free(NULL);
}

static void file_is_read_up_to_its_limit(void **state)
{
	const char *path = files_puts(files_dir, "f", "12345");
	struct buf buf = { 0 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(buf_adds(&buf, "0"), 0);
	assert_int_equal(buf_read_file(&buf, path, 5, &err), 0);
	assert_string_equal(buf.data, "012345");
	assert_int_equal(buf_read_file(&buf, path, 4, &err), -EFBIG);
	assert_non_null(strstr(err.msg, "/f' is larger than the 4 bytes we take"));
	assert_string_equal(buf.data, "012345");
	assert_int_equal(buf_read_file(&buf, "/dev/zero", 1 << 20, &err), -EFBIG);
	assert_int_equal(buf_read_file(&buf, "/", 10, &err), -EISDIR);
	assert_int_equal(buf_read_file(&buf, "/nonexistent", 10, &err), -ENOENT);
	assert_string_equal(buf.data, "012345");
	buf_free(&buf);
}

static void program_gets_input_and_gives_output(void **state)
{
	static const char *const argv[] = { "sh", "-c", "cat; echo oops >&2; exit 3",
					    NULL };
	size_t len = 1 << 20;
	char *input = malloc(len);
	struct buf out = { 0 }, talk = { 0 };
	struct spawn sp = { argv, input, len, &out, &talk };
	struct err err = { "" };

	(void)state;
	memset(input, 'x', len);
	assert_int_equal(spawn_run(&sp, &err), 3);
	assert_int_equal(out.len, len);
	assert_memory_equal(out.data, input, len);
	assert_string_equal(talk.data, "oops\n");
	buf_free(&out);
	buf_free(&talk);
	free(input);
}

static void program_that_reads_nothing_does_no_harm(void **state)
{
	static const char *const argv[] = { "true", NULL };
	static const char input[1 << 18];
	struct spawn sp = { argv, input, sizeof(input), NULL, NULL };
	struct err err = { "" };

	(void)state;
	assert_int_equal(spawn_run(&sp, &err), 0);
	sp.input = NULL;
	assert_int_equal(spawn_run(&sp, &err), 0);
}

static void missing_program_is_named_with_its_package(void **state)
{
	static const char *const argv[] = { "no-such-program", NULL };
	static const char *const gnuplot[] = { "gnuplot", NULL };
	struct spawn sp = { .argv = argv };
	struct err err = { "" };
	char *path = strdup(getenv("PATH"));

	(void)state;
	if (getenv("RUN_UNIT"))
		skip(); /* qemu-user does not pass on why posix_spawn() failed */
	assert_int_equal(spawn_run(&sp, &err), -ENOENT);
	assert_string_equal(err.msg,
			    "'no-such-program' not found; install it (Debian package "
			    "'no-such-program')");
	sp.argv = gnuplot;
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(spawn_run(&sp, &err), -ENOENT);
	setenv("PATH", path, 1);
	free(path);
	assert_string_equal(
		err.msg,
		"'gnuplot' not found; install it (Debian package 'gnuplot-nox')");
}

static void program_killed_by_a_signal_is_an_error(void **state)
{
	static const char *const argv[] = { "sh", "-c", "kill -9 $$", NULL };
	struct spawn sp = { .argv = argv };
	struct err err = { "" };

	(void)state;
	assert_int_equal(spawn_run(&sp, &err), -EINTR);
	assert_string_equal(err.msg, "'sh' was killed by signal 9 (Killed)");
}

/* main() ignores SIGPIPE; the child must not. */
static void program_has_default_signals(void **state)
{
	static const char *const argv[] = { "sh", "-c", "kill -PIPE $$; echo alive",
					    NULL };
	struct buf out = { 0 };
	struct spawn sp = { .argv = argv, .out = &out };
	struct err err = { "" };

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(spawn_run(&sp, &err), -EINTR);
	signal(SIGPIPE, SIG_DFL);
	assert_null(out.data);
	buf_free(&out);
}

static void digest_of_a_file_whatever_its_name(void **state)
{
	static const char abc[] =
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
	char digest[SHA256_TEXT];
	struct err err = { "" };

	(void)state;
	assert_int_equal(sha256_file(files_puts(files_dir, "abc", "abc"), digest, &err),
			 0);
	assert_string_equal(digest, abc);
	assert_int_equal(
		sha256_file(files_puts(files_dir, "a\\b\nc", "abc"), digest, &err), 0);
	assert_string_equal(digest, abc);
	assert_int_equal(sha256_file("/nonexistent", digest, &err), -ENOENT);
	assert_string_equal(err.msg,
			    "cannot read '/nonexistent': No such file or directory");
	assert_int_equal(sha256_file(files_dir, digest, &err), -EIO);
	assert_true(sha256_is_valid(abc));
	assert_false(sha256_is_valid("ba78"));
	assert_false(sha256_is_valid(
		"BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F"
		"20015AD"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, files_set_up, files_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(new_file_appears_at_commit_only),
		TEST(old_file_is_replaced_and_keeps_its_mode),
		TEST(owner_is_kept_where_allowed),
		TEST(abort_leaves_no_trace),
		TEST(what_a_killed_process_left_is_swept),
		TEST(the_next_write_sweeps_what_dead_processes_left),
		TEST(link_stays_a_link),
		TEST(link_to_a_file_that_is_not_there_makes_it),
		TEST(link_circle_is_refused),
		TEST(folders_and_missing_folders_are_refused),
		TEST(read_only_file_is_not_replaced),
		TEST(full_disk_leaves_the_old_file),
		TEST(device_is_written_straight),
		TEST(backup_never_overwrites),
		TEST(buffer_grows_and_stays_terminated),
		TEST(file_is_read_up_to_its_limit),
		TEST(program_gets_input_and_gives_output),
		TEST(program_that_reads_nothing_does_no_harm),
		TEST(missing_program_is_named_with_its_package),
		TEST(program_killed_by_a_signal_is_an_error),
		TEST(program_has_default_signals),
		TEST(digest_of_a_file_whatever_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
