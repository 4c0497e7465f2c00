// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Planning: which CPU node gets which value, and what is refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fdtedit/edits.h"

struct fixture {
	struct coeffs *c;
	struct edits out;
	struct err err;
	struct edit_cpu cpus[4]; /* two A7 in domain 0, two A15 in domain 1 */
};

static int setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	assert_non_null(fx);
	fx->c = coeffs_new();
	assert_non_null(fx->c);
	for (int i = 0; i < 4; i++) {
		static const char *const paths[] = { "/cpus/cpu@100", "/cpus/cpu@101",
						     "/cpus/cpu@0", "/cpus/cpu@1" };

		fx->cpus[i] = (struct edit_cpu){
			.path = paths[i],
			.has_reg = true,
			.reg = i < 2 ? 0x100 + i : i - 2,
			.compatibles = { i < 2 ? "arm,cortex-a7" : "arm,cortex-a15" },
			.compatible_count = 1,
			.domain = i / 2,
		};
	}
	*state = fx;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	coeffs_free(fx->c);
	free(fx);
	return 0;
}

static struct coeffs_cluster *add_cluster(struct fixture *fx, const char *name,
					  const char *compatible, uint32_t value)
{
	struct coeffs_cluster *cl = &fx->c->clusters[fx->c->cluster_count++];

	strcpy(cl->name, name);
	strcpy(cl->match.compatible, compatible);
	cl->dpc_uw_per_mhz_v2 = value;
	return cl;
}

static void give_value(struct fixture *fx, int cpu, uint32_t value)
{
	fx->cpus[cpu].has_value = true;
	fx->cpus[cpu].value = value;
}

static int plan(struct fixture *fx, bool all_cpus)
{
	return edits_plan(fx->c, fx->cpus, 4, all_cpus, &fx->out, &fx->err);
}

static void each_cluster_goes_to_its_nodes(void **state)
{
	struct fixture *fx = *state;
	static const uint32_t want[] = { 90, 90, 310, 310 };

	add_cluster(fx, "a15", "arm,cortex-a15", 310);
	add_cluster(fx, "a7", "arm,cortex-a7", 90);
	assert_int_equal(plan(fx, false), 0);
	assert_int_equal(fx->out.count, 4);
	for (int i = 0; i < 4; i++) {
		assert_string_equal(fx->out.list[i].path, fx->cpus[i].path);
		assert_string_equal(fx->out.list[i].property,
				    "dynamic-power-coefficient");
		assert_int_equal(fx->out.list[i].value, want[i]);
		assert_string_equal(fx->out.list[i].cluster, i < 2 ? "a7" : "a15");
		assert_false(fx->out.list[i].has_old);
	}
	assert_int_equal(fx->out.note_count, 0);
}

static void a_value_that_is_right_needs_no_edit(void **state)
{
	struct fixture *fx = *state;

	add_cluster(fx, "a7", "arm,cortex-a7", 90);
	give_value(fx, 0, 90);
	give_value(fx, 1, 80);
	assert_int_equal(plan(fx, false), 0);
	assert_int_equal(fx->out.right, 1);
	assert_int_equal(fx->out.count, 1);
	assert_true(fx->out.list[0].has_old);
	assert_int_equal(fx->out.list[0].old, 80);
	assert_int_equal(fx->out.list[0].cpu, 1);
}

static void a_cluster_without_a_node_is_refused_and_told_what_there_is(void **state)
{
	struct fixture *fx = *state;

	add_cluster(fx, "a53", "arm,cortex-a53", 90);
	assert_int_equal(plan(fx, false), -ENOENT);
	assert_string_equal(fx->err.msg,
			    "cluster 'a53' (compatible 'arm,cortex-a53') matches no CPU "
			    "node; there are arm,cortex-a7 (reg 0x100 0x101), "
			    "arm,cortex-a15 (reg 0x0 0x1)");
	assert_int_equal(fx->out.count, 0);
}

