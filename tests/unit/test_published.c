// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The comparison models on data they fit exactly, and the one-count methods on certified
 * values of the NIST Statistical Reference Datasets (public domain).
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "models/power.h"
#include "near.h"

static struct sample row(unsigned int count, double mhz, double volt, double uw)
{
	struct sample s = { .cluster = "x",
			    .load = "int",
			    .opp_khz = lround(mhz * 1e3),
			    .freq_khz = lround(mhz * 1e3),
			    .volt_uv = lround(volt * 1e6),
			    .cpu_count = count,
			    .util_pct = 100.0 * count,
			    .power_uw = llround(uw),
			    .temp_mc = SAMPLE_TEMP_UNKNOWN };

	return s;
}

static int try(const char *method, const struct sample *rows, size_t n,
	       enum power_leakage law, struct power_fit *f, struct err *err)
{
	const struct power_select all = { .cluster = "x" };
	struct power_data d;
	int ret;

	assert_int_equal(power_data_init(&d, rows, n, &all, err), 0);
	d.leakage = law;
	ret = power_fit_with(power_method_find(method), &d, f, err);
	power_data_free(&d);
	return ret;
}

static void fit(const char *method, const struct sample *rows, size_t n,
		struct power_fit *f)
{
	struct err err = { "" };

	if (!try(method, rows, n, POWER_LEAKAGE_AUTO, f, &err))
		return;
	print_error("%s: %s\n", method, err.msg);
	fail();
}

static const struct power_term *term(const struct power_fit *f, const char *name)
{
	for (unsigned int i = 0; i < f->term_count; i++)
		if (!strcmp(f->terms[i].name, name))
			return &f->terms[i];
	print_error("no term '%s'\n", name);
	fail();
	return NULL;
}

/* At 1 V, so that f V^2 is the MHz; power in uW, the unit of y times 1000. */
static void through_origin_reproduces_nist_noint(void **state)
{
	struct sample rows[11];
	struct power_fit f;

	(void)state;
	for (int i = 0; i < 11; i++)
		rows[i] = row(1, 60 + i, 1, 1000 * (130 + i));
	fit("through-origin", rows, 11, &f);
	assert_digits(f.c, 2074.38016528926, 9);
	assert_digits(f.classical_se, 16.5289256198347, 8);
	assert_digits(f.r2, 0.999365492298663, 9);
	rows[0] = row(1, 4, 1, 3000);
	rows[1] = row(1, 5, 1, 4000);
	rows[2] = row(1, 6, 1, 4000);
	fit("through-origin", rows, 3, &f);
	assert_digits(f.c, 727.272727272727, 9);
	assert_digits(f.classical_se, 42.0827318078432, 8);
	assert_digits(f.r2, 0.993348115299335, 9);
}

static void intercept_reproduces_nist_norris(void **state)
{
	/* y, x */
	static const double norris[36][2] = {
		{ 0.1, 0.2 },	  { 338.8, 337.4 }, { 118.1, 118.2 }, { 888.0, 884.6 },
		{ 9.2, 10.1 },	  { 228.1, 226.5 }, { 668.5, 666.3 }, { 998.5, 996.3 },
		{ 449.1, 448.6 }, { 778.9, 777.0 }, { 559.2, 558.2 }, { 0.3, 0.4 },
		{ 0.1, 0.6 },	  { 778.1, 775.5 }, { 668.8, 666.9 }, { 339.3, 338.0 },
		{ 448.9, 447.5 }, { 10.8, 11.6 },   { 557.7, 556.0 }, { 228.3, 228.1 },
		{ 998.0, 995.8 }, { 888.8, 887.6 }, { 119.6, 120.2 }, { 0.3, 0.3 },
		{ 0.6, 0.3 },	  { 557.6, 556.8 }, { 339.3, 339.1 }, { 888.0, 887.2 },
		{ 998.5, 999.0 }, { 778.9, 779.0 }, { 10.2, 11.1 },   { 117.6, 118.3 },
		{ 228.9, 229.2 }, { 668.4, 669.1 }, { 449.2, 448.9 }, { 0.2, 0.5 },
	};
	struct sample rows[36];
	struct power_fit f;

	(void)state;
	for (int i = 0; i < 36; i++)
		rows[i] = row(1, norris[i][1], 1, 1000 * norris[i][0]);
	fit("intercept", rows, 36, &f);
	assert_digits(f.c, 1002.11681802045, 9);
	assert_digits(f.classical_se, 0.429796848199937, 8);
	assert_digits(f.static_uw, -262.323073774029, 9);
	assert_digits(f.r2, 0.999993745883712, 9);
}

