// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The virtual board behind the measuring interface.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calib/sim/sim.h"

#define S  1000000000ull
#define MS 1000000ull
enum { A7, A15 };

static struct board board;
static struct runinfo info;

static struct machine *open_sim(const char *name, struct sim_options opts)
{
	struct machine *m = NULL;

	assert_int_equal(board_load(name, &board, NULL), 0);
	opts.board = &board;
	assert_int_equal(sim_open(&opts, &m, NULL), 0);
	return m;
}

static void a_virtual_board_says_what_it_is(void **state)
{
	struct machine *m = open_sim("odroid-xu3", (struct sim_options){ .seed = 42 });
	const struct runinfo_cluster *a15 = &info.clusters[A15];

	(void)state;
	assert_int_equal(m->ops->discover(m, &info, NULL), 0);
	assert_true(info.virtual_board);
	assert_int_equal(info.seed, 42);
	assert_string_equal(info.board, "odroid-xu3");
	assert_string_equal(info.compatible, "hardkernel,odroid-xu3");
	assert_non_null(strstr(info.model, "(virtual)"));
	assert_string_equal(info.power_scope, "rail");
	assert_int_equal(info.cluster_count, 2);
	assert_string_equal(a15->name, "a15");
	assert_int_equal(a15->cpu_count, 4);
	assert_int_equal(a15->cpus[0], 4);
	assert_int_equal(a15->reg_count, 4);
	assert_int_equal(a15->opp_count, 19);
	assert_int_equal(a15->capacity_dmips_mhz, 1024);
	assert_string_equal(a15->volt_source, "rail");
	assert_string_equal(a15->sensor, "ina231@0x40 VDD_ARM");
	assert_string_equal(a15->sensor_driver, "ina231");
	assert_int_equal(a15->sensor_interval_us, 263808);
	m->ops->close(m);
}

static void a_meter_without_voltage_leaves_the_boards_table(void **state)
{
	struct machine *m = open_sim("intel-hybrid", (struct sim_options){ 0 });
	struct reading r;

	(void)state;
	assert_int_equal(m->ops->discover(m, &info, NULL), 0);
	assert_string_equal(info.clusters[0].volt_source, "board");
	assert_int_equal(m->ops->sleep_until(m, S, NULL), 0);
	assert_int_equal(m->ops->read_power(m, 0, &r, NULL), 0);
	assert_int_equal(r.volt_uv, 0);
	m->ops->close(m);
}

static void a_board_without_sensors_cannot_be_prepared(void **state)
{
	struct machine *m = open_sim("odroid-xu4", (struct sim_options){ 0 });
	struct err err = { 0 };
	struct reading r;

	(void)state;
	assert_int_equal(m->ops->discover(m, &info, NULL), 0);
	assert_string_equal(info.clusters[A15].sensor, "");
	assert_int_equal(m->ops->prepare(m, A15, &err), -ENODEV);
	assert_non_null(
		strstr(err.msg, "'a15' of board 'odroid-xu4' has no power sensor"));
	assert_non_null(strstr(err.msg, "external meter"));
	assert_int_equal(m->ops->read_power(m, A15, &r, &err), -ENODEV);
	m->ops->close(m);
}

static void a_board_without_truth_cannot_be_opened(void **state)
{
	struct sim_options opts = { .board = &board };
	struct machine *m = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(board_load("tc2", &board, NULL), 0);
	board.clusters[1].has_truth = false;
	assert_int_equal(sim_open(&opts, &m, &err), -EINVAL);
	assert_null(m);
	assert_non_null(strstr(err.msg, "'tc2'"));
}

static void sleeping_takes_virtual_time_only(void **state)
{
	struct machine *m = open_sim("odroid-xu3", (struct sim_options){ 0 });
	time_t before = time(NULL);

	(void)state;
	assert_int_equal(m->ops->now_ns(m), 0);
	assert_int_equal(m->ops->sleep_until(m, 3600 * S, NULL), 0);
	assert_int_equal(m->ops->now_ns(m), 3600 * S);
	/* the past is over at once */
	assert_int_equal(m->ops->sleep_until(m, S, NULL), 0);
	assert_int_equal(m->ops->now_ns(m), 3600 * S);
	assert_true(time(NULL) - before < 10);
	m->ops->close(m);
}

static int a_signal_is_pending(void)
{
	return 15;
}

static void a_signal_ends_the_sleep(void **state)
{
	struct machine *m = open_sim(
		"odroid-xu3",
		(struct sim_options){ .stop_pending = a_signal_is_pending });

	(void)state;
	assert_int_equal(m->ops->sleep_until(m, S, NULL), -EINTR);
	assert_int_equal(m->ops->now_ns(m), 0);
	m->ops->close(m);
}

