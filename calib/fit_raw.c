// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit --raw: rows made anew from the readings of their windows.
 */
#include "calib/fit_raw.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit.h"
#include "calib/raw.h"
#include "lib/text.h"

#define NS_PER_US     1000u
#define TEMP_TREND_MC 10000 /* as in calib/measure/window.c */
#define MIN_READS     2

/* The readings of one window, whatever file they come from. */
struct window {
	struct trace_reading *r;
	enum trace_fate *fate;
	int32_t *temp_mc;
	unsigned int *line;
	size_t n, cap;
	const char *path;
};

static int window_add(struct window *w, const struct trace_reading *r, int32_t temp_mc,
		      unsigned int line)
{
	if (w->n == w->cap) {
		size_t cap = w->cap ? 2 * w->cap : 64;
		void *r_new = reallocarray(w->r, cap, sizeof(*w->r));
		void *fate = reallocarray(w->fate, cap, sizeof(*w->fate));
		void *temp = reallocarray(w->temp_mc, cap, sizeof(*w->temp_mc));
		void *line_new = reallocarray(w->line, cap, sizeof(*w->line));

		w->r = r_new ? r_new : w->r;
		w->fate = fate ? fate : w->fate;
		w->temp_mc = temp ? temp : w->temp_mc;
		w->line = line_new ? line_new : w->line;
		if (!r_new || !fate || !temp || !line_new)
			return -ENOMEM;
		w->cap = cap;
	}
	w->r[w->n] = *r;
	w->temp_mc[w->n] = temp_mc;
	w->line[w->n++] = line;
	return 0;
}

static void window_free(struct window *w)
{
	free(w->r);
	free(w->fate);
	free(w->temp_mc);
	free(w->line);
}

/* The mean voltage at the rail of the readings used. */
static void set_volt(struct sample *row, const struct window *w)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (w->fate[i] != TRACE_USED)
			continue;
		if (!(w->r[i].volt_uv > 0))
			return;
		sum += w->r[i].volt_uv;
		n++;
	}
	row->volt_uv = llround(sum / n);
}

/* Their mean temperature, where the row's is of others too, and how far it went. */
static void set_temp(struct sample *row, const struct window *w, int32_t *trend_mc)
{
	const int32_t *first = NULL, *last = NULL;
	double sum = 0;
	size_t n = 0;

	*trend_mc = 0;
	for (size_t i = 0; i < w->n; i++) {
		if (w->fate[i] != TRACE_USED)
			continue;
		if (w->temp_mc[i] == SAMPLE_TEMP_UNKNOWN)
			return;
		last = &w->temp_mc[i];
		first = first ? first : last;
		sum += *last;
		n++;
	}
	*trend_mc = abs(*last - *first);
	if (n < w->n || row->temp_mc == SAMPLE_TEMP_UNKNOWN)
		row->temp_mc = lround(sum / n);
}

/* What the readings that are left say of the window, in place of what all of them did. */
static void set_flags(struct sample *row, const struct window *w,
		      const struct trace_mean *m, int32_t trend_mc)
{
	row->flags &= ~SAMPLE_FEW_READS;
	if (m->count[TRACE_USED] < MIN_READS)
		row->flags |= SAMPLE_FEW_READS;
	if (m->unsettled || trend_mc > TEMP_TREND_MC)
		row->flags |= SAMPLE_UNSETTLED;
	else if (m->count[TRACE_WARMUP])
		row->flags &= ~SAMPLE_UNSETTLED;
	/* What was stale at the beginning. A stuck meter shows the same from there on. */
	if (w->fate[0] != TRACE_USED)
		row->flags &= ~SAMPLE_STALE;
}

static void tally(struct fit_raw *raw, const struct window *w, const struct sample *row,
		  const struct trace_mean *m)
{
	size_t named = raw->count[TRACE_SPIKE];

	for (size_t i = 0; i < w->n && named < FIT_RAW_NAMED; i++)
		if (w->fate[i] == TRACE_SPIKE)
			raw->spikes[named++] = (struct fit_raw_spike){
				w->path, w->line[i], w->r[i].power_uw, m->power_uw
			};
	for (int k = 0; k < TRACE_FATES; k++)
		raw->count[k] += m->count[k];
	raw->windows++;
	raw->readings += w->n;
	raw->effective += m->effective;
	raw->unsettled += m->unsettled;
	if (!row->cpu_count || m->power_uw <= 0)
		return;
	raw->busy++;
	raw->error2 += m->se_uw / m->power_uw * m->se_uw / m->power_uw;
}

/* @row: of these readings; what it says of power is said anew. */
static int remake(struct sample *row, struct window *w, const struct trace_meter *meter,
		  struct fit_raw *raw, struct err *err)
{
	struct trace_mean m;
	int32_t trend_mc;
	int ret = trace_reduce(w->r, w->n, meter, w->fate, &m, err);

