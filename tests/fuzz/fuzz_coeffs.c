// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * coeffs.json from anywhere: refused with a reason, or read; and what was read is written
 * in a form that reads back as the same.
 */
#include <string.h>

#include "tests/fuzz/fuzz.h"

static char *written(const struct coeffs *c, size_t *len)
{
	struct err err = { "" };
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	fuzz_assert(f);
	if (coeffs_write(c, f, &err))
		fprintf(stderr, "%s\n", err.msg);
	fuzz_assert(!err.msg[0]);
	fclose(f);
	return text;
}

static void read_back(const char *text, size_t len)
{
	struct coeffs *c = coeffs_new();
	struct err err = { "" };
	size_t again_len;
	char *again;

	fuzz_assert(c);
	if (coeffs_parse(text, len, "written", c, &err))
		fprintf(stderr, "%s\n", err.msg);
	fuzz_assert(!err.msg[0]);
	again = written(c, &again_len);
	if (again_len != len || memcmp(again, text, len))
		fprintf(stderr, "--- once\n%s--- twice\n%s", text, again);
	fuzz_assert(again_len == len && !memcmp(again, text, len));
	free(again);
	coeffs_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct coeffs *c = coeffs_new();
	struct err err = { "" };

	fuzz_assert(c);
	if (coeffs_parse((const char *)data, size, "x", c, &err)) {
		fuzz_assert(err.msg[0]);
	} else {
		size_t len;
		char *text = written(c, &len);

		read_back(text, len);
		free(text);
	}
	coeffs_free(c);
	return 0;
}
