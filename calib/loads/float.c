// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The float load: a recurrence in which each step needs the one before, so that no
 * compiler can vectorise it. The logistic map is chaotic: a compiler that rounds
 * differently gives another number at once, and no operand is ever subnormal.
 */
#include <string.h>

#include "calib/loads/kernels.h"

uint64_t load_float_unit(void *mem, size_t size, uint64_t seed)
{
	double x = 0.1 + 0.8 * ((seed >> 11) * 0x1p-53);
	uint64_t bits;
	unsigned int i;

	(void)mem;
	(void)size;
	for (i = 0; i < LOAD_FLOAT_UNIT; i++)
		x = 3.9 * x * (1 - x);
	memcpy(&bits, &x, sizeof(bits));
	return load_mix(seed, bits);
}
