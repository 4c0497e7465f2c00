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

#include "boards/board.h"
#include "models/power.h"

enum cov_effect {
	COV_DROOP = 1 << 0,	 /* the rail sinks with the current; V is measured */
	COV_THERMAL = 1 << 1,	 /* leakage grows with the temperature of the moment */
	COV_DRIFT = 1 << 2,	 /* the meter's offset differs from visit to visit */
	COV_BACKGROUND = 1 << 3, /* other tasks, seen in the utilisation */
	COV_OUTLIERS = 1 << 4,	 /* 4 % of the windows are 40 % too high */
	COV_COARSE = 1 << 5,	 /* coarse steps of meter, rail voltage, thermometer */
	COV_MEMORY = 1 << 6,	 /* a window's error is in part that of the one before */
	COV_NO_SHARED = 1 << 7,	 /* D is 0 */
	COV_ALL = COV_DROOP | COV_THERMAL | COV_DRIFT | COV_BACKGROUND | COV_OUTLIERS |
		  COV_COARSE | COV_MEMORY,
	/* not among them */
	COV_ASCENDING = 1 << 8,	  /* OPPs from the lowest up, not in random order */
	COV_OTHER_LEAK = 1 << 9,  /* leakage of another law: V exp(1.5 V) T^2 exp(-1/T) */
	COV_NO_IDLE = 1 << 10,	  /* no idle rows */
	COV_TABLE = 1 << 11,	  /* the voltage is that of the table, not of the rail */
	COV_TICKS = 1 << 12,	  /* what CPUs did that were to sleep is told in ticks */
	COV_HOT_LEAK = 1 << 13,	  /* leakage by V and 6 %/K: ends of what silicon does */
	COV_STEEP_LEAK = 1 << 14, /* by V^5 and 1 %/K */
};

/* A cluster of a board that is built in, with the truth of its virtual twin. */
struct cov_cluster {
	const char *board, *name;
	unsigned int cpus, opps;
	double mhz[BOARD_MAX_OPPS], volt[BOARD_MAX_OPPS];
	double c, d; /* uW/MHz/V^2 */
	double leak_uw, growth, leak_celsius;
	double board_uw;
	double ohm; /* of the rail */
	double kelvin_per_w;
};

#define COV_CLUSTERS	 4
#define COV_MAX_ROWS	 (2 * BOARD_MAX_OPPS * 8)
#define COV_READS	 20
#define COV_SETTLE	 10 /* steps */
#define COV_AMBIENT	 30
#define COV_WARMING	 5 /* of the room, in kelvin, until the end */
#define COV_MEMORY_SHARE 0.4
#define COV_TICK	 0.0125 /* of a window: 10 ms of 0.8 s */
#define COV_LEAK_SHARE	 13.0	/* of other leakage: energy against k T at leak_celsius */

static void cov_take(struct cov_cluster *k, const struct board_cluster *bc)
{
	const struct board_truth *t = &bc->truth;
	unsigned int i;

	k->cpus = bc->cpu_count;
	k->opps = bc->opp_count;
	for (i = 0; i < k->opps; i++) {
		k->mhz[i] = bc->opps[i].khz / 1e3;
		k->volt[i] = bc->opps[i].volt_uv / 1e6;
	}
	k->c = t->dpc_uw_per_mhz_v2;
	k->d = t->uncore_uw_per_mhz_v2;
	k->leak_uw = t->leak_uw_per_v3;
	k->growth = t->leak_ppm_per_k / 1e6;
	k->leak_celsius = t->leak_ref_mc / 1e3;
	k->board_uw = t->board_uw;
	k->ohm = t->droop_uohm / 1e6;
	k->kelvin_per_w = t->thermal_mk_per_w / 1e3;
}

/* Cluster number @i of the study; exits when it is not there. */
static struct cov_cluster cov_cluster(unsigned int i)
{
	static const char *const names[COV_CLUSTERS][2] = { { "odroid-xu3", "a7" },
							    { "odroid-xu3", "a15" },
							    { "juno-r2", "a53" },
							    { "tc2", "a15" } };
	struct cov_cluster k = { .board = names[i][0], .name = names[i][1] };
	struct board *b = calloc(1, sizeof(*b));
	unsigned int n;

