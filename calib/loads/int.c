// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The integer load: the everyday mix of compiled code. Hashing with multiplies, a walk
 * along linked records, string compare and copy, a small matrix, a state machine with
 * branches that data decide, and a bitwise CRC; all in L1, no call leaves this file.
 */
#include <stddef.h>
#include <string.h>

#include "calib/loads/kernels.h"
#include "calib/loads/loads.h"

#define NODES  64
#define TEXT   256
#define MATRIX 12

struct node {
	uint32_t key;
	uint16_t next;
	uint16_t weight;
};

struct int_mem {
	struct node nodes[NODES];
	unsigned char text[TEXT], copy[TEXT];
	int32_t a[MATRIX][MATRIX], b[MATRIX][MATRIX];
	uint32_t histogram[16];
};

_Static_assert(sizeof(struct int_mem) <= LOAD_MEM_SMALL, "the integer load outgrew it");

/* Every step depends on the one before: load, compare, add. */
static uint64_t walk(struct int_mem *m, uint64_t h)
{
	unsigned int at = h % NODES, i;

	for (i = 0; i < 2 * NODES; i++) {
		struct node *n = &m->nodes[at];

		if (n->key & 1)
			h += n->weight;
		else
			h ^= n->key;
		n->key += (uint32_t)h | 1;
		at = (n->next + (h & 3)) % NODES;
	}
	return h;
}

static uint64_t strings(struct int_mem *m, uint64_t h)
{
	unsigned int i, same = 0;

	m->text[h % TEXT] = h >> 8;
	for (i = 0; i < TEXT && m->copy[i] == m->text[i]; i++)
		same++;
	for (i = 0; i < TEXT; i++)
		m->copy[i] = m->text[i];
	return load_mix(h, same);
}

static uint64_t matrix(struct int_mem *m, uint64_t h)
{
	unsigned int i, j, k;
	uint32_t sum, all = 0;

	for (i = 0; i < MATRIX; i++) {
		for (j = 0; j < MATRIX; j++) {
			sum = (uint32_t)h;
			for (k = 0; k < MATRIX; k++)
				sum += (uint32_t)m->a[i][k] * (uint32_t)m->b[k][j];
			all ^= sum;
		}
		m->a[i][h % MATRIX] = (int32_t)(all & 0xffff);
	}
	return load_mix(h, all);
}

/* What a scanner does: the next state depends on the character and on the state. */
static uint64_t scan(struct int_mem *m, uint64_t h)
{
	unsigned int i, state = 0;

	for (i = 0; i < TEXT; i++) {
		unsigned char c = m->text[i] ^ (h >> (i & 31));

		if (c < 48)
			state = (state + 1) & 15;
		else if (c < 58)
			state = (state * 3 + c) & 15;
		else if (c & 32)
			state ^= 5;
		else
			state = 15 - state;
		m->histogram[state]++;
	}
	return load_mix(h, m->histogram[h & 15]);
}

static uint64_t crc(const struct int_mem *m, uint64_t h)
{
	uint32_t c = (uint32_t)h;
	unsigned int i, bit;

	for (i = 0; i < TEXT / 4; i++) {
		c ^= m->text[i];
		for (bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
	}
	return load_mix(h, c);
}

uint64_t load_int_unit(void *mem, size_t size, uint64_t seed)
{
	struct int_mem *m = mem;
	uint64_t h = load_mix(seed, 0x2545f4914f6cdd1du);

	(void)size;
	h = walk(m, h);
	h = strings(m, h);
	h = matrix(m, h);
	h = scan(m, h);
	return crc(m, h);
}

void load_int_init(void *mem, size_t size)
{
	struct int_mem *m = mem;
	unsigned int i, j;

	memset(mem, 0, size);
	for (i = 0; i < NODES; i++) {
		m->nodes[i].key = i * 2654435761u;
		m->nodes[i].next = (i * 29 + 7) % NODES;
		m->nodes[i].weight = i * i;
	}
	for (i = 0; i < TEXT; i++)
		m->text[i] = 32 + i * 7 % 95;
	for (i = 0; i < MATRIX; i++) {
		for (j = 0; j < MATRIX; j++) {
			m->a[i][j] = i + j;
			m->b[i][j] = i * 3 - j;
		}
	}
}
