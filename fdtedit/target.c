// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an edited tree where it belongs, whole or not at all.
 */
#include "fdtedit/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fdtedit/compile.h"
#include "fdtedit/node.h"
#include "fdtedit/source.h"
#include "lib/outfile.h"
#include "lib/text.h"

/* /dev/stdout is one of its names, and so is that of the file that it goes to. */
static bool is_stdout(const char *path)
{
	struct stat a, b;

	return !strcmp(path, "-") || (!stat(path, &a) && !fstat(STDOUT_FILENO, &b) &&
				      a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

FILE *target_talk(const struct target *t)
{
	const char *out = t->source.patch && !t->output ? "-" : t->output;

	return out && is_stdout(out) ? stderr : stdout;
}

int target_check(const struct target *t, struct err *err)
{
	struct stat st;

	if (t->backup && t->source.patch)
		return err_set(
			err, -EINVAL,
			"--backup is for editing in place; --patch changes nothing");
	if (t->source.patch)
		return outfile_not_input(t->output, t->board, err);
	if (t->backup && t->output)
		return err_set(
			err, -EINVAL,
			"--backup is for editing in place; with -o the input stays "
			"as it is");
	if (t->output || t->dry_run)
		return 0;
	if (!strcmp(t->board, "-"))
		return err_set(err, -EINVAL,
			       "standard input cannot be edited in place; give -o OUT");
	if (!stat(t->board, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return err_set(err, -EINVAL,
			       "'%s' is no regular file and cannot be edited in place; "
			       "give -o OUT",
			       t->board);
	return 0;
}

bool target_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

static int load_source(struct target *t, struct dtb *tree, struct err *err)
{
	const struct opt_list *dirs = &t->source.includes;
	int ret = container_refuse_pick(&t->pick, t->board, err);

	if (!ret)
		ret = dts_read(t->board, dirs->items, dirs->n, &t->dts, err);
	if (!ret)
		ret = source_not_included(t->dts, t->output, err);
	return ret ? ret : compile_dts(t->dts, false, dirs, tree, err);
}

int target_load(struct target *t, struct dtb *tree, struct err *err)
{
	int ret;

	if (compile_is_source(t->board))
		return load_source(t, tree, err);
	if (t->source.patch)
		return err_set(
			err, -EINVAL,
			"'%s': --patch is for source (.dts, .dtsi); a compiled tree "
			"is edited without it",
			t->board);
	ret = container_open(t->board, &t->container, err);
	if (ret)
		return ret;
	if (t->keep_rest)
		container_keep_rest(&t->container);
	ret = container_choose(&t->container, &t->pick, &t->item, err);
	if (!ret)
		ret = container_tree(&t->container, t->item, tree, err);
	return ret ? err_wrap(err, ret, "'%s'", t->board) : 0;
}

void target_free(struct target *t)
{
	outset_free(&t->out);
	container_free(&t->container);
	dts_free(t->dts);
}

int target_node(const struct target *t, const struct dtb *tree, const char *name,
		char **path, struct err *err)
{
	char *label = NULL;
	int node;

	if (t->dts && name[0] != '/')
		label = dts_label_path(t->dts, name + (name[0] == '&'));
	node = node_find(tree, label ? label : name, path, err);
	/* The tree that source compiles to has lost them, the text has not. */
	if (node == -ENOENT && t->dts && !label && name[0] != '/')
		err_set(err, node, "no node '%s': it is no path, no alias and no label",
			name);
	free(label);
	return node;
}

int target_write(struct target *t, const struct dtb *tree, bool any, struct err *err)
{
	const char *out = t->output ? t->output : t->board;
	struct buf result = { 0 };
	int ret;

	if (!any && target_same_file(out, t->board))
		return 0;
	ret = container_replace(&t->container, t->item, tree, &result, err);
	if (ret)
		return err_wrap(err, ret, "'%s'", t->board);
	if (!t->dry_run)
		ret = outset_add(&t->out, out, result.data, result.len, t->backup, err);
	if (!ret && !t->dry_run && target_same_file(out, t->board))
		ret = outset_replaces(&t->out, t->container.file.data,
				      t->container.file.len, err);
	buf_free(&result);
	return ret;
}

int target_finish(struct target *t, struct err *err)
{
	outset_tell_links(&t->out, target_talk(t));
	return outset_commit(&t->out, err);
}

static int change_tree(struct target *t, const struct dtb *before,
		       const struct changes *changes, struct err *err)
{
	struct dtb after = { 0 };
	int ret = dtb_change(before, changes, &after, err);

	if (ret)
		return err_wrap(err, ret, "'%s'", t->board);
	ret = target_write(t, &after, changes->count, err);
	dtb_free(&after);
	return ret;
}

static int change_source(struct target *t, const struct dtb *before,
			 const struct changes *changes, struct err *err)
{
	const struct dts_opts opts = { t->source.all_files, t->source.force };
	const struct source_want want = { .changes = changes };
	struct dtb after = { 0 };
	/* What cannot be done to the tree is refused in the same words. */
	int ret = dtb_change(before, changes, &after, err);

	dtb_free(&after);
	if (ret)
		return err_wrap(err, ret, "'%s'", t->board);
	if (changes->count)
		ret = dts_change(t->dts, changes, &opts, err);
	if (!ret && changes->count)
		ret = source_check(t, before, &want, err);
	return ret ? ret : source_write(t, NULL, NULL, err);
}

int target_change(struct target *t, const struct dtb *before, struct changes *changes,
		  struct err *err)
{
	size_t done = changes_drop_done(changes, before);
	bool dry = t->dry_run || t->source.patch;
	FILE *talk = target_talk(t);
	int ret = t->dts ? change_source(t, before, changes, err)
			 : change_tree(t, before, changes, err);

	if (ret)
		return ret;
	changes_print(changes, before, talk);
	if (t->dts)
		source_print_files(t, talk);
	if (changes->count)
		fprintf(talk, "%s: %zu change%s%s\n", t->board, changes->count,
			text_s(changes->count), dry ? " would be made" : "");
	else
		fprintf(talk, "%s: nothing to do%s\n", t->board,
			done ? ", it says so already" : "");
	return 0;
}
