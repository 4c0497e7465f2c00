/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of calib, one cmd_*.c each, in the order of the daily use.
 */
#ifndef CALIB_COMMANDS_H
#define CALIB_COMMANDS_H

#include "lib/cmd.h"

extern const struct cmd cmd_bench_ab;
extern const struct cmd cmd_bench_compare;
extern const struct cmd cmd_bench_energy;
extern const struct cmd cmd_bench_perf;
extern const struct cmd cmd_boards;
extern const struct cmd cmd_check;
extern const struct cmd cmd_fit;
extern const struct cmd cmd_freqcheck;
extern const struct cmd cmd_import;
extern const struct cmd cmd_measure;
extern const struct cmd cmd_plot;
extern const struct cmd cmd_probe;
extern const struct cmd cmd_ramp;
extern const struct cmd cmd_restore;
extern const struct cmd cmd_sweep;
extern const struct cmd cmd_verify;

#endif
