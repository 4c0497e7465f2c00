// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a window's readings to a row of samples.csv.
 */
#include "calib/measure/window.h"

#include "calib/measure/delivered.h"
#include "calib/measure/runner_internal.h"
#include "calib/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trend is one when it is this much of the power, and this many of its own sd. */
#define TREND_SHARE   0.05
#define TREND_SDS     4
#define TREND_MIN_DOF 8
#define ERRATIC_SHARE 0.5 /* of the mean: standard deviation of readings */
#define TEMP_TREND_MC 10000

struct line {
	double mean, drift; /* over the window */
	double ss_mean, ss_line;
};

void window_add(struct runner_window *w, const struct reading *r)
{
	if (w->reads == PLAN_MAX_READS)
		return;
	w->raw[w->reads++] = (struct raw_reading){
		.time_ns = r->time_ns,
		.power_uw = r->power_uw,
		.volt_uv = r->volt_uv,
		.temp_mc = w->temps ? w->temp_last_mc : SAMPLE_TEMP_UNKNOWN,
	};
	if (r->volt_uv) {
		w->volt_sum_uv += r->volt_uv;
		w->volts++;
	}
}

/* The readings against their number: mean and straight line. */
static struct line fit_line(const struct runner_window *w)
{
	double n = w->reads, sum = 0, sxx = n * (n * n - 1) / 12, sxy = 0;
	struct line l = { 0 };

	for (unsigned int i = 0; i < w->reads; i++)
		sum += w->raw[i].power_uw;
	l.mean = sum / n;
	for (unsigned int i = 0; i < w->reads; i++) {
		double d = w->raw[i].power_uw - l.mean;

		l.ss_mean += d * d;
		sxy += d * (i - (n - 1) / 2);
	}
	if (w->reads < 2)
		return l;
	l.drift = sxy / sxx * (n - 1);
	l.ss_line = fmax(l.ss_mean - sxy * sxy / sxx, 0);
	return l;
}

/*
 * Against the noise of all windows: three readings of this one say little about it. Idle
 * has a pool of its own, as a background task is more to it than to a loaded cluster.
 */
static bool is_unsettled(const struct runner *r, const struct plan_window *w,
			 const struct line *l)
{
	const struct runner_noise *noise = &r->noise[w->cpu_count > 0];
	double n = r->window.reads, sd;

	if (n < 2 || noise->dof < TREND_MIN_DOF)
		return false;
	sd = sqrt(noise->ss / noise->dof * 12 * (n - 1) / (n * (n + 1)));
	return fabs(l->drift) > TREND_SHARE * fabs(l->mean) &&
	       fabs(l->drift) > TREND_SDS * sd;
}

/*
 * The mean temperature stands for a window's leakage while that is nearly a line over it:
 * at 3 % per kelvin, 10 K make an error of 0.4 % of the leakage.
 */
static bool is_warming(const struct runner_window *w)
{
	return w->temps && labs((long)w->temp_last_mc - w->temp_first_mc) > TEMP_TREND_MC;
}

/*
 * A meter that shows one value through a change of load and a whole window is stuck. Not
 * so between two idle windows: a coarse one may well show the same for both.
 */
static bool is_stale(const struct runner *r, const struct plan_window *w)
{
	const struct runner_before *b = &r->before;

	if (r->meter.changed || !b->any)
		return false;
	if (b->stale)
		return true;
	return (w->cpu_count || b->cpu_count) &&
	       (w->cpu_count != b->cpu_count || w->khz != b->khz);
}

/*
 * A load that goes on and on draws power that varies by some percent; ripple and coarse
 * meters add to it. Of an idle cluster, and of a command that may rest, nothing is known.
 */
static bool is_erratic(const struct plan_window *w, const struct sample *row)
{
	return w->cpu_count && strcmp(w->load, "cmd") != 0 &&
	       row->power_sd_uw > ERRATIC_SHARE * fabs((double)row->power_uw);
}

