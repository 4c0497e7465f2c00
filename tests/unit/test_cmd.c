// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line: a program of our own table, run in a child with its output in files.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/cmd.h"
#include "tests/unit/files.h"

struct options {
	bool json, verbose;
	const char *output;
	uint32_t seed;
	double scale, precision;
	uint64_t limit_ns;
	struct opt_list files;
	const char *method;
};

#define O(field) offsetof(struct options, field)

static const struct opt opts[] = {
	{ "json", 0, OPT_FLAG, O(json), NULL, "print JSON", NULL },
	{ "verbose", 'v', OPT_FLAG, O(verbose), NULL, "say more", NULL },
	{ "output", 'o', OPT_STRING, O(output), "FILE", "write here", NULL },
	{ "seed", 0, OPT_U32, O(seed), "N", "of the random numbers", NULL },
	{ "scale", 0, OPT_DOUBLE, O(scale), "X", "factor", NULL },
	{ "precision", 0, OPT_PERCENT, O(precision), "PERCENT", "stop there", NULL },
	{ "time-limit", 0, OPT_DURATION_NS, O(limit_ns), "TIME", "stop then", NULL },
	{ "file", 'f', OPT_LIST, O(files), "FILE", "read this", NULL },
	{ "method", 0, OPT_STRING, O(method), "NAME",
	  "how, with a help text so long that it needs more than one line of eighty "
	  "columns",
	  "within-opp|origin" },
	{ NULL },
};

static const struct options defaults = { .seed = 5, .precision = 0.01, .output = "-" };

static int run_show(struct cmd_ctx *ctx, const void *values, int argc, char **argv,
		    struct err *err)
{
	const struct options *o = values;

	(void)err;
	printf("%d%d %s %u %g %g %llu %s", o->json, o->verbose, o->output, o->seed,
	       o->scale, o->precision, (unsigned long long)o->limit_ns,
	       o->method ? o->method : "-");
	for (unsigned int i = 0; i < o->files.n; i++)
		printf(" f=%s", o->files.items[i]);
	for (int i = 0; i < argc; i++)
		printf(" [%s]", argv[i]);
	printf("\n%s\n", cmd_line(ctx));
	return 0;
}

static int run_fail(struct cmd_ctx *ctx, const void *values, int argc, char **argv,
		    struct err *err)
{
	(void)values;
	(void)argc;
	if (!strcmp(argv[0], "warn")) {
		cmd_warn(ctx, "line %d is odd\n", 3);
		cmd_note(ctx, "all else is well");
		return 1;
	}
	if (!strcmp(argv[0], "silent"))
		return -ENOENT;
	if (!strcmp(argv[0], "print"))
		for (int i = 0; i < 100000; i++)
			puts("a line of text");
	return !strcmp(argv[0], "print")
		       ? 0
		       : err_set(err, -EINVAL, "'%s' is \"bad\"", argv[0]);
}

static const struct cmd cmd_show = {
	.name = "show",
	.args = "[WHAT...]",
	.summary = "print what was understood",
	.help = "A paragraph that is long enough to be wrapped, since the text of the "
		"table "
		"holds no line breaks of its own.\n\n  a line that stands as it "
		"is\n\nThe end.",
	.example = "prog show -v a b\nprog show --json",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.defaults = &defaults,
	.max_args = UINT_MAX,
	.run = run_show,
};

static const struct opt json_only[] = {
	{ "json", 0, OPT_FLAG, 0, NULL, "print JSON", NULL },
	{ NULL },
};

static const struct cmd cmd_fail = {
	.name = "fail",
	.args = "HOW",
	.summary = "fail in a given way",
	.opts = json_only,
	.opts_size = sizeof(bool),
	.min_args = 1,
	.max_args = 1,
	.run = run_fail,
};

static const struct cmd cmd_box_fill = {
	.name = "box fill",
	.args = "[WHAT...]",
	.summary = "the first of a family",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.defaults = &defaults,
	.max_args = UINT_MAX,
	.run = run_show,
};

