// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading CPUs, domains and OPPs from trees that dtc compiles from our own text, and
 * refusing what is no sound tree.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libfdt.h>

#include "lib/dtcpus.h"

#define BLOB_MAX 65536

struct tree {
	size_t size;
	char *data; /* of exactly @size bytes, so that a read past the end is seen */
};

/* Compile a file, or what the here-document in @command prints. */
static struct tree compile(const char *command)
{
	char line[4096];
	char *buf = malloc(BLOB_MAX);
	struct tree tree;
	FILE *f;

	assert_non_null(buf);
	snprintf(line, sizeof(line), "%s | dtc -q -I dts -O dtb -", command);
	f = popen(line, "r");
	assert_non_null(f);
	tree.size = fread(buf, 1, BLOB_MAX, f);
	assert_int_equal(pclose(f), 0);
	assert_true(tree.size > 0 && tree.size < BLOB_MAX);
	tree.data = realloc(buf, tree.size);
	assert_non_null(tree.data);
	return tree;
}

static struct tree two_domains(void)
{
	return compile("cat tests/data/two-domains.dts");
}

/* A tree with one CPU node whose content is @body; what follows it goes to the root. */
static struct tree one_cpu(const char *body, const char *root)
{
	char command[2048];

	snprintf(command, sizeof(command),
		 "printf %%s '/dts-v1/; / { cpus { #address-cells = <1>; "
		 "#size-cells = <0>; cpu@0 { %s }; }; %s };'",
		 body, root);
	return compile(command);
}

static void assert_blob_refused(const void *blob, size_t size, const char *want)
{
	struct err err = { "" };

	assert_int_equal(dtcpus_check_blob(blob, size, &err), -EINVAL);
	assert_string_equal(err.msg, want);
}

static void assert_read_refused(struct tree tree, int code, const char *want)
{
	struct dtcpus *d = dtcpus_new();
	struct err err = { "" };

	assert_non_null(d);
	assert_int_equal(dtcpus_check_blob(tree.data, tree.size, &err), 0);
	assert_int_equal(dtcpus_read(tree.data, d, &err), code);
	assert_string_equal(err.msg, want);
	dtcpus_free(d);
	free(tree.data);
}

/* Set a header field, given by its index in 32-bit words. */
static void set_header(struct tree *tree, unsigned int word, uint32_t value)
{
	fdt32_st(tree->data + 4 * word, value);
}

enum {
	MAGIC,
	TOTALSIZE,
	OFF_STRUCT,
	OFF_STRINGS,
	OFF_RSVMAP,
	VERSION,
	LAST_COMP_VERSION
};

static struct dtcpus *read_tree(const struct tree *tree)
{
	struct dtcpus *d = dtcpus_new();
	struct err err = { "" };

	assert_non_null(d);
	assert_int_equal(dtcpus_check_blob(tree->data, tree->size, &err), 0);
	if (dtcpus_read(tree->data, d, &err))
		fail_msg("%s", err.msg);
	return d;
}

static void old_versions_are_refused_before_libfdt_walks_them(void **state)
{
	struct tree tree = two_domains();

	(void)state;
	/* Bytes of the wrong version: fdt_check_full() follows NULL there. */
	set_header(&tree, VERSION, 3);
	set_header(&tree, LAST_COMP_VERSION, 1);
	assert_blob_refused(tree.data, tree.size,
			    "version 3 of the format is not read, only 16 and 17; "
			    "convert it with 'dtc -I dtb -O dtb'");
	free(tree.data);
}

/* Overwrite the only @name in the tree by @with, of the same length. */
static void rename_node(struct tree *tree, const char *name, const char *with, size_t len)
{
	char *at = memmem(tree->data, tree->size, name, len);

	assert_non_null(at);
	memcpy(at, with, len);
}

