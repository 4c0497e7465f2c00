// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An energy model as the kernels of each generation build and show it.
 */
#include "models/em_built.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The costs; -EINVAL: the kernel would refuse the table. */
static int build(const struct checks_domain *c, unsigned int release,
		 struct em_state *states)
{
	bool mw = release < EM_RELEASE(6, 0);
	bool fine = release >= EM_RELEASE(5, 15) && mw;

	if (mw ? !c->has_v56 : !c->has_current)
		return -EINVAL;
	memcpy(states, mw ? c->v56 : c->current, c->state_count * sizeof(*states));
	if (release < EM_RELEASE(5, 9) || release >= EM_RELEASE(6, 9))
		return 0;
	return em_by_clock(states, c->state_count, fine ? 1000 : 1, NULL);
}

static void show_domain(const struct dt_domain *dom, unsigned int release,
			struct em_shown *out)
{
	out->cap_states = release < EM_RELEASE(5, 9);
	snprintf(out->name, sizeof(out->name), "%s%u", out->cap_states ? "pd" : "cpu",
		 dom->cpus[0]);
	memcpy(out->cpus, dom->cpus, sizeof(out->cpus));
	out->cpu_count = dom->cpu_count;
	out->has_flags = release >= EM_RELEASE(5, 16);
	out->flags = out->has_flags ? EM_FLAG_WATTS : 0;
	if (release >= EM_RELEASE(5, 11) && !out->has_flags)
		strcpy(out->units, "milliWatts");
}

unsigned int em_built(const struct dtcpus *d, const struct checks *c,
		      unsigned int release, struct em_shown *shown)
{
	struct em_state states[DTCPUS_MAX_OPPS];
	unsigned int i, k, n = 0;

	for (i = 0; i < d->domain_count && n < EM_SHOWN_MAX_DOMAINS; i++) {
		struct em_shown *out = &shown[n];

		if (build(&c->domains[i], release, states))
			continue;
		memset(out, 0, sizeof(*out));
		show_domain(&d->domains[i], release, out);
		out->state_count = c->domains[i].state_count;
		for (k = 0; k < out->state_count; k++)
			out->states[k] = (struct em_shown_state){
				.khz = states[k].khz,
				.power = states[k].power,
				.has_cost = true,
				.cost = states[k].cost,
				.has_performance = release >= EM_RELEASE(6, 9),
				.performance = states[k].performance,
				.has_inefficient = out->has_flags,
				.inefficient = states[k].inefficient,
			};
		n++;
	}
	return n;
}
