// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * C of a mix of loads, and how far the loads' errors are one and the same.
 */
#include "models/mix.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/lsq.h"

/* The coefficients with one group of operating points left out each. */
struct replicates {
	double c[MIX_MAX_GROUPS][MIX_MAX_LOADS];
	unsigned int groups;
};

static int by_khz(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The clocks of the cluster's rows, ascending, each once. */
static size_t list_khz(const struct sample *samples, size_t n, const char *cluster,
		       uint32_t *khz)
{
	size_t i, used = 0, count = 0;

	for (i = 0; i < n; i++)
		if (!strcmp(samples[i].cluster, cluster))
			khz[used++] = samples[i].opp_khz;
	qsort(khz, used, sizeof(*khz), by_khz);
	for (i = 0; i < used; i++)
		if (!count || khz[count - 1] != khz[i])
			khz[count++] = khz[i];
	return count;
}

/* Neighbours go into different groups, so that no group takes one end of the range. */
static size_t without_group(const struct sample *samples, size_t n, const uint32_t *khz,
			    size_t khz_count, unsigned int groups, unsigned int group,
			    struct sample *out)
{
	size_t i, kept = 0;

	for (i = 0; i < n; i++) {
		const uint32_t *at = bsearch(&samples[i].opp_khz, khz, khz_count,
					     sizeof(*khz), by_khz);

		if (!at || (at - khz) % groups != group)
			out[kept++] = samples[i];
	}
	return kept;
}

static bool refit(const struct mix_part *part, const struct sample *samples, size_t n,
		  double *c)
{
	struct power_fit *fit = calloc(1, sizeof(*fit));
	struct power_data data;
	bool ok = false;

	if (fit && !power_data_init(&data, samples, n, &part->select, NULL)) {
		data.leakage = part->leakage;
		ok = !power_fit_with(part->method, &data, fit, NULL);
		*c = fit->c;
		power_data_free(&data);
	}
	free(fit);
	return ok;
}

static int fit_replicates(const struct mix_part *parts, unsigned int count,
			  const struct sample *samples, size_t n, struct replicates *r)
{
	uint32_t *khz = calloc(n + 1, sizeof(*khz));
	struct sample *some = calloc(n + 1, sizeof(*some));
	unsigned int g, k, groups;
	bool ok = true;
	size_t khz_count;

	r->groups = 0;
	if (!khz || !some) {
		free(khz);
		free(some);
		return -ENOMEM;
	}
	khz_count = list_khz(samples, n, parts[0].select.cluster, khz);
	groups = khz_count < MIX_MAX_GROUPS ? khz_count : MIX_MAX_GROUPS;
	for (g = 0; ok && groups >= MIX_MIN_GROUPS && g < groups; g++) {
		size_t kept = without_group(samples, n, khz, khz_count, groups, g, some);

		for (k = 0; ok && k < count; k++)
			ok = refit(&parts[k], some, kept, &r->c[g][k]);
	}
	if (ok)
		r->groups = groups < MIX_MIN_GROUPS ? 0 : groups;
	free(khz);
	free(some);
	return 0;
}

static double correlation(const struct replicates *r, unsigned int a, unsigned int b)
{
	double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
	unsigned int g;

	for (g = 0; g < r->groups; g++) {
		ma += r->c[g][a] / r->groups;
		mb += r->c[g][b] / r->groups;
	}
	for (g = 0; g < r->groups; g++) {
		double da = r->c[g][a] - ma, db = r->c[g][b] - mb;

		aa += da * da;
		bb += db * db;
		ab += da * db;
	}
	return aa > 0 && bb > 0 ? fmin(fmax(ab / sqrt(aa * bb), 0), 1) : 1;
}

int mix_combine(const struct mix_part *parts, unsigned int count,
		const struct sample *samples, size_t n, struct mix *out, struct err *err)
{
	struct replicates *r = calloc(1, sizeof(*r));
	double var = 0, sum = 0;
	unsigned int i, k, pairs = 0;

	*out = (struct mix){ .dof = INFINITY };
	if (!r || (count > 1 && fit_replicates(parts, count, samples, n, r))) {
		free(r);
		return err_set(err, -ENOMEM, "out of memory for a mix of loads");
	}
	out->correlated = r->groups > 0;
	for (i = 0; i < count; i++) {
		out->c += parts[i].weight * parts[i].c;
		out->dof = fmin(out->dof, parts[i].dof);
		var += pow(parts[i].weight * parts[i].se, 2);
		for (k = 0; k < i; k++, pairs++) {
			double one = r->groups ? correlation(r, i, k) : 1;

			sum += one;
			var += 2 * one * parts[i].weight * parts[i].se * parts[k].weight *
			       parts[k].se;
		}
	}
	free(r);
	out->se = sqrt(var);
	out->correlation = pairs ? sum / pairs : 1;
	out->ci95[0] = out->c - lsq_t975(out->dof) * out->se;
	out->ci95[1] = out->c + lsq_t975(out->dof) * out->se;
	return 0;
}
