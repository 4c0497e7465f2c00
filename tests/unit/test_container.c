// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that hold trees: damaged in every place they are refused or taken, and what comes
 * back from an edit is the file with that tree in it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libfdt.h>

#include "fdtedit/container.h"
#include "fdtedit/digest.h"

#define TREE_SIZE 1024

/* A tree with @extra bytes in a property; returns its size. */
static size_t make_tree(void *out, const char *compatible, int extra)
{
	char fill[512] = "";

	assert_int_equal(fdt_create(out, TREE_SIZE), 0);
	assert_int_equal(fdt_finish_reservemap(out), 0);
	assert_int_equal(fdt_begin_node(out, ""), 0);
	assert_int_equal(fdt_property_string(out, "compatible", compatible), 0);
	assert_int_equal(fdt_property(out, "fill", fill, extra), 0);
	assert_int_equal(fdt_end_node(out), 0);
	assert_int_equal(fdt_finish(out), 0);
	return fdt_totalsize(out);
}

static void add_image(void *fit, const char *name, const void *data, size_t len)
{
	unsigned char sum[DIGEST_MAX];
	size_t n;

	assert_int_equal(digest("crc32", data, len, sum, &n, NULL), 0);
	assert_int_equal(fdt_begin_node(fit, name), 0);
	assert_int_equal(fdt_property_string(fit, "type", "flat_dt"), 0);
	assert_int_equal(fdt_property(fit, "data", data, (int)len), 0);
	assert_int_equal(fdt_begin_node(fit, "hash-1"), 0);
	assert_int_equal(fdt_property_string(fit, "algo", "crc32"), 0);
	assert_int_equal(fdt_property(fit, "value", sum, (int)n), 0);
	assert_int_equal(fdt_end_node(fit), 0);
	assert_int_equal(fdt_end_node(fit), 0);
}

/* Names of which libfdt takes the first for the second. */
static void make_fit(struct buf *out)
{
	char a[TREE_SIZE], b[TREE_SIZE], fit[4096];
	size_t len_a = make_tree(a, "test,a", 40), len_b = make_tree(b, "test,b", 41);

	assert_int_equal(fdt_create(fit, sizeof(fit)), 0);
	assert_int_equal(fdt_finish_reservemap(fit), 0);
	assert_int_equal(fdt_begin_node(fit, ""), 0);
	assert_int_equal(fdt_begin_node(fit, "images"), 0);
	add_image(fit, "fdt@1", a, len_a);
	add_image(fit, "fdt", b, len_b);
	assert_int_equal(fdt_end_node(fit), 0);
	assert_int_equal(fdt_end_node(fit), 0);
	assert_int_equal(fdt_finish(fit), 0);
	assert_int_equal(buf_add(out, fit, fdt_totalsize(fit)), 0);
}

static void make_joined(struct buf *out)
{
	char tree[TREE_SIZE];

	assert_int_equal(buf_add(out, tree, make_tree(tree, "test,a", 3)), 0);
	assert_int_equal(buf_add(out, tree, make_tree(tree, "test,b", 5)), 0);
	assert_int_equal(buf_add(out, "\0\0\0\0\0", 5), 0);
	assert_int_equal(buf_add(out, tree, make_tree(tree, "test,c", 0)), 0);
}

static void make_table(struct buf *out)
{
	char a[TREE_SIZE], b[TREE_SIZE];
	size_t len_a = make_tree(a, "test,a", 7), len_b = make_tree(b, "test,b", 0);
	const uint32_t words[] = {
		0xd7b7ab1e, 96 + len_a + len_b,
		32,	    32,
		2,	    32,
		2048,	    0, /* header */
		len_a,	    96,
		1,	    2,
		3,	    4,
		5,	    6, /* entries */
		len_b,	    96 + len_a,
		7,	    8,
		9,	    10,
		11,	    12,
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		fdt32_t word = cpu_to_fdt32(words[i]);

		assert_int_equal(buf_add(out, &word, sizeof(word)), 0);
	}
	assert_int_equal(buf_add(out, a, len_a), 0);
	assert_int_equal(buf_add(out, b, len_b), 0);
}

static void make_zimage(struct buf *out)
{
	char tree[TREE_SIZE], head[64] = "";

	memcpy(head + 0x24, "\x18\x28\x6f\x01\0\0\0\0\x40", 9);
	assert_int_equal(buf_add(out, head, sizeof(head)), 0);
	assert_int_equal(buf_add(out, tree, make_tree(tree, "test,a", 1)), 0);
	assert_int_equal(buf_add(out, "end", 3), 0);
}

