/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cooling-device of a thermal zone's maps: <&device min max>, any number of them.
 */
#ifndef FDTEDIT_COOLING_H
#define FDTEDIT_COOLING_H

#include <stdbool.h>
#include <stdint.h>

#define COOLING_NO_LIMIT UINT32_MAX

struct cooling {
	int node; /* of the device */
	bool has_max;
	uint32_t max; /* its highest state in this map */
};

/*
 * cooling_next - the entry at *@at of the list
 *
 * Returns 1 and moves *@at; 0 at the end; -EINVAL when an entry points to no node.
 */
int cooling_next(const void *blob, const char *list, int len, int *at,
		 struct cooling *out);

#endif
