// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of loads, and how much memory each takes.
 */
#include "calib/loads/kernels.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calib/loads/loads.h"

#define KIB 1024u
#define MIB (1024u * KIB)

/* System-level caches of a few MiB are not told by the kernel. */
#define MEMORY_MIN (32 * MIB)
#define MEMORY_MAX (256 * MIB)

static size_t size_small(const struct load_caches *caches)
{
	(void)caches;
	return LOAD_MEM_SMALL;
}

static size_t size_l1(const struct load_caches *caches)
{
	return caches->l1d / 2;
}

/* Well out of the first level, well within the second. */
static size_t size_l2(const struct load_caches *caches)
{
	return caches->l2 / 2 > 2 * caches->l1d ? caches->l2 / 2 : 2 * caches->l1d;
}

static size_t size_memory(const struct load_caches *caches)
{
	if (caches->last < MEMORY_MIN / 4)
		return MEMORY_MIN;
	return caches->last > MEMORY_MAX / 4 ? MEMORY_MAX : 4 * caches->last;
}

static void init_small(void *mem, size_t size)
{
	memset(mem, 0, size);
}

static const struct load_kernel kernels[] = {
	{ "int", "integer mix in L1: hashing, lists, strings, branches, matrices",
	  "rounds of the mix", true, size_small, load_int_init, load_int_unit },
	{ "float", "floating point, each step waits for the one before",
	  "512 steps of a recurrence", true, size_small, init_small, load_float_unit },
	{ "simd", "multiply and add on vectors of four floats; 32-bit Arm needs NEON",
	  "2048 vector multiply-adds", true, size_small, init_small, load_simd_unit,
	  "NEON", load_simd_usable },
	{ "branchy", "branches that no predictor gets right", "512 branches", true,
	  size_small, init_small, load_branchy_unit },
	{ "l1", "stream through half of the L1 data cache", "4 KiB read and written",
	  true, size_l1, load_stream_init, load_stream_unit },
	{ "l2", "stream through half of the L2 cache", "4 KiB read and written", false,
	  size_l2, load_stream_init, load_stream_unit },
	{ "dram", "stream through memory, 4 times the last cache",
	  "4 KiB read and written", false, size_memory, load_stream_init,
	  load_stream_unit },
	{ "chase", "one read from memory after the other, 4 times the last cache",
	  "256 reads", false, size_memory, load_chase_init, load_chase_unit },
	{ "spin", "busy wait for a flag", "1024 looks", true, size_small, init_small,
	  load_spin_unit },
	{ "idle", "sleeping threads: what loading by itself costs", "none", false,
	  size_small, init_small, NULL },
};

#define KERNELS (sizeof(kernels) / sizeof(kernels[0]))

struct load_caches load_usual_caches(void)
{
	return (struct load_caches){ 32 * KIB, 128 * KIB, 2 * MIB };
}

const struct load_kernel *load_at(size_t i)
{
	return i < KERNELS ? &kernels[i] : NULL;
}

const struct load_kernel *load_find(const char *name, struct err *err)
{
	char known[256] = "";
	size_t i, len = 0;

	for (i = 0; i < KERNELS; i++) {
		if (!strcmp(kernels[i].name, name))
			return &kernels[i];
		len += snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
				kernels[i].name);
	}
	err_set(err, -EINVAL, "there is no load '%s'; known are %s", name, known);
	return NULL;
}
