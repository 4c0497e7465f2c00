// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freqbench results in: one cluster per benchmarked CPU, one active and one idle row per
 * clock.
 */
#include "calib/freqbench.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/voltages.h"
#include "lib/buf.h"
#include "lib/json.h"
#include "lib/num.h"
#include "lib/text.h"

#define MAX_READINGS  100000
#define MAX_FILE      (256u << 20)
#define CLOCK_LIMIT   0.03 /* CoreMark itself scatters by about 1 % */
#define STALE_LIMIT   0.01
#define STALE_DEVIATE 0.1
#define MIN_S	      1e-3 /* the clock and the work of a row are whole numbers */
#define MAX_MW	      4e6  /* so that uW fit a row; no CPU draws 4 kW */

struct job {
	const struct freqbench_options *o;
	struct samples *rows;
	struct raw *raw;
	struct runinfo *info;
	struct freqbench_summary *sum;
	struct voltages *volts;
	double *readings; /* room for MAX_READINGS, and as many again for sorting */
	uint64_t time_ns;
};

/* What one "active" or "idle" object says. */
struct window {
	double mean_mw, sd_mw, elapsed_s, score;
	uint32_t distinct;
	bool stale;
	size_t count; /* of job->readings */
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of @n > 0 values, copied to @room first. */
static double median(const double *v, size_t n, double *room)
{
	memcpy(room, v, n * sizeof(*v));
	qsort(room, n, sizeof(*room), by_value);
	return n % 2 ? room[n / 2] : (room[n / 2 - 1] + room[n / 2]) / 2;
}

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / n;
}

/*
 * How many readings at the start are still those of before the load: far from the median,
 * as a slow gauge gives them. At most half.
 */
static size_t count_leading_stale(const double *v, size_t n, double *room)
{
	double mid = median(v, n, room), mad, limit;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		room[n + i] = fabs(v[i] - mid);
	mad = 1.4826 * median(room + n, n, room);
	limit = fmax(6 * mad, STALE_DEVIATE * fabs(mid));
	while (k < n / 2 && fabs(v[k] - mid) > limit)
		k++;
	return k;
}

static void reduce(struct job *job, size_t n, struct window *w)
{
	double *v = job->readings, *room = v + MAX_READINGS, rest, var = 0;
	size_t stale = count_leading_stale(v, n, room), first = 0;

	rest = mean(v + stale, n - stale);
	w->stale = fabs(mean(v, n) - rest) > STALE_LIMIT * fabs(rest);
	if (w->stale && job->o->trim_stale) {
		w->stale = false;
		w->mean_mw = rest;
		first = stale;
	}
	w->distinct = 1;
	for (size_t i = first; i < n; i++) {
		var += (v[i] - w->mean_mw) * (v[i] - w->mean_mw);
		w->distinct += i > first && v[i] != v[i - 1];
	}
	w->sd_mw = n - first > 1 ? sqrt(var / (n - first - 1)) : 0;
}

static int read_window(struct job *job, const struct json *obj, bool active,
		       struct window *w, struct err *err)
{
	const struct json *arr;
	size_t n;
	int ret = json_get_double(obj, "power_mean", &w->mean_mw, err);

	if (!ret)
		ret = json_get_double(obj, "elapsed_sec", &w->elapsed_s, err);
	if (!ret && active)
		ret = json_get_double(obj, "coremark_score", &w->score, err);
	if (!ret)
		ret = json_get_array(obj, "power_samples", &arr, err);
	if (ret)
		return ret;
	if (fabs(w->mean_mw) > MAX_MW || w->elapsed_s < MIN_S || w->elapsed_s > 1e6 ||
	    w->score > 1e9 || (active && w->score * w->elapsed_s < 1))
		return err_set(err, -EINVAL,
			       "power_mean %g mW, elapsed_sec %g, coremark_score %g: not "
			       "those of a benchmark run",
			       w->mean_mw, w->elapsed_s, w->score);
	n = json_len(arr);
	if (!n || n > MAX_READINGS)
		return err_set(err, -EINVAL,
			       "key 'power_samples' has %zu reading%s, not 1..%d", n,
			       text_s(n), MAX_READINGS);
	for (size_t i = 0; i < n && !ret; i++) {
		ret = json_at_double(arr, i, "power_samples", &job->readings[i], err);
		if (!ret && fabs(job->readings[i]) > MAX_MW)
			ret = err_set(
				err, -EINVAL,
				"key 'power_samples[%zu]': %g mW is not that of a CPU", i,
				job->readings[i]);
	}
	w->count = n;
	if (!ret)
		reduce(job, n, w);
	return ret;
}

