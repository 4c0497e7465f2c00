// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coeffs.json from a file: every key known, every value of its type and in its range.
 */
#include "lib/coeffs_internal.h"

#include <errno.h>
#include <string.h>

#include "lib/buf.h"

/* A name or the like, which must say something. */
int coeffs_get_needed(const struct json *obj, const char *key, char *out, size_t size,
		      struct err *err)
{
	int ret = json_get_text(obj, key, out, size, err);

	if (!ret && !*out)
		ret = err_set(err, -EINVAL, "key '%s' is empty", key);
	return ret;
}

/* A list of 1..@max items. */
int coeffs_get_list(const struct json *obj, const char *key, size_t max,
		    const struct json **out, struct err *err)
{
	int ret = json_get_array(obj, key, out, err);
	size_t n = json_len(*out);

	if (ret)
		return ret;
	if (n >= 1 && n <= max)
		return 0;
	return err_set(err, -EINVAL, "key '%s' has %zu entries, 1..%zu are taken", key, n,
		       max);
}

/* An error, a size or the like, which is never below zero. */
static int read_size(const struct json *obj, const char *key, double *out,
		     struct err *err)
{
	int ret = json_get_double(obj, key, out, err);

	if (!ret && *out < 0)
		ret = err_set(err, -EINVAL, "key '%s': %g is below 0", key, *out);
	return ret;
}

/* Power may be negative: a reading below the subtracted base. */
static int read_power(const struct json *obj, const char *key, double *out,
		      struct err *err)
{
	return json_get_double_range(obj, key, -COEFFS_MAX_UW, COEFFS_MAX_UW, out, err);
}

/* An interval [low, high]. */
int coeffs_get_interval(const struct json *obj, const char *key, double out[2],
			struct err *err)
{
	const struct json *arr = NULL;
	int ret = json_get_array(obj, key, &arr, err);

	if (ret)
		return ret;
	if (json_len(arr) != 2)
		return err_set(err, -EINVAL, "key '%s' has %zu entries, not low and high",
			       key, json_len(arr));
	for (size_t i = 0; i < 2; i++) {
		ret = json_at_double(arr, i, key, &out[i], err);
		if (ret)
			return ret;
	}
	if (out[0] > out[1])
		return err_set(err, -EINVAL, "key '%s': low %g is above high %g", key,
			       out[0], out[1]);
	return 0;
}

static int read_regs(const struct json *obj, struct coeffs_match *m, struct err *err)
{
	const struct json *arr = NULL;
	int ret;

	if (!json_has(obj, "reg"))
		return 0;
	ret = coeffs_get_list(obj, "reg", COEFFS_MAX_MATCH, &arr, err);
	for (size_t i = 0; i < json_len(arr) && !ret; i++)
		ret = json_at_u64(arr, i, "reg", &m->reg[i], err);
	if (!ret)
		m->reg_count = json_len(arr);
	return ret;
}

static int read_path(const struct json *arr, size_t i, char *out, size_t size,
		     struct err *err)
{
	int ret = json_at_text(arr, i, "paths", out, size, err);

	if (!ret && ((out[0] != '/' && out[0] != '&') || !out[1]))
		ret = err_set(err, -EINVAL,
			      "key 'paths[%zu]': '%.80s' is not a full node path (like "
			      "/cpus/cpu@100) or label (like &cpu0)",
			      i, out);
	return ret;
}

static int read_paths(const struct json *obj, struct coeffs_match *m, struct err *err)
{
	const struct json *arr = NULL;
	int ret;

	if (!json_has(obj, "paths"))
		return 0;
	ret = coeffs_get_list(obj, "paths", COEFFS_MAX_MATCH, &arr, err);
	for (size_t i = 0; i < json_len(arr) && !ret; i++)
		ret = read_path(arr, i, m->paths[i], sizeof(m->paths[i]), err);
	if (!ret)
		m->path_count = json_len(arr);
	return ret;
}

