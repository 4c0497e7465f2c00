// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What one operating point says by itself: power against busy CPUs, a straight line.
 */
#include <math.h>

#include "models/power_internal.h"

/* Ordinary least squares, centred. */
struct slope {
	double n, x, y, xx, xy, yy;
	double var; /* sum of (x - mean)^2 times a row's variance */
};

static void add_means(struct slope *s, const struct power_row *r)
{
	s->n++;
	s->x += (r->busy - s->x) / s->n;
	s->y += (r->uw - s->y) / s->n;
}

static void add_squares(struct slope *s, const struct power_data *d,
			const struct power_row *r, const struct power_fit *f)
{
	double x = r->busy - s->x, y = r->uw - s->y;

	s->xx += x * x;
	s->xy += x * y;
	s->yy += y * y;
	if (f)
		s->var += x * x *
			  power_variance(&f->noise, r->uw, power_sleeping(d, r->count),
					 f->c * r->fv2);
}

/* @idle: take idle rows, too. @f: for the rows' variance, and its outliers; may be NULL
 */
static bool find_slope(const struct power_data *d, const struct power_fit *f,
		       unsigned int opp, bool idle, struct slope *s)
{
	unsigned int low = 0, high = 0;
	size_t i;
	int pass;

	*s = (struct slope){ 0 };
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < d->row_count; i++) {
			const struct power_row *r = &d->rows[i];

			if (r->opp != opp || (!idle && !r->count) ||
			    (f && power_is_outlier(f, r->index)))
				continue;
			if (pass) {
				add_squares(s, d, r, f);
				continue;
			}
			low = s->n && low < r->count ? low : r->count;
			high = high > r->count ? high : r->count;
			add_means(s, r);
		}
	}
	return high > low && s->xx > 0;
}

bool power_opp_c(const struct power_data *d, unsigned int opp, double *c, double *se)
{
	double fv2 = 0, busy = 0, rss;
	struct slope s;
	size_t i;

	if (!find_slope(d, NULL, opp, true, &s))
		return false;
	for (i = 0; i < d->row_count; i++) {
		if (d->rows[i].opp != opp || !d->rows[i].count)
			continue;
		fv2 += d->rows[i].fv2;
		busy++;
	}
	if (!busy)
		return false;
	fv2 /= busy;
	*c = s.xy / s.xx / fv2;
	rss = fmax(s.yy - s.xy * s.xy / s.xx, 0);
	*se = s.n > 2 ? sqrt(rss / (s.n - 2) / s.xx) / fv2 : NAN;
	return true;
}

void power_opp_next(const struct power_data *d, const struct power_fit *f,
		    unsigned int opp, struct power_opp *out)
{
	struct slope s;

	out->has_next = find_slope(d, f, opp, false, &s);
	if (!out->has_next)
		return;
	out->next_uw = s.xy / s.xx;
	out->next_ci_uw = 1.96 * sqrt(s.var) / s.xx;
}
