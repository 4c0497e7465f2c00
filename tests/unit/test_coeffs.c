// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coeffs.json: the least, the most, the refused, and the way round.
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

#include "lib/coeffs.h"
#include "tests/unit/files.h"

#define SCHEMA "\"schema\": \"calib-coeffs/1\""
#define LEAST  "\"name\": \"a7\", \"match\": { \"compatible\": \"arm,cortex-a7\" }"
#define DPC    "\"dynamic-power-coefficient\": 90"

static int read_text(const char *text, struct coeffs *c, struct err *err)
{
	return coeffs_read(files_puts(files_dir, "c.json", text), c, err);
}

/* The message without the file's name must be @expected. */
static void assert_refused(const char *text, const char *expected)
{
	struct coeffs *c = coeffs_new();
	struct err err = { "" };
	const char *msg;

	assert_non_null(c);
	assert_int_equal(read_text(text, c, &err), -EINVAL);
	msg = strstr(err.msg, "/c.json': ");
	assert_non_null(msg);
	assert_string_equal(msg + strlen("/c.json': "), expected);
	coeffs_free(c);
}

static void least_file_is_enough(void **state)
{
	struct coeffs *c = coeffs_new();
	struct err err = { "" };

	(void)state;
	assert_int_equal(read_text("{ " SCHEMA ", \"clusters\": [ { " LEAST ", " DPC
				   " }, "
				   "{ \"name\": \"a15\", \"match\": { \"reg\": [0, 1], "
				   "\"paths\": [\"/cpus/cpu@0\"] }, "
				   "\"dynamic-power-coefficient\": 4294967295 } ] }",
				   c, &err),
			 0);
	assert_int_equal(c->cluster_count, 2);
	assert_string_equal(c->clusters[0].name, "a7");
	assert_string_equal(c->clusters[0].match.compatible, "arm,cortex-a7");
	assert_int_equal(c->clusters[0].dpc_uw_per_mhz_v2, 90);
	assert_false(c->clusters[0].has_interval || c->clusters[0].has_model ||
		     c->clusters[0].has_capacity || c->clusters[0].has_provenance);
	assert_int_equal(c->clusters[0].opp_count, 0);
	assert_int_equal(c->clusters[1].match.reg_count, 2);
	assert_string_equal(c->clusters[1].match.paths[0], "/cpus/cpu@0");
	assert_true(c->clusters[1].dpc_uw_per_mhz_v2 == UINT32_MAX);
	coeffs_free(c);
}

#define CLUSTER(text) "{ " SCHEMA ", \"clusters\": [ { " text " } ] }"

