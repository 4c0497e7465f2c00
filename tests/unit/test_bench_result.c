// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results of 'calib bench' out and in, and what a reader refuses.
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

#include "calib/bench/result.h"
#include "tests/unit/files.h"

static struct bench_result result, back;

static void add(struct bench_series *s, uint32_t order, uint64_t time_ns, int64_t uj)
{
	struct bench_iteration it = { .order = order,
				      .start_ns = order * UINT64_C(7000) };

	it.time_ns = time_ns;
	it.has_energy[0] = true;
	it.energy_uj[0] = uj;
	it.has_energy[1] = order != 2; /* there its meter failed */
	it.energy_uj[1] = it.has_energy[1] ? -5 : 0;
	it.has_late = order > 2;
	it.late_wakeups = it.has_late ? order : 0;
	strcpy(it.label, order % 2 ? "B" : "A");
	assert_int_equal(bench_series_add(s, &it, NULL), 0);
}

static void fill(void)
{
	struct bench_context *c = &result.context;

	bench_context_sign(c, "calib bench perf -o 'a \"file\"'");
	strcpy(c->board, "odroid-xu3");
	strcpy(c->compatible, "hardkernel,odroid-xu3");
	strcpy(c->model, "a model");
	strcpy(c->cpus, "0-7");
	c->virtual_board = true;
	c->seed = INT64_MAX;
	c->warmup = 1;
	c->policy_count = 1;
	c->policies[0] = (struct bench_policy){
		.id = 4,
		.cpus = { 4, 5 },
		.cpu_count = 2,
		.driver = "cpufreq-dt",
		.governor = "schedutil",
		.epp = "power",
		.min_khz = 200000,
		.max_khz = 2000000,
	};
	c->rail_count = 2;
	c->rails[0] = (struct bench_rail){ "ina231@40 VDD_ARM", BENCH_TRAPEZOID, true,
					   263808 };
	c->rails[1] = (struct bench_rail){ "rapl:core", BENCH_COUNTER, false };
	result.series_count = 2;
	strcpy(result.series[0].workload, "messages");
	assert_int_equal(bench_param_add(&result.series[0], "groups", "%d", 10), 0);
	assert_int_equal(bench_param_add(&result.series[0], "over", "sockets"), 0);
	strcpy(result.series[0].unit, "message");
	result.series[0].units = 400000;
	add(&result.series[0], 0, 1000, 250);
	add(&result.series[0], 2, 1100, 260);
	strcpy(result.series[1].workload, "periodic");
	result.series[1].fixed_time = true;
	for (uint32_t i = 3; i < 40; i++)
		add(&result.series[1], i, INT64_MAX, INT64_MIN);
	result.interrupted = true;
}

static int setup(void **state)
{
	(void)state;
	fill();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	bench_result_free(&result);
	bench_result_free(&back);
	return 0;
}

static void assert_same(const struct bench_iteration *is,
			const struct bench_iteration *was)
{
	assert_int_equal(is->order, was->order);
	assert_int_equal(is->start_ns, was->start_ns);
	assert_int_equal(is->time_ns, was->time_ns);
	assert_memory_equal(is->energy_uj, was->energy_uj, sizeof(is->energy_uj));
	assert_memory_equal(is->has_energy, was->has_energy, sizeof(is->has_energy));
	assert_int_equal(is->has_late, was->has_late);
	assert_int_equal(is->late_wakeups, was->late_wakeups);
	assert_string_equal(is->label, was->label);
}

static void what_is_written_reads_back(void **state)
{
	const char *path = files_path(files_dir, "r.json");
	struct err err = { "" };

	(void)state;
	assert_int_equal(bench_result_write(path, &result, &err), 0);
	assert_int_equal(bench_result_read(path, &back, &err), 0);
	assert_memory_equal(&back.context, &result.context, sizeof(back.context));
	assert_true(back.interrupted);
	assert_int_equal(back.series_count, 2);
	for (unsigned int i = 0; i < 2; i++) {
		struct bench_series *is = &back.series[i], *was = &result.series[i];

		assert_int_equal(is->iteration_count, was->iteration_count);
		for (size_t k = 0; k < is->iteration_count; k++)
			assert_same(&is->iterations[k], &was->iterations[k]);
		assert_memory_equal(is->params, was->params, sizeof(is->params));
		assert_string_equal(is->workload, was->workload);
		assert_string_equal(is->unit, was->unit);
		assert_int_equal(is->units, was->units);
		assert_int_equal(is->fixed_time, was->fixed_time);
	}
}

