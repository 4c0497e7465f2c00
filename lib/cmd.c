// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The main side of a program: which command, run it, print its error, exit status.
 */
#include "lib/cmd_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/outfile.h"
#include "lib/words.h"

#ifndef CALIB_VERSION
#define CALIB_VERSION "unknown"
#endif

#define EXIT_CANNOT_RUN 2

const char *cmd_version(void)
{
	return "calib " CALIB_VERSION;
}

const struct cmd_given *cmd_given(const struct cmd_ctx *ctx, unsigned int *n)
{
	*n = ctx->parsed ? ctx->parsed->given_count : 0;
	return ctx->parsed ? ctx->parsed->given : NULL;
}

const char *cmd_any_given(const struct cmd_ctx *ctx, const char *const *names)
{
	unsigned int n;
	const struct cmd_given *given = cmd_given(ctx, &n);

	for (; *names; names++)
		for (unsigned int i = 0; i < n; i++)
			if (!strcmp(given[i].opt->name, *names))
				return *names;
	return NULL;
}

const char *cmd_line(const struct cmd_ctx *ctx)
{
	return ctx && ctx->line.data ? ctx->line.data : "";
}

static void put_prefix(const struct cmd_ctx *ctx)
{
	fflush(stdout);
	if (!ctx)
		return;
	fprintf(stderr, "%s%s%s: ", ctx->prog->name, ctx->cmd ? " " : "",
		ctx->cmd ? ctx->cmd->name : "");
}

static void say(const struct cmd_ctx *ctx, const char *kind, const char *fmt, va_list ap)
{
	struct err line;
	char text[sizeof(line.msg) + 1];

	vsnprintf(text, sizeof(text), fmt, ap);
	err_set(&line, 0, "%s", text);
	put_prefix(ctx);
	fprintf(stderr, "%s: %s\n", kind, line.msg);
}

void cmd_warn(const struct cmd_ctx *ctx, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(ctx, "warning", fmt, ap);
	va_end(ap);
}

void cmd_note(const struct cmd_ctx *ctx, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(ctx, "note", fmt, ap);
	va_end(ap);
}

/* Messages hold neither control characters nor broken UTF-8 (err.c sees to that). */
static void put_json_error(const char *msg)
{
	fputs("{\"error\": \"", stderr);
	for (; *msg; msg++) {
		if (*msg == '"' || *msg == '\\')
			fputc('\\', stderr);
		fputc(*msg, stderr);
	}
	fputs("\"}\n", stderr);
}

static int fail(const struct cmd_ctx *ctx, const struct err *err)
{
	fflush(stdout);
	if (ctx->json) {
		put_json_error(err->msg);
	} else {
		put_prefix(ctx);
		fprintf(stderr, "error: %s\n", err->msg);
	}
	return EXIT_CANNOT_RUN;
}

/* Levenshtein distance; words longer than the row count as far apart. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[64];
	size_t n = strlen(b);

	if (n >= 64 || strlen(a) >= 64)
		return 64;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			unsigned int best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

const char *cmd_nearest(const char *word, const char *(*name)(const void *arg, size_t i),
			const void *arg)
{
	size_t len = strlen(word);
	unsigned int best = len > 3 ? 3 : 2; /* exclusive */
	const char *found = NULL, *candidate;

	if (len < 2)
		return NULL;
	for (size_t i = 0; (candidate = name(arg, i)); i++) {
		unsigned int d = distance(word, candidate);

		if (!strncmp(word, candidate, len))
			d = 1;
		if (d < best) {
			best = d;
			found = candidate;
		}
	}
	return found;
}

static const char *command_name(const void *arg, size_t i)
{
	const struct cmd *const *cmds = arg;

	return cmds[i] ? cmds[i]->name : NULL;
}

bool cmd_in_family(const struct cmd *cmd, const char *family)
{
	size_t len = strlen(family);

	return !strncmp(cmd->name, family, len) && cmd->name[len] == ' ';
}

static bool is_family(const struct prog *prog, const char *word)
{
	for (const struct cmd *const *c = prog->cmds; *c; c++)
		if (cmd_in_family(*c, word))
			return true;
	return false;
}

