// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Put an edited tree back into its file, and compare everything else.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/container.h"
#include "fdtedit/container_kinds.h"
#include "fdtedit/dtb_diff.h"

#define ALIGN_TREES 8	 /* libfdt wants a tree there */
#define ALIGN_MAX   4096 /* pages, and blocks of flash */

/* How a file changes: [at, at + old) becomes @tree and @zeros zeros. */
struct splice {
	size_t at, old;
	size_t zeros;
	size_t pad;   /* of them, those that become spare room of the tree */
	int64_t move; /* of what follows */
};

static size_t item_end(const struct container *c, size_t i)
{
	return c->items[i].offset + c->items[i].size;
}

/* The item that follows @i in the file, or the count. */
static size_t next_item(const struct container *c, size_t i)
{
	size_t next = c->count;

	for (size_t k = 0; k < c->count; k++)
		if (c->items[k].offset > c->items[i].offset &&
		    (next == c->count || c->items[k].offset < c->items[next].offset))
			next = k;
	return next;
}

/* Zeros between the item and the next, which the item may grow into. */
static size_t gap_after(const struct container *c, size_t i, size_t next)
{
	size_t from = item_end(c, i), to = c->items[next].offset;

	for (size_t k = from; k < to; k++)
		if (c->file.data[k])
			return 0;
	return to - from;
}

/* What the items after @i are aligned to, as far as anybody may rely on it. */
static size_t alignment(const struct container *c, size_t i)
{
	size_t align = ALIGN_TREES;

	for (size_t k = 0; k < c->count; k++) {
		size_t at = c->items[k].offset;
		size_t own = at & -at;

		if (at > c->items[i].offset && own > align)
			align = own;
	}
	return align < ALIGN_MAX ? align : ALIGN_MAX;
}

/*
 * Trees without a gap are found by the size of the one before, so what keeps the next
 * aligned must be in the tree, as spare room; else the gap takes it.
 */
static struct splice plan(const struct container *c, size_t i, size_t new_size)
{
	int64_t grow = (int64_t)new_size - (int64_t)c->items[i].size;
	size_t next = next_item(c, i);
	struct splice s = { .at = c->items[i].offset, .old = c->items[i].size };
	int64_t gap, align;

	if (next == c->count) {
		s.move = grow;
		return s;
	}
	gap = (int64_t)gap_after(c, i, next);
	align = gap ? (int64_t)alignment(c, i) : ALIGN_TREES;
	if (grow > gap)
		s.move = (grow - gap + align - 1) / align * align;
	else if (!gap && grow < 0)
		s.move = -(-grow / align * align);
	s.zeros = (size_t)(gap + s.move - grow);
	s.old += (size_t)gap;
	if (!gap && c->kind != CONTAINER_TABLE)
		s.pad = s.zeros;
	return s;
}

static int put_zeros(struct buf *out, size_t n)
{
	static const char zeros[256];
	int ret = 0;

	for (; !ret && n; n -= n < sizeof(zeros) ? n : sizeof(zeros))
		ret = buf_add(out, zeros, n < sizeof(zeros) ? n : sizeof(zeros));
	return ret;
}

static int replace_bytes(const struct container *c, size_t i, const struct dtb *tree,
			 struct buf *out, struct err *err)
{
	struct splice s = plan(c, i, tree->file.len);
	size_t rest = s.at + s.old;
	int ret = buf_add(out, c->file.data, s.at);

	ret |= buf_add(out, tree->file.data, tree->file.len);
	ret |= put_zeros(out, s.zeros);
	ret |= buf_add(out, c->file.data + rest, c->file.len - rest);
	if (ret)
		return err_errno(err, -ENOMEM, "file of %zu bytes", c->file.len);
	if (s.pad) {
		fdt32_t total = cpu_to_fdt32(tree->file.len + s.pad);

		memcpy(out->data + s.at + offsetof(struct fdt_header, totalsize), &total,
		       sizeof(total));
	}
	return c->kind == CONTAINER_TABLE
		       ? container_fix_table(c, i, tree->file.len, s.move, out, err)
		       : 0;
}

/* The tree that came back is the one that went in, but for spare room at its end. */
static int check_tree(const struct container *after, size_t i, const struct dtb *tree,
		      struct err *err)
{
	const struct container_item *item = &after->items[i];
	const char *got = after->file.data + item->offset;
	const char *want = tree->file.data;
	size_t head = offsetof(struct fdt_header, totalsize);
	size_t body = head + sizeof(fdt32_t);

