// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What coeffs.json says was measured, by domain and OPP of the machine.
 */
#include <errno.h>
#include <stdlib.h>

#include "calib/check_facts.h"

static void take_opp(struct checks_power *out, const struct coeffs_opp *opp)
{
	if (opp->has_next && opp->next_uw > 0) {
		out->next_uw = opp->next_uw;
		out->next_ci_uw = opp->next_ci_uw;
	}
	if (opp->has_measured && opp->measured_uw > 0) {
		out->first_uw = opp->measured_uw;
		out->first_ci_uw = opp->measured_ci_uw;
	}
}

static void take_domain(struct checks_measured *out, const struct dt_domain *dom,
			const struct coeffs_cluster *c)
{
	unsigned int i, k = 0;

	out->name = c->name;
	/* Both ascend. */
	for (i = 0; i < dom->opp_count; i++) {
		while (k < c->opp_count && c->opps[k].hz < dom->opps[i].hz)
			k++;
		if (k < c->opp_count && c->opps[k].hz == dom->opps[i].hz)
			take_opp(&out->states[i], &c->opps[k]);
	}
}

int check_facts_measured(struct check_facts *facts, struct err *err)
{
	unsigned int i;

	facts->measured = calloc(facts->d->domain_count + 1, sizeof(*facts->measured));
	if (!facts->measured)
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < facts->d->domain_count; i++)
		if (facts->cluster_of[i])
			take_domain(&facts->measured[i], &facts->d->domains[i],
				    &facts->coeffs->clusters[facts->cluster_of[i] - 1]);
	return 0;
}
