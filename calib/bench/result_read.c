// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results of 'calib bench' from a file: every key known, every value of its type.
 */
#include "calib/bench/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"

/* A list of up to @max items. */
static int get_list(const struct json *obj, const char *key, size_t max,
		    const struct json **out, struct err *err)
{
	int ret = json_get_array(obj, key, out, err);

	if (!ret && json_len(*out) > max)
		ret = err_set(err, -EINVAL,
			      "key '%s' has %zu entries, up to %zu are taken", key,
			      json_len(*out), max);
	return ret;
}

/* A name, which must say something. */
static int get_name(const struct json *obj, const char *key, char *out, size_t size,
		    struct err *err)
{
	int ret = json_get_text(obj, key, out, size, err);

	if (!ret && !*out)
		ret = err_set(err, -EINVAL, "key '%s' is empty", key);
	return ret;
}

static int read_cpus(const struct json *obj, struct bench_policy *p, struct err *err)
{
	const struct json *arr = NULL;
	int ret = get_list(obj, "cpus", BENCH_POLICY_CPUS, &arr, err);

	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		uint64_t cpu = 0;

		ret = json_at_u64(arr, i, "cpus", &cpu, err);
		if (!ret && cpu > UINT32_MAX)
			ret = err_set(err, -EINVAL, "key 'cpus[%zu]': no such CPU", i);
		p->cpus[i] = cpu;
	}
	if (!ret)
		p->cpu_count = json_len(arr);
	return ret;
}

static int read_policy(const struct json *obj, struct bench_policy *p, struct err *err)
{
	static const char *const known[] = { "policy",
					     "cpus",
					     "driver",
					     "governor",
					     "energy-performance-preference",
					     "min-khz",
					     "max-khz",
					     NULL };
	uint32_t id = 0;
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = json_get_u32(obj, "policy", &id, err);
	p->id = id;
	if (!ret)
		ret = read_cpus(obj, p, err);
	if (!ret)
		ret = json_opt_text(obj, "driver", p->driver, sizeof(p->driver), err);
	if (!ret)
		ret = json_opt_text(obj, "governor", p->governor, sizeof(p->governor),
				    err);
	if (!ret)
		ret = json_opt_text(obj, known[4], p->epp, sizeof(p->epp), err);
	if (!ret)
		ret = json_opt_u32(obj, "min-khz", &p->min_khz, err);
	return ret ? ret : json_opt_u32(obj, "max-khz", &p->max_khz, err);
}

static int read_rail(const struct json *obj, struct bench_rail *rail, struct err *err)
{
	static const char *const known[] = { "name", "method", "summed", "interval-us",
					     NULL };
	const char *method = NULL;
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = get_name(obj, "name", rail->name, sizeof(rail->name), err);
	if (!ret)
		ret = json_get_str(obj, "method", &method, err);
	if (ret)
		return ret;
	rail->method = strcmp(method, "counter") ? BENCH_TRAPEZOID : BENCH_COUNTER;
	if (rail->method == BENCH_TRAPEZOID && strcmp(method, "trapezoid"))
		return err_set(err, -EINVAL,
			       "key 'method': '%.80s' is not counter or trapezoid",
			       method);
	ret = json_get_bool(obj, "summed", &rail->summed, err);
	return ret ? ret : json_opt_u32(obj, "interval-us", &rail->interval_us, err);
}

static int find_rail(const struct bench_context *c, unsigned int count, const char *name)
{
	for (unsigned int i = 0; i < count; i++)
		if (!strcmp(c->rails[i].name, name))
			return i;
	return -ENOENT;
}

static int read_rails(const struct json *obj, struct bench_context *c, struct err *err)
{
	const struct json *arr = NULL;
	int ret = get_list(obj, "rails", BENCH_MAX_RAILS, &arr, err);

	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		ret = read_rail(json_at(arr, i), &c->rails[i], err);
		if (!ret && find_rail(c, i, c->rails[i].name) >= 0)
			ret = err_set(err, -EINVAL, "key 'name': '%s' is there twice",
				      c->rails[i].name);
		if (ret)
			err_wrap(err, ret, "rails[%zu]", i);
	}
	if (!ret)
		c->rail_count = json_len(arr);
	return ret;
}

