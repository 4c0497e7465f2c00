// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: the summary on stderr, and the table of all methods.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calib/fit.h"
#include "calib/fit_curve.h"
#include "calib/fit_loads.h"
#include "calib/samples_pool.h"
#include "lib/buf.h"
#include "lib/text.h"
#include "models/lsq.h"

#define PREDICTED_OFF	 2
#define WORTH_A_WORD_PCT 2
#define VOLTAGE_BIAS	 "rail droop under load can bias C by several percent"

void fit_talk_rejects(const struct cmd_ctx *ctx, const struct fit_input *in)
{
	const struct samples *s = &in->samples;
	size_t all = s->reject_count + s->rejects_more;
	unsigned int i;

	for (i = 0; i < s->reject_count && i < FIT_LEFT_OUT_NAMED; i++)
		cmd_warn(ctx, "%s:%u: left out: %s",
			 buf_file_name(s->paths[s->rejects[i].file]), s->rejects[i].line,
			 s->rejects[i].why);
	if (all > i)
		cmd_warn(ctx, "left out: %zu more rows without a reading", all - i);
	if (s->pooled)
		cmd_note(
			ctx,
			"%zu rows are too many to fit one by one (up to %d are): fitted "
			"are %zu means of windows of one visit to an operating point, or "
			"of visits in a row",
			s->pooled, SAMPLES_WHOLE, s->count);
}

static const char *scope_words(const char *scope)
{
	if (!strcmp(scope, "rail"))
		return "rail";
	if (!strcmp(scope, "package"))
		return "whole package";
	if (!strcmp(scope, "device"))
		return "whole device";
	return "not said whether rail or whole device";
}

static void talk_value(const struct fit_cluster *c, const struct coeffs_cluster *r)
{
	const struct power_fit *f = &c->fit;

	if (r->has_interval)
		fprintf(stderr, "%s: C = %.2f +- %.2f uW/MHz/V^2 (95 %%, +-%.2f %%)",
			c->name, f->c, f->c - f->ci95[0],
			100 * (f->c - f->ci95[0]) / f->c);
	else
		fprintf(stderr, "%s: C = %.2f uW/MHz/V^2 (no interval)", c->name, f->c);
	fprintf(stderr, ", dynamic-power-coefficient = <%u>\n", r->dpc_uw_per_mhz_v2);
}

void fit_talk_rows(const struct fit_cluster *c, const struct fit_input *in)
{
	struct fit_left_out *out = &(struct fit_left_out){ 0 };
	size_t all = c->data.row_count + c->data.left_out;
	unsigned int i;

	fit_left_out(c, in, out);
	if (in->samples.pooled)
		fprintf(stderr,
			"  rows    %zu, all but %zu in %zu means, of which %zu used",
			in->samples.pooled, c->data.left_out + in->samples.spike_count,
			c->data.row_count, c->fit.rows);
	else
		fprintf(stderr, "  rows    %zu of %zu used", c->fit.rows, all);
	if (*out->counts)
		fprintf(stderr, "; left out: %s", out->counts);
	fprintf(stderr, "\n");
	for (i = 0; i < out->named; i++)
		fprintf(stderr, "          %s\n", out->rows[i]);
	if (out->more)
		fprintf(stderr, "          and %u more\n", out->more);
}

static void talk_raw(const struct fit_cluster *c, const struct fit_input *in)
{
	const struct fit_raw *raw = fit_raw_of(in, c->name);
	char text[COEFFS_TEXT];

	if (!raw)
		return;
	fprintf(stderr, "  raw     %s\n", fit_raw_format(raw, text, sizeof(text)));
	for (unsigned int i = 0; i < FIT_RAW_NAMED && i < raw->count[TRACE_SPIKE]; i++)
		fprintf(stderr, "          %s\n",
			fit_raw_format_spike(raw, i, text, sizeof(text)));
}

