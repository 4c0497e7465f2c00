// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fits for windows of one CPU count: ordinary least squares over a handful of operating
 * points, too few to estimate weights from; the errors are robust instead (HC3, or
 * clustered by operating point where windows were repeated).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "models/power_internal.h"
#include "models/problem.h"

#define ROUNDING 1e-9
/* Fewer operating points than this cannot tell how they scatter. */
#define MIN_CLUSTERS 4

struct points {
	double *x, *y; /* x: one or two columns */
	unsigned int *opp;
	const struct power_row **row;
	size_t n;
	unsigned int cols, opps;
	bool differences; /* to idle */
};

static int alloc_points(struct points *p, const struct power_data *d, unsigned int cols)
{
	size_t n = d->row_count + 1;

	memset(p, 0, sizeof(*p));
	p->cols = cols;
	p->x = calloc(2 * n, sizeof(double));
	p->y = calloc(n, sizeof(double));
	p->opp = calloc(n, sizeof(*p->opp));
	p->row = calloc(n, sizeof(*p->row));
	return p->x && p->y && p->opp && p->row ? 0 : -ENOMEM;
}

static void free_points(struct points *p)
{
	free(p->x);
	free(p->y);
	free(p->opp);
	free(p->row);
}

static void add_point(struct points *p, const struct power_row *r, double x, double y)
{
	size_t i, seen = 0;

	for (i = 0; i < p->n; i++)
		seen |= p->opp[i] == r->opp;
	p->opps += !seen;
	p->x[p->n * p->cols] = x;
	if (p->cols > 1)
		p->x[p->n * p->cols + 1] = 1;
	p->y[p->n] = y;
	p->row[p->n] = r;
	p->opp[p->n++] = r->opp;
}

/*
 * Windows of one OPP are off the model together: where they repeat, their number makes
 * the error no smaller. The wider interval is taken, for a few OPPs may look too good.
 */
static enum lsq_errors choose_errors(const struct lsq *l, unsigned int opps)
{
	double hc3 = lsq_t975(l->dof[LSQ_HC3][0]) * l->se[LSQ_HC3][0];
	double clustered = lsq_t975(l->dof[LSQ_CLUSTERED][0]) * l->se[LSQ_CLUSTERED][0];

	if (l->rows > opps && opps >= MIN_CLUSTERS && isfinite(clustered) &&
	    clustered > hc3)
		return LSQ_CLUSTERED;
	return LSQ_HC3;
}

static void take_errors(const struct lsq *l, enum lsq_errors kind, struct power_fit *f)
{
	f->se = l->se[kind][0];
	f->dof = l->dof[kind][0];
	f->classical_se = l->se[LSQ_CLASSICAL][0];
	power_add_term(f, "dynamic", "uW/MHz/V^2", f->c, f->se);
}

/* What is left of 0 after sums of large numbers is no static power. */
static double zero_if_rounding(double uw, const struct points *p)
{
	double largest = 0;
	size_t i;

	for (i = 0; i < p->n; i++)
		largest = fmax(largest, fabs(p->y[i]));
	return fabs(uw) < ROUNDING * largest ? 0 : uw;
}

static int keep_points(const struct points *p, const struct power_data *d,
		       struct power_problem *out)
{
	size_t i;

	if (problem_alloc(out, p->n, p->cols))
		return -ENOMEM;
	memcpy(out->x, p->x, p->n * p->cols * sizeof(double));
	memcpy(out->y, p->y, p->n * sizeof(double));
	memcpy(out->group, p->opp, p->n * sizeof(*p->opp));
	memcpy(out->opp, p->opp, p->n * sizeof(*p->opp));
	for (i = 0; i < p->n; i++) {
		out->w[i] = 1;
		out->celsius[i] = p->differences ? NAN : p->row[i]->celsius;
		out->busy[i] = p->x[i * p->cols] / p->row[i]->fv2;
		out->fv2[i] = p->row[i]->fv2;
		out->count[i] = p->row[i]->count;
		out->sample[i] = p->row[i]->index;
	}
	out->groups = out->opps = d->opp_count;
	out->constant = p->cols > 1 ? 1 : -1;
	snprintf(out->names[0], sizeof(out->names[0]), "dynamic");
	snprintf(out->names[1], sizeof(out->names[1]), "static");
	return 0;
}

