// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare a running kernel's energy model with what its device tree asks for.
 */
#include "models/verify_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void verify_item(struct verify_domain *d, const char *cause, bool note, const char *fmt,
		 ...)
{
	struct verify_item *item = &d->items[d->item_count];
	va_list ap;

	if (d->item_count == VERIFY_MAX_ITEMS)
		return;
	item->cause = cause;
	item->note = note;
	va_start(ap, fmt);
	vsnprintf(item->text, sizeof(item->text), fmt, ap);
	va_end(ap);
	d->item_count++;
}

void verify_differs(struct verify_state *s, const char *cause, const char *fmt, ...)
{
	va_list ap;

	s->differs = true;
	s->cause = cause;
	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
}

static const struct dt_domain *tree_domain(const struct verify_input *in)
{
	return in->domain < 0 ? NULL : &in->d->domains[in->domain];
}

/* What the kernel has of an OPP at run time; NULL: it has none, or does not tell. */
static const struct verify_opp *run_time_opp(const struct verify_input *in, uint64_t khz)
{
	unsigned int i;

	for (i = 0; i < in->opp_count; i++)
		if (in->opps[i].hz / 1000 == khz)
			return &in->opps[i];
	return NULL;
}

uint64_t verify_power(enum em_unit unit, enum verify_source source, uint32_t dpc,
		      const struct dt_opp *opp, uint32_t volt_uv)
{
	if (source == VERIFY_OPP_MICROWATT)
		return opp->has_power ? opp->power_uw / (unit == EM_MILLIWATT ? 1000 : 1)
				      : 0;
	if (source != VERIFY_COEFFICIENT)
		return 0;
	return unit == EM_MILLIWATT ? em_power_mw_v56(dpc, opp->hz, volt_uv)
				    : em_power_uw(dpc, opp->hz, volt_uv);
}

/* The states of both sides, by their clock. */
static struct verify_state *add_state(struct verify_domain *d, uint64_t khz)
{
	struct verify_state *s;
	unsigned int i = d->state_count;

	while (i > 0 && d->states[i - 1].khz > khz)
		i--;
	if (i > 0 && d->states[i - 1].khz == khz)
		return &d->states[i - 1];
	memmove(&d->states[i + 1], &d->states[i],
		(d->state_count - i) * sizeof(d->states[0]));
	d->state_count++;
	s = &d->states[i];
	memset(s, 0, sizeof(*s));
	s->khz = khz;
	s->cause = "";
	return s;
}

static void merge_states(const struct verify_input *in, struct verify_domain *d)
{
	const struct dt_domain *dom = tree_domain(in);
	struct verify_state *s;
	unsigned int i;

	for (i = 0; i < in->kernel->state_count; i++) {
		s = add_state(d, in->kernel->states[i].khz);
		s->in_kernel = true;
		s->kernel = in->kernel->states[i];
	}
	for (i = 0; dom && i < dom->opp_count; i++) {
		s = add_state(d, dom->opps[i].hz / 1000);
		if (s->in_tree)
			continue; /* of two of one clock the first counts */
		s->in_tree = s->has_opp = true;
		s->opp = dom->opps[i];
		s->tree_uv = dom->opps[i].has_volt ? dom->opps[i].volt_uv : 0;
	}
}

/* Voltages at run time, and OPPs that a driver has added to the tree's. */
static void add_run_time(const struct verify_input *in, struct verify_domain *d)
{
	unsigned int i;

	for (i = 0; i < d->state_count; i++) {
		struct verify_state *s = &d->states[i];
		const struct verify_opp *run = run_time_opp(in, s->khz);

		s->volt_uv = run && run->volt_uv ? run->volt_uv : s->tree_uv;
		if (s->has_opp || !run || in->domain < 0)
			continue;
		s->has_opp = true;
		s->opp.hz = run->hz;
	}
}

static void set_powers(struct verify_domain *d, enum em_unit unit,
		       enum verify_source source)
{
	unsigned int i;

	for (i = 0; i < d->state_count; i++) {
		struct verify_state *s = &d->states[i];

		s->ours.khz = s->khz;
		s->ours.power = s->has_opp
					? verify_power(unit, source, d->dpc_uw_per_mhz_v2,
						       &s->opp, s->volt_uv)
					: 0;
		s->has_ours = s->ours.power != 0;
	}
	d->unit = unit;
	d->source = source;
}

/* States whose power is the kernel's. */
static unsigned int count_equal(const struct verify_domain *d)
{
	unsigned int i, n = 0;

	for (i = 0; i < d->state_count; i++)
		n += d->states[i].in_kernel && d->states[i].has_ours &&
		     d->states[i].ours.power == d->states[i].kernel.power;
	return n;
}

