// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cycle counters: what a read of them means, over files that stand for the kernel's,
 * and those of this machine where it has some.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "calib/linux/caches.h"
#include "calib/linux/cycles.h"
#include "calib/linux/pmus.h"
#include "calib/measure/delivered.h"
#include "tests/unit/files.h"

struct record {
	uint64_t value, enabled_ns, running_ns;
};

/* A counter that gives one record per read. */
static void fake_counter(struct cycles *cy, const char *dir, const char *name,
			 const struct record *r, unsigned int n)
{
	const char *path = files_put(dir, name, r, n * sizeof(*r));

	cy->fds[cy->count] = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(cy->fds[cy->count] >= 0);
	cy->count++;
}

static void cycles_of_each_cpu_come_to_its_clock(void **state)
{
	/* 100 ms apart: 1200 MHz, and 600 MHz where 1200 were asked for. */
	static const struct record fast[] = { { 7000, 5000, 5000 },
					      { 120007000, 100005000, 100005000 } };
	static const struct record slow[] = { { 9000, 6000, 6000 },
					      { 60009000, 100006000, 100006000 } };
	struct usage a = { .time_ns = 1000, .loaded = 2 };
	struct usage b = { .time_ns = 100001000, .loaded = 2 };
	uint64_t begin[BOARD_MAX_CPUS], end[BOARD_MAX_CPUS];
	struct cycles cy = { .count = 0 };
	char *dir = files_folder();
	uint32_t khz;

	(void)state;
	fake_counter(&cy, dir, "fast", fast, 2);
	fake_counter(&cy, dir, "slow", slow, 2);
	assert_int_equal(cycles_read(&cy, begin), 0);
	assert_int_equal(cycles_read(&cy, end), 0);
	for (int i = 0; i < 2; i++) {
		a.each[i].cycles = begin[i];
		b.each[i].cycles = end[i];
		a.cycles += begin[i];
		b.cycles += end[i];
	}
	assert_int_equal(delivered_by_cycles(&a, &b, 2, 1200000, &khz), 0);
	assert_int_equal(khz, 600000);
	assert_true(delivered_differs(khz, 1200000));
	a.loaded = b.loaded = 1;
	a.cycles = begin[0];
	b.cycles = end[0];
	assert_int_equal(delivered_by_cycles(&a, &b, 1, 1200000, &khz), 0);
	assert_int_equal(khz, 1200000);
	cycles_close(&cy);
	files_remove(dir);
}

static void a_counter_that_lost_its_place_counts_nothing(void **state)
{
	/* It ran for a part of the time only. */
	static const struct record shared[] = { { 7000, 5000, 5000 },
						{ 12000, 9000, 7000 } };
	uint64_t each[BOARD_MAX_CPUS];
	struct cycles cy = { .count = 0 };
	char *dir = files_folder();

	(void)state;
	assert_int_equal(cycles_read(&cy, each), -ENOENT);
	fake_counter(&cy, dir, "shared", shared, 2);
	assert_int_equal(cycles_read(&cy, each), 0);
	assert_int_equal(cycles_read(&cy, each), -EIO);
	/* End of file is what the kernel gives for a pinned one that was pushed out. */
	assert_int_equal(cycles_read(&cy, each), -EIO);
	cycles_close(&cy);
	cycles_close(&cy);
	files_remove(dir);
}

