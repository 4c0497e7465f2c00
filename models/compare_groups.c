// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values in groups: the one-way analysis of variance.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "models/compare.h"

/* How many values from @from on are of one group. */
static size_t run_of(const uint32_t *group, size_t from, size_t n)
{
	size_t end = from + 1;

	while (end < n && group[end] == group[from])
		end++;
	return end - from;
}

struct sums {
	double within;	/* squares about the means of groups */
	double inverse; /* sum of 1/n of groups */
	double mean;	/* of all values */
	double between; /* squares of means about that, by values */
};

static void spread_of(struct compare_groups *g, const struct sums *s, size_t n,
		      double means_var)
{
	double within = n > g->groups ? s->within / (n - g->groups) : 0, rest;

	g->has_within = n > g->groups;
	g->has_between = g->has_within && g->groups > 1;
	g->within_sd = sqrt(within);
	if (!g->has_between)
		return;
	rest = means_var - within * s->inverse / g->groups;
	g->between_sd = rest > 0 ? sqrt(rest) : 0;
	g->has_p = within > 0;
	if (g->has_p)
		g->between_p = gsl_cdf_fdist_Q(s->between / (g->groups - 1) / within,
					       g->groups - 1, n - g->groups);
}

size_t compare_groups(const double *values, const uint32_t *group, size_t n,
		      double *means, uint32_t *order, struct compare_groups *g)
{
	struct compare_summary of_means = { 0 }, sum;
	struct sums s = { 0 };
	size_t i, len;

	*g = (struct compare_groups){ 0 };
	for (i = 0; i < n; i++)
		s.mean += values[i] / n;
	for (i = 0; i < n; i += len) {
		uint32_t number = group[i];

		len = run_of(group, i, n);
		if (compare_summarise(values + i, len, &sum, NULL))
			return 0;
		s.within += sum.sd * sum.sd * (len - 1);
		s.inverse += 1.0 / len;
		s.between += len * (sum.mean - s.mean) * (sum.mean - s.mean);
		means[g->groups] = sum.mean;
		order[g->groups++] = number;
	}
	if (!compare_summarise(means, g->groups, &of_means, NULL))
		spread_of(g, &s, n, of_means.sd * of_means.sd);
	return g->groups;
}
