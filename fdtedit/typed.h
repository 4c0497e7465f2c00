/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Typed values of properties: words from a command line into bytes, taken whole or
 * refused, and bytes into words.
 */
#ifndef FDTEDIT_TYPED_H
#define FDTEDIT_TYPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"

#define TYPED_CHOICES "u8|u16|u32|u64|string|bytes"

enum typed_kind {
	TYPED_U8,
	TYPED_U16,
	TYPED_U32,
	TYPED_U64,
	TYPED_STRING, /* each with its NUL */
	TYPED_BYTES,  /* pairs of hexadecimal digits */
};

/* The kind that TYPED_CHOICES calls @name. */
enum typed_kind typed_kind_of(const char *name);
const char *typed_name(enum typed_kind kind);
/* Bytes of one number; 0: it is none (texts, bytes). */
size_t typed_width(enum typed_kind kind);
/* The number that @width bytes are in a tree. */
uint64_t typed_number(const void *data, size_t width);

/*
 * typed_known - the kind and size of a property that the bindings define
 * @single: set when it holds exactly one number
 * Returns false for any other property.
 */
bool typed_known(const char *property, enum typed_kind *kind, bool *single);
/*
 * typed_guess - the kind of the value that is there
 * @unsure: set when the bytes are text, but may as well be numbers
 */
enum typed_kind typed_guess(const char *property, const void *data, size_t len,
			    bool *unsure);

/*
 * typed_parse - append the bytes of @words
 *
 * Numbers are decimal, or hexadecimal with 0x. Returns 0; -EINVAL naming the word that is
 * no number of that width, or no hexadecimal bytes; -ENOMEM.
 */
int typed_parse(enum typed_kind kind, char *const *words, int count, struct buf *out,
		struct err *err);
/*
 * typed_format - append the value as typed_parse() takes it, on one line
 * @sep: between words
 *
 * Returns 0; -EINVAL when @len bytes are no whole number of that kind; -ENOMEM.
 */
int typed_format(enum typed_kind kind, const void *data, size_t len, const char *sep,
		 struct buf *out, struct err *err);

#endif
