// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit --explain: how good the fit is, and what makes one doubt it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calib/fit_diagnose.h"
#include "lib/text.h"

static void line(FILE *f, const char *name)
{
	fprintf(f, "  %-13s ", name);
}

/* "p = 0.03", or what is smaller than anybody believes. */
static const char *chance(double p, char *out, size_t size)
{
	if (p < 1e-4)
		snprintf(out, size, "p < 0.0001");
	else
		snprintf(out, size, "p = %.2g", p);
	return out;
}

static void explain_value(FILE *f, const struct fit_cluster *c,
			  const struct coeffs_cluster *r)
{
	const struct power_fit *fit = &c->fit;

	line(f, "coefficient");
	fprintf(f, "C = %.5g uW/MHz/V^2", fit->c);
	if (r->has_interval)
		fprintf(f, ", 95 %% in %.5g..%.5g (", fit->ci95[0], fit->ci95[1]);
	if (r->has_interval && fit->bootstrapped)
		fprintf(f, "wild bootstrap)");
	else if (r->has_interval)
		fprintf(f, "t with %.1f degrees of freedom)", fit->dof);
	fprintf(f, "\n");
	line(f, "method");
	fprintf(f, "%s: %s (%s)\n", c->method->name, c->method->words, c->why);
	line(f, "model");
	fprintf(f, "%s\n", fit->formula);
}

static void explain_errors(FILE *f, const struct coeffs_diagnostics *g)
{
	if (!isfinite(g->se_classical) && !isfinite(g->se_hc3))
		return;
	line(f, "errors of C");
	fprintf(f, "classical %.3g", g->se_classical);
	if (isfinite(g->se_hc3))
		fprintf(f, ", HC3 %.3g", g->se_hc3);
	if (isfinite(g->se_clustered))
		fprintf(f, ", clustered %.3g (%.1f degrees of freedom)", g->se_clustered,
			g->dof_clustered);
	fprintf(f, "\n");
	if (!g->has_bootstrap)
		return;
	line(f, "");
	fprintf(f, "wild cluster bootstrap: 95 %% in %.5g..%.5g\n", g->bootstrap_ci95[0],
		g->bootstrap_ci95[1]);
}

static double vif_of(const struct coeffs_diagnostics *g, const char *name)
{
	unsigned int i;

	for (i = 0; i < g->vif_count; i++)
		if (!strcmp(g->vif[i].name, name))
			return g->vif[i].value;
	return NAN;
}

static void explain_terms(FILE *f, const struct power_fit *fit,
			  const struct coeffs_diagnostics *g)
{
	unsigned int i;

	line(f, "terms");
	fprintf(f, "%-17s %12s %10s %6s\n", "", "value", "se", "VIF");
	for (i = 0; i < fit->term_count; i++) {
		const struct power_term *t = &fit->terms[i];
		double vif = vif_of(g, t->name);

		line(f, "");
		fprintf(f, "%-17s %12.5g", t->name, t->value);
		if (isfinite(t->se))
			fprintf(f, " %10.3g", t->se);
		else
			fprintf(f, " %10s", "-");
		if (isfinite(vif))
			fprintf(f, " %6.1f", vif);
		else
			fprintf(f, " %6s", "-");
		fprintf(f, strcmp(t->unit, "1") ? "  %s\n" : "\n", t->unit);
	}
	line(f, "");
	fprintf(f, "condition of the scaled design %.3g\n", fit->condition);
}

static void explain_fit(FILE *f, const struct power_fit *fit,
			const struct coeffs_diagnostics *g)
{
	line(f, "residuals");
	if (fit->rmse_pct >= 0)
		fprintf(f, "%.3g %% of power", fit->rmse_pct);
	else
		fprintf(f, "not computed");
	if (fit->loo_rmse_pct >= 0)
		fprintf(f, "; of operating points left out one by one %.3g %%",
			fit->loo_rmse_pct);
	fprintf(f, "\n");
	if (!isfinite(g->r2_about_zero))
		return;
	line(f, "R^2");
	if (isfinite(g->r2_centred))
		fprintf(f, "centred %.5f, ", g->r2_centred);
	fprintf(f, "about zero %.5f\n", g->r2_about_zero);
}

static void explain_rows(FILE *f, const struct coeffs_diagnostics *g)
{
	char p[32];

	if (isfinite(g->leverage_max)) {
		line(f, "leverage");
		fprintf(f, "largest %.2f, %s; mean %.2f\n", g->leverage_max,
			g->leverage_row, g->leverage_mean);
	}
	if (isfinite(g->cook_max)) {
		line(f, "Cook");
		fprintf(f, "largest %.2g, %s", g->cook_max, g->cook_row);
		if (isfinite(g->estimate_without))
			fprintf(f, ": without it C = %.5g", g->estimate_without);
		fprintf(f, "\n");
	}
	if (isfinite(g->student_max)) {
		line(f, "studentised");
		fprintf(f, "largest %+.2f, %s (%s for the largest of all)\n",
			g->student_max, g->student_row,
			chance(g->student_p, p, sizeof(p)));
	}
}

