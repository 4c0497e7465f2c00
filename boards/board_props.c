// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strict reads of device-tree properties.
 */
#include "boards/board_props.h"

#include <ctype.h>
#include <errno.h>
#include <libfdt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void props_path(const void *blob, int node, char path[PROPS_PATH])
{
	if (fdt_get_path(blob, node, path, PROPS_PATH))
		snprintf(path, PROPS_PATH, "%s", "(a deep node)");
}

int props_err(struct err *err, int code, const void *blob, int node, const char *prop,
	      const char *fmt, ...)
{
	char path[PROPS_PATH], text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	props_path(blob, node, path);
	if (!prop)
		return err_set(err, code, "node '%s': %s", path, text);
	return err_set(err, code, "node '%s': property '%s': %s", path, prop, text);
}

int props_cells(const void *blob, int node, const char *prop, uint32_t *out, int max,
		struct err *err)
{
	const fdt32_t *cells;
	int i, len;

	cells = fdt_getprop(blob, node, prop, &len);
	if (!cells && len == -FDT_ERR_NOTFOUND)
		return props_err(err, -ENOENT, blob, node, prop, "is missing");
	if (!cells)
		return props_err(err, -EINVAL, blob, node, prop, "%s", fdt_strerror(len));
	if (len < 4 || len % 4 || len / 4 > max)
		return props_err(err, -EINVAL, blob, node, prop,
				 "%d bytes are not 1..%d cells", len, max);
	for (i = 0; i < len / 4; i++)
		out[i] = fdt32_ld(&cells[i]);
	return len / 4;
}

int props_u32(const void *blob, int node, const char *prop, uint32_t *out,
	      struct err *err)
{
	int ret = props_cells(blob, node, prop, out, 1, err);

	return ret < 0 ? ret : 0;
}

static int check_text(const char *text, int len)
{
	int i;

	if (len < 2 || text[len - 1])
		return -EINVAL;
	for (i = 0; i < len - 1; i++)
		if (iscntrl((unsigned char)text[i]))
			return -EINVAL;
	return 0;
}

int props_text(const void *blob, int node, const char *prop, char *out, size_t size,
	       struct err *err)
{
	const char *text;
	int len;

	text = fdt_getprop(blob, node, prop, &len);
	if (!text && len == -FDT_ERR_NOTFOUND)
		return props_err(err, -ENOENT, blob, node, prop, "is missing");
	if (!text)
		return props_err(err, -EINVAL, blob, node, prop, "%s", fdt_strerror(len));
	if (check_text(text, len))
		return props_err(err, -EINVAL, blob, node, prop,
				 "is not one line of text");
	if ((size_t)len > size)
		return props_err(err, -EINVAL, blob, node, prop,
				 "is longer than %zu characters", size - 1);
	memcpy(out, text, len);
	return 0;
}

static const struct props_field *find_field(const struct props_field *fields,
					    const char *name)
{
	for (; fields->name; fields++)
		if (!strcmp(fields->name, name))
			return fields;
	return NULL;
}

int props_read_fields(const void *blob, int node, const struct props_field *fields,
		      void *out, struct err *err)
{
	const struct props_field *field;
	const char *name;
	uint32_t value;
	int prop, ret;

	fdt_for_each_property_offset(prop, blob, node)
	{
		if (!fdt_getprop_by_offset(blob, prop, &name, NULL))
			return props_err(err, -EINVAL, blob, node, NULL,
					 "a property cannot be read");
		if (!strcmp(name, "phandle"))
			continue;
		field = find_field(fields, name);
		if (!field)
			return props_err(err, -EINVAL, blob, node, name,
					 "is unknown; boards/README.md lists them");
		ret = props_u32(blob, node, name, &value, err);
		if (ret)
			return ret;
		if (value && (value < field->min || value > field->max))
			return props_err(err, -EINVAL, blob, node, name,
					 "%u is not 0 or in %u..%u", value, field->min,
					 field->max);
		*(uint32_t *)((char *)out + field->offset) = value;
	}
	return 0;
}
