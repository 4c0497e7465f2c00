// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coeffs.json into a file: what coeffs_read() takes back, keys in one fixed order.
 */
#include "lib/coeffs_internal.h"

#include <errno.h>

int coeffs_put_some(struct json *obj, const char *key, const char *text)
{
	return *text ? json_put_text(obj, key, text) : 0;
}

static int put_real(struct json *obj, const char *key, double value, struct err *err)
{
	int ret = json_put_real(obj, key, value, COEFFS_DIGITS);

	return ret ? err_set(err, ret, "key '%s': %g is not a finite number", key, value)
		   : 0;
}

int coeffs_put_interval(struct json *obj, const char *key, const double interval[2],
			struct err *err)
{
	struct json *arr = json_new_array();
	int ret = json_add_real(arr, interval[0], COEFFS_DIGITS);

	if (!ret)
		ret = json_add_real(arr, interval[1], COEFFS_DIGITS);
	if (ret)
		err_set(err, ret, "key '%s': %g..%g is not finite", key, interval[0],
			interval[1]);
	return json_put(obj, key, arr) ? -ENOMEM : ret;
}

static int put_regs(struct json *obj, const struct coeffs_match *m)
{
	struct json *arr = json_new_array();
	int ret = json_put(obj, "reg", arr);

	for (unsigned int i = 0; i < m->reg_count && !ret; i++)
		ret = json_add_u64(arr, m->reg[i]);
	return ret;
}

static int put_paths(struct json *obj, const struct coeffs_match *m)
{
	struct json *arr = json_new_array();
	int ret = json_put(obj, "paths", arr);

	for (unsigned int i = 0; i < m->path_count && !ret; i++)
		ret = json_add_text(arr, m->paths[i]);
	return ret;
}

static int put_match(struct json *cluster, const struct coeffs_match *m)
{
	struct json *obj = json_new_object();
	int ret = json_put(cluster, "match", obj);

	if (!ret)
		ret = coeffs_put_some(obj, "compatible", m->compatible);
	if (!ret && m->reg_count)
		ret = put_regs(obj, m);
	if (!ret && m->path_count)
		ret = put_paths(obj, m);
	return ret;
}

/* 0 is what an empty struct holds, and no coefficient. */
static int put_coefficient(struct json *obj, const struct coeffs_cluster *c,
			   struct err *err)
{
	if (!c->dpc_uw_per_mhz_v2)
		return err_set(err, -EINVAL,
			       "key 'dynamic-power-coefficient': 0 is not in "
			       "1..4294967295");
	return json_put_u64(obj, "dynamic-power-coefficient", c->dpc_uw_per_mhz_v2);
}

static int put_terms(struct json *obj, const struct coeffs_model *m, struct err *err)
{
	struct json *arr = json_new_array();
	int ret = json_put(obj, "terms", arr);

	for (unsigned int i = 0; i < m->term_count && !ret; i++) {
		struct json *term = json_new_object();

		ret = json_add(arr, term);
		if (!ret)
			ret = json_put_text(term, "name", m->terms[i].name);
		if (!ret)
			ret = json_put_text(term, "unit", m->terms[i].unit);
		if (!ret)
			ret = put_real(term, "value", m->terms[i].value, err);
		if (!ret && m->terms[i].has_se)
			ret = put_real(term, "se", m->terms[i].se, err);
	}
	return ret;
}

static int put_model(struct json *cluster, const struct coeffs_model *m, struct err *err)
{
	struct json *obj = json_new_object();
	int ret = json_put(cluster, "model", obj);

	if (!ret)
		ret = json_put_text(obj, "name", m->name);
	if (!ret)
		ret = put_terms(obj, m, err);
	if (!ret)
		ret = json_put_u64(obj, "n", m->n);
	if (!ret)
		ret = put_real(obj, "dof", m->dof, err);
	if (!ret && m->has_r2)
		ret = put_real(obj, "r2", m->r2, err);
	if (!ret && m->r2_uncentred)
		ret = json_put_bool(obj, "r2-uncentred", true);
	if (!ret)
		ret = put_real(obj, "rmse-pct", m->rmse_pct, err);
	if (!ret && m->loo_rmse_pct >= 0)
		ret = put_real(obj, "loo-rmse-pct", m->loo_rmse_pct, err);
	if (!ret)
		ret = put_real(obj, "condition", m->condition, err);
	return ret;
}

static int put_opp(struct json *obj, const struct coeffs_opp *o, struct err *err)
{
	int ret = json_put_u64(obj, "hz", o->hz);

	if (!ret && o->microvolt)
		ret = json_put_u64(obj, "microvolt", o->microvolt);
	if (!ret && o->has_measured)
		ret = put_real(obj, "measured-microwatt", o->measured_uw, err);
	if (!ret && o->has_measured)
		ret = put_real(obj, "measured-ci-microwatt", o->measured_ci_uw, err);
	if (!ret && o->has_next)
		ret = put_real(obj, "next-microwatt", o->next_uw, err);
	if (!ret && o->has_next)
		ret = put_real(obj, "next-ci-microwatt", o->next_ci_uw, err);
	if (!ret && o->has_model)
		ret = put_real(obj, "model-microwatt", o->model_uw, err);
	if (!ret && o->kernel_uw)
		ret = json_put_u64(obj, "kernel-microwatt", o->kernel_uw);
	if (!ret && o->inefficient)
		ret = json_put_bool(obj, "inefficient", true);
	if (!ret && o->effective_uw)
		ret = json_put_u64(obj, "kernel-effective-microwatt", o->effective_uw);
	if (!ret && o->has_error)
		ret = put_real(obj, "kernel-error-pct", o->error_pct, err);
	if (!ret && o->opp_uw)
		ret = json_put_u64(obj, "opp-microwatt", o->opp_uw);
	if (!ret && o->full_uw)
		ret = json_put_u64(obj, "opp-microwatt-full", o->full_uw);
	if (!ret && o->opp_inefficient)
		ret = json_put_bool(obj, "opp-inefficient", true);
	if (!ret && o->work_per_mhz > 0)
		ret = put_real(obj, "work-per-mhz", o->work_per_mhz, err);
	if (!ret && o->has_own)
		ret = put_real(obj, "own-coefficient", o->own, err);
	if (!ret && o->has_own && o->own_se > 0)
		ret = put_real(obj, "own-stderr", o->own_se, err);
	if (!ret && o->has_prediction)
		ret = coeffs_put_interval(obj, "prediction-microwatt", o->prediction_uw,
					  err);
	return ret;
}

