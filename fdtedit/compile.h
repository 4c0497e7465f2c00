/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source through cpp and dtc, where they are installed, into a tree in memory.
 */
#ifndef FDTEDIT_COMPILE_H
#define FDTEDIT_COMPILE_H

#include <stdbool.h>

#include "fdtedit/container.h"
#include "fdtedit/dtb.h"
#include "lib/cmd.h"
#include "lib/err.h"

/*
 * Is this source? A compiled tree's magic decides, then the name (.dts, .dtsi, .dtso),
 * then the text, unless it is called .dtb: that is somebody's mistake. "-" is taken for a
 * tree.
 */
bool compile_is_source(const char *path);

/*
 * compile_source - cpp, then dtc
 * @includes: folders for #include and /include/, after the file's own; may be NULL
 *
 * Returns 0, -ENOENT when a program is missing, -EINVAL when one of them refuses (with
 * the first line it said), -errno of reading.
 */
int compile_source(const char *path, const struct opt_list *includes, struct dtb *dtb,
		   struct err *err);

/* The same with the labels of the source in /__symbols__ (dtc -@). */
int compile_labelled(const char *path, const struct opt_list *includes, struct dtb *dtb,
		     struct err *err);

/* compile_source() of a text; @path is the file that it is the text of, in whole or in
 * part. */
int compile_text(const struct buf *text, const char *path,
		 const struct opt_list *includes, struct dtb *dtb, struct err *err);

/* compile_source() if it is source, else container_load(). */
int compile_or_load(const char *path, const struct opt_list *includes,
		    const struct container_pick *pick, struct dtb *dtb, struct err *err);

#endif
