// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Power models: what is chosen for which design, values worked out by hand, and the short
 * form of the coverage study.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/bench/coverage.h"
#include "near.h"

static struct sample row(unsigned int count, uint32_t khz, uint32_t uv, int64_t uw)
{
	struct sample s = { .cluster = "x",
			    .load = "int",
			    .opp_khz = khz,
			    .freq_khz = khz,
			    .volt_uv = uv,
			    .cpu_count = count,
			    .util_pct = 100.0 * count,
			    .power_uw = uw,
			    .temp_mc = SAMPLE_TEMP_UNKNOWN };

	return s;
}

static const struct power_select all_rows = { .cluster = "x" };

static void fit(const char *method, const struct sample *rows, size_t n,
		const struct power_select *sel, struct power_fit *f)
{
	struct power_data d;
	struct err err = { "" };

	assert_int_equal(power_data_init(&d, rows, n, sel, &err), 0);
	if (power_fit_with(power_method_find(method), &d, f, &err)) {
		print_error("%s: %s\n", method, err.msg);
		fail();
	}
	power_data_free(&d);
}

/* f V^2 = 400, 900, 2000, 3600; C = 200 and 30 mW, then -6, +6, -6, +6 mW. */
static const struct {
	uint32_t khz, uv;
	int64_t active, idle;
} bench[] = {
	{ 400000, 1000000, 104000, 12000 },
	{ 900000, 1000000, 216000, 20000 },
	{ 2000000, 1000000, 424000, 24000 },
	{ 2500000, 1200000, 756000, 36000 },
};

static size_t one_cpu_and_idle(struct sample *rows)
{
	size_t n = 0;

	for (int i = 0; i < 4; i++) {
		rows[n++] = row(1, bench[i].khz, bench[i].uv, bench[i].active);
		rows[n++] = row(0, bench[i].khz, bench[i].uv, bench[i].idle);
	}
	return n;
}

static void published_methods_give_what_their_formulas_say(void **state)
{
	struct sample rows[8];
	size_t n = one_cpu_and_idle(rows);
	struct power_fit f;

	(void)state;
	fit("mean-of-ratios", rows, n, &all_rows, &f);
	assert_near(f.c, (260 + 240 + 212 + 210) / 4.0, 1e-9);
	fit("median-of-ratios", rows, n, &all_rows, &f);
	assert_near(f.c, 226, 1e-9);
	fit("delta", rows, n, &all_rows, &f);
	assert_near(f.c, (112.0 / 500 + 320.0 / 1600 + 652.0 / 3200) * 1000 / 3, 1e-9);
	/* sum xy / sum xx */
	fit("through-origin", rows, n, &all_rows, &f);
	assert_near(f.c,
		    (400 * 104e3 + 900 * 216e3 + 2000 * 424e3 + 3600 * 756e3) / 17930e3,
		    1e-6);
	assert_true(f.r2_uncentred);
	fit("idle-subtracted", rows, n, &all_rows, &f);
	assert_near(f.c,
		    (400 * 92e3 + 900 * 196e3 + 2000 * 400e3 + 3600 * 720e3) / 17930e3,
		    1e-6);
	/* mean x 1725, mean y 375e3, Sxy 1.2181e9, Sxx 6027500 */
	fit("intercept", rows, n, &all_rows, &f);
	assert_near(f.c, 1218100e3 / 6027500, 1e-6);
	assert_near(f.static_uw, 375e3 - f.c * 1725, 1e-6);
	assert_false(f.r2_uncentred);
}

static void a_difference_near_zero_is_no_divisor(void **state)
{
	const struct sample rows[] = { row(1, 400000, 1000000, 100000),
				       row(1, 404000, 1000000, 150000),
				       row(1, 800000, 1000000, 180000) };
	struct power_fit f;

	(void)state;
	fit("delta", rows, 3, &all_rows, &f);
	assert_near(f.c, 200, 1e-9);
	assert_string_equal(f.notes[0],
			    "passed over, too small to divide by: 1 of 2 differences");
}

