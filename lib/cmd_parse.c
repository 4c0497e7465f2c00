// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of one command, by its table of options.
 */
#include "lib/cmd_internal.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <string.h>

#include "lib/num.h"

#define MAX_OPTIONS 64
#define LONG_BASE   256 /* getopt value of option 0; below are letters */
#define HELP	    (LONG_BASE + MAX_OPTIONS)

/* What getopt_long() wants to know. */
struct spec {
	struct option longs[MAX_OPTIONS + 2];
	char shorts[3 * MAX_OPTIONS];
};

int cmd_find_option(const struct cmd *cmd, const char *name)
{
	for (int i = 0; cmd->opts && cmd->opts[i].name; i++)
		if (!strcmp(cmd->opts[i].name, name))
			return i;
	return -ENOENT;
}

static int make_spec(const struct cmd *cmd, struct spec *spec, struct err *err)
{
	/* '-': operands come as option 1, in order; ':': tell a missing argument apart.
	 */
	size_t len = sprintf(spec->shorts, "-:h");
	int i;

	for (i = 0; cmd->opts && cmd->opts[i].name; i++) {
		const struct opt *o = &cmd->opts[i];

		if (i == MAX_OPTIONS)
			return err_set(err, -EINVAL, "more than %d options", MAX_OPTIONS);
		spec->longs[i] = (struct option){
			.name = o->name,
			.has_arg = o->kind == OPT_FLAG ? no_argument : required_argument,
			.val = LONG_BASE + i,
		};
		if (o->letter)
			len += sprintf(spec->shorts + len, "%c%s", o->letter,
				       o->kind == OPT_FLAG ? "" : ":");
	}
	spec->longs[i++] = (struct option){ .name = "help", .val = HELP };
	spec->longs[i] = (struct option){ 0 };
	return 0;
}

static const struct opt *option_of(const struct cmd *cmd, int value)
{
	if (value >= LONG_BASE)
		return value < HELP ? &cmd->opts[value - LONG_BASE] : NULL;
	for (const struct opt *o = cmd->opts; o && o->name; o++)
		if (o->letter == value)
			return o;
	return NULL;
}

static bool is_choice(const char *choices, const char *text)
{
	size_t len = strlen(text);

	while (*choices) {
		size_t n = strcspn(choices, "|");

		if (n == len && !memcmp(choices, text, n))
			return true;
		choices += n + (choices[n] == '|');
	}
	return false;
}

static int add_to_list(struct opt_list *list, const char *text)
{
	if (list->n == OPT_LIST_MAX)
		return -E2BIG;
	list->items[list->n++] = text;
	return 0;
}

static uint32_t most_percent(const struct opt *o)
{
	return o->max ? o->max : 100;
}

/* 0 is what an option that was not given holds. */
static int percent(const struct opt *o, const char *text, double *fraction)
{
	int ret = num_percent(text, fraction);

	if (ret)
		return ret;
	return *fraction > 0 && *fraction <= most_percent(o) / 100.0 ? 0 : -ERANGE;
}

static int convert(const struct opt *o, const char *text, void *field)
{
	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)field = true;
		return 0;
	case OPT_STRING:
		*(const char **)field = text;
		return 0;
	case OPT_U32:
		return num_u32(text, field);
	case OPT_DOUBLE:
		return num_double(text, field);
	case OPT_PERCENT:
		return percent(o, text, field);
	case OPT_DURATION_NS:
		return num_duration_ns(text, field);
	case OPT_LIST:
		return add_to_list(field, text);
	}
	return -EINVAL;
}

static const char *expected(enum opt_kind kind)
{
	switch (kind) {
	case OPT_U32:
		return "is not a whole number in 0..4294967295";
	case OPT_DOUBLE:
		return "is not a decimal number";
	case OPT_DURATION_NS:
		return "is not a time above 0 (like 250ms, 10s, 10m, 2h)";
	case OPT_LIST:
		return "is one too many (64 are taken)";
	case OPT_PERCENT: /* its range is its own */
	case OPT_FLAG:
	case OPT_STRING:
		break;
	}
	return "is not understood";
}

static int check_range(const struct opt *o, const char *text, const void *field,
		       struct err *err)
{
	uint32_t value;

	if (o->kind != OPT_U32 || !o->max)
		return 0;
	value = *(const uint32_t *)field;
	return value >= o->min && value <= o->max
		       ? 0
		       : err_set(err, -ERANGE, "--%s '%s' is not in %u..%u", o->name,
				 text, o->min, o->max);
}

static int set_value(const struct opt *o, const char *text, void *values, struct err *err)
{
	if (o->choices && !is_choice(o->choices, text))
		return err_set(err, -EINVAL, "--%s '%s' is not one of %s", o->name, text,
			       o->choices);
	if (!convert(o, text, (char *)values + o->offset))
		return check_range(o, text, (char *)values + o->offset, err);
	if (o->kind == OPT_PERCENT)
		return err_set(
			err, -EINVAL,
			"--%s '%s' is not a percentage above 0, up to %u (like 1%%)",
			o->name, text, most_percent(o));
	return err_set(err, -EINVAL, "--%s '%s' %s", o->name, text, expected(o->kind));
}