/* dev_pm_opp_of_register_em(): since v5.19 opp-microwatt of the first OPP goes first. */
static void set_source(const struct verify_input *in, struct verify_domain *d,
		       enum em_unit unit)
{
	const struct dt_domain *dom = tree_domain(in);
	const bool has = dom && dom->opp_count && dom->opps[0].power_uw;
	const enum verify_source dpc = d->has_dpc && d->dpc_uw_per_mhz_v2
					       ? VERIFY_COEFFICIENT
					       : VERIFY_NO_POWER;
	unsigned int by_dpc;
	bool reads = has;

	set_powers(d, unit, dpc);
	if (unit == EM_MILLIWATT && (!d->kernel->has_flags || in->release))
		reads = has && d->kernel->has_flags && in->release >= EM_RELEASE(5, 19);
	if (!reads)
		return;
	by_dpc = count_equal(d);
	set_powers(d, unit, VERIFY_OPP_MICROWATT);
	if (unit == EM_MILLIWATT && !in->release && by_dpc > count_equal(d))
		set_powers(d, unit, dpc);
}

/* What the release says, and no file, gives way to a unit in which everything fits. */
static void find_unit(const struct verify_input *in, struct verify_domain *d)
{
	unsigned int uw, mw;
	bool sure;
	enum em_unit unit = em_shown_unit(d->kernel, in->release, &sure, &d->unit_why);

	if (sure) {
		set_source(in, d, unit);
		return;
	}
	set_source(in, d, EM_MILLIWATT);
	mw = count_equal(d);
	set_source(in, d, EM_MICROWATT);
	uw = count_equal(d);
	if (unit == EM_MICROWATT ? mw > 0 && !uw : uw > 0 && !mw) {
		unit = unit == EM_MICROWATT ? EM_MILLIWATT : EM_MICROWATT;
		d->unit_why = "powers that fit in this unit only, against the release";
	} else if (unit == EM_UNIT_UNKNOWN && uw != mw) {
		unit = uw > mw ? EM_MICROWATT : EM_MILLIWATT;
		d->unit_why = "powers that fit in this unit only";
	}
	set_source(in, d, unit == EM_UNIT_UNKNOWN ? EM_MICROWATT : unit);
	if (unit != EM_UNIT_UNKNOWN)
		return;
	d->unit = unit;
	verify_item(d, "unit", false,
		    "the powers are in mW or in uW, and nothing tells which: %s",
		    d->unit_why);
}

int verify_costs(const struct verify_domain *d, uint32_t capacity, bool kernels,
		 struct em_state *states, struct err *err)
{
	unsigned int i, n = 0;

	for (i = 0; i < d->state_count; i++) {
		const struct verify_state *s = &d->states[i];

		if (!s->in_kernel)
			continue;
		states[n].khz = s->khz;
		states[n++].power = s->has_ours && !kernels ? s->ours.power
							    : s->kernel.power;
	}
	return d->by_clock ? em_by_clock(states, n, d->scale, err)
			   : em_current(states, n, capacity, err);
}

/* v5.15 to v5.19 have a finer cost; the top state's is its power otherwise. */
static void find_rule(const struct verify_input *in, struct verify_domain *d)
{
	const struct em_shown_state *top = &d->kernel->states[d->kernel->state_count - 1];

	d->by_clock = !top->has_performance;
	d->scale = d->by_clock && top->has_cost && top->power &&
				   top->cost / top->power == 1000
			   ? 1000
			   : 1;
	d->capacity = 1024;
	if (in->capacity)
		d->capacity = in->capacity;
	else if (in->capacity_now)
		d->capacity = in->capacity_now;
	else if (top->performance && top->performance <= 1024)
		d->capacity = top->performance; /* nothing else tells it */
}

static void set_costs(const struct verify_input *in, struct verify_domain *d)
{
	struct em_state states[EM_SHOWN_MAX_STATES];
	struct err err = { "" };
	unsigned int i, n = 0;

	find_rule(in, d);
	if (verify_costs(d, d->capacity, false, states, &err)) {
		verify_item(d, "no-power", false,
			    "the kernel would refuse the tree's energy model: %.300s",
			    err.msg);
		return;
	}
	d->has_costs = true;
	for (i = 0; i < d->state_count; i++) {
		struct verify_state *s = &d->states[i];
		uint64_t power = s->ours.power;

		if (!s->in_kernel)
			continue;
		s->ours = states[n++];
		s->ours.power = power;
	}
}

