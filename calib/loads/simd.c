// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The SIMD load: multiply and add on eight vectors of four floats, enough of them to fill
 * the pipelines. Written with the compiler's vector type: SSE on x86, Advanced SIMD on
 * arm64; 32-bit Arm has no vectors that round as IEEE 754 wants, there it is scalar VFP.
 * The factors are negative and near -1, so that signs and mantissas change at every step
 * and nothing settles within a unit.
 */
#include <string.h>

#include "calib/loads/kernels.h"

#define STEPS 256

typedef float v4f __attribute__((vector_size(16)));

static v4f start(uint64_t seed, unsigned int k)
{
	float x = (seed >> 4 * k & 0xffff) / 65536.0f;

	return (v4f){ x + k, 1.5f - x, x * 3 - k, 0.25f + x };
}

uint64_t load_simd_unit(void *mem, size_t size, uint64_t seed)
{
	const v4f m = { -0.97f, -0.98f, -0.96f, -0.99f };
	const v4f c = { 1.1f, 0.7f, 1.3f, 0.9f };
	v4f r = start(seed, 0), s = start(seed, 1), t = start(seed, 2);
	v4f u = start(seed, 3), v = start(seed, 4), w = start(seed, 5);
	v4f x = start(seed, 6), y = start(seed, 7);
	uint64_t bits[2];
	unsigned int i;

	(void)mem;
	(void)size;
	for (i = 0; i < STEPS; i++) {
		r = r * m + c;
		s = s * m + c;
		t = t * m + c;
		u = u * m + c;
		v = v * m + c;
		w = w * m + c;
		x = x * m + c;
		y = y * m + c;
	}
	r = ((r - s) * 1.25f + (t - u)) * 0.75f + ((v - w) * 1.75f + (x - y));
	memcpy(bits, &r, sizeof(bits));
	return load_mix(load_mix(seed, bits[0]), bits[1]);
}
