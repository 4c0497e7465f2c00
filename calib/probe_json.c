// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine's facts and what is missing, as JSON. What is unknown is left out.
 */
#include "calib/probe.h"

#include <errno.h>
#include <string.h>

#include "lib/json.h"

static int put_known_text(struct json *obj, const char *key, const char *text)
{
	return text[0] ? json_put_text(obj, key, text) : 0;
}

static int put_known(struct json *obj, const char *key, uint64_t value)
{
	return value ? json_put_u64(obj, key, value) : 0;
}

static int put_numbers(struct json *obj, const char *key, const unsigned int *list,
		       unsigned int n)
{
	struct json *arr = json_new_array();
	unsigned int i;
	int ret = 0;

	for (i = 0; i < n; i++)
		ret |= json_add_u64(arr, list[i]);
	return ret | json_put(obj, key, arr);
}

static int put_answer(struct json *obj, const char *key, enum facts_answer answer)
{
	return answer == FACTS_UNKNOWN ? 0 : json_put_bool(obj, key, answer == FACTS_YES);
}

static int put_opps(struct json *obj, const struct facts_cluster *c)
{
	struct json *arr = json_new_array();
	unsigned int i;
	int ret = 0;

	for (i = 0; i < c->opp_count; i++) {
		struct json *opp = json_new_object();

		ret |= json_put_u64(opp, "khz", c->opps[i].khz);
		ret |= put_known(opp, "microvolt", c->opps[i].volt_uv);
		ret |= json_add(arr, opp);
	}
	ret |= json_put(obj, "opps", arr);
	ret |= json_put_str(obj, "opp-source", c->opp_source);
	return ret | put_known_text(obj, "volt-source", c->volt_source);
}

static int put_policy(struct json *obj, const struct facts_cluster *c)
{
	int ret = 0;

	if (!c->policy_count)
		return 0;
	ret |= put_numbers(obj, "policies", c->policies, c->policy_count);
	ret |= put_known_text(obj, "driver", c->driver);
	ret |= put_known_text(obj, "governor", c->governor);
	ret |= put_known_text(obj, "governors", c->governors);
	ret |= put_known(obj, "min-khz", c->min_khz);
	ret |= put_known(obj, "max-khz", c->max_khz);
	ret |= put_known(obj, "limit-min-khz", c->limit_min_khz);
	ret |= put_known(obj, "limit-max-khz", c->limit_max_khz);
	if (c->boost_count) {
		ret |= put_numbers(obj, "boost-khz", c->boost_khz, c->boost_count);
		ret |= json_put_bool(obj, "boost", c->boost_on);
	}
	if (!c->no_pin[0])
		ret |= json_put_str(obj, "pinned-by",
				    c->way == CPUFREQ_SETSPEED ? "userspace" : "limits");
	return ret;
}

static int put_sensor(struct json *obj, const struct facts_cluster *c)
{
	struct json *s;
	int ret = 0;

	if (!c->sensor[0])
		return 0;
	s = json_new_object();
	ret |= json_put_text(s, "name", c->sensor);
	ret |= put_known(s, "interval-us", c->sensor_interval_us);
	ret |= json_put_bool(s, "tells-voltage", c->volt_measured);
	return ret | json_put(obj, "sensor", s);
}

static int put_thermal(struct json *obj, const struct facts *f,
		       const struct facts_cluster *c)
{
	struct json *zones = json_new_array(), *coolers = json_new_array(), *one;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < c->zone_count; i++) {
		const struct facts_zone *z = &f->zones[c->zones[i]];

		one = json_new_object();
		ret |= json_put_u64(one, "zone", z->id);
		ret |= json_put_text(one, "type", z->type);
		if (z->has_temp)
			ret |= json_put_i64(one, "temp-mc", z->temp_mc);
		ret |= json_add(zones, one);
	}
	for (i = 0; i < c->cooler_count; i++) {
		const struct facts_cooler *k = &f->coolers[c->coolers[i]];

		one = json_new_object();
		ret |= json_put_u64(one, "device", k->id);
		ret |= json_put_text(one, "type", k->type);
		if (k->has_state)
			ret |= json_put_u64(one, "state", k->state);
		ret |= put_known(one, "max-state", k->max);
		ret |= json_add(coolers, one);
	}
	ret |= json_put(obj, "thermal-zones", zones);
	return ret | json_put(obj, "cooling-devices", coolers);
}

static int add_cluster(struct json *arr, const struct facts *f,
		       const struct facts_cluster *c)
{
	struct json *obj = json_new_object();
	int ret = 0;

	ret |= json_put_text(obj, "name", c->name);
	ret |= put_known_text(obj, "compatible", c->compatible);
	ret |= put_numbers(obj, "cpus", c->cpus, c->cpu_count);
	ret |= put_numbers(obj, "offline", c->offline, c->offline_count);
	ret |= put_policy(obj, c);
	ret |= put_opps(obj, c);
	ret |= put_known_text(obj, "regulator", c->regulator);
	ret |= put_known(obj, "regulator-microvolt", c->regulator_uv);
	ret |= put_known(obj, "capacity-dmips-mhz", c->capacity_dmips_mhz);
	ret |= put_known(obj, "cpu-capacity", c->capacity);
	ret |= put_sensor(obj, c);
	ret |= put_thermal(obj, f, c);
	return ret | json_add(arr, obj);
}

