// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several boards: each by itself, then together.
 */
#include "models/many_boards.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "models/lsq.h"
#include "models/power_internal.h"
#include "models/quick.h"

#define MAX_METHODS 32
/* Notes of so many boards are passed on. */
#define NOTED_BOARDS 3

/* Something that every board has, and whose mean is told. */
struct tally {
	double n, sum, squares;
};

struct pool {
	const struct many_boards_in *in;
	struct many_boards *out;
	struct power_fit *f;
	struct tally terms[POWER_MAX_TERMS], static_uw, ohm, shared, visit;
	struct tally growth, exponent;
	struct tally noise_uw, noise_rel, noise_busy, rmse, loo; /* of squares */
	size_t noted;
};

static void tally_add(struct tally *t, double v)
{
	if (!isfinite(v))
		return;
	t->n++;
	t->sum += v;
	t->squares += v * v;
}

static double tally_mean(const struct tally *t)
{
	return t->n ? t->sum / t->n : NAN;
}

static double tally_se(const struct tally *t)
{
	double mean = tally_mean(t);

	if (t->n < 2)
		return NAN;
	return sqrt(fmax(t->squares / t->n - mean * mean, 0) / (t->n - 1));
}

static double tally_root(const struct tally *t, double absent)
{
	return t->n ? sqrt(t->sum / t->n) : absent;
}

static struct power_noise noise_of(const struct pool *p)
{
	return (struct power_noise){
		.uw = tally_root(&p->noise_uw, 0),
		.rel = tally_root(&p->noise_rel, 0),
		.busy = tally_root(&p->noise_busy, 0),
	};
}

static int take(const struct many_boards_in *in, size_t i, struct power_data *d,
		struct err *err)
{
	int ret = power_data_init(d, in->samples + in->first[i],
				  in->first[i + 1] - in->first[i], &in->sel, err);

	d->leakage = in->leakage;
	return ret;
}

static int unused(struct many_board *b, int ret, const char *why)
{
	b->used = false;
	snprintf(b->why, sizeof(b->why), "%s", why);
	return ret == -ENOMEM ? ret : 0;
}

static unsigned int number_of(const struct power_method *m)
{
	unsigned int i = 0;

	while (power_method(i) != m)
		i++;
	return i;
}

/* Which method do this board's rows call for? */
static int vote(const struct many_boards_in *in, size_t i, struct many_board *b,
		unsigned int *method, struct err *err)
{
	const struct power_method *m;
	struct err why = { "" };
	struct power_data d;
	char words[128];
	int ret = take(in, i, &d, &why);

	*method = MAX_METHODS;
	b->used = false;
	if (ret)
		return unused(b, ret, why.msg) ? err_set(err, ret, "%s", why.msg) : 0;
	ret = power_choose(&d, &m, words, sizeof(words), &why);
	power_data_free(&d);
	if (ret)
		return unused(b, ret, why.msg);
	*method = number_of(m);
	b->used = true;
	return 0;
}

static void overrule(struct many_boards *out, const unsigned int *votes, unsigned int won)
{
	size_t i;

	for (i = 0; i < out->count; i++) {
		struct many_board *b = &out->boards[i];

		if (!b->used || votes[i] == won)
			continue;
		b->used = false;
		snprintf(b->why, sizeof(b->why),
			 "its rows call for '%s', those of most boards for '%s'",
			 power_method(votes[i])->name, power_method(won)->name);
	}
}

static int choose(const struct many_boards_in *in, struct many_boards *out,
		  const struct power_method **method, char *why, size_t size,
		  struct err *err)
{
	unsigned int *votes = calloc(in->count, sizeof(*votes)), sum[MAX_METHODS + 1];
	unsigned int won = 0, k;
	size_t i;
	int ret = votes ? 0 : err_errno(err, -ENOMEM, "%zu boards", in->count);

