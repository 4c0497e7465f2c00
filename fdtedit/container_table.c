// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Android DT tables (dtbo.img): a header, entries that say where each tree is, trees.
 * Layout: source.android.com, "DTB and DTBO partitions". All words are big-endian.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/container_kinds.h"

#define TABLE_MAGIC  0xd7b7ab1e
#define HEADER_SIZE  32
#define ENTRY_SIZE   32
#define MAX_ENTRIES  4096
#define FOOTER_SIZE  64 /* of Android Verified Boot, at the very end of a partition */
#define FOOTER_MAGIC "AVBf"

/* Words of the header and of an entry. */
enum { MAGIC, TOTAL_SIZE, HEADER, ENTRY, COUNT, ENTRIES, PAGE, VERSION };
enum { DT_SIZE, DT_OFFSET, DT_ID, DT_REV, DT_FLAGS };

static uint32_t word(const struct buf *file, size_t at, unsigned int n)
{
	return fdt32_ld((const fdt32_t *)(file->data + at + 4 * n));
}

static void set_word(struct buf *file, size_t at, unsigned int n, uint32_t value)
{
	fdt32_st(file->data + at + 4 * n, value);
}

static size_t entry_at(const struct buf *file, uint32_t i)
{
	return word(file, 0, ENTRIES) + (size_t)i * word(file, 0, ENTRY);
}

static int check_header(const struct buf *file, struct err *err)
{
	uint32_t total = word(file, 0, TOTAL_SIZE), entry = word(file, 0, ENTRY);
	uint64_t end = word(file, 0, ENTRIES) +
		       (uint64_t)word(file, 0, COUNT) * word(file, 0, ENTRY);

	if (word(file, 0, VERSION) > 1)
		return err_set(err, -EINVAL,
			       "an Android DT table of version %" PRIu32
			       ", only 0 and 1 are known",
			       word(file, 0, VERSION));
	if (total > file->len)
		return err_set(err, -EINVAL,
			       "an Android DT table of %" PRIu32
			       " bytes, and the file has %zu (truncated?)",
			       total, file->len);
	if (word(file, 0, HEADER) < HEADER_SIZE || entry < ENTRY_SIZE || entry % 4 ||
	    word(file, 0, COUNT) > MAX_ENTRIES || end > total ||
	    word(file, 0, ENTRIES) < word(file, 0, HEADER) || word(file, 0, ENTRIES) % 4)
		return err_set(err, -EINVAL,
			       "damaged Android DT table: %" PRIu32 " entries of %" PRIu32
			       " bytes at %" PRIu32,
			       word(file, 0, COUNT), entry, word(file, 0, ENTRIES));
	if (!word(file, 0, COUNT))
		return err_set(err, -EINVAL, "an Android DT table without a tree");
	return 0;
}

static const char *compression(const struct buf *file, size_t entry)
{
	static const char *const names[] = { NULL, "compressed (zlib)",
					     "compressed (gzip)" };
	uint32_t flags = word(file, 0, VERSION) ? word(file, entry, DT_FLAGS) & 0xf : 0;

	return flags < 3 ? names[flags] : "compressed in a way that is not known";
}

static void add_name(struct container_item *item, uint32_t i)
{
	size_t len = strlen(item->name);

	snprintf(item->name + len, sizeof(item->name) - len, "%s%" PRIu32,
		 len ? "+" : "entry ", i);
}