static void talk_fit(const struct power_fit *f)
{
	fprintf(stderr, "  fit     %u operating point%s", f->opps, text_s(f->opps));
	if (f->rmse_pct >= 0)
		fprintf(stderr, ", residual %.2f %%", f->rmse_pct);
	if (f->loo_rmse_pct >= 0)
		fprintf(stderr, ", operating points left out %.2f %%", f->loo_rmse_pct);
	if (isfinite(f->r2))
		fprintf(stderr, ", R^2 %.4f%s", f->r2,
			f->r2_uncentred ? " (about zero)" : "");
	fprintf(stderr, "\n");
}

/* A rail's resistance that may as well be none, or is below it by noise? */
static bool has_droop(const struct power_fit *f)
{
	unsigned int i;

	for (i = 0; i < f->term_count; i++)
		if (!strcmp(f->terms[i].name, "rail-resistance"))
			return f->ohm > 2 * f->terms[i].se;
	return f->ohm > 0;
}

static void talk_power(const struct fit_cluster *c, const struct coeffs_provenance *p)
{
	fprintf(stderr, "  power   %s", scope_words(p->scope));
	if (*p->sensor)
		fprintf(stderr, ", %s", p->sensor);
	if (p->has_baseline)
		fprintf(stderr, ", baseline %lld uW subtracted",
			(long long)p->baseline_uw);
	else
		fprintf(stderr, c->data.baseline ? ", the rows' baseline subtracted"
						 : ", no baseline subtracted");
	if (!c->data.volt_from_table)
		fprintf(stderr, "; voltage measured\n");
	else if (isfinite(c->fit.ohm) && !has_droop(&c->fit))
		fprintf(stderr, "; voltage from a table, no droop of the rail seen\n");
	else if (isfinite(c->fit.ohm))
		fprintf(stderr,
			"; voltage from a table, rail of %.1f mohm found from its "
			"droop\n",
			1e3 * c->fit.ohm);
	else
		fprintf(stderr, "; voltage from a table\n");
}

/*
 * Measuring stopped when the rows promised this interval, by the fit that is made here: a
 * good part wider or narrower, these are not those rows.
 */
static void talk_precision(const struct cmd_ctx *ctx, const struct fit_cluster *c)
{
	double predicted = c->info ? c->info->precision_predicted : 0, fitted;

	fitted = (c->fit.ci95[1] - c->fit.ci95[0]) / 2 / c->fit.c;
	if (!(predicted > 0) || !isfinite(fitted) ||
	    strcmp(c->info->precision_load, c->load) != 0)
		return;
	fprintf(stderr,
		"  stop    predicted +-%.2g %% (%.2g %% asked for), fitted +-%.2g %%\n",
		100 * predicted, 100 * c->info->precision_asked, 100 * fitted);
	if (fitted > PREDICTED_OFF * predicted || predicted > PREDICTED_OFF * fitted)
		cmd_warn(ctx,
			 "cluster '%s': 'calib measure' predicted +-%.2g %%, and the fit "
			 "gives +-%.2g %%: rows or method are not those it stopped with",
			 c->name, 100 * predicted, 100 * fitted);
}

#define BOARDS_NAMED 10

static void talk_board(const struct cmd_ctx *ctx, const struct fit_cluster *c,
		       const struct many_board *b, const char *name)
{
	if (!b->used)
		cmd_warn(ctx, "cluster '%s': board '%s' left out: %s", c->name, name,
			 b->why);
	else
		cmd_warn(ctx,
			 "cluster '%s': board '%s' is an outlying one: C = %.2f, %.1f "
			 "standard deviations off what the others predict; look at its "
			 "measurement before it counts",
			 c->name, name, b->c, fabs(b->deleted));
}