static void the_total_is_of_the_rails_that_are_summed(void **state)
{
	const struct bench_iteration *it = result.series[0].iterations;
	double uj;

	(void)state;
	assert_true(bench_energy_uj(&result.context, &it[0], -1, &uj));
	assert_true(uj == 250);
	assert_true(bench_energy_uj(&result.context, &it[0], 1, &uj));
	assert_true(uj == -5);
	assert_false(bench_energy_uj(&result.context, &it[1], 1, &uj));
	result.context.rails[1].summed = true;
	assert_true(bench_energy_uj(&result.context, &it[0], -1, &uj));
	assert_true(uj == 245);
	assert_false(bench_energy_uj(&result.context, &it[1], -1, &uj));
	result.context.rail_count = 0;
	assert_false(bench_energy_uj(&result.context, &it[0], -1, &uj));
}

static void a_number_too_large_for_a_file_is_refused_and_the_file_stays(void **state)
{
	const char *path = files_path(files_dir, "stays.json");
	struct err err = { "" };

	(void)state;
	assert_int_equal(bench_result_write(path, &result, &err), 0);
	result.series[0].iterations[0].time_ns = UINT64_MAX;
	assert_int_equal(bench_result_write(path, &result, &err), -EINVAL);
	assert_int_equal(bench_result_read(path, &back, &err), 0);
	assert_int_equal(back.series[0].iterations[0].time_ns, 1000);
}

/* Replace @old in a good file by @new: how does the reader put it? */
static void assert_refused(const char *old, const char *new, const char *want)
{
	const char *path = files_path(files_dir, "bad.json");
	struct err err = { "" };
	char *text, *bad, *at;

	assert_int_equal(bench_result_write(path, &result, &err), 0);
	text = files_get(path);
	at = strstr(text, old);
	assert_non_null(at);
	assert_true(asprintf(&bad, "%.*s%s%s", (int)(at - text), text, new,
			     at + strlen(old)) > 0);
	files_puts(files_dir, "bad.json", bad);
	assert_int_equal(bench_result_read(path, &back, &err), -EINVAL);
	bench_result_free(&back);
	if (!strstr(err.msg, want) || !strstr(err.msg, "bad.json"))
		fail_msg("'%s' lacks '%s'", err.msg, want);
	free(text);
	free(bad);
}

static void the_reader_names_the_key_that_is_wrong(void **state)
{
	(void)state;
	assert_refused("calib-bench/1", "calib-bench/2",
		       "key 'schema': 'calib-bench/2' is not 'calib-bench/1'");
	assert_refused("\"interrupted\": true,", "", "key 'interrupted' is missing");
	assert_refused("\"warmup\"", "\"warmpu\"", "context: unknown key 'warmpu'");
	assert_refused("\"cpufreq-dt\"", "7", "context: policies[0]: key 'driver': 7");
	assert_refused("\"counter\"", "\"guess\"",
		       "context: rails[1]: key 'method': 'guess' is not");
	assert_refused("\"rapl:core\"", "\"ina231@40 VDD_ARM\"",
		       "rails[1]: key 'name': 'ina231@40 VDD_ARM' is there twice");
	assert_refused("\"time-ns\": 1000", "\"time-ns\": -1000",
		       "workloads[0]: iterations[0]: key 'time-ns': -1000");
	assert_refused("\"time-ns\": 1000", "\"time-ns\": 1e3", "key 'time-ns'");
	assert_refused("\"ina231@40 VDD_ARM\": 250", "\"ina231\": 250",
		       "iterations[0]: key 'energy-uj': 'ina231' is no rail");
	assert_refused("\"order\": 2", "\"order\": 0",
		       "iterations[1]: key 'order': not above that of the entry before");
	assert_refused("\"order\": 2", "\"order\": 2147483648",
		       "iterations[1]: key 'order': 2147483648 is not");
	assert_refused("\"groups\": \"10\"", "\"groups\": 10",
		       "workloads[0]: parameters: key 'groups': 10");
	assert_refused("\"messages\"", "\"\"", "workloads[0]: key 'workload' is empty");
	assert_refused("\"units\": 400000", "\"units\": 0", "key 'units': 0");
}

