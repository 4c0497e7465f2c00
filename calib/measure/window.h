/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a window's readings to a row of samples.csv, and what may be wrong with it.
 */
#ifndef CALIB_MEASURE_WINDOW_H
#define CALIB_MEASURE_WINDOW_H

#include "calib/measure/runner.h"

/* Nothing happens beyond PLAN_MAX_READS. */
void window_add(struct runner_window *w, const struct reading *r);
/* The row of r->window, which has at least one reading, flags included. */
void window_row(const struct runner *r, const struct plan_window *w, struct sample *row);
/* What later windows are judged by: the meter's noise, and what it showed last. */
void window_learn(struct runner *r, const struct plan_window *w,
		  const struct sample *row);

#endif
