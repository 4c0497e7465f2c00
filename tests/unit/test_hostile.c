// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows that nobody should measure: whatever they are, a method gives numbers or refuses
 * in words, never a number that is none.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "boards/rng.h"
#include "models/power.h"

#define MAX_ROWS 60
#define CASES	 400
#define MAX_UW	 4294967295.0 /* what samples.csv takes */

struct world {
	struct rng rng;
	struct sample rows[MAX_ROWS];
	size_t n;
	char label[160]; /* for the message when something is wrong */
};

static unsigned int pick(struct world *w, unsigned int n)
{
	return rng_u64(&w->rng) % n;
}

static struct sample one_row(struct world *w, unsigned int opps, unsigned int volts,
			     unsigned int counts, bool idle)
{
	static const uint32_t khz[] = {
		1000, 200000, 200001, 1000000, 2000000, 20000000
	};
	static const uint32_t uv[] = { 200000, 900000, 900001, 1250000, 5000000 };
	struct sample s = { .cluster = "x", .load = "int" };

	s.opp_khz = s.freq_khz = khz[pick(w, opps)];
	s.volt_uv = uv[pick(w, volts)];
	s.cpu_count = idle ? pick(w, counts + 1) : 1 + pick(w, counts);
	s.util_pct = 100.0 * s.cpu_count;
	s.temp_mc = SAMPLE_TEMP_UNKNOWN;
	return s;
}

enum power_kind {
	POWER_SOUND,
	POWER_ZERO,
	POWER_EQUAL,
	POWER_NEGATIVE,
	POWER_SMALL,
	POWER_HUGE,
	POWER_NOISE,
	POWER_MIXED,
	POWER_KINDS,
};

static int64_t power_of(struct world *w, const struct sample *s, enum power_kind kind)
{
	double v = s->volt_uv / 1e6;
	double uw = (200 * s->cpu_count + 50) * s->freq_khz / 1e3 * v * v + 30e3;

	switch (kind) {
	case POWER_ZERO:
		return 0;
	case POWER_EQUAL:
		return 123456;
	case POWER_NEGATIVE:
		return -llround(fmin(uw, MAX_UW));
	case POWER_SMALL:
		return pick(w, 2);
	case POWER_HUGE:
		return pick(w, 2) ? (int64_t)MAX_UW : -(int64_t)MAX_UW;
	case POWER_NOISE:
		return (int64_t)pick(w, 2000001) - 1000000;
	case POWER_MIXED:
		return power_of(w, s, pick(w, POWER_MIXED));
	default:
		return llround(fmin(uw, MAX_UW));
	}
}

static void spoil(struct world *w, struct sample *s)
{
	switch (pick(w, 6)) {
	case 0:
		s->util_pct = 0;
		break;
	case 1:
		s->util_pct = 1e-3;
		break;
	case 2:
		s->util_pct = 6400;
		break;
	case 3:
		s->flags = SAMPLE_STALE;
		break;
	case 4:
		s->baseline_uw = s->power_uw;
		break;
	default:
		s->freq_khz = s->opp_khz / 2 + 1;
	}
}

static void make_rows(struct world *w, uint64_t seed)
{
	unsigned int opps, volts, counts, temp, spoiled;
	enum power_kind kind;
	bool idle;
	size_t i;

	rng_seed(&w->rng, seed, 0);
	opps = 1 + pick(w, 6);
	volts = 1 + pick(w, 5);
	counts = 1 + pick(w, 4);
	idle = pick(w, 2);
	kind = pick(w, POWER_KINDS);
	temp = pick(w, 4);
	spoiled = pick(w, 4) ? 0 : 1 + pick(w, 5);
	w->n = pick(w, 4) ? 1 + pick(w, MAX_ROWS) : 1 + pick(w, 3);
	snprintf(w->label, sizeof(w->label),
		 "seed %llu: %zu rows, %u OPPs, %u voltages, %u counts, idle %d, power "
		 "%d, "
		 "temperature %u, spoiled %u",
		 (unsigned long long)seed, w->n, opps, volts, counts, idle, kind, temp,
		 spoiled);
	for (i = 0; i < w->n; i++) {
		struct sample *s = &w->rows[i];

		/* Rows that are the same as the one before, now and then. */
		if (i && !pick(w, 6)) {
			*s = s[-1];
			continue;
		}
		*s = one_row(w, opps, volts, counts, idle);
		s->power_uw = power_of(w, s, kind);
		if (temp == 1)
			s->temp_mc = 40000;
		else if (temp == 2)
			s->temp_mc = 30000 + (int)pick(w, 60000);
		else if (temp == 3)
			s->temp_mc = pick(w, 2) ? -1000000 : 1000000;
		if (spoiled && !pick(w, spoiled))
			spoil(w, s);
	}
}

