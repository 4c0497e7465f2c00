// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Editing compiled trees: odd layouts, the comparer that judges the result, and damage.
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

#include "fdtedit/dtb.h"
#include "fdtedit/dtb_diff.h"
#include "fdtedit/show.h"
#include "fdtedit/value.h"

#define BLOB_MAX 65536
#define DPC	 "dynamic-power-coefficient"

/* @filter: a shell command that changes the source on its way, or "cat". */
static void compile(const char *filter, const char *dtc_options, struct dtb *dtb)
{
	struct err err = { "" };
	char *raw = malloc(BLOB_MAX);
	char line[1024];
	size_t size;
	FILE *f;

	assert_non_null(raw);
	snprintf(line, sizeof(line), "%s < tests/data/big-little.dts | dtc -q %s -O dtb",
		 filter, dtc_options);
	f = popen(line, "r");
	assert_non_null(f);
	size = fread(raw, 1, BLOB_MAX, f);
	assert_int_equal(pclose(f), 0);
	assert_true(size > 0 && size < BLOB_MAX);
	memset(dtb, 0, sizeof(*dtb));
	assert_int_equal(dtb_from_memory(raw, size, dtb, &err), 0);
	free(raw);
}

static void add_edit(struct edits *edits, const char *path, const char *property,
		     uint32_t value)
{
	edits->list[edits->count++] =
		(struct edit){ .path = path, .property = property, .value = value };
}

static uint32_t get(const struct dtb *dtb, const char *path, const char *property)
{
	int node = fdt_path_offset(dtb->file.data, path);
	const void *data = fdt_getprop(dtb->file.data, node, property, NULL);

	assert_non_null(data);
	return fdt32_ld(data);
}

/* The name of the property that comes right after @property in the node. */
static const char *after_property(const struct dtb *dtb, const char *path,
				  const char *property)
{
	const void *blob = dtb->file.data;
	int node = fdt_path_offset(blob, path);
	const char *name;
	bool found = false;
	int prop;

	fdt_for_each_property_offset(prop, blob, node)
	{
		fdt_getprop_by_offset(blob, prop, &name, NULL);
		if (found)
			return name;
		found = !strcmp(name, property);
	}
	return "";
}

static void a_new_property_follows_the_capacity_or_comes_last(void **state)
{
	struct dtb before, after = { 0 };
	struct edits edits = { 0 };
	struct err err = { "" };

	(void)state;
	compile("cat", "", &before);
	add_edit(&edits, "/cpus/cpu@100", DPC, 90);
	add_edit(&edits, "/cpus/cpu@0", DPC, 310);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), 0);
	assert_int_equal(get(&after, "/cpus/cpu@100", DPC), 90);
	assert_string_equal(after_property(&after, "/cpus/cpu@100", "capacity-dmips-mhz"),
			    DPC);
	assert_string_equal(after_property(&after, "/cpus/cpu@100", DPC),
			    "#cooling-cells");
	assert_string_equal(after_property(&after, "/cpus/cpu@0", "operating-points-v2"),
			    DPC);
	assert_string_equal(after_property(&after, "/cpus/cpu@0", DPC), "phandle");
	dtb_free(&before);
	dtb_free(&after);
}

static void a_new_name_is_appended_to_the_strings_once(void **state)
{
	struct dtb before, after = { 0 };
	struct edits edits = { 0 };
	struct err err = { "" };

	(void)state;
	compile("sed /dynamic-power/d", "", &before);
	add_edit(&edits, "/cpus/cpu@100", DPC, 90);
	add_edit(&edits, "/cpus/cpu@0", DPC, 310);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), 0);
	assert_int_equal(after.file.len - before.file.len, 2 * 16 + sizeof(DPC));
	assert_int_equal(fdt_size_dt_strings(after.file.data),
			 fdt_size_dt_strings(before.file.data) + sizeof(DPC));
	dtb_free(&before);
	dtb_free(&after);
}

static void the_end_of_a_longer_name_will_do(void **state)
{
	struct dtb before, after = { 0 };
	struct edits edits = { 0 };
	struct err err = { "" };

	(void)state;
	compile("sed s/dynamic-power/vendor,dynamic-power/", "", &before);
	add_edit(&edits, "/cpus/cpu@0", DPC, 310);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), 0);
	assert_int_equal(after.file.len - before.file.len, 16);
	assert_int_equal(get(&after, "/cpus/cpu@0", DPC), 310);
	dtb_free(&before);
	dtb_free(&after);
}

