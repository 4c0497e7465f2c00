// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of workloads, and their parameters from text and back.
 */
#include "calib/bench/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/fnv.h"
#include "lib/num.h"
#include "lib/text.h"
#include "lib/words.h"

static const struct workload *const workloads[] = {
	&workload_messages,
	&workload_pipe,
	&workload_periodic,
	&workload_rt_app,
};

#define WORKLOADS (sizeof(workloads) / sizeof(workloads[0]))

const struct workload *workload_at(size_t i)
{
	return i < WORKLOADS ? workloads[i] : NULL;
}

static const struct workload *find(const char *name, size_t len, struct err *err)
{
	char known[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < WORKLOADS; i++) {
		if (strlen(workloads[i]->name) == len &&
		    !strncmp(workloads[i]->name, name, len))
			return workloads[i];
		used += snprintf(known + used, sizeof(known) - used, "%s%s",
				 i ? ", " : "", workloads[i]->name);
	}
	err_set(err, -EINVAL,
		"workload '%.*s' is not one of %s; a command goes behind '--'", (int)len,
		name, known);
	return NULL;
}

static int find_param(const struct workload *type, const char *name, struct err *err)
{
	const struct workload_param *p = type->params;
	char known[256] = "";
	size_t used = 0;

	for (int i = 0; p[i].name; i++) {
		if (!strcmp(p[i].name, name))
			return i;
		used += snprintf(known + used, sizeof(known) - used, "%s%s",
				 i ? ", " : "", p[i].name);
	}
	return err_set(err, -EINVAL, "no parameter '%s'; its parameters are %s", name,
		       known);
}

/* The place of @text in "a|b|c", or -1. */
static int choice(const char *choices, const char *text)
{
	size_t len;

	for (int i = 0;; i++) {
		len = strcspn(choices, "|");
		if (strlen(text) == len && !strncmp(choices, text, len))
			return i;
		if (!choices[len])
			return -1;
		choices += len + 1;
	}
}

static int set_value(struct workload_run *w, int i, const char *text, struct err *err)
{
	const struct workload_param *p = &w->type->params[i];
	int chosen;

	if (p->is_text) {
		if (!text[0] || strlen(text) >= sizeof(w->text[i]))
			return err_set(err, -EINVAL, "%s '%s' is empty or too long",
				       p->name, text);
		strcpy(w->text[i], text);
		return 0;
	}
	if (p->choices) {
		chosen = choice(p->choices, text);
		if (chosen < 0)
			return err_set(err, -EINVAL, "%s '%s' is not one of %s", p->name,
				       text, p->choices);
		w->value[i] = chosen;
		return 0;
	}
	if (num_u64(text, &w->value[i]) || w->value[i] < p->min || w->value[i] > p->max)
		return err_set(err, -EINVAL, "%s '%s' is not in %" PRIu64 "..%" PRIu64,
			       p->name, text, p->min, p->max);
	return 0;
}

/* One "name=value". */
static int set_one(struct workload_run *w, char *item, uint32_t *given, struct err *err)
{
	char *equal = strchr(item, '=');
	int i;

	if (!equal)
		return err_set(err, -EINVAL, "'%s' is no PARAMETER=VALUE", item);
	*equal = '\0';
	i = find_param(w->type, item, err);
	if (i < 0)
		return i;
	if (*given & (1u << i))
		return err_set(err, -EINVAL, "%s is given twice", item);
	*given |= 1u << i;
	return set_value(w, i, equal + 1, err);
}

static int check_texts(const struct workload_run *w, struct err *err)
{
	const struct workload_param *p = w->type->params;

	for (size_t i = 0; p[i].name; i++)
		if (p[i].is_text && !w->text[i][0])
			return err_set(err, -EINVAL,
				       "%s is missing: %s; write '%s:%s=...'", p[i].name,
				       p[i].help, w->type->name, p[i].name);
	return 0;
}

int workload_parse(const char *spec, struct workload_run *w, struct err *err)
{
	size_t len = strcspn(spec, ":");
	char list[512], *item, *rest;
	uint32_t given = 0;
	int ret = 0;

	*w = (struct workload_run){ .type = find(spec, len, err) };
	if (!w->type)
		return -EINVAL;
	for (size_t i = 0; w->type->params[i].name; i++)
		w->value[i] = w->type->params[i].by_default;
	if (snprintf(list, sizeof(list), "%s", spec[len] ? spec + len + 1 : "") >=
	    (int)sizeof(list))
		return err_set(err, -EINVAL, "workload '%.40s...' is too long", spec);
	/* strsep() keeps empty items: "a=1,,b=2" is a mistake. */
	rest = spec[len] ? list : NULL;
	while (!ret && (item = strsep(&rest, ",")))
		ret = set_one(w, item, &given, err);
	if (!ret)
		ret = check_texts(w, err);
	return ret ? err_wrap(err, ret, "workload '%s'", w->type->name) : 0;
}

void workload_of_command(const char *const *argv, struct workload_run *w)
{
	*w = (struct workload_run){ .type = workload_command(), .argv = argv };
}

const char *workload_value(const struct workload_run *w, size_t i, char *out, size_t size)
{
	const struct workload_param *p = &w->type->params[i];
	const char *at = p->choices;

	if (p->is_text) {
		snprintf(out, size, "%s", w->text[i]);
		return out;
	}
	if (!at) {
		snprintf(out, size, "%" PRIu64, w->value[i]);
		return out;
	}
	for (uint64_t skip = w->value[i]; skip; skip--)
		at += strcspn(at, "|") + 1;
	snprintf(out, size, "%.*s", (int)strcspn(at, "|"), at);
	return out;
}

/*
 * As a shell takes it: other words are other work. What does not fit, or no text file may
 * hold, is told by a digest: commands that look alike are not the same.
 */
static void describe_command(const char *const *argv, char *out, size_t size)
{
	uint64_t hash = FNV_BASIS;
	struct buf line = { 0 };
	char end[32];
	size_t len;
	int ret = 0;

	for (int i = 0; argv[i]; i++) {
		fnv_mix(&hash, argv[i], strlen(argv[i]) + 1);
		ret |= i ? buf_adds(&line, " ") : 0;
		ret |= words_quote(&line, argv[i]);
	}
	snprintf(out, size, "%s", line.data ? line.data : "");
	text_clean(out);
	if (ret || strcmp(out, line.data) != 0) {
		snprintf(end, sizeof(end), "... (%016" PRIx64 ")", hash);
		len = strlen(out) + strlen(end) < size ? strlen(out)
						       : size - 1 - strlen(end);
		snprintf(out + len, sizeof(end), "%s", end);
	}
	buf_free(&line);
}

const char *workload_describe(const struct workload_run *w, char *out, size_t size)
{
	const struct workload_param *p = w->type->params;
	char value[256];
	size_t used = 0;

	out[0] = '\0';
	if (w->argv)
		describe_command(w->argv, out, size);
	for (size_t i = 0; p[i].name && used < size; i++)
		used += snprintf(out + used, size - used, "%s%s=%s", i ? " " : "",
				 p[i].name, workload_value(w, i, value, sizeof(value)));
	return out;
}

static int task_setup(void *arg, struct err *err)
{
	struct workload_run *w = arg;

	return w->type->setup ? w->type->setup(w, err) : 0;
}

static int task_run(void *arg, struct job_times *times, struct err *err)
{
	struct workload_run *w = arg;

	return w->type->run(w, times, err);
}

struct job_task workload_task(struct workload_run *w)
{
	return (struct job_task){ .setup = task_setup, .run = task_run, .arg = w };
}
