/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One scan of an IIO buffer: the values of all enabled channels, taken at once. Each lies
 * at a multiple of its own size, in the order of the channels' index; the scan ends at a
 * multiple of its largest value's size. The time, where enabled, is one more value.
 */
#ifndef CALIB_LINUX_IIO_SCAN_H
#define CALIB_LINUX_IIO_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct iio_element {
	uint32_t index;
	unsigned int bits, shift; /* of the value, in ... */
	unsigned int bytes;	  /* ... so many, */
	unsigned int repeat;	  /* and that so many times */
	bool big_endian, is_signed;
	size_t at; /* in the scan */
};

/*
 * iio_element_parse - what a channel's "type" says ("le:s12/16>>4", "be:u24/32X2>>8")
 *
 * Fills all but index and at. Returns 0, -EINVAL with the text quoted.
 */
int iio_element_parse(const char *text, struct iio_element *e, struct err *err);
/* Set where each of @n elements, sorted by index, lies; returns the size of a scan. */
size_t iio_scan_layout(struct iio_element *const *elements, unsigned int n);
/* The (first) value of @e in @scan; of an unsigned one of 64 bits, its bits. */
int64_t iio_element_value(const struct iio_element *e, const unsigned char *scan);

#endif
