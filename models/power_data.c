// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rows of one cluster, made ready for the models, and the design they have.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/power_internal.h"

/* A file's rows count as visits with several loads when this share of them is so. */
#define BY_VISIT_SHARE 0.8
/* Idle rows are no idle when they are busy to this share of the loaded ones. */
#define IDLE_BUSY_MAX 0.8

static bool selected(const struct sample *s, const struct power_select *sel)
{
	if (strcmp(s->cluster, sel->cluster))
		return false;
	return !s->cpu_count || !sel->load || !strcmp(s->load, sel->load);
}

bool power_leaves_out(const struct sample *s)
{
	/* Idle is what a base was taken from, and scatters about it. */
	if (!s->cpu_count)
		return s->flags & ~SAMPLE_NEGATIVE;
	return s->flags || (s->baseline_uw && s->power_uw <= s->baseline_uw);
}

static int add_count(struct power_data *d, unsigned int count, struct err *err)
{
	unsigned int i, k;

	for (i = 0; i < d->count_count && d->counts[i] < count; i++)
		;
	if (i < d->count_count && d->counts[i] == count)
		return 0;
	if (d->count_count == POWER_MAX_COUNTS)
		return err_set(err, -ERANGE, "more than %d different CPU counts",
			       POWER_MAX_COUNTS);
	for (k = d->count_count++; k > i; k--)
		d->counts[k] = d->counts[k - 1];
	d->counts[i] = count;
	return 0;
}

static void add_opp(struct power_data *d, uint32_t khz)
{
	unsigned int i, k;

	for (i = 0; i < d->opp_count && d->opp_khz[i] < khz; i++)
		;
	if (i < d->opp_count && d->opp_khz[i] == khz)
		return;
	for (k = d->opp_count++; k > i; k--)
		d->opp_khz[k] = d->opp_khz[k - 1];
	d->opp_khz[i] = khz;
}

double power_variance(const struct power_noise *n, double uw, double sleeping,
		      double cfv2_uw)
{
	return pow(n->uw, 2) + pow(n->rel * uw, 2) + sleeping * pow(n->busy * cfv2_uw, 2);
}

unsigned int power_sleeping(const struct power_data *d, unsigned int count)
{
	return d->counts[d->count_count - 1] - count;
}

static unsigned int opp_index(const struct power_data *d, uint32_t khz)
{
	unsigned int i = 0;

	while (d->opp_khz[i] != khz)
		i++;
	return i;
}

static void fill_row(struct power_row *r, const struct sample *s)
{
	/* Flagged rows are only taken to repeat what others made of them. */
	r->mhz = (s->flags & SAMPLE_CLOCK ? s->opp_khz : s->freq_khz) / 1e3;
	r->volt = s->volt_uv / 1e6;
	r->fv2 = r->mhz * r->volt * r->volt;
	r->count = s->cpu_count;
	r->windows = s->windows ? s->windows : 1;
	r->busy = s->util_pct / 100;
	if (s->cpu_count && !(r->busy > 0))
		r->busy = s->cpu_count;
	r->clocked = s->cpu_count ? 1 : fmin(r->busy, 1);
	r->uw = s->power_uw - s->baseline_uw;
	r->before = s->windows ? s->before_mc / 1e3 : NAN;
	r->celsius = s->temp_mc == SAMPLE_TEMP_UNKNOWN ? NAN : s->temp_mc / 1e3;
}

/* Has the visit at rows[i..end) windows of more than one CPU count? */
static bool several_counts(const struct power_row *rows, size_t i, size_t end)
{
	size_t k;

	for (k = i + 1; k < end; k++)
		if (rows[k].count != rows[i].count)
			return true;
	return false;
}

static void look_at_visits(struct power_data *d)
{
	size_t i, end, mixed = 0;

	d->visit_count = 0;
	for (i = 0; i < d->row_count; i = end) {
		unsigned int visit = d->rows[i].visit;

		for (end = i; end < d->row_count && d->rows[end].visit == visit; end++)
			d->rows[end].visit = d->visit_count;
		d->visit_count++;
		if (several_counts(d->rows, i, end))
			mixed += end - i;
	}
	d->by_visit = mixed >= BY_VISIT_SHARE * d->row_count;
}

static void look_at_idle(struct power_data *d)
{
	unsigned int opp;
	size_t i;

	for (opp = 0; opp < d->opp_count; opp++) {
		bool idle = false, busy = false;

		for (i = 0; i < d->row_count; i++) {
			if (d->rows[i].opp != opp)
				continue;
			idle |= !d->rows[i].count;
			busy |= d->rows[i].count > 0;
		}
		d->busy_opps += busy;
		d->idle_opps += busy && idle;
	}
}

static bool busy_mean(const struct power_data *d, unsigned int opp, double *busy)
{
	unsigned int n = 0;
	size_t i;

	*busy = 0;
	for (i = 0; i < d->row_count; i++) {
		if (d->rows[i].opp != opp || d->rows[i].count != d->counts[0])
			continue;
		*busy += d->rows[i].busy;
		n++;
	}
	*busy /= n;
	return n > 0;
}

