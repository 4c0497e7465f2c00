// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Means of windows in place of rows, in bounded memory.
 */
#include "calib/samples_pool.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "models/power.h"

/* Fewer windows than this are not parted from the next visit's, and not looked through
 * for what stands out. */
#define LEAST_BLOCK 8
#define SPIKE_SIGMA 5.0
#define MAD_TO_SD   1.4826
/* A meter with coarse steps has a median deviation of 0. */
#define LEAST_SD       0.005
#define LEAST_UTIL_PCT 0.1
#define TEMP_STEP_MC   500
/* What calib fit takes for a CPU's voltage. */
#define LEAST_UV 200000
#define MOST_UV	 5000000

struct block {
	unsigned int n;
	struct sample rows[SAMPLES_BLOCK];
};

struct samples_pool {
	void *blocks; /* tree by key, see tsearch(3) */
	struct block *last;
	struct sample before; /* the row before */
	uint32_t visit;
};

/* A voltage that is not known, or is none, must not vanish in a mean. */
static int volt_class(const struct sample *s)
{
	return !s->volt_uv ? 0 : s->volt_uv < LEAST_UV ? 1 : s->volt_uv > MOST_UV ? 2 : 3;
}

/* Leakage is not linear in temperature, and the fit looks for what a thermometer rounds:
 * only rows of one reading, or nearly, have a mean. */
static int temp_class(const struct sample *s)
{
	return s->temp_mc == SAMPLE_TEMP_UNKNOWN ? INT_MIN : s->temp_mc / TEMP_STEP_MC;
}

/* By what rows must have in common to become one, but for the visit. */
static int by_kind(const struct sample *x, const struct sample *y)
{
	int ret = volt_class(x) - volt_class(y);

	if (!ret)
		ret = (int)power_leaves_out(x) - (int)power_leaves_out(y);
	if (ret)
		return ret;
	if (x->board != y->board)
		return x->board < y->board ? -1 : 1;
	if (x->opp_khz != y->opp_khz)
		return x->opp_khz < y->opp_khz ? -1 : 1;
	if (temp_class(x) != temp_class(y))
		return temp_class(x) < temp_class(y) ? -1 : 1;
	if (x->cpu_count != y->cpu_count)
		return x->cpu_count < y->cpu_count ? -1 : 1;
	if (x->flags != y->flags)
		return x->flags < y->flags ? -1 : 1;
	ret = strcmp(x->cluster, y->cluster);
	return ret ? ret : strcmp(x->load, y->load);
}

static int by_block(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return by_kind(&x->rows[0], &y->rows[0]);
}

static int by_order(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->visit != y->visit)
		return x->visit < y->visit ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_kind_and_order(const void *a, const void *b)
{
	int ret = by_kind(a, b);

	return ret ? ret : by_order(a, b);
}

