// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the source says of one CPU node: reg, compatible, frequency domain, coefficient.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/dts_set.h"
#include "fdtedit/grow.h"
#include "fdtedit/node.h"

/* Keep @text (which may be NULL: out of memory) until dts_free(). */
static const char *keep(struct dts *d, char *text)
{
	if (!text || grow(&d->strings, &d->string_cap, d->string_count, sizeof(text))) {
		free(text);
		return NULL;
	}
	d->strings[d->string_count++] = text;
	return text;
}

bool dts_event_is(const struct dts *d, const struct dts_event *e, enum dts_item_kind kind,
		  const char *name)
{
	const struct dts_item *it = dts_item_of(d, e->inst, e->item);

	return it->kind == kind &&
	       (!name || dts_span_is(dts_tree_of(d, e->inst), it->name, name));
}

struct dts_pos dts_event_pos(const struct dts *d, const struct dts_event *e)
{
	return (struct dts_pos){ e->inst, dts_item_of(d, e->inst, e->item)->region };
}

bool dts_is_deleted(const struct dts *d, const char *path, size_t seq, struct dts_pos pos)
{
	for (size_t i = 0; i < d->deletion_count; i++) {
		const struct dts_event *e = &d->deletions[i];

		if (e->seq > seq && node_is_at_or_below(path, e->path) &&
		    dts_within(d, dts_event_pos(d, e), pos))
			return true;
	}
	return false;
}

bool dts_is_live_prop(const struct dts *d, const struct dts_event *e, const char *path,
		      const char *name)
{
	return !strcmp(e->path, path) && dts_event_is(d, e, DTS_PROP, name) &&
	       !dts_is_deleted(d, path, e->seq, dts_event_pos(d, e));
}

/* The value that counts at @pos: the last one that is not in another branch; or NULL. */
static const struct dts_event *last_prop(const struct dts *d, const char *path,
					 const char *name, struct dts_pos pos)
{
	for (size_t i = d->event_count; i-- > 0;) {
		const struct dts_event *e = &d->events[i];

		if (dts_is_live_prop(d, e, path, name) &&
		    !dts_exclusive(d, dts_event_pos(d, e), pos))
			return e;
	}
	return NULL;
}

/* May event @i be the value that counts at @pos, when the "#if" are as they may be? */
static bool may_count(const struct dts *d, size_t i, const char *path, const char *name,
		      struct dts_pos pos)
{
	const struct dts_event *e = &d->events[i];
	struct dts_pos own = dts_event_pos(d, e);

	if (!dts_is_live_prop(d, e, path, name) || dts_exclusive(d, own, pos))
		return false;
	while (++i < d->event_count) {
		struct dts_pos later = dts_event_pos(d, &d->events[i]);

		if (dts_is_live_prop(d, &d->events[i], path, name) &&
		    (dts_within(d, later, own) || dts_within(d, later, pos)))
			return false;
	}
	return true;
}

bool dts_is_cpu(const struct dts *d, const char *path)
{
	const char *name = path + strlen("/cpus/");

	if (!strcmp(name, "cpu") || !strncmp(name, "cpu@", 4))
		return true;
	for (size_t i = 0; i < d->event_count; i++) {
		const struct dts_event *e = &d->events[i];
		const struct dts_tree *t = dts_tree_of(d, e->inst);
		const struct dts_item *it = dts_item_of(d, e->inst, e->item);
		size_t v;

		if (!dts_is_live_prop(d, e, path, "device_type"))
			continue;
		v = dts_next(t, it->value, it->value_end);
		if (v < it->value_end &&
		    dts_span_is(t,
				(struct dts_span){ t->tokens.list[v].start,
						   t->tokens.list[v].end },
				"\"cpu\""))
			return true;
	}
	return false;
}

/* #address-cells of /cpus when it is written out as a number; else 0. */
static unsigned int address_cells(const struct dts *d)
{
	unsigned int cells = 0;

	for (size_t i = 0; i < d->def_count; i++) {
		const struct dts_def *def = &d->defs[i];
		const struct dts_tree *t = dts_tree_of(d, def->inst);

		if (!def->path || strcmp(def->path, "/cpus"))
			continue;
		for (size_t k = 0; k < t->item_count; k++) {
			struct dts_number n;
			size_t token;

			if (t->items[k].parent == def->item &&
			    t->items[k].kind == DTS_PROP &&
			    dts_span_is(t, t->items[k].name, "#address-cells") &&
			    !dts_plain_value(t, &t->items[k], &n, &token) && n.value <= 2)
				cells = n.value;
		}
	}
	return cells;
}

