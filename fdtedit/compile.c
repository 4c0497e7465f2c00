// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run cpp and dtc on a source file, as the kernel's build does.
 */
#include "fdtedit/compile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/spawn.h"

#define MAX_ARGS (2 * OPT_LIST_MAX + 24)

struct args {
	const char *v[MAX_ARGS];
	unsigned int n;
};

static void add_args(struct args *a, const char *const *list)
{
	for (; *list; list++)
		a->v[a->n++] = *list;
}

static void add_folders(struct args *a, const char *option, const char *own,
			const struct opt_list *includes)
{
	const char *const first[] = { option, own, NULL };

	add_args(a, first);
	for (unsigned int i = 0; includes && i < includes->n; i++) {
		const char *const more[] = { option, includes->items[i], NULL };

		add_args(a, more);
	}
}

bool compile_is_source(const char *path)
{
	static const char *const endings[] = { ".dts", ".dtsi", ".dtso" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (!strcmp(dot, endings[i]))
			return true;
	return false;
}

/* "dir/" of "dir/file", or "." */
static void folder_of(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');

	snprintf(out, size, "%.*s", slash ? (int)(slash - path + 1) : 1,
		 slash ? path : ".");
}

/* Run, and let the first line of complaint be the reason. */
static int run(const struct args *a, const struct buf *input, struct buf *out,
	       struct err *err)
{
	struct buf said = { 0 };
	const struct spawn sp = {
		.argv = a->v,
		.input = input ? input->data : NULL,
		.input_len = input ? input->len : 0,
		.out = out,
		.err = &said,
	};
	int ret = spawn_run(&sp, err);

	if (ret > 0) {
		char *line = said.len ? said.data : (char *)"no reason given";

		line[strcspn(line, "\n")] = '\0';
		ret = err_set(err, -EINVAL, "%s: %s", a->v[0], line);
	}
	buf_free(&said);
	return ret;
}

int compile_source(const char *path, const struct opt_list *includes, struct dtb *dtb,
		   struct err *err)
{
	static const char *const cpp[] = { "cpp",	"-nostdinc", "-undef",
					   "-D__DTS__", "-x",	     "assembler-with-cpp",
					   NULL };
	static const char *const dtc[] = { "dtc", "-q", "-I", "dts", "-O", "dtb", NULL };
	const char *const file[] = { path, NULL };
	const char *const standard_input[] = { "-", NULL };
	struct args cpp_args = { .n = 0 }, dtc_args = { .n = 0 };
	struct buf text = { 0 }, blob = { 0 };
	char folder[4096];
	int ret;

	folder_of(path, folder, sizeof(folder));
	add_args(&cpp_args, cpp);
	add_folders(&cpp_args, "-I", folder, includes);
	add_args(&cpp_args, file);
	add_args(&dtc_args, dtc);
	add_folders(&dtc_args, "-i", folder, includes);
	add_args(&dtc_args, standard_input);

	ret = run(&cpp_args, NULL, &text, err);
	if (!ret)
		ret = run(&dtc_args, &text, &blob, err);
	if (!ret)
		ret = dtb_from_memory(blob.data, blob.len, dtb, err);
	buf_free(&text);
	buf_free(&blob);
	return ret ? err_wrap(err, ret, "compiling '%s'", path) : 0;
}

int compile_or_load(const char *path, const struct opt_list *includes, struct dtb *dtb,
		    struct err *err)
{
	if (compile_is_source(path))
		return compile_source(path, includes, dtb, err);
	return dtb_load(path, dtb, err);
}
