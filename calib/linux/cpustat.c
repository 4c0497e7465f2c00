// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cpuN lines of /proc/stat: "cpu3 user nice system idle iowait ...", in clock ticks.
 */
#include "calib/linux/cpustat.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/num.h"

#define FIELD_IDLE   4
#define FIELD_IOWAIT 5

/* Idle ticks of a "cpuN ..." line; -EINVAL when it is no such line. */
static int parse_line(char *line, uint32_t *cpu, uint64_t *ticks)
{
	char *save, *word = strtok_r(line, " \n", &save);
	uint64_t value;
	int field;

	if (!word || strncmp(word, "cpu", 3) != 0 || num_u32(word + 3, cpu))
		return -EINVAL;
	*ticks = 0;
	for (field = 1; field <= FIELD_IOWAIT; field++) {
		word = strtok_r(NULL, " \n", &save);
		if (!word || num_u64(word, &value))
			return -EINVAL;
		if (field >= FIELD_IDLE)
			*ticks += value;
	}
	return 0;
}

static bool is_member(const unsigned int *cpus, unsigned int ncpus, uint32_t cpu)
{
	unsigned int i;

	for (i = 0; i < ncpus; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

int cpustat_idle_ns(const struct sysfs *sys, const unsigned int *cpus, unsigned int ncpus,
		    uint64_t *idle_ns, struct err *err)
{
	char real[PATH_MAX], line[512];
	uint64_t ticks, sum = 0;
	unsigned int found = 0;
	uint32_t cpu;
	FILE *f;
	int ret;

	ret = sysfs_real(sys, "/proc/stat", real, sizeof(real), err);
	if (ret)
		return ret;
	f = fopen(real, "re");
	if (!f)
		return err_errno(err, -errno, "/proc/stat");
	while (found < ncpus && fgets(line, sizeof(line), f)) {
		if (parse_line(line, &cpu, &ticks) || !is_member(cpus, ncpus, cpu))
			continue;
		sum += ticks;
		found++;
	}
	fclose(f);
	if (found < ncpus)
		return err_set(err, -ENOENT, "/proc/stat does not list %u of the %u CPUs",
			       ncpus - found, ncpus);
	*idle_ns = sum * cpustat_tick_ns();
	return 0;
}

uint64_t cpustat_tick_ns(void)
{
	return UINT64_C(1000000000) / sysconf(_SC_CLK_TCK);
}