	if (ret)
		return err_wrap(err, ret, "%s:%u", w->path, w->line[0]);
	row->power_uw = llround(m.power_uw);
	row->power_sd_uw = fmin(round(m.sd_uw), UINT32_MAX);
	row->reads = lround(fmin(m.effective, UINT32_MAX));
	set_volt(row, w);
	set_temp(row, w, &trend_mc);
	set_flags(row, w, &m, trend_mc);
	tally(raw, w, row, &m);
	return 0;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
	b = llabs(b);
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* @info: the machine; NULL: not known */
static struct trace_meter meter_of(const struct fit_input *in, unsigned int k,
				   const struct runinfo *info)
{
	const struct runinfo_cluster *c = info ? runinfo_cluster(info, in->clusters[k])
					       : NULL;

	return (struct trace_meter){
		.update_ns = c ? (uint64_t)c->sensor_interval_us * NS_PER_US : 0,
		.step_uw = in->raw[k].step_uw,
	};
}

/* All values are multiples of the step apart. */
static void find_step(struct fit_raw *raw, const struct raw *all, const char *cluster)
{
	const struct raw_reading *r, *last = NULL;

	for (size_t k = 0; k < all->window_count; k++) {
		const struct raw_window *w = &all->windows[k];

		if (strcmp(w->cluster, cluster) != 0)
			continue;
		for (size_t i = 0; i < w->count; i++, last = r) {
			r = &all->readings[w->first + i];
			if (last)
				raw->step_uw = common_divisor(
					raw->step_uw, r->power_uw - last->power_uw);
		}
	}
}

/* Readings are in the order in which they came, also where the meter's clock was set. */
static int take_window(struct window *w, const struct raw *raw,
		       const struct raw_window *from)
{
	uint64_t time_ns = 0;
	int ret = 0;

	w->n = 0;
	for (size_t i = 0; i < from->count && !ret; i++) {
		const struct raw_reading *r = &raw->readings[from->first + i];

		if (r->time_ns > time_ns)
			time_ns = r->time_ns;
		ret = window_add(
			w, &(struct trace_reading){ time_ns, r->power_uw, r->volt_uv },
			r->temp_mc, from->line + i);
	}
	return ret;
}

/* One run's: what its rows and readings are. */
struct run {
	const struct runinfo *info;
	size_t from;
	struct raw raw;
	struct window window;
	size_t made; /* rows so far */
};

static int remake_cluster(struct fit_input *in, unsigned int k, struct run *run,
			  struct err *err)
{
	struct window *w = &run->window;
	struct trace_meter meter;
	int ret = 0;

	find_step(&in->raw[k], &run->raw, in->clusters[k]);
	meter = meter_of(in, k, run->info);
	for (size_t i = run->from; i < in->samples.count && !ret; i++) {
		struct sample *row = &in->samples.rows[i];
		const struct raw_window *from;

		if (strcmp(row->cluster, in->clusters[k]) != 0)
			continue;
		from = raw_find(&run->raw, row->cluster, row->time_ns);
		if (!from) {
			in->raw[k].bare++;
			continue;
		}
		if (take_window(w, &run->raw, from))
			return err_errno(err, -ENOMEM, "%s:%u", w->path, from->line);
		ret = remake(row, w, &meter, &in->raw[k], err);
		run->made++;
	}
	return ret;
}

static int remake_rows(struct fit_input *in, struct run *run, struct err *err)
{
	int ret = 0;

	for (unsigned int k = 0; k < in->cluster_count && !ret; k++)
		ret = remake_cluster(in, k, run, err);
	if (!ret && !run->made)
		ret = err_set(err, -ENODATA,
			      "'%s' has readings of none of the rows in '%s'",
			      run->window.path,
			      in->samples.paths[in->samples.rows[run->from].file]);
	return ret;
}

int fit_raw_run(struct fit_input *in, const char *dir, const struct runinfo *info,
		size_t from, struct err *err)
{
	struct run run = { .info = info, .from = from };
	int ret = fit_input_path(in, dir, RAW_NAME, err);

	if (ret)
		return ret;
	run.window.path = in->paths[in->path_count - 1];
	ret = raw_read(&run.raw, run.window.path, err);
	if (ret == -ENOENT)
		err_set(err, ret,
			"'%s' has no raw readings (%s): measure with --raw, or fit "
			"without",
			dir, RAW_NAME);
	if (!ret)
		ret = remake_rows(in, &run, err);
	window_free(&run.window);
	raw_free(&run.raw);
	return ret;
}

static bool is_one_window(const struct sample *a, const struct sample *b)
{
	return a->board == b->board && a->opp_khz == b->opp_khz &&
	       a->cpu_count == b->cpu_count && a->file == b->file &&
	       !strcmp(a->cluster, b->cluster) && !strcmp(a->load, b->load);
}

/* What the window's readings say besides power: means, sums, and all flags. */
static struct sample joined(const struct sample *rows, size_t n)
{
	struct sample row = rows[0];
	double freq = 0, util = 0, baseline = 0;

