// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RUN folder: rows are added whole, half rows are cut off, and a run of another
 * machine is left alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calib/measure/session.h"
#include "calib/samples.h"
#include "lib/buf.h"

static char top[] = "/tmp/calib-session-XXXXXX";
static char run[PATH_MAX];
static struct session s;
static struct err err;

static int make_top(void **state)
{
	(void)state;
	return mkdtemp(top) ? 0 : -1;
}

/* A RUN of its own for each test. */
static int new_run(void **state)
{
	static unsigned int n;

	(void)state;
	snprintf(run, sizeof(run), "%s/run%u", top, n++);
	memset(&err, 0, sizeof(err));
	return 0;
}

static int remove_top(void **state)
{
	char cmd[PATH_MAX];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", top);
	return system(cmd);
}

static struct runinfo machine(void)
{
	struct runinfo info = { .virtual_board = true, .seed = 1, .cluster_count = 2 };

	strcpy(info.board, "bench");
	strcpy(info.compatible, "acme,bench");
	strcpy(info.kernel, "6.1");
	strcpy(info.date, "2020-01-01T00:00:00Z");
	strcpy(info.power_scope, "rail");
	strcpy(info.command, "calib measure --cluster big");
	for (unsigned int i = 0; i < 2; i++) {
		strcpy(info.clusters[i].name, i ? "big" : "little");
		info.clusters[i].cpu_count = 2;
		info.clusters[i].opp_count = 1;
		info.clusters[i].opps[0] = (struct board_opp){ 1000000, 900000 };
	}
	return info;
}

static struct sample row(const char *cluster, uint64_t time_ns)
{
	struct sample r = { .time_ns = time_ns, .opp_khz = 1000000, .freq_khz = 1000000 };

	snprintf(r.cluster, sizeof(r.cluster), "%s", cluster);
	strcpy(r.load, "int");
	r.power_uw = 1234;
	return r;
}

static const char *path(const char *name)
{
	static char out[PATH_MAX + 16];

	snprintf(out, sizeof(out), "%s/%s", run, name);
	return out;
}

/* samples.csv as text; the caller does not free. */
static const char *samples_text(void)
{
	static struct buf text;

	buf_free(&text);
	memset(&text, 0, sizeof(text));
	assert_int_equal(buf_read_file(&text, path("samples.csv"), 1 << 20, NULL), 0);
	return text.data;
}

