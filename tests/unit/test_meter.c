// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How often a meter is looked at. Each look wakes a CPU of the machine that is measured,
 * so the looks are counted, in virtual time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "calib/measure/meter.h"
#include "calib/measure/plan.h"

#define US     1000ull
#define MS     1000000ull
#define LATE   (100 * US) /* we wake up so much later than we asked for */
#define ROUNDS 200

struct fake {
	struct machine machine;
	uint64_t now_ns, period_ns;
	unsigned int same; /* so many updates have one value */
	unsigned int looks;
	uint64_t last_look_ns, collects_ns; /* longer unread, it runs over; 0: never */
};

static int read_power(struct machine *m, unsigned int cluster, struct reading *r,
		      struct err *err)
{
	struct fake *f = (struct fake *)m;
	uint64_t update = f->now_ns / f->period_ns;

	uint64_t unread_ns = f->now_ns - f->last_look_ns;

	(void)cluster;
	f->looks++;
	f->last_look_ns = f->now_ns;
	if (f->collects_ns && unread_ns > f->collects_ns)
		return err_set(err, -EIO, "it ran over");
	*r = (struct reading){ .time_ns = f->now_ns,
			       .power_uw = 1000000 + 1000 * (update / f->same % 7) };
	return 0;
}

static uint64_t now_ns(struct machine *m)
{
	return ((struct fake *)m)->now_ns;
}

static int sleep_until(struct machine *m, uint64_t ns, struct err *err)
{
	struct fake *f = (struct fake *)m;

	(void)err;
	if (f->now_ns < ns)
		f->now_ns = ns + LATE;
	return 0;
}

static const struct machine_ops ops = {
	.read_power = read_power,
	.now_ns = now_ns,
	.sleep_until = sleep_until,
};

/* A meter that updates every @period_ns, of which its driver says @stated_us. Per second.
 */
static double looks(uint64_t period_ns, uint32_t stated_us, unsigned int same)
{
	struct fake f = { .machine = { &ops },
			  .now_ns = 12345678901,
			  .period_ns = period_ns,
			  .same = same };
	struct plan_timing timing;
	struct meter meter;
	struct reading r;
	uint64_t begin;
	double slots;

	plan_timing(stated_us, &timing);
	meter_init(&meter, &f.machine, 0, timing.slot_ns,
		   stated_us * US < timing.slot_ns);
	meter_next(&meter, &r, NULL);
	begin = f.now_ns;
	f.looks = 0;
	for (int i = 0; i < ROUNDS; i++)
		assert_int_equal(meter_next(&meter, &r, NULL), 0);
	/* Each is an update, and none is left out. */
	slots = (f.now_ns - begin) / (double)timing.slot_ns;
	assert_true(slots > 0.98 * ROUNDS && slots < 1.03 * ROUNDS);
	return f.looks * 1e9 / (f.now_ns - begin);
}

static void expect_looks(uint64_t period_ns, uint32_t stated_us, unsigned int same,
			 double most)
{
	double n = looks(period_ns, stated_us, same) * period_ns / 1e9;

	if (!(n <= most))
		fail_msg("%.2f looks for an update of %g ms, %u alike", n,
			 period_ns / 1e6, same);
}

static void a_slow_meter_is_looked_at_once_or_twice_an_update(void **state)
{
	static const uint32_t stated_us[] = { 264000, 36000, 20000, 10000 };

	(void)state;
	for (size_t i = 0; i < sizeof(stated_us) / sizeof(stated_us[0]); i++) {
		uint64_t ns = stated_us[i] * US;

		expect_looks(ns, stated_us[i], 1, 1.75);
		expect_looks(ns + ns / 1000, stated_us[i], 1, 1.75);
		expect_looks(ns - ns / 1000, stated_us[i], 1, 1.75);
		/* An update that repeats the value is looked for longer. */
		expect_looks(ns, stated_us[i], 2, 3);
		expect_looks(ns, stated_us[i], 3, 3.5);
	}
}

static void a_fast_meter_is_looked_at_no_more_than_100_times_a_second(void **state)
{
	(void)state;
	assert_true(looks(1 * MS, 1000, 1) <= 100);
	assert_true(looks(1 * MS, 1000, 5) <= 100);
	assert_true(looks(100 * US, 100, 1) <= 100);
}

static void an_update_is_seen_soon_after_it_came(void **state)
{
	struct fake f = { .machine = { &ops }, .period_ns = 264 * MS, .same = 1 };
	struct meter meter;
	struct reading r;
	uint64_t late;

	(void)state;
	/* Whatever the phase at first. */
	for (unsigned int i = 0; i < 8; i++) {
		f.now_ns = 12 * 264 * MS + i * 33 * MS;
		meter_init(&meter, &f.machine, 0, 264 * MS, false);
		for (int k = 0; k < 16; k++)
			assert_int_equal(meter_next(&meter, &r, NULL), 0);
		for (int k = 0; k < 64; k++) {
			assert_int_equal(meter_next(&meter, &r, NULL), 0);
			late = f.now_ns % f.period_ns;
			if (late > 264 * MS / 7)
				fail_msg("%g ms late", late / 1e6);
		}
	}
}

static void what_a_fast_meter_collected_in_a_pause_is_no_reading(void **state)
{
	struct fake f = { .machine = { &ops },
			  .now_ns = 12345678901,
			  .period_ns = 1 * MS,
			  .same = 1,
			  .collects_ns = 4000 * MS };
	uint64_t last_look_ns;
	struct meter meter;
	struct reading r;

	(void)state;
	f.last_look_ns = f.now_ns;
	meter_init(&meter, &f.machine, 0, 10 * MS, true);
	assert_int_equal(meter_next(&meter, &r, NULL), 0);
	for (unsigned int i = 0; i < 3; i++) {
		f.now_ns += i * 3000 * MS;
		last_look_ns = f.now_ns;
		assert_int_equal(meter_next(&meter, &r, NULL), 0);
		assert_in_range(r.time_ns - last_look_ns, 9 * MS, 11 * MS);
	}
	/* One that is only a little late loses nothing. */
	f.now_ns += 50 * MS;
	last_look_ns = f.now_ns;
	assert_int_equal(meter_next(&meter, &r, NULL), 0);
	assert_int_equal(r.time_ns, last_look_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_meter_is_looked_at_once_or_twice_an_update),
		cmocka_unit_test(
			a_fast_meter_is_looked_at_no_more_than_100_times_a_second),
		cmocka_unit_test(an_update_is_seen_soon_after_it_came),
		cmocka_unit_test(what_a_fast_meter_collected_in_a_pause_is_no_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
