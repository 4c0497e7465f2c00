// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The busy wait: read a flag that nobody sets, as a thread does that waits for another.
 */
#include "calib/loads/kernels.h"

uint64_t load_spin_unit(void *mem, size_t size, uint64_t seed)
{
	const volatile uint32_t *flag = mem;
	uint32_t seen = 0;
	unsigned int i;

	(void)size;
	for (i = 0; i < LOAD_SPIN_UNIT && !seen; i++)
		seen = *flag;
	return load_mix(seed, i);
}