/* Entries may share a tree: that is one item. */
static int add_entry(struct container *c, uint32_t i, struct err *err)
{
	size_t entry = entry_at(&c->file, i), tree;
	uint32_t size = word(&c->file, entry, DT_SIZE);
	uint32_t offset = word(&c->file, entry, DT_OFFSET);
	const char *packed = compression(&c->file, entry);
	struct container_item *item;

	for (size_t k = 0; k < c->count; k++) {
		if (c->items[k].offset != offset)
			continue;
		add_name(&c->items[k], i);
		return 0;
	}
	if ((uint64_t)offset + size > word(&c->file, 0, TOTAL_SIZE) ||
	    offset < entry_at(&c->file, word(&c->file, 0, COUNT)))
		return err_set(err, -EINVAL,
			       "damaged Android DT table: entry %" PRIu32 " is %" PRIu32
			       " bytes at %" PRIu32,
			       i, size, offset);
	tree = packed ? 0 : container_tree_at(&c->file, offset);
	item = container_add(c, offset, tree && tree <= size ? tree : size);
	if (!item)
		return err_errno(err, -ENOMEM, "list of trees");
	if (packed)
		snprintf(item->why_not, sizeof(item->why_not), "%s", packed);
	add_name(item, i);
	return 0;
}

static int check_overlap(const struct container *c, struct err *err)
{
	for (size_t a = 0; a < c->count; a++)
		for (size_t b = 0; b < c->count; b++)
			if (c->items[a].offset < c->items[b].offset &&
			    c->items[a].offset + c->items[a].size > c->items[b].offset)
				return err_set(err, -EINVAL,
					       "damaged Android DT table: trees of %s "
					       "and %s overlap",
					       c->items[a].name, c->items[b].name);
	return 0;
}

int container_parse_table(struct container *c, struct err *err)
{
	int ret;

	if (c->file.len < HEADER_SIZE || word(&c->file, 0, MAGIC) != TABLE_MAGIC)
		return 0;
	c->kind = CONTAINER_TABLE;
	ret = check_header(&c->file, err);
	for (uint32_t i = 0; !ret && i < word(&c->file, 0, COUNT); i++)
		ret = add_entry(c, i, err);
	return ret ? ret : check_overlap(c, err);
}

int container_fix_table(const struct container *c, size_t i, size_t new_size,
			int64_t move, struct buf *out, struct err *err)
{
	const struct container_item *item = &c->items[i];
	size_t footer = c->file.len - FOOTER_SIZE;

	if (c->file.len >= FOOTER_SIZE &&
	    !memcmp(c->file.data + footer, FOOTER_MAGIC, strlen(FOOTER_MAGIC)))
		return err_set(
			err, -EINVAL,
			"the Android DT table has a footer of Verified Boot, whose "
			"digest covers it; take that off first (avbtool "
			"erase_footer)");
	for (uint32_t k = 0; k < word(out, 0, COUNT); k++) {
		size_t entry = entry_at(out, k);
		uint32_t offset = word(out, entry, DT_OFFSET);
		uint32_t size = word(out, entry, DT_SIZE);

		if (offset > item->offset)
			set_word(out, entry, DT_OFFSET, (uint32_t)(offset + move));
		if (offset != item->offset)
			continue;
		/* Room that the entry had beyond its tree stays within it. */
		if (size == item->size || size + move < (int64_t)new_size)
			size = (uint32_t)new_size;
		else
			size = (uint32_t)(size + move);
		set_word(out, entry, DT_SIZE, size);
	}
	set_word(out, 0, TOTAL_SIZE, (uint32_t)(word(out, 0, TOTAL_SIZE) + move));
	return 0;
}

int container_check_table(const struct container *before, const struct container *after,
			  size_t *end_of_table, struct err *err)
{
	size_t first = entry_at(&before->file, 0);
	size_t end = entry_at(&before->file, word(&before->file, 0, COUNT));
	size_t size = word(&before->file, 0, ENTRY);

	*end_of_table = end;
	for (size_t at = 0; at < end; at += 4) {
		bool in_entry = at >= first && (at - first) % size / 4 <= DT_OFFSET;

		if (at / 4 == TOTAL_SIZE || in_entry)
			continue;
		if (memcmp(before->file.data + at, after->file.data + at, 4))
			return err_set(err, -EINVAL, "the table changed at byte %zu", at);
	}
	return 0;
}