static void a_node_without_properties_gets_its_first(void **state)
{
	struct dtb before, after = { 0 };
	struct edits edits = { 0 };
	struct err err = { "" };

	(void)state;
	compile("sed 's/capacity-dmips-mhz = <1>;//'", "", &before);
	add_edit(&edits, "/cpus/cpu@100/idle", "x", 7);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), 0);
	assert_int_equal(get(&after, "/cpus/cpu@100/idle", "x"), 7);
	dtb_free(&before);
	dtb_free(&after);
}

static void version_16_is_edited_and_stays_16(void **state)
{
	struct dtb before, after = { 0 };
	struct edits edits = { 0 };
	struct err err = { "" };

	(void)state;
	compile("cat", "-V 16 -p 100", &before);
	assert_int_equal(fdt_version(before.file.data), 16);
	add_edit(&edits, "/cpus/cpu@1", DPC, 310);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), 0);
	assert_int_equal(fdt_version(after.file.data), 16);
	assert_int_equal(get(&after, "/cpus/cpu@1", DPC), 310);
	assert_int_equal(after.file.len, before.file.len + 16);
	dtb_free(&before);
	dtb_free(&after);
}

/* libfdt takes a name from behind the block in version 16: it would not move with it. */
static void version_16_with_names_past_its_strings_is_refused(void **state)
{
	struct dtb before, after = { 0 };
	struct edits edits = { 0 };
	struct err err = { "" };

	(void)state;
	compile("cat", "-V 16", &before);
	fdt_set_size_dt_strings(before.file.data,
				fdt_size_dt_strings(before.file.data) - 1);
	add_edit(&edits, "/cpus/cpu@1", DPC, 310);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "damaged device tree: the name of a property is not in the "
			    "strings block (header field size_dt_strings)");
	assert_null(after.file.data);
	dtb_free(&before);
}

static void other_versions_are_refused(void **state)
{
	struct dtb before, after = { 0 };
	struct edits edits = { 0 };
	struct err err = { "" };

	(void)state;
	compile("cat", "", &before);
	fdt_set_version(before.file.data, 18);
	add_edit(&edits, "/cpus/cpu@1", DPC, 310);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "version 18 of the format is not edited, only 16 and "
			    "17; convert it with 'dtc -I dtb -O dtb'");
	assert_null(after.file.data);
	dtb_free(&before);
}

/*
 * Put the blocks of @in in another order: strings, structure, reserve map, with gaps that
 * hold something.
 */
static void reorder(const struct dtb *in, struct dtb *out)
{
	struct dtb_layout l;
	struct err err = { "" };
	char *blob = calloc(1, in->file.len + 64);
	size_t at = 40;

	assert_non_null(blob);
	assert_int_equal(dtb_layout(in, &l, &err), 0);
	memcpy(blob, in->file.data, 40);
	fdt_set_off_dt_strings(blob, at);
	memcpy(blob + at, in->file.data + l.strings, l.strings_size);
	at = (at + l.strings_size + 7) & ~(size_t)7;
	memset(blob + at, 0xaa, 8);
	at += 8;
	fdt_set_off_dt_struct(blob, at);
	memcpy(blob + at, in->file.data + l.structure, l.structure_size);
	at = (at + l.structure_size + 7) & ~(size_t)7;
	fdt_set_off_mem_rsvmap(blob, at);
	memcpy(blob + at, in->file.data + l.rsvmap, l.rsvmap_size);
	at += l.rsvmap_size;
	memset(blob + at, 0x55, 8);
	fdt_set_totalsize(blob, at + 8);
	memset(out, 0, sizeof(*out));
	assert_int_equal(dtb_from_memory(blob, at + 8, out, &err), 0);
	free(blob);
}

