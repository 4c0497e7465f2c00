/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Energy from power readings: the trapezoid over their times, from one moment to another.
 *
 * Where a meter averages, each reading is the mean over its update interval T and stands
 * until the next one: what is drawn from @from to @to shows in readings from @from to
 * @to + 2 T, whatever the phase of the updates. So the integral goes that far, and T
 * times the power before and T times the power after are taken off, which is right where
 * these are steady: exactly, for a load between two times of idling. Likewise the line
 * that comes from before @from counts whole, but for what the power before takes of it.
 */
#ifndef CALIB_BENCH_RAIL_SUM_H
#define CALIB_BENCH_RAIL_SUM_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: not begun. */
struct rail_sum {
	uint64_t from_ns, to_ns; /* of the integral; to_ns 0: not known yet */
	uint64_t mean_ns;	 /* T */
	uint64_t last_ns;
	bool has_last;
	double first_uw, last_uw;
	double uj;
	unsigned int reads; /* in the window */
	uint64_t hole_ns;   /* the longest time in the window without one */
};

/* @from_ns: where the window begins. @mean_ns: T; 0: readings are of their moment. */
void rail_sum_begin(struct rail_sum *s, uint64_t from_ns, uint64_t mean_ns);
/* From now on it is known that the window ends at @to_ns, later than it began. Readings
 * from beyond that may have come: power is taken to be steady there. */
void rail_sum_until(struct rail_sum *s, uint64_t to_ns);
/* A reading. Those before the window tell how it begins; one that is not later than the
 * last is dropped. */
void rail_sum_add(struct rail_sum *s, uint64_t time_ns, double power_uw);
/* The energy of the window, when rail_sum_until() was called; the last reading stands
 * until its end, and the first since its begin. False: there was no reading. */
bool rail_sum_end(struct rail_sum *s, double *uj);

#endif
