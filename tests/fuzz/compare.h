/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an edit did to a file, seen without the code that made it.
 */
#ifndef TESTS_FUZZ_COMPARE_H
#define TESTS_FUZZ_COMPARE_H

#include "fdtedit/changes.h"
#include "fdtedit/container.h"
#include "fdtedit/dtb.h"

/* All bytes outside of item @i are as they were, but for what has to follow its size. */
void compare_outside(const struct container *before, const struct container *after,
		     size_t i);
/*
 * compare_trees - list what differs between two trees, and prove that nothing else does
 * @list: zeroed; gets a change for each difference. The caller frees it.
 * @spare: the tree after may have up to so many zeros more at its end
 *
 * Returns false when the trees are nested too deep to be compared.
 */
bool compare_trees(const struct dtb *before, const struct dtb *after, size_t spare,
		   struct changes *list);

#endif
