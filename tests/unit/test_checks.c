// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The checks, on machines put together by hand: one thing wrong in each.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/checks.h"

struct machine {
	struct dtcpus *d;
	struct checks *c;
	struct checks_input in;
};

static struct machine new_machine(void)
{
	struct machine m = { .d = dtcpus_new(), .c = checks_new() };

	assert_non_null(m.d);
	assert_non_null(m.c);
	m.in.d = m.d;
	return m;
}

static void free_machine(struct machine *m)
{
	dtcpus_free(m->d);
	checks_free(m->c);
}

/* A domain of @n CPUs with one coefficient (0: none) and capacity (0: none). */
static struct dt_domain *add_domain(struct machine *m, const char *compatible,
				    unsigned int n, uint32_t dpc, uint32_t capacity)
{
	struct dt_domain *dom = &m->d->domains[m->d->domain_count];

	while (n--) {
		struct dt_cpu *cpu = &m->d->cpus[m->d->cpu_count];

		snprintf(cpu->path, sizeof(cpu->path), "/cpus/cpu@%x",
			 m->d->cpu_count * 0x100);
		cpu->compatibles[0] = compatible;
		cpu->compatible_count = 1;
		cpu->enabled = true;
		cpu->has_dpc = dpc != 0;
		cpu->dpc_uw_per_mhz_v2 = dpc;
		cpu->has_capacity = capacity != 0;
		cpu->capacity_dmips_mhz = capacity;
		cpu->domain = m->d->domain_count;
		dom->cpus[dom->cpu_count++] = m->d->cpu_count++;
	}
	dom->shared = true;
	snprintf(dom->opp_path, sizeof(dom->opp_path), "/opp-table-%u",
		 m->d->domain_count++);
	return dom;
}

static struct dt_opp *add_opp(struct dt_domain *dom, uint32_t mhz, uint32_t volt_uv)
{
	struct dt_opp *opp = &dom->opps[dom->opp_count++];

	opp->hz = mhz * 1000000ull;
	opp->has_volt = volt_uv != 0;
	opp->volt_uv = volt_uv;
	return opp;
}

/* Two clusters with which nothing is wrong; ratio 3. */
static struct machine sound_machine(void)
{
	struct machine m = new_machine();
	struct dt_domain *little = add_domain(&m, "test,little", 2, 100, 400);
	struct dt_domain *big = add_domain(&m, "test,big", 2, 300, 1024);

	add_opp(little, 500, 800000);
	add_opp(little, 1000, 850000);
	add_opp(big, 500, 800000);
	add_opp(big, 1100, 900000);
	add_opp(big, 2000, 1200000);
	m.in.band = (struct checks_band){ true, 2.5, 4.5, "test" };
	return m;
}

static unsigned int count(const struct checks *c, enum checks_severity severity)
{
	unsigned int i, n = 0;

	for (i = 0; i < c->item_count; i++)
		n += c->items[i].severity == severity;
	return n;
}

/* Exactly one finding, of @check, with this text; frees the machine. */
static void assert_only_finding(struct machine m, const char *check, int domain,
				const char *text)
{
	const struct checks_item *found = NULL;
	unsigned int i;

	checks_run(&m.in, m.c);
	for (i = 0; i < m.c->item_count; i++)
		if (m.c->items[i].severity == CHECKS_FINDING) {
			if (found)
				fail_msg("also: %s", m.c->items[i].text);
			found = &m.c->items[i];
		}
	assert_non_null(found);
	assert_string_equal(found->text, text);
	assert_string_equal(found->check, check);
	assert_int_equal(found->domain, domain);
	assert_int_equal(checks_findings(m.c), 1);
	free_machine(&m);
}

static void sound_machine_has_no_finding(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->item_count, 0);
	assert_int_equal(checks_findings(m.c), 0);
	assert_false(checks_left_out(m.c));
	assert_int_equal(m.c->domains[0].source, CHECKS_COEFFICIENT);
	/* 400 * 1000 / (1024 * 2000) of 1024 */
	assert_int_equal(m.c->domains[0].capacity, 200);
	assert_int_equal(m.c->domains[1].capacity, 1024);
	assert_true(m.c->domains[1].has_v56);
	assert_true(m.c->domains[1].has_current);
	assert_int_equal(m.c->domains[1].current[2].power, 864000);
	assert_int_equal(m.c->domains[1].v56[2].power, 864);
	assert_int_equal(m.c->domains[1].first_cpu, 2);
	free_machine(&m);
}

