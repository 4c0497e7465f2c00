/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files of the checks.
 */
#ifndef MODELS_CHECKS_INTERNAL_H
#define MODELS_CHECKS_INTERNAL_H

#include "models/checks.h"

/* checks_em.c: states of each domain, their limits, monotonic efficiency */
void checks_energy(const struct dtcpus *d, struct checks *out);
/* checks_eas.c: what EAS asks of the tree as a whole; checks_capacity() comes first */
void checks_capacity(const struct checks_input *in, struct checks *out);
void checks_eas(const struct checks_input *in, struct checks *out);
/* checks_ratio.c */
void checks_big_little(const struct checks_band *band, struct checks *out);

/* checks_order.c */
void checks_order(const struct checks_input *in, struct checks *out);

/* "cpu@100" of "/cpus/cpu@100"; "CPU 3" without a path. @buf holds the latter. */
const char *checks_cpu_name(const struct dtcpus *d, unsigned int cpu, char *buf,
			    size_t size);

/* Append to the text that is there; cut at @size. */
void checks_append(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
