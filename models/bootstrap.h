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

#endif
