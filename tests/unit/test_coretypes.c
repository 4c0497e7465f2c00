// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kinds of core, by what a machine has to tell them by.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "calib/bench/coretypes.h"
#include "files.h"

#include "fake.h"

static void put(const char *name, const char *text)
{
	char *command = NULL;

	assert_true(asprintf(&command, "mkdir -p \"$(dirname '%s/%s')\"", files_dir,
			     name) > 0);
	assert_int_equal(system(command), 0);
	free(command);
	fake_put(files_path(files_dir, name), text);
}

static int look(struct coretype types[CORETYPES_MAX], struct err *err)
{
	struct sysfs sys;

	assert_int_equal(sysfs_init(&sys, files_dir, NULL), 0);
	return coretypes_read(&sys, types, err);
}

static void with_cpufreq_and_nodes_they_are_cores(void **state)
{
	struct coretype types[CORETYPES_MAX];
	char *dir = fake_xu3("");
	struct sysfs sys;

	(void)state;
	assert_int_equal(sysfs_init(&sys, dir, NULL), 0);
	assert_int_equal(coretypes_read(&sys, types, NULL), 2);
	assert_string_equal(types[0].name, "a7");
	assert_string_equal(types[1].name, "a15");
	assert_int_equal(types[1].cpu_count, 4);
	assert_ptr_equal(coretypes_find(types, 2, 5), &types[1]);
	assert_null(coretypes_find(types, 2, 8));
	files_remove(dir);
}

static void hybrid_x86_without_cpufreq_is_told_by_its_pmus(void **state)
{
	struct coretype types[CORETYPES_MAX];

	(void)state;
	put("sys/devices/system/cpu/online", "0-2,4-5\n");
	put("sys/devices/cpu_core/cpus", "0-3\n");
	put("sys/devices/cpu_atom/cpus", "4-7\n");
	assert_int_equal(look(types, NULL), 2);
	assert_string_equal(types[0].name, "p");
	assert_int_equal(types[0].cpu_count, 3);
	assert_string_equal(types[1].name, "e");
	assert_int_equal(types[1].cpu_count, 2);
	assert_int_equal(types[1].cpus[1], 5);
}

static void a_kind_that_is_offline_is_none(void **state)
{
	struct coretype types[CORETYPES_MAX];

	(void)state;
	put("sys/devices/system/cpu/online", "0-1\n");
	put("sys/devices/cpu_core/cpus", "0-1\n");
	put("sys/devices/cpu_atom/cpus", "2-3\n");
	assert_int_equal(look(types, NULL), 1);
	assert_string_equal(types[0].name, "p");
}

/* A PMU that the kernel lacks, or one that is new to us: no CPU is lost. */
static void what_no_pmu_has_is_a_kind_of_its_own(void **state)
{
	struct coretype types[CORETYPES_MAX];

	(void)state;
	put("sys/devices/system/cpu/online", "0-9\n");
	put("sys/devices/cpu_core/cpus", "0-3\n");
	assert_int_equal(look(types, NULL), 2);
	assert_string_equal(types[0].name, "p");
	assert_int_equal(types[0].cpu_count, 4);
	assert_string_equal(types[1].name, "cpu");
	assert_int_equal(types[1].cpu_count, 6);
	put("sys/devices/cpu_atom/cpus", "4-7\n");
	put("sys/devices/cpu_lowpower/cpus", "8-9\n");
	assert_int_equal(look(types, NULL), 3);
	assert_string_equal(types[1].name, "e");
	assert_string_equal(types[2].name, "lp");
	assert_int_equal(types[2].cpus[1], 9);
	/* All of a kind are offline. */
	put("sys/devices/system/cpu/online", "4-7\n");
	put("sys/devices/cpu_core/cpus", "\n");
	put("sys/devices/cpu_lowpower/cpus", "\n");
	assert_int_equal(look(types, NULL), 1);
	assert_string_equal(types[0].name, "e");
}

/* Policies of one CPU, two threads a core, two cores that turbo higher. */
static void threads_and_favoured_cores_are_of_their_kind(void **state)
{
	static const char *const max[] = { "5800000", "5800000", "5500000",
					   "5500000", "4300000", "4300000" };
	struct coretype types[CORETYPES_MAX];

	(void)state;
	put("sys/devices/system/cpu/online", "0-5\n");
	put("sys/devices/cpu_core/cpus", "0-3\n");
	put("sys/devices/cpu_atom/cpus", "4-5\n");
	for (int i = 0; i < 6; i++) {
		const char *const attrs[][2] = {
			{ "affected_cpus", "%d\n" },
			{ "related_cpus", "%d\n" },
			{ "scaling_driver", "intel_pstate\n" },
			{ "scaling_governor", "powersave\n" },
			{ "scaling_available_governors", "performance powersave\n" },
			{ "cpuinfo_min_freq", "800000\n" },
			{ "cpuinfo_max_freq", NULL },
			{ "scaling_min_freq", "800000\n" },
			{ "scaling_max_freq", NULL },
		};
		char name[128], text[64];

		for (size_t j = 0; j < sizeof(attrs) / sizeof(attrs[0]); j++) {
			snprintf(name, sizeof(name),
				 "sys/devices/system/cpu/cpufreq/policy%d/%s", i,
				 attrs[j][0]);
			if (attrs[j][1])
				snprintf(text, sizeof(text), attrs[j][1], i);
			else
				snprintf(text, sizeof(text), "%s\n", max[i]);
			put(name, text);
		}
	}
	assert_int_equal(look(types, NULL), 3);
	assert_string_equal(types[0].name, "p-policy0");
	assert_int_equal(types[0].cpu_count, 2);
	assert_string_equal(types[1].name, "p-policy2");
	assert_string_equal(types[2].name, "e");
	assert_int_equal(types[2].cpu_count, 2);
}

static void where_nothing_tells_all_are_one(void **state)
{
	struct coretype types[CORETYPES_MAX];
	struct err err;

	(void)state;
	assert_int_equal(look(types, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "cpu/online"));
	put("sys/devices/system/cpu/online", "0-1\n");
	assert_int_equal(look(types, NULL), 1);
	assert_string_equal(types[0].name, "cpu");
	assert_int_equal(types[0].cpu_count, 2);
	put("sys/devices/system/cpu/online", "x\n");
	assert_int_equal(look(types, &err), -EINVAL);
}

#define T(name) cmocka_unit_test_setup_teardown(name, files_set_up, files_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(with_cpufreq_and_nodes_they_are_cores),
		T(hybrid_x86_without_cpufreq_is_told_by_its_pmus),
		T(a_kind_that_is_offline_is_none),
		T(what_no_pmu_has_is_a_kind_of_its_own),
		T(threads_and_favoured_cores_are_of_their_kind),
		T(where_nothing_tells_all_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
