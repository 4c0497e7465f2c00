// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freqcheck on a machine made of a script: what is wrong with an operating point, and
 * that the machine is put back whatever happens.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "calib/measure/freqcheck.h"

/* Two CPUs, three clocks, a counter of cycles. */
struct fake {
	struct machine machine;
	uint64_t now_ns, cycles, work, load_ns;
	uint32_t khz;
	bool loaded;
	unsigned int prepares, restores, sleeps;
	/* the script; 0 is all well */
	uint32_t refused_khz, slow_khz, slow_percent, hot_khz;
	unsigned int interrupt_sleep;
	int prepare_error, load_error, restore_error;
	bool no_cycles, no_claim;
};

static struct fake *to_fake(struct machine *m)
{
	return (struct fake *)m;
}

static int fake_prepare(struct machine *m, unsigned int cluster, struct err *err)
{
	(void)cluster;
	to_fake(m)->prepares++;
	return to_fake(m)->prepare_error
		       ? err_set(err, to_fake(m)->prepare_error, "no rights")
		       : 0;
}

static int fake_set_opp(struct machine *m, unsigned int cluster, uint32_t khz,
			struct err *err)
{
	(void)cluster;
	if (khz == to_fake(m)->refused_khz)
		return err_set(err, -EIO, "%u kHz is out of reach", khz);
	to_fake(m)->khz = khz;
	return 0;
}

static int fake_read_khz(struct machine *m, unsigned int cluster, uint32_t *khz,
			 struct err *err)
{
	(void)cluster;
	*khz = to_fake(m)->khz;
	return to_fake(m)->no_claim ? err_set(err, -ENOENT, "no clock") : 0;
}

static int fake_throttled(struct machine *m, unsigned int cluster, bool *yes,
			  struct err *err)
{
	(void)cluster;
	(void)err;
	*yes = to_fake(m)->hot_khz == to_fake(m)->khz;
	return 0;
}

static int fake_load_start(struct machine *m, unsigned int cluster, unsigned int ncpus,
			   const char *load, struct err *err)
{
	(void)cluster;
	assert_int_equal(ncpus, 2);
	assert_string_equal(load, "int");
	assert_false(to_fake(m)->loaded);
	if (to_fake(m)->load_error)
		return err_set(err, to_fake(m)->load_error, "no such CPU");
	to_fake(m)->loaded = true;
	return 0;
}

static int fake_load_stop(struct machine *m, struct err *err)
{
	(void)err;
	to_fake(m)->loaded = false;
	return 0;
}

static int fake_read_usage(struct machine *m, unsigned int cluster, struct usage *u,
			   struct err *err)
{
	const struct fake *f = to_fake(m);

	(void)cluster;
	(void)err;
	*u = (struct usage){
		.time_ns = f->now_ns,
		.cycles = f->no_cycles ? 0 : f->cycles,
		.work = f->work,
		.load_ns = f->load_ns,
	};
	return 0;
}

static uint64_t fake_now_ns(struct machine *m)
{
	return to_fake(m)->now_ns;
}

static int fake_sleep_until(struct machine *m, uint64_t ns, struct err *err)
{
	struct fake *f = to_fake(m);
	uint64_t khz = f->khz == f->slow_khz ? f->khz / 100 * f->slow_percent : f->khz;

	if (++f->sleeps == f->interrupt_sleep)
		return err_set(err, -EINTR, "interrupted");
	if (f->loaded) {
		f->cycles += 2 * khz * (ns - f->now_ns) / 1000000;
		f->work += 2 * khz * (ns - f->now_ns) / 10000000;
		f->load_ns += 2 * (ns - f->now_ns);
	}
	f->now_ns = ns;
	return 0;
}

static int fake_restore(struct machine *m, struct err *err)
{
	to_fake(m)->restores++;
	return to_fake(m)->restore_error
		       ? err_set(err, to_fake(m)->restore_error, "it reads otherwise")
		       : 0;
}

static const struct machine_ops fake_ops = {
	.prepare = fake_prepare,
	.set_opp = fake_set_opp,
	.read_khz = fake_read_khz,
	.throttled = fake_throttled,
	.load_start = fake_load_start,
	.load_stop = fake_load_stop,
	.read_usage = fake_read_usage,
	.now_ns = fake_now_ns,
	.sleep_until = fake_sleep_until,
	.restore = fake_restore,
};

static int check(struct fake *f, const char *opps, struct freqcheck *fc, struct err *err)
{
	const struct runinfo info = {
		.cluster_count = 1,
		.clusters = { { .name = "a72",
				.cpus = { 1, 2 },
				.cpu_count = 2,
				.opps = { { 600000, 0 }, { 1000000, 0 }, { 1200000, 0 } },
				.opp_count = 3 } },
	};
	const struct freqcheck_options o = { .opps = opps, .time_ns = 10000000 };

	f->machine.ops = &fake_ops;
	f->now_ns = 1000;
	f->cycles = f->work = f->load_ns = 5;
	memset(err, 0, sizeof(*err));
	return freqcheck_run(&f->machine, &info, 0, &o, fc, err);
}