static void ratio_is_given_by_coefficient_and_by_power(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	checks_run(&m.in, m.c);
	assert_true(m.c->ratio.known);
	assert_int_equal(m.c->ratio.big, 1);
	assert_int_equal(m.c->ratio.little, 0);
	assert_float_equal(m.c->ratio.by_dpc, 3.0, 1e-12);
	assert_true(m.c->ratio.in_band);
	assert_float_equal(m.c->ratio.by_top_power, 864000 / 72250., 1e-12);
	/* 500 MHz is what both have; 1000 and 1100 are only near */
	assert_int_equal(m.c->ratio.big_equal_khz, 500000);
	assert_int_equal(m.c->ratio.little_equal_khz, 500000);
	assert_float_equal(m.c->ratio.by_equal_power, 3.0, 1e-12);
	free_machine(&m);
}

static void ratio_at_equal_clock_takes_the_highest_of_equal_pairs(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->domains[1].opps[1].hz = 1000000000;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->ratio.big_equal_khz, 1000000);
	/* 300 * 0.9^2 over 100 * 0.85^2 */
	assert_float_equal(m.c->ratio.by_equal_power, 243000 / 72250., 1e-12);
	free_machine(&m);
}

static void ratio_outside_the_band_is_a_finding(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.in.band.min = 3.1;
	assert_only_finding(
		m, "ratio", -1,
		"the coefficients' big/LITTLE ratio 300/100 = 3.00 is outside "
		"3.1..4.5 (test)");
}

static void ends_of_the_band_are_inside(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.in.band.min = m.in.band.max = 3;
	checks_run(&m.in, m.c);
	assert_true(m.c->ratio.in_band);
	assert_int_equal(checks_findings(m.c), 0);
	free_machine(&m);
}

static void ratio_without_a_band_is_left_out_of_the_verdict(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.in.band.known = false;
	checks_run(&m.in, m.c);
	assert_true(m.c->ratio.known);
	assert_int_equal(checks_findings(m.c), 0);
	assert_int_equal(count(m.c, CHECKS_LEFT_OUT), 1);
	assert_string_equal(
		m.c->items[0].text,
		"no band known for this board; give one with --ratio MIN:MAX");
	assert_true(checks_left_out(m.c));
	free_machine(&m);
}

static void littler_by_capacity_may_have_the_higher_coefficient(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->cpus[0].dpc_uw_per_mhz_v2 = m.d->cpus[1].dpc_uw_per_mhz_v2 = 600;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->ratio.big, 1);
	assert_string_equal(
		m.c->items[0].text,
		"the coefficients' big/LITTLE ratio 300/600 = 0.50 is outside "
		"2.5..4.5 (test)");
	free_machine(&m);
}

static void little_cpu_that_always_costs_more_is_found(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.in.band.min = 1;
	m.d->cpus[2].dpc_uw_per_mhz_v2 = m.d->cpus[3].dpc_uw_per_mhz_v2 = 110;
	assert_only_finding(m, "cost", 0,
			    "costs more than test,big at the same performance, at every "
			    "OPP: EAS will avoid the little CPUs");
}

static void little_cpu_that_costs_more_at_the_top_is_a_note(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	/* 100 * 1.2^2 * 1000 / 200 is above 300 * 0.8^2 * 500 / 256 */
	m.d->domains[0].opps[1].volt_uv = 1200000;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->item_count, 1);
	assert_int_equal(m.c->items[0].severity, CHECKS_NOTE);
	assert_string_equal(m.c->items[0].text,
			    "costs more than test,big at the same performance at 1 of 2 "
			    "OPPs, from 1000 MHz: EAS prefers the big CPUs there");
	free_machine(&m);
}

static void shared_voltage_is_found_and_explained_by_opp(void **state)
{
	struct machine m = sound_machine();
	char text[64];

	(void)state;
	m.d->domains[1].opps[1].hz = 1000000000;
	m.d->domains[1].opps[1].volt_uv = 800000;
	checks_run(&m.in, m.c);
	assert_string_equal(checks_states(m.c->domains[1].v56, 3, text, sizeof(text)),
			    "1");
	assert_string_equal(checks_states(m.c->domains[1].current, 3, text, sizeof(text)),
			    "0");
	assert_int_equal(m.c->item_count, 2);
	assert_string_equal(m.c->items[0].text,
			    "efficiency does not fall as the clock rises: v5.6 rule "
			    "states 1; current rule states 0");
	assert_string_equal(
		m.c->items[1].text,
		"with a single coefficient efficiency depends on V^2 only, and these "
		"OPPs share a voltage or undercut the one below: 500-1000 MHz (800 mV); "
		"no other coefficient mends it");
	assert_int_equal(m.c->items[1].severity, CHECKS_NOTE);
	free_machine(&m);
}

