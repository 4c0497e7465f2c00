// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The source editor's lower parts: tokens that cover every byte, statements, numbers; and
 * what happens to fixtures that were damaged at random.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fdtedit/dts.h"
#include "fdtedit/dts_lex.h"
#include "fdtedit/dts_set.h"
#include "fdtedit/dts_tree.h"
#include "lib/buf.h"

#define MUTATIONS 60 /* per fixture */
#define MAX_FILES 64

/* The fixtures, in a folder of our own that may be written. */
struct fixtures {
	char dir[64];
	char names[MAX_FILES][256];
	struct buf texts[MAX_FILES];
	unsigned int count;
	struct coeffs *coeffs;
};

static void file_path(const struct fixtures *fx, unsigned int i, char *out, size_t size)
{
	snprintf(out, size, "%s/%s", fx->dir, fx->names[i]);
}

static void write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

static void write_fixture(const struct fixtures *fx, unsigned int i, const char *text,
			  size_t len)
{
	char path[512];

	file_path(fx, i, path, sizeof(path));
	write_file(path, text, len);
}

static void set_coeffs(struct coeffs *c)
{
	c->cluster_count = 1;
	strcpy(c->clusters[0].name, "a7");
	strcpy(c->clusters[0].match.compatible, "arm,cortex-a7");
	c->clusters[0].dpc_uw_per_mhz_v2 = 90;
}

static int setup(void **state)
{
	struct fixtures *fx = calloc(1, sizeof(*fx));
	const char *top = getenv("TOP");
	char dir[512], path[1024];
	struct dirent *e;
	DIR *d;

	assert_non_null(fx);
	snprintf(dir, sizeof(dir), "%s/tests/data/dts", top ? top : ".");
	strcpy(fx->dir, "/tmp/test_dts-XXXXXX");
	assert_non_null(mkdtemp(fx->dir));
	d = opendir(dir);
	assert_non_null(d);
	while ((e = readdir(d))) {
		if (!strstr(e->d_name, ".dts"))
			continue;
		assert_true(fx->count < MAX_FILES);
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		snprintf(fx->names[fx->count], sizeof(fx->names[0]), "%s", e->d_name);
		assert_int_equal(
			buf_read_file(&fx->texts[fx->count], path, 1 << 20, NULL), 0);
		fx->count++;
	}
	closedir(d);
	assert_true(fx->count > 20);
	for (unsigned int i = 0; i < fx->count; i++)
		write_fixture(fx, i, fx->texts[i].data, fx->texts[i].len);
	fx->coeffs = coeffs_new();
	assert_non_null(fx->coeffs);
	set_coeffs(fx->coeffs);
	*state = fx;
	return 0;
}

static int teardown(void **state)
{
	struct fixtures *fx = *state;
	char path[512];

	for (unsigned int i = 0; i < fx->count; i++) {
		file_path(fx, i, path, sizeof(path));
		unlink(path);
		buf_free(&fx->texts[i]);
	}
	rmdir(fx->dir);
	coeffs_free(fx->coeffs);
	free(fx);
	return 0;
}

/* Tokens one after the other are the text, each not empty, lines counted. */
static void assert_lossless(const char *text, size_t len)
{
	struct dts_tokens t;
	uint32_t pos = 0, line = 1;

	assert_int_equal(dts_lex(text, len, &t), 0);
	for (size_t i = 0; i < t.count; i++) {
		assert_int_equal(t.list[i].start, pos);
		assert_true(t.list[i].end > pos);
		assert_int_equal(t.list[i].line, line);
		for (; pos < t.list[i].end; pos++)
			line += text[pos] == '\n';
	}
	assert_int_equal(pos, len);
	dts_tokens_free(&t);
}

/* Plan and apply; false when some step refuses, which it must say. */
static bool edit_file(const struct fixtures *fx, unsigned int file, struct dts **d,
		      struct edits *edits)
{
	struct err err = { "" };
	char path[512];
	const struct edit_cpu *cpus;
	size_t count;
	int ret;

