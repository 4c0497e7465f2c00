// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SIGKILL for 'fdtedit apply' in place, of a tree and of source with the files that it
 * includes: at every system call from the first new file on, and at random moments. Each
 * file is the old one or the new one, with its mode; what was left beside it is gone
 * after the next run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/buf.h"
#include "tests/unit/files.h"

#define KILLS	     200
#define SOURCE_KILLS 60 /* of them; source is compiled each time */
#define SEED	     5
#define MODE	     0640
#define FILES	     3 /* at most, of one board */
#define ALONE	     1 /* file of the folder beside them: coeffs.json */

#define CPU(n)                                                                           \
	"cpu@" n " { device_type = \"cpu\"; compatible = \"arm,cortex-a7\"; reg = <" n   \
	">; };\n"

static const char board_text[] = "/dts-v1/;\n#include \"soc.dtsi\"\n"
				 "#include \"more.dtsi\"\n/ { cpus {\n" CPU(
					 "0") "}; };\n";
static const char soc_text[] =
	"/ { cpus { #address-cells = <1>; #size-cells = <0>;\n" CPU("1") "}; };\n";
static const char more_text[] = "/ { cpus {\n" CPU("2") "}; };\n";
static const char coeffs_text[] =
	"{ \"schema\": \"calib-coeffs/1\", \"clusters\": [ { \"name\": \"a7\","
	" \"match\": { \"compatible\": \"arm,cortex-a7\" },"
	" \"dynamic-power-coefficient\": 90 } ] }";

/* A board in files_dir: its files as they were, and as an edit makes them. */
struct board {
	const char *names[FILES];
	struct buf old[FILES], new[FILES];
	unsigned int count;
	uint32_t run_us; /* what an edit takes */
	unsigned int kills, old_seen, new_seen, left;
};

static pid_t start(const struct board *b, bool traced)
{
	const char *program = getenv("FDTEDIT");
	pid_t pid = fork();

	if (pid)
		return pid;
	if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr) ||
	    chdir(files_dir))
		_exit(127);
	/* Its leak check wants to be the tracer. */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	if (traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(126);
	execl(program, "fdtedit", "apply", "--all-files", b->names[0], "coeffs.json",
	      (char *)NULL);
	_exit(127);
}

static int finish(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void put_old(const struct board *b)
{
	for (unsigned int i = 0; i < b->count; i++) {
		const char *path = files_put(files_dir, b->names[i], b->old[i].data,
					     b->old[i].len);

		assert_int_equal(chmod(path, MODE), 0);
	}
}

static bool holds(const char *name, const struct buf *want)
{
	struct buf got = { 0 };
	bool same;

	assert_int_equal(buf_read_file(&got, files_path(files_dir, name), 1 << 20, NULL),
			 0);
	same = got.len == want->len && !memcmp(got.data, want->data, got.len);
	buf_free(&got);
	return same;
}

/* After a kill: no third content. What is left beside it goes with the next run. */
static void check(struct board *b)
{
	unsigned int changed = 0;
	struct stat st;

	b->kills++;
	for (unsigned int i = 0; i < b->count; i++) {
		bool old = holds(b->names[i], &b->old[i]);

		assert_true(old || holds(b->names[i], &b->new[i]));
		changed += !old;
		assert_int_equal(stat(files_path(files_dir, b->names[i]), &st), 0);
		assert_int_equal(st.st_mode & 07777, MODE);
	}
	b->old_seen += !changed;
	b->new_seen += changed == b->count;
	if (files_count(files_dir) > ALONE + b->count) {
		b->left++;
		put_old(b);
		assert_int_equal(finish(start(b, false)), 0);
		for (unsigned int i = 0; i < b->count; i++)
			assert_true(holds(b->names[i], &b->new[i]));
		assert_int_equal(files_count(files_dir), ALONE + b->count);
	}
	if (changed || b->left)
		put_old(b);
}

static void add_file(struct board *b, const char *name, const void *text, size_t len)
{
	b->names[b->count] = name;
	assert_int_equal(buf_add(&b->old[b->count++], text, len), 0);
}

static uint32_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000u + t.tv_nsec / 1000;
}

/* What the edit makes of the files, and how long it takes. */
static void learn(struct board *b)
{
	uint32_t begin;

	files_puts(files_dir, "coeffs.json", coeffs_text);
	put_old(b);
	begin = now_us();
	assert_int_equal(finish(start(b, false)), 0);
	b->run_us = now_us() - begin;
	for (unsigned int i = 0; i < b->count; i++) {
		assert_int_equal(buf_read_file(&b->new[i],
					       files_path(files_dir, b->names[i]),
					       1 << 20, NULL),
				 0);
		assert_false(holds(b->names[i], &b->old[i]));
	}
	put_old(b);
}

