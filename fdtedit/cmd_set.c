// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit set and delete: any property of a tree, compiled or source.
 */
#include "fdtedit/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/refs.h"
#include "fdtedit/target.h"
#include "lib/text.h"

#define MAX_WORDS  4096
#define MAX_NAME   127 /* the specification says 31, and real trees have longer ones */
#define NAME_CHARS "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,._+?#-"

struct set_options {
	const char *output;
	bool backup;
	bool dry_run;
	bool keep_trailing;
	struct container_pick pick;
	struct target_source source;
	const char *type; /* set only */
	bool force;	  /* delete only */
};

/* One run. */
struct set {
	const struct cmd_ctx *ctx;
	const struct set_options *opts;
	struct target target;
	struct dtb dtb;
	int node;
	char *path;
	struct changes changes;
};

static int open_set(struct set *s, const struct set_options *opts, char **argv,
		    struct err *err)
{
	int ret;

	s->opts = opts;
	s->target = (struct target){ .board = argv[0],
				     .output = opts->output,
				     .backup = opts->backup,
				     .dry_run = opts->dry_run,
				     .keep_rest = opts->keep_trailing,
				     .pick = opts->pick,
				     .source = opts->source };
	ret = target_check(&s->target, err);
	if (ret)
		return ret;
	ret = target_load(&s->target, &s->dtb, err);
	if (ret)
		return ret;
	s->node = target_node(&s->target, &s->dtb, argv[1], &s->path, err);
	return s->node < 0 ? err_wrap(err, s->node, "'%s'", argv[0]) : 0;
}

static void close_set(struct set *s)
{
	changes_free(&s->changes);
	free(s->path);
	dtb_free(&s->dtb);
	target_free(&s->target);
}

static int check_name(const char *name, struct err *err)
{
	size_t len = strlen(name);

	if (!len || len > MAX_NAME || strspn(name, NAME_CHARS) != len)
		return err_set(err, -EINVAL,
			       "'%s' is no name of a property: 1 to %d of letters, "
			       "digits and ,._+?#-",
			       name, MAX_NAME);
	return 0;
}

/* Could all words be numbers? */
static bool are_numbers(char **words, int count)
{
	struct buf out = { 0 };
	bool yes = !typed_parse(TYPED_U64, words, count, &out, NULL);

	buf_free(&out);
	return yes;
}

/* As the bytes that are there, unless they may be two things. */
static int guess_type(const struct set *s, const char *property, char **words, int count,
		      enum typed_kind *kind, struct err *err)
{
	bool unsure = false;
	int len;
	const void *old = fdt_getprop(s->dtb.file.data, s->node, property, &len);

	*kind = TYPED_U32;
	if (!old || !len)
		return 0;
	*kind = typed_guess(property, old, len, &unsure);
	if (unsure && are_numbers(words, count))
		return err_set(err, -EINVAL,
			       "%s: %s may be text or numbers as it is; say which with "
			       "--type",
			       s->path, property);
	if (*kind == TYPED_U32 && len == 8 * count)
		return err_set(err, -EINVAL,
			       "%s: %s has %d bytes, for which %d number%s may be u64 or "
			       "u32; say which with --type",
			       s->path, property, len, count, text_s(count));
	return 0;
}

/* By the option, the bindings or what is there. */
static int choose_type(const struct set *s, const char *property, char **words, int count,
		       enum typed_kind *kind, struct err *err)
{
	bool single;

	if (s->opts->type) {
		*kind = typed_kind_of(s->opts->type);
		return 0;
	}
	/* How many cells an address has is the parent's business. */
	if (!typed_known(property, kind, &single) || !strcmp(property, "reg"))
		return guess_type(s, property, words, count, kind, err);
	if (single && count != 1)
		return err_set(err, -EINVAL,
			       "%s is one number, not %d; --type %s writes them "
			       "nevertheless",
			       property, count, typed_name(*kind));
	return 0;
}

