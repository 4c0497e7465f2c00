// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Changes of a compiled tree, carried out on the source that it was compiled from.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/changes.h"
#include "fdtedit/dts.h"
#include "fdtedit/dts_set.h"
#include "fdtedit/node.h"

/* May the file be edited? @what: a property that is there, or "": the node. */
static int check_file(const struct dts *d, int inst, int item, const char *what,
		      const char *path, const struct dts_opts *opts, struct err *err)
{
	if (!d->insts[inst].file || opts->all_files)
		return 0;
	return err_set(err, -EPERM,
		       "%s%s'%s' is in '%s' (line %u); --all-files edits it there, for "
		       "all that include it",
		       what, *what ? " of " : "node ", path,
		       d->files[d->insts[inst].file]->path,
		       dts_item_of(d, inst, item)->line);
}

/* A later line that takes the property away again, whatever the "#if" are. */
static const struct dts_event *find_removal(const struct dts *d, const char *path,
					    const char *property, size_t seq,
					    struct dts_pos pos)
{
	for (size_t i = 0; i < d->event_count; i++) {
		const struct dts_event *e = &d->events[i];

		if (e->seq > seq && !strcmp(e->path, path) &&
		    dts_event_is(d, e, DTS_DEL_PROP, property) &&
		    dts_within(d, dts_event_pos(d, e), pos))
			return e;
	}
	return NULL;
}

static int set_at(struct dts *d, const struct dts_site *site, const struct change *c,
		  const struct dts_opts *opts, struct err *err)
{
	const struct dts_want want = { c->path, c->property, c->type, c->value.data,
				       c->value.len };
	const struct dts_def *def = &d->defs[site->def];
	const struct dts_event *removal;
	bool is_new = site->prop == DTS_NO_PROP;
	int ret = check_file(d, def->inst, is_new ? def->item : site->prop,
			     is_new ? "" : c->property, c->path, opts, err);

	if (ret)
		return ret;
	removal = find_removal(d, c->path, c->property, site->seq, dts_site_pos(d, site));
	if (removal)
		return err_set(
			err, -EINVAL,
			"%s:%u: /delete-property/ takes %s away from '%s' again: take "
			"that line out first",
			d->files[d->insts[removal->inst].file]->path,
			dts_item_of(d, removal->inst, removal->item)->line, c->property,
			c->path);
	return dts_edit_set(d, site, &want, opts->force, err);
}

static int set_property(struct dts *d, const struct change *c,
			const struct dts_opts *opts, struct err *err)
{
	struct dts_sites sites = { 0 };
	int ret = dts_find_sites(d, c->path, c->property, opts->all_files, &sites, err);

	if (!ret && !sites.count)
		ret = err_set(err, -ENOENT,
			      "no text of node '%s' was found: a macro or an overlay's "
			      "'&label' may make it; edit "
			      "it by hand",
			      c->path);
	for (size_t i = 0; i < sites.count && !ret; i++)
		ret = set_at(d, &sites.list[i], c, opts, err);
	free(sites.list);
	return ret;
}

/* All that give it: without the last one, the one before would count. */
static int delete_property(struct dts *d, const struct change *c,
			   const struct dts_opts *opts, struct err *err)
{
	bool any = false;
	int ret = 0;

	for (size_t i = 0; i < d->event_count && !ret; i++) {
		const struct dts_event *e = &d->events[i];

		if (!dts_is_live_prop(d, e, c->path, c->property) ||
		    find_removal(d, c->path, c->property, e->seq, dts_event_pos(d, e)))
			continue;
		any = true;
		ret = check_file(d, e->inst, e->item, c->property, c->path, opts, err);
		if (!ret)
			ret = dts_edit_remove(d, e->inst, e->item, err);
	}
	if (!ret && !any)
		ret = err_set(
			err, -ENOENT,
			"no line that gives %s to '%s' was found: a macro may; edit "
			"it by hand",
			c->property, c->path);
	return ret;
}

/* Text of the node, or of one below that stands elsewhere; not inside of other such. */
static bool goes_with(const struct dts *d, const struct dts_def *def, const char *node)
{
	const struct dts_item *it;

	if (def->item < 0 || !def->path || !node_is_at_or_below(def->path, node) ||
	    !dts_is_live_def(d, def, def->path))
		return false;
	it = dts_item_of(d, def->inst, def->item);
	if (strcmp(def->path, node) == 0)
		return true;
	return it->parent < 0 || def->ref;
}

/* What the node's braces hold of other files stays there, so the node must not go. */
static int check_includes(const struct dts *d, const struct dts_def *def, struct err *err)
{
	const struct dts_tree *t = dts_tree_of(d, def->inst);
	const struct dts_item *node = &t->items[def->item];

	for (size_t i = def->item; i < t->item_count; i++) {
		const struct dts_item *it = &t->items[i];

		if (it->first > node->last)
			break;
		if (it->kind == DTS_INCLUDE)
			return err_set(
				err, -EINVAL,
				"%s:%u: '%s' includes a file in its braces: delete "
				"it by hand",
				d->files[d->insts[def->inst].file]->path, it->line,
				def->path);
	}
	return 0;
}

static int delete_node(struct dts *d, const struct change *c, const struct dts_opts *opts,
		       struct err *err)
{
	bool any = false;
	int ret = 0;

	if (!strcmp(c->path, "/"))
		return err_set(err, -EINVAL, "the root node cannot be deleted");
	for (size_t i = 0; i < d->def_count && !ret; i++) {
		const struct dts_def *def = &d->defs[i];

		if (!goes_with(d, def, c->path))
			continue;
		any = true;
		ret = check_file(d, def->inst, def->item, "", def->path, opts, err);
		if (!ret)
			ret = check_includes(d, def, err);
		if (!ret)
			ret = dts_edit_remove(d, def->inst, def->item, err);
	}
	if (!ret && !any)
		ret = err_set(err, -ENOENT,
			      "no text of node '%s' was found: a macro or an overlay's "
			      "'&label' may make it; edit "
			      "it by hand",
			      c->path);
	return ret;
}

int dts_change(struct dts *d, const struct changes *changes, const struct dts_opts *opts,
	       struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < changes->count && !ret; i++) {
		const struct change *c = &changes->list[i];

		if (c->kind == CHANGE_SET)
			ret = set_property(d, c, opts, err);
		else if (c->kind == CHANGE_DELETE)
			ret = delete_property(d, c, opts, err);
		else
			ret = delete_node(d, c, opts, err);
	}
	return ret ? ret : dts_edit_rewrite(d, err);
}
