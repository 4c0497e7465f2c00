// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RUN/board.json out and in.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calib/runinfo.h"
#include "tests/unit/files.h"

static void fill(struct runinfo *info)
{
	struct runinfo_cluster *c = &info->clusters[0];

	memset(info, 0, sizeof(*info));
	strcpy(info->board, "odroid-xu3");
	strcpy(info->compatible, "hardkernel,odroid-xu3");
	strcpy(info->model, "A \"board\"");
	strcpy(info->kernel, "6.1.0");
	strcpy(info->date, "2024-01-02T03:04:05Z");
	info->virtual_board = true;
	info->seed = INT64_MAX;
	strcpy(info->power_scope, "rail");
	info->has_baseline = true;
	info->baseline_uw = -1;
	strcpy(info->baseline_source, "user");
	strcpy(info->tool, "calib 0.1.0");
	strcpy(info->command, "calib measure");
	info->cluster_count = 2;
	strcpy(c->name, "a15");
	strcpy(c->compatible, "arm,cortex-a15");
	c->cpu_count = c->reg_count = 2;
	c->cpus[0] = 4;
	c->cpus[1] = 5;
	c->reg[1] = 1;
	c->capacity_dmips_mhz = 1024;
	c->opp_count = 2;
	c->opps[0] = (struct board_opp){ 200000, 900000 };
	c->opps[1] = (struct board_opp){ 300000, 0 };
	strcpy(c->volt_source, "board");
	strcpy(c->sensor, "ina231@40 VDD_ARM");
	strcpy(c->sensor_driver, "ina2xx");
	c->sensor_interval_us = 70400;
	c->has_housekeeper = true; /* CPU 0 */
	c->precision_asked = 0.01;
	c->precision_predicted = 0.0092;
	strcpy(c->precision_load, "int");
	strcpy(c->irqs_stayed, "7,45-46");
	strcpy(info->clusters[1].name, "a7");
}

static void what_is_written_reads_back(void **state)
{
	static struct runinfo info, back;
	const char *run = files_path(files_dir, "run");
	struct err err = { "" };

	(void)state;
	fill(&info);
	assert_int_equal(runinfo_write(run, &info, &err), 0);
	assert_int_equal(runinfo_read(run, &back, &err), 0);
	assert_memory_equal(&info, &back, sizeof(info));
	assert_ptr_equal(runinfo_cluster(&back, "a7"), &back.clusters[1]);
	assert_null(runinfo_cluster(&back, "a53"));
	/* Again, over the one that is there, with a slash too many. */
	info.virtual_board = false;
	info.seed = 0;
	assert_int_equal(runinfo_write(files_path(files_dir, "run/"), &info, &err), 0);
	assert_int_equal(runinfo_read(run, &back, &err), 0);
	assert_memory_equal(&info, &back, sizeof(info));
}

static void missing_run_tells_what_to_do(void **state)
{
	static struct runinfo info;
	struct err err = { "" };

	(void)state;
	assert_int_equal(runinfo_read("/nonexistent/run", &info, &err), -ENOENT);
	assert_string_equal(err.msg,
			    "'/nonexistent/run/board.json' is not there; run 'calib "
			    "measure' first, or name the run with -d");
	assert_int_equal(runinfo_read("", &info, &err), -EINVAL);
	assert_string_equal(err.msg, "the name of the run is empty");
}

static void run_that_cannot_be_made_is_named(void **state)
{
	static struct runinfo info;
	struct err err = { "" };

	(void)state;
	fill(&info);
	assert_int_equal(runinfo_write("/nonexistent/run", &info, &err), -ENOENT);
	assert_string_equal(err.msg,
			    "cannot make the folder '/nonexistent/run': No such file "
			    "or directory");
	assert_int_equal(runinfo_write(files_puts(files_dir, "file", ""), &info, &err),
			 -ENOTDIR);
}

static void wrong_files_are_refused_with_their_key(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "{}", "key 'schema' is missing" },
		{ "{ \"schema\": \"calib-run/2\" }",
		  "key 'schema': 'calib-run/2' is not 'calib-run/1'" },
		{ "{ \"schema\": \"calib-run/1\", \"power-scope\": \"all\" }",
		  "key 'power-scope': 'all' is not rail, package or device" },
		{ "{ \"schema\": \"calib-run/1\", \"clusters\": [ { \"name\": \"\" } ] }",
		  "clusters[0]: key 'name' is empty" },
		{ "{ \"schema\": \"calib-run/1\", \"clusters\": [ { \"name\": \"a\" }, "
		  "{ \"name\": \"a\" } ] }",
		  "clusters[1]: key 'name': 'a' is there twice" },
		{ "{ \"schema\": \"calib-run/1\", \"clusters\": [ { \"name\": \"a\", "
		  "\"opps\": [ { \"khz\": 0 } ] } ] }",
		  "clusters[0]: opps[0]: key 'khz': 0 is not a whole number in "
		  "1..4294967295" },
		{ "{ \"schema\": \"calib-run/1\", \"clusters\": [ { \"name\": \"a\", "
		  "\"cpus\": [4294967296] } ] }",
		  "clusters[0]: key 'cpus[0]': no such CPU" },
		{ "{ \"schema\": \"calib-run/1\", \"clusters\": [ { \"name\": \"a\", "
		  "\"volt_source\": \"dt\" } ] }",
		  "clusters[0]: unknown key 'volt_source'; known are name, compatible, "
		  "cpus, "
		  "reg, capacity-dmips-mhz, opps, volt-source, sensor, sensor-driver, "
		  "sensor-interval-us, housekeeping-cpu, sensor-note, "
		  "interrupts-stayed, "
		  "precision-asked, precision-predicted, precision-load" },
	};
	static struct runinfo info;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { "" };
		const char *msg;

		files_puts(files_dir, "board.json", cases[i].text);
		assert_int_equal(runinfo_read(files_dir, &info, &err), -EINVAL);
		msg = strstr(err.msg, "/board.json: ");
		assert_non_null(msg);
		assert_string_equal(msg + strlen("/board.json: "), cases[i].msg);
	}
}

static void paths_have_one_slash_and_must_fit(void **state)
{
	char out[16];
	struct err err = { "" };

	(void)state;
	assert_int_equal(runinfo_path("run", "a.csv", out, sizeof(out), &err), 0);
	assert_string_equal(out, "run/a.csv");
	assert_int_equal(runinfo_path("run/", "a.csv", out, sizeof(out), &err), 0);
	assert_string_equal(out, "run/a.csv");
	assert_int_equal(runinfo_path("a-long-name", "a.csv", out, sizeof(out), &err),
			 -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(missing_run_tells_what_to_do),
		cmocka_unit_test(run_that_cannot_be_made_is_named),
		cmocka_unit_test(wrong_files_are_refused_with_their_key),
		cmocka_unit_test(paths_have_one_slash_and_must_fit),
	};

	return cmocka_run_group_tests(tests, files_set_up, files_tear_down);
}
