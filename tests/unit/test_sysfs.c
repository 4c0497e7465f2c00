// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "calib/linux/cpustat.h"
#include "calib/linux/state.h"
#include "calib/linux/sysfs.h"
#include "files.h"

#include <sys/stat.h>

struct fixture {
	char *dir;
	struct sysfs sys;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->dir = files_folder();
	assert_int_equal(sysfs_init(&f->sys, f->dir, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	files_remove(f->dir);
	free(f);
	return 0;
}

static void read_strips_one_newline_only(void **state)
{
	struct fixture *f = *state;
	char text[32];

	files_puts(f->dir, "a", "ondemand \n\n");
	assert_int_equal(sysfs_read(&f->sys, "/a", text, sizeof(text), NULL), 0);
	assert_string_equal(text, "ondemand \n");
	files_puts(f->dir, "a", "no newline");
	assert_int_equal(sysfs_read(&f->sys, "/a", text, sizeof(text), NULL), 0);
	assert_string_equal(text, "no newline");
	files_puts(f->dir, "a", "");
	assert_int_equal(sysfs_read(&f->sys, "/a", text, sizeof(text), NULL), 0);
	assert_string_equal(text, "");
}

static void read_takes_the_whole_text_or_refuses(void **state)
{
	struct fixture *f = *state;
	struct err err;
	char text[9];

	files_puts(f->dir, "a", "1234567\n");
	assert_int_equal(sysfs_read(&f->sys, "/a", text, sizeof(text), NULL), 0);
	assert_string_equal(text, "1234567");
	files_puts(f->dir, "a", "12345678\n");
	assert_int_equal(sysfs_read(&f->sys, "/a", text, sizeof(text), &err), -EFBIG);
	assert_string_equal(err.msg, "/a: more than 8 bytes");
	files_put(f->dir, "a", "1\0002", 3);
	assert_int_equal(sysfs_read(&f->sys, "/a", text, sizeof(text), &err), -EINVAL);
	assert_string_equal(err.msg, "/a: a NUL byte in the text");
}

static void a_pipe_that_nobody_writes_to_is_not_waited_for(void **state)
{
	struct fixture *f = *state;
	char text[9];

	assert_int_equal(mkfifo(files_path(f->dir, "pipe"), 0600), 0);
	assert_int_equal(sysfs_read(&f->sys, "/pipe", text, sizeof(text), NULL), 0);
	assert_string_equal(text, "");
	assert_int_equal(sysfs_write(&f->sys, "/pipe", "1", NULL), -ENXIO);
}

static void a_missing_file_is_an_answer(void **state)
{
	struct fixture *f = *state;
	struct err err;
	uint32_t n;

	assert_int_equal(sysfs_read_u32(&f->sys, "/none", &n, &err), -ENOENT);
	assert_string_equal(err.msg, "/none: No such file or directory");
	assert_int_equal(sysfs_write(&f->sys, "/none", "1\n", &err), -ENOENT);
	assert_int_equal(access(files_path(f->dir, "none"), F_OK), -1);
}

static void unsupported_is_never_a_number(void **state)
{
	struct fixture *f = *state;
	uint32_t n = 7;
	struct err err;

	files_puts(f->dir, "a", "<unsupported>\n");
	assert_int_equal(sysfs_read_u32(&f->sys, "/a", &n, &err), -ENOTSUP);
	assert_string_equal(err.msg, "/a: the kernel says '<unsupported>'");
	files_puts(f->dir, "a", "600000 kHz\n");
	assert_int_equal(sysfs_read_u32(&f->sys, "/a", &n, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "/a: '600000 kHz' is not a whole number in 0..4294967295");
	files_puts(f->dir, "a", "4294967296\n");
	assert_int_equal(sysfs_read_u32(&f->sys, "/a", &n, &err), -ERANGE);
	assert_int_equal(n, 7);
}

static void set_reads_back_what_was_written(void **state)
{
	struct fixture *f = *state;
	struct err err;

	files_puts(f->dir, "a", "ondemand, a long one\n");
	assert_int_equal(sysfs_set(&f->sys, "/a", "userspace", &err), 0);
	/* /dev/null takes all and keeps nothing: a kernel that ignores the write. */
	assert_int_equal(symlink("/dev/null", files_path(f->dir, "deaf")), 0);
	assert_int_equal(sysfs_set(&f->sys, "/deaf", "userspace", &err), -EIO);
	assert_string_equal(err.msg, "/deaf: wrote 'userspace', it reads ''");
	/* A full disk stands in for a kernel that refuses. */
	assert_int_equal(symlink("/dev/full", files_path(f->dir, "full")), 0);
	assert_int_equal(sysfs_set(&f->sys, "/full", "1", &err), -ENOSPC);
	assert_string_equal(err.msg, "/full: writing '1': No space left on device");
}

static void indices_sort_as_numbers(void **state)
{
	struct fixture *f = *state;
	unsigned int n[4];

	mkdir(files_path(f->dir, "policy10"), 0755);
	mkdir(files_path(f->dir, "policy2"), 0755);
	mkdir(files_path(f->dir, "policyx"), 0755);
	mkdir(files_path(f->dir, "policy"), 0755);
	mkdir(files_path(f->dir, "policy0"), 0755);
	assert_int_equal(sysfs_indices(&f->sys, "/", "policy", n, 4, NULL), 3);
	assert_int_equal(n[0], 0);
	assert_int_equal(n[1], 2);
	assert_int_equal(n[2], 10);
	assert_int_equal(sysfs_indices(&f->sys, "/", "policy", n, 2, NULL), -ERANGE);
	assert_int_equal(sysfs_indices(&f->sys, "/none", "policy", n, 4, NULL), -ENOENT);
}

#define CPU "/sys/devices/system/cpu/"

static void make_cpu_folder(struct fixture *f)
{
	mkdir(files_path(f->dir, "run"), 0755);
	mkdir(files_path(f->dir, "sys"), 0755);
	mkdir(files_path(f->dir, "sys/devices"), 0755);
	mkdir(files_path(f->dir, "sys/devices/system"), 0755);
	mkdir(files_path(f->dir, "sys/devices/system/cpu"), 0755);
	files_puts(f->dir, CPU "a", "1\n");
	files_puts(f->dir, CPU "b", "two\n");
}

static void expect_file(struct fixture *f, const char *name, const char *text)
{
	char *data = files_get(files_path(f->dir, name));

	assert_string_equal(data, text);
	free(data);
}

static void state_puts_back_the_first_text_and_forgets_it(void **state)
{
	struct fixture *f = *state;
	struct state st;
	bool recovered;

	make_cpu_folder(f);
	assert_int_equal(state_open(&st, &f->sys, &recovered, NULL), 0);
	assert_false(recovered);
	assert_int_equal(state_save(&st, CPU "a", NULL), 0);
	assert_int_equal(state_save(&st, CPU "b", NULL), 0);
	assert_int_equal(state_commit(&st, NULL), 0);
	assert_int_equal(access(files_path(f->dir, "run/calib/state.json"), F_OK), 0);
	assert_int_equal(sysfs_set(&f->sys, CPU "a", "9", NULL), 0);
	assert_int_equal(state_save(&st, CPU "a", NULL), 0);
	assert_int_equal(state_restore(&st, NULL), 0);
	expect_file(f, CPU "a", "1\n");
	expect_file(f, CPU "b", "two\n");
	assert_int_equal(access(files_path(f->dir, "run/calib/state.json"), F_OK), -1);
	/* Twice is harmless, and what others set since stays. */
	assert_int_equal(sysfs_set(&f->sys, CPU "a", "5", NULL), 0);
	assert_int_equal(state_restore(&st, NULL), 0);
	expect_file(f, CPU "a", "5\n");
	state_close(&st);
}

static void what_cannot_be_put_back_is_named_and_the_rest_is_back(void **state)
{
	struct fixture *f = *state;
	struct state st;
	struct err err;
	bool recovered;

	make_cpu_folder(f);
	assert_int_equal(state_open(&st, &f->sys, &recovered, NULL), 0);
	assert_int_equal(state_save(&st, CPU "a", NULL), 0);
	assert_int_equal(state_save(&st, CPU "b", NULL), 0);
	assert_int_equal(state_commit(&st, NULL), 0);
	assert_int_equal(sysfs_set(&f->sys, CPU "b", "9", NULL), 0);
	assert_int_equal(unlink(files_path(f->dir, CPU "a")), 0);
	assert_int_equal(symlink("/dev/null", files_path(f->dir, CPU "a")), 0);
	assert_int_equal(state_restore(&st, &err), -EIO);
	assert_non_null(strstr(err.msg, "1 setting(s) could not be put back: " CPU
					"a: wrote '1', it reads ''"));
	expect_file(f, CPU "b", "two\n");
	assert_int_equal(access(files_path(f->dir, "run/calib/state.json"), F_OK), 0);
	state_close(&st);
}

static void the_next_run_puts_back_what_a_dead_one_left(void **state)
{
	struct fixture *f = *state;
	struct state st;
	bool recovered;

	make_cpu_folder(f);
	assert_int_equal(state_open(&st, &f->sys, &recovered, NULL), 0);
	assert_int_equal(state_save(&st, CPU "a", NULL), 0);
	assert_int_equal(state_commit(&st, NULL), 0);
	assert_int_equal(sysfs_set(&f->sys, CPU "a", "9", NULL), 0);
	state_close(&st); /* as death does: nothing is restored */
	assert_int_equal(state_open(&st, &f->sys, &recovered, NULL), 0);
	assert_true(recovered);
	expect_file(f, CPU "a", "1\n");
	state_close(&st);
}

static void two_runs_at_once_are_refused(void **state)
{
	struct fixture *f = *state;
	struct state st, other;
	struct err err;
	bool recovered;

	make_cpu_folder(f);
	assert_int_equal(state_open(&st, &f->sys, &recovered, NULL), 0);
	assert_int_equal(state_open(&other, &f->sys, &recovered, &err), -EBUSY);
	assert_non_null(strstr(err.msg, "another calib is measuring on this machine"));
	state_close(&st);
	assert_int_equal(state_open(&other, &f->sys, &recovered, &err), 0);
	state_close(&other);
}

static void a_state_file_changes_nothing_but_settings(void **state)
{
	static const char *const bad[] = { "/etc/passwd", CPU "../../../../etc/passwd" };
	struct fixture *f = *state;
	struct state st;
	struct err err;
	bool recovered;
	char text[256];
	size_t i;

	make_cpu_folder(f);
	mkdir(files_path(f->dir, "run/calib"), 0755);
	for (i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "{\"schema\": \"calib-state/1\", \"saved\": "
			 "[{\"path\": \"%s\", \"text\": \"x\"}]}",
			 bad[i]);
		files_puts(f->dir, "run/calib/state.json", text);
		assert_int_equal(state_open(&st, &f->sys, &recovered, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "is not a setting of this machine"));
		assert_non_null(strstr(err.msg, "run/calib/state.json"));
	}
}

static void idle_time_is_summed_over_the_cpus_asked_for(void **state)
{
	const unsigned int cpus[] = { 1, 11 };
	struct fixture *f = *state;
	uint64_t ns;

	mkdir(files_path(f->dir, "proc"), 0755);
	files_puts(f->dir, "proc/stat",
		   "cpu  9 9 9 9 9 9 9 0 0 0\n"
		   "cpu0 1 1 1 1000 1 0 0 0 0 0\n"
		   "cpu1 5 0 5 300 20 0 0 0 0 0\n"
		   "cpu11 5 0 5 3 2 0 0 0 0 0\n"
		   "intr 1 2 3\n");
	assert_int_equal(cpustat_idle_ns(&f->sys, cpus, 2, &ns, NULL), 0);
	assert_int_equal(ns, 325 * (1000000000ull / sysconf(_SC_CLK_TCK)));
	files_puts(f->dir, "proc/stat", "cpu1 5 0 5 300 20 0 0 0 0 0\n");
	assert_int_equal(cpustat_idle_ns(&f->sys, cpus, 2, &ns, NULL), -ENOENT);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(read_strips_one_newline_only),
		T(read_takes_the_whole_text_or_refuses),
		T(a_pipe_that_nobody_writes_to_is_not_waited_for),
		T(a_missing_file_is_an_answer),
		T(unsupported_is_never_a_number),
		T(set_reads_back_what_was_written),
		T(indices_sort_as_numbers),
		T(state_puts_back_the_first_text_and_forgets_it),
		T(what_cannot_be_put_back_is_named_and_the_rest_is_back),
		T(the_next_run_puts_back_what_a_dead_one_left),
		T(two_runs_at_once_are_refused),
		T(a_state_file_changes_nothing_but_settings),
		T(idle_time_is_summed_over_the_cpus_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
