/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result as a table: of each workload one line per metric, with mean, relative standard
 * deviation, least and most.
 */
#ifndef CALIB_BENCH_TABLE_H
#define CALIB_BENCH_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "calib/bench/result.h"

/* @markdown: for a mail or a web page; else columns of blanks. */
void table_print(FILE *out, const struct bench_result *r, bool markdown);

#endif
