// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One cycle counter per loaded CPU, kernel and other tasks included.
 */
#include "calib/linux/cycles.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_counter(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.pinned = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

void cycles_open(struct cycles *cy, const unsigned int *cpus, unsigned int ncpus)
{
	unsigned int i;

	memset(cy, 0, sizeof(*cy));
	for (i = 0; i < ncpus && i < BOARD_MAX_CPUS; i++) {
		cy->fds[i] = open_counter(cpus[i]);
		if (cy->fds[i] < 0) {
			cycles_close(cy);
			return;
		}
		cy->count++;
	}
}

int cycles_read(const struct cycles *cy, uint64_t each[BOARD_MAX_CPUS])
{
	struct {
		uint64_t value, enabled_ns, running_ns;
	} now;
	unsigned int i;

	if (!cy->count)
		return -ENOENT;
	for (i = 0; i < cy->count; i++) {
		/* A pinned counter that lost its place reads as end of file. */
		if (read(cy->fds[i], &now, sizeof(now)) != sizeof(now) ||
		    now.running_ns != now.enabled_ns)
			return -EIO;
		each[i] = now.value;
	}
	return 0;
}

void cycles_close(struct cycles *cy)
{
	while (cy->count)
		close(cy->fds[--cy->count]);
}
