// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Magics of files in which people keep device trees.
 */
#include "fdtedit/container.h"

#include <string.h>

struct magic {
	size_t offset, len;
	const char *bytes;
	const char *text;
};

static const struct magic magics[] = {
	{ 0, 4, "\xd7\xb7\xab\x1e",
	  "an Android DT table; take the tree out (mkdtboimg dump)" },
	{ 0, 8, "ANDROID!", "an Android boot image; take the tree out (unpack_bootimg)" },
	{ 0, 4, "\x27\x05\x19\x56",
	  "a U-Boot legacy image; take the tree out (dumpimage)" },
	{ 0x24, 4, "\x18\x28\x6f\x01",
	  "an ARM zImage; give the tree as a file of its own" },
	{ 0x38, 4, "ARM\x64",
	  "an arm64 kernel Image; give the tree as a file of its own" },
	{ 0, 2, "\x1f\x8b", "a gzip file; gunzip it first" },
	{ 0, 6,
	  "\xfd"
	  "7zXZ",
	  "an xz file; unxz it first" },
	{ 0, 4, "\x28\xb5\x2f\xfd", "a zstd file; unzstd it first" },
	{ 0, 4,
	  "\x7f"
	  "ELF",
	  "an ELF file" },
};

const char *container_describe(const void *data, size_t size)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		const struct magic *m = &magics[i];

		if (size >= m->offset + m->len &&
		    !memcmp((const char *)data + m->offset, m->bytes, m->len))
			return m->text;
	}
	return NULL;
}