static int fit_points(const struct points *p, const struct power_data *d,
		      struct power_fit *f, struct err *err)
{
	struct lsq_in in = { .rows = p->n,
			     .cols = p->cols,
			     .x = p->x,
			     .y = p->y,
			     .cluster = p->opp,
			     .clusters = d->opp_count };
	enum lsq_errors kind;
	struct lsq l;
	int ret = lsq_fit(&in, &l, err);

	if (!ret && f->keep && keep_points(p, d, f->keep))
		ret = err_errno(err, -ENOMEM, "%zu rows", p->n);
	if (!ret) {
		f->c = l.coef[0];
		kind = choose_errors(&l, p->opps);
		take_errors(&l, kind, f);
		f->rows = p->n;
		f->opps = p->opps;
		f->r2_uncentred = p->cols == 1;
		f->r2 = power_r2(&l, f->r2_uncentred);
		f->rmse_pct = power_rmse_pct(l.resid, l.fitted, p->n);
		f->condition = l.condition;
		f->noise.uw = l.resid_dof > 0 ? sqrt(l.rss / l.resid_dof) : 0;
		if (p->opps > p->cols)
			f->loo_rmse_pct = power_rmse_pct(l.loo, l.fitted, p->n);
		if (p->cols > 1) {
			f->static_uw = zero_if_rounding(l.coef[1], p);
			power_add_term(f, "static", "uW", f->static_uw, l.se[kind][1]);
		}
	} else if (ret == -EDOM && l.cols == 2) {
		err_set(err, ret,
			"cannot separate static and dynamic power from one operating "
			"point (rank %u of 2)",
			l.rank);
	}
	lsq_free(&l);
	return ret;
}

/* The rows of the smallest busy count: one CPU where that was measured. */
static bool is_used(const struct power_data *d, const struct power_row *r)
{
	return r->count == d->counts[0];
}

int power_idle_subtracted(const struct power_data *d, struct power_fit *f,
			  struct err *err)
{
	struct points p;
	struct power_row idle;
	size_t i, missing = 0;
	int ret = alloc_points(&p, d, 1);

	p.differences = true;
	for (i = 0; !ret && i < d->row_count; i++) {
		const struct power_row *r = &d->rows[i];

		if (!is_used(d, r))
			continue;
		if (power_idle_mean(d, r->opp, &idle))
			add_point(&p, r, r->busy * r->fv2 - idle.busy * idle.fv2,
				  r->uw - idle.uw);
		else
			missing++;
	}
	if (!ret && !p.n)
		ret = err_set(err, -EDOM,
			      "no operating point has both a busy and an idle row");
	if (!ret)
		ret = fit_points(&p, d, f, err);
	if (!ret && missing)
		power_note(f, "no idle row at the operating point of %zu row%s", missing,
			   text_s(missing));
	if (!ret)
		power_note(f, "too high for one CPU unless the clock runs in idle, too: "
			      "contains shared-clock power; never per core");
	snprintf(f->formula, sizeof(f->formula), "P - P_idle = C u f V^2");
	free_points(&p);
	return ret;
}

static int over_fv2(const struct power_data *d, unsigned int cols, struct power_fit *f,
		    struct err *err)
{
	struct points p;
	size_t i;
	int ret = alloc_points(&p, d, cols);

	for (i = 0; !ret && i < d->row_count; i++) {
		const struct power_row *r = &d->rows[i];

		if (is_used(d, r))
			add_point(&p, r, r->busy * r->fv2, r->uw);
	}
	if (!ret)
		ret = fit_points(&p, d, f, err);
	free_points(&p);
	return ret;
}

int power_intercept(const struct power_data *d, struct power_fit *f, struct err *err)
{
	int ret = over_fv2(d, 2, f, err);

	snprintf(f->formula, sizeof(f->formula), "P = b + C u f V^2");
	if (!ret)
		power_note(f, "too high for one CPU: contains shared-clock power; never "
			      "per core");
	if (!ret && f->static_uw <= -0.5)
		power_note(f,
			   "the static term is negative (%.0f uW): no power can be, so "
			   "static power grows with the operating point and is inside C; "
			   "measure idle rows or several CPU counts",
			   f->static_uw);
	return ret;
}

int power_through_origin(const struct power_data *d, struct power_fit *f, struct err *err)
{
	int ret = over_fv2(d, 1, f, err);

	snprintf(f->formula, sizeof(f->formula), "P = C u f V^2");
	if (!ret)
		power_note(f, "too high for one CPU: contains shared-clock power and all "
			      "static power that was "
			      "not subtracted; never per core");
	return ret;
}