static void talk_boards(const struct cmd_ctx *ctx, const struct fit_cluster *c,
			char *const *names)
{
	const struct many_boards *m = &c->boards;
	const struct meta *p = &m->meta;
	size_t i, amiss = 0;

	fprintf(stderr,
		"  boards  %zu of %zu, between them %.2f %% (95 %%: %.2f..%.2f %%); a "
		"new "
		"board has C in %.2f..%.2f (95 %%)\n",
		m->used, m->count, 100 * p->sd / p->mean, 100 * p->sd95[0] / p->mean,
		100 * p->sd95[1] / p->mean, p->new95[0], p->new95[1]);
	if (m->in_full)
		fprintf(stderr,
			"          %zu fitted in full, all with the leakage, rail and "
			"noise these share; %+.2f +- %.2f added for what that is off\n",
			m->in_full, m->quick_off,
			lsq_t975(m->in_full - 1) * m->quick_off_se);
	for (i = 0; i < m->count; i++)
		if ((m->boards[i].outlying || !m->boards[i].used) &&
		    amiss++ < BOARDS_NAMED)
			talk_board(ctx, c, &m->boards[i], names[i]);
	if (amiss > BOARDS_NAMED)
		cmd_warn(ctx, "cluster '%s': and %zu boards more", c->name,
			 amiss - BOARDS_NAMED);
}

void fit_talk_cluster(const struct cmd_ctx *ctx, const struct fit_cluster *c,
		      const struct coeffs_cluster *r, const struct fit_input *in)
{
	const struct power_fit *f = &c->fit;
	unsigned int i;

	if (in->has_info && in->info.virtual_board)
		fprintf(stderr, "VIRTUAL ");
	talk_value(c, r);
	fprintf(stderr, "  method  %s: %s (%s)\n", c->method->name, c->method->words,
		c->why);
	fit_talk_rows(c, in);
	if (c->boards.count)
		talk_boards(ctx, c, in->samples.boards);
	talk_raw(c, in);
	talk_fit(f);
	talk_power(c, &r->provenance);
	fit_curve_talk(r);
	if (r->opp_count == COEFFS_MAX_OPPS && c->data.opp_count > COEFFS_MAX_OPPS)
		cmd_warn(ctx,
			 "cluster '%s': all %u operating points are fitted, but only %d "
			 "fit into coeffs.json; its curve is not whole",
			 c->name, c->data.opp_count, COEFFS_MAX_OPPS);
	if (c->loads)
		fit_loads_talk(ctx, c, in);
	if (r->has_interval && !c->boards.count)
		talk_precision(ctx, c);
	if (r->diagnostics.warning_count)
		fprintf(stderr, "  explain %u warning%s with --explain: %s%s\n",
			r->diagnostics.warning_count,
			text_s(r->diagnostics.warning_count), r->diagnostics.warnings[0],
			r->diagnostics.warning_count > 1 ? " ..." : "");
	if (c->method->comparison_only)
		cmd_warn(
			ctx,
			"cluster '%s': '%s' repeats how published numbers were made; for "
			"one to ship leave --method out",
			c->name, c->method->name);
	for (i = 0; i < f->note_count; i++)
		cmd_warn(ctx, "cluster '%s': %s", c->name, f->notes[i]);
	if (c->data.volt_from_table && c->data.count_count > 1 && !isfinite(f->ohm))
		cmd_warn(ctx, "cluster '%s': voltage from a table, not from the rail; %s",
			 c->name, VOLTAGE_BIAS);
	if (!r->match.compatible[0] && !r->match.reg_count && !r->match.path_count)
		cmd_warn(ctx,
			 "cluster '%s': no CPUs are known to belong to it, so that "
			 "fdtedit "
			 "will not apply it; say which with --match compatible=CORE",
			 c->name);
}

