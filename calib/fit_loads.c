// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: the coefficient of every load, and of a mix of them.
 */
#include "calib/fit_loads.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/num.h"
#include "models/lsq.h"

#define SUM_TOLERANCE 0.0101 /* thirds of two decimals are meant to be a whole */

/* A load by its name. */
static int find_load(const struct fit_loads *l, const char *name)
{
	unsigned int i;

	for (i = 0; i < l->count; i++)
		if (!strcmp(l->list[i].load, name))
			return i;
	return -ENOENT;
}

static int list_loads(struct fit_loads *l, const struct fit_input *in,
		      const char *cluster, struct err *err)
{
	size_t i;

	for (i = 0; i < in->samples.count; i++) {
		const struct sample *s = &in->samples.rows[i];

		if (!s->cpu_count || strcmp(s->cluster, cluster) ||
		    find_load(l, s->load) >= 0)
			continue;
		if (l->count == MIX_MAX_LOADS)
			return err_set(err, -E2BIG, "more than %d loads", MIX_MAX_LOADS);
		snprintf(l->list[l->count++].load, sizeof(l->list[0].load), "%s",
			 s->load);
	}
	return 0;
}

static int no_such_load(const struct fit_loads *l, const char *name, struct err *err)
{
	char known[512] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < l->count && used < sizeof(known); i++)
		used += snprintf(known + used, sizeof(known) - used, "%s%s",
				 i ? ", " : "", l->list[i].load);
	return err_set(err, -ENOENT, "--mix: no rows of a load '%.31s'; there are %s",
		       name, known);
}

/* One "int=0.6". */
static int take_weight(struct fit_loads *l, char *item, double *sum, struct err *err)
{
	char *value = strchr(item, '=');
	double weight;
	int i;

	if (value)
		*value++ = '\0';
	if (!value || num_double(value, &weight) || !(weight > 0 && weight <= 1))
		return err_set(err, -EINVAL,
			       "--mix: '%.40s%s%.20s' is not LOAD=WEIGHT with a weight "
			       "above 0 and up to 1",
			       item, value ? "=" : "", value ? value : "");
	i = find_load(l, item);
	if (i < 0)
		return no_such_load(l, item, err);
	if (l->weight[i] > 0)
		return err_set(err, -EINVAL, "--mix: '%s' is there twice", item);
	l->weight[i] = weight;
	*sum += weight;
	return 0;
}

static int read_mix(struct fit_loads *l, const char *text, struct err *err)
{
	char list[1024], *item, *rest;
	double sum = 0;
	unsigned int i;

	if (snprintf(list, sizeof(list), "%s", text) >= (int)sizeof(list))
		return err_set(err, -EINVAL, "--mix: too long");
	for (rest = list; (item = strsep(&rest, ","));) {
		int ret = take_weight(l, item, &sum, err);

		if (ret)
			return ret;
	}
	if (fabs(sum - 1) > SUM_TOLERANCE)
		return err_set(err, -EINVAL,
			       "--mix: the weights add up to %.4g, not to 1", sum);
	for (i = 0; i < l->count; i++)
		l->weight[i] /= sum;
	snprintf(l->text, sizeof(l->text), "%s", text);
	l->is_mix = true;
	return 0;
}

static unsigned int heaviest(const struct fit_loads *l)
{
	unsigned int i, best = 0;

	for (i = 1; i < l->count; i++)
		if (l->weight[i] > l->weight[best])
			best = i;
	return best;
}

/* A load that nothing is made of may be too poor to fit: it is only told so. */
static int fit_each(struct fit_loads *l, const struct fit_input *in,
		    const struct fit_opts *o, unsigned int cluster, struct err *err)
{
	unsigned int i;

	for (i = 0; i < l->count; i++) {
		struct fit_cluster *c = &l->list[i];
		struct err why = { "" };
		char name[sizeof(c->load)];
		int ret;

		memcpy(name, c->load, sizeof(name));
		ret = fit_cluster_load(c, in, o, cluster, name, &why);
		if (ret && l->weight[i] > 0)
			return err_set(err, ret, "load '%s': %s", name, why.msg);
		if (ret)
			memcpy(c->load, name, sizeof(name));
		l->poor[i] = ret ? "cannot be fitted" : fit_cluster_poor(c);
	}
	return 0;
}

static int combine(struct fit_loads *l, const struct fit_input *in, struct err *err)
{
	struct mix_part parts[MIX_MAX_LOADS];
	unsigned int i, n = 0;

	for (i = 0; i < l->count; i++) {
		const struct fit_cluster *c = &l->list[i];

		if (!(l->weight[i] > 0))
			continue;
		parts[n++] = (struct mix_part){
			.weight = l->weight[i],
			.c = c->fit.c,
			.se = c->fit.se,
			.dof = c->fit.dof,
			.method = c->method,
			.leakage = c->data.leakage,
			.select = c->select,
		};
	}
	return mix_combine(parts, n, in->samples.rows, in->samples.count, &l->mix, err);
}

