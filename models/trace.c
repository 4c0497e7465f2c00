// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a meter's readings over one window to their mean and its error.
 */
#include "models/trace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_movstat.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_vector.h>

#define MAX_UW 1e18

#define REPEATS_MIN_READS 8
#define REPEATS_SIGMA	  3 /* above chance */

#define SPIKE_SIDE	 10 /* neighbours on each side */
#define SPIKE_MIN_READS	 5
#define SPIKE_FEW_READS	 15
#define SPIKE_SIGMAS	 5
#define SPIKE_SIGMAS_FEW 8
#define SPIKE_SHARE	 0.1 /* of the readings at most, or one */

#define BATCH	    5
#define MIN_BATCHES 4
#define CUT_P	    0.001

#define EFFECTIVE_MIN_READS 10
#define MAX_CORRELATED	    65536

/* The readings that are still in the race, and what is known of them. */
struct work {
	double *x;	 /* their power, spikes replaced by what is usual around them */
	size_t *index;	 /* into the readings */
	bool *spike;	 /* of x */
	size_t n, first; /* x[first..n) is past the warm-up */
	double step_uw;
};

static bool is_same(const struct trace_reading *a, const struct trace_reading *b)
{
	return a->power_uw == b->power_uw && a->volt_uv == b->volt_uv;
}

/* Where the run of equal readings that begins at @i ends. */
static size_t run_end(const struct trace_reading *r, size_t n, size_t i)
{
	size_t end = i + 1;

	while (end < n && is_same(&r[end], &r[i]))
		end++;
	return end;
}

/* Repeats that meet by chance: n - 1 times the sum of p^2. 0 or -ENOMEM. */
static int chance_repeats(const struct trace_reading *r, size_t n, double *repeats)
{
	double *x = malloc(n * sizeof(*x)), pairs = 0;
	size_t run = 0;

	if (!x)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		x[i] = r[i].power_uw;
	gsl_sort(x, 1, n);
	for (size_t i = 1; i < n; i++) {
		run = x[i] == x[i - 1] ? run + 1 : 0;
		pairs += run;
	}
	free(x);
	*repeats = 2 * pairs / n;
	return 0;
}

/* The mean length of the runs that one update made: by the shortest tenth, or one more.
 * The first run and the last are parts of runs. */
static double run_length(const struct trace_reading *r, size_t n)
{
	size_t tally[64] = { 0 }, runs = 0, seen = 0, least = 1;
	const size_t longest = sizeof(tally) / sizeof(tally[0]) - 1;
	size_t end;

	for (size_t i = run_end(r, n, 0); i < n; i = end) {
		end = run_end(r, n, i);
		if (end == n)
			break;
		tally[end - i < longest ? end - i : longest]++;
		runs++;
	}
	if (!runs)
		return 1;
	for (least = 0; least < longest && seen * 10 <= runs;)
		seen += tally[++least];
	if (least == longest)
		return longest;
	return least + (double)tally[least + 1] / (tally[least] + tally[least + 1]);
}

int trace_readings_per_update(const struct trace_reading *r, size_t n, double *readings)
{
	double chance;
	size_t repeats = 0;
	int ret;

	*readings = 1;
	if (n < REPEATS_MIN_READS)
		return 0;
	for (size_t i = 1; i < n; i++)
		repeats += is_same(&r[i], &r[i - 1]);
	if (!repeats)
		return 0;
	ret = chance_repeats(r, n, &chance);
	if (!ret && repeats > chance + REPEATS_SIGMA * sqrt(chance))
		*readings = run_length(r, n);
	return ret;
}