/* The first entry of reg, when it is written in numbers. */
static void read_reg(const struct dts *d, const struct dts_event *e, unsigned int cells,
		     struct edit_cpu *cpu)
{
	const struct dts_tree *t = dts_tree_of(d, e->inst);
	const struct dts_item *it = dts_item_of(d, e->inst, e->item);
	size_t i = dts_next(t, it->value, it->value_end);
	struct dts_number n;
	unsigned int count = 0;
	uint64_t value = 0;

	if (it->split || !dts_is_punct(t, i, '<'))
		return;
	for (i++; (i = dts_next(t, i, it->value_end)) < it->value_end; i++) {
		if (dts_is_punct(t, i, '>'))
			break;
		if (cells && count == cells)
			break;
		if (dts_token_number(t, i, it->value_end, &n) || n.value > UINT32_MAX)
			return;
		value = value << 32 | n.value;
		count++;
	}
	cpu->has_reg = cells ? count == cells : count == 1 || count == 2;
	cpu->reg = value;
}

static int read_compatible(struct dts *d, const struct dts_event *e, struct edit_cpu *cpu)
{
	const struct dts_tree *t = dts_tree_of(d, e->inst);
	const struct dts_item *it = dts_item_of(d, e->inst, e->item);

	for (size_t i = it->value; i < it->value_end && !it->split; i++) {
		const struct dts_token *k = &t->tokens.list[i];
		const char *text;

		if (k->kind != DTS_STRING ||
		    memchr(t->text + k->start, '\\', k->end - k->start))
			continue;
		if (cpu->compatible_count == EDITS_MAX_COMPATIBLES)
			break;
		text = keep(d, strndup(t->text + k->start + 1, k->end - k->start - 2));
		if (!text)
			return -ENOMEM;
		cpu->compatibles[cpu->compatible_count++] = text;
	}
	return 0;
}

static bool has_prop(const struct dts *d, const char *path, const char *name)
{
	for (size_t i = 0; i < d->def_count; i++) {
		const struct dts_def *def = &d->defs[i];
		const struct dts_tree *t = dts_tree_of(d, def->inst);

		if (!def->path || strcmp(def->path, path))
			continue;
		for (size_t k = 0; k < t->item_count; k++) {
			if (t->items[k].parent == def->item &&
			    t->items[k].kind == DTS_PROP &&
			    dts_span_is(t, t->items[k].name, name))
				return true;
		}
	}
	return false;
}

/* A token and a blank: paths for references, and numbers in one way. 0 or -ENOMEM. */
static int add_token(const struct dts *d, const struct dts_tree *t, size_t i,
		     struct buf *out)
{
	const struct dts_token *k = &t->tokens.list[i];
	char *path = NULL;
	struct dts_number n;
	int ret;

	if (k->kind == DTS_REF)
		path = dts_ref_path(d, t->text + k->start, k->end - k->start);
	if (path)
		ret = buf_addf(out, "%s ", path);
	else if (!dts_token_number(t, i, i + 1, &n))
		ret = buf_addf(out, "%" PRIu64 " ", n.value);
	else
		ret = buf_addf(out, "%.*s ", (int)(k->end - k->start),
			       t->text + k->start);
	free(path);
	return ret;
}

/* The value's tokens that mean something. NULL: out of memory. */
static char *value_text(const struct dts *d, const struct dts_event *e)
{
	const struct dts_tree *t = dts_tree_of(d, e->inst);
	const struct dts_item *it = dts_item_of(d, e->inst, e->item);
	struct buf b = { 0 };

	for (size_t i = it->value; (i = dts_next(t, i, it->value_end)) < it->value_end;
	     i++) {
		if (add_token(d, t, i, &b)) {
			buf_free(&b);
			return NULL;
		}
	}
	return b.data;
}

/* The path of the first "&label" in the property's value; NULL when it is not known. */
static char *referred(const struct dts *d, const struct dts_tree *t,
		      const struct dts_item *it)
{
	for (size_t i = it->value; i < it->value_end; i++) {
		const struct dts_token *k = &t->tokens.list[i];

		if (k->kind == DTS_REF)
			return dts_ref_path(d, t->text + k->start, k->end - k->start);
	}
	return NULL;
}

