/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by cmd.c, cmd_parse.c and cmd_help.c; nobody else includes it.
 */
#ifndef LIB_CMD_INTERNAL_H
#define LIB_CMD_INTERNAL_H

#include <stdio.h>

#include "lib/buf.h"
#include "lib/cmd.h"

struct cmd_ctx {
	const struct prog *prog;
	const struct cmd *cmd;		 /* NULL before one was found */
	bool json;			 /* errors as JSON */
	struct buf line;		 /* as typed, shell-quoted */
	const struct cmd_parsed *parsed; /* while the command runs */
};

/* What the command line of one command says. */
struct cmd_parsed {
	bool help;
	int argc;    /* operands */
	char **argv; /* operands; the array is the caller's, with room for all arguments
		      */
	struct cmd_given *given; /* options; likewise */
	unsigned int given_count;
};

/*
 * cmd_parse - fill the options struct and collect the operands
 * @argv: argv[0] is the command's name
 * @values: the options struct, defaults in place
 *
 * Returns 0 or -EINVAL with a message that ends in where to read on.
 */
int cmd_parse(const struct prog *prog, const struct cmd *cmd, int argc, char **argv,
	      void *values, struct cmd_parsed *parsed, struct err *err);

/* Is the flag @name in the table? Its index, or -ENOENT. */
int cmd_find_option(const struct cmd *cmd, const char *name);

/* Is @cmd one of the two-worded commands that begin with @family ("bench perf")? */
bool cmd_in_family(const struct cmd *cmd, const char *family);

void cmd_help_prog(const struct prog *prog, FILE *f);
/* The commands of a family, a line each. */
void cmd_help_family(const struct prog *prog, const char *family, FILE *f);
void cmd_help_cmd(const struct prog *prog, const struct cmd *cmd, FILE *f);
void cmd_list_options(const struct cmd *cmd, FILE *f);

/*
 * cmd_nearest - the name that @word was probably meant to be
 * @name: gives name number i, NULL past the end; @arg is passed to it
 *
 * NULL when none is near.
 */
const char *cmd_nearest(const char *word, const char *(*name)(const void *arg, size_t i),
			const void *arg);

#endif
