// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coeffs.json in memory, and which CPU nodes a cluster means.
 */
#include "lib/coeffs.h"

#include <errno.h>
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

bool coeffs_is_path_of(const char *path, const struct coeffs_cpu *cpu)
{
	static const char map[] = "/cpus/cpu-map";
	size_t n = strlen(path);

	if (!strcmp(path, cpu->path) || (cpu->opp_path && !strcmp(path, cpu->opp_path)))
		return true;
	return cpu->map_path && !strncmp(path, map, strlen(map)) &&
	       !strncmp(path, cpu->map_path, n) &&
	       (!cpu->map_path[n] || cpu->map_path[n] == '/');
}

static bool has_path(const struct coeffs_match *m, const struct coeffs_cpu *cpu)
{
	for (unsigned int i = 0; i < m->path_count; i++)
		if (coeffs_is_path_of(m->paths[i], cpu))
			return true;
	return false;
}

bool coeffs_match_cpu(const struct coeffs_match *m, const struct coeffs_cpu *cpu)
{
	if (!m->compatible[0] && !m->reg_count && !m->path_count)
		return false;
	if (m->compatible[0] &&
	    !has_compatible(m, cpu->compatibles, cpu->compatible_count))
		return false;
	if (m->reg_count && !(cpu->has_reg && has_reg(m, cpu->reg)))
		return false;
	return !m->path_count || has_path(m, cpu);
}

int coeffs_resolve_labels(struct coeffs *c,
			  char *(*path_of)(const void *arg, const char *label),
			  const void *arg, struct err *err)
{
	for (unsigned int i = 0; i < c->cluster_count; i++) {
		struct coeffs_match *m = &c->clusters[i].match;

		for (unsigned int k = 0; k < m->path_count; k++) {
			char *text = m->paths[k], *path;

			if (text[0] != '&')
				continue;
			path = path_of(arg, text + 1);
			if (!path || strlen(path) >= sizeof(m->paths[k])) {
				free(path);
				return err_set(err, -ENOENT,
					       "cluster '%s': no label '%s' is known (in "
					       "a compiled tree they are after dtc -@)",
					       c->clusters[i].name, text + 1);
			}
			strcpy(text, path);
			free(path);
		}
	}
	return 0;
}