static char *opp_path(const struct dts *d, const char *path, struct dts_pos pos)
{
	const struct dts_event *e = last_prop(d, path, "operating-points-v2", pos);

	if (!e)
		return NULL;
	return referred(d, dts_tree_of(d, e->inst), dts_item_of(d, e->inst, e->item));
}

/* Does the node of cpu-map, core or thread, name the CPU node @path? */
static bool names_cpu(const struct dts *d, const struct dts_def *def, const char *path)
{
	const struct dts_tree *t = dts_tree_of(d, def->inst);

	for (size_t i = def->item + 1; i < t->item_count; i++) {
		const struct dts_item *it = &t->items[i];
		char *cpu;
		bool same;

		if (it->first > t->items[def->item].last)
			break;
		if (it->parent != def->item || it->kind != DTS_PROP ||
		    !dts_span_is(t, it->name, "cpu"))
			continue;
		cpu = referred(d, t, it);
		same = cpu && !strcmp(cpu, path);
		free(cpu);
		if (same)
			return true;
	}
	return false;
}

static const char *map_path(const struct dts *d, const char *path, struct dts_pos pos)
{
	static const char map[] = "/cpus/cpu-map/";

	for (size_t i = d->def_count; i-- > 0;) {
		const struct dts_def *def = &d->defs[i];
		struct dts_pos own = { def->inst, 0 };

		if (!def->path || def->item < 0 || strncmp(def->path, map, strlen(map)) ||
		    !names_cpu(d, def, path))
			continue;
		own.region = dts_item_of(d, def->inst, def->item)->region;
		if (!dts_exclusive(d, own, pos) &&
		    !dts_is_deleted(d, def->path, def->seq, own))
			return def->path;
	}
	return NULL;
}

/* Token of reference number @index in a list of them; value_end: it has less. */
static size_t find_ref(const struct dts_tree *t, const struct dts_item *it, size_t index)
{
	size_t i = it->value;

	for (; i < it->value_end; i++)
		if (t->tokens.list[i].kind == DTS_REF && !index--)
			break;
	return i;
}

/* Do SCMI or SCPI set clocks by this node? As lib/dtcpus_clock.c. */
static bool is_firmware(const struct dts *d, const char *node, struct dts_pos pos)
{
	static const char scmi[] = "/protocol@13";
	const struct dts_event *e = last_prop(d, node, "compatible", pos);
	size_t len = strlen(node);
	char *text;
	bool scpi;

	if (len > strlen(scmi) && !strcmp(node + len - strlen(scmi), scmi))
		return true;
	text = e ? value_text(d, e) : NULL;
	scpi = text && strstr(text, "\"arm,scpi-dvfs-clocks\"");
	free(text);
	return scpi;
}

/* Entry @index of a list of references when that is firmware's: path and arguments. */
static char *firmware_entry(const struct dts *d, const struct dts_event *e, size_t index,
			    struct dts_pos pos)
{
	const struct dts_tree *t = dts_tree_of(d, e->inst);
	const struct dts_item *it = dts_item_of(d, e->inst, e->item);
	size_t i = find_ref(t, it, index), end = it->value_end;
	const struct dts_token *k = &t->tokens.list[i];
	char *node = NULL;
	struct buf b = { 0 };

	if (i < end)
		node = dts_ref_path(d, t->text + k->start, k->end - k->start);
	if (node && is_firmware(d, node, pos)) {
		do {
			if (add_token(d, t, i, &b)) {
				buf_free(&b);
				break;
			}
			i = dts_next(t, i + 1, end);
		} while (i < end && t->tokens.list[i].kind != DTS_REF &&
			 !dts_is_punct(t, i, '>'));
	}
	free(node);
	return b.data;
}

/* Which of power-domain-names is "perf"; -1: none. */
static int find_perf(const struct dts *d, const char *path, struct dts_pos pos)
{
	const struct dts_event *e = last_prop(d, path, "power-domain-names", pos);
	const struct dts_tree *t = e ? dts_tree_of(d, e->inst) : NULL;
	const struct dts_item *it = e ? dts_item_of(d, e->inst, e->item) : NULL;
	int n = 0;

	for (size_t i = e ? it->value : 0; e && i < it->value_end; i++) {
		const struct dts_token *k = &t->tokens.list[i];

		if (k->kind != DTS_STRING)
			continue;
		if (dts_span_is(t, (struct dts_span){ k->start, k->end }, "\"perf\""))
			return n;
		n++;
	}
	return -1;
}

