/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What 'fdtedit apply' writes beside the coefficient when asked: capacities, the power of
 * OPPs, the sustainable power of thermal zones. Each for all that it concerns, or
 * refused.
 */
#ifndef FDTEDIT_EXTRA_H
#define FDTEDIT_EXTRA_H

#include "fdtedit/changes.h"
#include "fdtedit/dtb.h"
#include "fdtedit/edits.h"
#include "lib/coeffs.h"
#include "lib/dtcpus.h"
#include "lib/err.h"

/* All borrowed. */
struct extra {
	const struct coeffs *c;
	const struct dtb *tree; /* before any edit */
	const struct dtcpus *cpus;
	struct edits *edits; /* the plan of the coefficients: whose each CPU is; takes
				notes */
};

/*
 * Append what is to be set, also where the tree says so already.
 *
 * Return 0; -EINVAL with what is missing or contradictory; -ENOMEM.
 */

/* capacity-dmips-mhz on every CPU node of the tree. */
int extra_capacity(const struct extra *x, struct changes *out, struct err *err);
/* opp-microwatt on every OPP of each matched CPU's table, and each value used. */
int extra_opp_power(const struct extra *x, struct changes *out, struct err *err);
/* sustainable-power of zones that cool matched CPUs, by the factor that their
 * coefficients change by. */
int extra_sustainable(const struct extra *x, struct changes *out, struct err *err);

#endif
