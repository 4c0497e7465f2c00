// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command line and source from anywhere: set or delete of any property, delete of any
 * node. Refused with a reason, or done: all lines but those of the edit are as they were,
 * the new text reads again, and a second edit finds nothing to do. Now and then the whole
 * command is run, which compiles; then the compiled trees differ by what was asked for.
 *
 * The first line is the command ("set --type=u32 /cpus/cpu@0 clock-latency 5", "delete
 * /cpus/cpu@0"), then comes source. What follows a NUL byte in it is a second file,
 * "b.dtsi", which the first may include.
 */
#include <errno.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/changes.h"
#include "fdtedit/compile.h"
#include "fdtedit/dtb_diff.h"
#include "fdtedit/dts.h"
#include "fdtedit/dts_set.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/line.h"
#include "tests/fuzz/lines.h"
#include "tests/fuzz/run.h"

#define MAX_PLACES 8 /* more are not told apart line by line: it takes too long */
#define NAME_CHARS "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,._+?#-"

static const char *const commands[] = { "set", "delete", NULL };
static const char *const options[] = { "--type=", NULL };

/* One input. */
struct job {
	struct line line;
	struct changes changes; /* the one that is asked for */
	char *board, *included;
};

/* As the command has it before it looks at the source. */
static bool read_changes(struct job *j)
{
	const struct line *l = &j->line;
	const char *type = line_option(l, "--type="), *path = l->words[0];
	const char *name = l->words[1];
	struct buf value = { 0 };
	enum typed_kind kind = TYPED_U32;
	bool ok;

	if (!l->word_count || path[0] != '/')
		return false;
	if (!strcmp(l->command, "delete") && l->word_count == 1)
		return !changes_delete_node(&j->changes, path, NULL, NULL);
	if (l->word_count < 2 || strspn(name, NAME_CHARS) != strlen(name))
		return false;
	if (!strcmp(l->command, "delete"))
		return l->word_count == 2 &&
		       !changes_delete(&j->changes, path, name, NULL, NULL);
	if (type && !line_is_listed(type, (const char *[]){ "u8", "u16", "u32", "u64",
							    "string", "bytes", NULL }))
		return false;
	if (type)
		kind = typed_kind_of(type);
	ok = !typed_parse(kind, (char *const *)&l->words[2], (int)l->word_count - 2,
			  &value, NULL) &&
	     !changes_set(&j->changes, path, name, kind, value.data, value.len, NULL,
			  NULL);
	buf_free(&value);
	return ok;
}

/* The text for cpp, before and after: what was read once can be read again. */
static void flatten(const struct dts *d, bool new)
{
	struct buf out = { 0 };
	struct err err = { "" };
	int ret = dts_flatten(d, new, &out, &err);

	if (ret && ret != -EFBIG)
		fprintf(stderr, "%s\n", err.msg);
	fuzz_assert(!ret || ret == -EFBIG);
	buf_free(&out);
}

/* Returns whether any text is another now. */
static bool put_outputs(const struct dts *d)
{
	bool other = false;
	struct dts_output o;

	for (size_t i = 0; !dts_output(d, i, &o); i++) {
		struct text old = { o.old_text, o.old_len },
			    new = { o.new_text, o.new_len };

		if (d->edit_count <= MAX_PLACES)
			fuzz_assert(
				lines_differ_by(old, new, o.changed ? d->edit_count : 0));
		if (!o.changed)
			continue;
		other |= o.old_len != o.new_len ||
			 memcmp(o.old_text, o.new_text, o.old_len);
		run_put(o.path, o.new_text, o.new_len);
	}
	return other;
}

/* @changed: whether any text is another now. Returns as dts_change(). */
static int edit(const struct job *j, bool *changed, struct err *err)
{
	const struct dts_opts all = { .all_files = true, .force = true };
	struct dts *d;
	int ret;

	*changed = false;
	ret = dts_read(j->board, NULL, 0, &d, err);
	if (ret)
		return ret;
	ret = dts_change(d, &j->changes, &all, err);
	if (!ret) {
		flatten(d, false);
		flatten(d, true);
		*changed = put_outputs(d);
	}
	dts_free(d);
	return ret;
}

static void edit_again(const struct job *j)
{
	struct err err = { "" };
	bool changed;
	int ret = edit(j, &changed, &err);
	bool done = !changed && ret == (strcmp(j->line.command, "set") ? -ENOENT : 0);

	if (!done)
		fprintf(stderr, "second edit: %d, %s\n", ret, err.msg);
	fuzz_assert(done);
}

static int count_asked(const struct diff *d, void *arg)
{
	const struct change *want = arg;
	size_t len = strlen(want->path);

	fuzz_assert(d->kind == DIFF_NODE || d->kind == DIFF_PROPERTY);
	if (want->kind == CHANGE_DELETE_NODE)
		fuzz_assert(!d->in_new && !strncmp(d->path, want->path, len) &&
			    (!d->path[len] || d->path[len] == '/'));
	else
		fuzz_assert(d->kind == DIFF_PROPERTY && !strcmp(d->path, want->path) &&
			    !strcmp(d->name, want->property));
	return 0;
}

static void check_value(const struct dtb *after, const struct change *want)
{
	const void *blob = after->file.data, *value = NULL;
	int len, node = dtb_node(blob, want->path, NULL);

	fuzz_assert(want->kind == CHANGE_DELETE_NODE ? node == -ENOENT : node >= 0);
	if (node >= 0)
		value = fdt_getprop(blob, node, want->property, &len);
	fuzz_assert(!value == (want->kind != CHANGE_SET));
	fuzz_assert(!value ||
		    ((size_t)len == want->value.len &&
		     (!len || !memcmp(value, want->value.data, want->value.len))));
}

/* Both files as they are now. */
static void keep_files(const struct job *j, struct buf kept[2])
{
	fuzz_assert(run_get(j->board, &kept[0]) && run_get(j->included, &kept[1]));
}

static bool same_files(const struct job *j, const struct buf kept[2])
{
	struct buf now[2];
	bool same = true;

	keep_files(j, now);
	for (int i = 0; i < 2; i++) {
		same &= now[i].len == kept[i].len &&
			(!now[i].len || !memcmp(now[i].data, kept[i].data, now[i].len));
		buf_free(&now[i]);
	}
	return same;
}

/* @refs: there may be references, for which dtc numbers nodes in its own way. */
static void compare_compiled(const struct job *j, const struct dtb *before, bool refs)
{
	struct change *want = &j->changes.list[0];
	struct dtb after = { 0 };
	struct err err = { "" };

	if (compile_source(j->board, NULL, false, &after, &err))
		fprintf(stderr, "%s\n", err.msg);
	fuzz_assert(!err.msg[0]);
	check_value(&after, want);
	if (!refs)
		fuzz_assert(!dtb_diff(before, &after, count_asked, want, NULL));
	dtb_free(&after);
}

static void run_command(const struct job *j, struct run *r)
{
	run_arg(r, j->line.command);
	for (unsigned int i = 0; i < j->line.option_count; i++)
		run_arg(r, j->line.options[i]);
	run_arg(r, "--all-files");
	run_arg(r, "--force");
	run_arg(r, "--");
	run_arg(r, j->board);
	for (unsigned int i = 0; i < j->line.word_count; i++)
		run_arg(r, j->line.words[i]);
	run_now(r);
}

/* The whole command, in place. */
static void check_command(const struct job *j, bool refs)
{
	struct dtb before = { 0 };
	struct buf kept[2];
	struct run r = { 0 };
	bool compiles = !compile_source(j->board, NULL, false, &before, NULL);

	keep_files(j, kept);
	run_command(j, &r);
	if (r.status)
		fuzz_assert(r.status == 2 && same_files(j, kept));
	else if (compiles)
		compare_compiled(j, &before, refs);
	run_free(&r);
	dtb_free(&before);
	buf_free(&kept[0]);
	buf_free(&kept[1]);
}

static void put_source(const struct job *j, const uint8_t *text, size_t size)
{
	const uint8_t *nul = memchr(text, '\0', size);
	size_t first = nul ? (size_t)(nul - text) : size;

	run_put(j->board, text, first);
	run_put(j->included, text + first + !!nul, size - first - !!nul);
}

/* May cpp make something else of it than the text with its includes? "#clock-cells" and
 * the like it lets pass. */
static bool has_directives(const char *text, size_t size)
{
	static const char *const harmless[] = { "include", "address-cells", "size-cells",
						"clock-cells", "cooling-cells" };
	const char *end = text + size;

	for (; (text = memchr(text, '#', (size_t)(end - text))); text++) {
		bool known = false;

		for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
			size_t len = strlen(harmless[i]);

			known |= (size_t)(end - text) > len &&
				 !memcmp(text + 1, harmless[i], len);
		}
		if (!known)
			return true;
	}
	return memmem(end - size, size, "??", 2) || memmem(end - size, size, "__", 2);
}

