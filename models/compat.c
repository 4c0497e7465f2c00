// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How others computed their coefficients: averages of ratios and of differences. Here to
 * reproduce published numbers, not to make new ones.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/power_internal.h"

/* A difference below this share of the larger value is noise divided by nearly 0. */
#define MIN_DIFFERENCE 0.02

/* Power over what it is divided by: each pair is one estimate of C. */
struct ratios {
	double *uw, *mhz_v2, *v;
	size_t n, skipped;
	size_t rows; /* that the pairs are made of */
};

static int start(struct ratios *r, const struct power_data *d, struct err *err)
{
	size_t n = d->row_count + 1;

	memset(r, 0, sizeof(*r));
	r->uw = calloc(3 * n, sizeof(double));
	if (!r->uw)
		return err_errno(err, -ENOMEM, "%zu rows", d->row_count);
	r->mhz_v2 = r->uw + n;
	r->v = r->uw + 2 * n;
	return 0;
}

static void add_pair(struct ratios *r, double uw, double mhz_v2)
{
	r->uw[r->n] = uw;
	r->mhz_v2[r->n] = mhz_v2;
	r->v[r->n++] = uw / mhz_v2;
}

static double mean(const double *v, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	return sum / n;
}

static double standard_error(const double *v, size_t n)
{
	double m = mean(v, n), sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += (v[i] - m) * (v[i] - m);
	return n > 1 ? sqrt(sum / (n - 1) / n) : NAN;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static unsigned int count_opps(const struct power_data *d, unsigned int count)
{
	unsigned int opp, n = 0;
	size_t i;

	for (opp = 0; opp < d->opp_count; opp++) {
		for (i = 0; i < d->row_count; i++)
			if (d->rows[i].opp == opp && d->rows[i].count == count)
				break;
		n += i < d->row_count;
	}
	return n;
}

/* How well C alone describes what was divided: power, or differences of it. */
static void judge(struct ratios *r, struct power_fit *f)
{
	double rss = 0, squares = 0;
	size_t i;

	for (i = 0; i < r->n; i++) {
		double fitted = f->c * r->mhz_v2[i];

		squares += r->uw[i] * r->uw[i];
		r->v[i] = r->uw[i] - fitted;
		rss += r->v[i] * r->v[i];
		r->mhz_v2[i] = fitted;
	}
	f->r2_uncentred = true;
	f->r2 = squares > 0 ? 1 - rss / squares : NAN;
	f->rmse_pct = power_rmse_pct(r->v, r->mhz_v2, r->n);
}

/* Take the mean (or median) of the ratios as the result, and free them. */
static int finish(struct ratios *r, const struct power_data *d, bool use_median,
		  const char *formula, struct power_fit *f, struct err *err)
{
	int ret = 0;

	snprintf(f->formula, sizeof(f->formula), "%s", formula);
	if (!r->n) {
		ret = err_set(err, -EDOM, "no pair of rows for %s", formula);
	} else {
		f->c = use_median ? median(r->v, r->n) : mean(r->v, r->n);
		f->se = standard_error(r->v, r->n);
		/* Of a median, for near-normal data. */
		f->se *= use_median ? sqrt(M_PI / 2) : 1;
		f->classical_se = f->se;
		f->dof = r->n - 1.0;
		f->rows = r->rows;
		f->opps = count_opps(d, d->counts[0]);
		power_add_term(f, "dynamic", "uW/MHz/V^2", f->c, f->se);
		judge(r, f);
	}
	if (r->skipped)
		power_note(f,
			   "passed over, too small to divide by: %zu of %zu differences",
			   r->skipped, r->skipped + r->n);
	free(r->uw);
	return ret;
}

/* What all who divide power by f V^2 have in common. */
static void note_too_high(struct power_fit *f, const char *what)
{
	power_note(f,
		   "too high for one CPU: contains shared-clock power and %s; never per "
		   "core",
		   what);
}

/* P / (n f V^2) of the rows with the smallest busy count. */
static int collect_ratios(struct ratios *r, const struct power_data *d, struct err *err)
{
	size_t i;
	int ret = start(r, d, err);

	for (i = 0; !ret && i < d->row_count; i++) {
		const struct power_row *p = &d->rows[i];

		if (p->count == d->counts[0])
			add_pair(r, p->uw, p->count * p->fv2);
	}
	r->rows = r->n;
	return ret;
}

int power_mean_of_ratios(const struct power_data *d, struct power_fit *f, struct err *err)
{
	struct ratios r;
	int ret = collect_ratios(&r, d, err);

	if (!ret)
		ret = finish(&r, d, false, "mean of P / (n f V^2)", f, err);
	if (!ret)
		note_too_high(f, "static power, most of it by the lowest OPPs");
	return ret;
}

int power_median_of_ratios(const struct power_data *d, struct power_fit *f,
			   struct err *err)
{
	struct ratios r;
	int ret = collect_ratios(&r, d, err);

	if (!ret)
		ret = finish(&r, d, true, "median of P / (n f V^2)", f, err);
	if (!ret)
		note_too_high(f, "static power");
	return ret;
}

/* The row of the smallest busy count with the smallest f V^2. */
static const struct power_row *first_row(const struct power_data *d)
{
	const struct power_row *first = NULL;
	size_t i;

	for (i = 0; i < d->row_count; i++)
		if (d->rows[i].count == d->counts[0] &&
		    (!first || d->rows[i].mhz < first->mhz))
			first = &d->rows[i];
	return first;
}

int power_delta(const struct power_data *d, struct power_fit *f, struct err *err)
{
	const struct power_row *first = first_row(d);
	struct ratios r;
	size_t i;
	int ret = start(&r, d, err);

	if (ret)
		return ret;
	for (i = 0; i < d->row_count; i++) {
		const struct power_row *p = &d->rows[i];
		double dx = p->count * (p->fv2 - first->fv2);

		if (p->count != d->counts[0] || p == first)
			continue;
		if (dx > MIN_DIFFERENCE * p->count * p->fv2)
			add_pair(&r, p->uw - first->uw, dx);
		else
			r.skipped++;
	}
	r.rows = r.n + 1;
	ret = finish(&r, d, false, "mean of (Px - P1) / (n (Vx^2 fx - V1^2 f1))", f, err);
	if (!ret)
		note_too_high(f, "static power that rises with the voltage");
	return ret;
}

/* Mean of the rows of one OPP and count. Returns their number. */
static unsigned int opp_mean(const struct power_data *d, unsigned int opp,
			     unsigned int count, double *uw, double *fv2)
{
	unsigned int n = 0;
	size_t i;

	*uw = *fv2 = 0;
	for (i = 0; i < d->row_count; i++) {
		if (d->rows[i].opp != opp || d->rows[i].count != count)
			continue;
		*uw += d->rows[i].uw;
		*fv2 += d->rows[i].fv2;
		n++;
	}
	*uw /= n;
	*fv2 /= n;
	return n;
}

int power_two_minus_one(const struct power_data *d, struct power_fit *f, struct err *err)
{
	struct ratios r;
	unsigned int opp;
	int ret = start(&r, d, err);

	if (ret)
		return ret;
	for (opp = 0; d->count_count > 1 && opp < d->opp_count; opp++) {
		double more = d->counts[1] - d->counts[0];
		double uw1, uw2, fv1, fv2;
		unsigned int n1 = opp_mean(d, opp, d->counts[0], &uw1, &fv1);
		unsigned int n2 = opp_mean(d, opp, d->counts[1], &uw2, &fv2);

		if (!n1 || !n2)
			continue;
		add_pair(&r, uw2 - uw1, more * (fv1 + fv2) / 2);
		r.rows += n1 + n2;
	}
	return finish(&r, d, false, "mean of (P(2 CPUs) - P(1 CPU)) / (f V^2)", f, err);
}
