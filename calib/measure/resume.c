// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RUN/plan.json in and out, and which windows of a plan have a row already.
 */
#include "calib/measure/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/measure/machine.h"
#include "calib/samples.h"
#include "lib/buf.h"
#include "lib/json.h"
#include "lib/num.h"
#include "lib/outfile.h"
#include "lib/text.h"

#define FILE_NAME   "plan.json"
#define SCHEMA	    "calib-plan/1"
#define SAMPLES_MAX (256u << 20)
#define FNV_BASIS   0xcbf29ce484222325u
#define FNV_PRIME   0x100000001b3u

/* Which windows in which order: FNV-1a, 64 bits. */
static void digest_of(const struct plan *plan, char out[17])
{
	uint64_t hash = FNV_BASIS;
	char text[128];

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_window *w = &plan->windows[i];

		snprintf(text, sizeof(text), "%u %u %u %s\n", w->visit, w->khz,
			 w->cpu_count, w->load);
		for (const char *c = text; *c; c++)
			hash = (hash ^ (unsigned char)*c) * FNV_PRIME;
	}
	snprintf(out, 17, "%016" PRIx64, hash);
}

static int add_option(struct resume *re, const char *name, const char *text,
		      struct err *err)
{
	if (re->option_count == RESUME_MAX_OPTIONS)
		return err_set(err, -E2BIG, "more than %d options", RESUME_MAX_OPTIONS);
	re->options[re->option_count++] = (struct resume_option){ name, text };
	return 0;
}

