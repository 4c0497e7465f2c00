// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The SIMD load: multiply and add on eight vectors of four floats, enough of them to fill
 * the pipelines. Written with the compiler's vector type: SSE on x86, Advanced SIMD on
 * arm64. On 32-bit Arm that type becomes scalar code, as NEON takes denormals for 0, so
 * there the step is NEON's own function; no number here is as small. The factors are
 * negative and near -1, so that signs and mantissas change at every step and nothing
 * settles within a unit.
 */
#include <string.h>

#include "calib/loads/kernels.h"

#ifdef __arm__
/* Debian's armhf starts at CPUs without: see load_simd_usable(). */
#pragma GCC target("fpu=neon")
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#define STEPS 256

#ifdef __arm__
typedef float32x4_t v4f;

static v4f step(v4f x, v4f m, v4f c)
{
	return vmlaq_f32(c, x, m);
}

bool load_simd_usable(void)
{
	return getauxval(AT_HWCAP) & HWCAP_NEON;
}
#else
typedef float v4f __attribute__((vector_size(16)));

static v4f step(v4f x, v4f m, v4f c)
{
	return x * m + c;
}

bool load_simd_usable(void)
{
	return true;
}
#endif

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
		r = step(r, m, c);
		s = step(s, m, c);
		t = step(t, m, c);
		u = step(u, m, c);
		v = step(v, m, c);
		w = step(w, m, c);
		x = step(x, m, c);
		y = step(y, m, c);
	}
	r = ((r - s) * 1.25f + (t - u)) * 0.75f + ((v - w) * 1.75f + (x - y));
	memcpy(bits, &r, sizeof(bits));
	return load_mix(load_mix(seed, bits[0]), bits[1]);
}