/* Rounded to whole uW, which is what limits how exactly the terms come back. */
static const double volts[] = { 0.8, 0.85, 0.95, 1.0, 1.15, 1.2 };
#define POINTS 6

static void lines_with_leakage_find_what_made_the_rows(void **state)
{
	struct sample rows[POINTS];
	struct power_fit f;
	double ref = 0;

	(void)state;
	for (int i = 0; i < POINTS; i++)
		rows[i] = row(1, 300 * (i + 1), volts[i],
			      250 * 300 * (i + 1) * volts[i] * volts[i] +
				      40e3 * volts[i]);
	fit("voltage-linear", rows, POINTS, &f);
	assert_digits(f.c, 250, 4);
	assert_digits(term(&f, "leakage")->value, 40e3, 4);
	assert_true(f.r2 > 0.99999);
	for (int i = 0; i < POINTS; i++)
		ref += volts[i] / POINTS;
	for (int i = 0; i < POINTS; i++)
		rows[i].power_uw = llround(250 * 300 * (i + 1) * volts[i] * volts[i] +
					   40e3 * volts[i] * exp(5 * (volts[i] - ref)));
	fit("exponential-leakage", rows, POINTS, &f);
	assert_digits(f.c, 250, 4);
	assert_digits(term(&f, "leakage")->value, 40e3, 3);
	assert_digits(term(&f, "leakage-growth")->value, 5, 6);
	assert_true(f.se < 0.5);
	/* A constant growth is none of its kind: the line is too steep by then. */
	fit("voltage-linear", rows, POINTS, &f);
	assert_true(f.c > 260);
}

static void lines_with_leakage_need_two_voltages(void **state)
{
	struct sample rows[3];
	struct power_fit f;
	struct err err;

	(void)state;
	for (int i = 0; i < 3; i++)
		rows[i] = row(1, 1000, 0.9, 200000 + 500 * i);
	assert_int_equal(try("voltage-linear", rows, 3, 0, &f, &err), -EDOM);
	assert_string_equal(err.msg, "cannot tell leakage from dynamic power at 1 "
				     "operating point: rank 1 of 2");
	assert_int_equal(try("exponential-leakage", rows, 3, 0, &f, &err), -EDOM);
}

/* All rows of a board with the clock always on, leakage by @law, heat by the load. */
static size_t heated(struct sample *rows, enum power_leakage law)
{
	size_t n = 0;

	for (int i = 0; i < POINTS; i++)
		for (unsigned int count = 0; count < 5; count++) {
			double v = volts[i], fv2 = 300 * (i + 1) * v * v;
			double t = 40 + 5 * count + 3 * i, leak = 60e3 * v;

			if (law == POWER_LEAKAGE_LINEAR)
				leak *= 1 + 0.04 * (t - 50);
			else
				leak *= v * v * exp(0.03 * (t - 50));
			rows[n] = row(count, 300 * (i + 1), v,
				      (300 * count + 150) * fv2 + leak);
			rows[n++].temp_mc = lround(1e3 * t);
		}
	return n;
}

static void pooled_finds_what_made_the_rows(void **state)
{
	struct sample rows[POINTS * 5];
	size_t n = heated(rows, POWER_LEAKAGE_LINEAR);
	struct power_fit f;
	struct err err;

	(void)state;
	fit("pooled", rows, n, &f);
	assert_digits(f.c, 300, 5);
	assert_digits(term(&f, "shared-clock")->value, 150, 4);
	assert_digits(term(&f, "leakage")->value, 60e3, 4);
	assert_digits(term(&f, "leakage-heat")->value, 0.04 * 60e3, 4);
	assert_ptr_equal(power_method_find("walker"), power_method_find("pooled"));
	/* One count: dynamic and shared-clock power go together. */
	for (size_t i = 0; i < POINTS; i++)
		rows[i] = row(1, 300 * (i + 1), volts[i], 1e6 + i * i);
	assert_int_equal(try("pooled", rows, POINTS, 0, &f, &err), -EDOM);
	assert_string_equal(err.msg,
			    "1 CPU count at 6 operating points cannot tell dynamic, "
			    "shared-clock and leakage power apart: rank 2 of 3");
	n = heated(rows, POWER_LEAKAGE_LINEAR);
	rows[3].power_uw = 0;
	assert_int_equal(try("pooled", rows, n, 0, &f, &err), -EDOM);
	assert_string_equal(err.msg, "a row of 0 uW at 300000 kHz: weights of 1/P^2 need "
				     "power above 0 in every row");
}

