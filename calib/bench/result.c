// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results of 'calib bench' in memory, and out to a file.
 */
#include "calib/bench/result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "lib/cmd.h"
#include "lib/json.h"
#include "lib/outfile.h"

void bench_context_sign(struct bench_context *c, const char *command)
{
	time_t now = time(NULL);
	struct utsname name;
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(c->date, sizeof(c->date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (!uname(&name))
		snprintf(c->kernel, sizeof(c->kernel), "%.120s", name.release);
	snprintf(c->tool, sizeof(c->tool), "%s", cmd_version());
	snprintf(c->command, sizeof(c->command), "%s", command ? command : "");
}

int bench_param_add(struct bench_series *s, const char *key, const char *fmt, ...)
{
	struct bench_param *p = &s->params[s->param_count];
	va_list ap;

	if (s->param_count == BENCH_MAX_PARAMS)
		return -E2BIG;
	snprintf(p->key, sizeof(p->key), "%s", key);
	va_start(ap, fmt);
	vsnprintf(p->value, sizeof(p->value), fmt, ap);
	va_end(ap);
	s->param_count++;
	return 0;
}

const char *bench_param_value(const struct bench_series *s, const char *key)
{
	for (unsigned int i = 0; i < s->param_count; i++)
		if (!strcmp(s->params[i].key, key))
			return s->params[i].value;
	return NULL;
}

const struct bench_param *bench_differing(const struct bench_series *a,
					  const struct bench_series *b)
{
	for (unsigned int i = 0; i < a->param_count; i++) {
		const char *value = bench_param_value(b, a->params[i].key);

		if (!value || strcmp(value, a->params[i].value))
			return &a->params[i];
	}
	return NULL;
}

bool bench_same_work(const struct bench_series *a, const struct bench_series *b)
{
	return !strcmp(a->workload, b->workload) && !bench_differing(a, b) &&
	       !bench_differing(b, a);
}

int bench_series_add(struct bench_series *s, const struct bench_iteration *it,
		     struct err *err)
{
	struct bench_iteration *grown;
	size_t room = s->room ? 2 * s->room : 16;

	if (s->iteration_count == BENCH_MAX_ITERATIONS)
		return err_set(err, -E2BIG, "more than %d iterations",
			       BENCH_MAX_ITERATIONS);
	if (s->iteration_count == s->room) {
		grown = realloc(s->iterations, room * sizeof(*grown));
		if (!grown)
			return err_set(err, -ENOMEM, "out of memory");
		s->iterations = grown;
		s->room = room;
	}
	s->iterations[s->iteration_count++] = *it;
	return 0;
}

int bench_boot_add(struct bench_result *r, const char *state,
		   const struct bench_context *c, struct err *err)
{
	struct bench_boot *grown;

	if (r->boot_count == BENCH_MAX_BOOTS)
		return err_set(err, -E2BIG, "more than %d boots", BENCH_MAX_BOOTS);
	grown = realloc(r->boots, (r->boot_count + 1) * sizeof(*grown));
	if (!grown)
		return err_set(err, -ENOMEM, "out of memory");
	r->boots = grown;
	grown += r->boot_count++;
	snprintf(grown->state, sizeof(grown->state), "%s", state);
	grown->context = *c;
	grown->interrupted = false;
	return 0;
}

void bench_interrupted(struct bench_result *r, bool interrupted)
{
	r->interrupted = interrupted;
	if (!r->boot_count)
		return;
	r->boots[r->boot_count - 1].interrupted = interrupted;
	for (unsigned int i = 0; i < r->boot_count; i++)
		r->interrupted |= r->boots[i].interrupted;
}

bool bench_same_rails(const struct bench_context *a, const struct bench_context *b)
{
	if (a->rail_count != b->rail_count)
		return false;
	for (unsigned int i = 0; i < a->rail_count; i++)
		if (strcmp(a->rails[i].name, b->rails[i].name) != 0 ||
		    a->rails[i].summed != b->rails[i].summed)
			return false;
	return true;
}

bool bench_energy_uj(const struct bench_context *c, const struct bench_iteration *it,
		     int rail, double *uj)
{
	unsigned int i, n = 0;

	*uj = 0;
	if (rail >= 0) {
		*uj = it->energy_uj[rail];
		return it->has_energy[rail];
	}
	for (i = 0; i < c->rail_count; i++) {
		if (!c->rails[i].summed)
			continue;
		if (!it->has_energy[i])
			return false;
		*uj += it->energy_uj[i];
		n++;
	}
	return n > 0;
}

void bench_result_free(struct bench_result *r)
{
	unsigned int i;

	for (i = 0; r && i < r->series_count; i++)
		free(r->series[i].iterations);
	if (r)
		free(r->boots);
	if (r)
		memset(r, 0, sizeof(*r));
}

static int put_some(struct json *obj, const char *key, const char *text)
{
	return *text ? json_put_text(obj, key, text) : 0;
}

static int add_policy(struct json *arr, const struct bench_policy *p)
{
	struct json *obj = json_new_object(), *cpus = json_new_array();
	unsigned int i;
	int ret = json_put_u64(obj, "policy", p->id);

	for (i = 0; i < p->cpu_count; i++)
		ret |= json_add_u64(cpus, p->cpus[i]);
	ret |= json_put(obj, "cpus", cpus);
	ret |= put_some(obj, "driver", p->driver);
	ret |= put_some(obj, "governor", p->governor);
	ret |= put_some(obj, "energy-performance-preference", p->epp);
	if (p->min_khz)
		ret |= json_put_u64(obj, "min-khz", p->min_khz);
	if (p->max_khz)
		ret |= json_put_u64(obj, "max-khz", p->max_khz);
	return ret | json_add(arr, obj);
}

static int add_rail(struct json *arr, const struct bench_rail *rail)
{
	struct json *obj = json_new_object();
	int ret = json_put_text(obj, "name", rail->name);

	ret |= json_put_str(obj, "method",
			    rail->method == BENCH_COUNTER ? "counter" : "trapezoid");
	ret |= json_put_bool(obj, "summed", rail->summed);
	if (rail->interval_us)
		ret |= json_put_u64(obj, "interval-us", rail->interval_us);
	return ret | json_add(arr, obj);
}

static int put_context(struct json *root, const struct bench_context *c)
{
	struct json *obj = json_new_object();
	struct json *policies = json_new_array(), *rails = json_new_array();
	unsigned int i;
	int ret = 0;

	ret |= put_some(obj, "tool", c->tool);
	ret |= put_some(obj, "command", c->command);
	ret |= put_some(obj, "date", c->date);
	ret |= put_some(obj, "kernel", c->kernel);
	ret |= put_some(obj, "kernel-build", c->boot.build);
	ret |= put_some(obj, "boot-id", c->boot.id);
	ret |= put_some(obj, "command-line", c->boot.cmdline);
	ret |= put_some(obj, "device-tree", c->boot.tree);
	ret |= put_some(obj, "energy-model", c->boot.energy_model);
	ret |= put_some(obj, "board", c->board);
	ret |= put_some(obj, "compatible", c->compatible);
	ret |= put_some(obj, "model", c->model);
	ret |= json_put_bool(obj, "virtual", c->virtual_board);
	if (c->virtual_board)
		ret |= json_put_u64(obj, "seed", c->seed);
	ret |= put_some(obj, "cpus", c->cpus);
	ret |= json_put_u64(obj, "warmup", c->warmup);
	for (i = 0; i < c->policy_count; i++)
		ret |= add_policy(policies, &c->policies[i]);
	ret |= json_put(obj, "policies", policies);
	for (i = 0; i < c->rail_count; i++)
		ret |= add_rail(rails, &c->rails[i]);
	ret |= json_put(obj, "rails", rails);
	return ret | json_put(root, "context", obj);
}

static int add_boot(struct json *arr, const struct bench_boot *b)
{
	struct json *obj = json_new_object();
	int ret = json_put_text(obj, "state", b->state);

	if (b->interrupted)
		ret |= json_put_bool(obj, "interrupted", true);
	return ret | put_context(obj, &b->context) | json_add(arr, obj);
}

static int put_boots(struct json *root, const struct bench_result *r)
{
	struct json *arr;
	int ret = 0;

	if (!r->boot_count)
		return 0;
	arr = json_new_array();
	for (unsigned int i = 0; i < r->boot_count; i++)
		ret |= add_boot(arr, &r->boots[i]);
	return ret | json_put(root, "boots", arr);
}

static int add_iteration(struct json *arr, const struct bench_result *r,
			 const struct bench_iteration *it)
{
	const struct bench_context *c = &r->context;
	struct json *obj = json_new_object(), *energy = json_new_object();
	unsigned int i;
	int ret = 0;

	ret |= json_put_u64(obj, "order", it->order);
	ret |= put_some(obj, "label", it->label);
	if (r->boot_count)
		ret |= json_put_u64(obj, "boot", it->boot);
	ret |= json_put_u64(obj, "start-ns", it->start_ns);
	ret |= json_put_u64(obj, "time-ns", it->time_ns);
	for (i = 0; i < c->rail_count; i++)
		if (it->has_energy[i])
			ret |= json_put_i64(energy, c->rails[i].name, it->energy_uj[i]);
	ret |= json_put(obj, "energy-uj", energy);
	if (it->has_late)
		ret |= json_put_u64(obj, "late-wakeups", it->late_wakeups);
	return ret | json_add(arr, obj);
}

static int add_series(struct json *arr, const struct bench_result *r,
		      const struct bench_series *s)
{
	struct json *obj = json_new_object(), *params = json_new_object();
	struct json *iterations = json_new_array();
	size_t i;
	int ret = json_put_text(obj, "workload", s->workload);

	for (i = 0; i < s->param_count; i++)
		ret |= json_put_text(params, s->params[i].key, s->params[i].value);
	ret |= json_put(obj, "parameters", params);
	if (s->units) {
		ret |= json_put_text(obj, "unit", s->unit);
		ret |= json_put_u64(obj, "units", s->units);
	}
	ret |= json_put_bool(obj, "fixed-time", s->fixed_time);
	for (i = 0; i < s->iteration_count; i++)
		ret |= add_iteration(iterations, r, &s->iterations[i]);
	ret |= json_put(obj, "iterations", iterations);
	return ret | json_add(arr, obj);
}

static int write_json(const char *path, const struct json *root, struct err *err)
{
	struct outfile out;
	int ret = outfile_open(&out, path, err);

	if (ret)
		return ret;
	ret = json_write(root, out.f, err);
	if (!ret)
		ret = outfile_commit(&out, err);
	outfile_abort(&out);
	return ret;
}

int bench_result_write(const char *path, const struct bench_result *r, struct err *err)
{
	struct json *root = json_new_object(), *arr = json_new_array();
	unsigned int i;
	int ret = json_put_str(root, "schema", BENCH_SCHEMA);

	ret |= put_context(root, &r->context);
	ret |= put_boots(root, r);
	ret |= json_put_bool(root, "interrupted", r->interrupted);
	for (i = 0; i < r->series_count; i++)
		ret |= add_series(arr, r, &r->series[i]);
	ret |= json_put(root, "workloads", arr);
	if (ret)
		ret = err_set(err, -EINVAL,
			      "'%s': a number is too large for a file, or out of memory",
			      path);
	else
		ret = write_json(path, root, err);
	json_free(root);
	return ret;
}

int bench_result_keep(const char *path, struct bench_result *r, unsigned int series,
		      struct err *err)
{
	int ret = path ? bench_result_write(path, r, err) : 0;

	if (ret)
		r->series[series].iteration_count--;
	return ret;
}

int bench_result_writable(const char *path, struct err *err)
{
	struct outfile out;
	struct stat st;
	int ret;

	if (!path)
		return 0;
	/* Neither can take back what it was given. */
	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		return err_set(err, -EINVAL,
			       "'%s' is no regular file, and a result is written anew "
			       "after each iteration; give a file, or --format json for "
			       "standard output",
			       path);
	ret = outfile_open(&out, path, err);
	if (!ret)
		outfile_abort(&out);
	return ret;
}
