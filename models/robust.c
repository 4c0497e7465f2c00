// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Theil and Sen's slope and M estimates of C.
 */
#include "models/robust.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>

/* A longer list of slopes is thinned. */
#define MAX_PAIRS 1000000
/* Of the largest: below that two x are one. */
#define SAME_X 1e-6

struct slope {
	double value, weight;
};

struct slopes {
	struct slope *list;
	size_t count, seen, step;
};

static int by_value(const void *a, const void *b)
{
	double x = ((const struct slope *)a)->value, y = ((const struct slope *)b)->value;

	return x < y ? -1 : x > y;
}

static double weighted_median(struct slopes *s)
{
	double total = 0, sum = 0;
	size_t i;

	qsort(s->list, s->count, sizeof(*s->list), by_value);
	for (i = 0; i < s->count; i++)
		total += s->list[i].weight;
	for (i = 0; i < s->count; i++) {
		sum += s->list[i].weight;
		if (sum > total / 2)
			return s->list[i].value;
		if (sum == total / 2 && i + 1 < s->count)
			return (s->list[i].value + s->list[i + 1].value) / 2;
	}
	return NAN;
}

/* @var: of the difference @dy */
static void add_slope(struct slopes *s, double dx, double dy, double var)
{
	if (s->seen++ % s->step || s->count == MAX_PAIRS)
		return;
	s->list[s->count++] = (struct slope){ dy / dx, fabs(dx) / sqrt(var) };
}

static bool paired(const struct power_problem *p, size_t i, size_t k)
{
	return !(p->var_visit > 0) || p->group[i] == p->group[k];
}

/* One pass counts, the next takes. */
static void walk_pairs(const struct power_problem *p, const double *rest, double min_dx,
		       struct slopes *s)
{
	size_t i, k;

	for (i = 0; i < p->all; i++)
		for (k = i + 1; k < p->all; k++) {
			double dx = p->x[k * p->cols] - p->x[i * p->cols];

			if (!paired(p, i, k) || fabs(dx) <= min_dx)
				continue;
			if (s->list)
				add_slope(s, dx, rest[k] - rest[i],
					  1 / p->w[i] + 1 / p->w[k]);
			else
				s->seen++;
		}
}

static void to_origin(const struct power_problem *p, const double *rest, double min_dx,
		      struct slopes *s)
{
	size_t i;

	for (i = 0; i < p->all; i++)
		if (fabs(p->x[i * p->cols]) > min_dx)
			add_slope(s, p->x[i * p->cols], rest[i], 1 / p->w[i]);
}

/* What is left of the rows when all terms but C are taken out. */
static double take_rest(const struct power_problem *p, const double *coef, double *rest)
{
	double largest = 0;
	unsigned int j;
	size_t i;

	for (i = 0; i < p->all; i++) {
		rest[i] = p->y[i];
		for (j = 1; j < p->cols; j++)
			rest[i] -= coef[j] * p->x[i * p->cols + j];
		largest = fmax(largest, fabs(p->x[i * p->cols]));
	}
	return SAME_X * largest;
}

double robust_theil_sen(const struct power_problem *p, const double *coef)
{
	double *rest = calloc(p->all + 1, sizeof(double)), min_dx, result = NAN;
	bool origin = !(p->var_visit > 0) && p->constant < 0;
	struct slopes s = { .step = 1 };

	if (!rest)
		return NAN;
	min_dx = take_rest(p, coef, rest);
	if (origin)
		s.seen = p->all;
	else
		walk_pairs(p, rest, min_dx, &s);
	s.step = s.seen / MAX_PAIRS + 1;
	s.list = calloc(s.seen / s.step + 1, sizeof(*s.list));
	s.seen = 0;
	if (s.list && origin)
		to_origin(p, rest, min_dx, &s);
	else if (s.list)
		walk_pairs(p, rest, min_dx, &s);
	if (s.list)
		result = weighted_median(&s);
	free(s.list);
	free(rest);
	return result;
}

/* Columns of length 1, for the units are far apart. Returns C's length. */
static double fill(const struct power_problem *p, gsl_matrix *x, gsl_vector *y)
{
	double *column = calloc(p->all + 1, sizeof(double)), scale_c = 0;
	unsigned int j;
	size_t i;

	if (!column || problem_transform(p, p->all, p->y, 1, column))
		goto out_free;
	for (i = 0; i < p->all; i++)
		gsl_vector_set(y, i, column[i]);
	for (j = 0; j < p->cols; j++) {
		double length = 0;

		if (problem_transform(p, p->all, &p->x[j], p->cols, column))
			goto out_free;
		for (i = 0; i < p->all; i++)
			length = hypot(length, column[i]);
		for (i = 0; i < p->all && length > 0; i++)
			gsl_matrix_set(x, i, j, column[i] / length);
		if (!j)
			scale_c = length;
	}
out_free:
	free(column);
	return scale_c;
}

static double estimate(const struct power_problem *p, gsl_multifit_robust_workspace *w,
		       double *se)
{
	gsl_matrix *x = gsl_matrix_calloc(p->all, p->cols);
	gsl_matrix *cov = gsl_matrix_calloc(p->cols, p->cols);
	gsl_vector *y = gsl_vector_calloc(p->all), *c = gsl_vector_calloc(p->cols);
	double scale = 0, result = NAN;
	int ret = GSL_EFAILED;

	if (x && cov && y && c)
		scale = fill(p, x, y);
	if (scale > 0)
		ret = gsl_multifit_robust(x, y, c, cov, w);
	/* It goes on to the last step where a row swings between two weights. */
	if (ret == GSL_SUCCESS || ret == GSL_EMAXITER)
		result = gsl_vector_get(c, 0) / scale;
	*se = isfinite(result) ? sqrt(gsl_matrix_get(cov, 0, 0)) / scale : NAN;
	gsl_matrix_free(x);
	gsl_matrix_free(cov);
	gsl_vector_free(y);
	gsl_vector_free(c);
	return isfinite(result) ? result : NAN;
}

double robust_m_estimate(const struct power_problem *p, enum robust_weights weights,
			 double *se)
{
	gsl_multifit_robust_workspace *w;
	gsl_error_handler_t *handler;
	double result = NAN, unused;

	if (!se)
		se = &unused;
	*se = NAN;
	if (p->all < p->cols + 2)
		return NAN;
	handler = gsl_set_error_handler_off();
	w = gsl_multifit_robust_alloc(weights == ROBUST_HUBER
					      ? gsl_multifit_robust_huber
					      : gsl_multifit_robust_bisquare,
				      p->all, p->cols);
	if (w) {
		result = estimate(p, w, se);
		gsl_multifit_robust_free(w);
	}
	gsl_set_error_handler(handler);
	return result;
}