static void explain_tests(FILE *f, const struct coeffs_diagnostics *g)
{
	char p[32];

	if (isfinite(g->lack_f)) {
		line(f, "lack of fit");
		fprintf(f, "F(%.0f, %.0f) = %.3g, %s; %.2g %% of power\n", g->lack_dof,
			g->pure_dof, g->lack_f, chance(g->lack_p, p, sizeof(p)),
			g->lack_pct);
	}
	if (isfinite(g->drift_uw)) {
		line(f, "drift");
		fprintf(f, "%+.3g mW over the run, %s\n", g->drift_uw / 1e3,
			chance(g->drift_p, p, sizeof(p)));
	}
	if (isfinite(g->heat_uw)) {
		line(f, "temperature");
		fprintf(f, "%+.3g mW/K beyond the model, %s\n", g->heat_uw / 1e3,
			chance(g->heat_p, p, sizeof(p)));
	}
	if (isfinite(g->slope)) {
		line(f, "C over OPPs");
		fprintf(f, "%+.3g from the lowest to the highest, %s\n", g->slope,
			chance(g->slope_p, p, sizeof(p)));
	}
}

static void explain_robust(FILE *f, const struct coeffs_diagnostics *g)
{
	const struct {
		const char *name;
		double c;
	} others[] = { { "Theil-Sen", g->theil_sen },
		       { "Huber", g->huber },
		       { "bisquare", g->bisquare } };
	bool any = false;
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!isfinite(others[i].c))
			continue;
		if (!any)
			line(f, "robust");
		fprintf(f, "%s%s %.5g", any ? ", " : "", others[i].name, others[i].c);
		any = true;
	}
	if (any)
		fprintf(f, "\n");
}

static void mw(FILE *f, bool known, double uw, int width)
{
	if (known)
		fprintf(f, " %*.4g", width, uw / 1e3);
	else
		fprintf(f, " %*s", width, "-");
}

static void explain_opps(FILE *f, const struct coeffs_cluster *r)
{
	unsigned int i;

	line(f, "per OPP");
	fprintf(f, "%8s %8s %7s %9s %9s %9s %9s\n", "MHz", "C", "se", "measured",
		"predicted", "low", "high");
	for (i = 0; i < r->opp_count; i++) {
		const struct coeffs_opp *o = &r->opps[i];

		line(f, "");
		fprintf(f, "%8.6g", o->hz / 1e6);
		if (o->has_own)
			fprintf(f, " %8.4g", o->own);
		else
			fprintf(f, " %8s", "-");
		if (o->has_own && o->own_se > 0)
			fprintf(f, " %7.2g", o->own_se);
		else
			fprintf(f, " %7s", "-");
		mw(f, o->has_measured, o->measured_uw, 9);
		mw(f, o->has_prediction, (o->prediction_uw[0] + o->prediction_uw[1]) / 2,
		   9);
		mw(f, o->has_prediction, o->prediction_uw[0], 9);
		mw(f, o->has_prediction, o->prediction_uw[1], 9);
		fprintf(f, "\n");
	}
	line(f, "");
	fprintf(f, "C of the OPP alone, other terms as fitted; mW of one busy CPU above "
		   "idle; low..high: 95 %% of new measurements, as warm as these\n");
}

static void explain_left_out(FILE *f, const struct fit_cluster *c,
			     const struct fit_input *in)
{
	struct fit_left_out *out = &(struct fit_left_out){ 0 };
	unsigned int i;

	fit_left_out(c, in, out);
	line(f, "rows");
	fprintf(f, "%zu of %zu used", c->fit.rows, c->data.row_count + c->data.left_out);
	fprintf(f, *out->counts ? "; left out: %s\n" : "\n", out->counts);
	for (i = 0; i < out->named; i++) {
		line(f, "");
		fprintf(f, "%s\n", out->rows[i]);
	}
	if (out->more) {
		line(f, "");
		fprintf(f, "and %u more\n", out->more);
	}
}

static void explain_texts(FILE *f, const char *name, const char texts[][COEFFS_TEXT],
			  unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		line(f, i ? "" : name);
		fprintf(f, "%s\n", texts[i]);
	}
}

void fit_explain(FILE *f, const struct fit_cluster *c, const struct coeffs_cluster *r,
		 const struct fit_input *in)
{
	const struct coeffs_diagnostics *g = &r->diagnostics;

	fprintf(f, "%s%s%s%s\n", c->name,
		in->has_info && in->info.virtual_board ? " (VIRTUAL)" : "",
		*c->load ? ", load " : "", c->load);
	explain_value(f, c, r);
	explain_errors(f, g);
	explain_terms(f, &c->fit, g);
	explain_fit(f, &c->fit, g);
	explain_rows(f, g);
	explain_tests(f, g);
	explain_robust(f, g);
	explain_opps(f, r);
	explain_left_out(f, c, in);
	explain_texts(f, "not computed", g->left_out, g->left_out_count);
	explain_texts(f, "warnings", g->warnings, g->warning_count);
	if (!g->warning_count) {
		line(f, "warnings");
		fprintf(f, "none\n");
	}
}