static void wrong_files_are_refused_with_place_and_key(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "{}", "key 'schema' is missing" },
		{ "[]", "not an object, where key 'schema' is wanted" },
		{ "{ \"schema\": \"assumed-1\" }",
		  "key 'schema': 'assumed-1' is not 'calib-coeffs/1'" },
		{ "{ " SCHEMA " }", "key 'clusters' is missing" },
		{ "{ " SCHEMA ", \"clusters\": [] }",
		  "key 'clusters' has 0 entries, 1..16 are taken" },
		{ "{ " SCHEMA ", \"clusters\": {} }",
		  "key 'clusters': an object is not an array" },
		{ "{ " SCHEMA ", \"clusters\": [ 3 ] }", "clusters[0]: not an object" },
		{ "{ " SCHEMA ", \"Clusters\": [] }",
		  "unknown key 'Clusters'; known are schema, generator, board, virtual, "
		  "clusters, checks" },
		{ CLUSTER(LEAST),
		  "clusters[0]: key 'dynamic-power-coefficient' is missing" },
		{ CLUSTER(LEAST ", \"dynamic-power-coefficient\": null"),
		  "clusters[0]: key 'dynamic-power-coefficient': null is not a whole "
		  "number in "
		  "1..4294967295" },
		{ CLUSTER(LEAST ", \"dynamic-power-coefficient\": 0"),
		  "clusters[0]: key 'dynamic-power-coefficient': 0 is not a whole number "
		  "in "
		  "1..4294967295" },
		{ CLUSTER(LEAST ", \"dynamic-power-coefficient\": 310.5"),
		  "clusters[0]: key 'dynamic-power-coefficient': 310.5 is not a whole "
		  "number in "
		  "1..4294967295" },
		{ CLUSTER(LEAST ", \"dynamic-power-coefficient\": \"310\""),
		  "clusters[0]: key 'dynamic-power-coefficient': \"310\" is not a whole "
		  "number "
		  "in 1..4294967295" },
		{ CLUSTER(LEAST ", \"dynamic-power-coefficient\": 4294967296"),
		  "clusters[0]: key 'dynamic-power-coefficient': 4294967296 is not a "
		  "whole "
		  "number in 1..4294967295" },
		{ CLUSTER(LEAST ", \"dynamic-power-coefficient\": -1"),
		  "clusters[0]: key 'dynamic-power-coefficient': -1 is not a whole "
		  "number in "
		  "1..4294967295" },
		{ CLUSTER("\"name\": \"\", \"match\": {}, " DPC),
		  "clusters[0]: key 'name' is empty" },
		{ CLUSTER("\"name\": \"a7\", " DPC),
		  "clusters[0]: key 'match' is missing" },
		{ CLUSTER("\"name\": \"a7\", \"match\": \"x\", " DPC),
		  "clusters[0]: key 'match': \"x\" is not an object" },
		{ CLUSTER("\"name\": \"a7\", \"match\": { \"compatibel\": \"x\" }, " DPC),
		  "clusters[0]: match: unknown key 'compatibel'; known are compatible, "
		  "reg, "
		  "paths" },
		{ CLUSTER("\"name\": \"a7\", \"match\": { \"compatible\": \"\" }, " DPC),
		  "clusters[0]: match: key 'compatible' is empty" },
		{ CLUSTER("\"name\": \"a7\", \"match\": { \"reg\": [] }, " DPC),
		  "clusters[0]: match: key 'reg' has 0 entries, 1..64 are taken" },
		{ CLUSTER("\"name\": \"a7\", \"match\": { \"reg\": [0, -1] }, " DPC),
		  "clusters[0]: match: key 'reg[1]': -1 is not a whole number in "
		  "0..9223372036854775807" },
		{ CLUSTER("\"name\": \"a7\", \"match\": { \"paths\": [\"cpu@0\"] "
			  "}, " DPC),
		  "clusters[0]: match: key 'paths[0]': 'cpu@0' is not a full node path "
		  "(like /cpus/cpu@100) or label (like &cpu0)" },
		{ CLUSTER("\"name\": \"a7\", \"match\": { \"paths\": [\"&\"] "
			  "}, " DPC),
		  "clusters[0]: match: key 'paths[0]': '&' is not a full node path "
		  "(like /cpus/cpu@100) or label (like &cpu0)" },
		{ CLUSTER(LEAST ", " DPC ", \"dpc\": 1"),
		  "clusters[0]: unknown key 'dpc'; known are name, match, "
		  "dynamic-power-coefficient, estimate, stderr, ci95, model, opps, "
		  "capacity-dmips-mhz, capacity-ci95, effective-power-coefficient, "
		  "boards, diagnostics, loads, provenance" },
		{ CLUSTER(LEAST ", \"dynamic_power_coefficient\": 90"),
		  "clusters[0]: unknown key 'dynamic_power_coefficient'; known are name, "
		  "match, "
		  "dynamic-power-coefficient, estimate, stderr, ci95, model, opps, "
		  "capacity-dmips-mhz, capacity-ci95, effective-power-coefficient, "
		  "boards, diagnostics, loads, provenance" },
		{ CLUSTER(LEAST ", " DPC ", \"estimate\": 90.2"),
		  "clusters[0]: key 'stderr' is missing" },
		{ CLUSTER(LEAST ", " DPC ", \"estimate\": 90.2, \"stderr\": 1, "
				"\"ci95\": [92, 88]"),
		  "clusters[0]: key 'ci95': low 92 is above high 88" },
		{ CLUSTER(LEAST ", " DPC ", \"estimate\": 90.2, \"stderr\": 1, "
				"\"ci95\": [88]"),
		  "clusters[0]: key 'ci95' has 1 entries, not low and high" },
		{ CLUSTER(LEAST ", " DPC ", \"capacity-dmips-mhz\": 0"),
		  "clusters[0]: key 'capacity-dmips-mhz': 0 is not a whole number in "
		  "1..4294967295" },
		{ CLUSTER(LEAST ", " DPC ", \"opps\": [ { \"hz\": 2 }, { \"hz\": 2 } ]"),
		  "clusters[0]: opps[1]: key 'hz': not above that of the entry before" },
		{ CLUSTER(LEAST ", " DPC ", \"opps\": [ { \"hz\": 2, \"khz\": 1 } ]"),
		  "clusters[0]: opps[0]: unknown key 'khz'; known are hz, microvolt, "
		  "measured-microwatt, measured-ci-microwatt, next-microwatt, "
		  "next-ci-microwatt, model-microwatt, kernel-microwatt, "
		  "inefficient, kernel-effective-microwatt, kernel-error-pct, "
		  "opp-microwatt, opp-microwatt-full, opp-inefficient, work-per-mhz, "
		  "own-coefficient, own-stderr, prediction-microwatt" },
		{ CLUSTER(LEAST ", " DPC
				", \"opps\": [ { \"hz\": 2, \"opp-microwatt\": 0 } ]"),
		  "clusters[0]: opps[0]: key 'opp-microwatt': 0 is not a whole number in "
		  "1..4294967295" },
		{ CLUSTER(LEAST ", " DPC ", \"loads\": [ { \"name\": \"\" } ]"),
		  "clusters[0]: loads[0]: key 'name' is empty" },
		{ CLUSTER(LEAST
			  ", " DPC
			  ", \"loads\": [ { \"name\": \"int\", \"weight\": 1.5 } ]"),
		  "clusters[0]: loads[0]: key 'weight': 1.5 is not in 0..1" },
		{ CLUSTER(LEAST ", " DPC ", \"estimate\": 90.2, \"stderr\": -1, "
				"\"ci95\": [88, 92]"),
		  "clusters[0]: key 'stderr': -1 is below 0" },
		{ CLUSTER(LEAST ", " DPC ", \"opps\": [ { \"hz\": 2, "
				"\"measured-microwatt\": 1e308, "
				"\"measured-ci-microwatt\": 1 } ]"),
		  "clusters[0]: opps[0]: key 'measured-microwatt': 1e308 is not in "
		  "-1e+12..1e+12" },
		{ CLUSTER(LEAST ", " DPC ", \"opps\": [ { \"hz\": 2, "
				"\"measured-microwatt\": 1, "
				"\"measured-ci-microwatt\": -1 } ]"),
		  "clusters[0]: opps[0]: key 'measured-ci-microwatt': -1 is not in "
		  "0..1e+12" },
		{ CLUSTER(LEAST ", " DPC ", \"opps\": [ { \"hz\": 2, "
				"\"next-microwatt\": 1 } ]"),
		  "clusters[0]: opps[0]: key 'next-ci-microwatt' is missing" },
		{ CLUSTER(LEAST ", " DPC ", \"opps\": [ { \"hz\": 2, "
				"\"model-microwatt\": -2e12 } ]"),
		  "clusters[0]: opps[0]: key 'model-microwatt': -2000000000000.0 is not "
		  "in "
		  "-1e+12..1e+12" },
		{ CLUSTER(LEAST ", " DPC ", \"diagnostics\": { \"bootstrap-ci95\": [ "
				"2 ] }"),
		  "clusters[0]: diagnostics: key 'bootstrap-ci95' has 1 entries, not low "
		  "and high" },
		{ CLUSTER(LEAST ", " DPC ", \"diagnostics\": { \"vif\": [ { "
				"\"name\": \"x\" } ] }"),
		  "clusters[0]: diagnostics: vif[0]: key 'value' is missing" },
		{ CLUSTER(LEAST ", " DPC ", \"diagnostics\": { \"huber\": \"x\" }"),
		  "clusters[0]: diagnostics: key 'huber': \"x\" is not a number" },
		{ CLUSTER(LEAST ", " DPC ", \"provenance\": { \"notes\": [ \"a\", "
				"\"b\\nc\" ] }"),
		  "clusters[0]: provenance: key 'notes[1]': 'b?c' holds a control "
		  "character" },
		{ CLUSTER("\"name\": \"a7\", \"match\": { \"paths\": "
			  "[\"/cpus\\u0007\"] }, " DPC),
		  "clusters[0]: match: key 'paths[0]': '/cpus?' holds a control "
		  "character" },
		{ CLUSTER(LEAST ", " DPC ", \"model\": { \"name\": \"x\" }"),
		  "clusters[0]: model: key 'terms' is missing" },
		{ CLUSTER(LEAST ", " DPC
				", \"provenance\": { \"files\": [ { \"path\": \"f\", "
				"\"sha256\": \"12\" } ] }"),
		  "clusters[0]: provenance: files[0]: key 'sha256': '12' is not 64 hex "
		  "digits" },
		{ CLUSTER(LEAST ", " DPC ", \"provenance\": { \"scope\": \"board\" }"),
		  "clusters[0]: provenance: key 'scope': 'board' is not rail, package or "
		  "device" },
		{ "{ " SCHEMA ", \"clusters\": [ { " LEAST ", " DPC " }, { " LEAST
		  ", " DPC " } ] }",
		  "clusters[1]: key 'name': 'a7' is clusters[0] too" },
		{ "{ " SCHEMA ", \"clusters\": [ { " LEAST ", " DPC " } ], \"checks\": "
		  "[ { \"name\": \"ratio\", \"ok\": 1 } ] }",
		  "checks[0]: key 'ok': 1 is not true or false" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i].text, cases[i].msg);
}

