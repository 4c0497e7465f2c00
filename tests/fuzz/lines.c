// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare two texts line by line.
 */
#include "tests/fuzz/lines.h"

#include <string.h>

#define MAX_JOINED 40 /* lines of one value that became one number */

static size_t line_length(struct text t)
{
	const char *nl = t.len ? memchr(t.data, '\n', t.len) : NULL;

	return nl ? (size_t)(nl - t.data) + 1 : t.len;
}

static struct text next_line(struct text t)
{
	size_t len = line_length(t);

	return (struct text){ t.data + len, t.len - len };
}

static bool same_line(struct text a, struct text b)
{
	size_t len = line_length(a);

	return len == line_length(b) && !memcmp(a.data, b.data, len);
}

bool lines_differ_by(struct text old, struct text new, unsigned int edits)
{
	struct text rest;

	while (old.len && new.len && same_line(old, new)) {
		old = next_line(old);
		new = next_line(new);
	}
	if (!old.len && !new.len)
		return true;
	if (!edits)
		return false;
	/* One more line; or one instead of none (it went), of one, of several. */
	if (new.len && lines_differ_by(old, next_line(new), edits - 1))
		return true;
	if (old.len && lines_differ_by(next_line(old), new, edits - 1))
		return true;
	rest = old;
	for (int i = 0; new.len &&rest.len &&i < MAX_JOINED; i++) {
		rest = next_line(rest);
		if (lines_differ_by(rest, next_line(new), edits - 1))
			return true;
	}
	return false;
}