static void names_that_no_node_may_have_are_refused(void **state)
{
	static const struct {
		const char *name, *shown;
	} odd[] = {
		{ "\0pu@0", "/cpus/" },	       { "cp/@0", "/cpus/cp/@0" },
		{ "cpu@\033", "/cpus/cpu@?" }, { "cpu@\377", "/cpus/cpu@?" },
		{ "cpu 0", "/cpus/cpu 0" },
	};
	char want[128];

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct tree tree = one_cpu("device_type = \"cpu\";", "");

		rename_node(&tree, "cpu@0", odd[i].name, 5);
		/* The token after an empty name starts with it. */
		if (!odd[i].name[0])
			rename_node(&tree, "\0pu@0\0\0\0", "\0\0\0\0\0\0\0\4", 8);
		snprintf(want, sizeof(want),
			 "node '%s': its name is empty or holds what no name may",
			 odd[i].shown);
		assert_read_refused(tree, -EINVAL, want);
	}
}

static void a_node_called_cpus_with_unit_address_is_another(void **state)
{
	struct tree tree = compile("printf %s '/dts-v1/; / { cpus@0 { cpu@5 { }; }; "
				   "cpus { cpu@7 { device_type = \"cpu\"; }; }; };'");
	struct dtcpus *d = read_tree(&tree);

	(void)state;
	assert_int_equal(d->cpu_count, 1);
	assert_string_equal(d->cpus[0].path, "/cpus/cpu@7");
	dtcpus_free(d);
	free(tree.data);
}

static void cpus_are_numbered_in_node_order(void **state)
{
	struct tree tree = two_domains();
	struct dtcpus *d = read_tree(&tree);

	(void)state;
	assert_int_equal(d->cpu_count, 9);
	assert_string_equal(d->cpus[0].path, "/cpus/cpu@100");
	assert_string_equal(d->cpus[1].path, "/cpus/big@0");
	assert_string_equal(d->cpus[5].path, "/cpus/cpu@300");
	assert_true(d->cpus[0].reg == 0x100000100ull);
	assert_true(d->cpus[0].has_reg);
	assert_int_equal(d->cpus[0].compatible_count, 2);
	assert_string_equal(d->cpus[0].compatibles[1], "arm,armv8");
	assert_int_equal(d->cpus[3].compatible_count, 0);
	dtcpus_free(d);
	free(tree.data);
}

static void coefficient_and_capacity_are_facts_of_each_cpu(void **state)
{
	struct tree tree = two_domains();
	struct dtcpus *d = read_tree(&tree);

	(void)state;
	assert_true(d->cpus[0].has_dpc);
	assert_int_equal(d->cpus[0].dpc_uw_per_mhz_v2, 100);
	assert_true(d->cpus[0].has_capacity);
	assert_int_equal(d->cpus[0].capacity_dmips_mhz, 400);
	assert_false(d->cpus[1].has_dpc);
	assert_true(d->cpus[1].has_capacity);
	assert_false(d->cpus[2].has_capacity);
	dtcpus_free(d);
	free(tree.data);
}

static void status_tells_which_cpus_are_enabled(void **state)
{
	struct tree tree = two_domains();
	struct dtcpus *d = read_tree(&tree);

	(void)state;
	assert_true(d->cpus[0].enabled);
	assert_false(d->cpus[2].enabled);
	assert_true(d->cpus[3].enabled);
	assert_true(d->cpus[4].enabled);
	dtcpus_free(d);
	free(tree.data);
}

static void shared_tables_make_one_domain_and_others_one_per_cpu(void **state)
{
	struct tree tree = two_domains();
	struct dtcpus *d = read_tree(&tree);

	(void)state;
	assert_int_equal(d->domain_count, 6);
	assert_int_equal(d->domains[0].cpu_count, 2);
	assert_int_equal(d->domains[0].cpus[0], 0);
	assert_int_equal(d->domains[0].cpus[1], 2);
	assert_true(d->domains[0].shared);
	assert_string_equal(d->domains[0].opp_path, "/opp-table-0");
	assert_int_equal(d->cpus[1].domain, 1);
	assert_int_equal(d->cpus[3].domain, 2);
	assert_int_equal(d->cpus[4].domain, 3);
	assert_false(d->domains[2].shared);
	assert_int_equal(d->cpus[5].domain, -1);
	dtcpus_free(d);
	free(tree.data);
}

