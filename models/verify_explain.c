// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why the power of a state is not what the tree asks for.
 *
 * A cause is named only where it gives the kernel's number exactly. Causes of the whole
 * domain go first: another source of power, another coefficient.
 */
#include "models/verify_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Drivers move a voltage by less than this from the tree's. */
#define VOLT_SPAN_PCT 30

/* The coefficients that give the kernel's powers; in mW more than one may. */
struct dpc_fit {
	uint32_t low, high;
	unsigned int states; /* that they fit; 0: none was found */
	bool tree_volts;     /* with the tree's voltages, not those of run time */
};

static bool is_on_both(const struct verify_state *s)
{
	return s->in_kernel && s->has_opp;
}

static bool is_wrong(const struct verify_state *s)
{
	return is_on_both(s) && (!s->has_ours || s->ours.power != s->kernel.power);
}

static unsigned int count_wrong(const struct verify_domain *d, unsigned int *both)
{
	unsigned int i, n = 0;

	*both = 0;
	for (i = 0; i < d->state_count; i++) {
		n += is_wrong(&d->states[i]);
		*both += is_on_both(&d->states[i]);
	}
	return n;
}

/* "power +12 uW" against ours, or "power 12 uW" where we have none. */
static const char *offset(const struct verify_domain *d, const struct verify_state *s,
			  char *text, size_t size)
{
	const char *unit = d->unit == EM_MILLIWATT ? "mW" : "uW";

	if (!s->has_ours)
		snprintf(text, size, "power %" PRIu64 " %s", s->kernel.power, unit);
	else
		snprintf(text, size, "power %+" PRId64 " %s",
			 (int64_t)(s->kernel.power - s->ours.power), unit);
	return text;
}

static void explain_artificial(struct verify_domain *d)
{
	const bool made_up = d->kernel->flags & EM_FLAG_ARTIFICIAL;
	unsigned int i;

	verify_item(d, "artificial", false,
		    "%s, so the tree's coefficient does not enter",
		    made_up ? "a driver makes this model up (flag 0x4, artificial)"
			    : "a driver gives powers of an abstract scale, not watts");
	for (i = 0; i < d->state_count; i++)
		if (d->states[i].in_kernel)
			verify_differs(&d->states[i], "artificial",
				       "the driver's own number");
}

/* Does the other source of power give every state? */
static bool fits_source(const struct verify_domain *d, enum verify_source source)
{
	unsigned int i;

	for (i = 0; i < d->state_count; i++) {
		const struct verify_state *s = &d->states[i];

		if (is_on_both(s) && verify_power(d->unit, source, d->dpc_uw_per_mhz_v2,
						  &s->opp, s->volt_uv) != s->kernel.power)
			return false;
	}
	return true;
}

/* Are they what coeffs.json has as opp-microwatt? */
static bool fits_coeffs_powers(const struct verify_input *in,
			       const struct verify_domain *d)
{
	const unsigned int divisor = d->unit == EM_MILLIWATT ? 1000 : 1;
	unsigned int i, k;

	for (i = 0; i < d->state_count; i++) {
		const struct verify_state *s = &d->states[i];

		if (!is_on_both(s))
			continue;
		for (k = 0; in->coeffs && k < in->coeffs->opp_count; k++)
			if (in->coeffs->opps[k].hz / 1000 == s->khz &&
			    in->coeffs->opps[k].opp_uw &&
			    in->coeffs->opps[k].opp_uw / divisor == s->kernel.power)
				break;
		if (!in->coeffs || k == in->coeffs->opp_count)
			return false;
	}
	return true;
}

/* A cause of the whole domain is told once, and at each state in a few words. */
static void explain_all(struct verify_domain *d, const char *cause, const char *few,
			const char *text)
{
	char by[64];
	unsigned int i;

	verify_item(d, cause, false, "powers are as by %s%s", few, text);
	for (i = 0; i < d->state_count; i++)
		if (is_wrong(&d->states[i]))
			verify_differs(&d->states[i], cause, "%s: as by %s",
				       offset(d, &d->states[i], by, sizeof(by)), few);
}

static bool explain_source(const struct verify_input *in, struct verify_domain *d)
{
	if (d->source == VERIFY_OPP_MICROWATT && d->has_dpc &&
	    fits_source(d, VERIFY_COEFFICIENT))
		explain_all(d, "coefficient", "the coefficient",
			    ", the kernel has not taken the tree's opp-microwatt: it "
			    "booted with a tree without it");
	else if (d->source != VERIFY_OPP_MICROWATT &&
		 fits_source(d, VERIFY_OPP_MICROWATT))
		explain_all(d, "opp-microwatt", "opp-microwatt",
			    ", which wins over the coefficient");
	else if (fits_coeffs_powers(in, d))
		explain_all(d, "opp-microwatt", "opp-microwatt of coeffs.json",
			    ", which wins over the coefficient; this tree has none of "
			    "that");
	else
		return false;
	return true;
}

