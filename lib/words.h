/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command line that a user gave as one option, cut into words; and words as text again.
 * No shell is involved: nothing is expanded, and ';', '|', '$' and the like are ordinary
 * characters.
 */
#ifndef LIB_WORDS_H
#define LIB_WORDS_H

#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"

#define WORDS_MAX 64

/* Hand to words_free(); zeroed is empty. */
struct words {
	const char *argv[WORDS_MAX + 1]; /* NULL-ended */
	unsigned int count;
	char *text;
};

/*
 * words_split - cut @text at blanks
 *
 * '...' holds its content as it is; in "..." a backslash takes the '"' or '\' after it as
 * it is; outside of quotes it takes any character. Returns 0; -EINVAL for a quote that is
 * not closed, a backslash at the end, no word at all or more than WORDS_MAX; -ENOMEM.
 */
int words_split(const char *text, struct words *words, struct err *err);
/* Takes a zeroed struct, and one that words_split() refused. */
void words_free(struct words *words);
/* Append @word so that words_split(), or a shell, makes the same of it: 'a b'. 0,
 * -ENOMEM.
 */
int words_quote(struct buf *line, const char *word);

#endif