static void two_minus_one_is_the_mean_difference(void **state)
{
	const struct sample rows[] = { row(1, 500000, 1000000, 300000),
				       row(2, 500000, 1000000, 400000),
				       row(1, 1000000, 1000000, 500000),
				       row(2, 1000000, 1000000, 740000) };
	struct power_fit f;

	(void)state;
	fit("two-minus-one", rows, 4, &all_rows, &f);
	assert_near(f.c, (200 + 240) / 2.0, 1e-9);
	fit("within-opp", rows, 4, &all_rows, &f);
	assert_true(f.c > 200 && f.c < 240);
}

static const char *choice(const struct sample *rows, size_t n, char *why, size_t size,
			  struct err *err)
{
	const struct power_method *m = NULL;
	struct power_data d;

	assert_int_equal(power_data_init(&d, rows, n, &all_rows, err), 0);
	if (power_choose(&d, &m, why, size, err))
		m = NULL;
	power_data_free(&d);
	return m ? m->name : "none";
}

/* Differences are exact here, whatever static power the rows hold. */
static void residuals_are_those_of_what_a_method_fits(void **state)
{
	static const char *const exact[] = { "two-minus-one", "delta" };
	const struct sample rows[] = { row(1, 500000, 1000000, 700000),
				       row(2, 500000, 1000000, 800000),
				       row(1, 1000000, 1000000, 800000),
				       row(2, 1000000, 1000000, 1000000) };
	struct power_fit f;

	(void)state;
	for (int i = 0; i < 2; i++) {
		fit(exact[i], rows, 4, &all_rows, &f);
		assert_near(f.c, 200, 1e-9);
		assert_near(f.rmse_pct, 0, 1e-9);
		assert_near(f.r2, 1, 1e-12);
		assert_true(f.r2_uncentred);
	}
	assert_int_equal(f.rows, 2);
	fit("two-minus-one", rows, 4, &all_rows, &f);
	assert_int_equal(f.rows, 4);
	/* 1400 and 800: their mean leaves 300 of 1100 in each. */
	fit("mean-of-ratios", rows, 4, &all_rows, &f);
	assert_near(f.rmse_pct, 100 * 300 / 1100.0, 1e-6);
	assert_true(f.r2 > 0 && f.r2 < 1);
}

static void an_intercept_of_rounding_is_zero(void **state)
{
	/* The slope is not a binary fraction, so the sums do not cancel. */
	const struct sample rows[] = { row(1, 900000, 700000, 61740),
				       row(1, 1350000, 800000, 120960),
				       row(1, 1600000, 900000, 181440) };
	struct power_fit f;

	(void)state;
	fit("intercept", rows, 3, &all_rows, &f);
	assert_near(f.c, 140, 1e-9);
	assert_true(f.static_uw == 0);
	for (unsigned int i = 0; i < f.note_count; i++)
		assert_null(strstr(f.notes[i], "negative"));
}

static void design_of_the_data_decides_the_method(void **state)
{
	struct sample rows[12];
	char why[128];
	struct err err;
	size_t n = one_cpu_and_idle(rows);

	(void)state;
	assert_string_equal(choice(rows, n, why, sizeof(why), &err), "idle-subtracted");
	assert_string_equal(why,
			    "one CPU count (1), idle measured at 4 operating points");
	for (int i = 0; i < 4; i++)
		rows[n++] = row(2, bench[i].khz, bench[i].uv, 2 * bench[i].active);
	assert_string_equal(choice(rows, n, why, sizeof(why), &err), "structured");
	assert_string_equal(why, "2 CPU counts and idle at 4 operating points");
	for (int i = 0; i < 4; i++)
		rows[2 * i + 1].cpu_count = 3;
	assert_string_equal(choice(rows, n, why, sizeof(why), &err), "within-opp");
	for (int i = 0; i < 4; i++)
		rows[i] = row(1, bench[i].khz, bench[i].uv, bench[i].active);
	assert_string_equal(choice(rows, 4, why, sizeof(why), &err), "intercept");
	for (int i = 0; i < 4; i++)
		rows[i].baseline_uw = 20000;
	assert_string_equal(choice(rows, 4, why, sizeof(why), &err), "through-origin");
	assert_string_equal(choice(rows, 1, why, sizeof(why), &err), "none");
	assert_non_null(strstr(err.msg,
			       "cannot separate static and dynamic power from one "
			       "operating point (rank 1 of 2)"));
}