static uint32_t volts(const struct verify_state *s, bool tree)
{
	return tree ? s->tree_uv : s->volt_uv;
}

/* Coefficients low..high give this state's power exactly. */
static bool fit_state(const struct verify_domain *d, const struct verify_state *s,
		      bool tree, uint64_t *low, uint64_t *high)
{
	const uint64_t unit = d->unit == EM_MILLIWATT ? 1000000000 : 1000000;
	uint64_t mv = volts(s, tree) / 1000;
	uint64_t one = mv * mv * (s->opp.hz / 1000000);

	/* No kernel has more than that, and the products below have to fit. */
	if (!one || s->kernel.power > UINT32_MAX)
		return false;
	*low = (s->kernel.power * unit + one - 1) / one;
	*high = ((s->kernel.power + 1) * unit - 1) / one;
	return *low <= *high && *low && *high <= UINT32_MAX;
}

/* The states that @dpc fits, and the coefficients that fit them all. */
static void count_fit(const struct verify_domain *d, uint64_t dpc, struct dpc_fit *fit)
{
	uint64_t low, high;
	unsigned int i;

	fit->low = 1;
	fit->high = UINT32_MAX;
	fit->states = 0;
	for (i = 0; i < d->state_count; i++) {
		const struct verify_state *s = &d->states[i];

		if (!is_on_both(s) || !fit_state(d, s, fit->tree_volts, &low, &high) ||
		    dpc < low || dpc > high)
			continue;
		fit->states++;
		fit->low = low > fit->low ? low : fit->low;
		fit->high = high < fit->high ? high : fit->high;
	}
}

/* The coefficient that fits most states. */
static struct dpc_fit find_coefficient(const struct verify_domain *d)
{
	struct dpc_fit best = { 0 }, fit;
	uint64_t low, high;
	unsigned int i, tree;

	for (tree = 0; tree < 2; tree++) {
		for (i = 0; i < d->state_count; i++) {
			if (!is_on_both(&d->states[i]) ||
			    !fit_state(d, &d->states[i], tree, &low, &high))
				continue;
			fit.tree_volts = tree;
			count_fit(d, low, &fit);
			if (fit.states > best.states)
				best = fit;
		}
	}
	return best;
}

static bool is_in(const struct dpc_fit *fit, uint32_t dpc)
{
	return dpc >= fit->low && dpc <= fit->high;
}

/* Another CPU of the domain that has the coefficient; NULL: none. */
static const struct dt_cpu *other_cpu(const struct verify_input *in,
				      const struct dpc_fit *fit)
{
	const struct dt_domain *dom = &in->d->domains[in->domain];
	unsigned int i;

	for (i = 0; i < dom->cpu_count; i++) {
		const struct dt_cpu *cpu = &in->d->cpus[dom->cpus[i]];

		if (dom->cpus[i] != in->cpu && cpu->has_dpc &&
		    is_in(fit, cpu->dpc_uw_per_mhz_v2))
			return cpu;
	}
	return NULL;
}

/* "420"; in mW more than one may fit: "420..423". */
static const char *fit_value(const struct dpc_fit *fit, char *text, size_t size)
{
	if (fit->low == fit->high)
		snprintf(text, size, "%" PRIu32, fit->low);
	else
		snprintf(text, size, "%" PRIu32 "..%" PRIu32, fit->low, fit->high);
	return text;
}

/* Where that coefficient is from, as far as it can be told. Returns the cause. */
static const char *tell_fit(const struct verify_input *in, struct verify_domain *d,
			    const struct dpc_fit *fit)
{
	const struct dt_cpu *other = other_cpu(in, fit);
	char value[32], ours[64];

	fit_value(fit, value, sizeof(value));
	if (d->has_dpc)
		snprintf(ours, sizeof(ours), "the tree has %" PRIu32,
			 d->dpc_uw_per_mhz_v2);
	else
		snprintf(ours, sizeof(ours), "the tree has none");
	if (other)
		verify_item(d, "other-cpu", false,
			    "powers are as by coefficient %s, which is that of %s; the "
			    "first CPU is %s, and %s there",
			    value, other->path, in->d->cpus[in->cpu].path, ours);
	else if (in->coeffs && is_in(fit, in->coeffs->dpc_uw_per_mhz_v2))
		verify_item(d, "coefficient", false,
			    "powers are as by coefficient %s, which coeffs.json says; "
			    "%s, so the kernel booted with another",
			    value, ours);
	else
		verify_item(d, "coefficient", false,
			    "powers are as by coefficient %s, %s: the kernel booted with "
			    "another tree, or this one was changed since",
			    value, ours);
	return other ? "other-cpu" : "coefficient";
}

