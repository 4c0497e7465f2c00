// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How an IIO buffer lays out its scans, as iio_compute_scan_bytes() in
 * drivers/iio/industrialio-buffer.c does.
 */
#include "calib/linux/iio_scan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/num.h"

#define MAX_REPEAT 64

/* The number at *@text, up to one of @ends or all of it; *@text is then behind it. */
static int take_number(const char **text, const char *ends, unsigned int *out)
{
	size_t len = strcspn(*text, ends);
	char number[12];
	uint32_t value;

	if (!len || len >= sizeof(number))
		return -EINVAL;
	memcpy(number, *text, len);
	number[len] = '\0';
	*text += len;
	if (num_u32(number, &value))
		return -EINVAL;
	*out = value;
	return 0;
}

static int parse(const char *text, struct iio_element *e)
{
	unsigned int storage;

	e->big_endian = text[0] == 'b';
	if (strncmp(text, "be:", 3) != 0 && strncmp(text, "le:", 3) != 0)
		return -EINVAL;
	e->is_signed = text[3] == 's';
	if (text[3] != 's' && text[3] != 'u')
		return -EINVAL;
	text += 4;
	if (take_number(&text, "/", &e->bits) || *text++ != '/' ||
	    take_number(&text, "X>", &storage))
		return -EINVAL;
	if (*text == 'X' && (text++, take_number(&text, ">", &e->repeat)))
		return -EINVAL;
	if (*text && (strncmp(text, ">>", 2) != 0 ||
		      (text += 2, take_number(&text, "", &e->shift))))
		return -EINVAL;
	e->bytes = storage / 8;
	if (storage != 8 && storage != 16 && storage != 32 && storage != 64)
		return -EINVAL;
	return !e->bits || e->bits > storage || e->shift > storage - e->bits ||
			       !e->repeat || e->repeat > MAX_REPEAT
		       ? -EINVAL
		       : 0;
}

int iio_element_parse(const char *text, struct iio_element *e, struct err *err)
{
	*e = (struct iio_element){ .repeat = 1 };
	if (parse(text, e))
		return err_set(err, -EINVAL, "type '%.40s' is not one as 'le:s12/16>>4'",
			       text);
	return 0;
}

static size_t align(size_t at, size_t size)
{
	return (at + size - 1) / size * size;
}

size_t iio_scan_layout(struct iio_element *const *elements, unsigned int n)
{
	size_t at = 0, largest = 1;

	for (unsigned int i = 0; i < n; i++) {
		size_t size = elements[i]->bytes * elements[i]->repeat;

		elements[i]->at = align(at, size);
		at = elements[i]->at + size;
		if (size > largest)
			largest = size;
	}
	return align(at, largest);
}

int64_t iio_element_value(const struct iio_element *e, const unsigned char *scan)
{
	const unsigned char *byte = scan + e->at;
	uint64_t value = 0;

	for (unsigned int i = 0; i < e->bytes; i++)
		value = value << 8 | byte[e->big_endian ? i : e->bytes - 1 - i];
	/* To the top, so that the shift back takes off what is above the value. */
	value <<= 64 - e->shift - e->bits;
	if (e->is_signed)
		return (int64_t)value >> (64 - e->bits);
	return value >> (64 - e->bits);
}
