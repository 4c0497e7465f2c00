// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit show for machines: the same facts, in the tree's units.
 */
#include "fdtedit/show.h"

#include <errno.h>
#include <inttypes.h>

#include "lib/json.h"

/* JSON's integers end at INT64_MAX. Only a broken tree has more, and shows it as text. */
static int put_number(struct json *obj, const char *key, uint64_t value)
{
	char text[24];

	if (value <= INT64_MAX)
		return json_put_u64(obj, key, value);
	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_put_str(obj, key, text);
}

static struct json *cpu_json(const struct dt_cpu *cpu)
{
	struct json *obj = json_new_object();
	struct json *list = json_new_array();
	int ret = obj && list ? 0 : -ENOMEM;

	if (!ret)
		ret = json_put_text(obj, "path", cpu->path);
	if (!ret && cpu->has_reg)
		ret = put_number(obj, "reg", cpu->reg);
	for (unsigned int i = 0; !ret && i < cpu->compatible_count; i++)
		ret = json_add_text(list, cpu->compatibles[i]);
	if (ret)
		json_free(list);
	else
		ret = json_put(obj, "compatible", list);
	if (!ret)
		ret = json_put_bool(obj, "enabled", cpu->enabled);
	if (!ret && cpu->has_capacity)
		ret = json_put_u64(obj, "capacity-dmips-mhz", cpu->capacity_dmips_mhz);
	if (!ret && cpu->has_dpc)
		ret = json_put_u64(obj, "dynamic-power-coefficient",
				   cpu->dpc_uw_per_mhz_v2);
	if (!ret)
		return obj;
	json_free(obj);
	return NULL;
}

static struct json *opp_json(const struct show *s, unsigned int domain, unsigned int i)
{
	const struct checks_domain *cd = &s->checks->domains[domain];
	const struct dt_opp *opp = &s->d->domains[domain].opps[i];
	struct json *obj = json_new_object();
	uint64_t power_uw;
	int ret;

	if (!obj)
		return NULL;
	ret = put_number(obj, "hz", opp->hz);
	if (opp->has_volt)
		ret |= json_put_u64(obj, "microvolt", opp->volt_uv);
	if (show_power_uw(s, domain, i, &power_uw))
		ret |= put_number(obj, "kernel-microwatt", power_uw);
	if (cd->has_current) {
		ret |= put_number(obj, "performance", cd->current[i].performance);
		ret |= put_number(obj, "cost", cd->current[i].cost);
		ret |= json_put_bool(obj, "inefficient", cd->current[i].inefficient);
	}
	if (opp->turbo)
		ret |= json_put_bool(obj, "turbo", true);
	if (opp->suspend)
		ret |= json_put_bool(obj, "suspend", true);
	if (opp->supported_hw)
		ret |= json_put_bool(obj, "supported-hw", true);
	if (!ret)
		return obj;
	json_free(obj);
	return NULL;
}

static int put_cpus(const struct show *s, const struct dt_domain *dom, struct json *obj)
{
	struct json *list = json_new_array();
	int ret = list ? 0 : -ENOMEM;

	for (unsigned int i = 0; !ret && i < dom->cpu_count; i++)
		ret = json_add(list, cpu_json(&s->d->cpus[dom->cpus[i]]));
	if (!ret)
		return json_put(obj, "cpus", list);
	json_free(list);
	return ret;
}

static int put_opps(const struct show *s, unsigned int domain, struct json *obj)
{
	struct json *list = json_new_array();
	int ret = list ? 0 : -ENOMEM;

	for (unsigned int i = 0; !ret && i < s->d->domains[domain].opp_count; i++)
		ret = json_add(list, opp_json(s, domain, i));
	if (!ret)
		return json_put(obj, "opps", list);
	json_free(list);
	return ret;
}

static int put_bins(const struct dt_domain *dom, struct json *obj)
{
	struct json *list = json_new_array();
	int ret = list ? 0 : -ENOMEM;

	for (unsigned int i = 0; !ret && i < dom->volt_bin_count; i++)
		ret = json_add_text(list, dom->volt_bins[i]);
	if (!ret)
		return json_put(obj, "speed-bins", list);
	json_free(list);
	return ret;
}

static int put_disabled(const struct dt_domain *dom, struct json *obj)
{
	struct json *list = json_new_array();
	int ret = list ? 0 : -ENOMEM;

	for (unsigned int i = 0; !ret && i < dom->disabled_count; i++)
		ret = json_add_u64(list, dom->disabled_hz[i]);
	if (!ret)
		return json_put(obj, "disabled-hz", list);
	json_free(list);
	return ret;
}

