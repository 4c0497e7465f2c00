// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lack of fit and trends: does a larger model find what this one leaves?
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

#include "models/diagnose_internal.h"

#define MANY_ROWS      2000
#define MANY_CELLS     400
#define EXACT	       1e-9
#define RANK_TOLERANCE 1e-9

/* Windows of one OPP and CPU count are one cell. */
struct cells {
	unsigned int *of; /* per row */
	unsigned int count;
};

static int find_cells(const struct power_problem *p, struct cells *c)
{
	size_t i, k;

	c->of = calloc(p->n, sizeof(*c->of));
	c->count = 0;
	if (!c->of)
		return -ENOMEM;
	for (i = 0; i < p->n; i++) {
		for (k = 0; k < i; k++)
			if (p->opp[k] == p->opp[i] && p->count[k] == p->count[i])
				break;
		c->of[i] = k < i ? c->of[k] : c->count++;
	}
	return 0;
}

static int fill(const struct power_problem *p, const struct cells *c, gsl_matrix *x,
		gsl_vector *y)
{
	double *raw = calloc(p->n, sizeof(double)), *t = calloc(p->n, sizeof(double));
	unsigned int j;
	size_t i;
	int ret = raw && t ? problem_transform(p, p->n, p->y, 1, t) : -ENOMEM;

	for (i = 0; i < p->n && !ret; i++)
		gsl_vector_set(y, i, t[i]);
	for (j = 0; j < x->size2 && !ret; j++) {
		double length = 0;

		for (i = 0; i < p->n; i++)
			raw[i] = j < p->cols ? p->x[i * p->cols + j]
					     : c->of[i] == j - p->cols;
		ret = problem_transform(p, p->n, raw, 1, t);
		for (i = 0; i < p->n; i++)
			length = hypot(length, t[i]);
		for (i = 0; i < p->n && !ret && length > 0; i++)
			gsl_matrix_set(x, i, j, t[i] / length);
	}
	free(raw);
	free(t);
	return ret;
}

/* Squares that the first @rank columns of Q leave of @y. */
static double left_over(const gsl_matrix *qr, const gsl_vector *tau, gsl_vector *y,
			size_t rank)
{
	double sum = 0;
	size_t i;

	gsl_linalg_QR_QTvec(qr, tau, y);
	for (i = rank; i < y->size; i++)
		sum += pow(gsl_vector_get(y, i), 2);
	return sum;
}

/* The model and a mean of its own per cell. Rank and squares. */
static int solve_larger(const struct power_problem *p, const struct cells *c, double *rss,
			size_t *rank)
{
	size_t cols = p->cols + c->count;
	gsl_matrix *x = gsl_matrix_calloc(p->n, cols);
	gsl_vector *y = gsl_vector_calloc(p->n), *tau = gsl_vector_calloc(cols);
	gsl_vector *norm = gsl_vector_calloc(cols);
	gsl_permutation *order = gsl_permutation_alloc(cols);
	int sign, ret = -ENOMEM;

	if (x && y && tau && norm && order)
		ret = fill(p, c, x, y);
	if (!ret && !gsl_linalg_QRPT_decomp(x, tau, order, &sign, norm)) {
		*rank = gsl_linalg_QRPT_rank(x, RANK_TOLERANCE);
		*rss = left_over(x, tau, y, *rank);
	}
	gsl_matrix_free(x);
	gsl_vector_free(y);
	gsl_vector_free(tau);
	gsl_vector_free(norm);
	gsl_permutation_free(order);
	return ret;
}

/* Of the power: how far, beyond their scatter, the cells are off the model. */
static double off_pct(const struct power_problem *p, double squares)
{
	double relative = 0;
	size_t i;

	for (i = 0; i < p->n; i++)
		relative += p->w[i] * p->y[i] * p->y[i];
	return 100 * sqrt(fmax(squares, 0) / relative);
}

static void judge(const struct power_problem *p, const struct lsq *l, double rss,
		  size_t rank, struct diagnose *g)
{
	double dof = diagnose_dof(p), pure_dof = dof + p->cols - rank, pure;

	if (!rank || pure_dof < 1) {
		diagnose_leave_out(g, "lack of fit: no window was repeated; measure with "
				      "--repeats 2");
		return;
	}
	if (!(dof > pure_dof) || !(rss > EXACT * EXACT * l->tss0)) {
		diagnose_leave_out(g, "lack of fit: %s",
				   dof > pure_dof ? "repeated windows do not scatter"
						  : "the model has as many terms as "
						    "there are settings");
		return;
	}
	pure = rss / pure_dof;
	g->lack_dof[0] = dof - pure_dof;
	g->lack_dof[1] = pure_dof;
	g->lack_f = fmax(l->rss - rss, 0) / g->lack_dof[0] / pure;
	g->lack_probability = gsl_cdf_fdist_Q(g->lack_f, g->lack_dof[0], pure_dof);
	g->lack_pct = off_pct(p, l->rss - rss - g->lack_dof[0] * pure);
}