/* Keep as many readings of each run as there were updates meanwhile. */
static int drop_repeats(struct work *w, const struct trace_reading *r, size_t n,
			const struct trace_meter *m, enum trace_fate *fate)
{
	bool timed = n > 1 && r[n - 1].time_ns > r[0].time_ns;
	double poll_ns = timed ? (double)(r[n - 1].time_ns - r[0].time_ns) / (n - 1) : 1;
	double update_ns = m->update_ns;
	size_t end;
	int ret;

	if (!timed || !m->update_ns) {
		ret = trace_readings_per_update(r, n, &update_ns);
		if (ret)
			return ret;
		update_ns *= poll_ns;
	}
	for (size_t i = 0; i < n; i = end) {
		double lasted, updates;

		end = run_end(r, n, i);
		lasted = timed ? r[end - 1].time_ns - r[i].time_ns + poll_ns : end - i;
		updates = fmax(round(lasted / update_ns), 1);
		for (size_t k = i; k < end; k++) {
			fate[k] = k - i < updates ? TRACE_USED : TRACE_REPEAT;
			if (fate[k] == TRACE_REPEAT)
				continue;
			w->index[w->n] = k;
			w->x[w->n++] = r[k].power_uw;
		}
	}
	return 0;
}

static double least_step(const struct work *w)
{
	double step = INFINITY;

	for (size_t i = 1; i < w->n; i++)
		if (w->x[i] != w->x[i - 1])
			step = fmin(step, fabs(w->x[i] - w->x[i - 1]));
	return isfinite(step) ? step : 0;
}

/* GSL's errors are memory only. */
static int moving_median(const struct work *w, gsl_vector *median, gsl_vector *mad)
{
	gsl_vector_view x = gsl_vector_view_array(w->x, w->n);
	gsl_movstat_workspace *space = gsl_movstat_alloc(2 * SPIKE_SIDE + 1);
	int ret;

	if (!space)
		return -ENOMEM;
	ret = gsl_movstat_mad(GSL_MOVSTAT_END_TRUNCATE, &x.vector, median, mad, space);
	gsl_movstat_free(space);
	return ret ? -ENOMEM : 0;
}

static void mark_spikes(struct work *w, const gsl_vector *median, const gsl_vector *mad)
{
	size_t spikes = 0;

	for (size_t i = 0; i < w->n; i++) {
		size_t before = i < SPIKE_SIDE ? i : SPIKE_SIDE;
		size_t after = w->n - 1 - i < SPIKE_SIDE ? w->n - 1 - i : SPIKE_SIDE;
		bool few = before + 1 + after < SPIKE_FEW_READS;
		double sigma = fmax(gsl_vector_get(mad, i), w->step_uw);

		w->spike[i] = fabs(w->x[i] - gsl_vector_get(median, i)) >
			      (few ? SPIKE_SIGMAS_FEW : SPIKE_SIGMAS) * sigma;
		spikes += w->spike[i];
	}
	if (spikes > fmax(SPIKE_SHARE * w->n, 1))
		memset(w->spike, 0, w->n * sizeof(*w->spike));
	for (size_t i = 0; i < w->n; i++)
		if (w->spike[i])
			w->x[i] = gsl_vector_get(median, i);
}

static int find_spikes(struct work *w)
{
	gsl_vector *median, *mad;
	int ret = -ENOMEM;

	if (w->n < SPIKE_MIN_READS)
		return 0;
	median = gsl_vector_alloc(w->n);
	mad = gsl_vector_alloc(w->n);
	if (median && mad)
		ret = moving_median(w, median, mad);
	if (!ret)
		mark_spikes(w, median, mad);
	gsl_vector_free(median);
	gsl_vector_free(mad);
	return ret;
}

static double batch_mean(const double *x, size_t batch)
{
	double sum = 0;

	for (size_t i = 0; i < BATCH; i++)
		sum += x[batch * BATCH + i];
	return sum / BATCH;
}

