// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows into columns, visits' offsets out of them, least squares, and the two searches for
 * what is not linear.
 */
#include "models/mixed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH_MIN -0.02
#define GROWTH_MAX 0.12 /* leakage doubling in 6 K: no silicon is worse */
#define DROOP_MAX  0.15 /* of the voltage */
/* A bound at 0 would make the mean of small resistances too large. */
#define OHM_BELOW_0  0.2
#define SEARCH_STEPS 18
#define POLISH_STEPS 12
/* Of the deviance, where 1 is one standard error. */
#define POLISH_ENOUGH 1e-4
/* The standard deviation of visits is looked for from 1e-6 of the largest power on. */
#define VISIT_FIRST -6.0
#define VISIT_STEP  0.15
#define VISIT_STEPS 40

int mixed_init(struct mixed *f, const struct power_data *d)
{
	size_t n = d->row_count + 1;

	memset(f, 0, sizeof(*f));
	f->d = d;
	f->factor = calloc(n, sizeof(double));
	f->fitted = calloc(n, sizeof(double));
	f->celsius = calloc(n, sizeof(double));
	f->rejected = calloc(n, sizeof(bool));
	f->x = calloc(n * COL_MAX, sizeof(double));
	f->y = calloc(n, sizeof(double));
	f->w = calloc(n, sizeof(double));
	f->xt = calloc(n * COL_MAX, sizeof(double));
	f->yt = calloc(n, sizeof(double));
	f->resid = calloc(n, sizeof(double));
	f->leverage = calloc(n, sizeof(double));
	f->sums = calloc(n * (COL_MAX + 2), sizeof(double));
	f->group = calloc(n, sizeof(*f->group));
	f->opp = calloc(n, sizeof(*f->opp));
	f->row = calloc(n, sizeof(*f->row));
	return f->factor && f->fitted && f->celsius && f->rejected && f->x && f->y &&
			       f->w && f->xt && f->yt && f->sums && f->resid &&
			       f->leverage && f->group && f->opp && f->row
		       ? 0
		       : -ENOMEM;
}

void mixed_free(struct mixed *f)
{
	free(f->factor);
	free(f->fitted);
	free(f->celsius);
	free(f->rejected);
	free(f->x);
	free(f->y);
	free(f->w);
	free(f->xt);
	free(f->yt);
	free(f->sums);
	free(f->resid);
	free(f->leverage);
	free(f->group);
	free(f->opp);
	free(f->row);
	lsq_free(&f->lsq);
}

static unsigned int group_of(const struct mixed *f, const struct power_row *r)
{
	return f->d->by_visit ? r->visit : r->opp;
}

unsigned int mixed_group_count(const struct mixed *f)
{
	return f->d->by_visit ? f->d->visit_count : f->d->opp_count;
}

/* Of the fitted power, for the measured one would bring its noise into the columns. */
static double rail_volt(const struct mixed *f, const struct power_row *r)
{
	return power_rail_volt(r->volt, f->ohm, f->fitted[r - f->d->rows]);
}

/* dP/dR of all that the model has so far, by way of dV/dR = -I. */
static double by_ohm(const struct mixed *f, const struct power_row *r, double volt,
		     double leak)
{
	static const enum mixed_col clocked[] = { COL_C, COL_D, COL_D0 };
	const double x[] = { r->busy, r->clocked, 1 };
	double slope = 0;
	int i;

	for (i = 0; i < 3; i++)
		if (f->has[clocked[i]])
			slope += f->base[clocked[i]] * x[i] * 2 * r->mhz * volt;
	if (f->has[COL_LEAK])
		slope += f->base[COL_LEAK] * f->exponent * leak / volt;
	return -slope * f->fitted[r - f->d->rows] * 1e-6 / volt;
}

static double regressor(const struct mixed *f, const struct power_row *r, int col)
{
	double kelvin = f->d->has_temp ? f->celsius[r - f->d->rows] - f->t_ref : 0;
	double volt = rail_volt(f, r);
	double fv2 = r->mhz * volt * volt;
	double leak = exp(f->growth * kelvin);
	int i;

	for (i = 0; i < f->exponent; i++)
		leak *= volt;

	switch (col) {
	case COL_C:
		return r->busy * fv2;
	case COL_D:
		return r->clocked * fv2;
	case COL_D0:
		return fv2;
	case COL_LEAK:
		return leak;
	case COL_GROWTH:
		return leak * kelvin;
	case COL_OHM:
		return by_ohm(f, r, volt, leak);
	default:
		return 1;
	}
}

double mixed_variance(const struct mixed *f, double uw)
{
	return f->var_add + f->var_rel * uw * uw;
}