static char *firmware_key(const struct dts *d, const char *path, struct dts_pos pos)
{
	const struct dts_event *clocks = last_prop(d, path, "clocks", pos);
	const struct dts_event *power = last_prop(d, path, "power-domains", pos);
	char *key = clocks ? firmware_entry(d, clocks, 0, pos) : NULL;
	int perf = find_perf(d, path, pos);

	return key || !power || perf < 0 ? key : firmware_entry(d, power, perf, pos);
}

/*
 * What CPUs of one frequency domain have in common: qcom,freq-domain,
 * performance-domains, a clock of firmware, or an OPP table with opp-shared (as
 * lib/dtcpus.c reads a compiled tree). NULL: alone, or not known.
 */
static char *domain_key(const struct dts *d, const char *path, struct dts_pos pos)
{
	const struct dts_event *e = last_prop(d, path, "qcom,freq-domain", pos);
	char *table;

	if (!e)
		e = last_prop(d, path, "performance-domains", pos);
	if (e)
		return value_text(d, e);
	table = firmware_key(d, path, pos);
	if (table)
		return table;
	table = opp_path(d, path, pos);
	if (table && !has_prop(d, table, "opp-shared")) {
		free(table);
		table = NULL;
	}
	return table;
}

static int domain_number(struct dts *d, const char *path, struct dts_pos pos)
{
	const char *key = keep(d, domain_key(d, path, pos));

	/* The key that the same text got first. */
	for (size_t i = 0; key && i < d->string_count; i++) {
		if (!strcmp(d->strings[i], key))
			return i;
	}
	return -1;
}

static int read_fact(struct dts *d, const struct dts_event *e, struct edit_cpu *cpu)
{
	if (dts_event_is(d, e, DTS_PROP, "compatible"))
		return read_compatible(d, e, cpu);
	read_reg(d, e, address_cells(d), cpu);
	return 0;
}

/* What the CPU node is with the property of event @e in place of its last one. */
static int add_other(struct dts *d, const struct dts_event *e, struct edit_cpu *cpu)
{
	struct edit_cpu *other = malloc(sizeof(*other));

	if (!other || grow(&d->others, &d->other_cap, d->other_count, sizeof(other))) {
		free(other);
		return -ENOMEM;
	}
	d->others[d->other_count++] = other;
	*other = *cpu;
	if (dts_event_is(d, e, DTS_PROP, "compatible"))
		other->compatible_count = 0;
	else
		other->has_reg = false;
	cpu->other = other;
	return read_fact(d, e, other);
}

int dts_read_facts(struct dts *d, const char *path, struct dts_pos pos,
		   struct edit_cpu *cpu)
{
	static const char *const names[] = { "reg", "compatible" };
	int ret = 0;

	cpu->domain = domain_number(d, path, pos);
	cpu->opp_path = keep(d, opp_path(d, path, pos));
	cpu->map_path = map_path(d, path, pos);
	for (size_t n = 0; n < 2 && !ret; n++) {
		const struct dts_event *e = last_prop(d, path, names[n], pos);

		if (e)
			ret = read_fact(d, e, cpu);
	}
	for (size_t n = 0; n < 2; n++) {
		const struct dts_event *last = last_prop(d, path, names[n], pos);

		for (size_t i = 0; i < d->event_count && !ret; i++)
			if (&d->events[i] != last && may_count(d, i, path, names[n], pos))
				ret = add_other(d, &d->events[i], cpu);
	}
	return ret;
}

int dts_read_value(struct dts *d, int inst, int prop, struct edit_cpu *cpu)
{
	const struct dts_tree *t = dts_tree_of(d, inst);
	struct dts_number n;
	size_t token;

	cpu->has_value = true;
	if (!dts_plain_value(t, &t->items[prop], &n, &token)) {
		cpu->value = n.value;
		return 0;
	}
	d->odd_values[d->cpu_count] = keep(d, dts_quote_value(t, &t->items[prop]));
	return d->odd_values[d->cpu_count] ? 0 : -ENOMEM;
}

const char *dts_odd_value(const struct dts *d, size_t i)
{
	return i < d->cpu_count ? d->odd_values[i] : NULL;
}
