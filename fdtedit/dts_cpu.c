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

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
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

static int add_site(struct dts *d, const char *path, struct dts_site site,
		    struct err *err)
{
	const struct dts_def *def = &d->defs[site.def];
	struct edit_cpu *cpu = &d->cpus[d->cpu_count];
	struct dts_pos pos = dts_site_pos(d, &site);

	if (d->cpu_count == EDITS_MAX)
		return err_set(err, -ERANGE, "more than %d CPU nodes", EDITS_MAX);
	*cpu = (struct edit_cpu){ .path = path };
	if (dts_read_facts(d, path, pos, cpu) ||
	    (site.prop != DTS_NO_PROP && dts_read_value(d, def->inst, site.prop, cpu)))
		return no_memory(err);
	d->sites[d->cpu_count++] = site;
	return 0;
}

/* May the node be there without the value at @value? */
static bool may_lack(const struct dts *d, const char *path, struct dts_pos value)
{
	for (size_t i = 0; i < d->def_count; i++) {
		const struct dts_def *def = &d->defs[i];
		struct dts_pos own = dts_def_pos(d, def);

		if (dts_is_definition(def) && dts_is_live_def(d, def, path) &&
		    !dts_exclusive(d, value, own) && !dts_within(d, value, own))
			return true;
	}
	return false;
}

/* Values that stand inside an "#if" with nothing in its other branch. */
static void note_conditional(struct dts *d, size_t first)
{
	for (size_t i = first; i < d->cpu_count; i++) {
		const struct dts_site *s = &d->sites[i];
		const struct dts_def *def = &d->defs[s->def];
		bool alone = s->prop != DTS_NO_PROP;

		alone = alone && may_lack(d, d->cpus[i].path, dts_site_pos(d, s));
		for (size_t k = first; k < d->cpu_count; k++) {
			struct dts_pos other = dts_site_pos(d, &d->sites[k]);

			alone &= k == i ||
				 !(dts_exclusive(d, dts_site_pos(d, s), other) ||
				   dts_within(d, other, dts_site_pos(d, s)));
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
		struct dts_pos pos;
		bool takes = false, always = true, later = false;

		if (strcmp(e->path, path) ||
		    !dts_event_is(d, e, DTS_DEL_PROP, EDITS_PROPERTY))
			continue;
		pos = dts_event_pos(d, e);
		for (size_t k = first; k < d->cpu_count; k++) {
			struct dts_pos site = dts_site_pos(d, &d->sites[k]);
			bool after = e->seq > d->sites[k].seq;

			later |= !after && dts_within(d, site, pos);
			if (!after || dts_exclusive(d, pos, site))
				continue;
			takes = true;
			always &= dts_within(d, pos, site);
			d->cpus[k].deleted |= dts_within(d, pos, site);
		}
		if (takes && !later)
			note(d,
			     "%s:%u: /delete-property/%s takes " EDITS_PROPERTY
			     " away from '%s' again",
			     d->files[d->insts[e->inst].file]->path,
			     dts_item_of(d, e->inst, e->item)->line,
			     always ? "" : " inside an #if", path);
	}
}

bool dts_is_certain(const struct dts *d, size_t i)
{
	const struct dts_site *s = &d->sites[i];
	const char *path = d->cpus[i].path;

	if (dts_in_if(d, dts_site_pos(d, s)))
		return false;
	for (size_t k = 0; k < d->event_count; k++) {
		const struct dts_event *e = &d->events[k];

		if (e->seq > s->seq && !strcmp(e->path, path) &&
		    dts_event_is(d, e, DTS_DEL_PROP, EDITS_PROPERTY))
			return false;
	}
	return true;
}

/* All places of one CPU node. */
static int add_cpu(struct dts *d, const char *path, bool all_files, struct err *err)
{
	size_t first = d->cpu_count;
	struct dts_sites sites = { 0 };
	int ret = dts_find_sites(d, path, EDITS_PROPERTY, all_files, &sites, err);

	for (size_t i = 0; i < sites.count && !ret; i++)
		ret = add_site(d, path, sites.list[i], err);
	free(sites.list);
	if (ret)
		return ret;
	note_conditional(d, first);
	note_deletions(d, path, first);
	return 0;
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

/* Does the token hold @text, and not as a part of a longer name? */
static bool holds(const struct dts_tree *t, const struct dts_token *k, const char *text)
{
	const char *end = t->text + k->end, *at = t->text + k->start;
	size_t n = strlen(text);

	for (; (at = memmem(at, end - at, text, n)); at++) {
		bool before = at > t->text && dts_is_name_char(at[-1]);
		bool after = at + n < end && dts_is_name_char(at[n]);

		if (!(before && dts_is_name_char(text[0])) &&
		    !(after && dts_is_name_char(text[n - 1])))
			return true;
	}
	return false;
}

bool dts_macro(const struct dts_tree *t, const char *text, size_t *i,
	       struct dts_span *name)
{
	for (; *i < t->tokens.count; ++*i) {
		const struct dts_token *k = &t->tokens.list[*i];

		if (k->kind == DTS_DIRECTIVE && holds(t, k, text) &&
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

int dts_find_cpus(struct dts *d, bool all_files, struct err *err)
{
	int ret;

	note_macros(d);
	for (size_t i = 0; i < d->def_count; i++) {
		const char *path = d->defs[i].path;

		if (!path || strncmp(path, "/cpus/", 6) || strchr(path + 6, '/') ||
		    !dts_is_definition(&d->defs[i]) ||
		    !dts_is_live_def(d, &d->defs[i], path) || seen(d, path) ||
		    !dts_is_cpu(d, path))
			continue;
		ret = add_cpu(d, path, all_files, err);
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
