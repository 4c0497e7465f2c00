// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Diagnostics per operating point: its own C, and what a new measurement there would
 * show; and how much of the power is not C's.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/diagnose_internal.h"
#include "models/power_internal.h"

#define NO_X 1e-9

/* Means over the rows of one OPP and count. */
struct cell {
	unsigned int count;
	double n, x[LSQ_MAX_COLS], busy, uw, fv2;
};

static void take_cell(const struct power_problem *p, unsigned int opp, unsigned int count,
		      struct cell *c)
{
	unsigned int j;
	size_t i;

	memset(c, 0, sizeof(*c));
	c->count = count;
	for (i = 0; i < p->n; i++) {
		if (p->opp[i] != opp || p->count[i] != count)
			continue;
		c->n++;
		c->busy += p->busy[i];
		c->uw += p->y[i];
		c->fv2 += p->fv2[i];
		for (j = 0; j < p->cols; j++)
			c->x[j] += p->x[i * p->cols + j];
	}
	if (!c->n)
		return;
	c->busy /= c->n;
	c->uw /= c->n;
	c->fv2 /= c->n;
	for (j = 0; j < p->cols; j++)
		c->x[j] /= c->n;
}

/* Of one window. */
static double window_variance(const struct power_data *d, const struct power_fit *f,
			      const struct cell *c)
{
	return power_variance(&f->noise, c->uw, power_sleeping(d, c->count),
			      f->c * c->fv2);
}

static double quadratic(const struct lsq *l, enum lsq_errors kind, const double *v)
{
	double sum = 0;
	unsigned int j, k;

	for (j = 0; j < l->cols; j++)
		for (k = 0; k < l->cols; k++)
			sum += v[j] * l->cov[kind][j][k] * v[k];
	return fmax(sum, 0);
}

/*
 * A busy window less an idle one of the same visit, per busy CPU: the offsets go, the
 * noise of both stays. Without idle rows: less the constant.
 */
static void predict(const struct power_data *d, const struct power_fit *f,
		    const struct power_problem *p, const struct lsq *l, unsigned int opp,
		    struct diagnose_opp *out)
{
	enum lsq_errors kind = problem_errors_of(f, l);
	double v[LSQ_MAX_COLS], span, var, half, uw = 0;
	struct cell busy = { 0 }, idle;
	unsigned int i, j;

	for (i = 0; i < d->count_count && !busy.n; i++)
		take_cell(p, opp, d->counts[i], &busy);
	take_cell(p, opp, 0, &idle);
	span = busy.busy - idle.busy;
	if (!busy.n || !(span > 0) || !isfinite(f->se) || !(f->dof >= 0.5))
		return;
	for (j = 0; j < p->cols; j++) {
		v[j] = (busy.x[j] - idle.x[j]) / span;
		if ((int)j == p->constant)
			v[j] = 0;
		uw += v[j] * (j ? l->coef[j] : f->c);
	}
	var = quadratic(l, kind, v);
	if (l->se[kind][0] > 0 && f->se > l->se[kind][0])
		var *= pow(f->se / l->se[kind][0], 2);
	var += window_variance(d, f, &busy) / span / span;
	if (idle.n)
		var += window_variance(d, f, &idle) / span / span;
	half = lsq_t975(f->dof) * sqrt(var);
	if (!isfinite(uw) || !isfinite(half))
		return;
	out->predicted_uw = uw;
	out->low_uw = uw - half;
	out->high_uw = uw + half;
}

/* Weighted sums of one group's rows at the OPP. */
struct pair_sums {
	double w, wx, wr, wxx, wxr;
};

/*
 * What the other terms leave of the power, on C's column: within the visits where the
 * model has offsets, else through the origin. C's own error is the rows' scatter.
 */
static int own_c(const struct power_problem *p, const struct power_fit *f,
		 const struct lsq *l, unsigned int opp, struct diagnose_opp *out)
{
	struct pair_sums *sums = calloc((size_t)p->groups + 1, sizeof(*sums));
	bool offsets = p->var_visit > 0;
	double xx = 0, xr = 0, largest = 0;
	unsigned int g, j;
	size_t i;

	if (!sums)
		return -ENOMEM;
	for (i = 0; i < p->n; i++) {
		struct pair_sums *s = &sums[p->group[i]];
		double x = p->x[i * p->cols], rest = p->y[i];

		if (p->opp[i] != opp)
			continue;
		for (j = 1; j < p->cols; j++)
			rest -= l->coef[j] * p->x[i * p->cols + j];
		s->w += p->w[i];
		s->wx += p->w[i] * x;
		s->wr += p->w[i] * rest;
		s->wxx += p->w[i] * x * x;
		s->wxr += p->w[i] * x * rest;
	}
	for (g = 0; g < p->groups; g++) {
		const struct pair_sums *s = &sums[g];

		if (!s->w)
			continue;
		largest += s->wxx;
		xx += s->wxx - (offsets ? s->wx * s->wx / s->w : 0);
		xr += s->wxr - (offsets ? s->wx * s->wr / s->w : 0);
	}
	free(sums);
	if (!(xx > NO_X * largest))
		return 0;
	out->c = xr / xx + f->c - l->coef[0];
	if (diagnose_dof(p) > 0)
		out->se = sqrt(l->rss / diagnose_dof(p) / xx);
	return 0;
}

int diagnose_opps(const struct power_data *d, const struct power_fit *f,
		  const struct power_problem *p, const struct lsq *l, struct diagnose *g)
{
	unsigned int i;
	int ret = 0;

	g->opps = calloc((size_t)d->opp_count + 1, sizeof(*g->opps));
	if (!g->opps)
		return -ENOMEM;
	for (i = 0; i < d->opp_count && !ret; i++) {
		g->opps[i] = (struct diagnose_opp){ NAN, NAN, NAN, NAN, NAN };
		predict(d, f, p, l, i, &g->opps[i]);
		ret = own_c(p, f, l, i, &g->opps[i]);
	}
	return ret;
}

void diagnose_static(const struct power_data *d, const struct power_fit *f,
		     struct diagnose *g)
{
	double uw = 0, x = 0;
	unsigned int opp;
	size_t i;

	g->through_origin = power_effective(d);
	for (opp = 0; opp < d->opp_count && !(x > 0); opp++)
		for (i = 0; i < d->row_count; i++) {
			const struct power_row *r = &d->rows[i];

			if (r->opp != opp || r->count != d->counts[0])
				continue;
			uw += r->uw;
			x += r->busy * r->fv2;
		}
	if (uw > 0)
		g->static_share = 1 - f->c * x / uw;
}