static void explain_missing(const struct verify_input *in, struct verify_state *s)
{
	const struct verify_opp *run = run_time_opp(in, s->khz);

	if (s->opp.supported_hw && (!run || run->disabled)) {
		/* The tree itself says that only some chips have it. */
		s->cause = "supported-hw";
		snprintf(s->why, sizeof(s->why),
			 "not on this chip (opp-supported-hw), so no state");
	} else if (s->opp.turbo) {
		verify_differs(s, "boost",
			       "in the tree for boost (turbo-mode), and no state");
	} else if (in->opp_count && (!run || run->disabled)) {
		verify_differs(s, "disabled",
			       "in the tree, and a driver has disabled or removed it");
	} else {
		verify_differs(s, "missing", "in the tree, and no state: not explained");
	}
}

/* States of one side alone, and those without a power by the tree. */
static void judge_presence(const struct verify_input *in, struct verify_domain *d)
{
	unsigned int i;

	for (i = 0; i < d->state_count; i++) {
		struct verify_state *s = &d->states[i];

		if (!s->in_kernel)
			explain_missing(in, s);
		else if (!s->has_opp)
			verify_differs(s, "not-in-tree",
				       "the tree has no OPP of this clock that is "
				       "enabled");
		else if (!s->has_ours && d->unit != EM_ABSTRACT)
			verify_differs(s, "no-power",
				       "the tree gives no %s for it: the kernel booted "
				       "with another tree, or a driver made the model",
				       d->source == VERIFY_COEFFICIENT ? "voltage"
				       : d->source == VERIFY_NO_POWER  ? "coefficient"
								       : "opp-microwatt");
	}
}

static void note_voltages(struct verify_domain *d)
{
	unsigned int i;

	for (i = 0; i < d->state_count; i++) {
		struct verify_state *s = &d->states[i];

		if (d->source != VERIFY_COEFFICIENT || s->why[0] || !s->in_kernel)
			continue;
		if (!s->in_tree)
			snprintf(s->why, sizeof(s->why),
				 "an OPP that a driver has added, and not the tree");
		else if (s->tree_uv && s->tree_uv != s->volt_uv)
			snprintf(s->why, sizeof(s->why),
				 "%u mV at run time, the tree has %u mV",
				 s->volt_uv / 1000, s->tree_uv / 1000);
	}
}

static void no_model(const struct verify_input *in, struct verify_domain *d)
{
	const struct dt_domain *dom = tree_domain(in);
	const struct dt_cpu *other = NULL;
	unsigned int i;

	for (i = 0; dom && i < dom->cpu_count; i++)
		if (in->d->cpus[dom->cpus[i]].has_dpc)
			other = &in->d->cpus[dom->cpus[i]];
	if (dom && !d->has_dpc && other)
		verify_item(d, "other-cpu", false,
			    "no energy model: %s has no dynamic-power-coefficient, the "
			    "kernel reads it there and not at %s",
			    in->d->cpus[in->cpu].path, other->path);
	else if (in->no_model[0])
		verify_item(d, "no-model", false, "%s", in->no_model);
	else
		verify_item(d, "no-model", false,
			    "no energy model, although the tree has all that one is "
			    "made of: is CONFIG_ENERGY_MODEL on, has a cpufreq driver "
			    "bound, and does it register one?");
}

static void count(struct verify_domain *d)
{
	unsigned int i;

	for (i = 0; i < d->state_count; i++) {
		d->differing += d->states[i].differs;
		d->coeffs_differing += d->states[i].coeffs_differs;
	}
}

void verify_domain_run(const struct verify_input *in, struct verify_domain *out)
{
	const struct dt_cpu *cpu = in->domain < 0 ? NULL : &in->d->cpus[in->cpu];

	memset(out, 0, sizeof(*out));
	out->kernel = in->kernel;
	out->unit_why = "";
	out->has_dpc = cpu && cpu->has_dpc;
	out->dpc_uw_per_mhz_v2 = cpu ? cpu->dpc_uw_per_mhz_v2 : 0;
	if (!in->kernel) {
		no_model(in, out);
		verify_against_coeffs(in, out);
		return;
	}
	merge_states(in, out);
	add_run_time(in, out);
	find_unit(in, out);
	set_costs(in, out);
	judge_presence(in, out);
	verify_explain_power(in, out);
	verify_explain_cost(in, out);
	note_voltages(out);
	verify_against_coeffs(in, out);
	count(out);
}

bool verify_domain_differs(const struct verify_domain *d)
{
	unsigned int i;

	for (i = 0; i < d->item_count; i++)
		if (!d->items[i].note)
			return true;
	return d->differing || d->coeffs_differing;
}
