// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Find the trees in a file, and choose one.
 */
#include "fdtedit/container.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/container_kinds.h"
#include "lib/num.h"
#include "lib/text.h"

#define ZIMAGE_MAGIC	   0x016f2818
#define ZIMAGE_MAGIC_AT	   0x24 /* then the addresses of its start and its end */
#define ZIMAGE_HEADER_SIZE 0x30

size_t container_tree_at(const struct buf *file, size_t offset)
{
	fdt32_t word[2];
	size_t size;

	if (offset > file->len || file->len - offset < sizeof(struct fdt_header))
		return 0;
	memcpy(word, file->data + offset, sizeof(word));
	size = fdt32_to_cpu(word[1]);
	if (fdt32_to_cpu(word[0]) != FDT_MAGIC || size < sizeof(struct fdt_header) ||
	    size > file->len - offset)
		return 0;
	return size;
}

static void read_compatible(const struct container *c, struct container_item *item)
{
	struct dtb dtb = { 0 };
	const char *text;
	int len;

	if (dtb_from_memory(c->file.data + item->offset, item->size, &dtb, NULL))
		goto out_free;
	text = fdt_stringlist_get(dtb.file.data, 0, "compatible", 0, &len);
	if (text) {
		snprintf(item->compatible, sizeof(item->compatible), "%s", text);
		text_clean(item->compatible);
	}
out_free:
	dtb_free(&dtb);
}

struct container_item *container_add(struct container *c, size_t offset, size_t size)
{
	struct container_item *item;

	if (c->count == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 4;
		void *list = realloc(c->items, cap * sizeof(*c->items));

		if (!list)
			return NULL;
		c->items = list;
		c->cap = cap;
	}
	item = &c->items[c->count++];
	*item = (struct container_item){ .offset = offset, .size = size };
	if (c->kind != CONTAINER_TREE)
		read_compatible(c, item);
	return item;
}

static size_t skip_zeros(const struct buf *file, size_t at)
{
	while (at < file->len && !file->data[at])
		at++;
	return at;
}

/* Trees from @at on, with nothing but zeros between them. */
static int add_trees(struct container *c, size_t at, struct err *err)
{
	size_t size;

	while ((size = container_tree_at(&c->file, at))) {
		if (!container_add(c, at, size))
			return err_errno(err, -ENOMEM, "list of trees");
		at = skip_zeros(&c->file, at + size);
	}
	return 0;
}

/* Word of a zImage's header, which is in the byte order of its kernel. */
static uint32_t zimage_word(const struct buf *file, size_t at, bool big)
{
	const unsigned char *p = (unsigned char *)file->data + at;

	if (big)
		return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
	return (uint32_t)p[3] << 24 | p[2] << 16 | p[1] << 8 | p[0];
}

static int parse_zimage(struct container *c, struct err *err)
{
	bool big;
	uint32_t size;

	if (c->file.len < ZIMAGE_HEADER_SIZE)
		return 0;
	big = zimage_word(&c->file, ZIMAGE_MAGIC_AT, true) == ZIMAGE_MAGIC;
	if (zimage_word(&c->file, ZIMAGE_MAGIC_AT, big) != ZIMAGE_MAGIC)
		return 0;
	c->kind = CONTAINER_ZIMAGE;
	size = zimage_word(&c->file, ZIMAGE_MAGIC_AT + 8, big) -
	       zimage_word(&c->file, ZIMAGE_MAGIC_AT + 4, big);
	if (size > c->file.len)
		return err_set(err, -EINVAL,
			       "an ARM zImage whose header says %" PRIu32
			       " bytes, and the file has %zu (truncated?)",
			       size, c->file.len);
	/* The decompressor looks there and nowhere else. */
	if (!container_tree_at(&c->file, size))
		return err_set(err, -EINVAL,
			       "an ARM zImage without a tree after its %" PRIu32 " bytes",
			       size);
	return add_trees(c, size, err);
}

static int parse_joined(struct container *c, struct err *err)
{
	size_t size = container_tree_at(&c->file, 0);

	if (!size || !container_tree_at(&c->file, skip_zeros(&c->file, size)))
		return 0;
	c->kind = CONTAINER_JOINED;
	return add_trees(c, 0, err);
}

int container_parse(struct container *c, struct err *err)
{
	static int (*const kinds[])(struct container *, struct err *) = {
		parse_zimage,
		parse_joined,
		container_parse_fit,
		container_parse_table,
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int ret = kinds[i](c, err);

		if (ret || c->kind != CONTAINER_TREE)
			return ret;
	}
	/* Whatever it is, who loads it will tell. */
	return container_add(c, 0, c->file.len)
		       ? 0
		       : err_errno(err, -ENOMEM, "list of trees");
}

void container_keep_rest(struct container *c)
{
	size_t size = container_tree_at(&c->file, 0);

	if (c->kind == CONTAINER_TREE && size)
		c->items[0].size = size;
}