static int read_policies(const struct json *obj, struct bench_context *c, struct err *err)
{
	const struct json *arr = NULL;
	int ret = get_list(obj, "policies", BENCH_MAX_POLICIES, &arr, err);

	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		ret = read_policy(json_at(arr, i), &c->policies[i], err);
		if (ret)
			err_wrap(err, ret, "policies[%zu]", i);
	}
	if (!ret)
		c->policy_count = json_len(arr);
	return ret;
}

static int read_texts(const struct json *obj, struct bench_context *c, struct err *err)
{
	const struct {
		const char *key;
		char *out;
		size_t size;
	} texts[] = {
		{ "tool", c->tool, sizeof(c->tool) },
		{ "command", c->command, sizeof(c->command) },
		{ "date", c->date, sizeof(c->date) },
		{ "kernel", c->kernel, sizeof(c->kernel) },
		{ "kernel-build", c->boot.build, sizeof(c->boot.build) },
		{ "boot-id", c->boot.id, sizeof(c->boot.id) },
		{ "command-line", c->boot.cmdline, sizeof(c->boot.cmdline) },
		{ "device-tree", c->boot.tree, sizeof(c->boot.tree) },
		{ "energy-model", c->boot.energy_model, sizeof(c->boot.energy_model) },
		{ "board", c->board, sizeof(c->board) },
		{ "compatible", c->compatible, sizeof(c->compatible) },
		{ "model", c->model, sizeof(c->model) },
		{ "cpus", c->cpus, sizeof(c->cpus) },
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && !ret; i++)
		ret = json_opt_text(obj, texts[i].key, texts[i].out, texts[i].size, err);
	return ret;
}

static int read_context_keys(const struct json *obj, struct bench_context *c,
			     struct err *err)
{
	static const char *const known[] = {
		"tool",	       "command",      "date",	  "kernel",
		"board",       "compatible",   "model",	  "cpus",
		"virtual",     "seed",	       "warmup",  "policies",
		"rails",       "kernel-build", "boot-id", "command-line",
		"device-tree", "energy-model", NULL
	};
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = read_texts(obj, c, err);
	if (!ret)
		ret = json_get_bool(obj, "virtual", &c->virtual_board, err);
	if (!ret && json_has(obj, "seed"))
		ret = json_get_u64(obj, "seed", &c->seed, err);
	if (!ret)
		ret = json_opt_u32(obj, "warmup", &c->warmup, err);
	if (!ret)
		ret = read_policies(obj, c, err);
	return ret ? ret : read_rails(obj, c, err);
}

static int read_context(const struct json *root, struct bench_context *c, struct err *err)
{
	const struct json *obj = NULL;
	int ret = json_get_object(root, "context", &obj, err);

	if (ret)
		return ret;
	ret = read_context_keys(obj, c, err);
	return ret ? err_wrap(err, ret, "context") : 0;
}

static int read_boot(const struct json *obj, struct bench_result *r, struct bench_boot *b,
		     struct err *err)
{
	static const char *const known[] = { "state", "interrupted", "context", NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = get_name(obj, "state", b->state, sizeof(b->state), err);
	if (!ret)
		ret = read_context(obj, &b->context, err);
	if (!ret && !bench_same_rails(&r->context, &b->context))
		ret = err_set(err, -EINVAL,
			      "context: its rails are not those of the file's context");
	if (!ret)
		ret = json_opt_bool(obj, "interrupted", &b->interrupted, err);
	if (!ret)
		ret = bench_boot_add(r, b->state, &b->context, err);
	if (!ret)
		bench_interrupted(r, b->interrupted);
	return ret;
}

/* One that counts as two makes boots look alike. */
static int check_boot_id(const struct bench_result *r, struct err *err)
{
	const char *id = r->boots[r->boot_count - 1].context.boot.id;

	for (unsigned int i = 0; *id && i + 1 < r->boot_count; i++)
		if (!strcmp(r->boots[i].context.boot.id, id))
			return err_set(
				err, -EINVAL,
				"context: key 'boot-id': '%s' is that of boots[%u]", id,
				i);
	return 0;
}

static int read_boots(const struct json *root, struct bench_result *r, struct err *err)
{
	const struct json *arr = NULL;
	struct bench_boot *b;
	int ret;

	if (!json_has(root, "boots"))
		return 0;
	ret = get_list(root, "boots", BENCH_MAX_BOOTS, &arr, err);
	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		b = calloc(1, sizeof(*b));
		ret = b ? read_boot(json_at(arr, i), r, b, err)
			: err_set(err, -ENOMEM, "out of memory");
		free(b);
		if (!ret)
			ret = check_boot_id(r, err);
		if (ret)
			err_wrap(err, ret, "boots[%zu]", i);
	}
	return ret;
}

