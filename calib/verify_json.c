// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What 'calib verify' found, as JSON. What is unknown is left out.
 */
#include "calib/verify.h"

#include <errno.h>

#include "lib/json.h"

/* One side of a state. */
static int put_side(struct json *obj, const char *key, const struct em_shown_state *s)
{
	struct json *side = json_new_object();
	int ret = 0;

	ret |= json_put_u64(side, "power", s->power);
	if (s->has_performance)
		ret |= json_put_u64(side, "performance", s->performance);
	if (s->has_cost)
		ret |= json_put_u64(side, "cost", s->cost);
	if (s->has_inefficient)
		ret |= json_put_bool(side, "inefficient", s->inefficient);
	return ret | json_put(obj, key, side);
}

static int put_ours(struct json *obj, const struct verify_domain *d,
		    const struct verify_state *s)
{
	const bool costs = d->has_costs && s->in_kernel;
	const struct em_shown_state ours = {
		.power = s->ours.power,
		.has_performance = costs && !d->by_clock,
		.performance = s->ours.performance,
		.has_cost = costs,
		.cost = s->ours.cost,
		.has_inefficient = costs,
		.inefficient = s->ours.inefficient,
	};

	return put_side(obj, "ours", &ours);
}

static int add_state(struct json *arr, const struct verify_domain *d,
		     const struct verify_state *s)
{
	struct json *obj = json_new_object();
	int ret = 0;

	ret |= json_put_u64(obj, "khz", s->khz);
	if (s->volt_uv)
		ret |= json_put_u64(obj, "microvolt", s->volt_uv);
	if (s->tree_uv)
		ret |= json_put_u64(obj, "tree-microvolt", s->tree_uv);
	if (s->has_ours)
		ret |= put_ours(obj, d, s);
	if (s->in_kernel)
		ret |= put_side(obj, "kernel", &s->kernel);
	ret |= json_put_bool(obj, "equal", !s->differs && !s->coeffs_differs);
	if (s->cause[0])
		ret |= json_put_str(obj, "cause", s->cause);
	if (s->why[0])
		ret |= json_put_text(obj, "why", s->why);
	if (s->has_coeffs)
		ret |= json_put_u64(obj, "coeffs-power", s->coeffs_power);
	if (s->coeffs_differs)
		ret |= json_put_text(obj, "coeffs-why", s->coeffs_why);
	return ret | json_add(arr, obj);
}

static int put_items(struct json *obj, const struct verify_domain *d)
{
	struct json *arr = json_new_array();
	unsigned int i;
	int ret = 0;

	for (i = 0; i < d->item_count; i++) {
		struct json *one = json_new_object();

		ret |= json_put_str(one, "cause", d->items[i].cause);
		ret |= json_put_bool(one, "note", d->items[i].note);
		ret |= json_put_text(one, "text", d->items[i].text);
		ret |= json_add(arr, one);
	}
	return ret | json_put(obj, "items", arr);
}

static int put_model(struct json *obj, const struct verify_domain *d)
{
	static const char *const units[] = { "unknown", "uW", "mW", "abstract" };
	static const char *const sources[] = { "none", "coefficient", "opp-microwatt" };
	struct json *states = json_new_array();
	unsigned int i;
	int ret = 0;

	ret |= json_put_text(obj, "name", d->kernel->name);
	ret |= json_put_str(obj, "unit", units[d->unit]);
	ret |= json_put_str(obj, "unit-by", d->unit_why);
	ret |= json_put_str(obj, "power-by", sources[d->source]);
	if (!d->by_clock)
		ret |= json_put_u64(obj, "capacity", d->capacity);
	if (d->kernel->has_flags)
		ret |= json_put_u64(obj, "flags", d->kernel->flags & INT64_MAX);
	for (i = 0; i < d->state_count; i++)
		ret |= add_state(states, d, &d->states[i]);
	return ret | json_put(obj, "states", states);
}

static int add_pair(struct json *arr, const struct verify *v, const struct verify_pair *p)
{
	struct json *obj = json_new_object(), *cpus = json_new_array();
	const struct dt_cpu *cpu = p->in.domain < 0 ? NULL : &v->d->cpus[p->in.cpu];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < p->cpu_count; i++)
		ret |= json_add_u64(cpus, p->cpus[i]);
	ret |= json_put(obj, "cpus", cpus);
	if (cpu && cpu->compatible_count)
		ret |= json_put_text(obj, "compatible", cpu->compatibles[0]);
	if (p->out->has_dpc)
		ret |= json_put_u64(obj, "dynamic-power-coefficient",
				    p->out->dpc_uw_per_mhz_v2);
	ret |= json_put_bool(obj, "model", p->out->kernel != NULL);
	ret |= json_put_bool(obj, "equal", !verify_domain_differs(p->out));
	if (p->out->kernel)
		ret |= put_model(obj, p->out);
	ret |= put_items(obj, p->out);
	return ret | json_add(arr, obj);
}

int verify_print_json(const struct verify *v, FILE *out, struct err *err)
{
	const struct verify_sum sum = verify_sum(v);
	struct json *root = json_new_object(), *domains = json_new_array();
	char verdict[1024];
	unsigned int i;
	int ret = 0;

	verify_verdict(v, verdict, sizeof(verdict));
	ret |= json_put_bool(root, "equal", !sum.differs);
	ret |= json_put_text(root, "verdict", verdict);
	ret |= json_put_u64(root, "states", sum.states);
	ret |= json_put_u64(root, "differing", sum.differing);
	if (v->release[0])
		ret |= json_put_text(root, "kernel", v->release);
	ret |= json_put_str(root, "source", v->source);
	ret |= json_put_text(root, "tree", buf_file_name(v->tree));
	if (v->coeffs)
		ret |= json_put_text(root, "coeffs", v->coeffs_name);
	if (v->coeffs || v->board)
		ret |= json_put_bool(root, "virtual",
				     v->board || v->coeffs->virtual_board);
	if (v->board)
		ret |= json_put_text(root, "board", v->board->name);
	for (i = 0; i < v->pair_count; i++)
		ret |= add_pair(domains, v, &v->pairs[i]);
	ret |= json_put(root, "domains", domains);
	return json_finish(root, ret, out, err);
}
