// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What 'calib check' found, as JSON. Every number is an integer or has six digits.
 */
#include "calib/check_print.h"

#include <errno.h>
#include <string.h>

#include "lib/json.h"
#include "lib/text.h"

/* Text that holds names from a tree, which may be no UTF-8. */
static int put_text(struct json *obj, const char *key, const char *text)
{
	char clean[CHECKS_TEXT];

	snprintf(clean, sizeof(clean), "%s", text);
	text_clean(clean);
	return json_put_str(obj, key, clean);
}

/* Indices of the marked states, with the kernel's lines for v5.6. */
static int put_rule(struct json *obj, const char *key, bool has, const char *why,
		    const struct em_state *states, size_t n, int cpu)
{
	struct json *rule = json_new_object();
	struct json *marked = json_new_array();
	struct json *lines = json_new_array();
	char line[160];
	int ret = 0;
	size_t i;

	for (i = 0; has && i < n; i++) {
		if (!states[i].inefficient)
			continue;
		ret |= json_add_u64(marked, i);
		em_v56_message(line, sizeof(line), cpu, i);
		ret |= json_add_str(lines, line);
	}
	ret |= json_put_bool(rule, "computed", has);
	if (!has)
		ret |= put_text(rule, "why", why);
	ret |= json_put(rule, "states", marked);
	if (cpu >= 0)
		ret |= json_put(rule, "messages", lines);
	else
		json_free(lines);
	return ret | json_put(obj, key, rule);
}

static int put_states(struct json *obj, const struct checks_domain *cd)
{
	struct json *states = json_new_array();
	int ret = 0;
	size_t i;

	for (i = 0; cd->has_current && i < cd->state_count; i++) {
		struct json *state = json_new_object();

		ret |= json_put_u64(state, "khz", cd->current[i].khz);
		ret |= json_put_u64(state, "microwatt", cd->current[i].power);
		ret |= json_put_u64(state, "performance", cd->current[i].performance);
		ret |= json_put_u64(state, "cost", cd->current[i].cost);
		ret |= json_put_bool(state, "inefficient", cd->current[i].inefficient);
		ret |= json_add(states, state);
	}
	return ret | json_put(obj, "states", states);
}

static int add_domain(struct json *list, const struct dt_domain *dom,
		      const struct checks_domain *cd)
{
	struct json *obj = json_new_object();
	struct json *cpus = json_new_array();
	unsigned int i;
	int ret = 0;

	for (i = 0; i < dom->cpu_count; i++)
		ret |= json_add_u64(cpus, dom->cpus[i]);
	ret |= json_put(obj, "cpus", cpus);
	ret |= put_text(obj, "compatible", cd->compatible);
	if (cd->has_capacity)
		ret |= json_put_u64(obj, "capacity", cd->capacity);
	if (cd->has_dpc)
		ret |= json_put_u64(obj, "dynamic-power-coefficient",
				    cd->dpc_uw_per_mhz_v2);
	ret |= json_put_bool(obj, "opp-microwatt", cd->source == CHECKS_OPP_MICROWATT);
	ret |= put_states(obj, cd);
	ret |= put_rule(obj, "v5.6", cd->has_v56, cd->v56_why, cd->v56, cd->state_count,
			cd->first_cpu);
	ret |= put_rule(obj, "current", cd->has_current, cd->current_why, cd->current,
			cd->state_count, -1);
	return ret | json_add(list, obj);
}

static int put_ratio(struct json *root, const struct checks_ratio *r)
{
	struct json *obj;
	int ret = 0;

	if (!r->known)
		return 0;
	obj = json_new_object();
	ret |= json_put_u64(obj, "big-domain", r->big);
	ret |= json_put_u64(obj, "little-domain", r->little);
	if (r->has_dpc)
		ret |= json_put_real(obj, "by-coefficient", r->by_dpc, 6);
	if (r->has_power) {
		ret |= json_put_real(obj, "by-top-opp-power", r->by_top_power, 6);
		ret |= json_put_real(obj, "by-equal-clock-power", r->by_equal_power, 6);
		ret |= json_put_u64(obj, "big-equal-khz", r->big_equal_khz);
		ret |= json_put_u64(obj, "little-equal-khz", r->little_equal_khz);
	}
	if (r->has_band) {
		ret |= json_put_real(obj, "band-min", r->band_min, 6);
		ret |= json_put_real(obj, "band-max", r->band_max, 6);
		ret |= json_put_bool(obj, "in-band", r->in_band);
	}
	return ret | json_put(root, "ratio", obj);
}

static int add_item(struct json *list, const struct checks_item *item)
{
	static const char *const severities[] = {
		[CHECKS_FINDING] = "finding",
		[CHECKS_NOTE] = "note",
		[CHECKS_LEFT_OUT] = "left out",
	};
	struct json *obj = json_new_object();
	int ret = 0;

	ret |= json_put_str(obj, "severity", severities[item->severity]);
	ret |= json_put_str(obj, "check", item->check);
	if (item->domain >= 0)
		ret |= json_put_u64(obj, "domain", item->domain);
	ret |= json_put_bool(obj, "ignored", item->ignored);
	ret |= put_text(obj, "text", item->text);
	return ret | json_add(list, obj);
}

static int add_note(struct json *list, const char *text)
{
	struct json *obj = json_new_object();

	return put_text(obj, "text", text) | json_add(list, obj);
}

int check_print_json(FILE *f, const char *path, const struct check_facts *facts,
		     const struct checks *c, struct err *err)
{
	struct json *root = json_new_object();
	struct json *domains = json_new_array();
	struct json *items = json_new_array();
	struct json *notes = json_new_array();
	unsigned int i;
	int ret = 0;

	ret |= put_text(root, "input", path);
	ret |= json_put_bool(root, "ok", !checks_findings(c));
	if (check_facts_virtual(facts))
		ret |= json_put_bool(root, "virtual", true);
	for (i = 0; i < c->domain_count; i++)
		ret |= add_domain(domains, &facts->d->domains[i], &c->domains[i]);
	ret |= json_put(root, "domains", domains);
	ret |= put_ratio(root, &c->ratio);
	for (i = 0; i < c->item_count; i++)
		ret |= add_item(items, &c->items[i]);
	ret |= json_put(root, "findings", items);
	if (check_facts_virtual(facts))
		ret |= add_note(notes, "VIRTUAL: " CHECK_FACTS_VIRTUAL);
	for (i = 0; i < facts->note_count; i++)
		ret |= add_note(notes, facts->notes[i]);
	ret |= json_put(root, "notes", notes);
	ret = ret ? err_set(err, -ENOMEM, "cannot build the JSON output")
		  : json_write(root, f, err);
	json_free(root);
	return ret;
}
