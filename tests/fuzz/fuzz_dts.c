// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source from anywhere: refused with a reason, or edited; what was edited reads again and
 * a second edit finds nothing to do. What follows a NUL byte is a second file, "b.dtsi",
 * which the first may include.
 */
#include <string.h>

#include "fdtedit/dts.h"
#include "fdtedit/edits.h"
#include "tests/fuzz/fuzz.h"

struct target {
	struct coeffs *c;
	struct edits edits;
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

static void put_outputs(const struct dts *d)
{
	struct dts_output o;

	for (size_t i = 0; !dts_output(d, i, &o); i++) {
		fuzz_assert(o.changed || o.new_len == o.old_len);
		if (o.changed)
			put(o.path, o.new_text, o.new_len);
	}
}

static bool edit(struct target *t, struct err *err)
{
	const struct dts_opts all = { .all_files = true, .force = true };
	struct dts *d;
	bool done = false;

	if (dts_open(t->board, NULL, 0, &d, err))
		return false;
	for (size_t i = 0; dts_note(d, i); i++)
		fuzz_assert(dts_note(d, i)[0]);
	if (!plan(t, d, err) && !dts_apply(d, &t->edits, &all, err)) {
		put_outputs(d);
		done = true;
	}
	dts_free(d);
	return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target *t = target();
	const uint8_t *nul = memchr(data, '\0', size);
	size_t first = nul ? (size_t)(nul - data) : size;
	struct err err = { "" };

	put(t->board, data, first);
	put(t->included, data + first + !!nul, size - first - !!nul);
	if (!edit(t, &err)) {
		fuzz_assert(err.msg[0]);
	} else if (t->edits.count) {
		if (!edit(t, &err))
			fprintf(stderr, "second edit: %s\n", err.msg);
		fuzz_assert(!err.msg[0]);
		fuzz_assert(!t->edits.count);
	}
	return 0;
}
