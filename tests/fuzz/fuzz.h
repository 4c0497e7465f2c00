/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the fuzz targets share. A target is one file with one function that takes any
 * bytes; it is linked with libFuzzer ('make fuzz'), or with replay.c, which feeds it
 * files (the tests).
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/coeffs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says what is not as it should be and ends in a way that the fuzzer notices. */
#define fuzz_assert(condition)                                                           \
	do {                                                                             \
		if (!(condition)) {                                                      \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,       \
				#condition);                                             \
			abort();                                                         \
		}                                                                        \
	} while (0)

/* Shall a check be run that takes long? One time in @turns, by the input, so that it
 * fails every time or never; replay.c has time for all. */
static inline bool fuzz_turn(const uint8_t *data, size_t size, unsigned int turns)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < size; i++)
		sum = 31 * sum + data[i];
#ifdef FUZZER
	return sum % turns == 0;
#else
	return sum % turns < turns;
#endif
}

/* The coefficients that every target asks for: the CPU nodes of one compatible. */
static inline struct coeffs *fuzz_coeffs(void)
{
	static const char text[] =
		"{ \"schema\": \"calib-coeffs/1\", \"clusters\": [ { \"name\": \"a7\","
		" \"match\": { \"compatible\": \"arm,cortex-a7\" },"
		" \"dynamic-power-coefficient\": 90 } ] }";
	struct coeffs *c = coeffs_new();

	fuzz_assert(c && !coeffs_parse(text, sizeof(text) - 1, "a", c, NULL));
	return c;
}

#endif
