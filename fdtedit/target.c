// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an edited tree where it belongs, whole or not at all.
 */
#include "fdtedit/target.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/text.h"

FILE *target_talk(const struct target *t)
{
	return t->output && !strcmp(t->output, "-") ? stderr : stdout;
}

int target_check(const struct target *t, struct err *err)
{
	struct stat st;

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

int target_load(struct target *t, struct dtb *tree, struct err *err)
{
	int ret = container_open(t->board, &t->container, err);

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
	buf_free(&result);
	return ret;
}

int target_finish(struct target *t, struct err *err)
{
	return outset_commit(&t->out, err);
}

int target_change(struct target *t, const struct dtb *before, struct changes *changes,
		  struct err *err)
{
	size_t done = changes_drop_done(changes, before);
	struct dtb after = { 0 };
	FILE *talk = target_talk(t);
	int ret = dtb_change(before, changes, &after, err);

	if (ret)
		return err_wrap(err, ret, "'%s'", t->board);
	ret = target_write(t, &after, changes->count, err);
	dtb_free(&after);
	if (ret)
		return ret;
	changes_print(changes, before, talk);
	if (changes->count)
		fprintf(talk, "%s: %zu change%s%s\n", t->board, changes->count,
			text_s(changes->count), t->dry_run ? " would be made" : "");
	else
		fprintf(talk, "%s: nothing to do%s\n", t->board,
			done ? ", it says so already" : "");
	return 0;
}
