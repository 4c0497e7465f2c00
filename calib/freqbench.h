/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A freqbench result folder (results.json, run.log, voltages.txt) as a run of ours.
 *
 * Format: kdrag0n/freqbench, results "version": 1. Its active power has a base already
 * subtracted, its idle power has not; the base itself is in run.log, rounded to mW, and
 * is found again among the housekeeping readings.
 */
#ifndef CALIB_FREQBENCH_H
#define CALIB_FREQBENCH_H

#include <stdbool.h>

#include "calib/raw.h"
#include "calib/runinfo.h"
#include "calib/samples.h"
#include "lib/err.h"

struct freqbench_options {
	const char *dir;
	const char *voltages; /* NULL: DIR/voltages.txt where there is one */
	bool has_base;
	double base_mw;	 /* overrides run.log */
	bool trim_stale; /* average again, without the readings from before the load */
};

struct freqbench_summary {
	unsigned int rows, idle_rows;
	unsigned int clock, stale, negative, no_voltage; /* rows with that trouble */
	bool idle_left_out; /* the base is not known, so idle has no common reference */
};

/*
 * freqbench_read - fill @rows, the readings behind them into @raw, and @info
 *
 * Every power_uw is relative to the base: active as published, idle minus the base.
 * Flags: clock (CoreMark per MHz is more than 3 % off the CPU's median: it ran at another
 * clock than claimed, and freq_khz is what the work says), stale (the first readings are
 * from before the load and move the mean by more than 1 %), negative.
 *
 * Returns 0, -ENOENT, -EINVAL ("FILE: cpus.4.freqs.710400.active: key ..."), -errno.
 */
int freqbench_read(const struct freqbench_options *o, struct samples *rows,
		   struct raw *raw, struct runinfo *info, struct freqbench_summary *sum,
		   struct err *err);

#endif