static void a_tree_without_cpus_is_told_so(void **state)
{
	struct fixture *fx = *state;

	add_cluster(fx, "a7", "", 90)->match.reg_count = 1;
	assert_int_equal(edits_plan(fx->c, fx->cpus, 0, false, &fx->out, &fx->err),
			 -ENOENT);
	assert_string_equal(fx->err.msg,
			    "cluster 'a7' matches no CPU node; there is none");
}

static void a_match_without_a_key_is_refused(void **state)
{
	struct fixture *fx = *state;

	add_cluster(fx, "any", "", 90);
	assert_int_equal(plan(fx, false), -EINVAL);
	assert_string_equal(fx->err.msg,
			    "cluster 'any': match has no key; give compatible, reg or "
			    "paths");
}

static void a_node_of_two_clusters_is_refused(void **state)
{
	struct fixture *fx = *state;
	struct coeffs_cluster *cl;

	add_cluster(fx, "a7", "arm,cortex-a7", 90);
	cl = add_cluster(fx, "second", "", 90);
	cl->match.reg[cl->match.reg_count++] = 0x101;
	assert_int_equal(plan(fx, false), -EINVAL);
	assert_string_equal(fx->err.msg,
			    "clusters 'a7' and 'second' both match CPU node "
			    "'/cpus/cpu@101'; narrow their match with reg or paths");
	assert_int_equal(fx->out.count, 0);
}

static void all_keys_of_a_match_count(void **state)
{
	struct fixture *fx = *state;
	struct coeffs_cluster *cl = add_cluster(fx, "mixed", "arm,cortex-a7", 90);

	cl->match.reg[cl->match.reg_count++] = 0x0;
	assert_int_equal(plan(fx, false), -ENOENT);
}

static void two_values_in_one_domain_are_refused(void **state)
{
	struct fixture *fx = *state;

	strcpy(add_cluster(fx, "x", "", 90)->match.paths[0], "/cpus/cpu@100");
	strcpy(add_cluster(fx, "y", "", 91)->match.paths[0], "/cpus/cpu@101");
	fx->c->clusters[0].match.path_count = 1;
	fx->c->clusters[1].match.path_count = 1;
	assert_int_equal(plan(fx, false), -EINVAL);
	assert_string_equal(fx->err.msg,
			    "one frequency domain would get two values: '/cpus/cpu@100' "
			    "90, '/cpus/cpu@101' 91; the kernel keeps one energy model "
			    "per domain");
	assert_int_equal(fx->out.count, 0);
	/* Where the view knows no domain, they may be two. */
	fx->cpus[0].domain = -1;
	fx->cpus[1].domain = -1;
	assert_int_equal(plan(fx, false), 0);
	assert_int_equal(fx->out.count, 2);
}

static void a_value_that_stays_beside_the_new_one_is_refused(void **state)
{
	struct fixture *fx = *state;
	struct coeffs_cluster *cl = add_cluster(fx, "half", "", 90);

	cl->match.reg[cl->match.reg_count++] = 0x100;
	give_value(fx, 0, 80);
	give_value(fx, 1, 80);
	assert_int_equal(plan(fx, false), -EINVAL);
	assert_string_equal(fx->err.msg,
			    "one frequency domain would get two values: '/cpus/cpu@100' "
			    "90, '/cpus/cpu@101' 80; the kernel keeps one energy model "
			    "per domain");
}

static void values_that_differ_in_an_untouched_domain_are_no_concern(void **state)
{
	struct fixture *fx = *state;

	add_cluster(fx, "a7", "arm,cortex-a7", 90);
	give_value(fx, 2, 270);
	give_value(fx, 3, 310);
	assert_int_equal(plan(fx, false), 0);
	assert_int_equal(fx->out.count, 2);
}

