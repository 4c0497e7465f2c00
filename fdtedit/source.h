/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target that is source: compiled before and after the edit, compared, and written in
 * place, to another file or as a patch.
 */
#ifndef FDTEDIT_SOURCE_H
#define FDTEDIT_SOURCE_H

#include "fdtedit/target.h"

/* Changes that the edit was meant to make. */
struct source_want {
	const struct changes *changes;
	/* By change: must it have taken effect? NULL: all. One inside an "#if" may not.
	 */
	const bool *certain;
};

/*
 * source_check - compile the edited source: does it differ by what is wanted alone?
 *
 * As dtb_diff_followed() sees it: dtc numbers nodes in the order of references.
 * Returns 0; -EINVAL with what else would change, what would not, or why it does not
 * compile.
 */
int source_check(const struct target *t, const struct dtb *before,
		 const struct source_want *want, struct err *err);

/* Put something around the diff of all files. @path: of the first one, called @name in
 * the diff. 0 or a negative errno. */
typedef int source_wrap_fn(void *arg, const struct buf *diff, const char *name,
			   const char *path, struct buf *out, struct err *err);
/*
 * source_write - have what changed on the disk, for target_finish() to name it
 * @wrap: of a patch; NULL: the diff alone
 *
 * Returns 0 or a negative errno.
 */
int source_write(struct target *t, source_wrap_fn *wrap, void *arg, struct err *err);
/* -EINVAL where writing @output would replace a file that the first one includes. */
int source_not_included(const struct dts *d, const char *output, struct err *err);
/* dts_label_path() for coeffs_resolve_labels(). */
char *source_label_path(const void *dts, const char *label);
/* A line for each file that changed beside the board itself. */
void source_print_files(const struct target *t, FILE *f);

#endif
