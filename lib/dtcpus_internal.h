/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files that read CPUs and OPPs out of a tree.
 */
#ifndef LIB_DTCPUS_INTERNAL_H
#define LIB_DTCPUS_INTERNAL_H

#include "lib/dtcpus.h"

/* "/cpus/cpu@0" of a node. 0; -ERANGE when it does not fit. */
int dtcpus_path(const void *blob, int node, char *path, size_t size, struct err *err);

/*
 * dtcpus_cell - first cell of a property that holds cells
 * @exact: it must hold one cell only
 * Returns 0 (@has tells whether it is there) or -EINVAL.
 */
int dtcpus_cell(const void *blob, int node, const char *path, const char *name,
		bool exact, bool *has, uint32_t *value, struct err *err);

/* As of_device_is_available(). */
bool dtcpus_enabled(const void *blob, int node);

/* Fill freq_domain of @cpu, what is beside it, and firmware_*. 0 or -EINVAL. */
int dtcpus_clock(const void *blob, int node, struct dt_cpu *cpu, struct err *err);

/* Append the OPPs of a table to @dom; @bin: whose voltages, or NULL. */
int dtcpus_opps(const void *blob, int table, const char *bin, struct dt_domain *dom,
		struct err *err);

/* Fill regulators and supplies of @dom; all CPUs are known. */
void dtcpus_count_regulators(const void *blob, const struct dtcpus *d,
			     struct dt_domain *dom);

#endif
