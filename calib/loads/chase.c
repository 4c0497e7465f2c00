// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pointer chase: one load from memory after the other, each needing the one before.
 * The nodes form one circle over all the memory, in the order of a linear congruential
 * generator of full period (increment odd, factor 1 modulo 4): no prefetcher follows it,
 * and laying it out takes one pass in order.
 */
#include "calib/loads/kernels.h"

#define FACTOR	  1664525u
#define INCREMENT 1013904223u

struct node {
	uint32_t next;
	uint32_t at; /* node 0: where the chase is */
	/* Two cache lines of 64: neighbours are fetched in pairs. */
	unsigned char unused[LOAD_CHASE_NODE - 8];
};

static uint32_t count_of(size_t size)
{
	uint32_t n = 1;

	while (n <= size / sizeof(struct node) / 2)
		n *= 2;
	return n;
}

void load_chase_init(void *mem, size_t size)
{
	struct node *nodes = mem;
	uint32_t n = count_of(size), i;

	for (i = 0; i < n; i++)
		nodes[i] = (struct node){ .next = (i * FACTOR + INCREMENT) & (n - 1) };
}

uint64_t load_chase_unit(void *mem, size_t size, uint64_t seed)
{
	struct node *nodes = mem;
	uint32_t at = nodes[0].at;
	unsigned int i;

	(void)size;
	for (i = 0; i < LOAD_CHASE_UNIT; i++)
		at = nodes[at].next;
	nodes[0].at = at;
	return load_mix(seed, at);
}
