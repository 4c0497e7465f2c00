// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cache sizes from sysfs.
 */
#include "calib/linux/caches.h"

#include <stdio.h>
#include <string.h>

#include "lib/cpulist.h"
#include "lib/num.h"

#define MAX_INDEX 16

struct cache {
	uint32_t level;
	size_t size;
	unsigned int sharing; /* CPUs; at least 1 */
};

/* "32K", as the kernel prints it. */
static int parse_size(char *text, size_t *size)
{
	size_t len = strlen(text);
	uint32_t kib;

	if (!len || text[len - 1] != 'K')
		return -1;
	text[len - 1] = '\0';
	if (num_u32(text, &kib) || !kib || kib > UINT32_MAX / 1024)
		return -1;
	*size = (size_t)kib * 1024;
	return 0;
}

static const char *attr(unsigned int cpu, unsigned int index, const char *name,
			char path[SYSFS_PATH])
{
	snprintf(path, SYSFS_PATH, "/sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu,
		 index, name);
	return path;
}

/* A data or unified cache whose level and size are told. */
static bool read_cache(const struct sysfs *sys, unsigned int cpu, unsigned int index,
		       struct cache *c)
{
	unsigned int cpus[CPULIST_MAX];
	char path[SYSFS_PATH], text[SYSFS_TEXT];
	int n;

	if (sysfs_read(sys, attr(cpu, index, "type", path), text, sizeof(text), NULL) ||
	    (strcmp(text, "Data") && strcmp(text, "Unified")) ||
	    sysfs_read_u32(sys, attr(cpu, index, "level", path), &c->level, NULL) ||
	    sysfs_read(sys, attr(cpu, index, "size", path), text, sizeof(text), NULL) ||
	    parse_size(text, &c->size))
		return false;
	c->sharing = 1;
	if (!sysfs_read(sys, attr(cpu, index, "shared_cpu_list", path), text,
			sizeof(text), NULL)) {
		n = cpulist_parse(text, cpus, CPULIST_MAX);
		c->sharing = n > 1 ? n : 1;
	}
	return true;
}

void caches_read(const struct sysfs *sys, unsigned int cpu, struct load_caches *caches)
{
	uint32_t last = 1;
	unsigned int i;
	struct cache c;

	*caches = load_usual_caches();
	for (i = 0; i < MAX_INDEX; i++) {
		if (!read_cache(sys, cpu, i, &c))
			continue;
		if (c.level == 1)
			caches->l1d = c.size / c.sharing;
		if (c.level == 2)
			caches->l2 = c.size / c.sharing;
		if (c.level > last) {
			last = c.level;
			caches->last = c.size;
		}
	}
}
