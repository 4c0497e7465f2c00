// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare a file before and after an edit: the trees by dtb_diff(), whose list must be
 * what dtb_verify_changes() finds too; the rest of the file byte by byte.
 */
#include "tests/fuzz/compare.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/digest.h"
#include "fdtedit/dtb_diff.h"
#include "tests/fuzz/fuzz.h"

/* Of an Android DT table: total size; where the entries are; size and offset of each. */
#define TABLE_TOTAL   4
#define TABLE_COUNT   16
#define TABLE_ENTRIES 20
#define TABLE_ENTRY   12

static uint32_t word(const struct buf *file, size_t at)
{
	fuzz_assert(at + 4 <= file->len);
	return fdt32_ld((const fdt32_t *)(file->data + at));
}

static const char *skip_zeros(const char *p, const char *end)
{
	while (p < end && !*p)
		p++;
	return p;
}

/* What follows the item, but for zeros between it and the next. */
static void compare_tail(const struct container *before, const struct container *after,
			 size_t i)
{
	const struct container_item *a = &before->items[i], *b = &after->items[i];
	const char *end_a = before->file.data + before->file.len;
	const char *end_b = after->file.data + after->file.len;
	const char *p = skip_zeros(before->file.data + a->offset + a->size, end_a);
	const char *q = skip_zeros(after->file.data + b->offset + b->size, end_b);

	fuzz_assert(end_a - p == end_b - q);
	fuzz_assert(!memcmp(p, q, (size_t)(end_a - p)));
	/* Later trees stay aligned as they were. */
	for (size_t k = 0; k < before->count; k++)
		fuzz_assert((after->items[k].offset - before->items[k].offset) % 8 == 0);
}

/* Entry by entry: those of the item have its size, later ones moved with the file. */
static void compare_table(const struct container *before, const struct container *after,
			  size_t i)
{
	const struct buf *a = &before->file, *b = &after->file;
	uint32_t moved = (uint32_t)(b->len - a->len);
	size_t at = word(a, TABLE_ENTRIES), size = word(a, TABLE_ENTRY);
	size_t end = at + word(a, TABLE_COUNT) * size;

	fuzz_assert(word(b, TABLE_TOTAL) == word(a, TABLE_TOTAL) + moved);
	fuzz_assert(word(a, 0) == word(b, 0));
	fuzz_assert(!memcmp(a->data + 8, b->data + 8, at - 8));
	for (; at < end; at += size) {
		bool later = word(a, at + 4) > before->items[i].offset;
		bool own = word(a, at + 4) == before->items[i].offset;

		fuzz_assert(word(b, at + 4) == word(a, at + 4) + (later ? moved : 0));
		fuzz_assert(own || word(b, at) == word(a, at));
		fuzz_assert(!own || word(b, at) >= after->items[i].size);
		fuzz_assert(!memcmp(a->data + at + 8, b->data + at + 8, size - 8));
	}
	fuzz_assert(!memcmp(a->data + end, b->data + end, before->items[i].offset - end));
}

/* The item's data and the digests below it, which must be right. */
static void list_fit(const struct dtb *fit, const char *image, struct changes *list)
{
	const void *blob = fit->file.data;
	int node = dtb_node(blob, image, NULL), hash, len, data_len;
	const void *data = fdt_getprop(blob, node, "data", &data_len);

	fuzz_assert(data && !changes_set(list, image, "data", TYPED_BYTES, data,
					 (size_t)data_len, NULL, NULL));
	fdt_for_each_subnode(hash, blob, node)
	{
		const char *name = fdt_get_name(blob, hash, NULL);
		const void *value = fdt_getprop(blob, hash, "value", &len);
		unsigned char want[DIGEST_MAX];
		size_t want_len;
		char path[320];

		if (strncmp(name, "hash", 4))
			continue;
		fuzz_assert(!digest(fdt_getprop(blob, hash, "algo", NULL), data,
				    (size_t)data_len, want, &want_len, NULL));
		fuzz_assert(value && (size_t)len == want_len);
		fuzz_assert(!memcmp(value, want, want_len));
		snprintf(path, sizeof(path), "%s/%s", image, name);
		fuzz_assert(!changes_set(list, path, "value", TYPED_BYTES, value,
					 (size_t)len, NULL, NULL));
	}
}

