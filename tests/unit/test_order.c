// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which cluster is cheapest at a throughput: measured, and as the kernel will have it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "models/checks.h"

#define MAX_CLUSTERS 3

struct machine {
	struct dtcpus *d;
	struct checks *c;
	struct checks_measured measured[MAX_CLUSTERS];
	struct checks_input in;
};

static void setup(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	m->d = dtcpus_new();
	m->c = checks_new();
	assert_non_null(m->d);
	assert_non_null(m->c);
	m->in.d = m->d;
	m->in.measured = m->measured;
}

static void teardown(struct machine *m)
{
	dtcpus_free(m->d);
	checks_free(m->c);
}

static unsigned int add_cluster(struct machine *m, const char *name, uint32_t dpc,
				uint32_t capacity)
{
	unsigned int i = m->d->domain_count++;
	struct dt_cpu *cpu = &m->d->cpus[i];

	m->measured[i].name = name;
	m->d->cpu_count++;
	cpu->compatibles[0] = name;
	cpu->compatible_count = 1;
	cpu->enabled = cpu->has_dpc = cpu->has_capacity = true;
	cpu->dpc_uw_per_mhz_v2 = dpc;
	cpu->capacity_dmips_mhz = capacity;
	cpu->domain = i;
	m->d->domains[i].cpus[0] = i;
	m->d->domains[i].cpu_count = 1;
	return i;
}

/* At 1 V. @next, @first: measured mW; 0: not. */
static struct checks_power *add_state(struct machine *m, unsigned int cluster,
				      uint32_t mhz, double next, double first)
{
	struct dt_domain *dom = &m->d->domains[cluster];
	struct checks_power *p = &m->measured[cluster].states[dom->opp_count];

	dom->opps[dom->opp_count].hz = mhz * 1000000ull;
	dom->opps[dom->opp_count].has_volt = true;
	dom->opps[dom->opp_count++].volt_uv = 1000000;
	*p = (struct checks_power){ .next_uw = next * 1e3, .first_uw = first * 1e3 };
	return p;
}

/* Texts of the "order" items; NULL past the end. */
static const char *item(const struct machine *m, enum checks_severity severity,
			unsigned int n)
{
	for (unsigned int i = 0; i < m->c->item_count; i++)
		if (m->c->items[i].severity == severity &&
		    !strcmp(m->c->items[i].check, "order") && !n--)
			return m->c->items[i].text;
	return NULL;
}

/*
 * Little: capacity 256 at 1000 MHz. Big: 512 at 500 MHz, 1024 at 1000 MHz. At 256 the big
 * one is busy half the time; there the kernel sees little * 1000 against big * 250 uW.
 */
static void two_clusters(struct machine *m, uint32_t little, uint32_t big)
{
	unsigned int l, b;

	setup(m);
	l = add_cluster(m, "lit", little, 256);
	b = add_cluster(m, "big", big, 1024);
	add_state(m, l, 1000, 50, 80);
	add_state(m, b, 500, 150, 200);
	add_state(m, b, 1000, 320, 400);
}

static void a_dearer_choice_is_a_finding_with_both_states(void **state)
{
	struct machine m;

	(void)state;
	/* The little one at twice what it takes: 100 mW, where the big one takes 75. */
	two_clusters(&m, 100, 300);
	checks_run(&m.in, m.c);
	assert_true(m.c->order_known);
	assert_string_equal(
		item(&m, CHECKS_FINDING, 0),
		"at capacity 256 of 1024: lit at 1000 MHz costs 50 mW by measurement, "
		"the kernel will think 100 mW and choose big at 500 MHz for 75 mW, which "
		"costs 75 mW");
	assert_null(item(&m, CHECKS_FINDING, 1));
	teardown(&m);
	/* With what it takes the order is right. */
	two_clusters(&m, 50, 300);
	checks_run(&m.in, m.c);
	assert_true(m.c->order_known);
	assert_null(item(&m, CHECKS_FINDING, 0));
	teardown(&m);
	/* And a big one that is too cheap is the same fault. */
	two_clusters(&m, 50, 190);
	checks_run(&m.in, m.c);
	assert_non_null(strstr(item(&m, CHECKS_FINDING, 0),
			       "choose big at 500 MHz for 47.5 mW, which costs 75 mW"));
	teardown(&m);
}

static void a_difference_within_the_error_is_no_finding(void **state)
{
	struct machine m;

	(void)state;
	two_clusters(&m, 100, 300);
	/* 25 mW more, +-24 and +-20 of which the half counts at half the time. */
	m.measured[0].states[0].next_ci_uw = 24e3;
	m.measured[1].states[0].next_ci_uw = 20e3;
	checks_run(&m.in, m.c);
	assert_true(m.c->order_known);
	assert_null(item(&m, CHECKS_FINDING, 0));
	m.measured[0].states[0].next_ci_uw = 20e3;
	checks_run(&m.in, m.c);
	assert_non_null(item(&m, CHECKS_FINDING, 0));
	/* Less than a sixteenth more is nothing that EAS ever moved a task for. */
	m.measured[0].states[0].next_ci_uw = m.measured[1].states[0].next_ci_uw = 0;
	m.measured[0].states[0].next_uw = 71e3;
	checks_run(&m.in, m.c);
	assert_null(item(&m, CHECKS_FINDING, 0));
	m.measured[0].states[0].next_uw = 70e3;
	checks_run(&m.in, m.c);
	assert_non_null(item(&m, CHECKS_FINDING, 0));
	teardown(&m);
}