/*
 * Where cpp has no say, what the editor made is right without any look at the compiled
 * tree, if it compiled before. Who refers to a node that goes is the command's concern.
 */
static void check_editor(const struct job *j, const struct dtb *before, bool refs)
{
	bool deletes = j->changes.list[0].kind != CHANGE_SET;

	if (before->file.len && !(deletes && refs))
		compare_compiled(j, before, refs);
}

static void try_edits(const struct job *j, const uint8_t *text, size_t size, bool slow)
{
	bool refs = memchr(text, '&', size), changed;
	struct dtb before = { 0 };
	struct err err = { "" };
	int ret;

	put_source(j, text, size);
	if (slow && !has_directives((const char *)text, size) &&
	    compile_source(j->board, NULL, false, &before, NULL))
		dtb_free(&before);
	ret = edit(j, &changed, &err);
	if (ret)
		fuzz_assert(err.msg[0]);
	else
		check_editor(j, &before, refs);
	dtb_free(&before);
	if (ret)
		return;
	edit_again(j);
	if (!slow)
		return;
	put_source(j, text, size);
	check_command(j, refs);
}

/* -1: not worth keeping. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct job j = { 0 };
	const uint8_t *text = line_read(&j.line, data, size, commands, options);
	bool taken = text && read_changes(&j);

	if (taken) {
		j.board = run_file("a.dts");
		j.included = run_file("b.dtsi");
		try_edits(&j, text, (size_t)(data + size - text),
			  fuzz_turn(data, size, 16));
	}
	changes_free(&j.changes);
	free(j.board);
	free(j.included);
	return taken ? 0 : -1;
}