static void nan_and_duplicates_are_not_json(void **state)
{
	struct coeffs *c = coeffs_new();
	struct err err = { "" };

	(void)state;
	assert_int_equal(read_text(CLUSTER(LEAST ",\n\"dynamic-power-coefficient\": NaN"),
				   c, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "/c.json:2: not JSON: invalid token near 'NaN'"));
	assert_int_equal(read_text(CLUSTER(LEAST ", " DPC ",\n" DPC), c, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "/c.json:2: not JSON: duplicate object key"));
	coeffs_free(c);
}

static void too_many_clusters_are_refused(void **state)
{
	char text[4096];
	size_t len = sprintf(text, "{ " SCHEMA ", \"clusters\": [");

	(void)state;
	for (int i = 0; i < COEFFS_MAX_CLUSTERS + 1; i++)
		len += sprintf(text + len, "%s{}", i ? ", " : "");
	sprintf(text + len, "] }");
	assert_refused(text, "key 'clusters' has 17 entries, 1..16 are taken");
}

static void missing_file_is_named(void **state)
{
	struct coeffs *c = coeffs_new();
	struct err err = { "" };

	(void)state;
	assert_int_equal(coeffs_read("/nonexistent/c.json", c, &err), -ENOENT);
	assert_string_equal(
		err.msg, "cannot open '/nonexistent/c.json': No such file or directory");
	coeffs_free(c);
}