static bool is_of_the_call(const char *name)
{
	static const char *const names[] = { "run", "time-limit", "dry-run", "resume" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

int resume_record_options(struct resume *re, const struct cmd_ctx *ctx, struct err *err)
{
	unsigned int n;
	const struct cmd_given *given = cmd_given(ctx, &n);
	int ret = 0;

	for (unsigned int i = 0; i < n && !ret; i++)
		if (!is_of_the_call(given[i].opt->name))
			ret = add_option(re, given[i].opt->name, given[i].text, err);
	return ret;
}

static bool is_recorded(const struct resume *re, const struct cmd_given *given)
{
	for (unsigned int i = 0; i < re->option_count; i++)
		if (!strcmp(re->options[i].name, given->opt->name) &&
		    !strcmp(re->options[i].text, given->text))
			return true;
	return false;
}

int resume_apply_options(const struct resume *re, const struct cmd_ctx *ctx,
			 const struct cmd *cmd, void *values, struct err *err)
{
	unsigned int n;
	const struct cmd_given *given = cmd_given(ctx, &n);
	int ret = 0;

	for (unsigned int i = 0; i < n; i++)
		if (!is_of_the_call(given[i].opt->name) && !is_recorded(re, &given[i]))
			return err_set(err, -EINVAL,
				       "--resume carries on what was begun, and that was "
				       "not with '--%s%s%s'; leave it out, or leave "
				       "--resume out to add to the rows",
				       given[i].opt->name, given[i].text[0] ? " " : "",
				       given[i].text);
	for (unsigned int i = 0; i < re->option_count && !ret; i++)
		ret = cmd_set(cmd, re->options[i].name, re->options[i].text, values, err);
	return ret ? err_wrap(err, ret, FILE_NAME) : 0;
}

void resume_add_cluster(struct resume *re, const char *name, uint64_t seed,
			const struct plan *plan)
{
	struct resume_cluster *c = &re->clusters[re->cluster_count++];

	snprintf(c->name, sizeof(c->name), "%s", name);
	c->seed = seed;
	c->windows = plan->least_count;
	digest_of(plan, c->digest);
}

static int read_options(const struct json *root, struct resume *re, struct err *err)
{
	static const char *const known[] = { "name", "text", NULL };
	const struct json *arr, *obj;
	const char *name, *text;
	int ret = json_get_array(root, "options", &arr, err);

	for (size_t i = 0; !ret && i < json_len(arr); i++) {
		obj = json_at(arr, i);
		ret = json_only_keys(obj, known, err);
		if (!ret)
			ret = json_get_str(obj, "name", &name, err);
		if (!ret)
			ret = json_get_str(obj, "text", &text, err);
		if (!ret)
			ret = add_option(re, name, text, err);
	}
	return ret;
}

static int read_cluster(const struct json *obj, struct resume_cluster *c, struct err *err)
{
	static const char *const known[] = { "name", "seed", "windows", "digest", NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = json_get_text(obj, "name", c->name, sizeof(c->name), err);
	if (!ret)
		ret = json_get_u64(obj, "seed", &c->seed, err);
	if (!ret)
		ret = json_get_u64(obj, "windows", &c->windows, err);
	if (!ret)
		ret = json_get_text(obj, "digest", c->digest, sizeof(c->digest), err);
	return ret;
}

static int read_clusters(const struct json *root, struct resume *re, struct err *err)
{
	const struct json *arr;
	int ret = json_get_array(root, "clusters", &arr, err);

	if (!ret && (!json_len(arr) || json_len(arr) > BOARD_MAX_CLUSTERS))
		return err_set(err, -EINVAL, "key 'clusters' has %zu entries, not 1..%d",
			       json_len(arr), BOARD_MAX_CLUSTERS);
	for (size_t i = 0; !ret && i < json_len(arr); i++) {
		ret = read_cluster(json_at(arr, i), &re->clusters[i], err);
		re->cluster_count++;
	}
	return ret;
}

static int read_root(const struct json *root, struct resume *re, struct err *err)
{
	static const char *const known[] = {
		"schema", "tool", "first-row", "options", "clusters", NULL,
	};
	const char *schema;
	int ret = json_get_str(root, "schema", &schema, err);

	if (!ret && strcmp(schema, SCHEMA))
		return err_set(err, -EINVAL, "key 'schema': '%.80s' is not '%s'", schema,
			       SCHEMA);
	if (!ret)
		ret = json_only_keys(root, known, err);
	if (!ret)
		ret = json_get_u64(root, "first-row", &re->first_row, err);
	if (!ret)
		ret = read_options(root, re, err);
	if (!ret)
		ret = read_clusters(root, re, err);
	return ret;
}

int resume_read(const char *run, struct resume *re, struct err *err)
{
	char path[PATH_MAX];
	int ret;

	*re = (struct resume){ 0 };
	ret = runinfo_path(run, FILE_NAME, path, sizeof(path), err);
	if (!ret)
		ret = json_read(path, &re->root, err);
	if (ret)
		return ret;
	ret = read_root(re->root, re, err);
	if (!ret)
		return 0;
	resume_free(re);
	return err_wrap(err, ret == -ENOENT ? -EINVAL : ret, "%s", path);
}

void resume_free(struct resume *re)
{
	json_free(re->root);
	*re = (struct resume){ 0 };
}

static struct json *build(const struct resume *re)
{
	struct json *root = json_new_object(), *opts = json_new_array();
	struct json *clusters = json_new_array(), *obj;
	int ret = json_put_str(root, "schema", SCHEMA);

	ret |= json_put_u64(root, "first-row", re->first_row);
	for (unsigned int i = 0; i < re->option_count; i++) {
		obj = json_new_object();
		ret |= json_put_str(obj, "name", re->options[i].name);
		ret |= json_put_str(obj, "text", re->options[i].text);
		ret |= json_add(opts, obj);
	}
	ret |= json_put(root, "options", opts);
	for (unsigned int i = 0; i < re->cluster_count; i++) {
		obj = json_new_object();
		ret |= json_put_text(obj, "name", re->clusters[i].name);
		ret |= json_put_u64(obj, "seed", re->clusters[i].seed);
		ret |= json_put_u64(obj, "windows", re->clusters[i].windows);
		ret |= json_put_text(obj, "digest", re->clusters[i].digest);
		ret |= json_add(clusters, obj);
	}
	ret |= json_put(root, "clusters", clusters);
	if (!ret)
		return root;
	json_free(root);
	return NULL;
}

int resume_write(const char *run, const struct resume *re, struct err *err)
{
	struct json *root = build(re);
	struct outfile out = { 0 };
	char path[PATH_MAX];
	int ret;

	if (!root)
		return err_set(err, -ENOMEM, "out of memory");
	ret = runinfo_path(run, FILE_NAME, path, sizeof(path), err);
	if (!ret)
		ret = outfile_open(&out, path, err);
	if (!ret)
		ret = json_write(root, out.f, err);
	if (!ret)
		ret = outfile_commit(&out, err);
	outfile_abort(&out);
	json_free(root);
	return ret;
}

/* Rows by operating point, CPU count and load. */
struct tally {
	const struct plan *plan;
	const char *cluster;
	uint32_t khz[BOARD_MAX_OPPS];
	unsigned int opp_count;
	uint32_t *rows;
};

#define TALLY_LOADS (PLAN_MAX_LOADS + 1) /* and idle */
#define TALLY_SIZE  ((size_t)BOARD_MAX_OPPS * (BOARD_MAX_CPUS + 1) * TALLY_LOADS)

static int tally_init(struct tally *t, const struct plan *plan, const char *cluster)
{
	*t = (struct tally){ .plan = plan, .cluster = cluster };
	t->rows = calloc(TALLY_SIZE, sizeof(*t->rows));
	if (!t->rows)
		return -ENOMEM;
	for (size_t i = 0; i < plan->count; i++) {
		unsigned int k = 0;

		while (k < t->opp_count && t->khz[k] != plan->windows[i].khz)
			k++;
		if (k == t->opp_count && k < BOARD_MAX_OPPS)
			t->khz[t->opp_count++] = plan->windows[i].khz;
	}
	return 0;
}

/* The counter of such windows; NULL: the plan has none. */
static uint32_t *tally_of(struct tally *t, uint32_t khz, uint32_t cpu_count,
			  const char *load)
{
	unsigned int opp = 0, l = 0;

	while (opp < t->opp_count && t->khz[opp] != khz)
		opp++;
	while (cpu_count && l < t->plan->load_count && strcmp(t->plan->loads[l], load))
		l++;
	if (opp == t->opp_count || cpu_count > BOARD_MAX_CPUS ||
	    (cpu_count && l == t->plan->load_count))
		return NULL;
	if (!cpu_count)
		l = PLAN_MAX_LOADS;
	return &t->rows[(opp * (BOARD_MAX_CPUS + 1) + cpu_count) * TALLY_LOADS + l];
}

/*
 * The operating point of a row: a driver without a table makes the next clock of its own
 * of what it is asked for (see machine.h).
 */
static uint32_t tally_point(const struct tally *t, uint32_t khz)
{
	uint32_t below = 0;

	for (unsigned int i = 0; i < t->opp_count; i++)
		if (t->khz[i] <= khz && t->khz[i] > below)
			below = t->khz[i];
	return khz - below < MACHINE_STEP_KHZ ? below : khz;
}

/* time_ns,cluster,opp_khz,freq_khz,volt_uv,cpu_count,load,...: see samples_header. */
static int tally_row(struct tally *t, char *line)
{
	char *field[7], *rest = line;
	uint32_t khz, cpu_count, *rows;

	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
		field[i] = strsep(&rest, ",");
		if (!rest)
			return -EINVAL;
	}
	if (num_u32(field[2], &khz) || num_u32(field[5], &cpu_count))
		return -EINVAL;
	if (strcmp(field[1], t->cluster))
		return 0;
	rows = tally_of(t, tally_point(t, khz), cpu_count, field[6]);
	if (rows)
		++*rows;
	return 0;
}

/* @text: the whole rows of samples.csv, header first. */
static int tally_rows(struct tally *t, char *text, uint64_t first_row,
		      const struct session *s, struct err *err)
{
	uint64_t line_no = 0;

	for (char *line; text && *text;) {
		line = strsep(&text, "\n");
		if (line_no++ <= first_row)
			continue;
		if (tally_row(t, line))
			return err_set(err, -EINVAL, "%s:%" PRIu64 ": not a row of ours",
				       s->samples, line_no);
	}
	return 0;
}

static int count_rows(struct tally *t, uint64_t first_row, const struct session *s,
		      struct err *err)
{
	struct buf text = { 0 };
	int ret = buf_read_regular(&text, s->samples, SAMPLES_MAX, err);

	if (ret == -ENOENT)
		return 0;
	if (ret)
		return ret;
	if (text.len > (size_t)s->good)
		text.data[s->good] = '\0';
	ret = tally_rows(t, text.data, first_row, s, err);
	buf_free(&text);
	return ret;
}

/* Move the windows that are missing together. */
static void keep_missing(struct tally *t, struct plan *plan)
{
	size_t kept = 0, least = plan->least_count;

	plan->visit_count = plan->least_visits = 0;
	plan->least_count = 0;
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_window w = plan->windows[i];
		uint32_t *rows = tally_of(t, w.khz, w.cpu_count, w.load);

		if (rows && *rows) {
			--*rows;
			continue;
		}
		if (!kept || plan->windows[kept - 1].visit != w.visit)
			plan->visit_count++;
		plan->windows[kept++] = w;
		if (i >= least)
			continue;
		plan->least_visits = plan->visit_count;
		plan->least_count = kept;
	}
	plan->count = kept;
}

int resume_drop_done(const struct resume *re, unsigned int i, const struct session *s,
		     struct plan *plan, struct err *err)
{
	const struct resume_cluster *c = &re->clusters[i];
	struct tally t;
	char digest[17];
	int ret;

	digest_of(plan, digest);
	if (plan->least_count != c->windows || strcmp(digest, c->digest))
		return err_set(
			err, -EINVAL,
			"the plan of cluster '%s' in '%s' cannot be made again (by "
			"another version of calib?); leave --resume out to add to "
			"its rows",
			c->name, s->run);
	if (s->rows < re->first_row)
		return err_set(err, -EINVAL,
			       "'%s' has %" PRIu64 " row%s, and had %" PRIu64
			       " when its plan was begun; leave --resume out",
			       s->samples, s->rows, text_s(s->rows), re->first_row);
	if (tally_init(&t, plan, c->name))
		return err_set(err, -ENOMEM, "out of memory");
	ret = count_rows(&t, re->first_row, s, err);
	if (!ret)
		keep_missing(&t, plan);
	free(t.rows);
	return ret;
}
