// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cut the first line of an input into words.
 */
#include "tests/fuzz/line.h"

#include <string.h>

#include <libfdt.h>

#include "tests/fuzz/fuzz.h"

bool line_is_listed(const char *word, const char *const *list)
{
	for (; *list; list++) {
		size_t len = strlen(*list);

		if ((*list)[len - 1] == '=' ? !strncmp(word, *list, len)
					    : !strcmp(word, *list))
			return true;
	}
	return false;
}

bool line_has(const struct line *l, const char *flag)
{
	for (unsigned int i = 0; i < l->option_count; i++)
		if (!strcmp(l->options[i], flag))
			return true;
	return false;
}

const char *line_option(const struct line *l, const char *name)
{
	const char *value = NULL;

	for (unsigned int i = 0; i < l->option_count; i++)
		if (!strncmp(l->options[i], name, strlen(name)))
			value = l->options[i] + strlen(name);
	return value;
}

const uint8_t *line_read(struct line *l, const uint8_t *data, size_t size,
			 const char *const *commands, const char *const *options)
{
	const uint8_t *nl;
	char *save, *word;

	nl = memchr(data, '\n', size < LINE_MAX_BYTES ? size : LINE_MAX_BYTES);
	if (!nl || memchr(data, '\0', (size_t)(nl - data)))
		return NULL;
	memcpy(l->text, data, (size_t)(nl - data));
	l->command = strtok_r(l->text, " ", &save);
	if (!l->command || !line_is_listed(l->command, commands))
		return NULL;
	while ((word = strtok_r(NULL, " ", &save))) {
		if (l->word_count == LINE_MAX_WORDS || l->option_count == LINE_MAX_WORDS)
			return NULL;
		if (strncmp(word, "--", 2))
			l->words[l->word_count++] = word;
		else if (line_is_listed(word, options))
			l->options[l->option_count++] = word;
		else
			return NULL;
	}
	return nl + 1;
}

static void add_word(const char *type, const char *word, struct buf *out)
{
	unsigned int width = type[0] == 'u' ? (unsigned int)atoi(type + 1) / 8 : 0;
	int base = word[0] == '0' && (word[1] | 32) == 'x' ? 16 : 10;
	unsigned long long number = width ? strtoull(word, NULL, base) : 0;
	fdt64_t bytes = cpu_to_fdt64(number << (64 - 8 * width) % 64);
	unsigned int byte;

	if (width)
		fuzz_assert(!buf_add(out, &bytes, width));
	else if (!strcmp(type, "string"))
		fuzz_assert(!buf_add(out, word, strlen(word) + 1));
	for (; !strcmp(type, "bytes") && sscanf(word, "%2x", &byte) == 1; word += 2)
		fuzz_assert(!buf_add(out, &(uint8_t){ (uint8_t)byte }, 1));
}

void line_bytes(const struct line *l, const char *type, unsigned int first,
		struct buf *out)
{
	for (unsigned int i = first; i < l->word_count; i++)
		add_word(type, l->words[i], out);
}
