/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which lines of a text an edit has touched.
 */
#ifndef TESTS_FUZZ_LINES_H
#define TESTS_FUZZ_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	const char *data;
	size_t len;
};

/*
 * Is @new the text @old with no more than @edits places changed, all other lines equal? A
 * place is a run of lines, or none, that became one line or none. Texts of very
 * many lines are let pass.
 */
bool lines_differ_by(struct text old, struct text new, unsigned int edits);

#endif
