// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How leakage goes with voltage and temperature is not known: every law is tried, with
 * the exponent of V that fits it best, and they are weighed by their likelihood. Or one
 * law is asked for, to compare with those who take it for granted.
 */
#include <math.h>
#include <stdio.h>

#include "models/mixed.h"

#define LAWS	       6
#define EXPONENT_START 3 /* of V, in leakage */
#define LAW_STEP       0.5
#define LAW_BEND       0.2 /* of the deviance, by what is known beforehand alone */

/* One law of leakage, and what the data say of it. */
struct law {
	unsigned int law;
	double exponent, growth, ohm;
	double c, deviance;
};

/* The law with this exponent, or the likeliest from there on. */
static struct law try_law(struct mixed *f, const struct law *start, double exponent,
			  bool likeliest)
{
	struct law law = *start;

	f->law = law.law;
	f->exponent = exponent;
	f->growth = law.growth;
	f->ohm = law.ohm;
	mixed_bend(f, likeliest);
	law.exponent = f->exponent;
	law.growth = f->growth;
	law.ohm = f->ohm;
	law.deviance = mixed_deviance(f);
	law.c = f->lsq.coef[f->col[COL_C]];
	return law;
}

void mixed_start_law(struct mixed *f)
{
	static const struct {
		unsigned int law;
		double exponent;
		bool fixed;
	} start[] = {
		[POWER_LEAKAGE_AUTO] = { 0, EXPONENT_START, false },
		[POWER_LEAKAGE_LINEAR] = { LAW_LINEAR, 1, true },
		[POWER_LEAKAGE_CUBIC] = { 0, 3, true },
		[POWER_LEAKAGE_EXPONENTIAL] = { LAW_EXPONENTIAL, EXPONENT_START, false },
	};

	f->law = start[f->d->leakage].law;
	f->exponent = start[f->d->leakage].exponent;
	f->exponent_fixed = start[f->d->leakage].fixed;
}

/* The likeliest exponent; @sd: how far C scatters with what it may be. */
static struct law best_exponent(struct mixed *f, struct law law, double *sd)
{
	struct law below, above;
	double bend;

	law = try_law(f, &law, law.exponent, true);
	*sd = 0;
	if (f->exponent_fixed)
		return law;
	below = try_law(f, &law, law.exponent - LAW_STEP, false);
	above = try_law(f, &law, law.exponent + LAW_STEP, false);
	bend = (below.deviance - 2 * law.deviance + above.deviance) / pow(LAW_STEP, 2);
	*sd = fabs(above.c - below.c) / (2 * LAW_STEP) * sqrt(2 / fmax(bend, LAW_BEND));
	return law;
}

void mixed_average_laws(struct mixed *f, double *mean, double *sd)
{
	static const unsigned int kinds[] = {
		0,
		LAW_EXPONENTIAL, /* these where no temperature is known */
		LAW_ARRHENIUS,
		LAW_ARRHENIUS | LAW_EXPONENTIAL,
		LAW_LINEAR,
		LAW_LINEAR | LAW_EXPONENTIAL,
	};
	struct law laws[LAWS];
	double own[LAWS], weight[LAWS], sum = 0;
	double growth = f->growth, ohm = f->ohm, exponent = f->exponent;
	bool any = f->d->leakage == POWER_LEAKAGE_AUTO;
	unsigned int asked = f->law;
	int i, best = 0, n = !any ? 1 : f->grows ? LAWS : 2;

	for (i = 0; i < n; i++) {
		laws[i] = (struct law){ any ? kinds[i] : asked, exponent, growth, ohm };
		laws[i] = best_exponent(f, laws[i], &own[i]);
		if (laws[i].deviance < laws[best].deviance)
			best = i;
	}
	try_law(f, &laws[best], laws[best].exponent, false);
	*mean = *sd = 0;
	for (i = 0; i < n; i++) {
		weight[i] = exp((laws[best].deviance - laws[i].deviance) / 2);
		sum += weight[i];
		*mean += weight[i] * laws[i].c;
	}
	*mean /= sum;
	for (i = 0; i < n; i++)
		*sd += weight[i] / sum * (pow(own[i], 2) + pow(laws[i].c - *mean, 2));
	*sd = sqrt(*sd);
}

void mixed_law_words(const struct mixed *f, char *out, size_t size)
{
	static const char *const of_volt[] = { "k V^m", "k V exp((m-1)(V/V0-1))" };
	static const char *const of_celsius[] = {
		" exp(g (T-T0))",
		" exp(g T0 (T-T0)/T)",
		" (1 + g (T-T0))",
	};
	snprintf(out, size, " + %s%s", of_volt[!!(f->law & LAW_EXPONENTIAL)],
		 f->grows ? of_celsius[f->law & LAW_TEMPERATURE] : "");
}
