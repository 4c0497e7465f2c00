// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit get: one property's value.
 */
#include "fdtedit/commands.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <libfdt.h>

#include "fdtedit/compile.h"
#include "fdtedit/dtb.h"
#include "fdtedit/node.h"
#include "fdtedit/typed.h"

struct get_options {
	const char *type;
	struct opt_list includes;
	struct container_pick pick;
};

static int print_value(const struct get_options *opts, const char *property,
		       const void *data, size_t len, struct err *err)
{
	struct buf text = { 0 };
	enum typed_kind kind;
	bool unsure;
	int ret;

	kind = opts->type ? typed_kind_of(opts->type)
			  : typed_guess(property, data, len, &unsure);
	ret = typed_format(kind, data, len, kind == TYPED_STRING ? "\n" : " ", &text,
			   err);
	if (ret)
		ret = err_wrap(err, ret, "%s", property);
	else if (len)
		printf("%s\n", text.data ? text.data : "");
	buf_free(&text);
	return ret;
}

/* 1: the node or the property is not there, and a line says which. */
static int print_property(struct cmd_ctx *ctx, const struct get_options *opts,
			  const struct dtb *dtb, char **argv, struct err *err)
{
	struct err why = { "" };
	char *path = NULL;
	int node = node_find(dtb, argv[1], &path, &why);
	int prop, len, ret = 0;
	const void *data;

	if (node == -ENOENT) {
		cmd_note(ctx, "'%s': %s", argv[0], why.msg);
		return 1;
	}
	if (node < 0)
		return err_set(err, node, "'%s': %s", argv[0], why.msg);
	prop = dtb_property(dtb->file.data, node, path, argv[2], &why);
	if (prop == -ENOENT) {
		cmd_note(ctx, "'%s': %s: no property '%s'", argv[0], path, argv[2]);
		ret = 1;
	} else if (prop < 0) {
		ret = err_set(err, prop, "'%s': %s", argv[0], why.msg);
	} else {
		data = fdt_getprop_by_offset(dtb->file.data, prop, NULL, &len);
		if (print_value(opts, argv[2], data, len, &why))
			ret = err_set(err, -EINVAL, "'%s': %s: %s", argv[0], path,
				      why.msg);
	}
	free(path);
	return ret;
}

/* Only by label is source compiled with labels: they give nodes a phandle. */
static int load(const struct get_options *opts, char **argv, struct dtb *dtb,
		struct err *err)
{
	int ret;

	if (argv[1][0] == '/' || !compile_is_source(argv[0]))
		return compile_or_load(argv[0], &opts->includes, &opts->pick, dtb, err);
	ret = container_refuse_pick(&opts->pick, argv[0], err);
	return ret ? ret : compile_source(argv[0], &opts->includes, true, dtb, err);
}

static int run_get(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
		   struct err *err)
{
	const struct get_options *opts = options;
	struct dtb dtb = { 0 };
	int ret = load(opts, argv, &dtb, err);

	(void)argc;
	if (!ret)
		ret = print_property(ctx, opts, &dtb, argv, err);
	dtb_free(&dtb);
	return ret;
}

static const struct opt get_opts[] = {
	{ "type", 't', OPT_STRING, offsetof(struct get_options, type), "TYPE",
	  "what the value is; default: by the property's name and its bytes",
	  TYPED_CHOICES },
	{ "include", 'I', OPT_LIST, offsetof(struct get_options, includes), "DIR",
	  "source only: look for included files here too" },
	CONTAINER_OPTS(struct get_options, pick),
	{ NULL },
};

const struct cmd cmd_get = {
	.name = "get",
	.args = "BOARD NODE PROPERTY",
	.summary = "print one property of a node",
	.help = "NODE is a path (/cpus/cpu@0), an alias, or a label (of a compiled tree: "
		"one that it tells in __symbols__). Source is compiled first (cpp and "
		"dtc). Numbers "
		"are printed in decimal with blanks between them, texts a line each, "
		"other bytes as hexadecimal pairs; a flag, which has no value, prints "
		"nothing.\n"
		"\n"
		"A tree does not tell types: what looks like text is taken for it. Say "
		"--type where that is wrong.\n"
		"\n"
		"Exit status 1: no such node or no such property.",
	.example = "fdtedit get -I include board.dts uart0 status\n"
		   "fdtedit get board.dtb /cpus/cpu@0 dynamic-power-coefficient\n"
		   "fdtedit get board.dtb serial0 compatible\n"
		   "fdtedit get --type bytes board.dtb /chosen rng-seed",
	.opts = get_opts,
	.opts_size = sizeof(struct get_options),
	.min_args = 3,
	.max_args = 3,
	.run = run_get,
};