static int read_match_keys(const struct json *obj, struct coeffs_match *m,
			   struct err *err)
{
	static const char *const known[] = { "compatible", "reg", "paths", NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret && json_has(obj, "compatible"))
		ret = coeffs_get_needed(obj, "compatible", m->compatible,
					sizeof(m->compatible), err);
	if (!ret)
		ret = read_regs(obj, m, err);
	if (!ret)
		ret = read_paths(obj, m, err);
	return ret;
}

static int read_match(const struct json *cluster, struct coeffs_match *into,
		      struct err *err)
{
	const struct json *obj = NULL;
	int ret = json_get_object(cluster, "match", &obj, err);

	if (ret)
		return ret;
	ret = read_match_keys(obj, into, err);
	return ret ? err_wrap(err, ret, "match") : 0;
}

static int read_term(const struct json *obj, struct coeffs_term *t, struct err *err)
{
	static const char *const known[] = { "name", "unit", "value", "se", NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = coeffs_get_needed(obj, "name", t->name, sizeof(t->name), err);
	if (!ret)
		ret = json_get_text(obj, "unit", t->unit, sizeof(t->unit), err);
	if (!ret)
		ret = json_get_double(obj, "value", &t->value, err);
	t->has_se = json_has(obj, "se");
	if (!ret && t->has_se)
		ret = read_size(obj, "se", &t->se, err);
	return ret;
}

static int read_terms(const struct json *obj, struct coeffs_model *m, struct err *err)
{
	const struct json *arr = NULL;
	int ret = coeffs_get_list(obj, "terms", COEFFS_MAX_TERMS, &arr, err);

	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		ret = read_term(json_at(arr, i), &m->terms[i], err);
		if (ret)
			err_wrap(err, ret, "terms[%zu]", i);
	}
	if (!ret)
		m->term_count = json_len(arr);
	return ret;
}

static int read_model_keys(const struct json *obj, struct coeffs_model *m,
			   struct err *err)
{
	static const char *const known[] = { "name",	 "terms",	 "n",
					     "dof",	 "r2",		 "r2-uncentred",
					     "rmse-pct", "loo-rmse-pct", "condition",
					     NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = coeffs_get_needed(obj, "name", m->name, sizeof(m->name), err);
	if (!ret)
		ret = read_terms(obj, m, err);
	if (!ret)
		ret = json_get_u32(obj, "n", &m->n, err);
	if (!ret)
		ret = read_size(obj, "dof", &m->dof, err);
	m->has_r2 = json_has(obj, "r2");
	if (!ret && m->has_r2)
		ret = json_get_double(obj, "r2", &m->r2, err);
	if (!ret)
		ret = json_opt_bool(obj, "r2-uncentred", &m->r2_uncentred, err);
	if (!ret)
		ret = read_size(obj, "rmse-pct", &m->rmse_pct, err);
	m->loo_rmse_pct = -1;
	if (!ret && json_has(obj, "loo-rmse-pct"))
		ret = read_size(obj, "loo-rmse-pct", &m->loo_rmse_pct, err);
	if (!ret)
		ret = read_size(obj, "condition", &m->condition, err);
	return ret;
}

static int read_model(const struct json *cluster, struct coeffs_model *into,
		      struct err *err)
{
	const struct json *obj = NULL;
	int ret = json_get_object(cluster, "model", &obj, err);

	if (ret)
		return ret;
	ret = read_model_keys(obj, into, err);
	return ret ? err_wrap(err, ret, "model") : 0;
}

static int read_opp_diagnostics(const struct json *obj, struct coeffs_opp *o,
				struct err *err)
{
	int ret = 0;