/* What most states fit, when it is not the tree's. Returns the coefficient to go on with.
 */
static uint32_t explain_coefficient(const struct verify_input *in,
				    struct verify_domain *d, unsigned int both)
{
	struct dpc_fit fit = find_coefficient(d);
	char value[32], by[64];
	const char *cause;
	uint64_t low, high;
	unsigned int i;

	if (both > 2 && fit.states * 2 <= both)
		verify_item(d, "not-explained", true,
			    "no coefficient fits most of these powers: they may be "
			    "opp-microwatt of another tree, or a driver's");
	if (!fit.states || fit.states * 2 <= both ||
	    (d->has_dpc && is_in(&fit, d->dpc_uw_per_mhz_v2)))
		return d->dpc_uw_per_mhz_v2;
	cause = tell_fit(in, d, &fit);
	fit_value(&fit, value, sizeof(value));
	for (i = 0; i < d->state_count; i++) {
		struct verify_state *s = &d->states[i];

		if (is_wrong(s) && fit_state(d, s, fit.tree_volts, &low, &high) &&
		    fit.low >= low && fit.low <= high)
			verify_differs(s, cause, "%s: as by coefficient %s",
				       offset(d, s, by, sizeof(by)), value);
	}
	return fit.low;
}

/* The lowest mV that give the kernel's power with @dpc; 0: none near the tree's. */
static uint32_t find_mv(const struct verify_domain *d, const struct verify_state *s,
			uint32_t dpc)
{
	const uint32_t now = (s->volt_uv ? s->volt_uv : s->tree_uv) / 1000;
	uint32_t mv;

	for (mv = now * (100 - VOLT_SPAN_PCT) / 100;
	     mv <= (uint64_t)now * (100 + VOLT_SPAN_PCT) / 100; mv++)
		if (verify_power(d->unit, VERIFY_COEFFICIENT, dpc, &s->opp, mv * 1000) ==
		    s->kernel.power)
			return mv;
	return 0;
}

static bool explain_voltage(const struct verify_domain *d, struct verify_state *s,
			    uint32_t dpc)
{
	uint32_t mv, end;
	char by[64];

	if (!dpc || !s->kernel.power || d->source == VERIFY_OPP_MICROWATT)
		return false;
	offset(d, s, by, sizeof(by));
	if (s->tree_uv != s->volt_uv && s->tree_uv &&
	    verify_power(d->unit, VERIFY_COEFFICIENT, dpc, &s->opp, s->tree_uv) ==
		    s->kernel.power) {
		verify_differs(s, "voltage",
			       "%s: as by the tree's %u mV; the model was made before a "
			       "driver set %u mV",
			       by, s->tree_uv / 1000, s->volt_uv / 1000);
		return true;
	}
	mv = find_mv(d, s, dpc);
	if (!mv)
		return false;
	for (end = mv; verify_power(d->unit, VERIFY_COEFFICIENT, dpc, &s->opp,
				    (end + 1) * 1000) == s->kernel.power;)
		end++;
	verify_differs(s, "voltage",
		       "%s: as by %u%s%.0u mV (%u * %" PRIu64 " MHz * V^2); %s %u mV", by,
		       mv, end > mv ? ".." : "", end > mv ? end : 0, dpc,
		       s->opp.hz / 1000000,
		       s->volt_uv != s->tree_uv ? "the kernel has now" : "the tree has",
		       s->volt_uv / 1000);
	return true;
}

static void explain_one(const struct verify_domain *d, struct verify_state *s,
			uint32_t dpc)
{
	char by[64];

	if (explain_voltage(d, s, dpc))
		return;
	offset(d, s, by, sizeof(by));
	if (d->unit == EM_MICROWATT && s->has_ours &&
	    s->ours.power / 1000 * 1000 == s->kernel.power)
		verify_differs(s, "rounding", "%s: cut to whole mW", by);
	else if (s->opp.has_power && d->source == VERIFY_COEFFICIENT &&
		 verify_power(d->unit, VERIFY_OPP_MICROWATT, dpc, &s->opp, 0) ==
			 s->kernel.power)
		verify_differs(s, "opp-microwatt", "%s: the OPP's opp-microwatt", by);
	else
		verify_differs(s, "not-explained", "%s: not explained", by);
}

void verify_explain_power(const struct verify_input *in, struct verify_domain *d)
{
	unsigned int i, both;
	uint32_t dpc;

	if (d->unit == EM_ABSTRACT) {
		explain_artificial(d);
		return;
	}
	if (!count_wrong(d, &both) || explain_source(in, d))
		return;
	dpc = explain_coefficient(in, d, both);
	for (i = 0; i < d->state_count; i++) {
		struct verify_state *s = &d->states[i];

		/* Those without a power by the tree have been told. */
		if (is_wrong(s) && !s->differs)
			explain_one(d, s, dpc);
	}
}
