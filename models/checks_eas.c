// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What EAS asks of the tree as a whole: capacities, one coefficient per frequency domain,
 * an energy model for every CPU.
 */
#include "models/checks_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/em_shown.h"

#define CAPACITY_MAX 1024

uint64_t checks_top_khz(const struct dt_domain *dom)
{
	uint64_t top = 0;
	unsigned int i;

	for (i = 0; i < dom->opp_count; i++)
		if (!dom->opps[i].turbo)
			top = dom->opps[i].hz / 1000;
	if (!top && dom->opp_count)
		top = dom->opps[dom->opp_count - 1].hz / 1000;
	return top;
}

/* The CPUs that a domain lists; holes in the numbers and CPUs elsewhere do not count. */
static unsigned int count_cpus(const struct dtcpus *d, unsigned int *with_capacity)
{
	unsigned int i, j, n = 0;

	*with_capacity = 0;
	for (i = 0; i < d->domain_count; i++)
		for (j = 0; j < d->domains[i].cpu_count; j++, n++)
			*with_capacity += d->cpus[d->domains[i].cpus[j]].has_capacity;
	return n;
}

static void report_partial(const struct dtcpus *d, unsigned int missing,
			   struct checks *out)
{
	char list[CHECKS_TEXT / 2] = "", name[32];
	unsigned int i, j;

	for (i = 0; i < d->domain_count; i++) {
		for (j = 0; j < d->domains[i].cpu_count; j++) {
			unsigned int cpu = d->domains[i].cpus[j];

			if (d->cpus[cpu].has_capacity)
				continue;
			checks_append(list, sizeof(list), "%s%s", list[0] ? ", " : "",
				      checks_cpu_name(d, cpu, name, sizeof(name)));
		}
	}
	checks_add(out, CHECKS_FINDING, "capacity", -1,
		   "capacity-dmips-mhz is missing on %s%s, so the kernel ignores it for "
		   "all CPUs and takes 1024",
		   list, missing == 1 ? " only" : "");
}

static void normalize(const struct dtcpus *d, struct checks *out)
{
	uint32_t dmips[DTCPUS_MAX_DOMAINS] = { 0 }, capacity[DTCPUS_MAX_DOMAINS];
	uint64_t khz[DTCPUS_MAX_DOMAINS] = { 0 };
	unsigned int i;

	for (i = 0; i < d->domain_count; i++) {
		dmips[i] = d->cpus[d->domains[i].cpus[0]].capacity_dmips_mhz;
		khz[i] = checks_top_khz(&d->domains[i]);
	}
	em_capacity(dmips, khz, capacity, d->domain_count);
	for (i = 0; i < d->domain_count; i++) {
		out->domains[i].has_capacity = khz[i] != 0;
		out->domains[i].capacity = capacity[i];
	}
}

void checks_capacity(const struct checks_input *in, struct checks *out)
{
	const struct dtcpus *d = in->d;
	unsigned int with, i;
	unsigned int cpus = count_cpus(d, &with);

	if (with && with == cpus) {
		normalize(d, out);
		return;
	}
	for (i = 0; i < d->domain_count; i++) {
		out->domains[i].has_capacity = !in->capacity_unknown;
		out->domains[i].capacity = CAPACITY_MAX;
	}
	out->capacity_partial = with != 0 && !in->capacity_unknown;
	if (in->capacity_unknown)
		checks_add(out, CHECKS_LEFT_OUT, "capacity", -1,
			   "capacities not known; the current rule is computed "
			   "with 1024 for all");
	else if (with)
		report_partial(d, cpus - with, out);
}

/* EAS wants CPUs of different capacity; a machine of one kind simply is not for it. */
static void check_asymmetry(const struct dtcpus *d, struct checks *out)
{
	const struct checks_domain *doms = out->domains;
	bool kinds = false;
	unsigned int with, i;

	count_cpus(d, &with);
	for (i = 0; i < out->domain_count; i++) {
		if (!doms[i].has_capacity || doms[i].capacity != doms[0].capacity)
			return;
		kinds |= strcmp(doms[i].compatible, doms[0].compatible) != 0;
	}
	if (out->capacity_partial || !out->domain_count)
		return;
	if (!kinds)
		checks_add(out, CHECKS_NOTE, "capacity", -1,
			   "all CPUs have the same capacity: the kernel does not use EAS "
			   "on a symmetric machine");
	else
		checks_add(out, CHECKS_FINDING, "capacity", -1,
			   "all capacities are equal although the cores differ%s: EAS "
			   "stays off without asymmetric capacity",
			   with ? "" : " (no CPU has capacity-dmips-mhz)");
}

static void report_first_cpu(const struct dtcpus *d, unsigned int index, unsigned int has,
			     struct checks *out)
{
	const struct dt_domain *dom = &d->domains[index];
	char cpus[CHECKS_TEXT / 4], first[32], other[32];

	checks_add(
		out, CHECKS_FINDING, "coefficient", index,
		"%s: the first CPU %s has no dynamic-power-coefficient, so the domain "
		"gets no energy model and EAS stays off for the whole system, although "
		"%s has one",
		checks_cpus(d, index, cpus, sizeof(cpus)),
		checks_cpu_name(d, dom->cpus[0], first, sizeof(first)),
		checks_cpu_name(d, has, other, sizeof(other)));
}

