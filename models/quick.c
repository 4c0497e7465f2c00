// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One board as a linear problem: two passes for weights and what stands out, one to end.
 */
#include "models/quick.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "models/mixed.h"

#define PASSES	     3
#define REJECT_SIGMA 5.0

static void take_shared(struct mixed *f, const struct quick_shared *s)
{
	mixed_choose_columns(f);
	mixed_start_weights(f);
	if (isfinite(s->growth))
		f->growth = s->growth;
	if (isfinite(s->exponent))
		f->exponent = s->exponent;
	if (isfinite(s->ohm)) {
		f->ohm = s->ohm;
		f->droops = true;
	}
	f->noise = s->noise;
	f->noise.uw = fmax(f->noise.uw, 1e-5 * f->max_uw);
	f->var_visit = s->per_visit ? INFINITY : 0;
	if (!s->per_visit && isfinite(s->visit_uw))
		f->var_visit = s->visit_uw * s->visit_uw;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* By the median of this board's residuals, whatever the others' noise is. */
static int reject(struct mixed *f)
{
	double *z = calloc(2 * f->n + 1, sizeof(*z)), *sorted = z + f->n, limit;
	size_t i;

	if (!z)
		return -ENOMEM;
	for (i = 0; i < f->n; i++) {
		z[i] = fabs(f->resid[i]) /
		       sqrt(mixed_variance(f, f->row[i], f->y[i] - f->resid[i]));
		sorted[i] = z[i];
	}
	qsort(sorted, f->n, sizeof(*sorted), by_value);
	/* The median of a standard normal's absolute value. */
	limit = REJECT_SIGMA * fmax(sorted[f->n / 2] / 0.6745, 0.1);
	for (i = 0; i < f->n; i++)
		if (z[i] > limit)
			f->rejected[f->row[i]] = true;
	free(z);
	return 0;
}

int quick_fit(const struct power_data *d, const struct quick_shared *shared,
	      struct quick *out, struct err *err)
{
	struct mixed f;
	int pass, ret = mixed_init(&f, d);

	if (ret) {
		ret = err_errno(err, ret, "%zu rows", d->row_count);
		goto out_free;
	}
	f.per_visit = shared->per_visit;
	take_shared(&f, shared);
	for (pass = 0; pass < PASSES && !ret; pass++) {
		ret = mixed_fit(&f, err);
		if (!ret && pass < PASSES - 1)
			ret = reject(&f) ? err_errno(err, -ENOMEM, "%zu rows", f.n) : 0;
	}
	if (!ret) {
		out->c = f.lsq.coef[f.col[COL_C]];
		out->se = f.lsq.se[LSQ_CLASSICAL][f.col[COL_C]];
		out->rows = f.n;
		out->outliers = d->row_count - f.n;
	}
out_free:
	mixed_free(&f);
	return ret;
}
