// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Diagnostics of the rows: R^2, errors of all kinds, variance inflation, leverage, Cook's
 * distance, studentised residuals; and all the others called.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "models/bootstrap.h"
#include "models/diagnose_internal.h"
#include "models/robust.h"

/* What looks at pairs of rows takes no more of them. */
#define MANY_ROWS 5000
/* Below this share of the power residuals are rounding. */
#define EXACT	   1e-9
#define NEARLY_ONE (1 - 1e-9)

void diagnose_leave_out(struct diagnose *g, const char *fmt, ...)
{
	va_list ap;

	if (g->left_out_count == DIAGNOSE_MAX_TEXTS)
		return;
	va_start(ap, fmt);
	vsnprintf(g->left_out[g->left_out_count++], DIAGNOSE_TEXT, fmt, ap);
	va_end(ap);
}

double diagnose_dof(const struct power_problem *p)
{
	double dof = (double)p->n - p->cols;

	return isinf(p->var_visit) ? dof - problem_group_count(p) : dof;
}

static int r_squared(const struct power_problem *p, const struct lsq *l,
		     struct diagnose *g)
{
	double *e = calloc(p->n, sizeof(double));
	double sw = 0, mean = 0, rss = 0, centred = 0, zero = 0;
	size_t i;

	if (!e || problem_residuals(p, l->coef, e)) {
		free(e);
		return -ENOMEM;
	}
	for (i = 0; i < p->n; i++) {
		sw += p->w[i];
		mean += p->w[i] * p->y[i];
	}
	mean /= sw;
	for (i = 0; i < p->n; i++) {
		rss += p->w[i] * e[i] * e[i];
		zero += p->w[i] * p->y[i] * p->y[i];
		centred += p->w[i] * pow(p->y[i] - mean, 2);
	}
	free(e);
	if (zero > 0)
		g->r2_about_zero = 1 - rss / zero;
	if (centred > 0)
		g->r2_centred = 1 - rss / centred;
	else
		diagnose_leave_out(g, "centred R^2: all powers are the same");
	return 0;
}

static void take_errors(const struct power_problem *p, const struct power_fit *f,
			const struct lsq *l, struct diagnose *g)
{
	int k;

	memcpy(g->bootstrap_ci95, f->bootstrap_ci95, sizeof(g->bootstrap_ci95));
	if (!isfinite(f->bootstrap_ci95[0]) && problem_group_count(p) <= BOOTSTRAP_SHOWN)
		diagnose_leave_out(g, "wild bootstrap: the visits or operating points "
				      "are too few, or none off the model");

	g->groups = problem_group_count(p);
	for (k = 0; k < LSQ_ERRORS_MAX; k++) {
		if (!isfinite(l->se[k][0]) || !(l->dof[k][0] >= 0.5))
			continue;
		g->se[k] = l->se[k][0];
		g->dof[k] = l->dof[k][0];
	}
	if (isnan(g->se[LSQ_CLASSICAL]))
		diagnose_leave_out(g, "errors: as many unknowns as rows");
	else if (isnan(g->se[LSQ_CLUSTERED]))
		diagnose_leave_out(
			g, "clustered errors: too few visits or operating points");
}

/* Sum of squares of column @j that others leave: all others, or the constant only. */
static double unexplained(const struct power_problem *p, unsigned int j, bool by_all)
{
	struct power_problem only = *p;
	double *y = calloc(p->n, sizeof(double)), *ones = NULL, rss = NAN;
	struct problem_change c = { .y = y, .skip = j, .without = -1 };
	struct lsq l = { 0 };
	size_t i;

	for (i = 0; y && i < p->n; i++)
		y[i] = p->x[i * p->cols + j];
	if (y && !by_all) {
		ones = calloc(p->n, sizeof(double));
		for (i = 0; ones && i < p->n; i++)
			ones[i] = 1;
		only.x = ones;
		only.cols = 1;
		c.skip = -1;
	}
	if (y && (by_all || ones) && !problem_solve(&only, &c, &l, NULL))
		rss = l.rss;
	lsq_free(&l);
	free(y);
	free(ones);
	return rss;
}

/* Squares of the transformed column about zero. */
static double squares(const struct power_problem *p, unsigned int j)
{
	double *t = calloc(p->n, sizeof(double)), sum = NAN;
	size_t i;

	if (t && !problem_transform(p, p->n, &p->x[j], p->cols, t))
		for (sum = 0, i = 0; i < p->n; i++)
			sum += t[i] * t[i];
	free(t);
	return sum;
}

/* The constant's own is no inflation that measuring differently could cure. */
static void inflation(const struct power_problem *p, struct diagnose *g)
{
	unsigned int j;

	g->terms = p->cols;
	for (j = 0; j < p->cols; j++) {
		double total, left;

		snprintf(g->names[j], sizeof(g->names[0]), "%s", p->names[j]);
		g->vif[j] = NAN;
		if ((int)j == p->constant)
			continue;
		total = p->constant < 0 ? squares(p, j) : unexplained(p, j, false);
		left = p->cols > 1 ? unexplained(p, j, true) : total;
		if (left > 0 && total >= left * (1 - EXACT))
			g->vif[j] = total / left;
	}
}

struct influence {
	double dof, variance; /* of the residuals */
	double params;
};

/* Externally studentised: by the variance without the row. */
static double studentised(const struct influence *in, double e, double h)
{
	double left = in->variance * in->dof - e * e / (1 - h);

	return left > 0 ? e / sqrt(left / (in->dof - 1) * (1 - h)) : NAN;
}

static void take_larger(struct diagnose_row *r, double value, size_t sample)
{
	if (!isfinite(value) || (isfinite(r->value) && fabs(value) <= fabs(r->value)))
		return;
	r->value = value;
	r->sample = sample;
}