static int put_meters(struct json *root, const struct facts *f)
{
	struct json *arr = json_new_array();
	unsigned int i;
	int ret = 0;

	for (i = 0; i < f->meter_count; i++) {
		const struct facts_meter *m = &f->meters[i];
		struct json *one = json_new_object();

		ret |= json_put_text(one, "name", m->name);
		ret |= json_put_text(one, "kind", m->kind);
		ret |= json_put_text(one, "unit", m->unit);
		ret |= put_known(one, "interval-us", m->interval_us);
		ret |= json_put_bool(one, "averages", m->averages);
		if (m->has_power)
			ret |= json_put_i64(one, "power-uw", m->power_uw);
		else
			ret |= json_put_text(one, "no-reading", m->why);
		ret |= json_add(arr, one);
	}
	return ret | json_put(root, "power-meters", arr);
}

static int put_domains(struct json *obj, const struct facts *f)
{
	struct json *arr = json_new_array();
	unsigned int i;
	int ret = 0;

	for (i = 0; i < f->domain_count; i++) {
		const struct facts_domain *d = &f->domains[i];
		struct json *one = json_new_object();

		ret |= json_put_text(one, "name", d->name);
		ret |= put_numbers(one, "cpus", d->cpus, d->cpu_count);
		ret |= json_put_u64(one, "states", d->state_count);
		ret |= json_put_u64(one, "inefficient", d->inefficient);
		ret |= put_known(one, "top-khz", d->top_khz);
		ret |= put_known(one, "top-power", d->top_power);
		ret |= json_put_bool(one, "microwatt", d->unit == EM_MICROWATT);
		ret |= json_add(arr, one);
	}
	return ret | json_put(obj, "energy-model", arr);
}

static int put_eas(struct json *root, const struct facts *f)
{
	struct json *obj = json_new_object(), *configs = json_new_object();
	unsigned int i;
	int ret = 0;

	if (f->em_shown != FACTS_UNKNOWN)
		ret |= put_domains(obj, f);
	if (f->domain_count) {
		ret |= json_put_u64(obj, "complexity", probe_complexity(f, false));
		ret |= json_put_u64(obj, "complexity-pruned", probe_complexity(f, true));
	}
	ret |= put_answer(obj, "sched-energy-aware", f->energy_aware);
	ret |= put_answer(obj, "smt", f->smt);
	ret |= put_answer(obj, "frequency-invariant", f->invariant);
	for (i = 0; i < FACTS_CONFIGS; i++)
		ret |= put_answer(configs, f->configs[i].name, f->configs[i].set);
	ret |= json_put(obj, "config", configs);
	return ret | json_put(root, "eas", obj);
}

static int put_items(struct json *root, const struct probe *p)
{
	static const char *const kinds[] = { "missing", "unseen", "note" };
	struct json *arr = json_new_array();
	unsigned int i;
	int ret = 0;

	for (i = 0; i < p->item_count; i++) {
		const struct probe_item *item = &p->items[i];
		struct json *one = json_new_object();

		ret |= json_put_str(one, "kind", kinds[item->kind]);
		ret |= json_put_str(one, "for", item->eas ? "eas" : "calibration");
		ret |= json_put_text(one, "what", item->what);
		ret |= put_known_text(one, "todo", item->todo);
		ret |= json_add(arr, one);
	}
	return ret | json_put(root, "items", arr);
}

int probe_print_json(const struct probe *p, FILE *out, struct err *err)
{
	struct json *root = json_new_object(), *clusters = json_new_array();
	const struct facts *f = p->facts;
	unsigned int i;
	int ret = 0;

	ret |= json_put_bool(root, "virtual", f->virtual_board);
	ret |= put_known_text(root, "board", f->board);
	ret |= put_known_text(root, "compatible", f->compatible);
	ret |= put_known_text(root, "model", f->model);
	ret |= put_known_text(root, "kernel", f->kernel);
	ret |= put_known_text(root, "cpus-online", f->online);
	ret |= put_known_text(root, "cpus-offline", f->offline);
	ret |= json_put_bool(root, "can-calibrate", !probe_missing(p, false));
	for (i = 0; i < f->cluster_count; i++)
		ret |= add_cluster(clusters, f, &f->clusters[i]);
	ret |= json_put(root, "clusters", clusters);
	ret |= put_meters(root, f);
	ret |= json_put_bool(root, "cycle-counters", f->cycles);
	if (f->pmus[0])
		ret |= json_put_text(root, "cpu-pmus", f->pmus);
	ret |= put_eas(root, f);
	ret |= put_items(root, p);
	return json_finish(root, ret, out, err);
}
