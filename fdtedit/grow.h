/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Room for one more element in a growing array.
 */
#ifndef FDTEDIT_GROW_H
#define FDTEDIT_GROW_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * grow - make room for element number @count of @size bytes in *@array
 * @cap: elements that there is room for; updated
 *
 * Returns 0 or -ENOMEM; then the array is as before.
 */
static inline int grow(void *array, size_t *cap, size_t count, size_t size)
{
	size_t more = *cap ? *cap * 2 : 64;
	void *old, *new;

	if (count < *cap)
		return 0;
	memcpy(&old, array, sizeof(old));
	new = reallocarray(old, more, size);
	if (!new)
		return -ENOMEM;
	memcpy(array, &new, sizeof(new));
	*cap = more;
	return 0;
}

#endif