/* From the last batch to the first, so that each sum is the one before and one more. */
size_t trace_mser5(const double *x, size_t n)
{
	size_t batches = n / BATCH, cut = 0;
	double mean = 0, ss = 0, least = INFINITY;

	if (batches < MIN_BATCHES)
		return 0;
	for (size_t kept = 1; kept <= batches; kept++) {
		double b = batch_mean(x, batches - kept), d = b - mean;

		mean += d / kept;
		ss += d * (b - mean);
		if (2 * kept < batches || ss / kept / kept > least)
			continue;
		least = ss / kept / kept;
		cut = batches - kept;
	}
	return cut * BATCH;
}

/* Mean and sum of squares about it of the batches [begin, end). */
static double batches_mean(const double *x, size_t begin, size_t end, double *ss)
{
	double mean = 0;

	*ss = 0;
	for (size_t i = begin; i < end; i++) {
		double b = batch_mean(x, i), d = b - mean;

		mean += d / (i - begin + 1);
		*ss += d * (b - mean);
	}
	return mean;
}

/* Do the readings that would be cut differ from the rest? */
static bool is_warmup(const double *x, size_t n, size_t cut)
{
	size_t batches = n / BATCH, first = cut / BATCH, rest = batches - first;
	double ss_cut, ss_rest, d, se;

	d = fabs(batches_mean(x, 0, first, &ss_cut) -
		 batches_mean(x, first, batches, &ss_rest));
	se = sqrt(ss_rest / (rest - 1) * (1.0 / first + 1.0 / rest));
	return d > se * gsl_cdf_tdist_Qinv(CUT_P / 2, rest - 1);
}

static void cut_warmup(struct work *w, struct trace_mean *mean)
{
	size_t cut = trace_mser5(w->x, w->n);

	if (!cut || !is_warmup(w->x, w->n, cut))
		return;
	w->first = cut;
	mean->unsettled = cut / BATCH == w->n / BATCH / 2;
}

/* Variance times @n of @x, whose mean is @mean. */
static double sum_of_squares(const double *x, size_t n, double mean)
{
	double ss = 0;

	for (size_t i = 0; i < n; i++)
		ss += (x[i] - mean) * (x[i] - mean);
	return ss;
}

/* From @x to autocovariances times @n in place, by its power spectrum; x[n..size) is 0.
 */
static void autocovariances(double *x, size_t size)
{
	gsl_fft_real_radix2_transform(x, 1, size);
	x[0] *= x[0];
	x[size / 2] *= x[size / 2];
	for (size_t i = 1; i < size / 2; i++) {
		x[i] = x[i] * x[i] + x[size - i] * x[size - i];
		x[size - i] = 0;
	}
	gsl_fft_halfcomplex_radix2_inverse(x, 1, size);
}

/* Geyer's sum of @n autocovariances: the variance of the mean, times n^2. */
static double initial_sequence(const double *cov, size_t n)
{
	double sum = 0, before = INFINITY;

	for (size_t k = 0; k + 1 < n; k += 2) {
		double pair = fmin(cov[k] + cov[k + 1], before);

		if (!(pair > 0))
			break;
		sum += pair;
		before = pair;
	}
	return 2 * sum - cov[0];
}

/* A long trace goes in as batch means: they have the same mean with the same error. */
static int variance_of_mean(const double *x, size_t n, double mean, double *variance)
{
	size_t batch = (n + MAX_CORRELATED - 1) / MAX_CORRELATED, count = n / batch;
	size_t size = 2;
	double *a;

	while (size < 2 * count)
		size *= 2;
	a = calloc(size, sizeof(*a));
	if (!a)
		return -ENOMEM;
	for (size_t i = 0; i < count * batch; i++)
		a[i / batch] += (x[i] - mean) / batch;
	autocovariances(a, size);
	*variance = initial_sequence(a, count) / count / count;
	free(a);
	return 0;
}

static double mean_of(const double *x, size_t n)
{
	double mean = 0;

	for (size_t i = 0; i < n; i++)
		mean += (x[i] - mean) / (i + 1);
	return mean;
}

