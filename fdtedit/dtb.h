/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled device trees: load, change cells of properties with all else as it was.
 *
 * libfdt's own fdt_setprop() puts a new property first in its node and asks for the
 * blocks in a certain order. Here the bytes are inserted where dtc would have put them
 * had the property been in the source, and nothing else moves more than it must.
 */
#ifndef FDTEDIT_DTB_H
#define FDTEDIT_DTB_H

#include <stddef.h>
#include <stdint.h>

#include "fdtedit/changes.h"
#include "fdtedit/edits.h"
#include "lib/buf.h"
#include "lib/dtcpus.h"
#include "lib/err.h"

#define DTB_MAX_SIZE (256u << 20) /* no tree is that large; a disk image is */

/* A sound tree as it is in the file. Zero it before first use. */
struct dtb {
	struct buf file;
	size_t trailing; /* bytes of the file after the tree */
};

/* The blocks of a tree, in bytes from its start. */
struct dtb_layout {
	size_t header_size;
	size_t rsvmap, rsvmap_size; /* with the entry of zeros that ends it */
	size_t structure, structure_size;
	size_t strings, strings_size;
	size_t used;  /* end of the last block */
	size_t spare; /* totalsize - used: room that a boot loader may count on */
};

/*
 * dtb_from_memory - copy and check a tree; files are read by container.h
 *
 * Returns 0, -ENOMEM, -EINVAL when it is no sound tree. The message names no file. The
 * caller frees with dtb_free(), which takes a zeroed struct.
 */
int dtb_from_memory(const void *data, size_t size, struct dtb *dtb, struct err *err);
/* Forget the bytes after the tree. */
void dtb_drop_trailing(struct dtb *dtb);
void dtb_free(struct dtb *dtb);

/*
 * dtb_layout - where the blocks are
 *
 * Returns 0, or -EINVAL when blocks overlap or the version is not 16 or 17 (what is not
 * known cannot be kept).
 */
int dtb_layout(const struct dtb *dtb, struct dtb_layout *layout, struct err *err);

/*
 * dtb_node - offset of the node with exactly this path
 *
 * fdt_path_offset() also takes "cpu@0" for "cpu". Returns the offset, -ENOENT, or -EINVAL
 * when a name on the way is there twice.
 */
int dtb_node(const void *blob, const char *path, struct err *err);

/* Offset of the node's one property of that name; -ENOENT and no message without,
 * -EINVAL when there are several, in a tree that dtc did not make. */
int dtb_property(const void *blob, int node, const char *path, const char *name,
		 struct err *err);

/*
 * dtb_read_cpus - dtcpus_read(), and a word on what the tree may be if it has no CPUs
 * Returns as dtcpus_read().
 */
int dtb_read_cpus(const struct dtb *dtb, struct dtcpus *cpus, struct err *err);

/* coeffs_resolve_labels() of a compiled tree: what /__symbols__ says; the caller frees.
 */
char *dtb_label_path(const void *blob, const char *label);

/* The planner's view of the CPU nodes; strings are borrowed from @cpus. */
void dtb_view(const struct dtcpus *cpus, struct edit_cpu view[EDITS_MAX]);

/*
 * dtb_change - a copy with all changes made, or none
 * @after: zeroed; filled on success only
 *
 * A present property keeps its place, a new one goes after capacity-dmips-mhz or else
 * last. Spare room keeps its size. The result was checked by libfdt and by
 * dtb_verify_changes(). Returns 0; -EINVAL (bytes after the tree, a layout or node that
 * cannot be edited safely), -ENOENT (no such node; nothing there to delete), -EFBIG,
 * -ENOMEM.
 */
int dtb_change(const struct dtb *before, const struct changes *changes, struct dtb *after,
	       struct err *err);

/*
 * dtb_verify_changes - does @after differ from @before by @changes and by nothing else?
 *
 * Byte for byte: tokens of the structure block, reserve map, version, boot CPU id, the
 * strings that were there, spare room. Returns 0, or -EINVAL with the first difference;
 * -ENOENT, -ENOMEM.
 */
int dtb_verify_changes(const struct dtb *before, const struct changes *changes,
		       const struct dtb *after, struct err *err);

/*
 * dtb_edits_to_changes - append the planned edits as changes
 *
 * Returns 0; -ENOENT (no such node), -EINVAL (the old value is not what was planned with,
 * or no single cell), -ENOMEM.
 */
int dtb_edits_to_changes(const struct dtb *before, const struct edits *edits,
			 struct changes *changes, struct err *err);
/* dtb_change() and dtb_verify_changes() of edits. They return the same. */
int dtb_edit(const struct dtb *before, const struct edits *edits, struct dtb *after,
	     struct err *err);
int dtb_verify(const struct dtb *before, const struct edits *edits,
	       const struct dtb *after, struct err *err);

#endif