static int check_flag(const struct set *s, const char *property, struct err *err)
{
	enum typed_kind kind;
	bool single;
	int len;

	if (fdt_getprop(s->dtb.file.data, s->node, property, &len) && len)
		return err_set(err, -EINVAL,
			       "%s: %s has a value now; give the new one, or delete it "
			       "first to make it a flag",
			       s->path, property);
	if (typed_known(property, &kind, &single))
		return err_set(err, -EINVAL,
			       "%s: %s is no flag, and no value is given (%s)", s->path,
			       property, typed_name(kind));
	return 0;
}

/* What to do when the type is not the one that was meant. */
static const char *type_hint(const struct set *s, const char *property)
{
	enum typed_kind kind;
	bool single;

	if (s->opts->type || typed_known(property, &kind, &single))
		return "";
	return fdt_getprop(s->dtb.file.data, s->node, property, NULL)
		       ? "; that is what is there, --type takes others"
		       : "; --type takes others, as 'string'";
}

static bool is_phandle(const char *property)
{
	return !strcmp(property, "phandle") || !strcmp(property, "linux,phandle");
}

/* Would properties elsewhere point nowhere without the node, or without its @property? */
static int check_references(const struct set *s, const char *property, const char *advice,
			    struct err *err)
{
	const void *blob = s->dtb.file.data;
	struct refs refs = { 0 };
	const struct ref *ref;
	char from[256];
	int ret;

	if (property && !is_phandle(property))
		return 0;
	ret = refs_read(blob, &refs, err);
	if (ret)
		return ret;
	ref = property ? refs_to(&refs, s->node) : refs_into(&refs, blob, s->node);
	if (ref) {
		if (fdt_get_path(blob, ref->from, from, sizeof(from)))
			strcpy(from, "a node deep down");
		ret = err_set(err, -EINVAL, "'%s': %s of '%s' points to '%s'%s; %s",
			      s->target.board, ref->property, from, s->path,
			      ref->to == s->node ? "" : ", to a node below", advice);
	}
	refs_free(&refs);
	return ret;
}

/* References go by this number, so no two nodes may have it. */
static int check_phandle(const struct set *s, const char *property,
			 const struct buf *value, struct err *err)
{
	const void *blob = s->dtb.file.data;
	char path[256] = "";
	uint32_t number;
	int node;

	if (!is_phandle(property))
		return 0;
	number = value->len == 4 ? fdt32_ld((const fdt32_t *)value->data) : 0;
	if (!number || number == UINT32_MAX)
		return err_set(err, -EINVAL,
			       "%s: %s is one number (u32) in 1..4294967294", s->path,
			       property);
	node = fdt_node_offset_by_phandle(blob, number);
	if (node == s->node)
		return 0;
	if (node < 0)
		return check_references(s, property, "change that first", err);
	fdt_get_path(blob, node, path, sizeof(path));
	return err_set(err, -EINVAL, "%s: %s %" PRIu32 " is that of '%s' already",
		       s->path, property, number, path);
}

static int add_set(struct set *s, const char *property, char **words, int count,
		   struct err *err)
{
	enum typed_kind kind = TYPED_BYTES;
	struct buf value = { 0 };
	struct err why = { "" };
	int ret = check_name(property, err);

	if (!ret && !count && s->opts->type)
		ret = err_set(err, -EINVAL, "--type is of values, and none is given");
	else if (!ret && !count)
		ret = check_flag(s, property, err);
	else if (!ret)
		ret = choose_type(s, property, words, count, &kind, err);
	if (!ret && typed_parse(kind, words, count, &value, &why))
		ret = err_set(err, -EINVAL, "%s: %s: %s%s", s->path, property, why.msg,
			      type_hint(s, property));
	if (!ret)
		ret = check_phandle(s, property, &value, err);
	if (!ret)
		ret = changes_set(&s->changes, s->path, property, kind, value.data,
				  value.len, NULL, err);
	buf_free(&value);
	return ret;
}

