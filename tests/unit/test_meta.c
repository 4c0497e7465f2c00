// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Meta-analysis of several boards: values worked out by hand, and whether the intervals
 * hold what they say they hold.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gsl/gsl_randist.h>

#include "models/meta.h"
#include "near.h"

static void equal_errors_give_the_plain_mean_and_its_t_interval(void **state)
{
	static const double est[] = { 98, 100, 102, 104 }, se[] = { 1, 1, 1, 1 };
	struct meta m;

	(void)state;
	/* mean 101, s^2 = 20/3, so sd^2 = s^2 - 1; t(3) = 3.182446 */
	assert_int_equal(meta_pool(est, se, 4, &m, NULL), 0);
	assert_near(m.mean, 101, 1e-9);
	assert_near(m.sd, sqrt(20.0 / 3 - 1), 1e-9);
	assert_near(m.se, sqrt(20.0 / 3 / 4), 1e-9);
	assert_near(m.dof, 3, 0);
	assert_near(m.ci95[1], 101 + 3.182446 * sqrt(20.0 / 3 / 4), 1e-5);
	/* chi-squared(3): 0.2157953, 9.348404 */
	assert_near(m.sd95[0], sqrt(20 / 9.348404 - 1), 1e-6);
	assert_near(m.sd95[1], sqrt(20 / 0.2157953 - 1), 1e-5);
}

static void exact_boards_predict_a_new_one_by_the_t_interval(void **state)
{
	static const double est[] = { 98, 100, 102, 104 }, se[4];
	struct meta m;

	(void)state;
	assert_int_equal(meta_pool(est, se, 4, &m, NULL), 0);
	assert_near(m.new95[1], 101 + 3.182446 * sqrt(20.0 / 3 * 1.25), 0.05);
	assert_near(m.new95[0], 101 - 3.182446 * sqrt(20.0 / 3 * 1.25), 0.05);
}

static void boards_that_are_all_alike_leave_no_variance_and_no_nan(void **state)
{
	static const double est[] = { 5, 5, 5 }, se[] = { 0, 0, 0 }, some[] = { 1, 2, 1 };
	double deleted[3];
	struct meta m;

	(void)state;
	assert_int_equal(meta_pool(est, se, 3, &m, NULL), 0);
	assert_near(m.mean, 5, 1e-12);
	assert_near(m.sd, 0, 1e-12);
	assert_near(m.new95[1], 5, 1e-6);
	assert_int_equal(meta_pool(est, some, 3, &m, NULL), 0);
	assert_near(m.mean, 5, 1e-12);
	/* 1 / (1 + 1/4 + 1): never less than the errors alone give */
	assert_near(m.se, sqrt(1 / 2.25), 1e-9);
	meta_deleted(est, se, 3, deleted);
	assert_near(deleted[1], 0, 1e-9);
}

static void one_board_and_a_number_that_is_none_are_refused(void **state)
{
	static const double est[] = { 5, NAN }, se[] = { 1, 1 }, bad[] = { 1, INFINITY };
	struct err err;
	struct meta m;

	(void)state;
	assert_int_equal(meta_pool(est, se, 1, &m, &err), -EDOM);
	assert_string_equal(err.msg, "one board does not tell how boards differ");
	assert_int_equal(meta_pool(est, se, 2, &m, &err), -EINVAL);
	assert_int_equal(meta_pool(se, bad, 2, &m, &err), -EINVAL);
	assert_string_equal(err.msg, "estimate 2 is not a number with an error");
}

static void the_odd_board_is_told_from_the_others(void **state)
{
	static const double se[200] = { 0.1 };
	double est[200], deleted[200];
	size_t n, i;

	(void)state;
	for (n = 8; n <= 200; n += 192) {
		for (i = 0; i < n; i++)
			est[i] = 100 + (double)(i * 7 % 5) - 2;
		est[3] = 130;
		meta_deleted(est, se, n, deleted);
		for (i = 0; i < n; i++)
			assert_true((fabs(deleted[i]) > meta_outlying(n)) == (i == 3));
	}
	meta_deleted(est, se, 2, deleted);
	assert_near(deleted[0], 0, 0);
	assert_true(isinf(meta_outlying(2)));
}

/* Of many experiments: how often the mean and a new board are inside, in percent. */
static void hold(const gsl_rng *rng, size_t n, double sd, double *mean, double *fresh)
{
	const int repeats = 600;
	int held = 0, held_new = 0, r;
	double est[32], se[32];
	struct meta m;
	size_t i;

	for (r = 0; r < repeats; r++) {
		double one = 100 + gsl_ran_gaussian(rng, sd);

		for (i = 0; i < n; i++) {
			se[i] = 1 + (double)(i % 3);
			est[i] = 100 + gsl_ran_gaussian(rng, sd) +
				 gsl_ran_gaussian(rng, se[i]);
		}
		assert_int_equal(meta_pool(est, se, n, &m, NULL), 0);
		held += m.ci95[0] <= 100 && 100 <= m.ci95[1];
		held_new += m.new95[0] <= one && one <= m.new95[1];
	}
	*mean = 100.0 * held / repeats;
	*fresh = 100.0 * held_new / repeats;
}

static void intervals_of_95_percent_hold_mean_and_new_board(void **state)
{
	static const size_t counts[] = { 3, 6, 20 };
	static const double sds[] = { 0, 2, 10 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double mean, fresh;

	(void)state;
	gsl_rng_set(rng, 4);
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 3; k++) {
			hold(rng, counts[i], sds[k], &mean, &fresh);
			print_message("%zu boards, sd %g: mean %.1f %%, new %.1f %%\n",
				      counts[i], sds[k], mean, fresh);
			/* within three standard errors of 600 repeats */
			assert_true(mean > 92.3 && fresh > 92.3);
			if (sds[k] == 10)
				assert_true(mean < 97.7 && fresh < 97.7);
		}
	}
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_errors_give_the_plain_mean_and_its_t_interval),
		cmocka_unit_test(exact_boards_predict_a_new_one_by_the_t_interval),
		cmocka_unit_test(boards_that_are_all_alike_leave_no_variance_and_no_nan),
		cmocka_unit_test(one_board_and_a_number_that_is_none_are_refused),
		cmocka_unit_test(the_odd_board_is_told_from_the_others),
		cmocka_unit_test(intervals_of_95_percent_hold_mean_and_new_board),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