/* The readings as they are in the results, evenly over the time of the row. */
static int add_readings(struct job *job, const struct sample *row, const struct window *w,
			int64_t base_uw, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < w->count && !ret; i++) {
		struct raw_reading r = {
			.time_ns = row->time_ns +
				   llround(w->elapsed_s * 1e9 * (i + 1) / w->count),
			.power_uw = llround(job->readings[i] * 1e3) - base_uw,
			.temp_mc = SAMPLE_TEMP_UNKNOWN,
		};

		ret = raw_add(job->raw, row->cluster, row->time_ns, &r, 0);
	}
	return ret ? err_errno(err, ret, "readings") : 0;
}

static int add_row(struct job *job, const struct runinfo_cluster *cl,
		   const struct board_opp *opp, const struct window *w, bool active,
		   struct err *err)
{
	int64_t base_uw = active ? 0 : job->info->baseline_uw;
	double power_mw = w->mean_mw - base_uw / 1e3;
	struct sample row = {
		.time_ns = job->time_ns,
		.opp_khz = opp->khz,
		.freq_khz = opp->khz,
		.volt_uv = opp->volt_uv,
		.cpu_count = active,
		.util_pct = active ? 100 : 0,
		.power_uw = llround(power_mw * 1e3),
		.power_sd_uw = llround(fmin(w->sd_mw, MAX_MW) * 1e3),
		.reads = w->distinct,
		.temp_mc = SAMPLE_TEMP_UNKNOWN,
		.work = llround(w->score * w->elapsed_s),
	};

	job->time_ns += llround(w->elapsed_s * 1e9);
	snprintf(row.cluster, sizeof(row.cluster), "%s", cl->name);
	snprintf(row.load, sizeof(row.load), active ? "coremark" : "idle");
	if (w->stale)
		row.flags |= SAMPLE_STALE;
	/* Idle a little below the base is only the base's own scatter. */
	if (active && row.power_uw <= 0)
		row.flags |= SAMPLE_NEGATIVE;
	job->sum->rows++;
	job->sum->idle_rows += !active;
	job->sum->stale += w->stale;
	job->sum->negative += !!(row.flags & SAMPLE_NEGATIVE);
	if (samples_append(job->rows, &row))
		return err_errno(err, -ENOMEM, "samples");
	return add_readings(job, &row, w, base_uw, err);
}

static int read_clock(struct job *job, struct runinfo_cluster *cl, const char *key,
		      const struct json *obj, struct err *err)
{
	struct board_opp *opp = &cl->opps[cl->opp_count];
	const struct json *part;
	struct window w;
	int ret;

	if (num_u32(key, &opp->khz) || !opp->khz)
		return err_set(err, -EINVAL,
			       "the clock '%s' is not a whole number of kHz", key);
	for (unsigned int i = 0; i < cl->opp_count; i++)
		if (cl->opps[i].khz == opp->khz)
			return err_set(err, -EINVAL, "%u kHz is there twice", opp->khz);
	opp->volt_uv = voltages_find(job->volts, cl->cpus[0], opp->khz);
	job->sum->no_voltage += !opp->volt_uv;
	cl->opp_count++;

	for (int active = 1; active >= 0; active--) {
		const char *name = active ? "active" : "idle";

		if (!active && (job->sum->idle_left_out || !json_has(obj, name)))
			continue;
		memset(&w, 0, sizeof(w));
		ret = json_get_object(obj, name, &part, err);
		if (ret)
			return ret;
		ret = read_window(job, part, active, &w, err);
		if (!ret)
			ret = add_row(job, cl, opp, &w, active, err);
		if (ret)
			return err_wrap(err, ret, "%s", name);
	}
	return 0;
}

/* The median is the true CoreMark per MHz: a clock that was not delivered is the
 * exception. */
