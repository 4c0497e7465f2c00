// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare two texts line by line: which pairs of places in them can be reached from their
 * starts with so many edits?
 */
#include "tests/fuzz/lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#define MAX_PAIRS (1u << 20)

struct lines {
	const char **start; /* one more than there are lines */
	size_t count;
};

/* Places, as line numbers, that were reached with some number of edits. */
struct search {
	struct lines old, new;
	bool *seen; /* by pair() */
	struct place {
		size_t old, new;
	} * list;
	size_t count;
};

static struct lines cut(struct text t)
{
	struct lines l = { .start = calloc(t.len + 1, sizeof(*l.start)) };
	const char *end = t.data + t.len;

	fuzz_assert(l.start);
	for (const char *p = t.data; p < end; l.count++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		l.start[l.count] = p;
		p = nl ? nl + 1 : end;
	}
	l.start[l.count] = end;
	return l;
}

static bool same_line(const struct search *s, size_t old, size_t new)
{
	size_t len = (size_t)(s->old.start[old + 1] - s->old.start[old]);

	return len == (size_t)(s->new.start[new + 1] - s->new.start[new]) &&
	       !memcmp(s->old.start[old], s->new.start[new], len);
}

/* As far as the texts go on the same way from there. */
static void reach(struct search *s, size_t old, size_t new)
{
	bool *seen;

	if (old > s->old.count || new > s->new.count)
		return;
	while (old < s->old.count && new < s->new.count && same_line(s, old, new)) {
		old++;
		new ++;
	}
	seen = &s->seen[old * (s->new.count + 1) + new];
	if (*seen)
		return;
	*seen = true;
	s->list[s->count++] = (struct place){ old, new };
}

/* One edit more: lines that went, or one line in place of any number of them. */
static void edit_once(struct search *s)
{
	size_t reached = s->count;

	for (size_t i = 0; i < reached; i++) {
		struct place p = s->list[i];

		for (size_t old = p.old; old <= s->old.count; old++) {
			reach(s, old, p.new);
			reach(s, old, p.new + 1);
		}
	}
}

static bool search(struct search *s, unsigned int edits)
{
	bool *end = &s->seen[(s->old.count + 1) * (s->new.count + 1) - 1];

	reach(s, 0, 0);
	for (unsigned int i = 0; i < edits && !*end; i++)
		edit_once(s);
	return *end;
}

bool lines_differ_by(struct text old, struct text new, unsigned int edits)
{
	struct search s = { .old = cut(old), .new = cut(new) };
	size_t pairs = (s.old.count + 1) * (s.new.count + 1);
	bool differ_so = true;

	if (pairs <= MAX_PAIRS) {
		s.seen = calloc(pairs, sizeof(*s.seen));
		s.list = calloc(pairs, sizeof(*s.list));
		fuzz_assert(s.seen && s.list);
		differ_so = search(&s, edits);
	}
	free(s.seen);
	free(s.list);
	free(s.old.start);
	free(s.new.start);
	return differ_so;
}
