// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's arithmetic on the Exynos5422, whose states the v5.6 kernel printed, and on
 * tables that the kernel refuses.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/kernel_em.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct opp {
	uint32_t mhz, uv;
};

static const struct opp a7_opps[] = {
	{ 200, 900000 },   { 300, 900000 },   { 400, 1000000 },	 { 500, 1000000 },
	{ 600, 1000000 },  { 700, 1000000 },  { 800, 1100000 },	 { 900, 1100000 },
	{ 1000, 1100000 }, { 1100, 1250000 }, { 1200, 1250000 }, { 1300, 1250000 },
	{ 1400, 1275000 },
};

static const struct opp a15_opps[] = {
	{ 200, 900000 },   { 300, 900000 },   { 400, 900000 },	 { 500, 900000 },
	{ 600, 900000 },   { 700, 900000 },   { 800, 900000 },	 { 900, 1000000 },
	{ 1000, 1000000 }, { 1100, 1000000 }, { 1200, 1000000 }, { 1300, 1100000 },
	{ 1400, 1100000 }, { 1500, 1100000 }, { 1600, 1250000 }, { 1700, 1250000 },
	{ 1800, 1237500 }, { 1900, 1262500 }, { 2000, 1312500 },
};

/* "1,3,4" of the states that are marked. */
static const char *marked(const struct em_state *states, size_t n, char *out, size_t size)
{
	size_t used = 0, i;

	out[0] = '\0';
	for (i = 0; i < n; i++)
		if (states[i].inefficient)
			used += snprintf(out + used, size - used, "%s%zu",
					 used ? "," : "", i);
	return out;
}

static void assert_v56(const struct opp *opps, size_t n, uint32_t dpc, const char *want)
{
	struct em_state states[32] = { 0 };
	struct err err = { "" };
	char text[128];
	size_t i;

	for (i = 0; i < n; i++) {
		states[i].khz = opps[i].mhz * 1000;
		states[i].power = em_power_mw_v56(dpc, opps[i].mhz * 1000000ull,
						  opps[i].uv);
	}
	assert_int_equal(em_v56(states, n, &err), 0);
	assert_string_equal(marked(states, n, text, sizeof(text)), want);
}

static void assert_current(const struct opp *opps, size_t n, uint32_t dpc,
			   uint32_t capacity, const char *want)
{
	struct em_state states[32] = { 0 };
	struct err err = { "" };
	char text[128];
	size_t i;

	for (i = 0; i < n; i++) {
		states[i].khz = opps[i].mhz * 1000;
		states[i].power = em_power_uw(dpc, opps[i].mhz * 1000000ull, opps[i].uv);
	}
	assert_int_equal(em_current(states, n, capacity, &err), 0);
	assert_string_equal(marked(states, n, text, sizeof(text)), want);
}

static void v56_marks_the_states_that_the_exynos5422_printed(void **state)
{
	(void)state;
	assert_v56(a7_opps, COUNT(a7_opps), 90, "1,3,4,5,8,10,11");
	assert_v56(a15_opps, COUNT(a15_opps), 310, "1,2,3,4,5,6,8,9,10,13,15,16");
}

static void current_rule_marks_the_lower_opps_of_a_shared_voltage(void **state)
{
	(void)state;
	assert_current(a7_opps, COUNT(a7_opps), 90, 377, "0,2,3,4,6,7,9,10");
	assert_current(a15_opps, COUNT(a15_opps), 310, 1024, "0,1,2,7,11,12,14,15");
}

static void capacities_of_the_exynos5422_are_377_and_1024(void **state)
{
	const uint32_t dmips[] = { 539, 1024 };
	const uint64_t max_khz[] = { 1400000, 2000000 };
	uint32_t capacity[2];

	(void)state;
	em_capacity(dmips, max_khz, capacity, 2);
	assert_int_equal(capacity[0], 377);
	assert_int_equal(capacity[1], 1024);
}

static void capacity_of_absurd_numbers_stays_in_range(void **state)
{
	const uint32_t dmips[] = { UINT32_MAX, 1 };
	const uint64_t max_khz[] = { UINT64_MAX, 1 };
	const uint32_t none[] = { 0 };
	uint32_t capacity[2];

	(void)state;
	em_capacity(dmips, max_khz, capacity, 2);
	assert_int_equal(capacity[0], 1024);
	assert_int_equal(capacity[1], 0);
	em_capacity(none, max_khz, capacity, 1);
	assert_int_equal(capacity[0], 0);
}

static void power_cuts_to_mv_and_mhz_before_it_multiplies(void **state)
{
	(void)state;
	/* 310 * 1237^2 * 1800 / 10^6, the 500 uV cut */
	assert_int_equal(em_power_uw(310, 1800000000, 1237500), 853834);
	assert_int_equal(em_power_mw_v56(310, 1800000000, 1237500), 853);
	/* the 999999 Hz cut */
	assert_int_equal(em_power_uw(100, 1000999999, 1000000), 100000);
	/* below 1 mV or 1 MHz nothing is left */
	assert_int_equal(em_power_uw(310, 1800000000, 999), 0);
	assert_int_equal(em_power_uw(310, 999999, 1000000), 0);
}