/* A term of the mix: the mean, its error as if the loads' were the same one. */
static bool mix_term(const struct fit_loads *l, struct power_term *t)
{
	double value = 0, se = 0;
	unsigned int i, k;

	for (i = 0; i < l->count; i++) {
		const struct power_fit *f = &l->list[i].fit;

		if (!(l->weight[i] > 0))
			continue;
		for (k = 0; k < f->term_count && strcmp(f->terms[k].name, t->name); k++)
			;
		if (k == f->term_count)
			return false;
		value += l->weight[i] * f->terms[k].value;
		se += l->weight[i] * f->terms[k].se;
	}
	t->value = value;
	t->se = se;
	return true;
}

static void mix_terms(const struct fit_loads *l, struct power_fit *f)
{
	unsigned int i, kept = 0;

	for (i = 0; i < f->term_count; i++)
		if (mix_term(l, &f->terms[i]))
			f->terms[kept++] = f->terms[i];
	f->term_count = kept;
	if (kept && f->terms[0].value == l->mix.c)
		f->terms[0].se = l->mix.se;
}

/* Of how well it fits the worst counts. */
static void mix_quality(const struct fit_loads *l, struct power_fit *f)
{
	unsigned int i;

	for (i = 0; i < l->count; i++) {
		const struct power_fit *one = &l->list[i].fit;

		if (!(l->weight[i] > 0))
			continue;
		f->r2 = fmin(f->r2, one->r2);
		f->rmse_pct = fmax(f->rmse_pct, one->rmse_pct);
		f->loo_rmse_pct = fmax(f->loo_rmse_pct, one->loo_rmse_pct);
		f->condition = fmax(f->condition, one->condition);
	}
}

static void take_mix(struct fit_cluster *c)
{
	const struct fit_loads *l = c->loads;

	c->fit.c = l->mix.c;
	c->fit.se = l->mix.se;
	c->fit.dof = l->mix.dof;
	memcpy(c->fit.ci95, l->mix.ci95, sizeof(c->fit.ci95));
	mix_terms(l, &c->fit);
	mix_quality(l, &c->fit);
}

int fit_loads_run(struct fit_cluster *c, const struct fit_input *in,
		  const struct fit_opts *o, unsigned int i, struct err *err)
{
	struct fit_loads *l = calloc(1, sizeof(*l));
	const char *main_load = NULL;
	int ret;

	memset(c, 0, sizeof(*c));
	if (!l)
		return err_set(err, -ENOMEM, "out of memory");
	ret = o->mix && in->first
		      ? err_set(err, -EINVAL,
				"--mix is for the rows of one board, and there are %u",
				in->samples.board_count)
		      : list_loads(l, in, in->clusters[i], err);
	if (!ret && o->mix)
		ret = read_mix(l, o->mix, err);
	if (!ret && o->mix)
		main_load = l->list[heaviest(l)].load;
	if (ret)
		err_wrap(err, ret, "cluster '%s'", in->clusters[i]);
	else
		ret = fit_cluster_load(c, in, o, i, main_load, err);
	c->loads = l;
	if (!ret) {
		ret = fit_each(l, in, o, i, err);
		if (!ret && l->is_mix)
			ret = combine(l, in, err);
		if (ret)
			err_wrap(err, ret, "cluster '%s'", in->clusters[i]);
	}
	if (!ret && l->is_mix)
		take_mix(c);
	return ret;
}

void fit_loads_free(struct fit_loads *l)
{
	unsigned int i;

	for (i = 0; l && i < l->count; i++)
		fit_cluster_free(&l->list[i]);
	free(l);
}

const struct fit_cluster *fit_loads_main(const struct fit_cluster *c)
{
	return c->loads && c->loads->is_mix ? &c->loads->list[heaviest(c->loads)] : c;
}

const char *fit_loads_poor(const struct fit_loads *l)
{
	unsigned int i;

	for (i = 0; i < l->count; i++)
		if (l->weight[i] > 0 && l->poor[i])
			return l->poor[i];
	return NULL;
}

double fit_loads_effective(const struct fit_cluster *c)
{
	const struct fit_loads *l = c->loads;
	double sum = 0;
	unsigned int i;

	if (!l || !l->is_mix)
		return power_effective(&c->data);
	for (i = 0; i < l->count; i++)
		if (l->weight[i] > 0)
			sum += l->weight[i] * power_effective(&l->list[i].data);
	return sum;
}

