// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which workloads and metrics of several results go together, and how they compare.
 */
#include "calib/bench/comparison.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rail_of(const struct bench_context *c, const char *name)
{
	for (unsigned int i = 0; i < c->rail_count; i++)
		if (!strcmp(c->rails[i].name, name))
			return i;
	return -ENOENT;
}

#define FORCE_HINT "; --force compares all the same, by position"

static int not_same(const struct comparison *c, unsigned int file,
		    const struct bench_series *a, const struct bench_series *b,
		    struct err *err)
{
	const char *first = c->files[0].name, *other = c->files[file].name;
	const struct bench_param *p = bench_differing(a, b);
	const char *value;

	if (!p) {
		p = bench_differing(b, a);
		return err_set(err, -EINVAL,
			       "'%s': %s: %s is '%.80s', of which '%s' says "
			       "nothing" FORCE_HINT,
			       other, b->workload, p->key, p->value, first);
	}
	value = bench_param_value(b, p->key);
	if (!value)
		return err_set(err, -EINVAL,
			       "'%s': %s: nothing is said of %s, which is '%.80s' in "
			       "'%s'" FORCE_HINT,
			       other, a->workload, p->key, p->value, first);
	return err_set(err, -EINVAL,
		       "'%s': %s: %s is '%.80s', in '%s' it is '%.80s': not the same "
		       "work" FORCE_HINT,
		       other, a->workload, p->key, value, first, p->value);
}

static int find_series(const struct comparison *c, unsigned int file,
		       const struct bench_series *a, const struct bench_series **out,
		       struct err *err)
{
	const struct bench_result *r = c->files[file].result;
	unsigned int i;

	for (i = 0; i < r->series_count; i++) {
		*out = &r->series[i];
		if (bench_same_work(a, *out))
			return 0;
	}
	for (i = 0; i < r->series_count; i++)
		if (!strcmp(a->workload, r->series[i].workload))
			return not_same(c, file, a, &r->series[i], err);
	return err_set(err, -EINVAL,
		       "'%s' has no workload '%s', which '%s' has" FORCE_HINT,
		       c->files[file].name, a->workload, c->files[0].name);
}

/* The first file without iterations of @w; none: -ENOENT. */
static int without(const struct comparison *c, const struct comparison_workload *w)
{
	for (unsigned int i = 0; i < c->file_count; i++)
		if (!w->series[i]->iteration_count)
			return i;
	return -ENOENT;
}

static int match_workload(struct comparison *c, unsigned int at, bool force,
			  struct err *err)
{
	struct comparison_workload *w = &c->workloads[c->workload_count];
	int ret = 0, file;

	w->series[0] = &c->files[0].result->series[at];
	for (unsigned int i = 1; i < c->file_count && !ret; i++) {
		if (force)
			w->series[i] = &c->files[i].result->series[at];
		else
			ret = find_series(c, i, w->series[0], &w->series[i], err);
	}
	if (ret)
		return ret;
	file = without(c, w);
	if (file < 0)
		c->workload_count++;
	else
		c->left_out[c->left_out_count++] =
			(struct comparison_left_out){ w->series[0]->workload, file };
	return 0;
}

static int none_left(const struct comparison *c, struct err *err)
{
	const struct comparison_left_out *first = &c->left_out[0];

	if (!c->left_out_count)
		return err_set(err, -EINVAL, "there are no workloads to compare");
	return err_set(err, -EINVAL,
		       "'%s': %s: there are no iterations; was it interrupted before the "
		       "first?",
		       c->files[first->file].name, first->workload);
}

/* Is rail number @i of @a, which is in its total, in that of @b? */
static bool summed_in(const struct bench_context *a, unsigned int i,
		      const struct bench_context *b)
{
	int rail = rail_of(b, a->rails[i].name);

	return !a->rails[i].summed || (rail >= 0 && b->rails[rail].summed);
}

/* The name of a rail that is in the total of one only; NULL: none. */
static const char *odd_rail(const struct bench_context *a, const struct bench_context *b)
{
	for (unsigned int i = 0; i < a->rail_count; i++)
		if (!summed_in(a, i, b))
			return a->rails[i].name;
	return NULL;
}

