// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The wild cluster bootstrap of one coefficient. In the orthonormal basis Q of the
 * transformed design, C's column last, each sample needs sums per group only.
 */
#include "models/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_rng.h>

#define SEED	   20080801
#define LEVEL	   0.05
#define MIN_GROUPS 3
#define MAX_DOUBLE 12 /* of the distance from the estimate, in standard errors */
#define BISECTIONS 24
#define MAXC	   LSQ_MAX_COLS

/* Of one group: Q'y and Q'x, y and x with the other columns taken out. */
struct sums {
	double y[MAXC], x[MAXC];
};

struct boot {
	struct sums *g;
	double *v; /* BOOTSTRAP_SAMPLES * groups */
	unsigned int groups, cols;
	double length; /* of C's column, others taken out */
	double c;
};

/* t of the hypothesis C = @c0 in a sample; v NULL: in the data. */
static double t_value(const struct boot *b, double c0, const double *v)
{
	unsigned int last = b->cols - 1, g, k;
	double total[MAXC] = { 0 }, squares = 0;

	for (g = 0; g < b->groups; g++)
		for (k = 0; k < b->cols; k++)
			total[k] += (v ? v[g] : 1) * (b->g[g].y[k] - c0 * b->g[g].x[k]);
	for (g = 0; g < b->groups; g++) {
		const struct sums *s = &b->g[g];
		double score = (v ? v[g] : 1) * (s->y[last] - c0 * s->x[last]);

		for (k = 0; k < b->cols; k++)
			score -= s->x[k] / b->length * total[k];
		squares += score * score;
	}
	return total[last] / sqrt(squares);
}

static double p_value(const struct boot *b, double c0)
{
	double t = fabs(t_value(b, c0, NULL));
	unsigned int i, beyond = 0;

	for (i = 0; i < BOOTSTRAP_SAMPLES; i++)
		beyond += fabs(t_value(b, c0, &b->v[(size_t)i * b->groups])) >= t;
	return (beyond + 1.0) / (BOOTSTRAP_SAMPLES + 1);
}

/* Where, from the estimate in the direction of @step, values begin to be rejected. */
static double edge(const struct boot *b, double step)
{
	double in = b->c, out = b->c + step, middle;
	int i;

	for (i = 0; p_value(b, out) >= LEVEL; i++) {
		if (i == MAX_DOUBLE)
			return NAN;
		in = out;
		out = b->c + (out - b->c) * 2;
	}
	for (i = 0; i < BISECTIONS; i++) {
		middle = (in + out) / 2;
		if (p_value(b, middle) >= LEVEL)
			in = middle;
		else
			out = middle;
	}
	return out;
}

