// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which cluster is cheapest for a given throughput: by measurement, and by what the
 * kernel's energy model says. Where they differ EAS will choose the dearer one. Two
 * coefficients of mainline were corrected by hand because of that (sdm845's little from
 * 290 to 154, sm8250's from 205 to 105): static and shared power was in them, and the
 * little CPUs stood idle.
 *
 * A task of throughput t (in capacity, 0..1024) runs on a cluster at its lowest state
 * that delivers t, there for t / performance of the time; its cost is that share of the
 * state's power. The measured power is that of one more busy CPU of a cluster that is
 * awake: what a further task really adds, and what the binding's coefficient stands for.
 * Waking a cluster costs its shared clock and leakage, too; no coefficient can tell the
 * kernel, so that is a note. Where only one CPU count was measured, its power above idle
 * is all there is, and it contains the shared part for every cluster alike.
 */
#include "models/checks_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* EAS itself did not move a task for less than 1/16 (find_energy_efficient_cpu(), v5.x).
 */
#define MIN_LOSS     (1 / 16.0)
#define CAPACITY_MAX 1024

/* One cluster's way to deliver a throughput. */
struct offer {
	unsigned int domain;
	size_t state;
	double kernel_uw;	      /* as the energy model has it */
	double next_uw, next_ci_uw;   /* measured, one more CPU */
	double first_uw, first_ci_uw; /* measured, waking the cluster */
};

/* A choice that the measurement does not bear out. */
struct pair {
	double capacity;
	struct offer cheap, chosen;
	double loss_uw; /* that the choice costs more */
};

struct order {
	const struct dtcpus *d;
	const struct checks_measured *measured;
	const struct checks *checks;
	bool has_next; /* every cluster was measured with several CPU counts */
	struct offer offers[DTCPUS_MAX_DOMAINS];
	unsigned int offer_count;
	struct pair pairs[DTCPUS_MAX_OPPS];
	unsigned int pair_count;
	struct pair worst_wake;
	unsigned int wakes, demands;
};

static bool is_measured(const struct checks_power *p, bool next)
{
	return next ? p->next_uw > 0 : p->first_uw > 0;
}

/* Where a CPU has no capacity the kernel's is made up, and no throughput. */
static bool comparable(const struct order *o, unsigned int i)
{
	return o->checks->domains[i].has_current && o->checks->domains[i].has_capacity &&
	       o->d->cpus[o->d->domains[i].cpus[0]].has_capacity &&
	       !o->checks->capacity_partial;
}

/* Domains that can be compared, measured in this way at some state. */
static unsigned int count_measured(const struct order *o, bool next)
{
	unsigned int i, n = 0;
	size_t k;

	for (i = 0; i < o->checks->domain_count; i++) {
		const struct checks_domain *cd = &o->checks->domains[i];

		for (k = 0; comparable(o, i) && k < cd->state_count; k++)
			if (is_measured(&o->measured[i].states[k], next))
				break;
		n += comparable(o, i) && k < cd->state_count;
	}
	return n;
}

static bool find_offer(const struct order *o, unsigned int domain, double capacity,
		       struct offer *out)
{
	const struct checks_domain *cd = &o->checks->domains[domain];
	const struct checks_power *p;
	double share;
	size_t i = 0;

	while (i < cd->state_count && cd->current[i].performance < capacity)
		i++;
	if (i == cd->state_count)
		return false;
	p = &o->measured[domain].states[i];
	if (!is_measured(p, o->has_next))
		return false;
	share = capacity / cd->current[i].performance;
	*out = (struct offer){ domain,
			       i,
			       share * cd->current[i].power,
			       share * p->next_uw,
			       share * p->next_ci_uw,
			       share * p->first_uw,
			       share * p->first_ci_uw };
	if (!o->has_next) {
		out->next_uw = out->first_uw;
		out->next_ci_uw = out->first_ci_uw;
	}
	return true;
}

/* What the dearer way costs more; 0 where that is within the error, or too little. */
static double loss_uw(double cheap, double cheap_ci, double dear, double dear_ci)
{
	double more = dear - cheap;

	return more > hypot(cheap_ci, dear_ci) && more > MIN_LOSS * cheap ? more : 0;
}

static bool same_states(const struct pair *a, const struct pair *b)
{
	return a->cheap.domain == b->cheap.domain && a->cheap.state == b->cheap.state &&
	       a->chosen.domain == b->chosen.domain && a->chosen.state == b->chosen.state;
}

/* Of one pair of states the throughput with the greatest loss. */
static void add_pair(struct order *o, const struct pair *p)
{
	unsigned int i = 0;

	while (i < o->pair_count && !same_states(&o->pairs[i], p))
		i++;
	if (i == DTCPUS_MAX_OPPS)
		return;
	if (i == o->pair_count)
		o->pairs[o->pair_count++] = *p;
	else if (p->loss_uw > o->pairs[i].loss_uw)
		o->pairs[i] = *p;
}

/* Is one more CPU of an awake cluster cheaper than waking the one that is chosen? */
static void look_at_wake(struct order *o, const struct offer *chosen, double capacity)
{
	struct pair p = { .capacity = capacity, .chosen = *chosen };
	unsigned int i;

	if (!o->has_next || !(chosen->first_uw > 0))
		return;
	for (i = 0; i < o->offer_count; i++) {
		const struct offer *f = &o->offers[i];

		if (f->domain == chosen->domain ||
		    (p.cheap.next_uw > 0 && f->next_uw >= p.cheap.next_uw))
			continue;
		p.cheap = *f;
	}
	p.loss_uw = loss_uw(p.cheap.next_uw, p.cheap.next_ci_uw, chosen->first_uw,
			    chosen->first_ci_uw);
	if (!(p.loss_uw > 0))
		return;
	o->wakes++;
	if (p.loss_uw > o->worst_wake.loss_uw)
		o->worst_wake = p;
}

static void look_at(struct order *o, double capacity)
{
	const struct offer *cheap, *chosen;
	struct pair p = { .capacity = capacity };
	unsigned int i;

	o->offer_count = 0;
	for (i = 0; i < o->checks->domain_count; i++)
		if (comparable(o, i) &&
		    find_offer(o, i, capacity, &o->offers[o->offer_count]))
			o->offer_count++;
	if (o->offer_count < 2)
		return;
	cheap = chosen = &o->offers[0];
	for (i = 1; i < o->offer_count; i++) {
		if (o->offers[i].next_uw < cheap->next_uw)
			cheap = &o->offers[i];
		if (o->offers[i].kernel_uw < chosen->kernel_uw)
			chosen = &o->offers[i];
	}
	o->demands++;
	p.cheap = *cheap;
	p.chosen = *chosen;
	p.loss_uw = loss_uw(cheap->next_uw, cheap->next_ci_uw, chosen->next_uw,
			    chosen->next_ci_uw);
	if (p.loss_uw > 0)
		add_pair(o, &p);
	else
		look_at_wake(o, chosen, capacity);
}

static const char *name(const struct order *o, const struct offer *f)
{
	return o->measured[f->domain].name;
}

static uint64_t mhz(const struct order *o, const struct offer *f)
{
	return o->checks->domains[f->domain].current[f->state].khz / 1000;
}

static void tell_pair(const struct order *o, const struct pair *p, struct checks *out)
{
	checks_add(
		out, CHECKS_FINDING, "order", -1,
		"at capacity %.0f of %d: %s at %" PRIu64 " MHz costs %.3g mW by "
		"measurement%s, the kernel will think %.3g mW and choose %s at %" PRIu64
		" MHz for %.3g mW, which costs %.3g mW",
		p->capacity, CAPACITY_MAX, name(o, &p->cheap), mhz(o, &p->cheap),
		p->cheap.next_uw / 1e3, o->has_next ? "" : " (its shared power included)",
		p->cheap.kernel_uw / 1e3, name(o, &p->chosen), mhz(o, &p->chosen),
		p->chosen.kernel_uw / 1e3, p->chosen.next_uw / 1e3);
}

static void tell_wake(const struct order *o, struct checks *out)
{
	const struct pair *p = &o->worst_wake;

	if (!o->wakes)
		return;
	checks_add(out, CHECKS_NOTE, "order", -1,
		   "the kernel does not count what waking a cluster costs: at capacity "
		   "%.0f of %d it chooses %s at %" PRIu64
		   " MHz, where the first CPU costs %.3g mW, while one more of %s costs "
		   "%.3g mW if that is awake (so at %u of %u throughputs)",
		   p->capacity, CAPACITY_MAX, name(o, &p->chosen), mhz(o, &p->chosen),
		   p->chosen.first_uw / 1e3, name(o, &p->cheap), p->cheap.next_uw / 1e3,
		   o->wakes, o->demands);
}

static int by_loss(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return (x->loss_uw < y->loss_uw) - (x->loss_uw > y->loss_uw);
}

static void look_at_all(struct order *o)
{
	unsigned int i;
	size_t k;

	for (i = 0; i < o->checks->domain_count; i++) {
		const struct checks_domain *cd = &o->checks->domains[i];

		for (k = 0; comparable(o, i) && k < cd->state_count; k++)
			look_at(o, cd->current[k].performance);
	}
}

void checks_order(const struct checks_input *in, struct checks *out)
{
	struct order *o = calloc(1, sizeof(*o));
	unsigned int i, n;

	if (!o || !in->measured)
		goto out_free;
	o->d = in->d;
	o->measured = in->measured;
	o->checks = out;
	n = count_measured(o, true);
	o->has_next = n > 1 && n == count_measured(o, false);
	look_at_all(o);
	out->order_known = o->demands > 0;
	qsort(o->pairs, o->pair_count, sizeof(o->pairs[0]), by_loss);
	for (i = 0; i < o->pair_count; i++)
		tell_pair(o, &o->pairs[i], out);
	tell_wake(o, out);
out_free:
	free(o);
}