static void structured_takes_the_law_that_is_asked_for(void **state)
{
	struct sample rows[POINTS * 5];
	struct power_fit f;
	size_t n;

	(void)state;
	n = heated(rows, POWER_LEAKAGE_LINEAR);
	assert_int_equal(try("structured", rows, n, POWER_LEAKAGE_LINEAR, &f, NULL), 0);
	assert_digits(f.c, 300, 4);
	assert_non_null(strstr(f.formula, "(1 + g (T-T0))"));
	assert_true(term(&f, "leakage-exponent")->value == 1);
	n = heated(rows, POWER_LEAKAGE_CUBIC);
	assert_int_equal(try("structured", rows, n, POWER_LEAKAGE_CUBIC, &f, NULL), 0);
	assert_digits(f.c, 300, 4);
	assert_true(term(&f, "leakage-exponent")->value == 3);
	assert_digits(term(&f, "leakage-growth")->value, 0.03, 1.8);
	/* The wrong one leaves what it cannot follow in the rest. */
	assert_int_equal(try("structured", rows, n, POWER_LEAKAGE_LINEAR, &f, NULL), 0);
	assert_true(fabs(f.c - 300) > 0.5);
	assert_int_equal(try("within-opp", rows, n, POWER_LEAKAGE_EXPONENTIAL, &f, NULL),
			 0);
	assert_non_null(strstr(f.formula, "exp((m-1)(V/V0-1)) exp(g (T-T0))"));
}

static void within_opp_plain_has_no_shared_clock(void **state)
{
	struct sample rows[POINTS * 5];
	size_t n = heated(rows, POWER_LEAKAGE_CUBIC);
	struct power_fit f;

	(void)state;
	fit("within-opp-plain", rows, n, &f);
	assert_digits(f.c, 300, 2);
	assert_null(strstr(f.formula, " D "));
	for (unsigned int i = 0; i < f.term_count; i++)
		assert_string_not_equal(f.terms[i].name, "shared-clock");
}

static void an_opp_by_itself_has_a_slope_and_a_next_cpu(void **state)
{
	const struct power_select all = { .cluster = "x" };
	struct sample rows[] = {
		row(0, 1000, 1, 90000),	 row(1, 1000, 1, 400000), row(2, 1000, 1, 650000),
		row(3, 1000, 1, 900000), row(0, 500, 1, 50000),	  row(1, 500, 1, 200000),
	};
	struct power_fit f = { .noise.uw = 1000 };
	struct power_opp opp;
	struct power_data d;
	double c, se;

	(void)state;
	assert_int_equal(power_data_init(&d, rows, 6, &all, NULL), 0);
	/* Slope through 90, 400, 650, 900 mW at 0..3 CPUs is 268 mW; residuals -18, 24,
	 * 6, -12 mW. */
	assert_true(power_opp_c(&d, 1, &c, &se));
	assert_digits(c, 268, 12);
	assert_digits(se, sqrt((324 + 576 + 36 + 144) / 2.0 / 5), 12);
	power_opp(&d, &f, 1, &opp);
	assert_digits(opp.measured_uw, 310000, 12);
	assert_true(opp.has_next);
	assert_digits(opp.next_uw, 250000, 12);
	assert_digits(opp.next_ci_uw, 1.96 * 1000 / sqrt(2), 6);
	/* Idle and one count: no next, and of a line through two points no error. */
	assert_true(power_opp_c(&d, 0, &c, &se));
	assert_digits(c, 300, 12);
	assert_true(isnan(se));
	power_opp(&d, &f, 0, &opp);
	assert_false(opp.has_next);
	power_data_free(&d);
	assert_int_equal(power_data_init(&d, &rows[5], 1, &all, NULL), 0);
	assert_false(power_opp_c(&d, 0, &c, &se));
	power_data_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(through_origin_reproduces_nist_noint),
		cmocka_unit_test(intercept_reproduces_nist_norris),
		cmocka_unit_test(lines_with_leakage_find_what_made_the_rows),
		cmocka_unit_test(lines_with_leakage_need_two_voltages),
		cmocka_unit_test(pooled_finds_what_made_the_rows),
		cmocka_unit_test(structured_takes_the_law_that_is_asked_for),
		cmocka_unit_test(within_opp_plain_has_no_shared_clock),
		cmocka_unit_test(an_opp_by_itself_has_a_slope_and_a_next_cpu),
	};

	return cmocka_run_group_tests_name("published", tests, NULL, NULL);
}