size_t fit_loads_rows(const struct fit_loads *l)
{
	size_t rows = 0;
	unsigned int i;

	for (i = 0; i < l->count; i++)
		if (l->weight[i] > 0)
			rows += l->list[i].fit.rows;
	return rows;
}

void fit_loads_result(struct coeffs_cluster *out, const struct fit_loads *l)
{
	unsigned int i;

	for (i = 0; i < l->count && out->load_count < COEFFS_MAX_LOADS; i++) {
		const struct power_fit *f = &l->list[i].fit;
		struct coeffs_load *to = &out->loads[out->load_count];

		if (l->poor[i])
			continue;
		out->load_count++;
		snprintf(to->name, sizeof(to->name), "%s", l->list[i].load);
		to->weight = l->weight[i];
		to->estimate = f->c;
		to->has_interval = isfinite(f->se) && isfinite(f->ci95[0]);
		if (!to->has_interval)
			continue;
		to->stderr_ = f->se;
		memcpy(to->ci95, f->ci95, sizeof(to->ci95));
	}
}

static void talk_one(const struct fit_loads *l, unsigned int i)
{
	const struct power_fit *f = &l->list[i].fit;

	fprintf(stderr, "          %-10s", l->list[i].load);
	if (l->poor[i]) {
		fprintf(stderr, " %s\n", l->poor[i]);
		return;
	}
	fprintf(stderr, " %8.2f", f->c);
	if (isfinite(f->ci95[1]))
		fprintf(stderr, " +- %.2f", f->ci95[1] - f->c);
	if (l->weight[i] > 0)
		fprintf(stderr, ", weight %.3g", l->weight[i]);
	fputc('\n', stderr);
}

/* The loads with the smallest and the largest C. */
static bool find_spread(const struct fit_loads *l, unsigned int *min, unsigned int *max)
{
	unsigned int i, n = 0;

	for (i = 0; i < l->count; i++) {
		if (l->poor[i])
			continue;
		if (!n || l->list[i].fit.c < l->list[*min].fit.c)
			*min = i;
		if (!n || l->list[i].fit.c > l->list[*max].fit.c)
			*max = i;
		n++;
	}
	return n > 1;
}

void fit_loads_spread(const struct fit_loads *l, double shipped, char *out, size_t size)
{
	unsigned int min = 0, max = 0;
	double low, high;

	*out = '\0';
	if (!find_spread(l, &min, &max))
		return;
	low = l->list[min].fit.c;
	high = l->list[max].fit.c;
	snprintf(out, size,
		 "C is %.1f (%s) to %.1f (%s) over the loads measured; shipped is %.1f, "
		 "%.0f %% of the way from the least to the most",
		 low, l->list[min].load, high, l->list[max].load, shipped,
		 high > low ? 100 * (shipped - low) / (high - low) : 0);
}

void fit_loads_common(const struct fit_loads *l, char *out, size_t size)
{
	if (l->mix.correlated)
		snprintf(out, size,
			 "mix %.160s: the loads' errors are correlated by %.2f, from "
			 "operating "
			 "points left out",
			 l->text, l->mix.correlation);
	else
		snprintf(out, size,
			 "mix %.160s: the loads' errors are taken to be the same one",
			 l->text);
}

/* Rows and findings of the mix's other loads. */
static void talk_others(const struct cmd_ctx *ctx, const struct fit_loads *l,
			const struct fit_cluster *main_load, const struct fit_input *in)
{
	unsigned int i, k;

	for (i = 0; i < l->count; i++) {
		const struct fit_cluster *c = &l->list[i];

		if (!(l->weight[i] > 0) || !strcmp(c->load, main_load->load))
			continue;
		fprintf(stderr, "  load    %s\n", c->load);
		fit_talk_rows(c, in);
		for (k = 0; k < c->fit.note_count; k++)
			cmd_warn(ctx, "cluster '%s', load '%s': %s", c->name, c->load,
				 c->fit.notes[k]);
	}
}

void fit_loads_talk(const struct cmd_ctx *ctx, const struct fit_cluster *c,
		    const struct fit_input *in)
{
	const struct fit_loads *l = c->loads;
	char text[COEFFS_TEXT];
	unsigned int i;

	fprintf(stderr, "  loads   C of each, 95 %%\n");
	for (i = 0; i < l->count; i++)
		talk_one(l, i);
	fit_loads_spread(l, c->fit.c, text, sizeof(text));
	if (*text)
		fprintf(stderr, "          %s\n", text);
	if (!l->is_mix)
		return;
	fit_loads_common(l, text, sizeof(text));
	fprintf(stderr, "          %s\n", text);
	fprintf(stderr, "          diagnostics are of load %s alone\n", c->load);
	talk_others(ctx, l, c, in);
}