static int read_params(const struct json *obj, struct bench_series *s, struct err *err)
{
	const struct json *params = NULL;
	const char *key;
	int ret = json_get_object(obj, "parameters", &params, err);

	for (size_t i = 0; !ret && (key = json_member(params, i, NULL)); i++) {
		struct bench_param *p = &s->params[i];

		if (i == BENCH_MAX_PARAMS || strlen(key) >= sizeof(p->key))
			return err_set(err, -EINVAL,
				       "key 'parameters': up to %d names of up to %zu "
				       "letters are taken",
				       BENCH_MAX_PARAMS, sizeof(p->key) - 1);
		strcpy(p->key, key);
		ret = json_get_text(params, key, p->value, sizeof(p->value), err);
		if (ret)
			return err_wrap(err, ret, "parameters");
		s->param_count++;
	}
	return ret;
}

static int read_energy(const struct json *obj, const struct bench_context *c,
		       struct bench_iteration *it, struct err *err)
{
	const struct json *energy = NULL;
	const char *name;
	int ret = json_get_object(obj, "energy-uj", &energy, err);

	for (size_t i = 0; !ret && (name = json_member(energy, i, NULL)); i++) {
		int rail = find_rail(c, c->rail_count, name);

		if (rail < 0)
			return err_set(err, -EINVAL,
				       "key 'energy-uj': '%.80s' is no rail of the "
				       "context",
				       name);
		ret = json_get_i64(energy, name, &it->energy_uj[rail], err);
		if (ret)
			return err_wrap(err, ret, "energy-uj");
		it->has_energy[rail] = true;
	}
	return ret;
}

/* Of a series of boots each iteration says which. */
static int read_boot_of(const struct json *obj, const struct bench_result *r,
			struct bench_iteration *it, struct err *err)
{
	uint64_t boot = 0;
	int ret = 0;

	if (r->boot_count)
		ret = json_get_range(obj, "boot", 0, r->boot_count - 1, &boot, err);
	else if (json_has(obj, "boot"))
		ret = err_set(err, -EINVAL, "key 'boot': the file has no 'boots'");
	it->boot = boot;
	return ret;
}

static int read_iteration(const struct json *obj, const struct bench_result *r,
			  struct bench_iteration *it, struct err *err)
{
	static const char *const known[] = { "order",	     "label",	"boot",
					     "start-ns",     "time-ns", "energy-uj",
					     "late-wakeups", NULL };
	int ret = json_only_keys(obj, known, err);
	uint64_t order = 0;

	if (!ret)
		ret = json_get_range(obj, "order", 0, BENCH_MAX_ORDER, &order, err);
	it->order = order;
	if (!ret)
		ret = json_opt_text(obj, "label", it->label, sizeof(it->label), err);
	if (!ret)
		ret = read_boot_of(obj, r, it, err);
	if (!ret)
		ret = json_get_u64(obj, "start-ns", &it->start_ns, err);
	if (!ret)
		ret = json_get_u64(obj, "time-ns", &it->time_ns, err);
	if (!ret)
		ret = read_energy(obj, &r->context, it, err);
	it->has_late = json_has(obj, "late-wakeups");
	if (!ret && it->has_late)
		ret = json_get_u64(obj, "late-wakeups", &it->late_wakeups, err);
	return ret;
}

/* After @before, in time. */
static int check_order(const struct bench_iteration *before,
		       const struct bench_iteration *it, struct err *err)
{
	if (it->order <= before->order)
		return err_set(err, -EINVAL,
			       "key 'order': not above that of the entry before");
	if (it->boot < before->boot)
		return err_set(err, -EINVAL,
			       "key 'boot': below that of the entry before");
	return 0;
}