static void first_cpu_only_stays_the_custom_unless_all_are_asked_for(void **state)
{
	struct fixture *fx = *state;

	add_cluster(fx, "a7", "arm,cortex-a7", 90);
	give_value(fx, 0, 80);
	assert_int_equal(plan(fx, false), 0);
	assert_int_equal(fx->out.count, 1);
	assert_int_equal(fx->out.list[0].cpu, 0);
	assert_int_equal(fx->out.note_count, 1);
	assert_string_equal(fx->out.notes[0],
			    "1 CPU node(s) in the domain of '/cpus/cpu@100' stay without "
			    "the property, as in this tree so far; --all-cpus writes "
			    "them too");
	assert_int_equal(plan(fx, true), 0);
	assert_int_equal(fx->out.count, 2);
	assert_int_equal(fx->out.note_count, 0);
}

static void a_value_the_kernel_never_reads_is_noted(void **state)
{
	struct fixture *fx = *state;
	struct coeffs_cluster *cl = add_cluster(fx, "half", "", 90);

	cl->match.reg[cl->match.reg_count++] = 0x101;
	assert_int_equal(plan(fx, false), 0);
	assert_int_equal(fx->out.count, 1);
	assert_int_equal(fx->out.note_count, 1);
	assert_string_equal(fx->out.notes[0],
			    "'/cpus/cpu@101' will have no effect: the kernel reads the "
			    "property of the domain's first CPU, '/cpus/cpu@100', which "
			    "has none");
}

static void numbers_and_paths_that_no_node_has_are_noted(void **state)
{
	struct fixture *fx = *state;
	struct coeffs_cluster *cl = add_cluster(fx, "a7", "", 90);

	cl->match.reg[cl->match.reg_count++] = 0x100;
	cl->match.reg[cl->match.reg_count++] = 0x103;
	cl = add_cluster(fx, "a15", "", 310);
	strcpy(cl->match.paths[cl->match.path_count++], "/cpus/cpu@0");
	strcpy(cl->match.paths[cl->match.path_count++], "/cpus/cpu@9");
	assert_int_equal(plan(fx, false), 0);
	assert_int_equal(fx->out.note_count, 2);
	assert_string_equal(fx->out.notes[0],
			    "cluster 'a7': no CPU node has reg 0x103; is this the board "
			    "that was measured?");
	assert_string_equal(fx->out.notes[1],
			    "cluster 'a15': no CPU node '/cpus/cpu@9'; is this the board "
			    "that was measured?");
}

static void what_the_view_does_not_know_never_matches(void **state)
{
	struct fixture *fx = *state;
	struct coeffs_cluster *cl = add_cluster(fx, "zero", "", 90);

	cl->match.reg[cl->match.reg_count++] = 0;
	fx->cpus[2].has_reg = false;
	assert_int_equal(plan(fx, false), -ENOENT);
	assert_string_equal(fx->err.msg,
			    "cluster 'zero' matches no CPU node; there are arm,cortex-a7 "
			    "(reg 0x100 0x101), arm,cortex-a15 (/cpus/cpu@0 reg 0x1)");
}

static void too_many_nodes_are_refused(void **state)
{
	struct fixture *fx = *state;
	struct edit_cpu *many = calloc(EDITS_MAX + 1, sizeof(*many));

	assert_non_null(many);
	assert_int_equal(
		edits_plan(fx->c, many, EDITS_MAX + 1, false, &fx->out, &fx->err),
		-ERANGE);
	free(many);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_cluster_goes_to_its_nodes),
		TEST(a_value_that_is_right_needs_no_edit),
		TEST(a_cluster_without_a_node_is_refused_and_told_what_there_is),
		TEST(a_tree_without_cpus_is_told_so),
		TEST(a_match_without_a_key_is_refused),
		TEST(a_node_of_two_clusters_is_refused),
		TEST(all_keys_of_a_match_count),
		TEST(two_values_in_one_domain_are_refused),
		TEST(a_value_that_stays_beside_the_new_one_is_refused),
		TEST(values_that_differ_in_an_untouched_domain_are_no_concern),
		TEST(first_cpu_only_stays_the_custom_unless_all_are_asked_for),
		TEST(a_value_the_kernel_never_reads_is_noted),
		TEST(numbers_and_paths_that_no_node_has_are_noted),
		TEST(what_the_view_does_not_know_never_matches),
		TEST(too_many_nodes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