static void fill_model(struct coeffs_model *m)
{
	strcpy(m->name, "within-opp");
	m->term_count = 2;
	m->terms[0] = (struct coeffs_term){ "C", "uW/MHz/V2", 311.25, true, 0.875 };
	m->terms[1] = (struct coeffs_term){ "offset", "", -0.03125, false, 0 };
	m->n = 190;
	m->dof = 17.5;
	m->has_r2 = true;
	m->r2 = 0.999875;
	m->r2_uncentred = true;
	m->rmse_pct = 0.5;
	m->loo_rmse_pct = 0.75;
	m->condition = 12.5;
}

static void fill_provenance(struct coeffs_provenance *p)
{
	p->file_count = 1;
	strcpy(p->files[0].path, "run/samples.csv");
	memset(p->files[0].sha256, 'a', 64);
	strcpy(p->sensor, "ina231@40 VDD_ARM");
	strcpy(p->load, "int");
	strcpy(p->formula, "P = C u f V^2");
	strcpy(p->scope, "rail");
	p->has_baseline = true;
	p->baseline_uw = -5;
	strcpy(p->command, "calib fit -d 'my run'");
	strcpy(p->notes[0], "run/samples.csv:6: throttled, left out");
	p->note_count = 1;
}

static void fill_diagnostics(struct coeffs_diagnostics *g)
{
	g->r2_centred = 0.9875;
	g->r2_about_zero = 0.999875;
	g->se_clustered = NAN; /* absent */
	g->has_bootstrap = true;
	g->bootstrap_ci95[0] = 309.5;
	g->bootstrap_ci95[1] = 313;
	g->vif_count = 1;
	strcpy(g->vif[0].name, "dynamic");
	g->vif[0].value = 2.5;
	g->cook_max = 0.25;
	strcpy(g->cook_row, "run/samples.csv:7");
	g->static_pct = -3.5;
	g->left_out_count = g->warning_count = 1;
	strcpy(g->left_out[0], "lack of fit: no window was repeated");
	strcpy(g->warnings[0], "one row decides alone");
}

