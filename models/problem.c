// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The linear problem of a fit: kept, transformed, solved again with something changed.
 */
#include "models/problem.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer groups than this cannot tell how groups scatter. */
#define MIN_GROUPS 4

int problem_alloc(struct power_problem *p, size_t all, unsigned int cols)
{
	size_t n = all + 1;

	memset(p, 0, sizeof(*p));
	p->all = p->n = all;
	p->cols = cols;
	p->constant = -1;
	p->x = calloc(n * cols, sizeof(double));
	p->y = calloc(n, sizeof(double));
	p->w = calloc(n, sizeof(double));
	p->celsius = calloc(n, sizeof(double));
	p->busy = calloc(n, sizeof(double));
	p->fv2 = calloc(n, sizeof(double));
	p->group = calloc(n, sizeof(*p->group));
	p->opp = calloc(n, sizeof(*p->opp));
	p->count = calloc(n, sizeof(*p->count));
	p->sample = calloc(n, sizeof(*p->sample));
	if (p->x && p->y && p->w && p->celsius && p->busy && p->fv2 && p->group &&
	    p->opp && p->count && p->sample)
		return 0;
	problem_free(p);
	return -ENOMEM;
}

void problem_free(struct power_problem *p)
{
	free(p->x);
	free(p->y);
	free(p->w);
	free(p->celsius);
	free(p->busy);
	free(p->fv2);
	free(p->group);
	free(p->opp);
	free(p->count);
	free(p->sample);
	memset(p, 0, sizeof(*p));
}

/*
 * The share 1 - (1 + var sum w)^-1/2 of a group's weighted mean goes, all of it where
 * the offset is free (Fuller and Battese 1973).
 */
int problem_transform(const struct power_problem *p, size_t n, const double *column,
		      unsigned int stride, double *out)
{
	double *sums = calloc(2 * (size_t)p->groups + 2, sizeof(double));
	size_t i;

	if (!sums)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		sums[2 * p->group[i]] += p->w[i];
		sums[2 * p->group[i] + 1] += p->w[i] * column[i * stride];
	}
	for (i = 0; i < n; i++) {
		const double *s = &sums[2 * p->group[i]];
		double share = 1 - 1 / sqrt(1 + p->var_visit * s[0]);

		if (!p->var_visit)
			share = 0;
		out[i] = sqrt(p->w[i]) * (column[i * stride] - share * s[1] / s[0]);
	}
	free(sums);
	return 0;
}

/* Columns and rows as @c wants them, transformed unless the offsets are free. */
struct changed {
	double *x, *y, *w, *column;
	unsigned int *group;
	size_t n;
	unsigned int cols;
};

static void free_changed(struct changed *k)
{
	free(k->x);
	free(k->y);
	free(k->w);
	free(k->column);
	free(k->group);
}

static int take_column(const struct power_problem *p, const double *from,
		       unsigned int stride, struct changed *k, double *to,
		       unsigned int to_stride)
{
	size_t i;
	int ret = 0;

	if (isinf(p->var_visit))
		for (i = 0; i < p->n; i++)
			k->column[i] = from[i * stride];
	else
		ret = problem_transform(p, p->n, from, stride, k->column);
	for (i = 0; i < p->n; i++)
		to[i * to_stride] = k->column[i];
	return ret;
}

static void drop_row(struct changed *k, size_t row)
{
	size_t behind = k->n - row - 1;

	memmove(&k->x[row * k->cols], &k->x[(row + 1) * k->cols],
		behind * k->cols * sizeof(double));
	memmove(&k->y[row], &k->y[row + 1], behind * sizeof(double));
	memmove(&k->w[row], &k->w[row + 1], behind * sizeof(double));
	memmove(&k->group[row], &k->group[row + 1], behind * sizeof(*k->group));
	k->n--;
}

static int make_changed(const struct power_problem *p, const struct problem_change *c,
			struct changed *k)
{
	unsigned int j, to = 0;
	int ret;

