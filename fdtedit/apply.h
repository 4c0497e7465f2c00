/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of 'fdtedit apply': what the compiled and the source path share.
 */
#ifndef FDTEDIT_APPLY_H
#define FDTEDIT_APPLY_H

#include <stdbool.h>
#include <stdio.h>

#include "fdtedit/changes.h"
#include "fdtedit/container.h"
#include "fdtedit/dtb.h"
#include "fdtedit/dts.h"
#include "fdtedit/edits.h"
#include "fdtedit/target.h"
#include "lib/cmd.h"
#include "lib/coeffs.h"
#include "lib/err.h"
#include "lib/outset.h"

struct apply_options {
	const char *output;
	bool backup;
	const char *format;
	bool overlay, fragment;
	bool capacity, opp_power, sustainable;
	bool dry_run;
	bool keep_trailing;
	struct container_pick pick;
	bool all_cpus;
	struct target_source source;
};

/* One run: what was asked, what was found, what to write. */
struct apply {
	struct cmd_ctx *ctx;
	const struct apply_options *opts;
	const char *board;
	struct coeffs *coeffs;
	struct dtcpus *cpus;	  /* of @before */
	struct dtb before, after; /* a compiled tree; of source, what it compiles to */
	struct edits edits;
	struct changes extra; /* asked for beside the coefficients, and not there yet */
	FILE *talk;	      /* stdout, unless the result itself goes there */
	struct outset out;    /* of overlays: written, committed last */
};

/* Edit source, or print the edit as a patch. Returns 0 or a negative errno. */
int apply_source(struct apply *a, struct err *err);
/* An overlay or a source fragment in place of an edit. Returns 0 or a negative errno. */
int apply_overlay(struct apply *a, struct err *err);
/* Fill cpus, edits and @a->after from @a->before. 0, or a negative errno (then the
 * message names no file). */
int apply_plan_tree(struct apply *a, struct err *err);
/*
 * Fill cpus and extra from @a->before, of which @edits becomes the plan; it may be
 * @a->edits. 0, or a negative errno (then the message names no file).
 */
int apply_plan_extra(struct apply *a, struct edits *edits, struct err *err);
/* The file that is edited. */
struct target apply_target(const struct apply *a);
/* Is a CPU node of the domain edited? */
bool apply_is_edited(const struct apply *a, const struct dt_domain *dom);
/* Warn of edits that the kernel will not look at; @a->cpus knows the OPPs. */
void apply_warn_domains(const struct apply *a);
/* What was done, a line for each edit and one for all. @old_text: what stood there when
 * it was no number (by edit), or NULL. */
void apply_print_edits(const struct apply *a, const char *const *old_text);

#endif
