// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: what the diagnostics mean, in plain words, with what to do about it.
 *
 * A finding is told when it is both no chance (p below 0.01) and large enough to matter;
 * how large is said at each.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "calib/fit_diagnose.h"
#include "lib/text.h"
#include "models/bootstrap.h"

#define CHANCE 0.01
/* What through-origin methods would say above C is worth telling from here on. */
#define STATIC_MATTERS 1.10
/* Terms in common matter when the interval is wider than this to either side. */
#define VIF_HIGH 10
#define WIDE_PCT 3.0 /* of C */
/* A row that decides alone, and one that does so much more than the others. */
#define LEVERAGE_ALONE 0.9
#define LEVERAGE_HIGH  0.5
#define LEVERAGE_TIMES 3
#define COOK_PCT       1.0 /* of C */
#define LACK_PCT       0.5 /* of power */
#define DRIFT_PCT      1.0 /* of the mean power */
#define SLOPE_PCT      5.0 /* of C */
#define ROBUST_SE      2.0
#define ROBUST_LEAST   1e-6
#define LOO_TIMES      2.0
#define LOO_PCT	       5.0
#define LEFT_OUT_SHARE 0.2

struct finding {
	const struct fit_cluster *c;
	const struct diagnose *g;
	const struct coeffs_diagnostics *out;
	char text[COEFFS_TEXT];
};

static bool __attribute__((format(printf, 2, 3)))
say(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return true;
}

static bool static_power(struct finding *f)
{
	double c = f->c->fit.c;

	if (!(f->g->through_origin > STATIC_MATTERS * c) || !(f->g->static_share > 0))
		return false;
	return say(f,
		   "%s %.0f %% of power at the lowest operating point; through-origin "
		   "methods would say %.0f; do not rank clusters by values that were not "
		   "all made the same way",
		   !strcmp(f->c->method->name, "intercept")
			   ? "the intercept is"
			   : "idle, shared-clock and static power are",
		   100 * f->g->static_share, f->g->through_origin);
}

static bool inflated(struct finding *f)
{
	const struct diagnose *g = f->g;

	if (!g->terms || !(g->vif[0] > VIF_HIGH) ||
	    f->c->fit.ci95[1] - f->c->fit.ci95[0] < 2 * WIDE_PCT / 100 * f->c->fit.c)
		return false;
	return say(f,
		   "C can hardly be told from the other terms (variance inflation %.0f, "
		   "which makes its error %.1f times as large); measure idle and several "
		   "CPU counts at operating points far apart",
		   g->vif[0], sqrt(g->vif[0]));
}

static bool leverage(struct finding *f)
{
	const struct diagnose *g = f->g;

	if (!(g->leverage.value > LEVERAGE_ALONE) &&
	    !(g->leverage.value > LEVERAGE_HIGH &&
	      g->leverage.value > LEVERAGE_TIMES * g->mean_leverage))
		return false;
	return say(f,
		   "one row decides alone: %s (leverage %.2f, the mean is %.2f); measure "
		   "more windows like it",
		   f->out->leverage_row, g->leverage.value, g->mean_leverage);
}

static bool cook(struct finding *f)
{
	const struct diagnose *g = f->g;

	if (!(g->cook.probability < 0.5) ||
	    !(fabs(g->c_without - f->c->fit.c) >
	      fmin(f->c->fit.se, COOK_PCT / 100 * f->c->fit.c)))
		return false;
	return say(f,
		   "without %s C would be %.4g (Cook's distance %.2g); look at that "
		   "window, or measure it again",
		   f->out->cook_row, g->c_without, g->cook.value);
}

static bool outlier(struct finding *f)
{
	const struct diagnose *g = f->g;

	if (!(g->student.probability < CHANCE))
		return false;
	return say(f,
		   "%s is %.1f standard deviations %s the model; look at that window, or "
		   "measure it again",
		   f->out->student_row, fabs(g->student.value),
		   g->student.value > 0 ? "above" : "below");
}

static bool lack_of_fit(struct finding *f)
{
	const struct diagnose *g = f->g;

	if (!(g->lack_probability < CHANCE) || !(g->lack_pct > LACK_PCT))
		return false;
	return say(f,
		   "lack of fit: the model is %.1f %% off where repeated windows agree "
		   "(F = %.3g, p = %.2g); see C per operating point, and --compare for "
		   "other methods",
		   g->lack_pct, g->lack_f, g->lack_probability);
}

static double mean_power(const struct finding *f)
{
	const struct power_problem *p = &f->c->problem;
	double sum = 0;
	size_t i;

	for (i = 0; i < p->n; i++)
		sum += p->y[i] / p->n;
	return sum;
}

static bool matters(const struct finding *f, const struct diagnose_trend *t, double uw)
{
	if (!(t->probability < CHANCE))
		return false;
	return fabs(uw) > DRIFT_PCT / 100 * mean_power(f) ||
	       fabs(t->shift) > f->c->fit.se;
}

static bool drift(struct finding *f)
{
	const struct diagnose_trend *t = &f->g->order;

	if (!matters(f, t, t->value))
		return false;
	return say(f,
		   "power drifts by %+.3g mW over the run (p = %.2g), which moves C by "
		   "%+.2g; let the board and its meter warm up, and measure in random "
		   "order",
		   t->value / 1e3, t->probability, -t->shift);
}

