// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coeffs.json: where a coefficient comes from.
 */
#include <errno.h>
#include <string.h>

#include "lib/coeffs_internal.h"
#include "lib/sha256.h"

static int read_file_entry(const struct json *obj, struct coeffs_file *f, struct err *err)
{
	static const char *const known[] = { "path", "sha256", NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = coeffs_get_needed(obj, "path", f->path, sizeof(f->path), err);
	if (ret || !json_has(obj, "sha256"))
		return ret;
	ret = json_get_text(obj, "sha256", f->sha256, sizeof(f->sha256), err);
	if (!ret && !sha256_is_valid(f->sha256))
		ret = err_set(err, -EINVAL, "key 'sha256': '%s' is not 64 hex digits",
			      f->sha256);
	return ret;
}

static int read_files(const struct json *obj, struct coeffs_provenance *p,
		      struct err *err)
{
	const struct json *arr = NULL;
	int ret;

	if (!json_has(obj, "files"))
		return 0;
	ret = coeffs_get_list(obj, "files", COEFFS_MAX_FILES, &arr, err);
	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		ret = read_file_entry(json_at(arr, i), &p->files[i], err);
		if (ret)
			err_wrap(err, ret, "files[%zu]", i);
	}
	if (!ret)
		p->file_count = json_len(arr);
	return ret;
}

static int read_notes(const struct json *obj, struct coeffs_provenance *p,
		      struct err *err)
{
	const struct json *arr = NULL;
	int ret;

	if (!json_has(obj, "notes"))
		return 0;
	ret = coeffs_get_list(obj, "notes", COEFFS_MAX_NOTES, &arr, err);
	for (size_t i = 0; i < json_len(arr) && !ret; i++)
		ret = json_at_text(arr, i, "notes", p->notes[i], COEFFS_TEXT, err);
	if (!ret)
		p->note_count = json_len(arr);
	return ret;
}

static int read_scope(const struct json *obj, struct coeffs_provenance *p,
		      struct err *err)
{
	int ret = json_opt_text(obj, "scope", p->scope, sizeof(p->scope), err);

	if (!ret && p->scope[0] && strcmp(p->scope, "rail") &&
	    strcmp(p->scope, "package") && strcmp(p->scope, "device"))
		ret = err_set(err, -EINVAL,
			      "key 'scope': '%s' is not rail, package or device",
			      p->scope);
	return ret;
}

static int read_provenance_keys(const struct json *obj, struct coeffs_provenance *p,
				struct err *err)
{
	static const char *const known[] = { "files",	"sensor", "load",
					     "formula", "scope",  "baseline-microwatt",
					     "command", "notes",  NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = read_files(obj, p, err);
	if (!ret)
		ret = json_opt_text(obj, "sensor", p->sensor, sizeof(p->sensor), err);
	if (!ret)
		ret = json_opt_text(obj, "load", p->load, sizeof(p->load), err);
	if (!ret)
		ret = json_opt_text(obj, "formula", p->formula, sizeof(p->formula), err);
	if (!ret)
		ret = read_scope(obj, p, err);
	if (!ret && json_has(obj, "baseline-microwatt")) {
		p->has_baseline = true;
		ret = json_get_i64(obj, "baseline-microwatt", &p->baseline_uw, err);
	}
	if (!ret)
		ret = json_opt_text(obj, "command", p->command, sizeof(p->command), err);
	if (!ret)
		ret = read_notes(obj, p, err);
	return ret;
}

int coeffs_get_provenance(const struct json *cluster, struct coeffs_provenance *into,
			  struct err *err)
{
	const struct json *obj = NULL;
	int ret = json_get_object(cluster, "provenance", &obj, err);

	if (ret)
		return ret;
	ret = read_provenance_keys(obj, into, err);
	return ret ? err_wrap(err, ret, "provenance") : 0;
}

static int put_files(struct json *obj, const struct coeffs_provenance *p)
{
	struct json *arr = json_new_array();
	int ret = json_put(obj, "files", arr);

	for (unsigned int i = 0; i < p->file_count && !ret; i++) {
		struct json *file = json_new_object();

		ret = json_add(arr, file);
		if (!ret)
			ret = json_put_text(file, "path", p->files[i].path);
		if (!ret)
			ret = coeffs_put_some(file, "sha256", p->files[i].sha256);
	}
	return ret;
}

static int put_notes(struct json *obj, const struct coeffs_provenance *p)
{
	struct json *arr = json_new_array();
	int ret = json_put(obj, "notes", arr);

	for (unsigned int i = 0; i < p->note_count && !ret; i++)
		ret = json_add_text(arr, p->notes[i]);
	return ret;
}

int coeffs_put_provenance(struct json *cluster, const struct coeffs_provenance *p)
{
	struct json *obj = json_new_object();
	int ret = json_put(cluster, "provenance", obj);

	if (!ret && p->file_count)
		ret = put_files(obj, p);
	if (!ret)
		ret = coeffs_put_some(obj, "sensor", p->sensor);
	if (!ret)
		ret = coeffs_put_some(obj, "load", p->load);
	if (!ret)
		ret = coeffs_put_some(obj, "formula", p->formula);
	if (!ret)
		ret = coeffs_put_some(obj, "scope", p->scope);
	if (!ret && p->has_baseline)
		ret = json_put_i64(obj, "baseline-microwatt", p->baseline_uw);
	if (!ret)
		ret = coeffs_put_some(obj, "command", p->command);
	if (!ret && p->note_count)
		ret = put_notes(obj, p);
	return ret;
}