static void flag_clocks(struct job *job, size_t first)
{
	double *per_mhz = job->readings, mid;
	size_t n = 0;

	for (size_t i = first; i < job->rows->count; i++) {
		const struct sample *row = &job->rows->rows[i];
		uint64_t end = i + 1 < job->rows->count ? row[1].time_ns : job->time_ns;

		if (row->cpu_count && n < MAX_READINGS)
			per_mhz[n++] = row->work / (double)(end - row->time_ns) /
				       row->opp_khz;
	}
	if (!n)
		return;
	mid = median(per_mhz, n, job->readings + MAX_READINGS);
	n = 0;
	for (size_t i = first; i < job->rows->count && mid > 0; i++) {
		struct sample *row = &job->rows->rows[i];
		double share;

		if (!row->cpu_count)
			continue;
		share = per_mhz[n++] / mid;
		if (fabs(share - 1) <= CLOCK_LIMIT)
			continue;
		row->freq_khz = fmax(1, fmin(round(share * row->opp_khz), UINT32_MAX));
		row->flags |= SAMPLE_CLOCK;
		job->sum->clock++;
	}
}

static int by_khz(const void *a, const void *b)
{
	const struct board_opp *x = a, *y = b;

	return (x->khz > y->khz) - (x->khz < y->khz);
}

static int read_cpu(struct job *job, const char *key, const struct json *obj,
		    struct err *err)
{
	struct runinfo *info = job->info;
	struct runinfo_cluster *cl = &info->clusters[info->cluster_count];
	const struct json *freqs, *clock;
	size_t first = job->rows->count;
	const char *khz;
	uint32_t cpu;
	int ret;

	if (num_u32(key, &cpu) || cpu >= SAMPLES_MAX_CPUS)
		return err_set(err, -EINVAL, "'%s' is not a CPU number", key);
	for (unsigned int i = 0; i < info->cluster_count; i++)
		if (info->clusters[i].cpus[0] == cpu)
			return err_set(err, -EINVAL, "CPU %u is there twice", cpu);
	if (info->cluster_count == BOARD_MAX_CLUSTERS)
		return err_set(err, -ERANGE, "more than %d CPUs", BOARD_MAX_CLUSTERS);
	ret = json_get_object(obj, "freqs", &freqs, err);
	if (ret)
		return ret;
	info->cluster_count++;
	snprintf(cl->name, sizeof(cl->name), "cpu%u", cpu);
	cl->cpus[0] = cpu;
	cl->cpu_count = 1;
	snprintf(cl->sensor, sizeof(cl->sensor), "freqbench power supply");

	for (size_t i = 0; (khz = json_member(freqs, i, &clock)); i++) {
		if (cl->opp_count == BOARD_MAX_OPPS)
			return err_set(err, -ERANGE, "freqs: more than %d clocks",
				       BOARD_MAX_OPPS);
		ret = read_clock(job, cl, khz, clock, err);
		if (ret)
			return err_wrap(err, ret, "freqs.%s", khz);
	}
	flag_clocks(job, first);
	qsort(cl->opps, cl->opp_count, sizeof(cl->opps[0]), by_khz);
	snprintf(cl->volt_source, sizeof(cl->volt_source),
		 job->volts->count ? "user" : "");
	return 0;
}

/*
 * The base without run.log's rounding: the least or the median of the housekeeping
 * readings, by freqbench's version; whichever of them run.log's number is the rounded
 * form of.
 */
static int refine_base(struct job *job, const struct json *root, struct err *err)
{
	double *v = job->readings, logged = job->info->baseline_uw / 1e3, exact[2];
	static const char *const names[2] = { "least", "median" };
	const struct json *keeping, *arr;
	size_t n;
	int ret;

	if (job->o->has_base || !job->info->has_baseline ||
	    !json_has(root, "housekeeping"))
		return 0;
	ret = json_get_object(root, "housekeeping", &keeping, err);
	if (!ret)
		ret = json_get_array(keeping, "power_samples", &arr, err);
	if (ret)
		return err_wrap(err, ret, "housekeeping");
	n = json_len(arr);
	if (!n || n > MAX_READINGS)
		return 0;
	for (size_t i = 0; i < n; i++) {
		ret = json_at_double(arr, i, "housekeeping.power_samples", &v[i], err);
		if (ret)
			return ret;
	}
	exact[1] = median(v, n, v + MAX_READINGS);
	exact[0] = v[MAX_READINGS]; /* sorted by median() */
	for (int k = 0; k < 2; k++) {
		if (fabs(exact[k] - logged) > 0.5)
			continue;
		job->info->baseline_uw = llround(exact[k] * 1e3);
		snprintf(job->info->baseline_source, sizeof(job->info->baseline_source),
			 "%s of housekeeping, as run.log rounds it", names[k]);
		break;
	}
	return 0;
}

