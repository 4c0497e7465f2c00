// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON with typed reads whose errors name the key; the only file that knows jansson.
 */
#include "lib/json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/text.h"

/* Macros of jansson with the names of our functions. */
#undef json_is_object
#undef json_is_array
#undef json_is_number

#define MAX_FILE (64u << 20)

/* struct json is a name only: its pointers are jansson's. */
static json_t *jansson(const struct json *value)
{
	return (json_t *)value;
}

static struct json *ours(const json_t *value)
{
	return (struct json *)value;
}

/* As a shell leaves a file behind whose program failed. */
static bool is_empty(const char *text, size_t len)
{
	while (len && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n')) {
		text++;
		len--;
	}
	return !len;
}

int json_parse(const char *text, size_t len, const char *name, struct json **root,
	       struct err *err)
{
	json_error_t error;
	json_t *value;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		len -= 3;
	}
	if (is_empty(text, len))
		return err_set(
			err, -EINVAL,
			"'%s': empty, not JSON; did the program that wrote it fail?",
			name);
	if (len >= 4 && !memcmp(text, "\xd0\x0d\xfe\xed", 4))
		return err_set(err, -EINVAL,
			       "'%s': a compiled device tree, where JSON is wanted",
			       name);
	value = json_loadb(text ? text : "", len, JSON_REJECT_DUPLICATES, &error);
	if (!value)
		return err_set(err, -EINVAL, "%s:%d: not JSON: %s", name,
			       error.line > 0 ? error.line : 1, error.text);
	*root = ours(value);
	return 0;
}

int json_read(const char *path, struct json **root, struct err *err)
{
	struct buf text = { 0 };
	int ret = buf_read_regular(&text, path, MAX_FILE, err);

	if (!ret)
		ret = json_parse(text.data, text.len, path, root, err);
	buf_free(&text);
	return ret;
}

void json_free(struct json *root)
{
	json_decref(jansson(root));
}

static bool is_type(const struct json *value, json_type type)
{
	return value && json_typeof(jansson(value)) == type;
}

bool json_is_object(const struct json *value)
{
	return is_type(value, JSON_OBJECT);
}

bool json_is_array(const struct json *value)
{
	return is_type(value, JSON_ARRAY);
}

bool json_is_number(const struct json *value)
{
	return is_type(value, JSON_INTEGER) || is_type(value, JSON_REAL);
}

bool json_has(const struct json *obj, const char *key)
{
	return json_object_get(jansson(obj), key) != NULL;
}

/* Where a value is, for messages: a member, or with @index >= 0 an item of an array. */
struct place {
	const char *key;
	long index;
};

