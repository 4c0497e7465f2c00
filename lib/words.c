// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words of a command line.
 */
#include "lib/words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"

/* Copy a word from *@in to *@out, quotes taken off; *@in ends behind it. */
static int take_word(const char **in, char **out)
{
	const char *p = *in;
	char *to = *out, quote = '\0';

	for (; *p && (quote || !strchr(BLANKS, *p)); p++) {
		if (quote ? *p == quote : *p == '\'' || *p == '"') {
			quote = quote ? '\0' : *p;
			continue;
		}
		if (*p == '\\' && (!quote || (quote == '"' && strchr("\"\\", p[1]))) &&
		    !*++p)
			return -EINVAL;
		*to++ = *p;
	}
	*to++ = '\0';
	*in = p;
	*out = to;
	return quote ? -EINVAL : 0;
}

int words_split(const char *text, struct words *words, struct err *err)
{
	const char *in = text;
	char *out;

	memset(words, 0, sizeof(*words));
	/* Each word ends where a blank or the end of the text was. */
	words->text = out = malloc(strlen(text) + 1);
	if (!out)
		return err_set(err, -ENOMEM, "out of memory");
	for (in += strspn(in, BLANKS); *in; in += strspn(in, BLANKS)) {
		if (words->count == WORDS_MAX)
			return err_set(err, -EINVAL, "'%s' has more than %d words", text,
				       WORDS_MAX);
		words->argv[words->count++] = out;
		if (take_word(&in, &out))
			return err_set(err, -EINVAL,
				       "'%s' ends within a quote or behind a backslash",
				       text);
	}
	if (!words->count)
		return err_set(err, -EINVAL, "'%s' names no command", text);
	return 0;
}

void words_free(struct words *words)
{
	free(words->text);
	memset(words, 0, sizeof(*words));
}

static bool is_plain(const char *word)
{
	return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789%+,-./:=@_")];
}

int words_quote(struct buf *line, const char *word)
{
	int ret;

	if (is_plain(word))
		return buf_adds(line, word);
	ret = buf_adds(line, "'");
	for (; *word && !ret; word++)
		ret = *word == '\'' ? buf_adds(line, "'\\''") : buf_add(line, word, 1);
	return ret ? ret : buf_adds(line, "'");
}