static int read_iterations(const struct json *obj, const struct bench_result *r,
			   struct bench_series *s, struct err *err)
{
	const struct json *arr = NULL;
	int ret = get_list(obj, "iterations", BENCH_MAX_ITERATIONS, &arr, err);

	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		struct bench_iteration it = { 0 };

		ret = read_iteration(json_at(arr, i), r, &it, err);
		if (!ret && i)
			ret = check_order(&s->iterations[i - 1], &it, err);
		if (!ret)
			ret = bench_series_add(s, &it, err);
		if (ret)
			err_wrap(err, ret, "iterations[%zu]", i);
	}
	return ret;
}

static int read_series(const struct json *obj, const struct bench_result *r,
		       struct bench_series *s, struct err *err)
{
	static const char *const known[] = { "workload",   "parameters", "unit", "units",
					     "fixed-time", "iterations", NULL };
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = get_name(obj, "workload", s->workload, sizeof(s->workload), err);
	if (!ret)
		ret = read_params(obj, s, err);
	if (!ret)
		ret = json_opt_text(obj, "unit", s->unit, sizeof(s->unit), err);
	if (!ret && json_has(obj, "units"))
		ret = json_get_range(obj, "units", 1, INT64_MAX, &s->units, err);
	if (!ret)
		ret = json_opt_bool(obj, "fixed-time", &s->fixed_time, err);
	return ret ? ret : read_iterations(obj, r, s, err);
}

/* The last one, which would be taken for another. */
static int check_workload(const struct bench_result *r, struct err *err)
{
	const struct bench_series *last = &r->series[r->series_count - 1];

	for (unsigned int i = 0; i + 1 < r->series_count; i++)
		if (bench_same_work(&r->series[i], last))
			return err_set(err, -EINVAL, "it is the work of workloads[%u]",
				       i);
	return 0;
}

static int read_workloads(const struct json *root, struct bench_result *r,
			  struct err *err)
{
	const struct json *arr = NULL;
	int ret = get_list(root, "workloads", BENCH_MAX_WORKLOADS, &arr, err);

	for (size_t i = 0; i < json_len(arr) && !ret; i++) {
		r->series_count++; /* of what is to be freed */
		ret = read_series(json_at(arr, i), r, &r->series[i], err);
		if (!ret)
			ret = check_workload(r, err);
		if (ret)
			err_wrap(err, ret, "workloads[%zu]", i);
	}
	return ret;
}

/* A file from when boots did not say so means its last one. */
static int read_interrupted(const struct json *root, struct bench_result *r,
			    struct err *err)
{
	bool of_boots = r->interrupted;
	int ret = json_get_bool(root, "interrupted", &r->interrupted, err);

	if (ret)
		return ret;
	if (of_boots && !r->interrupted)
		return err_set(err, -EINVAL,
			       "key 'interrupted': false, and a boot was interrupted");
	if (r->interrupted && !of_boots)
		bench_interrupted(r, true);
	return 0;
}

static int read_root(const struct json *root, struct bench_result *r, struct err *err)
{
	static const char *const known[] = { "schema",	    "context",	 "boots",
					     "interrupted", "workloads", NULL };
	const char *schema = NULL;
	int ret = json_get_str(root, "schema", &schema, err);

	if (!ret && strcmp(schema, BENCH_SCHEMA))
		ret = err_set(err, -EINVAL,
			      "key 'schema': '%.80s' is not '%s'; this takes what "
			      "'calib bench' wrote",
			      schema, BENCH_SCHEMA);
	if (!ret)
		ret = json_only_keys(root, known, err);
	if (!ret)
		ret = read_context(root, &r->context, err);
	if (!ret)
		ret = read_boots(root, r, err);
	if (!ret)
		ret = read_interrupted(root, r, err);
	return ret ? ret : read_workloads(root, r, err);
}

int bench_result_read(const char *path, struct bench_result *r, struct err *err)
{
	struct json *root = NULL;
	int ret;

	memset(r, 0, sizeof(*r));
	ret = json_read(path, &root, err);
	if (ret)
		return ret;
	ret = read_root(root, r, err);
	json_free(root);
	/* A missing key is a wrong file, not a missing one. */
	if (ret == -ENOENT)
		ret = -EINVAL;
	return ret ? err_wrap(err, ret, "'%s'", path) : 0;
}
