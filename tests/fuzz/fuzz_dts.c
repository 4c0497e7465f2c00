// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source from anywhere: refused with a reason, or edited; all lines but those of the edit
 * are as they were, what was edited reads again and says what was asked for, and a second
 * edit finds nothing to do. What follows a NUL byte is a second file, "b.dtsi",
 * which the first may include.
 */
#include <errno.h>
#include <string.h>

#include "fdtedit/changes.h"
#include "fdtedit/dts.h"
#include "fdtedit/dts_set.h"
#include "fdtedit/edits.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/lines.h"

#define MAX_PLACES 8 /* more are not told apart line by line: it takes too long */

struct target {
	struct coeffs *c;
	struct edits edits, before;
	bool capacity; /* is written as well */
	char board[4096], included[4096];
};

static struct target *target(void)
{
	static struct target *t;
	const char *dir = getenv("FUZZ_DIR"); /* a folder of its own, best in memory */

	if (t)
		return t;
	fuzz_assert(dir);
	t = calloc(1, sizeof(*t));
	fuzz_assert(t);
	t->c = fuzz_coeffs();
	snprintf(t->board, sizeof(t->board), "%s/a.dts", dir);
	snprintf(t->included, sizeof(t->included), "%s/b.dtsi", dir);
	return t;
}

static void put(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	fuzz_assert(f && fwrite(data, 1, len, f) == len && !fclose(f));
}

static int plan(struct target *t, const struct dts *d, struct err *err)
{
	const struct edit_cpu *cpus;
	size_t count;

	cpus = dts_cpus(d, &count);
	return edits_plan(t->c, cpus, count, false, &t->edits, err);
}

/* Returns whether any text is another now. */
static bool put_outputs(const struct dts *d, size_t edits)
{
	bool other = false;
	struct dts_output o;

	for (size_t i = 0; !dts_output(d, i, &o); i++) {
		struct text old = { o.old_text, o.old_len },
			    new = { o.new_text, o.new_len };

		if (edits <= MAX_PLACES)
			fuzz_assert(lines_differ_by(old, new, o.changed ? edits : 0));
		if (!o.changed)
			continue;
		other |= old.len != new.len || memcmp(old.data, new.data, old.len);
		put(o.path, o.new_text, o.new_len);
	}
	return other;
}

/* The text for cpp, before and after: what was read once can be read again. */
static void flatten(const struct dts *d, bool new)
{
	struct buf out = { 0 };
	struct err err = { "" };
	int ret = dts_flatten(d, new, &out, &err);

	if (ret && ret != -EFBIG)
		fprintf(stderr, "%s\n", err.msg);
	fuzz_assert(!ret || ret == -EFBIG);
	buf_free(&out);
}

/* Where an edit was, the value is there now. */
static void check_values(const struct dts *d, const struct edits *edits)
{
	const struct edit_cpu *cpus;
	size_t count;

	cpus = dts_cpus(d, &count);
	for (unsigned int i = 0; i < edits->count; i++) {
		const struct edit *e = &edits->list[i];
		bool found = false;

		for (size_t k = 0; k < count; k++)
			found |= !strcmp(cpus[k].path, e->path) && cpus[k].has_value &&
				 cpus[k].value == e->value;
		fuzz_assert(found);
	}
}

/* The edits, for after the source that their paths point into is gone. */
static void keep(struct target *t)
{
	t->before = t->edits;
	for (unsigned int i = 0; i < t->before.count; i++) {
		t->before.list[i].path = strdup(t->before.list[i].path);
		fuzz_assert(t->before.list[i].path);
	}
}

static void drop(struct target *t)
{
	for (unsigned int i = 0; i < t->before.count; i++)
		free((char *)t->before.list[i].path);
	t->before.count = 0;
}

/* As apply does, what stands beside the coefficient comes first. */
static bool apply(struct target *t, struct dts *d, const struct edits *asked,
		  struct err *err)
{
	const struct dts_opts all = { .all_files = true, .force = true };
	struct changes capacities = { 0 };
	int ret = 0;

	for (unsigned int i = 0; t->capacity && i < asked->count; i++)
		fuzz_assert(!changes_set_u32(&capacities, asked->list[i].path,
					     "capacity-dmips-mhz", 378, NULL, NULL));
	if (capacities.count)
		ret = dts_change(d, &capacities, &all, err);
	changes_free(&capacities);
	return !ret && !dts_apply(d, &t->edits, &all, err);
}

/* @before: the edits of the time before, or NULL */
static bool edit(struct target *t, const struct edits *before, struct err *err)
{
	struct dts *d;
	bool done = false, other;

	if (dts_open(t->board, NULL, 0, true, &d, err))
		return false;
	for (size_t i = 0; dts_note(d, i); i++)
		fuzz_assert(dts_note(d, i)[0]);
	if (before)
		check_values(d, before);
	if (!plan(t, d, err) && apply(t, d, before ? before : &t->edits, err)) {
		flatten(d, false);
		flatten(d, true);
		other = put_outputs(d, d->edit_count);
		fuzz_assert(!before || !other);
		done = true;
	}
	if (done && !before)
		keep(t);
	dts_free(d);
	return done;
}

static void edit_again(struct target *t)
{
	struct err err = { "" };

	if (!edit(t, &t->before, &err))
		fprintf(stderr, "second edit: %s\n", err.msg);
	fuzz_assert(!err.msg[0]);
	fuzz_assert(!t->edits.count);
}

static void try_edit(struct target *t, const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, '\0', size);
	size_t first = nul ? (size_t)(nul - data) : size;
	struct err err = { "" };

	put(t->board, data, first);
	put(t->included, data + first + !!nul, size - first - !!nul);
	if (!edit(t, NULL, &err))
		fuzz_assert(err.msg[0]);
	else if (t->before.count)
		edit_again(t);
	drop(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target *t = target();

	t->capacity = false;
	try_edit(t, data, size);
	t->capacity = true;
	try_edit(t, data, size);
	return 0;
}
