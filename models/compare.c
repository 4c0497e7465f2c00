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

/* Sum of b's ranks, equal values sharing theirs; @ties: sum of t^3 - t. */
static double rank_sum(const struct ranked *all, size_t n, double *ties)
{
	double sum = 0;
	size_t i, j;

	*ties = 0;
	for (i = 0; i < n; i = j) {
		double t;
		size_t of_b = 0;

		for (j = i; j < n && all[j].value == all[i].value; j++)
			of_b += all[j].of_b;
		t = j - i;
		sum += of_b * (i + 1 + j) / 2.0;
		*ties += t * t * t - t;
	}
	return sum;
}

/*
 * How many of all orders of @m and @n values have U of at most @u, as a share: the
 * coefficients of prod (1 - x^(n+i)) / (1 - x^i). All are integers that a double holds.
 */
static double share_up_to(size_t m, size_t n, size_t u)
{
	double ways[COMPARE_EXACT * COMPARE_EXACT + 1] = { 1 };
	double below = 0, all = 0;
	size_t top = m * n, i, k;

	for (i = 1; i <= m; i++) {
		for (k = top; k >= n + i; k--)
			ways[k] -= ways[k - n - i];
		for (k = i; k <= top; k++)
			ways[k] += ways[k - i];
	}
	for (k = 0; k <= top; k++) {
		all += ways[k];
		below += k <= u ? ways[k] : 0;
	}
	return below / all;
}

static void mann_whitney(struct compare *c, const struct ranked *all)
{
	double m = c->a.n, n = c->b.n, total = m + n;
	double ties, far, var;

	c->rank_u = rank_sum(all, c->a.n + c->b.n, &ties) - n * (n + 1) / 2;
	far = fabs(c->rank_u - m * n / 2);
	c->has_rank = true;
	c->rank_exact = !ties && c->a.n <= COMPARE_EXACT && c->b.n <= COMPARE_EXACT;
	if (c->rank_exact) {
		c->rank_p = fmin(1, 2 * share_up_to(c->a.n, c->b.n, m * n / 2 - far));
		c->rank_least_p = 2 * share_up_to(c->a.n, c->b.n, 0);
		return;
	}
	var = m * n / 12 * (total + 1 - ties / (total * (total - 1)));
	c->has_rank = var > 0;
	if (c->has_rank)
		c->rank_p = fmin(1, 2 * gsl_cdf_ugaussian_Q((far - 0.5) / sqrt(var)));
}

static int ranks(const struct compare_series *a, const struct compare_series *b,
		 struct compare *c, struct err *err)
{
	struct ranked *all = calloc(a->n + b->n, sizeof(*all));
	size_t i;

	if (!all)
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < a->n; i++)
		all[i].value = a->values[i];
	for (i = 0; i < b->n; i++)
		all[a->n + i] = (struct ranked){ b->values[i], true };
	qsort(all, a->n + b->n, sizeof(*all), by_rank);
	mann_whitney(c, all);
	free(all);
	return 0;
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
	return ranks(a, b, c, err);
}
