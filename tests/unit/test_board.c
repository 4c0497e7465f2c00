// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The built-in board descriptions, and how bad ones are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boards/board.h"
#include "lib/buf.h"

static struct board board;

static const struct board_opp a7_opps[] = {
	{ 200000, 900000 },   { 300000, 900000 },   { 400000, 1000000 },
	{ 500000, 1000000 },  { 600000, 1000000 },  { 700000, 1000000 },
	{ 800000, 1100000 },  { 900000, 1100000 },  { 1000000, 1100000 },
	{ 1100000, 1250000 }, { 1200000, 1250000 }, { 1300000, 1250000 },
	{ 1400000, 1275000 },
};

static const struct board_opp a15_opps[] = {
	{ 200000, 900000 },   { 300000, 900000 },   { 400000, 900000 },
	{ 500000, 900000 },   { 600000, 900000 },   { 700000, 900000 },
	{ 800000, 900000 },   { 900000, 1000000 },  { 1000000, 1000000 },
	{ 1100000, 1000000 }, { 1200000, 1000000 }, { 1300000, 1100000 },
	{ 1400000, 1100000 }, { 1500000, 1100000 }, { 1600000, 1250000 },
	{ 1700000, 1250000 }, { 1800000, 1237500 }, { 1900000, 1262500 },
	{ 2000000, 1312500 },
};

static void load(const char *name)
{
	struct err err = { 0 };

	if (board_load(name, &board, &err))
		fail_msg("%s: %s", name, err.msg);
}

static void assert_opps(const struct board_cluster *cl, const struct board_opp *want,
			size_t n)
{
	size_t i;

	assert_int_equal(cl->opp_count, n);
	for (i = 0; i < n; i++) {
		assert_int_equal(cl->opps[i].khz, want[i].khz);
		assert_int_equal(cl->opps[i].volt_uv, want[i].volt_uv);
	}
}

static void every_built_in_board_loads(void **state)
{
	static const char *const names[] = { "intel-hybrid", "juno-r2",	    "odroid-xu3",
					     "odroid-xu4",   "sm8250-like", "tc2" };
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		assert_string_equal(board_name(i), names[i]);
		load(names[i]);
		assert_string_equal(board.name, names[i]);
		assert_int_equal(board.cluster_count, 2);
		assert_true(board.has_ratio);
	}
	assert_null(board_name(6));
	assert_null(board_name(1000));
}

static void a_truth_lies_inside_its_boards_ratio_band(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; board_name(i); i++) {
		double ratio;

		load(board_name(i));
		ratio = (double)board.clusters[1].truth.dpc_uw_per_mhz_v2 /
			board.clusters[0].truth.dpc_uw_per_mhz_v2;
		assert_true(ratio > board.ratio_min && ratio < board.ratio_max);
		assert_true(board.ratio_source[0]);
	}
}

static void the_exynos5422_is_described(void **state)
{
	const struct board_cluster *a7, *a15;
	unsigned int i;

	(void)state;
	load("odroid-xu3");
	assert_string_equal(board.compatible, "hardkernel,odroid-xu3");
	assert_string_equal(board.soc, "exynos5422");
	a7 = &board.clusters[0];
	a15 = &board.clusters[1];
	assert_string_equal(a7->name, "a7");
	assert_string_equal(a15->name, "a15");
	assert_string_equal(a7->compatible, "arm,cortex-a7");
	assert_string_equal(a15->compatible, "arm,cortex-a15");
	assert_int_equal(a7->cpu_count, 4);
	assert_int_equal(a15->cpu_count, 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(a7->cpus[i], i);
		assert_int_equal(a7->reg[i], 0x100 + i);
		assert_int_equal(a15->cpus[i], 4 + i);
		assert_int_equal(a15->reg[i], i);
	}
	assert_string_equal(a7->paths[3], "/cpus/cpu@103");
	assert_string_equal(a15->paths[0], "/cpus/cpu@0");
	assert_int_equal(a7->capacity_dmips_mhz, 539);
	assert_int_equal(a15->capacity_dmips_mhz, 1024);
	assert_opps(a7, a7_opps, 13);
	assert_opps(a15, a15_opps, 19);
	assert_int_equal(a7->truth.dpc_uw_per_mhz_v2, 90);
	assert_int_equal(a15->truth.dpc_uw_per_mhz_v2, 310);
}

