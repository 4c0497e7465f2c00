// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two series: summary, difference with its interval, two tests.
 */
#include "models/compare.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double *sorted(const double *values, size_t n)
{
	double *copy = malloc(n * sizeof(*copy));

	if (copy) {
		memcpy(copy, values, n * sizeof(*copy));
		qsort(copy, n, sizeof(*copy), by_value);
	}
	return copy;
}

/* Deviations from the first value, so that equal values have no spread, to the last bit.
 */
static void moments(const double *values, size_t n, struct compare_summary *s)
{
	double sum = 0, squares = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += values[i] - values[0];
	s->mean = values[0] + sum / n;
	s->has_sd = n > 1;
	for (i = 0; i < n; i++)
		squares += (values[i] - s->mean) * (values[i] - s->mean);
	s->sd = n > 1 ? sqrt(squares / (n - 1)) : 0;
	s->has_rsd = s->has_sd && s->mean > 0;
	s->rsd_pct = s->has_rsd ? 100 * s->sd / s->mean : 0;
}

int compare_summarise(const double *values, size_t n, struct compare_summary *s,
		      struct err *err)
{
	double *up;

	*s = (struct compare_summary){ .n = n };
	if (!n)
		return err_set(err, -EDOM, "there are no values");
	for (size_t i = 0; i < n; i++)
		if (!isfinite(values[i]))
			return err_set(err, -EINVAL, "value %zu is not a finite number",
				       i + 1);
	up = sorted(values, n);
	if (!up)
		return err_set(err, -ENOMEM, "out of memory");
	s->min = up[0];
	s->max = up[n - 1];
	s->median = (up[(n - 1) / 2] + up[n / 2]) / 2;
	free(up);
	moments(values, n, s);
	return 0;
}

/* Of the squares of the standard errors of both means. */
static void welch(struct compare *c, double var_a, double var_b)
{
	double var = var_a + var_b;

	if (!c->a.has_sd || !c->b.has_sd || !(var > 0))
		return;
	c->has_welch = true;
	c->welch_t = (c->b.mean - c->a.mean) / sqrt(var);
	/* By shares, as squares of small variances are 0. */
	c->welch_dof = 1 / (var_a / var * (var_a / var) / (c->a.n - 1) +
			    var_b / var * (var_b / var) / (c->b.n - 1));
	c->welch_p = 2 * gsl_cdf_tdist_Q(fabs(c->welch_t), c->welch_dof);
}

static void interval(struct compare *c, double var_a, double var_b)
{
	double ratio, t, g, half;

	if (!c->has_welch || !c->has_diff)
		return;
	ratio = c->b.mean / c->a.mean;
	t = gsl_cdf_tdist_Qinv(0.025, c->welch_dof);
	c->detectable_pct = 100 * (t + gsl_cdf_tdist_Qinv(0.2, c->welch_dof)) *
			    sqrt(var_a + var_b) / c->a.mean;
	g = t * t * var_a / (c->a.mean * c->a.mean);
	if (g >= 1)
		return;
	half = t / c->a.mean * sqrt((1 - g) * var_b + ratio * ratio * var_a);
	c->has_interval = true;
	c->ci95_pct[0] = 100 * ((ratio - half) / (1 - g) - 1);
	c->ci95_pct[1] = 100 * ((ratio + half) / (1 - g) - 1);
}

/* A value and whose it is. */
struct ranked {
	double value;
	bool of_b;
};

static int by_rank(const void *a, const void *b)
{
	return by_value(&((const struct ranked *)a)->value,
			&((const struct ranked *)b)->value);
}

/*
 * Twice each value's rank, so that it is whole where equal values share theirs, into
 * @ranks. Returns b's sum; @ties: sum of t^3 - t.
 */
static size_t rank_all(const struct ranked *all, size_t n, size_t *ranks, double *ties)
{
	size_t sum = 0, i, j;

	*ties = 0;
	for (i = 0; i < n; i = j) {
		double t;

		for (j = i; j < n && all[j].value == all[i].value; j++)
			;
		t = j - i;
		*ties += t * t * t - t;
		for (size_t k = i; k < j; k++) {
			ranks[k] = i + 1 + j;
			sum += all[k].of_b ? ranks[k] : 0;
		}
	}
	return sum;
}

