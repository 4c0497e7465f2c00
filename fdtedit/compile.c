// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run cpp and dtc on a source file, as the kernel's build does.
 */
#include "fdtedit/compile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

/* The start of a regular file; of others it would be gone for the reader. */
static size_t read_head(const char *path, char *head, size_t size)
{
	struct stat st;
	size_t n = 0;
	FILE *f;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	f = fopen(path, "re");
	if (f) {
		n = fread(head, 1, size, f);
		fclose(f);
	}
	return n;
}

bool compile_is_source(const char *path)
{
	static const char *const endings[] = { ".dts", ".dtsi", ".dtso" };
	char head[4096];
	size_t n = read_head(path, head, sizeof(head));

	if (n >= 4 && !memcmp(head, "\xd0\x0d\xfe\xed", 4))
		return false;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (ends_with(path, endings[i]))
			return true;
	/* Text under the name of a compiled tree is somebody's mistake. */
	if (ends_with(path, ".dtb") || ends_with(path, ".dtbo"))
		return false;
	return !memchr(head, '\0', n) && memmem(head, n, "/dts-v1/", 8);
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

/* @text: NULL: that of the file; @labels: with /__symbols__ */
static int compile(const struct buf *text, const char *path,
		   const struct opt_list *includes, bool labels, struct dtb *dtb,
		   struct err *err)
{
	/* Files that include each other end at the first error, not after 2^200. */
	static const char *const cpp[] = {
		"cpp", "-nostdinc",	     "-undef", "-Wfatal-errors", "-D__DTS__",
		"-x",  "assembler-with-cpp", NULL
	};
	static const char *const dtc[] = { "dtc", "-q", "-I", "dts", "-O", "dtb", NULL };
	const char *const file[] = { text ? "-" : path, NULL };
	const char *const standard_input[] = { "-", NULL };
	struct args cpp_args = { .n = 0 }, dtc_args = { .n = 0 };
	struct buf plain = { 0 }, blob = { 0 };
	char folder[4096];
	int ret;

	folder_of(path, folder, sizeof(folder));
	add_args(&cpp_args, cpp);
	add_folders(&cpp_args, "-I", folder, includes);
	add_args(&cpp_args, file);
	add_args(&dtc_args, dtc);
	if (labels)
		dtc_args.v[dtc_args.n++] = "-@";
	add_folders(&dtc_args, "-i", folder, includes);
	add_args(&dtc_args, standard_input);

	ret = run(&cpp_args, text, &plain, err);
	if (!ret)
		ret = run(&dtc_args, &plain, &blob, err);
	if (!ret)
		ret = dtb_from_memory(blob.data, blob.len, dtb, err);
	buf_free(&plain);
	buf_free(&blob);
	if (ret == -EINVAL && ends_with(path, ".dtsi"))
		return err_wrap(err, ret,
				"'%s' does not compile alone (name the .dts that "
				"includes it)",
				path);
	return ret ? err_wrap(err, ret, "compiling '%s'", path) : 0;
}

static int compile_flat(const struct dts *d, bool new, const struct opt_list *includes,
			bool labels, struct dtb *dtb, struct err *err)
{
	struct dts_output file;
	struct buf text = { 0 };
	int ret = dts_flatten(d, new, &text, err);

	dts_output(d, 0, &file);
	if (!ret && !file.old_len)
		ret = err_set(err, -EINVAL, "'%s' is empty", file.path);
	if (!ret)
		ret = compile(&text, file.path, includes, labels, dtb, err);
	buf_free(&text);
	return ret;
}

int compile_dts(const struct dts *d, bool new, const struct opt_list *includes,
		struct dtb *dtb, struct err *err)
{
	return compile_flat(d, new, includes, false, dtb, err);
}

int compile_source(const char *path, const struct opt_list *includes, bool labels,
		   struct dtb *dtb, struct err *err)
{
	struct dts *d;
	int ret = dts_read(path, includes ? includes->items : NULL,
			   includes ? includes->n : 0, &d, err);

	/* cpp and dtc may know better what is wrong, if anything is. */
	if (ret == -EINVAL || ret == -ERANGE)
		return compile(NULL, path, includes, labels, dtb, err);
	if (ret)
		return ret;
	ret = compile_flat(d, false, includes, labels, dtb, err);
	dts_free(d);
	return ret;
}

int compile_or_load(const char *path, const struct opt_list *includes,
		    const struct container_pick *pick, struct dtb *dtb, struct err *err)
{
	if (compile_is_source(path)) {
		int ret = container_refuse_pick(pick, path, err);

		return ret ? ret : compile_source(path, includes, false, dtb, err);
	}
	return container_load(path, pick, dtb, err);
}