	memset(k, 0, sizeof(*k));
	k->n = p->n;
	k->cols = p->cols + (c->extra != NULL) - (c->skip >= 0);
	k->x = calloc((p->n + 1) * k->cols + 1, sizeof(double));
	k->y = calloc(p->n + 1, sizeof(double));
	k->w = calloc(p->n + 1, sizeof(double));
	k->column = calloc(p->n + 1, sizeof(double));
	k->group = calloc(p->n + 1, sizeof(*k->group));
	if (!k->x || !k->y || !k->w || !k->column || !k->group)
		return -ENOMEM;
	memcpy(k->w, p->w, p->n * sizeof(double));
	memcpy(k->group, p->group, p->n * sizeof(*k->group));
	ret = take_column(p, c->y ? c->y : p->y, 1, k, k->y, 1);
	for (j = 0; j < p->cols && !ret; j++)
		if ((int)j != c->skip)
			ret = take_column(p, &p->x[j], p->cols, k, &k->x[to++], k->cols);
	if (!ret && c->extra)
		ret = take_column(p, c->extra, 1, k, &k->x[to], k->cols);
	if (!ret && c->without >= 0)
		drop_row(k, c->without);
	return ret;
}

int problem_solve(const struct power_problem *p, const struct problem_change *change,
		  struct lsq *out, struct err *err)
{
	static const struct problem_change none = { .skip = -1, .without = -1 };
	bool free_offsets = isinf(p->var_visit);
	struct changed k;
	struct lsq_in in;
	int ret = make_changed(p, change ? change : &none, &k);

	memset(out, 0, sizeof(*out));
	in = (struct lsq_in){ .rows = k.n,
			      .cols = k.cols,
			      .x = k.x,
			      .y = k.y,
			      .weight = free_offsets ? k.w : NULL,
			      .group = free_offsets ? k.group : NULL,
			      .groups = p->groups,
			      .cluster = k.group,
			      .clusters = p->groups };
	if (ret)
		err_errno(err, ret, "%zu rows", p->n);
	else
		ret = lsq_fit(&in, out, err);
	free_changed(&k);
	return ret;
}

int problem_residuals(const struct power_problem *p, const double *coef, double *resid)
{
	double *sums = calloc(2 * (size_t)p->groups + 2, sizeof(double));
	unsigned int j;
	size_t i;

	if (!sums)
		return -ENOMEM;
	for (i = 0; i < p->n; i++) {
		resid[i] = p->y[i];
		for (j = 0; j < p->cols; j++)
			resid[i] -= coef[j] * p->x[i * p->cols + j];
		sums[2 * p->group[i]] += p->w[i];
		sums[2 * p->group[i] + 1] += p->w[i] * resid[i];
	}
	for (i = 0; i < p->n && p->var_visit > 0; i++) {
		const double *s = &sums[2 * p->group[i]];

		resid[i] -= (1 - 1 / (1 + p->var_visit * s[0])) * s[1] / s[0];
	}
	free(sums);
	return 0;
}

unsigned int problem_group_count(const struct power_problem *p)
{
	bool *seen = calloc((size_t)p->groups + 1, sizeof(bool));
	unsigned int count = 0;
	size_t i;

	for (i = 0; seen && i < p->n; i++) {
		count += !seen[p->group[i]];
		seen[p->group[i]] = true;
	}
	free(seen);
	return count;
}

enum lsq_errors problem_errors(const struct power_problem *p)
{
	return problem_group_count(p) >= MIN_GROUPS ? LSQ_CLUSTERED : LSQ_HC3;
}

enum lsq_errors problem_errors_of(const struct power_fit *f, const struct lsq *l)
{
	double hc3 = fabs(f->se - l->se[LSQ_HC3][0]);

	return fabs(f->se - l->se[LSQ_CLUSTERED][0]) <= hc3 ? LSQ_CLUSTERED : LSQ_HC3;
}
