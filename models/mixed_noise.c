// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The noise of windows, from what the fit leaves.
 */
#include <math.h>
#include <stdlib.h>

#include "models/mixed.h"

#define MIN_DOF	     6
#define PASSES	     200
#define LEAST_OF_MAX 1e-5 /* of the largest power: noise in uW */
#define CAP_SCALES   3	  /* what stands out by more counts as much */

enum { ADD, REL, BUSY, PARTS };

/* What the three variances are multiplied by in row @i. */
static void parts_of(const struct mixed *f, size_t i, double uw, double part[PARTS])
{
	const struct power_row *r = &f->d->rows[i];

	part[ADD] = 1;
	part[REL] = uw * uw;
	part[BUSY] = power_sleeping(f->d, r->count) * pow(f->base[COL_C] * r->fv2, 2);
}

double mixed_variance(const struct mixed *f, size_t i, double uw)
{
	const struct power_row *r = &f->d->rows[i];

	return power_variance(&f->noise, uw, power_sleeping(f->d, r->count),
			      f->base[COL_C] * r->fv2);
}

double mixed_standardised(const struct mixed *f, size_t i)
{
	double room = fmax(1 - f->leverage[i], 1e-3);

	room /= f->d->rows[f->row[i]].windows;
	return f->resid[i] /
	       sqrt(room * mixed_variance(f, f->row[i], f->y[i] - f->resid[i]));
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double mixed_scale(const struct mixed *f)
{
	double *z = calloc(f->n, sizeof(double)), scale;
	size_t i;

	if (!z)
		return 1;
	for (i = 0; i < f->n; i++)
		z[i] = fabs(mixed_standardised(f, i));
	qsort(z, f->n, sizeof(*z), by_value);
	scale = f->n % 2 ? z[f->n / 2] : (z[f->n / 2 - 1] + z[f->n / 2]) / 2;
	free(z);
	return scale / 0.6745;
}

/*
 * The least of x'Ax/2 - b'x with no x below 0, one x after the other; A is positive
 * definite or nearly so.
 */
static void solve_not_negative(double a[PARTS][PARTS], const double b[PARTS],
			       double x[PARTS])
{
	for (int pass = 0; pass < PASSES; pass++) {
		for (int i = 0; i < PARTS; i++) {
			double rest = b[i];

			for (int k = 0; k < PARTS; k++)
				if (k != i)
					rest -= a[i][k] * x[k];
			x[i] = a[i][i] > 0 ? fmax(rest / a[i][i], 0) : 0;
		}
	}
}

void mixed_update_variance(struct mixed *f)
{
	double cap = CAP_SCALES * fmax(mixed_scale(f), 1e-9);
	double a[PARTS][PARTS] = { 0 }, b[PARTS] = { 0 }, x[PARTS];
	double unit[PARTS];
	size_t i;
	int j, k;

	if (f->lsq.resid_dof < MIN_DOF)
		return;
	for (i = 0; i < f->n; i++) {
		double uw = f->y[i] - f->resid[i], part[PARTS];
		double v = mixed_variance(f, f->row[i], uw);
		double z = fmin(fabs(mixed_standardised(f, i)), cap);

		parts_of(f, f->row[i], uw, part);
		for (j = 0; j < PARTS; j++) {
			b[j] += z * z * part[j] / v;
			for (k = 0; k < PARTS; k++)
				a[j][k] += part[j] * part[k] / v / v;
		}
	}
	for (j = 0; j < PARTS; j++)
		unit[j] = a[j][j] > 0 ? 1 / sqrt(a[j][j]) : 0;
	for (j = 0; j < PARTS; j++) {
		b[j] *= unit[j];
		x[j] = 0;
		for (k = 0; k < PARTS; k++)
			a[j][k] *= unit[j] * unit[k];
	}
	solve_not_negative(a, b, x);
	for (j = 0; j < PARTS; j++)
		x[j] *= unit[j];
	/* Nothing but zeros. */
	if (!isfinite(x[ADD]) || !isfinite(x[REL]) || !isfinite(x[BUSY]))
		return;
	f->noise = (struct power_noise){
		.uw = fmax(sqrt(x[ADD]), LEAST_OF_MAX * f->max_uw),
		.rel = sqrt(x[REL]),
		.busy = sqrt(x[BUSY]),
	};
}
