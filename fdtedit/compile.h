/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source through cpp and dtc, where they are installed, into a tree in memory.
 */
#ifndef FDTEDIT_COMPILE_H
#define FDTEDIT_COMPILE_H

#include <stdbool.h>

#include "fdtedit/container.h"
#include "fdtedit/dtb.h"
#include "fdtedit/dts.h"
#include "lib/cmd.h"
#include "lib/err.h"

/*
 * Is this source? A compiled tree's magic decides, then the name (.dts, .dtsi, .dtso),
 * then the text, unless it is called .dtb: that is somebody's mistake. "-" is taken for a
 * tree.
 */
bool compile_is_source(const char *path);

/*
 * compile_dts - cpp, then dtc, of source as it was read, or as dts_apply() made it
 * @includes: folders for #include and /include/, after the file's own; may be NULL
 *
 * Byte order marks are left out. Returns 0, -ENOENT when a program is missing, -EINVAL
 * when one of them refuses (with the first line it said), and as dts_flatten().
 */
int compile_dts(const struct dts *d, bool new, const struct opt_list *includes,
		struct dtb *dtb, struct err *err);

/*
 * compile_source - compile_dts() of a file; as it is on disk where dts_read() does not
 * understand it
 * @labels: with those of the source in /__symbols__ (dtc -@)
 *
 * Returns as compile_dts(), and -errno of reading.
 */
int compile_source(const char *path, const struct opt_list *includes, bool labels,
		   struct dtb *dtb, struct err *err);

/* compile_source() if it is source, else container_load(). */
int compile_or_load(const char *path, const struct opt_list *includes,
		    const struct container_pick *pick, struct dtb *dtb, struct err *err);

#endif