static void fill_boards(struct coeffs_boards *b)
{
	b->n = 2;
	b->outlying = b->left_out = 1;
	b->between_pct = 2.5;
	b->between_pct95[1] = 12.5;
	b->new95[0] = 290;
	b->new95[1] = 330.5;
	b->each_count = 3;
	strcpy(b->each[0].name, "run1");
	b->each[0].used = b->each[1].used = b->each[1].outlying = true;
	b->each[0].estimate = 301.25;
	b->each[0].stderr_ = 0.5;
	b->each[0].off = -0.75;
	strcpy(b->each[1].name, "run2");
	strcpy(b->each[2].name, "run3");
	strcpy(b->each[2].left_out, "no usable row");
}

static void fill(struct coeffs *c)
{
	/* Static: then padding is zero, and the whole can be compared. */
	static const struct coeffs_opp opps[] = {
		{ .hz = 200000000,
		  .microvolt = 900000,
		  .has_measured = true,
		  .measured_uw = 49850.5,
		  .measured_ci_uw = 12.25,
		  .has_next = true,
		  .next_uw = 42100.5,
		  .next_ci_uw = 9.5,
		  .has_model = true,
		  .model_uw = 49900,
		  .kernel_uw = 50220,
		  .effective_uw = 65200,
		  .has_error = true,
		  .error_pct = 0.75,
		  .opp_uw = 50110,
		  .full_uw = 61000,
		  .work_per_mhz = 1024.5 },
		{ .hz = 300000000,
		  .microvolt = 900000,
		  .kernel_uw = 75330,
		  .inefficient = true,
		  .opp_inefficient = true },
	};
	struct coeffs_cluster *k = &c->clusters[0];

	strcpy(c->generator, "calib 0.1.0");
	strcpy(c->board, "hardkernel,odroid-xu3");
	c->virtual_board = true;
	c->cluster_count = 1;
	strcpy(k->name, "a15");
	strcpy(k->match.compatible, "arm,cortex-a15");
	k->match.reg[0] = 0x100;
	k->match.reg_count = 1;
	strcpy(k->match.paths[0], "/cpus/cpu@100");
	k->match.path_count = 1;
	k->dpc_uw_per_mhz_v2 = 310;
	k->has_interval = true;
	k->estimate = 310.375;
	k->stderr_ = 0.5;
	k->ci95[0] = 309.25;
	k->ci95[1] = 311.5;
	k->has_capacity = k->has_capacity_ci = true;
	k->capacity_dmips_mhz = 1535;
	k->capacity_ci95[0] = 1500;
	k->capacity_ci95[1] = 1550.5;
	k->has_effective = true;
	k->effective = 402.5;
	k->has_model = true;
	fill_model(&k->model);
	k->has_boards = true;
	fill_boards(&k->boards);
	k->opp_count = 2;
	memcpy(k->opps, opps, sizeof(opps));
	k->load_count = 2;
	strcpy(k->loads[0].name, "int");
	k->loads[0].weight = 0.75;
	k->loads[0].estimate = 310.5;
	k->loads[0].has_interval = true;
	k->loads[0].stderr_ = 0.25;
	k->loads[0].ci95[0] = 310;
	k->loads[0].ci95[1] = 311;
	strcpy(k->loads[1].name, "dram");
	k->loads[1].estimate = 217.5;
	k->has_provenance = true;
	k->has_diagnostics = true;
	fill_diagnostics(&k->diagnostics);
	k->opps[0].has_own = k->opps[0].has_prediction = true;
	k->opps[0].own = 309.5;
	k->opps[0].own_se = 0.25;
	k->opps[0].prediction_uw[0] = -1.5;
	k->opps[0].prediction_uw[1] = 70250;
	fill_provenance(&k->provenance);
	c->check_count = 1;
	strcpy(c->checks[0].name, "ratio");
	strcpy(c->checks[0].text, "3.4 is in 2.5..4.5");
	c->checks[0].ok = true;
}

