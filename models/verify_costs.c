// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why performance, cost or the mark of a state is not what we compute.
 */
#include "models/verify_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the kernel's own powers give, state by state as the kernel's. */
struct costs {
	struct em_state ours[EM_SHOWN_MAX_STATES];   /* with our capacity */
	struct em_state theirs[EM_SHOWN_MAX_STATES]; /* with the kernel's */
	uint32_t capacity;			     /* the kernel's; 0: as ours */
	uint32_t left; /* capacity whose marks are left; 0: no such thing */
};

static bool same_numbers(const struct em_shown_state *k, const struct em_state *o)
{
	return (!k->has_cost || k->cost == o->cost) &&
	       (!k->has_performance || k->performance == o->performance);
}

static bool same(const struct em_shown_state *k, const struct em_state *o)
{
	return same_numbers(k, o) &&
	       (!k->has_inefficient || k->inefficient == o->inefficient);
}

/*
 * The marks are those of @now and those of another capacity together: from v6.9 on the
 * model is made before the clocks are known, and again when they are, and the second time
 * takes no mark back (em_table_dup(), em_compute_costs()).
 */
static bool is_left(const struct verify_domain *d, uint32_t capacity,
		    const struct em_state *now)
{
	struct em_state first[EM_SHOWN_MAX_STATES];
	unsigned int i;

	if (!capacity || verify_costs(d, capacity, true, first, NULL))
		return false;
	for (i = 0; i < d->kernel->state_count; i++) {
		const struct em_shown_state *k = &d->kernel->states[i];

		if (!k->has_inefficient ||
		    k->inefficient != (now[i].inefficient || first[i].inefficient))
			return false;
	}
	return true;
}

static bool compute(const struct verify_input *in, const struct verify_domain *d,
		    struct costs *c)
{
	const struct em_shown_state *top = &d->kernel->states[d->kernel->state_count - 1];

	memset(c, 0, sizeof(*c));
	if (verify_costs(d, d->capacity, true, c->ours, NULL))
		return false;
	memcpy(c->theirs, c->ours, sizeof(c->theirs));
	if (d->by_clock)
		return true;
	if (top->performance != d->capacity && top->performance <= UINT32_MAX &&
	    !verify_costs(d, top->performance, true, c->theirs, NULL))
		c->capacity = top->performance;
	if (is_left(d, in->capacity_first, c->theirs))
		c->left = in->capacity_first;
	else if (is_left(d, 1024, c->theirs))
		c->left = 1024;
	return true;
}

static const char *what_differs(const struct verify_state *s, char *text, size_t size)
{
	const struct em_shown_state *k = &s->kernel;
	const struct em_state *o = &s->ours;

	if (k->has_performance && k->performance != o->performance)
		snprintf(text, size, "performance %" PRIu64 ", ours %" PRIu64,
			 k->performance, o->performance);
	else if (k->has_cost && k->cost != o->cost)
		snprintf(text, size, "cost %" PRIu64 ", ours %" PRIu64, k->cost, o->cost);
	else
		snprintf(text, size, "inefficient %s, ours %s",
			 k->inefficient ? "yes" : "no", o->inefficient ? "yes" : "no");
	return text;
}

/* The state's power is ours. */
static void explain(const struct verify_domain *d, const struct costs *c, unsigned int i,
		    struct verify_state *s)
{
	char what[96];

	if (same(&s->kernel, &s->ours))
		return;
	what_differs(s, what, sizeof(what));
	if (same(&s->kernel, &c->ours[i])) {
		verify_differs(s, "follows", "%s: follows from the powers that differ",
			       what);
	} else if (c->capacity && same(&s->kernel, &c->theirs[i])) {
		verify_differs(s, "capacity", "%s: as by capacity %u, the tree gives %u",
			       what, c->capacity, d->capacity);
	} else if (c->left && same_numbers(&s->kernel, &s->ours)) {
		s->cause = "mark-left";
		snprintf(s->why, sizeof(s->why),
			 "marked when the capacity was %u; this kernel takes no mark "
			 "back",
			 c->left);
	} else {
		verify_differs(s, "not-explained", "%s: not explained", what);
	}
}

/* The power differs, and has been explained: does the rest follow from it? */
static void check_rest(const struct costs *c, unsigned int i, struct verify_state *s)
{
	size_t used = strlen(s->why);

	if (same_numbers(&s->kernel, &c->ours[i]) ||
	    same_numbers(&s->kernel, &c->theirs[i]))
		return;
	snprintf(s->why + used, sizeof(s->why) - used,
		 "; its cost or performance does not follow from its power");
}

static void note_capacity(const struct verify_input *in, struct verify_domain *d,
			  const struct costs *c)
{
	if (!c->capacity)
		return;
	verify_item(d, "capacity", false,
		    "the model is of capacity %u, the tree gives %u%s", c->capacity,
		    d->capacity,
		    in->capacity_now == c->capacity
			    ? ", and the kernel's cpu_capacity is as its model"
			    : "; cpu_capacity may have been written, or clocks were not "
			      "known in time");
}

void verify_explain_cost(const struct verify_input *in, struct verify_domain *d)
{
	struct costs c;
	unsigned int i, n = 0;

	if (!d->has_costs || d->unit == EM_ABSTRACT || !compute(in, d, &c))
		return;
	note_capacity(in, d, &c);
	for (i = 0; i < d->state_count; i++) {
		struct verify_state *s = &d->states[i];

		if (!s->in_kernel)
			continue;
		if (s->differs)
			check_rest(&c, n, s);
		else
			explain(d, &c, n, s);
		n++;
	}
}