	if (item->size < tree->file.len || item->size >= tree->file.len + ALIGN_TREES ||
	    memcmp(got, want, head) ||
	    memcmp(got + body, want + body, tree->file.len - body))
		return err_set(err, -EINVAL, "tree %zu reads back otherwise", i);
	return 0;
}

static int check_others(const struct container *before, const struct container *after,
			size_t i, struct err *err)
{
	for (size_t k = 0; k < before->count; k++) {
		const struct container_item *a = &before->items[k], *b = &after->items[k];

		if (k != i &&
		    (a->size != b->size || memcmp(before->file.data + a->offset,
						  after->file.data + b->offset, a->size)))
			return err_set(err, -EINVAL, "tree %zu changed", k);
	}
	return 0;
}

/* All bytes before the item and after it, wherever they are now. */
static int check_rest(const struct container *before, const struct container *after,
		      size_t i, struct err *err)
{
	size_t at = before->items[i].offset, start = 0, from = item_end(before, i);
	size_t next = next_item(before, i);
	int64_t moved = (int64_t)after->file.len - (int64_t)before->file.len;

	if (before->kind == CONTAINER_TABLE) {
		int ret = container_check_table(before, after, &start, err);

		if (ret)
			return ret;
	}
	if (next != before->count)
		from += gap_after(before, i, next);
	if (memcmp(before->file.data + start, after->file.data + start, at - start))
		return err_set(err, -EINVAL, "what is before the tree changed");
	if (memcmp(before->file.data + from, after->file.data + from + moved,
		   before->file.len - from))
		return err_set(err, -EINVAL, "what is after the tree changed");
	return 0;
}

struct fit_check {
	const char *image; /* "/images/NAME" */
	struct err *err;
};

/* The image's data and its digests, and nothing else. */
static int allow_fit(const struct diff *d, void *arg)
{
	const struct fit_check *f = arg;
	size_t len = strlen(f->image);
	bool changed = d->kind == DIFF_PROPERTY && d->in_old && d->in_new &&
		       !strncmp(d->path, f->image, len);

	if (changed && !d->path[len] && !strcmp(d->name, "data"))
		return 0;
	if (changed && !strncmp(d->path + len, "/hash", 5) && !strcmp(d->name, "value"))
		return 0;
	return err_set(f->err, -EINVAL, "'%s' of the FIT image changed: %s",
		       d->path ? d->path : "header", d->name ? d->name : "node");
}

static int check_fit(const struct container *before, const struct container *after,
		     size_t i, struct err *err)
{
	struct dtb a = { .file = before->file }, b = { .file = after->file };
	struct fit_check f = { .err = err };
	struct buf image = { 0 };
	int ret = buf_addf(&image, "/images/%s", before->items[i].name);

	f.image = image.data;
	if (ret)
		ret = err_errno(err, -ENOMEM, "path of the image");
	else
		ret = dtb_diff(&a, &b, allow_fit, &f, err);
	buf_free(&image);
	return ret;
}

static int check(const struct container *before, size_t i, const struct dtb *tree,
		 const struct buf *out, struct err *err)
{
	struct container after = { 0 };
	struct err why = { "" };
	int ret = buf_add(&after.file, out->data, out->len);

	if (!ret)
		ret = container_parse(&after, &why);
	if (!ret && before->kind == CONTAINER_TREE)
		container_keep_rest(&after);
	if (!ret && (after.kind != before->kind || after.count != before->count))
		ret = err_set(&why, -EINVAL, "it is another kind of file");
	if (!ret)
		ret = check_tree(&after, i, tree, &why);
	if (!ret)
		ret = check_others(before, &after, i, &why);
	if (!ret && before->kind == CONTAINER_FIT)
		ret = check_fit(before, &after, i, &why);
	else if (!ret)
		ret = check_rest(before, &after, i, &why);
	container_free(&after);
	return ret ? err_set(err, -EINVAL,
			     "edit given up, its result is not as asked for: %s", why.msg)
		   : 0;
}

int container_replace(const struct container *c, size_t i, const struct dtb *tree,
		      struct buf *out, struct err *err)
{
	int ret;

	if (c->kind == CONTAINER_FIT)
		ret = container_replace_fit(c, i, tree, out, err);
	else
		ret = replace_bytes(c, i, tree, out, err);
	if (!ret)
		ret = check(c, i, tree, out, err);
	if (ret)
		buf_free(out);
	return ret;
}
