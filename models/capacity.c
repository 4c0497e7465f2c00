// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Work per clock of a cluster, whether it is the same at every clock, and capacities.
 */
#include "models/capacity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/lsq.h"

#define MIN_OPPS  3    /* to tell a slope from scatter */
#define ROUNDING  0.29 /* standard deviation of what rounding to a whole number cuts */
#define PER_MHZ_S 1e6

bool capacity_row_of(const struct sample *s, struct capacity_row *row)
{
	if (!s->cpu_count || s->flags || !s->work || !(s->load_ns || s->cycles))
		return false;
	*row = (struct capacity_row){
		.mhz = s->freq_khz / 1e3,
		.cycles = s->load_ns ? s->load_ns * 1e-9 * (s->freq_khz / 1e3)
				     : s->cycles / PER_MHZ_S,
		.work = s->work,
		.rounding = hypot(ROUNDING / s->work, ROUNDING / s->freq_khz),
	};
	return true;
}

/* Columns: 1 and the clock against the highest one, less 1. */
static double top_mhz(const struct capacity_row *rows, size_t n)
{
	double top = 0;
	size_t i;

	for (i = 0; i < n; i++)
		top = fmax(top, rows[i].mhz);
	return top;
}

struct problem {
	double *x, *y;
	unsigned int *opp;
	size_t n;
	unsigned int opps; /* that have rows */
};

static void problem_free(struct problem *p)
{
	free(p->x);
	free(p->y);
	free(p->opp);
}

/* @seen: the OPPs' numbers without gaps, for the errors by cluster. */
static void fill_problem(struct problem *p, const struct capacity_row *rows, int *seen)
{
	double top = top_mhz(rows, p->n);
	size_t i;

	for (i = 0; i < p->n; i++) {
		int *number = &seen[rows[i].opp];

		if (!*number)
			*number = ++p->opps;
		p->opp[i] = *number - 1;
		p->x[2 * i] = 1;
		p->x[2 * i + 1] = rows[i].mhz / top - 1;
		p->y[i] = rows[i].cycles / rows[i].work;
	}
}

static int problem_init(struct problem *p, const struct capacity_row *rows, size_t n,
			unsigned int opps)
{
	int *seen = calloc((size_t)opps + 1, sizeof(*seen));

	*p = (struct problem){
		.n = n,
		.x = calloc(2 * n, sizeof(double)),
		.y = calloc(n, sizeof(double)),
		.opp = calloc(n, sizeof(*p->opp)),
	};
	if (seen && p->x && p->y && p->opp)
		fill_problem(p, rows, seen);
	free(seen);
	return seen && p->x && p->y && p->opp ? 0 : -ENOMEM;
}

static int solve(const struct problem *p, unsigned int cols, struct lsq *fit,
		 struct err *err)
{
	struct lsq_in in = {
		.rows = p->n,
		.cols = cols,
		.x = p->x,
		.y = p->y,
		.cluster = p->opp,
		.clusters = p->opps,
	};
	double *ones = NULL;
	size_t i;
	int ret;

	if (cols == 1) {
		ones = calloc(p->n, sizeof(*ones));
		if (!ones)
			return err_set(err, -ENOMEM, "out of memory");
		for (i = 0; i < p->n; i++)
			ones[i] = 1;
		in.x = ones;
	}
	ret = lsq_fit(&in, fit, err);
	free(ones);
	return ret;
}

/* By operating point where there are several, else by row. */
static enum lsq_errors errors_of(const struct problem *p)
{
	return p->opps >= MIN_OPPS ? LSQ_CLUSTERED : LSQ_CLASSICAL;
}

static void take_value(struct capacity_speed *s, const struct lsq *fit,
		       enum lsq_errors kind)
{
	double cycles = fit->coef[0];

	s->value = 1 / cycles;
	s->se = fit->se[kind][0] / (cycles * cycles);
	s->dof = fit->dof[kind][0];
}

/* Does a unit of work take more cycles at a higher clock? */
static void test_slope(struct capacity_speed *s, const struct lsq *fit)
{
	double cycles = fit->coef[0], wait = fit->coef[1] / cycles;
	double se = hypot(fit->se[LSQ_CLUSTERED][1], wait * fit->se[LSQ_CLUSTERED][0]);
	double half = lsq_t975(fit->dof[LSQ_CLUSTERED][1]) * se / cycles;

	if (!isfinite(half))
		return;
	s->tested = true;
	s->wait_pct = 100 * wait;
	s->wait_ci95[0] = 100 * (wait - half);
	s->wait_ci95[1] = 100 * (wait + half);
	s->flat = fabs(s->wait_pct) < CAPACITY_FLAT_PCT ||
		  (s->wait_ci95[0] <= 0 && s->wait_ci95[1] >= 0);
}

static int fit_problem(const struct problem *p, struct capacity_speed *s, struct err *err)
{
	struct lsq fit;
	int ret = solve(p, 1, &fit, err);

	if (!ret)
		take_value(s, &fit, errors_of(p));
	lsq_free(&fit);
	if (ret || p->opps < MIN_OPPS)
		return ret;
	if (!solve(p, 2, &fit, NULL)) {
		test_slope(s, &fit);
		if (!s->flat)
			take_value(s, &fit, LSQ_CLUSTERED);
	}
	lsq_free(&fit);
	return 0;
}

int capacity_speed(const struct capacity_row *rows, size_t n, unsigned int opps,
		   struct capacity_speed *out, struct err *err)
{
	struct problem p;
	double rounding = 0;
	size_t i;
	int ret;

	*out = (struct capacity_speed){ .rows = n, .flat = true };
	if (n < 2)
		return err_set(err, -ENODATA, "%zu row%s with work and CPU time", n,
			       n == 1 ? "" : "s");
	ret = problem_init(&p, rows, n, opps);
	if (ret)
		err_set(err, ret, "out of memory");
	else
		ret = fit_problem(&p, out, err);
	out->opps = p.opps;
	problem_free(&p);
	if (ret)
		return ret;
	/* Rows that agree to the last digit are still no better than their digits. */
	for (i = 0; i < n; i++)
		rounding = fmax(rounding, rows[i].rounding);
	out->se = hypot(out->se, rounding * out->value);
	return 0;
}

static unsigned int fastest(const struct capacity_speed *s, unsigned int n)
{
	unsigned int i, top = 0;

	for (i = 1; i < n; i++)
		if (s[i].value > s[top].value)
			top = i;
	return top;
}

/* Half the interval of the logarithm of a ratio. */
static double half_log(const struct capacity_speed *a, const struct capacity_speed *b)
{
	double va = pow(a->se / a->value, 2), vb = pow(b->se / b->value, 2);
	double dof = pow(va + vb, 2) / (va * va / a->dof + vb * vb / b->dof);

	return lsq_t975(dof) * sqrt(va + vb);
}

void capacity_normalise(const struct capacity_speed *speeds, unsigned int n,
			struct capacity *out)
{
	unsigned int top = fastest(speeds, n), i;

	for (i = 0; i < n; i++) {
		double ratio = speeds[i].value / speeds[top].value;
		double half = i == top ? 0 : half_log(&speeds[i], &speeds[top]);

		out[i].value = CAPACITY_SCALE * ratio;
		out[i].dmips_mhz = llround(fmax(out[i].value, 1));
		/* As in no interval: 0 and infinity. */
		out[i].ci95[0] = out[i].value * exp(-half);
		out[i].ci95[1] = out[i].value * exp(half);
	}
}
