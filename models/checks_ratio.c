// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The big/LITTLE ratio: of the coefficients, which the expected band is about, and of
 * power at the top OPPs and at equal clock, to show what it comes to.
 */
#include "models/checks_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Which of two domains is the bigger: by capacity where known, else by coefficient. */
static bool bigger(const struct checks *c, unsigned int a, unsigned int b)
{
	const struct checks_domain *da = &c->domains[a], *db = &c->domains[b];

	if (da->has_capacity && db->has_capacity && da->capacity != db->capacity)
		return da->capacity > db->capacity;
	return da->dpc_uw_per_mhz_v2 > db->dpc_uw_per_mhz_v2;
}

static bool find_pair(const struct checks *c, struct checks_ratio *r)
{
	unsigned int i;

	r->big = r->little = 0;
	for (i = 1; i < c->domain_count; i++) {
		if (bigger(c, i, r->big))
			r->big = i;
		if (bigger(c, r->little, i))
			r->little = i;
	}
	return r->big != r->little && bigger(c, r->big, r->little);
}

/* The pair of OPPs whose clocks are nearest; of equally near ones the highest. */
static void find_equal(const struct em_state *big, size_t nbig,
		       const struct em_state *little, size_t nlittle, size_t *ibig,
		       size_t *ilittle)
{
	uint64_t best = UINT64_MAX;
	size_t i, j;

	for (i = 0; i < nbig; i++) {
		for (j = 0; j < nlittle; j++) {
			uint64_t a = big[i].khz, b = little[j].khz;
			uint64_t apart = a > b ? a - b : b - a;

			if (apart > best)
				continue;
			best = apart;
			*ibig = i;
			*ilittle = j;
		}
	}
}

static void power_ratios(const struct checks *c, struct checks_ratio *r)
{
	const struct checks_domain *big = &c->domains[r->big];
	const struct checks_domain *little = &c->domains[r->little];
	const struct em_state *b = big->current, *l = little->current;
	size_t ib = 0, il = 0;

	r->has_power = big->has_current && little->has_current;
	if (!r->has_power)
		return;
	find_equal(b, big->state_count, l, little->state_count, &ib, &il);
	r->by_equal_power = (double)b[ib].power / l[il].power;
	r->big_equal_khz = b[ib].khz;
	r->little_equal_khz = l[il].khz;
	b += big->state_count - 1;
	l += little->state_count - 1;
	r->by_top_power = (double)b->power / l->power;
	r->big_top_khz = b->khz;
	r->little_top_khz = l->khz;
}

static void judge(const struct checks_band *band, struct checks *out)
{
	struct checks_ratio *r = &out->ratio;

	if (!band->known) {
		checks_add(out, CHECKS_LEFT_OUT, "ratio", -1,
			   "no band known for this board; give one with --ratio MIN:MAX");
		return;
	}
	r->has_band = true;
	r->band_min = band->min;
	r->band_max = band->max;
	r->in_band = r->by_dpc >= band->min && r->by_dpc <= band->max;
	if (!r->in_band)
		checks_add(out, CHECKS_FINDING, "ratio", -1,
			   "the coefficients' big/LITTLE ratio %" PRIu32 "/%" PRIu32
			   " = %.2f is outside %g..%g (%s)",
			   out->domains[r->big].dpc_uw_per_mhz_v2,
			   out->domains[r->little].dpc_uw_per_mhz_v2, r->by_dpc,
			   band->min, band->max, band->source);
}

/* What the kernel reckons @perf costs on @cd: of the lowest state that delivers it. */
static bool cost_of(const struct checks_domain *cd, uint64_t perf, uint64_t *cost)
{
	size_t i;

	for (i = 0; i < cd->state_count; i++) {
		if (cd->current[i].performance < perf)
			continue;
		*cost = cd->current[i].cost;
		return true;
	}
	return false;
}

/*
 * EAS compares cost at equal performance. Where the little CPU costs more, it is passed
 * over; coefficients were corrected in mainline because of that (sdm845, sm8250).
 */
static void compare_costs(struct checks *out)
{
	const struct checks_domain *big = &out->domains[out->ratio.big];
	const struct checks_domain *little = &out->domains[out->ratio.little];
	size_t i, dearer = 0, first = 0;

	for (i = little->state_count; i-- > 0;) {
		uint64_t cost;

		if (!cost_of(big, little->current[i].performance, &cost) ||
		    little->current[i].cost <= cost)
			continue;
		dearer++;
		first = i;
	}
	if (!dearer)
		return;
	if (dearer == little->state_count)
		checks_add(
			out, CHECKS_FINDING, "cost", out->ratio.little,
			"costs more than %s at the same performance, at every OPP: EAS "
			"will avoid the little CPUs",
			big->compatible);
	else
		checks_add(
			out, CHECKS_NOTE, "cost", out->ratio.little,
			"costs more than %s at the same performance at %zu of %zu OPPs, "
			"from %" PRIu64 " MHz: EAS prefers the big CPUs there",
			big->compatible, dearer, little->state_count,
			little->current[first].khz / 1000);
}

void checks_big_little(const struct checks_band *band, struct checks *out)
{
	struct checks_ratio *r = &out->ratio;
	const struct checks_domain *big, *little;

	if (out->domain_count < 2 || !find_pair(out, r))
		return;
	big = &out->domains[r->big];
	little = &out->domains[r->little];
	r->has_dpc = big->has_dpc && big->dpc_uw_per_mhz_v2 && little->has_dpc &&
		     little->dpc_uw_per_mhz_v2;
	if (r->has_dpc)
		r->by_dpc = (double)big->dpc_uw_per_mhz_v2 / little->dpc_uw_per_mhz_v2;
	power_ratios(out, r);
	r->known = r->has_dpc || r->has_power;
	if (r->has_dpc)
		judge(band, out);
	if (r->has_power && big->has_capacity && little->capacity < big->capacity)
		compare_costs(out);
}