int trace_effective(const double *x, size_t n, double *effective)
{
	double mean = mean_of(x, n), ss = sum_of_squares(x, n, mean), variance;
	int ret;

	*effective = ss > 0 ? n : 1;
	if (!(ss > 0) || n < EFFECTIVE_MIN_READS)
		return 0;
	ret = variance_of_mean(x, n, mean, &variance);
	if (!ret && variance > 0)
		*effective = fmax(fmin(ss / n / variance, n), 1);
	return ret;
}

static void count_fates(const struct work *w, enum trace_fate *fate, size_t n,
			struct trace_mean *mean)
{
	for (size_t i = 0; i < w->n; i++)
		if (i < w->first)
			fate[w->index[i]] = TRACE_WARMUP;
		else if (w->spike[i])
			fate[w->index[i]] = TRACE_SPIKE;
	for (size_t i = 0; i < n; i++)
		mean->count[fate[i]]++;
}

/* Of the readings that are left, moved together. */
static int average(struct work *w, struct trace_mean *mean)
{
	size_t n = 0;
	double ss;
	int ret;

	for (size_t i = w->first; i < w->n; i++)
		if (!w->spike[i])
			w->x[n++] = w->x[i];
	mean->power_uw = mean_of(w->x, n);
	ret = trace_effective(w->x, n, &mean->effective);
	if (n < 2 || ret)
		return ret;
	ss = sum_of_squares(w->x, n, mean->power_uw);
	mean->sd_uw = sqrt(ss / (n - 1));
	mean->se_uw = ss > 0 ? sqrt(ss / n / fmax(mean->effective - 1, 0.5))
			     : w->step_uw / sqrt(12);
	return 0;
}

static int check(const struct trace_reading *r, size_t n, struct err *err)
{
	if (!n)
		return err_set(err, -ENODATA, "no reading");
	for (size_t i = 0; i < n; i++) {
		if (!(fabs(r[i].power_uw) <= MAX_UW))
			return err_set(err, -EINVAL,
				       "reading %zu of %zu: a power of %g uW", i + 1, n,
				       r[i].power_uw);
		if (i && r[i].time_ns < r[i - 1].time_ns)
			return err_set(err, -EINVAL,
				       "reading %zu of %zu is older than the one before "
				       "it",
				       i + 1, n);
	}
	return 0;
}

static int reduce(const struct trace_reading *r, size_t n, const struct trace_meter *m,
		  enum trace_fate *fate, struct work *w, struct trace_mean *mean)
{
	int ret = drop_repeats(w, r, n, m, fate);

	w->step_uw = m->step_uw > 0 ? m->step_uw : least_step(w);
	if (!ret)
		ret = find_spikes(w);
	if (ret)
		return ret;
	cut_warmup(w, mean);
	count_fates(w, fate, n, mean);
	return average(w, mean);
}

int trace_reduce(const struct trace_reading *r, size_t n, const struct trace_meter *meter,
		 enum trace_fate *fate, struct trace_mean *mean, struct err *err)
{
	gsl_error_handler_t *handler;
	enum trace_fate *own = NULL;
	struct work w = { 0 };
	int ret = check(r, n, err);

	*mean = (struct trace_mean){ 0 };
	if (ret)
		return ret;
	if (!fate)
		fate = own = calloc(n, sizeof(*own));
	w.x = calloc(n, sizeof(*w.x));
	w.index = calloc(n, sizeof(*w.index));
	w.spike = calloc(n, sizeof(*w.spike));
	ret = fate && w.x && w.index && w.spike ? 0 : -ENOMEM;
	handler = gsl_set_error_handler_off();
	if (!ret)
		ret = reduce(r, n, meter, fate, &w, mean);
	gsl_set_error_handler(handler);
	free(own);
	free(w.x);
	free(w.index);
	free(w.spike);
	return ret ? err_errno(err, ret, "%zu readings", n) : 0;
}