#define finite_or_fail(w, m, what, value)                                                \
	do {                                                                             \
		if (!isfinite(value)) {                                                  \
			print_error("%s, %s: %s is %g\n", (w)->label, (m)->name, what,   \
				    (double)(value));                                    \
			fail();                                                          \
		}                                                                        \
	} while (0)

/* NAN where the header says so, and infinite nowhere. */
#define real_or_none(w, m, what, value)                                                  \
	do {                                                                             \
		if (!isnan(value))                                                       \
			finite_or_fail(w, m, what, value);                               \
	} while (0)

static void check_fit(const struct world *w, const struct power_method *m,
		      const struct power_fit *f)
{
	unsigned int i;

	finite_or_fail(w, m, "C", f->c);
	real_or_none(w, m, "se", f->se);
	assert_true(isnan(f->se) || f->se >= 0);
	if (isfinite(f->se)) {
		finite_or_fail(w, m, "low", f->ci95[0]);
		finite_or_fail(w, m, "high", f->ci95[1]);
		assert_true(f->dof >= 0.5);
	}
	real_or_none(w, m, "classical se", f->classical_se);
	for (i = 0; i < f->term_count; i++) {
		finite_or_fail(w, m, f->terms[i].name, f->terms[i].value);
		real_or_none(w, m, f->terms[i].name, f->terms[i].se);
	}
	real_or_none(w, m, "intercept", f->static_uw);
	real_or_none(w, m, "ohm", f->ohm);
	real_or_none(w, m, "D", f->shared);
	real_or_none(w, m, "R^2", f->r2);
	finite_or_fail(w, m, "RMSE", f->rmse_pct);
	finite_or_fail(w, m, "LOO", f->loo_rmse_pct);
	finite_or_fail(w, m, "condition", f->condition);
	finite_or_fail(w, m, "noise", f->noise.uw);
	finite_or_fail(w, m, "relative noise", f->noise.rel);
	finite_or_fail(w, m, "noise of sleep", f->noise.busy);
	real_or_none(w, m, "visits", f->visit_uw);
	for (i = 0; i < f->note_count; i++)
		if (strstr(f->notes[i], "nan") || strstr(f->notes[i], "inf "))
			fail_msg("%s, %s: '%s'", w->label, m->name, f->notes[i]);
}

static void check_opps(const struct world *w, const struct power_method *m,
		       const struct power_data *d, const struct power_fit *f)
{
	struct power_opp o;
	unsigned int i;
	double c, se;

	for (i = 0; i < d->opp_count; i++) {
		power_opp(d, f, i, &o);
		finite_or_fail(w, m, "voltage", o.volt);
		finite_or_fail(w, m, "model", o.model_uw);
		finite_or_fail(w, m, "measured", o.measured_uw);
		finite_or_fail(w, m, "its interval", o.measured_ci_uw);
		finite_or_fail(w, m, "next", o.next_uw);
		finite_or_fail(w, m, "its interval", o.next_ci_uw);
		if (!power_opp_c(d, i, &c, &se))
			continue;
		finite_or_fail(w, m, "C of an OPP", c);
		real_or_none(w, m, "its error", se);
	}
}

static void check_methods(const struct world *w, const struct power_data *d)
{
	const struct power_method *m;
	struct power_fit f;
	struct err err;
	size_t i;

	for (i = 0; (m = power_method(i)); i++) {
		int ret = power_fit_with(m, d, &f, &err);

		if (!ret) {
			check_fit(w, m, &f);
			check_opps(w, m, d, &f);
		} else if (ret != -EDOM || !err.msg[0] || strchr(err.msg, '\n')) {
			fail_msg("%s, %s: %d '%s'", w->label, m->name, ret, err.msg);
		}
	}
}

static void no_row_makes_a_number_that_is_none(void **state)
{
	static const struct power_select all = { .cluster = "x" };
	static const struct power_select flagged = { .cluster = "x",
						     .with_flagged = true };
	static struct world w;
	unsigned int refused = 0;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= CASES; seed++) {
		const struct power_method *m;
		struct power_data d;
		char why[128];
		struct err err = { "" };

		make_rows(&w, seed);
		if (power_data_init(&d, w.rows, w.n, seed % 2 ? &all : &flagged, &err)) {
			assert_true(err.msg[0]);
			refused++;
			continue;
		}
		d.leakage = seed % 4;
		power_choose(&d, &m, why, sizeof(why), &err);
		check_methods(&w, &d);
		power_data_free(&d);
	}
	/* Most are looked at. */
	assert_true(refused < CASES / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_row_makes_a_number_that_is_none),
	};

	return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