static void falling_voltage_is_named_with_both_ends(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->domains[1].opps[1].volt_uv = 790000;
	checks_run(&m.in, m.c);
	assert_non_null(strstr(m.c->items[1].text, "500-1100 MHz (800..790 mV)"));
	free_machine(&m);
}

static void truncation_alone_is_told_from_shared_voltage(void **state)
{
	struct machine m = new_machine();
	struct dt_domain *dom = add_domain(&m, "test,tiny", 1, 10, 1024);

	(void)state;
	/* 1.6 and 1.95 mW are both 1 mW, so v5.6 sees the faster state as cheaper */
	add_opp(dom, 200, 900000);
	add_opp(dom, 240, 905000);
	checks_run(&m.in, m.c);
	assert_string_equal(m.c->items[0].text,
			    "efficiency does not fall as the clock rises: v5.6 rule "
			    "states 1; current rule no state");
	assert_string_equal(m.c->items[1].text,
			    "every OPP has more voltage than the one below; the kernel's "
			    "integer division alone makes these states look alike");
	free_machine(&m);
}

static void no_coefficient_anywhere_is_one_finding(void **state)
{
	struct machine m = sound_machine();
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++)
		m.d->cpus[i].has_dpc = false;
	assert_only_finding(
		m, "energy-model", -1,
		"no CPU has a dynamic-power-coefficient: no energy model, EAS "
		"stays off");
}

static void one_domain_without_a_model_switches_eas_off(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->cpus[2].has_dpc = m.d->cpus[3].has_dpc = false;
	assert_only_finding(
		m, "energy-model", -1,
		"no dynamic-power-coefficient on CPUs 2-3 (cpu@200, cpu@300): "
		"no energy model there, so EAS stays off for the whole "
		"system");
}

static void coefficient_on_the_first_cpu_alone_is_enough(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->cpus[1].has_dpc = m.d->cpus[3].has_dpc = false;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->item_count, 0);
	free_machine(&m);
}

static void coefficient_missing_on_the_first_cpu_is_found(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->cpus[2].has_dpc = false;
	assert_only_finding(m, "coefficient", 1,
			    "CPUs 2-3 (cpu@200, cpu@300): the first CPU cpu@200 has no "
			    "dynamic-power-coefficient, so the domain gets no energy "
			    "model and EAS stays off for the whole system, although "
			    "cpu@300 has one");
}

static void two_coefficients_in_one_domain_are_found(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->cpus[3].dpc_uw_per_mhz_v2 = 310;
	assert_only_finding(
		m, "coefficient", 1,
		"different coefficients 300/310 in one frequency domain, CPUs "
		"2-3 (cpu@200, cpu@300); the kernel takes the first CPU's for "
		"all");
}

static void coefficient_zero_is_no_coefficient(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->cpus[2].dpc_uw_per_mhz_v2 = m.d->cpus[3].dpc_uw_per_mhz_v2 = 0;
	checks_run(&m.in, m.c);
	assert_int_equal(checks_findings(m.c), 2);
	assert_string_equal(
		m.c->items[0].text,
		"CPUs 2-3 (cpu@200, cpu@300): the coefficient is 0, which the "
		"kernel takes for none");
	assert_string_equal(m.c->items[1].check, "energy-model");
	free_machine(&m);
}

static void missing_capacity_of_one_cpu_undoes_all(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->cpus[3].has_capacity = false;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->domains[0].capacity, 1024);
	assert_true(m.c->capacity_partial);
	assert_only_finding(
		m, "capacity", -1,
		"capacity-dmips-mhz is missing on cpu@300 only, so the kernel "
		"ignores it for all CPUs and takes 1024");
}

static void different_cores_without_capacities_are_found(void **state)
{
	struct machine m = sound_machine();
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++)
		m.d->cpus[i].has_capacity = false;
	assert_only_finding(m, "capacity", -1,
			    "all capacities are equal although the cores differ (no CPU "
			    "has capacity-dmips-mhz): EAS stays off without asymmetric "
			    "capacity");
}

