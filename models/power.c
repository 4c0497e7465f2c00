// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of power models, the choice among them, and what all results share.
 */
#include "models/power.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "models/bootstrap.h"
#include "models/power_internal.h"
#include "models/problem.h"

static const struct power_method methods[] = {
	{ "structured", NULL,
	  "dynamic, shared-clock, leakage and constant power together, with a random "
	  "offset per visit to an operating point",
	  false, power_structured, NULL, true },
	{ "within-opp", NULL,
	  "power against busy CPUs within each visit to an operating point, with "
	  "shared-clock and leakage terms",
	  false, power_within_opp, NULL, true },
	{ "within-opp-plain", NULL,
	  "the same without a shared-clock term, as if voltage stood still", true,
	  power_within_opp_plain, NULL, true, "the rail does not droop under load" },
	{ "pooled", "walker",
	  "all rows, the clock always on, leakage linear in voltage and temperature, "
	  "weights 1/P^2",
	  true, power_pooled, NULL, false,
	  "the clock runs in idle and leakage is linear" },
	{ "idle-subtracted", NULL,
	  "busy minus idle power of the same operating point, through the "
	  "origin",
	  false, power_idle_subtracted, "shared clock unless it runs in idle", false },
	{ "intercept", NULL,
	  "a line through power against f V^2, static power is its intercept", false,
	  power_intercept, "shared clock, static power that rises with V", false },
	{ "through-origin", NULL, "power against f V^2 through the origin", false,
	  power_through_origin, "shared clock, static power", false },
	{ "voltage-linear", NULL, "power against f V^2 and V", true, power_voltage_linear,
	  "shared clock", false },
	{ "exponential-leakage", NULL,
	  "power against f V^2, and leakage that grows exponentially with V", true,
	  power_exponential_leakage, "shared clock", false },
	{ "mean-of-ratios", "freqbench", "mean of P / (f V^2), as freqbench prints it",
	  true, power_mean_of_ratios, "shared clock, static power, most from low OPPs",
	  false },
	{ "median-of-ratios", NULL, "median of P / (f V^2)", true, power_median_of_ratios,
	  "shared clock, static power", false },
	{ "delta", NULL, "mean of the differences to the lowest operating point", true,
	  power_delta, "shared clock, static power that rises with V", false },
	{ "two-minus-one", "tc2",
	  "mean of (2 CPUs - 1 CPU) / (f V^2), as for TC2 and Juno", true,
	  power_two_minus_one, NULL, false,
	  "the second CPU changes neither voltage nor heat" },
};

#define MIN_IDLE_SHARE 0.7
#define NO_VARIATION   1e-18 /* of the squares: rounding */
#define METHOD_COUNT   (sizeof(methods) / sizeof(methods[0]))

const struct power_method *power_method(size_t i)
{
	return i < METHOD_COUNT ? &methods[i] : NULL;
}

const struct power_method *power_method_find(const char *name)
{
	size_t i;

	for (i = 0; i < METHOD_COUNT; i++)
		if (!strcmp(methods[i].name, name) ||
		    (methods[i].alias && !strcmp(methods[i].alias, name)))
			return &methods[i];
	return NULL;
}

/* Is there an OPP with windows of two busy counts? */
static bool counts_within_opp(const struct power_data *d)
{
	unsigned int *first = calloc(d->opp_count, sizeof(*first));
	bool found = false;
	size_t i;

	for (i = 0; first && i < d->row_count && !found; i++) {
		const struct power_row *r = &d->rows[i];

		if (r->count && !first[r->opp])
			first[r->opp] = r->count;
		found = r->count && first[r->opp] != r->count;
	}
	free(first);
	return found;
}

