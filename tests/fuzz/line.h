/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first line of an input: a command of fdtedit with options and words, without files:
 * "set --type=u32 /cpus/cpu@0 clock-latency 5".
 */
#ifndef TESTS_FUZZ_LINE_H
#define TESTS_FUZZ_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"

#define LINE_MAX_BYTES 400
#define LINE_MAX_WORDS 24

struct line {
	char text[LINE_MAX_BYTES + 1];
	const char *command, *options[LINE_MAX_WORDS], *words[LINE_MAX_WORDS];
	unsigned int option_count, word_count;
};

/*
 * The bytes after the line, or NULL when it is none: not a command of @commands, or an
 * option that is not among @options, of which "--name=" takes a value.
 */
const uint8_t *line_read(struct line *l, const uint8_t *data, size_t size,
			 const char *const *commands, const char *const *options);
/* Is the option there, as a flag? Its value, or NULL; of several the last counts. */
bool line_has(const struct line *l, const char *flag);
const char *line_option(const struct line *l, const char *name);
bool line_is_listed(const char *word, const char *const *list);

/* The bytes of words of that type ("u32"), from @first on, made in another way than
 * typed_parse() does. It has taken them. */
void line_bytes(const struct line *l, const char *type, unsigned int first,
		struct buf *out);

#endif
