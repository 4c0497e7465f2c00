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

/* Sums over values and orders, about the mean of each series. */
struct line {
	size_t n;
	double xx, xy, yy;
	uint32_t first, last; /* orders */
};

/* Values in percent of their mean. False: no such percent. */
static bool line_add(struct line *l, const struct compare_series *s)
{
	struct compare_summary sum;
	double x_mean = 0;

	if (compare_summarise(s->values, s->n, &sum, NULL) || !(sum.mean > 0))
		return false;
	for (size_t i = 0; i < s->n; i++)
		x_mean += (double)s->order[i] / s->n;
	for (size_t i = 0; i < s->n; i++) {
		double x = s->order[i] - x_mean;
		double y = 100 * (s->values[i] - sum.mean) / sum.mean;

		l->xx += x * x;
		l->xy += x * y;
		l->yy += y * y;
	}
	if (!l->n || s->order[0] < l->first)
		l->first = s->order[0];
	if (s->order[s->n - 1] > l->last)
		l->last = s->order[s->n - 1];
	l->n += s->n;
	return true;
}

void compare_drift(const struct compare_series *s, size_t count, struct compare_trend *t)
{
	struct line l = { 0 };
	double slope, rss;

	*t = (struct compare_trend){ 0 };
	for (size_t i = 0; i < count; i++)
		if (!line_add(&l, &s[i]))
			return;
	if (l.n < count + 3 || !(l.yy > 0) || !(l.xx > 0))
		return;
	slope = l.xy / l.xx;
	rss = l.yy - slope * l.xy;
	t->known = true;
	t->span_pct = slope * (l.last - l.first);
	t->p = rss > 1e-12 * l.yy
		       ? 2 * gsl_cdf_tdist_Q(fabs(slope) *
						     sqrt(l.xx * (l.n - count - 1) / rss),
					     l.n - count - 1.0)
		       : 0;
}

void compare_trend(const struct compare_series *s, struct compare_trend *t)
{
	compare_drift(s, 1, t);
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

/*
 * What being the second of a pair does: half of what the differences of pairs that A and
 * that B began are apart, as in a crossover trial; with one order only nobody can tell.
 */
static void find_position(const struct running *a_first, const struct running *b_first,
			  struct compare_turns *t)
{
	double n = a_first->n + b_first->n, se;
	double squares = a_first->squares + b_first->squares;

	t->one_order = !a_first->n != !b_first->n;
	if (!a_first->n || !b_first->n || n < 3 || !(squares > 0))
		return;
	se = sqrt(squares / (n - 2) * (1.0 / a_first->n + 1.0 / b_first->n)) / 2;
	t->has_position = true;
	t->position_pct = (a_first->mean - b_first->mean) / 2;
	t->position_p = 2 * gsl_cdf_tdist_Q(fabs(t->position_pct) / se, n - 2);
}

void compare_turns(const struct compare_series *a, const struct compare_series *b,
		   struct compare_turns *t)
{
	struct running paired = { 0 }, first[2] = { 0 }; /* begun by A, by B */
	struct compare_summary sa, sb;
	size_t i = 0, j = 0;

	*t = (struct compare_turns){ 0 };
	if (compare_summarise(a->values, a->n, &sa, NULL) ||
	    compare_summarise(b->values, b->n, &sb, NULL) || !(sa.mean > 0) ||
	    !(sb.mean > 0))
		return;
	while (i < a->n && j < b->n) {
		uint32_t pa = a->order[i] / 2, pb = b->order[j] / 2;
		double above;

		if (pa != pb || a->order[i] == b->order[j]) {
			i += pa <= pb;
			j += pb <= pa;
			continue;
		}
		above = 100 * (b->values[j] / sb.mean - a->values[i] / sa.mean);
		running_add(&paired, 100 * (b->values[j] - a->values[i]) / sa.mean);
		running_add(&first[a->order[i] % 2], above);
		i++;
		j++;
	}
	t->pairs = paired.n;
	t->paired_pct = paired.mean;
	t->has_paired = running_p(&paired, &t->paired_p);
	find_position(&first[0], &first[1], t);
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