static void one_point_is_refused_by_the_line_too(void **state)
{
	const struct sample rows[] = { row(1, 500000, 1000000, 300000),
				       row(1, 500000, 1000000, 301000) };
	struct power_data d;
	struct power_fit f;
	struct err err;

	(void)state;
	assert_int_equal(power_data_init(&d, rows, 2, &all_rows, &err), 0);
	assert_int_equal(power_fit_with(power_method_find("intercept"), &d, &f, &err),
			 -EDOM);
	assert_string_equal(err.msg, "cannot separate static and dynamic power from one "
				     "operating point (rank 1 of 2)");
	power_data_free(&d);
}

static void flagged_rows_are_left_out_unless_asked_for(void **state)
{
	struct power_select flagged = { .cluster = "x", .with_flagged = true };
	struct sample rows[8];
	size_t n = one_cpu_and_idle(rows);
	struct power_data d;
	struct power_fit f;

	(void)state;
	rows[6].flags = SAMPLE_CLOCK;
	rows[6].freq_khz = 1250000;
	assert_int_equal(power_data_init(&d, rows, n, &all_rows, NULL), 0);
	assert_int_equal(d.row_count, 7);
	assert_int_equal(d.left_out, 1);
	power_data_free(&d);
	/* As others fitted it: with the clock that was claimed. */
	fit("mean-of-ratios", rows, n, &flagged, &f);
	assert_near(f.c, (260 + 240 + 212 + 210) / 4.0, 1e-9);
}

static void a_busy_row_below_its_baseline_counts_as_flagged(void **state)
{
	struct sample rows[] = { row(1, 450000, 650000, 917300),
				 row(1, 900000, 700000, 979740),
				 row(0, 900000, 700000, 917000) };
	struct power_data d;

	(void)state;
	for (int i = 0; i < 3; i++)
		rows[i].baseline_uw = 918000;
	assert_int_equal(power_data_init(&d, rows, 3, &all_rows, NULL), 0);
	assert_int_equal(d.left_out, 1);
	assert_int_equal(d.row_count, 2);
	assert_true(d.rows[0].uw == 61740);
	assert_true(d.rows[1].uw == -1000);
	power_data_free(&d);
}

static void a_row_without_voltage_or_no_busy_row_is_refused(void **state)
{
	struct sample rows[] = { row(1, 450000, 0, 917300) };
	struct power_data d;
	struct err err;

	(void)state;
	assert_int_equal(power_data_init(&d, rows, 1, &all_rows, &err), -EINVAL);
	assert_string_equal(err.msg, "the voltage at 450000 kHz is not known");
	rows[0] = row(0, 450000, 900000, 917300);
	assert_int_equal(power_data_init(&d, rows, 1, &all_rows, &err), -ENODATA);
	assert_int_equal(d.row_count, 0);
}

static void a_negative_static_term_is_a_finding(void **state)
{
	const struct sample rows[] = { row(1, 400000, 1000000, 50000),
				       row(1, 800000, 1000000, 150000),
				       row(1, 1200000, 1000000, 250000) };
	struct power_fit f;

	(void)state;
	fit("intercept", rows, 3, &all_rows, &f);
	assert_near(f.static_uw, -50000, 1e-3);
	assert_non_null(strstr(f.notes[1], "static term is negative (-50000 uW)"));
}