static void blocks_in_another_order_stay_in_it(void **state)
{
	struct dtb plain, before, after = { 0 };
	struct dtb_layout l;
	struct edits edits = { 0 };
	struct err err = { "" };
	uint64_t address, size;

	(void)state;
	compile("sed /dynamic-power/d", "", &plain);
	reorder(&plain, &before);
	add_edit(&edits, "/cpus/cpu@100", DPC, 90);
	add_edit(&edits, "/cpus/cpu@0", DPC, 310);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), 0);
	assert_int_equal(get(&after, "/cpus/cpu@100", DPC), 90);
	assert_int_equal(get(&after, "/cpus/cpu@0", DPC), 310);
	assert_int_equal(dtb_layout(&after, &l, &err), 0);
	assert_true(l.strings < l.structure && l.structure < l.rsvmap);
	assert_int_equal(l.spare, 8);
	assert_int_equal(fdt_num_mem_rsv(after.file.data), 2);
	assert_int_equal(fdt_get_mem_rsv(after.file.data, 1, &address, &size), 0);
	assert_int_equal(address, 0x7f000000);
	dtb_free(&plain);
	dtb_free(&before);
	dtb_free(&after);
}

static void blocks_that_overlap_are_refused(void **state)
{
	struct dtb before, after = { 0 };
	struct edits edits = { 0 };
	struct err err = { "" };

	(void)state;
	compile("cat", "", &before);
	fdt_set_size_dt_struct(before.file.data,
			       fdt_size_dt_struct(before.file.data) + 4);
	add_edit(&edits, "/cpus/cpu@1", DPC, 310);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), -EINVAL);
	assert_string_equal(err.msg, "damaged device tree: structure block and strings "
				     "block overlap");
	assert_null(after.file.data);
	dtb_free(&before);
}

static void assert_edit_refused(const char *filter, const struct edits *edits, int code,
				const char *want)
{
	struct dtb before, after = { 0 };
	struct err err = { "" };

	compile(filter, "", &before);
	assert_int_equal(dtb_edit(&before, edits, &after, &err), code);
	assert_string_equal(err.msg, want);
	assert_null(after.file.data);
	dtb_free(&before);
}

static void one_bad_edit_stops_them_all(void **state)
{
	struct edits edits = { 0 };

	(void)state;
	add_edit(&edits, "/cpus/cpu@0", DPC, 310);
	add_edit(&edits, "/cpus/cpu@7", DPC, 310);
	assert_edit_refused("cat", &edits, -ENOENT, "no node '/cpus/cpu@7'");
	/* libfdt would take cpu@100 for this. */
	edits.list[1].path = "/cpus/cpu";
	assert_edit_refused("cat", &edits, -ENOENT, "no node '/cpus/cpu'");
	edits.list[1].path = "/soc/serial@1000";
	edits.list[1].property = "blob";
	assert_edit_refused(
		"cat", &edits, -EINVAL,
		"/soc/serial@1000: blob holds 3 bytes, not one 32-bit number");
}

static void two_nodes_of_one_name_are_refused(void **state)
{
	struct edits edits = { 0 };
	struct dtb before, after = { 0 };
	struct err err = { "" };
	char *name;

	(void)state;
	compile("cat", "", &before);
	name = (char *)fdt_get_name(before.file.data,
				    fdt_path_offset(before.file.data, "/cpus/cpu@101"),
				    NULL);
	name[6] = '0';
	add_edit(&edits, "/cpus/cpu@100", DPC, 310);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), -EINVAL);
	assert_string_equal(err.msg, "'/cpus/cpu@100': two nodes of that name");
	dtb_free(&before);
}

static void bytes_after_the_tree_are_read_past_and_not_edited(void **state)
{
	struct edits edits = { 0 };
	struct dtb sound, before = { 0 }, after = { 0 };
	struct err err = { "" };
	char want[160];

	(void)state;
	compile("cat", "", &sound);
	assert_int_equal(buf_adds(&sound.file, "more"), 0);
	assert_int_equal(dtb_from_memory(sound.file.data, sound.file.len, &before, &err),
			 0);
	assert_int_equal(before.trailing, 4);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), -EINVAL);
	snprintf(want, sizeof(want), "4 bytes after the tree (totalsize %u): not edited",
		 fdt_totalsize(before.file.data));
	assert_memory_equal(err.msg, want, strlen(want));
	dtb_free(&sound);
	dtb_free(&before);
}