int cmd_set(const struct cmd *cmd, const char *name, const char *text, void *values,
	    struct err *err)
{
	int i = cmd_find_option(cmd, name);

	if (i < 0)
		return err_set(err, -EINVAL, "'%s' has no option '--%s'", cmd->name,
			       name);
	return set_value(&cmd->opts[i], text, values, err);
}

static int take_option(const struct opt *o, const char *text, void *values,
		       struct cmd_parsed *parsed, struct err *err)
{
	parsed->given[parsed->given_count++] = (struct cmd_given){ o, text };
	return set_value(o, text, values, err);
}

static const char *long_name(const void *arg, size_t i)
{
	const struct opt *opts = arg;

	return opts ? opts[i].name : NULL;
}

static int unknown_long(const struct cmd *cmd, const char *arg, struct err *err)
{
	size_t len = strcspn(arg + 2, "=");
	const char *near;
	char name[64];
	int begins = 0;

	for (const struct opt *o = cmd->opts; o && o->name; o++)
		begins += !strncmp(o->name, arg + 2, len);
	if (begins > 1)
		return err_set(err, -EINVAL,
			       "option '%s' may be any of several; write it out", arg);
	snprintf(name, sizeof(name), "%.*s", (int)(len < 63 ? len : 63), arg + 2);
	near = cmd_nearest(name, long_name, cmd->opts);
	if (near)
		return err_set(err, -EINVAL, "unknown option '%s'; did you mean '--%s'?",
			       arg, near);
	return err_set(err, -EINVAL, "unknown option '%s'", arg);
}

/* getopt_long() said '?': unknown, ambiguous, or an argument where none belongs. */
static int refuse(const struct cmd *cmd, const char *arg, struct err *err)
{
	if (optopt >= LONG_BASE)
		return err_set(err, -EINVAL, "option '%s' takes no argument", arg);
	if (optopt >= '0' && optopt <= '9')
		return err_set(err, -EINVAL,
			       "unknown option '-%c'; an operand that begins with '-' "
			       "goes after '--'",
			       optopt);
	if (optopt)
		return err_set(err, -EINVAL, "unknown option '-%c'", optopt);
	return unknown_long(cmd, arg, err);
}

static int missing_argument(const struct cmd *cmd, struct err *err)
{
	const struct opt *o = option_of(cmd, optopt);

	return err_set(err, -EINVAL, "option '--%s' needs an argument %s", o->name,
		       o->arg ? o->arg : "");
}

static int take(const struct cmd *cmd, int value, const char *arg, void *values,
		struct cmd_parsed *parsed, struct err *err)
{
	switch (value) {
	case 1:
		parsed->argv[parsed->argc++] = optarg;
		return 0;
	case 'h':
	case HELP:
		parsed->help = true;
		return 0;
	case '?':
		return refuse(cmd, arg, err);
	case ':':
		return missing_argument(cmd, err);
	default:
		return take_option(option_of(cmd, value), optarg ? optarg : "", values,
				   parsed, err);
	}
}

static int check_count(const struct cmd *cmd, const struct cmd_parsed *parsed,
		       struct err *err)
{
	unsigned int n = parsed->argc;

	if (n > cmd->max_args)
		return err_set(err, -EINVAL, "operand '%s' is one too many",
			       parsed->argv[cmd->max_args]);
	if (n < cmd->min_args)
		return err_set(err, -EINVAL, "operand missing, needed: %s",
			       cmd->args ? cmd->args : "");
	return 0;
}

static int parse_all(const struct cmd *cmd, int argc, char **argv, void *values,
		     struct cmd_parsed *parsed, struct err *err)
{
	struct spec spec;
	int value, ret;

	ret = make_spec(cmd, &spec, err);
	if (ret)
		return ret;
	optind = 0; /* starts afresh, in glibc and in musl */
	opterr = 0;
	while ((value = getopt_long(argc, argv, spec.shorts, spec.longs, NULL)) != -1) {
		ret = take(cmd, value, argv[optind - 1], values, parsed, err);
		if (ret)
			return ret;
	}
	while (optind < argc)
		parsed->argv[parsed->argc++] = argv[optind++];
	return parsed->help ? 0 : check_count(cmd, parsed, err);
}

int cmd_parse(const struct prog *prog, const struct cmd *cmd, int argc, char **argv,
	      void *values, struct cmd_parsed *parsed, struct err *err)
{
	int ret = parse_all(cmd, argc, argv, values, parsed, err);
	struct err what;

	if (!ret || !err)
		return ret;
	what = *err;
	return err_set(err, ret, "%s; see '%s %s --help'", what.msg, prog->name,
		       cmd->name);
}
