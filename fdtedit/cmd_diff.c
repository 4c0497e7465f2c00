// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit diff: what differs between two trees.
 */
#include "fdtedit/commands.h"

#include <inttypes.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fdtedit/compile.h"
#include "fdtedit/dtb.h"
#include "fdtedit/dtb_diff.h"
#include "fdtedit/value.h"
#include "lib/buf.h"
#include "lib/json.h"
#include "lib/text.h"

#define VALUE_MAX 300 /* characters of a value on a terminal; --json has all */

struct diff_options {
	bool json;
	struct opt_list includes;
	struct container_pick pick;
};

struct printer {
	unsigned int count;
	unsigned int renumbered; /* nodes */
	struct json *list;	 /* NULL: print lines */
};

static int add_value(bool there, const void *data, size_t len, struct buf *out)
{
	return there ? value_format(data, len, VALUE_MAX, out) : buf_adds(out, "none");
}

static int format_property(const struct diff *d, struct buf *line)
{
	int ret = buf_addf(line, "%s: %s: ", d->path, d->name);

	if (!ret)
		ret = add_value(d->in_old, d->old, d->old_len, line);
	if (!ret)
		ret = buf_adds(line, " -> ");
	if (!ret)
		ret = add_value(d->in_new, d->new, d->new_len, line);
	if (!ret && d->from)
		ret = buf_addf(line, " (points to %s -> %s)", d->from, d->to);
	if (!ret && d->maybe)
		ret = buf_adds(line, " (the same nodes, if these are phandles)");
	return ret;
}

static int format_line(const struct diff *d, struct buf *line)
{
	const char *change = d->in_new ? "added" : "removed";

	switch (d->kind) {
	case DIFF_NODE:
		return buf_addf(line, "%s: node %s", d->path, change);
	case DIFF_PROPERTY:
		return format_property(d, line);
	case DIFF_HEADER:
		return buf_addf(line, "header: %s: %" PRIu64 " -> %" PRIu64, d->name,
				d->old_number, d->new_number);
	case DIFF_RESERVE:
		return buf_addf(line, "reserve map: 0x%" PRIx64 " 0x%" PRIx64 " %s",
				d->old_number, d->new_number, change);
	}
	return -EINVAL;
}

static int print_line(const struct diff *d, void *arg)
{
	struct printer *p = arg;
	struct buf line = { 0 };
	int ret = format_line(d, &line);

	p->count++;
	if (!ret) {
		text_clean(line.data);
		puts(line.data);
	}
	buf_free(&line);
	return ret;
}

static int put_value(struct json *obj, const char *key, const void *data, size_t len)
{
	struct buf text = { 0 };
	int ret = value_format(data, len, 0, &text);

	if (!ret)
		ret = json_put_text(obj, key, text.data);
	buf_free(&text);
	return ret;
}

static const char *change_text(const struct diff *d)
{
	if (d->in_old && d->in_new)
		return "changed";
	return d->in_new ? "added" : "removed";
}

static int fill_json(const struct diff *d, struct json *obj)
{
	static const char *const kinds[] = {
		[DIFF_NODE] = "node",
		[DIFF_PROPERTY] = "property",
		[DIFF_HEADER] = "header",
		[DIFF_RESERVE] = "reserve",
	};
	int ret = json_put_str(obj, "kind", kinds[d->kind]);

	ret |= json_put_str(obj, "change", change_text(d));
	if (d->path)
		ret |= json_put_text(obj, "path", d->path);
	if (d->name)
		ret |= json_put_text(obj, "name", d->name);
	if (d->kind == DIFF_PROPERTY && d->in_old)
		ret |= put_value(obj, "old", d->old, d->old_len);
	if (d->kind == DIFF_PROPERTY && d->in_new)
		ret |= put_value(obj, "new", d->new, d->new_len);
	if (d->from) {
		ret |= json_put_text(obj, "old-points-to", d->from);
		ret |= json_put_text(obj, "new-points-to", d->to);
	}
	if (d->maybe)
		ret |= json_put_bool(obj, "same-if-phandles", true);
	if (d->kind == DIFF_HEADER) {
		ret |= json_put_u64(obj, "old", d->old_number);
		ret |= json_put_u64(obj, "new", d->new_number);
	}
	return ret;
}

/* Addresses may need all 64 bits, which JSON's integers lack. */
static int fill_reserve(const struct diff *d, struct json *obj)
{
	char text[24];
	int ret;

	snprintf(text, sizeof(text), "0x%" PRIx64, d->old_number);
	ret = json_put_str(obj, "address", text);
	snprintf(text, sizeof(text), "0x%" PRIx64, d->new_number);
	return ret | json_put_str(obj, "size", text);
}

static int collect_json(const struct diff *d, void *arg)
{
	struct printer *p = arg;
	struct json *obj = json_new_object();
	int ret;

	p->count++;
	if (!obj)
		return -ENOMEM;
	ret = fill_json(d, obj);
	if (d->kind == DIFF_RESERVE)
		ret |= fill_reserve(d, obj);
	ret |= json_add(p->list, obj);
	return ret ? -ENOMEM : 0;
}

