// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fits for several CPU counts:
 *
 *	P = b + o_visit + C u f V^2 + D f V^2 [clocked] + k V^m exp(g (T - T0))
 *
 * "structured": the offset o of a visit to an OPP (the meter's drift) is random, its
 * variance is estimated. "within-opp": every visit has an intercept of its own, so that
 * whatever is constant during a visit drops out, also where the model is wrong about it;
 * the price is a wider interval. D and leakage stay in the model, for voltage and
 * temperature change with the load within a visit; where the voltage is only known from a
 * table, the rail's resistance is found from how the power bends. Windows that the
 * rest contradicts are left out; weights follow the fitted power.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "models/mixed.h"

#define GROWTH_DEFAULT	 0.03
#define HUBER_K		 1.2
#define HUBER_PASSES	 12
#define REJECT_PASSES	 8
#define REJECT_SIGMA	 5.0
#define REJECT_MAX_SHARE 0.25
#define ROBUST_MIN_DOF	 6
/* A rail's resistance is looked for with at least so many CPU counts and OPPs. */
#define MIN_DROOP_COUNTS 2
#define MIN_DROOP_OPPS	 3
/* Variation within the visits below this share of a column says nothing about it. */
#define MIN_VARIATION  1e-3
#define MIN_KELVIN     0.5
#define CROSS_CHECK_SE 3
#define Z975	       1.96
#define NO_POWER       1e-6 /* of the largest: nothing to take a share of */
/* Fewer visits than this cannot tell how visits scatter. */
#define MIN_CLUSTERS 4

static double kelvin_range(struct mixed *f)
{
	double lo = INFINITY, hi = -INFINITY;
	size_t i;

	for (i = 0; i < f->d->row_count; i++) {
		lo = fmin(lo, f->d->rows[i].celsius);
		hi = fmax(hi, f->d->rows[i].celsius);
	}
	return hi - lo;
}

void mixed_choose_columns(struct mixed *f)
{
	size_t i;

	f->growth = GROWTH_DEFAULT;
	mixed_start_law(f);
	for (i = 0; i < f->d->row_count; i++)
		f->celsius[i] = f->d->rows[i].celsius;
	for (i = 0; i < f->d->row_count && f->d->has_temp; i++)
		f->t_ref += f->d->rows[i].celsius / f->d->row_count;
	for (i = 0; i < f->d->row_count; i++)
		f->volt_ref += f->d->rows[i].volt / f->d->row_count;
	f->has[COL_C] = true;
	f->has[COL_D] = !f->no_shared && mixed_variation(f, COL_D) > MIN_VARIATION;
	/* Without idle rows the two are one. */
	f->has[COL_D0] = f->d->idle_opps && f->has[COL_D] &&
			 mixed_variation(f, COL_D0) > MIN_VARIATION;
	f->grows = f->d->has_temp && kelvin_range(f) > MIN_KELVIN;
	f->has[COL_LEAK] = (f->grows || !f->per_visit) &&
			   mixed_variation(f, COL_LEAK) > MIN_VARIATION;
	f->has[COL_CONST] = !f->per_visit;
}

/* Is there enough to tell how the rail sinks with the load? */
static bool can_find_ohm(const struct mixed *f)
{
	return f->d->volt_from_table && f->d->count_count >= MIN_DROOP_COUNTS &&
	       f->d->idle_opps >= MIN_DROOP_OPPS;
}

void mixed_start_weights(struct mixed *f)
{
	size_t i;

	for (i = 0; i < f->d->row_count; i++) {
		f->factor[i] = 1;
		f->fitted[i] = f->d->rows[i].uw;
		f->max_uw = fmax(f->max_uw, fabs(f->fitted[i]));
	}
	f->max_uw = fmax(f->max_uw, 1);
	f->noise = (struct power_noise){ .uw = 0.01 * 0.05 * f->max_uw, .rel = 0.01 };
}

static void search(struct mixed *f)
{
	mixed_bend(f, true);
	mixed_search_visits(f);
}

static int huber_passes(struct mixed *f, struct err *err)
{
	int pass, ret;
	size_t i;

	for (pass = 0; pass < HUBER_PASSES; pass++) {
		double scale;

		if (pass % 4 == 3)
			search(f);
		ret = mixed_fit(f, err);
		if (ret)
			return ret;
		if (f->lsq.resid_dof < ROBUST_MIN_DOF)
			return 0;
		if (pass > 1)
			mixed_update_variance(f);
		scale = fmax(mixed_scale(f), 1e-9);
		for (i = 0; i < f->n; i++)
			f->factor[f->row[i]] = fmin(
				1, HUBER_K * scale / fabs(mixed_standardised(f, i)));
	}
	return 0;
}

/* Reject what stands out by far. Returns how many. */
static unsigned int reject(struct mixed *f)
{
	double limit = REJECT_SIGMA * fmax(mixed_scale(f), 1e-9);
	unsigned int n = 0;
	size_t i;

	if (f->lsq.resid_dof < ROBUST_MIN_DOF)
		return 0;
	for (i = 0; i < f->n; i++) {
		if (fabs(mixed_standardised(f, i)) <= limit)
			continue;
		f->rejected[f->row[i]] = true;
		n++;
	}
	f->reject_count += n;
	return n;
}

static void unreject(struct mixed *f, struct power_fit *out)
{
	if (f->reject_count <= REJECT_MAX_SHARE * f->d->row_count)
		return;
	power_note(
		out,
		"rows that do not follow the model: %u of %zu; none was left out, look "
		"at the measurement",
		f->reject_count, f->d->row_count);
	memset(f->rejected, 0, f->d->row_count * sizeof(*f->rejected));
	f->reject_count = 0;
}

/* From robust to plain weighted least squares without the rows that stand out. */
static int converge(struct mixed *f, struct power_fit *out, struct err *err)
{
	double last = NAN;
	int pass, ret;
	size_t i;

	ret = huber_passes(f, err);
	if (ret)
		return ret;
	reject(f);
	unreject(f, out);
	for (i = 0; i < f->d->row_count; i++)
		f->factor[i] = 1;
	for (pass = 0; pass < REJECT_PASSES; pass++) {
		if (pass < 3) {
			mixed_refine_celsius(f);
			search(f);
		}
		ret = mixed_fit(f, err);
		if (ret)
			return ret;
		mixed_update_variance(f);
		if (fabs(f->lsq.coef[0] - last) < 1e-6 * fabs(last))
			break;
		last = f->lsq.coef[0];
	}
	return 0;
}

static double coef(const struct mixed *f, int col)
{
	return f->lsq.coef[f->col[col]];
}

static void choose_errors(const struct mixed *f, struct power_fit *out,
			  enum lsq_errors *kind)
{
	*kind = out->visits >= MIN_CLUSTERS ? LSQ_CLUSTERED : LSQ_HC3;
	out->se = f->lsq.se[*kind][f->col[COL_C]];
	out->dof = f->lsq.dof[*kind][f->col[COL_C]];
	out->classical_se = f->lsq.se[LSQ_CLASSICAL][f->col[COL_C]];
}

static void add_terms(const struct mixed *f, struct power_fit *out, enum lsq_errors kind)
{
	const double *se = f->lsq.se[kind];
	double leakage_uw = 0;

	power_add_term(out, "dynamic", "uW/MHz/V^2", out->c, out->se);
	if (f->has[COL_D]) {
		out->shared = coef(f, COL_D);
		power_add_term(out, "shared-clock", "uW/MHz/V^2", out->shared,
			       se[f->col[COL_D]]);
	}
	if (f->has[COL_D0])
		power_add_term(out, "idle-clock", "uW/MHz/V^2", coef(f, COL_D0),
			       se[f->col[COL_D0]]);
	if (f->has[COL_LEAK]) {
		double at_mean = mixed_by_volt(f, f->volt_ref);

		/* At the mean of voltage and temperature, whatever the law. */
		leakage_uw = at_mean * coef(f, COL_LEAK);
		power_add_term(out, "leakage", "uW", leakage_uw,
			       at_mean * se[f->col[COL_LEAK]]);
		power_add_term(out, "leakage-exponent", "1", f->exponent, NAN);
		if (f->grows)
			power_add_term(out, "leakage-growth", "1/K", f->growth, NAN);
	}
	if (f->droops) {
		out->ohm = f->ohm;
		power_add_term(out, "rail-resistance", "ohm", f->ohm,
			       f->has[COL_OHM] ? se[f->col[COL_OHM]] : NAN);
	}
	if (f->has[COL_CONST]) {
		out->static_uw = leakage_uw + coef(f, COL_CONST);
		power_add_term(out, "constant", "uW", coef(f, COL_CONST),
			       se[f->col[COL_CONST]]);
	}
}

static unsigned int distinct(const unsigned int *ids, size_t n, unsigned int max)
{
	bool *seen = calloc((size_t)max + 1, sizeof(bool));
	unsigned int count = 0;
	size_t i;

	for (i = 0; seen && i < n; i++) {
		count += !seen[ids[i]];
		seen[ids[i]] = true;
	}
	free(seen);
	return count;
}

static void describe(const struct mixed *f, struct power_fit *out)
{
	char law[64] = "";

	if (f->has[COL_LEAK])
		mixed_law_words(f, law, sizeof(law));
	snprintf(out->formula, sizeof(out->formula), "P = %s + C u f V^2%s%s",
		 !f->per_visit	  ? "b + o_visit"
		 : f->d->by_visit ? "a_visit"
				  : "a_opp",
		 f->has[COL_D] ? " + D f V^2 [clocked]" : "", law);
}

static void list_outliers(const struct mixed *f, struct power_fit *out)
{
	size_t i;

	for (i = 0; i < f->d->row_count; i++) {
		if (!f->rejected[i])
			continue;
		if (out->outlier_count < POWER_MAX_OUTLIERS)
			out->outliers[out->outlier_count] = f->d->rows[i].index;
		out->outlier_count++;
	}
}

/* Of the fitted power; 0 where a row has none, which no share can be taken of. */
static double share(const struct mixed *f, size_t i, double off)
{
	double fitted = f->y[i] - f->resid[i];

	return fitted > NO_POWER * f->max_uw ? off / fitted : 0;
}

static void summarise(const struct mixed *f, struct power_fit *out)
{
	double mean = 0, sum_w = 0, rss = 0, tss = 0, rel = 0;
	size_t i;

	for (i = 0; i < f->n; i++) {
		sum_w += f->w[i];
		mean += f->w[i] * f->y[i];
	}
	mean /= sum_w;
	for (i = 0; i < f->n; i++) {
		rss += f->w[i] * f->resid[i] * f->resid[i];
		tss += f->w[i] * pow(f->y[i] - mean, 2);
		rel += pow(share(f, i, f->resid[i]), 2);
	}
	out->r2 = tss > 0 ? 1 - rss / tss : 1;
	out->rmse_pct = 100 * sqrt(rel / f->n);
	out->condition = f->lsq.condition;
	out->noise = f->noise;
	out->visit_uw = f->per_visit ? NAN : sqrt(f->var_visit);
}

/* Rows predicted by the other OPPs, up to their visit's offset, in percent. */
static double loo_pct(const struct mixed *f)
{
	double rel = 0;
	size_t i;

	for (i = 0; i < f->n; i++) {
		double root = f->per_visit ? 1 : sqrt(f->w[i]);

		rel += pow(share(f, i, f->lsq.loo[i] / root), 2);
	}
	return 100 * sqrt(rel / f->n);
}

/* The final fit with its errors; then the same with OPPs left out one by one. */
static int finish(struct mixed *f, struct power_fit *out, struct err *err)
{
	enum lsq_errors kind;
	double c = NAN, law_se = 0;
	int ret;

	if (f->has[COL_LEAK])
		mixed_average_laws(f, &c, &law_se);
	mixed_bend(f, false);
	ret = mixed_fit(f, err);
	if (ret)
		return ret;
	f->has[COL_GROWTH] = f->grows && f->has[COL_LEAK];
	f->has[COL_OHM] = f->droops;
	mixed_assemble(f);
	ret = mixed_solve(f, f->group, mixed_group_count(f), err);
	if (ret == -EDOM) {
		f->has[COL_GROWTH] = f->has[COL_OHM] = false;
		mixed_assemble(f);
		ret = mixed_solve(f, f->group, mixed_group_count(f), err);
	}
	if (ret)
		return ret;
	out->rows = f->n;
	out->visits = distinct(f->group, f->n, mixed_group_count(f));
	out->opps = distinct(f->opp, f->n, f->d->opp_count);
	out->c = (f->has[COL_LEAK] ? c : coef(f, COL_C));
	choose_errors(f, out, &kind);
	out->se = hypot(out->se, law_se);
	add_terms(f, out, kind);
	summarise(f, out);
	if (!f->grows)
		power_note(out,
			   "no temperature that moves: leakage that grows with the load "
			   "is inside C");
	describe(f, out);
	list_outliers(f, out);
	ret = out->keep ? mixed_keep(f, out->keep) : 0;
	if (ret)
		return err_errno(err, ret, "%zu rows", f->n);
	ret = mixed_solve(f, f->opp, f->d->opp_count, err);
	if (!ret && out->opps > 1)
		out->loo_rmse_pct = loo_pct(f);
	return ret;
}

static int run(const struct power_data *d, bool per_visit, bool no_shared,
	       struct power_fit *out, struct err *err)
{
	struct mixed f;
	int ret = mixed_init(&f, d);

	f.per_visit = per_visit;
	f.no_shared = no_shared;
	f.var_visit = per_visit ? INFINITY : 0;
	if (ret) {
		ret = err_errno(err, ret, "%zu rows", d->row_count);
		goto out_free;
	}
	mixed_choose_columns(&f);
	f.droops = can_find_ohm(&f);
	mixed_start_weights(&f);
	ret = converge(&f, out, err);
	if (!ret)
		ret = finish(&f, out, err);
out_free:
	mixed_free(&f);
	return ret;
}

static int within_opp(const struct power_data *d, bool no_shared, struct power_fit *f,
		      struct err *err)
{
	int ret = run(d, true, no_shared, f, err);

	if (ret == -EDOM)
		return err_wrap(err, ret,
				"no operating point was measured with different loads, "
				"so that the slope within an OPP is not known");
	return ret;
}

int power_within_opp(const struct power_data *d, struct power_fit *f, struct err *err)
{
	return within_opp(d, false, f, err);
}

int power_within_opp_plain(const struct power_data *d, struct power_fit *f,
			   struct err *err)
{
	return within_opp(d, true, f, err);
}

/* The fit that assumes less must not disagree. */
static void cross_check(const struct power_data *d, struct power_fit *f)
{
	struct power_fit *other = calloc(1, sizeof(*other));

	if (other && !run(d, true, false, other, NULL) && isfinite(other->se) &&
	    fabs(other->c - f->c) >
		    CROSS_CHECK_SE *
			    hypot(other->se * lsq_t975(other->dof) / Z975, f->se))
		power_note(
			f,
			"within-opp disagrees: C = %.2f, standard error %.2f; one of the "
			"two models does not hold here, look at --explain",
			other->c, other->se);
	free(other);
}

int power_structured(const struct power_data *d, struct power_fit *f, struct err *err)
{
	int ret = run(d, false, false, f, err);

	if (ret == -EDOM)
		return err_wrap(err, ret,
				"the rows cannot tell dynamic, shared-clock and constant "
				"power apart");
	if (!ret)
		cross_check(d, f);
	return ret;
}