static double kelvin_span(const struct finding *f)
{
	const struct power_problem *p = &f->c->problem;
	double lo = INFINITY, hi = -INFINITY;
	size_t i;

	for (i = 0; i < p->n; i++) {
		lo = fmin(lo, p->celsius[i]);
		hi = fmax(hi, p->celsius[i]);
	}
	return hi - lo;
}

static bool heat(struct finding *f)
{
	const struct diagnose_trend *t = &f->g->heat;

	if (!matters(f, t, t->value * kelvin_span(f)))
		return false;
	return say(f,
		   "power changes by %+.3g mW per kelvin beyond the model (p = %.2g), "
		   "which moves C by %+.2g; measure idle and several CPU counts, so that "
		   "leakage can be fitted, or let the chip cool between windows",
		   t->value / 1e3, t->probability, -t->shift);
}

static bool slope(struct finding *f)
{
	const struct diagnose_trend *t = &f->g->slope;
	double pct = 100 * t->value / f->c->fit.c;

	if (!(t->probability < CHANCE) || !(fabs(pct) > SLOPE_PCT))
		return false;
	return say(f,
		   "C changes by %+.0f %% from the lowest operating point to the highest "
		   "(p = %.2g): no one coefficient is right at all of them; consider "
		   "opp-microwatt",
		   pct, t->probability);
}

static bool robust(struct finding *f)
{
	const struct {
		const char *name;
		double c;
	} others[] = { { "Theil-Sen", f->g->theil_sen },
		       { "Huber", f->g->huber },
		       { "bisquare", f->g->bisquare } };
	/*
	 * What pulls C makes its own error larger, too; of rows without any error what
	 * differs is rounding.
	 */
	double se = fmax(fmin(f->c->fit.se, f->g->robust_se),
			 ROBUST_LEAST * fabs(f->c->fit.c));
	size_t i, worst = 0;

	for (i = 1; i < sizeof(others) / sizeof(others[0]); i++)
		if (!(fabs(others[i].c - f->c->fit.c) <=
		      fabs(others[worst].c - f->c->fit.c)) &&
		    isfinite(others[i].c))
			worst = i;
	if (!(fabs(others[worst].c - f->c->fit.c) > ROBUST_SE * se))
		return false;
	return say(f,
		   "the robust cross-check (%s) says %.4g, %.1f standard errors off: a "
		   "few rows pull C; look at the rows named here, or measure again",
		   others[worst].name, others[worst].c,
		   fabs(others[worst].c - f->c->fit.c) / se);
}

static bool left_out_opps(struct finding *f)
{
	const struct power_fit *fit = &f->c->fit;

	if (!(fit->loo_rmse_pct > LOO_PCT) ||
	    !(fit->loo_rmse_pct > LOO_TIMES * fit->rmse_pct))
		return false;
	return say(f,
		   "an operating point that is left out is predicted %.3g %% wrong, %.1f "
		   "times the residual: the model does not reach beyond its rows; "
		   "measure more operating points",
		   fit->loo_rmse_pct, fit->loo_rmse_pct / fit->rmse_pct);
}

static bool few_visits(struct finding *f)
{
	const struct power_fit *fit = &f->c->fit;

	if (fit->visits && fit->visits < BOOTSTRAP_WIDENS_FROM)
		return say(f,
			   "only %u visit%s to operating points: 95 %% intervals of so "
			   "few hold the truth in some 90 %%; measure more operating "
			   "points or repeat them",
			   fit->visits, text_s(fit->visits));
	if (!fit->bootstrapped)
		return false;
	return say(f,
		   "only %u visits to operating points: the interval is the wild "
		   "bootstrap's, %.1f times as wide as that of t; measure more operating "
		   "points or repeat them",
		   fit->visits,
		   (fit->ci95[1] - fit->ci95[0]) / 2 / lsq_t975(fit->dof) / fit->se);
}

static bool many_left_out(struct finding *f)
{
	const struct power_data *d = &f->c->data;
	size_t all = d->row_count + d->left_out;
	size_t out = d->left_out + f->c->fit.outlier_count;

	if (!(out > LEFT_OUT_SHARE * all))
		return false;
	return say(f,
		   "%zu of %zu rows were left out: what they have in common may be in "
		   "the others, too; find the cause and measure again",
		   out, all);
}

static bool (*const findings[])(struct finding *f) = {
	static_power, inflated, leverage, cook,		 outlier,    lack_of_fit,   drift,
	heat,	      slope,	robust,	  left_out_opps, few_visits, many_left_out,
};

void fit_warn(const struct fit_cluster *c, const struct diagnose *g,
	      struct coeffs_diagnostics *out)
{
	struct finding f = { .c = c, .g = g, .out = out };
	size_t i;

	for (i = 0; i < sizeof(findings) / sizeof(findings[0]); i++) {
		if (out->warning_count == COEFFS_MAX_WARNINGS || !findings[i](&f))
			continue;
		snprintf(out->warnings[out->warning_count++], COEFFS_TEXT, "%s", f.text);
	}
}