static void qcom_freq_domain_makes_a_domain_with_or_without_a_table(void **state)
{
	struct tree tree = two_domains();
	struct dtcpus *d = read_tree(&tree);

	(void)state;
	assert_false(d->cpus[5].has_freq_domain);
	assert_true(d->cpus[6].has_freq_domain);
	assert_true(d->cpus[6].firmware_volt);
	assert_int_equal(d->cpus[6].freq_domain[1], 1);
	assert_int_equal(d->cpus[6].domain, 4);
	assert_int_equal(d->cpus[7].domain, 4);
	assert_int_equal(d->domains[4].opp_count, 1);
	assert_int_equal(d->cpus[8].domain, 5);
	assert_int_equal(d->domains[5].opp_count, 0);
	assert_string_equal(d->domains[5].opp_path, "");
	dtcpus_free(d);
	free(tree.data);
}

static void performance_domains_are_frequency_domains(void **state)
{
	struct tree tree = compile(
		"echo '/dts-v1/; / { cpus { #address-cells = <1>; #size-cells = <0>;"
		"cpu@0 { reg = <0>; performance-domains = <&e>; };"
		"cpu@1 { reg = <1>; performance-domains = <&e>; };"
		"cpu@2 { reg = <2>; performance-domains = <&p 1>; };"
		"cpu@3 { reg = <3>; performance-domains = <&p 2>; }; };"
		"e: e { #performance-domain-cells = <0>; };"
		"p: p { #performance-domain-cells = <1>; }; };'");
	struct dtcpus *d = read_tree(&tree);

	(void)state;
	assert_int_equal(d->domain_count, 3);
	assert_int_equal(d->cpus[0].domain, 0);
	assert_int_equal(d->cpus[1].domain, 0);
	assert_int_equal(d->cpus[2].domain, 1);
	assert_int_equal(d->cpus[3].domain, 2);
	assert_false(d->cpus[0].firmware_volt);
	dtcpus_free(d);
	free(tree.data);
}

static void clocks_that_firmware_sets_are_frequency_domains(void **state)
{
	struct tree tree = compile(
		"echo '/dts-v1/; / { cpus { #address-cells = <1>; #size-cells = <0>;"
		"cpu@0 { reg = <0>; clocks = <&m 0>; };"
		"cpu@1 { reg = <1>; clocks = <&m 0>, <&c 7>; };"
		"cpu@2 { reg = <2>; power-domains = <&z>, <&m 1>;"
		"power-domain-names = \"psci\", \"perf\"; };"
		"cpu@3 { reg = <3>; power-domains = <&m 1>;"
		"power-domain-names = \"perf\"; };"
		"cpu@4 { reg = <4>; clocks = <&p 1>; };"
		"cpu@5 { reg = <5>; clocks = <&c 1>; };"
		"cpu@6 { reg = <6>; power-domains = <&m 1>;"
		"power-domain-names = \"psci\"; };"
		"cpu@7 { reg = <7>; clocks = <&m>; };"
		"cpu@8 { reg = <8>; clocks = <0x7777 1>; };"
		"cpu@9 { reg = <9>; clocks = [00 01]; power-domain-names = \"perf\"; };"
		"}; z: z { #power-domain-cells = <0>; };"
		"scmi { m: protocol@13 { #clock-cells = <1>; #power-domain-cells = <1>; "
		"};"
		"c: protocol@14 { #clock-cells = <1>; }; };"
		"p: p { compatible = \"arm,scpi-dvfs-clocks\"; #clock-cells = <1>; }; "
		"};'");
	struct dtcpus *d = read_tree(&tree);

	(void)state;
	assert_int_equal(d->domain_count, 3);
	assert_int_equal(d->cpus[0].domain, 0);
	assert_int_equal(d->cpus[1].domain, 0);
	assert_int_equal(d->cpus[2].domain, 1);
	assert_int_equal(d->cpus[3].domain, 1);
	assert_int_equal(d->cpus[4].domain, 2);
	for (unsigned int i = 5; i < 10; i++)
		assert_int_equal(d->cpus[i].domain, -1);
	/* SCMI tells power, SCPI only voltages. */
	assert_true(d->cpus[0].firmware_power && d->cpus[3].firmware_power);
	assert_true(!d->cpus[4].firmware_power && d->cpus[4].firmware_volt);
	assert_false(d->cpus[5].firmware_power || d->cpus[5].firmware_volt);
	dtcpus_free(d);
	free(tree.data);
}

