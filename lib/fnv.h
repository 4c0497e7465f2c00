/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FNV-1a, a digest of 64 bits: tells whether something changed, and need not withstand
 * anybody.
 */
#ifndef LIB_FNV_H
#define LIB_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* @hash begins as FNV_BASIS. */
static inline void fnv_mix(uint64_t *hash, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < size; i++)
		*hash = (*hash ^ p[i]) * FNV_PRIME;
}

#endif