/* All that share visits: rows of an operating point. */
static int by_point_and_order(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int ret;

	if (x->board != y->board)
		return x->board < y->board ? -1 : 1;
	if (x->opp_khz != y->opp_khz)
		return x->opp_khz < y->opp_khz ? -1 : 1;
	ret = strcmp(x->cluster, y->cluster);
	return ret ? ret : by_order(a, b);
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Sums of what is averaged, weighted by windows. */
struct mean {
	double n, uw, uw_sd, util, khz, volt, mc, before, baseline;
};

static void mean_add(struct mean *m, const struct sample *s)
{
	double w = s->windows ? s->windows : 1;

	m->n += w;
	m->uw += w * s->power_uw;
	m->uw_sd += w * s->power_sd_uw;
	m->util += w * s->util_pct;
	m->khz += w * s->freq_khz;
	m->volt += w * s->volt_uv;
	m->mc += w * s->temp_mc;
	m->before += w * s->before_mc;
	m->baseline += w * s->baseline_uw;
}

static void add_counters(struct sample *sum, const struct sample *s)
{
	sum->work = add_capped(sum->work, s->work);
	sum->cycles = add_capped(sum->cycles, s->cycles);
	sum->load_ns = add_capped(sum->load_ns, s->load_ns);
	sum->reads = fmin((double)sum->reads + s->reads, UINT32_MAX);
	if (s->temp_mc == SAMPLE_TEMP_UNKNOWN)
		sum->temp_mc = SAMPLE_TEMP_UNKNOWN;
}

/* One row of @n that are of a kind, but those that @drop marks; the first stays its
 * place. */
static struct sample mean_of(const struct sample *rows, unsigned int n, const bool *drop)
{
	struct sample out = rows[0];
	struct mean m = { 0 };
	unsigned int i;

	out.work = out.cycles = out.load_ns = out.reads = 0;
	for (i = 0; i < n; i++) {
		if (drop && drop[i])
			continue;
		mean_add(&m, &rows[i]);
		add_counters(&out, &rows[i]);
	}
	out.windows = fmin(m.n, UINT32_MAX);
	out.power_uw = llround(m.uw / m.n);
	out.power_sd_uw = lround(m.uw_sd / m.n);
	out.util_pct = m.util / m.n;
	out.freq_khz = lround(m.khz / m.n);
	out.volt_uv = lround(m.volt / m.n);
	out.baseline_uw = llround(m.baseline / m.n);
	out.before_mc = lround(m.before / m.n);
	if (out.temp_mc != SAMPLE_TEMP_UNKNOWN)
		out.temp_mc = lround(m.mc / m.n);
	return out;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(const double *v, unsigned int n)
{
	double sorted[SAMPLES_BLOCK];

	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*sorted), by_value);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static void note_spike(struct samples *s, const struct sample *row)
{
	if (s->spike_count < SAMPLES_MAX_SPIKES)
		s->spikes[s->spike_count] = *row;
	s->spike_count++;
}

static int by_util(const void *a, const void *b)
{
	const struct sample *const *x = a, *const *y = b;

	return by_value(&(*x)->util_pct, &(*y)->util_pct);
}

/*
 * Power per percent of utilisation: other tasks come and go, most of all in idle. The
 * median of the slopes between the lower and the upper half (Theil's incomplete method),
 * which what stands out does not move; 0 where utilisation does not.
 */
static double util_slope(const struct block *b)
{
	const struct sample *rows[SAMPLES_BLOCK];
	double slopes[SAMPLES_BLOCK];
	unsigned int i, half = b->n / 2, n = 0;

	for (i = 0; i < b->n; i++)
		rows[i] = &b->rows[i];
	qsort(rows, b->n, sizeof(*rows), by_util);
	for (i = 0; i < half; i++) {
		const struct sample *lo = rows[i], *hi = rows[i + b->n - half];

		if (hi->util_pct - lo->util_pct > LEAST_UTIL_PCT)
			slopes[n++] = (double)(hi->power_uw - lo->power_uw) /
				      (hi->util_pct - lo->util_pct);
	}
	return n > half / 2 ? median(slopes, n) : 0;
}

static void find_spikes(struct samples *s, const struct block *b, bool *drop)
{
	double uw[SAMPLES_BLOCK], off[SAMPLES_BLOCK], mid, sd, slope;
	unsigned int i;

	if (b->n < LEAST_BLOCK || b->rows[0].flags)
		return;
	slope = util_slope(b);
	for (i = 0; i < b->n; i++)
		uw[i] = b->rows[i].power_uw -
			slope * (b->rows[i].util_pct - b->rows[0].util_pct);
	mid = median(uw, b->n);
	for (i = 0; i < b->n; i++)
		off[i] = fabs(uw[i] - mid);
	sd = fmax(MAD_TO_SD * median(off, b->n), LEAST_SD * fabs(mid));
	for (i = 0; i < b->n; i++) {
		drop[i] = off[i] > SPIKE_SIGMA * sd;
		if (drop[i])
			note_spike(s, &b->rows[i]);
	}
}

static bool same_kind(const struct sample *x, const struct sample *y)
{
	return x->visit == y->visit && x->file == y->file && !by_kind(x, y);
}

/* Two neighbours of a kind, and of a visit, become one. */
static void merge_neighbours(struct samples *s)
{
	size_t i, n = 0;

	qsort(s->rows, s->count, sizeof(*s->rows), by_kind_and_order);
	for (i = 0; i < s->count; n++) {
		bool two = i + 1 < s->count && same_kind(&s->rows[i], &s->rows[i + 1]);

		s->rows[n] = two ? mean_of(&s->rows[i], 2, NULL) : s->rows[i];
		i += two ? 2 : 1;
	}
	s->count = n;
}

/* Two neighbouring visits to a point become one. Are there any? */
static bool merge_visits(struct samples *s)
{
	uint32_t visit = 0, into = 0;
	bool odd = false, any = false;
	size_t i;

	qsort(s->rows, s->count, sizeof(*s->rows), by_point_and_order);
	for (i = 0; i < s->count; i++) {
		struct sample *r = &s->rows[i], *last = i ? r - 1 : NULL;
		bool same_point = last && last->board == r->board &&
				  last->file == r->file && last->opp_khz == r->opp_khz &&
				  !strcmp(last->cluster, r->cluster);

		if (!same_point || r->visit != visit) {
			odd = same_point && !odd;
			any |= odd;
			into = odd ? into : r->visit;
		}
		visit = r->visit;
		r->visit = into;
	}
	return any;
}

/* Half as many rows, or less. */
static int shrink(struct samples *s)
{
	size_t goal = s->count / 2, before;
	bool visits = true;

	while (s->count > goal) {
		before = s->count;
		merge_neighbours(s);
		if (s->count == before && !visits)
			return -E2BIG;
		if (s->count > before - before / 4)
			visits = merge_visits(s);
	}
	return 0;
}

static int close_block(struct samples *s, struct block *b)
{
	bool drop[SAMPLES_BLOCK] = { false };
	struct sample mean;

	if (!b->n)
		return 0;
	find_spikes(s, b, drop);
	mean = mean_of(b->rows, b->n, drop);
	b->n = 0;
	if (s->count == s->cap) {
		int ret = shrink(s);

		if (ret)
			return ret;
	}
	s->rows[s->count++] = mean;
	return 0;
}

static struct block *find_block(struct samples_pool *p, const struct sample *row)
{
	struct block *b, **found;

	if (p->last && !by_kind(&p->last->rows[0], row))
		return p->last;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->rows[0] = *row;
	found = tsearch(b, &p->blocks, by_block);
	if (!found || *found != b)
		free(b);
	p->last = found ? *found : NULL;
	return p->last;
}

struct closing {
	struct samples *s;
	int ret;
};

static void close_one(const void *node, VISIT which, void *closing)
{
	struct closing *c = closing;

	if ((which == postorder || which == leaf) && !c->ret)
		c->ret = close_block(c->s, *(struct block *const *)node);
}

static int close_all(struct samples *s)
{
	struct closing c = { s, 0 };

	twalk_r(s->pool->blocks, close_one, &c);
	tdestroy(s->pool->blocks, free);
	s->pool->blocks = s->pool->last = NULL;
	return c.ret;
}

bool samples_pool_wanted(const struct samples *s)
{
	size_t boards = (size_t)s->board_count * SAMPLES_WHOLE_PER_BOARD;

	return s->may_pool && !s->pool && s->count >= SAMPLES_WHOLE && s->count >= boards;
}

int samples_pool_start(struct samples *s)
{
	struct sample *rows = s->rows;
	size_t n = s->count, i;
	int ret = 0;

	s->pool = calloc(1, sizeof(*s->pool));
	s->rows = calloc(s->cap, sizeof(*rows));
	s->count = 0;
	if (!s->pool || !s->rows)
		ret = -ENOMEM;
	for (i = 0; i < n && !ret; i++)
		ret = samples_pool_add(s, &rows[i]);
	free(rows);
	return ret;
}

int samples_pool_add(struct samples *s, const struct sample *row)
{
	struct samples_pool *p = s->pool;
	const struct sample *last = &p->before;
	int32_t before_mc;
	struct block *b;
	int ret = 0;

	if (s->pooled && (last->board != row->board || last->file != row->file))
		ret = close_all(s);
	if (!s->pooled || last->opp_khz != row->opp_khz || last->file != row->file ||
	    last->board != row->board || strcmp(last->cluster, row->cluster))
		p->visit++;
	before_mc = s->pooled ? last->temp_mc : row->temp_mc;
	if (before_mc == SAMPLE_TEMP_UNKNOWN)
		before_mc = row->temp_mc;
	s->pooled++;
	p->before = *row;
	b = ret ? NULL : find_block(p, row);
	if (!b)
		return ret ? ret : -ENOMEM;
	if (b->n == SAMPLES_BLOCK ||
	    (b->n >= LEAST_BLOCK && b->rows[0].visit != p->visit))
		ret = close_block(s, b);
	b->rows[b->n] = *row;
	b->rows[b->n].visit = p->visit;
	b->rows[b->n].before_mc = before_mc;
	b->n++;
	return ret;
}

int samples_pool_finish(struct samples *s)
{
	int ret;

	if (!s->pool)
		return 0;
	ret = close_all(s);
	if (!ret)
		qsort(s->rows, s->count, sizeof(*s->rows), by_order);
	return ret;
}

void samples_pool_free(struct samples *s)
{
	if (s->pool)
		tdestroy(s->pool->blocks, free);
	free(s->pool);
	s->pool = NULL;
}
