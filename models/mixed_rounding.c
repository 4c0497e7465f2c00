// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a coarse thermometer does to the coefficient. Error in a column, unlike error in
 * the power, does not average out: it flattens the leakage's growth, and what is missing
 * goes into C. Making it worse on purpose, by the same amount again, shows by how much
 * (simulation and extrapolation, Cook and Stefanski 1994).
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "models/mixed.h"

#define DRAWS	  16
#define MIN_SHARE 0.6 /* of the rows that are on the steps */

static bool on_step(double celsius, long step_mc)
{
	return lround(celsius * 1e3) % step_mc == 0;
}

/* The steps of the thermometer in mC; 0: too fine to matter, or unknown. */
static long find_step(const struct power_data *d)
{
	static const long steps_mc[] = { 5000, 2000, 1000, 500, 250 };
	size_t i, k, n;

	for (k = 0; k < sizeof(steps_mc) / sizeof(steps_mc[0]); k++) {
		for (i = n = 0; i < d->row_count; i++)
			n += on_step(d->rows[i].celsius, steps_mc[k]);
		if (n >= MIN_SHARE * d->row_count)
			return steps_mc[k];
	}
	return 0;
}

/* -0.5 .. 0.5, the same sequence in every run (Numerical Recipes' quick generator). */
static double next_uniform(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state / 4294967296.0 - 0.5;
}

static void roughen(struct mixed *f, long step_mc, uint32_t *state)
{
	size_t i;

	for (i = 0; i < f->d->row_count; i++) {
		f->celsius[i] = f->d->rows[i].celsius;
		if (on_step(f->celsius[i], step_mc))
			f->celsius[i] += next_uniform(state) * step_mc / 1e3;
	}
}

double mixed_rounding_shift(struct mixed *f, double *se)
{
	long step_mc = f->has[COL_LEAK] && f->grows ? find_step(f->d) : 0;
	double growth = f->growth, ohm = f->ohm, c, sum = 0, squares = 0;
	uint32_t state = 1;
	size_t i;
	int draw;

	*se = 0;
	if (!step_mc)
		return 0;
	mixed_polish(f);
	c = f->lsq.coef[f->col[COL_C]];
	for (draw = 0; draw < DRAWS; draw++) {
		double shift;

		roughen(f, step_mc, &state);
		mixed_polish(f);
		shift = f->lsq.coef[f->col[COL_C]] - c;
		sum += shift;
		squares += shift * shift;
	}
	for (i = 0; i < f->d->row_count; i++)
		f->celsius[i] = f->d->rows[i].celsius;
	f->growth = growth;
	f->ohm = ohm;
	sum /= DRAWS;
	*se = sqrt(fmax(squares / DRAWS - sum * sum, 0) / DRAWS);
	return sum;
}
