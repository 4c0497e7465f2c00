/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The physics of a virtual board: what its rails draw, how warm it gets, what its meters
 * say. Pure: no clock but the one it is told, no files, random numbers from a seed. The
 * in-process simulator and a process that plays sensor for a guest share it.
 *
 *   P = leakage(V,T) + D f V^2 [clocked] + (activity busy + background) C f V^2
 *   V = V_table - R P / V        leakage = k V^3 exp(a (T - T0))
 *   T relaxes to ambient + Rth P with time constant tau
 *
 * A meter's reading is the mean of P over its update period, with the board's constant,
 * an offset drawn per visit to an OPP, a gain error, noise, and steps of its LSB. Every
 * term whose figure is 0 is off.
 */
#ifndef BOARDS_VIRTUAL_H
#define BOARDS_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "boards/board.h"
#include "lib/err.h"

/* Terms that can be switched off, for tests and studies; a mask. */
enum virtual_term {
	VIRTUAL_UNCORE = 1 << 0,
	VIRTUAL_LEAKAGE = 1 << 1,
	VIRTUAL_BOARD = 1 << 2,
	VIRTUAL_DROOP = 1 << 3,
	VIRTUAL_THERMAL = 1 << 4, /* off: stays at ambient */
	VIRTUAL_THROTTLE = 1 << 5,
	VIRTUAL_BACKGROUND = 1 << 6,
	VIRTUAL_NOISE = 1 << 7,
	VIRTUAL_LSB = 1 << 8, /* of power, voltage and temperature readings */
	VIRTUAL_GAIN = 1 << 9,
	VIRTUAL_DRIFT = 1 << 10,
	VIRTUAL_ALL = (1 << 11) - 1,
};

/* What is broken; 0 is nothing. */
struct virtual_faults {
	uint32_t clock_half_above_khz; /* above it half the clock is delivered, unsaid */
	uint64_t stuck_at_ns;	       /* meters do not update any more from here on */
	uint32_t fail_ppm;	       /* reads of a meter that fail */
	int64_t charger_uw;	       /* what a charger adds to every meter ... */
	uint64_t charger_at_ns;	       /* ... from here on */
	uint32_t spike_ppm;	       /* updates of a meter that are 40 % too high */
	uint32_t hot_mc;	       /* it is that much warmer around the board */
	bool no_cycles;		       /* there is no PMU: for whoever asks for cycles */
};

struct virtual_options {
	uint64_t seed;
	uint32_t boot; /* the same board with other noise */
	uint32_t off;  /* enum virtual_term */
	struct virtual_faults faults;
};

/* What is true now; only the board itself knows. */
struct virtual_truth {
	double power_uw; /* of the rail, board constant not included */
	double volt_uv;	 /* at the rail */
	double temp_mc;
	double busy;  /* CPUs, background tasks included */
	uint32_t khz; /* delivered */
};

/* Running totals since virtual_new(). */
struct virtual_usage {
	double busy_ns; /* summed over the cluster's CPUs */
	double work;	/* units of the load */
	double load_ns; /* CPU time that the load had, background tasks not */
	double cycles;	/* summed over the loaded CPUs */
};

struct virtual;

/*
 * virtual_new - a virtual twin of @board at time 0, idle, at the lowest OPPs
 *
 * Returns 0 and *@v, which the caller frees with virtual_free() (takes NULL); -EINVAL
 * when a cluster has no truth; -ENOMEM.
 */
int virtual_new(const struct board *board, const struct virtual_options *opts,
		struct virtual **v, struct err *err);
void virtual_free(struct virtual *v);

uint64_t virtual_now_ns(const struct virtual *v);
/* Let time pass until @ns; nothing happens when that is not in the future. */
void virtual_advance(struct virtual *v, uint64_t ns);

/* A visit to an OPP. 0 or -EINVAL: the cluster has no such OPP. */
int virtual_set_khz(struct virtual *v, unsigned int cluster, uint32_t khz);
/*
 * @busy CPUs run a load that draws @activity times the integer load's C. Less than 0
 * takes back what was too much before, for whoever knows the load in ticks.
 */
void virtual_set_load(struct virtual *v, unsigned int cluster, double busy,
		      double activity);

/* What software sees. The clock as cpufreq claims it: a limit shows, a fault does not. */
uint32_t virtual_claimed_khz(const struct virtual *v, unsigned int cluster);
bool virtual_throttled(const struct virtual *v, unsigned int cluster);
int32_t virtual_temp_mc(const struct virtual *v, unsigned int cluster);
void virtual_usage(const struct virtual *v, unsigned int cluster,
		   struct virtual_usage *u);
/*
 * virtual_read_meter - what sensors[@sensor] of the board says
 * @volt_uv: 0 when it tells no voltage
 *
 * Returns 0, -EIO (a read that fails) or -ENODATA (no update yet, or no such meter).
 */
int virtual_read_meter(struct virtual *v, unsigned int sensor, int64_t *power_uw,
		       uint32_t *volt_uv);
/* When the next reading of sensors[@sensor] is there; UINT64_MAX when it has none. */
uint64_t virtual_meter_next_ns(const struct virtual *v, unsigned int sensor);
/* Of any meter. */
uint64_t virtual_next_update_ns(const struct virtual *v);

void virtual_truth(const struct virtual *v, unsigned int cluster,
		   struct virtual_truth *t);

#endif