/*
 * How many of all choices of @n_b ranks have each sum: ways[k * width + s] of k ranks.
 * All are integers that a double holds.
 */
static void count_sums(const size_t *ranks, size_t n, size_t n_b, double *ways,
		       size_t width)
{
	size_t i, k, s;

	ways[0] = 1;
	for (i = 0; i < n; i++)
		for (k = n_b; k > 0; k--)
			for (s = width - 1; s >= ranks[i]; s--)
				ways[k * width + s] +=
					ways[(k - 1) * width + s - ranks[i]];
}

/* Both tails: sums that are as far from what is expected as @sum or farther. */
static int exact_p(struct compare *c, const size_t *ranks, size_t sum, struct err *err)
{
	size_t n_b = c->b.n, n = c->a.n + n_b, width = n * (n + 1) + 1, s;
	double *ways = calloc((n_b + 1) * width, sizeof(*ways)), *last;
	double middle = (double)n_b * (n + 1), all = 0, beyond = 0, most = 0, least = 0;

	if (!ways)
		return err_set(err, -ENOMEM, "out of memory");
	count_sums(ranks, n, n_b, ways, width);
	last = ways + n_b * width;
	for (s = 0; s < width; s++) {
		double far = fabs(s - middle);

		all += last[s];
		if (far >= fabs(sum - middle))
			beyond += last[s];
		if (last[s] > 0 && far >= most) {
			least = far > most ? last[s] : least + last[s];
			most = far;
		}
	}
	c->rank_p = beyond / all;
	c->rank_least_p = least / all;
	free(ways);
	return 0;
}

static int mann_whitney(struct compare *c, const struct ranked *all, size_t *ranks,
			struct err *err)
{
	double m = c->a.n, n = c->b.n, total = m + n;
	double ties, far, var;
	size_t sum = rank_all(all, c->a.n + c->b.n, ranks, &ties);

	c->rank_u = sum / 2.0 - n * (n + 1) / 2;
	far = fabs(c->rank_u - m * n / 2);
	var = m * n / 12 * (total + 1 - ties / (total * (total - 1)));
	/* All are equal. */
	if (!(var > 0))
		return 0;
	c->has_rank = true;
	c->rank_exact = c->a.n <= COMPARE_EXACT && c->b.n <= COMPARE_EXACT;
	if (c->rank_exact)
		return exact_p(c, ranks, sum, err);
	c->rank_p = fmin(1, 2 * gsl_cdf_ugaussian_Q((far - 0.5) / sqrt(var)));
	return 0;
}

static int rank_both(const struct compare_series *a, const struct compare_series *b,
		     struct compare *c, struct err *err)
{
	struct ranked *all = calloc(a->n + b->n, sizeof(*all));
	size_t *ranks = calloc(a->n + b->n, sizeof(*ranks)), i;
	int ret;

	for (i = 0; all && i < a->n; i++)
		all[i].value = a->values[i];
	for (i = 0; all && i < b->n; i++)
		all[a->n + i] = (struct ranked){ b->values[i], true };
	if (all && ranks) {
		qsort(all, a->n + b->n, sizeof(*all), by_rank);
		ret = mann_whitney(c, all, ranks, err);
	} else {
		ret = err_set(err, -ENOMEM, "out of memory");
	}
	free(ranks);
	free(all);
	return ret;
}

int compare_series(const struct compare_series *a, const struct compare_series *b,
		   struct compare *c, struct err *err)
{
	double var_a, var_b;
	int ret;

	*c = (struct compare){ 0 };
	ret = compare_summarise(a->values, a->n, &c->a, err);
	if (!ret)
		ret = compare_summarise(b->values, b->n, &c->b, err);
	if (ret)
		return ret;
	c->has_diff = c->a.mean > 0;
	if (c->has_diff)
		c->diff_pct = 100 * (c->b.mean - c->a.mean) / c->a.mean;
	var_a = c->a.sd * c->a.sd / c->a.n;
	var_b = c->b.sd * c->b.sd / c->b.n;
	welch(c, var_a, var_b);
	interval(c, var_a, var_b);
	return rank_both(a, b, c, err);
}
