// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merge overlays with libfdt, compile source with dtc.
 */
#include "tests/fuzz/beside.h"

#include <string.h>

#include <libfdt.h>

#include "fdtedit/dtb_diff.h"
#include "lib/spawn.h"
#include "tests/fuzz/fuzz.h"

/* Merging and compiling leave no spare room. */
static int no_difference(const struct diff *d, void *arg)
{
	(void)arg;
	if (d->kind == DIFF_HEADER)
		return 0;
	fprintf(stderr, "%s %s differs\n", d->path ? d->path : "",
		d->name ? d->name : "");
	fuzz_assert(!d);
	return 0;
}

void beside_merge(const struct dtb *before, const struct buf *overlay,
		  const struct dtb *after)
{
	size_t size = before->file.len + 2 * overlay->len + 4096;
	struct dtb merged = { 0 };
	char *base = malloc(size), *copy = malloc(overlay->len);
	int ret;

	fuzz_assert(base && copy);
	memcpy(copy, overlay->data, overlay->len);
	ret = fdt_open_into(before->file.data, base, (int)size);
	if (!ret)
		ret = fdt_overlay_apply(base, copy);
	if (!ret)
		ret = fdt_pack(base);
	if (ret)
		fprintf(stderr, "merging: %s\n", fdt_strerror(ret));
	fuzz_assert(!ret);
	fuzz_assert(!dtb_from_memory(base, fdt_totalsize(base), &merged, NULL));
	fuzz_assert(!dtb_diff(after, &merged, no_difference, NULL, NULL));
	dtb_free(&merged);
	free(base);
	free(copy);
}

/* @path: "-" for @text */
static void compile(const char *path, const struct buf *text, struct dtb *out)
{
	const char *const argv[] = { "dtc", "-q", "-I", "dts", "-O",
				     "dtb", "-o", "-",	path,  NULL };
	struct buf made = { 0 }, said = { 0 };
	const struct spawn sp = { .argv = argv,
				  .input = text ? text->data : NULL,
				  .input_len = text ? text->len : 0,
				  .out = &made,
				  .err = &said };
	int ret = spawn_run(&sp, NULL);

	if (ret)
		fprintf(stderr, "%s\n%s", said.data, text ? text->data : "");
	fuzz_assert(!ret);
	fuzz_assert(!dtb_from_memory(made.data, made.len, out, NULL));
	buf_free(&made);
	buf_free(&said);
}

void beside_overlay_source(const char *path, const struct buf *overlay)
{
	struct dtb ours = { 0 }, theirs = { 0 };

	compile(path, NULL, &theirs);
	fuzz_assert(!dtb_from_memory(overlay->data, overlay->len, &ours, NULL));
	fuzz_assert(!dtb_diff(&ours, &theirs, no_difference, NULL, NULL));
	dtb_free(&ours);
	dtb_free(&theirs);
}

static bool is_name(const char *text)
{
	return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")];
}

/* The node's labels by __symbols__, with which the fragment may name it. */
static void add_labels(const struct dtb *tree, const char *path, struct buf *out)
{
	const void *blob = tree->file.data;
	int symbols = fdt_subnode_offset(blob, 0, "__symbols__"), prop;

	if (symbols < 0)
		return;
	fdt_for_each_property_offset(prop, blob, symbols)
	{
		const char *name;
		int len;
		const char *value = fdt_getprop_by_offset(blob, prop, &name, &len);

		if (value && (size_t)len == strlen(path) + 1 && !strcmp(value, path) &&
		    is_name(name) && (*name < '0' || *name > '9') &&
		    fdt_getprop(blob, symbols, name, NULL) == value)
			fuzz_assert(!buf_addf(out, "%s: ", name));
	}
}

/* "/ { cpus { c0: cpu@0 { }; }; };" */
static void add_node(const struct dtb *tree, const char *path, struct buf *out)
{
	unsigned int depth = 0;

	fuzz_assert(!buf_adds(out, "/ {"));
	for (const char *p = path; *p; depth++) {
		size_t len = strcspn(++p, "/");

		if (!p[len])
			add_labels(tree, path, out);
		fuzz_assert(!buf_addf(out, " %.*s {", (int)len, p));
		p += len;
	}
	while (depth--)
		fuzz_assert(!buf_adds(out, " };"));
	fuzz_assert(!buf_adds(out, " };\n"));
}

void beside_fragment(const struct dtb *before, const struct buf *text,
		     const struct changes *changes)
{
	struct buf source = { 0 };
	struct dtb made = { 0 };

	fuzz_assert(!buf_adds(&source, "/dts-v1/;\n/ { };\n"));
	for (size_t i = 0; i < changes->count; i++)
		if (!i || strcmp(changes->list[i].path, changes->list[i - 1].path))
			add_node(before, changes->list[i].path, &source);
	fuzz_assert(!buf_add(&source, text->data, text->len));
	compile("-", &source, &made);
	for (size_t i = 0; i < changes->count; i++) {
		const struct change *c = &changes->list[i];
		int node = dtb_node(made.file.data, c->path, NULL), len;
		const void *value = fdt_getprop(made.file.data, node, c->property, &len);

		fuzz_assert(value && (size_t)len == c->value.len);
		fuzz_assert(!memcmp(value, c->value.data, c->value.len));
	}
	dtb_free(&made);
	buf_free(&source);
}