/* Two boots, and iterations of both. */
static void add_boots(void)
{
	struct bench_context *c = &result.context;

	strcpy(c->boot.id, "1234-5");
	strcpy(c->boot.build, "#2 SMP");
	strcpy(c->boot.cmdline, "quiet root=/dev/x");
	strcpy(c->boot.tree, "0123456789abcdef");
	strcpy(c->boot.energy_model, "fedcba9876543210");
	assert_int_equal(bench_boot_add(&result, "old", c, NULL), 0);
	strcpy(c->boot.id, "1234-6");
	assert_int_equal(bench_boot_add(&result, "new \"tree\"", c, NULL), 0);
	result.context = result.boots[0].context;
	result.series[0].iterations[1].boot = 1;
}

static void boots_read_back(void **state)
{
	const char *path = files_path(files_dir, "boots.json");
	struct err err = { "" };

	(void)state;
	add_boots();
	result.boots[0].interrupted = true;
	bench_interrupted(&result, false);
	assert_int_equal(bench_result_write(path, &result, &err), 0);
	assert_int_equal(bench_result_read(path, &back, &err), 0);
	assert_memory_equal(&back.context, &result.context, sizeof(back.context));
	assert_int_equal(back.boot_count, 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_string_equal(back.boots[i].state, result.boots[i].state);
		assert_memory_equal(&back.boots[i].context, &result.boots[i].context,
				    sizeof(back.context));
	}
	assert_true(back.interrupted);
	assert_true(back.boots[0].interrupted);
	assert_false(back.boots[1].interrupted);
	assert_int_equal(back.series[0].iterations[0].boot, 0);
	assert_int_equal(back.series[0].iterations[1].boot, 1);
}

/* Files from when only the last boot's was kept, in the root. */
static void an_interrupted_series_whose_boots_say_nothing_means_the_last(void **state)
{
	const char *path = files_path(files_dir, "boots.json");

	(void)state;
	add_boots();
	result.interrupted = true;
	assert_int_equal(bench_result_write(path, &result, NULL), 0);
	assert_int_equal(bench_result_read(path, &back, NULL), 0);
	assert_false(back.boots[0].interrupted);
	assert_true(back.boots[1].interrupted);
	bench_result_free(&back);
	bench_interrupted(&result, true);
	assert_refused("  \"interrupted\": true,\n  \"workloads",
		       "  \"interrupted\": "
		       "false,\n  \"workloads",
		       "key 'interrupted': false, and a boot was interrupted");
}

static void the_reader_is_strict_with_boots(void **state)
{
	(void)state;
	assert_refused("\"order\": 2,", "\"order\": 2, \"boot\": 0,",
		       "iterations[1]: key 'boot': the file has no 'boots'");
	add_boots();
	assert_refused("\"old\"", "\"\"", "boots[0]: key 'state' is empty");
	assert_refused("\"1234-6\"", "\"1234-5\"",
		       "boots[1]: context: key 'boot-id': '1234-5' is that of boots[0]");
	assert_refused("\"state\"", "\"stage\"", "boots[0]: unknown key 'stage'");
	assert_refused("\"boot\": 1", "\"boot\": 2",
		       "workloads[0]: iterations[1]: key 'boot': 2 is not a whole number "
		       "in 0..1");
	assert_refused("\"boot\": 0,", "",
		       "workloads[0]: iterations[0]: key 'boot' is missing");
	result.series[0].iterations[0].boot = 1;
	result.series[0].iterations[1].boot = 0;
	assert_refused("calib-bench/1", "calib-bench/1",
		       "iterations[1]: key 'boot': below that of the entry before");
	result.boots[1].context.rails[1].summed = true;
	assert_refused("calib-bench/1", "calib-bench/1",
		       "boots[1]: context: its rails are not those of the file's");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(what_is_written_reads_back),
		T(the_total_is_of_the_rails_that_are_summed),
		T(a_number_too_large_for_a_file_is_refused_and_the_file_stays),
		T(boots_read_back),
		T(an_interrupted_series_whose_boots_say_nothing_means_the_last),
		T(the_reader_is_strict_with_boots),
		T(the_reader_names_the_key_that_is_wrong),
#undef T
	};

	return cmocka_run_group_tests(tests, files_set_up, files_tear_down);
}
