// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The streams l1, l2 and dram: one half of the memory is read from its start to its end
 * and written, changed, to the other half; then back. What cache that is in, the size of
 * the memory decides.
 */
#include "calib/loads/kernels.h"

typedef uint32_t v4u __attribute__((vector_size(16)));

/* A unit reads so many vectors and writes as many. */
#define CHUNK (LOAD_STREAM_UNIT / 2 / sizeof(v4u))

struct stream {
	uint32_t at, from; /* next vector; half that is read */
	_Alignas(64) v4u data[];
};

static size_t half_of(size_t size)
{
	return (size - sizeof(struct stream)) / sizeof(v4u) / 2 / CHUNK * CHUNK;
}

void load_stream_init(void *mem, size_t size)
{
	struct stream *st = mem;
	size_t i;

	st->at = st->from = 0;
	for (i = 0; i < 2 * half_of(size); i++)
		st->data[i] = (v4u){ i, i * 7, ~i, i << 9 };
}

uint64_t load_stream_unit(void *mem, size_t size, uint64_t seed)
{
	struct stream *st = mem;
	size_t half = half_of(size), i;
	const v4u *src = st->data + (st->from ? half : 0) + st->at;
	v4u *dst = st->data + (st->from ? 0 : half) + st->at;
	v4u add = { seed, seed >> 32, seed >> 16, seed >> 48 };
	v4u a = { 0 }, b = { 0 };
	uint64_t bits[2];

	for (i = 0; i < CHUNK; i += 2) {
		v4u x = src[i], y = src[i + 1];

		a += x;
		b ^= y;
		dst[i] = x + add;
		dst[i + 1] = y ^ add;
	}
	st->at += CHUNK;
	if (st->at == half) {
		st->at = 0;
		st->from = !st->from;
	}
	a += b;
	/* Elements, not memory: the same number on either endianness. */
	bits[0] = (uint64_t)a[0] << 32 | a[1];
	bits[1] = (uint64_t)a[2] << 32 | a[3];
	return load_mix(load_mix(seed, bits[0]), bits[1]);
}
