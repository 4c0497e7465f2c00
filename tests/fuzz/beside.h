/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The edit beside the board: overlays and source fragments, as others read them.
 */
#ifndef TESTS_FUZZ_BESIDE_H
#define TESTS_FUZZ_BESIDE_H

#include "fdtedit/changes.h"
#include "fdtedit/dtb.h"
#include "lib/buf.h"

/* Merged into @before by libfdt, @overlay gives @after. */
void beside_merge(const struct dtb *before, const struct buf *overlay,
		  const struct dtb *after);
/* dtc makes @overlay of the source @path. */
void beside_overlay_source(const char *path, const struct buf *overlay);
/* After source with these nodes, dtc makes the @changes of the fragment @text. */
void beside_fragment(const struct dtb *before, const struct buf *text,
		     const struct changes *changes);

#endif