	if (!b || board_load(k.board, b, NULL))
		abort();
	for (n = 0; n < b->cluster_count; n++)
		if (!strcmp(b->clusters[n].name, k.name))
			cov_take(&k, &b->clusters[n]);
	free(b);
	if (!k.opps)
		abort();
	return k;
}

static double cov_leakage(const struct cov_cluster *k, unsigned int effects, double volt,
			  double celsius)
{
	double ref = k->leak_celsius, t = (celsius + 273) / (ref + 273);
	double growth = k->growth, exponent = 3;

	if (!(effects & COV_THERMAL))
		return k->leak_uw * pow(volt, 3);
	if (effects & COV_OTHER_LEAK)
		return k->leak_uw * volt * exp(1.5 * (volt - 1)) * t * t *
		       exp(COV_LEAK_SHARE * (1 - 1 / t));
	if (effects & COV_HOT_LEAK) {
		growth = 0.06;
		exponent = 1;
	} else if (effects & COV_STEEP_LEAK) {
		growth = 0.01;
		exponent = 5;
	}
	return k->leak_uw * pow(volt, exponent) * exp(growth * (celsius - ref));
}

struct cov_state {
	double volt, uw;
};

static struct cov_state cov_rail(const struct cov_cluster *k, unsigned int effects,
				 unsigned int opp, double busy, double clocked,
				 double celsius)
{
	double ohm = effects & COV_DROOP ? k->ohm : 0;
	double d = effects & COV_NO_SHARED ? 0 : k->d;
	struct cov_state s = { .volt = k->volt[opp] };
	int i;

	for (i = 0; i < 30; i++) {
		s.uw = (k->c * busy + d * clocked) * k->mhz[opp] * s.volt * s.volt +
		       cov_leakage(k, effects, s.volt, celsius);
		s.volt = k->volt[opp] - ohm * s.uw / 1e6 / s.volt;
	}
	return s;
}

static double cov_step(double x, double lsb)
{
	return lsb > 0 ? round(x / lsb) * lsb : x;
}

/* What is carried from window to window. */
struct cov_world {
	const struct cov_cluster *k;
	unsigned int effects;
	gsl_rng *rng;
	double celsius, ambient, error; /* error: in its standard deviations */
};

/* Towards what the power heats to; the windows are two time constants long. */
static struct cov_state cov_heat(struct cov_world *w, unsigned int opp, double busy,
				 double clocked)
{
	struct cov_state s;
	int step;

	for (step = 0; step < COV_SETTLE; step++) {
		s = cov_rail(w->k, w->effects, opp, busy, clocked, w->celsius);
		w->celsius += (w->ambient + w->k->kelvin_per_w * s.uw / 1e6 -
			       w->celsius) *
			      (1 - exp(-2.0 / COV_SETTLE));
	}
	return cov_rail(w->k, w->effects, opp, busy, clocked, w->celsius);
}

static double cov_error(struct cov_world *w, double uw)
{
	double sd = hypot(0.005 * uw, 0.002 * 1e6 * w->k->c / 300) / sqrt(COV_READS);
	double share = w->effects & COV_MEMORY ? COV_MEMORY_SHARE : 0;

	w->error = share * w->error + gsl_ran_gaussian(w->rng, sqrt(1 - share * share));
	return sd * w->error;
}

/* Begin and end of a window, both cut to a tick. Loaded CPUs are busy all the time. */
static double cov_tick_error(struct cov_world *w, unsigned int sleeping)
{
	double error = 0;
	unsigned int i;

	if (!(w->effects & COV_TICKS))
		return 0;
	for (i = 0; i < sleeping; i++)
		error += COV_TICK * (gsl_rng_uniform(w->rng) - gsl_rng_uniform(w->rng));
	return error;
}