static void symmetric_machine_is_a_note(void **state)
{
	struct machine m = new_machine();
	struct dt_domain *dom = add_domain(&m, "test,only", 4, 100, 1024);

	(void)state;
	add_opp(dom, 500, 800000);
	add_opp(dom, 1000, 1000000);
	checks_run(&m.in, m.c);
	assert_int_equal(checks_findings(m.c), 0);
	assert_int_equal(count(m.c, CHECKS_NOTE), 1);
	assert_string_equal(
		m.c->items[0].text,
		"all CPUs have the same capacity: the kernel does not use EAS "
		"on a symmetric machine");
	assert_false(m.c->ratio.known);
	free_machine(&m);
}

static void unknown_capacities_are_left_out(void **state)
{
	struct machine m = sound_machine();
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++)
		m.d->cpus[i].has_capacity = false;
	m.in.capacity_unknown = true;
	checks_run(&m.in, m.c);
	assert_int_equal(checks_findings(m.c), 0);
	assert_int_equal(m.c->item_count, 1);
	assert_int_equal(m.c->items[0].severity, CHECKS_LEFT_OUT);
	assert_false(m.c->domains[0].has_capacity);
	free_machine(&m);
}

static void boost_clock_does_not_raise_capacity(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	add_opp(&m.d->domains[0], 2000, 1200000)->turbo = true;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->domains[0].capacity, 200);
	free_machine(&m);
}

static void opp_without_voltage_is_found_with_a_way_out(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->domains[1].opps[2].has_volt = false;
	checks_run(&m.in, m.c);
	assert_string_equal(m.c->domains[1].current_why,
			    "no energy model: an OPP has no voltage (-22)");
	assert_only_finding(
		m, "voltage", 1,
		"coefficient without voltage: 1 of 3 OPPs of /opp-table-1 have no "
		"opp-microvolt (from 2000 MHz), so the kernel can not compute power "
		"(-22); give each OPP opp-microvolt, or opp-microwatt");
}

static void voltage_below_one_mv_counts_as_none(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->domains[1].opps[0].volt_uv = 999;
	checks_run(&m.in, m.c);
	assert_int_equal(checks_findings(m.c), 1);
	assert_string_equal(m.c->items[0].check, "voltage");
	free_machine(&m);
}

static void speed_bins_ask_for_a_choice(void **state)
{
	struct machine m = sound_machine();
	struct dt_domain *dom = &m.d->domains[0];

	(void)state;
	dom->opps[0].has_volt = dom->opps[1].has_volt = false;
	dom->opps[0].volt_binned = dom->opps[1].volt_binned = true;
	strcpy(dom->volt_bins[dom->volt_bin_count++], "speed0");
	strcpy(dom->volt_bins[dom->volt_bin_count++], "speed1");
	assert_only_finding(m, "voltage", 0,
			    "/opp-table-0 has voltages per speed bin only (2 OPPs, from "
			    "500 MHz); choose a bin with --bin: speed0 or speed1");
}

static void voltages_that_firmware_tells_are_left_out(void **state)
{
	struct machine m = sound_machine();
	unsigned int i;

	(void)state;
	m.d->cpus[2].firmware_volt = true;
	for (i = 0; i < 3; i++)
		m.d->domains[1].opps[i].has_volt = false;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->item_count, 1);
	assert_int_equal(m.c->items[0].severity, CHECKS_LEFT_OUT);
	assert_string_equal(m.c->domains[1].current_why,
			    "left out: voltages come from firmware");
	assert_true(m.c->ratio.has_dpc);
	free_machine(&m);
}

static void opp_microwatt_goes_before_the_coefficient(void **state)
{
	struct machine m = sound_machine();
	struct dt_opp *opps = m.d->domains[0].opps;

	(void)state;
	opps[0].has_power = opps[1].has_power = true;
	opps[0].power_uw = 30000;
	opps[1].power_uw = 66000;
	m.d->cpus[0].has_dpc = m.d->cpus[1].has_dpc = false;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->item_count, 0);
	assert_int_equal(m.c->domains[0].source, CHECKS_OPP_MICROWATT);
	assert_int_equal(m.c->domains[0].current[1].power, 66000);
	assert_false(m.c->domains[0].has_v56);
	assert_string_equal(m.c->domains[0].v56_why,
			    "left out: v5.6 does not read opp-microwatt");
	free_machine(&m);
}