static void compare_fit(const struct container *before, const struct container *after,
			size_t i)
{
	const struct dtb a = { .file = before->file }, b = { .file = after->file };
	struct changes list = { 0 };
	struct err err = { "" };
	char image[160];

	snprintf(image, sizeof(image), "/images/%s", before->items[i].name);
	list_fit(&b, image, &list);
	if (dtb_verify_changes(&a, &list, &b, &err))
		fprintf(stderr, "%s\n", err.msg);
	fuzz_assert(!err.msg[0]);
	changes_free(&list);
}

void compare_outside(const struct container *before, const struct container *after,
		     size_t i)
{
	size_t at = before->items[i].offset;

	fuzz_assert(before->kind == after->kind && before->count == after->count);
	if (before->kind == CONTAINER_FIT) {
		compare_fit(before, after, i);
		return;
	}
	fuzz_assert(at == after->items[i].offset);
	if (before->kind == CONTAINER_TABLE)
		compare_table(before, after, i);
	else
		fuzz_assert(!memcmp(before->file.data, after->file.data, at));
	compare_tail(before, after, i);
}

struct listing {
	struct changes *list;
	size_t spare;
	const char *gone; /* path of the node that is being told as removed */
};

static bool is_below(const char *path, const char *node)
{
	size_t len = strlen(node);

	return !strncmp(path, node, len) && (!path[len] || path[len] == '/');
}

static int add_difference(const struct diff *d, void *arg)
{
	struct listing *l = arg;

	if (d->kind == DIFF_HEADER) {
		fuzz_assert(!strcmp(d->name, "spare room"));
		fuzz_assert(d->new_number > d->old_number);
		fuzz_assert(d->new_number - d->old_number <= l->spare);
		return 0;
	}
	fuzz_assert(d->kind == DIFF_NODE || d->kind == DIFF_PROPERTY);
	if (d->kind == DIFF_NODE) {
		fuzz_assert(!d->in_new);
		if (l->gone && is_below(d->path, l->gone))
			return 0;
		fuzz_assert(!changes_delete_node(l->list, d->path, NULL, NULL));
		l->gone = l->list->list[l->list->count - 1].path;
	} else if (d->in_new) {
		fuzz_assert(!changes_set(l->list, d->path, d->name, TYPED_BYTES, d->new,
					 d->new_len, NULL, NULL));
	} else if (!l->gone || !is_below(d->path, l->gone)) {
		fuzz_assert(!changes_delete(l->list, d->path, d->name, NULL, NULL));
	}
	return 0;
}

/* Without the zeros by which a tree grew that has to end at a certain place. */
static void cut_spare(const struct dtb *before, struct dtb *after)
{
	struct dtb_layout a, b;
	size_t more;

	fuzz_assert(!dtb_layout(before, &a, NULL) && !dtb_layout(after, &b, NULL));
	more = b.spare - a.spare;
	after->file.len -= more;
	for (size_t k = 0; k < more; k++)
		fuzz_assert(!after->file.data[after->file.len + k]);
	fdt_set_totalsize(after->file.data, (uint32_t)after->file.len);
}

bool compare_trees(const struct dtb *before, const struct dtb *after, size_t spare,
		   struct changes *list)
{
	struct listing l = { .list = list, .spare = spare };
	struct dtb cut = { 0 };
	struct err err = { "" };
	int ret = dtb_diff(before, after, add_difference, &l, &err);

	if (ret == -ERANGE)
		return false;
	fuzz_assert(!ret);
	fuzz_assert(!dtb_from_memory(after->file.data, after->file.len, &cut, &err));
	cut_spare(before, &cut);
	if (dtb_verify_changes(before, list, &cut, &err))
		fprintf(stderr, "%s\n", err.msg);
	fuzz_assert(!err.msg[0]);
	dtb_free(&cut);
	return true;
}