static void make_source(struct board *b)
{
	add_file(b, "board.dts", board_text, strlen(board_text));
	add_file(b, "soc.dtsi", soc_text, strlen(soc_text));
	add_file(b, "more.dtsi", more_text, strlen(more_text));
	learn(b);
}

static void make_tree(struct board *b)
{
	FILE *f = popen("dtc -q -O dtb -p 64 tests/data/big-little.dts", "r");
	char blob[16384];
	size_t len;

	assert_non_null(f);
	len = fread(blob, 1, sizeof(blob), f);
	assert_int_equal(pclose(f), 0);
	assert_true(len > 0 && len < sizeof(blob));
	add_file(b, "board.dtb", blob, len);
	learn(b);
}

static void drop(struct board *b)
{
	for (unsigned int i = 0; i < b->count; i++) {
		buf_free(&b->old[i]);
		buf_free(&b->new[i]);
	}
}

/* Is it about to make a system call? Then says whether that makes a file. */
static bool at_call(pid_t pid, bool *makes_file)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return false;
	*makes_file = info.entry.nr == SYS_openat && (info.entry.args[2] & O_CREAT);
	return true;
}

/* Kill it before call number @n from its first new file on. false: it had ended by then.
 */
static bool kill_at(const struct board *b, unsigned int n)
{
	pid_t pid = start(b, true);
	bool writing = false, makes_file;
	int status = finish(pid), sig;

	ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_TRACESYSGOOD);
	while (WIFSTOPPED(status)) {
		bool call = at_call(pid, &makes_file);

		writing |= call && makes_file;
		if (call && writing && !n--) {
			kill(pid, SIGKILL);
			finish(pid);
			return true;
		}
		sig = WSTOPSIG(status) & 0x7f; /* without the mark of a system call */
		if (sig == SIGTRAP)
			sig = 0;
		ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(uintptr_t)sig);
		status = finish(pid);
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return false;
}

static void kill_at_every_call(struct board *b)
{
	while (kill_at(b, b->kills))
		check(b);
	put_old(b);
	/* The loop means nothing if no kill came in time, or none too late. */
	print_message("%u kills: %u with all old, %u all new, %u left a file\n", b->kills,
		      b->old_seen, b->new_seen, b->left);
	assert_true(b->kills > 6 * b->count);
	assert_true(b->old_seen && b->new_seen && b->left);
}

/* Can a process here trace another? */
static void need_ptrace(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? 1 : 0);
	if (finish(pid) || getenv("RUN_UNIT") || !getenv("FDTEDIT"))
		skip();
}

static void a_tree_survives_a_kill_at_every_system_call(void **state)
{
	struct board b = { 0 };

	(void)state;
	need_ptrace();
	make_tree(&b);
	kill_at_every_call(&b);
	drop(&b);
}

static void source_survives_a_kill_at_every_system_call(void **state)
{
	struct board b = { 0 };

	(void)state;
	need_ptrace();
	make_source(&b);
	kill_at_every_call(&b);
	drop(&b);
}

static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

static void kill_at_random(struct board *b, unsigned int times)
{
	uint32_t rng = SEED;

	while (times--) {
		pid_t pid = start(b, false);

		usleep(next_random(&rng) % (b->run_us + 1));
		kill(pid, SIGKILL);
		finish(pid);
		check(b);
	}
	assert_true(b->old_seen > 0);
}

static void files_survive_200_random_kills(void **state)
{
	struct board tree = { 0 };
	struct board source = { 0 };

	(void)state;
	if (getenv("RUN_UNIT") || !getenv("FDTEDIT"))
		skip();
	make_tree(&tree);
	kill_at_random(&tree, KILLS - SOURCE_KILLS);
	unlink(files_path(files_dir, "board.dtb"));
	make_source(&source);
	kill_at_random(&source, SOURCE_KILLS);
	drop(&tree);
	drop(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_tree_survives_a_kill_at_every_system_call, files_set_up,
			files_tear_down),
		cmocka_unit_test_setup_teardown(
			source_survives_a_kill_at_every_system_call, files_set_up,
			files_tear_down),
		cmocka_unit_test_setup_teardown(files_survive_200_random_kills,
						files_set_up, files_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
