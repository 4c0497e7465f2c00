// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any change of a compiled tree: set, grow, shrink, delete; and typed values.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libfdt.h>

#include "fdtedit/changes.h"
#include "fdtedit/dtb.h"
#include "fdtedit/typed.h"

#define BLOB_MAX 65536

static void compile(struct dtb *dtb)
{
	struct err err = { "" };
	char *raw = malloc(BLOB_MAX);
	size_t size;
	FILE *f;

	assert_non_null(raw);
	f = popen("dtc -q -p 64 -O dtb tests/data/big-little.dts", "r");
	assert_non_null(f);
	size = fread(raw, 1, BLOB_MAX, f);
	assert_int_equal(pclose(f), 0);
	assert_true(size > 0 && size < BLOB_MAX);
	memset(dtb, 0, sizeof(*dtb));
	assert_int_equal(dtb_from_memory(raw, size, dtb, &err), 0);
	free(raw);
}

/* The reserve map last, so that it must stay aligned while the structure grows by 4. */
static void put_map_last(const struct dtb *in, struct dtb *out)
{
	struct dtb_layout l;
	struct err err = { "" };
	char *blob = calloc(1, in->file.len + 64);
	size_t at;

	assert_non_null(blob);
	assert_int_equal(dtb_layout(in, &l, &err), 0);
	memcpy(blob, in->file.data, in->file.len);
	at = (l.used + 7) & ~(size_t)7;
	memcpy(blob + at, in->file.data + l.rsvmap, l.rsvmap_size);
	fdt_set_off_mem_rsvmap(blob, at);
	fdt_set_totalsize(blob, at + l.rsvmap_size);
	memset(out, 0, sizeof(*out));
	assert_int_equal(dtb_from_memory(blob, at + l.rsvmap_size, out, &err), 0);
	free(blob);
}

static void fill(struct changes *c)
{
	assert_int_equal(changes_set(c, "/soc/serial@1000", "blob", TYPED_BYTES, "12345",
				     5, NULL, NULL),
			 0);
	assert_int_equal(changes_set(c, "/soc/serial@1000", "compatible", TYPED_STRING,
				     "x", 2, NULL, NULL),
			 0);
	assert_int_equal(
		changes_set(c, "/", "new,flag", TYPED_BYTES, NULL, 0, NULL, NULL), 0);
	assert_int_equal(
		changes_delete(c, "/cpus/cpu@100", "capacity-dmips-mhz", NULL, NULL), 0);
	assert_int_equal(changes_delete_node(c, "/opp-table-1/opp-800000000", NULL, NULL),
			 0);
	assert_int_equal(changes_delete_node(c, "/cpus/cpu-map", NULL, NULL), 0);
}

static void assert_filled(const struct dtb *after)
{
	const void *blob = after->file.data;
	int node = fdt_path_offset(blob, "/soc/serial@1000");
	int len;

	assert_memory_equal(fdt_getprop(blob, node, "blob", &len), "12345", 5);
	assert_int_equal(len, 5);
	assert_string_equal(fdt_getprop(blob, node, "compatible", &len), "x");
	assert_int_equal(len, 2);
	assert_non_null(fdt_getprop(blob, 0, "new,flag", &len));
	assert_int_equal(len, 0);
	node = fdt_path_offset(blob, "/cpus/cpu@100");
	assert_null(fdt_getprop(blob, node, "capacity-dmips-mhz", NULL));
	assert_true(fdt_path_offset(blob, "/cpus/cpu-map") < 0);
	assert_true(fdt_path_offset(blob, "/opp-table-1/opp-800000000") < 0);
	assert_true(fdt_path_offset(blob, "/opp-table-1/opp-1200000000") > 0);
}

static void all_kinds_of_change_are_made_together(void **state)
{
	struct dtb before, after = { 0 };
	struct dtb_layout a, b;
	struct changes c = { 0 };
	struct err err = { "" };

	(void)state;
	compile(&before);
	fill(&c);
	assert_int_equal(dtb_change(&before, &c, &after, &err), 0);
	assert_filled(&after);
	assert_int_equal(dtb_layout(&before, &a, &err), 0);
	assert_int_equal(dtb_layout(&after, &b, &err), 0);
	assert_int_equal(b.spare, a.spare);
	assert_true(b.structure_size < a.structure_size);
	assert_int_equal(b.strings_size, a.strings_size + sizeof("new,flag"));
	changes_free(&c);
	dtb_free(&before);
	dtb_free(&after);
}

