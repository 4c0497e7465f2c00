// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run the commands of fdtedit with their streams in memory.
 */
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "fdtedit/commands.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/run.h"

#define MAX_BYTES (16u << 20)

static const struct cmd *const cmds[] = {
	&cmd_show,	   &cmd_apply,	&cmd_diff,  &cmd_get,
	&cmd_set_property, &cmd_delete, &cmd_prune, NULL,
};

static const struct prog prog = { .name = "fdtedit", .cmds = cmds };

void run_arg(struct run *r, const char *arg)
{
	fuzz_assert(r->argc < RUN_MAX_ARGS);
	if (!r->argc)
		r->argv[r->argc++] = "fdtedit";
	r->argv[r->argc++] = arg;
}

/* Lines of a program's talk: each says whose it is, and none breaks or controls the
 * terminal, whatever the names in a tree are. */
static bool is_talk(const char *text, size_t len, unsigned int *errors)
{
	const char *end = text + len;

	*errors = 0;
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));

		if (!nl || strncmp(text, "fdtedit", 7))
			return false;
		*errors += memmem(text, (size_t)(nl - text), ": error: ", 9) != NULL;
		for (; text < nl; text++)
			if ((unsigned char)*text < 0x20)
				return false;
		text = nl + 1;
	}
	return true;
}

/* Names in a tree control no terminal here either. */
static bool is_report(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 && text[i] != '\n')
			return false;
	return true;
}

/* A failure is one line of reason and no result; a success has no such line. */
static bool is_told(const struct run *r)
{
	unsigned int errors;

	if (!is_talk(r->err, r->err_len, &errors) || !is_report(r->out, r->out_len))
		return false;
	if (r->status == 2)
		return errors && !r->out_len;
	return r->status == 0 || r->status == 1;
}

static void tell(const struct run *r)
{
	for (int i = 0; i < r->argc; i++)
		fprintf(stderr, "%s ", r->argv[i]);
	fprintf(stderr, "- exit status %d\n%s%s", r->status, r->out, r->err);
}

void run_now(struct run *r)
{
	FILE *out = stdout, *err = stderr;

	stdout = open_memstream(&r->out, &r->out_len);
	stderr = open_memstream(&r->err, &r->err_len);
	if (stdout && stderr)
		r->status = cmd_main(&prog, r->argc, (char **)r->argv);
	fclose(stdout);
	fclose(stderr);
	stdout = out;
	stderr = err;
	if (!is_told(r) || getenv("FUZZ_TELL"))
		tell(r);
	fuzz_assert(is_told(r));
}

void run_free(struct run *r)
{
	free(r->out);
	free(r->err);
	*r = (struct run){ 0 };
}

char *run_file(const char *name)
{
	const char *dir = getenv("FUZZ_DIR"); /* a folder of its own, best in memory */
	char *path = NULL;

	fuzz_assert(dir && asprintf(&path, "%s/%s", dir, name) > 0);
	return path;
}

void run_put(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	fuzz_assert(f && fwrite(data, 1, len, f) == len && !fclose(f));
}

bool run_get(const char *path, struct buf *content)
{
	*content = (struct buf){ 0 };
	if (access(path, F_OK))
		return false;
	fuzz_assert(!buf_read_file(content, path, MAX_BYTES, NULL));
	return true;
}
