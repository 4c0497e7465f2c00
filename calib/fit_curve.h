/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power per operating point beside the one coefficient: what may be shipped as
 * opp-microwatt, and how far the kernel's C f V^2 is off.
 *
 * Which power? The kernel charges a state to a CPU by the time that it is busy, whatever
 * else is busy. opp-microwatt therefore is what one busy CPU adds to a cluster that runs
 * already, as the coefficient is: dynamic power without the shared clock, static power
 * and idle, which are there or not whatever the scheduler does with one task. The full
 * value, one CPU's share of all that the meter sees with all CPUs busy, charges them too;
 * it is right where clusters are either full or off.
 */
#ifndef CALIB_FIT_CURVE_H
#define CALIB_FIT_CURVE_H

#include "calib/fit.h"

/* Operating point @khz of the cluster's load, or of its mix. false: not measured. */
bool fit_curve_opp(const struct fit_cluster *c, uint32_t khz, struct power_opp *out);
/* The curve into the operating points of @out, notes into its provenance. After the
 * diagnostics, which have each point's own coefficient. */
void fit_curve_fill(struct coeffs_cluster *out, const struct fit_cluster *c);
/* Which states are inefficient by opp-microwatt. */
void fit_curve_mark(struct coeffs_cluster *c, uint32_t capacity);
/* One line on how far the kernel is off. */
void fit_curve_talk(const struct coeffs_cluster *c);
/* The table of --curve. */
void fit_curve_table(FILE *f, const struct coeffs_cluster *c);

#endif