/* How many of the words make up @name: 0 when they are not it. A word may hold both. */
static int match_words(const char *name, int argc, char **argv)
{
	int words = 0;

	while (words < argc) {
		size_t len = strlen(argv[words]);

		if (strncmp(name, argv[words], len))
			return 0;
		words++;
		name += len;
		if (!*name)
			return words;
		if (*name++ != ' ')
			return 0;
	}
	return 0;
}

static int unknown_member(const struct prog *prog, const char *family, const char *name,
			  struct err *err)
{
	char known[256] = "";
	size_t used = 0;

	for (const struct cmd *const *c = prog->cmds; *c && used < sizeof(known); c++)
		if (cmd_in_family(*c, family))
			used += snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "",
					 (*c)->name + strlen(family) + 1);
	return err_set(err, -EINVAL, "%s%s%s'%s' needs one of %s; see '%s %s --help'",
		       name ? "unknown command '" : "", name ? name : "",
		       name ? "': " : "", family, known, prog->name, family);
}

static int unknown_command(const struct prog *prog, int argc, char **argv,
			   struct err *err)
{
	const bool family = is_family(prog, argv[0]);
	const char *near;
	char name[256];

	if (family && (argc < 2 || argv[1][0] == '-'))
		return unknown_member(prog, argv[0], NULL, err);
	snprintf(name, sizeof(name), "%s%s%s", argv[0], family ? " " : "",
		 family ? argv[1] : "");
	near = cmd_nearest(name, command_name, prog->cmds);
	if (near)
		return err_set(err, -EINVAL,
			       "unknown command '%s', did you mean '%s'? see '%s --help'",
			       name, near, prog->name);
	if (family)
		return unknown_member(prog, argv[0], name, err);
	return err_set(err, -EINVAL, "unknown command '%s'; see '%s --help'", name,
		       prog->name);
}

/* Returns how many of the words name the command, or -EINVAL. */
static int find_command(const struct prog *prog, int argc, char **argv,
			const struct cmd **cmd, struct err *err)
{
	for (const struct cmd *const *c = prog->cmds; *c; c++) {
		int words = match_words((*c)->name, argc, argv);

		if (words) {
			*cmd = *c;
			return words;
		}
	}
	return unknown_command(prog, argc, argv, err);
}

/* "--json" decides the form of errors even when the rest of the line cannot be parsed. */
static bool wants_json(const struct cmd *cmd, int argc, char **argv)
{
	int i = cmd_find_option(cmd, "json");

	if (i < 0 || cmd->opts[i].kind != OPT_FLAG)
		return false;
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--json"))
			return true;
	return false;
}

static int run_parsed(struct cmd_ctx *ctx, const void *values, struct cmd_parsed *parsed)
{
	struct err err = { "" };
	int ret;

	if (parsed->help) {
		cmd_help_cmd(ctx->prog, ctx->cmd, stdout);
		return 0;
	}
	ret = ctx->cmd->run(ctx, values, parsed->argc, parsed->argv, &err);
	if (ret >= 0)
		return ret;
	if (!err.msg[0])
		err_errno(&err, ret, "'%s'", ctx->cmd->name);
	return fail(ctx, &err);
}

static size_t letters(int argc, char **argv)
{
	size_t n = 1;

	for (int i = 0; i < argc; i++)
		n += strlen(argv[i]);
	return n;
}

static int run_command(struct cmd_ctx *ctx, int argc, char **argv)
{
	const struct cmd *cmd = ctx->cmd;
	struct cmd_parsed parsed = { 0 };
	struct err err = { "" };
	void *values;
	int ret;

	ctx->json = wants_json(cmd, argc, argv);
	values = calloc(1, cmd->opts_size ? cmd->opts_size : 1);
	parsed.argv = calloc(argc + 1, sizeof(*parsed.argv));
	/* "-ab" is one argument and two options. */
	parsed.given = calloc(letters(argc, argv), sizeof(*parsed.given));
	ctx->parsed = &parsed;
	if (!values || !parsed.argv || !parsed.given) {
		err_errno(&err, -ENOMEM, "cannot start");
		ret = fail(ctx, &err);
		goto out_free;
	}
	if (cmd->defaults)
		memcpy(values, cmd->defaults, cmd->opts_size);
	if (cmd_parse(ctx->prog, cmd, argc, argv, values, &parsed, &err))
		ret = fail(ctx, &err);
	else
		ret = run_parsed(ctx, values, &parsed);
out_free:
	ctx->parsed = NULL;
	free(parsed.given);
	free(parsed.argv);
	free(values);
	return ret;
}

