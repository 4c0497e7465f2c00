// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "calib/commands.h"
#include "calib/loads/kernels.h"
#include "calib/sim/sim.h"
#include "tests/unit/load_sums.h"

/* The CPUs this process may use. */
static unsigned int usable(unsigned int *cpus, unsigned int max)
{
	unsigned int cpu, n = 0;
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (cpu = 0; cpu < CPU_SETSIZE && n < max; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[n++] = cpu;
	return n;
}

static void every_load_is_found_and_others_are_named(void **state)
{
	const struct load_kernel *k;
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; (k = load_at(i)); i++)
		assert_ptr_equal(load_find(k->name, NULL), k);
	assert_int_not_equal(i, 0);
	assert_null(load_find("dhrystone", &err));
	assert_non_null(strstr(err.msg, "there is no load 'dhrystone'; known are int"));
}

static void the_same_work_gives_the_same_number(void **state)
{
	const size_t size = 32768;
	uint64_t *a = aligned_alloc(4096, size), *b = aligned_alloc(4096, size);
	uint64_t x = 1, y = 1, before;
	const struct load_kernel *k;
	size_t i;
	int n;

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	for (i = 0; (k = load_at(i)); i++) {
		k->init(a, size);
		k->init(b, size);
		for (n = 0; n < 100 && k->unit; n++) {
			before = x;
			x = k->unit(a, size, x);
			y = k->unit(b, size, y);
			assert_int_equal(x, y);
			/* It went somewhere: the work was not dropped. */
			assert_int_not_equal(x, before);
		}
		assert_memory_equal(a, b, size);
	}
	free(a);
	free(b);
}

static void every_kernel_gives_its_known_number(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(load_sums) / sizeof(load_sums[0]); i++) {
		const struct load_kernel *k = load_at(i);

		assert_non_null(k);
		assert_string_equal(k->name, load_sums[i].name);
		assert_int_equal(load_sum(k), load_sums[i].sum);
	}
	assert_null(load_at(i));
}

static void memory_is_sized_for_the_cache_it_is_to_be_in(void **state)
{
	const size_t kib = 1024, mib = 1024 * kib;
	/* Odroid-XU3's A15 (2 MiB of L2 among 4), and a desktop. */
	const struct load_caches a15 = { 32 * kib, 512 * kib, 2 * mib };
	const struct load_caches pc = { 48 * kib, 1024 * kib, 32 * mib };
	const struct load_caches tiny = { 32 * kib, 64 * kib, 512 * mib };

	(void)state;
	assert_int_equal(load_find("int", NULL)->size(&a15), LOAD_MEM_SMALL);
	assert_int_equal(load_find("l1", NULL)->size(&a15), 16 * kib);
	assert_int_equal(load_find("l2", NULL)->size(&a15), 256 * kib);
	assert_int_equal(load_find("dram", NULL)->size(&a15), 32 * mib);
	assert_int_equal(load_find("l2", NULL)->size(&pc), 512 * kib);
	assert_int_equal(load_find("chase", NULL)->size(&pc), 128 * mib);
	assert_int_equal(load_find("l2", NULL)->size(&tiny), 64 * kib);
	assert_int_equal(load_find("dram", NULL)->size(&tiny), 256 * mib);
}

static void the_chase_visits_every_node_once(void **state)
{
	const size_t size = 65536, nodes = size / LOAD_CHASE_NODE;
	const struct load_kernel *k = load_find("chase", NULL);
	uint32_t *mem = aligned_alloc(4096, size), at = 0;
	size_t hops = 0;

	(void)state;
	assert_non_null(mem);
	k->init(mem, size);
	do {
		at = mem[at * LOAD_CHASE_NODE / sizeof(*mem)];
		assert_true(at < nodes);
		hops++;
	} while (at && hops <= nodes);
	assert_int_equal(hops, nodes);
	free(mem);
}

static void the_virtual_board_has_the_same_loads(void **state)
{
	const struct load_kernel *k;
	char known[256] = "";
	double activity;
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; (k = load_at(i)); i++) {
		assert_int_equal(sim_load_activity(k->name, &activity, &err), 0);
		assert_true(k->unit ? activity > 0 : activity == 0);
		strcat(known, i ? ", " : "");
		strcat(known, k->name);
	}
	assert_int_equal(sim_load_activity("brew", &activity, &err), -EINVAL);
	assert_string_equal(strstr(err.msg, "known are ") + 10, known);
	assert_null(load_find("brew", &err));
	assert_string_equal(strstr(err.msg, "known are ") + 10, known);
}

static void help_tells_every_load(void **state)
{
	const struct load_kernel *k;
	char line[128];
	size_t i;

	(void)state;
	for (i = 0; (k = load_at(i)); i++) {
		snprintf(line, sizeof(line), "  %-8s %s\n", k->name, k->help);
		if (!strstr(cmd_measure.help, line))
			fail_msg("not in the help: '%s'", line);
	}
}