int power_choose(const struct power_data *d, const struct power_method **method,
		 char *why, size_t size, struct err *err)
{
	unsigned int opps = d->busy_opps;
	/* A flagged idle row or two do not change what was measured. */
	bool idle = d->idle_opps >= MIN_IDLE_SHARE * opps;
	const char *name;

	if (counts_within_opp(d) && idle && d->idle_opps > 2) {
		name = "structured";
		snprintf(why, size, "%u CPU counts and idle at %u operating points",
			 d->count_count, d->idle_opps);
	} else if (counts_within_opp(d)) {
		name = "within-opp";
		snprintf(why, size, "%u CPU counts, %s", d->count_count,
			 idle ? "few operating points"
			      : "idle not at every operating point");
	} else if (idle) {
		name = "idle-subtracted";
		snprintf(why, size,
			 "one CPU count (%u), idle measured at %u operating point%s",
			 d->counts[0], d->idle_opps, text_s(d->idle_opps));
	} else if (opps > 1 && d->baseline) {
		name = "through-origin";
		snprintf(why, size,
			 "one CPU count (%u), no idle rows, a baseline subtracted",
			 d->counts[0]);
	} else if (opps > 1) {
		name = "intercept";
		snprintf(why, size, "one CPU count (%u) and no idle rows", d->counts[0]);
	} else {
		return err_set(
			err, -EDOM,
			"cannot separate static and dynamic power from one operating "
			"point (rank 1 of 2); measure more operating points, or ask "
			"for a one-parameter fit with '--method through-origin'");
	}
	*method = power_method_find(name);
	return 0;
}

