// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CRC-32 here, the others by md5sum(1) and its kin.
 */
#include "fdtedit/digest.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/spawn.h"

static uint32_t crc32(const unsigned char *p, size_t len)
{
	uint32_t crc = UINT32_MAX;

	while (len--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static int from_hex(const char *text, unsigned char *out, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (sscanf(text + 2 * i, "%2hhx", &out[i]) != 1)
			return -EIO;
	return 0;
}

static int run(const char *program, const void *data, size_t len, unsigned char *out,
	       size_t out_len, struct err *err)
{
	const char *const argv[] = { program, NULL };
	struct buf text = { 0 };
	const struct spawn sp = {
		.argv = argv, .input = data, .input_len = len, .out = &text
	};
	int ret = spawn_run(&sp, err);

	if (ret > 0 ||
	    (!ret && (text.len < 2 * out_len || from_hex(text.data, out, out_len))))
		ret = err_set(err, -EIO, "%s failed", program);
	buf_free(&text);
	return ret;
}

int digest(const char *name, const void *data, size_t len, unsigned char out[DIGEST_MAX],
	   size_t *out_len, struct err *err)
{
	static const struct {
		const char *name, *program;
		size_t len;
	} known[] = {
		{ "md5", "md5sum", 16 },       { "sha1", "sha1sum", 20 },
		{ "sha256", "sha256sum", 32 }, { "sha384", "sha384sum", 48 },
		{ "sha512", "sha512sum", 64 },
	};

	if (!strcmp(name, "crc32")) {
		uint32_t crc = crc32(data, len);

		for (int i = 0; i < 4; i++)
			out[i] = (unsigned char)(crc >> (24 - 8 * i));
		*out_len = 4;
		return 0;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(name, known[i].name))
			continue;
		*out_len = known[i].len;
		return run(known[i].program, data, len, out, known[i].len, err);
	}
	return err_set(err, -EINVAL, "digest '%s' is not known here", name);
}
