/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands and options as tables. One table is parser, --help, the list that completion
 * asks for, and what the man page is tested against.
 */
#ifndef LIB_CMD_H
#define LIB_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

enum opt_kind {
	OPT_FLAG,	 /* bool */
	OPT_STRING,	 /* const char * */
	OPT_U32,	 /* uint32_t */
	OPT_DOUBLE,	 /* double */
	OPT_PERCENT,	 /* double, as a fraction */
	OPT_DURATION_NS, /* uint64_t */
	OPT_LIST,	 /* struct opt_list: may be given more than once */
};

#define OPT_LIST_MAX 64
struct opt_list {
	const char *items[OPT_LIST_MAX];
	unsigned int n;
};

struct opt {
	const char *name; /* long name, without dashes; NULL ends the table */
	char letter; /* short name, or 0; the same letter means the same in both programs
		      */
	enum opt_kind kind;
	size_t offset;	     /* into the command's options struct */
	const char *arg;     /* what the argument is called in help; NULL for OPT_FLAG */
	const char *help;    /* one line */
	const char *choices; /* optional: "a|b|c": any other value is refused, completion
				offers them */
	uint32_t min, max;   /* of an OPT_U32; max 0: whatever fits; of an OPT_PERCENT:
				max, in percent; 0: 100 */
};

struct cmd_ctx; /* who runs: for messages */

struct cmd {
	/* One word, or two for the members of a family: "bench perf" is run by
	 * "calib bench perf". */
	const char *name;
	const char *args;    /* operands in the synopsis: "BOARD COEFFS" */
	const char *summary; /* one line */
	/* Paragraphs that teach: what it does, what it needs, what comes next. Lines are
	 * wrapped; one that starts with a blank stands as it is. */
	const char *help;
	const char *example; /* one or more command lines, a line each */
	const struct opt *opts;
	size_t opts_size;     /* of the options struct; 0: none */
	const void *defaults; /* initial value of the options struct; NULL: zeroes */
	unsigned int min_args, max_args;
	/*
	 * Operands only in @argv. Returns the exit status (0 done, 1 the answer is no) or
	 * a negative errno with @err set (printed by the caller; exit 2).
	 */
	int (*run)(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
		   struct err *err);
};

struct prog {
	const char *name;
	const char *summary;
	const char *help;	       /* the daily use, shown by --help */
	const struct cmd *const *cmds; /* NULL-ended */
};

/*
 * cmd_main - parse, run, print the error, flush stdout
 *
 * Understands "PROG --help", "PROG --version", "PROG help CMD", "PROG CMD --help|-h"
 * (also of a family of two-worded commands: the list of its members), and for completion
 * and tests "PROG --list-commands", "PROG --list-options CMD" (a line each:
 * "--name[=ARG]", choices after a tab; --help, which every command has, is left out).
 * Options and operands may be mixed, whatever POSIXLY_CORRECT says; "--" ends options.
 * Errors go to stderr as "prog cmd: error: ..."; when the command has a flag "json" and
 * it was given, as {"error": "..."}. What could not be written to stdout is an error too.
 * Returns the exit status for main(), 2 when it could not run.
 *
 * Ignores SIGPIPE and SIGXFSZ; spawn_run() gives them back to children.
 */
int cmd_main(const struct prog *prog, int argc, char **argv);

/* "calib fit: warning: ..." and "calib fit: note: ..." on stderr. */
void cmd_warn(const struct cmd_ctx *ctx, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void cmd_note(const struct cmd_ctx *ctx, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* An option as it was typed. */
struct cmd_given {
	const struct opt *opt;
	const char *text; /* of its argument; "" for a flag */
};
/* The options of this command line in their order, @n of them. */
const struct cmd_given *cmd_given(const struct cmd_ctx *ctx, unsigned int *n);
/* The first of @names (NULL-ended) that this command line has; NULL: none of them. */
const char *cmd_any_given(const struct cmd_ctx *ctx, const char *const *names);
/*
 * cmd_set - set an option in @values as the command line would
 * @text: borrowed by options that are strings
 *
 * 0, or -EINVAL for an option that @cmd has not or a text that it does not take.
 */
int cmd_set(const struct cmd *cmd, const char *name, const char *text, void *values,
	    struct err *err);
/* The whole command line as typed, shell-quoted, for provenance. */
const char *cmd_line(const struct cmd_ctx *ctx);
/* "calib 0.1.0" */
const char *cmd_version(void);

#endif
