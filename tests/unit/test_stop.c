// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals that ask to end: they wait until somebody looks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "calib/measure/stop.h"

#define FAR_NS (60ull * 1000000000u)

static struct stop stop;

static int begin(void **state)
{
	(void)state;
	stop_begin(&stop);
	return 0;
}

static int end(void **state)
{
	(void)state;
	stop_drop();
	stop_end(&stop);
	return 0;
}

static void a_signal_waits_until_it_is_dropped(void **state)
{
	const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(stop_pending(), 0);
		assert_int_equal(kill(getpid(), signals[i]), 0);
		assert_int_equal(stop_pending(), signals[i]);
		assert_int_equal(stop_pending(), signals[i]);
		stop_drop();
	}
	assert_int_equal(stop_pending(), 0);
}

static void sleeping_ends_at_once_and_the_signal_stays(void **state)
{
	uint64_t start = stop_now_ns();

	(void)state;
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	assert_int_equal(stop_sleep_until(start + FAR_NS), -EINTR);
	assert_int_equal(stop_sleep_until(start + FAR_NS), -EINTR);
	assert_int_equal(stop_sleep_until(0), -EINTR);
	assert_true(stop_now_ns() - start < FAR_NS / 2);
	assert_int_equal(stop_pending(), SIGTERM);
}

static void sleeping_takes_its_time_and_the_past_takes_none(void **state)
{
	uint64_t start = stop_now_ns();

	(void)state;
	assert_int_equal(stop_sleep_until(start + 2000000), 0);
	assert_true(stop_now_ns() >= start + 2000000);
	assert_int_equal(stop_sleep_until(start), 0);
}

static void a_signal_that_was_ignored_stays_ignored(void **state)
{
	struct stop inner;

	(void)state;
	stop_end(&stop);
	signal(SIGHUP, SIG_IGN);
	stop_begin(&inner);
	assert_int_equal(kill(getpid(), SIGHUP), 0);
	assert_int_equal(stop_pending(), 0);
	stop_end(&inner);
	signal(SIGHUP, SIG_DFL);
	stop_begin(&stop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_signal_waits_until_it_is_dropped, begin,
						end),
		cmocka_unit_test_setup_teardown(
			sleeping_ends_at_once_and_the_signal_stays, begin, end),
		cmocka_unit_test_setup_teardown(
			sleeping_takes_its_time_and_the_past_takes_none, begin, end),
		cmocka_unit_test_setup_teardown(a_signal_that_was_ignored_stays_ignored,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
