// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What may be wrong with a comparison: values that stand apart, drift, the order of
 * turns; and more than one of them.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "models/compare.h"

#define MAX_OUTLIERS 20

/* The value farthest from the mean of those not @out, in standard deviations; -1: there
 * is no spread. */
static double farthest(const double *values, size_t n, const bool *out, size_t *at)
{
	double base = 0, sum = 0, squares = 0, far = -1, mean;
	size_t left = 0, i;

	for (i = 0; i < n; i++) {
		if (out[i])
			continue;
		if (!left++)
			base = values[i];
		sum += values[i] - base;
	}
	mean = base + sum / left;
	for (i = 0; i < n; i++) {
		if (out[i])
			continue;
		squares += (values[i] - mean) * (values[i] - mean);
		if (fabs(values[i] - mean) > far) {
			far = fabs(values[i] - mean);
			*at = i;
		}
	}
	return squares > 0 ? far / sqrt(squares / (left - 1)) : -1;
}

/* The largest of @left normal values is that far out once in 20 times. */
static double limit_of(size_t left)
{
	double t = gsl_cdf_tdist_Qinv(0.05 / (2.0 * left), left - 2.0);

	return (left - 1) * t / sqrt((left - 2 + t * t) * left);
}

size_t compare_outliers(const double *values, size_t n, bool *out)
{
	size_t most = n / 4 < MAX_OUTLIERS ? n / 4 : MAX_OUTLIERS;
	size_t taken[MAX_OUTLIERS], count = 0, found = 0, i;

	memset(out, 0, n * sizeof(*out));
	if (n < COMPARE_OUTLIERS_MIN)
		return 0;
	for (; count < most; count++) {
		double far = farthest(values, n, out, &taken[count]);

		if (far < 0)
			break;
		/* One that is not far out by itself is, when the next is. */
		if (far > limit_of(n - count))
			found = count + 1;
		out[taken[count]] = true;
	}
	for (i = found; i < count; i++)
		out[taken[i]] = false;
	return found;
}

void compare_trend(const struct compare_series *s, struct compare_trend *t)
{
	struct compare_summary sum;
	double x_mean = 0, xx = 0, xy = 0, rss = 0, slope;
	size_t n = s->n, i;

	*t = (struct compare_trend){ 0 };
	if (n < 4 || compare_summarise(s->values, n, &sum, NULL) || !(sum.sd > 0) ||
	    !(sum.mean > 0))
		return;
	for (i = 0; i < n; i++)
		x_mean += (double)s->order[i] / n;
	for (i = 0; i < n; i++) {
		xx += (s->order[i] - x_mean) * (s->order[i] - x_mean);
		xy += (s->order[i] - x_mean) * (s->values[i] - sum.mean);
	}
	if (!(xx > 0))
		return;
	slope = xy / xx;
	for (i = 0; i < n; i++) {
		double e = s->values[i] - sum.mean - slope * (s->order[i] - x_mean);

		rss += e * e;
	}
	t->known = true;
	t->span_pct = 100 * slope * (s->order[n - 1] - s->order[0]) / sum.mean;
	t->p = rss > 0 ? 2 * gsl_cdf_tdist_Q(fabs(slope) * sqrt(xx * (n - 2) / rss),
					     n - 2.0)
		       : 0;
}

/* Student's test that numbers which are added one by one have a mean of 0. */
struct running {
	size_t n;
	double mean, squares;
};

static void running_add(struct running *r, double x)
{
	double before = x - r->mean;

	r->n++;
	r->mean += before / r->n;
	r->squares += before * (x - r->mean);
}

static bool running_p(const struct running *r, double *p)
{
	double se;

	if (r->n < 3 || !(r->squares > 0))
		return false;
	se = sqrt(r->squares / (r->n - 1) / r->n);
	*p = 2 * gsl_cdf_tdist_Q(fabs(r->mean) / se, r->n - 1.0);
	return true;
}

void compare_turns(const struct compare_series *a, const struct compare_series *b,
		   struct compare_turns *t)
{
	struct running paired = { 0 }, position = { 0 };
	struct compare_summary sa, sb;
	size_t i = 0, j = 0;

	*t = (struct compare_turns){ 0 };
	if (compare_summarise(a->values, a->n, &sa, NULL) ||
	    compare_summarise(b->values, b->n, &sb, NULL) || !(sa.mean > 0) ||
	    !(sb.mean > 0))
		return;
	while (i < a->n && j < b->n) {
		uint32_t pa = a->order[i] / 2, pb = b->order[j] / 2;
		double later;

		if (pa != pb || a->order[i] == b->order[j]) {
			i += pa <= pb;
			j += pb <= pa;
			continue;
		}
		later = 100 * (b->values[j] / sb.mean - a->values[i] / sa.mean);
		running_add(&paired, 100 * (b->values[j] - a->values[i]) / sa.mean);
		running_add(&position, b->order[j] % 2 ? later : -later);
		i++;
		j++;
	}
	t->pairs = paired.n;
	t->paired_pct = paired.mean;
	t->position_pct = position.mean;
	t->has_paired = running_p(&paired, &t->paired_p);
	t->has_position = running_p(&position, &t->position_p);
}

void compare_holm(const double *p, size_t n, double *out)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		double least = 0;

		/* Each as the last of those that are no larger. */
		for (j = 0; j < n; j++) {
			size_t above = 0, k;

			if (p[j] > p[i])
				continue;
			for (k = 0; k < n; k++)
				above += p[k] >= p[j];
			least = fmax(least, fmin(1, p[j] * above));
		}
		out[i] = least;
	}
}