static void list_commands(const struct prog *prog)
{
	for (const struct cmd *const *c = prog->cmds; *c; c++)
		puts((*c)->name);
}

/* "help CMD" and "--list-options CMD"; without CMD, about the program. */
static int about_command(struct cmd_ctx *ctx, int argc, char **argv)
{
	bool list = !strcmp(argv[1], "--list-options");
	const struct cmd *cmd;
	struct err err;

	if (argc < 3) {
		if (list)
			puts("--version");
		else
			cmd_help_prog(ctx->prog, stdout);
		return 0;
	}
	if (!list && argc == 3 && is_family(ctx->prog, argv[2])) {
		cmd_help_family(ctx->prog, argv[2], stdout);
		return 0;
	}
	if (find_command(ctx->prog, argc - 2, argv + 2, &cmd, &err) < 0)
		return fail(ctx, &err);
	if (list)
		cmd_list_options(cmd, stdout);
	else
		cmd_help_cmd(ctx->prog, cmd, stdout);
	return 0;
}

static int unknown_prog_option(struct cmd_ctx *ctx, const char *arg)
{
	struct err err;

	err_set(&err, -EINVAL, "unknown option '%s' before a command; see '%s --help'",
		arg, ctx->prog->name);
	return fail(ctx, &err);
}

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int dispatch(struct cmd_ctx *ctx, int argc, char **argv)
{
	const char *word = argv[1];
	struct err err;
	int words;

	if (is_help(word)) {
		cmd_help_prog(ctx->prog, stdout);
		return 0;
	}
	if (!strcmp(word, "--version")) {
		printf("%s %s\n", ctx->prog->name, CALIB_VERSION);
		return 0;
	}
	if (!strcmp(word, "--list-commands")) {
		list_commands(ctx->prog);
		return 0;
	}
	if (!strcmp(word, "help") || !strcmp(word, "--list-options"))
		return about_command(ctx, argc, argv);
	if (word[0] == '-')
		return unknown_prog_option(ctx, word);
	if (argc == 3 && is_help(argv[2]) && is_family(ctx->prog, word)) {
		cmd_help_family(ctx->prog, word, stdout);
		return 0;
	}
	words = find_command(ctx->prog, argc - 1, argv + 1, &ctx->cmd, &err);
	if (words < 0)
		return fail(ctx, &err);
	return run_command(ctx, argc - words, argv + words);
}

/* Without the path of the program, which says nothing about the result. */
static int keep_line(struct cmd_ctx *ctx, int argc, char **argv)
{
	int ret = buf_adds(&ctx->line, ctx->prog->name);

	for (int i = 1; i < argc && !ret; i++) {
		ret = buf_adds(&ctx->line, " ");
		if (!ret)
			ret = words_quote(&ctx->line, argv[i]);
	}
	return ret;
}

/*
 * A descriptor 0, 1 or 2 that is closed would be given to the next file we open, and talk
 * would end up in that file. Hold it with one that fails as the closed one would.
 */
static void hold_std_fds(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			return;
}

int cmd_main(const struct prog *prog, int argc, char **argv)
{
	struct cmd_ctx ctx = { .prog = prog };
	struct err err = { "" };
	int status;

	hold_std_fds();
	/* A reader that went away is a write error, told like any other. */
	signal(SIGPIPE, SIG_IGN);
	/* As is a file over the limit (ulimit -f): no temporary file stays behind. */
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		cmd_help_prog(prog, stderr);
		return EXIT_CANNOT_RUN;
	}
	if (keep_line(&ctx, argc, argv)) {
		err_errno(&err, -ENOMEM, "cannot start");
		status = fail(&ctx, &err);
	} else {
		status = dispatch(&ctx, argc, argv);
	}
	if (outfile_flush_stdout(&err) && status != EXIT_CANNOT_RUN)
		status = fail(&ctx, &err);
	buf_free(&ctx.line);
	return status;
}
