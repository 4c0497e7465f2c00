// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a coarse thermometer hides. Error in a column, unlike error in the power, does not
 * average out: it flattens the leakage's growth, and what is missing goes into C. But the
 * temperature follows the power, and what it was a window before; so a rounded reading is
 * replaced by what these let expect of it (regression calibration; Carroll et al.,
 * Measurement Error in Nonlinear Models, 2006, chapter 4).
 */
#include <math.h>

#include "models/mixed.h"

#define MIN_SHARE 0.6 /* of the rows that are on the steps */
#define MIN_ROWS  12
#define COLS	  5

static bool on_step(double celsius, long step_mc)
{
	return lround(celsius * 1e3) % step_mc == 0;
}

/* The steps of the thermometer in mC; 0: too fine to matter, or unknown. */
static long find_step(const struct power_data *d)
{
	static const long steps_mc[] = { 5000, 2000, 1000, 500, 250 };
	size_t i, k, n;

	for (k = 0; k < sizeof(steps_mc) / sizeof(steps_mc[0]); k++) {
		for (i = n = 0; i < d->row_count; i++)
			n += on_step(d->rows[i].celsius, steps_mc[k]);
		if (n >= MIN_SHARE * d->row_count)
			return steps_mc[k];
	}
	return 0;
}

void mixed_refine_celsius(struct mixed *f)
{
	long step_mc = f->has[COL_LEAK] && f->grows ? find_step(f->d) : 0;
	double half = step_mc / 2e3, round = half * half / 3;
	size_t n = f->d->row_count, i;
	struct lsq_in in = { .rows = n - 1, .cols = COLS, .x = f->x, .y = f->y };
	struct lsq fit = { 0 };
	double own;

	if (!step_mc || n < MIN_ROWS)
		return;
	for (i = 1; i < n; i++) {
		double *x = &f->x[COLS * (i - 1)], before = f->d->rows[i].before;

		x[0] = 1;
		x[1] = f->fitted[i] / f->max_uw;
		x[2] = (isnan(before) ? f->celsius[i - 1] : before) - f->t_ref;
		x[3] = (double)i / n;
		x[4] = x[3] * x[3];
		f->y[i - 1] = f->d->rows[i].celsius;
	}
	if (lsq_fit(&in, &fit, NULL))
		goto out_free;
	own = fmax(fit.rss / fit.resid_dof - round, 0);
	for (i = 1; i < n; i++) {
		double is = f->d->rows[i].celsius;
		double miss = fit.resid[i - 1];

		if (on_step(is, step_mc))
			f->celsius[i] = is -
					fmin(fmax(miss * round / (own + round), -half),
					     half);
	}
out_free:
	lsq_free(&fit);
}