/* Without noise all terms come back. */
static size_t made(struct sample *rows, double ohm, bool table, double celsius_per_w)
{
	static const double volt[] = { 0.8, 0.9, 1.0, 1.1, 1.2 };
	size_t n = 0;

	for (int i = 0; i < 5; i++)
		for (unsigned int count = 0; count <= 4; count++) {
			double v = volt[i], mhz = 400 * (i + 1), t = 40, uw = 0;

			for (int k = 0; k < 60; k++) {
				uw = (310.0 * count + 150 * (count > 0) + 50) * mhz * v *
					     v +
				     60000 * v * v * v * exp(0.04 * (t - 40));
				v = volt[i] - ohm * uw / 1e6 / v;
				t = 35 + celsius_per_w * uw / 1e6;
			}
			rows[n] = row(count, lround(mhz * 1000),
				      lround(1e6 * (table ? volt[i] : v)), llround(uw));
			rows[n++].temp_mc = lround(t * 1e3);
		}
	return n;
}

static double term(const struct power_fit *f, const char *name)
{
	for (unsigned int i = 0; i < f->term_count; i++)
		if (!strcmp(f->terms[i].name, name))
			return f->terms[i].value;
	print_error("no term '%s'\n", name);
	fail();
	return NAN;
}

static void structured_finds_all_terms_of_exact_data(void **state)
{
	struct sample rows[25];
	size_t n = made(rows, 0.01, false, 6);
	struct power_fit f;

	(void)state;
	fit("structured", rows, n, &all_rows, &f);
	assert_near(f.c, 310, 0.05);
	assert_near(f.shared, 150, 0.2);
	assert_near(term(&f, "idle-clock"), 50, 1);
	assert_near(term(&f, "leakage-growth"), 0.04, 0.001);
	assert_int_equal(f.outlier_count, 0);
	fit("within-opp", rows, n, &all_rows, &f);
	assert_near(f.c, 310, 0.3);
}

static void the_rails_resistance_is_found_where_voltage_is_a_tables(void **state)
{
	struct sample rows[25];
	size_t n = made(rows, 0.01, true, 6);
	struct power_fit f;

	(void)state;
	fit("structured", rows, n, &all_rows, &f);
	assert_near(f.c, 310, 0.3);
	assert_near(f.ohm, 0.01, 0.0005);
	/* What one would get without: about 5 % less. */
	fit("two-minus-one", rows, n, &all_rows, &f);
	assert_true(f.c < 305);
}

static void a_measured_voltage_that_stands_still_is_believed(void **state)
{
	struct power_select sel = { .cluster = "x", .volt_measured = true };
	struct sample rows[25];
	size_t n = made(rows, 0, false, 6);
	struct power_fit f;

	(void)state;
	fit("structured", rows, n, &sel, &f);
	assert_true(isnan(f.ohm));
	assert_near(f.c, 310, 0.05);
}

static void a_window_that_stands_out_is_named_and_left_out(void **state)
{
	struct sample rows[25];
	size_t n = made(rows, 0.01, false, 6);
	struct power_fit f;

	(void)state;
	for (size_t i = 0; i < n; i++)
		rows[i].power_uw += (i * 7919 % 13) * rows[i].power_uw / 10000;
	rows[13].power_uw = rows[13].power_uw * 14 / 10;
	fit("structured", rows, n, &all_rows, &f);
	assert_int_equal(f.outlier_count, 1);
	assert_int_equal(f.outliers[0], 13);
	assert_near(f.c, 310, 1.5);
	assert_int_equal(f.rows, 24);
}

static void other_clusters_and_loads_are_passed_over(void **state)
{
	struct power_select sel = { .cluster = "x", .load = "int" };
	struct sample rows[8];
	size_t n = one_cpu_and_idle(rows);
	struct power_data d;

	(void)state;
	strcpy(rows[0].cluster, "y");
	strcpy(rows[2].load, "fp");
	strcpy(rows[3].load, "idle");
	assert_int_equal(power_data_init(&d, rows, n, &sel, NULL), 0);
	assert_int_equal(d.row_count, 6);
	assert_int_equal(d.left_out, 0);
	assert_int_equal(d.busy_opps, 2);
	power_data_free(&d);
}