static int check_totals(const struct comparison *c, unsigned int i, struct err *err)
{
	const struct bench_context *a = &c->files[0].result->context;
	const struct bench_context *b = &c->files[i].result->context;
	const char *in_a = odd_rail(a, b), *in_b = odd_rail(b, a);

	/* One without any meter has no total that could be another one. */
	if (!a->rail_count || !b->rail_count || (!in_a && !in_b))
		return 0;
	return err_set(err, -EINVAL,
		       "energy: the total of '%s' has the rail '%s', that of '%s' has "
		       "not; pick one with --metric energy:RAIL, or --force",
		       c->files[in_a ? 0 : i].name, in_a ? in_a : in_b,
		       c->files[in_a ? i : 0].name);
}

/* Files that nobody means to compare. */
static int check_files(const struct comparison *c, struct err *err)
{
	bool first = c->files[0].result->context.virtual_board;

	for (unsigned int i = 1; i < c->file_count; i++)
		if (c->files[i].result->context.virtual_board != first)
			return err_set(err, -EINVAL,
				       "'%s' is of a virtual board, '%s' of a real "
				       "one" FORCE_HINT,
				       c->files[first ? 0 : i].name,
				       c->files[first ? i : 0].name);
	return 0;
}

static int match_workloads(struct comparison *c, bool force, struct err *err)
{
	unsigned int count = c->files[0].result->series_count, i;
	int ret = 0;

	for (i = 1; i < c->file_count; i++) {
		unsigned int has = c->files[i].result->series_count;

		if (has > count && !force)
			return err_set(err, -EINVAL,
				       "'%s' has %u workloads, '%s' has %u" FORCE_HINT,
				       c->files[i].name, has, c->files[0].name, count);
		if (has < count && force)
			count = has;
	}
	for (i = 0; i < count && !ret; i++)
		ret = match_workload(c, i, force, err);
	if (!ret && !c->workload_count)
		ret = none_left(c, err);
	return ret;
}

/* The figure @name of one iteration. */
static bool figure(const struct bench_context *c, const struct bench_iteration *it,
		   const char *name, double *value)
{
	int rail = -1;

	if (!strcmp(name, "time")) {
		*value = it->time_ns;
		return true;
	}
	if (!strcmp(name, "late-wakeups")) {
		*value = it->late_wakeups;
		return it->has_late;
	}
	if (!strncmp(name, "energy:", 7)) {
		rail = rail_of(c, name + 7);
		if (rail < 0)
			return false;
	} else if (strcmp(name, "energy")) {
		return false;
	}
	return bench_energy_uj(c, it, rail, value);
}

static int fill_side(struct comparison_side *side, const struct bench_context *ctx,
		     const struct bench_series *s, const char *name, bool by_boot,
		     struct err *err)
{
	side->values = calloc(s->iteration_count, sizeof(*side->values));
	side->order = calloc(s->iteration_count, sizeof(*side->order));
	side->outlier = calloc(s->iteration_count, sizeof(*side->outlier));
	if (!side->values || !side->order || !side->outlier)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < s->iteration_count; i++) {
		side->order[side->n] = by_boot ? s->iterations[i].boot
					       : s->iterations[i].order;
		if (figure(ctx, &s->iterations[i], name, &side->values[side->n]))
			side->n++;
		else
			side->missing++;
	}
	return by_boot && side->n ? comparison_group(side, err) : 0;
}

static void free_metric(struct comparison_metric *m)
{
	for (unsigned int i = 0; i < COMPARISON_MAX_FILES; i++) {
		free(m->sides[i].values);
		free(m->sides[i].each);
		free(m->sides[i].order);
		free(m->sides[i].outlier);
	}
	memset(m, 0, sizeof(*m));
}

/* 1: done; 0: a file has not a single figure of it, number *@lacks. */
static int fill_metric(struct comparison *c, struct comparison_workload *w,
		       const char *name, unsigned int *lacks, struct err *err)
{
	struct comparison_metric *m = &w->metrics[w->metric_count];
	unsigned int i;
	int ret = 0;

	if (!strcmp(name, "energy") && !c->force)
		for (i = 1; i < c->file_count && !ret; i++)
			ret = check_totals(c, i, err);
	if (ret)
		return ret;

	w->metric_count++;
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->unit = !strcmp(name, "time")		  ? UNIT_NS
		  : !strcmp(name, "late-wakeups") ? UNIT_COUNT
						  : UNIT_UJ;
	for (i = 0; i < c->file_count; i++) {
		ret = fill_side(&m->sides[i], &c->files[i].result->context, w->series[i],
				name, c->by_boot, err);
		if (ret)
			return ret;
		if (m->sides[i].n)
			continue;
		*lacks = i;
		free_metric(m);
		w->metric_count--;
		return 0;
	}
	return 1;
}