static void draw_weights(struct boot *b)
{
	static const double webb[] = { -1.5, -1, -0.5, 0.5, 1, 1.5 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t i, n = (size_t)BOOTSTRAP_SAMPLES * b->groups;

	gsl_rng_set(rng, SEED);
	for (i = 0; i < n; i++) {
		double w = webb[gsl_rng_uniform_int(rng, 6)];

		if (b->groups >= BOOTSTRAP_RADEMACHER)
			b->v[i] = w < 0 ? -1 : 1;
		else
			b->v[i] = copysign(sqrt(fabs(w)), w);
	}
	gsl_rng_free(rng);
}

/* The transformed columns, C's last. */
static int fill(const struct power_problem *p, gsl_matrix *x, double *column)
{
	unsigned int j;
	size_t i;

	for (j = 0; j < p->cols; j++) {
		unsigned int to = j ? j - 1 : p->cols - 1;

		if (problem_transform(p, p->n, &p->x[j], p->cols, column))
			return -ENOMEM;
		for (i = 0; i < p->n; i++)
			gsl_matrix_set(x, i, to, column[i]);
	}
	return 0;
}

/* Q into @q, and C's length, from the QR decomposition of @x. */
static int orthonormal(struct boot *b, gsl_matrix *x, gsl_matrix *q)
{
	double tau_space[MAXC], largest = 0;
	gsl_vector_view tau = gsl_vector_view_array(tau_space, b->cols);
	unsigned int j;

	if (gsl_linalg_QR_decomp(x, &tau.vector))
		return -EDOM;
	b->length = gsl_matrix_get(x, b->cols - 1, b->cols - 1);
	for (j = 0; j < b->cols; j++) {
		gsl_vector_view column = gsl_matrix_column(q, j);

		largest = fmax(largest, fabs(gsl_matrix_get(x, j, b->cols - 1)));
		gsl_vector_set_basis(&column.vector, j);
		gsl_linalg_QR_Qvec(x, &tau.vector, &column.vector);
	}
	return fabs(b->length) > 1e-10 * largest ? 0 : -EDOM;
}

/* y without what the columns before C's explain. */
static void take_others(const gsl_matrix *q, double *y)
{
	unsigned int k;
	size_t i;

	for (k = 0; k + 1 < q->size2; k++) {
		double dot = 0;

		for (i = 0; i < q->size1; i++)
			dot += gsl_matrix_get(q, i, k) * y[i];
		for (i = 0; i < q->size1; i++)
			y[i] -= dot * gsl_matrix_get(q, i, k);
	}
}

/* Groups without rows are passed over. */
static void take_sums(struct boot *b, const struct power_problem *p, const gsl_matrix *q,
		      const double *y, unsigned int *number)
{
	unsigned int last = b->cols - 1, k;
	double total = 0;
	size_t i;

	for (i = 0; i < p->n; i++)
		number[p->group[i]] = 1;
	for (k = 0; k < p->groups; k++)
		number[k] = number[k] ? b->groups++ : 0;
	for (i = 0; i < p->n; i++) {
		struct sums *s = &b->g[number[p->group[i]]];
		double ql = gsl_matrix_get(q, i, last);

		for (k = 0; k < b->cols; k++) {
			s->y[k] += gsl_matrix_get(q, i, k) * y[i];
			s->x[k] += gsl_matrix_get(q, i, k) * ql * b->length;
		}
		total += ql * y[i];
	}
	b->c = total / b->length;
}

static int prepare(struct boot *b, const struct power_problem *p)
{
	gsl_matrix *x = gsl_matrix_calloc(p->n, p->cols);
	gsl_matrix *q = gsl_matrix_calloc(p->n, p->cols);
	double *y = calloc(p->n, sizeof(double));
	unsigned int *number = calloc(p->groups, sizeof(*number));
	int ret = -ENOMEM;

	b->cols = p->cols;
	b->g = calloc(p->groups, sizeof(*b->g));
	if (x && q && y && number && b->g)
		ret = fill(p, x, y);
	if (!ret)
		ret = orthonormal(b, x, q);
	if (!ret)
		ret = problem_transform(p, p->n, p->y, 1, y);
	if (!ret) {
		take_others(q, y);
		take_sums(b, p, q, y, number);
	}
	gsl_matrix_free(x);
	gsl_matrix_free(q);
	free(y);
	free(number);
	return ret;
}

static int invert(struct boot *b, double ci95[2])
{
	double se;

	if (b->groups < MIN_GROUPS)
		return -EDOM;
	b->v = calloc((size_t)BOOTSTRAP_SAMPLES * b->groups, sizeof(double));
	if (!b->v)
		return -ENOMEM;
	draw_weights(b);
	/* t grows by 1 with each standard error. */
	se = fabs(1 / t_value(b, b->c - 1, NULL));
	if (!(isfinite(se) && se > 0))
		return -EDOM;
	ci95[0] = edge(b, -se);
	ci95[1] = edge(b, se);
	return isfinite(ci95[0]) && isfinite(ci95[1]) ? 0 : -EDOM;
}

int bootstrap_ci95(const struct power_problem *p, double ci95[2])
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	struct boot b = { 0 };
	int ret = p->n > p->cols ? prepare(&b, p) : -EDOM;

	if (!ret)
		ret = invert(&b, ci95);
	free(b.g);
	free(b.v);
	gsl_set_error_handler(handler);
	return ret;
}

/* Its farther end to either side. */
static void take_wider(struct power_fit *f)
{
	double half = fmax(f->c - f->bootstrap_ci95[0], f->bootstrap_ci95[1] - f->c);

	if (!(half > f->ci95[1] - f->c))
		return;
	f->ci95[0] = f->c - half;
	f->ci95[1] = f->c + half;
	f->bootstrapped = true;
}

int bootstrap_fit(const struct power_problem *p, struct power_fit *f)
{
	unsigned int groups = problem_group_count(p);
	double ci[2], se, widen = 1;
	struct lsq l;
	int k, ret;

	if (groups > BOOTSTRAP_SHOWN || !isfinite(f->se))
		return 0;
	ret = bootstrap_ci95(p, ci);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = problem_solve(p, NULL, &l, NULL);
	se = ret ? NAN : l.se[problem_errors_of(f, &l)][0];
	if (!ret && se > 0 && f->se > se)
		widen = f->se / se;
	for (k = 0; k < 2 && !ret; k++)
		f->bootstrap_ci95[k] = f->c + widen * (ci[k] - l.coef[0]);
	lsq_free(&l);
	if (!ret && f->visits >= BOOTSTRAP_WIDENS_FROM &&
	    f->visits <= BOOTSTRAP_WIDENS_TO)
		take_wider(f);
	return ret == -ENOMEM ? ret : 0;
}
