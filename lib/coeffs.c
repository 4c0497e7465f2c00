// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coeffs.json in memory, and which CPU nodes a cluster means.
 */
#include "lib/coeffs.h"

#include <stdlib.h>
#include <string.h>

struct coeffs *coeffs_new(void)
{
	return calloc(1, sizeof(struct coeffs));
}

void coeffs_free(struct coeffs *c)
{
	free(c);
}

static bool has_compatible(const struct coeffs_match *m, const char *const compatibles[],
			   unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(compatibles[i], m->compatible))
			return true;
	return false;
}

static bool has_reg(const struct coeffs_match *m, uint64_t reg)
{
	for (unsigned int i = 0; i < m->reg_count; i++)
		if (m->reg[i] == reg)
			return true;
	return false;
}

static bool has_path(const struct coeffs_match *m, const char *path)
{
	for (unsigned int i = 0; i < m->path_count; i++)
		if (!strcmp(m->paths[i], path))
			return true;
	return false;
}

bool coeffs_match_cpu(const struct coeffs_match *m, const char *path,
		      const char *const compatibles[], unsigned int ncompatibles,
		      uint64_t reg)
{
	if (!m->compatible[0] && !m->reg_count && !m->path_count)
		return false;
	if (m->compatible[0] && !has_compatible(m, compatibles, ncompatibles))
		return false;
	if (m->reg_count && !has_reg(m, reg))
		return false;
	return !m->path_count || has_path(m, path);
}
