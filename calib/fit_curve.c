// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: power per operating point, and what the kernel makes of the coefficients.
 */
#include "calib/fit_curve.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "calib/fit_loads.h"
#include "models/curve.h"
#include "models/kernel_em.h"

#define Z95 1.96

static bool opp_of_load(const struct fit_cluster *c, uint32_t khz, struct power_opp *out)
{
	unsigned int i;

	for (i = 0; i < c->data.opp_count; i++) {
		if (c->data.opp_khz[i] != khz)
			continue;
		power_opp(&c->data, &c->fit, i, out);
		return true;
	}
	memset(out, 0, sizeof(*out));
	return false;
}

/* Add @weight of a load's point; errors as if they were the same one. */
static void add_weighted(struct power_opp *sum, const struct power_opp *one,
			 double weight)
{
	sum->volt += weight * one->volt;
	sum->has_measured &= one->has_measured;
	sum->measured_uw += weight * one->measured_uw;
	sum->measured_ci_uw += weight * one->measured_ci_uw;
	sum->model_uw += weight * one->model_uw;
	sum->has_next &= one->has_next;
	sum->next_uw += weight * one->next_uw;
	sum->next_ci_uw += weight * one->next_ci_uw;
	sum->fv2 += one->fv2 > 0 ? weight * one->fv2 : NAN;
	sum->has_share &= one->has_share;
	sum->share_uw += weight * one->share_uw;
	sum->cpus = one->cpus < sum->cpus ? one->cpus : sum->cpus;
}

bool fit_curve_opp(const struct fit_cluster *c, uint32_t khz, struct power_opp *out)
{
	const struct fit_loads *l = c->loads;
	struct power_opp one;
	unsigned int i;

	if (!l || !l->is_mix)
		return opp_of_load(c, khz, out);
	*out = (struct power_opp){ .has_measured = true,
				   .has_next = true,
				   .has_share = true,
				   .cpus = UINT32_MAX };
	for (i = 0; i < l->count; i++) {
		if (!(l->weight[i] > 0))
			continue;
		/* A point that one of them lacks is no point of the mix. */
		if (!opp_of_load(&l->list[i], khz, &one)) {
			memset(out, 0, sizeof(*out));
			return false;
		}
		add_weighted(out, &one, l->weight[i]);
	}
	return true;
}