void power_note(struct power_fit *f, const char *fmt, ...)
{
	va_list ap;

	if (f->note_count == POWER_MAX_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(f->notes[f->note_count++], sizeof(f->notes[0]), fmt, ap);
	va_end(ap);
}

void power_add_term(struct power_fit *f, const char *name, const char *unit, double value,
		    double se)
{
	struct power_term *t = &f->terms[f->term_count];

	if (f->term_count == POWER_MAX_TERMS)
		return;
	snprintf(t->name, sizeof(t->name), "%s", name);
	snprintf(t->unit, sizeof(t->unit), "%s", unit);
	t->value = value;
	t->se = se;
	f->term_count++;
}

double power_rail_volt(double table_volt, double ohm, double uw)
{
	double square = table_volt * table_volt - 4 * ohm * uw * 1e-6;

	return (table_volt + sqrt(fmax(square, 0))) / 2;
}

double power_r2(const struct lsq *l, bool uncentred)
{
	double total = uncentred ? l->tss0 : l->tss;

	return total > NO_VARIATION * l->tss0 ? 1 - l->rss / total : NAN;
}

double power_rmse_pct(const double *resid, const double *fitted, size_t n)
{
	double sum = 0;
	size_t i, used = 0;

	for (i = 0; i < n; i++) {
		if (!(fitted[i] > 0))
			continue;
		sum += pow(resid[i] / fitted[i], 2);
		used++;
	}
	return used ? 100 * sqrt(sum / used) : 0;
}

int power_fit_with(const struct power_method *method, const struct power_data *d,
		   struct power_fit *f, struct err *err)
{
	return power_fit_keep(method, d, f, NULL, err);
}

int power_fit_keep(const struct power_method *method, const struct power_data *d,
		   struct power_fit *f, struct power_problem *keep, struct err *err)
{
	double half;
	int ret;

	if (keep)
		memset(keep, 0, sizeof(*keep));
	memset(f, 0, sizeof(*f));
	f->keep = keep;
	f->static_uw = f->ohm = f->shared = f->visit_uw = NAN;
	f->r2 = NAN;
	f->condition = 1;
	f->rmse_pct = f->loo_rmse_pct = -1;
	f->se = f->classical_se = NAN;
	f->bootstrap_ci95[0] = f->bootstrap_ci95[1] = NAN;
	ret = method->fit(d, f, err);
	f->keep = NULL;
	if (ret)
		return ret;
	if (!(f->dof >= 0.5))
		f->se = NAN;
	half = lsq_t975(f->dof) * f->se;
	f->ci95[0] = f->c - half;
	f->ci95[1] = f->c + half;
	if (keep && keep->n && bootstrap_fit(keep, f))
		return err_errno(err, -ENOMEM, "%zu rows", keep->n);
	if (isnan(f->se))
		power_note(f, "as many unknowns as rows: no error can be stated");
	if (f->outlier_count)
		power_note(f,
			   "%u row%s left out: more than 5 standard deviations from all "
			   "others",
			   f->outlier_count, text_s(f->outlier_count));
	if (f->opps && f->opps < 3)
		power_note(f, "only %u operating point%s", f->opps, text_s(f->opps));
	return 0;
}

/* Sums over the rows of one OPP and count. */
struct cell {
	double n, uw, busy, clocked, fv2, volt, var;
};

bool power_is_outlier(const struct power_fit *f, size_t index)
{
	unsigned int i;

	for (i = 0; i < f->outlier_count && i < POWER_MAX_OUTLIERS; i++)
		if (f->outliers[i] == index)
			return true;
	return false;
}

static struct cell cell_of(const struct power_data *d, const struct power_fit *f,
			   unsigned int opp, unsigned int count)
{
	struct cell c = { 0 };
	double volt;
	size_t i;

	for (i = 0; i < d->row_count; i++) {
		const struct power_row *r = &d->rows[i];
		double w = r->windows;

		if (r->opp != opp || r->count != count || power_is_outlier(f, r->index))
			continue;
		c.n += w;
		c.uw += w * r->uw;
		c.busy += w * r->busy;
		c.clocked += w * r->clocked;
		volt = isnan(f->ohm) ? r->volt : power_rail_volt(r->volt, f->ohm, r->uw);
		c.fv2 += w * r->mhz * volt * volt;
		c.volt += w * r->volt;
		c.var += w * power_variance(&f->noise, r->uw, power_sleeping(d, r->count),
					    f->c * r->fv2);
	}
	if (!c.n)
		return c;
	c.uw /= c.n;
	c.busy /= c.n;
	c.clocked /= c.n;
	c.fv2 /= c.n;
	c.volt /= c.n;
	c.var /= c.n * c.n;
	return c;
}

static double dynamic_uw(const struct power_fit *f, const struct cell *c)
{
	double shared = isnan(f->shared) ? 0 : f->shared;

	return (f->c * c->busy + shared * c->clocked) * c->fv2;
}

void power_opp(const struct power_data *d, const struct power_fit *f, unsigned int opp,
	       struct power_opp *out)
{
	struct cell idle = cell_of(d, f, opp, 0), busy = { 0 }, all;
	unsigned int i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < d->count_count && !busy.n; i++)
		busy = cell_of(d, f, opp, d->counts[i]);
	out->volt = busy.n ? busy.volt : idle.volt;
	power_opp_next(d, f, opp, out);
	out->cpus = d->counts[d->count_count - 1];
	all = cell_of(d, f, opp, out->cpus);
	out->has_share = all.n && all.busy > 0;
	if (out->has_share)
		out->share_uw = all.uw / all.busy;
	out->fv2 = i == 1 ? busy.fv2 : 0;
	if (!busy.n || !(busy.busy > idle.busy))
		return;
	out->model_uw = (dynamic_uw(f, &busy) - dynamic_uw(f, &idle)) /
			(busy.busy - idle.busy);
	if (!idle.n)
		return;
	/* The mean of several is not what the first takes, which wakes the cluster. */
	out->has_measured = i == 1;
	out->measured_uw = (busy.uw - idle.uw) / (busy.busy - idle.busy);
	out->measured_ci_uw = 1.96 * sqrt(busy.var + idle.var) / (busy.busy - idle.busy);
}

double power_effective(const struct power_data *d)
{
	double xy = 0, xx = 0;
	size_t i;

	for (i = 0; i < d->row_count; i++) {
		const struct power_row *r = &d->rows[i];
		double x = r->busy * r->fv2;

		if (r->count != d->counts[0])
			continue;
		xy += x * r->uw;
		xx += x * x;
	}
	return xx > 0 ? xy / xx : NAN;
}