static void a_run_that_goes_on_starts_at_its_time(void **state)
{
	struct machine *m = open_sim("odroid-xu3",
				     (struct sim_options){ .start_ns = 77 * S });
	struct usage u;

	(void)state;
	assert_int_equal(m->ops->now_ns(m), 77 * S);
	assert_int_equal(m->ops->load_start(m, A7, 1, "int", NULL), 0);
	assert_int_equal(m->ops->read_usage(m, A7, &u, NULL), 0);
	assert_int_equal(u.busy_ns, 0);
	m->ops->close(m);
}

static void usage_counts_from_the_start_of_the_load(void **state)
{
	struct machine *m = open_sim("odroid-xu3",
				     (struct sim_options){ .off = VIRTUAL_BACKGROUND });
	struct usage u;

	(void)state;
	assert_int_equal(m->ops->set_opp(m, A15, 1000000, NULL), 0);
	assert_int_equal(m->ops->load_start(m, A15, 4, "int", NULL), 0);
	m->ops->sleep_until(m, 5 * S, NULL);
	assert_int_equal(m->ops->load_start(m, A15, 3, "int", NULL), 0);
	m->ops->sleep_until(m, 7 * S, NULL);
	assert_int_equal(m->ops->read_usage(m, A15, &u, NULL), 0);
	assert_int_equal(u.time_ns, 7 * S);
	assert_true(u.busy_known);
	assert_int_equal(u.busy_ns, 6 * S);
	assert_int_equal(u.cycles, 6000000000u);
	assert_int_equal(u.work, 6 * 1000 * 1024);
	m->ops->close(m);
}

