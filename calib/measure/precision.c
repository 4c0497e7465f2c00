// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How precisely the rows so far tell C. Looking often and stopping at the first narrow
 * interval would favour intervals that are narrow by chance: the error goes down with the
 * square root of the visits, so the next look is when half of the missing ones are made.
 */
#include "calib/measure/precision.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/power.h"

/* An interval of fewer degrees of freedom is often narrow by chance. */
#define DOF_SURE 4

int precision_add(struct precision *p, const struct sample *row, struct err *err)
{
	if (strcmp(row->cluster, p->cluster))
		return 0;
	if (p->count == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 256;
		struct sample *rows = realloc(p->rows, cap * sizeof(*rows));

		if (!rows)
			return err_set(err, -ENOMEM, "out of memory for %zu rows", cap);
		p->rows = rows;
		p->cap = cap;
	}
	p->rows[p->count++] = *row;
	return 0;
}

static int fit(const struct precision *p, const char *load, struct power_fit *f,
	       struct err *err)
{
	const struct power_select sel = { .cluster = p->cluster, .load = load };
	const struct power_method *method;
	struct power_data d;
	char why[256];
	int ret;

	ret = power_data_init(&d, p->rows, p->count, &sel, err);
	if (ret)
		return ret;
	ret = power_choose(&d, &method, why, sizeof(why), err);
	if (!ret)
		ret = power_fit_with(method, &d, f, err);
	power_data_free(&d);
	if (!ret && !(f->c > 0))
		ret = err_set(err, -EDOM, "C comes out as %.3g", f->c);
	if (!ret && !isfinite(f->se))
		ret = err_set(err, -EDOM, "the rows leave no error to state");
	return ret;
}

/* That all rows stand for; a fit of one CPU count does not ask for them. */
static unsigned int count_visits(const struct precision *p, const struct plan *plan)
{
	/* of a visit */
	size_t windows = plan->visit_count ? plan->count / plan->visit_count : 1;

	return (p->count + windows - 1) / windows;
}

void precision_look(struct precision *p, const struct plan *plan)
{
	p->half = 0;
	p->dof = 0;
	p->load = "";
	p->known = false;
	err_set(&p->err, -ENODATA, "load '%s' tells no C", PLAN_LOAD_IDLE);
	for (unsigned int i = 0; i < plan->load_count; i++) {
		struct power_fit f;
		double half;

		/* Sleeping threads. */
		if (!strcmp(plan->loads[i], PLAN_LOAD_IDLE))
			continue;
		p->known = true;
		if (fit(p, plan->loads[i], &f, &p->err)) {
			p->known = false;
			break;
		}
		half = (f.ci95[1] - f.ci95[0]) / 2 / f.c;
		if (half < p->half)
			continue;
		p->half = half;
		p->dof = f.dof;
		p->load = plan->loads[i];
		p->visits = f.visits ? f.visits : count_visits(p, plan);
	}
}

unsigned int precision_missing(const struct precision *p)
{
	if (!p->known || p->half <= p->target)
		return 0;
	return ceil(fmin(p->visits * (pow(p->half / p->target, 2) - 1), 1e6));
}

bool precision_reached(struct precision *p, const struct plan *plan, unsigned int visits)
{
	unsigned int missing, step;
	bool sure;

	if (visits < p->next)
		return false;
	precision_look(p, plan);
	missing = precision_missing(p);
	step = (missing + 1) / 2;
	sure = p->dof >= DOF_SURE || p->narrow;
	p->narrow = p->known && !missing;
	/* To be narrow once more, with half as many visits again. */
	if (p->narrow && !sure) {
		p->next = visits + (visits + 1) / 2;
		return false;
	}
	/* With few degrees of freedom an interval narrows faster than that. */
	p->next = visits + (step < 3 * visits ? step : 3 * visits);
	return !missing;
}

void precision_free(struct precision *p)
{
	free(p->rows);
	p->rows = NULL;
	p->count = p->cap = 0;
}
