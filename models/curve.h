/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The power of one busy CPU at every operating point: measured values, drawn towards the
 * fitted model as far as they are noise, and never falling as the clock rises.
 *
 * How far to draw is the data's own saying (empirical Bayes: Efron and Morris, "Stein's
 * estimation rule and its competitors", JASA 68, 1973): points scatter about the model by
 * their errors and by what the model does not tell, whose variance is found by moments
 * (DerSimonian and Laird, "Meta-analysis in clinical trials", 1986). Where the model
 * tells all, the model is the curve; where it does not, the measurement is. Values that
 * fall are pooled (isotonic regression by pool adjacent violators: Barlow, Bartholomew,
 * Bremner and Brunk, "Statistical inference under order restrictions", 1972, ch. 1).
 * Assumed: points err independently of each other, as wide as their errors say.
 */
#ifndef MODELS_CURVE_H
#define MODELS_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "models/problem.h"

#define CURVE_MAX_POINTS 128

/* One operating point; of several the clock ascends. */
struct curve_point {
	double model_uw;  /* above 0 */
	double ratio, se; /* measured over model, and its error; se 0: not measured */
	double smooth_uw; /* out */
	bool pooled;	  /* out: with a neighbour, as it fell */
};

struct curve {
	double spread;	     /* of points about the model beyond their errors, relative */
	unsigned int pooled; /* points */
};

/* @common_se: relative error that all points share, of the model itself. Up to
 * CURVE_MAX_POINTS points. */
void curve_smooth(struct curve_point *points, size_t n, double common_se,
		  struct curve *out);

/*
 * curve_scatter - how much smaller errors are when every point has a slope of its own
 *
 * Residuals of the model hold both noise and what it does not tell of a point. Within a
 * point, about its own line, there is only noise: the share of that in the standard
 * deviation, above 0 and up to 1. 1 where points have too few rows to tell.
 */
double curve_scatter(const struct power_problem *p);

/*
 * curve_rise - the nearest values that do not fall, by weighted squares
 * @pooled: out, per value; NULL: not asked for
 *
 * Returns how many values were pooled.
 */
unsigned int curve_rise(double *values, const double *weights, size_t n, bool *pooled);

#endif