static void opps_come_in_ascending_order_without_the_disabled(void **state)
{
	struct tree tree = two_domains();
	struct dtcpus *d = read_tree(&tree);
	const struct dt_domain *little = &d->domains[0];

	(void)state;
	assert_int_equal(little->opp_count, 2);
	assert_int_equal(little->opps_without_hz, 1);
	assert_int_equal(little->disabled_count, 1);
	assert_true(little->disabled_hz[0] == 700000000);
	assert_true(little->opps[0].hz == 500000000);
	assert_int_equal(little->opps[0].volt_uv, 900000);
	assert_true(little->opps[0].suspend);
	assert_true(little->opps[1].hz == 1000000000);
	assert_int_equal(little->opps[1].volt_uv, 1000000);
	assert_true(little->opps[1].turbo);
	dtcpus_free(d);
	free(tree.data);
}

static void speed_bins_and_equal_clocks_are_facts(void **state)
{
	struct tree tree = two_domains();
	struct dtcpus *d = read_tree(&tree);
	const struct dt_domain *big = &d->domains[1];

	(void)state;
	assert_int_equal(big->opp_count, 3);
	assert_false(big->opps[0].has_volt);
	assert_true(big->opps[0].volt_binned);
	assert_false(big->opps[0].supported_hw);
	assert_true(big->opps[1].hz == 800000000);
	assert_true(big->opps[1].has_volt);
	assert_false(big->opps[1].volt_binned);
	assert_true(big->opps[1].supported_hw);
	assert_int_equal(big->volt_bin_count, 2);
	assert_string_equal(big->volt_bins[0], "speed0");
	assert_string_equal(big->volt_bins[1], "speed1");
	dtcpus_free(d);
	free(tree.data);
}

static void speed_bin_chooses_voltages_and_opps(void **state)
{
	struct tree tree = two_domains();
	struct dtcpus *d = read_tree(&tree);
	const struct dt_domain *big = &d->domains[1];
	struct err err = { "" };

	(void)state;
	assert_int_equal(dtcpus_use_bin(tree.data, d, "speed1", &err), 0);
	assert_int_equal(big->opp_count, 3);
	assert_int_equal(big->opps[0].volt_uv, 820000);
	assert_false(big->opps[0].volt_binned);
	/* this one has a voltage for all bins */
	assert_int_equal(big->opps[1].volt_uv, 900000);
	assert_false(big->opps[1].supported_hw);
	assert_int_equal(big->opps[2].volt_uv, 870000);
	assert_int_equal(big->volt_bin_count, 2);

	assert_int_equal(dtcpus_use_bin(tree.data, d, "speed0", &err), 0);
	assert_int_equal(big->opp_count, 2);
	assert_int_equal(big->opps[0].volt_uv, 880000);
	assert_int_equal(big->opps[1].volt_uv, 950000);
	/* domains without bins are as before */
	assert_int_equal(d->domains[0].opp_count, 2);

	assert_int_equal(dtcpus_use_bin(tree.data, d, "slow", &err), -ENOENT);
	assert_string_equal(err.msg, "no speed bin 'slow'; the tree has speed0, speed1");
	dtcpus_free(d);
	free(tree.data);
}

static void opp_microwatt_is_read_and_clocks_may_pass_32_bits(void **state)
{
	struct tree tree = two_domains();
	struct dtcpus *d = read_tree(&tree);

	(void)state;
	assert_true(d->domains[2].opps[0].hz == 5000000000ull);
	assert_true(d->domains[2].opps[0].has_power);
	assert_int_equal(d->domains[2].opps[0].power_uw, 150000);
	assert_false(d->domains[2].opps[0].has_volt);
	dtcpus_free(d);
	free(tree.data);
}

static void root_compatibles_and_model_are_read(void **state)
{
	struct tree tree = two_domains();
	struct dtcpus *d = read_tree(&tree);

	(void)state;
	assert_int_equal(d->root_compatible_count, 2);
	assert_string_equal(d->root_compatibles[0], "test,board-b");
	assert_string_equal(d->root_compatibles[1], "test,board");
	assert_string_equal(d->model, "Test board");
	dtcpus_free(d);
	free(tree.data);
}

