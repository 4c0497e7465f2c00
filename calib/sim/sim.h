/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A virtual board behind the measuring interface, in virtual time: sleeping costs
 * nothing, and one seed gives the same samples everywhere.
 */
#ifndef CALIB_SIM_SIM_H
#define CALIB_SIM_SIM_H

#include <stdint.h>

#include "boards/virtual.h"
#include "calib/measure/machine.h"

struct sim_options {
	const struct board *board; /* copied */
	uint64_t seed;
	/*
	 * Virtual time at which to begin; a run that is appended to goes on after its
	 * last sample. The board has idled until then.
	 */
	uint64_t start_ns;
	uint32_t off; /* enum virtual_term: terms switched off */
	struct virtual_faults faults;
	bool clock_only; /* prepare() asks for no power meter */
	/* Asked in sleep_until(): non-zero, and it returns -EINTR. NULL: never. */
	int (*stop_pending)(void);
};

/*
 * sim_open - a virtual machine
 *
 * Clusters in the runinfo are the board's, little first. Fields that say who measured
 * when (date, tool, command) are left to the caller. Loads are those of
 * sim_load_activity().
 *
 * Returns 0 and *@m, which the caller closes with its close(); -EINVAL when the board has
 * no truth to play; -ENOMEM.
 */
int sim_open(const struct sim_options *opts, struct machine **m, struct err *err);

/*
 * sim_load_activity - what a load draws, in C of the integer load; 0: it sleeps
 *
 * Returns 0 or -EINVAL naming the known loads.
 */
int sim_load_activity(const char *load, double *activity, struct err *err);

/*
 * sim_fault_parse - add the faults of a list such as "clock,reads" to @faults
 * @board: decides above which clock "clock" begins
 *
 * clock: the upper third of the OPPs run at half the clock, unsaid; stuck: meters stop
 * updating after 60 s; reads: 2 % of the reads fail; charger: after 60 s every meter
 * reads 1 W more; pmu: no cycle counters. Returns 0 or -EINVAL naming the known faults.
 */
int sim_fault_parse(const char *list, const struct board *board,
		    struct virtual_faults *faults, struct err *err);

#endif
