/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seeded random numbers that are the same on every machine: SplitMix64 (Steele, Lea and
 * Flood, 2014), a counter through a 64-bit mixer. Small enough to have one stream per
 * cause, so that one cause switched off leaves the others' numbers as they were.
 */
#ifndef BOARDS_RNG_H
#define BOARDS_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

/* Stream number @stream of @seed. */
void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream);
uint64_t rng_u64(struct rng *rng);
/* In [0, 1). */
double rng_uniform(struct rng *rng);
/* Mean 0, standard deviation 1. */
double rng_normal(struct rng *rng);
/* Exponential with mean 1. */
double rng_exponential(struct rng *rng);

#endif
