// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a source file with all its includes and works out which path each node has.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fdtedit/dts_set.h"
#include "fdtedit/grow.h"

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

const struct dts_tree *dts_tree_of(const struct dts *d, int inst)
{
	return &d->files[d->insts[inst].file]->tree;
}

const struct dts_item *dts_item_of(const struct dts *d, int inst, int item)
{
	return &dts_tree_of(d, inst)->items[item];
}

/* One step out of the innermost "#if"; false when there is none around it. */
static bool step_out(const struct dts *d, struct dts_pos *pos)
{
	if (pos->region) {
		pos->region = dts_tree_of(d, pos->inst)->regions[pos->region].parent;
		return true;
	}
	if (d->insts[pos->inst].parent < 0)
		return false;
	pos->region = d->insts[pos->inst].region;
	pos->inst = d->insts[pos->inst].parent;
	return true;
}

/* An include outside of any "#if" adds nothing: count from the file that includes. */
static struct dts_pos normal(const struct dts *d, struct dts_pos pos)
{
	while (!pos.region && d->insts[pos.inst].parent >= 0)
		step_out(d, &pos);
	return pos;
}

bool dts_within(const struct dts *d, struct dts_pos outer, struct dts_pos inner)
{
	outer = normal(d, outer);
	do {
		inner = normal(d, inner);
		if (inner.inst == outer.inst && inner.region == outer.region)
			return true;
	} while (step_out(d, &inner));
	return false;
}

bool dts_in_if(const struct dts *d, struct dts_pos pos)
{
	return normal(d, pos).region;
}

bool dts_exclusive(const struct dts *d, struct dts_pos a, struct dts_pos b)
{
	do {
		struct dts_pos c = b;

		do {
			const struct dts_region *r = dts_tree_of(d, a.inst)->regions;

			if (a.inst == c.inst && a.region != c.region &&
			    r[a.region].group && r[a.region].group == r[c.region].group)
				return true;
		} while (step_out(d, &c));
	} while (step_out(d, &a));
	return false;
}

const struct dts_def *dts_def_by_path(const struct dts *d, const char *path)
{
	for (size_t i = 0; i < d->def_count; i++) {
		if (d->defs[i].path && !strcmp(d->defs[i].path, path))
			return &d->defs[i];
	}
	return NULL;
}

static const char *label_path(const struct dts *d, const char *label, size_t len)
{
	/* The last one: a label that was deleted with its node may be given again. */
	for (size_t i = d->label_count; i-- > 0;) {
		const struct dts_label *l = &d->labels[i];

		if (l->span.end - l->span.start == len &&
		    !memcmp(d->files[l->file]->text.data + l->span.start, label, len))
			return d->defs[l->def].path;
	}
	return NULL;
}

char *dts_label_path(const struct dts *d, const char *label)
{
	const char *path = label_path(d, label, strlen(label));

	return path ? strdup(path) : NULL;
}

char *dts_ref_path(const struct dts *d, const char *ref, size_t len)
{
	const char *slash, *base;
	char *path;

	if (len < 2 || ref[0] != '&')
		return NULL;
	if (ref[1] != '{') {
		base = label_path(d, ref + 1, len - 1);
		return base ? strdup(base) : NULL;
	}
	ref += 2;
	len -= 3;
	slash = memchr(ref, '/', len);
	if (slash == ref)
		return strndup(ref, len);
	if (!slash)
		return NULL;
	base = label_path(d, ref, slash - ref);
	if (!base || asprintf(&path, "%s%.*s", base, (int)(ref + len - slash), slash) < 0)
		return NULL;
	return path;
}

/* "/a" + "b" */
static char *join(const char *parent, const char *name, size_t len)
{
	char *path;

	if (asprintf(&path, "%s/%.*s", strcmp(parent, "/") ? parent : "", (int)len,
		     name) < 0)
		return NULL;
	return path;
}