static int run_set(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
		   struct err *err)
{
	struct set s = { 0 };
	int ret = open_set(&s, opts, argv, err);

	(void)ctx;
	if (!ret)
		ret = add_set(&s, argv[2], argv + 3, argc - 3, err);
	if (!ret)
		ret = target_change(&s.target, &s.dtb, &s.changes, err);
	if (!ret)
		ret = target_finish(&s.target, err);
	close_set(&s);
	return ret;
}

/* What no binding here tells of, and no compiler looks at again. */
static int note_guess(const struct set *s, const char *property, struct err *err)
{
	const void *blob = s->dtb.file.data;
	struct refs_guess guess = { 0 };
	char from[256], to[256], more[48] = "";
	int ret = 0;

	if (!s->target.dts && (!property || is_phandle(property)))
		ret = refs_guess(blob, s->node,
				 property ? s->node + 1 : refs_end(blob, s->node), &guess,
				 err);
	if (!guess.count || fdt_get_path(blob, guess.first.from, from, sizeof(from)) ||
	    fdt_get_path(blob, guess.first.to, to, sizeof(to)))
		return ret;
	if (guess.count > 1)
		snprintf(more, sizeof(more), ", nor of %zu more", guess.count - 1);
	cmd_note(s->ctx,
		 "%s of '%s' holds 0x%" PRIx32 ", the phandle of '%s': whether it points "
		 "there is not known here%s",
		 guess.first.property, from, fdt_get_phandle(blob, guess.first.to), to,
		 more);
	return ret;
}

static int add_delete(struct set *s, const char *property, struct err *err)
{
	int ret = 0;

	if (!s->opts->force)
		ret = check_references(s, property,
				       s->target.dts ? "change that first"
						     : "change that first, or give "
						       "--force",
				       err);
	if (!ret && property)
		ret = changes_delete(&s->changes, s->path, property, NULL, err);
	else if (!ret)
		ret = changes_delete_node(&s->changes, s->path, NULL, err);
	if (!ret)
		ret = note_guess(s, property, err);
	return ret ? ret : refs_delete_traces(s->dtb.file.data, &s->changes, err);
}

static int run_delete(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
		      struct err *err)
{
	struct set s = { .ctx = ctx };
	int ret = open_set(&s, opts, argv, err);

	if (!ret)
		ret = add_delete(&s, argc > 2 ? argv[2] : NULL, err);
	if (!ret)
		ret = target_change(&s.target, &s.dtb, &s.changes, err);
	if (!ret)
		ret = target_finish(&s.target, err);
	close_set(&s);
	return ret;
}

/* clang-format off */
#define WRITE_OPTS                                                                       \
	{ "output", 'o', OPT_STRING, offsetof(struct set_options, output), "OUT",        \
	  "write here and leave BOARD alone ('-': standard output)" },                   \
	{ "dry-run", 'n', OPT_FLAG, offsetof(struct set_options, dry_run), NULL,         \
	  "say what would change and change nothing" },                                  \
	{ "backup", 0, OPT_FLAG, offsetof(struct set_options, backup), NULL,             \
	  "keep the old file as BOARD.orig; refused when that is there" },              \
	CONTAINER_KEEP_OPT(struct set_options, keep_trailing),                           \
	CONTAINER_OPTS(struct set_options, pick),                                        \
	TARGET_SOURCE_OPTS(struct set_options, source)
/* clang-format on */

#define SOURCE_HELP                                                                      \
	"Source (.dts) is edited where the board gets the value: in the node, or in a "  \
	"'&label { ... }' that overrides it; --all-files allows it in files that BOARD " \
	"includes. It is compiled with cpp and dtc as it was and as it will be, and "    \
	"refused when the two trees differ by more than what was asked for."