/* Did an earlier CPU of the domain have the coefficient of its CPU number @n? */
static bool seen(const struct dtcpus *d, const struct dt_domain *dom, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (d->cpus[dom->cpus[i]].has_dpc &&
		    d->cpus[dom->cpus[i]].dpc_uw_per_mhz_v2 ==
			    d->cpus[dom->cpus[n]].dpc_uw_per_mhz_v2)
			return true;
	return false;
}

static void report_different(const struct dtcpus *d, unsigned int index,
			     struct checks *out)
{
	const struct dt_domain *dom = &d->domains[index];
	char cpus[CHECKS_TEXT / 4], values[CHECKS_TEXT / 4] = "";
	unsigned int i;

	for (i = 0; i < dom->cpu_count; i++)
		if (d->cpus[dom->cpus[i]].has_dpc && !seen(d, dom, i))
			checks_append(values, sizeof(values), "%s%" PRIu32,
				      values[0] ? "/" : "",
				      d->cpus[dom->cpus[i]].dpc_uw_per_mhz_v2);
	checks_add(out, CHECKS_FINDING, "coefficient", index,
		   "different coefficients %s in one frequency domain, %s; the kernel "
		   "takes the first CPU's for all",
		   values, checks_cpus(d, index, cpus, sizeof(cpus)));
}

/* Returns true when it reported that the domain has no model for want of the first. */
static bool check_coefficient(const struct dtcpus *d, unsigned int index,
			      struct checks *out)
{
	const struct dt_domain *dom = &d->domains[index];
	const struct dt_cpu *one = NULL;
	unsigned int i;
	bool differ = false;

	for (i = 0; i < dom->cpu_count; i++) {
		const struct dt_cpu *cpu = &d->cpus[dom->cpus[i]];

		if (!cpu->has_dpc)
			continue;
		if (!one)
			one = cpu;
		differ |= cpu->dpc_uw_per_mhz_v2 != one->dpc_uw_per_mhz_v2;
	}
	if (differ)
		report_different(d, index, out);
	if (!one || out->domains[index].has_dpc ||
	    out->domains[index].source == CHECKS_OPP_MICROWATT)
		return false;
	report_first_cpu(d, index, one - d->cpus, out);
	return true;
}

static void check_zero(const struct dtcpus *d, unsigned int index, struct checks *out)
{
	char cpus[CHECKS_TEXT / 4];

	if (!out->domains[index].has_dpc || out->domains[index].dpc_uw_per_mhz_v2)
		return;
	checks_add(out, CHECKS_FINDING, "coefficient", index,
		   "%s: the coefficient is 0, which the kernel takes for none",
		   checks_cpus(d, index, cpus, sizeof(cpus)));
}

/* build_perf_domains(): one CPU without an energy model, and EAS is off. */
static void check_models(const struct dtcpus *d, const bool *reported, struct checks *out)
{
	char list[CHECKS_TEXT / 2] = "", cpus[CHECKS_TEXT / 4];
	unsigned int i, missing = 0, have = 0;

	for (i = 0; i < d->domain_count; i++) {
		if (out->domains[i].source != CHECKS_NO_MODEL) {
			have++;
		} else if (!reported[i]) {
			missing++;
			checks_append(list, sizeof(list), "%s%s", list[0] ? "; " : "",
				      checks_cpus(d, i, cpus, sizeof(cpus)));
		}
	}
	if (!missing)
		return;
	if (!have && missing == d->domain_count)
		checks_add(out, CHECKS_FINDING, "energy-model", -1,
			   "no CPU has a dynamic-power-coefficient: no energy model, EAS "
			   "stays off");
	else
		checks_add(
			out, CHECKS_FINDING, "energy-model", -1,
			"no dynamic-power-coefficient on %s: no energy model there, so "
			"EAS stays off for the whole system",
			list);
}

static void check_complexity(const struct dtcpus *d, struct checks *out)
{
	unsigned int with, i, states = 0;
	unsigned int cpus = count_cpus(d, &with);

	for (i = 0; i < d->domain_count; i++)
		states += d->domains[i].opp_count;
	out->complexity_v56 = em_complexity(d->domain_count, cpus, states);
	if (out->complexity_v56 > EM_MAX_COMPLEXITY)
		checks_add(out, CHECKS_NOTE, "limits", -1,
			   "energy model complexity %u is above %d: v5.6 leaves EAS off",
			   out->complexity_v56, EM_MAX_COMPLEXITY);
}

static void note_disabled(const struct dtcpus *d, struct checks *out)
{
	char list[CHECKS_TEXT / 2] = "", name[32];
	unsigned int i, j;

	for (i = 0; i < d->domain_count; i++) {
		for (j = 0; j < d->domains[i].cpu_count; j++) {
			unsigned int cpu = d->domains[i].cpus[j];

			if (d->cpus[cpu].enabled)
				continue;
			checks_append(list, sizeof(list), "%s%s", list[0] ? ", " : "",
				      checks_cpu_name(d, cpu, name, sizeof(name)));
		}
	}
	if (list[0])
		checks_add(out, CHECKS_NOTE, "energy-model", -1,
			   "disabled in the tree, counted all the same: %s", list);
}

void checks_eas(const struct checks_input *in, struct checks *out)
{
	const struct dtcpus *d = in->d;
	bool reported[DTCPUS_MAX_DOMAINS] = { false };
	unsigned int i;

	for (i = 0; i < d->domain_count; i++) {
		reported[i] = check_coefficient(d, i, out);
		check_zero(d, i, out);
	}
	check_models(d, reported, out);
	check_asymmetry(d, out);
	check_complexity(d, out);
	note_disabled(d, out);
}