	o->has_own = json_has(obj, "own-coefficient");
	if (o->has_own)
		ret = json_get_double(obj, "own-coefficient", &o->own, err);
	if (!ret && json_has(obj, "own-stderr"))
		ret = read_size(obj, "own-stderr", &o->own_se, err);
	o->has_prediction = json_has(obj, "prediction-microwatt");
	if (!ret && o->has_prediction)
		ret = coeffs_get_interval(obj, "prediction-microwatt", o->prediction_uw,
					  err);
	return ret;
}

static int read_curve(const struct json *obj, struct coeffs_opp *o, struct err *err)
{
	int ret = 0;

	if (json_has(obj, "kernel-effective-microwatt"))
		ret = json_get_u64(obj, "kernel-effective-microwatt", &o->effective_uw,
				   err);
	o->has_error = json_has(obj, "kernel-error-pct");
	if (!ret && o->has_error)
		ret = json_get_double(obj, "kernel-error-pct", &o->error_pct, err);
	if (!ret && json_has(obj, "opp-microwatt"))
		ret = json_get_range(obj, "opp-microwatt", 1, UINT32_MAX, &o->opp_uw,
				     err);
	if (!ret && json_has(obj, "opp-microwatt-full"))
		ret = json_get_range(obj, "opp-microwatt-full", 1, UINT32_MAX,
				     &o->full_uw, err);
	return ret ? ret
		   : json_opt_bool(obj, "opp-inefficient", &o->opp_inefficient, err);
}

static int read_opp(const struct json *obj, struct coeffs_opp *o, struct err *err)
{
	static const char *const known[] = { "hz",
					     "microvolt",
					     "measured-microwatt",
					     "measured-ci-microwatt",
					     "next-microwatt",
					     "next-ci-microwatt",
					     "model-microwatt",
					     "kernel-microwatt",
					     "inefficient",
					     "kernel-effective-microwatt",
					     "kernel-error-pct",
					     "opp-microwatt",
					     "opp-microwatt-full",
					     "opp-inefficient",
					     "work-per-mhz",
					     "own-coefficient",
					     "own-stderr",
					     "prediction-microwatt",
					     NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = json_get_range(obj, "hz", 1, INT64_MAX, &o->hz, err);
	if (!ret)
		ret = json_opt_u32(obj, "microvolt", &o->microvolt, err);
	if (!ret && (json_has(obj, known[2]) || json_has(obj, known[3]))) {
		o->has_measured = true;
		ret = read_power(obj, "measured-microwatt", &o->measured_uw, err);
		if (!ret)
			ret = json_get_double_range(obj, "measured-ci-microwatt", 0,
						    COEFFS_MAX_UW, &o->measured_ci_uw,
						    err);
	}
	if (!ret && (json_has(obj, known[4]) || json_has(obj, known[5]))) {
		o->has_next = true;
		ret = read_power(obj, "next-microwatt", &o->next_uw, err);
		if (!ret)
			ret = json_get_double_range(obj, "next-ci-microwatt", 0,
						    COEFFS_MAX_UW, &o->next_ci_uw, err);
	}
	if (!ret && json_has(obj, "model-microwatt")) {
		o->has_model = true;
		ret = read_power(obj, "model-microwatt", &o->model_uw, err);
	}
	if (!ret && json_has(obj, "kernel-microwatt"))
		ret = json_get_u64(obj, "kernel-microwatt", &o->kernel_uw, err);
	if (!ret)
		ret = json_opt_bool(obj, "inefficient", &o->inefficient, err);
	if (!ret)
		ret = read_curve(obj, o, err);
	if (!ret && json_has(obj, "work-per-mhz"))
		ret = read_size(obj, "work-per-mhz", &o->work_per_mhz, err);
	return ret ? ret : read_opp_diagnostics(obj, o, err);
}

static int read_opps(const struct json *obj, struct coeffs_cluster *c, struct err *err)
{
	const struct json *arr = NULL;
	int ret;

	if (!json_has(obj, "opps"))
		return 0;
	ret = coeffs_get_list(obj, "opps", COEFFS_MAX_OPPS, &arr, err);
	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		ret = read_opp(json_at(arr, i), &c->opps[i], err);
		if (!ret && i && c->opps[i].hz <= c->opps[i - 1].hz)
			ret = err_set(err, -EINVAL,
				      "key 'hz': not above that of the entry before");
		if (ret)
			err_wrap(err, ret, "opps[%zu]", i);
	}
	if (!ret)
		c->opp_count = json_len(arr);
	return ret;
}

/* A fitted value comes with its errors, or not at all. */
static int read_estimate(const struct json *obj, struct coeffs_cluster *c,
			 struct err *err)
{
	int ret;

