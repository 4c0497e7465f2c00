/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads: small kernels that keep one CPU busy each and count what they did.
 */
#ifndef CALIB_LOADS_LOADS_H
#define CALIB_LOADS_LOADS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct load_kernel {
	const char *name;
	const char *help; /* one line */
	/*
	 * One unit of work on @mem (LOAD_MEM bytes, private to the thread, set up by
	 * load_mem_init()). Calls no library and no other kernel. Returns a number that
	 * depends on all the work, so that no compiler drops it; the same @mem and @seed
	 * give the same number everywhere.
	 */
	uint64_t (*unit)(void *mem, uint64_t seed);
};

#define LOAD_MEM 8192 /* fits every L1 data cache */

/* In the order they are listed; NULL past the end. */
const struct load_kernel *load_at(size_t i);
/* NULL and -EINVAL's message naming the known loads when there is no such load. */
const struct load_kernel *load_find(const char *name, struct err *err);
void load_mem_init(void *mem);

struct loads;

/*
 * loads_start - one thread per CPU, pinned to it, running @kernel until loads_stop()
 *
 * Returns once every thread runs on its CPU. 0; -EINVAL naming the CPU that cannot be
 * used (offline, or kept from us by a cpuset); -ENOMEM, -EAGAIN. On failure nothing
 * runs.
 */
int loads_start(const struct load_kernel *kernel, const unsigned int *cpus,
		unsigned int ncpus, struct loads **out, struct err *err);
/* Units done by all threads so far. */
uint64_t loads_work(const struct loads *loads);
/* CPU time that all threads have had. */
uint64_t loads_time_ns(const struct loads *loads);
/* Units done by thread @i, and the CPU it last ran on. */
uint64_t loads_thread_work(const struct loads *loads, unsigned int i, int *cpu);
/* Stops and frees; takes NULL. */
void loads_stop(struct loads *loads);

#endif
