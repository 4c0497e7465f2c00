// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The noise within operating points, each with a line of its own.
 */
#include <math.h>
#include <stdlib.h>

#include "models/curve.h"

#define NO_X	    1e-9 /* of the squares of a column: it does not move */
#define LEAST_SHARE 0.01

/* Weighted sums of the rows of one point and group, about their mean. */
struct sums {
	double n, w, x, e, xx, xe, ee;
};

/* The residuals' rest and its degrees of freedom. */
struct rest {
	double squares, dof;
};

static void add_row(struct sums *s, double w, double x, double e)
{
	double dx = x - s->x, de = e - s->e;

	s->n++;
	s->w += w;
	s->x += w / s->w * dx;
	s->e += w / s->w * de;
	s->xx += w * dx * (x - s->x);
	s->xe += w * dx * (e - s->e);
	s->ee += w * de * (e - s->e);
}

/* A level per group, one slope for the point. */
static void add_point(struct rest *r, const struct sums *sums, unsigned int groups,
		      double largest)
{
	double xx = 0, xe = 0, ee = 0, dof = 0;
	unsigned int g;

	for (g = 0; g < groups; g++) {
		xx += sums[g].xx;
		xe += sums[g].xe;
		ee += sums[g].ee;
		dof += fmax(sums[g].n - 1, 0);
	}
	if (!(xx > NO_X * largest) || dof < 1)
		return;
	r->squares += fmax(ee - xe * xe / xx, 0);
	r->dof += dof - 1;
}

static struct rest find_rest(const struct power_problem *p, const double *resid,
			     struct sums *sums)
{
	struct rest r = { 0 };
	unsigned int opp, g;
	size_t i;

	for (opp = 0; opp < p->opps; opp++) {
		double largest = 0;

		for (g = 0; g < p->groups; g++)
			sums[g] = (struct sums){ 0 };
		for (i = 0; i < p->n; i++) {
			double x = p->x[i * p->cols];

			if (p->opp[i] != opp)
				continue;
			largest = fmax(largest, p->w[i] * x * x);
			add_row(&sums[p->group[i]], p->w[i], x, resid[i]);
		}
		add_point(&r, sums, p->groups, largest);
	}
	/* The common terms were fitted to the same rows. */
	r.dof -= p->cols - 1;
	return r;
}

double curve_scatter(const struct power_problem *p)
{
	double *resid = calloc(p->n + 1, sizeof(*resid));
	struct sums *sums = calloc((size_t)p->groups + 1, sizeof(*sums));
	struct lsq fit = { 0 };
	double share = 1;

	if (p->n && resid && sums && !problem_solve(p, NULL, &fit, NULL) &&
	    !problem_residuals(p, fit.coef, resid)) {
		struct rest r = find_rest(p, resid, sums);
		double all = fit.rss / fit.resid_dof;

		if (r.dof >= 1 && all > 0 && isfinite(all))
			share = fmin(fmax(sqrt(r.squares / r.dof / all), LEAST_SHARE), 1);
	}
	lsq_free(&fit);
	free(sums);
	free(resid);
	return share;
}