	memset(sum, 0, sizeof(sum));
	for (i = 0; i < in->count && !ret; i++) {
		ret = vote(in, i, &out->boards[i], &votes[i], err);
		sum[votes[i]]++;
	}
	for (k = 1; k < MAX_METHODS; k++)
		if (sum[k] > sum[won])
			won = k;
	if (!ret) {
		overrule(out, votes, won);
		*method = power_method(won);
		snprintf(why, size, "what the rows of %u of %zu boards call for",
			 sum[won], in->count);
	}
	free(votes);
	return ret;
}

static void add_terms(struct pool *p, const struct power_fit *f)
{
	unsigned int i;

	/* The terms of the first board; one that others lack is a mean of those that
	 * have it. */
	for (i = 0; !p->f->term_count && i < f->term_count; i++)
		p->f->terms[i] = f->terms[i];
	if (!p->f->term_count)
		p->f->term_count = f->term_count;
	for (i = 0; i < p->f->term_count; i++) {
		unsigned int k = 0;

		while (k < f->term_count && strcmp(f->terms[k].name, p->f->terms[i].name))
			k++;
		if (k < f->term_count)
			tally_add(&p->terms[i], f->terms[k].value);
	}
}

static double term(const struct power_fit *f, const char *name)
{
	unsigned int i;

	for (i = 0; i < f->term_count; i++)
		if (!strcmp(f->terms[i].name, name))
			return f->terms[i].value;
	return NAN;
}

static void add_outliers(struct pool *p, const struct power_fit *f, size_t first)
{
	unsigned int i;

	for (i = 0; i < f->outlier_count && i < POWER_MAX_OUTLIERS; i++)
		if (p->f->outlier_count + i < POWER_MAX_OUTLIERS)
			p->f->outliers[p->f->outlier_count + i] = f->outliers[i] + first;
	p->f->outlier_count += f->outlier_count;
}

static void add_notes(struct pool *p, const struct power_fit *f, const char *name)
{
	unsigned int i;

	if (!f->note_count || p->noted++ >= NOTED_BOARDS)
		return;
	for (i = 0; i < f->note_count; i++)
		power_note(p->f, "board '%.60s': %s", name, f->notes[i]);
}

static void add_fit(struct pool *p, const struct power_fit *f, size_t board)
{
	struct power_fit *sum = p->f;

	add_terms(p, f);
	add_outliers(p, f, p->in->first[board]);
	add_notes(p, f, p->in->names[board]);
	tally_add(&p->static_uw, f->static_uw);
	tally_add(&p->ohm, f->ohm);
	tally_add(&p->shared, f->shared);
	tally_add(&p->visit, f->visit_uw);
	tally_add(&p->growth, term(f, "leakage-growth"));
	tally_add(&p->exponent, term(f, "leakage-exponent"));
	tally_add(&p->noise_uw, f->noise.uw * f->noise.uw);
	tally_add(&p->noise_rel, f->noise.rel * f->noise.rel);
	tally_add(&p->noise_busy, f->noise.busy * f->noise.busy);
	if (f->rmse_pct >= 0)
		tally_add(&p->rmse, f->rmse_pct * f->rmse_pct);
	if (f->loo_rmse_pct >= 0)
		tally_add(&p->loo, f->loo_rmse_pct * f->loo_rmse_pct);
	sum->rows += f->rows;
	sum->visits += f->visits;
	sum->opps = f->opps > sum->opps ? f->opps : sum->opps;
	sum->condition = fmax(sum->condition, f->condition);
	if (!*sum->formula)
		snprintf(sum->formula, sizeof(sum->formula), "%s", f->formula);
}

static int fit_board(struct pool *p, const struct power_method *m, size_t i,
		     struct err *err)
{
	struct many_board *b = &p->out->boards[i];
	struct err why = { "" };
	struct power_fit f;
	struct power_data d;
	int ret = take(p->in, i, &d, &why);

