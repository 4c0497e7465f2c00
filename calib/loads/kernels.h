/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernels, one file each; see struct load_kernel for what a unit is.
 */
#ifndef CALIB_LOADS_KERNELS_H
#define CALIB_LOADS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every bit of @h and @v in the result. */
static inline uint64_t load_mix(uint64_t h, uint64_t v)
{
	h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
	h *= 0xff51afd7ed558ccdu;
	return h ^ (h >> 29);
}

void load_int_init(void *mem, size_t size);
uint64_t load_int_unit(void *mem, size_t size, uint64_t seed);
#define LOAD_FLOAT_UNIT 512 /* steps of the recurrence */
uint64_t load_float_unit(void *mem, size_t size, uint64_t seed);
/* On a CPU without NEON it ends in SIGILL. */
bool load_simd_usable(void);
uint64_t load_simd_unit(void *mem, size_t size, uint64_t seed);
uint64_t load_branchy_unit(void *mem, size_t size, uint64_t seed);
#define LOAD_STREAM_UNIT 4096 /* bytes read and written */
void load_stream_init(void *mem, size_t size);
uint64_t load_stream_unit(void *mem, size_t size, uint64_t seed);
#define LOAD_CHASE_UNIT 256 /* hops */
#define LOAD_CHASE_NODE 128 /* bytes */
void load_chase_init(void *mem, size_t size);
uint64_t load_chase_unit(void *mem, size_t size, uint64_t seed);
#define LOAD_SPIN_UNIT 1024 /* looks */
uint64_t load_spin_unit(void *mem, size_t size, uint64_t seed);

#endif