static char *written(const struct coeffs *c)
{
	char *text = NULL;
	size_t len;
	struct err err = { "" };
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(coeffs_write(c, f, &err), 0);
	fclose(f);
	return text;
}

static void what_is_written_reads_back_identical(void **state)
{
	struct coeffs *c = coeffs_new(), *back = coeffs_new();
	struct err err = { "" };
	char *text, *again;

	(void)state;
	fill(c);
	text = written(c);
	assert_int_equal(read_text(text, back, &err), 0);
	assert_memory_equal(c, back, sizeof(*c));
	again = written(back);
	assert_string_equal(text, again);
	free(text);
	free(again);
	coeffs_free(c);
	coeffs_free(back);
}

static void reals_are_rounded_to_six_digits(void **state)
{
	struct coeffs *c = coeffs_new();
	char *text;

	(void)state;
	fill(c);
	c->clusters[0].estimate = 1000.0 / 3;
	text = written(c);
	assert_non_null(strstr(text, "\"estimate\": 333.333,\n"));
	free(text);
	coeffs_free(c);
}

static void absent_parts_are_not_written(void **state)
{
	struct coeffs *c = coeffs_new();
	char *text;

	(void)state;
	c->cluster_count = 1;
	strcpy(c->clusters[0].name, "policy0");
	c->clusters[0].dpc_uw_per_mhz_v2 = 190;
	text = written(c);
	assert_string_equal(text,
			    "{\n  \"schema\": \"calib-coeffs/1\",\n  \"clusters\": [\n"
			    "    {\n      \"name\": \"policy0\",\n      \"match\": {},\n"
			    "      \"dynamic-power-coefficient\": 190\n    }\n  ]\n}\n");
	free(text);
	coeffs_free(c);
}

