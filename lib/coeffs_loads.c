// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coeffs.json: what each load makes of the coefficient.
 */
#include "lib/coeffs_internal.h"

#include <errno.h>
#include <math.h>

static int get_load(const struct json *obj, struct coeffs_load *l, struct err *err)
{
	static const char *const known[] = { "name",   "weight", "estimate",
					     "stderr", "ci95",	 NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = json_get_text(obj, "name", l->name, sizeof(l->name), err);
	if (!ret && !*l->name)
		ret = err_set(err, -EINVAL, "key 'name' is empty");
	if (!ret && json_has(obj, "weight"))
		ret = json_get_double_range(obj, "weight", 0, 1, &l->weight, err);
	if (!ret)
		ret = json_get_double(obj, "estimate", &l->estimate, err);
	l->has_interval = json_has(obj, "stderr") || json_has(obj, "ci95");
	if (!ret && l->has_interval)
		ret = json_get_double_range(obj, "stderr", 0, HUGE_VAL, &l->stderr_, err);
	if (!ret && l->has_interval)
		ret = coeffs_get_interval(obj, "ci95", l->ci95, err);
	return ret;
}

int coeffs_get_loads(const struct json *obj, struct coeffs_cluster *c, struct err *err)
{
	const struct json *arr = NULL;
	int ret = json_get_array(obj, "loads", &arr, err);

	if (!ret && (!json_len(arr) || json_len(arr) > COEFFS_MAX_LOADS))
		return err_set(err, -EINVAL,
			       "key 'loads' has %zu entries, 1..%d are taken",
			       json_len(arr), COEFFS_MAX_LOADS);
	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		ret = get_load(json_at(arr, i), &c->loads[i], err);
		if (ret)
			err_wrap(err, ret, "loads[%zu]", i);
	}
	if (!ret)
		c->load_count = json_len(arr);
	return ret;
}

static int put_load(struct json *obj, const struct coeffs_load *l, struct err *err)
{
	int ret = json_put_text(obj, "name", l->name);

	if (!ret && l->weight > 0)
		ret = json_put_real(obj, "weight", l->weight, COEFFS_DIGITS);
	if (!ret)
		ret = json_put_real(obj, "estimate", l->estimate, COEFFS_DIGITS);
	if (!ret && l->has_interval)
		ret = json_put_real(obj, "stderr", l->stderr_, COEFFS_DIGITS);
	if (!ret && l->has_interval)
		ret = coeffs_put_interval(obj, "ci95", l->ci95, err);
	return ret;
}

int coeffs_put_loads(struct json *cluster, const struct coeffs_cluster *c,
		     struct err *err)
{
	struct json *arr = json_new_array();
	int ret = json_put(cluster, "loads", arr);

	for (unsigned int i = 0; i < c->load_count && !ret; i++) {
		struct json *obj = json_new_object();

		ret = json_add(arr, obj);
		if (!ret)
			ret = put_load(obj, &c->loads[i], err);
		if (ret)
			err_wrap(err, ret, "loads[%u]", i);
	}
	return ret;
}