/* All that every file has; a single rail is the total. */
static int fill_all(struct comparison *c, struct comparison_workload *w, struct err *err)
{
	const struct bench_context *ctx = &c->files[0].result->context;
	unsigned int i, lacks, summed = 0;
	char name[208];
	int ret = 0;

	if (!w->series[0]->fixed_time)
		ret = fill_metric(c, w, "time", &lacks, err);
	if (ret >= 0)
		ret = fill_metric(c, w, "energy", &lacks, err);
	for (i = 0; i < ctx->rail_count; i++)
		summed += ctx->rails[i].summed;
	for (i = 0; i < ctx->rail_count && ret >= 0; i++) {
		if (summed == 1 && ctx->rails[i].summed)
			continue;
		snprintf(name, sizeof(name), "energy:%s", ctx->rails[i].name);
		ret = fill_metric(c, w, name, &lacks, err);
	}
	if (ret >= 0)
		ret = fill_metric(c, w, "late-wakeups", &lacks, err);
	if (ret >= 0 && !w->metric_count)
		ret = fill_metric(c, w, "time", &lacks, err);
	return ret < 0 ? ret : 0;
}

/* A rail may be named by its SPEC, which ends at the first blank. */
static void full_name(const struct bench_context *c, const char *metric, char *out,
		      size_t size)
{
	const char *rail;

	snprintf(out, size, "%s", metric);
	if (strncmp(metric, "energy:", 7))
		return;
	rail = metric + 7;
	if (rail_of(c, rail) >= 0)
		return;
	for (unsigned int i = 0; i < c->rail_count; i++) {
		size_t len = strlen(rail);

		if (!strncmp(c->rails[i].name, rail, len) && c->rails[i].name[len] == ' ')
			snprintf(out, size, "energy:%s", c->rails[i].name);
	}
}

static int unknown_metric(const struct bench_context *c, const char *metric,
			  struct err *err)
{
	char rails[512] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < c->rail_count && used < sizeof(rails); i++)
		used += snprintf(rails + used, sizeof(rails) - used, "%s'%s'",
				 used ? ", " : "", c->rails[i].name);
	return err_set(err, -EINVAL,
		       "there is no '%s': a metric is time, energy, energy:RAIL or "
		       "late-wakeups; the rails are %s",
		       metric, used ? rails : "none");
}

static int metric_ok(const struct bench_context *c, const char *metric, const char *name,
		     struct err *err)
{
	if (!strcmp(name, "time") || !strcmp(name, "late-wakeups") ||
	    (c->rail_count && !strcmp(name, "energy")) ||
	    (!strncmp(name, "energy:", 7) && rail_of(c, name + 7) >= 0))
		return 0;
	return unknown_metric(c, metric, err);
}

/* @metrics[@i], whose full name is @name, among those before. */
static int check_twice(const struct bench_context *c, const char *const *metrics,
		       unsigned int i, const char *name, struct err *err)
{
	char before[208];

	for (unsigned int k = 0; k < i; k++) {
		full_name(c, metrics[k], before, sizeof(before));
		if (!strcmp(before, name))
			return err_set(err, -EINVAL, "'%s' is given twice", metrics[i]);
	}
	return 0;
}

int comparison_metrics_ok(const struct bench_context *c, const char *const *metrics,
			  unsigned int count, struct err *err)
{
	char name[208];
	int ret = 0;

	for (unsigned int i = 0; i < count && !ret; i++) {
		full_name(c, metrics[i], name, sizeof(name));
		ret = metric_ok(c, metrics[i], name, err);
		if (!ret)
			ret = check_twice(c, metrics, i, name, err);
	}
	return ret;
}

static int lacking(const struct comparison *c, unsigned int file, const char *metric,
		   struct err *err)
{
	int ret = unknown_metric(&c->files[file].result->context, metric, err);

	return err_wrap(err, ret, "'%s'", c->files[file].name);
}

static int fill_chosen(struct comparison *c, struct comparison_workload *w,
		       const struct comparison_options *o, struct err *err)
{
	const struct bench_context *ctx = &c->files[0].result->context;
	unsigned int i, lacks = 0;
	char name[208];
	int ret;

	if (o->metric_count > COMPARISON_MAX_METRICS)
		return err_set(err, -EINVAL, "more than %d metrics",
			       COMPARISON_MAX_METRICS);
	for (i = 0; i < o->metric_count; i++) {
		full_name(ctx, o->metrics[i], name, sizeof(name));
		ret = check_twice(ctx, o->metrics, i, name, err);
		if (ret)
			return err_wrap(err, ret, "--metric");
		ret = fill_metric(c, w, name, &lacks, err);
		if (ret < 0)
			return ret;
		if (!ret)
			return lacking(c, lacks, o->metrics[i], err);
	}
	return 0;
}