static bool says_device_type_cpu(const struct dts_tree *t, int node)
{
	for (size_t i = node + 1; i < t->item_count; i++) {
		const struct dts_item *p = &t->items[i];
		size_t v;

		if (p->kind != DTS_PROP || p->parent != node ||
		    !dts_span_is(t, p->name, "device_type"))
			continue;
		v = dts_next(t, p->value, p->value_end);
		return v < p->value_end &&
		       dts_span_is(t,
				   (struct dts_span){ t->tokens.list[v].start,
						      t->tokens.list[v].end },
				   "\"cpu\"");
	}
	return false;
}

/*
 * The path of a node whose parent is not known: in a fragment, or in "&label" with the
 * label in another file. Bindings put CPU nodes into /cpus and nowhere else.
 */
static char *guess_path(const struct dts_tree *t, int item)
{
	const struct dts_item *node = &t->items[item];

	if (dts_span_is(t, node->name, "cpus"))
		return strdup("/cpus");
	if (!says_device_type_cpu(t, item))
		return NULL;
	return join("/cpus", t->text + node->name.start,
		    node->name.end - node->name.start);
}

static void set_path(struct dts *d, struct dts_def *def, const struct dts_def *parent)
{
	const struct dts_tree *t = dts_tree_of(d, def->inst);
	const struct dts_item *node = &t->items[def->item];
	const char *name = t->text + node->name.start;
	size_t len = node->name.end - node->name.start;

	if (len == 1 && name[0] == '/') {
		def->path = strdup("/");
	} else if (name[0] == '&') {
		def->ref = true;
		def->path = dts_ref_path(d, name, len);
		def->open = !def->path;
	} else if (parent->path) {
		def->path = join(parent->path, name, len);
	} else if (parent->open) {
		def->path = guess_path(t, def->item);
	}
}

static int add_def(struct dts *d, const struct dts_def *new, struct err *err)
{
	if (grow(&d->defs, &d->def_cap, d->def_count, sizeof(*d->defs)))
		return no_memory(err);
	d->defs[d->def_count] = *new;
	d->defs[d->def_count++].seq = d->seq++;
	return 0;
}

static int add_labels(struct dts *d, size_t def, struct err *err)
{
	int inst = d->defs[def].inst;
	const struct dts_tree *t = dts_tree_of(d, inst);
	struct dts_span span;

	for (unsigned int n = 0; !dts_label(t, &t->items[d->defs[def].item], n, &span);
	     n++) {
		if (grow(&d->labels, &d->label_cap, d->label_count, sizeof(*d->labels)))
			return no_memory(err);
		d->labels[d->label_count++] =
			(struct dts_label){ span, d->insts[inst].file, def };
	}
	return 0;
}

/* Keep a property, or its deletion, of a node whose path is known. */
static int add_event(struct dts *d, int inst, int item, size_t def, struct err *err)
{
	if (!d->defs[def].path)
		return 0;
	if (grow(&d->events, &d->event_cap, d->event_count, sizeof(*d->events)))
		return no_memory(err);
	d->events[d->event_count++] = (struct dts_event){ inst, item, def,
							  d->defs[def].path, d->seq++ };
	return 0;
}

/* Keep the deletion of a node: what stands inside goes with it. */
static int add_deletion(struct dts *d, int inst, int item, size_t def, struct err *err)
{
	const struct dts_tree *t = dts_tree_of(d, inst);
	const struct dts_item *it = &t->items[item];
	const char *name = t->text + it->name.start;
	const char *parent = d->defs[def].path;
	size_t len = it->name.end - it->name.start;
	struct dts_event ev = { inst, item, def, NULL, 0 };

	if (name[0] == '&')
		ev.path = dts_ref_path(d, name, len);
	else if (parent)
		ev.path = join(parent, name, len);
	if (!ev.path)
		return 0;
	if (grow(&d->deletions, &d->deletion_cap, d->deletion_count, sizeof(ev))) {
		free(ev.path);
		return no_memory(err);
	}
	ev.seq = d->seq++;
	d->deletions[d->deletion_count++] = ev;
	return 0;
}

static void free_file(struct dts_file *f)
{
	free(f->path);
	free(f->real);
	buf_free(&f->text);
	buf_free(&f->new_text);
	dts_tree_free(&f->tree);
	free(f);
}

