// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which CPU nodes a source file and its includes make, and where in the text each one's
 * coefficient stands or would stand.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/dts_set.h"
#include "fdtedit/grow.h"
#include "lib/text.h"

#define NO_PROP (-1)

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

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

__attribute__((format(printf, 2, 3))) static void note(struct dts *d, const char *fmt,
						       ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if (grow(&d->notes, &d->note_cap, d->note_count, sizeof(text)))
		free(text);
	else
		d->notes[d->note_count++] = text;
}

const char *dts_note(const struct dts *d, size_t i)
{
	return i < d->note_count ? d->notes[i] : NULL;
}

const char *dts_odd_value(const struct dts *d, size_t i)
{
	return i < d->cpu_count ? d->odd_values[i] : NULL;
}

static struct dts_pos event_pos(const struct dts *d, const struct dts_event *e)
{
	return (struct dts_pos){ e->inst, dts_item_of(d, e->inst, e->item)->region };
}

/* Of the node's body: what stands right inside of its braces. */
static struct dts_pos def_pos(const struct dts *d, const struct dts_def *def)
{
	if (def->item < 0)
		return (struct dts_pos){ def->inst, 0 };
	return (struct dts_pos){ def->inst,
				 dts_item_of(d, def->inst, def->item)->region };
}

static struct dts_pos site_pos(const struct dts *d, const struct dts_site *s)
{
	if (s->prop == NO_PROP)
		return def_pos(d, &d->defs[s->def]);
	return (struct dts_pos){ d->defs[s->def].inst,
				 dts_item_of(d, d->defs[s->def].inst, s->prop)->region };
}

static bool event_is(const struct dts *d, const struct dts_event *e,
		     enum dts_item_kind kind, const char *name)
{
	const struct dts_item *it = dts_item_of(d, e->inst, e->item);

	return it->kind == kind &&
	       (!name || dts_span_is(dts_tree_of(d, e->inst), it->name, name));
}

/* Is @path the node @above or below it? */
static bool is_below(const char *path, const char *above)
{
	size_t n = strlen(above);

	return !strncmp(path, above, n) && (!path[n] || path[n] == '/');
}

/* Is what stands at @seq deleted later in dtc's reading, with its node or one above? */
static bool is_deleted(const struct dts *d, const char *path, size_t seq,
		       struct dts_pos pos)
{
	for (size_t i = 0; i < d->deletion_count; i++) {
		const struct dts_event *e = &d->deletions[i];

		if (e->seq > seq && is_below(path, e->path) &&
		    dts_within(d, event_pos(d, e), pos))
			return true;
	}
	return false;
}

static bool is_live_def(const struct dts *d, const struct dts_def *def, const char *path)
{
	return def->path && !strcmp(def->path, path) &&
	       !is_deleted(d, path, def->seq, def_pos(d, def));
}

static bool is_live_prop(const struct dts *d, const struct dts_event *e, const char *path,
			 const char *name)
{
	return !strcmp(e->path, path) && event_is(d, e, DTS_PROP, name) &&
	       !is_deleted(d, path, e->seq, event_pos(d, e));
}

/* A node that stands in the text as a node, not only as "&label". */
static bool is_definition(const struct dts_def *def)
{
	return !def->ref && def->item >= 0;
}

/* The value that counts at @pos: the last one that is not in another branch; or NULL. */
static const struct dts_event *last_prop(const struct dts *d, const char *path,
					 const char *name, struct dts_pos pos)
{
	for (size_t i = d->event_count; i-- > 0;) {
		const struct dts_event *e = &d->events[i];

		if (is_live_prop(d, e, path, name) &&
		    !dts_exclusive(d, event_pos(d, e), pos))
			return e;
	}
	return NULL;
}