static int put_opps(struct json *cluster, const struct coeffs_cluster *c, struct err *err)
{
	struct json *arr = json_new_array();
	int ret = json_put(cluster, "opps", arr);

	for (unsigned int i = 0; i < c->opp_count && !ret; i++) {
		struct json *obj = json_new_object();

		ret = json_add(arr, obj);
		if (!ret)
			ret = put_opp(obj, &c->opps[i], err);
		if (ret)
			err_wrap(err, ret, "opps[%u]", i);
	}
	return ret;
}

static int put_estimate(struct json *obj, const struct coeffs_cluster *c, struct err *err)
{
	int ret = put_real(obj, "estimate", c->estimate, err);

	if (!ret)
		ret = put_real(obj, "stderr", c->stderr_, err);
	if (!ret)
		ret = coeffs_put_interval(obj, "ci95", c->ci95, err);
	return ret;
}

static int put_cluster(struct json *obj, const struct coeffs_cluster *c, struct err *err)
{
	int ret = json_put_text(obj, "name", c->name);

	if (!ret)
		ret = put_match(obj, &c->match);
	if (!ret)
		ret = put_coefficient(obj, c, err);
	if (!ret && c->has_interval)
		ret = put_estimate(obj, c, err);
	if (!ret && c->has_capacity)
		ret = json_put_u64(obj, "capacity-dmips-mhz", c->capacity_dmips_mhz);
	if (!ret && c->has_capacity_ci)
		ret = coeffs_put_interval(obj, "capacity-ci95", c->capacity_ci95, err);
	if (!ret && c->has_effective)
		ret = put_real(obj, "effective-power-coefficient", c->effective, err);
	if (!ret && c->has_model)
		ret = put_model(obj, &c->model, err);
	if (!ret && c->has_boards)
		ret = coeffs_put_boards(obj, &c->boards, err);
	if (!ret && c->opp_count)
		ret = put_opps(obj, c, err);
	if (!ret && c->has_diagnostics)
		ret = coeffs_put_diagnostics(obj, &c->diagnostics, err);
	if (!ret && c->load_count)
		ret = coeffs_put_loads(obj, c, err);
	if (!ret && c->has_provenance)
		ret = coeffs_put_provenance(obj, &c->provenance);
	return ret;
}

static int put_clusters(struct json *root, const struct coeffs *c, struct err *err)
{
	struct json *arr = json_new_array();
	int ret = json_put(root, "clusters", arr);

	for (unsigned int i = 0; i < c->cluster_count && !ret; i++) {
		struct json *obj = json_new_object();

		ret = json_add(arr, obj);
		if (!ret)
			ret = put_cluster(obj, &c->clusters[i], err);
		if (ret)
			err_wrap(err, ret, "cluster '%s'", c->clusters[i].name);
	}
	return ret;
}

static int put_checks(struct json *root, const struct coeffs *c)
{
	struct json *arr = json_new_array();
	int ret = json_put(root, "checks", arr);

	for (unsigned int i = 0; i < c->check_count && !ret; i++) {
		struct json *obj = json_new_object();

		ret = json_add(arr, obj);
		if (!ret)
			ret = json_put_text(obj, "name", c->checks[i].name);
		if (!ret)
			ret = json_put_bool(obj, "ok", c->checks[i].ok);
		if (!ret)
			ret = coeffs_put_some(obj, "text", c->checks[i].text);
	}
	return ret;
}

static int put_root(struct json *root, const struct coeffs *c, struct err *err)
{
	int ret = json_put_str(root, "schema", COEFFS_SCHEMA);

	if (!ret)
		ret = coeffs_put_some(root, "generator", c->generator);
	if (!ret)
		ret = coeffs_put_some(root, "board", c->board);
	if (!ret && c->virtual_board)
		ret = json_put_bool(root, "virtual", true);
	if (!ret)
		ret = put_clusters(root, c, err);
	if (!ret && c->check_count)
		ret = put_checks(root, c);
	return ret;
}

int coeffs_write(const struct coeffs *c, FILE *f, struct err *err)
{
	struct json *root = json_new_object();
	struct err why = { "" };
	int ret = put_root(root, c, &why);

	if (ret && !why.msg[0])
		err_errno(&why, ret, "a value");
	ret = ret ? err_set(err, ret, "cannot write coeffs.json: %s", why.msg)
		  : json_write(root, f, err);
	json_free(root);
	return ret;
}
