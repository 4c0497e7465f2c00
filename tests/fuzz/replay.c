// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A main for fuzz targets without libFuzzer: feeds each file that it is given.
 */
#include <string.h>

#include "lib/buf.h"
#include "tests/fuzz/fuzz.h"

#define MAX_BYTES (16u << 20)

/* From a block of just that size, so that a sanitizer sees a read past the end. */
static void feed(const struct buf *content)
{
	uint8_t *exact = malloc(content->len ? content->len : 1);

	fuzz_assert(exact);
	if (content->len)
		memcpy(exact, content->data, content->len);
	LLVMFuzzerTestOneInput(exact, content->len);
	free(exact);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct buf content = { 0 };
		struct err err = { "" };

		if (buf_read_file(&content, argv[i], MAX_BYTES, &err)) {
			fprintf(stderr, "%s: %s\n", argv[0], err.msg);
			return 2;
		}
		printf("%s\n", argv[i]);
		fflush(stdout);
		feed(&content);
		buf_free(&content);
	}
	return 0;
}
