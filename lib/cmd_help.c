// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Help text from the command tables, 80 columns wide.
 */
#include "lib/cmd_internal.h"

#include <string.h>

#define WIDTH	   80
#define LEFT_MAX   28 /* a left column wider than this gets a line of its own */
#define LEFT_EXTRA 2

/*
 * Print words of @text, up to @len bytes, wrapped at WIDTH. The cursor is at @column; new
 * lines are indented by @indent.
 */
static void put_wrapped(FILE *f, const char *text, size_t len, int column, int indent)
{
	const char *end = text + len;
	int begin = column, at = column;

	for (;;) {
		size_t word;

		text += strspn(text, " \n");
		if (text >= end)
			break;
		word = strcspn(text, " \n");
		if (word > (size_t)(end - text))
			word = end - text;
		if (at > begin && at + 1 + (int)word > WIDTH) {
			fprintf(f, "\n%*s", indent, "");
			at = begin = indent;
		} else if (at > begin) {
			fputc(' ', f);
			at++;
		}
		fwrite(text, 1, word, f);
		at += word;
		text += word;
	}
	fputc('\n', f);
}

/* A line that starts with a blank stands as it is; others flow together into a paragraph.
 */
static void put_text(FILE *f, const char *text)
{
	while (*text) {
		const char *end = text;

		if (*text == ' ' || *text == '\n') {
			end += strcspn(text, "\n");
			fprintf(f, "%.*s\n", (int)(end - text), text);
			text = *end ? end + 1 : end;
			continue;
		}
		do {
			end += strcspn(end, "\n");
			end += *end == '\n';
		} while (*end && *end != '\n' && *end != ' ');
		put_wrapped(f, text, end - text, 0, 0);
		text = end;
	}
}

static void put_lines(FILE *f, const char *text, const char *indent)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		fprintf(f, "%s%.*s\n", indent, (int)len, text);
		text += len + (text[len] == '\n');
	}
}

/* "  LEFT    text that may wrap" */
static void put_row(FILE *f, const char *left, int left_width, const char *text)
{
	int indent = left_width + 2 * LEFT_EXTRA;

	if ((int)strlen(left) > left_width)
		fprintf(f, "%*s%s\n%*s", LEFT_EXTRA, "", left, indent, "");
	else
		fprintf(f, "%*s%-*s%*s", LEFT_EXTRA, "", left_width, left, LEFT_EXTRA,
			"");
	put_wrapped(f, text, strlen(text), indent, indent);
}

static int clamp_left(int width)
{
	return width > LEFT_MAX ? LEFT_MAX : width;
}

/* Names and summaries, of one family or (NULL) of all. */
static void put_commands(FILE *f, const struct prog *prog, const char *family)
{
	int width = 4;

	for (const struct cmd *const *c = prog->cmds; *c; c++)
		if ((int)strlen((*c)->name) > width)
			width = strlen((*c)->name);
	fputs("\nCommands:\n", f);
	for (const struct cmd *const *c = prog->cmds; *c; c++)
		if (!family || cmd_in_family(*c, family))
			put_row(f, (*c)->name, clamp_left(width), (*c)->summary);
	if (!family)
		put_row(f, "help", clamp_left(width), "explain a command");
	fputc('\n', f);
}

void cmd_help_prog(const struct prog *prog, FILE *f)
{
	fprintf(f, "usage: %s COMMAND [OPTIONS] [OPERANDS]\n\n", prog->name);
	put_text(f, prog->summary);
	put_commands(f, prog, NULL);
	if (prog->help) {
		put_text(f, prog->help);
		fputc('\n', f);
	}
	fprintf(f, "'%s help COMMAND' explains a command.\n", prog->name);
}

void cmd_help_family(const struct prog *prog, const char *family, FILE *f)
{
	fprintf(f, "usage: %s %s COMMAND [OPTIONS] [OPERANDS]\n", prog->name, family);
	put_commands(f, prog, family);
	fprintf(f, "'%s help %s COMMAND' explains a command.\n", prog->name, family);
}

static void option_left(const struct opt *o, char *out, size_t size)
{
	char letter[8] = "    ";

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(out, size, "%s--%s%s%s", letter, o->name, o->arg ? " " : "",
		 o->arg ? o->arg : "");
}

static void option_text(const struct opt *o, char *out, size_t size)
{
	size_t len = snprintf(out, size, "%s%s", o->help ? o->help : "",
			      o->choices ? ": " : "");

	for (const char *c = o->choices; c && *c && len + 3 < size; c++) {
		if (*c == '|') {
			out[len++] = ',';
			out[len++] = ' ';
		} else {
			out[len++] = *c;
		}
		out[len] = '\0';
	}
	if (o->kind == OPT_LIST && len < size)
		snprintf(out + len, size - len, " (may be given more than once)");
}

static const struct opt help_option = {
	.name = "help",
	.letter = 'h',
	.kind = OPT_FLAG,
	.help = "show this text",
};

static void put_option(FILE *f, const struct opt *o, int width)
{
	char left[128], text[1024];

	option_left(o, left, sizeof(left));
	option_text(o, text, sizeof(text));
	put_row(f, left, width, text);
}

static void put_options(FILE *f, const struct cmd *cmd)
{
	char left[128];
	int width = 0;

	for (const struct opt *o = cmd->opts; o && o->name; o++) {
		option_left(o, left, sizeof(left));
		if ((int)strlen(left) > width && strlen(left) <= LEFT_MAX)
			width = strlen(left);
	}
	if (width < 10)
		width = 10;
	fputs("\nOptions:\n", f);
	for (const struct opt *o = cmd->opts; o && o->name; o++)
		put_option(f, o, width);
	put_option(f, &help_option, width);
}

void cmd_help_cmd(const struct prog *prog, const struct cmd *cmd, FILE *f)
{
	bool has_args = cmd->args && *cmd->args;

	fprintf(f, "usage: %s %s [OPTIONS]%s%s\n\n", prog->name, cmd->name,
		has_args ? " " : "", has_args ? cmd->args : "");
	put_text(f, cmd->summary);
	if (cmd->help) {
		fputc('\n', f);
		put_text(f, cmd->help);
	}
	put_options(f, cmd);
	if (cmd->example) {
		fputs("\nExample:\n", f);
		put_lines(f, cmd->example, "  ");
	}
}

static void list_option(FILE *f, const struct opt *o)
{
	fprintf(f, "--%s%s%s%s%s\n", o->name, o->arg ? "=" : "", o->arg ? o->arg : "",
		o->choices ? "\t" : "", o->choices ? o->choices : "");
}

void cmd_list_options(const struct cmd *cmd, FILE *f)
{
	for (const struct opt *o = cmd->opts; o && o->name; o++)
		list_option(f, o);
}
