/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One coefficient for a mix of loads: the mean of the loads' C, weighted by the CPU time
 * that each has of the mix.
 *
 * The loads' errors are not independent: they share idle rows, the offsets of visits, the
 * voltage, the thermometer. How much they have in common is estimated by the delete-a-
 * group jackknife over operating points (Kott, "The delete-a-group jackknife", Journal of
 * Official Statistics 17, 2001): all loads are fitted again without a group of points,
 * and what the coefficients then do together is their correlation. Assumed: points err
 * independently. The size of each error stays that of the load's own fit. A correlation
 * below 0 is not believed; where it cannot be had, all errors are taken to be the same
 * one, which is the most that they can be.
 */
#ifndef MODELS_MIX_H
#define MODELS_MIX_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "models/power.h"

#define MIX_MAX_LOADS  16
#define MIX_MAX_GROUPS 16 /* of operating points */
#define MIX_MIN_GROUPS 4

/* One load of the mix. */
struct mix_part {
	double weight; /* all of them: 1 */
	double c, se, dof;
	const struct power_method *method;
	enum power_leakage leakage;
	struct power_select select;
};

struct mix {
	double c, se, dof;  /* dof: the least of the parts' */
	double ci95[2];	    /* NAN where a part has no error */
	bool correlated;    /* as measured; else errors are taken to be the same one */
	double correlation; /* mean of the pairs; 1 for one part */
};

/*
 * mix_combine - C of the mix
 * @samples: what the parts were fitted to, all loads, @n of them
 *
 * Returns 0, or -ENOMEM.
 */
int mix_combine(const struct mix_part *parts, unsigned int count,
		const struct sample *samples, size_t n, struct mix *out, struct err *err);

#endif
