// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A compiled tree from anywhere: refused with a reason, or edited; the result is sound,
 * differs by what was asked for, and a second edit finds nothing to do.
 */
#include <string.h>

#include "fdtedit/dtb.h"
#include "fdtedit/dtb_diff.h"
#include "fdtedit/edits.h"
#include "fdtedit/show.h"
#include "fdtedit/value.h"
#include "models/checks.h"
#include "tests/fuzz/fuzz.h"

struct target {
	struct coeffs *c;
	struct dtcpus *cpus;
	struct checks *checks;
	struct edit_cpu view[EDITS_MAX];
	struct edits edits;
	FILE *sink;
};

/* Kept for the next input: making them takes longer than using them. */
static struct target *target(void)
{
	static struct target *t;

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	fuzz_assert(t);
	t->c = fuzz_coeffs();
	t->cpus = dtcpus_new();
	t->checks = checks_new();
	t->sink = fopen("/dev/null", "w");
	fuzz_assert(t->cpus && t->checks && t->sink);
	return t;
}

/* All differences are edits, and none is missing. */
static int count_edit(const struct diff *d, void *arg)
{
	const struct edits *edits = &target()->edits;
	struct buf text = { 0 };
	bool asked = false;

	fuzz_assert(d->kind == DIFF_PROPERTY && d->in_new);
	fuzz_assert(!value_format(d->new, d->new_len, 40, &text));
	buf_free(&text);
	for (unsigned int i = 0; i < edits->count; i++)
		asked |= !strcmp(d->path, edits->list[i].path) &&
			 !strcmp(d->name, edits->list[i].property);
	fuzz_assert(asked);
	++*(unsigned int *)arg;
	return 0;
}

static int plan(struct target *t, const struct dtb *dtb, struct err *err)
{
	int ret = dtb_read_cpus(dtb, t->cpus, err);

	if (ret)
		return ret;
	dtb_view(t->cpus, t->view);
	return edits_plan(t->c, t->view, t->cpus->cpu_count, false, &t->edits, err);
}

static void show(struct target *t)
{
	const struct checks_input in = { .d = t->cpus };
	const struct show s = { .file = "x", .d = t->cpus, .checks = t->checks };

	checks_run(&in, t->checks);
	show_text(&s, t->sink);
	fuzz_assert(!show_json(&s, t->sink, NULL));
	rewind(t->sink);
}

static void edit(struct target *t, const struct dtb *before)
{
	struct dtb after = { 0 };
	struct err err = { "" };
	unsigned int differences = 0;

	if (dtb_edit(before, &t->edits, &after, &err)) {
		fuzz_assert(err.msg[0]);
		return;
	}
	fuzz_assert(!dtcpus_check_blob(after.file.data, after.file.len, &err));
	if (!dtb_diff(before, &after, count_edit, &differences, &err))
		fuzz_assert(differences == t->edits.count);
	fuzz_assert(!plan(t, &after, &err));
	fuzz_assert(!t->edits.count);
	dtb_free(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target *t = target();
	struct dtb before = { 0 };
	struct err err = { "" };

	if (dtb_from_memory(data, size, &before, &err)) {
		fuzz_assert(err.msg[0]);
	} else if (plan(t, &before, &err)) {
		fuzz_assert(err.msg[0]);
	} else {
		show(t);
		edit(t, &before);
	}
	dtb_free(&before);
	return 0;
}