	if (!json_has(obj, "estimate") && !json_has(obj, "stderr") &&
	    !json_has(obj, "ci95"))
		return 0;
	c->has_interval = true;
	ret = json_get_double(obj, "estimate", &c->estimate, err);
	if (!ret)
		ret = read_size(obj, "stderr", &c->stderr_, err);
	if (!ret)
		ret = coeffs_get_interval(obj, "ci95", c->ci95, err);
	return ret;
}

static int read_capacity(const struct json *obj, struct coeffs_cluster *c,
			 struct err *err)
{
	uint64_t v;
	int ret = 0;

	if (json_has(obj, "capacity-dmips-mhz")) {
		c->has_capacity = true;
		ret = json_get_range(obj, "capacity-dmips-mhz", 1, UINT32_MAX, &v, err);
		if (!ret)
			c->capacity_dmips_mhz = v;
	}
	if (!ret && json_has(obj, "capacity-ci95")) {
		c->has_capacity_ci = true;
		ret = coeffs_get_interval(obj, "capacity-ci95", c->capacity_ci95, err);
	}
	return ret;
}

static int read_coefficient(const struct json *obj, struct coeffs_cluster *c,
			    struct err *err)
{
	uint64_t v;
	int ret = json_get_range(obj, "dynamic-power-coefficient", 1, UINT32_MAX, &v,
				 err);

	if (!ret)
		c->dpc_uw_per_mhz_v2 = v;
	return ret;
}

static int read_optional(const struct json *obj, struct coeffs_cluster *c,
			 struct err *err)
{
	int ret = read_estimate(obj, c, err);

	if (!ret)
		ret = read_capacity(obj, c, err);
	if (!ret && json_has(obj, "effective-power-coefficient")) {
		c->has_effective = true;
		ret = json_get_double(obj, "effective-power-coefficient", &c->effective,
				      err);
	}
	if (!ret && json_has(obj, "model")) {
		c->has_model = true;
		ret = read_model(obj, &c->model, err);
	}
	if (!ret && json_has(obj, "boards")) {
		c->has_boards = true;
		ret = coeffs_get_boards(obj, &c->boards, err);
	}
	if (!ret)
		ret = read_opps(obj, c, err);
	if (!ret && json_has(obj, "diagnostics")) {
		c->has_diagnostics = true;
		ret = coeffs_get_diagnostics(obj, &c->diagnostics, err);
	}
	if (!ret && json_has(obj, "loads"))
		ret = coeffs_get_loads(obj, c, err);
	if (!ret && json_has(obj, "provenance")) {
		c->has_provenance = true;
		ret = coeffs_get_provenance(obj, &c->provenance, err);
	}
	return ret;
}

static int read_cluster(const struct json *obj, struct coeffs_cluster *c, struct err *err)
{
	static const char *const known[] = { "name",
					     "match",
					     "dynamic-power-coefficient",
					     "estimate",
					     "stderr",
					     "ci95",
					     "model",
					     "opps",
					     "capacity-dmips-mhz",
					     "capacity-ci95",
					     "effective-power-coefficient",
					     "boards",
					     "diagnostics",
					     "loads",
					     "provenance",
					     NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = coeffs_get_needed(obj, "name", c->name, sizeof(c->name), err);
	if (!ret)
		ret = read_match(obj, &c->match, err);
	if (!ret)
		ret = read_coefficient(obj, c, err);
	if (!ret)
		ret = read_optional(obj, c, err);
	return ret;
}

static int check_new_name(const struct coeffs *c, size_t i, struct err *err)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(c->clusters[j].name, c->clusters[i].name))
			return err_set(err, -EINVAL,
				       "key 'name': '%s' is clusters[%zu] too",
				       c->clusters[i].name, j);
	return 0;
}

