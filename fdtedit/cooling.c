// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walk a list of cooling devices.
 */
#include "fdtedit/cooling.h"

#include <errno.h>

#include <libfdt.h>

#define MAX_CELLS     16
#define DEFAULT_CELLS 2 /* what thermal-cooling-devices.yaml asks for */

/* #cooling-cells of the device tells how many numbers follow its phandle. */
static int count_cells(const void *blob, int node)
{
	int size;
	const fdt32_t *cells = fdt_getprop(blob, node, "#cooling-cells", &size);

	return cells && size == 4 && fdt32_ld(cells) < MAX_CELLS ? (int)fdt32_ld(cells)
								 : DEFAULT_CELLS;
}

int cooling_next(const void *blob, const char *list, int len, int *at,
		 struct cooling *out)
{
	const fdt32_t *cell;
	int count;

	if (!list || *at + 4 > len)
		return 0;
	cell = (const fdt32_t *)(list + *at);
	out->node = fdt_node_offset_by_phandle(blob, fdt32_ld(cell));
	if (out->node < 0)
		return -EINVAL;
	count = count_cells(blob, out->node);
	out->has_max = count == 2 && *at + 12 <= len;
	out->max = out->has_max ? fdt32_ld(cell + 2) : 0;
	*at += 4 + 4 * count;
	return 1;
}
