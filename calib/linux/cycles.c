// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One cycle counter per loaded CPU, kernel and other tasks included.
 */
#include "calib/linux/cycles.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MISSED 1000 /* up to this part of the time */

/*
 * Where kinds of cores differ each has its own PMU, but the kernel needs no type of it in
 * the upper half of config: for an event that is bound to a CPU it asks one PMU after the
 * other, and each declines CPUs that are not its own (perf_init_event(), and event_init()
 * of arm_pmu and of x86). Kernels before 5.13, and 6.6 on Arm, refuse such a type.
 *
 * Nothing is excluded: a CPU's event needs the same right with and without
 * exclude_kernel, the kernel's cycles are cycles, and some PMUs cannot exclude.
 */
static int open_counter(uint32_t type, uint64_t config, unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.pinned = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1,
			 PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 || errno != EINVAL)
		return fd;
	/* Linux before 3.14 does not know the flag; boards still run it. */
	fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, 0);
	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

void cycles_open(struct cycles *cy, const unsigned int *cpus, unsigned int ncpus)
{
	cycles_open_event(cy, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, cpus, ncpus);
}

void cycles_open_event(struct cycles *cy, uint32_t type, uint64_t config,
		       const unsigned int *cpus, unsigned int ncpus)
{
	unsigned int i;

	memset(cy, 0, sizeof(*cy));
	for (i = 0; i < ncpus && i < BOARD_MAX_CPUS; i++) {
		cy->fds[i] = open_counter(type, config, cpus[i]);
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
		/* A pinned counter that lost its place reads as end of file. It takes no
		 * turns with others, so there is nothing to scale up; what it missed
		 * while one was added beside it is far below what a clock is judged by.
		 */
		if (read(cy->fds[i], &now, sizeof(now)) != sizeof(now) ||
		    now.running_ns < now.enabled_ns - now.enabled_ns / MISSED)
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
