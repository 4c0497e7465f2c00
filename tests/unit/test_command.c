// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "calib/loads/command.h"
#include "tests/unit/files.h"

#define TRIES 2000 /* of 5 ms */

static void pause_ms(long ms)
{
	const struct timespec ts = { .tv_nsec = ms * 1000000 };

	nanosleep(&ts, NULL);
}

/* A CPU this process may use. */
static unsigned int usable(void)
{
	cpu_set_t set;
	unsigned int cpu = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	return cpu;
}

/* Run a shell script as the load. */
static int start_script(const char *script, struct command_load **c, struct err *err)
{
	static const char *argv[] = { "sh", "-c", NULL, NULL };
	unsigned int cpu = usable();

	argv[2] = script;
	return command_start(argv, &cpu, 1, c, err);
}

/* The first line of a file that a script writes. */
static void wait_for_line(const char *path, char line[64])
{
	FILE *f;

	for (int i = 0; i < TRIES; i++, pause_ms(5)) {
		f = fopen(path, "r");
		if (f && fgets(line, 64, f) && strchr(line, '\n')) {
			*strchr(line, '\n') = '\0';
			fclose(f);
			return;
		}
		if (f)
			fclose(f);
	}
	fail_msg("nobody wrote %s", path);
}

/* Gone, or dead and waiting for somebody to reap it. */
static void wait_until_gone(const char *pid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	for (int i = 0; i < TRIES; i++, pause_ms(5)) {
		f = fopen(path, "r");
		if (!f)
			return;
		if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 'Z';
		fclose(f);
		if (state == 'Z' || state == 'X')
			return;
	}
	fail_msg("process %s lives on", pid);
}

static unsigned int open_files(void)
{
	unsigned int n = 0;
	struct stat st;

	for (int fd = 0; fd < 256; fd++)
		n += !fstat(fd, &st);
	return n;
}

static void it_runs_on_its_cpu_and_dies_with_its_children(void **state)
{
	char *dir = files_folder(), *script = NULL;
	char line[64], child[64], cpu[16];
	unsigned int files = open_files();
	struct command_load *c;

	(void)state;
	assert_true(asprintf(&script,
			     "grep Cpus_allowed_list /proc/$$/status > %s/cpus; sleep "
			     "100 & echo $! > %s/child; wait",
			     dir, dir) > 0);
	assert_int_equal(start_script(script, &c, NULL), 0);
	wait_for_line(files_path(dir, "child"), child);
	wait_for_line(files_path(dir, "cpus"), line);
	snprintf(cpu, sizeof(cpu), "\t%u", usable());
	assert_string_equal(strchr(line, '\t'), cpu);
	assert_int_equal(command_check(c, 0, NULL), 0);
	command_stop(c);
	wait_until_gone(child);
	assert_int_equal(open_files(), files);
	free(script);
	files_remove(dir);
}

/* The daemon is nobody's child but the minder's, and so is what it has started. */
static void what_left_its_group_dies_too(void **state)
{
	char *dir = files_folder(), *script = NULL;
	char daemon[64], child[64];
	struct command_load *c;
	int is;

	(void)state;
	if (prctl(PR_GET_CHILD_SUBREAPER, &is))
		skip(); /* qemu-user passes no orphans on to their minder */
	assert_true(asprintf(&script,
			     "setsid sh -c 'sleep 100 & echo $! > %s/child; echo $$ > "
			     "%s/daemon; wait' & wait %%1; sleep 100",
			     dir, dir) > 0);
	assert_int_equal(start_script(script, &c, NULL), 0);
	wait_for_line(files_path(dir, "child"), child);
	wait_for_line(files_path(dir, "daemon"), daemon);
	command_stop(c);
	/* At once, and not some time later: an idle window may follow. */
	assert_int_equal(kill(atoi(daemon), 0), -1);
	assert_int_equal(kill(atoi(child), 0), -1);
	free(script);
	files_remove(dir);
}