static const struct opt set_opts[] = {
	{ "type", 't', OPT_STRING, offsetof(struct set_options, type), "TYPE",
	  "what the values are; default: by the property's name, or as the value that is "
	  "there, or u32",
	  TYPED_CHOICES },
	WRITE_OPTS,
	TARGET_FORCE_OPT(struct set_options, source),
	{ NULL },
};

const struct cmd cmd_set_property = {
	.name = "set",
	.args = "BOARD NODE PROPERTY [VALUE...]",
	.summary = "set one property of a node, in a compiled tree or in source",
	.help = "NODE is a path (/cpus/cpu@0), an alias, or a label (of a compiled tree: "
		"one that it tells in __symbols__). A property that is there keeps its "
		"place, a new one goes after capacity-dmips-mhz or last, and the file "
		"grows by what that needs. BOARD is edited in place, whole or not at "
		"all, and nothing else in it changes.\n"
		"\n" SOURCE_HELP
		" A new property goes into the text that BOARD itself has of the node, "
		"be it such a block; without any, and with --all-files, into the node.\n"
		"\n"
		"Values are taken whole or refused: numbers are decimal, or hexadecimal "
		"with 0x, and must fit their type. Several make a list. Bytes are pairs "
		"of hexadecimal digits. Without a value the property is a flag. Text for "
		"a property that is new and not known here needs --type string.\n"
		"\n"
		"For coefficients of whole clusters there is 'fdtedit apply'.",
	.example = "fdtedit set board.dtb /cpus/cpu@0 capacity-dmips-mhz 1024\n"
		   "fdtedit set board.dtb /thermal-zones/cpu sustainable-power 2500\n"
		   "fdtedit set board.dtb serial0 status disabled\n"
		   "fdtedit set --patch -I include board.dts uart0 status okay\n"
		   "fdtedit set --type bytes board.dtb /chosen rng-seed 00ff17",
	.opts = set_opts,
	.opts_size = sizeof(struct set_options),
	.min_args = 3,
	.max_args = MAX_WORDS,
	.run = run_set,
};

static const struct opt delete_opts[] = {
	{ "force", 0, OPT_FLAG, offsetof(struct set_options, force), NULL,
	  "delete a node that others point to; what they say then points nowhere" },
	WRITE_OPTS,
	{ NULL },
};

const struct cmd cmd_delete = {
	.name = "delete",
	.args = "BOARD NODE [PROPERTY]",
	.summary = "delete a property, or a node, from a compiled tree or source",
	.help = "NODE is a path (/cpus/cpu@0), an alias, or a label (of a compiled tree: "
		"one that it tells in __symbols__). With PROPERTY that is deleted, "
		"without it the node with all below it, and its aliases, its labels and "
		"its entries among an "
		"overlay's fixups. BOARD is edited in place, whole or not at all, and "
		"nothing else in it changes.\n"
		"\n"
		"A node that a property elsewhere points to is refused, and that "
		"property named: by phandle, where the kernel's bindings say that one "
		"stands there or __local_fixups__ does, or by the path of the console "
		"in /chosen. Of a vendor's property whose binding is not known here "
		"nobody can tell; one that holds the phandle's number is told of. Source "
		"would not compile then, and is refused in any case.\n"
		"\n" SOURCE_HELP
		" A deletion takes out every line that gives the property, and of a node "
		"its '&label { ... }' blocks too.\n"
		"\n"
		"To switch a device off, 'fdtedit set BOARD NODE status disabled' is the "
		"milder way.",
	.example = "fdtedit delete board.dtb /cpus/cpu@0 dynamic-power-coefficient\n"
		   "fdtedit delete --all-files board.dts uart0 dmas\n"
		   "fdtedit delete -n board.dtb /opp-table-0/opp-500000000\n"
		   "fdtedit delete --force board.dtb serial3",
	.opts = delete_opts,
	.opts_size = sizeof(struct set_options),
	.min_args = 2,
	.max_args = 3,
	.run = run_delete,
};
