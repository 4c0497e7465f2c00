// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: the diagnostics of a cluster's fit into coeffs.json.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calib/fit_diagnose.h"

static void place(const struct fit_input *in, const struct diagnose_row *r, char *out)
{
	const struct sample *s = &in->samples.rows[r->sample];

	if (isfinite(r->value))
		fit_place(in, s->file, s->line, out, COEFFS_TEXT);
}

static void fill_rows(struct coeffs_diagnostics *o, const struct diagnose *g,
		      const struct fit_input *in)
{
	o->leverage_mean = g->mean_leverage;
	o->leverage_max = g->leverage.value;
	o->cook_max = g->cook.value;
	o->estimate_without = g->c_without;
	o->student_max = g->student.value;
	o->student_p = g->student.probability;
	place(in, &g->leverage, o->leverage_row);
	place(in, &g->cook, o->cook_row);
	place(in, &g->student, o->student_row);
}

static void fill_model(struct coeffs_diagnostics *o, const struct diagnose *g)
{
	unsigned int j;

	o->r2_centred = g->r2_centred;
	o->r2_about_zero = g->r2_about_zero;
	o->se_classical = g->se[LSQ_CLASSICAL];
	o->se_hc3 = g->se[LSQ_HC3];
	o->se_clustered = g->se[LSQ_CLUSTERED];
	o->dof_clustered = g->dof[LSQ_CLUSTERED];
	o->has_bootstrap = isfinite(g->bootstrap_ci95[0]) &&
			   isfinite(g->bootstrap_ci95[1]);
	memcpy(o->bootstrap_ci95, g->bootstrap_ci95, sizeof(o->bootstrap_ci95));
	for (j = 0; j < g->terms; j++) {
		struct coeffs_vif *v = &o->vif[o->vif_count];

		if (!isfinite(g->vif[j]))
			continue;
		snprintf(v->name, sizeof(v->name), "%s", g->names[j]);
		v->value = g->vif[j];
		o->vif_count++;
	}
	o->lack_f = g->lack_f;
	o->lack_dof = g->lack_dof[0];
	o->pure_dof = g->lack_dof[1];
	o->lack_p = g->lack_probability;
	o->lack_pct = g->lack_pct;
}

static void fill_rest(struct coeffs_diagnostics *o, const struct diagnose *g)
{
	unsigned int i;

	o->drift_uw = g->order.value;
	o->drift_p = g->order.probability;
	o->heat_uw = g->heat.value;
	o->heat_p = g->heat.probability;
	o->slope = g->slope.value;
	o->slope_p = g->slope.probability;
	o->theil_sen = g->theil_sen;
	o->huber = g->huber;
	o->bisquare = g->bisquare;
	o->static_pct = 100 * g->static_share;
	for (i = 0; i < g->left_out_count; i++)
		snprintf(o->left_out[o->left_out_count++], COEFFS_TEXT, "%s",
			 g->left_out[i]);
}

static void fill_opp(struct coeffs_opp *o, const struct fit_cluster *c,
		     const struct diagnose *g)
{
	const struct diagnose_opp *from;
	unsigned int i;

	for (i = 0; i < c->data.opp_count; i++)
		if (c->data.opp_khz[i] * 1000ull == o->hz)
			break;
	if (i == c->data.opp_count || !g->opps)
		return;
	from = &g->opps[i];
	o->has_own = isfinite(from->c);
	o->own = from->c;
	o->own_se = from->se > 0 ? from->se : 0;
	o->has_prediction = isfinite(from->low_uw) && isfinite(from->high_uw);
	o->prediction_uw[0] = from->low_uw;
	o->prediction_uw[1] = from->high_uw;
}

int fit_diagnose(struct coeffs_cluster *out, const struct fit_cluster *c,
		 const struct fit_input *in, struct err *err)
{
	struct coeffs_diagnostics *o = &out->diagnostics;
	struct diagnose g;
	unsigned int i;
	int ret = diagnose_run(&c->data, &c->fit, &c->problem, &g, err);

	if (ret)
		return err_wrap(err, ret, "diagnostics");
	out->has_diagnostics = true;
	fill_model(o, &g);
	fill_rows(o, &g, in);
	fill_rest(o, &g);
	for (i = 0; i < out->opp_count; i++)
		fill_opp(&out->opps[i], c, &g);
	fit_warn(c, &g, o);
	diagnose_free(&g);
	return 0;
}