static int read_results(struct job *job, const char *path, struct err *err)
{
	const struct json *cpus, *cpu;
	struct json *root;
	const char *key;
	int ret = json_read(path, &root, err);

	if (ret)
		return ret;
	ret = refine_base(job, root, err);
	if (!ret)
		ret = json_get_object(root, "cpus", &cpus, err);
	for (size_t i = 0; !ret && (key = json_member(cpus, i, &cpu)); i++) {
		ret = read_cpu(job, key, cpu, err);
		if (ret)
			err_wrap(err, ret, "cpus.%.40s", key);
	}
	json_free(root);
	if (ret)
		return err_wrap(err, ret, "%s", path);
	if (!job->rows->count)
		return err_set(err, -EINVAL, "%s: key 'cpus' holds no results", path);
	return 0;
}

/* "Baseline power usage: 1305 mW" in run.log, in uW. -ENOENT: there is no run.log. */
static int read_log_base(const char *dir, int64_t *base_uw, struct err *err)
{
	static const char mark[] = "Baseline power usage: ";
	char path[PATH_MAX], number[32] = "";
	struct buf log = { 0 };
	char *at;
	int ret = runinfo_path(dir, "run.log", path, sizeof(path), err);

	if (!ret)
		ret = buf_read_regular(&log, path, MAX_FILE, err);
	if (ret)
		return ret;
	at = log.data ? memmem(log.data, log.len, mark, strlen(mark)) : NULL;
	if (at) {
		at += strlen(mark);
		snprintf(number, sizeof(number), "%.*s", (int)strcspn(at, " \r\n"), at);
	}
	buf_free(&log);
	if (num_scaled(number, 3, base_uw))
		return err_set(err, -EINVAL,
			       "%s: no line '%sN mW' with a number; give the base with "
			       "--base",
			       path, mark);
	return 0;
}

static int read_base(struct job *job, struct err *err)
{
	struct runinfo *info = job->info;
	int64_t base_uw;
	int ret;

	if (!job->o->has_base) {
		ret = read_log_base(job->o->dir, &base_uw, err);
		if (ret == -ENOENT) {
			job->sum->idle_left_out = true;
			return 0;
		}
		if (ret)
			return ret;
	} else if (job->o->base_mw >= 0 && job->o->base_mw <= MAX_MW) {
		base_uw = llround(job->o->base_mw * 1e3);
	} else {
		return err_set(err, -ERANGE, "--base %g is not in 0..%g mW",
			       job->o->base_mw, MAX_MW);
	}
	if (base_uw < 0 || base_uw > MAX_MW * 1e3)
		return err_set(err, -ERANGE,
			       "%s/run.log: a base of %g mW is not in 0..%g mW; give it "
			       "with --base",
			       job->o->dir, base_uw / 1e3, MAX_MW);
	info->has_baseline = true;
	info->baseline_uw = base_uw;
	snprintf(info->baseline_source, sizeof(info->baseline_source), "%s",
		 job->o->has_base ? "user" : "run.log");
	return 0;
}

static int read_voltages(struct job *job, struct err *err)
{
	char path[PATH_MAX];
	int ret;

	if (job->o->voltages)
		return voltages_read(job->o->voltages, job->volts, err);
	ret = runinfo_path(job->o->dir, "voltages.txt", path, sizeof(path), err);
	if (!ret)
		ret = voltages_read(path, job->volts, err);
	return ret == -ENOENT ? 0 : ret;
}

int freqbench_read(const struct freqbench_options *o, struct samples *rows,
		   struct raw *raw, struct runinfo *info, struct freqbench_summary *sum,
		   struct err *err)
{
	struct job job = { .o = o, .rows = rows, .raw = raw, .info = info, .sum = sum };
	char path[PATH_MAX];
	int ret;

	memset(info, 0, sizeof(*info));
	memset(sum, 0, sizeof(*sum));
	job.volts = calloc(1, sizeof(*job.volts));
	/* The readings, and room to sort them and their deviations. */
	job.readings = calloc(3 * MAX_READINGS, sizeof(*job.readings));
	if (!job.volts || !job.readings) {
		ret = err_errno(err, -ENOMEM, "'%s'", o->dir);
		goto out;
	}
	ret = runinfo_path(o->dir, "results.json", path, sizeof(path), err);
	if (!ret && access(path, F_OK))
		ret = err_set(err, -ENOENT,
			      "'%s' is not there; name a freqbench result folder", path);
	if (!ret)
		ret = read_voltages(&job, err);
	if (!ret)
		ret = read_base(&job, err);
	if (!ret)
		ret = read_results(&job, path, err);
out:
	free(job.volts);
	free(job.readings);
	return ret;
}