static void cov_window(struct cov_world *w, unsigned int opp, unsigned int count,
		       double offset, struct sample *s)
{
	const struct cov_cluster *k = w->k;
	double background = w->effects & COV_BACKGROUND
				    ? 0.03 * gsl_ran_exponential(w->rng, 1)
				    : 0;
	double busy = fmin(count + background, k->cpus);
	double coarse = w->effects & COV_COARSE ? 1 : 0, uw;
	struct cov_state state = cov_heat(w, opp, busy, count ? 1 : busy);

	uw = state.uw + k->board_uw + offset + cov_error(w, state.uw);
	if (w->effects & COV_OUTLIERS && gsl_rng_uniform(w->rng) < 0.04)
		uw *= 1.4;
	memset(s, 0, sizeof(*s));
	strcpy(s->cluster, "x");
	strcpy(s->load, "int");
	s->opp_khz = s->freq_khz = k->mhz[opp] * 1000;
	s->cpu_count = count;
	busy += cov_tick_error(w, k->cpus - count);
	s->util_pct = cov_step(100 * busy, 0.001);
	s->volt_uv = cov_step(1e6 * state.volt, coarse * 1250 / sqrt(COV_READS));
	if (w->effects & COV_TABLE)
		s->volt_uv = llround(1e6 * k->volt[opp]);
	s->power_uw = llround(cov_step(uw, coarse * k->c * 3));
	s->temp_mc = lround(cov_step(w->celsius * 1e3, coarse * 1000));
	s->reads = COV_READS;
}

/* Two sweeps over all OPPs, at each idle and 1 .. n CPUs. Returns the rows. */
static size_t cov_generate(const struct cov_cluster *k, unsigned int effects,
			   gsl_rng *rng, struct sample *rows)
{
	struct cov_world w = { k, effects, rng, COV_AMBIENT + 5, COV_AMBIENT, 0 };
	unsigned int order[BOARD_MAX_OPPS], sweep, i, count;
	size_t n = 0;

	for (i = 0; i < k->opps; i++)
		order[i] = i;
	for (sweep = 0; sweep < 2; sweep++) {
		if (!(effects & COV_ASCENDING))
			gsl_ran_shuffle(rng, order, k->opps, sizeof(order[0]));
		for (i = 0; i < k->opps; i++) {
			double offset = effects & COV_DRIFT
						? gsl_ran_gaussian(rng, 10 * k->c)
						: 0;

			w.ambient = COV_AMBIENT +
				    COV_WARMING * (sweep + (double)i / k->opps) / 2;
			for (count = effects & COV_NO_IDLE ? 1 : 0; count <= k->cpus;
			     count++)
				cov_window(&w, order[i], count, offset, &rows[n++]);
		}
	}
	return n;
}

/* Sums over calibrations; add them up to pool clusters. */
struct cov_result {
	unsigned int runs, held, failed;
	double off_pct, half_pct; /* sums of the deviations and half widths */
};

static void cov_add(struct cov_result *r, const struct power_fit *f, double c)
{
	r->runs++;
	r->off_pct += 100 * (f->c / c - 1);
	r->half_pct += 50 * (f->ci95[1] - f->ci95[0]) / c;
	r->held += f->ci95[0] <= c && c <= f->ci95[1];
}

/* @repeats calibrations, all @methods on the same data; NULL ends them. */
static inline void cov_run(const struct cov_cluster *k, unsigned int effects,
			   const char *const *methods, struct cov_result *results,
			   unsigned int repeats, unsigned long seed)
{
	const struct power_select sel = { .cluster = "x",
					  .volt_measured = !(effects & COV_TABLE) };
	static struct sample rows[COV_MAX_ROWS];
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	unsigned int i, m;

	gsl_rng_set(rng, seed);
	for (i = 0; i < repeats; i++) {
		size_t count = cov_generate(k, effects, rng, rows);
		struct power_data d;
		struct power_fit f;
		int ret = power_data_init(&d, rows, count, &sel, NULL);

		for (m = 0; methods[m]; m++) {
			if (ret ||
			    power_fit_with(power_method_find(methods[m]), &d, &f, NULL))
				results[m].failed++;
			else
				cov_add(&results[m], &f, k->c);
		}
		power_data_free(&d);
	}
	gsl_rng_free(rng);
}

#endif