static const struct cmd cmd_box_empty = {
	.name = "box empty",
	.args = "",
	.summary = "the other",
	.run = run_show,
};

static const struct cmd *const cmds[] = { &cmd_show, &cmd_fail, &cmd_box_fill,
					  &cmd_box_empty, NULL };

static const struct prog prog = {
	.name = "prog",
	.summary = "a program for tests",
	.help = "The daily use:\n  prog show",
	.cmds = cmds,
};

/* What the last run printed and returned. */
struct ran {
	char *out, *err;
	int status;
};

static struct ran last;

static void redirect(const char *path, int fd)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (file < 0 || dup2(file, fd) < 0)
		_exit(99);
	close(file);
}

static void child(char **argv, const char *out, const char *err)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	redirect(out, STDOUT_FILENO);
	redirect(err, STDERR_FILENO);
	/* What cmocka has printed and not flushed is the parent's. */
	__fpurge(stdout);
	_exit(cmd_main(&prog, argc, argv));
}

static void collect(pid_t pid, const char *out, const char *err)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	free(last.out);
	free(last.err);
	last = (struct ran){ files_get(out), files_get(err), WEXITSTATUS(status) };
}

static char *folder;

static void run_argv(char **argv)
{
	const char *out = files_path(folder, "out"), *err = files_path(folder, "err");
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		child(argv, out, err);
	collect(pid, out, err);
}

#define run(...) run_argv((char *[]){ (char *)"/some/where/prog", ##__VA_ARGS__, NULL })

static void assert_ran(int status, const char *out, const char *err)
{
	assert_string_equal(last.err, err);
	assert_string_equal(last.out, out);
	assert_int_equal(last.status, status);
}

static void assert_starts(const char *text, const char *start)
{
	assert_memory_equal(text, start, strlen(start));
}

static void no_command_prints_help_and_cannot_run(void **state)
{
	(void)state;
	run();
	assert_int_equal(last.status, 2);
	assert_string_equal(last.out, "");
	assert_starts(last.err, "usage: prog COMMAND");
}

static void help_lists_commands_with_their_summaries(void **state)
{
	(void)state;
	run("--help");
	assert_ran(0,
		   "usage: prog COMMAND [OPTIONS] [OPERANDS]\n\n"
		   "a program for tests\n\n"
		   "Commands:\n"
		   "  show       print what was understood\n"
		   "  fail       fail in a given way\n"
		   "  box fill   the first of a family\n"
		   "  box empty  the other\n"
		   "  help       explain a command\n\n"
		   "The daily use:\n"
		   "  prog show\n\n"
		   "'prog help COMMAND' explains a command.\n",
		   "");
}

static void version_names_the_program(void **state)
{
	(void)state;
	run("--version");
	assert_ran(0, "prog " CALIB_VERSION "\n", "");
}

static void unknown_command_is_refused_with_the_near_one(void **state)
{
	(void)state;
	run("shwo");
	assert_ran(2, "",
		   "prog: error: unknown command 'shwo', did you mean 'show'? see "
		   "'prog --help'\n");
	run("x");
	assert_ran(2, "", "prog: error: unknown command 'x'; see 'prog --help'\n");
	run("help", "nothing");
	assert_ran(2, "", "prog: error: unknown command 'nothing'; see 'prog --help'\n");
	run("");
	assert_ran(2, "", "prog: error: unknown command ''; see 'prog --help'\n");
}

static void option_before_a_command_is_refused(void **state)
{
	(void)state;
	run("--verbose", "show");
	assert_ran(2, "",
		   "prog: error: unknown option '--verbose' before a command; see "
		   "'prog --help'\n");
}

static void defaults_hold_without_options(void **state)
{
	(void)state;
	run("show");
	assert_ran(0, "00 - 5 0 0.01 0 -\nprog show\n", "");
}

static void every_kind_of_option_is_read(void **state)
{
	(void)state;
	run("show", "--json", "-v", "-o", "a b", "--seed=7", "--scale", "-1.5",
	    "--precision", "0.5%", "--time-limit=10m", "--method", "origin");
	assert_ran(0,
		   "11 a b 7 -1.5 0.005 600000000000 origin\n"
		   "prog show --json -v -o 'a b' --seed=7 --scale -1.5 --precision 0.5% "
		   "--time-limit=10m --method origin\n",
		   "");
}

