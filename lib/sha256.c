// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SHA-256 of a file, by sha256sum(1).
 */
#include "lib/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/spawn.h"

bool sha256_is_valid(const char *text)
{
	return strlen(text) == SHA256_TEXT - 1 &&
	       strspn(text, "0123456789abcdef") == SHA256_TEXT - 1;
}

/* "DIGEST  NAME"; a name with a backslash or newline has '\' in front of the line. */
static int take_digest(const char *line, char out[SHA256_TEXT])
{
	snprintf(out, SHA256_TEXT, "%s", line + (*line == '\\'));
	return sha256_is_valid(out) ? 0 : -EPROTO;
}

int sha256_file(const char *path, char out[SHA256_TEXT], struct err *err)
{
	struct buf name = { 0 }, digest = { 0 }, talk = { 0 };
	const char *argv[] = { "sha256sum", NULL, NULL };
	struct spawn sp = { .argv = argv, .out = &digest, .err = &talk };
	int ret;

	if (access(path, R_OK))
		return err_errno(err, -errno, "cannot read '%s'", path);
	ret = buf_addf(&name, "%s%s", path[0] == '-' ? "./" : "", path);
	if (!ret) {
		argv[1] = name.data;
		ret = spawn_run(&sp, err);
	}
	if (ret > 0 || (!ret && take_digest(digest.data ? digest.data : "", out)))
		ret = err_set(err, -EIO, "sha256sum of '%s' failed: %s", path,
			      talk.data ? talk.data : "no digest printed");
	buf_free(&name);
	buf_free(&digest);
	buf_free(&talk);
	return ret;
}