static void opp_microwatt_that_does_not_rise_enough_is_explained(void **state)
{
	struct machine m = sound_machine();
	struct dt_opp *opps = m.d->domains[0].opps;

	(void)state;
	opps[0].has_power = opps[1].has_power = true;
	opps[0].power_uw = 30000;
	opps[1].power_uw = 60000;
	checks_run(&m.in, m.c);
	assert_int_equal(checks_findings(m.c), 1);
	assert_string_equal(
		m.c->items[1].text,
		"opp-microwatt gives these OPPs no less power per MHz than an "
		"OPP above them");
	free_machine(&m);
}

static void opp_microwatt_on_some_opps_only_is_found(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->domains[1].opps[0].has_power = true;
	m.d->domains[1].opps[0].power_uw = 50000;
	assert_only_finding(m, "voltage", 1,
			    "the first OPP of /opp-table-1 has opp-microwatt, but 2 have "
			    "none (1100 MHz): no energy model (-22)");
}

static void power_outside_the_kernels_limits_is_found_by_state(void **state)
{
	struct machine m = sound_machine();
	uint32_t absurd = 30000;

	(void)state;
	m.d->cpus[2].dpc_uw_per_mhz_v2 = m.d->cpus[3].dpc_uw_per_mhz_v2 = absurd;
	m.in.band.known = false;
	checks_run(&m.in, m.c);
	assert_int_equal(checks_findings(m.c), 2);
	assert_string_equal(m.c->items[0].text,
			    "v5.6 would refuse the energy model: state 2 (2000000 kHz): "
			    "power 86400 mW is not in 1..65535");
	assert_string_equal(m.c->items[1].text,
			    "the kernel would refuse the energy model: state 2 (2000000 "
			    "kHz): power 86400000 uW is not in 1..64000000");
	assert_false(m.c->ratio.has_power);
	free_machine(&m);
}

static void two_opps_of_one_clock_leave_the_states_open(void **state)
{
	struct machine m = sound_machine();
	struct dt_opp *opps = m.d->domains[1].opps;

	(void)state;
	opps[1].hz = opps[0].hz;
	opps[0].supported_hw = opps[1].supported_hw = true;
	checks_run(&m.in, m.c);
	assert_int_equal(checks_findings(m.c), 0);
	assert_int_equal(count(m.c, CHECKS_LEFT_OUT), 1);
	assert_string_equal(m.c->items[0].text,
			    "two OPPs of 500 MHz in /opp-table-1, each for other chips "
			    "(opp-supported-hw); the states can not be computed");
	opps[0].supported_hw = opps[1].supported_hw = false;
	assert_only_finding(m, "monotonic", 1,
			    "two OPPs of 500 MHz in /opp-table-1; the states can not be "
			    "computed");
}

static void complexity_is_domains_times_cpus_and_states(void **state)
{
	struct machine m = sound_machine();
	struct dt_domain *dom;
	unsigned int i;

	(void)state;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->complexity_v56, 2 * (4 + 5));
	dom = &m.d->domains[1];
	for (i = 3; i < 64; i++)
		add_opp(dom, 2000 + i, 1200000 + i * 10000);
	for (i = 0; i < 40; i++)
		add_opp(add_domain(&m, "test,more", 1, 200, 500), 1000, 1000000);
	m.in.band.known = false;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->complexity_v56, 42 * (44 + 66 + 40));
	assert_int_equal(count(m.c, CHECKS_NOTE), 1);
	free_machine(&m);
}

static void disabled_cpus_are_noted(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->cpus[3].enabled = false;
	checks_run(&m.in, m.c);
	assert_int_equal(m.c->item_count, 1);
	assert_string_equal(m.c->items[0].text,
			    "disabled in the tree, counted all the same: cpu@300");
	free_machine(&m);
}

static void domain_without_opps_is_checked_for_the_rest(void **state)
{
	struct machine m = sound_machine();

	(void)state;
	m.d->domains[0].opp_count = 0;
	m.d->cpus[1].dpc_uw_per_mhz_v2 = 101;
	checks_run(&m.in, m.c);
	assert_int_equal(checks_findings(m.c), 1);
	assert_int_equal(count(m.c, CHECKS_LEFT_OUT), 1);
	assert_true(m.c->ratio.has_dpc);
	assert_false(m.c->ratio.has_power);
	assert_false(m.c->domains[0].has_capacity);
	free_machine(&m);
}