static void the_xu3_measures_four_rails(void **state)
{
	const struct board_sensor *s;
	char text[128];

	(void)state;
	load("odroid-xu3");
	assert_int_equal(board.sensor_count, 4);
	s = board_sensor(&board, 0);
	assert_non_null(s);
	assert_string_equal(board_sensor_format(s, text, sizeof(text)),
			    "ina231@0x45 VDD_KFC");
	assert_true(s->meter.volt_lsb_uv > 0);
	s = board_sensor(&board, 1);
	assert_non_null(s);
	assert_string_equal(board_sensor_format(s, text, sizeof(text)),
			    "ina231@0x40 VDD_ARM");
	assert_int_equal(board.sensors[2].address, 0x41);
	assert_int_equal(board.sensors[2].clusters, 0);
	assert_int_equal(board.sensors[3].address, 0x44);
}

static void the_xu4_is_the_same_soc_without_sensors(void **state)
{
	static struct board xu3;

	(void)state;
	load("odroid-xu3");
	xu3 = board;
	load("odroid-xu4");
	assert_int_equal(board.sensor_count, 0);
	assert_null(board_sensor(&board, 0));
	assert_memory_equal(board.clusters, xu3.clusters, sizeof(board.clusters));
}

static void junos_boot_cpu_is_cpu_0(void **state)
{
	static const unsigned int little[] = { 0, 3, 4, 5 }, big[] = { 1, 2 };

	(void)state;
	load("juno-r2");
	assert_string_equal(board.clusters[0].name, "a53");
	assert_memory_equal(board.clusters[0].cpus, little, sizeof(little));
	assert_memory_equal(board.clusters[1].cpus, big, sizeof(big));
}

static void one_rapl_domain_measures_both_clusters(void **state)
{
	char text[128];

	(void)state;
	load("intel-hybrid");
	assert_true(board.hybrid);
	assert_ptr_equal(board_sensor(&board, 0), board_sensor(&board, 1));
	assert_string_equal(
		board_sensor_format(board_sensor(&board, 0), text, sizeof(text)),
		"rapl:core");
	assert_int_equal(board_sensor(&board, 0)->meter.volt_lsb_uv, 0);
}

static void an_unknown_board_is_refused_with_the_known_ones(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(board_load("odroid-xu9", &board, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "'odroid-xu9'"));
	assert_non_null(strstr(err.msg, "odroid-xu3, odroid-xu4"));
}

static void only_the_first_compatible_of_a_board_matches(void **state)
{
	static const char *const xu4[] = { "hardkernel,odroid-xu4", "samsung,exynos5800",
					   "samsung,exynos5" };
	static const char *const clone[] = { "acme,clone", "hardkernel,odroid-xu3" };
	static const char *const chromebook[] = { "google,pi", "samsung,exynos5800" };

	(void)state;
	assert_int_equal(board_match(xu4, 3, &board, NULL), 1);
	assert_string_equal(board.name, "odroid-xu4");
	assert_int_equal(board_match(clone, 2, &board, NULL), 1);
	assert_string_equal(board.name, "odroid-xu3");
	assert_int_equal(board_match(chromebook, 2, &board, NULL), 0);
	assert_int_equal(board_match(NULL, 0, &board, NULL), 0);
}

/* A copy of a built-in tree that a test may spoil. */
static void *spoilable(const char *name)
{
	const char *top = getenv("B");
	struct buf buf = { 0 };
	char path[512];
	void *blob;

	snprintf(path, sizeof(path), "%s/boards/%s.dtb", top ? top : "build", name);
	assert_int_equal(buf_read_file(&buf, path, 1 << 20, NULL), 0);
	blob = malloc(65536);
	assert_non_null(blob);
	assert_int_equal(fdt_open_into(buf.data, blob, 65536), 0);
	buf_free(&buf);
	return blob;
}

static int offset(void *blob, const char *path)
{
	int node = fdt_path_offset(blob, path);

	assert_true(node >= 0);
	return node;
}

