/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lossless tokens of device-tree source: every byte belongs to exactly one token, so that
 * the tokens in order are the file.
 *
 * The text is read as it stands before cpp: a directive is one token, and what "#if 0"
 * takes out is one token that nobody looks into. Nothing is evaluated beyond "#if 0" and
 * "#if 1".
 */
#ifndef FDTEDIT_DTS_LEX_H
#define FDTEDIT_DTS_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dts_kind {
	DTS_BLANK,     /* blanks and newlines */
	DTS_SPLICE,    /* backslash before a newline, with that newline */
	DTS_COMMENT,   /* either kind, without the newline after a "//" one */
	DTS_BOM,       /* UTF-8 byte order mark at the start */
	DTS_DIRECTIVE, /* a whole cpp line with its continuation lines, without its
			* newline
			*/
	DTS_DEAD,      /* what "#if 0" and its like take out */
	/* All kinds above are nothing to dtc. */
	DTS_STRING,  /* with its quotes */
	DTS_CHAR,    /* 'x' with its quotes */
	DTS_WORD,    /* a run of dtc's name characters: names, numbers, macros */
	DTS_REF,     /* "&label" or "&{/path}" */
	DTS_KEYWORD, /* "/delete-node/" and the other words between slashes */
	DTS_PUNCT,   /* one byte of anything else */
	DTS_BAD,     /* a comment or string that never ends: the rest of the file */
};

enum dts_cond {
	DTS_COND_NONE,
	DTS_COND_IF,   /* #if, #ifdef, #ifndef */
	DTS_COND_ELIF, /* #elif and its kin */
	DTS_COND_ELSE,
	DTS_COND_ENDIF,
};

struct dts_token {
	uint32_t start, end; /* byte range, end not included */
	uint32_t line;	     /* of its first byte, from 1 */
	uint8_t kind;	     /* enum dts_kind */
	uint8_t cond;	     /* enum dts_cond of a directive */
	bool dead;	     /* a directive after which the text is taken out */
};

struct dts_tokens {
	struct dts_token *list;
	size_t count, cap;
};

/* Nothing to dtc: blanks, comments, directives, text that is taken out. */
static inline bool dts_is_trivia(const struct dts_token *t)
{
	return t->kind <= DTS_DEAD;
}

/* May it stand in a name, to dtc? */
bool dts_is_name_char(char c);

/*
 * dts_lex - cut @text into tokens
 * @len: at most UINT32_MAX bytes
 *
 * Any bytes are taken. Returns 0 or -ENOMEM (then @out holds nothing). The caller frees
 * with dts_tokens_free(), which takes a zeroed struct.
 */
int dts_lex(const char *text, size_t len, struct dts_tokens *out);
void dts_tokens_free(struct dts_tokens *tokens);
/* Would cpp take it for a directive at the start of a line, as "#if", not "#size-cells"?
 */
bool dts_is_directive(const char *text, size_t len);

#endif