static void a_reserve_map_behind_the_structure_stays_aligned(void **state)
{
	struct dtb plain, before, after = { 0 };
	struct changes c = { 0 };
	struct err err = { "" };
	uint64_t address, size;

	(void)state;
	compile(&plain);
	put_map_last(&plain, &before);
	/* 3 bytes to 5: the structure block grows by 4. */
	assert_int_equal(changes_set(&c, "/soc/serial@1000", "blob", TYPED_BYTES, "12345",
				     5, NULL, NULL),
			 0);
	assert_int_equal(dtb_change(&before, &c, &after, &err), 0);
	assert_int_equal(fdt_off_mem_rsvmap(after.file.data) % 8, 0);
	assert_int_equal(fdt_get_mem_rsv(after.file.data, 1, &address, &size), 0);
	assert_int_equal(address, 0x7f000000);
	dtb_free(&after);
	changes_free(&c);
	fill(&c);
	assert_int_equal(dtb_change(&before, &c, &after, &err), 0);
	assert_filled(&after);
	assert_int_equal(fdt_off_mem_rsvmap(after.file.data) % 8, 0);
	assert_int_equal(fdt_get_mem_rsv(after.file.data, 0, &address, &size), 0);
	assert_int_equal(address, 0x40000000);
	changes_free(&c);
	dtb_free(&plain);
	dtb_free(&before);
	dtb_free(&after);
}

static void the_comparer_sees_any_byte_that_differs(void **state)
{
	struct dtb before, after = { 0 };
	struct changes c = { 0 };
	struct err err = { "" };
	unsigned int same = 0;

	(void)state;
	compile(&before);
	fill(&c);
	assert_int_equal(dtb_change(&before, &c, &after, &err), 0);
	for (size_t i = 0; i < after.file.len; i++) {
		after.file.data[i] ^= 0x04;
		if (!dtcpus_check_blob(after.file.data, after.file.len, NULL) &&
		    !dtb_verify_changes(&before, &c, &after, NULL))
			same++;
		after.file.data[i] ^= 0x04;
	}
	assert_int_equal(same, 0);
	changes_free(&c);
	dtb_free(&before);
	dtb_free(&after);
}

/* Made with all changes; each list that lacks one of them must be found out. */
static void the_comparer_wants_each_change(void **state)
{
	struct dtb before, after = { 0 };
	struct changes c = { 0 };
	struct err err = { "" };

	(void)state;
	compile(&before);
	fill(&c);
	assert_int_equal(dtb_change(&before, &c, &after, &err), 0);
	for (size_t i = 0; i < c.count; i++) {
		struct change last = c.list[c.count - 1];
		struct changes fewer = { c.list, c.count - 1, 0 };
		struct change out = c.list[i];

		c.list[i] = last;
		assert_int_equal(dtb_verify_changes(&before, &fewer, &after, &err),
				 -EINVAL);
		c.list[i] = out;
	}
	/* A deletion that did not happen. */
	assert_int_equal(changes_delete(&c, "/soc/serial@1000", "reg", NULL, &err), 0);
	assert_int_equal(dtb_verify_changes(&before, &c, &after, &err), -EINVAL);
	changes_free(&c);
	assert_int_equal(changes_delete_node(&c, "/soc", NULL, &err), 0);
	assert_int_equal(dtb_verify_changes(&before, &c, &before, &err), -EINVAL);
	changes_free(&c);
	dtb_free(&before);
	dtb_free(&after);
}

static void assert_refused(struct changes *c, int code, const char *want)
{
	struct dtb before, after = { 0 };
	struct err err = { "" };

	compile(&before);
	assert_int_equal(dtb_change(&before, c, &after, &err), code);
	assert_string_equal(err.msg, want);
	assert_null(after.file.data);
	dtb_free(&before);
	changes_free(c);
}

static void one_bad_change_stops_them_all(void **state)
{
	struct changes c = { 0 };

	(void)state;
	fill(&c);
	changes_delete(&c, "/soc/serial@1000", "nothing", NULL, NULL);
	assert_refused(&c, -ENOENT, "/soc/serial@1000: no property 'nothing'");
	fill(&c);
	changes_set_u32(&c, "/soc/none", "x", 1, NULL, NULL);
	assert_refused(&c, -ENOENT, "no node '/soc/none'");
	fill(&c);
	changes_delete_node(&c, "/", NULL, NULL);
	assert_refused(&c, -EINVAL, "the root node cannot be deleted");
}