/* The clock that was delivered, else what cpufreq claims. */
static uint32_t delivered_khz(const struct runner *r, const struct plan_window *w)
{
	uint32_t khz;

	if (!delivered_by_cycles(&r->window.begin, &r->window.end, w->cpu_count,
				 r->opp_khz, &khz))
		return khz;
	if (!yardstick_khz(r, w, &khz))
		return khz;
	if (!r->machine->ops->read_khz(r->machine, r->plan->cluster, &khz, NULL))
		return khz;
	return r->opp_khz;
}

/*
 * Of CPUs that sleep it may come out less than 0, as their idle time is told in steps.
 * Cut at 0 it would be too much on the mean, and so would C: the dynamic power between
 * idle and load would seem to be that of less load.
 */
static double util_pct(const struct runner *r, const struct plan_window *w)
{
	const struct usage *a = &r->window.begin, *b = &r->window.end;
	double busy_ns = (double)b->busy_ns - (double)a->busy_ns;

	if (!a->busy_known || !b->busy_known || b->time_ns <= a->time_ns ||
	    (w->cpu_count && busy_ns < 0))
		return 100.0 * w->cpu_count;
	return fmax(100 * busy_ns / (b->time_ns - a->time_ns), SAMPLES_MIN_UTIL_PCT);
}

static uint32_t flags_of(const struct runner *r, const struct plan_window *w,
			 const struct sample *row, const struct line *l)
{
	uint32_t flags = 0;

	if (r->window.throttled)
		flags |= SAMPLE_THROTTLED;
	if (delivered_differs(row->freq_khz, row->opp_khz))
		flags |= SAMPLE_CLOCK;
	if (is_stale(r, w))
		flags |= SAMPLE_STALE;
	if (is_unsettled(r, w, l) || is_warming(&r->window))
		flags |= SAMPLE_UNSETTLED;
	if (r->window.reads < r->timing.min_reads)
		flags |= SAMPLE_FEW_READS;
	if (r->window.bad)
		flags |= SAMPLE_BAD_READS;
	if (is_erratic(w, row))
		flags |= SAMPLE_ERRATIC;
	return flags;
}

static uint64_t difference(uint64_t begin, uint64_t end)
{
	return end > begin ? end - begin : 0;
}

void window_row(const struct runner *r, const struct plan_window *w, struct sample *row)
{
	const struct runner_window *win = &r->window;
	struct line l = fit_line(win);

	*row = (struct sample){
		.time_ns = win->begin.time_ns,
		.opp_khz = r->opp_khz,
		.freq_khz = delivered_khz(r, w),
		.volt_uv = win->volts ? llround(win->volt_sum_uv / win->volts)
				      : r->opp_uv,
		.cpu_count = w->cpu_count,
		.util_pct = util_pct(r, w),
		.power_uw = llround(l.mean),
		.reads = win->reads,
		.temp_mc = win->temps ? lround(win->temp_sum_mc / win->temps)
				      : SAMPLE_TEMP_UNKNOWN,
		.work = difference(win->begin.work, win->end.work),
		.cycles = difference(win->begin.cycles, win->end.cycles),
		.load_ns = difference(win->begin.load_ns, win->end.load_ns),
	};
	if (win->reads > 1)
		row->power_sd_uw = fmin(sqrt(l.ss_mean / (win->reads - 1)), UINT32_MAX);
	snprintf(row->cluster, sizeof(row->cluster), "%s",
		 r->info->clusters[r->plan->cluster].name);
	snprintf(row->load, sizeof(row->load), "%s", w->load);
	row->flags = flags_of(r, w, row, &l);
}

void window_learn(struct runner *r, const struct plan_window *w, const struct sample *row)
{
	struct runner_noise *noise = &r->noise[w->cpu_count > 0];
	struct line l = fit_line(&r->window);

	r->before = (struct runner_before){
		.any = true,
		.stale = row->flags & SAMPLE_STALE,
		.khz = w->khz,
		.cpu_count = w->cpu_count,
	};
	if (row->flags & SAMPLE_STALE)
		return;
	/* About the line, a trend is no noise; two readings cannot tell one from the
	 * other. */
	if (r->window.reads > 2) {
		noise->ss += l.ss_line;
		noise->dof += r->window.reads - 2;
	} else if (r->window.reads == 2 && !(row->flags & SAMPLE_UNSETTLED)) {
		noise->ss += l.ss_mean;
		noise->dof += 1;
	}
}