static void cpu_without_reg_is_a_fact(void **state)
{
	struct tree tree = one_cpu("compatible = \"a,b\";", "");
	struct dtcpus *d = read_tree(&tree);

	(void)state;
	assert_int_equal(d->cpu_count, 1);
	assert_false(d->cpus[0].has_reg);
	assert_null(d->model);
	dtcpus_free(d);
	free(tree.data);
}

/* As Linux has it for the OMAP2: one CPU, which needs no number. */
static void cpus_without_address_cells_have_no_reg(void **state)
{
	struct tree tree = compile("echo '/dts-v1/; / { cpus { #address-cells = <0>; "
				   "#size-cells = <0>; cpu { compatible = \"a\"; "
				   "device_type = \"cpu\"; reg = <7>; }; }; };'");
	struct dtcpus *d = dtcpus_new();

	(void)state;
	assert_non_null(d);
	assert_int_equal(dtcpus_read(tree.data, d, NULL), 0);
	assert_int_equal(d->cpu_count, 1);
	assert_string_equal(d->cpus[0].path, "/cpus/cpu");
	assert_false(d->cpus[0].has_reg);
	dtcpus_free(d);
	free(tree.data);
	assert_read_refused(compile("echo '/dts-v1/; / { cpus { #address-cells = <3>; "
				    "cpu@0 { reg = <0 0 0>; }; }; };'"),
			    -EINVAL, "/cpus: #address-cells 3 is not 0, 1 or 2");
}

static void properties_of_the_wrong_size_are_refused_by_name(void **state)
{
	(void)state;
	assert_read_refused(one_cpu("dynamic-power-coefficient = /bits/ 64 <90>;", ""),
			    -EINVAL,
			    "/cpus/cpu@0: dynamic-power-coefficient holds 8 bytes, not "
			    "one 32-bit number");
	assert_read_refused(one_cpu("capacity-dmips-mhz = \"90\";", ""), -EINVAL,
			    "/cpus/cpu@0: capacity-dmips-mhz holds 3 bytes, not one "
			    "32-bit number");
	assert_read_refused(one_cpu("qcom,freq-domain = <1>;", ""), -EINVAL,
			    "/cpus/cpu@0: qcom,freq-domain holds 4 bytes, not two "
			    "32-bit numbers");
	assert_read_refused(one_cpu("performance-domains;", ""), -EINVAL,
			    "/cpus/cpu@0: performance-domains holds 0 bytes, not 32-bit "
			    "numbers");
	assert_read_refused(one_cpu("reg = [00 01];", ""), -EINVAL,
			    "/cpus/cpu@0: reg holds 2 bytes, not a number of 1 cells");
	assert_read_refused(one_cpu("compatible = <1>;", ""), -EINVAL,
			    "/cpus/cpu@0: compatible is not a list of strings");
	assert_read_refused(one_cpu("operating-points-v2 = <7>;", ""), -EINVAL,
			    "/cpus/cpu@0: operating-points-v2 <0x7> points to no node");
	assert_read_refused(one_cpu("operating-points-v2 = <&t>;",
				    "t: opp-table { opp-1 { opp-hz = <1000000>; }; };"),
			    -EINVAL,
			    "/opp-table/opp-1: opp-hz holds 4 bytes, not 64-bit numbers");
	assert_read_refused(one_cpu("operating-points-v2 = <&t>;",
				    "t: opp-table { opp-1 { opp-hz = /bits/ 64 <1>; "
				    "opp-microvolt = [01]; }; };"),
			    -EINVAL,
			    "/opp-table/opp-1: opp-microvolt holds 1 bytes, not 32-bit "
			    "numbers");
}

static void tree_without_cpus_is_told_from_an_overlay(void **state)
{
	(void)state;
	assert_read_refused(compile("echo '/dts-v1/; / { soc { }; };'"), -ENOENT,
			    "no CPU node: there is no /cpus, or no CPU in it");
	assert_read_refused(compile("echo '/dts-v1/; / { cpus { cpu-map { }; }; };'"),
			    -ENOENT, "no CPU node: there is no /cpus, or no CPU in it");
	assert_read_refused(
		compile("echo '/dts-v1/; / { fragment@0 { __overlay__ { }; }; };'"),
		-ENOENT,
		"no /cpus node: this is an overlay; apply it to its base tree "
		"(fdtoverlay) first");
}

