/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calibrations of made-up clusters with a known coefficient, one effect or all at once,
 * and how often a method's 95 % interval holds the truth. Shared by the study
 * (bench_coverage.c) and its short form among the unit tests.
 */
#ifndef TESTS_BENCH_COVERAGE_H
#define TESTS_BENCH_COVERAGE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "models/power.h"

enum cov_effect {
	COV_DROOP = 1 << 0,	 /* the rail sinks with the current; V is measured */
	COV_THERMAL = 1 << 1,	 /* leakage grows with the temperature of the moment */
	COV_DRIFT = 1 << 2,	 /* the meter's offset differs from visit to visit */
	COV_BACKGROUND = 1 << 3, /* other tasks, seen in the utilisation */
	COV_OUTLIERS = 1 << 4,	 /* 4 % of the windows are 40 % too high */
	COV_COARSE = 1 << 5,	 /* coarse steps of meter, rail voltage, thermometer */
	COV_OTHER_LEAK = 1 << 6, /* leakage of another law: V exp(1.5 V) T^2 exp(-1/T) */
	COV_NO_IDLE = 1 << 7,	 /* no idle rows */
	COV_TABLE = 1 << 8,	 /* the voltage is that of the table, not of the rail */
	COV_ALL = COV_DROOP | COV_THERMAL | COV_DRIFT | COV_BACKGROUND | COV_OUTLIERS |
		  COV_COARSE,
};

struct cov_cluster {
	const char *name;
	unsigned int cpus, opps;
	double mhz[20], volt[20];
	double c, d;	/* uW/MHz/V^2 */
	double leak_uw; /* at 1 V and 40 degrees */
	double board_uw;
	double ohm; /* of the rail */
	double kelvin_per_w;
};

static const struct cov_cluster cov_clusters[] = {
	{ "little, 13 OPPs",
	  4,
	  13,
	  { 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400 },
	  { 0.9, 0.9, 1, 1, 1, 1, 1.1, 1.1, 1.1, 1.25, 1.25, 1.25, 1.275 },
	  90,
	  60,
	  12000,
	  4000,
	  0.025,
	  12 },
	{ "big, 19 OPPs",
	  4,
	  19,
	  { 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500,
	    1600, 1700, 1800, 1900, 2000 },
	  { 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 1, 1, 1, 1, 1.1, 1.1, 1.1, 1.25, 1.25,
	    1.2375, 1.2625, 1.3125 },
	  310,
	  150,
	  60000,
	  10000,
	  0.008,
	  7 },
	{ "two big, 3 OPPs",
	  2,
	  3,
	  { 600, 1000, 1200 },
	  { 0.82, 0.91, 1.0 },
	  450,
	  300,
	  80000,
	  15000,
	  0.02,
	  15 },
	{ "six, 8 OPPs",
	  6,
	  8,
	  { 800, 1200, 1600, 2000, 2400, 2800, 3200, 3600 },
	  { 0.65, 0.7, 0.75, 0.82, 0.9, 1.0, 1.1, 1.2 },
	  700,
	  600,
	  700000,
	  300000,
	  0.001,
	  1.2 },
};

#define COV_CLUSTERS (sizeof(cov_clusters) / sizeof(cov_clusters[0]))
#define COV_MAX_ROWS (2 * 20 * 7)
#define COV_READS    20

static double cov_leakage(const struct cov_cluster *k, unsigned int effects, double volt,
			  double celsius)
{
	double t = (celsius + 273) / 313;

	if (!(effects & COV_THERMAL))
		celsius = 40;
	if (effects & COV_OTHER_LEAK)
		return k->leak_uw * volt * exp(1.5 * (volt - 1)) * t * t *
		       exp(13 * (1 - 1 / t));
	return k->leak_uw * volt * volt * volt * exp(0.04 * (celsius - 40));
}

struct cov_state {
	double volt, uw;
};

static struct cov_state cov_rail(const struct cov_cluster *k, unsigned int effects,
				 unsigned int opp, double busy, double clocked,
				 double celsius)
{
	double ohm = effects & COV_DROOP ? k->ohm : 0;
	struct cov_state s = { .volt = k->volt[opp] };
	int i;

	for (i = 0; i < 30; i++) {
		s.uw = (k->c * busy + k->d * clocked) * k->mhz[opp] * s.volt * s.volt +
		       cov_leakage(k, effects, s.volt, celsius);
		s.volt = k->volt[opp] - ohm * s.uw / 1e6 / s.volt;
	}
	return s;
}

