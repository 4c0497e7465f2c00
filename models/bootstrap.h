/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wild cluster bootstrap: an interval for C that needs no count of degrees of
 * freedom, for few visits. The hypothesis is imposed, and the interval is what it does
 * not reject.
 *
 * Cameron, Gelbach and Miller, Review of Economics and Statistics 90:414 (2008); with few
 * clusters two weights give too few samples, so there are six: Webb, Queen's Economics
 * Department WP 1315 (2014). It assumes that visits are independent of each other, and
 * nothing about rows within one.
 */
#ifndef MODELS_BOOTSTRAP_H
#define MODELS_BOOTSTRAP_H

#include "models/problem.h"

/*
 * Of 4 and 5 visits a fit's interval is the wider of this and t: each alone held the
 * truth in 91..93 % of calibrations, the wider in 94 %; from 6 on t does (96 %). Of 3 the
 * bootstrap's is some times as wide as C is large, and t's, which holds it in 90 %, stays
 * (tests/bench/bench_visits.c). It is shown up to BOOTSTRAP_SHOWN.
 */
#define BOOTSTRAP_WIDENS_FROM 4
#define BOOTSTRAP_WIDENS_TO   5
#define BOOTSTRAP_SHOWN	      12
/* With so many visits or more, Rademacher's two weights make samples enough. */
#define BOOTSTRAP_RADEMACHER 12
#define BOOTSTRAP_SAMPLES    1999

/*
 * bootstrap_ci95 - 95 % interval of column 0, deterministic
 *
 * Returns 0; -EDOM when the groups are too few for one (fewer than 3, or no value is
 * rejected); -ENOMEM.
 */
int bootstrap_ci95(const struct power_problem *p, double ci95[2]);

/*
 * bootstrap_fit - f->bootstrap_ci95 where visits are few, and f->ci95 where very few
 *
 * The interval is that of the linear problem; what @f knows beside it (the choice among
 * laws of leakage) widens it alike. 0 or -ENOMEM.
 */
int bootstrap_fit(const struct power_problem *p, struct power_fit *f);

#endif