/* Wait for a number of units, with a limit in tries and no sleep. */
static void wait_for_work(struct loads *l, unsigned int thread, uint64_t more)
{
	uint64_t start, now;
	long tries = 0;
	int cpu;

	start = loads_thread_work(l, thread, &cpu);
	do {
		sched_yield();
		now = loads_thread_work(l, thread, &cpu);
	} while (now < start + more && ++tries < 50000000);
	assert_true(now >= start + more);
}

/* Small, so that starting them takes no time; dram and chase have their least. */
static const struct load_caches small_caches = { 32768, 131072, 1048576 };

static void work_grows_on_the_cpus_asked_for(void **state)
{
	unsigned int cpus[2], n = usable(cpus, 2), i;
	const struct load_kernel *k;
	uint64_t sum;
	struct loads *l;
	size_t at;
	int cpu;

	(void)state;
	for (at = 0; (k = load_at(at)); at++) {
		assert_int_equal(loads_start(k, &small_caches, cpus, n, &l, NULL), 0);
		for (i = 0, sum = 0; i < n; i++) {
			loads_thread_work(l, i, &cpu);
			assert_int_equal(cpu, cpus[i]);
			if (k->unit)
				wait_for_work(l, i, 10);
			sum += loads_thread_work(l, i, &cpu);
			assert_int_equal(cpu, cpus[i]);
		}
		assert_true(loads_work(l) >= sum);
		assert_true(loads_time_ns(l) > 0);
		assert_true(k->unit || !sum);
		loads_stop(l);
	}
}

static void too_much_memory_is_refused_before_anything_runs(void **state)
{
	unsigned int cpus[4096] = { 0 };
	struct loads *l = NULL;
	struct err err;

	(void)state;
	/* 4096 times 32 MiB are 128 GiB, and more than half of that must be there. */
	if (sysconf(_SC_PHYS_PAGES) / 4096 * sysconf(_SC_PAGESIZE) > 64 << 20)
		skip();
	assert_int_equal(
		loads_start(load_find("dram", NULL), &small_caches, cpus, 4096, &l, &err),
		-ENOMEM);
	assert_non_null(strstr(err.msg, "load 'dram' takes 32 MiB on each of 4096 CPUs"));
	assert_null(l);
}

static bool never(void)
{
	return false;
}

static void a_load_whose_instructions_are_not_there_is_refused(void **state)
{
	struct load_kernel k = *load_find("simd", NULL);
	unsigned int cpu = 0;
	struct loads *l = NULL;
	struct err err;

	(void)state;
	k.usable = never;
	assert_int_equal(loads_start(&k, NULL, &cpu, 1, &l, &err), -ENOTSUP);
	assert_string_equal(err.msg, "load 'simd' needs NEON, which this CPU does not "
				     "have; choose another with --loads");
	assert_null(l);
}

static void our_own_thread_is_not_pinned_by_a_load(void **state)
{
	cpu_set_t before, after;
	unsigned int cpu;
	struct loads *l;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	usable(&cpu, 1);
	assert_int_equal(loads_start(load_at(0), NULL, &cpu, 1, &l, NULL), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	loads_stop(l);
}

static void a_cpu_that_is_not_there_is_named_and_nothing_runs(void **state)
{
	unsigned int cpus[2] = { 0, 1022 };
	struct loads *l = NULL;
	struct err err;

	(void)state;
	usable(cpus, 1);
	assert_int_equal(loads_start(load_at(0), NULL, cpus, 2, &l, &err), -EINVAL);
	assert_string_equal(err.msg, "cannot run on CPU 1022: it is offline, or a cpuset "
				     "keeps us from it");
	assert_null(l);
	cpus[1] = 5000;
	assert_int_equal(loads_start(load_at(0), NULL, cpus, 2, &l, &err), -EINVAL);
}

static void no_cpu_is_no_load(void **state)
{
	struct loads *l;

	(void)state;
	assert_int_equal(loads_start(load_at(0), NULL, NULL, 0, &l, NULL), 0);
	assert_int_equal(loads_work(l), 0);
	loads_stop(l);
	loads_stop(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_load_is_found_and_others_are_named),
		cmocka_unit_test(the_same_work_gives_the_same_number),
		cmocka_unit_test(every_kernel_gives_its_known_number),
		cmocka_unit_test(memory_is_sized_for_the_cache_it_is_to_be_in),
		cmocka_unit_test(the_chase_visits_every_node_once),
		cmocka_unit_test(the_virtual_board_has_the_same_loads),
		cmocka_unit_test(help_tells_every_load),
		cmocka_unit_test(work_grows_on_the_cpus_asked_for),
		cmocka_unit_test(too_much_memory_is_refused_before_anything_runs),
		cmocka_unit_test(a_load_whose_instructions_are_not_there_is_refused),
		cmocka_unit_test(our_own_thread_is_not_pinned_by_a_load),
		cmocka_unit_test(a_cpu_that_is_not_there_is_named_and_nothing_runs),
		cmocka_unit_test(no_cpu_is_no_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