static void ignored_check_is_out_of_the_verdict(void **state)
{
	struct machine m = sound_machine();
	struct err err = { "" };

	(void)state;
	m.in.band.min = m.in.band.max = 9;
	checks_run(&m.in, m.c);
	assert_int_equal(checks_findings(m.c), 1);
	assert_int_equal(checks_ignore(m.c, "monotonic", &err), 0);
	assert_int_equal(checks_findings(m.c), 1);
	assert_int_equal(checks_ignore(m.c, "ratio", &err), 0);
	assert_int_equal(checks_findings(m.c), 0);
	assert_int_equal(m.c->item_count, 1);
	assert_int_equal(checks_ignore(m.c, "ratoi", &err), -EINVAL);
	assert_string_equal(err.msg,
			    "no check 'ratoi'; the checks are monotonic, limits, "
			    "voltage, coefficient, energy-model, capacity, "
			    "ratio, cost, order");
	free_machine(&m);
}

static void endless_findings_stop_at_the_limit(void **state)
{
	struct machine m = new_machine();
	unsigned int i;

	(void)state;
	for (i = 0; i < CHECKS_MAX_ITEMS + 10; i++)
		checks_add(m.c, CHECKS_FINDING, "ratio", -1, "number %u", i);
	assert_int_equal(m.c->item_count, CHECKS_MAX_ITEMS);
	free_machine(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_machine_has_no_finding),
		cmocka_unit_test(ratio_is_given_by_coefficient_and_by_power),
		cmocka_unit_test(ratio_at_equal_clock_takes_the_highest_of_equal_pairs),
		cmocka_unit_test(ratio_outside_the_band_is_a_finding),
		cmocka_unit_test(ends_of_the_band_are_inside),
		cmocka_unit_test(ratio_without_a_band_is_left_out_of_the_verdict),
		cmocka_unit_test(littler_by_capacity_may_have_the_higher_coefficient),
		cmocka_unit_test(little_cpu_that_always_costs_more_is_found),
		cmocka_unit_test(little_cpu_that_costs_more_at_the_top_is_a_note),
		cmocka_unit_test(shared_voltage_is_found_and_explained_by_opp),
		cmocka_unit_test(falling_voltage_is_named_with_both_ends),
		cmocka_unit_test(truncation_alone_is_told_from_shared_voltage),
		cmocka_unit_test(no_coefficient_anywhere_is_one_finding),
		cmocka_unit_test(one_domain_without_a_model_switches_eas_off),
		cmocka_unit_test(coefficient_on_the_first_cpu_alone_is_enough),
		cmocka_unit_test(coefficient_missing_on_the_first_cpu_is_found),
		cmocka_unit_test(two_coefficients_in_one_domain_are_found),
		cmocka_unit_test(coefficient_zero_is_no_coefficient),
		cmocka_unit_test(missing_capacity_of_one_cpu_undoes_all),
		cmocka_unit_test(different_cores_without_capacities_are_found),
		cmocka_unit_test(symmetric_machine_is_a_note),
		cmocka_unit_test(unknown_capacities_are_left_out),
		cmocka_unit_test(boost_clock_does_not_raise_capacity),
		cmocka_unit_test(opp_without_voltage_is_found_with_a_way_out),
		cmocka_unit_test(voltage_below_one_mv_counts_as_none),
		cmocka_unit_test(speed_bins_ask_for_a_choice),
		cmocka_unit_test(voltages_that_firmware_tells_are_left_out),
		cmocka_unit_test(opp_microwatt_goes_before_the_coefficient),
		cmocka_unit_test(opp_microwatt_that_does_not_rise_enough_is_explained),
		cmocka_unit_test(opp_microwatt_on_some_opps_only_is_found),
		cmocka_unit_test(power_outside_the_kernels_limits_is_found_by_state),
		cmocka_unit_test(two_opps_of_one_clock_leave_the_states_open),
		cmocka_unit_test(complexity_is_domains_times_cpus_and_states),
		cmocka_unit_test(disabled_cpus_are_noted),
		cmocka_unit_test(domain_without_opps_is_checked_for_the_rest),
		cmocka_unit_test(ignored_check_is_out_of_the_verdict),
		cmocka_unit_test(endless_findings_stop_at_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