static double cov_step(double x, double lsb)
{
	return lsb > 0 ? round(x / lsb) * lsb : x;
}

/* One window: @celsius is carried along. */
static void cov_window(const struct cov_cluster *k, unsigned int effects, gsl_rng *rng,
		       unsigned int opp, unsigned int count, double offset,
		       double *celsius, struct sample *s)
{
	double background = effects & COV_BACKGROUND ? 0.03 * gsl_ran_exponential(rng, 1)
						     : 0;
	double busy = fmin(count + background, k->cpus);
	double clocked = count ? 1 : busy;
	double coarse = effects & COV_COARSE ? 1 : 0;
	struct cov_state state = cov_rail(k, effects, opp, busy, clocked, *celsius);
	double end = 30 + k->kelvin_per_w * state.uw / 1e6, sd, uw;

	/* Not quite settled, and the window is short against the time constant. */
	*celsius = end + (*celsius - end) * exp(-2);
	state = cov_rail(k, effects, opp, busy, clocked, *celsius);
	sd = hypot(0.005 * state.uw, 0.002 * 1e6 * k->c / 300) / sqrt(COV_READS);
	uw = state.uw + k->board_uw + offset + gsl_ran_gaussian(rng, sd);
	if (effects & COV_OUTLIERS && gsl_rng_uniform(rng) < 0.04)
		uw *= 1.4;
	memset(s, 0, sizeof(*s));
	strcpy(s->cluster, "x");
	strcpy(s->load, "int");
	s->opp_khz = s->freq_khz = k->mhz[opp] * 1000;
	s->cpu_count = count;
	s->util_pct = cov_step(100 * busy, 0.001);
	s->volt_uv = cov_step(1e6 * state.volt, coarse * 1250 / sqrt(COV_READS));
	if (effects & COV_TABLE)
		s->volt_uv = llround(1e6 * k->volt[opp]);
	s->power_uw = llround(cov_step(uw, coarse * k->c * 3));
	s->temp_mc = lround(cov_step(*celsius * 1e3, coarse * 1000));
	s->reads = COV_READS;
}

static size_t cov_generate(const struct cov_cluster *k, unsigned int effects,
			   gsl_rng *rng, struct sample *rows)
{
	unsigned int sweep, i, count;
	double celsius = 35;
	size_t n = 0;

	for (sweep = 0; sweep < 2; sweep++)
		for (i = 0; i < k->opps; i++) {
			unsigned int opp = sweep ? (i * 7 + 3) % k->opps : i;
			double offset = effects & COV_DRIFT
						? gsl_ran_gaussian(rng, 10 * k->c)
						: 0;

			for (count = effects & COV_NO_IDLE ? 1 : 0; count <= k->cpus;
			     count++)
				cov_window(k, effects, rng, opp, count, offset, &celsius,
					   &rows[n++]);
		}
	return n;
}

struct cov_result {
	double bias_pct, sd_pct, coverage_pct, half_width_pct;
	unsigned int failed;
};

/* @repeats calibrations; the same for every method, as the seed is. */
static struct cov_result cov_run(const struct cov_cluster *k, unsigned int effects,
				 const char *method, unsigned int repeats,
				 unsigned long seed)
{
	const struct power_method *m = power_method_find(method);
	const struct power_select sel = { .cluster = "x",
					  .volt_measured = !(effects & COV_TABLE) };
	static struct sample rows[COV_MAX_ROWS];
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double sum = 0, squares = 0, half = 0;
	struct cov_result r = { 0 };
	unsigned int i, held = 0, n = 0;

	gsl_rng_set(rng, seed);
	for (i = 0; i < repeats; i++) {
		size_t count = cov_generate(k, effects, rng, rows);
		struct power_data d;
		struct power_fit f;

		if (power_data_init(&d, rows, count, &sel, NULL) ||
		    power_fit_with(m, &d, &f, NULL)) {
			r.failed++;
		} else {
			double off = 100 * (f.c / k->c - 1);

			n++;
			sum += off;
			squares += off * off;
			half += 50 * (f.ci95[1] - f.ci95[0]) / k->c;
			held += f.ci95[0] <= k->c && k->c <= f.ci95[1];
		}
		power_data_free(&d);
	}
	gsl_rng_free(rng);
	r.bias_pct = sum / n;
	r.sd_pct = sqrt(fmax(squares / n - r.bias_pct * r.bias_pct, 0));
	r.coverage_pct = 100.0 * held / n;
	r.half_width_pct = half / n;
	return r;
}

#endif
