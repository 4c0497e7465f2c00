// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Of how many regulators the voltages of an OPP table are. The binding has three cells
 * for <target min max> of one and for the targets of three alike; the kernel's driver
 * knows how many it asks for (opp_parse_supplies(), drivers/opp/of.c), a tree does not
 * say it.
 */
#include "lib/dtcpus_internal.h"

#include <string.h>

#include <libfdt.h>

#define MAX_REGULATORS 31

/* What is possible: bit N for N regulators. */
struct guess {
	uint32_t mask;
	bool no_triplets; /* a middle number is above the first, or the last below it */
};

static bool starts_with(const char *name, const char *start)
{
	size_t n = strlen(start);

	return !strncmp(name, start, n) && (!name[n] || name[n] == '-');
}

static uint32_t bit(int count)
{
	return count > 0 && count <= MAX_REGULATORS ? UINT32_C(1) << count : 0;
}

static void use_voltage(struct guess *g, const fdt32_t *cells, int count)
{
	g->mask &= bit(count) | (count % 3 ? 0 : bit(count / 3));
	for (int i = 0; i + 2 < count; i += 3)
		if (fdt32_ld(&cells[i + 1]) > fdt32_ld(&cells[i]) ||
		    fdt32_ld(&cells[i + 2]) < fdt32_ld(&cells[i]))
			g->no_triplets = true;
}

static void use_opp(struct guess *g, const void *blob, int opp)
{
	const char *name;
	int prop, len;

	fdt_for_each_property_offset(prop, blob, opp)
	{
		const void *value = fdt_getprop_by_offset(blob, prop, &name, &len);

		if (!value)
			continue;
		if (starts_with(name, "opp-microvolt"))
			use_voltage(g, value, len / 4);
		/* One for each, never three. */
		else if (starts_with(name, "opp-microwatt") ||
			 starts_with(name, "opp-microamp"))
			g->mask &= bit(len / 4);
	}
}

/* NAME-supply of a node. */
static unsigned int count_supplies(const void *blob, const char *path)
{
	int node = fdt_path_offset(blob, path), prop;
	unsigned int count = 0;
	const char *name;

	fdt_for_each_property_offset(prop, blob, node)
	{
		const char *end;

		if (!fdt_getprop_by_offset(blob, prop, &name, NULL))
			continue;
		end = strrchr(name, '-');
		count += end && !strcmp(end, "-supply");
	}
	return count;
}

/* Of the CPU node that has the most of them: others may leave it to the first. */
static unsigned int most_supplies(const void *blob, const struct dtcpus *d,
				  const struct dt_domain *dom)
{
	unsigned int most = 0;

	for (unsigned int i = 0; i < d->cpu_count; i++) {
		const struct dt_cpu *cpu = &d->cpus[i];
		unsigned int n;

		if (cpu->opp_phandle != d->cpus[dom->cpus[0]].opp_phandle)
			continue;
		n = count_supplies(blob, cpu->path);
		most = n > most ? n : most;
	}
	return most;
}

/*
 * Two counts are possible at most, one three times the other. The CPU nodes may name more
 * supplies than their driver sets voltages of, but not fewer.
 */
static unsigned int choose(const struct guess *g, unsigned int supplies)
{
	unsigned int low = 1, high = MAX_REGULATORS;

	while (low < MAX_REGULATORS && !(g->mask & bit(low)))
		low++;
	while (high > low && !(g->mask & bit(high)))
		high--;
	if (low == high || supplies < high)
		return low;
	return g->no_triplets ? high : 0;
}

void dtcpus_count_regulators(const void *blob, const struct dtcpus *d,
			     struct dt_domain *dom)
{
	struct guess g = { .mask = UINT32_MAX };
	int table = fdt_path_offset(blob, dom->opp_path), opp;

	dom->supplies = most_supplies(blob, d, dom);
	fdt_for_each_subnode(opp, blob, table)
	{
		if (dtcpus_enabled(blob, opp))
			use_opp(&g, blob, opp);
	}
	dom->regulators_differ = !g.mask;
	if (g.mask == UINT32_MAX)
		dom->regulators = 1;
	else
		dom->regulators = g.mask ? choose(&g, dom->supplies) : 0;
}