int container_open(const char *path, struct container *c, struct err *err)
{
	int ret = buf_read_file(&c->file, path, DTB_MAX_SIZE, err);

	if (ret)
		return ret;
	ret = container_parse(c, err);
	return ret ? err_wrap(err, ret, "'%s'", path) : 0;
}

void container_free(struct container *c)
{
	buf_free(&c->file);
	free(c->items);
	*c = (struct container){ 0 };
}

const char *container_kind_name(const struct container *c)
{
	static const char *const names[] = {
		[CONTAINER_TREE] = "device tree",
		[CONTAINER_JOINED] = "joined device trees",
		[CONTAINER_ZIMAGE] = "ARM zImage",
		[CONTAINER_FIT] = "FIT image",
		[CONTAINER_TABLE] = "Android DT table",
	};

	return names[c->kind];
}

/* "0 'a,b', 1 fdt-2 'c,d'", for a message, which is cut if it is too long. */
static int list_items(const struct container *c, struct buf *out)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < c->count; i++) {
		const struct container_item *item = &c->items[i];

		ret = buf_addf(out, "%s%zu%s%s '%s'", i ? ", " : "", i,
			       item->name[0] ? " " : "", item->name, item->compatible);
	}
	return ret;
}

static int refuse_choice(const struct container *c, int code, const char *what,
			 struct err *err)
{
	struct buf list = { 0 };
	int ret;

	if (list_items(c, &list))
		ret = err_errno(err, -ENOMEM, "list of trees");
	else
		ret = err_set(err, code,
			      "%s, %zu tree%s: %s%s; choose with --index or "
			      "--compatible",
			      container_kind_name(c), c->count, text_s(c->count), what,
			      list.data);
	buf_free(&list);
	return ret;
}

static bool has_compatible(const struct container *c, size_t i, const char *compatible)
{
	const struct container_item *item = &c->items[i];
	struct dtb dtb = { 0 };
	bool found;

	found = !item->why_not[0] &&
		!dtb_from_memory(c->file.data + item->offset, item->size, &dtb, NULL) &&
		fdt_stringlist_search(dtb.file.data, 0, "compatible", compatible) >= 0;
	dtb_free(&dtb);
	return found;
}

static int choose_compatible(const struct container *c, const char *compatible,
			     size_t *index, struct err *err)
{
	size_t found = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (!has_compatible(c, i, compatible))
			continue;
		*index = i;
		found++;
	}
	if (found > 1)
		return refuse_choice(c, -EINVAL, "more than one has that compatible, of ",
				     err);
	return found ? 0
		     : refuse_choice(c, -ENOENT, "none has that compatible, of ", err);
}

int container_choose(const struct container *c, const struct container_pick *pick,
		     size_t *index, struct err *err)
{
	uint32_t number;

	*index = 0;
	if (pick->index && pick->compatible)
		return err_set(err, -EINVAL, "give --index or --compatible, not both");
	if (c->kind == CONTAINER_TREE && pick->of_several)
		return 0;
	if (pick->compatible)
		return choose_compatible(c, pick->compatible, index, err);
	if (!pick->index)
		return c->count == 1 ? 0 : refuse_choice(c, -EINVAL, "", err);
	if (num_u32(pick->index, &number))
		return err_set(err, -EINVAL, "--index '%s' is not a whole number",
			       pick->index);
	if (number >= c->count)
		return refuse_choice(c, -ENOENT, "there is no such index, only ", err);
	*index = number;
	return 0;
}

int container_refuse_pick(const struct container_pick *pick, const char *path,
			  struct err *err)
{
	if (pick->of_several || (!pick->index && !pick->compatible))
		return 0;
	return err_set(err, -EINVAL,
		       "'%s' is source: %s is about files that hold compiled trees", path,
		       pick->index ? "--index" : "--compatible");
}

int container_tree(const struct container *c, size_t i, struct dtb *dtb, struct err *err)
{
	const struct container_item *item = &c->items[i];
	int ret;

	if (item->why_not[0])
		return err_set(err, -EINVAL, "tree %zu (%s) of the %s is %s", i,
			       item->name, container_kind_name(c), item->why_not);
	ret = dtb_from_memory(c->file.data ? c->file.data + item->offset : "", item->size,
			      dtb, err);
	if (ret && c->kind != CONTAINER_TREE)
		return err_wrap(err, ret, "tree %zu", i);
	return ret;
}

int container_load(const char *path, const struct container_pick *pick, struct dtb *dtb,
		   struct err *err)
{
	struct container c = { 0 };
	size_t index;
	int ret = container_open(path, &c, err);

	if (!ret) {
		ret = container_choose(&c, pick, &index, err);
		if (!ret)
			ret = container_tree(&c, index, dtb, err);
		if (ret)
			err_wrap(err, ret, "'%s'", path);
	}
	container_free(&c);
	return ret;
}