/* Idle that is as busy as the load makes a difference of 0, and C whatever you like. */
static int check_idle(const struct power_data *d, struct err *err)
{
	struct power_row idle;
	unsigned int opp;
	double busy;

	for (opp = 0; opp < d->opp_count; opp++) {
		if (!power_idle_mean(d, opp, &idle) || !busy_mean(d, opp, &busy))
			continue;
		if (idle.busy > IDLE_BUSY_MAX * busy)
			return err_set(
				err, -EDOM,
				"idle that is busy: at %u kHz the rows of 0 CPUs have "
				"util_pct %.4g, those of %u %.4g; correct util_pct, or "
				"measure again with nothing else running",
				d->opp_khz[opp], 100 * idle.busy, d->counts[0],
				100 * busy);
	}
	return 0;
}

/* One voltage per OPP whatever the load: from a table, unless the rail is stiff. */
static bool is_table(const struct power_data *d)
{
	double *volt = calloc(d->opp_count, sizeof(*volt));
	bool same = volt;
	size_t i;

	for (i = 0; i < d->row_count && same; i++) {
		const struct power_row *r = &d->rows[i];

		if (!volt[r->opp])
			volt[r->opp] = r->volt;
		same = volt[r->opp] == r->volt;
	}
	free(volt);
	return same;
}

static int take_row(struct power_data *d, const struct sample *s, size_t index,
		    unsigned int visit, struct err *err)
{
	struct power_row *r = &d->rows[d->row_count];
	int ret;

	if (!s->volt_uv)
		return err_set(err, -EINVAL, "the voltage at %u kHz is not known",
			       s->opp_khz);
	ret = s->cpu_count ? add_count(d, s->cpu_count, err) : 0;
	if (ret)
		return ret;
	fill_row(r, s);
	r->index = index;
	r->visit = visit;
	add_opp(d, s->opp_khz);
	d->baseline |= s->baseline_uw != 0;
	if (isnan(r->celsius))
		d->has_temp = false;
	d->row_count++;
	return 0;
}

static int take_rows(struct power_data *d, const struct sample *samples, size_t n,
		     const struct power_select *sel, struct err *err)
{
	const struct sample *last = NULL;
	unsigned int visit = 0;
	size_t i;
	int ret;

	for (i = 0; i < n; i++) {
		const struct sample *s = &samples[i];

		/* Any other cluster or OPP in between ends a visit, flagged or not. */
		if (last &&
		    (s->opp_khz != last->opp_khz || s->file != last->file ||
		     s->board != last->board || strcmp(s->cluster, last->cluster)))
			visit++;
		last = s;
		if (!selected(s, sel))
			continue;
		if (power_leaves_out(s) && !sel->with_flagged) {
			d->left_out += s->windows ? s->windows : 1;
			continue;
		}
		ret = take_row(d, s, i, visit, err);
		if (ret)
			return ret;
	}
	return 0;
}

int power_data_init(struct power_data *d, const struct sample *samples, size_t n,
		    const struct power_select *sel, struct err *err)
{
	size_t i;
	int ret;

	memset(d, 0, sizeof(*d));
	d->has_temp = true;
	d->baseline = sel->baseline;
	d->rows = calloc(n + 1, sizeof(*d->rows));
	d->opp_khz = calloc(n + 1, sizeof(*d->opp_khz));
	ret = d->rows && d->opp_khz ? 0 : err_errno(err, -ENOMEM, "%zu rows", n);
	if (!ret)
		ret = take_rows(d, samples, n, sel, err);
	if (!ret && !d->count_count)
		ret = err_set(err, -ENODATA,
			      "no usable row with a busy CPU (%zu flagged rows left out)",
			      d->left_out);
	for (i = 0; !ret && i < d->row_count; i++)
		d->rows[i].opp = opp_index(d, samples[d->rows[i].index].opp_khz);
	if (!ret)
		ret = check_idle(d, err);
	if (ret) {
		power_data_free(d);
		return ret;
	}
	look_at_visits(d);
	look_at_idle(d);
	d->volt_from_table = !sel->volt_measured && is_table(d);
	return 0;
}

void power_data_free(struct power_data *d)
{
	free(d->rows);
	free(d->opp_khz);
	memset(d, 0, sizeof(*d));
}

bool power_idle_mean(const struct power_data *d, unsigned int opp, struct power_row *mean)
{
	double n = 0;
	size_t i;

	memset(mean, 0, sizeof(*mean));
	for (i = 0; i < d->row_count; i++) {
		const struct power_row *r = &d->rows[i];

		if (r->opp != opp || r->count)
			continue;
		mean->uw += r->windows * r->uw;
		mean->busy += r->windows * r->busy;
		mean->fv2 += r->windows * r->fv2;
		mean->volt += r->windows * r->volt;
		mean->mhz += r->windows * r->mhz;
		mean->clocked += r->windows * r->clocked;
		n += r->windows;
	}
	if (!(n > 0))
		return false;
	mean->uw /= n;
	mean->busy /= n;
	mean->fv2 /= n;
	mean->volt /= n;
	mean->mhz /= n;
	mean->clocked /= n;
	mean->opp = opp;
	return true;
}
