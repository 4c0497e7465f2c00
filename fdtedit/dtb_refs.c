// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follow the phandles of two trees.
 */
#include "fdtedit/dtb_refs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/dtb_diff.h"
#include "fdtedit/grow.h"
#include "fdtedit/refs.h"
#include "lib/buf.h"

struct owner {
	uint32_t phandle;
	char *path;
};

/* One of the trees. */
struct side {
	const void *blob;
	struct refs refs;     /* by node, property and place */
	struct owner *owners; /* by phandle */
	size_t count, cap;
};

struct dtb_refs {
	struct side old, new;
};

static int add_owner(struct side *s, int node, const char *path)
{
	uint32_t phandle = fdt_get_phandle(s->blob, node);
	char *copy;

	if (!phandle || phandle == UINT32_MAX)
		return 0;
	copy = strdup(path);
	if (!copy || grow(&s->owners, &s->cap, s->count, sizeof(*s->owners))) {
		free(copy);
		return -ENOMEM;
	}
	s->owners[s->count++] = (struct owner){ phandle, copy };
	return 0;
}

static int by_phandle(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return (x->phandle > y->phandle) - (x->phandle < y->phandle);
}

static int list_owners(struct side *s)
{
	size_t ends[DIFF_MAX_DEPTH + 1] = { 0 };
	struct buf path = { 0 };
	int depth = 0, ret = 0;

	for (int node = 0; !ret && node >= 0 && depth >= 0;
	     node = fdt_next_node(s->blob, node, &depth)) {
		if (depth > DIFF_MAX_DEPTH) {
			ret = -ERANGE;
			break;
		}
		path.len = depth ? ends[depth - 1] : 0;
		if (depth)
			ret = buf_addf(&path, "/%s", fdt_get_name(s->blob, node, NULL));
		ends[depth] = path.len;
		if (!ret)
			ret = add_owner(s, node, depth ? path.data : "/");
	}
	buf_free(&path);
	if (s->count)
		qsort(s->owners, s->count, sizeof(*s->owners), by_phandle);
	return ret;
}

static int by_place(const void *a, const void *b)
{
	const struct ref *x = a, *y = b;
	int name = x->from == y->from ? strcmp(x->property, y->property) : 0;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return name ? name : (x->at > y->at) - (x->at < y->at);
}

static int read_side(struct side *s, const void *blob, struct err *err)
{
	int ret;

	s->blob = blob;
	ret = list_owners(s);
	if (ret == -ERANGE)
		return err_set(err, ret, "nodes are nested deeper than %d",
			       DIFF_MAX_DEPTH);
	if (ret)
		return err_errno(err, ret, "list of phandles");
	ret = refs_read(blob, &s->refs, err);
	if (!ret && s->refs.count)
		qsort(s->refs.list, s->refs.count, sizeof(*s->refs.list), by_place);
	return ret;
}

static void free_side(struct side *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->owners[i].path);
	free(s->owners);
	refs_free(&s->refs);
}

int dtb_refs_new(const void *old, const void *new, struct dtb_refs **out, struct err *err)
{
	struct dtb_refs *r = calloc(1, sizeof(*r));
	int ret = r ? read_side(&r->old, old, err)
		    : err_errno(err, -ENOMEM, "list of phandles");

	if (!ret)
		ret = read_side(&r->new, new, err);
	if (ret)
		dtb_refs_free(r);
	*out = ret ? NULL : r;
	return ret;
}

void dtb_refs_free(struct dtb_refs *r)
{
	if (!r)
		return;
	free_side(&r->old);
	free_side(&r->new);
	free(r);
}

/* The path of the node that has the phandle; NULL: none. */
static const char *find_path(const struct side *s, fdt32_t cell)
{
	const struct owner key = { .phandle = fdt32_to_cpu(cell) };
	const struct owner *found = NULL;

	if (s->count)
		found = bsearch(&key, s->owners, s->count, sizeof(key), by_phandle);
	return found ? found->path : NULL;
}

static bool is_reference(const struct side *s, const struct dtb_refs_place *p, int node,
			 size_t cell)
{
	const struct ref key = { .from = node,
				 .property = p->property,
				 .at = 4 * (int)cell };

	return s->refs.count &&
	       bsearch(&key, s->refs.list, s->refs.count, sizeof(key), by_place);
}

enum dtb_refs_verdict dtb_refs_compare(const struct dtb_refs *r,
				       const struct dtb_refs_place *p, const void *old,
				       const void *new, size_t len, const char **from,
				       const char **to)
{
	const fdt32_t *a = old, *b = new;
	bool same = true, maybe = true;

	if (len % 4)
		return REFS_UNKNOWN;
	for (size_t i = 0; i < len / 4; i++) {
		const char *before = find_path(&r->old, a[i]);
		const char *after = find_path(&r->new, b[i]);
		bool known = is_reference(&r->old, p, p->old, i) &&
			     is_reference(&r->new, p, p->new, i);
		bool one = before && after && !strcmp(before, after);

		if (known && !one) {
			*from = before;
			*to = after;
			return REFS_OTHER;
		}
		/* Where one number is known to be a phandle the others are known not to.
		 */
		maybe &= !known && (one || a[i] == b[i]);
		same &= known || a[i] == b[i];
	}
	if (same)
		return REFS_SAME;
	return maybe ? REFS_MAYBE : REFS_UNKNOWN;
}