static void more_cpus_than_the_limit_are_refused(void **state)
{
	(void)state;
	assert_read_refused(
		compile("{ echo '/dts-v1/; / { cpus { #address-cells = <1>; "
			"#size-cells = <0>;'; i=0; while [ $i -le 256 ]; do "
			"printf 'cpu@%x { reg = <%d>; };' $i $i; i=$((i + 1)); done; "
			"echo '}; };'; }"),
		-ERANGE, "/cpus: more than 256 CPUs");
}

static void bad_magic_is_named(void **state)
{
	struct tree tree = two_domains();

	(void)state;
	set_header(&tree, MAGIC, 0xd00dfeee);
	assert_blob_refused(tree.data, tree.size,
			    "magic 0xd00dfeee is not 0xd00dfeed: not a compiled device "
			    "tree");
	free(tree.data);
}

static void truncated_file_is_refused_by_totalsize(void **state)
{
	struct tree tree = two_domains();
	char want[128];
	char *cut = malloc(tree.size / 2);

	(void)state;
	assert_non_null(cut);
	memcpy(cut, tree.data, tree.size / 2);
	snprintf(want, sizeof(want),
		 "totalsize %zu is more than the file's %zu bytes (truncated?)",
		 tree.size, tree.size / 2);
	assert_blob_refused(cut, tree.size / 2, want);
	free(cut);
	free(tree.data);
}

static void every_cut_of_a_tree_is_refused(void **state)
{
	struct tree tree = two_domains();
	size_t size;

	(void)state;
	for (size = 0; size < tree.size; size++) {
		char *cut = malloc(size ? size : 1);
		struct err err = { "" };

		assert_non_null(cut);
		memcpy(cut, tree.data, size);
		assert_int_equal(dtcpus_check_blob(cut, size, &err), -EINVAL);
		assert_true(err.msg[0]);
		free(cut);
	}
	free(tree.data);
}

static void totalsize_below_the_content_is_refused(void **state)
{
	struct tree tree = two_domains();
	struct err err = { "" };

	(void)state;
	set_header(&tree, TOTALSIZE, 100);
	assert_int_equal(dtcpus_check_blob(tree.data, tree.size, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "damaged device tree: "));
	free(tree.data);
}

static void misaligned_blocks_are_refused_by_field(void **state)
{
	struct tree tree = two_domains();
	uint32_t off = fdt_off_dt_struct(tree.data);
	char want[128];

	(void)state;
	set_header(&tree, OFF_STRUCT, off + 2);
	snprintf(want, sizeof(want),
		 "off_dt_struct %u: the structure block is not 4-byte aligned", off + 2);
	assert_blob_refused(tree.data, tree.size, want);
	set_header(&tree, OFF_STRUCT, off);
	set_header(&tree, OFF_RSVMAP, 44);
	assert_blob_refused(tree.data, tree.size,
			    "off_mem_rsvmap 44: the reserve map is not 8-byte aligned");
	free(tree.data);
}

static void damaged_structure_is_refused(void **state)
{
	struct tree tree = two_domains();
	struct err err = { "" };

	(void)state;
	fdt32_st(tree.data + fdt_off_dt_struct(tree.data), 0x77);
	assert_int_equal(dtcpus_check_blob(tree.data, tree.size, &err), -EINVAL);
	assert_string_equal(err.msg, "damaged device tree: FDT_ERR_BADSTRUCTURE");
	free(tree.data);
}

/* libfdt 1.6.1 never comes back from such a length in a tree of version 16. */
static void a_property_of_2_gigabytes_is_refused(void **state)
{
	struct tree tree = compile("echo '/dts-v1/; / { a; };'");
	size_t first; /* property of the root, behind its empty name */

	(void)state;
	first = fdt_off_dt_struct(tree.data) + 8;
	fdt_set_version(tree.data, 16);
	fdt32_st(tree.data + first + 4, 0xfffffff4);
	assert_blob_refused(tree.data, tree.size,
			    "damaged device tree: a name or property of 4294967284 bytes "
			    "ends after the tree");
	free(tree.data);
}