static void a_cpu_that_is_not_there_has_no_counter(void **state)
{
	static const unsigned int cpus[] = { 0, 4000 };
	uint64_t each[BOARD_MAX_CPUS];
	struct cycles cy;

	(void)state;
	cycles_open(&cy, cpus, 2);
	assert_int_equal(cy.count, 0);
	assert_int_equal(cycles_read(&cy, each), -ENOENT);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

/* Real ones: a busy CPU of today runs at 0.1 to 10 GHz. */
static void the_counters_of_this_machine_tell_a_clock(void **state)
{
	uint64_t begin[BOARD_MAX_CPUS], end[BOARD_MAX_CPUS], from, ns;
	const struct load_kernel *k = load_find("int", NULL);
	struct cycles cy;
	struct loads *l;
	unsigned int cpu = 0;
	cpu_set_t set;
	double ghz;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	cycles_open(&cy, &cpu, 1);
	if (!cy.count)
		skip();
	assert_int_equal(loads_start(k, NULL, &cpu, 1, &l, NULL), 0);
	from = now_ns();
	if (cycles_read(&cy, begin)) {
		loads_stop(l);
		cycles_close(&cy);
		skip();
	}
	while (now_ns() < from + 20000000)
		;
	ns = now_ns() - from;
	assert_int_equal(cycles_read(&cy, end), 0);
	loads_stop(l);
	cycles_close(&cy);
	ghz = (double)(end[0] - begin[0]) / ns;
	assert_true(ghz > 0.1 && ghz < 10);
}

/* The kernel's own counting, read and judged as cycles are: a clock of 1 GHz. */
static void a_software_event_is_opened_and_read_as_cycles_are(void **state)
{
	struct usage a = { .loaded = 1 }, b = { .loaded = 1 };
	uint64_t each[BOARD_MAX_CPUS];
	unsigned int cpu = sched_getcpu();
	struct cycles cy;
	uint32_t khz;

	(void)state;
	cycles_open_event(&cy, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, &cpu, 1);
	if (!cy.count)
		skip();
	assert_int_equal(fcntl(cy.fds[0], F_GETFD), FD_CLOEXEC);
	assert_int_equal(cycles_read(&cy, each), 0);
	a.time_ns = now_ns();
	a.cycles = a.each[0].cycles = each[0];
	while (now_ns() < a.time_ns + 50000000)
		;
	assert_int_equal(cycles_read(&cy, each), 0);
	b.time_ns = now_ns();
	b.cycles = b.each[0].cycles = each[0];
	cycles_close(&cy);
	assert_int_equal(delivered_by_cycles(&a, &b, 1, 1000000, &khz), 0);
	/* Somebody else may run between the two looks. */
	assert_true(khz > 800000 && khz < 1200000);
}

static void put(const char *dir, const char *path, const char *text)
{
	char *command = NULL;

	assert_true(asprintf(&command, "mkdir -p \"$(dirname '%s/%s')\"", dir, path) > 0);
	assert_int_equal(system(command), 0);
	free(command);
	files_puts(dir, path, text);
}

static void caches_are_read_and_shared_out(void **state)
{
#define CACHE "sys/devices/system/cpu/cpu4/cache/"
	static const char *const files[][2] = {
		{ CACHE "index0/type", "Data\n" },
		{ CACHE "index0/level", "1\n" },
		{ CACHE "index0/size", "32K\n" },
		{ CACHE "index0/shared_cpu_list", "4\n" },
		{ CACHE "index1/type", "Instruction\n" },
		{ CACHE "index1/level", "1\n" },
		{ CACHE "index1/size", "64K\n" },
		{ CACHE "index2/type", "Unified\n" },
		{ CACHE "index2/level", "2\n" },
		{ CACHE "index2/size", "2048K\n" },
		{ CACHE "index2/shared_cpu_list", "4-7\n" },
	};
	const struct load_caches usual = load_usual_caches();
	char *dir = files_folder();
	struct load_caches c;
	struct sysfs sys;

	(void)state;
	assert_int_equal(sysfs_init(&sys, dir, NULL), 0);
	caches_read(&sys, 4, &c);
	assert_memory_equal(&c, &usual, sizeof(c));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put(dir, files[i][0], files[i][1]);
	caches_read(&sys, 4, &c);
	assert_int_equal(c.l1d, 32 << 10);
	assert_int_equal(c.l2, 512 << 10);
	assert_int_equal(c.last, 2 << 20);
	/* Sizes that are none, or that the kernel does not know. */
	files_puts(dir, CACHE "index0/size", "-1K\n");
	files_puts(dir, CACHE "index2/size", "\n");
	caches_read(&sys, 4, &c);
	assert_memory_equal(&c, &usual, sizeof(c));
	caches_read(&sys, 5, &c);
	assert_memory_equal(&c, &usual, sizeof(c));
	files_remove(dir);
}

static void a_kind_of_core_has_its_own_pmu(void **state)
{
#define PMU "sys/bus/event_source/devices/"
	char *dir = files_folder(), text[256];
	struct pmu pmus[PMUS_MAX];
	struct sysfs sys;

	(void)state;
	assert_int_equal(sysfs_init(&sys, dir, NULL), 0);
	assert_int_equal(pmus_read(&sys, pmus), 0);
	assert_string_equal(pmus_format(pmus, 0, text, sizeof(text)), "");
	put(dir, PMU "software/type", "1\n");
	put(dir, PMU "power/cpumask", "0\n");
	put(dir, PMU "arm_dsu_0/associated_cpus", "0-5\n");
	assert_int_equal(pmus_read(&sys, pmus), 0);
	put(dir, PMU "cpu/type", "4\n");
	assert_int_equal(pmus_read(&sys, pmus), 1);
	assert_string_equal(pmus_format(pmus, 1, text, sizeof(text)), "cpu (all CPUs)");
	put(dir, PMU "cpu_core/cpus", "0-15\n");
	put(dir, PMU "cpu_atom/cpus", "16-23\n");
	/* All its CPUs are offline. */
	put(dir, PMU "cpu_lowpower/cpus", "\n");
	assert_int_equal(unlink(files_path(dir, PMU "cpu/type")), 0);
	assert_int_equal(rmdir(files_path(dir, PMU "cpu")), 0);
	assert_int_equal(pmus_read(&sys, pmus), 2);
	assert_string_equal(pmus_format(pmus, 2, text, sizeof(text)),
			    "cpu_atom (CPUs 16-23), cpu_core (CPUs 0-15)");
	files_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles_of_each_cpu_come_to_its_clock),
		cmocka_unit_test(a_counter_that_lost_its_place_counts_nothing),
		cmocka_unit_test(a_cpu_that_is_not_there_has_no_counter),
		cmocka_unit_test(the_counters_of_this_machine_tell_a_clock),
		cmocka_unit_test(a_software_event_is_opened_and_read_as_cycles_are),
		cmocka_unit_test(a_kind_of_core_has_its_own_pmu),
		cmocka_unit_test(caches_are_read_and_shared_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