	if (!ret) {
		ret = power_fit_with(m, &d, &f, &why);
		power_data_free(&d);
	}
	if (ret)
		return unused(b, ret, why.msg) ? err_set(err, ret, "%s", why.msg) : 0;
	if (!isfinite(f.c) || !isfinite(f.se))
		return unused(b, 0, "as many unknowns as rows, no error can be stated");
	b->used = true;
	b->c = f.c;
	b->se = f.se;
	add_fit(p, &f, i);
	return 0;
}

static int too_few(const struct many_boards_in *in, const struct many_boards *out,
		   struct err *err)
{
	size_t i = 0;

	while (out->boards[i].used)
		i++;
	return err_set(err, -EDOM,
		       "%zu of %zu boards can be fitted, and two are needed; board '%s': "
		       "%s",
		       out->used, out->count, in->names[i], out->boards[i].why);
}

/* The boards in use, side by side, through the meta-analysis and back. */
static int meet(const struct many_boards_in *in, struct many_boards *out, struct err *err)
{
	double *c = calloc(3 * out->count + 1, sizeof(*c)), *se, *deleted;
	size_t i, n = 0;
	int ret;

	if (!c)
		return err_errno(err, -ENOMEM, "%zu boards", out->count);
	se = c + out->count;
	deleted = se + out->count;
	for (i = 0; i < out->count; i++) {
		if (!out->boards[i].used)
			continue;
		c[n] = out->boards[i].c;
		se[n++] = out->boards[i].se;
	}
	out->used = n;
	ret = n < 2 ? too_few(in, out, err) : meta_pool(c, se, n, &out->meta, err);
	if (!ret)
		meta_deleted(c, se, n, deleted);
	for (i = 0, n = 0; i < out->count && !ret; i++) {
		struct many_board *b = &out->boards[i];

		if (!b->used)
			continue;
		b->deleted = deleted[n++];
		b->outlying = fabs(b->deleted) > meta_outlying(out->used);
		out->outlying += b->outlying;
	}
	free(c);
	return ret;
}

static void finish(const struct pool *p)
{
	const struct meta *m = &p->out->meta;
	struct power_fit *f = p->f;
	unsigned int i;

	f->c = m->mean;
	f->se = m->se;
	f->dof = m->dof;
	f->ci95[0] = m->ci95[0];
	f->ci95[1] = m->ci95[1];
	for (i = 0; i < f->term_count; i++) {
		f->terms[i].value = tally_mean(&p->terms[i]);
		f->terms[i].se = tally_se(&p->terms[i]);
	}
	/* The first term is C, in every method. */
	f->terms[0].value = f->c;
	f->terms[0].se = f->se;
	f->static_uw = tally_mean(&p->static_uw);
	f->ohm = tally_mean(&p->ohm);
	f->shared = tally_mean(&p->shared);
	f->visit_uw = tally_mean(&p->visit);
	f->noise = noise_of(p);
	f->rmse_pct = tally_root(&p->rmse, -1);
	f->loo_rmse_pct = tally_root(&p->loo, -1);
	f->r2 = f->classical_se = NAN;
}

static bool can_be_quick(const struct power_method *m)
{
	return m->fit == power_structured || m->fit == power_within_opp;
}

static struct quick_shared shared_of(const struct pool *p, const struct power_method *m)
{
	return (struct quick_shared){
		.per_visit = m->fit == power_within_opp,
		.growth = tally_mean(&p->growth),
		.exponent = tally_mean(&p->exponent),
		.ohm = tally_mean(&p->ohm),
		.noise = noise_of(p),
		.visit_uw = tally_mean(&p->visit),
	};
}

/* What the two fits of the same boards differ by, and how their errors compare. */
struct difference {
	struct tally off, full_var, quick_var;
};