static void measured_power_of_an_opp_is_busy_less_idle(void **state)
{
	struct sample rows[8];
	size_t n = one_cpu_and_idle(rows);
	struct power_data d;
	struct power_fit f;
	struct power_opp o;

	(void)state;
	assert_int_equal(power_data_init(&d, rows, n, &all_rows, NULL), 0);
	assert_int_equal(
		power_fit_with(power_method_find("idle-subtracted"), &d, &f, NULL), 0);
	power_opp(&d, &f, 2, &o);
	assert_true(o.has_measured);
	assert_near(o.measured_uw, 400000, 1e-6);
	assert_near(o.model_uw, f.c * 2000, 1e-6);
	assert_near(o.volt, 1, 1e-12);
	power_data_free(&d);
}

/* A short form of tests/bench/bench_coverage; what it holds there is 93 .. 97 %. */
static void assert_covers(unsigned int effects, double bias_pct, double half_pct)
{
	static const char *const methods[] = { "structured", NULL };
	struct cov_result r = { 0 };

	for (unsigned int i = 0; i < COV_CLUSTERS; i++) {
		struct cov_cluster k = cov_cluster(i);

		cov_run(&k, effects, methods, &r, 16, 7 + i);
	}
	assert_int_equal(r.failed, 0);
	if (fabs(r.off_pct) > bias_pct * r.runs || r.held < 0.89 * r.runs ||
	    r.half_pct > half_pct * r.runs) {
		print_error("effects %#x: bias %.3f %%, %u of %u held, +-%.3f %%\n",
			    effects, r.off_pct / r.runs, r.held, r.runs,
			    r.half_pct / r.runs);
		fail();
	}
}

static void intervals_hold_the_truth_with_noise_alone(void **state)
{
	(void)state;
	assert_covers(0, 0.1, 0.25);
}

static void intervals_hold_the_truth_with_all_effects_at_once(void **state)
{
	(void)state;
	assert_covers(COV_ALL, 0.2, 0.7);
}

static void intervals_hold_the_truth_where_sleep_is_told_in_ticks(void **state)
{
	(void)state;
	assert_covers(COV_BACKGROUND | COV_TICKS, 0.1, 0.4);
	assert_covers(COV_ALL | COV_TICKS, 0.2, 0.8);
}

static void intervals_hold_the_truth_whatever_the_law_of_leakage(void **state)
{
	(void)state;
	assert_covers(COV_ALL | COV_OTHER_LEAK, 0.2, 0.7);
}

static void intervals_hold_the_truth_when_voltage_is_a_tables(void **state)
{
	(void)state;
	assert_covers(COV_ALL | COV_TABLE, 0.3, 1.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_methods_give_what_their_formulas_say),
		cmocka_unit_test(a_difference_near_zero_is_no_divisor),
		cmocka_unit_test(two_minus_one_is_the_mean_difference),
		cmocka_unit_test(residuals_are_those_of_what_a_method_fits),
		cmocka_unit_test(an_intercept_of_rounding_is_zero),
		cmocka_unit_test(design_of_the_data_decides_the_method),
		cmocka_unit_test(one_point_is_refused_by_the_line_too),
		cmocka_unit_test(flagged_rows_are_left_out_unless_asked_for),
		cmocka_unit_test(a_busy_row_below_its_baseline_counts_as_flagged),
		cmocka_unit_test(a_row_without_voltage_or_no_busy_row_is_refused),
		cmocka_unit_test(a_negative_static_term_is_a_finding),
		cmocka_unit_test(structured_finds_all_terms_of_exact_data),
		cmocka_unit_test(the_rails_resistance_is_found_where_voltage_is_a_tables),
		cmocka_unit_test(a_measured_voltage_that_stands_still_is_believed),
		cmocka_unit_test(a_window_that_stands_out_is_named_and_left_out),
		cmocka_unit_test(other_clusters_and_loads_are_passed_over),
		cmocka_unit_test(measured_power_of_an_opp_is_busy_less_idle),
		cmocka_unit_test(intervals_hold_the_truth_with_noise_alone),
		cmocka_unit_test(intervals_hold_the_truth_with_all_effects_at_once),
		cmocka_unit_test(intervals_hold_the_truth_where_sleep_is_told_in_ticks),
		cmocka_unit_test(intervals_hold_the_truth_whatever_the_law_of_leakage),
		cmocka_unit_test(intervals_hold_the_truth_when_voltage_is_a_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
