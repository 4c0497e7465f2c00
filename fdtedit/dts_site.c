// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where in the text a property of a node stands, or would stand.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/dts_set.h"
#include "fdtedit/grow.h"

struct dts_pos dts_def_pos(const struct dts *d, const struct dts_def *def)
{
	if (def->item < 0)
		return (struct dts_pos){ def->inst, 0 };
	return (struct dts_pos){ def->inst,
				 dts_item_of(d, def->inst, def->item)->region };
}

struct dts_pos dts_site_pos(const struct dts *d, const struct dts_site *s)
{
	if (s->prop == DTS_NO_PROP)
		return dts_def_pos(d, &d->defs[s->def]);
	return (struct dts_pos){ d->defs[s->def].inst,
				 dts_item_of(d, d->defs[s->def].inst, s->prop)->region };
}

bool dts_is_live_def(const struct dts *d, const struct dts_def *def, const char *path)
{
	return def->path && !strcmp(def->path, path) &&
	       !dts_is_deleted(d, path, def->seq, dts_def_pos(d, def));
}

bool dts_is_definition(const struct dts_def *def)
{
	return !def->ref && def->item >= 0;
}

/* Does a later value replace this one whenever this one is there? */
static bool is_overridden(const struct dts *d, const char *path, const char *name,
			  size_t event)
{
	struct dts_pos pos = dts_event_pos(d, &d->events[event]);

	for (size_t i = event + 1; i < d->event_count; i++) {
		if (dts_is_live_prop(d, &d->events[i], path, name) &&
		    dts_within(d, dts_event_pos(d, &d->events[i]), pos))
			return true;
	}
	return false;
}

/* Is property @name taken away from the node after @def, maybe in an "#if"? */
static bool is_removed_after(const struct dts *d, const struct dts_def *def,
			     const char *name)
{
	for (size_t i = 0; i < d->event_count; i++) {
		const struct dts_event *e = &d->events[i];

		if (e->seq > def->seq && !strcmp(e->path, def->path) &&
		    dts_event_is(d, e, DTS_DEL_PROP, name))
			return true;
	}
	return false;
}

/* Where a property that is new may go. */
struct search {
	const struct dts *d;
	const char *path, *name;
	bool blocks; /* also into "&label" blocks of the file that was opened */
};

static bool may_hold(const struct search *s, size_t def)
{
	const struct dts_def *x = &s->d->defs[def];

	if (x->item < 0 || !dts_is_live_def(s->d, x, s->path))
		return false;
	return !x->ref || (s->blocks && !s->d->insts[x->inst].file &&
			   !is_removed_after(s->d, x, s->name));
}

/* The opened file's text goes first, then the node's own, then what comes first. */
static bool is_better(const struct dts *d, size_t a, size_t b)
{
	const struct dts_def *x = &d->defs[a], *y = &d->defs[b];
	bool here = !d->insts[x->inst].file;

	if (here != !d->insts[y->inst].file)
		return here;
	return x->ref != y->ref ? y->ref : a < b;
}

/* Of texts of the node the best; several where each may be there without the others. */
static bool is_home(const struct search *s, size_t def)
{
	struct dts_pos own = dts_def_pos(s->d, &s->d->defs[def]);

	if (!may_hold(s, def))
		return false;
	for (size_t i = 0; i < s->d->def_count; i++) {
		struct dts_pos pos = dts_def_pos(s->d, &s->d->defs[i]);

		if (i != def && may_hold(s, i) && dts_within(s->d, pos, own) &&
		    (!dts_within(s->d, own, pos) || is_better(s->d, i, def)))
			return false;
	}
	return true;
}

static int add_site(struct dts_sites *out, struct dts_site site, struct err *err)
{
	if (grow(&out->list, &out->cap, out->count, sizeof(site)))
		return err_set(err, -ENOMEM, "out of memory");
	out->list[out->count++] = site;
	return 0;
}

static int find_values(const struct dts *d, const char *path, const char *name,
		       struct dts_sites *out, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < d->event_count; i++) {
		const struct dts_event *e = &d->events[i];

		if (dts_is_live_prop(d, e, path, name) &&
		    !is_overridden(d, path, name, i))
			ret = add_site(out, (struct dts_site){ e->def, e->item, e->seq },
				       err);
	}
	return ret;
}

int dts_find_sites(const struct dts *d, const char *path, const char *name,
		   bool all_files, struct dts_sites *out, struct err *err)
{
	size_t first = out->count, values;
	int ret = find_values(d, path, name, out, err);
	struct search s = { d, path, name, !all_files && out->count == first };

	values = out->count;
	for (size_t i = 0; !ret && i < d->def_count; i++) {
		bool covered = !is_home(&s, i);

		for (size_t k = first; k < values && !covered; k++)
			covered = !dts_exclusive(d, dts_site_pos(d, &out->list[k]),
						 dts_def_pos(d, &d->defs[i]));
		if (!covered)
			ret = add_site(
				out, (struct dts_site){ i, DTS_NO_PROP, d->defs[i].seq },
				err);
	}
	return ret;
}