static void options_and_operands_mix_until_two_dashes(void **state)
{
	(void)state;
	setenv("POSIXLY_CORRECT", "1", 1);
	run("show", "one", "-v", "two", "-fa", "--file=b", "-", "--", "-v", "--", "it's");
	unsetenv("POSIXLY_CORRECT");
	assert_ran(0,
		   "01 - 5 0 0.01 0 - f=a f=b [one] [two] [-] [-v] [--] [it's]\n"
		   "prog show one -v two -fa --file=b - -- -v -- 'it'\\''s'\n",
		   "");
}

static void bad_values_are_refused_with_the_reason(void **state)
{
	static const struct {
		const char *option, *value, *reason;
	} cases[] = {
		{ "--precision", "abc",
		  "is not a percentage above 0, up to 100 (like 1%)" },
		{ "--precision", "-1%",
		  "is not a percentage above 0, up to 100 (like 1%)" },
		{ "--precision", "0",
		  "is not a percentage above 0, up to 100 (like 1%)" },
		{ "--precision", "100.1%",
		  "is not a percentage above 0, up to 100 (like 1%)" },
		{ "--seed", "-1", "is not a whole number in 0..4294967295" },
		{ "--seed", "4294967296", "is not a whole number in 0..4294967295" },
		{ "--seed", "", "is not a whole number in 0..4294967295" },
		{ "--scale", "nan", "is not a decimal number" },
		{ "--time-limit", "0",
		  "is not a time above 0 (like 250ms, 10s, 10m, 2h)" },
		{ "--method", "magic", "is not one of within-opp|origin" },
		{ "--method", "within", "is not one of within-opp|origin" },
	};
	char expected[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run("show", (char *)cases[i].option, (char *)cases[i].value);
		snprintf(expected, sizeof(expected),
			 "prog show: error: %s '%s' %s; see 'prog show --help'\n",
			 cases[i].option, cases[i].value, cases[i].reason);
		assert_ran(2, "", expected);
	}
}

static void bad_options_are_refused_by_name(void **state)
{
	static const struct {
		const char *arg, *reason;
	} cases[] = {
		{ "--presicion=1%", "unknown option '--presicion=1%'; did you mean "
				    "'--precision'?" },
		{ "--nothing", "unknown option '--nothing'" },
		{ "-x", "unknown option '-x'" },
		{ "-1", "unknown option '-1'; an operand that begins with '-' goes after "
			"'--'" },
		{ "--json=yes", "option '--json=yes' takes no argument" },
		{ "-o", "option '--output' needs an argument FILE" },
		{ "--seed", "option '--seed' needs an argument N" },
		{ "--s", "option '--s' may be any of several; write it out" },
	};
	char expected[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run("show", (char *)cases[i].arg);
		snprintf(expected, sizeof(expected),
			 "prog show: error: %s; see 'prog show --help'\n",
			 cases[i].reason);
		assert_ran(2, "", expected);
	}
}

static void list_option_has_a_limit(void **state)
{
	char *argv[2 + OPT_LIST_MAX + 2] = { (char *)"prog", (char *)"show" };

	(void)state;
	for (int i = 0; i <= OPT_LIST_MAX; i++)
		argv[2 + i] = (char *)"-fx";
	run_argv(argv);
	assert_ran(2, "",
		   "prog show: error: --file 'x' is one too many (64 are taken); see "
		   "'prog show --help'\n");
}

static void operands_are_counted(void **state)
{
	(void)state;
	run("fail");
	assert_ran(2, "",
		   "prog fail: error: operand missing, needed: HOW; see "
		   "'prog fail --help'\n");
	run("fail", "a", "b");
	assert_ran(2, "",
		   "prog fail: error: operand 'b' is one too many; see 'prog fail "
		   "--help'\n");
}

