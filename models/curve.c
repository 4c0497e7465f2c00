// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A power curve between measurement and model, that rises.
 */
#include "models/curve.h"

#include <math.h>
#include <string.h>

#define LEAST_SE 1e-6 /* relative; below it everything is alike */

/* Variance between points that their errors do not tell; 0 for fewer than two. */
static double between(const struct curve_point *p, size_t n)
{
	double w, sum = 0, squares = 0, q = 0, count = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!(p[i].se > 0))
			continue;
		w = 1 / pow(fmax(p[i].se, LEAST_SE), 2);
		sum += w;
		squares += w * w;
		q += w * pow(p[i].ratio - 1, 2);
		count++;
	}
	if (count < 2)
		return 0;
	return fmax((q - (count - 1)) / (sum - squares / sum), 0);
}

/* Neighbours of one value were pooled, but for those that were equal before. */
static unsigned int mark(const double *before, const double *after, size_t n,
			 bool *pooled)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		bool moved = before[i] != after[i];

		if (pooled)
			pooled[i] = moved;
		count += moved;
	}
	return count;
}

/* A run of values that became one. */
struct block {
	double mean, weight;
	size_t count;
};

static size_t pool(struct block *blocks, const double *values, const double *weights,
		   size_t n)
{
	size_t i, used = 0;

	for (i = 0; i < n; i++) {
		struct block *b = &blocks[used++];

		*b = (struct block){ values[i], weights[i], 1 };
		while (used > 1 && blocks[used - 2].mean > blocks[used - 1].mean) {
			struct block *low = &blocks[used - 2], *top = &blocks[--used];
			double weight = low->weight + top->weight;

			low->mean += (top->mean - low->mean) * top->weight / weight;
			low->weight = weight;
			low->count += top->count;
		}
	}
	return used;
}

unsigned int curve_rise(double *values, const double *weights, size_t n, bool *pooled)
{
	struct block blocks[CURVE_MAX_POINTS];
	double before[CURVE_MAX_POINTS];
	size_t i, k, b, used;

	memcpy(before, values, n * sizeof(*before));
	used = pool(blocks, values, weights, n);
	for (b = i = 0; b < used; b++)
		for (k = 0; k < blocks[b].count; k++)
			values[i++] = blocks[b].mean;
	return mark(before, values, n, pooled);
}

void curve_smooth(struct curve_point *points, size_t n, double common_se,
		  struct curve *out)
{
	double values[CURVE_MAX_POINTS] = { 0 }, weights[CURVE_MAX_POINTS] = { 0 };
	double var = between(points, n);
	bool pooled[CURVE_MAX_POINTS];
	size_t i;

	*out = (struct curve){ .spread = sqrt(var) };
	for (i = 0; i < n; i++) {
		struct curve_point *p = &points[i];
		double se = fmax(p->se, LEAST_SE), share = 0, left = var;

		if (p->se > 0) {
			share = var / (var + se * se);
			left = share * se * se;
		}
		values[i] = p->model_uw * (1 + share * (p->ratio - 1));
		left += pow(fmax(common_se, LEAST_SE), 2);
		weights[i] = 1 / (left * pow(p->model_uw, 2));
	}
	out->pooled = curve_rise(values, weights, n, pooled);
	for (i = 0; i < n; i++) {
		points[i].smooth_uw = values[i];
		points[i].pooled = pooled[i];
	}
}
