// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Overlays from two trees: what cannot be said, and a check that can fail.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <libfdt.h>

#include "fdtedit/overlay.h"

/* One CPU node; without the property for @value 0. */
static void make_tree(uint32_t value, struct dtb *out)
{
	char blob[1024];
	struct err err = { "" };

	*out = (struct dtb){ 0 };
	assert_int_equal(fdt_create(blob, sizeof(blob)), 0);
	assert_int_equal(fdt_finish_reservemap(blob), 0);
	assert_int_equal(fdt_begin_node(blob, ""), 0);
	assert_int_equal(fdt_begin_node(blob, "cpus"), 0);
	assert_int_equal(fdt_begin_node(blob, "cpu"), 0);
	if (value)
		assert_int_equal(fdt_property_u32(blob, "value", value), 0);
	assert_int_equal(fdt_property_string(blob, "status", "okay"), 0);
	assert_int_equal(fdt_end_node(blob), 0);
	assert_int_equal(fdt_end_node(blob), 0);
	assert_int_equal(fdt_end_node(blob), 0);
	assert_int_equal(fdt_finish(blob), 0);
	assert_int_equal(dtb_from_memory(blob, fdt_totalsize(blob), out, &err), 0);
}

static int make_overlay(const struct dtb *before, const struct dtb *after,
			struct dtb *out, struct err *err)
{
	struct overlay o = { 0 };
	int ret = overlay_collect(before, after, true, &o, err);

	if (!ret)
		ret = overlay_build(&o, out, err);
	overlay_free(&o);
	return ret;
}

static void merging_another_edit_is_told(void **state)
{
	struct dtb none, five, six, overlay = { 0 };
	struct err err = { "" };

	(void)state;
	make_tree(0, &none);
	make_tree(5, &five);
	make_tree(6, &six);
	assert_int_equal(make_overlay(&none, &five, &overlay, &err), 0);
	assert_int_equal(overlay_check(&none, &overlay, &five, &err), 0);
	assert_int_equal(overlay_check(&six, &overlay, &five, &err), 0);
	assert_int_equal(overlay_check(&none, &overlay, &six, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "merged into the base it does not give the tree that "
			    "was asked for: '/cpus/cpu' differs in value");
	dtb_free(&none);
	dtb_free(&five);
	dtb_free(&six);
	dtb_free(&overlay);
}

static void a_removed_property_is_refused(void **state)
{
	struct dtb none, five, overlay = { 0 };
	struct err err = { "" };

	(void)state;
	make_tree(0, &none);
	make_tree(5, &five);
	assert_int_equal(make_overlay(&five, &none, &overlay, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "'/cpus/cpu': value is removed, which cannot be said "
			    "by adding to a tree");
	dtb_free(&none);
	dtb_free(&five);
}

static void text_numbers_and_flags_are_written_as_people_do(void **state)
{
	uint32_t cells[2];
	struct overlay_prop list[] = {
		{ .path = "/a", .name = "text", .data = "ok", .len = 3 },
		{ .path = "/a", .name = "word", .data = "abc", .len = 4 },
		{ .path = "/a", .name = "cells", .data = cells, .len = 8 },
		{ .path = "/b", .name = "bytes", .data = "\1\2\3", .len = 3 },
		{ .path = "/b", .name = "flag", .data = "", .len = 0 },
	};
	struct overlay o = { .list = list, .count = 5 };
	struct buf text = { 0 };
	struct err err = { "" };

	(void)state;
	cells[0] = cpu_to_fdt32(7);
	cells[1] = cpu_to_fdt32(4294967295u);
	list[3].label = list[4].label = "bee";
	assert_int_equal(overlay_source(&o, false, &text, &err), 0);
	assert_string_equal(text.data, "\n&{/a} {\n\ttext = \"ok\";\n\tword = "
				       "<1633837824>;\n\tcells = <7 4294967295>;\n};\n"
				       "\n&bee {\n\tbytes = [01 02 03];\n\tflag;\n};\n");
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merging_another_edit_is_told),
		cmocka_unit_test(a_removed_property_is_refused),
		cmocka_unit_test(text_numbers_and_flags_are_written_as_people_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
