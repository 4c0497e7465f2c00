// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines through windows of one CPU count that give static power a shape instead of a
 * constant:
 *
 *	voltage-linear		P = C u f V^2 + k V
 *	exponential-leakage	P = C u f V^2 + k V exp(b (V - V0))
 *
 * Voltage and f V^2 rise together, so that C and k can hardly be told apart; these are
 * here to compare with, not to ship. Ordinary least squares, errors HC3; b by a search,
 * the others solved for at every step (Golub and Pereyra, SIAM J. Numer. Anal. 10, 1973).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "models/power_internal.h"

/* Of b, in 1/V: from none to leakage that doubles in 70 mV. */
#define GROWTH_MAX  10.0
#define GROWTH_STEP 0.05

struct line {
	double *x, *y, *volt, *fv2;
	double volt_ref;
	size_t n;
};

static int gather(struct line *p, const struct power_data *d, struct err *err)
{
	size_t i, n = d->row_count;

	memset(p, 0, sizeof(*p));
	p->x = calloc(6 * n, sizeof(double));
	if (!p->x)
		return err_errno(err, -ENOMEM, "%zu rows", n);
	p->y = p->x + 3 * n;
	p->volt = p->x + 4 * n;
	p->fv2 = p->x + 5 * n;
	for (i = 0; i < n; i++) {
		const struct power_row *r = &d->rows[i];

		if (r->count != d->counts[0])
			continue;
		p->y[p->n] = r->uw;
		p->volt[p->n] = r->volt;
		p->fv2[p->n++] = r->busy * r->fv2;
	}
	for (i = 0; i < p->n; i++)
		p->volt_ref += p->volt[i] / p->n;
	return 0;
}

/* @slope: a third column, the derivative by b, so that C's error holds that of b. */
static int solve(const struct line *p, double growth, bool slope, struct lsq *l,
		 struct err *err)
{
	struct lsq_in in = { .rows = p->n, .cols = slope ? 3 : 2, .x = p->x, .y = p->y };
	size_t i;

	for (i = 0; i < p->n; i++) {
		double off = p->volt[i] - p->volt_ref;
		double *x = &p->x[i * in.cols];

		x[0] = p->fv2[i];
		x[1] = p->volt[i] * exp(growth * off);
		if (slope)
			x[2] = x[1] * off;
	}
	return lsq_fit(&in, l, err);
}

/* Why the two columns are one. */
static int unsolvable(int ret, const struct power_data *d, struct err *err)
{
	if (ret != -EDOM)
		return ret;
	return err_wrap(err, ret,
			"cannot tell leakage from dynamic power at %u operating point%s",
			d->busy_opps, text_s(d->busy_opps));
}

static double best_growth(const struct line *p)
{
	double growth, best = 0, least = INFINITY;

	for (growth = 0; growth <= GROWTH_MAX; growth += GROWTH_STEP) {
		struct lsq l = { 0 };

		if (!solve(p, growth, false, &l, NULL) && l.rss < least) {
			least = l.rss;
			best = growth;
		}
		lsq_free(&l);
	}
	return best;
}

static void take(const struct lsq *l, const struct line *p, const struct power_data *d,
		 struct power_fit *f)
{
	f->c = l->coef[0];
	f->se = l->se[LSQ_HC3][0];
	f->classical_se = l->se[LSQ_CLASSICAL][0];
	f->dof = l->resid_dof;
	power_add_term(f, "dynamic", "uW/MHz/V^2", f->c, f->se);
	power_add_term(f, "leakage", "uW/V", l->coef[1], l->se[LSQ_HC3][1]);
	f->static_uw = l->coef[1] * p->volt_ref;
	f->rows = p->n;
	f->opps = d->busy_opps;
	f->r2 = power_r2(l, false);
	f->rmse_pct = power_rmse_pct(l->resid, l->fitted, p->n);
	f->condition = l->condition;
	f->noise.uw = l->resid_dof > 0 ? sqrt(l->rss / l->resid_dof) : 0;
	power_note(f,
		   "too high for one CPU: contains shared-clock power; never per core");
	if (l->coef[1] < 0)
		power_note(f,
			   "leakage is negative (%.0f uW/V): these rows cannot tell it "
			   "from dynamic power",
			   l->coef[1]);
}

int power_voltage_linear(const struct power_data *d, struct power_fit *f, struct err *err)
{
	struct lsq l = { 0 };
	struct line p;
	int ret = gather(&p, d, err);

	if (!ret)
		ret = unsolvable(solve(&p, 0, false, &l, err), d, err);
	if (!ret)
		take(&l, &p, d, f);
	snprintf(f->formula, sizeof(f->formula), "P = C u f V^2 + k V");
	lsq_free(&l);
	free(p.x);
	return ret;
}

int power_exponential_leakage(const struct power_data *d, struct power_fit *f,
			      struct err *err)
{
	struct lsq l = { 0 }, with_growth = { 0 };
	double growth = 0;
	struct line p;
	int ret = gather(&p, d, err);

	if (!ret) {
		growth = best_growth(&p);
		ret = unsolvable(solve(&p, growth, false, &l, err), d, err);
	}
	if (!ret) {
		take(&l, &p, d, f);
		power_add_term(f, "leakage-growth", "1/V", growth, NAN);
		f->se = f->classical_se = f->terms[0].se = f->terms[1].se = NAN;
	}
	if (!ret && !solve(&p, growth, true, &with_growth, NULL)) {
		f->se = f->terms[0].se = with_growth.se[LSQ_HC3][0];
		f->terms[1].se = with_growth.se[LSQ_HC3][1];
		f->classical_se = with_growth.se[LSQ_CLASSICAL][0];
		f->dof = with_growth.resid_dof;
	}
	snprintf(f->formula, sizeof(f->formula),
		 "P = C u f V^2 + k V exp(b (V-V0)), V0 = %.3f V", p.volt_ref);
	lsq_free(&l);
	lsq_free(&with_growth);
	free(p.x);
	return ret;
}
