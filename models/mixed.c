// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows into columns, visits' offsets out of them, and least squares.
 */
#include "models/mixed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ZERO_CELSIUS 273.15
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

double mixed_by_volt(const struct mixed *f, double volt)
{
	if (f->law & LAW_EXPONENTIAL)
		return volt * exp((f->exponent - 1) * (volt / f->volt_ref - 1));
	return pow(volt, f->exponent);
}

/* What power of V leakage goes with at @volt. */
static double exponent_at(const struct mixed *f, double volt)
{
	if (f->law & LAW_EXPONENTIAL)
		return 1 + (f->exponent - 1) * volt / f->volt_ref;
	return f->exponent;
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
		slope += f->base[COL_LEAK] * exponent_at(f, volt) * leak / volt;
	return -slope * f->fitted[r - f->d->rows] * 1e-6 / volt;
}

/* Leakage @kelvin above the mean temperature against that at the mean. */
static double by_kelvin(const struct mixed *f, double kelvin)
{
	double mean = f->t_ref + ZERO_CELSIUS;

	switch (f->law & LAW_TEMPERATURE) {
	case LAW_ARRHENIUS:
		return exp(f->growth * kelvin * mean / (mean + kelvin));
	case LAW_LINEAR:
		return 1 + f->growth * kelvin;
	default:
		return exp(f->growth * kelvin);
	}
}

/* The derivative of by_kelvin() by the growth. */
static double growth_slope(const struct mixed *f, double kelvin)
{
	double mean = f->t_ref + ZERO_CELSIUS;

	switch (f->law & LAW_TEMPERATURE) {
	case LAW_ARRHENIUS:
		return by_kelvin(f, kelvin) * kelvin * mean / (mean + kelvin);
	case LAW_LINEAR:
		return kelvin;
	default:
		return by_kelvin(f, kelvin) * kelvin;
	}
}

static double regressor(const struct mixed *f, const struct power_row *r, int col)
{
	double kelvin = f->d->has_temp ? f->celsius[r - f->d->rows] - f->t_ref : 0;
	double volt = rail_volt(f, r);
	double fv2 = r->mhz * volt * volt;

	switch (col) {
	case COL_C:
		return r->busy * fv2;
	case COL_D:
		return r->clocked * fv2;
	case COL_D0:
		return fv2;
	case COL_LEAK:
		return mixed_by_volt(f, volt) * by_kelvin(f, kelvin);
	case COL_GROWTH:
		return mixed_by_volt(f, volt) * growth_slope(f, kelvin);
	case COL_OHM:
		return by_ohm(f, r, volt, mixed_by_volt(f, volt) * by_kelvin(f, kelvin));
	default:
		return 1;
	}
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
		f->w[f->n] = f->factor[i] * r->windows /
			     mixed_variance(f, i, f->fitted[i]);
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

double mixed_deviance(struct mixed *f)
{
	double sum = mixed_surprise(f);
	size_t i;

	mixed_assemble(f);
	if (mixed_solve(f, NULL, 0, NULL))
		return INFINITY;
	if (f->per_visit)
		return sum + f->lsq.rss;
	memset(f->sums, 0, (size_t)mixed_group_count(f) * sizeof(double));
	for (i = 0; i < f->n; i++)
		f->sums[f->group[i]] += f->w[i];
	for (i = 0; i < mixed_group_count(f); i++)
		sum += log(1 + f->var_visit * f->sums[i]);
	return sum + f->lsq.rss;
}

/*
 * The variance of the visits' offsets that makes most likely what the data say beyond the
 * coefficients: restricted maximum likelihood (Patterson and Thompson 1971). Plain
 * likelihood finds it too small where visits are few.
 */
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
		dev = mixed_deviance(f) + f->lsq.log_det;
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
