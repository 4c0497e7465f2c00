// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "calib/loads/loads.h"

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
	uint64_t a[LOAD_MEM / 8], b[LOAD_MEM / 8], x = 1, y = 1, before;
	const struct load_kernel *k;
	size_t i;
	int n;

	(void)state;
	for (i = 0; (k = load_at(i)); i++) {
		load_mem_init(a);
		load_mem_init(b);
		for (n = 0; n < 100; n++) {
			before = x;
			x = k->unit(a, x);
			y = k->unit(b, y);
			assert_int_equal(x, y);
			/* It went somewhere: the work was not dropped. */
			assert_int_not_equal(x, before);
		}
		assert_memory_equal(a, b, LOAD_MEM);
	}
}

static void the_integer_load_gives_the_known_number(void **state)
{
	uint64_t mem[LOAD_MEM / 8], x = 1;
	int n;

	(void)state;
	load_mem_init(mem);
	for (n = 0; n < 1000; n++)
		x = load_find("int", NULL)->unit(mem, x);
	assert_int_equal(x, UINT64_C(0x541f69faa682c86c));
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

static void work_grows_on_the_cpus_asked_for(void **state)
{
	unsigned int cpus[2], n = usable(cpus, 2), i;
	struct loads *l;
	uint64_t sum = 0;
	int cpu;

	(void)state;
	assert_int_equal(loads_start(load_at(0), cpus, n, &l, NULL), 0);
	for (i = 0; i < n; i++) {
		loads_thread_work(l, i, &cpu);
		assert_int_equal(cpu, cpus[i]);
		wait_for_work(l, i, 10);
		sum += loads_thread_work(l, i, &cpu);
	}
	assert_true(loads_work(l) >= sum);
	loads_stop(l);
}

static void our_own_thread_is_not_pinned_by_a_load(void **state)
{
	cpu_set_t before, after;
	unsigned int cpu;
	struct loads *l;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	usable(&cpu, 1);
	assert_int_equal(loads_start(load_at(0), &cpu, 1, &l, NULL), 0);
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
	assert_int_equal(loads_start(load_at(0), cpus, 2, &l, &err), -EINVAL);
	assert_string_equal(err.msg, "cannot run on CPU 1022: it is offline, or a cpuset "
				     "keeps us from it");
	assert_null(l);
	cpus[1] = 5000;
	assert_int_equal(loads_start(load_at(0), cpus, 2, &l, &err), -EINVAL);
}

static void no_cpu_is_no_load(void **state)
{
	struct loads *l;

	(void)state;
	assert_int_equal(loads_start(load_at(0), NULL, 0, &l, NULL), 0);
	assert_int_equal(loads_work(l), 0);
	loads_stop(l);
	loads_stop(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_load_is_found_and_others_are_named),
		cmocka_unit_test(the_same_work_gives_the_same_number),
		cmocka_unit_test(the_integer_load_gives_the_known_number),
		cmocka_unit_test(work_grows_on_the_cpus_asked_for),
		cmocka_unit_test(our_own_thread_is_not_pinned_by_a_load),
		cmocka_unit_test(a_cpu_that_is_not_there_is_named_and_nothing_runs),
		cmocka_unit_test(no_cpu_is_no_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