static void an_unknown_load_is_refused_with_the_known_ones(void **state)
{
	struct machine *m = open_sim("odroid-xu3", (struct sim_options){ 0 });
	struct err err = { 0 };

	(void)state;
	assert_int_equal(m->ops->load_start(m, A7, 1, "quake", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'quake'"));
	assert_non_null(strstr(err.msg, "int"));
	assert_int_equal(m->ops->load_start(m, A7, 5, "int", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "4 CPUs, not 5"));
	/* idle needs no load */
	assert_int_equal(m->ops->load_start(m, A7, 0, NULL, &err), 0);
	m->ops->close(m);
}

static void an_opp_that_is_not_there_is_refused(void **state)
{
	struct machine *m = open_sim("odroid-xu3", (struct sim_options){ 0 });
	struct err err = { 0 };
	uint32_t khz = 0;

	(void)state;
	assert_int_equal(m->ops->set_opp(m, A7, 2000000, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'a7' has no operating point of 2000000 kHz"));
	assert_int_equal(m->ops->read_khz(m, A7, &khz, NULL), 0);
	assert_int_equal(khz, 200000);
	m->ops->close(m);
}

static void restore_puts_clock_and_load_back_and_may_be_called_twice(void **state)
{
	struct machine *m = open_sim("odroid-xu3", (struct sim_options){ 0 });
	struct usage before, after;
	uint32_t khz;

	(void)state;
	assert_int_equal(m->ops->prepare(m, A15, NULL), 0);
	assert_int_equal(m->ops->set_opp(m, A15, 2000000, NULL), 0);
	assert_int_equal(m->ops->load_start(m, A15, 4, "int", NULL), 0);
	assert_int_equal(m->ops->restore(m, NULL), 0);
	assert_int_equal(m->ops->restore(m, NULL), 0);
	assert_int_equal(m->ops->read_khz(m, A15, &khz, NULL), 0);
	assert_int_equal(khz, 200000);
	m->ops->read_usage(m, A15, &before, NULL);
	m->ops->sleep_until(m, m->ops->now_ns(m) + S, NULL);
	m->ops->read_usage(m, A15, &after, NULL);
	assert_int_equal(after.work, before.work);
	m->ops->close(m);
}

static void faults_are_asked_for_by_name(void **state)
{
	struct virtual_faults f = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(board_load("odroid-xu3", &board, NULL), 0);
	assert_int_equal(sim_fault_parse("clock,charger", &board, &f, &err), 0);
	assert_int_equal(f.clock_half_above_khz, 1400000);
	assert_int_equal(f.charger_uw, 1000000);
	assert_int_equal(f.fail_ppm, 0);
	assert_int_equal(f.stuck_at_ns, 0);
	assert_int_equal(sim_fault_parse("stuck,reads", &board, &f, &err), 0);
	assert_true(f.fail_ppm > 0 && f.stuck_at_ns > 0);
	assert_int_equal(sim_fault_parse("reads,fire", &board, &f, &err), -EINVAL);
	assert_non_null(
		strstr(err.msg,
		       "'fire' is not one of clock, stuck, reads, charger, spikes, hot, "
		       "pmu"));
	assert_int_equal(sim_fault_parse("", &board, &f, &err), -EINVAL);
	assert_int_equal(sim_fault_parse("clock,", &board, &f, &err), -EINVAL);
}

static void a_read_that_fails_says_so_and_the_next_may_not(void **state)
{
	struct machine *m = open_sim(
		"odroid-xu3", (struct sim_options){ .faults = { .fail_ppm = 500000 } });
	int i, ret, bad = 0;
	struct err err = { 0 };
	struct reading r;

	(void)state;
	assert_int_equal(m->ops->read_power(m, A15, &r, &err), -EAGAIN);
	m->ops->sleep_until(m, S, NULL);
	for (i = 0; i < 100; i++) {
		ret = m->ops->read_power(m, A15, &r, &err);
		assert_true(ret == 0 || ret == -EIO);
		bad += ret != 0;
	}
	assert_in_range(bad, 30, 70);
	m->ops->close(m);
}

static void a_hot_place_throttles_the_upper_opps(void **state)
{
	struct sim_options opts = { 0 };
	struct machine *m;
	bool yes = true;
	uint32_t khz;

	(void)state;
	assert_int_equal(board_load("odroid-xu3", &board, NULL), 0);
	assert_int_equal(sim_fault_parse("hot", &board, &opts.faults, NULL), 0);
	m = open_sim("odroid-xu3", opts);
	m->ops->load_start(m, A15, 4, "int", NULL);
	m->ops->set_opp(m, A15, 800000, NULL);
	m->ops->sleep_until(m, 30 * S, NULL);
	assert_int_equal(m->ops->throttled(m, A15, &yes, NULL), 0);
	assert_false(yes);
	m->ops->set_opp(m, A15, 2000000, NULL);
	m->ops->sleep_until(m, 60 * S, NULL);
	assert_int_equal(m->ops->throttled(m, A15, &yes, NULL), 0);
	assert_true(yes);
	assert_int_equal(m->ops->read_khz(m, A15, &khz, NULL), 0);
	assert_true(khz < 2000000);
	m->ops->close(m);
}

/* Poll as a runner does: every OPP, every count, a minute each, every 20 ms. */
static int64_t calibrate(uint64_t seed)
{
	struct machine *m = open_sim("odroid-xu3", (struct sim_options){ .seed = seed });
	unsigned int c, i, n, poll;
	struct reading r;
	int64_t sum = 0;

	for (c = 0; c < board.cluster_count; c++) {
		assert_int_equal(m->ops->prepare(m, c, NULL), 0);
		for (i = 0; i < board.clusters[c].opp_count; i++) {
			m->ops->set_opp(m, c, board.clusters[c].opps[i].khz, NULL);
			for (n = 0; n <= board.clusters[c].cpu_count; n++) {
				m->ops->load_start(m, c, n, "int", NULL);
				for (poll = 0; poll < 3000; poll++) {
					m->ops->sleep_until(
						m, m->ops->now_ns(m) + 20 * MS, NULL);
					if (!m->ops->read_power(m, c, &r, NULL))
						sum += r.power_uw;
				}
				m->ops->load_stop(m, NULL);
			}
		}
	}
	m->ops->restore(m, NULL);
	m->ops->close(m);
	return sum;
}

static void a_whole_calibration_is_quick_and_repeats_itself(void **state)
{
	clock_t before = clock();
	int64_t first = calibrate(3);

	(void)state;
	/* 2:40 h of the board's time; the limit leaves room for sanitizers */
	assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 5);
	assert_true(first > 0);
	assert_int_equal(calibrate(3), first);
	assert_int_not_equal(calibrate(4), first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_virtual_board_says_what_it_is),
		cmocka_unit_test(a_meter_without_voltage_leaves_the_boards_table),
		cmocka_unit_test(a_board_without_sensors_cannot_be_prepared),
		cmocka_unit_test(a_board_without_truth_cannot_be_opened),
		cmocka_unit_test(sleeping_takes_virtual_time_only),
		cmocka_unit_test(a_signal_ends_the_sleep),
		cmocka_unit_test(a_run_that_goes_on_starts_at_its_time),
		cmocka_unit_test(usage_counts_from_the_start_of_the_load),
		cmocka_unit_test(an_unknown_load_is_refused_with_the_known_ones),
		cmocka_unit_test(an_opp_that_is_not_there_is_refused),
		cmocka_unit_test(
			restore_puts_clock_and_load_back_and_may_be_called_twice),
		cmocka_unit_test(faults_are_asked_for_by_name),
		cmocka_unit_test(a_read_that_fails_says_so_and_the_next_may_not),
		cmocka_unit_test(a_hot_place_throttles_the_upper_opps),
		cmocka_unit_test(a_whole_calibration_is_quick_and_repeats_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