static int read_clusters(const struct json *root, struct coeffs *c, struct err *err)
{
	const struct json *arr = NULL;
	int ret = coeffs_get_list(root, "clusters", COEFFS_MAX_CLUSTERS, &arr, err);

	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		ret = read_cluster(json_at(arr, i), &c->clusters[i], err);
		if (!ret)
			ret = check_new_name(c, i, err);
		if (ret)
			err_wrap(err, ret, "clusters[%zu]", i);
	}
	if (!ret)
		c->cluster_count = json_len(arr);
	return ret;
}

static int read_check(const struct json *obj, struct coeffs_check *k, struct err *err)
{
	static const char *const known[] = { "name", "ok", "text", NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = coeffs_get_needed(obj, "name", k->name, sizeof(k->name), err);
	if (!ret)
		ret = json_get_bool(obj, "ok", &k->ok, err);
	if (!ret)
		ret = json_opt_text(obj, "text", k->text, sizeof(k->text), err);
	return ret;
}

static int read_checks(const struct json *root, struct coeffs *c, struct err *err)
{
	const struct json *arr = NULL;
	int ret;

	if (!json_has(root, "checks"))
		return 0;
	ret = coeffs_get_list(root, "checks", COEFFS_MAX_NOTES, &arr, err);
	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		ret = read_check(json_at(arr, i), &c->checks[i], err);
		if (ret)
			err_wrap(err, ret, "checks[%zu]", i);
	}
	if (!ret)
		c->check_count = json_len(arr);
	return ret;
}

static int check_schema(const struct json *root, struct err *err)
{
	const char *schema = NULL;
	int ret = json_get_str(root, "schema", &schema, err);

	if (!ret && strcmp(schema, COEFFS_SCHEMA))
		ret = err_set(err, -EINVAL, "key 'schema': '%.80s' is not '%s'", schema,
			      COEFFS_SCHEMA);
	return ret;
}

static int read_root(const struct json *root, struct coeffs *c, struct err *err)
{
	static const char *const known[] = { "schema",	 "generator", "board", "virtual",
					     "clusters", "checks",    NULL };
	int ret;

	*c = (struct coeffs){ 0 };
	ret = check_schema(root, err);
	if (!ret)
		ret = json_only_keys(root, known, err);
	if (!ret)
		ret = json_opt_text(root, "generator", c->generator, sizeof(c->generator),
				    err);
	if (!ret)
		ret = json_opt_text(root, "board", c->board, sizeof(c->board), err);
	if (!ret)
		ret = json_opt_bool(root, "virtual", &c->virtual_board, err);
	if (!ret)
		ret = read_clusters(root, c, err);
	if (!ret)
		ret = read_checks(root, c, err);
	return ret;
}

int coeffs_parse(const char *text, size_t len, const char *name, struct coeffs *c,
		 struct err *err)
{
	struct json *root = NULL;
	int ret = json_parse(text, len, name, &root, err);

	if (ret)
		return ret;
	ret = read_root(root, c, err);
	json_free(root);
	/* A missing key is a wrong file, not a missing one. */
	if (ret == -ENOENT)
		ret = -EINVAL;
	return ret ? err_wrap(err, ret, "'%s'", name) : 0;
}

int coeffs_read(const char *path, struct coeffs *c, struct err *err)
{
	struct buf text = { 0 };
	int ret = buf_read_file(&text, path, COEFFS_MAX_BYTES, err);

	if (!ret)
		ret = coeffs_parse(text.data, text.len, buf_file_name(path), c, err);
	buf_free(&text);
	return ret;
}