static struct json *domain_json(const struct show *s, unsigned int domain)
{
	static const char *const sources[] = {
		[CHECKS_NO_MODEL] = "none",
		[CHECKS_COEFFICIENT] = "coefficient",
		[CHECKS_OPP_MICROWATT] = "opp-microwatt",
	};
	const struct dt_domain *dom = &s->d->domains[domain];
	const struct checks_domain *cd = &s->checks->domains[domain];
	struct json *obj = json_new_object();
	int ret;

	if (!obj)
		return NULL;
	ret = put_cpus(s, dom, obj);
	if (dom->opp_path[0])
		ret |= json_put_text(obj, "opp-table", dom->opp_path);
	if (cd->has_capacity)
		ret |= json_put_u64(obj, "capacity", cd->capacity);
	ret |= json_put_str(obj, "power-from", sources[cd->source]);
	if (!cd->has_current && cd->current_why[0])
		ret |= json_put_text(obj, "no-energy-model", cd->current_why);
	if (dom->regulators)
		ret |= json_put_u64(obj, "regulators", dom->regulators);
	if (dom->volt_bin_count)
		ret |= put_bins(dom, obj);
	ret |= put_opps(s, domain, obj);
	if (dom->disabled_count)
		ret |= put_disabled(dom, obj);
	if (!ret)
		return obj;
	json_free(obj);
	return NULL;
}

static int put_domains(const struct show *s, struct json *root)
{
	struct json *list = json_new_array();
	int ret = list ? 0 : -ENOMEM;

	for (unsigned int i = 0; !ret && i < s->d->domain_count; i++)
		ret = json_add(list, domain_json(s, i));
	if (!ret)
		return json_put(root, "domains", list);
	json_free(list);
	return ret;
}

static int put_others(const struct show *s, struct json *root)
{
	struct json *list = json_new_array();
	int ret = list ? 0 : -ENOMEM;

	for (unsigned int i = 0; !ret && i < s->d->cpu_count; i++)
		if (s->d->cpus[i].domain < 0)
			ret = json_add(list, cpu_json(&s->d->cpus[i]));
	if (!ret)
		return json_put(root, "cpus-without-opp-table", list);
	json_free(list);
	return ret;
}

static struct json *place_json(const struct show *s, size_t i)
{
	size_t count;
	const struct edit_cpu *cpu = &dts_cpus(s->source, &count)[i];
	const char *odd = dts_odd_value(s->source, i);
	struct json *obj = json_new_object();
	unsigned int line;
	int ret;

	if (!obj)
		return NULL;
	ret = json_put_text(obj, "path", cpu->path);
	if (cpu->has_reg)
		ret |= put_number(obj, "reg", cpu->reg);
	if (odd)
		ret |= json_put_text(obj, "expression", odd);
	else if (cpu->has_value)
		ret |= json_put_u64(obj, "dynamic-power-coefficient", cpu->value);
	ret |= json_put_text(obj, "file", dts_place(s->source, i, &line));
	ret |= json_put_u64(obj, "line", line);
	if (!ret)
		return obj;
	json_free(obj);
	return NULL;
}

static int put_source(const struct show *s, struct json *root)
{
	struct json *list = json_new_array();
	int ret = list ? 0 : -ENOMEM;
	size_t count;

	dts_cpus(s->source, &count);
	for (size_t i = 0; !ret && i < count; i++)
		ret = json_add(list, place_json(s, i));
	if (!ret)
		return json_put(root, "source", list);
	json_free(list);
	return ret;
}

static int put_tree(const struct show *s, struct json *root)
{
	int ret = 0;

	if (s->d->root_compatible_count)
		ret = json_put_text(root, "compatible", s->d->root_compatibles[0]);
	if (!ret && s->d->model)
		ret = json_put_text(root, "model", s->d->model);
	if (!ret)
		ret = put_domains(s, root);
	return ret ? ret : put_others(s, root);
}

int show_json(const struct show *s, FILE *f, struct err *err)
{
	struct json *root = json_new_object();
	int ret = root ? 0 : -ENOMEM;

	if (!ret)
		ret = json_put_text(root, "file", s->file);
	if (!ret && s->source)
		ret = put_source(s, root);
	if (!ret && s->d)
		ret = put_tree(s, root);
	if (ret)
		err_errno(err, ret, "list of domains");
	else
		ret = json_write(root, f, err);
	json_free(root);
	return ret;
}
