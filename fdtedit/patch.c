// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unified diffs by diff(1), named so that "patch -p1" and git find the file.
 */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fdtedit/patch.h"
#include "lib/spawn.h"

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

/* "arch/arm/boot/dts/" inside a git work tree; false when it is none, or without git. */
static bool git_prefix(const char *path, struct buf *out)
{
	char *copy = strdup(path);
	struct buf talk = { 0 };
	const char *argv[] = { "git", "-C", NULL, "rev-parse", "--show-prefix", NULL };
	bool inside;

	if (!copy)
		return false;
	argv[2] = dirname(copy);
	inside = !spawn_run(&(struct spawn){ .argv = argv, .out = out, .err = &talk },
			    NULL);
	free(copy);
	buf_free(&talk);
	if (inside && out->len && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	return inside;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What is left of @real below this folder; NULL: it is elsewhere. */
static const char *below_here(const char *real)
{
	char *here = realpath(".", NULL);
	size_t n = here ? strlen(here) : 0;
	bool below = n && !strncmp(real, here, n) && (real[n] == '/' || n == 1);

	free(here);
	if (!below)
		return NULL;
	return n == 1 ? real + 1 : real + n + 1;
}

/* Of links what they lead to: neither patch(1) nor git writes through one. */
int patch_name(const char *path, struct buf *name, struct buf *base, struct err *err)
{
	struct buf prefix = { 0 };
	char *real = realpath(path, NULL);
	const char *rest = NULL;
	int ret;

	if (!real)
		return err_errno(err, -errno, "'%s'", path);
	if (!git_prefix(real, &prefix))
		rest = below_here(real);
	if (!rest)
		rest = last_part(real);
	ret = buf_addf(name, "%s%s", prefix.data ? prefix.data : "", rest);
	if (!ret && strlen(real) > name->len)
		ret = buf_add(base, real, strlen(real) - name->len);
	buf_free(&prefix);
	free(real);
	return ret ? no_memory(err) : 0;
}

/*
 * The name as a patch's header has it: in C quotes when it holds a quote, a backslash or
 * a control character, and with a tab after it when it holds a blank (as git does).
 */
static int add_label(struct buf *out, char side, const char *name)
{
	bool quote = false;
	int ret = 0;

	for (const char *p = name; *p; p++)
		quote |= *p == '"' || *p == '\\' || (unsigned char)*p < ' ' || *p == 0x7f;
	if (!quote)
		return buf_addf(out, "%c/%s%s", side, name,
				strchr(name, ' ') ? "\t" : "");
	ret |= buf_addf(out, "\"%c/", side);
	for (const char *p = name; *p; p++) {
		if (*p == '"' || *p == '\\')
			ret |= buf_addf(out, "\\%c", *p);
		else if ((unsigned char)*p < ' ' || *p == 0x7f)
			ret |= buf_addf(out, "\\%03o", *p);
		else
			ret |= buf_add(out, p, 1);
	}
	return ret | buf_adds(out, "\"");
}

/* A file that diff can open, holding @text. */
static int temp_file(char *path, size_t size, const char *text, size_t len,
		     struct err *err)
{
	const char *dir = getenv("TMPDIR");
	int fd, ret = 0;
	ssize_t n;

	snprintf(path, size, "%s/fdtedit-XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return err_errno(err, -errno, "temporary file '%s'", path);
	for (size_t done = 0; done < len && !ret; done += n) {
		n = write(fd, text + done, len - done);
		if (n < 0)
			ret = err_errno(err, -errno, "temporary file '%s'", path);
	}
	if (close(fd) && !ret)
		ret = err_errno(err, -errno, "temporary file '%s'", path);
	if (ret)
		unlink(path);
	return ret;
}

static int run_diff(struct buf *out, const char *old_label, const char *new_label,
		    const char *old_path, const char *new, size_t new_len,
		    struct err *err)
{
	/* Untranslated, so that everybody's patch(1) knows "\ No newline at end". */
	const char *const argv[] = { "env",	"LC_ALL=C", "diff",    "-a",
				     "-u",	"--label",  old_label, "--label",
				     new_label, old_path,   "-",       NULL };
	struct buf talk = { 0 };
	struct spawn sp = {
		.argv = argv, .input = new, .input_len = new_len, .out = out, .err = &talk
	};
	int ret = spawn_run(&sp, err);

	if (ret == 127)
		ret = err_set(err, -ENOENT, "'diff' not found; install diffutils");
	else if (ret > 1)
		ret = err_set(err, -EIO, "diff failed: %.200s",
			      talk.data ? talk.data : "");
	else if (ret == 1)
		ret = 0;
	buf_free(&talk);
	return ret;
}

int patch_add_diff(struct buf *out, const char *name, const char *old, size_t old_len,
		   const char *new, size_t new_len, struct err *err)
{
	struct buf a = { 0 }, b = { 0 };
	char path[4096];
	int ret;

	ret = temp_file(path, sizeof(path), old, old_len, err);
	if (ret)
		return ret;
	if (add_label(&a, 'a', name) || add_label(&b, 'b', name))
		ret = no_memory(err);
	else
		ret = run_diff(out, a.data, b.data, path, new, new_len, err);
	unlink(path);
	buf_free(&a);
	buf_free(&b);
	return ret;
}