static int diff_json(const struct dtb *old, const struct dtb *new, char **names,
		     struct printer *p, struct err *err)
{
	struct json *root = json_new_object();
	int ret;

	p->list = json_new_array();
	if (!root || !p->list) {
		json_free(p->list);
		json_free(root);
		return err_errno(err, -ENOMEM, "list of differences");
	}
	ret = dtb_diff_followed(old, new, collect_json, p, &p->renumbered, err);
	if (ret) {
		json_free(p->list);
		json_free(root);
		return ret;
	}
	ret = json_put_text(root, "old", names[0]);
	ret |= json_put_text(root, "new", names[1]);
	ret |= json_put_bool(root, "same", !p->count);
	ret |= json_put(root, "differences", p->list);
	if (ret)
		ret = err_errno(err, -ENOMEM, "list of differences");
	else
		ret = json_write(root, stdout, err);
	json_free(root);
	return ret;
}

static bool same_bytes(const struct dtb *a, const struct dtb *b)
{
	return a->file.len == b->file.len &&
	       !memcmp(a->file.data, b->file.data, a->file.len);
}

/* Where the other one tells its labels, source does so too (dtc -@). */
static int load_second(const struct diff_options *o, const char *path,
		       const struct container_pick *pick, const struct dtb *other,
		       struct dtb *dtb, struct err *err)
{
	bool labels = dtb_node(other->file.data, "/__symbols__", NULL) >= 0;

	if (!labels || !compile_is_source(path))
		return compile_or_load(path, &o->includes, pick, dtb, err);
	return compile_source(path, &o->includes, true, dtb, err);
}

static int load_both(const struct diff_options *o, char **argv,
		     const struct container_pick *pick, struct dtb *old, struct dtb *new,
		     struct err *err)
{
	bool swap = compile_is_source(argv[0]) && !compile_is_source(argv[1]);
	struct dtb *first = swap ? new : old;
	int ret = compile_or_load(argv[swap], &o->includes, pick, first, err);

	if (ret)
		return ret;
	return load_second(o, argv[!swap], pick, first, swap ? old : new, err);
}

static int run_diff(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
		    struct err *err)
{
	const struct diff_options *o = opts;
	struct container_pick pick = o->pick;
	struct dtb old = { 0 }, new = { 0 };
	struct printer p = { 0 };
	int ret;

	(void)argc;
	if (!strcmp(argv[0], "-") && !strcmp(argv[1], "-"))
		return err_set(err, -EINVAL, "OLD and NEW cannot both be '-'");
	pick.of_several = true;
	ret = load_both(o, argv, &pick, &old, &new, err);
	if (!ret && o->json)
		ret = diff_json(&old, &new, argv, &p, err);
	else if (!ret)
		ret = dtb_diff_followed(&old, &new, print_line, &p, &p.renumbered, err);
	if (!ret && p.renumbered)
		cmd_note(ctx,
			 "%u node%s have another phandle, which is followed in the "
			 "properties that are known to hold some",
			 p.renumbered, text_s(p.renumbered));
	else if (!ret && !p.count && !same_bytes(&old, &new))
		cmd_note(ctx, "same content; the bytes differ (order or strings)");
	dtb_free(&old);
	dtb_free(&new);
	return ret ? ret : p.count > 0;
}

static const struct opt diff_opts[] = {
	{ "include", 'I', OPT_LIST, offsetof(struct diff_options, includes), "DIR",
	  "source only: look for included files here too" },
	CONTAINER_OPTS(struct diff_options, pick),
	{ "json", 0, OPT_FLAG, offsetof(struct diff_options, json), NULL,
	  "as JSON, values in full" },
	{ NULL },
};

const struct cmd cmd_diff = {
	.name = "diff",
	.args = "OLD NEW",
	.summary = "say what differs between two trees, property by property",
	.help = "One line per difference: the node's path, the property, the value in "
		"OLD "
		"and in NEW as DTS text. The memory reserve map and the header (version, "
		"boot CPU id, spare room) are compared too. The order of nodes and "
		"properties does not matter.\n"
		"\n"
		"Phandles are followed: where a build numbers them otherwise, a property "
		"that points to the same nodes is the same, and one that points to "
		"another is told, be its number the same. A tree does not tell which "
		"numbers are phandles; the bindings' own properties (clocks, *-supply, "
		"pinctrl-0 ...) are known. Of others that would be the same if they "
		"held phandles that is said.\n"
		"\n"
		"Source (.dts) goes through cpp and dtc first, which must be installed; "
		"a "
		".dtsi that does not compile alone cannot be compared, its board's .dts "
		"can. Against a tree with __symbols__ it is compiled with them (dtc -@). "
		"A tree does not tell types: what may be text is shown as text.\n"
		"\n"
		"--index and --compatible are of whichever file holds several trees.\n"
		"\n"
		"Exit status: 0 nothing differs, 1 something does, 2 could not compare.",
	.example = "fdtedit diff board.dtb.orig board.dtb\n"
		   "fdtedit diff --json old.dtb new.dtb\n"
		   "fdtedit diff -I include board.dts board.dtb",
	.opts = diff_opts,
	.opts_size = sizeof(struct diff_options),
	.min_args = 2,
	.max_args = 2,
	.run = run_diff,
};
