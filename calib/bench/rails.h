/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What some power meters see between two moments: energy counters by their difference,
 * others by power readings over their times (rail_sum.h), which a thread takes meanwhile.
 *
 * By default these are all meters of the machine that do not see the same power twice:
 * not the cores of a package whose own counter is there, not RAPL and perf both, and a
 * meter of the whole board (psys, a battery) only where there is nothing else.
 */
#ifndef CALIB_BENCH_RAILS_H
#define CALIB_BENCH_RAILS_H

#include <stdbool.h>
#include <stdint.h>

#include "boards/virtual.h"
#include "calib/linux/settings.h"
#include "lib/err.h"

#define RAILS_MAX 16

struct rails_options {
	struct settings *settings;  /* borrowed, with its machine, until rails_close() */
	const char *const *sensors; /* SPECs of calib/linux/meters.h */
	unsigned int sensor_count;  /* 0: all that do not overlap */
	const char *power_from;	    /* see calib/linux/meters_stream.h; NULL: none */
};

struct rail_info {
	char name[192];	      /* of the meter: a SPEC up to its first blank */
	bool counted;	      /* else by the trapezoid */
	bool summed;	      /* part of a total: no other rail here holds it */
	uint32_t interval_us; /* between updates; 0: unknown */
};

/* Of one window, rail by rail. */
struct rails_energy {
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC, or virtual time */
	bool known[RAILS_MAX];
	double uj[RAILS_MAX];
	unsigned int reads[RAILS_MAX]; /* of a meter that does not count */
};

struct rails;

/*
 * rails_open - find the meters and open them
 *
 * Changes no setting. An external meter is aligned with our clock first: all CPUs are
 * loaded for seconds.
 * Without a meter that can be used there are no rails: a note says why. Returns 0; what
 * meters_find() and power_meter_open() return for a sensor that was asked for; -E2BIG
 * for more than RAILS_MAX; -ENOMEM.
 */
int rails_open(const struct rails_options *opt, struct rails **out, struct err *err);
/*
 * rails_open_virtual - the meters of a virtual board, in its time
 * @v, @board: borrowed
 * @settings: borrowed, for notes; may be NULL
 */
int rails_open_virtual(struct virtual *v, const struct board *board,
		       struct settings *settings, struct rails **out, struct err *err);
/*
 * rails_start - the meters are switched on, and read through their buffers, from here on
 *
 * Call it before other settings are saved, and without threads. A meter that was off gets
 * the time to measure something first. Does nothing when that is done. 0; -EINTR; what
 * settings_hold() and power_meter_start() return.
 */
int rails_start(struct rails *r, struct err *err);
/* Until here, before the settings are put back. */
void rails_stop(struct rails *r);
/* Stops them. Takes NULL. */
void rails_close(struct rails *r);

unsigned int rails_count(const struct rails *r);
const struct rail_info *rails_info(const struct rails *r, unsigned int i);

/*
 * rails_begin - the window begins now
 *
 * Starts a thread where there is something to read: until rails_end() fork nothing but
 * what neither allocates nor prints. 0, -EAGAIN, -ENOMEM.
 */
int rails_begin(struct rails *r, struct err *err);
/*
 * rails_end - it has ended at @to_ns, now or a moment ago
 *
 * Goes on for two update intervals of the slowest meter, 4 s at most, or as long as an
 * external one's readings are late: so long they tell of the window. What is wrong with a
 * meter is noted when it has no energy for the first time. @out: NULL: nobody wants it.
 */
void rails_end(struct rails *r, uint64_t to_ns, struct rails_energy *out);
/* So long after it the slowest meter's readings still tell of a moment. */
uint64_t rails_after_ns(const struct rails *r);
/* Virtual boards: let time pass until @ns, and read the meters meanwhile. */
void rails_pass(struct rails *r, uint64_t ns);
/* Microjoules of the rails that are summed; false when there are none, or one of them is
 * not known. */
bool rails_total(const struct rails *r, const struct rails_energy *e, double *uj);

#endif
