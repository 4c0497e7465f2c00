// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coeffs.json: what several boards have in common, and how they differ.
 */
#include "lib/coeffs_internal.h"

#include <errno.h>
#include <math.h>

static int get_board(const struct json *obj, struct coeffs_board *b, struct err *err)
{
	static const char *const known[] = { "name",	 "estimate", "stderr", "off-by",
					     "outlying", "left-out", NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = json_get_text(obj, "name", b->name, sizeof(b->name), err);
	if (!ret && json_has(obj, "left-out"))
		return json_get_text(obj, "left-out", b->left_out, sizeof(b->left_out),
				     err);
	b->used = true;
	if (!ret)
		ret = json_get_double(obj, "estimate", &b->estimate, err);
	if (!ret)
		ret = json_get_double_range(obj, "stderr", 0, HUGE_VAL, &b->stderr_, err);
	if (!ret)
		ret = json_get_double(obj, "off-by", &b->off, err);
	return ret ? ret : json_opt_bool(obj, "outlying", &b->outlying, err);
}

static int get_each(const struct json *obj, struct coeffs_boards *b, struct err *err)
{
	const struct json *arr = NULL;
	int ret = json_get_array(obj, "each", &arr, err);
	size_t i;

	if (!ret && json_len(arr) > COEFFS_MAX_BOARDS)
		return err_set(err, -EINVAL,
			       "key 'each' has %zu entries, up to %d are taken",
			       json_len(arr), COEFFS_MAX_BOARDS);
	for (i = 0; i < json_len(arr) && !ret; i++) {
		ret = get_board(json_at(arr, i), &b->each[i], err);
		if (ret)
			err_wrap(err, ret, "each[%zu]", i);
	}
	if (!ret)
		b->each_count = json_len(arr);
	return ret;
}

static int get_keys(const struct json *obj, struct coeffs_boards *b, struct err *err)
{
	static const char *const known[] = {
		"n",	       "outlying", "left-out", "between-pct", "between-pct95",
		"new-board95", "each",	   NULL
	};
	uint64_t n = 0;
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = json_get_range(obj, "n", 2, UINT32_MAX, &n, err);
	b->n = n;
	if (!ret)
		ret = json_opt_u32(obj, "outlying", &b->outlying, err);
	if (!ret)
		ret = json_opt_u32(obj, "left-out", &b->left_out, err);
	if (!ret)
		ret = json_get_double_range(obj, "between-pct", 0, HUGE_VAL,
					    &b->between_pct, err);
	if (!ret)
		ret = coeffs_get_interval(obj, "between-pct95", b->between_pct95, err);
	if (!ret)
		ret = coeffs_get_interval(obj, "new-board95", b->new95, err);
	return ret || !json_has(obj, "each") ? ret : get_each(obj, b, err);
}

int coeffs_get_boards(const struct json *cluster, struct coeffs_boards *b,
		      struct err *err)
{
	const struct json *obj = NULL;
	int ret = json_get_object(cluster, "boards", &obj, err);

	if (ret)
		return ret;
	ret = get_keys(obj, b, err);
	return ret ? err_wrap(err, ret, "boards") : 0;
}

static int put_board(struct json *obj, const struct coeffs_board *b)
{
	int ret = json_put_text(obj, "name", b->name);

	if (!b->used)
		return ret ? ret : json_put_text(obj, "left-out", b->left_out);
	if (!ret)
		ret = json_put_real(obj, "estimate", b->estimate, COEFFS_DIGITS);
	if (!ret)
		ret = json_put_real(obj, "stderr", b->stderr_, COEFFS_DIGITS);
	if (!ret)
		ret = json_put_real(obj, "off-by", b->off, COEFFS_DIGITS);
	return ret || !b->outlying ? ret : json_put_bool(obj, "outlying", true);
}

static int put_each(struct json *boards, const struct coeffs_boards *b)
{
	struct json *arr = json_new_array();
	int ret = json_put(boards, "each", arr);
	unsigned int i;

	for (i = 0; i < b->each_count && !ret; i++) {
		struct json *obj = json_new_object();

		ret = json_add(arr, obj);
		if (!ret)
			ret = put_board(obj, &b->each[i]);
	}
	return ret;
}

int coeffs_put_boards(struct json *cluster, const struct coeffs_boards *b,
		      struct err *err)
{
	struct json *obj = json_new_object();
	int ret = json_put(cluster, "boards", obj);

	if (!ret)
		ret = json_put_u64(obj, "n", b->n);
	if (!ret && b->outlying)
		ret = json_put_u64(obj, "outlying", b->outlying);
	if (!ret && b->left_out)
		ret = json_put_u64(obj, "left-out", b->left_out);
	if (!ret)
		ret = json_put_real(obj, "between-pct", b->between_pct, COEFFS_DIGITS);
	if (!ret)
		ret = coeffs_put_interval(obj, "between-pct95", b->between_pct95, err);
	if (!ret)
		ret = coeffs_put_interval(obj, "new-board95", b->new95, err);
	return ret || !b->each_count ? ret : put_each(obj, b);
}
