/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each kernel comes to, whatever the compiler and the machine. Used by test_loads.c
 * and by tests/cli/loads.bats, which builds the kernels again with other compilers.
 */
#ifndef TESTS_UNIT_LOAD_SUMS_H
#define TESTS_UNIT_LOAD_SUMS_H

#include <stdlib.h>

#include "calib/loads/loads.h"

#define LOAD_SUM_MEM   65536
#define LOAD_SUM_UNITS 200

static const struct {
	const char *name;
	uint64_t sum;
} load_sums[] = {
	{ "int", UINT64_C(0xbe25e978e23196b6) },
	{ "float", UINT64_C(0xff6281d89a34317d) },
	{ "simd", UINT64_C(0x5d733a5f95f599ac) },
	{ "branchy", UINT64_C(0x73c67e5e6c588824) },
	{ "l1", UINT64_C(0x84470c4d76c1fe28) },
	{ "l2", UINT64_C(0x84470c4d76c1fe28) },
	{ "dram", UINT64_C(0x84470c4d76c1fe28) },
	{ "chase", UINT64_C(0x7470237e64d9c9f2) },
	{ "spin", UINT64_C(0x6dde9743a50ad488) },
	{ "idle", UINT64_C(0x0000000000000001) },
};

/* After LOAD_SUM_UNITS units on LOAD_SUM_MEM bytes; 0 without memory. */
static inline uint64_t load_sum(const struct load_kernel *k)
{
	void *mem = aligned_alloc(4096, LOAD_SUM_MEM);
	uint64_t x = 1;
	int i;

	if (!mem)
		return 0;
	k->init(mem, LOAD_SUM_MEM);
	for (i = 0; i < LOAD_SUM_UNITS && k->unit; i++)
		x = k->unit(mem, LOAD_SUM_MEM, x);
	free(mem);
	return x;
}

#endif