/* Returns 0, also when the board is left out; -ENOMEM. */
static int fit_quickly(struct pool *p, const struct quick_shared *shared, size_t i,
		       struct difference *diff, struct err *err)
{
	struct many_board *b = &p->out->boards[i];
	bool in_full = b->se > 0;
	struct err why = { "" };
	struct power_data d;
	struct quick q;
	int ret = take(p->in, i, &d, &why);

	if (!ret) {
		ret = quick_fit(&d, shared, &q, &why);
		power_data_free(&d);
	}
	if (ret)
		return unused(b, ret, why.msg) ? err_set(err, ret, "%s", why.msg) : 0;
	if (!isfinite(q.c) || !isfinite(q.se))
		return unused(b, 0, "as many unknowns as rows, no error can be stated");
	if (in_full) {
		tally_add(&diff->off, b->c - q.c);
		tally_add(&diff->full_var, b->se * b->se);
		tally_add(&diff->quick_var, q.se * q.se);
	} else {
		p->f->rows += q.rows;
		p->f->outlier_count += q.outliers;
	}
	b->c = q.c;
	b->se = q.se;
	return 0;
}

/* All boards the quick way, put right by what the full fits of the sample say. */
static int fit_the_rest(struct pool *p, const struct power_method *m, struct err *err)
{
	struct quick_shared shared = shared_of(p, m);
	struct many_boards *out = p->out;
	struct difference diff = { 0 };
	double ratio;
	size_t i;
	int ret = 0;

	for (i = 0; i < out->count && !ret; i++)
		if (out->boards[i].used)
			ret = fit_quickly(p, &shared, i, &diff, err);
	if (ret)
		return ret;
	if (diff.off.n < 2)
		return err_set(err, -EDOM, "of the boards fitted in full, %g can be used",
			       diff.off.n);
	out->in_full = diff.off.n;
	out->quick_off = tally_mean(&diff.off);
	out->quick_off_se = tally_se(&diff.off);
	ratio = sqrt(diff.full_var.sum / fmax(diff.quick_var.sum, 1e-300));
	for (i = 0; i < out->count; i++) {
		out->boards[i].c += out->quick_off;
		out->boards[i].se *= ratio;
	}
	return 0;
}

/* The mean has the error of what put it right, too. */
static void widen(struct many_boards *out)
{
	struct meta *m = &out->meta;
	double half;

	m->se = hypot(m->se, out->quick_off_se);
	m->dof = fmin(m->dof, out->in_full - 1);
	half = lsq_t975(m->dof) * m->se;
	m->ci95[0] = m->mean - half;
	m->ci95[1] = m->mean + half;
}

int many_boards_fit(const struct many_boards_in *in, const struct power_method **method,
		    char *why, size_t size, struct many_boards *out, struct power_fit *f,
		    struct err *err)
{
	size_t sample = in->in_full ? in->in_full : MANY_BOARDS_IN_FULL, i, at;
	struct pool p = { .in = in, .out = out, .f = f };
	bool some;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	memset(f, 0, sizeof(*f));
	out->boards = calloc(in->count, sizeof(*out->boards));
	if (!out->boards)
		return err_errno(err, -ENOMEM, "%zu boards", in->count);
	out->count = in->count;
	for (i = 0; i < in->count; i++)
		out->boards[i].used = true;
	if (!*method)
		ret = choose(in, out, method, why, size, err);
	some = !ret && in->count > 2 * sample && can_be_quick(*method);
	for (i = 0; i < (some ? sample : in->count) && !ret; i++) {
		/* Evenly among all: boards may be in the order they were made. */
		at = some ? i * in->count / sample : i;
		if (out->boards[at].used)
			ret = fit_board(&p, *method, at, err);
	}
	if (!ret && some)
		ret = fit_the_rest(&p, *method, err);
	if (!ret)
		ret = meet(in, out, err);
	if (!ret && some)
		widen(out);
	if (!ret)
		finish(&p);
	return ret;
}

void many_boards_free(struct many_boards *b)
{
	free(b->boards);
	memset(b, 0, sizeof(*b));
}
