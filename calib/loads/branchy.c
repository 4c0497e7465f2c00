// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The branchy load: branches on random bits, half of which every predictor gets wrong.
 */
#include "calib/loads/kernels.h"

#define STEPS 256

/* Compilers would merge arms that look the same, and use conditional moves for branches.
 */
#define ARM(which) __asm__ volatile("/* " which " */" ::: "memory")

uint64_t load_branchy_unit(void *mem, size_t size, uint64_t seed)
{
	uint64_t r = seed | 1, h = seed;
	unsigned int i;

	(void)mem;
	(void)size;
	for (i = 0; i < STEPS; i++) {
		r ^= r << 13;
		r ^= r >> 7;
		r ^= r << 17;
		if (r & 0x10) {
			ARM("1");
			h += r;
		} else {
			ARM("2");
			h ^= r >> 3;
		}
		if (r & 0x400000) {
			ARM("3");
			h = h << 7 | h >> 57;
		} else {
			ARM("4");
			h -= r << 5;
		}
	}
	return load_mix(seed, h);
}