static void assert_refused(void *blob, int code, const char *first, const char *second)
{
	struct err err = { 0 };

	assert_int_equal(board_from_blob(blob, fdt_totalsize(blob), "x", &board, &err),
			 code);
	if (!strstr(err.msg, first) || !strstr(err.msg, second))
		fail_msg("'%s' names not both '%s' and '%s'", err.msg, first, second);
	free(blob);
}

static void a_misspelt_truth_is_refused_by_name(void **state)
{
	void *blob = spoilable("odroid-xu3");

	(void)state;
	fdt_setprop_u32(blob, offset(blob, "/calib/clusters/a15/truth"),
			"calib,drop-uohm", 1);
	assert_refused(blob, -EINVAL, "'/calib/clusters/a15/truth'", "'calib,drop-uohm'");
}

static void a_truth_of_the_wrong_size_is_refused(void **state)
{
	void *blob = spoilable("odroid-xu3");

	(void)state;
	fdt_setprop_u64(blob, offset(blob, "/calib/clusters/a7/truth"), "calib,board-uw",
			1);
	assert_refused(blob, -EINVAL, "'/calib/clusters/a7/truth'", "'calib,board-uw'");
}

static void a_truth_out_of_range_is_refused_with_the_range(void **state)
{
	void *blob = spoilable("odroid-xu3");

	(void)state;
	fdt_setprop_u32(blob, offset(blob, "/calib/sensors/ina231-40/virtual"),
			"calib,period-us", 1);
	assert_refused(blob, -EINVAL, "'calib,period-us'",
		       "1 is not 0 or in 1000..60000000");
}

static void a_cluster_of_something_else_than_cpus_is_refused(void **state)
{
	void *blob = spoilable("odroid-xu3");

	(void)state;
	fdt_setprop_u32(blob, offset(blob, "/calib/clusters/a7"), "calib,cpus", 0xdead);
	assert_refused(blob, -EINVAL, "'calib,cpus'", "0xdead is no CPU node");
}

static void a_cpu_in_two_clusters_is_refused(void **state)
{
	void *blob = spoilable("odroid-xu3");
	uint32_t phandle = fdt_get_phandle(blob, offset(blob, "/cpus/cpu@100"));

	(void)state;
	fdt_setprop_u32(blob, offset(blob, "/calib/clusters/a15"), "calib,cpus", phandle);
	assert_refused(blob, -EINVAL, "/calib/clusters/a15",
		       "'/cpus/cpu@100' is in a cluster");
}

static void a_cluster_of_mixed_cores_is_refused(void **state)
{
	void *blob = spoilable("odroid-xu3");
	uint32_t phandle = fdt_get_phandle(blob, offset(blob, "/cpus/cpu@0"));

	(void)state;
	fdt_appendprop_u32(blob, offset(blob, "/calib/clusters/a7"), "calib,cpus",
			   phandle);
	assert_refused(blob, -EINVAL, "'/cpus/cpu@100' and '/cpus/cpu@0'", "differ");
}

static void a_sensor_of_an_unknown_kind_is_refused(void **state)
{
	void *blob = spoilable("odroid-xu3");

	(void)state;
	fdt_setprop_string(blob, offset(blob, "/calib/sensors/ina231-40"), "compatible",
			   "ti,ina231");
	assert_refused(blob, -EINVAL, "'/calib/sensors/ina231-40'", "'compatible'");
}

static void a_ratio_band_upside_down_is_refused(void **state)
{
	void *blob = spoilable("odroid-xu3");

	(void)state;
	fdt_setprop_u64(blob, offset(blob, "/calib"), "calib,ratio-permille",
			(uint64_t)5000 << 32 | 2000);
	assert_refused(blob, -EINVAL, "'/calib'", "'calib,ratio-permille'");
}

static void a_truth_needs_voltages(void **state)
{
	void *blob = spoilable("odroid-xu3");

	(void)state;
	fdt_delprop(blob, offset(blob, "/opp-table-a15/opp-800000000"), "opp-microvolt");
	assert_refused(blob, -EINVAL, "cluster 'a15': 800000 kHz", "opp-microvolt");
}