bool comparison_took_turns(const struct comparison *c, unsigned int i)
{
	const struct bench_context *a = &c->files[0].result->context;
	const struct bench_context *b = &c->files[i].result->context;
	const struct bench_series *sa = c->workloads[0].series[0];
	const struct bench_series *sb = c->workloads[0].series[i];

	if (c->by_boot)
		return comparison_boots_took_turns(c);
	/* Two files of one experiment: one command, begun at one time. */
	return !strcmp(a->date, b->date) && !strcmp(a->command, b->command) &&
	       !strcmp(sa->iterations[0].label, "A") &&
	       !strcmp(sb->iterations[0].label, "B");
}

static struct compare_series series_of(const struct comparison_side *side)
{
	return (struct compare_series){ side->values, side->order, side->n };
}

static int compare_metric(const struct comparison *c, struct comparison_metric *m,
			  struct err *err)
{
	struct compare_series a = series_of(&m->sides[0]);
	unsigned int i;
	int ret = 0;

	for (i = 0; i < c->file_count && !ret; i++) {
		struct comparison_side *side = &m->sides[i];
		struct compare_series b = series_of(side);

		ret = compare_summarise(side->values, side->n, &side->sum, err);
		side->outliers = compare_outliers(side->values, side->n, side->outlier);
		compare_trend(&b, &side->trend);
		if (!i || ret)
			continue;
		ret = compare_series(&a, &b, &side->versus, err);
		if (comparison_took_turns(c, i))
			compare_turns(&a, &b, &side->turns);
	}
	if (!ret && c->by_boot)
		ret = comparison_compare_boots(c, m, err);
	return ret ? err_wrap(err, ret, "%s", m->name) : 0;
}

static void adjust_for_many(const struct comparison *c, struct comparison_workload *w)
{
	double p[COMPARISON_MAX_METRICS * COMPARISON_MAX_FILES] = { 0 };
	double adjusted[COMPARISON_MAX_METRICS * COMPARISON_MAX_FILES];
	struct comparison_side *sides[COMPARISON_MAX_METRICS * COMPARISON_MAX_FILES];
	unsigned int n = 0;

	for (unsigned int i = 0; i < w->metric_count; i++)
		for (unsigned int k = 1; k < c->file_count; k++) {
			struct comparison_side *side = &w->metrics[i].sides[k];

			if (!side->versus.has_welch)
				continue;
			p[n] = side->versus.welch_p;
			sides[n++] = side;
		}
	compare_holm(p, n, adjusted);
	for (unsigned int i = 0; i < n; i++)
		sides[i]->welch_holm = adjusted[i];
	w->tests = n;
}

static int compare_workload(struct comparison *c, struct comparison_workload *w,
			    const struct comparison_options *o, struct err *err)
{
	int ret = o->metric_count ? fill_chosen(c, w, o, err) : fill_all(c, w, err);

	for (unsigned int i = 0; i < w->metric_count && !ret; i++)
		ret = compare_metric(c, &w->metrics[i], err);
	if (!ret)
		adjust_for_many(c, w);
	return ret ? err_wrap(err, ret, "%s", w->series[0]->workload) : 0;
}

int comparison_make(struct comparison *c, const struct comparison_options *o,
		    struct err *err)
{
	unsigned int i;
	int ret;

	c->force = o->force;
	c->by_boot = c->files[0].result->boot_count > 0;
	ret = o->force ? 0 : check_files(c, err);

	if (!ret)
		ret = match_workloads(c, o->force, err);
	for (i = 0; i < c->file_count; i++)
		c->virtual_board |= c->files[i].result->context.virtual_board;
	for (i = 0; i < c->workload_count && !ret; i++)
		ret = compare_workload(c, &c->workloads[i], o, err);
	return ret;
}

void comparison_free(struct comparison *c)
{
	for (unsigned int i = 0; i < BENCH_MAX_WORKLOADS; i++)
		for (unsigned int k = 0; k < COMPARISON_MAX_METRICS; k++)
			free_metric(&c->workloads[i].metrics[k]);
	memset(c, 0, sizeof(*c));
}
