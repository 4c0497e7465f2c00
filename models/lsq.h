/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weighted linear least squares by the singular values of the column-scaled design (never
 * by normal equations), with the errors that a power fit needs: classical, robust to
 * heteroscedasticity (HC3), and robust to whatever rows of one cluster have in common
 * (CR2 with the degrees of freedom of Bell and McCaffrey).
 */
#ifndef MODELS_LSQ_H
#define MODELS_LSQ_H

#include <stddef.h>

#include "lib/err.h"

#define LSQ_MAX_COLS 12

/* The problem; all arrays are borrowed. */
struct lsq_in {
	size_t rows;
	unsigned int cols;
	const double *x; /* rows * cols, row by row */
	const double *y;
	const double *weight; /* 1 / variance, up to a factor; NULL: all 1 */
	/* One free intercept per group, fitted but not reported; NULL: none. */
	const unsigned int *group; /* 0 .. groups - 1 */
	unsigned int groups;
	/* Rows whose errors may hang together; a group must not be split. NULL: none. */
	const unsigned int *cluster; /* 0 .. clusters - 1 */
	unsigned int clusters;
};

enum lsq_errors { LSQ_CLASSICAL, LSQ_HC3, LSQ_CLUSTERED, LSQ_ERRORS_MAX };

struct lsq {
	size_t rows;
	unsigned int cols, rank;
	double condition; /* of the scaled design, intercepts of groups taken out */
	double log_det;	  /* log |X' W X|, intercepts of groups taken out */
	double coef[LSQ_MAX_COLS];
	double se[LSQ_ERRORS_MAX][LSQ_MAX_COLS];  /* NAN where not to be had */
	double dof[LSQ_ERRORS_MAX][LSQ_MAX_COLS]; /* of the t interval */
	/* of the coefficients; zero where se is NAN */
	double cov[LSQ_ERRORS_MAX][LSQ_MAX_COLS][LSQ_MAX_COLS];
	double rss;	  /* weighted */
	double tss, tss0; /* weighted squares of y about its mean, about zero */
	double resid_dof; /* rows - columns - intercepts */
	/* per row, unweighted; freed by lsq_free() */
	double *fitted, *resid;
	double *leverage;
	double *loo; /* residual of the row when its cluster is left out (needs clusters);
			the group's intercept is still taken from the rows left out */
};

/*
 * lsq_fit - solve @in into @out (any content; lsq_free() when done)
 *
 * Returns 0; -EDOM when the rows cannot tell the coefficients apart ("rank 1 of 2";
 * @out->rank and @out->cols are set then); -EINVAL for weights that are not positive or
 * numbers that are not finite; -E2BIG above LSQ_MAX_COLS; -ENOMEM.
 */
int lsq_fit(const struct lsq_in *in, struct lsq *out, struct err *err);
/* Takes a zeroed or failed one. */
void lsq_free(struct lsq *fit);

/* The factor of a two-sided 95 % interval; INFINITY below half a degree of freedom. */
double lsq_t975(double dof);

#endif
