/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What 'calib probe' makes of a machine's facts: what is missing, and what to do.
 */
#ifndef CALIB_PROBE_H
#define CALIB_PROBE_H

#include <stdbool.h>
#include <stdio.h>

#include "calib/linux/facts.h"
#include "lib/err.h"

#define PROBE_MAX_ITEMS 96

enum probe_kind {
	PROBE_MISSING, /* has to be there, and is not */
	PROBE_UNKNOWN, /* has to be there, and cannot be seen */
	PROBE_NOTE,
};

struct probe_item {
	enum probe_kind kind;
	bool eas;	/* else for a calibration */
	char what[640]; /* one line */
	char todo[320]; /* "" when there is nothing to do */
};

struct probe {
	const struct facts *facts;
	struct probe_item items[PROBE_MAX_ITEMS];
	unsigned int item_count;
};

/* The energy model's, as the kernel counts it; @pruned: without inefficient states. */
unsigned int probe_complexity(const struct facts *f, bool pruned);
/* Does this kernel leave EAS off when that is above EM_MAX_COMPLEXITY? */
bool probe_limits_complexity(const struct facts *f);

/*
 * probe_play_kernel - into the facts of a virtual board what a kernel would tell there
 * 0; -ENOMEM; -EINVAL, see sim_kernel_model()
 */
int probe_play_kernel(const struct board *board, struct facts *f, struct err *err);
/* @f must outlive @p. */
void probe_judge(const struct facts *f, struct probe *p);
/* Things that a calibration (or EAS) misses. */
unsigned int probe_missing(const struct probe *p, bool eas);

void probe_print(const struct probe *p, FILE *out);
/* 0, -ENOMEM, -EIO */
int probe_print_json(const struct probe *p, FILE *out, struct err *err);

#endif