static void command_error_is_printed_with_who_failed(void **state)
{
	(void)state;
	run("fail", "x\n\033[1m");
	assert_ran(2, "", "prog fail: error: 'x??[1m' is \"bad\"\n");
	run("fail", "silent");
	assert_ran(2, "", "prog fail: error: 'fail': No such file or directory\n");
	run("fail", "warn");
	assert_ran(1, "",
		   "prog fail: warning: line 3 is odd?\nprog fail: note: all else is "
		   "well\n");
}

static void json_flag_makes_errors_json(void **state)
{
	(void)state;
	run("fail", "--json", "a\\b");
	assert_ran(2, "", "{\"error\": \"'a\\\\b' is \\\"bad\\\"\"}\n");
	/* Also when the line itself is wrong. */
	run("fail", "--json");
	assert_ran(2, "",
		   "{\"error\": \"operand missing, needed: HOW; see "
		   "'prog fail --help'\"}\n");
	/* An operand is no flag. */
	run("fail", "--", "--json");
	assert_ran(2, "", "prog fail: error: '--json' is \"bad\"\n");
}

static void command_help_teaches_within_80_columns(void **state)
{
	static const char expected[] =
		"usage: prog show [OPTIONS] [WHAT...]\n"
		"\n"
		"print what was understood\n"
		"\n"
		"A paragraph that is long enough to be wrapped, since the text of the "
		"table "
		"holds\n"
		"no line breaks of its own.\n"
		"\n"
		"  a line that stands as it is\n"
		"\n"
		"The end.\n"
		"\n"
		"Options:\n"
		"      --json               print JSON\n"
		"  -v, --verbose            say more\n"
		"  -o, --output FILE        write here\n"
		"      --seed N             of the random numbers\n"
		"      --scale X            factor\n"
		"      --precision PERCENT  stop there\n"
		"      --time-limit TIME    stop then\n"
		"  -f, --file FILE          read this (may be given more than once)\n"
		"      --method NAME        how, with a help text so long that it needs "
		"more than\n"
		"                           one line of eighty columns: within-opp, "
		"origin\n"
		"  -h, --help               show this text\n"
		"\n"
		"Example:\n"
		"  prog show -v a b\n"
		"  prog show --json\n";

	(void)state;
	run("show", "--help");
	assert_ran(0, expected, "");
	run("show", "-h", "--seed=1");
	assert_ran(0, expected, "");
	run("help", "show");
	assert_ran(0, expected, "");
}

static void help_wins_over_missing_operands(void **state)
{
	(void)state;
	run("fail", "--help");
	assert_int_equal(last.status, 0);
	assert_starts(last.out, "usage: prog fail [OPTIONS] HOW\n");
}

static void two_words_name_a_command(void **state)
{
	(void)state;
	run("box", "fill", "--seed=3", "fill", "x");
	assert_ran(0,
		   "00 - 3 0 0.01 0 - [fill] [x]\n"
		   "prog box fill --seed=3 fill x\n",
		   "");
	run("box", "fill", "--sed=3");
	assert_ran(2, "",
		   "prog box fill: error: unknown option '--sed=3'; did you mean "
		   "'--seed'?; see 'prog box fill --help'\n");
	run("--list-options", "box fill");
	assert_starts(last.out, "--json\n");
	run("--list-options", "box", "empty");
	assert_ran(0, "", "");
	run("help", "box", "fill");
	assert_starts(last.out, "usage: prog box fill [OPTIONS] [WHAT...]\n");
}

static void a_family_names_its_members(void **state)
{
	static const char list[] = "usage: prog box COMMAND [OPTIONS] [OPERANDS]\n\n"
				   "Commands:\n"
				   "  box fill   the first of a family\n"
				   "  box empty  the other\n\n"
				   "'prog help box COMMAND' explains a command.\n";

	(void)state;
	run("box", "--help");
	assert_ran(0, list, "");
	run("help", "box");
	assert_ran(0, list, "");
	run("box");
	assert_ran(2, "",
		   "prog: error: 'box' needs one of fill, empty; see 'prog box "
		   "--help'\n");
	run("box", "--seed=3");
	assert_int_equal(last.status, 2);
	run("box", "fll");
	assert_ran(2, "",
		   "prog: error: unknown command 'box fll', did you mean 'box fill'? see "
		   "'prog --help'\n");
	run("box", "break");
	assert_ran(2, "",
		   "prog: error: unknown command 'box break': 'box' needs one of fill, "
		   "empty; see 'prog box --help'\n");
	run("bo");
	assert_int_equal(last.status, 2);
}

