// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The diagnostics of coeffs.json: one table of figures, read and written alike.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "lib/coeffs_internal.h"

#define AT(member) offsetof(struct coeffs_diagnostics, member)

static const struct {
	const char *key;
	size_t offset; /* of a double that is NAN when absent */
} figures[] = {
	{ "r2-centred", AT(r2_centred) },
	{ "r2-about-zero", AT(r2_about_zero) },
	{ "stderr-classical", AT(se_classical) },
	{ "stderr-hc3", AT(se_hc3) },
	{ "stderr-clustered", AT(se_clustered) },
	{ "dof-clustered", AT(dof_clustered) },
	{ "leverage-mean", AT(leverage_mean) },
	{ "leverage-max", AT(leverage_max) },
	{ "cook-max", AT(cook_max) },
	{ "estimate-without-cook-row", AT(estimate_without) },
	{ "studentised-max", AT(student_max) },
	{ "studentised-p", AT(student_p) },
	{ "lack-of-fit-f", AT(lack_f) },
	{ "lack-of-fit-dof", AT(lack_dof) },
	{ "pure-error-dof", AT(pure_dof) },
	{ "lack-of-fit-p", AT(lack_p) },
	{ "lack-of-fit-pct", AT(lack_pct) },
	{ "drift-microwatt", AT(drift_uw) },
	{ "drift-p", AT(drift_p) },
	{ "heat-microwatt-per-kelvin", AT(heat_uw) },
	{ "heat-p", AT(heat_p) },
	{ "slope-over-opps", AT(slope) },
	{ "slope-p", AT(slope_p) },
	{ "theil-sen", AT(theil_sen) },
	{ "huber", AT(huber) },
	{ "bisquare", AT(bisquare) },
	{ "static-pct", AT(static_pct) },
};

/* "FILE:LINE" of a row. */
static const struct {
	const char *key;
	size_t offset;
} rows[] = {
	{ "leverage-row", AT(leverage_row) },
	{ "cook-row", AT(cook_row) },
	{ "studentised-row", AT(student_row) },
};

#define FIGURES (sizeof(figures) / sizeof(figures[0]))
#define ROWS	(sizeof(rows) / sizeof(rows[0]))
#define OTHERS	4

static int only_known(const struct json *obj, struct err *err)
{
	const char *known[FIGURES + ROWS + OTHERS + 1] = { "vif", "bootstrap-ci95",
							   "not-computed", "warnings" };
	size_t i, n = OTHERS;

	for (i = 0; i < FIGURES; i++)
		known[n++] = figures[i].key;
	for (i = 0; i < ROWS; i++)
		known[n++] = rows[i].key;
	return json_only_keys(obj, known, err);
}

static double *figure(struct coeffs_diagnostics *g, size_t i)
{
	return (double *)((char *)g + figures[i].offset);
}

static int read_figures(const struct json *obj, struct coeffs_diagnostics *g,
			struct err *err)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < FIGURES; i++)
		*figure(g, i) = NAN;
	for (i = 0; i < FIGURES && !ret; i++)
		if (json_has(obj, figures[i].key))
			ret = json_get_double(obj, figures[i].key, figure(g, i), err);
	for (i = 0; i < ROWS && !ret; i++)
		ret = json_opt_text(obj, rows[i].key, (char *)g + rows[i].offset,
				    COEFFS_TEXT, err);
	return ret;
}

static int read_list(const struct json *obj, const char *key, size_t max,
		     const struct json **arr, struct err *err)
{
	int ret;

	*arr = NULL;
	if (!json_has(obj, key))
		return 0;
	ret = json_get_array(obj, key, arr, err);
	if (!ret && json_len(*arr) > max)
		ret = err_set(err, -EINVAL,
			      "key '%s' has %zu entries, up to %zu are taken", key,
			      json_len(*arr), max);
	return ret;
}

static int read_vif(const struct json *obj, struct coeffs_diagnostics *g, struct err *err)
{
	static const char *const known[] = { "name", "value", NULL };
	const struct json *arr;
	int ret = read_list(obj, "vif", COEFFS_MAX_TERMS, &arr, err);
	size_t i;

	for (i = 0; !ret && i < json_len(arr); i++) {
		const struct json *item = json_at(arr, i);
		struct coeffs_vif *v = &g->vif[i];

		ret = json_only_keys(item, known, err);
		if (!ret)
			ret = json_get_text(item, "name", v->name, sizeof(v->name), err);
		if (!ret)
			ret = json_get_double(item, "value", &v->value, err);
		if (ret)
			err_wrap(err, ret, "vif[%zu]", i);
	}
	if (!ret)
		g->vif_count = json_len(arr);
	return ret;
}