/* As of_get_next_cpu_node(): called "cpu", or of device type "cpu". */
static bool is_cpu(const struct dts *d, const char *path)
{
	const char *name = path + strlen("/cpus/");

	if (!strcmp(name, "cpu") || !strncmp(name, "cpu@", 4))
		return true;
	for (size_t i = 0; i < d->event_count; i++) {
		const struct dts_event *e = &d->events[i];
		const struct dts_tree *t = dts_tree_of(d, e->inst);
		const struct dts_item *it = dts_item_of(d, e->inst, e->item);
		size_t v;

		if (!is_live_prop(d, e, path, "device_type"))
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

/* The value's tokens that mean something, a blank between two. NULL: out of memory. */
static char *value_text(const struct dts *d, const struct dts_event *e)
{
	const struct dts_tree *t = dts_tree_of(d, e->inst);
	const struct dts_item *it = dts_item_of(d, e->inst, e->item);
	struct buf b = { 0 };

	for (size_t i = it->value; (i = dts_next(t, i, it->value_end)) < it->value_end;
	     i++) {
		const struct dts_token *k = &t->tokens.list[i];

		if (buf_add(&b, t->text + k->start, k->end - k->start) ||
		    buf_adds(&b, " ")) {
			buf_free(&b);
			return NULL;
		}
	}
	return b.data;
}

/*
 * What CPUs of one frequency domain have in common: qcom,freq-domain, else an OPP table
 * with opp-shared (as lib/dtcpus.c reads a compiled tree). NULL: alone, or not known.
 */
static char *domain_key(const struct dts *d, const char *path, struct dts_pos pos)
{
	const struct dts_event *e = last_prop(d, path, "qcom,freq-domain", pos);
	const struct dts_tree *t;
	const struct dts_token *k;
	size_t i;
	char *table;

	if (e)
		return value_text(d, e);
	e = last_prop(d, path, "operating-points-v2", pos);
	if (!e)
		return NULL;
	t = dts_tree_of(d, e->inst);
	i = dts_item_of(d, e->inst, e->item)->value;
	while (i < t->tokens.count && t->tokens.list[i].kind != DTS_REF &&
	       !dts_is_punct(t, i, ';'))
		i++;
	if (i == t->tokens.count || t->tokens.list[i].kind != DTS_REF)
		return NULL;
	k = &t->tokens.list[i];
	table = dts_ref_path(d, t->text + k->start, k->end - k->start);
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

/* The value as it stands, on one line and not too long. */
static char *quote_value(const struct dts_tree *t, const struct dts_item *p)
{
	size_t first = dts_next(t, p->value, p->value_end), last = p->value_end;
	uint32_t start, len;
	char *text;

	while (last > first && dts_is_trivia(&t->tokens.list[last - 1]))
		last--;
	if (first == last)
		return strdup("");
	start = t->tokens.list[first].start;
	len = t->tokens.list[last - 1].end - start;
	if (asprintf(&text, "%.*s%s", len < 60 ? (int)len : 60, t->text + start,
		     len < 60 ? "" : "...") < 0)
		return NULL;
	for (char *c = text; *c; c++) {
		if (*c == '\n' || *c == '\t' || *c == '\r')
			*c = ' ';
	}
	text_clean(text);
	return text;
}

/* Sets cpus[cpu_count].value, and its odd_values entry when it is no number. */
static int read_value(struct dts *d, int inst, int prop, struct edit_cpu *cpu)
{
	const struct dts_tree *t = dts_tree_of(d, inst);
	struct dts_number n;
	size_t token;

	cpu->has_value = true;
	if (!dts_plain_value(t, &t->items[prop], &n, &token)) {
		cpu->value = n.value;
		return 0;
	}
	d->odd_values[d->cpu_count] = keep(d, quote_value(t, &t->items[prop]));
	return d->odd_values[d->cpu_count] ? 0 : -ENOMEM;
}

static int add_site(struct dts *d, const char *path, struct dts_site site,
		    struct err *err)
{
	const struct dts_def *def = &d->defs[site.def];
	struct edit_cpu *cpu = &d->cpus[d->cpu_count];
	struct dts_pos pos = site_pos(d, &site);
	const struct dts_event *e;

	if (d->cpu_count == EDITS_MAX)
		return err_set(err, -ERANGE, "more than %d CPU nodes", EDITS_MAX);
	*cpu = (struct edit_cpu){ .path = path };
	e = last_prop(d, path, "reg", pos);
	if (e)
		read_reg(d, e, address_cells(d), cpu);
	e = last_prop(d, path, "compatible", pos);
	if (e && read_compatible(d, e, cpu))
		return no_memory(err);
	cpu->domain = domain_number(d, path, pos);
	if (site.prop != NO_PROP && read_value(d, def->inst, site.prop, cpu))
		return no_memory(err);
	d->sites[d->cpu_count++] = site;
	return 0;
}

/* Does a later value replace this one whenever this one is there? */
static bool is_overridden(const struct dts *d, const char *path, size_t event)
{
	struct dts_pos pos = event_pos(d, &d->events[event]);

	for (size_t i = event + 1; i < d->event_count; i++) {
		if (is_live_prop(d, &d->events[i], path, EDITS_PROPERTY) &&
		    dts_within(d, event_pos(d, &d->events[i]), pos))
			return true;
	}
	return false;
}

/*
 * The node's own text, to put a value into: in the file that was opened when it has one,
 * else anywhere. Of several, the first; and the first in each branch of an "#if".
 */
static bool is_home(const struct dts *d, const char *path, size_t def)
{
	bool here = false;

	if (!is_definition(&d->defs[def]) || !is_live_def(d, &d->defs[def], path))
		return false;
	for (size_t i = 0; i < d->def_count; i++)
		here |= !d->insts[d->defs[i].inst].file && is_definition(&d->defs[i]) &&
			is_live_def(d, &d->defs[i], path);
	if (here && d->insts[d->defs[def].inst].file)
		return false;
	for (size_t i = 0; i < def; i++) {
		if (is_definition(&d->defs[i]) && is_live_def(d, &d->defs[i], path) &&
		    !(here && d->insts[d->defs[i].inst].file) &&
		    dts_within(d, def_pos(d, &d->defs[i]), def_pos(d, &d->defs[def])))
			return false;
	}
	return true;
}

/* Values that stand inside an "#if" with nothing in its other branch. */
static void note_conditional(struct dts *d, size_t first)
{
	for (size_t i = first; i < d->cpu_count; i++) {
		const struct dts_site *s = &d->sites[i];
		const struct dts_def *def = &d->defs[s->def];
		bool alone = s->prop != NO_PROP;

		if (alone && dts_within(d, site_pos(d, s), def_pos(d, def)))
			continue;
		for (size_t k = first; k < d->cpu_count; k++) {
			struct dts_pos other = site_pos(d, &d->sites[k]);

			alone &= k == i || !(dts_exclusive(d, site_pos(d, s), other) ||
					     dts_within(d, other, site_pos(d, s)));
		}
		if (alone)
			note(d,
			     "%s:%u: " EDITS_PROPERTY
			     " of '%s' stands inside an #if: without it the CPU has none",
			     d->files[d->insts[def->inst].file]->path,
			     dts_item_of(d, def->inst, s->prop)->line, d->cpus[i].path);
	}
}

/* Deletions that come after every place where the value will be. */
static void note_deletions(struct dts *d, const char *path, size_t first)
{
	for (size_t i = 0; i < d->event_count; i++) {
		const struct dts_event *e = &d->events[i];
		bool takes = false, later = false;

		if (strcmp(e->path, path) ||
		    !event_is(d, e, DTS_DEL_PROP, EDITS_PROPERTY))
			continue;
		for (size_t k = first; k < d->cpu_count; k++) {
			bool after = e->seq > d->sites[k].seq;

			takes |= after && !dts_exclusive(d, event_pos(d, e),
							 site_pos(d, &d->sites[k]));
			later |= !after && dts_within(d, site_pos(d, &d->sites[k]),
						      event_pos(d, e));
		}
		if (takes && !later)
			note(d,
			     "%s:%u: /delete-property/ takes " EDITS_PROPERTY
			     " away from '%s' again",
			     d->files[d->insts[e->inst].file]->path,
			     dts_item_of(d, e->inst, e->item)->line, path);
	}
}

/* All places of one CPU node. */
static int add_cpu(struct dts *d, const char *path, struct err *err)
{
	size_t first = d->cpu_count, values;
	int ret = 0;

	for (size_t i = 0; !ret && i < d->event_count; i++) {
		const struct dts_event *e = &d->events[i];

		if (is_live_prop(d, e, path, EDITS_PROPERTY) &&
		    !is_overridden(d, path, i))
			ret = add_site(d, path,
				       (struct dts_site){ e->def, e->item, e->seq }, err);
	}
	values = d->cpu_count;
	for (size_t i = 0; !ret && i < d->def_count; i++) {
		bool covered = !is_home(d, path, i);

		for (size_t k = first; k < values && !covered; k++)
			covered = !dts_exclusive(d, site_pos(d, &d->sites[k]),
						 def_pos(d, &d->defs[i]));
		if (!covered)
			ret = add_site(d, path,
				       (struct dts_site){ i, NO_PROP, d->defs[i].seq },
				       err);
	}
	if (!ret)
		note_conditional(d, first);
	if (!ret)
		note_deletions(d, path, first);
	return ret;
}

static bool seen(const struct dts *d, const char *path)
{
	for (size_t i = 0; i < d->cpu_count; i++) {
		if (!strcmp(d->cpus[i].path, path))
			return true;
	}
	return false;
}

/* The name in "#define NAME"; false when the directive is another. */
static bool macro_name(const struct dts_tree *t, const struct dts_token *k,
		       struct dts_span *name)
{
	static const char blanks[] = " \t";
	uint32_t pos = k->start + 1;

	while (pos < k->end && memchr(blanks, t->text[pos], 2))
		pos++;
	if (k->end - pos < 6 || memcmp(t->text + pos, "define", 6))
		return false;
	for (pos += 6; pos < k->end && memchr(blanks, t->text[pos], 2); pos++)
		;
	name->start = pos;
	while (pos < k->end &&
	       (isalnum((unsigned char)t->text[pos]) || t->text[pos] == '_'))
		pos++;
	name->end = pos;
	return pos > name->start;
}

bool dts_macro(const struct dts_tree *t, const char *text, size_t *i,
	       struct dts_span *name)
{
	for (; *i < t->tokens.count; ++*i) {
		const struct dts_token *k = &t->tokens.list[*i];

		if (k->kind == DTS_DIRECTIVE &&
		    memmem(t->text + k->start, k->end - k->start, text, strlen(text)) &&
		    macro_name(t, k, name))
			return true;
	}
	return false;
}

static void note_macros(struct dts *d)
{
	struct dts_span name;

	for (size_t i = 0; i < d->file_count; i++) {
		const struct dts_tree *t = &d->files[i]->tree;
		size_t at = 0;

		if (dts_macro(t, "\"cpu\"", &at, &name))
			note(d, "%s:%u: this macro makes CPU nodes: they are not edited",
			     d->files[i]->path, t->tokens.list[at].line);
	}
}

int dts_find_cpus(struct dts *d, struct err *err)
{
	int ret;

	note_macros(d);
	for (size_t i = 0; i < d->def_count; i++) {
		const char *path = d->defs[i].path;

		if (!path || strncmp(path, "/cpus/", 6) || strchr(path + 6, '/') ||
		    !is_definition(&d->defs[i]) || !is_live_def(d, &d->defs[i], path) ||
		    seen(d, path) || !is_cpu(d, path))
			continue;
		ret = add_cpu(d, path, err);
		if (ret)
			return ret;
	}
	if (d->cpu_count)
		return 0;
	if (d->missing)
		return err_set(
			err, -ENOENT,
			"'%s' has no CPU node, and %s was not found: say where with -I",
			d->files[0]->path, d->missing);
	return err_set(err, -ENOENT, "'%s' has no CPU node", d->files[0]->path);
}
