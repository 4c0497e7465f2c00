/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPUs of a device tree the clusters of coeffs.json are about.
 */
#ifndef LIB_COEFFS_DT_H
#define LIB_COEFFS_DT_H

#include "lib/coeffs.h"
#include "lib/dtcpus.h"

/* Is the CPU node one of the cluster's? */
bool coeffs_dt_match(const struct coeffs_match *m, const struct dtcpus *d,
		     const struct dt_cpu *cpu);
/* coeffs_resolve_labels() by a tree's __symbols__; @blob may be NULL: no labels. */
int coeffs_dt_labels(struct coeffs *c, const void *blob, struct err *err);

#endif