	file_path(fx, file, path, sizeof(path));
	ret = dts_open(path, NULL, 0, true, d, &err);
	if (!ret) {
		cpus = dts_cpus(*d, &count);
		ret = edits_plan(fx->coeffs, cpus, count, true, edits, &err);
		if (!ret)
			ret = dts_apply(*d, edits, &(struct dts_opts){ true, true },
					&err);
	}
	assert_true(ret <= 0);
	if (ret)
		assert_string_not_equal(err.msg, "");
	return !ret;
}

/* Put the new texts in place, or the old ones back. */
static void write_outputs(const struct dts *d, bool new)
{
	struct dts_output o;

	for (size_t i = 0; !dts_output(d, i, &o); i++) {
		if (o.changed && new)
			write_file(o.path, o.new_text, o.new_len);
		else if (o.changed)
			write_file(o.path, o.old_text, o.old_len);
	}
}

/* An edit that went through leaves nothing to do for the next one. */
static bool assert_edits_once(const struct fixtures *fx, unsigned int file)
{
	struct edits *edits = calloc(1, sizeof(*edits));
	struct dts *d = NULL, *again = NULL;
	bool done;

	assert_non_null(edits);
	done = edit_file(fx, file, &d, edits);
	if (done) {
		write_outputs(d, true);
		if (!edit_file(fx, file, &again, edits) || edits->count) {
			print_error("%s: %u edits left\n", fx->names[file], edits->count);
			fail();
		}
		write_outputs(d, false);
	}
	dts_free(d);
	dts_free(again);
	free(edits);
	return done;
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Delete, copy or replace a piece, with a taste for what the grammar is made of. */
static void mutate(const struct buf *in, struct buf *out, uint64_t *seed)
{
	static const char *const bits[] = {
		"{",
		"}",
		";",
		"<",
		">",
		"=",
		"(",
		")",
		"\"",
		"'",
		"/*",
		"*/",
		"//",
		"\\\n",
		"\n#if 0\n",
		"\n#if X\n",
		"\n#else\n",
		"\n#endif\n",
		"\n#elif 1\n",
		"/delete-node/ ",
		"/include/ ",
		"&cpu0 {",
		"cpu@0 {",
		"\r\n",
		"\0",
		"\xff",
		"dynamic-power-coefficient = <7>;",
	};
	uint32_t pos = next_random(seed) % (in->len + 1);
	uint32_t left = in->len - pos, piece = next_random(seed) % 40;
	uint32_t from = next_random(seed) % (in->len + 1);
	const char *bit = bits[next_random(seed) % (sizeof(bits) / sizeof(bits[0]))];

	if (piece > left)
		piece = left;
	out->len = 0;
	assert_int_equal(buf_add(out, in->data, pos), 0);
	switch (next_random(seed) % 3) {
	case 0: /* delete */
		pos += piece;
		break;
	case 1: /* copy from elsewhere */
		assert_int_equal(buf_add(out, in->data + from,
					 piece < in->len - from ? piece : in->len - from),
				 0);
		break;
	default:
		assert_int_equal(buf_add(out, bit, *bit ? strlen(bit) : 1), 0);
	}
	assert_int_equal(buf_add(out, in->data + pos, in->len - pos), 0);
}

static void every_fixture_is_the_sum_of_its_tokens(void **state)
{
	const struct fixtures *fx = *state;

	for (unsigned int i = 0; i < fx->count; i++)
		assert_lossless(fx->texts[i].data, fx->texts[i].len);
	assert_lossless("", 0);
}

static void damaged_fixtures_are_refused_or_edited_once(void **state)
{
	const struct fixtures *fx = *state;
	uint64_t seed = 5422;
	unsigned int done = 0, total = 0;

	for (unsigned int i = 0; i < fx->count; i++) {
		struct buf text = { 0 };

		for (unsigned int n = 0; n < MUTATIONS; n++) {
			mutate(&fx->texts[i], &text, &seed);
			assert_lossless(text.data, text.len);
			if (!strstr(fx->names[i], ".dtsi")) {
				write_fixture(fx, i, text.data, text.len);
				done += assert_edits_once(fx, i);
				total++;
			}
		}
		buf_free(&text);
		write_fixture(fx, i, fx->texts[i].data, fx->texts[i].len);
	}
	/* Else this test tests nothing. */
	assert_true(done > total / 5);
	assert_true(done < total);
}

/* A change of a node or a property drawn at random; false: there is none. */
static bool draw_change(const struct dts *d, uint64_t *seed, struct changes *c)
{
	uint32_t number = next_random(seed) % 3 ? 4711 : 0x10;
	unsigned int kind = next_random(seed) % 4;
	const struct dts_event *e;
	char name[128] = "new-one";
	struct err err;
	int ret;

	if (!d->event_count)
		return false;
	e = &d->events[next_random(seed) % d->event_count];
	if (kind) {
		const struct dts_tree *t = dts_tree_of(d, e->inst);
		struct dts_span s = dts_item_of(d, e->inst, e->item)->name;

		snprintf(name, sizeof(name), "%.*s", (int)(s.end - s.start),
			 t->text + s.start);
	}
	/* The path of a node in a fragment goes by it. */
	if (!strcmp(name, "device_type"))
		return false;
	if (kind < 2)
		ret = changes_set_u32(c, e->path, name, number, NULL, &err);
	else if (kind == 2)
		ret = changes_delete(c, e->path, name, NULL, &err);
	else
		ret = changes_delete_node(c, e->path, NULL, &err);
	assert_int_equal(ret, 0);
	return true;
}

/* dts_read() and dts_change(); a refusal must say something. */
static int change_file(const char *path, const struct changes *c, struct dts **d)
{
	struct err err = { "" };
	int ret = dts_read(path, NULL, 0, d, &err);

	if (!ret)
		ret = dts_change(*d, c, &(struct dts_opts){ true, true }, &err);
	assert_true(ret <= 0);
	if (ret)
		assert_string_not_equal(err.msg, "");
	return ret;
}

/* Done once there is nothing left to do: the text stays, or nothing is to be deleted. */
static void assert_changed_once(const char *path, const struct changes *c)
{
	struct dts *d = NULL;
	struct dts_output o;
	int ret = change_file(path, c, &d);

	if (c->list[0].kind == CHANGE_SET) {
		assert_int_equal(ret, 0);
		for (size_t i = 0; !dts_output(d, i, &o); i++) {
			assert_int_equal(o.new_len, o.old_len);
			assert_memory_equal(o.new_text ? o.new_text : "",
					    o.old_text ? o.old_text : "", o.new_len);
		}
	} else {
		assert_int_equal(ret, -ENOENT);
	}
	dts_free(d);
}

/* Change the fixture as it is now; 1: done, 0: refused, -1: there is nothing in it. */
static int change_at_random(const char *path, uint64_t *seed)
{
	struct dts *d = NULL, *first = NULL;
	struct changes c = { 0 };
	struct err err;
	int done = -1;

	if (!dts_read(path, NULL, 0, &d, &err) && draw_change(d, seed, &c)) {
		done = !change_file(path, &c, &first);
		if (done) {
			write_outputs(first, true);
			assert_changed_once(path, &c);
			write_outputs(first, false);
		}
	}
	changes_free(&c);
	dts_free(first);
	dts_free(d);
	return done;
}

static void damaged_fixtures_are_refused_or_changed_once(void **state)
{
	const struct fixtures *fx = *state;
	unsigned int done = 0, refused = 0;
	uint64_t seed = 1602;

	for (unsigned int i = 0; i < fx->count; i++) {
		struct buf text = { 0 };
		char path[512];

		file_path(fx, i, path, sizeof(path));
		for (unsigned int n = 0; n < MUTATIONS; n++) {
			int ret;

			mutate(&fx->texts[i], &text, &seed);
			write_fixture(fx, i, text.data, text.len);
			ret = change_at_random(path, &seed);
			done += ret > 0;
			refused += !ret;
		}
		buf_free(&text);
		write_fixture(fx, i, fx->texts[i].data, fx->texts[i].len);
	}
	assert_true(done > refused);
	assert_true(refused > 0);
}

static void parse_fails_with(const char *text, size_t len, const char *want)
{
	struct err err = { "" };
	struct dts_tree t;

	assert_int_equal(dts_parse(text, len, "x.dts", &t, &err), -EINVAL);
	assert_string_equal(err.msg, want);
	dts_tree_free(&t);
}

static void source_that_does_not_balance_is_named_by_line(void **state)
{
	static const char *const cases[][2] = {
		{ "/ {\n\tcpus {\n\t};\n",
		  "x.dts:1: the '{' of node '/' is never closed" },
		{ "/ {\n};\n};\n", "x.dts:3: '}' closes nothing" },
		{ "/ {\n\ta = <1>\n};\n",
		  "x.dts:3: '}' inside a property's value: is a ';' missing before it?" },
		{ "/ {\n\ta = <1>\n\tb = <2>;\n};\n",
		  "x.dts:3: second '=' in one property: is a ';' missing before it?" },
		{ "/ {\n\ta = <1>\n\tb {\n\t};\n};\n",
		  "x.dts:3: '{' inside a property's value: is a ';' missing before it?" },
		{ "/ {\n\ta = /* none */ ;\n};\n",
		  "x.dts:2: '=' without a value after it" },
		{ "/ {\n\ta = <(1>;\n};\n",
		  "x.dts:2: a '(' before this is never closed" },
		{ "/ {\n\ta = <1;\n};\n", "x.dts:2: a '<' before this is never closed" },
		{ "/ {\n\ta = <1)>;\n};\n", "x.dts:2: ')' closes nothing" },
		{ "\n{ };\n", "x.dts:2: '{' without a node name before it" },
		{ "/ {\n#if A\n\tb {\n#else\n#endif\n\t};\n};\n",
		  "x.dts:5: the braces before this line do not balance as those of the "
		  "other branch of the #if in line 2 do" },
		{ "#ifdef A\n/ { };\n", "x.dts:1: this #if has no #endif" },
		{ "/ { };\n#endif\n", "x.dts:2: #endif without #if" },
		{ "#else\n", "x.dts:1: #else or #elif without #if" },
		{ "/ { };\n/* no end", "x.dts:2: this comment never ends" },
		{ "/ { a = \"b; };\n", "x.dts:1: this string never ends" },
		{ "/ { };\na = <1>", "x.dts:2: the file ends inside this property" },
		{ "\xff\xfe/", "'x.dts' is UTF-16; convert it to UTF-8 first" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		parse_fails_with(cases[i][0], strlen(cases[i][0]), cases[i][1]);
	parse_fails_with("/ {\n\0 };", 9,
			 "x.dts:2: the byte 0x00: this is not device-tree source");
}

static void conditions_nested_too_deep_are_refused(void **state)
{
	struct buf b = { 0 };
	struct err err = { "" };
	struct dts_tree t;

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_int_equal(buf_adds(&b, "#if A\n"), 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(buf_adds(&b, "#endif\n"), 0);
	assert_lossless(b.data, b.len);
	assert_int_equal(dts_parse(b.data, b.len, "x.dts", &t, &err), -ERANGE);
	assert_string_equal(err.msg, "x.dts:65: more than 64 #if inside each other");
	dts_tree_free(&t);
	buf_free(&b);
}

static void nodes_nested_too_deep_are_refused(void **state)
{
	struct buf b = { 0 };
	struct err err = { "" };
	struct dts_tree t;

	(void)state;
	for (int i = 0; i < 100000; i++)
		assert_int_equal(buf_adds(&b, "a {\n"), 0);
	assert_int_equal(dts_parse(b.data, b.len, "x.dts", &t, &err), -ERANGE);
	assert_string_equal(err.msg, "x.dts:257: more than 256 nodes inside each other");
	dts_tree_free(&t);
	buf_free(&b);
}

static void kind_is(const char *text, enum dts_kind kind, const char *first)
{
	struct dts_tokens t;

	assert_int_equal(dts_lex(text, strlen(text), &t), 0);
	assert_true(t.count > 0);
	assert_int_equal(t.list[0].kind, kind);
	assert_int_equal(t.list[0].end, strlen(first));
	dts_tokens_free(&t);
}

static void tokens_are_what_dtc_and_cpp_make_of_them(void **state)
{
	(void)state;
	kind_is("#cooling-cells = <2>;", DTS_WORD, "#cooling-cells");
	kind_is("#include-cells = <2>;", DTS_WORD, "#include-cells");
	kind_is("#  define A { \\\n } /* \n */ b\nc", DTS_DIRECTIVE,
		"#  define A { \\\n } /* \n */ b");
	kind_is("#include <a/*b.h>\nc */", DTS_DIRECTIVE, "#include <a/*b.h>\nc */");
	kind_is("# 12 \"x.dts\"\n", DTS_DIRECTIVE, "# 12 \"x.dts\"");
	kind_is("\"a\\\"b\\\\\" c", DTS_STRING, "\"a\\\"b\\\\\"");
	kind_is("'\\'' x", DTS_CHAR, "'\\''");
	kind_is("'\"' x", DTS_CHAR, "'\"'");
	kind_is("' x", DTS_PUNCT, "'");
	kind_is("&{/soc/cpu@0} x", DTS_REF, "&{/soc/cpu@0}");
	kind_is("&cpu0{", DTS_REF, "&cpu0");
	kind_is("& A", DTS_PUNCT, "&");
	kind_is("/delete-node/ x", DTS_KEYWORD, "/delete-node/");
	kind_is("/{", DTS_PUNCT, "/");
	kind_is("// a \\\n b\nc", DTS_COMMENT, "// a \\\n b");
	kind_is("/* https:// */ x", DTS_COMMENT, "/* https:// */");
	kind_is("\\ \r\nx", DTS_SPLICE, "\\ \r\n");
	kind_is("\xef\xbb\xbf/", DTS_BOM, "\xef\xbb\xbf");
	kind_is("\"no end", DTS_BAD, "\"no end");
}

static void numbers_are_whole_or_refused(void **state)
{
	static const char *const bad[] = {
		"",    "x",  "0x", "12a", "089",
		"1UU", "-1", "1u", "0xg", "18446744073709551616"
	};
	struct dts_number n;

	(void)state;
	assert_int_equal(dts_number("100", 3, &n), 0);
	assert_true(n.value == 100 && n.base == 10);
	assert_int_equal(dts_number("0x00Ff", 6, &n), 0);
	assert_true(n.value == 255 && n.base == 16 && n.upper && n.digits == 4);
	assert_int_equal(dts_number("017UL", 5, &n), 0);
	assert_true(n.value == 15 && n.base == 8 && n.suffix_len == 2);
	assert_int_equal(dts_number("0", 1, &n), 0);
	assert_int_equal(dts_number("18446744073709551615", 20, &n), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(dts_number(bad[i], strlen(bad[i]), &n), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fixture_is_the_sum_of_its_tokens),
		cmocka_unit_test(damaged_fixtures_are_refused_or_edited_once),
		cmocka_unit_test(damaged_fixtures_are_refused_or_changed_once),
		cmocka_unit_test(source_that_does_not_balance_is_named_by_line),
		cmocka_unit_test(conditions_nested_too_deep_are_refused),
		cmocka_unit_test(nodes_nested_too_deep_are_refused),
		cmocka_unit_test(tokens_are_what_dtc_and_cpp_make_of_them),
		cmocka_unit_test(numbers_are_whole_or_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
