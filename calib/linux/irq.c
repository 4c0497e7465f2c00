// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/irq/N/smp_affinity_list. The state takes care of putting them back.
 */
#include "calib/linux/irq.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/cpulist.h"

#define ONLINE	 "/sys/devices/system/cpu/online"
#define MAX_IRQS 1024
/* The state has other things to hold. */
#define MAX_SAVED (STATE_MAX / 2)

static bool has(const unsigned int *cpus, unsigned int n, unsigned int cpu)
{
	for (unsigned int i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

/* Those of the list @text that are not in @cpus, into @left. How many; all: in @count. */
static unsigned int without(const char *text, const unsigned int *cpus,
			    unsigned int ncpus, unsigned int left[CPULIST_MAX],
			    int *count)
{
	unsigned int all[CPULIST_MAX], n = 0;

	*count = cpulist_parse(text, all, CPULIST_MAX);
	for (int i = 0; i < *count; i++)
		if (!has(cpus, ncpus, all[i]))
			left[n++] = all[i];
	return n;
}

/* The online CPUs that are not measured. */
static unsigned int others(const struct sysfs *sys, const unsigned int *cpus,
			   unsigned int ncpus, unsigned int left[CPULIST_MAX])
{
	char text[SYSFS_TEXT];
	int count;

	if (sysfs_read(sys, ONLINE, text, sizeof(text), NULL))
		return 0;
	return without(text, cpus, ncpus, left, &count);
}

bool irq_nowhere_else(const struct sysfs *sys, const unsigned int *cpus,
		      unsigned int ncpus)
{
	unsigned int left[CPULIST_MAX];
	char text[SYSFS_TEXT];
	int count;

	return !sysfs_read(sys, ONLINE, text, sizeof(text), NULL) &&
	       !without(text, cpus, ncpus, left, &count) && count > 0;
}

void irq_save(struct state *st, const unsigned int *cpus, unsigned int ncpus)
{
	unsigned int irqs[MAX_IRQS], left[CPULIST_MAX], saved = 0;
	char path[SYSFS_PATH], text[SYSFS_TEXT];
	int n, count;

	if (!others(st->sys, cpus, ncpus, left))
		return;
	n = sysfs_indices(st->sys, STATE_IRQS, "", irqs, MAX_IRQS, NULL);
	for (int i = 0; i < n && saved < MAX_SAVED; i++) {
		snprintf(path, sizeof(path), STATE_IRQS "%u/smp_affinity_list", irqs[i]);
		if (sysfs_read(st->sys, path, text, sizeof(text), NULL))
			continue;
		if (without(text, cpus, ncpus, left, &count) != (unsigned int)count &&
		    count > 0)
			saved += !state_save(st, path, NULL);
	}
}

/* It was not moved: can it come to one of @cpus? The kernel tells where it really goes.
 */
static bool disturbs(const struct sysfs *sys, unsigned int irq, const unsigned int *cpus,
		     unsigned int ncpus)
{
	static const char *const names[] = { "effective_affinity_list",
					     "smp_affinity_list" };
	unsigned int left[CPULIST_MAX];
	char path[SYSFS_PATH], text[SYSFS_TEXT];
	int count;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), STATE_IRQS "%u/%s", irq, names[i]);
		if (sysfs_read(sys, path, text, sizeof(text), NULL) || !text[0])
			continue;
		return without(text, cpus, ncpus, left, &count) != (unsigned int)count;
	}
	return true;
}

unsigned int irq_move(struct state *st, const unsigned int *cpus, unsigned int ncpus,
		      unsigned int *stayed, unsigned int max)
{
	unsigned int left[CPULIST_MAX], elsewhere[CPULIST_MAX], n_stayed = 0;
	unsigned int nelse = others(st->sys, cpus, ncpus, elsewhere);
	char text[SYSFS_TEXT];
	int count;

	for (unsigned int i = 0; i < st->count; i++) {
		const struct state_item *item = &st->items[i];
		unsigned int n, irq;

		if (sscanf(item->path, STATE_IRQS "%u/", &irq) != 1)
			continue;
		n = without(item->text, cpus, ncpus, left, &count);
		cpulist_format(n ? left : elsewhere, n ? n : nelse, text, sizeof(text));
		if (!sysfs_write(st->sys, item->path, text, NULL) ||
		    !disturbs(st->sys, irq, cpus, ncpus))
			continue;
		if (n_stayed < max)
			stayed[n_stayed] = irq;
		n_stayed++;
	}
	return n_stayed;
}
