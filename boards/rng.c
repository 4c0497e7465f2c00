// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seeded random numbers: SplitMix64 and the distributions that the virtual board draws.
 */
#include "boards/rng.h"

#include <math.h>

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint64_t rng_u64(struct rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15u;
	return mix(rng->state);
}

void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream)
{
	/* Mixed twice, so that neighbouring seeds and streams start far apart. */
	rng->state = mix(mix(seed) + stream);
}

double rng_uniform(struct rng *rng)
{
	return (rng_u64(rng) >> 11) * 0x1p-53;
}

double rng_normal(struct rng *rng)
{
	/* Box and Muller; 1 - u is never 0. The second number is not kept: no state. */
	double r = sqrt(-2 * log(1 - rng_uniform(rng)));

	return r * cos(2 * M_PI * rng_uniform(rng));
}

double rng_exponential(struct rng *rng)
{
	return -log(1 - rng_uniform(rng));
}