static int without_row(const struct power_problem *p, size_t row, struct diagnose *g,
		       double c, double ls_c)
{
	struct problem_change change = { .skip = -1, .without = row };
	struct lsq l;
	int ret = problem_solve(p, &change, &l, NULL);

	if (!ret)
		g->c_without = c + l.coef[0] - ls_c;
	lsq_free(&l);
	return ret == -ENOMEM ? ret : 0;
}

static int influence_of_rows(const struct power_problem *p, const struct power_fit *f,
			     const struct lsq *l, struct diagnose *g)
{
	struct influence in = { .dof = diagnose_dof(p), .variance = l->rss };
	size_t i, worst = 0;

	in.params = p->n - in.dof;
	g->mean_leverage = in.params / p->n;
	for (i = 0; i < p->n; i++)
		take_larger(&g->leverage, l->leverage[i], p->sample[i]);
	if (!(in.dof > 1) || !(l->rss > EXACT * EXACT * l->tss0)) {
		diagnose_leave_out(g, "Cook's distance, studentised residuals: %s",
				   in.dof > 1 ? "no row is off the model"
					      : "no row can be spared");
		return 0;
	}
	in.variance /= in.dof;
	for (i = 0; i < p->n; i++) {
		double h = l->leverage[i];
		double e = l->resid[i] * (isinf(p->var_visit) ? sqrt(p->w[i]) : 1);
		double cook = e * e * h / (in.params * in.variance * (1 - h) * (1 - h));

		if (h > NEARLY_ONE)
			continue;
		take_larger(&g->student, studentised(&in, e, h), p->sample[i]);
		if (isfinite(cook) && !(cook <= g->cook.value))
			worst = i;
		take_larger(&g->cook, cook, p->sample[i]);
	}
	/* Bonferroni: the largest of n. */
	if (isfinite(g->student.value))
		g->student.probability = fmin(
			1,
			2 * p->n * gsl_cdf_tdist_Q(fabs(g->student.value), in.dof - 1));
	if (!isfinite(g->cook.value))
		return 0;
	g->cook.probability = gsl_cdf_fdist_Q(g->cook.value, in.params, in.dof);
	return without_row(p, worst, g, f->c, l->coef[0]);
}

/* Given as C is: what the robust method changes of the least-squares value. */
static void cross_check(const struct power_problem *p, const struct power_fit *f,
			const struct lsq *l, struct diagnose *g)
{
	double add = f->c - l->coef[0];

	if (p->all > MANY_ROWS) {
		diagnose_leave_out(g, "robust cross-checks: more than %d rows",
				   MANY_ROWS);
		return;
	}
	g->theil_sen = robust_theil_sen(p, l->coef) + add;
	g->huber = robust_m_estimate(p, ROBUST_HUBER, &g->robust_se) + add;
	g->bisquare = robust_m_estimate(p, ROBUST_BISQUARE, NULL) + add;
	if (isnan(g->theil_sen))
		diagnose_leave_out(g, "Theil-Sen: no two rows with different load");
	if (isnan(g->huber) || isnan(g->bisquare))
		diagnose_leave_out(g, "Huber, bisquare: too few rows, or none off the "
				      "model");
}

static int look(const struct power_data *d, const struct power_fit *f,
		const struct power_problem *p, const struct lsq *l, struct diagnose *g)
{
	int ret = r_squared(p, l, g);

	take_errors(p, f, l, g);
	inflation(p, g);
	if (!ret)
		ret = influence_of_rows(p, f, l, g);
	if (!ret)
		ret = diagnose_lack_of_fit(p, l, g);
	if (!ret)
		ret = diagnose_trends(p, l, g);
	if (!ret)
		cross_check(p, f, l, g);
	return ret ? ret : diagnose_opps(d, f, p, l, g);
}

static void nothing_yet(struct diagnose *g)
{
	struct diagnose_row *rows[] = { &g->leverage, &g->cook, &g->student };
	struct diagnose_trend *trends[] = { &g->order, &g->heat, &g->slope };
	int k;

	memset(g, 0, sizeof(*g));
	g->r2_centred = g->r2_about_zero = g->mean_leverage = g->c_without = NAN;
	g->lack_f = g->lack_probability = g->lack_pct = NAN;
	g->lack_dof[0] = g->lack_dof[1] = NAN;
	g->theil_sen = g->huber = g->bisquare = g->robust_se = NAN;
	g->static_share = g->through_origin = NAN;
	g->bootstrap_ci95[0] = g->bootstrap_ci95[1] = NAN;
	for (k = 0; k < LSQ_ERRORS_MAX; k++)
		g->se[k] = g->dof[k] = NAN;
	for (k = 0; k < 3; k++) {
		rows[k]->value = rows[k]->probability = NAN;
		*trends[k] = (struct diagnose_trend){ NAN, NAN, NAN, NAN };
	}
}

int diagnose_run(const struct power_data *d, const struct power_fit *f,
		 const struct power_problem *p, struct diagnose *out, struct err *err)
{
	struct lsq l;
	int ret;

	nothing_yet(out);
	diagnose_static(d, f, out);
	if (!p->n) {
		diagnose_leave_out(out, "all but the residual: the method is no least "
					"squares");
		return 0;
	}
	ret = problem_solve(p, NULL, &l, err);
	if (!ret)
		ret = look(d, f, p, &l, out);
	else if (ret != -ENOMEM)
		diagnose_leave_out(out, "all but the residual: the problem is singular");
	lsq_free(&l);
	if (ret == -ENOMEM) {
		diagnose_free(out);
		return err_errno(err, ret, "%zu rows", p->n);
	}
	return 0;
}

void diagnose_free(struct diagnose *g)
{
	free(g->opps);
	g->opps = NULL;
}
