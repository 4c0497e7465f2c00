// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A comparison for machines. What is unknown is left out.
 */
#include <errno.h>

#include "calib/bench/comparison.h"
#include "lib/json.h"

#define DIGITS 6

static int put_known(struct json *obj, const char *key, bool known, double value)
{
	return known ? json_put_real(obj, key, value, DIGITS) : 0;
}

static int put_outliers(struct json *obj, const struct comparison_side *s)
{
	struct json *arr = json_new_array();
	int ret = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->outlier[i])
			ret |= json_add_u64(arr, s->order[i]);
	return ret | json_put(obj, "outlier-orders", arr);
}

static int put_interval(struct json *obj, const struct compare *v)
{
	struct json *arr;
	int ret;

	if (!v->has_interval)
		return 0;
	arr = json_new_array();
	ret = json_add_real(arr, v->ci95_pct[0], DIGITS);
	ret |= json_add_real(arr, v->ci95_pct[1], DIGITS);
	return ret | json_put(obj, "ci95-pct", arr);
}

static int put_turns(struct json *obj, const struct compare_turns *t)
{
	int ret = 0;

	if (!t->pairs)
		return 0;
	ret |= json_put_u64(obj, "pairs", t->pairs);
	ret |= put_known(obj, "paired-difference-pct", t->has_paired, t->paired_pct);
	ret |= put_known(obj, "paired-p", t->has_paired, t->paired_p);
	ret |= put_known(obj, "second-of-pair-pct", t->has_position, t->position_pct);
	return ret | put_known(obj, "second-of-pair-p", t->has_position, t->position_p);
}

/* Of a series of boots. */
static int put_boots(struct json *obj, const struct comparison_side *s, bool first)
{
	const struct compare_groups *g = &s->groups;
	const struct compare *v = &s->each_versus;
	int ret = json_put_u64(obj, "iterations", s->each_n);

	ret |= put_known(obj, "sd-within-boots", g->has_within, g->within_sd);
	ret |= put_known(obj, "sd-of-boots", g->has_between, g->between_sd);
	ret |= put_known(obj, "boots-alike-p", g->has_p, g->between_p);
	if (first)
		return ret;
	ret |= put_known(obj, "by-iterations-difference-pct", v->has_diff, v->diff_pct);
	return ret | put_known(obj, "by-iterations-welch-p", v->has_welch, v->welch_p);
}

static int put_versus(struct json *obj, const struct comparison_side *s)
{
	const struct compare *v = &s->versus;
	int ret = 0;

	ret |= put_known(obj, "difference-pct", v->has_diff, v->diff_pct);
	ret |= put_interval(obj, v);
	ret |= put_known(obj, "detectable-pct", v->has_welch && v->has_diff,
			 v->detectable_pct);
	ret |= put_known(obj, "welch-p", v->has_welch, v->welch_p);
	ret |= put_known(obj, "welch-p-holm", v->has_welch, s->welch_holm);
	ret |= put_known(obj, "mann-whitney-p", v->has_rank, v->rank_p);
	if (v->has_rank)
		ret |= json_put_bool(obj, "mann-whitney-exact", v->rank_exact);
	return ret | put_turns(obj, &s->turns);
}

static int add_side(struct json *arr, const struct comparison_side *s, unsigned int k)
{
	const char name[] = { 'A' + k, '\0' };
	struct json *obj = json_new_object();
	int ret = json_put_str(obj, "file", name);

	ret |= json_put_u64(obj, "n", s->n);
	if (s->missing)
		ret |= json_put_u64(obj, "missing", s->missing);
	ret |= json_put_real(obj, "mean", s->sum.mean, DIGITS);
	ret |= json_put_real(obj, "median", s->sum.median, DIGITS);
	ret |= json_put_real(obj, "min", s->sum.min, DIGITS);
	ret |= json_put_real(obj, "max", s->sum.max, DIGITS);
	ret |= put_known(obj, "sd", s->sum.has_sd, s->sum.sd);
	ret |= put_known(obj, "rsd-pct", s->sum.has_rsd, s->sum.rsd_pct);
	ret |= put_outliers(obj, s);
	ret |= put_known(obj, "trend-pct", s->trend.known, s->trend.span_pct);
	ret |= put_known(obj, "trend-p", s->trend.known, s->trend.p);
	if (k)
		ret |= put_versus(obj, s);
	if (s->each)
		ret |= put_boots(obj, s, !k);
	return ret | json_add(arr, obj);
}

static int add_metric(struct json *arr, const struct comparison *c,
		      const struct comparison_metric *m)
{
	static const char *const units[] = { "ns", "uJ", "count" };
	struct json *obj = json_new_object(), *sides = json_new_array();
	int ret = json_put_text(obj, "metric", m->name);

	ret |= json_put_str(obj, "unit", units[m->unit]);
	for (unsigned int k = 0; k < c->file_count; k++)
		ret |= add_side(sides, &m->sides[k], k);
	ret |= json_put(obj, "files", sides);
	ret |= put_known(obj, "drift-pct", m->drift.known, m->drift.span_pct);
	ret |= put_known(obj, "drift-p", m->drift.known, m->drift.p);
	return ret | json_add(arr, obj);
}

static int add_workload(struct json *arr, const struct comparison *c,
			const struct comparison_workload *w)
{
	struct json *obj = json_new_object(), *params = json_new_object();
	struct json *metrics = json_new_array();
	const struct bench_series *s = w->series[0];
	unsigned int i;
	int ret = json_put_text(obj, "workload", s->workload);

	for (i = 0; i < s->param_count; i++)
		ret |= json_put_text(params, s->params[i].key, s->params[i].value);
	ret |= json_put(obj, "parameters", params);
	for (i = 0; i < w->metric_count; i++)
		ret |= add_metric(metrics, c, &w->metrics[i]);
	ret |= json_put(obj, "metrics", metrics);
	return ret | json_add(arr, obj);
}

static int add_file(struct json *arr, const struct comparison *c, unsigned int k)
{
	const char name[] = { 'A' + k, '\0' };
	const struct bench_result *r = c->files[k].result;
	struct json *obj = json_new_object();
	int ret = json_put_str(obj, "file", name);

	ret |= json_put_text(obj, "name", c->files[k].name);
	ret |= json_put_bool(obj, "virtual", r->context.virtual_board);
	ret |= json_put_bool(obj, "interrupted", r->interrupted);
	if (k)
		ret |= json_put_bool(obj, "took-turns", comparison_took_turns(c, k));
	return ret | json_add(arr, obj);
}

/* Out of memory shows when the list is put. */
static void add_line(void *arg, const char *text)
{
	json_add_text(arg, text);
}

int comparison_print_json(const struct comparison *c, FILE *f, struct err *err)
{
	struct json *root = json_new_object(), *files = json_new_array();
	struct json *workloads = json_new_array(), *differs = json_new_array();
	unsigned int i;
	int ret = json_put_bool(root, "virtual", c->virtual_board);

	ret |= json_put_bool(root, "by-boots", c->by_boot);
	for (i = 0; i < c->file_count; i++)
		ret |= add_file(files, c, i);
	ret |= json_put(root, "files", files);
	comparison_contexts(c, add_line, differs);
	ret |= json_put(root, "contexts-differ", differs);
	for (i = 0; i < c->workload_count; i++)
		ret |= add_workload(workloads, c, &c->workloads[i]);
	ret |= json_put(root, "workloads", workloads);
	return json_finish(root, ret, f, err);
}
