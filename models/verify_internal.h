/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files of verify.
 */
#ifndef MODELS_VERIFY_INTERNAL_H
#define MODELS_VERIFY_INTERNAL_H

#include "models/verify.h"

void verify_item(struct verify_domain *d, const char *cause, bool note, const char *fmt,
		 ...) __attribute__((format(printf, 4, 5)));
/* Mark a state as differing. */
void verify_differs(struct verify_state *s, const char *cause, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Power of an OPP in @unit, 0 when nothing tells it.
 * @volt_uv: to reckon with
 */
uint64_t verify_power(enum em_unit unit, enum verify_source source, uint32_t dpc,
		      const struct dt_opp *opp, uint32_t volt_uv);
/*
 * Costs and marks of the states that the kernel has, by its own rule.
 * @kernels: from the kernel's powers, else from ours
 * @states: room for EM_SHOWN_MAX_STATES, in the order of the kernel's
 * 0, or -EINVAL as em_current()
 */
int verify_costs(const struct verify_domain *d, uint32_t capacity, bool kernels,
		 struct em_state *states, struct err *err);

/* verify_explain.c: why a power, and why a cost or a mark is another. */
void verify_explain_power(const struct verify_input *in, struct verify_domain *d);
void verify_explain_cost(const struct verify_input *in, struct verify_domain *d);
/* verify_coeffs.c */
void verify_against_coeffs(const struct verify_input *in, struct verify_domain *d);

#endif
