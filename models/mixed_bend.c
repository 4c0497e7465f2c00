// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the power is not linear in: how leakage grows with temperature and voltage, and
 * the rail's resistance. The linear coefficients are solved for at every step (variable
 * projection; Golub and Pereyra 1973), these few by GSL's trust region.
 */
#include <errno.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>

#include "models/mixed.h"

#define GROWTH_MIN  -0.02
#define GROWTH_MAX  0.12 /* leakage doubling in 6 K: no silicon is worse */
#define GROWTH_MEAN 0.03
#define GROWTH_SD   0.03
#define DROOP_MAX   0.15 /* of the voltage */
/* A bound at 0 would make the mean of small resistances too large. */
#define OHM_BELOW_0 0.2
/* What is known beforehand of the exponent of V. */
#define EXPONENT_MIN  0.0
#define EXPONENT_MAX  8.0
#define EXPONENT_MEAN 3.0
#define EXPONENT_SD   3.0

/* Rows of what is known beforehand: exponent, growth. */
#define PRIORS	    2
#define MAX_PARAMS  3
#define MAX_STEPS   20
#define STEP_ENOUGH 1e-4
#define RSS_ENOUGH  1e-8
#define DIFFERENCE  1e-5 /* for the derivatives, in scaled parameters */

struct param {
	double *at;
	double lo, hi, scale;
};

struct bend {
	struct mixed *f;
	struct param param[MAX_PARAMS];
	unsigned int count;
};

static double exponent_surprise(const struct mixed *f)
{
	return f->has[COL_LEAK] ? (f->exponent - EXPONENT_MEAN) / EXPONENT_SD : 0;
}

static double growth_surprise(const struct mixed *f)
{
	return f->has[COL_LEAK] && f->grows ? (f->growth - GROWTH_MEAN) / GROWTH_SD : 0;
}

double mixed_surprise(const struct mixed *f)
{
	return pow(exponent_surprise(f), 2) + pow(growth_surprise(f), 2);
}

/* A droop of more than DROOP_MAX in no row. */
static double max_ohm(const struct mixed *f)
{
	double ohm = INFINITY;
	size_t i;

	for (i = 0; i < f->d->row_count; i++) {
		const struct power_row *r = &f->d->rows[i];

		if (r->uw > 0)
			ohm = fmin(ohm, DROOP_MAX * r->volt * r->volt / (r->uw * 1e-6));
	}
	return ohm;
}

static void choose_params(struct bend *b, struct mixed *f, bool exponent)
{
	double ohm = max_ohm(f);

	b->f = f;
	b->count = 0;
	if (f->has[COL_LEAK] && f->grows)
		b->param[b->count++] = (struct param){ &f->growth, GROWTH_MIN, GROWTH_MAX,
						       GROWTH_SD };
	if (f->droops && isfinite(ohm))
		b->param[b->count++] = (struct param){ &f->ohm, -OHM_BELOW_0 * ohm, ohm,
						       ohm };
	if (f->has[COL_LEAK] && exponent && !f->exponent_fixed)
		b->param[b->count++] = (struct param){ &f->exponent, EXPONENT_MIN,
						       EXPONENT_MAX, 1 };
}

static void set_params(const struct bend *b, const gsl_vector *z)
{
	unsigned int i;

	for (i = 0; i < b->count; i++) {
		const struct param *p = &b->param[i];

		*p->at = fmin(fmax(gsl_vector_get(z, i) * p->scale, p->lo), p->hi);
	}
}

static int residuals(const gsl_vector *z, void *arg, gsl_vector *out)
{
	const struct bend *b = arg;
	struct mixed *f = b->f;
	size_t i;

	set_params(b, z);
	mixed_assemble(f);
	if (mixed_solve(f, NULL, 0, NULL))
		return GSL_EDOM;
	for (i = 0; i < f->n; i++)
		gsl_vector_set(out, i,
			       f->lsq.resid[i] * (f->per_visit ? sqrt(f->w[i]) : 1));
	gsl_vector_set(out, f->n, exponent_surprise(f));
	gsl_vector_set(out, f->n + 1, growth_surprise(f));
	return GSL_SUCCESS;
}

static void walk(struct bend *b, gsl_multifit_nlinear_workspace *w, gsl_vector *z)
{
	gsl_multifit_nlinear_fdf fdf = {
		.f = residuals, .n = b->f->n + PRIORS, .p = b->count, .params = b
	};
	int info;

	if (gsl_multifit_nlinear_init(z, &fdf, w))
		return;
	gsl_multifit_nlinear_driver(MAX_STEPS, STEP_ENOUGH, 0, RSS_ENOUGH, NULL, NULL,
				    &info, w);
	gsl_vector_memcpy(z, gsl_multifit_nlinear_position(w));
}

int mixed_bend(struct mixed *f, bool exponent)
{
	gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
	gsl_multifit_nlinear_workspace *w;
	gsl_error_handler_t *handler;
	struct bend b;
	gsl_vector *z;
	unsigned int i;

	choose_params(&b, f, exponent);
	if (!b.count || f->n + PRIORS < b.count)
		return 0;
	handler = gsl_set_error_handler_off();
	how.h_df = DIFFERENCE;
	w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, f->n + PRIORS,
				       b.count);
	z = gsl_vector_alloc(b.count);
	if (w && z) {
		for (i = 0; i < b.count; i++)
			gsl_vector_set(z, i, *b.param[i].at / b.param[i].scale);
		walk(&b, w, z);
		set_params(&b, z);
	}
	gsl_multifit_nlinear_free(w);
	gsl_vector_free(z);
	gsl_set_error_handler(handler);
	return w && z ? 0 : -ENOMEM;
}