void mixed_assemble(struct mixed *f)
{
	size_t i;
	int c;

	f->cols = 0;
	for (c = 0; c < COL_MAX; c++)
		if (f->has[c])
			f->col[c] = f->cols++;
	f->n = 0;
	for (i = 0; i < f->d->row_count; i++) {
		const struct power_row *r = &f->d->rows[i];

		if (f->rejected[i])
			continue;
		for (c = 0; c < COL_MAX; c++)
			if (f->has[c])
				f->x[f->n * f->cols + f->col[c]] = regressor(f, r, c);
		f->y[f->n] = r->uw;
		f->w[f->n] = f->factor[i] / mixed_variance(f, f->fitted[i]);
		f->group[f->n] = group_of(f, r);
		f->opp[f->n] = r->opp;
		f->row[f->n++] = i;
	}
}

/*
 * A visit's offset has the variance var_visit: the share 1 - (1 + var_visit sum w)^-1/2
 * of the visit's weighted mean is taken out of every column, all of it when the offset is
 * free. Then the rows are independent and the weights go into them, too.
 */
static void take_offsets(struct mixed *f)
{
	unsigned int stride = COL_MAX + 2, c;
	size_t i;

	memset(f->sums, 0, (size_t)mixed_group_count(f) * stride * sizeof(double));
	for (i = 0; i < f->n; i++) {
		double *s = &f->sums[f->group[i] * stride];

		s[0] += f->w[i];
		s[1] += f->w[i] * f->y[i];
		for (c = 0; c < f->cols; c++)
			s[2 + c] += f->w[i] * f->x[i * f->cols + c];
	}
	for (i = 0; i < f->n; i++) {
		const double *s = &f->sums[f->group[i] * stride];
		double share = 1 - 1 / sqrt(1 + f->var_visit * s[0]);
		double root = sqrt(f->w[i]);

		f->yt[i] = root * (f->y[i] - share * s[1] / s[0]);
		for (c = 0; c < f->cols; c++)
			f->xt[i * f->cols + c] = root * (f->x[i * f->cols + c] -
							 share * s[2 + c] / s[0]);
	}
}

static void take_residuals(struct mixed *f)
{
	unsigned int stride = 2, c;
	size_t i;

	memset(f->sums, 0, (size_t)mixed_group_count(f) * stride * sizeof(double));
	for (i = 0; i < f->n; i++) {
		f->resid[i] = f->y[i];
		for (c = 0; c < f->cols; c++)
			f->resid[i] -= f->lsq.coef[c] * f->x[i * f->cols + c];
		f->sums[f->group[i] * stride] += f->w[i];
		f->sums[f->group[i] * stride + 1] += f->w[i] * f->resid[i];
	}
	for (i = 0; i < f->n; i++) {
		const double *s = &f->sums[f->group[i] * stride];
		double share = 1 - 1 / (1 + f->var_visit * s[0]);

		f->resid[i] -= share * s[1] / s[0];
		f->leverage[i] = f->lsq.leverage[i];
		if (!f->per_visit)
			f->leverage[i] += share * f->w[i] / s[0];
	}
}

/* @cluster: per problem row, or NULL */
int mixed_solve(struct mixed *f, const unsigned int *cluster, unsigned int clusters,
		struct err *err)
{
	struct lsq_in in = {
		.rows = f->n,
		.cols = f->cols,
		.x = f->per_visit ? f->x : f->xt,
		.y = f->per_visit ? f->y : f->yt,
		.weight = f->per_visit ? f->w : NULL,
		.group = f->per_visit ? f->group : NULL,
		.groups = mixed_group_count(f),
		.cluster = cluster,
		.clusters = clusters,
	};
	int ret;

	take_offsets(f);
	lsq_free(&f->lsq);
	ret = lsq_fit(&in, &f->lsq, err);
	if (!ret)
		take_residuals(f);
	return ret;
}

/* What the derivative by the resistance is taken at. */
static void keep_base(struct mixed *f)
{
	int c;

	for (c = 0; c < COL_MAX; c++)
		if (f->has[c])
			f->base[c] = f->lsq.coef[f->col[c]];
}

int mixed_fit(struct mixed *f, struct err *err)
{
	size_t i;
	int ret;

	mixed_assemble(f);
	ret = mixed_solve(f, NULL, 0, err);
	if (!ret)
		keep_base(f);
	for (i = 0; !ret && i < f->n; i++)
		f->fitted[f->row[i]] = f->y[i] - f->resid[i];
	return ret;
}

/* The place in lo..hi that makes the deviance least: golden section. */
static void search(struct mixed *f, double *at, double lo, double hi)
{
	const double ratio = (sqrt(5) - 1) / 2;
	double a = hi - ratio * (hi - lo), b = lo + ratio * (hi - lo);
	double at_a, at_b;
	int i;

	*at = a;
	at_a = mixed_deviance(f);
	*at = b;
	at_b = mixed_deviance(f);
	for (i = 0; i < SEARCH_STEPS; i++) {
		if (at_a < at_b) {
			hi = b;
			b = a;
			at_b = at_a;
			*at = a = hi - ratio * (hi - lo);
			at_a = mixed_deviance(f);
		} else {
			lo = a;
			a = b;
			at_a = at_b;
			*at = b = lo + ratio * (hi - lo);
			at_b = mixed_deviance(f);
		}
	}
	*at = (lo + hi) / 2;
}