static int read_texts(const struct json *obj, const char *key, char texts[][COEFFS_TEXT],
		      unsigned int *count, struct err *err)
{
	const struct json *arr;
	int ret = read_list(obj, key, COEFFS_MAX_WARNINGS, &arr, err);
	size_t i;

	for (i = 0; !ret && i < json_len(arr); i++)
		ret = json_at_text(arr, i, key, texts[i], COEFFS_TEXT, err);
	if (!ret)
		*count = json_len(arr);
	return ret;
}

static int read_all(const struct json *obj, struct coeffs_diagnostics *g, struct err *err)
{
	int ret = only_known(obj, err);

	if (!ret)
		ret = read_figures(obj, g, err);
	g->has_bootstrap = json_has(obj, "bootstrap-ci95");
	if (!ret && g->has_bootstrap)
		ret = coeffs_get_interval(obj, "bootstrap-ci95", g->bootstrap_ci95, err);
	if (!ret)
		ret = read_vif(obj, g, err);
	if (!ret)
		ret = read_texts(obj, "not-computed", g->left_out, &g->left_out_count,
				 err);
	if (!ret)
		ret = read_texts(obj, "warnings", g->warnings, &g->warning_count, err);
	return ret;
}

int coeffs_get_diagnostics(const struct json *cluster, struct coeffs_diagnostics *g,
			   struct err *err)
{
	const struct json *obj = NULL;
	int ret = json_get_object(cluster, "diagnostics", &obj, err);

	if (!ret)
		ret = read_all(obj, g, err);
	return ret ? err_wrap(err, ret, "diagnostics") : 0;
}

static int put_figures(struct json *obj, const struct coeffs_diagnostics *g)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < FIGURES && !ret; i++) {
		double value = *(const double *)((const char *)g + figures[i].offset);

		if (isfinite(value))
			ret = json_put_real(obj, figures[i].key, value, COEFFS_DIGITS);
	}
	for (i = 0; i < ROWS && !ret; i++) {
		const char *text = (const char *)g + rows[i].offset;

		if (*text)
			ret = json_put_text(obj, rows[i].key, text);
	}
	return ret;
}

static int put_vif(struct json *obj, const struct coeffs_diagnostics *g)
{
	struct json *arr = json_new_array();
	int ret = json_put(obj, "vif", arr);
	unsigned int i;

	for (i = 0; i < g->vif_count && !ret; i++) {
		struct json *item = json_new_object();

		ret = json_add(arr, item);
		if (!ret)
			ret = json_put_text(item, "name", g->vif[i].name);
		if (!ret)
			ret = json_put_real(item, "value", g->vif[i].value,
					    COEFFS_DIGITS);
	}
	return ret;
}

static int put_texts(struct json *obj, const char *key, const char texts[][COEFFS_TEXT],
		     unsigned int count)
{
	struct json *arr;
	int ret;
	unsigned int i;

	if (!count)
		return 0;
	arr = json_new_array();
	ret = json_put(obj, key, arr);
	for (i = 0; i < count && !ret; i++)
		ret = json_add_text(arr, texts[i]);
	return ret;
}

int coeffs_put_diagnostics(struct json *cluster, const struct coeffs_diagnostics *g,
			   struct err *err)
{
	struct json *obj = json_new_object();
	int ret = json_put(cluster, "diagnostics", obj);

	if (!ret)
		ret = put_figures(obj, g);
	if (!ret && g->has_bootstrap)
		ret = coeffs_put_interval(obj, "bootstrap-ci95", g->bootstrap_ci95, err);
	if (!ret && g->vif_count)
		ret = put_vif(obj, g);
	if (!ret)
		ret = put_texts(obj, "not-computed", g->left_out, g->left_out_count);
	if (!ret)
		ret = put_texts(obj, "warnings", g->warnings, g->warning_count);
	return ret ? err_set(err, ret, "diagnostics: a value is not finite") : 0;
}
