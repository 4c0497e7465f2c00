/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What 'calib check' found, as text for a console and as JSON.
 */
#ifndef CALIB_CHECK_PRINT_H
#define CALIB_CHECK_PRINT_H

#include <stdio.h>

#include "calib/check_facts.h"
#include "lib/err.h"
#include "models/checks.h"

/* Lines of at most 100 columns, except for names that are longer. */
void check_print_text(FILE *f, const char *path, const struct check_facts *facts,
		      const struct checks *c);
/* 0, -ENOMEM, the -errno of writing. */
int check_print_json(FILE *f, const char *path, const struct check_facts *facts,
		     const struct checks *c, struct err *err);

#endif
