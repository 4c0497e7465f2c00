/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads: small kernels that keep one CPU busy each and count what they did.
 */
#ifndef CALIB_LOADS_LOADS_H
#define CALIB_LOADS_LOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/* What one CPU finds, in bytes. */
struct load_caches {
	size_t l1d;
	size_t l2;   /* its share, where several CPUs have one */
	size_t last; /* the largest cache it can reach, whole */
};

struct load_kernel {
	const char *name;
	const char *help;      /* one line */
	const char *unit_name; /* what its work counts: "4 KiB read and written" */
	/* It stays in the core: its rate goes with the clock alone. */
	bool in_core;
	/* Bytes of memory that a thread needs. */
	size_t (*size)(const struct load_caches *caches);
	void (*init)(void *mem, size_t size);
	/*
	 * One unit of work on @mem (private to the thread, set up by init()). Calls no
	 * library and no other kernel. Returns a number that depends on all the work, so
	 * that no compiler drops it; the same @mem, @size and @seed give the same number
	 * everywhere. NULL: sleeps.
	 */
	uint64_t (*unit)(void *mem, size_t size, uint64_t seed);
	/* What this machine must have, and whether it has it; NULL: nothing special. */
	const char *needs;
	bool (*usable)(void);
};

#define LOAD_MEM_SMALL 8192 /* fits every L1 data cache */

/* In the order they are listed; NULL past the end. */
const struct load_kernel *load_at(size_t i);
/* NULL and -EINVAL's message naming the known loads when there is no such load. */
const struct load_kernel *load_find(const char *name, struct err *err);
/* Taken where the machine does not tell. */
struct load_caches load_usual_caches(void);

struct loads;

/*
 * loads_start - one thread per CPU, pinned to it, running @kernel until loads_stop()
 * @caches: of these CPUs; NULL: the usual ones
 *
 * Each thread has memory of its own, which it allocates on its CPU and frees in the end.
 * Returns once every thread runs on its CPU with its memory set up. 0; -EINVAL naming the
 * CPU that cannot be used (offline, or kept from us by a cpuset); -ENOMEM, also when the
 * threads' memory would be more than half of the machine's; -EAGAIN; -ENOTSUP when the
 * CPU has not what @kernel needs. On failure nothing
 * runs.
 */
int loads_start(const struct load_kernel *kernel, const struct load_caches *caches,
		const unsigned int *cpus, unsigned int ncpus, struct loads **out,
		struct err *err);
/* Units done by all threads so far. */
uint64_t loads_work(const struct loads *loads);
/* Has thread @i lost its CPU? So it does when that goes offline; another program may have
 * taken it, too. */
bool loads_lost_cpu(const struct loads *loads, unsigned int i);
/* CPU time that all threads have had. */
uint64_t loads_time_ns(const struct loads *loads);
/* Units done by thread @i, and the CPU it last ran on. */
uint64_t loads_thread_work(const struct loads *loads, unsigned int i, int *cpu);
/* Stops and frees; takes NULL. */
void loads_stop(struct loads *loads);

#endif