static void a_truncated_description_is_refused(void **state)
{
	void *blob = spoilable("odroid-xu3");
	struct err err = { 0 };

	(void)state;
	assert_int_equal(board_from_blob(blob, 1000, "x", &board, &err), -EINVAL);
	assert_true(err.msg[0]);
	free(blob);
}

static void a_tree_without_calib_node_gives_clusters_by_opp_table(void **state)
{
	void *blob = spoilable("odroid-xu3");

	(void)state;
	fdt_del_node(blob, offset(blob, "/calib"));
	assert_int_equal(board_from_blob(blob, fdt_totalsize(blob), "x", &board, NULL),
			 0);
	free(blob);
	assert_int_equal(board.cluster_count, 2);
	assert_string_equal(board.clusters[0].name, "a7");
	assert_opps(&board.clusters[1], a15_opps, 19);
	assert_false(board.clusters[0].has_truth);
	assert_int_equal(board.sensor_count, 0);
	assert_false(board.has_ratio);
}

/* The kernel's own tree of the Odroid-XU4 decides what the OPPs are. */
static void the_opps_are_those_of_the_kernels_tree(void **state)
{
	const char *shared = getenv("SHARED");
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/data/exynos5422-odroidxu4.pre.dtb",
		 shared ? shared : "../shared");
	if (access(path, R_OK)) {
		print_message("# no %s\n", path);
		skip();
	}
	assert_int_equal(board_from_file(path, &board, NULL), 0);
	assert_string_equal(board.compatible, "hardkernel,odroid-xu4");
	assert_int_equal(board.cluster_count, 2);
	assert_string_equal(board.clusters[0].name, "a7");
	assert_opps(&board.clusters[0], a7_opps, 13);
	assert_string_equal(board.clusters[1].name, "a15");
	assert_opps(&board.clusters[1], a15_opps, 19);
	assert_int_equal(board.clusters[0].capacity_dmips_mhz, 539);
	assert_int_equal(board.clusters[1].cpus[0], 4);
	assert_string_equal(board.clusters[1].paths[0], "/cpus/cpu@0");
}

static void a_user_names_boards_and_files(void **state)
{
	struct err err = { 0 };
	bool virt = false;

	(void)state;
	assert_int_equal(board_open("virtual:tc2", &board, &virt, NULL), 0);
	assert_true(virt);
	assert_string_equal(board.name, "tc2");
	assert_int_equal(board_open("tc2", &board, &virt, NULL), 0);
	assert_false(virt);
	assert_int_equal(board_open("./no-such.dtb", &board, &virt, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "./no-such.dtb"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_built_in_board_loads),
		cmocka_unit_test(a_truth_lies_inside_its_boards_ratio_band),
		cmocka_unit_test(the_exynos5422_is_described),
		cmocka_unit_test(the_xu3_measures_four_rails),
		cmocka_unit_test(the_xu4_is_the_same_soc_without_sensors),
		cmocka_unit_test(junos_boot_cpu_is_cpu_0),
		cmocka_unit_test(one_rapl_domain_measures_both_clusters),
		cmocka_unit_test(an_unknown_board_is_refused_with_the_known_ones),
		cmocka_unit_test(only_the_first_compatible_of_a_board_matches),
		cmocka_unit_test(a_misspelt_truth_is_refused_by_name),
		cmocka_unit_test(a_truth_of_the_wrong_size_is_refused),
		cmocka_unit_test(a_truth_out_of_range_is_refused_with_the_range),
		cmocka_unit_test(a_cluster_of_something_else_than_cpus_is_refused),
		cmocka_unit_test(a_cpu_in_two_clusters_is_refused),
		cmocka_unit_test(a_cluster_of_mixed_cores_is_refused),
		cmocka_unit_test(a_sensor_of_an_unknown_kind_is_refused),
		cmocka_unit_test(a_ratio_band_upside_down_is_refused),
		cmocka_unit_test(a_truth_needs_voltages),
		cmocka_unit_test(a_truncated_description_is_refused),
		cmocka_unit_test(a_tree_without_calib_node_gives_clusters_by_opp_table),
		cmocka_unit_test(the_opps_are_those_of_the_kernels_tree),
		cmocka_unit_test(a_user_names_boards_and_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
