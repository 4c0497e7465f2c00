/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calib fit: diagnostics into the result, and told to people.
 */
#ifndef CALIB_FIT_DIAGNOSE_H
#define CALIB_FIT_DIAGNOSE_H

#include "calib/fit.h"
#include "models/diagnose.h"

/* Into @out: diagnostics, warnings, and what there is per OPP. 0 or -ENOMEM. */
int fit_diagnose(struct coeffs_cluster *out, const struct fit_cluster *c,
		 const struct fit_input *in, struct err *err);
/* Findings of @g that matter, in words, into @out (its rows are named). */
void fit_warn(const struct fit_cluster *c, const struct diagnose *g,
	      struct coeffs_diagnostics *out);
/* What 'calib fit --explain' prints of a cluster. */
void fit_explain(FILE *f, const struct fit_cluster *c, const struct coeffs_cluster *r,
		 const struct fit_input *in);

#endif