/* The comparer must see each kind of change, else it proves nothing. */
static void the_comparer_sees_any_byte_that_differs(void **state)
{
	struct dtb before, after = { 0 };
	struct edits edits = { 0 };
	struct err err = { "" };
	unsigned int same = 0;

	(void)state;
	compile("sed /dynamic-power/d", "-p 16", &before);
	add_edit(&edits, "/cpus/cpu@100", DPC, 90);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), 0);
	for (size_t i = 0; i < after.file.len; i++) {
		after.file.data[i] ^= 0x04;
		if (!dtcpus_check_blob(after.file.data, after.file.len, NULL) &&
		    !dtb_verify(&before, &edits, &after, NULL))
			same++;
		after.file.data[i] ^= 0x04;
	}
	assert_int_equal(same, 0);
	assert_int_equal(dtb_verify(&before, &edits, &after, &err), 0);
	dtb_free(&before);
	dtb_free(&after);
}

static void the_comparer_wants_every_edit_and_no_other(void **state)
{
	struct dtb before, after = { 0 };
	struct edits edits = { 0 }, other = { 0 };
	struct err err = { "" };

	(void)state;
	compile("cat", "", &before);
	add_edit(&edits, "/cpus/cpu@100", DPC, 90);
	add_edit(&edits, "/cpus/cpu@101", DPC, 90);
	assert_int_equal(dtb_edit(&before, &edits, &after, &err), 0);
	other = edits;
	other.count = 1;
	assert_int_equal(dtb_verify(&before, &other, &after, &err), -EINVAL);
	other = edits;
	add_edit(&other, "/cpus/cpu@0", DPC, 90);
	assert_int_equal(dtb_verify(&before, &other, &after, &err), -EINVAL);
	assert_string_equal(err.msg, "/cpus/cpu@0: " DPC " is there 0 times");
	other = edits;
	other.list[1].value = 91;
	assert_int_equal(dtb_verify(&before, &other, &after, &err), -EINVAL);
	assert_string_equal(err.msg, "/cpus/cpu@101: " DPC " is not <91>");
	dtb_free(&before);
	dtb_free(&after);
}

/* xorshift32: the same damage on every machine. */
static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

struct fuzz {
	struct coeffs *c;
	struct dtcpus *cpus;
	struct checks *checks;
	struct edit_cpu *view;
	struct dtb sound;
	FILE *sink;
	unsigned int edited;
};

static int count_difference(const struct diff *d, void *arg)
{
	struct buf text = { 0 };

	if (d->kind == DIFF_PROPERTY && d->in_new)
		assert_int_equal(value_format(d->new, d->new_len, 40, &text), 0);
	buf_free(&text);
	++*(unsigned int *)arg;
	return 0;
}

static void try_show(struct fuzz *fz)
{
	const struct checks_input in = { .d = fz->cpus };
	const struct show s = { .file = "x", .d = fz->cpus, .checks = fz->checks };

	checks_run(&in, fz->checks);
	show_text(&s, fz->sink);
	assert_int_equal(show_json(&s, fz->sink, NULL), 0);
}

static void try_edit(struct fuzz *fz, const struct dtb *before)
{
	struct dtb after = { 0 };
	struct edits edits = { 0 };
	struct err err = { "" };

	dtb_view(fz->cpus, fz->view);
	if (edits_plan(fz->c, fz->view, fz->cpus->cpu_count, false, &edits, &err) ||
	    dtb_edit(before, &edits, &after, &err)) {
		assert_true(err.msg[0]);
		return;
	}
	assert_int_equal(dtcpus_check_blob(after.file.data, after.file.len, &err), 0);
	fz->edited++;
	dtb_free(&after);
}

/* Whatever the bytes are, it ends in a message or in a sound tree. */
static void try_all(struct fuzz *fz, const char *data, size_t size)
{
	struct dtb before = { 0 };
	struct err err = { "" };
	unsigned int differences = 0;
	char *exact;
	int ret;

	if (dtb_from_memory(data, size, &before, &err)) {
		assert_true(err.msg[0]);
		dtb_free(&before);
		return;
	}
	/* Without the buffer's slack, so that a read past the end is seen. */
	exact = realloc(before.file.data, size);
	assert_non_null(exact);
	before.file.data = exact;
	ret = dtb_diff(&fz->sound, &before, count_difference, &differences, &err);
	assert_true(!ret || err.msg[0]);
	if (dtb_read_cpus(&before, fz->cpus, &err)) {
		assert_true(err.msg[0]);
	} else {
		try_show(fz);
		try_edit(fz, &before);
	}
	dtb_free(&before);
}