static void trailing_bytes_have_their_own_code(void **state)
{
	struct tree tree = two_domains();
	struct err err = { "" };
	char want[128];

	(void)state;
	tree.data = realloc(tree.data, tree.size + 3);
	assert_non_null(tree.data);
	memset(tree.data + tree.size, 0, 3);
	assert_int_equal(dtcpus_check_blob(tree.data, tree.size + 3, &err), -E2BIG);
	snprintf(want, sizeof(want),
		 "3 bytes after the tree; cut them off with 'head -c %zu' if they are "
		 "only padding",
		 tree.size);
	assert_string_equal(err.msg, want);
	free(tree.data);
}

static void source_text_is_told_from_a_broken_tree(void **state)
{
	static const char *const sources[] = {
		"/dts-v1/;\n/ { };\n", "// a comment, then more than 28 bytes\n/ {};",
		"#include <x.dtsi>", "\n &cpu0 { };", "\xef\xbb\xbf/ { };"
	};
	char text[64] __attribute__((aligned(8)));
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		strcpy(text, sources[i]);
		assert_blob_refused(text, strlen(text),
				    "looks like DTS source, not a compiled tree; compile "
				    "it with dtc first");
	}
	strcpy(text, "{ \"schema\": \"calib-coeffs/1\", \"clusters\": [] }");
	assert_blob_refused(text, strlen(text),
			    "magic 0x7b202273 is not 0xd00dfeed: not a compiled device "
			    "tree");
	strcpy(text, "short");
	assert_blob_refused(text, 1, "1 byte(s), not a device tree");
	assert_blob_refused(text, 5,
			    "magic 0x73686f72 is not 0xd00dfeed: not a compiled device "
			    "tree");
	memcpy(text, "\xd0\x0d\xfe\xed", 4);
	assert_blob_refused(text, 5,
			    "cut short: its 5 bytes are too few for a device tree's "
			    "header");
	assert_blob_refused(text, 0, "empty, not a device tree");
}

static void misaligned_memory_is_refused(void **state)
{
	char text[64] __attribute__((aligned(8))) = "";

	(void)state;
	assert_blob_refused(text + 4, 40, "the tree in memory is not 8-byte aligned");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_versions_are_refused_before_libfdt_walks_them),
		cmocka_unit_test(names_that_no_node_may_have_are_refused),
		cmocka_unit_test(a_node_called_cpus_with_unit_address_is_another),
		cmocka_unit_test(cpus_are_numbered_in_node_order),
		cmocka_unit_test(coefficient_and_capacity_are_facts_of_each_cpu),
		cmocka_unit_test(status_tells_which_cpus_are_enabled),
		cmocka_unit_test(shared_tables_make_one_domain_and_others_one_per_cpu),
		cmocka_unit_test(qcom_freq_domain_makes_a_domain_with_or_without_a_table),
		cmocka_unit_test(performance_domains_are_frequency_domains),
		cmocka_unit_test(clocks_that_firmware_sets_are_frequency_domains),
		cmocka_unit_test(opps_come_in_ascending_order_without_the_disabled),
		cmocka_unit_test(speed_bins_and_equal_clocks_are_facts),
		cmocka_unit_test(speed_bin_chooses_voltages_and_opps),
		cmocka_unit_test(opp_microwatt_is_read_and_clocks_may_pass_32_bits),
		cmocka_unit_test(root_compatibles_and_model_are_read),
		cmocka_unit_test(cpu_without_reg_is_a_fact),
		cmocka_unit_test(cpus_without_address_cells_have_no_reg),
		cmocka_unit_test(properties_of_the_wrong_size_are_refused_by_name),
		cmocka_unit_test(tree_without_cpus_is_told_from_an_overlay),
		cmocka_unit_test(more_cpus_than_the_limit_are_refused),
		cmocka_unit_test(bad_magic_is_named),
		cmocka_unit_test(truncated_file_is_refused_by_totalsize),
		cmocka_unit_test(every_cut_of_a_tree_is_refused),
		cmocka_unit_test(totalsize_below_the_content_is_refused),
		cmocka_unit_test(misaligned_blocks_are_refused_by_field),
		cmocka_unit_test(damaged_structure_is_refused),
		cmocka_unit_test(a_property_of_2_gigabytes_is_refused),
		cmocka_unit_test(trailing_bytes_have_their_own_code),
		cmocka_unit_test(source_text_is_told_from_a_broken_tree),
		cmocka_unit_test(misaligned_memory_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
