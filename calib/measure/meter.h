/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A power meter's updates, one after the other. Meters update between every ms and every
 * few seconds, and most are slower than one can poll: a value polled twice is one
 * reading, but two updates may well have the same value. So the meter's rhythm is kept:
 * poll when the next update is due, until the value changes; when it does not although it
 * was due, the update repeated it.
 */
#ifndef CALIB_MEASURE_METER_H
#define CALIB_MEASURE_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/measure/machine.h"
#include "lib/err.h"

/* Beyond these a value is what a broken read returns, not what a CPU draws. */
#define METER_MIN_UW (-10000000ll)
#define METER_MAX_UW 10000000000ll

struct meter {
	struct machine *machine;
	unsigned int cluster;
	uint64_t slot_ns; /* between updates, or between our reads of a fast meter */
	bool fast;	  /* updates at least once a slot: no need to look for a change */
	struct reading last;
	bool has_last;
	uint64_t last_ns;  /* when the last update was seen or due */
	uint64_t early_ns; /* what the last look that found one at once was put back by */
	uint64_t end_ns;   /* nothing is waited for beyond it; 0: no limit */
	bool changed;	   /* any new value since meter_mark() */
	int64_t grid_uw;   /* all values so far are multiples of it apart; 0: one value */
	uint32_t bad;	   /* reads that failed or were out of range */
	struct err bad_err; /* the last one's message */
};

/* @slot_ns: see struct plan_timing. @fast: that is not the meter's own interval. */
void meter_init(struct meter *mt, struct machine *m, unsigned int cluster,
		uint64_t slot_ns, bool fast);

/*
 * meter_next - sleep until the next update and read it
 *
 * 0; -ENODATA when no read of this slot was good (bad_err says why; try again); -EINTR.
 * Allocates nothing.
 */
int meter_next(struct meter *mt, struct reading *r, struct err *err);

/*
 * meter_settle - wait for the first update that was taken at @since_ns or later
 *
 * It may have begun before, so it is of no use itself. Readings of an external meter come
 * late; those of others when they are taken, and one update is waited for. 0; -ETIME when
 * none came for long; -EINTR.
 */
int meter_settle(struct meter *mt, uint64_t since_ns, struct err *err);

/* From here on look whether the value changes at all. */
void meter_mark(struct meter *mt);

/* How long an unknown interval is looked for: at first, and where nothing has changed by
 * then. Fuel gauges are polled by their drivers as rarely as once a minute. */
#define METER_WAIT_NS	   20000000000ull
#define METER_WAIT_LONG_NS 180000000000ull

/*
 * meter_probe - check the interval that the driver states, by looking
 * @interval_ns: in: as stated, 0: unknown. out: as seen
 * @wait_ns: how long to wait for two changes where it is unknown, or longer than that
 *
 * Ends as soon as two changes follow each other at the stated interval; if none do in 24
 * intervals, or three where those would take longer than METER_WAIT_LONG_NS, the shortest
 * time between changes is the meter's interval. The meter should have something to show:
 * call it under load. May be called again to wait longer.
 *
 * 0; -ENODATA: no two changes came (@interval_ns is as it was); -ETIME: nor was there
 * time for them before mt->end_ns; -EINTR; -errno of a meter that cannot be read at all.
 */
int meter_probe(struct meter *mt, uint64_t *interval_ns, uint64_t wait_ns,
		struct err *err);

#endif