static void (*const makers[])(struct buf *) = { make_fit, make_joined, make_table,
						make_zimage };
#define MAKERS (sizeof(makers) / sizeof(makers[0]))

/* Put a tree of another size in the place of item @i, and look for it there. */
static int replace(const struct container *c, size_t i, int extra)
{
	char blob[TREE_SIZE];
	size_t len = make_tree(blob, "test,new", extra);
	struct container after = { 0 };
	struct dtb tree = { 0 };
	struct err err = { "" };
	int ret;

	assert_int_equal(dtb_from_memory(blob, len, &tree, &err), 0);
	ret = container_replace(c, i, &tree, &after.file, &err);
	if (ret) {
		assert_string_not_equal(err.msg, "");
		assert_null(after.file.data);
	} else {
		assert_int_equal(container_parse(&after, &err), 0);
		if (c->kind != CONTAINER_TREE) {
			assert_int_equal(after.count, c->count);
			assert_string_equal(after.items[i].compatible, "test,new");
		}
	}
	container_free(&after);
	dtb_free(&tree);
	return ret;
}

static void each_tree_can_grow_shrink_and_stay(void **state)
{
	static const int extras[] = { 0, 1, 5, 40, 41, 44, 500 };

	(void)state;
	for (size_t m = 0; m < MAKERS; m++) {
		struct container c = { 0 };
		struct err err = { "" };

		makers[m](&c.file);
		assert_int_equal(container_parse(&c, &err), 0);
		assert_int_not_equal(c.kind, CONTAINER_TREE);
		for (size_t i = 0; i < c.count; i++)
			for (size_t e = 0; e < sizeof(extras) / sizeof(extras[0]); e++)
				assert_int_equal(replace(&c, i, extras[e]), 0);
		container_free(&c);
	}
}

static void take(struct container *c)
{
	struct err err = { "" };

	if (container_parse(c, &err)) {
		assert_string_not_equal(err.msg, "");
		return;
	}
	assert_in_range(c->count, 1, 4096);
	for (size_t i = 0; i < c->count; i++) {
		struct dtb tree = { 0 };

		err.msg[0] = '\0';
		if (!container_tree(c, i, &tree, &err))
			replace(c, i, 60);
		else
			assert_string_not_equal(err.msg, "");
		dtb_free(&tree);
	}
}

/* What of it is offsets, sizes and names gets another byte, one at a time. */
static void a_damaged_file_is_refused_or_taken_whole(void **state)
{
	static const unsigned char bytes[] = { 0, 1, 0x7f, 0xff };

	(void)state;
	for (size_t m = 0; m < MAKERS; m++) {
		struct buf whole = { 0 };

		makers[m](&whole);
		for (size_t at = 0; at < whole.len; at++) {
			struct container c = { 0 };

			assert_int_equal(buf_add(&c.file, whole.data, whole.len), 0);
			c.file.data[at] = (char)bytes[(at + at / 4) % sizeof(bytes)];
			take(&c);
			container_free(&c);
			/* Cut short there. */
			assert_int_equal(buf_add(&c.file, whole.data, at), 0);
			take(&c);
			container_free(&c);
		}
		buf_free(&whole);
	}
}

static void digests_are_those_of_the_algorithms_test_vectors(void **state)
{
	unsigned char sum[DIGEST_MAX];
	size_t n;

	(void)state;
	assert_int_equal(digest("crc32", "123456789", 9, sum, &n, NULL), 0);
	assert_int_equal(n, 4);
	assert_memory_equal(sum, "\xcb\xf4\x39\x26", 4);
	assert_int_equal(digest("sha1", "abc", 3, sum, &n, NULL), 0);
	assert_int_equal(n, 20);
	assert_memory_equal(sum, "\xa9\x99\x3e\x36\x47\x06\x81\x6a", 8);
	assert_int_equal(digest("sha256", "abc", 3, sum, &n, NULL), 0);
	assert_int_equal(n, 32);
	assert_memory_equal(sum, "\xba\x78\x16\xbf\x8f\x01\xcf\xea", 8);
	assert_int_equal(digest("sha3", "abc", 3, sum, &n, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_tree_can_grow_shrink_and_stay),
		cmocka_unit_test(a_damaged_file_is_refused_or_taken_whole),
		cmocka_unit_test(digests_are_those_of_the_algorithms_test_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
