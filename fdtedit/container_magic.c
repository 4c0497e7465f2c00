// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Magics of files in which people keep device trees.
 */
#include "fdtedit/container_kinds.h"

#include <string.h>

struct magic {
	size_t offset, len;
	const char *bytes;
	const char *text;
};

static const struct magic magics[] = {
	{ 0, 8, "ANDROID!", "an Android boot image; take the tree out (unpack_bootimg)" },
	{ 0, 4, "\x27\x05\x19\x56",
	  "a U-Boot legacy image; take the tree out (dumpimage)" },
	{ 0, 8, "VNDRBOOT",
	  "an Android vendor boot image; take the tree out (unpack_bootimg)" },
	{ 0, 4, "QCDT", "a Qualcomm DT image; take the tree out (split-dtbs)" },
	{ 0x38, 4, "ARM\x64",
	  "an arm64 kernel Image; give the tree as a file of its own" },
	{ 0, 2, "\x1f\x8b", "a gzip file; gunzip it first" },
	{ 0, 6,
	  "\xfd"
	  "7zXZ",
	  "an xz file; unxz it first" },
	{ 0, 4, "\x28\xb5\x2f\xfd", "a zstd file; unzstd it first" },
	{ 0, 3, "BZh", "a bzip2 file; bunzip2 it first" },
	{ 0, 4, "\x04\x22\x4d\x18", "an lz4 file; unlz4 it first" },
	{ 0, 4, "\x02\x21\x4c\x18", "an lz4 file; unlz4 it first" },
	{ 0, 4,
	  "\x7f"
	  "ELF",
	  "an ELF file" },
	/* After the arm64 Image, which begins so too when it has the EFI stub. */
	{ 0, 2, "MZ", "an EFI program; take the tree out (objcopy -O binary -j .dtb)" },
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