static void waking_a_cluster_is_a_note(void **state)
{
	struct machine m;

	(void)state;
	/* Right as long as both are awake; but the first CPU of the little one costs 80.
	 */
	two_clusters(&m, 50, 300);
	checks_run(&m.in, m.c);
	assert_null(item(&m, CHECKS_FINDING, 0));
	assert_string_equal(
		item(&m, CHECKS_NOTE, 0),
		"the kernel does not count what waking a cluster costs: at capacity 256 "
		"of 1024 it chooses lit at 1000 MHz, where the first CPU costs 80 mW, "
		"while one more of big costs 75 mW if that is awake (so at 1 of 1 "
		"throughputs)");
	m.measured[0].states[0].first_uw = 70e3;
	checks_run(&m.in, m.c);
	assert_null(item(&m, CHECKS_NOTE, 0));
	teardown(&m);
}

static void one_cpu_count_says_that_shared_power_is_in_it(void **state)
{
	struct machine m;

	(void)state;
	two_clusters(&m, 120, 300);
	for (int i = 0; i < 2; i++)
		m.measured[1].states[i].next_uw = 0;
	checks_run(&m.in, m.c);
	assert_string_equal(
		item(&m, CHECKS_FINDING, 0),
		"at capacity 256 of 1024: lit at 1000 MHz costs 80 mW by measurement "
		"(its "
		"shared power included), the kernel will think 120 mW and choose big at "
		"500 MHz for 75 mW, which costs 100 mW");
	assert_null(item(&m, CHECKS_NOTE, 0));
	teardown(&m);
}

static void the_worst_of_several_pairs_comes_first(void **state)
{
	struct machine m;
	unsigned int l, b, p, n;

	(void)state;
	setup(&m);
	l = add_cluster(&m, "lit", 400, 256);
	b = add_cluster(&m, "big", 300, 1024);
	p = add_cluster(&m, "prime", 450, 1024);
	add_state(&m, l, 500, 25, 25);
	add_state(&m, l, 1000, 50, 50);
	add_state(&m, b, 250, 60, 60);
	add_state(&m, b, 500, 200, 200);
	/* Taken for dearer than big, and is not: where the little one is too slow. */
	add_state(&m, p, 500, 150, 150);
	add_state(&m, p, 1000, 500, 500);
	checks_run(&m.in, m.c);
	assert_non_null(strstr(item(&m, CHECKS_FINDING, 0),
			       "at capacity 512 of 1024: prime at 500 MHz costs 150 mW"));
	assert_non_null(strstr(item(&m, CHECKS_FINDING, 0), "choose big at 500 MHz"));
	assert_non_null(strstr(item(&m, CHECKS_FINDING, 1),
			       "at capacity 256 of 1024: lit at 1000 MHz costs 50 mW"));
	assert_non_null(strstr(item(&m, CHECKS_FINDING, 2),
			       "at capacity 128 of 1024: lit at 500 MHz costs 25 mW"));
	assert_null(item(&m, CHECKS_FINDING, 3));
	n = checks_findings(m.c);
	assert_int_equal(checks_ignore(m.c, "order", NULL), 0);
	assert_int_equal(checks_findings(m.c), n - 3);
	teardown(&m);
}

static void without_powers_or_capacities_nothing_is_said(void **state)
{
	struct machine m;

	(void)state;
	two_clusters(&m, 100, 300);
	m.in.measured = NULL;
	checks_run(&m.in, m.c);
	assert_false(m.c->order_known);
	m.in.measured = m.measured;
	m.d->cpus[1].has_capacity = false;
	checks_run(&m.in, m.c);
	assert_false(m.c->order_known);
	m.d->cpus[0].has_capacity = false;
	checks_run(&m.in, m.c);
	assert_false(m.c->order_known);
	m.d->cpus[0].has_capacity = m.d->cpus[1].has_capacity = true;
	/* The state that the big one would use was not measured. */
	m.measured[1].states[0] = (struct checks_power){ 0 };
	checks_run(&m.in, m.c);
	assert_false(m.c->order_known);
	assert_null(item(&m, CHECKS_FINDING, 0));
	assert_null(item(&m, CHECKS_NOTE, 0));
	/* Nor is a power that is not above 0 one. */
	m.measured[1].states[0].next_uw = -1;
	m.measured[1].states[0].first_uw = -1;
	checks_run(&m.in, m.c);
	assert_false(m.c->order_known);
	teardown(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dearer_choice_is_a_finding_with_both_states),
		cmocka_unit_test(a_difference_within_the_error_is_no_finding),
		cmocka_unit_test(waking_a_cluster_is_a_note),
		cmocka_unit_test(one_cpu_count_says_that_shared_power_is_in_it),
		cmocka_unit_test(the_worst_of_several_pairs_comes_first),
		cmocka_unit_test(without_powers_or_capacities_nothing_is_said),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
