/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON with typed reads whose errors name the key. json.c is the only file that knows
 * jansson.
 *
 * Reading: values are borrowed from the root; json_free() on the root frees all. A
 * duplicate key is a parse error. Integers are never read from reals nor reals from
 * strings; json_get_double() takes both number kinds.
 */
#ifndef LIB_JSON_H
#define LIB_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/err.h"

struct json; /* a JSON value */

/* Parse a regular file. Returns 0, -errno, or -EINVAL with "file:line: reason". */
int json_read(const char *path, struct json **root, struct err *err);
/* The same from memory; @name stands for the file in messages. */
int json_parse(const char *text, size_t len, const char *name, struct json **root,
	       struct err *err);
void json_free(struct json *root);

bool json_is_object(const struct json *value);
bool json_is_array(const struct json *value);
bool json_is_number(const struct json *value);
bool json_has(const struct json *obj, const char *key);

/*
 * Typed reads of a member. 0; -ENOENT "key 'k' is missing"; -EINVAL "key 'k': STRING is
 * not a whole number in 0..4294967295" and the like, always quoting what was found. Also
 * -EINVAL when @obj is no object.
 */
int json_get_str(const struct json *obj, const char *key, const char **out,
		 struct err *err);
int json_get_u32(const struct json *obj, const char *key, uint32_t *out, struct err *err);
/* Integers of a file end at 9223372036854775807. */
int json_get_u64(const struct json *obj, const char *key, uint64_t *out, struct err *err);
/* A whole number in @min..@max. */
int json_get_range(const struct json *obj, const char *key, uint64_t min, uint64_t max,
		   uint64_t *out, struct err *err);
int json_get_i64(const struct json *obj, const char *key, int64_t *out, struct err *err);
int json_get_double(const struct json *obj, const char *key, double *out,
		    struct err *err);
int json_get_double_range(const struct json *obj, const char *key, double min, double max,
			  double *out, struct err *err);
int json_get_bool(const struct json *obj, const char *key, bool *out, struct err *err);
int json_get_object(const struct json *obj, const char *key, const struct json **out,
		    struct err *err);
int json_get_array(const struct json *obj, const char *key, const struct json **out,
		   struct err *err);
/* A string into a fixed array; -EINVAL when it does not fit or holds a control character.
 */
int json_get_text(const struct json *obj, const char *key, char *out, size_t size,
		  struct err *err);

/* The same for a member that may be absent: then 0, and @out stays as it is. */
int json_opt_text(const struct json *obj, const char *key, char *out, size_t size,
		  struct err *err);
int json_opt_u32(const struct json *obj, const char *key, uint32_t *out, struct err *err);
int json_opt_bool(const struct json *obj, const char *key, bool *out, struct err *err);

/* Array access; json_at() is NULL past the end. The typed ones name "key[i]" in errors.
 */
size_t json_len(const struct json *arr);
const struct json *json_at(const struct json *arr, size_t i);
int json_at_u64(const struct json *arr, size_t i, const char *key, uint64_t *out,
		struct err *err);
int json_at_double(const struct json *arr, size_t i, const char *key, double *out,
		   struct err *err);
int json_at_text(const struct json *arr, size_t i, const char *key, char *out,
		 size_t size, struct err *err);

/* Member number @i of an object, in file order: its key and value; key is NULL past the
 * end. */
const char *json_member(const struct json *obj, size_t i, const struct json **value);

/* -EINVAL "unknown key 'x'; known are ..." unless every key of @obj is in the NULL-ended
 * list. */
int json_only_keys(const struct json *obj, const char *const known[], struct err *err);

/*
 * Writing. json_put/json_add steal @child, also when they fail; NULL is -ENOMEM. All
 * return 0, -ENOMEM, or -EINVAL for a number that is not finite or is more than
 * 9223372036854775807; OR the results together and check once. Bytes that are not UTF-8
 * are written as '?'. Reals are rounded to @digits significant digits (at most 15).
 */
struct json *json_new_object(void);
struct json *json_new_array(void);
int json_put(struct json *obj, const char *key, struct json *child);
int json_put_str(struct json *obj, const char *key, const char *text);
/* What json_get_text() takes back: control characters are written as '?' too. */
int json_put_text(struct json *obj, const char *key, const char *text);
int json_put_u64(struct json *obj, const char *key, uint64_t value);
int json_put_i64(struct json *obj, const char *key, int64_t value);
int json_put_real(struct json *obj, const char *key, double value, int digits);
int json_put_bool(struct json *obj, const char *key, bool value);
int json_add(struct json *arr, struct json *child);
int json_add_str(struct json *arr, const char *text);
int json_add_text(struct json *arr, const char *text);
int json_add_u64(struct json *arr, uint64_t value);
int json_add_real(struct json *arr, double value, int digits);
/* Two-space indent, members in the order they were put, a newline at the end. 0, the
 * -errno of writing, -ENOMEM. */
int json_write(const struct json *root, FILE *f, struct err *err);
/* The same where nothing @failed while it was built, else -ENOMEM; then free @root. */
int json_finish(struct json *root, int failed, FILE *f, struct err *err);

#endif
