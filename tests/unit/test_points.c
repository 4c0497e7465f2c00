// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clocks to ask for where the kernel has no table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "calib/linux/points.h"

/* Two policies of one CPU each, 400..2000 MHz, and a tree with four points, one turbo. */
struct fixture {
	struct topology_cluster c;
	struct dtcpus *tree;
};

static int setup(void **state)
{
	static const uint64_t mhz[] = { 200, 600, 1800, 2000 };
	struct fixture *f = calloc(1, sizeof(*f));
	struct dt_domain *d;

	assert_non_null(f);
	f->tree = dtcpus_new();
	assert_non_null(f->tree);
	f->c.cpu_count = f->c.policy_count = 2;
	f->c.cpus[1] = 1;
	for (unsigned int i = 0; i < 2; i++)
		f->c.policies[i] = (struct cpufreq_policy){
			.min_khz = 400000,
			.max_khz = 2000000,
			.khz = { 400000, 2000000 },
			.khz_count = 2,
			.points_from = "limits",
		};
	f->tree->cpu_count = 2;
	f->tree->domain_count = 1;
	d = &f->tree->domains[0];
	for (unsigned int i = 0; i < 4; i++)
		d->opps[d->opp_count++].hz = mhz[i] * 1000000;
	d->opps[3].turbo = true;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	dtcpus_free(f->tree);
	free(f);
	return 0;
}

static void the_tree_tells_where_the_kernel_does_not(void **state)
{
	struct fixture *f = *state;

	points_choose(&f->c, f->tree, NULL);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(f->c.policies[i].khz_count, 2);
		assert_int_equal(f->c.policies[i].khz[0], 600000);
		assert_int_equal(f->c.policies[i].khz[1], 1800000);
		assert_string_equal(f->c.policies[i].points_from, "dt");
	}
}

static void the_user_goes_before_the_tree(void **state)
{
	struct fixture *f = *state;

	points_choose(&f->c, f->tree, "1.5GHz, 1234,450000, 1234,3000");
	assert_int_equal(f->c.policies[1].khz_count, 3);
	assert_int_equal(f->c.policies[1].khz[0], 450000);
	assert_int_equal(f->c.policies[1].khz[1], 1234000);
	assert_int_equal(f->c.policies[1].khz[2], 1500000);
	assert_string_equal(f->c.policies[1].points_from, "user");
}

static void a_kernels_list_stays(void **state)
{
	struct fixture *f = *state;

	f->c.policies[0].has_list = true;
	points_choose(&f->c, f->tree, "1234");
	assert_int_equal(f->c.policies[0].khz_count, 2);
	assert_int_equal(f->c.policies[0].khz[0], 400000);
}

static void without_better_the_points_between_the_limits_stay(void **state)
{
	struct fixture *f = *state;

	points_choose(&f->c, NULL, "3000,fast");
	assert_int_equal(f->c.policies[0].khz_count, 2);
	assert_string_equal(f->c.policies[0].points_from, "limits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_tree_tells_where_the_kernel_does_not,
						setup, teardown),
		cmocka_unit_test_setup_teardown(the_user_goes_before_the_tree, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_kernels_list_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(
			without_better_the_points_between_the_limits_stay, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