int diagnose_lack_of_fit(const struct power_problem *p, const struct lsq *l,
			 struct diagnose *g)
{
	gsl_error_handler_t *handler;
	struct cells c;
	double rss = NAN;
	size_t rank = 0;
	int ret;

	if (p->n > MANY_ROWS) {
		diagnose_leave_out(g, "lack of fit: more than %d rows", MANY_ROWS);
		return 0;
	}
	ret = find_cells(p, &c);
	if (!ret && c.count < MANY_CELLS && p->cols + c.count <= p->n) {
		handler = gsl_set_error_handler_off();
		ret = solve_larger(p, &c, &rss, &rank);
		gsl_set_error_handler(handler);
	}
	free(c.of);
	if (!ret)
		judge(p, l, rss, rank, g);
	return ret;
}

static int add_trend(const struct power_problem *p, const struct lsq *l,
		     const double *column, const char *what, struct diagnose *g,
		     struct diagnose_trend *out)
{
	struct problem_change change = { .extra = column, .skip = -1, .without = -1 };
	enum lsq_errors kind = problem_errors(p);
	struct lsq with;
	int ret = problem_solve(p, &change, &with, NULL);

	if (!ret && with.rss > EXACT * EXACT * with.tss0 &&
	    isfinite(with.se[kind][p->cols]) && with.se[kind][p->cols] > 0 &&
	    with.dof[kind][p->cols] >= 1) {
		out->value = with.coef[p->cols];
		out->se = with.se[kind][p->cols];
		out->shift = with.coef[0] - l->coef[0];
		out->probability = 2 * gsl_cdf_tdist_Q(fabs(out->value) / out->se,
						       with.dof[kind][p->cols]);
	} else if (ret != -ENOMEM) {
		diagnose_leave_out(g, "%s: %s", what,
				   ret ? "the rows cannot tell it from the model's terms"
				       : "too few rows, or none off the model");
	}
	lsq_free(&with);
	return ret == -ENOMEM ? ret : 0;
}

static int by_order(const struct power_problem *p, const struct lsq *l, double *column,
		    struct diagnose *g)
{
	size_t i, k;

	/* Rows stand as they were measured, but for those that were left out. */
	for (i = 0; i < p->n; i++) {
		column[i] = 0;
		for (k = 0; k < p->n; k++)
			column[i] += p->sample[k] < p->sample[i];
		column[i] /= p->n - 1;
	}
	return add_trend(p, l, column, "drift over the run", g, &g->order);
}

static int by_heat(const struct power_problem *p, const struct lsq *l, double *column,
		   struct diagnose *g)
{
	double mean = 0;
	size_t i;

	for (i = 0; i < p->n; i++)
		mean += p->celsius[i] / p->n;
	for (i = 0; i < p->n; i++)
		column[i] = p->celsius[i] - mean;
	if (!isfinite(mean)) {
		diagnose_leave_out(g, "drift with temperature: it was not measured in "
				      "every row");
		return 0;
	}
	return add_trend(p, l, column, "drift with temperature", g, &g->heat);
}

static int by_opp(const struct power_problem *p, const struct lsq *l, double *column,
		  struct diagnose *g)
{
	double lo = INFINITY, hi = 0;
	size_t i;

	for (i = 0; i < p->n; i++) {
		lo = fmin(lo, p->fv2[i]);
		hi = fmax(hi, p->fv2[i]);
	}
	for (i = 0; i < p->n; i++)
		column[i] = p->x[i * p->cols] * ((p->fv2[i] - lo) / (hi - lo) - 0.5);
	if (!(hi > lo * (1 + EXACT))) {
		diagnose_leave_out(g, "change of C with the operating point: there is "
				      "one only");
		return 0;
	}
	return add_trend(p, l, column, "change of C with the operating point", g,
			 &g->slope);
}

int diagnose_trends(const struct power_problem *p, const struct lsq *l,
		    struct diagnose *g)
{
	double *column;
	int ret;

	if (p->n > MANY_ROWS) {
		diagnose_leave_out(g, "drifts: more than %d rows", MANY_ROWS);
		return 0;
	}
	if (p->n < 3 || p->cols == LSQ_MAX_COLS) {
		diagnose_leave_out(g, "drifts: too few rows");
		return 0;
	}
	column = calloc(p->n, sizeof(double));
	if (!column)
		return -ENOMEM;
	ret = by_order(p, l, column, g);
	if (!ret)
		ret = by_heat(p, l, column, g);
	if (!ret)
		ret = by_opp(p, l, column, g);
	free(column);
	return ret;
}