	for (size_t i = 0; i < n; i++) {
		freq += (double)rows[i].freq_khz / n;
		util += rows[i].util_pct / n;
		baseline += (double)rows[i].baseline_uw / n;
		row.flags |= rows[i].flags;
		row.work += i ? rows[i].work : 0;
		row.cycles += i ? rows[i].cycles : 0;
	}
	row.freq_khz = lround(freq);
	row.temp_mc = SAMPLE_TEMP_UNKNOWN;
	row.util_pct = util;
	row.baseline_uw = llround(baseline);
	return row;
}

static int cluster_of(const struct fit_input *in, const char *name)
{
	for (unsigned int k = 0; k < in->cluster_count; k++)
		if (!strcmp(in->clusters[k], name))
			return k;
	return -ENOENT;
}

/* The rows [begin, end) into one; of clusters that are not fitted they do not matter. */
static int join_window(struct fit_input *in, size_t begin, size_t end, struct window *w,
		       struct sample *row, struct err *err)
{
	const struct sample *rows = &in->samples.rows[begin];
	int k = cluster_of(in, rows->cluster), ret = 0;
	struct trace_meter meter;

	*row = joined(rows, end - begin);
	if (k < 0)
		return 0;
	meter = meter_of(in, k, in->has_info ? &in->info : NULL);
	w->n = 0;
	w->path = in->samples.paths[rows->file];
	for (size_t i = begin; i < end && !ret; i++) {
		const struct sample *s = &in->samples.rows[i];

		ret = window_add(
			w, &(struct trace_reading){ s->time_ns, s->power_uw, s->volt_uv },
			s->temp_mc, s->line);
	}
	if (ret)
		return err_errno(err, ret, "%s:%u", w->path, rows->line);
	return remake(row, w, &meter, &in->raw[k], err);
}

static void find_steps(struct fit_input *in)
{
	const struct sample *last[COEFFS_MAX_CLUSTERS] = { NULL };

	for (size_t i = 0; i < in->samples.count; i++) {
		const struct sample *s = &in->samples.rows[i];
		int k = cluster_of(in, s->cluster);

		if (k < 0)
			continue;
		if (last[k])
			in->raw[k].step_uw = common_divisor(
				in->raw[k].step_uw, s->power_uw - last[k]->power_uw);
		last[k] = s;
	}
}

int fit_raw_files(struct fit_input *in, struct err *err)
{
	size_t count = 0, longest = 0, end, all = in->samples.count;
	struct sample *rows = in->samples.rows;
	struct window w = { 0 };
	int ret = 0;

	find_steps(in);
	for (size_t i = 0; i < all && !ret; i = end) {
		struct sample row;

		for (end = i + 1; end < all && is_one_window(&rows[i], &rows[end]); end++)
			;
		longest = end - i > longest ? end - i : longest;
		ret = join_window(in, i, end, &w, &row, err);
		rows[count++] = row;
	}
	window_free(&w);
	in->samples.count = count;
	if (!ret && longest == 1)
		ret = err_set(err, -ENODATA,
			      "'%s': no two rows that follow each other have the same "
			      "clock, CPU count and load: --raw takes a row for each "
			      "reading, with opp_khz or opp_mhz where freq_khz is "
			      "measured",
			      in->samples.paths[0]);
	return ret;
}

const struct fit_raw *fit_raw_of(const struct fit_input *in, const char *cluster)
{
	int k = cluster_of(in, cluster);

	return k >= 0 && in->raw[k].windows ? &in->raw[k] : NULL;
}

static void add_count(char *out, size_t size, size_t n, const char *one, const char *many)
{
	size_t used = strlen(out);

	if (n)
		snprintf(out + used, size - used, ", %zu %s", n, n == 1 ? one : many);
}

char *fit_raw_format(const struct fit_raw *raw, char *out, size_t size)
{
	size_t used;

	snprintf(out, size, "%zu reading%s of %u window%s", raw->readings,
		 text_s(raw->readings), raw->windows, text_s(raw->windows));
	add_count(out, size, raw->count[TRACE_REPEAT], "repeat", "repeats");
	add_count(out, size, raw->count[TRACE_WARMUP], "warming up", "warming up");
	add_count(out, size, raw->count[TRACE_SPIKE], "spike", "spikes");
	used = strlen(out);
	snprintf(out + used, size - used, "; %zu used, worth %.0f",
		 raw->count[TRACE_USED], raw->effective);
	used = strlen(out);
	if (raw->busy && raw->error2 > 0)
		snprintf(out + used, size - used,
			 "; a busy window's own error is %.2g %%",
			 100 * sqrt(raw->error2 / raw->busy));
	if (raw->bare)
		add_count(out, size, raw->bare, "row without readings taken as it is",
			  "rows without readings taken as they are");
	return out;
}

char *fit_raw_format_spike(const struct fit_raw *raw, unsigned int i, char *out,
			   size_t size)
{
	const struct fit_raw_spike *s = &raw->spikes[i];
	char place[COEFFS_TEXT];

	snprintf(out, size, "%s: a spike left out: %.0f uW in a window of %.0f",
		 fit_place_in(s->path, s->line, place, sizeof(place)), s->power_uw,
		 s->mean_uw);
	return out;
}