static void all_is_well_in_ascending_order(void **state)
{
	struct fake f = { 0 };
	struct freqcheck fc;
	struct err err;

	(void)state;
	assert_int_equal(check(&f, NULL, &fc, &err), 0);
	assert_int_equal(fc.wrong, 0);
	assert_int_equal(fc.point_count, 3);
	assert_int_equal(fc.points[0].asked_khz, 600000);
	assert_int_equal(fc.points[0].khz, 600000);
	assert_int_equal(fc.points[0].scale, 512);
	assert_int_equal(fc.points[0].by, FREQCHECK_CYCLES);
	assert_int_equal(fc.points[2].asked_khz, 1200000);
	assert_int_equal(fc.points[2].scale, 1024);
	assert_int_equal(f.restores, 1);
	assert_false(f.loaded);
}

static void the_scale_is_of_the_highest_clock_not_of_the_highest_looked_at(void **state)
{
	struct fake f = { 0 };
	struct freqcheck fc;
	struct err err;

	(void)state;
	assert_int_equal(check(&f, "600", &fc, &err), 0);
	assert_int_equal(fc.point_count, 1);
	assert_int_equal(fc.points[0].scale, 512);
}

static void too_fast_is_as_wrong_as_too_slow(void **state)
{
	struct fake f = { .slow_khz = 1000000, .slow_percent = 102 };
	struct freqcheck fc;
	struct err err;

	(void)state;
	assert_int_equal(check(&f, NULL, &fc, &err), 0);
	assert_int_equal(fc.wrong, 1);
	assert_string_equal(fc.points[1].why,
			    "102.0 % of what was asked for, though cpufreq claims "
			    "1000000 kHz");
	f.slow_percent = 70;
	f.hot_khz = 1000000;
	f.no_claim = true;
	assert_int_equal(check(&f, NULL, &fc, &err), 0);
	assert_string_equal(fc.points[1].why,
			    "70.0 % of what was asked for, throttled (thermal or power "
			    "limit)");
}

static void a_refused_point_is_told_and_the_others_are_checked(void **state)
{
	struct fake f = { .refused_khz = 1200000 };
	struct freqcheck fc;
	struct err err;

	(void)state;
	assert_int_equal(check(&f, NULL, &fc, &err), 0);
	assert_int_equal(fc.wrong, 1);
	assert_false(fc.points[2].ok);
	assert_string_equal(fc.points[2].why, "1200000 kHz is out of reach");
	assert_int_equal(fc.points[2].by, FREQCHECK_NONE);
	assert_true(fc.points[0].ok && fc.points[1].ok);
}

static void rates_tell_where_no_counter_does(void **state)
{
	struct fake f = { .no_cycles = true, .slow_khz = 1200000, .slow_percent = 50 };
	struct freqcheck fc;
	struct err err;

	(void)state;
	assert_int_equal(check(&f, NULL, &fc, &err), 0);
	assert_int_equal(fc.wrong, 1);
	assert_int_equal(fc.points[2].by, FREQCHECK_RATE);
	assert_int_equal(fc.points[2].khz, 600000);
	assert_true(fc.points[0].ok && fc.points[1].ok);
	/* Two points that do not agree: nobody knows which is right. */
	assert_int_equal(check(&f, "600,1200", &fc, &err), 0);
	assert_int_equal(fc.wrong, 2);
	assert_int_equal(fc.untold, 2);
	assert_int_equal(fc.points[0].by, FREQCHECK_NONE);
	assert_non_null(
		strstr(fc.points[0].why, "do not agree: a clock is wrong, or other"));
}

static void whatever_fails_the_machine_is_put_back(void **state)
{
	struct freqcheck fc;
	struct err err;

	(void)state;
	for (unsigned int n = 1; n <= 6; n++) {
		struct fake f = { .interrupt_sleep = n };

		assert_int_equal(check(&f, NULL, &fc, &err), -EINTR);
		assert_string_equal(err.msg, "interrupted");
		assert_int_equal(f.restores, 1);
		assert_false(f.loaded);
	}
	struct fake rights = { .prepare_error = -EACCES };
	assert_int_equal(check(&rights, NULL, &fc, &err), -EACCES);
	assert_int_equal(rights.restores, 1);
	struct fake load = { .load_error = -EINVAL };
	assert_int_equal(check(&load, NULL, &fc, &err), -EINVAL);
	assert_string_equal(err.msg, "no such CPU");
	assert_int_equal(load.restores, 1);
	struct fake both = { .load_error = -EINVAL, .restore_error = -EIO };
	assert_int_equal(check(&both, NULL, &fc, &err), -EIO);
	assert_string_equal(err.msg, "could not put everything back: it reads otherwise; "
				     "before that: no such CPU");
}

static void a_list_that_is_none_touches_nothing(void **state)
{
	struct fake f = { 0 };
	struct freqcheck fc;
	struct err err;

	(void)state;
	assert_int_equal(check(&f, "700", &fc, &err), -EINVAL);
	assert_int_equal(f.prepares, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_well_in_ascending_order),
		cmocka_unit_test(
			the_scale_is_of_the_highest_clock_not_of_the_highest_looked_at),
		cmocka_unit_test(too_fast_is_as_wrong_as_too_slow),
		cmocka_unit_test(a_refused_point_is_told_and_the_others_are_checked),
		cmocka_unit_test(rates_tell_where_no_counter_does),
		cmocka_unit_test(whatever_fails_the_machine_is_put_back),
		cmocka_unit_test(a_list_that_is_none_touches_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
