// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random-effects meta-analysis: all of it from Q as a function of the variance between
 * boards.
 */
#include "models/meta.h"

#include <errno.h>
#include <math.h>

#include <gsl/gsl_cdf.h>

#include "models/lsq.h"

#define NEWTON_STEPS 100
/* An error of 0 (rows without noise) would be an infinite weight. */
#define LEAST_SE 1e-9
/* The chi-squared distribution in so many parts of equal probability. */
#define PARTS	   200
#define HALVINGS   60
#define ALL_WITHIN 8 /* standard deviations */
/* With more boards the others' variance is found in one step instead of to the end. */
#define ONE_STEP_ABOVE 64

struct set {
	const double *est, *se;
	size_t n;
	size_t skip;  /* this one is left out; n: none */
	double about; /* estimates are taken from here, against cancellation */
};

/* Sums with weights w = 1 / (var + se^2), and with their squares. */
struct sums {
	double w, wy, wyy, w2, w2y, w2yy;
};

static void add(struct sums *s, double w, double y)
{
	s->w += w;
	s->wy += w * y;
	s->wyy += w * y * y;
	s->w2 += w * w;
	s->w2y += w * w * y;
	s->w2yy += w * w * y * y;
}

static double weight(const struct set *b, double var, size_t i)
{
	double least = LEAST_SE * fabs(b->est[i]);

	return 1 / (var + fmax(b->se[i] * b->se[i], fmax(least * least, 1e-300)));
}

static struct sums sum_up(const struct set *b, double var)
{
	struct sums s = { 0 };
	size_t i;

	for (i = 0; i < b->n; i++)
		if (i != b->skip)
			add(&s, weight(b, var, i), b->est[i] - b->about);
	return s;
}

static double q_of(const struct sums *s)
{
	return fmax(s->wyy - s->wy * s->wy / s->w, 0);
}

/* Newton's step on 1/Q, which is a straight line when all errors are alike. */
static double step(const struct sums *s, double target)
{
	double q = q_of(s), mean = s->wy / s->w;
	double slope = s->w2yy - 2 * mean * s->w2y + mean * mean * s->w2;

	return slope > 0 ? (1 / target - 1 / q) * q * q / slope : 0;
}

/* The variance between boards with which Q is @target; 0 when it is less anyway. */
static double var_at(const struct set *b, double target)
{
	double var = 0, by;
	int i;

	for (i = 0; i < NEWTON_STEPS; i++) {
		struct sums s = sum_up(b, var);

		if (!var && !(q_of(&s) > target))
			return 0;
		by = step(&s, target);
		var = fmax(var + by, 0);
		if (fabs(by) < 1e-10 * var)
			break;
	}
	return var;
}

/* Normal distributions, one per part of what the variance may be. */
struct mixture {
	double mean[PARTS], sd[PARTS];
};

static double quantile(const struct mixture *m, double p)
{
	double lo = INFINITY, hi = -INFINITY, mid, below;
	int i, k;

	for (i = 0; i < PARTS; i++) {
		lo = fmin(lo, m->mean[i] - ALL_WITHIN * m->sd[i]);
		hi = fmax(hi, m->mean[i] + ALL_WITHIN * m->sd[i]);
	}
	for (k = 0; k < HALVINGS; k++) {
		mid = lo + (hi - lo) / 2;
		for (i = 0, below = 0; i < PARTS; i++)
			below += gsl_cdf_gaussian_P(mid - m->mean[i], m->sd[i]) / PARTS;
		if (below < p)
			lo = mid;
		else
			hi = mid;
	}
	return lo + (hi - lo) / 2;
}

static void predict(const struct set *b, struct meta *out)
{
	struct mixture m;
	int i;

	for (i = 0; i < PARTS; i++) {
		double q = gsl_cdf_chisq_Pinv((i + 0.5) / PARTS, b->n - 1);
		double var = var_at(b, q);
		struct sums s = sum_up(b, var);

		m.mean[i] = s.wy / s.w;
		m.sd[i] = sqrt(var + 1 / s.w);
	}
	out->new95[0] = b->about + quantile(&m, 0.025);
	out->new95[1] = b->about + quantile(&m, 0.975);
}

static int check(const double *est, const double *se, size_t n, struct err *err)
{
	size_t i;

	if (n < 2)
		return err_set(err, -EDOM, "one board does not tell how boards differ");
	for (i = 0; i < n; i++)
		if (!isfinite(est[i]) || !isfinite(se[i]) || se[i] < 0)
			return err_set(err, -EINVAL,
				       "estimate %zu is not a number with an error",
				       i + 1);
	return 0;
}

int meta_pool(const double *est, const double *se, size_t n, struct meta *m,
	      struct err *err)
{
	struct set b = { est, se, n, n, n ? est[0] : 0 };
	int ret = check(est, se, n, err);
	struct sums s;
	double half, var;

	if (ret)
		return ret;
	m->n = n;
	m->dof = n - 1;
	var = var_at(&b, m->dof);
	s = sum_up(&b, var);
	m->mean = b.about + s.wy / s.w;
	m->se = sqrt(1 / s.w);
	half = lsq_t975(m->dof) * m->se;
	m->ci95[0] = m->mean - half;
	m->ci95[1] = m->mean + half;
	m->sd = sqrt(var);
	m->sd95[0] = sqrt(var_at(&b, gsl_cdf_chisq_Pinv(0.975, m->dof)));
	m->sd95[1] = sqrt(var_at(&b, gsl_cdf_chisq_Pinv(0.025, m->dof)));
	predict(&b, m);
	return 0;
}

/* Variance and sums of all but @i, from those of all in one step. */
static struct sums all_but(const struct set *b, const struct sums *all, double *var,
			   size_t i)
{
	double y = b->est[i] - b->about, w = weight(b, *var, i);
	struct sums s = {
		all->w - w,	 all->wy - w * y,      all->wyy - w * y * y,
		all->w2 - w * w, all->w2y - w * w * y, all->w2yy - w * w * y * y
	};

	*var = fmax(*var + step(&s, b->n - 2), 0);
	return s;
}

void meta_deleted(const double *est, const double *se, size_t n, double *out)
{
	struct set b = { est, se, n, n, n ? est[0] : 0 };
	double var_all = n > 2 ? var_at(&b, n - 1) : 0;
	struct sums all = sum_up(&b, var_all);
	size_t i;

	for (i = 0; i < n; i++) {
		double var = var_all;
		struct sums s;

		out[i] = 0;
		if (n < 3)
			continue;
		if (n > ONE_STEP_ABOVE) {
			s = all_but(&b, &all, &var, i);
		} else {
			b.skip = i;
			var = var_at(&b, n - 2);
			s = sum_up(&b, var);
		}
		out[i] = (est[i] - b.about - s.wy / s.w) /
			 sqrt(1 / weight(&b, var, i) + 1 / s.w);
	}
}

double meta_outlying(size_t n)
{
	return n > 2 ? gsl_cdf_tdist_Qinv(0.025 / n, n - 2) : INFINITY;
}
