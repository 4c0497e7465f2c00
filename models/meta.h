/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Meta-analysis: one quantity, estimated on several boards with a standard error each, of
 * which every board has a value of its own.
 *
 *	estimate_i = mean + board_i + error_i,  var board_i = sd^2,  var error_i = se_i^2
 *
 * Assumed: boards are a random sample of their kind, both parts about normal, the errors
 * known as well as their standard errors are, and independent of each other. The variance
 * between boards is that of Paule and Mandel (J. Res. NBS 87, 1982): the one with which
 * Q = sum (estimate_i - mean)^2 / (sd^2 + se_i^2) is n - 1. Its interval is the one of
 * all sd with which Q is no surprise (Viechtbauer, Stat. Med. 26, 2007). The mean's error
 * is that of Hartung and Knapp (Stat. Med. 20, 2001), t on n - 1 degrees of freedom, and
 * never less than the errors alone give (Knapp and Hartung, Stat. Med. 22, 2003): with
 * this variance between boards, their factor is 1. A new board's interval averages over
 * what the variance may be, by Q's chi-squared distribution (Nagashima, Noma and
 * Furukawa, Stat. Methods Med. Res. 28, 2019, here without random numbers): it is the t
 * interval of n - 1 where errors are small against sd.
 */
#ifndef MODELS_META_H
#define MODELS_META_H

#include <stddef.h>

#include "lib/err.h"

struct meta {
	size_t n;
	double mean, se, dof, ci95[2];
	double sd, sd95[2]; /* between boards */
	double new95[2];    /* where the true value of one more board is */
};

/*
 * meta_pool - the mean of @n boards, and how boards differ
 *
 * Returns 0; -EDOM for less than two; -EINVAL for a number that is not finite or a
 * negative error.
 */
int meta_pool(const double *est, const double *se, size_t n, struct meta *m,
	      struct err *err);

/*
 * meta_deleted - how many standard deviations each board is off what the others predict
 * @out: studentised deleted residuals (Viechtbauer and Cheung, Res. Synth. Methods 1,
 *	2010); all 0 for two boards, where nothing tells which is the odd one
 */
void meta_deleted(const double *est, const double *se, size_t n, double *out);

/* Beyond this one of @n boards does not belong: 5 % for the largest of all (Bonferroni),
 * t on n - 2 degrees of freedom. INFINITY for two. */
double meta_outlying(size_t n);

#endif
