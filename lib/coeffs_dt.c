// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Match the clusters of coeffs.json with the CPUs of a device tree.
 */
#include "lib/coeffs_dt.h"

#include <stdlib.h>
#include <string.h>

bool coeffs_dt_match(const struct coeffs_match *m, const struct dtcpus *d,
		     const struct dt_cpu *cpu)
{
	const struct coeffs_cpu facts = {
		.path = cpu->path,
		.opp_path = cpu->domain < 0 ? NULL : d->domains[cpu->domain].opp_path,
		.map_path = cpu->map_path[0] ? cpu->map_path : NULL,
		.compatibles = cpu->compatibles,
		.compatible_count = cpu->compatible_count,
		.has_reg = true,
		.reg = cpu->reg,
	};

	return coeffs_match_cpu(m, &facts);
}

static char *label_path(const void *blob, const char *label)
{
	const char *path = blob ? dtcpus_label(blob, label) : NULL;

	return path ? strdup(path) : NULL;
}

int coeffs_dt_labels(struct coeffs *c, const void *blob, struct err *err)
{
	return coeffs_resolve_labels(c, label_path, blob, err);
}
