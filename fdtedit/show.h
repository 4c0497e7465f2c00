/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fdtedit show knows of a tree, and its two ways of telling it.
 */
#ifndef FDTEDIT_SHOW_H
#define FDTEDIT_SHOW_H

#include <stdio.h>

#include "fdtedit/dts.h"
#include "lib/dtcpus.h"
#include "lib/err.h"
#include "models/checks.h"

struct show {
	const char *file;
	const struct dts *source;    /* where the values stand in source; or NULL */
	const struct dtcpus *d;	     /* NULL: source that was not compiled */
	const struct checks *checks; /* the kernel's view, domain by domain */
};

/*
 * Power of OPP @opp of @domain as the kernel computes it: opp-microwatt, or from the
 * first CPU's coefficient. Returns false when there is none.
 */
bool show_power_uw(const struct show *s, unsigned int domain, unsigned int opp,
		   uint64_t *power_uw);

void show_text(const struct show *s, FILE *f);
/* 0, -ENOMEM, -EIO. */
int show_json(const struct show *s, FILE *f, struct err *err);

#endif
