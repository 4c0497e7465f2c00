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

/*
 * The node's own text, to put a value into: in the file that was opened when it has one,
 * else anywhere. Of several, the first; and the first in each branch of an "#if".
 */
static bool is_home(const struct dts *d, const char *path, size_t def)
{
	bool here = false;

	if (!dts_is_definition(&d->defs[def]) || !dts_is_live_def(d, &d->defs[def], path))
		return false;
	for (size_t i = 0; i < d->def_count; i++)
		here |= !d->insts[d->defs[i].inst].file &&
			dts_is_definition(&d->defs[i]) &&
			dts_is_live_def(d, &d->defs[i], path);
	if (here && d->insts[d->defs[def].inst].file)
		return false;
	for (size_t i = 0; i < def; i++) {
		if (dts_is_definition(&d->defs[i]) &&
		    dts_is_live_def(d, &d->defs[i], path) &&
		    !(here && d->insts[d->defs[i].inst].file) &&
		    dts_within(d, dts_def_pos(d, &d->defs[i]),
			       dts_def_pos(d, &d->defs[def])))
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
		   struct dts_sites *out, struct err *err)
{
	size_t first = out->count, values;
	int ret = find_values(d, path, name, out, err);

	values = out->count;
	for (size_t i = 0; !ret && i < d->def_count; i++) {
		bool covered = !is_home(d, path, i);

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