static void lists_are_for_completion(void **state)
{
	(void)state;
	run("--list-commands");
	assert_ran(0, "show\nfail\nbox fill\nbox empty\n", "");
	run("--list-options", "show");
	assert_ran(0,
		   "--json\n--verbose\n--output=FILE\n--seed=N\n--scale=X\n"
		   "--precision=PERCENT\n--time-limit=TIME\n--file=FILE\n"
		   "--method=NAME\twithin-opp|origin\n",
		   "");
	run("--list-options", "shw");
	assert_int_equal(last.status, 2);
}

static void full_disk_under_stdout_is_an_error(void **state)
{
	pid_t pid;

	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	pid = fork();
	if (!pid)
		child((char *[]){ (char *)"prog", (char *)"show", NULL }, "/dev/full",
		      files_path(folder, "err"));
	collect(pid, "/dev/null", files_path(folder, "err"));
	assert_ran(2, "",
		   "prog show: error: cannot write standard output: No space left on "
		   "device\n");
}

static void reader_that_goes_away_is_an_error(void **state)
{
	int ends[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	pid = fork();
	if (!pid) {
		char *argv[] = { (char *)"prog", (char *)"fail", (char *)"print", NULL };

		redirect(files_path(folder, "err"), STDERR_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		__fpurge(stdout);
		signal(SIGPIPE, SIG_DFL);
		_exit(cmd_main(&prog, 3, argv));
	}
	close(ends[1]);
	collect(pid, "/dev/null", files_path(folder, "err"));
	assert_ran(2, "",
		   "prog fail: error: cannot write standard output: Broken pipe\n");
}

static void closed_stdout_is_an_error(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		char *argv[] = { (char *)"prog", (char *)"show", NULL };

		redirect(files_path(folder, "err"), STDERR_FILENO);
		__fpurge(stdout);
		close(STDOUT_FILENO);
		_exit(cmd_main(&prog, 2, argv));
	}
	collect(pid, "/dev/null", files_path(folder, "err"));
	assert_ran(
		2, "",
		"prog show: error: cannot write standard output: Bad file descriptor\n");
}

static int set_up(void **state)
{
	(void)state;
	folder = files_folder();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(last.out);
	free(last.err);
	files_remove(folder);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_command_prints_help_and_cannot_run),
		cmocka_unit_test(help_lists_commands_with_their_summaries),
		cmocka_unit_test(version_names_the_program),
		cmocka_unit_test(unknown_command_is_refused_with_the_near_one),
		cmocka_unit_test(option_before_a_command_is_refused),
		cmocka_unit_test(defaults_hold_without_options),
		cmocka_unit_test(every_kind_of_option_is_read),
		cmocka_unit_test(options_and_operands_mix_until_two_dashes),
		cmocka_unit_test(bad_values_are_refused_with_the_reason),
		cmocka_unit_test(bad_options_are_refused_by_name),
		cmocka_unit_test(list_option_has_a_limit),
		cmocka_unit_test(operands_are_counted),
		cmocka_unit_test(command_error_is_printed_with_who_failed),
		cmocka_unit_test(json_flag_makes_errors_json),
		cmocka_unit_test(command_help_teaches_within_80_columns),
		cmocka_unit_test(help_wins_over_missing_operands),
		cmocka_unit_test(two_words_name_a_command),
		cmocka_unit_test(a_family_names_its_members),
		cmocka_unit_test(lists_are_for_completion),
		cmocka_unit_test(full_disk_under_stdout_is_an_error),
		cmocka_unit_test(reader_that_goes_away_is_an_error),
		cmocka_unit_test(closed_stdout_is_an_error),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