static void power_of_absurd_input_does_not_wrap_to_a_small_one(void **state)
{
	(void)state;
	assert_true(em_power_uw(UINT32_MAX, UINT64_MAX, UINT32_MAX) > EM_MAX_POWER_UW);
	assert_true(em_power_mw_v56(UINT32_MAX, UINT64_MAX, UINT32_MAX) >
		    EM_MAX_POWER_MW_V56);
	/* in 64 bits that wrap, this one is 3 mW */
	assert_true(em_power_uw(4294934593u, 4295000000, 1000000) > EM_MAX_POWER_UW);
}

static void v56_message_is_the_kernels_own(void **state)
{
	char text[128];

	(void)state;
	em_v56_message(text, sizeof(text), 0, 1);
	assert_string_equal(text,
			    "energy_model: pd0: hertz/watts ratio non-monotonically "
			    "decreasing: em_cap_state 1 >= em_cap_state0");
	em_v56_message(text, sizeof(text), 4, 16);
	assert_string_equal(text,
			    "energy_model: pd4: hertz/watts ratio non-monotonically "
			    "decreasing: em_cap_state 16 >= em_cap_state15");
}

static void costs_are_the_kernels(void **state)
{
	struct em_state v56[] = { { 1000000, 100 }, { 2000000, 301 } };
	struct em_state current[] = { { 1000000, 100000 }, { 2000000, 301000 } };
	struct err err = { "" };

	(void)state;
	assert_int_equal(em_v56(v56, 2, &err), 0);
	assert_int_equal(v56[0].cost, 200);
	assert_int_equal(v56[1].cost, 301);
	assert_int_equal(em_current(current, 2, 377, &err), 0);
	assert_int_equal(current[0].performance, 188);
	assert_int_equal(current[0].cost, 1000000 / 188);
	assert_int_equal(current[1].cost, 3010000 / 377);
	assert_false(current[0].inefficient);
}

static void equal_efficiency_counts_as_inefficient(void **state)
{
	struct em_state v56[] = { { 1000000, 100 }, { 2000000, 200 } };
	struct em_state current[] = { { 1000000, 100000 }, { 2000000, 200000 } };
	struct err err = { "" };

	(void)state;
	assert_int_equal(em_v56(v56, 2, &err), 0);
	assert_false(v56[0].inefficient);
	assert_true(v56[1].inefficient);
	assert_int_equal(em_current(current, 2, 1024, &err), 0);
	assert_true(current[0].inefficient);
	assert_false(current[1].inefficient);
}

static void assert_refused(int ret, const struct err *err, const char *want)
{
	assert_int_equal(ret, -EINVAL);
	assert_string_equal(err->msg, want);
}

static void tables_that_the_kernel_refuses_are_refused_by_state(void **state)
{
	struct em_state zero[] = { { 1000000, 0 } };
	struct em_state same[] = { { 1000000, 1 }, { 1000000, 2 } };
	struct em_state many[] = { { 1000000, 64000001 } };
	struct em_state wide[] = { { 1000000, 65536 } };
	struct em_state slow[] = { { 1000, 5 }, { 2000000, 500 } };
	struct em_state fast[] = { { 4294967296, 5 } };
	struct err err = { "" };

	(void)state;
	assert_refused(em_current(zero, 1, 1024, &err), &err,
		       "state 0 (1000000 kHz): power 0 uW is not in 1..64000000");
	assert_refused(em_v56(zero, 1, &err), &err,
		       "state 0 (1000000 kHz): power 0 mW is not in 1..65535");
	assert_refused(em_current(same, 2, 1024, &err), &err,
		       "state 1: 1000000 kHz is not above the state before it");
	assert_refused(em_current(many, 1, 1024, &err), &err,
		       "state 0 (1000000 kHz): power 64000001 uW is not in 1..64000000");
	assert_refused(em_v56(wide, 1, &err), &err,
		       "state 0 (1000000 kHz): power 65536 mW is not in 1..65535");
	assert_refused(em_current(slow, 2, 1024, &err), &err,
		       "state 0 (1000 kHz): performance is 0 of 1024, the kernel would "
		       "divide by it");
	assert_refused(
		em_v56(fast, 1, &err), &err,
		"state 0: 4294967296 kHz is more than the kernel's cpufreq can hold");
	assert_refused(em_current(zero, 0, 1024, &err), &err, "no states");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v56_marks_the_states_that_the_exynos5422_printed),
		cmocka_unit_test(current_rule_marks_the_lower_opps_of_a_shared_voltage),
		cmocka_unit_test(capacities_of_the_exynos5422_are_377_and_1024),
		cmocka_unit_test(capacity_of_absurd_numbers_stays_in_range),
		cmocka_unit_test(power_cuts_to_mv_and_mhz_before_it_multiplies),
		cmocka_unit_test(power_of_absurd_input_does_not_wrap_to_a_small_one),
		cmocka_unit_test(v56_message_is_the_kernels_own),
		cmocka_unit_test(costs_are_the_kernels),
		cmocka_unit_test(equal_efficiency_counts_as_inefficient),
		cmocka_unit_test(tables_that_the_kernel_refuses_are_refused_by_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