static void odd_text_is_cleaned_so_that_it_reads_back(void **state)
{
	struct coeffs *c = coeffs_new();
	struct err err = { "" };
	char *text;

	(void)state;
	fill(c);
	strcpy(c->clusters[0].provenance.files[0].path, "caf\xe9/\nx.csv");
	text = written(c);
	assert_int_equal(read_text(text, c, &err), 0);
	assert_string_equal(c->clusters[0].provenance.files[0].path, "caf?/?x.csv");
	free(text);
	coeffs_free(c);
}

static void numbers_that_cannot_ship_are_not_written(void **state)
{
	struct coeffs *c = coeffs_new();
	struct err err = { "" };
	FILE *f = fopen("/dev/null", "w");

	(void)state;
	fill(c);
	c->clusters[0].model.terms[0].se = NAN;
	assert_int_equal(coeffs_write(c, f, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "cannot write coeffs.json: cluster 'a15': key 'se': nan is "
			    "not a finite number");
	fill(c);
	c->clusters[0].ci95[1] = INFINITY;
	assert_int_equal(coeffs_write(c, f, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "cannot write coeffs.json: cluster 'a15': key 'ci95': "
			    "309.25..inf is not finite");
	fill(c);
	c->clusters[0].dpc_uw_per_mhz_v2 = 0;
	assert_int_equal(coeffs_write(c, f, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "cannot write coeffs.json: cluster 'a15': key "
			    "'dynamic-power-coefficient': 0 is not in 1..4294967295");
	fclose(f);
	coeffs_free(c);
}

static bool matches(const struct coeffs_match *m, const char *path,
		    const char *const *compatibles, unsigned int count, uint64_t reg)
{
	return coeffs_match_cpu(m, &(struct coeffs_cpu){ .path = path,
							 .compatibles = compatibles,
							 .compatible_count = count,
							 .has_reg = true,
							 .reg = reg });
}

static void cpu_must_satisfy_every_key_of_the_match(void **state)
{
	static const char *const a7[] = { "vendor,core", "arm,cortex-a7" };
	struct coeffs_match m = { .compatible = "arm,cortex-a7" };

	(void)state;
	assert_true(matches(&m, "/cpus/cpu@100", a7, 2, 0x100));
	assert_false(matches(&m, "/cpus/cpu@100", a7, 1, 0x100));
	m.reg_count = 2;
	m.reg[1] = 0x100;
	assert_true(matches(&m, "/cpus/cpu@100", a7, 2, 0x100));
	assert_false(matches(&m, "/cpus/cpu@100", a7, 2, 0x101));
	m.path_count = 1;
	strcpy(m.paths[0], "/cpus/cpu@101");
	assert_false(matches(&m, "/cpus/cpu@100", a7, 2, 0x100));
	strcpy(m.paths[0], "/cpus/cpu@100");
	assert_true(matches(&m, "/cpus/cpu@100", a7, 2, 0x100));
}

static void empty_match_means_no_cpu(void **state)
{
	static const char *const a7[] = { "arm,cortex-a7" };
	struct coeffs_match m = { .compatible = "" };

	(void)state;
	assert_false(matches(&m, "/cpus/cpu@0", a7, 1, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_file_is_enough),
		cmocka_unit_test(wrong_files_are_refused_with_place_and_key),
		cmocka_unit_test(nan_and_duplicates_are_not_json),
		cmocka_unit_test(too_many_clusters_are_refused),
		cmocka_unit_test(missing_file_is_named),
		cmocka_unit_test(what_is_written_reads_back_identical),
		cmocka_unit_test(reals_are_rounded_to_six_digits),
		cmocka_unit_test(absent_parts_are_not_written),
		cmocka_unit_test(odd_text_is_cleaned_so_that_it_reads_back),
		cmocka_unit_test(numbers_that_cannot_ship_are_not_written),
		cmocka_unit_test(cpu_must_satisfy_every_key_of_the_match),
		cmocka_unit_test(empty_match_means_no_cpu),
	};

	return cmocka_run_group_tests(tests, files_set_up, files_tear_down);
}