/* "key 'k': FOUND is not WANTED". @found is cut, so that the reason always shows. */
static int refuse(const struct place *at, const json_t *value, struct err *err,
		  const char *wanted)
{
	char *text = NULL;
	char index[24] = "";
	const char *found;

	if (at->index >= 0)
		snprintf(index, sizeof(index), "[%ld]", at->index);
	if (json_is_object(ours(value)))
		found = "an object";
	else if (json_is_array(ours(value)))
		found = "an array";
	else
		found = text = json_dumps(value,
					  JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	err_set(err, -EINVAL, "key '%s%s': %.80s%s is not %s", at->key, index,
		found ? found : "it", found && strlen(found) > 80 ? "..." : "", wanted);
	free(text);
	return -EINVAL;
}

static int get(const struct json *obj, const char *key, const json_t **value,
	       struct err *err)
{
	*value = NULL;
	if (!json_is_object(obj))
		return err_set(err, -EINVAL, "not an object, where key '%s' is wanted",
			       key);
	*value = json_object_get(jansson(obj), key);
	if (!*value)
		return err_set(err, -ENOENT, "key '%s' is missing", key);
	return 0;
}

static int at(const struct json *arr, size_t i, const char *key, const json_t **value,
	      struct err *err)
{
	*value = json_array_get(jansson(arr), i);
	if (!*value)
		return err_set(err, -ENOENT, "key '%s[%zu]' is missing", key, i);
	return 0;
}

static int to_str(const struct place *p, const json_t *value, const char **out,
		  struct err *err)
{
	if (!json_is_string(value))
		return refuse(p, value, err, "text");
	*out = json_string_value(value);
	return 0;
}

static int to_uint(const struct place *p, const json_t *value, uint64_t min, uint64_t max,
		   uint64_t *out, struct err *err)
{
	char wanted[80];
	json_int_t v = json_integer_value(value);

	if (json_is_integer(value) && v >= 0 && (uint64_t)v >= min &&
	    (uint64_t)v <= max) {
		*out = v;
		return 0;
	}
	snprintf(wanted, sizeof(wanted), "a whole number in %" PRIu64 "..%" PRIu64, min,
		 max);
	return refuse(p, value, err, wanted);
}

static int to_double(const struct place *p, const json_t *value, double *out,
		     struct err *err)
{
	if (!json_is_number(ours(value)))
		return refuse(p, value, err, "a number");
	*out = json_number_value(value);
	return 0;
}

int json_get_str(const struct json *obj, const char *key, const char **out,
		 struct err *err)
{
	const json_t *value;
	int ret = get(obj, key, &value, err);

	return ret ? ret : to_str(&(struct place){ key, -1 }, value, out, err);
}

int json_get_range(const struct json *obj, const char *key, uint64_t min, uint64_t max,
		   uint64_t *out, struct err *err)
{
	const json_t *value;
	int ret = get(obj, key, &value, err);

	return ret ? ret : to_uint(&(struct place){ key, -1 }, value, min, max, out, err);
}

int json_get_u32(const struct json *obj, const char *key, uint32_t *out, struct err *err)
{
	uint64_t v = 0;
	int ret = json_get_range(obj, key, 0, UINT32_MAX, &v, err);

	if (!ret)
		*out = v;
	return ret;
}

int json_get_u64(const struct json *obj, const char *key, uint64_t *out, struct err *err)
{
	return json_get_range(obj, key, 0, INT64_MAX, out, err);
}

int json_get_i64(const struct json *obj, const char *key, int64_t *out, struct err *err)
{
	const json_t *value;
	int ret = get(obj, key, &value, err);

	if (ret)
		return ret;
	if (!json_is_integer(value))
		return refuse(&(struct place){ key, -1 }, value, err,
			      "a whole number in "
			      "-9223372036854775808..9223372036854775807");
	*out = json_integer_value(value);
	return 0;
}

int json_get_double(const struct json *obj, const char *key, double *out, struct err *err)
{
	const json_t *value;
	int ret = get(obj, key, &value, err);

	return ret ? ret : to_double(&(struct place){ key, -1 }, value, out, err);
}

int json_get_double_range(const struct json *obj, const char *key, double min, double max,
			  double *out, struct err *err)
{
	char wanted[80];
	const json_t *value;
	double v = 0;
	int ret = get(obj, key, &value, err);

	if (!ret)
		ret = to_double(&(struct place){ key, -1 }, value, &v, err);
	if (ret)
		return ret;
	if (v >= min && v <= max) {
		*out = v;
		return 0;
	}
	snprintf(wanted, sizeof(wanted), "in %g..%g", min, max);
	return refuse(&(struct place){ key, -1 }, value, err, wanted);
}

int json_get_bool(const struct json *obj, const char *key, bool *out, struct err *err)
{
	const json_t *value;
	int ret = get(obj, key, &value, err);

	if (ret)
		return ret;
	if (!json_is_boolean(value))
		return refuse(&(struct place){ key, -1 }, value, err, "true or false");
	*out = json_is_true(value);
	return 0;
}

int json_get_object(const struct json *obj, const char *key, const struct json **out,
		    struct err *err)
{
	const json_t *value;
	int ret = get(obj, key, &value, err);

	if (ret)
		return ret;
	if (!json_is_object(ours(value)))
		return refuse(&(struct place){ key, -1 }, value, err, "an object");
	*out = ours(value);
	return 0;
}

int json_get_array(const struct json *obj, const char *key, const struct json **out,
		   struct err *err)
{
	const json_t *value;
	int ret = get(obj, key, &value, err);

	if (ret)
		return ret;
	if (!json_is_array(ours(value)))
		return refuse(&(struct place){ key, -1 }, value, err, "an array");
	*out = ours(value);
	return 0;
}

/* @value's text into @out, whole and without control characters. */
static int to_text(const struct place *at, const json_t *value, char *out, size_t size,
		   struct err *err)
{
	char index[24] = "";
	const char *text = "";
	int ret = to_str(at, value, &text, err);

	if (ret)
		return ret;
	if (at->index >= 0)
		snprintf(index, sizeof(index), "[%ld]", at->index);
	if (strlen(text) >= size)
		return err_set(err, -EINVAL,
			       "key '%s%s': '%.40s...' is longer than %zu bytes", at->key,
			       index, text, size - 1);
	strcpy(out, text);
	text_clean(out);
	if (!strcmp(out, text))
		return 0;
	return err_set(err, -EINVAL, "key '%s%s': '%s' holds a control character",
		       at->key, index, text);
}

int json_get_text(const struct json *obj, const char *key, char *out, size_t size,
		  struct err *err)
{
	const json_t *value;
	int ret = get(obj, key, &value, err);

	return ret ? ret : to_text(&(struct place){ key, -1 }, value, out, size, err);
}

int json_opt_text(const struct json *obj, const char *key, char *out, size_t size,
		  struct err *err)
{
	return json_has(obj, key) ? json_get_text(obj, key, out, size, err) : 0;
}

int json_opt_u32(const struct json *obj, const char *key, uint32_t *out, struct err *err)
{
	return json_has(obj, key) ? json_get_u32(obj, key, out, err) : 0;
}

int json_opt_bool(const struct json *obj, const char *key, bool *out, struct err *err)
{
	return json_has(obj, key) ? json_get_bool(obj, key, out, err) : 0;
}

size_t json_len(const struct json *arr)
{
	return json_array_size(jansson(arr));
}

const struct json *json_at(const struct json *arr, size_t i)
{
	return ours(json_array_get(jansson(arr), i));
}

int json_at_u64(const struct json *arr, size_t i, const char *key, uint64_t *out,
		struct err *err)
{
	const json_t *value;
	int ret = at(arr, i, key, &value, err);

	return ret ? ret
		   : to_uint(&(struct place){ key, i }, value, 0, INT64_MAX, out, err);
}

int json_at_double(const struct json *arr, size_t i, const char *key, double *out,
		   struct err *err)
{
	const json_t *value;
	int ret = at(arr, i, key, &value, err);

	return ret ? ret : to_double(&(struct place){ key, i }, value, out, err);
}

int json_at_text(const struct json *arr, size_t i, const char *key, char *out,
		 size_t size, struct err *err)
{
	const json_t *value;
	int ret = at(arr, i, key, &value, err);

	return ret ? ret : to_text(&(struct place){ key, i }, value, out, size, err);
}

const char *json_member(const struct json *obj, size_t i, const struct json **value)
{
	json_t *o = jansson(obj);
	void *iter = json_object_iter(o);

	while (iter && i--)
		iter = json_object_iter_next(o, iter);
	if (!iter)
		return NULL;
	if (value)
		*value = ours(json_object_iter_value(iter));
	return json_object_iter_key(iter);
}

static bool is_known(const char *key, const char *const known[])
{
	while (*known && strcmp(*known, key))
		known++;
	return *known;
}

static int unknown_key(const char *key, const char *const known[], struct err *err)
{
	struct buf list = { 0 };
	int ret = 0;

	for (int i = 0; known[i]; i++)
		ret |= buf_addf(&list, "%s%s", i ? ", " : "", known[i]);
	err_set(err, -EINVAL, "unknown key '%.60s'; known are %s", key,
		ret || !list.data ? "none" : list.data);
	buf_free(&list);
	return -EINVAL;
}

int json_only_keys(const struct json *obj, const char *const known[], struct err *err)
{
	const char *key;
	json_t *value;

	if (!json_is_object(obj))
		return err_set(err, -EINVAL, "not an object");
	json_object_foreach(jansson(obj), key, value)
	{
		if (!is_known(key, known))
			return unknown_key(key, known, err);
	}
	return 0;
}

struct json *json_new_object(void)
{
	return ours(json_object());
}

struct json *json_new_array(void)
{
	return ours(json_array());
}

int json_put(struct json *obj, const char *key, struct json *child)
{
	return json_object_set_new(jansson(obj), key, jansson(child)) ? -ENOMEM : 0;
}

int json_add(struct json *arr, struct json *child)
{
	return json_array_append_new(jansson(arr), jansson(child)) ? -ENOMEM : 0;
}

/* jansson takes UTF-8 only; a path may be anything. */
static json_t *new_string(const char *text, void (*clean)(char *))
{
	char *copy = strdup(text);
	json_t *value;

	if (!copy)
		return NULL;
	clean(copy);
	value = json_string(copy);
	free(copy);
	return value;
}

int json_put_str(struct json *obj, const char *key, const char *text)
{
	return json_put(obj, key, ours(new_string(text, text_fix_utf8)));
}

int json_put_text(struct json *obj, const char *key, const char *text)
{
	return json_put(obj, key, ours(new_string(text, text_clean)));
}

int json_add_str(struct json *arr, const char *text)
{
	return json_add(arr, ours(new_string(text, text_fix_utf8)));
}

int json_add_text(struct json *arr, const char *text)
{
	return json_add(arr, ours(new_string(text, text_clean)));
}

int json_put_u64(struct json *obj, const char *key, uint64_t value)
{
	if (value > INT64_MAX)
		return -EINVAL;
	return json_put(obj, key, ours(json_integer(value)));
}

int json_put_i64(struct json *obj, const char *key, int64_t value)
{
	return json_put(obj, key, ours(json_integer(value)));
}

int json_add_u64(struct json *arr, uint64_t value)
{
	if (value > INT64_MAX)
		return -EINVAL;
	return json_add(arr, ours(json_integer(value)));
}

static json_t *new_real(double value, int digits)
{
	char text[40];

	if (digits < 1 || digits > 15)
		digits = 15;
	snprintf(text, sizeof(text), "%.*e", digits - 1, value);
	return json_real(strtod(text, NULL));
}

int json_put_real(struct json *obj, const char *key, double value, int digits)
{
	if (!isfinite(value))
		return -EINVAL;
	return json_put(obj, key, ours(new_real(value, digits)));
}

int json_add_real(struct json *arr, double value, int digits)
{
	if (!isfinite(value))
		return -EINVAL;
	return json_add(arr, ours(new_real(value, digits)));
}

int json_put_bool(struct json *obj, const char *key, bool value)
{
	return json_put(obj, key, ours(json_boolean(value)));
}

int json_write(const struct json *root, FILE *f, struct err *err)
{
	char *text = json_dumps(jansson(root), JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	int ret = 0;

	if (!text)
		return err_errno(err, -ENOMEM, "cannot print JSON");
	errno = 0;
	if (fputs(text, f) < 0 || fputc('\n', f) < 0)
		ret = err_errno(err, errno ? -errno : -EIO, "cannot write JSON");
	free(text);
	return ret;
}

int json_finish(struct json *root, int failed, FILE *f, struct err *err)
{
	int ret = failed ? err_set(err, -ENOMEM, "out of memory")
			 : json_write(root, f, err);

	json_free(root);
	return ret;
}