static struct dts_file *known_file(const struct dts *d, const char *real, size_t *index)
{
	for (*index = 0; *index < d->file_count; (*index)++) {
		if (!strcmp(d->files[*index]->real, real))
			return d->files[*index];
	}
	return NULL;
}

/* Read and parse @path unless that was done before; @index says which file it is. */
static int load_file(struct dts *d, const char *path, size_t *index, struct err *err)
{
	char *real = realpath(path, NULL);
	struct dts_file *f;
	int ret;

	if (!real)
		return err_errno(err, -errno, "cannot open '%s'", path);
	if (known_file(d, real, index)) {
		free(real);
		return 0;
	}
	f = calloc(1, sizeof(*f));
	if (!f || grow(&d->files, &d->file_cap, d->file_count, sizeof(f))) {
		free(real);
		free(f);
		return no_memory(err);
	}
	f->real = real;
	f->path = strdup(path);
	ret = f->path ? buf_read_file(&f->text, path, DTS_MAX_BYTES, err)
		      : no_memory(err);
	if (!ret)
		ret = dts_parse(f->text.data ? f->text.data : "", f->text.len, path,
				&f->tree, err);
	if (ret) {
		free_file(f);
		return ret;
	}
	*index = d->file_count;
	d->files[d->file_count++] = f;
	return 0;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

/* Not headers: they hold C, and no nodes. */
static bool is_tree_source(const char *name)
{
	return ends_with(name, ".dtsi") || ends_with(name, ".dts") ||
	       ends_with(name, ".dtso");
}

static bool readable(char *out, size_t size, const char *dir, const char *name)
{
	bool plain = !*dir || !strcmp(dir, ".") || name[0] == '/';
	int n = snprintf(out, size, "%s%s%s", plain ? "" : dir, plain ? "" : "/", name);

	return n > 0 && (size_t)n < size && !access(out, R_OK);
}

static void include_name(const struct dts_tree *t, const struct dts_item *it,
			 char out[NAME_MAX * 4])
{
	snprintf(out, NAME_MAX * 4, "%.*s", (int)(it->name.end - it->name.start),
		 t->text + it->name.start);
}

int dts_find_include(const struct dts *d, int inst, const struct dts_tree *t,
		     const struct dts_item *it, char out[PATH_MAX])
{
	char *from = strdup(d->files[d->insts[inst].file]->path);
	char *first = strdup(d->files[0]->path);
	char name[NAME_MAX * 4];
	bool found;

	include_name(t, it, name);
	found = from && !it->angled && readable(out, PATH_MAX, dirname(from), name);
	if (!found && first)
		found = readable(out, PATH_MAX, dirname(first), name);
	free(from);
	free(first);
	for (size_t i = 0; !found && i < d->dir_count; i++)
		found = readable(out, PATH_MAX, d->include_dirs[i], name);
	return found ? 0 : -ENOENT;
}

static int walk(struct dts *d, struct dts_inst inst, const struct dts_def *around,
		unsigned int depth, struct err *err);

/* A file that is being read already (a guard keeps cpp from reading it again). */
static bool is_open(const struct dts *d, int inst, size_t file)
{
	for (; inst >= 0; inst = d->insts[inst].parent) {
		if (d->insts[inst].file == file)
			return true;
	}
	return false;
}

static void note_missing(struct dts *d, int inst, const char *name, uint32_t line)
{
	if (!d->missing && asprintf(&d->missing, "'%s', which '%s' includes in line %u,",
				    name, d->files[d->insts[inst].file]->path, line) < 0)
		d->missing = NULL;
}

static int include(struct dts *d, int inst, int item, size_t def, unsigned int depth,
		   struct err *err)
{
	const struct dts_tree *t = dts_tree_of(d, inst);
	const struct dts_item *it = &t->items[item];
	const char *from = d->files[d->insts[inst].file]->path;
	char name[NAME_MAX * 4], path[PATH_MAX];
	struct dts_inst new = { .parent = inst, .item = item, .region = it->region };
	int ret;

	include_name(t, it, name);
	if (!is_tree_source(name))
		return 0;
	if (dts_find_include(d, inst, t, it, path)) {
		note_missing(d, inst, name, it->line);
		return 0;
	}
	if (depth == DTS_MAX_DEPTH || d->inst_count >= DTS_MAX_INSTANCES)
		return err_set(err, -ERANGE, "%s:%u: too many includes", from, it->line);
	ret = load_file(d, path, &new.file, err);
	if (ret)
		return err_wrap(err, ret, "%s:%u: include", from, it->line);
	if (is_open(d, inst, new.file))
		return 0;
	return walk(d, new, &d->defs[def], depth + 1, err);
}

/* One statement; @defs: the definition that each node item became. */
static int visit(struct dts *d, int inst, int item, size_t *defs, size_t top,
		 unsigned int depth, struct err *err)
{
	const struct dts_item *it = dts_item_of(d, inst, item);
	size_t parent = it->parent < 0 ? top : defs[it->parent];
	struct dts_def def = { .inst = inst, .item = item };
	int ret;

	switch (it->kind) {
	case DTS_NODE:
		set_path(d, &def, &d->defs[parent]);
		ret = add_def(d, &def, err);
		if (ret) {
			free(def.path);
			return ret;
		}
		defs[item] = d->def_count - 1;
		return add_labels(d, defs[item], err);
	case DTS_INCLUDE:
		return include(d, inst, item, parent, depth, err);
	case DTS_PROP:
	case DTS_DEL_PROP:
		return add_event(d, inst, item, parent, err);
	case DTS_DEL_NODE:
		return add_deletion(d, inst, item, parent, err);
	default:
		return 0;
	}
}

/* Read one instance; @around: the node that the include stands in, NULL for the first. */
static int walk(struct dts *d, struct dts_inst inst, const struct dts_def *around,
		unsigned int depth, struct err *err)
{
	struct dts_def top = { .inst = d->inst_count, .item = -1, .open = true };
	const struct dts_tree *t = &d->files[inst.file]->tree;
	size_t count = t->item_count, top_index, *defs;
	int ret;

	if (around) {
		top.path = around->path ? strdup(around->path) : NULL;
		top.open = around->open;
		top.ref = around->ref;
	}
	if (grow(&d->insts, &d->inst_cap, d->inst_count, sizeof(inst))) {
		free(top.path);
		return no_memory(err);
	}
	d->insts[d->inst_count++] = inst;
	ret = add_def(d, &top, err);
	if (ret) {
		free(top.path);
		return ret;
	}
	top_index = d->def_count - 1;
	defs = calloc(count + 1, sizeof(*defs));
	if (!defs)
		return no_memory(err);
	for (size_t i = 0; !ret && i < count; i++)
		ret = visit(d, top.inst, i, defs, top_index, depth, err);
	free(defs);
	return ret;
}

int dts_set_read(struct dts *d, const char *path, struct err *err)
{
	struct dts_inst first = { .parent = -1 };
	int ret = load_file(d, path, &first.file, err);

	return ret ? ret : walk(d, first, NULL, 0, err);
}

void dts_free(struct dts *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->file_count; i++)
		free_file(d->files[i]);
	for (size_t i = 0; i < d->def_count; i++)
		free(d->defs[i].path);
	for (size_t i = 0; i < d->deletion_count; i++)
		free(d->deletions[i].path);
	for (size_t i = 0; i < d->edit_count; i++) {
		free(d->edits[i].text);
		free(d->edits[i].property);
	}
	for (size_t i = 0; i < d->string_count; i++)
		free(d->strings[i]);
	for (size_t i = 0; i < d->note_count; i++)
		free(d->notes[i]);
	for (size_t i = 0; i < d->other_count; i++)
		free(d->others[i]);
	free(d->others);
	free(d->files);
	free(d->insts);
	free(d->defs);
	free(d->edits);
	free(d->events);
	free(d->deletions);
	free(d->labels);
	free(d->missing);
	free(d->strings);
	free(d->notes);
	free(d);
}