static void add_bytes(const char *bytes, size_t len)
{
	FILE *f = fopen(path("samples.csv"), "a");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static int open_as(const struct runinfo *info)
{
	return session_open(&s, run, info, true, &err);
}

/* One session that adds @n rows. */
static void measure(const char *cluster, unsigned int n)
{
	struct runinfo info = machine();

	assert_int_equal(open_as(&info), 0);
	assert_int_equal(session_begin(&s, &err), 0);
	for (unsigned int i = 0; i < n; i++) {
		struct sample r = row(cluster, s.last_time_ns + 10 * (i + 1));

		assert_int_equal(session_append(&s, &r, &err), 0);
	}
	assert_int_equal(session_close(&s, &err), 0);
}

static unsigned int count_lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void looking_at_a_run_makes_nothing(void **state)
{
	struct runinfo info = machine();

	(void)state;
	assert_int_equal(open_as(&info), 0);
	assert_int_equal(session_close(&s, &err), 0);
	assert_int_not_equal(access(run, F_OK), 0);
}

static void clusters_are_added_in_any_order_and_counted(void **state)
{
	struct runinfo info = machine();
	struct samples rows = { 0 };

	(void)state;
	measure("big", 2);
	measure("little", 3);
	assert_int_equal(open_as(&info), 0);
	assert_int_equal(s.rows, 5);
	assert_int_equal(s.cluster_rows[0], 3);
	assert_int_equal(s.cluster_rows[1], 2);
	assert_int_equal(s.last_time_ns, 50);
	assert_int_equal(samples_read(&rows, path("samples.csv"), &err), 0);
	assert_int_equal(rows.count, 5);
	samples_free(&rows);
}

static void board_json_keeps_the_first_date_and_all_commands(void **state)
{
	struct runinfo info = machine(), read;

	(void)state;
	measure("big", 1);
	strcpy(info.command, "calib measure --cluster little");
	strcpy(info.date, "2020-02-02T00:00:00Z");
	assert_int_equal(open_as(&info), 0);
	assert_int_equal(session_begin(&s, &err), 0);
	assert_int_equal(session_close(&s, &err), 0);
	assert_int_equal(runinfo_read(run, &read, &err), 0);
	assert_string_equal(
		read.command,
		"calib measure --cluster big; calib measure --cluster little");
	assert_string_equal(read.date, "2020-01-01T00:00:00Z");
}

static void half_a_row_is_cut_off_before_the_next(void **state)
{
	struct runinfo info = machine();

	(void)state;
	measure("big", 2);
	add_bytes("30,big,10000", 12);
	assert_int_equal(open_as(&info), 0);
	assert_int_equal(s.torn, 12);
	assert_int_equal(s.rows, 2);
	/* Only looked at so far. */
	assert_non_null(strstr(samples_text(), "\n30,big,10000"));
	assert_int_equal(session_begin(&s, &err), 0);
	assert_int_equal(session_close(&s, &err), 0);
	assert_null(strstr(samples_text(), "\n30,big"));
	assert_int_equal(count_lines(samples_text()), 3);
}

static void zeros_after_a_power_cut_are_cut_off(void **state)
{
	static const char zeros[100] = "40,big,1";
	struct runinfo info = machine();

	(void)state;
	measure("big", 2);
	add_bytes(zeros, sizeof(zeros));
	assert_int_equal(open_as(&info), 0);
	assert_int_equal(s.torn, 100);
	assert_int_equal(session_begin(&s, &err), 0);
	assert_int_equal(session_close(&s, &err), 0);
	assert_int_equal(count_lines(samples_text()), 3);
}

static void half_a_header_is_begun_again(void **state)
{
	struct runinfo info = machine();

	(void)state;
	measure("big", 1);
	assert_int_equal(truncate(path("samples.csv"), 20), 0);
	assert_int_equal(open_as(&info), 0);
	assert_int_equal(session_begin(&s, &err), 0);
	assert_int_equal(session_close(&s, &err), 0);
	assert_int_equal(strncmp(samples_text(), samples_header, strlen(samples_header)),
			 0);
	assert_int_equal(count_lines(samples_text()), 1);
}

static void another_header_is_not_added_to(void **state)
{
	struct runinfo info = machine();
	FILE *f;

	(void)state;
	measure("big", 1);
	f = fopen(path("samples.csv"), "w");
	fputs("freq_khz,voltage_uv,power_uw\n1,2,3\n", f);
	fclose(f);
	assert_int_equal(open_as(&info), -EEXIST);
	assert_non_null(strstr(err.msg, "samples.csv:1: this is not the header"));
	/* Nor is one line without an end that is no beginning of our header. */
	f = fopen(path("samples.csv"), "w");
	fputs("my notes", f);
	fclose(f);
	assert_int_equal(open_as(&info), -EEXIST);
	assert_string_equal(samples_text(), "my notes");
}

static void a_damaged_row_is_named_with_its_line(void **state)
{
	struct runinfo info = machine();

	(void)state;
	measure("big", 1);
	add_bytes("x,big,1\n", 8);
	assert_int_equal(open_as(&info), -EINVAL);
	assert_non_null(strstr(err.msg, "samples.csv:3: time_ns 'x' is not a time"));
}

static void assert_other(const struct runinfo *info, const char *text)
{
	assert_int_equal(open_as(info), -EEXIST);
	if (!strstr(err.msg, text) || !strstr(err.msg, "give another folder with -d"))
		fail_msg("'%s' does not say '%s'", err.msg, text);
}

static void a_run_of_another_machine_is_refused(void **state)
{
	struct runinfo info = machine();

	(void)state;
	measure("big", 1);
	strcpy(info.board, "sofa");
	assert_other(&info, "another machine (board 'bench', here 'sofa')");
	info = machine();
	strcpy(info.compatible, "acme,sofa");
	assert_other(&info, "compatible 'acme,bench'");
	info = machine();
	info.seed = 2;
	assert_other(&info, "seed 1, which is another one than with seed 2");
	info = machine();
	info.virtual_board = false;
	assert_other(&info, "holds a VIRTUAL run and this is a real machine");
	info = machine();
	info.clusters[1].opps[0].khz = 1100000;
	assert_other(&info, "other operating points of cluster 'big'");
	info = machine();
	strcpy(info.power_scope, "device");
	assert_other(&info, "power of another kind");
	assert_int_equal(count_lines(samples_text()), 2);
}

/* All CPUs of a cluster may be offline in one run and online in the next. */
static void a_cluster_that_is_offline_now_is_still_described(void **state)
{
	struct runinfo little = machine(), back;

	(void)state;
	measure("big", 1);
	little.cluster_count = 1;
	assert_int_equal(open_as(&little), 0);
	assert_int_equal(session_begin(&s, &err), 0);
	assert_int_equal(session_close(&s, &err), 0);
	assert_int_equal(runinfo_read(run, &back, &err), 0);
	assert_int_equal(back.cluster_count, 2);
	assert_string_equal(back.clusters[0].name, "little");
	assert_string_equal(back.clusters[1].name, "big");
	assert_int_equal(back.clusters[1].opps[0].khz, 1000000);
}

static void a_cluster_that_was_offline_is_described_from_now_on(void **state)
{
	struct runinfo little = machine(), back;

	(void)state;
	little.cluster_count = 1;
	assert_int_equal(open_as(&little), 0);
	assert_int_equal(session_begin(&s, &err), 0);
	assert_int_equal(session_close(&s, &err), 0);
	measure("big", 1);
	assert_int_equal(runinfo_read(run, &back, &err), 0);
	assert_int_equal(back.cluster_count, 2);
	assert_string_equal(back.clusters[1].name, "big");
	/* None of its clusters: another machine. */
	strcpy(little.clusters[0].name, "middle");
	assert_other(&little, "another machine (clusters without 'middle'");
}

static void samples_without_board_json_are_not_added_to(void **state)
{
	struct runinfo info = machine();

	(void)state;
	measure("big", 1);
	assert_int_equal(unlink(path("board.json")), 0);
	assert_int_equal(open_as(&info), -EEXIST);
	assert_non_null(strstr(err.msg, "no board.json"));
}

static void a_run_that_was_killed_as_it_began_is_begun_again(void **state)
{
	struct runinfo info = machine();

	(void)state;
	measure("big", 0);
	assert_int_equal(unlink(path("board.json")), 0);
	measure("big", 1);
	assert_int_equal(count_lines(samples_text()), 2);
	assert_int_equal(open_as(&info), 0);
	assert_true(s.exists);
}

static void another_kernel_is_told(void **state)
{
	struct runinfo info = machine();

	(void)state;
	measure("big", 1);
	strcpy(info.kernel, "6.12");
	assert_int_equal(open_as(&info), 0);
	assert_string_equal(s.kernel, "6.1");
}

static void two_at_a_time_do_not_mix(void **state)
{
	struct runinfo info = machine();
	struct session first;

	(void)state;
	assert_int_equal(session_open(&first, run, &info, true, &err), 0);
	assert_int_equal(open_as(&info), 0);
	assert_int_equal(session_begin(&first, &err), 0);
	assert_int_equal(session_begin(&s, &err), -EBUSY);
	assert_non_null(strstr(err.msg, "is being written by another calib"));
	assert_int_equal(session_close(&s, &err), 0);
	assert_int_equal(session_close(&first, &err), 0);
}

static void a_run_that_cannot_be_made_is_told_before(void **state)
{
	struct runinfo info = machine();
	FILE *f = fopen(run, "w");

	(void)state;
	assert_non_null(f);
	fclose(f);
	strcat(run, "/below-a-file");
	assert_int_equal(open_as(&info), -ENOTDIR);
	assert_non_null(strstr(err.msg, "cannot use"));
}

static void a_row_that_does_not_fit_on_the_disk_is_taken_back(void **state)
{
	struct runinfo info = machine();
	struct sample r = row("big", 10);
	struct rlimit old, limit;
	off_t size;

	(void)state;
	assert_int_equal(open_as(&info), 0);
	assert_int_equal(session_begin(&s, &err), 0);
	assert_int_equal(session_append(&s, &r, &err), 0);
	size = s.good;
	/* A limit on file size stands in for a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = size + 10;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_true(session_append(&s, &r, &err) < 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_non_null(strstr(err.msg, "cannot write '"));
	assert_int_equal(session_close(&s, &err), 0);
	assert_int_equal(strlen(samples_text()), size);
	assert_int_equal(count_lines(samples_text()), 2);
}

#define TEST(f) cmocka_unit_test_setup(f, new_run)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(looking_at_a_run_makes_nothing),
		TEST(clusters_are_added_in_any_order_and_counted),
		TEST(board_json_keeps_the_first_date_and_all_commands),
		TEST(half_a_row_is_cut_off_before_the_next),
		TEST(zeros_after_a_power_cut_are_cut_off),
		TEST(half_a_header_is_begun_again),
		TEST(another_header_is_not_added_to),
		TEST(a_damaged_row_is_named_with_its_line),
		TEST(a_run_of_another_machine_is_refused),
		TEST(a_cluster_that_is_offline_now_is_still_described),
		TEST(a_cluster_that_was_offline_is_described_from_now_on),
		TEST(samples_without_board_json_are_not_added_to),
		TEST(a_run_that_was_killed_as_it_began_is_begun_again),
		TEST(another_kernel_is_told),
		TEST(two_at_a_time_do_not_mix),
		TEST(a_run_that_cannot_be_made_is_told_before),
		TEST(a_row_that_does_not_fit_on_the_disk_is_taken_back),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