void mixed_search_growth(struct mixed *f)
{
	search(f, &f->growth, GROWTH_MIN, GROWTH_MAX);
}

void mixed_search_ohm(struct mixed *f)
{
	size_t i;

	f->max_ohm = INFINITY;
	for (i = 0; i < f->d->row_count; i++) {
		const struct power_row *r = &f->d->rows[i];

		if (r->uw > 0)
			f->max_ohm = fmin(f->max_ohm,
					  DROOP_MAX * r->volt * r->volt / (r->uw * 1e-6));
	}
	if (isfinite(f->max_ohm))
		search(f, &f->ohm, -f->max_ohm * OHM_BELOW_0, f->max_ohm);
}

double mixed_deviance(struct mixed *f)
{
	double sum = 0;
	size_t i;

	mixed_assemble(f);
	if (mixed_solve(f, NULL, 0, NULL))
		return INFINITY;
	if (f->per_visit)
		return f->lsq.rss;
	memset(f->sums, 0, (size_t)mixed_group_count(f) * sizeof(double));
	for (i = 0; i < f->n; i++)
		f->sums[f->group[i]] += f->w[i];
	for (i = 0; i < mixed_group_count(f); i++)
		sum += log(1 + f->var_visit * f->sums[i]);
	return sum + f->lsq.rss;
}

static void curved_columns(struct mixed *f, bool on)
{
	f->has[COL_GROWTH] = on && f->has[COL_LEAK] && f->grows;
	f->has[COL_OHM] = on && f->droops;
}

static double within(double x, double lo, double hi)
{
	return fmin(fmax(x, lo), hi);
}

/* Where the derivatives point to. False: they do not. */
static bool step_to(struct mixed *f, double *growth, double *ohm)
{
	double leak = f->base[COL_LEAK];
	bool ok;

	*growth = f->growth;
	*ohm = f->ohm;
	curved_columns(f, true);
	mixed_assemble(f);
	ok = !mixed_solve(f, NULL, 0, NULL);
	if (ok && f->has[COL_GROWTH] && leak != 0)
		*growth += f->lsq.coef[f->col[COL_GROWTH]] / leak;
	if (ok && f->has[COL_OHM])
		*ohm += f->lsq.coef[f->col[COL_OHM]];
	curved_columns(f, false);
	return ok;
}

/* Half the step, and half again, until it gets better. */
static bool take_step(struct mixed *f, double growth, double ohm, double before)
{
	double from_growth = f->growth, from_ohm = f->ohm, part;

	for (part = 1; part > 0.02; part /= 2) {
		f->growth = within(from_growth + part * (growth - from_growth),
				   GROWTH_MIN, GROWTH_MAX);
		f->ohm = within(from_ohm + part * (ohm - from_ohm),
				-OHM_BELOW_0 * f->max_ohm, f->max_ohm);
		if (mixed_deviance(f) < before)
			return true;
	}
	f->growth = from_growth;
	f->ohm = from_ohm;
	return false;
}

void mixed_polish(struct mixed *f)
{
	double growth, ohm, before = mixed_deviance(f), now;
	int i;

	for (i = 0; i < POLISH_STEPS && isfinite(before); i++) {
		keep_base(f);
		if (!step_to(f, &growth, &ohm) || !take_step(f, growth, ohm, before))
			break;
		now = mixed_deviance(f);
		if (before - now < POLISH_ENOUGH)
			break;
		before = now;
	}
	mixed_deviance(f);
}

/* The variance of the visits' offsets that makes the data most likely. */
void mixed_search_visits(struct mixed *f)
{
	double best = INFINITY, at = 0, sd;
	int i;

	if (f->per_visit)
		return;
	for (i = -1; i <= VISIT_STEPS; i++) {
		double dev;

		sd = i < 0 ? 0 : f->max_uw * pow(10, VISIT_FIRST + i * VISIT_STEP);
		f->var_visit = sd * sd;
		dev = mixed_deviance(f);
		if (dev < best) {
			best = dev;
			at = sd * sd;
		}
	}
	f->var_visit = at;
}

/* Share of a column that varies within the groups (or at all). */
double mixed_variation(const struct mixed *f, enum mixed_col col)
{
	unsigned int groups = mixed_group_count(f), g;
	double *sum = calloc(3 * (size_t)groups, sizeof(double));
	double total = 0, within = 0;
	size_t i;

	if (!sum)
		return 0;
	for (i = 0; i < f->d->row_count; i++) {
		double x = regressor(f, &f->d->rows[i], col);

		g = f->per_visit ? group_of(f, &f->d->rows[i]) : 0;
		sum[3 * g]++;
		sum[3 * g + 1] += x;
		sum[3 * g + 2] += x * x;
	}
	for (g = 0; g < groups; g++) {
		if (!sum[3 * g])
			continue;
		total += sum[3 * g + 2];
		within += sum[3 * g + 2] - sum[3 * g + 1] * sum[3 * g + 1] / sum[3 * g];
	}
	free(sum);
	return total > 0 ? sqrt(fmax(within, 0) / total) : 0;
}