static void what_the_tree_says_already_is_dropped(void **state)
{
	struct changes c = { 0 };
	struct dtb dtb;

	(void)state;
	compile(&dtb);
	changes_set_u32(&c, "/cpus/cpu@100", "capacity-dmips-mhz", 400, NULL, NULL);
	changes_set_u32(&c, "/cpus/cpu@101", "capacity-dmips-mhz", 401, NULL, NULL);
	changes_set_u32(&c, "/cpus/cpu@0", "capacity-dmips-mhz", 0, NULL, NULL);
	assert_int_equal(changes_drop_done(&c, &dtb), 1);
	assert_int_equal(c.count, 2);
	assert_string_equal(c.list[0].path, "/cpus/cpu@101");
	changes_free(&c);
	dtb_free(&dtb);
}

static void values_are_taken_whole_or_refused(void **state)
{
	static const struct {
		enum typed_kind kind;
		const char *word;
		const char *bytes; /* NULL: refused */
		size_t len;
	} cases[] = {
		{ TYPED_U8, "255", "\xff", 1 },
		{ TYPED_U8, "256", NULL, 0 },
		{ TYPED_U16, "0xfffe", "\xff\xfe", 2 },
		{ TYPED_U16, "65536", NULL, 0 },
		{ TYPED_U32, "4294967295", "\xff\xff\xff\xff", 4 },
		{ TYPED_U32, "4294967296", NULL, 0 },
		{ TYPED_U32, "12uW", NULL, 0 },
		{ TYPED_U32, "-1", NULL, 0 },
		{ TYPED_U32, "", NULL, 0 },
		{ TYPED_U32, "1.0", NULL, 0 },
		{ TYPED_U64, "18446744073709551615", "\xff\xff\xff\xff\xff\xff\xff\xff",
		  8 },
		{ TYPED_U64, "18446744073709551616", NULL, 0 },
		{ TYPED_STRING, "12", "12", 3 },
		{ TYPED_STRING, "", "", 1 },
		{ TYPED_BYTES, "00fF", "\x00\xff", 2 },
		{ TYPED_BYTES, "0", NULL, 0 },
		{ TYPED_BYTES, "0x", NULL, 0 },
		{ TYPED_BYTES, "", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *words[] = { (char *)cases[i].word };
		struct buf out = { 0 };
		int ret = typed_parse(cases[i].kind, words, 1, &out, NULL);

		assert_int_equal(ret, cases[i].bytes ? 0 : -EINVAL);
		assert_int_equal(out.len, cases[i].len);
		if (cases[i].bytes)
			assert_memory_equal(out.data, cases[i].bytes, out.len);
		buf_free(&out);
	}
}

static void values_print_as_they_are_given(void **state)
{
	struct buf out = { 0 };
	struct err err = { "" };
	bool unsure;

	(void)state;
	assert_int_equal(typed_format(TYPED_U16, "\0\1\xff\xff", 4, " ", &out, &err), 0);
	assert_string_equal(out.data, "1 65535");
	out.len = 0;
	assert_int_equal(typed_format(TYPED_STRING, "a\0b\x1b", 5, "|", &out, &err), 0);
	assert_string_equal(out.data, "a|b\\x1b");
	buf_free(&out);
	assert_int_equal(typed_format(TYPED_U32, "12345", 5, " ", &out, &err), -EINVAL);
	assert_string_equal(err.msg, "5 bytes are no whole number of u32");
	assert_int_equal(typed_format(TYPED_STRING, "abc", 3, " ", &out, &err), -EINVAL);
	buf_free(&out);
	assert_int_equal(typed_guess("x", "abc", 4, &unsure), TYPED_STRING);
	assert_true(unsure);
	assert_int_equal(typed_guess("x", "ab", 3, &unsure), TYPED_STRING);
	assert_false(unsure);
	assert_int_equal(typed_guess("opp-microvolt", "abc", 4, &unsure), TYPED_U32);
	assert_int_equal(typed_guess("opp-hz", "abc", 4, &unsure), TYPED_STRING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds_of_change_are_made_together),
		cmocka_unit_test(a_reserve_map_behind_the_structure_stays_aligned),
		cmocka_unit_test(the_comparer_sees_any_byte_that_differs),
		cmocka_unit_test(the_comparer_wants_each_change),
		cmocka_unit_test(one_bad_change_stops_them_all),
		cmocka_unit_test(what_the_tree_says_already_is_dropped),
		cmocka_unit_test(values_are_taken_whole_or_refused),
		cmocka_unit_test(values_print_as_they_are_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
