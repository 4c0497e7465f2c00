/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes as patches: a unified diff for patch(1) and "git apply", and a mail around it
 * for "git am".
 */
#ifndef FDTEDIT_PATCH_H
#define FDTEDIT_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "fdtedit/changes.h"
#include "fdtedit/edits.h"
#include "lib/buf.h"
#include "lib/coeffs.h"
#include "lib/err.h"

/*
 * patch_name - what a file is called in a patch
 *
 * Relative to the top of the git work tree that it is in; else to this folder when it is
 * below; else its last part. @base gets the folder that it is relative to, from where
 * "patch -p1" finds it. Returns 0, -errno of finding the path, -ENOMEM; both get text
 * added.
 */
int patch_name(const char *path, struct buf *name, struct buf *base, struct err *err);

/*
 * patch_add_diff - add the diff from @old to @new (a/NAME b/NAME, three lines of context)
 *
 * Nothing is added when they are equal. Uses diff(1). Returns 0; -ENOENT when diff is not
 * installed; -EIO when it fails; -errno.
 */
int patch_add_diff(struct buf *out, const char *name, const char *old, size_t old_len,
		   const char *new, size_t new_len, struct err *err);

struct patch_mail {
	const struct coeffs *coeffs;
	const struct edits *edits;
	const struct changes *extra; /* beside the coefficients */
	const char *name;	     /* of the (first) file in the patch */
	const char *dir;	     /* where git is asked for the author */
	const char *command;	     /* cmd_line() */
	const char *version;	     /* cmd_version() */
	const char *diff;	     /* all diffs */
	size_t diff_len;
};

/*
 * patch_add_mail - add a mail that "git am" takes
 * @author_known: false when git knows no author and a stand-in was written
 *
 * Returns 0 or -ENOMEM.
 */
int patch_add_mail(struct buf *out, const struct patch_mail *mail, bool *author_known,
		   struct err *err);

#endif