static void __attribute__((format(printf, 2, 3)))
add_note(struct coeffs_cluster *out, const char *fmt, ...)
{
	struct coeffs_provenance *p = &out->provenance;
	va_list ap;

	if (p->note_count == COEFFS_MAX_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(p->notes[p->note_count++], sizeof(p->notes[0]), fmt, ap);
	va_end(ap);
}

static double table_fv2(const struct coeffs_opp *o)
{
	return o->hz / 1e6 * pow(o->microvolt / 1e6, 2);
}

static double current(const struct coeffs_opp *o)
{
	return o->hz / 1e6 * (o->microvolt / 1e6);
}

/*
 * What f V^2 at the rail is below that of the table, per f V: the current, up to a
 * factor, makes it sink. For points that were not measured.
 */
static double find_droop(const struct coeffs_cluster *out, const struct power_opp *at)
{
	double xx = 0, xy = 0;
	unsigned int i;

	for (i = 0; i < out->opp_count; i++) {
		const struct coeffs_opp *o = &out->opps[i];

		if (!(at[i].fv2 > 0))
			continue;
		xx += pow(current(o), 2);
		xy += current(o) * (1 - at[i].fv2 / table_fv2(o));
	}
	return xx > 0 ? fmax(xy / xx, 0) : 0;
}

/*
 * What the point says by itself over what the model says: its own coefficient; with one
 * CPU count, where nothing is taken apart, power above idle.
 */
static void measured_ratio(struct curve_point *p, const struct fit_cluster *c,
			   const struct coeffs_opp *o, const struct power_opp *at,
			   double scatter)
{
	const struct fit_cluster *own = fit_loads_main(c);

	if (o->has_own && o->own_se > 0) {
		p->ratio = o->own / own->fit.c;
		p->se = scatter * o->own_se / own->fit.c;
	} else if (!o->has_own && at->has_measured && !at->has_next &&
		   at->measured_ci_uw > 0 && at->model_uw > 0) {
		p->ratio = at->measured_uw / at->model_uw;
		p->se = at->measured_ci_uw / Z95 / at->model_uw;
	}
}

static void smooth(struct coeffs_cluster *out, const struct fit_cluster *c,
		   const struct power_opp *at)
{
	struct curve_point points[COEFFS_MAX_OPPS];
	double droop = find_droop(out, at);
	double scatter = curve_scatter(&fit_loads_main(c)->problem);
	struct curve curve;
	unsigned int i;

	for (i = 0; i < out->opp_count; i++) {
		const struct coeffs_opp *o = &out->opps[i];
		double fv2 = at[i].fv2;

		if (!(fv2 > 0))
			fv2 = table_fv2(o) * fmax(1 - droop * current(o), 0.5);
		points[i] = (struct curve_point){ .model_uw = c->fit.c * fv2 };
		measured_ratio(&points[i], c, o, &at[i], scatter);
	}
	curve_smooth(points, out->opp_count,
		     isfinite(c->fit.se) ? c->fit.se / c->fit.c : 0, &curve);
	for (i = 0; i < out->opp_count; i++)
		out->opps[i].opp_uw = llround(fmax(points[i].smooth_uw, 1));
	add_note(out,
		 "opp-microwatt: dynamic power of one CPU%s%s; operating points differ "
		 "from C f V^2 by %.2f %% beyond their errors",
		 c->method->holds ? ", with what this method leaves in it: " : "",
		 c->method->holds ? c->method->holds : "", 100 * curve.spread);
	if (curve.pooled)
		add_note(out,
			 "opp-microwatt: power did not rise with the clock; %u operating "
			 "points pooled",
			 curve.pooled);
}

/* All operating points with all of the cluster's CPUs, and no display in it: or none. */
static bool knows_share(const struct coeffs_cluster *out, const struct fit_cluster *c,
			const struct power_opp *at)
{
	unsigned int i;

	if (!strcmp(out->provenance.scope, "device") && !out->provenance.has_baseline)
		return false;
	for (i = 0; i < out->opp_count; i++)
		if (!at[i].has_share || !(at[i].share_uw > 0) || !c->info ||
		    at[i].cpus < c->info->cpu_count)
			return false;
	return out->opp_count > 0;
}

static void fill_share(struct coeffs_cluster *out, const struct fit_cluster *c,
		       const struct power_opp *at)
{
	double values[COEFFS_MAX_OPPS], weights[COEFFS_MAX_OPPS];
	unsigned int i, pooled;

	if (!knows_share(out, c, at))
		return;
	for (i = 0; i < out->opp_count; i++) {
		values[i] = at[i].share_uw;
		weights[i] = 1 / pow(values[i], 2);
	}
	pooled = curve_rise(values, weights, out->opp_count, NULL);
	for (i = 0; i < out->opp_count; i++)
		out->opps[i].full_uw = llround(fmax(values[i], 1));
	add_note(out,
		 "opp-microwatt-full: share of one CPU of all that the meter sees with "
		 "all busy");
	if (pooled)
		add_note(out, "opp-microwatt-full: %u operating points pooled", pooled);
}

static void fill_kernel(struct coeffs_cluster *out)
{
	unsigned int i;

	for (i = 0; i < out->opp_count; i++) {
		struct coeffs_opp *o = &out->opps[i];

		if (out->has_effective && out->effective < UINT32_MAX)
			o->effective_uw = em_power_uw(llround(out->effective), o->hz,
						      o->microvolt);
		o->has_error = o->has_measured && o->measured_uw > 0;
		if (o->has_error)
			o->error_pct = 100 * (o->kernel_uw / o->measured_uw - 1);
	}
}

void fit_curve_fill(struct coeffs_cluster *out, const struct fit_cluster *c)
{
	struct power_opp at[COEFFS_MAX_OPPS];
	unsigned int i;

	for (i = 0; i < out->opp_count; i++)
		fit_curve_opp(c, out->opps[i].hz / 1000, &at[i]);
	/* New measurements of one load are not of the mix. */
	for (i = 0; i < out->opp_count; i++)
		out->opps[i].has_prediction &= fit_loads_main(c) == c;
	fill_kernel(out);
	if (!out->opp_count)
		return;
	smooth(out, c, at);
	fill_share(out, c, at);
}

void fit_curve_mark(struct coeffs_cluster *c, uint32_t capacity)
{
	struct em_state states[COEFFS_MAX_OPPS];
	unsigned int i;

	memset(states, 0, sizeof(states));
	for (i = 0; i < c->opp_count; i++) {
		states[i].khz = c->opps[i].hz / 1000;
		states[i].power = c->opps[i].opp_uw;
	}
	if (em_current(states, c->opp_count, capacity, NULL))
		return;
	for (i = 0; i < c->opp_count; i++)
		c->opps[i].opp_inefficient = states[i].inefficient;
}

/* "-33.1..-20.4 % off X" over the points; false: nothing to say. */
struct range {
	double low, high;
	unsigned int n;
};

static void widen(struct range *r, double pct)
{
	r->low = r->n ? fmin(r->low, pct) : pct;
	r->high = r->n ? fmax(r->high, pct) : pct;
	r->n++;
}

void fit_curve_talk(const struct coeffs_cluster *c)
{
	struct range first = { 0 }, next = { 0 };
	unsigned int i;

	for (i = 0; i < c->opp_count; i++) {
		const struct coeffs_opp *o = &c->opps[i];

		if (o->has_error)
			widen(&first, o->error_pct);
		if (o->has_next && o->next_uw > 0)
			widen(&next, 100 * (o->kernel_uw / o->next_uw - 1));
	}
	if (!first.n)
		return;
	fprintf(stderr,
		"  curve   the kernel's C f V^2 is %+.1f..%+.1f %% off the first busy "
		"CPU "
		"above idle",
		first.low, first.high);
	if (next.n)
		fprintf(stderr, ", %+.1f..%+.1f %% off a further one", next.low,
			next.high);
	fputc('\n', stderr);
}

static void table_mw(FILE *f, bool has, double uw)
{
	if (has)
		fprintf(f, " %9.2f", uw / 1e3);
	else
		fprintf(f, " %9s", "-");
}

static void table_row(FILE *f, const struct coeffs_opp *o)
{
	fprintf(f, "%7.1f %6.1f", o->hz / 1e6, o->microvolt / 1e3);
	table_mw(f, o->has_measured, o->measured_uw);
	table_mw(f, o->has_next, o->next_uw);
	table_mw(f, true, o->kernel_uw);
	if (o->has_error)
		fprintf(f, " %+6.1f", o->error_pct);
	else
		fprintf(f, " %6s", "-");
	table_mw(f, o->effective_uw > 0, o->effective_uw);
	table_mw(f, o->opp_uw > 0, o->opp_uw);
	table_mw(f, o->full_uw > 0, o->full_uw);
	fprintf(f, " %s%s\n", o->inefficient ? "C" : "-", o->opp_inefficient ? "P" : "-");
}

void fit_curve_table(FILE *f, const struct coeffs_cluster *c)
{
	unsigned int i;

	fprintf(f, "%s: power of one busy CPU, mW\n", c->name);
	fprintf(f, "%7s %6s %9s %9s %9s %6s %9s %9s %9s\n", "MHz", "mV", "first", "next",
		"C f V^2", "off %", "effective", "opp", "opp full");
	for (i = 0; i < c->opp_count; i++)
		table_row(f, &c->opps[i]);
	fprintf(f,
		"first: measured, above idle; next: one more. The kernel computes C f "
		"V^2 "
		"of %u, off first by so much; effective of %.0f.\n",
		c->dpc_uw_per_mhz_v2, c->has_effective ? c->effective : 0);
	fprintf(f, "opp: opp-microwatt, dynamic; full: share of all that is metered. "
		   "Inefficient states: C by the coefficient, P by opp.\n");
}
