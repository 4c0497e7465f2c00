/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The coefficient of every load that a cluster was measured with, and a mix of them.
 */
#ifndef CALIB_FIT_LOADS_H
#define CALIB_FIT_LOADS_H

#include "calib/fit.h"
#include "models/mix.h"

struct fit_loads {
	struct fit_cluster list[MIX_MAX_LOADS]; /* in the order of the rows */
	double weight[MIX_MAX_LOADS];		/* in the mix; 0: not in it */
	const char *poor[MIX_MAX_LOADS];	/* why it has no C; NULL: it has */
	unsigned int count;
	bool is_mix;
	char text[COEFFS_TEXT]; /* "int=0.6,dram=0.4" */
	struct mix mix;
};

/*
 * fit_loads_run - as fit_cluster_run(), for '--load all' and '--mix'
 *
 * With a mix @c has the mix's coefficient, terms and errors in its fit; the rest of it is
 * that of the load with the most weight. Refused are weights that do not add up to 1, a
 * load without rows, and one of the mix that cannot be fitted.
 */
int fit_loads_run(struct fit_cluster *c, const struct fit_input *in,
		  const struct fit_opts *o, unsigned int i, struct err *err);
/* Takes NULL. */
void fit_loads_free(struct fit_loads *l);
/* Of a mix the fit of the load with the most weight, by itself; else @c. */
const struct fit_cluster *fit_loads_main(const struct fit_cluster *c);
/* Why a load of the mix has no coefficient; NULL: all have. */
const char *fit_loads_poor(const struct fit_loads *l);
/* power_effective() of the load, or of the mix. */
double fit_loads_effective(const struct fit_cluster *c);
/* Rows that the coefficient was made from. */
size_t fit_loads_rows(const struct fit_loads *l);
/* Into the result. */
void fit_loads_result(struct coeffs_cluster *out, const struct fit_loads *l);
/* "C is 217.0 (dram) to 418.5 (simd) ..."; "" for one load only. */
void fit_loads_spread(const struct fit_loads *l, double shipped, char *out, size_t size);
/* What is assumed of the errors of a mix. */
void fit_loads_common(const struct fit_loads *l, char *out, size_t size);
/* On stderr: every load's C, and of a mix's other loads what was left out. */
void fit_loads_talk(const struct cmd_ctx *ctx, const struct fit_cluster *c,
		    const struct fit_input *in);

#endif