/* What is wrong with C, and by how much: @best is C without it, or 0. */
static void print_wrong(FILE *f, const struct power_method *m,
			const struct power_fit *fit, double best)
{
	double off_pct = best > 0 ? 100 * (fit->c / best - 1) : 0;
	const char *pad = isfinite(fit->r2) && fit->r2_uncentred ? "" : " ";

	if (m->holds && off_pct > 0)
		fprintf(f, "%s  %.0f %% too high: holds %s", pad, off_pct, m->holds);
	else if (m->holds)
		fprintf(f, "%s  holds %s", pad, m->holds);
	else if (m->assumes && fabs(off_pct) > WORTH_A_WORD_PCT &&
		 !(fabs(fit->c - best) <= 2 * fit->classical_se))
		fprintf(f, "%s  %.0f %% too %s: assumes that %s", pad, fabs(off_pct),
			off_pct > 0 ? "high" : "low", m->assumes);
}

static int compare_row(FILE *f, const struct power_method *m, const struct power_data *d,
		       const char *rows, double best)
{
	struct power_fit fit;
	struct err err;
	int ret = power_fit_with(m, d, &fit, &err);

	if (ret == -ENOMEM)
		return ret;
	fprintf(f, "%-19s %-12s", m->name, rows);
	if (ret) {
		fprintf(f, " %8s  %s\n", "-", err.msg);
		return 0;
	}
	fprintf(f, " %8.1f", fit.c);
	if (isfinite(fit.classical_se))
		fprintf(f, " %7.1f", fit.classical_se);
	else
		fprintf(f, " %7s", "-");
	fprintf(f, " %5zu", fit.rows);
	if (isfinite(fit.static_uw))
		fprintf(f, " %9.1f", fit.static_uw / 1e3);
	else
		fprintf(f, " %9s", "-");
	if (isfinite(fit.r2))
		fprintf(f, " %8.4f%s", fit.r2, fit.r2_uncentred ? "*" : "");
	else
		fprintf(f, " %8s", "-");
	print_wrong(f, m, &fit, best);
	fprintf(f, "\n");
	return 0;
}

/* What each OPP says by itself; nothing where none has two CPU counts. */
static void compare_opps(FILE *f, const struct power_data *d)
{
	bool headed = false;
	unsigned int i;
	double c, se;

	for (i = 0; i < d->opp_count; i++) {
		if (!power_opp_c(d, i, &c, &se))
			continue;
		if (!headed)
			fprintf(f, "one operating point: slope of power on busy CPUs, "
				   "over f V^2\n");
		headed = true;
		fprintf(f, "  %8.1f MHz %19s %8.1f", d->opp_khz[i] / 1e3, "", c);
		if (isfinite(se))
			fprintf(f, " %7.1f", se);
		fprintf(f, "\n");
	}
}

int fit_compare(FILE *f, const struct fit_cluster *c, const struct fit_input *in,
		struct err *err)
{
	struct power_select sel = { .cluster = c->name,
				    .load = c->load,
				    .volt_measured = c->data.row_count &&
						     !c->data.volt_from_table,
				    .with_flagged = true };
	const struct power_method *m;
	struct power_data all;
	double best = 0;
	size_t i;
	int ret;

	ret = power_data_init(&all, in->samples.rows, in->samples.count, &sel, err);
	if (ret)
		return err_wrap(err, ret, "cluster '%s'", c->name);
	all.leakage = c->data.leakage;
	/* Only rows of several CPU counts tell it. */
	if (c->method && !c->method->comparison_only && !c->method->holds)
		best = c->fit.c;
	fprintf(f, "%s\n%-19s %-12s %8s %7s %5s %9s %8s\n", c->name, "method", "rows",
		"C", "se", "n", "static mW", "R^2");
	for (i = 0; !ret && (m = power_method(i)); i++) {
		ret = compare_row(f, m, &all, "all", best);
		if (!ret && c->data.row_count && c->data.left_out)
			ret = compare_row(f, m, &c->data, "not flagged", best);
	}
	compare_opps(f, c->data.row_count ? &c->data : &all);
	power_data_free(&all);
	fprintf(f, "C, se: uW/MHz/V^2; se classical; R^2: * about zero\n");
	return ret ? err_errno(err, ret, "comparing") : 0;
}
