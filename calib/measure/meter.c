// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A power meter's updates, one after the other.
 */
#include "calib/measure/meter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define NS_PER_MS 1000000u

/*
 * Parts of a slot. The first look is when the update is due; one that was there already
 * may have come long before, so the next look is earlier: by the least, and when that
 * does not do, by more. What was not there is looked for again, in steps that double, up
 * to the last.
 */
#define EARLY_LEAST 32
#define EARLY_MOST  8
#define STEP	    16
#define LATE	    4
#define FAST_SLOTS  16 /* without a look at a fast meter are a while */

#define MAX_LATE_NS (10000ull * NS_PER_MS)

#define PROBE_SLOTS	24
#define PROBE_SLOTS_MIN 3
#define PROBE_GAPS	10
#define PROBE_STEP_NS	(2 * NS_PER_MS)
#define PROBE_PART	64 /* of the time without a change: so exactly is it seen */

static uint64_t now_ns(const struct meter *mt)
{
	return mt->machine->ops->now_ns(mt->machine);
}

static int sleep_until(const struct meter *mt, uint64_t ns, struct err *err)
{
	return mt->machine->ops->sleep_until(mt->machine, ns, err);
}

/* 0, or -EAGAIN: nothing usable now. What failed is counted. */
static int poll_meter(struct meter *mt, struct reading *r)
{
	int ret = mt->machine->ops->read_power(mt->machine, mt->cluster, r, &mt->bad_err);

	if (!ret && (r->power_uw < METER_MIN_UW || r->power_uw > METER_MAX_UW))
		ret = err_set(&mt->bad_err, -ERANGE,
			      "the meter says %" PRId64 " uW, no CPU draws that",
			      r->power_uw);
	if (ret && ret != -EAGAIN)
		mt->bad++;
	return ret ? -EAGAIN : 0;
}

