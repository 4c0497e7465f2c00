/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fit for several CPU counts in a fiftieth of the time, for one board of thousands:
 * what boards of one kind share (how leakage grows with heat and voltage, the rail's
 * resistance, the meter's noise) is taken from boards that were fitted in full, and what
 * is left is one linear problem per board.
 */
#ifndef MODELS_QUICK_H
#define MODELS_QUICK_H

#include "models/power.h"

/* From full fits. NAN: not known there, and not used. */
struct quick_shared {
	bool per_visit; /* within-opp; else structured */
	double growth, exponent, ohm;
	double visit_uw;
	struct power_noise noise;
};

struct quick {
	double c, se;	       /* se classical */
	size_t rows;	       /* used */
	unsigned int outliers; /* and not, for they stand out */
};

/* Returns 0, -EDOM, -ENOMEM. */
int quick_fit(const struct power_data *d, const struct quick_shared *shared,
	      struct quick *out, struct err *err);

#endif
