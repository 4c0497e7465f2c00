// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One linear fit over all rows, as it is usually made of such data (M. Walker's of the
 * Odroid-XU3, for one):
 *
 *	P = C u f V^2 + D f V^2 + k V + h V (T - 50)
 *
 * The clock always runs, leakage is linear in voltage and temperature, nothing else is
 * metered, rows are independent and their error is a share of the power (weights 1/P^2).
 * Errors are HC3 (MacKinnon and White, Journal of Econometrics 29, 1985). For comparison:
 * a visit's drift, a droop that is not measured, and leakage that bends are inside C.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/text.h"
#include "models/power_internal.h"

#define CELSIUS_REF 50
#define COLS	    4

static const struct {
	const char *name, *unit;
} terms[COLS] = {
	{ "dynamic", "uW/MHz/V^2" },
	{ "shared-clock", "uW/MHz/V^2" },
	{ "leakage", "uW/V" },
	{ "leakage-heat", "uW/V/K" },
};

static int fill(const struct power_data *d, struct lsq_in *in, double *x, double *y,
		double *weight, struct err *err)
{
	size_t i;

	for (i = 0; i < d->row_count; i++) {
		const struct power_row *r = &d->rows[i];
		double *row = &x[i * in->cols];

		if (!(r->uw > 0))
			return err_set(err, -EDOM,
				       "a row of %.0f uW at %u kHz: weights of 1/P^2 "
				       "need power above 0 in every row",
				       r->uw, d->opp_khz[r->opp]);
		row[0] = r->busy * r->fv2;
		row[1] = r->fv2;
		row[2] = r->volt;
		if (in->cols == COLS)
			row[3] = r->volt * (r->celsius - CELSIUS_REF);
		y[i] = r->uw;
		weight[i] = 1 / (r->uw * r->uw);
	}
	in->x = x;
	in->y = y;
	in->weight = weight;
	return 0;
}

static void take(const struct lsq *l, const struct power_data *d, struct power_fit *f)
{
	unsigned int i;

	f->c = l->coef[0];
	f->se = l->se[LSQ_HC3][0];
	f->classical_se = l->se[LSQ_CLASSICAL][0];
	f->dof = l->resid_dof;
	for (i = 0; i < l->cols; i++)
		power_add_term(f, terms[i].name, terms[i].unit, l->coef[i],
			       l->se[LSQ_HC3][i]);
	f->rows = d->row_count;
	f->opps = d->busy_opps;
	f->visits = d->visit_count;
	f->r2_uncentred = true;
	f->r2 = power_r2(l, true);
	f->rmse_pct = power_rmse_pct(l->resid, l->fitted, d->row_count);
	f->condition = l->condition;
	f->noise.rel = l->resid_dof > 0 ? sqrt(l->rss / l->resid_dof) : 0;
	snprintf(f->formula, sizeof(f->formula), "P = C u f V^2 + D f V^2 + k V%s",
		 l->cols == COLS ? " + h V (T-50)" : "");
}

int power_pooled(const struct power_data *d, struct power_fit *f, struct err *err)
{
	unsigned int cols = d->has_temp ? COLS : COLS - 1;
	struct lsq_in in = { .rows = d->row_count, .cols = cols };
	double *x = calloc(d->row_count * (cols + 2), sizeof(double));
	double *y = x + d->row_count * cols;
	struct lsq l = { 0 };
	int ret;

	if (!x)
		return err_errno(err, -ENOMEM, "%zu rows", d->row_count);
	ret = fill(d, &in, x, y, y + d->row_count, err);
	if (!ret) {
		ret = lsq_fit(&in, &l, err);
		if (ret == -EDOM)
			err_wrap(err, ret,
				 "%u CPU count%s at %u operating point%s cannot tell "
				 "dynamic, shared-clock and leakage power apart",
				 d->count_count, text_s(d->count_count), d->opp_count,
				 text_s(d->opp_count));
	}
	if (!ret)
		take(&l, d, f);
	lsq_free(&l);
	free(x);
	return ret;
}
