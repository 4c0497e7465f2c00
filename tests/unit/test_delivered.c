// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The delivered clock: from cycles, from the load's own rate, and when it is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "calib/measure/delivered.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MS	 1000000ull

/* @ncpus CPUs that ran 100 ms at @khz with 3 units of work per 1000 cycles. */
static void usages(unsigned int ncpus, uint32_t khz, struct usage *begin,
		   struct usage *end)
{
	*begin = (struct usage){ .time_ns = 5 * MS, .work = 7, .cycles = 11 };
	*end = (struct usage){
		.time_ns = 105 * MS,
		.work = 7 + khz * 100ull * ncpus * 3 / 1000,
		.cycles = 11 + khz * 100ull * ncpus,
	};
}

static void more_than_one_percent_either_way_differs(void **state)
{
	(void)state;
	assert_false(delivered_differs(1000000, 1000000));
	assert_false(delivered_differs(990000, 1000000));
	assert_false(delivered_differs(1010000, 1000000));
	assert_true(delivered_differs(989999, 1000000));
	assert_true(delivered_differs(1010001, 1000000));
	assert_true(delivered_differs(0, 1000000));
}

static void the_scale_is_that_of_the_juno_thread(void **state)
{
	(void)state;
	assert_int_equal(delivered_scale(600000, 1200000), 512);
	assert_int_equal(delivered_scale(450000, 950000), 485);
	assert_int_equal(delivered_scale(1200000, 1200000), 1024);
	assert_int_equal(delivered_scale(599999, 1200000), 512);
	assert_int_equal(delivered_scale(1300000, 1200000), 1109);
	assert_int_equal(delivered_scale(1, 0), 0);
}

static void cycles_over_time_is_the_clock(void **state)
{
	struct usage a, b;
	uint32_t khz = 0;

	(void)state;
	usages(4, 600000, &a, &b);
	assert_int_equal(delivered_by_cycles(&a, &b, 4, 600000, &khz), 0);
	assert_int_equal(khz, 600000);
	assert_true(delivered_rate(&a, &b, 4) > 1799999);
	assert_true(delivered_rate(&a, &b, 4) < 1800001);
}

static void without_a_counter_there_is_no_clock(void **state)
{
	struct usage a, b;
	uint32_t khz = 0;

	(void)state;
	usages(4, 600000, &a, &b);
	b.cycles = a.cycles;
	assert_int_equal(delivered_by_cycles(&a, &b, 4, 600000, &khz), -ENOENT);
	assert_int_equal(delivered_by_cycles(&a, &b, 0, 600000, &khz), -ENOENT);
	assert_int_equal(delivered_by_cycles(&a, &a, 4, 600000, &khz), -ENOENT);
	b.work = a.work;
	assert_true(delivered_rate(&a, &b, 4) == 0);
	assert_true(delivered_rate(&a, &a, 4) == 0);
}

static void time_that_a_cpu_did_not_run_is_left_out(void **state)
{
	struct usage a, b;
	uint32_t khz = 0;

	(void)state;
	usages(2, 600000, &a, &b);
	a.busy_known = b.busy_known = true;
	/* Half of the time was taken away, and with it half of the cycles. */
	b.busy_ns = 100 * MS;
	b.cycles = 11 + 600000 * 100;
	assert_int_equal(delivered_by_cycles(&a, &b, 2, 600000, &khz), 0);
	assert_int_equal(khz, 600000);
}

static void busy_time_is_believed_no_further_than_its_step(void **state)
{
	struct usage a, b;
	uint32_t khz = 0;

	(void)state;
	usages(2, 600000, &a, &b);
	a.busy_known = b.busy_known = true;
	b.busy_ns = 185 * MS;
	a.busy_step_ns = b.busy_step_ns = 20 * MS;
	assert_int_equal(delivered_by_cycles(&a, &b, 2, 600000, &khz), 0);
	assert_int_equal(khz, 600000);
}

static void one_slow_cpu_of_many_is_found(void **state)
{
	struct usage a, b;
	uint32_t khz = 0;

	(void)state;
	usages(4, 1000000, &a, &b);
	a.loaded = b.loaded = 4;
	for (unsigned int i = 0; i < 4; i++)
		b.each[i].cycles = 1000000 * 100;
	b.each[2].cycles = 970000 * 100;
	b.cycles -= 30000 * 100;
	assert_int_equal(delivered_by_cycles(&a, &b, 4, 1000000, &khz), 0);
	assert_int_equal(khz, 970000);
	b.each[1].cycles = 0;
	assert_int_equal(delivered_by_cycles(&a, &b, 4, 1000000, &khz), -ENOENT);
}

static void the_reference_is_the_rate_that_most_agree_with(void **state)
{
	const struct delivered_point half_at_top[] = {
		{ 200000, 200 }, { 800000, 801 }, { 1400000, 1399 }, { 2000000, 1000 }
	};
	const struct delivered_point two_camps[] = {
		{ 200000, 200 }, { 400000, 400 }, { 1400000, 700 }, { 2000000, 1000 }
	};
	double ref;

	(void)state;
	ref = delivered_reference(half_at_top, COUNT(half_at_top));
	assert_true(ref > 0.00099 && ref < 0.00101);
	/* Of two camps of one size, that of the highest clock. */
	ref = delivered_reference(two_camps, COUNT(two_camps));
	assert_true(ref > 0.00049 && ref < 0.00051);
}

static void points_that_do_not_agree_make_no_reference(void **state)
{
	const struct delivered_point apart[] = { { 200000, 200 }, { 400000, 300 } };
	const struct delivered_point one_clock[] = { { 200000, 200 }, { 200000, 200 } };
	const struct delivered_point unknown[] = { { 200000, 0 }, { 400000, 0 } };

	(void)state;
	assert_true(delivered_reference(apart, 2) == 0);
	assert_true(delivered_reference(one_clock, 2) == 0);
	assert_true(delivered_reference(unknown, 2) == 0);
	assert_true(delivered_reference(unknown, 0) == 0);
}

static void sleeping_cpus_tell_no_clock(void **state)
{
	struct usage a, b;
	uint32_t khz = 0;

	(void)state;
	/* Busy for 2 ms of 100, give or take a tick. */
	usages(1, 600000, &a, &b);
	a.busy_known = b.busy_known = true;
	b.busy_ns = 2 * MS;
	b.busy_step_ns = 4 * MS;
	b.cycles = a.cycles + 3000000;
	assert_int_equal(delivered_by_cycles(&a, &b, 1, 600000, &khz), -ENOENT);
	assert_int_equal(khz, 0);
	b.busy_ns = 50 * MS;
	b.cycles = a.cycles + 30000000;
	assert_int_equal(delivered_by_cycles(&a, &b, 1, 600000, &khz), 0);
	assert_int_equal(khz, 600000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_than_one_percent_either_way_differs),
		cmocka_unit_test(the_scale_is_that_of_the_juno_thread),
		cmocka_unit_test(cycles_over_time_is_the_clock),
		cmocka_unit_test(without_a_counter_there_is_no_clock),
		cmocka_unit_test(time_that_a_cpu_did_not_run_is_left_out),
		cmocka_unit_test(busy_time_is_believed_no_further_than_its_step),
		cmocka_unit_test(one_slow_cpu_of_many_is_found),
		cmocka_unit_test(the_reference_is_the_rate_that_most_agree_with),
		cmocka_unit_test(points_that_do_not_agree_make_no_reference),
		cmocka_unit_test(sleeping_cpus_tell_no_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