static bool is_new(const struct meter *mt, const struct reading *r)
{
	return !mt->has_last || r->power_uw != mt->last.power_uw ||
	       r->volt_uv != mt->last.volt_uv;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void take(struct meter *mt, const struct reading *r, uint64_t seen_ns)
{
	if (mt->has_last)
		mt->grid_uw = common_divisor(mt->grid_uw,
					     llabs(r->power_uw - mt->last.power_uw));
	if (is_new(mt, r))
		mt->changed = true;
	mt->last = *r;
	mt->has_last = true;
	mt->last_ns = seen_ns;
}

void meter_init(struct meter *mt, struct machine *m, unsigned int cluster,
		uint64_t slot_ns, bool fast)
{
	*mt = (struct meter){
		.machine = m,
		.cluster = cluster,
		.slot_ns = slot_ns,
		.fast = fast,
	};
}

void meter_mark(struct meter *mt)
{
	mt->changed = false;
}

/*
 * Nobody looked for a while: step to the last update that was due, and know its value, so
 * that the next change is the next update. A fast meter may have collected what came
 * meanwhile: take that away, so that the next slot has its own only.
 */
static void catch_up(struct meter *mt)
{
	uint64_t late = mt->fast ? FAST_SLOTS * mt->slot_ns : mt->slot_ns / LATE;
	uint64_t now = now_ns(mt);
	struct reading r;

	if (mt->has_last && now <= mt->last_ns + mt->slot_ns + late)
		return;
	if (!mt->has_last || mt->fast)
		mt->last_ns = now;
	else
		mt->last_ns += (now - mt->last_ns) / mt->slot_ns * mt->slot_ns;
	if (!poll_meter(mt, &r))
		take(mt, &r, mt->last_ns);
}

/* Step back from the update that was found at look number @look. */
static void adjust(struct meter *mt, unsigned int look)
{
	if (look || !mt->early_ns)
		mt->early_ns = mt->slot_ns / EARLY_LEAST;
	else if (mt->early_ns < mt->slot_ns / EARLY_MOST)
		mt->early_ns *= 2;
	if (!look)
		mt->last_ns -= mt->early_ns;
}

int meter_next(struct meter *mt, struct reading *r, struct err *err)
{
	uint64_t due, end, at;
	bool good = false;
	int ret;

	catch_up(mt);
	due = at = mt->last_ns + mt->slot_ns;
	end = due + mt->slot_ns / LATE;
	for (unsigned int look = 0;; look++) {
		struct reading now;

		ret = sleep_until(mt, at, err);
		if (ret)
			return ret;
		if (!poll_meter(mt, &now)) {
			*r = now;
			good = true;
			if (mt->fast || is_new(mt, r)) {
				take(mt, r, now_ns(mt));
				if (!mt->fast)
					adjust(mt, look);
				return 0;
			}
		}
		at = now_ns(mt);
		if (at >= end)
			break;
		at = due + (mt->slot_ns / STEP << look);
	}
	mt->last_ns = due;
	if (!good)
		return err_set(err, -ENODATA, "no reading: %s", mt->bad_err.msg);
	return 0;
}

int meter_settle(struct meter *mt, uint64_t since_ns, struct err *err)
{
	uint64_t end = since_ns + MAX_LATE_NS + 4 * mt->slot_ns;
	struct reading r;
	int ret;

	for (;;) {
		ret = meter_next(mt, &r, err);
		if (ret)
			return ret == -ENODATA ? 0 : ret;
		if (r.time_ns >= since_ns)
			return 0;
		if (now_ns(mt) > end)
			return err_set(err, -ETIME,
				       "the meter's last reading was taken %.3g s ago",
				       (now_ns(mt) - r.time_ns) / 1e9);
	}
}

/* Sleep until the value changes. -ETIME: not before @end. */
static int next_change(struct meter *mt, uint64_t step_ns, uint64_t end, struct err *err)
{
	uint64_t begin = now_ns(mt);
	struct reading r;
	int ret;

	for (;;) {
		uint64_t now = now_ns(mt);

		if (now >= end)
			return -ETIME;
		if ((now - begin) / PROBE_PART > step_ns)
			step_ns = (now - begin) / PROBE_PART;
		ret = sleep_until(mt, now + step_ns, err);
		if (ret)
			return ret;
		if (poll_meter(mt, &r) || !is_new(mt, &r))
			continue;
		take(mt, &r, now_ns(mt));
		return 0;
	}
}

/* How long meter_probe() waits for two changes. */
static uint64_t patience(uint64_t stated_ns, uint64_t wait_ns)
{
	if (!stated_ns)
		return wait_ns;
	if (PROBE_SLOTS * stated_ns <= METER_WAIT_LONG_NS)
		return PROBE_SLOTS * stated_ns;
	return PROBE_SLOTS_MIN * stated_ns > METER_WAIT_LONG_NS
		       ? PROBE_SLOTS_MIN * stated_ns
		       : METER_WAIT_LONG_NS;
}

int meter_probe(struct meter *mt, uint64_t *interval_ns, uint64_t wait_ns,
		struct err *err)
{
	uint64_t stated = *interval_ns, begin = now_ns(mt);
	uint64_t step = stated ? stated / STEP : PROBE_STEP_NS;
	uint64_t end = begin + patience(stated, wait_ns);
	uint64_t before, shortest = UINT64_MAX;
	unsigned int gaps;
	bool cut = mt->end_ns && mt->end_ns < end;
	int ret = 0;

	if (cut)
		end = mt->end_ns;
	/* The first value is no change, the first change begins no gap. */
	if (!mt->has_last)
		ret = next_change(mt, step, end, err);
	if (!ret)
		ret = next_change(mt, step, end, err);
	for (gaps = 0; !ret && gaps < PROBE_GAPS; gaps++) {
		before = mt->last_ns;
		ret = next_change(mt, step, end, err);
		if (!ret && mt->last_ns - before < shortest)
			shortest = mt->last_ns - before;
		if (stated && shortest < stated + stated / LATE)
			return 0;
		if (!ret && !stated && end > begin + METER_WAIT_NS)
			end = begin + METER_WAIT_NS;
	}
	if (ret && ret != -ETIME)
		return ret;
	if (cut && shortest == UINT64_MAX)
		return err_set(err, -ETIME, "no time to see the meter's value change");
	if (!mt->has_last)
		return err_set(err, -EIO, "the meter gives no reading: %s",
			       mt->bad_err.msg);
	if (shortest == UINT64_MAX)
		return err_set(err, -ENODATA, "the meter's value does not change");
	*interval_ns = shortest;
	return 0;
}