static int fuzz_setup(void **state)
{
	struct fuzz *fz = calloc(1, sizeof(*fz));

	assert_non_null(fz);
	fz->c = coeffs_new();
	fz->cpus = dtcpus_new();
	fz->checks = checks_new();
	fz->view = calloc(EDITS_MAX, sizeof(*fz->view));
	fz->sink = fopen("/dev/null", "w");
	assert_true(fz->c && fz->cpus && fz->checks && fz->view && fz->sink);
	fz->c->cluster_count = 1;
	strcpy(fz->c->clusters[0].name, "a7");
	strcpy(fz->c->clusters[0].match.compatible, "arm,cortex-a7");
	fz->c->clusters[0].dpc_uw_per_mhz_v2 = 90;
	compile("cat", "-p 32", &fz->sound);
	*state = fz;
	return 0;
}

static int fuzz_teardown(void **state)
{
	struct fuzz *fz = *state;

	dtb_free(&fz->sound);
	fclose(fz->sink);
	free(fz->view);
	checks_free(fz->checks);
	dtcpus_free(fz->cpus);
	coeffs_free(fz->c);
	free(fz);
	return 0;
}

#define FUZZ_ROUNDS 6000

static void damaged_trees_never_crash_the_editor(void **state)
{
	struct fuzz *fz = *state;
	uint32_t rng = 20260101;
	char *copy = malloc(fz->sound.file.len);

	assert_non_null(copy);
	for (unsigned int round = 0; round < FUZZ_ROUNDS; round++) {
		unsigned int flips = 1 + next_random(&rng) % 4;
		size_t size = fz->sound.file.len;

		memcpy(copy, fz->sound.file.data, size);
		while (flips--) {
			/* Half of them in the header and the first nodes. */
			size_t at = next_random(&rng) %
				    (next_random(&rng) & 1 ? size : 256);

			copy[at] ^= 1u << next_random(&rng) % 8;
		}
		if (!(round % 16))
			size = next_random(&rng) % size;
		try_all(fz, copy, size);
	}
	free(copy);
	/* The loop means nothing if all were refused, or none. */
	assert_true(fz->edited > FUZZ_ROUNDS / 20);
	assert_true(fz->edited < FUZZ_ROUNDS - FUZZ_ROUNDS / 20);
}

/* Random bytes behind a sound header: the structure block is noise made of tokens. */
static void random_tokens_never_crash_the_editor(void **state)
{
	struct fuzz *fz = *state;
	uint32_t rng = 4711;
	struct dtb_layout l;
	char *copy = malloc(fz->sound.file.len);

	assert_non_null(copy);
	assert_int_equal(dtb_layout(&fz->sound, &l, NULL), 0);
	for (unsigned int round = 0; round < FUZZ_ROUNDS / 3; round++) {
		unsigned int hits = 1 + next_random(&rng) % 8;

		memcpy(copy, fz->sound.file.data, fz->sound.file.len);
		while (hits--) {
			size_t cell = next_random(&rng) % (l.structure_size / 4);
			uint32_t token = next_random(&rng) % 10;

			fdt32_st(copy + l.structure + 4 * cell, token);
		}
		try_all(fz, copy, fz->sound.file.len);
	}
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_property_follows_the_capacity_or_comes_last),
		cmocka_unit_test(a_new_name_is_appended_to_the_strings_once),
		cmocka_unit_test(the_end_of_a_longer_name_will_do),
		cmocka_unit_test(a_node_without_properties_gets_its_first),
		cmocka_unit_test(version_16_is_edited_and_stays_16),
		cmocka_unit_test(version_16_with_names_past_its_strings_is_refused),
		cmocka_unit_test(other_versions_are_refused),
		cmocka_unit_test(blocks_in_another_order_stay_in_it),
		cmocka_unit_test(blocks_that_overlap_are_refused),
		cmocka_unit_test(one_bad_edit_stops_them_all),
		cmocka_unit_test(two_nodes_of_one_name_are_refused),
		cmocka_unit_test(bytes_after_the_tree_are_read_past_and_not_edited),
		cmocka_unit_test(the_comparer_sees_any_byte_that_differs),
		cmocka_unit_test(the_comparer_wants_every_edit_and_no_other),
		cmocka_unit_test_setup_teardown(damaged_trees_never_crash_the_editor,
						fuzz_setup, fuzz_teardown),
		cmocka_unit_test_setup_teardown(random_tokens_never_crash_the_editor,
						fuzz_setup, fuzz_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