static void it_dies_when_we_are_killed(void **state)
{
	char *dir = files_folder(), *script = NULL;
	char shell[64], child[64];
	struct command_load *c;
	pid_t pid;
	int status;

	(void)state;
	assert_true(asprintf(&script,
			     "echo $$ > %s/shell; sleep 100 & echo $! > %s/child; wait",
			     dir, dir) > 0);
	pid = fork();
	if (!pid) {
		if (!start_script(script, &c, NULL))
			for (;;)
				pause();
		_exit(1);
	}
	wait_for_line(files_path(dir, "shell"), shell);
	wait_for_line(files_path(dir, "child"), child);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	wait_until_gone(shell);
	wait_until_gone(child);
	free(script);
	files_remove(dir);
}

static void it_is_run_again_when_it_ends_well(void **state)
{
	char *dir = files_folder(), *script = NULL, *data;
	struct command_load *c;

	(void)state;
	assert_true(asprintf(&script, "echo again >> %s/runs; sleep 0.03", dir) > 0);
	assert_int_equal(start_script(script, &c, NULL), 0);
	for (int i = 0; i < TRIES; i++, pause_ms(5)) {
		struct stat st;

		if (!stat(files_path(dir, "runs"), &st) && st.st_size >= 18)
			break;
	}
	assert_int_equal(command_check(c, 0, NULL), 0);
	command_stop(c);
	data = files_get(files_path(dir, "runs"));
	assert_memory_equal(data, "again\nagain\nagain\n", 18);
	free(data);
	free(script);
	files_remove(dir);
}

static void expect_end(const char *script, const char *message)
{
	struct command_load *c;
	struct err err = { "" };

	assert_int_equal(start_script(script, &c, &err), 0);
	assert_int_equal(command_check(c, 10000, &err), -ECHILD);
	if (!strstr(err.msg, message))
		fail_msg("'%s' is not in '%s'", message, err.msg);
	command_stop(c);
}

static void how_it_ended_is_told(void **state)
{
	(void)state;
	expect_end("exit 3", "load command 'sh' ended with status 3 after ");
	expect_end("kill -TERM $$", "load command 'sh' was killed by signal 15 (Term");
	expect_end(":", "ms; as a load it has to run for 20 ms or more");
}

static void what_cannot_be_run_is_told_and_nothing_runs(void **state)
{
	static const char *const missing[] = { "no-such-load", "x", NULL };
	static const char *const closed[] = { "/", NULL };
	static const char *const any[] = { "sleep", "100", NULL };
	unsigned int cpus[2] = { usable(), 1022 }, files = open_files();
	struct command_load *c = NULL;
	struct err err;

	(void)state;
	assert_int_equal(command_start(missing, cpus, 1, &c, &err), -ENOENT);
	assert_string_equal(err.msg, "cannot run the load command 'no-such-load': No "
				     "such file or directory");
	assert_int_equal(command_start(closed, cpus, 1, &c, &err), -EACCES);
	assert_int_equal(command_start(any, cpus, 2, &c, &err), -EINVAL);
	assert_string_equal(err.msg, "cannot run on CPU 1022: it is offline, or a cpuset "
				     "keeps us from it");
	cpus[1] = 5000;
	assert_int_equal(command_start(any, cpus, 2, &c, &err), -EINVAL);
	assert_null(c);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(open_files(), files);
	command_stop(NULL);
}

static void signals_are_as_a_program_expects_them(void **state)
{
	char *dir = files_folder(), *script = NULL;
	struct command_load *c;
	char line[64];
	sigset_t set, old;

	(void)state;
	assert_true(asprintf(&script,
			     "grep SigBlk /proc/self/status > %s/t; mv %s/t %s/blocked; "
			     "sleep 100",
			     dir, dir, dir) > 0);
	sigfillset(&set);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, &old), 0);
	assert_int_equal(start_script(script, &c, NULL), 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
	wait_for_line(files_path(dir, "blocked"), line);
	assert_string_equal(line, "SigBlk:\t0000000000000000");
	command_stop(c);
	free(script);
	files_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_runs_on_its_cpu_and_dies_with_its_children),
		cmocka_unit_test(what_left_its_group_dies_too),
		cmocka_unit_test(it_dies_when_we_are_killed),
		cmocka_unit_test(it_is_run_again_when_it_ends_well),
		cmocka_unit_test(how_it_ended_is_told),
		cmocka_unit_test(what_cannot_be_run_is_told_and_nothing_runs),
		cmocka_unit_test(signals_are_as_a_program_expects_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
