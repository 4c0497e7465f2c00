// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The problem that a fit for several CPU counts ended in, for what looks at it later.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/mixed.h"
#include "models/problem.h"

static const char *const names[COL_MAX] = {
	[COL_C] = "dynamic",
	[COL_D] = "shared-clock",
	[COL_D0] = "idle-clock",
	[COL_LEAK] = "leakage",
	[COL_GROWTH] = "leakage-growth",
	[COL_OHM] = "rail-resistance",
	[COL_CONST] = "constant",
};

static void keep_row(const struct mixed *f, size_t from, struct power_problem *p,
		     size_t to)
{
	const struct power_row *r = &f->d->rows[f->row[from]];

	memcpy(&p->x[to * p->cols], &f->x[from * f->cols], f->cols * sizeof(double));
	p->y[to] = f->y[from];
	p->w[to] = f->w[from];
	p->celsius[to] = r->celsius;
	p->busy[to] = r->busy;
	p->fv2[to] = r->fv2;
	p->group[to] = f->group[from];
	p->opp[to] = r->opp;
	p->count[to] = r->count;
	p->sample[to] = r->index;
}

/* Assembles all rows, so that also those are kept that the fit rejected. */
static int keep_all(struct mixed *f, const bool *rejected, struct power_problem *p)
{
	size_t i, to = 0;
	int pass, c;

	mixed_assemble(f);
	if (problem_alloc(p, f->n, f->cols))
		return -ENOMEM;
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < f->n; i++)
			if (rejected[f->row[i]] == (pass > 0))
				keep_row(f, i, p, to++);
		if (!pass)
			p->n = to;
	}
	for (c = 0; c < COL_MAX; c++)
		if (f->has[c])
			snprintf(p->names[f->col[c]], sizeof(p->names[0]), "%s",
				 names[c]);
	if (f->has[COL_CONST])
		p->constant = f->col[COL_CONST];
	p->groups = mixed_group_count(f);
	p->opps = f->d->opp_count;
	p->var_visit = f->var_visit;
	return 0;
}

int mixed_keep(struct mixed *f, struct power_problem *p)
{
	bool *rejected = f->rejected;
	int ret;

	f->rejected = calloc(f->d->row_count + 1, sizeof(bool));
	ret = f->rejected ? keep_all(f, rejected, p) : -ENOMEM;
	free(f->rejected);
	f->rejected = rejected;
	mixed_assemble(f);
	return ret;
}
