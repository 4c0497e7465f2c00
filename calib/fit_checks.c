// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: the checks of 'calib check' that concern the fitted clusters by themselves.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/check_facts.h"
#include "calib/fit.h"
#include "models/checks.h"

/* The others judge a whole machine, and how its tree gives the coefficients. */
static const struct {
	const char *name;
	bool needs_pair;
} wanted[] = {
	{ "monotonic", false }, { "limits", false }, { "voltage", false },
	{ "ratio", true },	{ "cost", true },    { "order", true },
};

/* The capacities of the machine's tree go before those that were measured. */
static void take_capacities(struct coeffs *c, const struct fit_input *in)
{
	unsigned int i;

	for (i = 0; i < c->cluster_count; i++) {
		struct coeffs_cluster *cl = &c->clusters[i];
		const struct runinfo_cluster *info =
			in->has_info ? runinfo_cluster(&in->info, cl->name) : NULL;

		if (!info || !info->capacity_dmips_mhz)
			continue;
		cl->has_capacity = true;
		cl->capacity_dmips_mhz = info->capacity_dmips_mhz;
	}
}

/* One check: not listed when it could not be made. The first item tells, findings first.
 */
static void add_check(struct coeffs *out, const struct checks *c, const char *name)
{
	struct coeffs_check *k = &out->checks[out->check_count];
	const struct checks_item *told = NULL;
	unsigned int i, findings = 0;
	char more[32] = "";

	for (i = 0; i < c->item_count; i++) {
		const struct checks_item *item = &c->items[i];

		if (strcmp(item->check, name))
			continue;
		if (item->severity == CHECKS_LEFT_OUT)
			return;
		if (!told || (item->severity == CHECKS_FINDING && !findings))
			told = item;
		findings += item->severity == CHECKS_FINDING;
	}
	memset(k, 0, sizeof(*k));
	snprintf(k->name, sizeof(k->name), "%s", name);
	k->ok = !findings;
	if (findings > 1)
		snprintf(more, sizeof(more), "; and %u more", findings - 1);
	if (told)
		snprintf(k->text, sizeof(k->text) - strlen(more), "%s%s%.*s",
			 told->domain < 0 ? "" : out->clusters[told->domain].name,
			 told->domain < 0 ? "" : ": ", COEFFS_TEXT - 36, told->text);
	strcat(k->text, more);
	out->check_count++;
}

static int run_checks(struct coeffs *out, const struct coeffs *clusters,
		      struct check_facts *facts, struct checks *c, struct err *err)
{
	struct checks_input input = { 0 };
	size_t i;
	int ret = check_facts_of_clusters(facts, clusters, err);

	if (ret)
		return err_wrap(err, ret, "checking the result");
	input.d = facts->d;
	input.capacity_unknown = facts->capacity_unknown;
	input.band = check_facts_band(facts);
	input.measured = facts->measured;
	checks_run(&input, c);
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		bool made = !strcmp(wanted[i].name, "order") ? c->order_known
							     : c->ratio.known;

		if (!wanted[i].needs_pair || made)
			add_check(out, c, wanted[i].name);
	}
	return 0;
}

int fit_checks(struct coeffs *out, const struct fit_input *in, struct err *err)
{
	struct check_facts *facts = calloc(1, sizeof(*facts));
	struct coeffs *clusters = coeffs_new();
	struct checks *c = checks_new();
	int ret = -ENOMEM;

	if (facts && clusters && c) {
		*clusters = *out;
		take_capacities(clusters, in);
		ret = run_checks(out, clusters, facts, c, err);
	} else {
		err_set(err, ret, "out of memory");
	}
	if (facts)
		check_facts_free(facts);
	free(facts);
	coeffs_free(clusters);
	checks_free(c);
	return ret;
}
